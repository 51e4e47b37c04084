/** The predefined comparisons: strategies, and the number of texts per strategy. */
import { strategies } from './presets.js';
import { searches } from './search.js';

/** @import { Strategy } from './compare.js' */

/** Short words for settings, used in the names of strategies. */
const WORDS = /** @type {Record<string, string>} */ ({ repetition_penalty: 'penalty' });

/**
 * The name of a strategy, made from its settings as in the lessons: 'top-p 0.9, penalty 1.2'.
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
function strategiesFor(setting, ...values) {
  return values.map((value) => {
    const settings = { [setting]: value };
    return { name: nameOf(settings), settings };
  });
}

/**
 * temperatures: greedy, the model's own distribution, and noise. nine: the lessons' nine strategies.
 * extremes: greedy, an almost zero and a very high temperature. searches: greedy, searches and
 * sampling. e27.1, e27.2: the lessons' exercises (nine temperatures; top-k and top-p).
 * @type {ReadonlyArray<{ name: string, samples: number, strategies: ReadonlyArray<Strategy> }>}
 */
export const suites = Object.freeze([
  { name: 'temperatures', samples: 1, strategies: strategiesFor('temperature', 0, 1, 100) },
  { name: 'nine', samples: 1, strategies },
  { name: 'extremes', samples: 1, strategies: strategiesFor('temperature', 0, 0.01, 100) },
  {
    name: 'searches',
    samples: 1,
    strategies: [
      ...strategiesFor('temperature', 0),
      ...searches,
      { name: nameOf({ top_p: 0.9 }), settings: { top_p: 0.9 } },
      { name: nameOf({}), settings: {} },
    ],
  },
  {
    name: 'e27.1',
    samples: 5,
    strategies: strategiesFor('temperature', 0, 0.01, 0.3, 0.5, 0.7, 0.9, 1, 1.2, 100),
  },
  {
    name: 'e27.2',
    samples: 10,
    strategies: [
      ...strategiesFor('top_k', 5, 10, 20, 50),
      ...strategiesFor('top_p', 0.5, 0.7, 0.9, 0.95),
    ],
  },
]);

/**
 * Prompts and lengths, by suite, for which one strategy's text loops on the stories model: greedy in
 * `nine`, beam search with 8 beams in `searches`. Sampled texts do not loop.
 * @type {Record<string, { prompt: string, max_new_tokens: number }>}
 */
export const LOOPING = Object.freeze({
  nine: { prompt: 'They all', max_new_tokens: 80 },
  searches: { prompt: 'Tom and his mom went to', max_new_tokens: 200 },
});
