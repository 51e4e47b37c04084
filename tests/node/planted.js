/**
 * Faults planted in correct samplers by an edit: the fault's code, the function, the replaced piece of the source and
 * its replacement. The lesson's nine "Pitfalls to expect" come first.
 */
import { GENERATE, LESSON_ORDER, SOFTMAX, TOP_P, broken, chainOf, faultsOf } from './graded.js';
import { LESSON_FAULTS } from './planted_lesson.js';
import { STAGES, STAGE_FAULTS } from './planted_stages.js';

const [PENALTY, TEMPERATURE, TOP_K, TOP_P_NAME] = LESSON_ORDER;

const K = `${SOFTMAX}
export default function topK(logits, { top_k: k }) {
  if (k === 0 || k >= logits.length) return logits.slice();
  const limit = logits[ranked(logits)[k - 1]];
  return logits.map((l) => (l >= limit ? l : -Infinity));
}
`;
const T = `${SOFTMAX}
export default function temperature(logits, { temperature: T }) {
  const best = ranked(logits)[0];
  if (T === 0) return logits.map((l, id) => (id === best ? l : -Infinity));
  return Float64Array.from(logits, (l) => l / T);
}
`;
const R = `
export default function repetitionPenalty(logits, { repetition_penalty: r }, { history }) {
  const out = logits.slice();
  for (const id of new Set(history)) out[id] = logits[id] > 0 ? logits[id] / r : logits[id] * r;
  return out;
}
`;
const REWARD = `
export default function reward(logits, { encoder_repetition_penalty: r }, { history }) {
  const out = Array.from(logits);
  for (const id of new Set(history)) out[id] = logits[id] > 0 ? logits[id] * r : logits[id] / r;
  return out;
}
`;
const LOGS = `
export default function logSoftmax(logits, { renormalize_logits }) {
  if (!renormalize_logits) return logits.slice();
  const max = Math.max(...logits);
  const sum = logits.reduce((all, l) => all + Math.exp(l - max), 0);
  return Array.from(logits, (l) => l - max - Math.log(sum));
}
`;
const GUIDANCE = `
const logs = (logits) => {
  const max = Math.max(...logits);
  const sum = logits.reduce((all, l) => all + Math.exp(l - max), 0);
  return Array.from(logits, (l) => l - max - Math.log(sum));
};
export default function guidance(logits, { guidance_scale: s }, { second }) {
  if (s === 1) return logits.slice();
  const [c, n] = [logs(logits), logs(second)];
  return c.map((it, id) => (logits[id] === -Infinity ? -Infinity : n[id] + s * (it - n[id])));
}
`;
const CONTRAST = `${GUIDANCE.split('export')[0]}
export default function contrast(logits, { contrastive_beta: b, contrastive_alpha: a }, { second }) {
  if (b === 0) return logits.slice();
  const [e, w] = [logs(logits), logs(second)];
  const mixed = e.map((it, id) => (1 + b) * it - b * w[id]);
  const least = Math.max(...e) + Math.log(a);
  return mixed.map((it, id) => (e[id] >= least ? it : -Infinity));
}
`;
const GREEN = `
export default function greenList(logits, { green_bias: bias, green_fraction }, { bits }) {
  if (bias === 0 || !bits) return logits.slice();
  const green = (id) => bits[id] < green_fraction * 2 ** 32;
  if (bias < 100) return Array.from(logits, (l, id) => (green(id) ? l + bias : l));
  const left = logits.map((l, id) => (green(id) ? l : -Infinity));
  return left.some((l) => l !== -Infinity) ? left : logits.slice();
}
`;
const SYNTHID = `${SOFTMAX}
export default function synthid(logits, { synthid_depth, synthid_context: H }, { history, bits }) {
  if (synthid_depth === 0 || !bits) return logits.slice();
  const now = history.slice(-H).join();
  const before = history.map((_, i) => history.slice(i, i + H).join()).slice(0, -H);
  if (before.includes(now)) return logits.slice();
  let p = softmax(logits);
  let out = Array.from(logits);
  for (let i = 0; i < synthid_depth; i++) {
    const g = out.map((_, id) => (bits[id] >>> i) & 1);
    const lost = p.reduce((sum, share, id) => sum + (g[id] ? 0 : share), 0);
    const factor = g.map((it) => it + Math.max(lost, 2 ** -100));
    p = p.map((share, id) => share * factor[id]);
    out = out.map((l, id) => l + Math.log(factor[id]));
  }
  return out;
}
`;
const CHAIN = chainOf(LESSON_ORDER);
const KEEP = 'if (place === 0 || before < top_p) out[id] = logits[id];\n    before += p[id];';
const CROP = 'ids.slice(-model.context_length)';
const WARP = 'chain(last, settings, ids)';
const DRAW = 'draw(warped, random())';
const END = 'ids.push(id);\n    if (id === model.eos_token_id) break;';
const LAST = '.at(-1);\n    const warped';

