/** The figures that <logit-sweep> offers: each is a sweep to begin with, and how it is drawn. */

/**
 * @typedef {{ name: string, from: number, to: number, step: number }} Stretch
 *
 * What is asked for; `keep`: the other settings stay as they are on the bench.
 * @typedef {object} Asked
 * @property {Stretch} first
 * @property {Stretch | null} second
 * @property {string[]} measures
 * @property {number} samples
 * @property {number} max_new_tokens
 * @property {boolean} keep
 *
 * @typedef {object} Figure
 * @property {string} name
 * @property {'line' | 'trade' | 'map' | 'any'} kind trade: the first measure across, the second up
 * @property {string[]} offers measures to choose from, none: those of the sweep stand
 * @property {Asked} asked
 */

/** @param {string} name @param {number} from @param {number} to @param {number} step */
const over = (name, from, to, step) => ({ name, from, to, step });

/** @type {Figure[]} */
export const FIGURES = [
  {
    name: 'entropy',
    kind: 'line',
    offers: [],
    asked: {
      first: over('temperature', 0, 3, 0.05),
      second: null,
      measures: ['entropy'],
      samples: 1,
      max_new_tokens: 40,
      keep: false,
    },
  },
  {
    name: 'map',
    kind: 'map',
    offers: ['entropy', 'nucleus', 'distinct_2'],
    asked: {
      first: over('temperature', 0.1, 2, 0.1),
      second: over('top_p', 0.1, 1, 0.1),
      measures: ['entropy'],
      samples: 2,
      max_new_tokens: 40,
      keep: false,
    },
  },
  {
    name: 'nucleus',
    kind: 'line',
    offers: [],
    asked: {
      first: over('top_p', 0.05, 1, 0.05),
      second: null,
      measures: ['nucleus', 'text_nucleus'],
      samples: 5,
      max_new_tokens: 40,
      keep: false,
    },
  },
  {
    name: 'penalty',
    kind: 'line',
    offers: ['ttr', 'distinct_2'],
    asked: {
      first: over('repetition_penalty', 1, 2, 0.1),
      second: null,
      measures: ['ttr'],
      samples: 10,
      max_new_tokens: 60,
      keep: true,
    },
  },
  {
    name: 'trade',
    kind: 'trade',
    offers: ['distinct_texts', 'distinct_2'],
    asked: {
      first: over('temperature', 0.1, 3, 0.1),
      second: null,
      measures: ['distinct_texts', 'correctness'],
      samples: 200, // with 30 the curve goes back and forth by up to 13 %, with 200 by 1 %
      max_new_tokens: 20,
      keep: false,
    },
  },
  {
    name: 'judged',
    kind: 'line',
    offers: [],
    asked: {
      first: over('temperature', 0.2, 3, 0.2),
      second: null,
      measures: ['valid', 'tense', 'person', 'distinct_texts'],
      samples: 100,
      max_new_tokens: 20,
      keep: false,
    },
  },
  {
    name: 'any',
    kind: 'any',
    offers: [],
    asked: {
      first: over('min_p', 0, 0.5, 0.025),
      second: null,
      measures: ['nucleus'],
      samples: 5,
      max_new_tokens: 40,
      keep: true,
    },
  },
];

/**
 * How a figure is drawn: what is free follows the number of its settings.
 * @param {Figure} figure
 * @param {Asked} asked
 * @returns {'line' | 'trade' | 'map'}
 */
export function shapeOf({ kind }, { second }) {
  if (kind !== 'any') return kind;
  return second ? 'map' : 'line';
}
