/** Faults planted in stages other than the lessons' four; see planted.js. */
import { SOFTMAX, faultsOf } from './graded.js';

const COUNT = 'history.filter((it) => it === id).length';

/**
 * Returns the source of a sampler that keeps tokens up to a limit on p.
 * @param {string} name of the setting @param {string} limit expression
 */
const filter = (name, limit) => `${SOFTMAX}
export default function filter(logits, { ${name}: by }) {
  if (by === 0) return logits.slice();
  const p = softmax(logits);
  const top = Math.max(...p);
  const best = ranked(logits)[0];
  const H = -p.reduce((sum, x) => sum + (x > 0 ? x * Math.log(x) : 0), 0);
  const limit = ${limit};
  return logits.map((l, id) => (id === best || p[id] >= limit ? l : -Infinity));
}
`;

/** @type {Record<string, string>} */
export const STAGES = {
  frequency_penalty: `
export default function frequency(logits, { frequency_penalty: a }, { history }) {
  return Array.from(logits, (l, id) => l - a * ${COUNT});
}
`,
  presence_penalty: `
export default function presence(logits, { presence_penalty: b }, { history }) {
  return Array.from(logits, (l, id) => (history.includes(id) ? l - b : l));
}
`,
  min_p: filter('min_p', 'by * top'),
  epsilon_cutoff: filter('epsilon_cutoff', 'by'),
  eta_cutoff: filter('eta_cutoff', 'Math.min(by, Math.sqrt(by) * Math.exp(-H))'),
  top_a: filter('top_a', 'by * top ** 2'),
  typical_p: `${SOFTMAX}
export default function typical(logits, { typical_p: mass }) {
  if (mass === 1) return logits.slice();
  const p = softmax(logits);
  const H = -p.reduce((sum, x) => sum + (x > 0 ? x * Math.log(x) : 0), 0);
  const far = p.map((x) => (x > 0 ? Math.abs(-Math.log(x) - H) : Infinity));
  const order = [...p.keys()].sort((a, b) => far[a] - far[b]);
  let sum = 0;
  let last = 0;
  for (const id of order) {
    if (sum >= mass - 1e-6) break;
    sum += p[id];
    last = far[id];
  }
  return logits.map((l, id) => (far[id] <= last ? l : -Infinity));
}
`,
  top_n_sigma: `
export default function sigma(logits, { top_n_sigma: n }) {
  if (n === 0) return logits.slice();
  const finite = [...logits].filter((l) => l !== -Infinity);
  const mean = finite.reduce((a, b) => a + b, 0) / finite.length;
  const sum = finite.reduce((all, l) => all + (l - mean) ** 2, 0);
  const limit = Math.max(...finite) - n * Math.sqrt(sum / finite.length);
  return logits.map((l) => (l >= limit ? l : -Infinity));
}
`,
  no_repeat_ngram_size: `
export default function ngrams(logits, { no_repeat_ngram_size: n }, { history }) {
  const out = logits.slice();
  if (n === 0) return out;
  const start = history.length - n + 1;
  const now = history.slice(start).join();
  for (let i = 0; i < start; i++)
    if (history.slice(i, i + n - 1).join() === now) out[history[i + n - 1]] = -Infinity;
  return out;
}
`,
  logit_bias: `
export default function bias(logits, { logit_bias }) {
  const out = Array.from(logits);
  for (const [id, b] of Object.entries(logit_bias)) out[id] = b === false ? -Infinity : out[id] + b;
  return out;
}
`,
  xtc_probability: `${SOFTMAX}
export default function xtc(logits, { xtc_probability, xtc_threshold }, { coin }) {
  if (coin >= xtc_probability) return logits.slice();
  const p = softmax(logits);
  const top = ranked(logits).filter((id) => p[id] >= xtc_threshold);
  if (top.length < 2) return logits.slice();
  const gone = top.slice(0, -1);
  return logits.map((l, id) => (gone.includes(id) ? -Infinity : l));
}
`,
};