/** The correct functions, by name. */
export const RIGHT = {
  top_p: TOP_P,
  top_k: K,
  temperature: T,
  repetition_penalty: R,
  guidance_scale: GUIDANCE,
  contrastive_beta: CONTRAST,
  green_bias: GREEN,
  synthid_depth: SYNTHID,
  encoder_repetition_penalty: REWARD,
  renormalize_logits: LOGS,
  chain: CHAIN,
  generate: GENERATE,
};

/** @type {[code: string, as: string, from: string, to: string][]} */
export const PITFALLS = [
  ...faultsOf(
    'top_p',
    ['soft_mask', 'fill(-Infinity)', 'fill(-1e9)'],
    ['cut_before', KEEP, 'before += p[id];\n    if (before <= top_p) out[id] = logits[id];'],
  ),
  ...faultsOf(
    'chain',
    ['shares_first', 'given.slice())', 'Float32Array.from(softmax(given)))'],
    [
      'swapped',
      JSON.stringify(LESSON_ORDER),
      JSON.stringify([PENALTY, TOP_P_NAME, TEMPERATURE, TOP_K]),
    ],
  ),
  ...faultsOf(
    'generate',
    ['history_prompt', WARP, 'chain(last, settings, prompt_ids)'],
    ['long_window', CROP, 'ids'],
    [
      'early',
      `const last = model.logits(window)${LAST} = ${WARP};`,
      'const warped = model.logits(window).map((row) => chain(row, settings, ids)).at(-1);',
    ],
    // JavaScript has no autograd, so a test can only see wasted work. The Python harness tests torch.
    ['asked_often', 'const last =', 'model.logits(window);\n    const last ='],
    ['reseeded', DRAW, 'draw(warped, rng(settings.seed)())'],
  ),
];

