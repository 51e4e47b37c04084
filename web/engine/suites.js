/** Ready comparisons: their strategies, and the number of texts of each. */
import { strategies } from './presets.js';
import { searches } from './search.js';

/** @typedef {import('./compare.js').Strategy} Strategy */

/** Words for settings in the names of strategies. */
const WORDS = /** @type {Record<string, string>} */ ({ repetition_penalty: 'penalty' });

/**
 * The name of a strategy by its settings, like those of the lessons: 'top-p 0.9, penalty 1.2'.
 * @param {import('./types.js').Settings} settings
 */
export function nameOf(settings) {
  const { temperature, ...others } = settings;
  /** @param {[string, unknown]} entry */
  const word = ([name, value]) => {
    const shown = typeof value === 'number' ? value : JSON.stringify(value);
    return `${WORDS[name] ?? name.replaceAll('_', '-')} ${shown}`;
  };
  const words = Object.entries(temperature === 0 ? others : settings).map(word);
  if (temperature === 0) words.unshift('greedy');
  return words.join(', ') || 'plain';
}

/**
 * One strategy for each value of a setting.
 * @param {'temperature' | 'top_k' | 'top_p'} setting
 * @param {...number} values
 * @returns {Strategy[]}
 */
function each(setting, ...values) {
  return values.map((value) => {
    const settings = { [setting]: value };
    return { name: nameOf(settings), settings };
  });
}

/**
 * Greedy, the model's own distribution and noise; the nine of the lessons; greedy beside an almost
 * zero and an almost infinite temperature; searches; the lessons' exercises E27.1 (nine
 * temperatures) and E27.2 (top-k against top-p).
 * @type {ReadonlyArray<{ name: string, samples: number, strategies: ReadonlyArray<Strategy> }>}
 */
export const suites = Object.freeze([
  { name: 'temperatures', samples: 1, strategies: each('temperature', 0, 1, 100) },
  { name: 'nine', samples: 1, strategies },
  { name: 'extremes', samples: 1, strategies: each('temperature', 0, 0.01, 100) },
  {
    name: 'searches',
    samples: 1,
    strategies: [
      ...each('temperature', 0),
      ...searches,
      { name: nameOf({ top_p: 0.9 }), settings: { top_p: 0.9 } },
      { name: nameOf({}), settings: {} },
    ],
  },
  {
    name: 'e27.1',
    samples: 5,
    strategies: each('temperature', 0, 0.01, 0.3, 0.5, 0.7, 0.9, 1, 1.2, 100),
  },
  {
    name: 'e27.2',
    samples: 10,
    strategies: [...each('top_k', 5, 10, 20, 50), ...each('top_p', 0.5, 0.7, 0.9, 0.95)],
  },
]);

/**
 * Strategies with a text that loops on the stories model, unlike drawn texts: greedy
 * among the nine, beam search with 8 beams among the searches.
 * @type {Record<string, { prompt: string, max_new_tokens: number }>}
 */
export const LOOPING = Object.freeze({
  nine: { prompt: 'They all', max_new_tokens: 80 },
  searches: { prompt: 'Tom and his mom went to', max_new_tokens: 200 },
});