const SAVED = 'id === best || p[id] >= limit';

/** @type {[code: string, as: string, from: string, to: string][]} */
export const STAGE_FAULTS = [
  ...faultsOf(
    'frequency_penalty',
    ['counts_once', COUNT, 'history.includes(id)'],
    ['adds_penalty', 'l - a', 'l + a'],
    ['counts_share', COUNT, `(${COUNT} / (history.length || 1))`],
    ['first_free', COUNT, `Math.max(0, ${COUNT} - 1)`],
    ['counts_one_more', COUNT, `(history.includes(id) ? 1 + ${COUNT} : 0)`],
    ['skips_zero', 'it === id', 'it && it === id'],
    ['positive_only', 'l - a', '(l <= 0) ? l : l - a'],
    ['never_rewards', 'l - a', 'l - Math.max(a, 0)'],
    [
      'stops_at_zero',
      `l - a * ${COUNT}`,
      `(l > 0 ? Math.max(0, l - a * ${COUNT}) : l - a * ${COUNT})`,
    ],
    ['near_only', 'history.filter', 'history.slice(-20).filter'],
    ['wrote_history', 'return Array', 'history.sort();\n  return Array'],
  ),
  ...faultsOf(
    'presence_penalty',
    ['each_time', '(history.includes(id) ? l - b : l)', `l - b * ${COUNT}`],
    ['adds_penalty', 'l - b', 'l + b'],
    ['divides_penalty', 'l - b', 'b ? l / b : l'],
    ['unseen', 'l - b : l', 'l : l - b'],
    ['last_only', 'history.includes(id)', 'history.at(-1) === id'],
    ['repeated_only', 'history.includes(id)', `${COUNT} > 1`],
    ['spares_last', 'history.includes(id)', 'history.slice(0, -1).includes(id)'],
    ['near_only', 'history.includes', 'history.slice(-64).includes'],
    ['scales_penalty', 'l - b', '(l > 0 ? l / (1 + b) : l * (1 + b))'],
  ),
  ...faultsOf(
    'min_p',
    ['min_p_absolute', 'by * top', 'by'],
    ['limit_strict', 'p[id] >= limit', 'p[id] > limit'],
    ['min_p_distance', 'p[id] >= limit', 'l >= logits[best] - by'],
    ['min_p_uniform', 'by * top', 'by / p.length'],
    ['min_p_other_end', 'by * top', '(1 - by) * top'],
    ['min_p_square', 'by * top', 'by * top * top'],
    ['limit_empties', SAVED, 'p[id] >= limit'],
    ['limit_turned', SAVED, 'p[id] <= limit'],
    ['limit_on_logits', 'p[id] >= limit', 'l >= by * logits[best]'],
    ['overflow', 'Math.exp(l - max)', 'Math.exp(l)'],
    ['soft_mask', '-Infinity)', '-1e4)'],
    ['zero_mask', '-Infinity)', '0)'],
    ['shares_twice', 'const p = softmax(logits)', 'const p = softmax(softmax(logits))'],
  ),
  ...faultsOf(
    'epsilon_cutoff',
    ['epsilon_relative', 'limit = by', 'limit = by * top'],
    ['limit_strict', 'p[id] >= limit', 'p[id] > limit'],
    ['limit_empties', SAVED, 'p[id] >= limit'],
    ['limit_unnormalised', 'p[id] >= limit', 'l >= Math.log(limit)'],
  ),
  ...faultsOf(
    'eta_cutoff',
    ['eta_epsilon', 'Math.min(by, Math.sqrt(by) * Math.exp(-H))', 'by'],
    ['eta_larger', 'Math.min(by', 'Math.max(by'],
    ['eta_root', 'Math.sqrt(by) * ', 'by * '],
    ['eta_bits', 'Math.log(x)', 'Math.log2(x)'],
    ['eta_entropy', 'Math.min(by, Math.sqrt(by) * Math.exp(-H))', 'Math.sqrt(by) * Math.exp(-H)'],
  ),
  ...faultsOf(
    'top_a',
    ['top_a_plain', 'top ** 2', 'top'],
    ['top_a_absolute', 'by * top ** 2', 'by'],
    ['top_a_square_a', 'by * top ** 2', '(by * top) ** 2'],
  ),
  ...faultsOf(
    'typical_p',
    ['typical_sign', 'Math.abs(-Math.log(x) - H)', 'Math.abs(Math.log(x) - H)', '-Math.log(x) - H'],
    [
      'typical_farthest',
      'Math.abs(-Math.log(x) - H) : Infinity',
      '-Math.abs(-Math.log(x) - H) : Infinity',
    ],
    ['typical_least', 'Math.abs(-Math.log(x) - H)', 'Math.log(x)'],
    ['typical_bits', 'x * Math.log(x)', 'x * Math.log2(x)'],
    [
      'typical_no_ties',
      'let last = 0;',
      'let last = 0;\n  far.forEach((_, id) => (far[id] += id * 1e-9));',
    ],
  ),
  ...faultsOf(
    'top_n_sigma',
    ['sigma_sample', 'sum / finite.length)', 'sum / Math.max(1, finite.length - 1))'],
    ['sigma_variance', 'Math.sqrt(sum / finite.length)', '(sum / finite.length)'],
    ['sigma_mean', 'Math.max(...finite) - n', 'mean - n'],
    ['sigma_above_mean', 'Math.max(...finite) - n', 'mean + n'],
    ['limit_strict', 'l >= limit', 'l === Math.max(...finite) || l > limit'],
    ['sigma_from_zero', '(l - mean)', 'l'],
    ['sigma_once', '- n * Math', '- Math'],
  ),
  ...faultsOf(
    'no_repeat_ngram_size',
    ['ngram_longer', 'const out', 'n += n ? 1 : 0;\n  const out'],
    ['ngram_shorter', 'const out', 'n = Math.max(n - 1, Math.min(n, 1));\n  const out'],
    [
      'ngram_latest',
      'out[history[i + n - 1]] =',
      'out.fill(0).set(logits), out[history[i + n - 1]] =',
    ],
    ['ngram_seen', 'history.slice(i, i + n - 1).join() === now', 'true'],
    [
      'ngram_current',
      'for (let',
      'if (history.length) out[history.at(-1)] = -Infinity;\n  for (let',
    ],
    ['near_only', 'const out', 'history = history.slice(-50);\n  const out'],
  ),
  ...faultsOf(
    'logit_bias',
    ['bias_replaces', 'out[id] + b', 'b'],
    ['bias_multiplies', 'out[id] + b', 'out[id] * b'],
    ['bias_subtracts', 'out[id] + b', 'out[id] - b'],
    ['bias_ban_zero', 'b === false ? -Infinity : ', ''],
    ['bias_raises', 'out[id] + b', 'out[id] + Math.abs(b)'],
    ['soft_mask', '-Infinity', '-1e5'],
  ),
  ...faultsOf(
    'xtc_probability',
    ['xtc_keeps_best', 'top.slice(0, -1)', 'top.slice(1)'],
    ['xtc_keeps_two', 'top.slice(0, -1)', 'top.slice(0, -2)'],
    ['xtc_removes_all', 'top.slice(0, -1)', 'top'],
    ['xtc_only_best', 'top.slice(0, -1)', 'top.slice(0, 1)'],
    ['xtc_always', 'if (coin >= xtc_probability)', 'if (xtc_probability === 0)'],
    [
      'xtc_turned',
      'if (coin >= xtc_probability)',
      'if (xtc_probability === 0 || coin < 1 - xtc_probability)',
    ],
    ['xtc_relative', '>= xtc_threshold', '>= xtc_threshold * Math.max(...p)'],
  ),
];
