/** More faults planted in the lessons' five functions; see planted.js. */
import { faultsOf } from './graded.js';

const GUARD = 'if (k === 0 || k >= logits.length) return logits.slice();';
const LIMIT = 'logits[ranked(logits)[k - 1]]';
const SHARES = 'const p = softmax(logits);';
const SEEN = 'new Set(history)';
const FAIR = 'logits[id] > 0 ? logits[id] / r : logits[id] * r';
const HEAT = 'Float64Array.from(logits, (l) => l / T)';
const ALONE = '(id === best ? l : -Infinity)';
const WARP = 'chain(last, settings, ids)';
const DRAW = 'draw(warped, random())';
const STOP = 'if (id === model.eos_token_id) break;';
const ORDER = "['repetition_penalty', 'temperature', 'top_k', 'top_p']";
const RESULT = 'return ids.slice(prompt_ids.length);';

/** @param {string[]} names */
const order = (...names) => JSON.stringify(names);

/** @type {[code: string, as: string, from: string, to: string][]} */
export const LESSON_FAULTS = [
  ...faultsOf(
    'top_k',
    [
      'as_text',
      LIMIT,
      '[...logits].sort().reverse()[k - 1]',
      '[...logits].sort()[k - 1]',
      '[...logits].sort().at(-k)',
    ],
    [
      'as_text',
      `${GUARD}\n  const limit = ${LIMIT}`,
      'const limit = [...logits].sort().reverse()[k - 1]',
    ],
    ['k_unguarded', GUARD, ''],
    ['k_zero', GUARD, 'if (k >= logits.length) return logits.slice();'],
    ['k_beyond', GUARD, 'if (k === 0) return logits.slice();'],
    ['k_zero_best', GUARD, 'if (k >= logits.length) return logits.slice();\n  k = k || 1;'],
    ['k_plus_one', `${GUARD}\n  const limit = ${LIMIT}`, 'const limit = logits[ranked(logits)[k]]'],
    ['k_plus_one', LIMIT, 'logits[ranked(logits)[k]]'],
    ['k_minus_one', LIMIT, 'logits[ranked(logits)[k - 2]]'],
    [
      'k_upwards',
      LIMIT,
      '[...logits].sort((a, b) => a - b)[k - 1]',
      'logits.slice().sort()[k - 1]',
    ],
    ['k_at_least_two', GUARD, `${GUARD}\n  k = Math.max(k, 2);`],
    [
      'above_kth',
      `${GUARD}\n  const limit = ${LIMIT};\n  return logits.map((l) => (l >= limit`,
      `const limit = ${LIMIT};\n  return logits.map((l) => (l > limit`,
    ],
    ['wrote', LIMIT, 'logits.sort()[logits.length - k]'],
    ['wrote', 'const limit', 'logits.fill(0);\n  const limit'],
    ['wrote_history', '{ top_k: k }) {', '{ top_k: k }, { history }) {\n  history.length = 0;'],
  ),
  ...faultsOf(
    'top_p',
    [
      'as_text',
      'ranked(logits).forEach',
      '[...p.keys()].sort((a, b) => (String(p[b]) < String(p[a]) ? -1 : 1)).forEach',
    ],
    ['shares_twice', SHARES, 'const p = softmax(softmax(logits));'],
    ['p_times_best', 'before < top_p', 'p[id] >= top_p * Math.max(...p)'],
    ['p_zero', 'place === 0 ||', 'place === 0 && top_p > 0 ||'],
    ['p_zero', 'if (top_p === 1)', 'if (top_p === 1 || !top_p)'],
    [
      'p_one_empties',
      'if (top_p === 1) return logits.slice();',
      'if (top_p === 1) return logits.map(() => -Infinity);',
    ],
    ['p_one', 'if (top_p === 1) return logits.slice();', ''],
    [
      'all_tied',
      'return out;',
      'return logits.map((l) => (l >= Math.min(...out.filter((it) => it > -Infinity)) ? l : -Infinity));',
    ],
    [
      'wrote_history',
      '{ top_p }) {',
      '{ top_p }, { history }) {\n  history.sort((a, b) => a - b);',
    ],
    ['state', SHARES, 'const p = (softmax.of ??= {})[logits.length] ??= softmax(logits);'],
    [
      'state',
      'ranked(logits).forEach',
      '(ranked.of ??= ranked(logits)).slice(0, logits.length).forEach',
    ],
  ),
  ...faultsOf(
    'temperature',
    ['greedy_early', 'T === 0', 'T < 0.05', 'T < 0.3', 'T < 0.01'],
    ['zero_logit', ALONE, '(id === best ? 0 : -Infinity)', '(id === best ? 1 : -Infinity)'],
    ['other_divisor', 'l / T)', 'l / Math.max(T, 0.07))', 'l / Math.min(T, 10.5))'],
    ['squares_t', 'l / T)', 'l / T / T)'],
    ['root_t', 'l / T)', 'l / Math.sqrt(T))'],
    ['sharpens_only', 'l / T)', 'l / Math.min(T, 1))'],
    ['flattens_only', 'l / T)', 'l / Math.max(T, 1))'],
    ['rounds_t', 'l / T)', 'l / Math.max(1, Math.round(T)))'],
    [
      'last_best',
      'const best = ranked(logits)[0]',
      'const best = logits.lastIndexOf(Math.max(...logits))',
    ],
    ['zero_worst', 'ranked(logits)[0]', 'ranked(logits).at(-1)'],
    ['zero_first', 'ranked(logits)[0]', '0'],
    ['zero_emptied', ALONE, '-Infinity'],
    ['zero_one_hot', ALONE, '(id === best ? 1 : 0)'],
    ['on_logs', HEAT, 'Float64Array.from(softmax(logits), (p) => Math.log(p) / T)'],
    [
      'wrote',
      'const best',
      'if (T) {\n    logits.forEach((l, id) => (logits[id] = l / T));\n    return logits;\n  }\n  const best',
    ],
  ),
  ...faultsOf(
    'repetition_penalty',
    [
      'near_only',
      SEEN,
      ...[12, 16, 20, 32, 50, 64, 100, 256, 512].map((n) => `new Set(history.slice(-${n}))`),
    ],
    [
      'wrote_history',
      'return out;',
      'history.sort(); return out;',
      'history.length = 0; return out;',
      'history.reverse(); return out;',
      'history.push(0); return out;',
      'history.splice(0, history.length - 4); return out;',
    ],
    ['wrote_history', SEEN, 'history.splice(0)'],
    ['subtracts_log', FAIR, 'logits[id] - Math.log(r)'],
    ['adds_r', FAIR, 'logits[id] + r'],
    ['by_difference', FAIR, 'logits[id] - logits[id] * (r - 1)'],
    ['penalty_twice', 'const out', 'r = r * r;\n  const out'],
    ['skips_zero', SEEN, 'history.filter(Boolean)'],
    ['spares_last', SEEN, 'history.slice(0, -1)'],
    ['spares_first', SEEN, 'history.slice(1)'],
    ['next_id', SEEN, 'history.map((id) => id + 1).filter((id) => id < logits.length)'],
    ['positive_only', ': logits[id] * r', ': logits[id]'],
    ['negative_only', '? logits[id] / r', '? logits[id]'],
    ['never_rewards', 'const out', 'r = Math.max(1, r);\n  const out'],
    [
      'state',
      SEEN,
      '(repetitionPenalty.seen = new Set([...(repetitionPenalty.seen ?? []), ...history].filter((id) => id < logits.length)))',
    ],
  ),
  ...faultsOf(
    'chain',
    ['temperature_twice', '"temperature"', '"temperature","temperature"'],
    ['penalty_twice', '"repetition_penalty"', '"repetition_penalty","repetition_penalty"'],
    ['top_p_twice', '"top_p"', '"top_p","top_p"'],
    ['until_above', 'before < limit', 'before <= limit'],
    [
      'exactly_k',
      'logits.map((l) => (l >= limit',
      'logits.map((l, id) => (ranked(logits).indexOf(id) < k',
    ],
    ['always_divides', 'logits[id] * r', 'logits[id] / r'],
    [
      'swapped',
      '(given, settings, { history }) =>',
      '(given, settings, { history }) => settings.temperature === 0 ? stages.temperature(given, settings) :',
    ],
    ['near_only', SEEN, 'new Set(history.slice(-30))'],
    ['wrote_history', SEEN, 'history.sort()'],
    ['zero_logit', ALONE, '(id === best ? 0 : -Infinity)'],
    ['k_zero', 'k === 0 ||', ''],
    ['other_signs', 'logits[id] > 0', 'logits[id] < 0'],
    ['temperature_twice', 'l / T)', 'l / T / T)'],
  ),
  ...faultsOf(
    'generate',
    [
      'swapped',
      ORDER,
      order('temperature', 'repetition_penalty', 'top_k', 'top_p'),
      order('top_k', 'temperature', 'repetition_penalty', 'top_p'),
      order('top_p', 'temperature', 'top_k', 'repetition_penalty'),
      order('repetition_penalty', 'top_p', 'top_k', 'temperature'),
      order('repetition_penalty', 'temperature', 'top_p', 'top_k'),
      order('repetition_penalty', 'top_k', 'top_p', 'temperature'),
      order('top_p', 'top_k', 'temperature', 'repetition_penalty'),
    ],
    ['loop_temperature_twice', WARP, 'stages.temperature(chain(last, settings, ids), settings)'],
    ['loop_temperature_twice', "'temperature',", "'temperature', 'temperature',"],
    [
      'loop_penalty_twice',
      "['repetition_penalty',",
      "['repetition_penalty', 'repetition_penalty',",
    ],
    ['loop_top_p_twice', "'top_p']", "'top_p', 'top_p']"],
    ['end_in_text', STOP, 'if (ids.includes(model.eos_token_id)) break;'],
    [
      'end_in_text',
      'const window',
      'if (ids.includes(model.eos_token_id)) break;\n    const window',
    ],
    ['end_zero', STOP, 'if (model.eos_token_id && id === model.eos_token_id) break;'],
    ['after_end', STOP, 'if (step && id === model.eos_token_id) break;'],
    ['u_met', '> u)', '>= u)'],
    ['never_last', 'p[id] > 0);', 'p[id] > 0);\n  if (order.length > 1) order.pop();'],
    ['not_last', 'order.at(-1)', 'order[0]'],
    ['invalid_id', 'order.at(-1)', 'logits.length'],
    [
      'shares_again',
      'const p = softmax(logits);\n  let sum',
      'const p = softmax(softmax(logits));\n  let sum',
    ],
    ['u_of_two', DRAW, 'draw(warped, (u = step % 2 ? u : random()))'],
    ['prompt_counted', 'step < settings.max_new_tokens', 'ids.length < settings.max_new_tokens'],
    [
      'one_token_at_least',
      'step < settings.max_new_tokens',
      'step === 0 || step < settings.max_new_tokens',
    ],
    [
      'one_token_more',
      'step < settings.max_new_tokens',
      'ids.length - prompt_ids.length <= settings.max_new_tokens',
    ],
    ['history_last', WARP, 'chain(last, settings, ids.slice(-1))'],
    ['history_late', WARP, 'chain(last, settings, ids.slice(0, -1))'],
    [
      'near_only',
      WARP,
      ...[12, 20, 32, 64, 128].map((n) => `chain(last, settings, ids.slice(-${n}))`),
    ],
    ['greedy_early', 'T === 0', 'T < 0.45', 'T < 0.05', 'T < 0.1'],
    ['t_floor', 'l / T)', 'l / Math.max(T, 0.1))'],
    ['unseeded', 'rng(settings.seed)', 'Math.random', '(generate.random ??= rng(settings.seed))'],
    ['other_seed', 'rng(settings.seed)', 'rng(42)', 'rng(settings.seed + 1)'],
    [
      'wrote_prompt',
      RESULT,
      'return prompt_ids.splice(0, Infinity, ...ids) && ids.slice(start);',
      'prompt_ids.push(0);\n  return ids.slice(start);',
    ],
    ['until_above', 'before < limit', 'before <= limit'],
    [
      'exactly_k',
      'logits.map((l) => (l >= limit',
      'logits.map((l, id) => (ranked(logits).indexOf(id) < k',
    ],
    ['k_plus_one', '[k - 1]', '[k]'],
    ['k_zero', 'k === 0 ||', ''],
    ['always_divides', 'logits[id] * r', 'logits[id] / r'],
    ['other_signs', 'logits[id] > 0', 'logits[id] < 0'],
    [
      'one_too_many',
      'if (place === 0 || before < limit) out[id] = logits[id];\n      before += p[id];',
      'if (place < 2 || before - p[ranked(logits)[place - 1]] < limit) out[id] = logits[id];\n      before += p[id];',
    ],
    ['own_share', 'before < limit', 'p[id] >= 1 - limit'],
    ['zero_mask', 'fill(-Infinity)', 'fill(0)'],
    ['other_end', 'before < limit', 'before < 1 - limit'],
    ['multiplies', 'l / T)', 'l * T)'],
    ['subtracts_r', FAIR, 'logits[id] - r'],
  ),
];
