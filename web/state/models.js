import { farAddress } from './hosts.js';

/**
 * The models of the page, with example prompts. tests/bench/prompts.js finds prompts whose landscapes have many named
 * rivers, little ground and whole words, and whose texts become strange at a high temperature.
 */

/**
 * The page begins with the first of `examples`. The next three are buttons below the sentence. `draft` is
 * a smaller model with the vocabulary of `model`, fetched only for speculative decoding. `bytes` is the
 * size of the file, `tokens` the longest context; both are known for the models that come with the page.
 * `twin` has a prompt with a small entropy of the next token and one with a large entropy: 0.00 and 5.85
 * bits of stories, 0.77 and 2.98 of verbs, 0.00 and 4.57 of shakespeare.
 * @typedef {{ name: string, model: import('./engines.js').Model, grammar: string,
 *   examples: string[], twin?: string[], draft?: string, bytes?: number, tokens?: number }} Offer
 */

/** @type {Offer[]} */
export const MODELS = [
  {
    name: 'stories',
    model: 'models/stories.gguf',
    bytes: 3643200,
    tokens: 512,
    draft: 'models/stories-draft.gguf',
    grammar: '',
    twin: ['Once upon a', 'Lily wanted to'],
    examples: [
      'The soup was too',
      'One day, a big',
      'The cake was',
      'The spider made a',
      'Once upon a time',
    ],
  },
  {
    name: 'verbs',
    model: 'models/verbs.gguf',
    bytes: 629088,
    tokens: 32,
    grammar: 'models/verbs.grammar.json',
    twin: ['Today she is going', 'Today'],
    examples: ['Today she', 'Tomorrow she', 'Yesterday they', 'Every day he', 'This week we'],
  },
  {
    name: 'shakespeare',
    model: 'models/shakespeare.gguf',
    bytes: 1854944,
    tokens: 256,
    grammar: '',
    twin: ['My lor', 'the '],
    examples: ['Your mother', 'Thou art a', 'O, what a', 'If you', 'ROMEO:'],
  },
];

/** Prompts that most language models can encode. */
const PLAIN = ['Once upon a time', 'The', 'I am'];

/**
 * Returns the model of the page with this name or address; for another address or file, makes an entry like those.
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
 * Returns true if a page may load the model of an address: a model of the page, a file of the same origin, or a file
 * of an allowed host, about which the user is asked first.
 * @param {string} model
 */
export function mayLoad(model) {
  if (MODELS.some(({ name }) => name === model)) return true;
  const far = farAddress(model);
  if (far) return far.allowed;
  try {
    const { origin, protocol } = new URL(model, document.baseURI);
    return origin === location.origin && protocol !== 'file:'; // a page from disk cannot fetch files
  } catch {
    return false;
  }
}
