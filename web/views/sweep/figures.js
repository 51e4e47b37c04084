/** The prepared charts of <logit-sweep>: each has a sweep to begin with and a kind of chart. */

/**
 * A sweep. `keep` is true if other settings keep the bench's values, false if they are neutral.
 * @typedef {{ name: string, from: number, to: number, step: number }} Stretch
 *
 * A sweep. `keep`: true if the settings that it does not change are the bench's, not neutral.
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
 * @property {'line' | 'trade' | 'map' | 'any'} kind trade: the first measure is x, the second y
 * @property {string[]} offers measures to choose from; empty if the measure is fixed
 * @property {Asked} asked
 */

/** @param {string} name @param {number} from @param {number} to @param {number} step */
const axisOver = (name, from, to, step) => ({ name, from, to, step });

/**
 * @param {string} name
 * @param {Figure['kind']} kind
 * @param {Pick<Asked, 'first' | 'measures'> & Partial<Asked>} asked
 * @param {string[]} [offers]
 * @returns {Figure}
 */
const makeFigure = (name, kind, asked, offers = []) => ({
  name,
  kind,
  offers,
  asked: { second: null, samples: 1, max_new_tokens: 40, keep: false, ...asked },
});

export const FIGURES = [
  makeFigure('entropy', 'line', {
    first: axisOver('temperature', 0, 3, 0.05),
    measures: ['entropy'],
  }),
  makeFigure(
    'map',
    'map',
    {
      first: axisOver('temperature', 0.1, 2, 0.1),
      second: axisOver('top_p', 0.1, 1, 0.1),
      measures: ['entropy'],
      samples: 2,
    },
    ['entropy', 'nucleus', 'distinct_2'],
  ),
  makeFigure('nucleus', 'line', {
    first: axisOver('top_p', 0.05, 1, 0.05),
    measures: ['nucleus', 'text_nucleus'],
    samples: 5,
  }),
  makeFigure(
    'penalty',
    'line',
    {
      first: axisOver('repetition_penalty', 1, 2, 0.1),
      measures: ['ttr'],
      samples: 10,
      max_new_tokens: 60,
      keep: true,
    },
    ['ttr', 'distinct_2'],
  ),
  makeFigure(
    'trade',
    'trade',
    {
      first: axisOver('temperature', 0.1, 3, 0.1),
      measures: ['distinct_texts', 'correctness'],
      samples: 200, // with 30 texts the curve is off by up to 13 %, with 200 texts by 1 %
      max_new_tokens: 20,
    },
    ['distinct_texts', 'distinct_2'],
  ),
  makeFigure('judged', 'line', {
    first: axisOver('temperature', 0.2, 3, 0.2),
    measures: ['valid', 'tense', 'person', 'distinct_texts'],
    samples: 100,
    max_new_tokens: 20,
  }),
  makeFigure('any', 'any', {
    first: axisOver('min_p', 0, 0.5, 0.025),
    measures: ['nucleus'],
    samples: 5,
    keep: true,
  }),
];

/** The chart that is no sweep: <logit-sentences>. */
export const SENTENCES = 'sentences';
/** The names of all charts in their order; any setting comes last. */
export const FIGURE_NAMES = FIGURES.flatMap(({ name }) =>
  name === 'any' ? [SENTENCES, name] : [name],
);

/**
 * Returns the kind of chart. For `any` it is a map if there are two settings, else a line.
 * @param {Figure} figure
 * @param {Asked} asked
 * @returns {'line' | 'trade' | 'map'}
 */
export function shapeOf({ kind }, { second }) {
  if (kind !== 'any') return kind;
  return second ? 'map' : 'line';
}
