import { farAddress } from './hosts.js';

/** The models that the page offers, each with prompts to try. Greedy loops after "They all" and "Come". */

/**
 * The first of the examples is shown at first: one with several right answers.
 * `draft` is a smaller model with the same vocabulary, fetched when it is to draft.
 * @typedef {{ name: string, model: import('./engines.js').Model, grammar: string,
 *   examples: string[], draft?: string }} Offer
 */

/** @type {Offer[]} */
export const MODELS = [
  {
    name: 'stories',
    model: 'models/stories.gguf',
    draft: 'models/stories-draft.gguf',
    grammar: '',
    examples: ['Lily wanted to', 'The little dog', 'Once upon a time', 'Mom said, "', 'They all'],
  },
  {
    name: 'verbs',
    model: 'models/verbs.gguf',
    grammar: 'models/verbs.grammar.json',
    examples: ['Today she', 'Tomorrow she', 'Yesterday they', 'Every day he', 'This week we'],
  },
  {
    name: 'shakespeare',
    model: 'models/shakespeare.gguf',
    grammar: '',
    examples: ['ROMEO:', 'To be, or', 'KING RICHARD', 'What is', 'Come'],
  },
];

/** Prompts that most models of a language can read. */
const PLAIN = ['Once upon a time', 'The', 'I am'];

/**
 * An offered model by its name, or another by its address or file.
 * @param {import('./engines.js').Model} model
 * @returns {Offer}
 */
export function findModel(model) {
  const known = MODELS.find((offer) => offer.name === model || offer.model === model);
  if (known) return known;
  const [first] = [model].flat();
  const name = first instanceof File ? first.name : String(first).replace(/^.*\//, '');
  return { name, model, grammar: '', examples: PLAIN };
}

/**
 * Whether a page may load what its address names: an offered model, a file of its own origin, or one
 * at a host that it was built for, which the reader is asked about first.
 * @param {string} model
 */
export function mayLoad(model) {
  if (MODELS.some(({ name }) => name === model)) return true;
  const far = farAddress(model);
  if (far) return far.allowed;
  try {
    const { origin, protocol } = new URL(model, document.baseURI);
    return origin === location.origin && protocol !== 'file:'; // a page from disk can fetch nothing
  } catch {
    return false;
  }
}
