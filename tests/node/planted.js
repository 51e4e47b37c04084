/**
 * Faults planted in correct samplers by an edit: the fault's code, the function, the replaced piece of the source and
 * its replacement. The lesson's nine "Pitfalls to expect" come first.
 */
import { GENERATE, LESSON_ORDER, SOFTMAX, TOP_P, broken, chainOf } from './graded.js';
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
  ['soft_mask', 'top_p', 'fill(-Infinity)', 'fill(-1e9)'],
  ['cut_before', 'top_p', KEEP, 'before += p[id];\n    if (before <= top_p) out[id] = logits[id];'],
  ['shares_first', 'chain', 'given.slice())', 'Float32Array.from(softmax(given)))'],
  [
    'swapped',
    'chain',
    JSON.stringify(LESSON_ORDER),
    JSON.stringify([PENALTY, TOP_P_NAME, TEMPERATURE, TOP_K]),
  ],
  ['history_prompt', 'generate', WARP, 'chain(last, settings, prompt_ids)'],
  ['long_window', 'generate', CROP, 'ids'],
  [
    'early',
    'generate',
    `const last = model.logits(window)${LAST} = ${WARP};`,
    'const warped = model.logits(window).map((row) => chain(row, settings, ids)).at(-1);',
  ],
  // JavaScript has no autograd, so a test can only see wasted work. The Python harness tests torch.
  ['asked_often', 'generate', 'const last =', 'model.logits(window);\n    const last ='],
  ['reseeded', 'generate', DRAW, 'draw(warped, rng(settings.seed)())'],
];

