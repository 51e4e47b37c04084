/** The models that the page offers, each with prompts to try. */

/**
 * `example` prompts: the first is shown at first, one with several right answers.
 * @typedef {{ name: string, model: string, grammar: string, examples: string[] }} Offer
 */

/** @type {Offer[]} */
export const MODELS = [
  {
    name: 'stories',
    model: 'models/stories.gguf',
    grammar: '',
    examples: ['Once upon a time', 'The little dog', 'Lily wanted to', 'Tom and his mom went to', 'One sunny day'],
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
    examples: ['ROMEO:', 'To be, or', 'KING RICHARD', 'What is', 'O, '],
  },
];