/** @type {[code: string, as: string, from: string, to: string][]} */
export const FAULTS = [
  ...LESSON_FAULTS,
  ...STAGE_FAULTS,
  ...faultsOf(
    'top_p',
    ['until_above', 'before < top_p', 'before <= top_p'],
    [
      'one_too_few',
      KEEP,
      'before += p[id];\n    if (place === 0 || before <= top_p + 1e-6) out[id] = logits[id];',
    ],
    [
      'one_too_many',
      KEEP,
      'if (place === 0 || before - was < top_p) out[id] = logits[id];\n    was = p[id];\n    before += p[id];',
    ],
    ['own_share', 'before < top_p', 'p[id] >= 1 - top_p'],
    ['share_above_p', 'before < top_p', 'p[id] >= top_p'],
    ['least_first', 'ranked(logits).forEach', 'ranked(logits).reverse().forEach'],
    ['unsorted', 'ranked(logits).forEach', '[...logits.keys()].forEach'],
    ['unscattered', 'out[id] = logits[id]', 'out[place] = logits[place]'],
    ['other_end', 'before < top_p', 'before < 1 - top_p'],
    ['tail_kept', 'place === 0 || before < top_p', 'place > 0 && before >= top_p'],
    ['overflow', 'Math.exp(l - max)', 'Math.exp(l)'],
    ['higher_id', '|| a - b', '|| b - a'],
    ['zero_mask', 'fill(-Infinity)', 'fill(0)'],
    ['returns_shares', 'return out;', 'return softmax(out);'],
    ['returns_logs', 'return out;', 'return softmax(out).map(Math.log);'],
    ['wrote', 'return out;', 'logits.set(out); return out;'],
    ['idle', 'if (top_p === 1)', 'if (top_p)'],
  ),
  ...faultsOf(
    'top_k',
    [
      'exactly_k',
      'logits.map((l) => (l >= limit',
      'logits.map((l, id) => (ranked(logits).indexOf(id) < k',
    ],
    ['above_kth', 'l >= limit', 'l > limit'],
    [
      'k_plus_one',
      'k >= logits.length) return logits.slice();',
      'k + 1 >= logits.length) return logits.slice();\n  k += 1;',
    ],
    ['k_minus_one', '[k - 1]', '[Math.max(k - 2, 0)]'],
    ['k_lowest', 'l >= limit', 'l <= logits[ranked(logits).at(-k)]'],
    ['k_first', 'logits.map((l) => (l >= limit', 'logits.map((l, id) => (id < k'],
    [
      'k_distinct',
      'logits[ranked(logits)[k - 1]]',
      '[...new Set(logits)].sort((a, b) => b - a)[k - 1] ?? -Infinity',
    ],
    ['k_removed', 'l >= limit', 'l < limit'],
    ['k_zero', 'k === 0 ||', ''],
  ),
  ...faultsOf(
    'temperature',
    ['multiplies', 'l / T', 'l * T'],
    ['subtracts_t', 'l / T', 'l - T'],
    ['subtracts_max', 'l / T', '(l - logits[best]) / T'],
    ['one_minus', 'l / T', 'l * (1 - T)'],
    ['zero_divides', 'if (T === 0)', 'if (T < 0)'],
    [
      'zero_nothing',
      'if (T === 0) return logits.map((l, id) => (id === best ? l : -Infinity))',
      'if (T === 0) return logits',
    ],
    ['zero_ties', 'id === best', 'l === logits[best]'],
    [
      'zero_epsilon',
      'if (T === 0) return logits.map((l, id) => (id === best ? l : -Infinity))',
      'T = Math.max(T, 1e-8)',
    ],
    [
      'returns_shares',
      'return Float64Array.from(logits, (l) => l / T)',
      'return softmax(Float64Array.from(logits, (l) => l / T))',
    ],
    ['on_shares', 'Float64Array.from(logits', 'Float64Array.from(softmax(logits)'],
  ),
  ...faultsOf(
    'repetition_penalty',
    ['always_divides', 'logits[id] * r', 'logits[id] / r'],
    ['always_multiplies', 'logits[id] / r', 'logits[id] * r'],
    ['other_signs', 'logits[id] > 0', 'logits[id] < 0'],
    [
      'each_time',
      'new Set(history)) out[id] = logits[id] > 0 ? logits[id] / r : logits[id] * r',
      'history) out[id] = out[id] > 0 ? out[id] / r : out[id] * r',
    ],
    ['subtracts_r', 'logits[id] > 0 ? logits[id] / r : logits[id] * r', 'logits[id] - r'],
    ['everything', 'new Set(history)', 'logits.keys()'],
    ['unseen', 'new Set(history)', '[...logits.keys()].filter((id) => !history.includes(id))'],
    ['last_only', 'new Set(history)', 'history.slice(-1)'],
    ['first_only', 'new Set(history)', 'history.slice(0, 1)'],
    [
      'repeated_only',
      'new Set(history)',
      'new Set(history.filter((id, i) => history.indexOf(id) < i))',
    ],
    ['positions', 'new Set(history)', 'history.keys()'],
    [
      'removes_seen',
      'logits[id] > 0 ? logits[id] / r : logits[id] * r',
      'r === 1 ? logits[id] : -Infinity',
    ],
  ),
  ...faultsOf(
    'chain',
    [
      'shares_last',
      'export default (given',
      'export default (...all) => softmax(chain(...all));\nconst chain = (given',
    ],
    ['without_penalty', `"${PENALTY}",`, ''],
    ['without_temperature', `"${TEMPERATURE}",`, ''],
    ['without_top_k', `"${TOP_K}",`, ''],
    ['without_top_p', `,"${TOP_P_NAME}"`, ''],
  ),
  ...faultsOf(
    'generate',
    ['turned_u', DRAW, 'draw(warped, 1 - random())'],
    ['skips_u', DRAW, 'draw(warped, (step && random(), random()))'],
    ['one_u_late', 'rng(settings.seed);', 'rng(settings.seed);\n  random();'],
    ['always_best', DRAW, 'ranked(warped)[0]'],
    ['by_id', 'ranked(logits).filter', '[...logits.keys()].filter'],
    [
      'evenly',
      DRAW,
      'draw(warped.map((l) => (l === -Infinity ? l : 0)).map((l, id, all) => l - ranked(warped).indexOf(id) * 1e-7), random())',
    ],
    ['first_row', LAST, '[0];\n    const warped'],
    ['row_before', LAST, '.slice(-2)[0];\n    const warped'],
    ['crops_front', CROP, 'ids.slice(0, model.context_length)'],
    ['crops_short', CROP, 'ids.slice(1 - model.context_length)'],
    ['last_token_only', CROP, 'ids.slice(-1)'],
    [
      'not_appended',
      `const window = ${CROP}`,
      'const window = prompt_ids.slice(-model.context_length)',
    ],
    ['idle_loop', 'const ids = [...prompt_ids];', 'return [];\n  const ids = [...prompt_ids];'],
    ['end_left_out', END, 'if (id === model.eos_token_id) break;\n    ids.push(id);'],
    ['end_ignored', 'if (id === model.eos_token_id) break;', ''],
    ['prompt_too', 'ids.slice(prompt_ids.length)', 'ids'],
    ['one_token_more', 'step < settings', 'step <= settings'],
    ['one_token_less', 'step < settings.max_new_tokens', 'step < settings.max_new_tokens - 1'],
    ['history_window', WARP, 'chain(last, settings, window)'],
    ['history_new', WARP, 'chain(last, settings, ids.slice(prompt_ids.length))'],
    ['history_none', WARP, 'chain(last, settings, [])'],
    ['loop_shares_first', WARP, 'chain(Float32Array.from(softmax(last)), settings, ids)'],
    ['loop_without_temperature', "'temperature', ", ''],
    ['loop_without_top_k', "'top_k', ", ''],
    ['loop_without_top_p', ", 'top_p'", ''],
  ),
  ...faultsOf(
    'encoder_repetition_penalty',
    ['reward_lowers', 'logits[id] * r : logits[id] / r', 'logits[id] / r : logits[id] * r'],
    ['reward_multiplies', 'logits[id] / r', 'logits[id] * r'],
    [
      'reward_each_time',
      'new Set(history)) out[id] = logits[id] > 0 ? logits[id] * r : logits[id] / r',
      'history) out[id] = out[id] > 0 ? out[id] * r : out[id] / r',
    ],
    [
      'reward_others',
      'new Set(history)) out[id] = logits[id] > 0 ? logits[id] * r : logits[id] / r',
      'out.keys()) if (!history.includes(id)) out[id] = out[id] > 0 ? out[id] / r : out[id] * r',
    ],
  ),
  ...faultsOf(
    'renormalize_logits',
    ['log_of_sum', 'const max = Math.max(...logits)', 'const max = 0'],
    ['log_base_two', 'l - max - Math.log(sum)', '(l - max - Math.log(sum)) / Math.LN2'],
  ),
  ...faultsOf(
    'guidance_scale',
    ['guided_back', 'n[id] + s * (it - n[id])', 'it + s * (n[id] - it)'],
    ['guided_past', 'n[id] + s * (it', 'it + s * (it'],
    ['guided_alone', 'n[id] + s * (it - n[id])', 's * it'],
    ['guided_logits', '[logs(logits), logs(second)]', '[logits, second]'],
    [
      'guided_shares',
      'n[id] + s * (it - n[id])',
      'Math.log(Math.exp(n[id]) + s * (Math.exp(it) - Math.exp(n[id])))',
    ],
    ['guided_neutral', 'if (s === 1) return logits.slice();', ''],
  ),
  ...faultsOf(
    'contrastive_beta',
    ['contrast_plain', '(1 + b) * it', 'it'],
    ['contrast_turned', '(1 + b) * it - b * w[id]', '(1 + b) * w[id] - b * it'],
    ['contrast_all', 'e[id] >= least', 'e[id] > -Infinity'],
    ['contrast_weak_cut', 'e[id] >= least', 'w[id] >= Math.max(...w) + Math.log(a)'],
    ['contrast_late_cut', 'e[id] >= least', 'it >= Math.max(...mixed) + Math.log(a)'],
    ['contrast_share_cut', 'e[id] >= least', 'e[id] >= Math.log(a)'],
    ['contrast_logits', '[logs(logits), logs(second)]', '[logits, second]'],
  ),
  ...faultsOf(
    'green_bias',
    ['green_red', 'bits[id] <', 'bits[id] >='],
    ['green_half', 'green_fraction * 2 ** 32', '2 ** 31'],
    ['green_first', 'bits[id] < green_fraction * 2 ** 32', 'id < green_fraction * logits.length'],
    ['green_lowers', 'l + bias : l)', 'l : l - bias)'],
    ['green_times', 'l + bias', 'l * bias'],
    ['green_soft', 'bias < 100', 'bias'],
    ['green_hard', 'bias < 100', '!bias'],
    ['green_empties', 'left.some((l) => l !== -Infinity) ? left : logits.slice()', 'left'],
  ),
  ...faultsOf(
    'synthid_depth',
    ['synthid_once', 'i < synthid_depth', 'i < 1'],
    ['synthid_fresh', 'p = p.map((share, id) => share * factor[id]);', ''],
    ['synthid_losers', '(bits[id] >>> i) & 1)', '1 - ((bits[id] >>> i) & 1))'],
    ['synthid_other_bits', 'bits[id] >>> i', 'bits[id] >>> (31 - i)'],
    ['synthid_again', 'before.includes(now)', '!bits'],
    ['synthid_no_least', 'Math.max(lost, 2 ** -100)', 'lost'],
  ),
  ...faultsOf(
    'top_p',
    ['threw', 'return out;', 'return out.missing.it;'],
    ['length', 'return out;', 'return [...out, 0];'],
    ['list', 'return out;', ''],
  ),
  ...faultsOf('generate', ['no_ids', 'return ids.slice(prompt_ids.length);', '']),
  ...faultsOf('top_p', [
    'state',
    'if (top_p === 1)',
    'globalThis.calls = (globalThis.calls ?? 0) + 1;\n  if (globalThis.calls % 7 === 0) return logits.slice();\n  if (top_p === 1)',
  ]),
];

/** Further edits that some replacements need. @type {[piece: string, from: string, to: string][]} */
const NEEDS = [
  ['was = p[id]', 'let before = 0;', 'let before = 0;\n  let was = 0;'],
  ['(u = step', 'const random =', 'let u = 0;\n  const random ='],
  ['ids.slice(start)', 'const random =', 'const start = ids.length;\n  const random ='],
];

/** Returns the source of a function with a planted fault. */
export function planted([, as, from, to]) {
  const source = broken({ ...RIGHT, ...STAGES }[as], from, to);
  return NEEDS.filter(([piece]) => to.includes(piece)).reduce(
    (all, [, before, after]) => broken(all, before, after),
    source,
  );
}