/** @type {[code: string, as: string, from: string, to: string][]} */
export const FAULTS = [
  ...LESSON_FAULTS,
  ...STAGE_FAULTS,
  ['until_above', 'top_p', 'before < top_p', 'before <= top_p'],
  [
    'one_too_few',
    'top_p',
    KEEP,
    'before += p[id];\n    if (place === 0 || before <= top_p + 1e-6) out[id] = logits[id];',
  ],
  [
    'one_too_many',
    'top_p',
    KEEP,
    'if (place === 0 || before - was < top_p) out[id] = logits[id];\n    was = p[id];\n    before += p[id];',
  ],
  ['own_share', 'top_p', 'before < top_p', 'p[id] >= 1 - top_p'],
  ['share_above_p', 'top_p', 'before < top_p', 'p[id] >= top_p'],
  ['least_first', 'top_p', 'ranked(logits).forEach', 'ranked(logits).reverse().forEach'],
  ['unsorted', 'top_p', 'ranked(logits).forEach', '[...logits.keys()].forEach'],
  ['unscattered', 'top_p', 'out[id] = logits[id]', 'out[place] = logits[place]'],
  ['other_end', 'top_p', 'before < top_p', 'before < 1 - top_p'],
  ['tail_kept', 'top_p', 'place === 0 || before < top_p', 'place > 0 && before >= top_p'],
  ['overflow', 'top_p', 'Math.exp(l - max)', 'Math.exp(l)'],
  ['higher_id', 'top_p', '|| a - b', '|| b - a'],
  ['zero_mask', 'top_p', 'fill(-Infinity)', 'fill(0)'],
  ['returns_shares', 'top_p', 'return out;', 'return softmax(out);'],
  ['returns_logs', 'top_p', 'return out;', 'return softmax(out).map(Math.log);'],
  ['wrote', 'top_p', 'return out;', 'logits.set(out); return out;'],
  ['idle', 'top_p', 'if (top_p === 1)', 'if (top_p)'],
  [
    'exactly_k',
    'top_k',
    'logits.map((l) => (l >= limit',
    'logits.map((l, id) => (ranked(logits).indexOf(id) < k',
  ],
  ['above_kth', 'top_k', 'l >= limit', 'l > limit'],
  [
    'k_plus_one',
    'top_k',
    'k >= logits.length) return logits.slice();',
    'k + 1 >= logits.length) return logits.slice();\n  k += 1;',
  ],
  ['k_minus_one', 'top_k', '[k - 1]', '[Math.max(k - 2, 0)]'],
  ['k_lowest', 'top_k', 'l >= limit', 'l <= logits[ranked(logits).at(-k)]'],
  ['k_first', 'top_k', 'logits.map((l) => (l >= limit', 'logits.map((l, id) => (id < k'],
  [
    'k_distinct',
    'top_k',
    'logits[ranked(logits)[k - 1]]',
    '[...new Set(logits)].sort((a, b) => b - a)[k - 1] ?? -Infinity',
  ],
  ['k_removed', 'top_k', 'l >= limit', 'l < limit'],
  ['k_zero', 'top_k', 'k === 0 ||', ''],
  ['multiplies', 'temperature', 'l / T', 'l * T'],
  ['subtracts_t', 'temperature', 'l / T', 'l - T'],
  ['subtracts_max', 'temperature', 'l / T', '(l - logits[best]) / T'],
  ['one_minus', 'temperature', 'l / T', 'l * (1 - T)'],
  ['zero_divides', 'temperature', 'if (T === 0)', 'if (T < 0)'],
  [
    'zero_nothing',
    'temperature',
    'if (T === 0) return logits.map((l, id) => (id === best ? l : -Infinity))',
    'if (T === 0) return logits',
  ],
  ['zero_ties', 'temperature', 'id === best', 'l === logits[best]'],
  [
    'zero_epsilon',
    'temperature',
    'if (T === 0) return logits.map((l, id) => (id === best ? l : -Infinity))',
    'T = Math.max(T, 1e-8)',
  ],
  [
    'returns_shares',
    'temperature',
    'return Float64Array.from(logits, (l) => l / T)',
    'return softmax(Float64Array.from(logits, (l) => l / T))',
  ],
  ['on_shares', 'temperature', 'Float64Array.from(logits', 'Float64Array.from(softmax(logits)'],
  ['always_divides', 'repetition_penalty', 'logits[id] * r', 'logits[id] / r'],
  ['always_multiplies', 'repetition_penalty', 'logits[id] / r', 'logits[id] * r'],
  ['other_signs', 'repetition_penalty', 'logits[id] > 0', 'logits[id] < 0'],
  [
    'each_time',
    'repetition_penalty',
    'new Set(history)) out[id] = logits[id] > 0 ? logits[id] / r : logits[id] * r',
    'history) out[id] = out[id] > 0 ? out[id] / r : out[id] * r',
  ],
  [
    'subtracts_r',
    'repetition_penalty',
    'logits[id] > 0 ? logits[id] / r : logits[id] * r',
    'logits[id] - r',
  ],
  ['everything', 'repetition_penalty', 'new Set(history)', 'logits.keys()'],
  [
    'unseen',
    'repetition_penalty',
    'new Set(history)',
    '[...logits.keys()].filter((id) => !history.includes(id))',
  ],
  ['last_only', 'repetition_penalty', 'new Set(history)', 'history.slice(-1)'],
  ['first_only', 'repetition_penalty', 'new Set(history)', 'history.slice(0, 1)'],
  [
    'repeated_only',
    'repetition_penalty',
    'new Set(history)',
    'new Set(history.filter((id, i) => history.indexOf(id) < i))',
  ],
  ['positions', 'repetition_penalty', 'new Set(history)', 'history.keys()'],
  [
    'removes_seen',
    'repetition_penalty',
    'logits[id] > 0 ? logits[id] / r : logits[id] * r',
    'r === 1 ? logits[id] : -Infinity',
  ],
  [
    'shares_last',
    'chain',
    'export default (given',
    'export default (...all) => softmax(chain(...all));\nconst chain = (given',
  ],
  ['without_penalty', 'chain', `"${PENALTY}",`, ''],
  ['without_temperature', 'chain', `"${TEMPERATURE}",`, ''],
  ['without_top_k', 'chain', `"${TOP_K}",`, ''],
  ['without_top_p', 'chain', `,"${TOP_P_NAME}"`, ''],
  ['turned_u', 'generate', DRAW, 'draw(warped, 1 - random())'],
  ['skips_u', 'generate', DRAW, 'draw(warped, (step && random(), random()))'],
  ['one_u_late', 'generate', 'rng(settings.seed);', 'rng(settings.seed);\n  random();'],
  ['always_best', 'generate', DRAW, 'ranked(warped)[0]'],
  ['by_id', 'generate', 'ranked(logits).filter', '[...logits.keys()].filter'],
  [
    'evenly',
    'generate',
    DRAW,
    'draw(warped.map((l) => (l === -Infinity ? l : 0)).map((l, id, all) => l - ranked(warped).indexOf(id) * 1e-7), random())',
  ],
  ['first_row', 'generate', LAST, '[0];\n    const warped'],
  ['row_before', 'generate', LAST, '.slice(-2)[0];\n    const warped'],
  ['crops_front', 'generate', CROP, 'ids.slice(0, model.context_length)'],
  ['crops_short', 'generate', CROP, 'ids.slice(1 - model.context_length)'],
  ['last_token_only', 'generate', CROP, 'ids.slice(-1)'],
  [
    'not_appended',
    'generate',
    `const window = ${CROP}`,
    'const window = prompt_ids.slice(-model.context_length)',
  ],
  [
    'idle_loop',
    'generate',
    'const ids = [...prompt_ids];',
    'return [];\n  const ids = [...prompt_ids];',
  ],
  ['end_left_out', 'generate', END, 'if (id === model.eos_token_id) break;\n    ids.push(id);'],
  ['end_ignored', 'generate', 'if (id === model.eos_token_id) break;', ''],
  ['prompt_too', 'generate', 'ids.slice(prompt_ids.length)', 'ids'],
  ['one_token_more', 'generate', 'step < settings', 'step <= settings'],
  [
    'one_token_less',
    'generate',
    'step < settings.max_new_tokens',
    'step < settings.max_new_tokens - 1',
  ],
  ['history_window', 'generate', WARP, 'chain(last, settings, window)'],
  ['history_new', 'generate', WARP, 'chain(last, settings, ids.slice(prompt_ids.length))'],
  ['history_none', 'generate', WARP, 'chain(last, settings, [])'],
  ['loop_shares_first', 'generate', WARP, 'chain(Float32Array.from(softmax(last)), settings, ids)'],
  ['loop_without_temperature', 'generate', "'temperature', ", ''],
  ['loop_without_top_k', 'generate', "'top_k', ", ''],
  ['loop_without_top_p', 'generate', ", 'top_p'", ''],
  [
    'reward_lowers',
    'encoder_repetition_penalty',
    'logits[id] * r : logits[id] / r',
    'logits[id] / r : logits[id] * r',
  ],
  ['reward_multiplies', 'encoder_repetition_penalty', 'logits[id] / r', 'logits[id] * r'],
  [
    'reward_each_time',
    'encoder_repetition_penalty',
    'new Set(history)) out[id] = logits[id] > 0 ? logits[id] * r : logits[id] / r',
    'history) out[id] = out[id] > 0 ? out[id] * r : out[id] / r',
  ],
  [
    'reward_others',
    'encoder_repetition_penalty',
    'new Set(history)) out[id] = logits[id] > 0 ? logits[id] * r : logits[id] / r',
    'out.keys()) if (!history.includes(id)) out[id] = out[id] > 0 ? out[id] / r : out[id] * r',
  ],
  ['log_of_sum', 'renormalize_logits', 'const max = Math.max(...logits)', 'const max = 0'],
  [
    'log_base_two',
    'renormalize_logits',
    'l - max - Math.log(sum)',
    '(l - max - Math.log(sum)) / Math.LN2',
  ],
  ['guided_back', 'guidance_scale', 'n[id] + s * (it - n[id])', 'it + s * (n[id] - it)'],
  ['guided_past', 'guidance_scale', 'n[id] + s * (it', 'it + s * (it'],
  ['guided_alone', 'guidance_scale', 'n[id] + s * (it - n[id])', 's * it'],
  ['guided_logits', 'guidance_scale', '[logs(logits), logs(second)]', '[logits, second]'],
  [
    'guided_shares',
    'guidance_scale',
    'n[id] + s * (it - n[id])',
    'Math.log(Math.exp(n[id]) + s * (Math.exp(it) - Math.exp(n[id])))',
  ],
  ['guided_neutral', 'guidance_scale', 'if (s === 1) return logits.slice();', ''],
  ['contrast_plain', 'contrastive_beta', '(1 + b) * it', 'it'],
  ['contrast_turned', 'contrastive_beta', '(1 + b) * it - b * w[id]', '(1 + b) * w[id] - b * it'],
  ['contrast_all', 'contrastive_beta', 'e[id] >= least', 'e[id] > -Infinity'],
  [
    'contrast_weak_cut',
    'contrastive_beta',
    'e[id] >= least',
    'w[id] >= Math.max(...w) + Math.log(a)',
  ],
  [
    'contrast_late_cut',
    'contrastive_beta',
    'e[id] >= least',
    'it >= Math.max(...mixed) + Math.log(a)',
  ],
  ['contrast_share_cut', 'contrastive_beta', 'e[id] >= least', 'e[id] >= Math.log(a)'],
  ['contrast_logits', 'contrastive_beta', '[logs(logits), logs(second)]', '[logits, second]'],
  ['green_red', 'green_bias', 'bits[id] <', 'bits[id] >='],
  ['green_half', 'green_bias', 'green_fraction * 2 ** 32', '2 ** 31'],
  [
    'green_first',
    'green_bias',
    'bits[id] < green_fraction * 2 ** 32',
    'id < green_fraction * logits.length',
  ],
  ['green_lowers', 'green_bias', 'l + bias : l)', 'l : l - bias)'],
  ['green_times', 'green_bias', 'l + bias', 'l * bias'],
  ['green_soft', 'green_bias', 'bias < 100', 'bias'],
  ['green_hard', 'green_bias', 'bias < 100', '!bias'],
  [
    'green_empties',
    'green_bias',
    'left.some((l) => l !== -Infinity) ? left : logits.slice()',
    'left',
  ],
  ['synthid_once', 'synthid_depth', 'i < synthid_depth', 'i < 1'],
  ['synthid_fresh', 'synthid_depth', 'p = p.map((share, id) => share * factor[id]);', ''],
  ['synthid_losers', 'synthid_depth', '(bits[id] >>> i) & 1)', '1 - ((bits[id] >>> i) & 1))'],
  ['synthid_other_bits', 'synthid_depth', 'bits[id] >>> i', 'bits[id] >>> (31 - i)'],
  ['synthid_again', 'synthid_depth', 'before.includes(now)', '!bits'],
  ['synthid_no_least', 'synthid_depth', 'Math.max(lost, 2 ** -100)', 'lost'],
  ['threw', 'top_p', 'return out;', 'return out.missing.it;'],
  ['length', 'top_p', 'return out;', 'return [...out, 0];'],
  ['list', 'top_p', 'return out;', ''],
  ['no_ids', 'generate', 'return ids.slice(prompt_ids.length);', ''],
  [
    'state',
    'top_p',
    'if (top_p === 1)',
    'globalThis.calls = (globalThis.calls ?? 0) + 1;\n  if (globalThis.calls % 7 === 0) return logits.slice();\n  if (top_p === 1)',
  ],
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
