/**
 * Comparisons of a learner's numbers with the engine's; each finds one fault.
 */
import { close, disagreement } from './expect.js';
import { reason } from './reasons.js';

/**
 * @typedef {(expected: import('./expect.js').Expected, got: Float64Array,
 *   input: import('./inputs.js').Case) => import('./expect.js').Failure | null} Compare
 */

/** @type {Compare} */
export function softlyRemoved({ logits, stays, free }, got, input) {
  const id = got.findIndex(
    (it, i) => !stays(i) && !free(i) && it !== -Infinity && it !== Math.fround(input.logits[i]),
  );
  return id < 0
    ? null
    : {
        expected: logits,
        got,
        ...reason('soft', { id, value: String(got[id]) }),
      };
}

/** @type {Compare} */
export function touched({ stays, logits }, got, input) {
  const id = got.findIndex(
    (it, i) => stays(i) && it !== -Infinity && it !== Math.fround(input.logits[i]),
  );
  return id < 0 ? null : { expected: logits, got, ...reason('another_logit', { id }) };
}

/** @type {Compare} */
export function lostBest({ logits }, got, input) {
  const best = Math.max(...input.logits);
  const top = Math.max(...got);
  const kept = input.logits.some((it, id) => it === best && got[id] === top && top !== -Infinity);
  return kept ? null : { expected: logits, got, ...reason('lost_best') };
}

/** @type {Compare} */
export function emptied({ logits }, got) {
  return got.some((it) => it !== -Infinity)
    ? null
    : { expected: logits, got, ...reason('emptied') };
}

/** @type {Compare} */
export function cameBack({ logits }, got, input) {
  const id = got.findIndex((it, i) => input.logits[i] === -Infinity && it !== -Infinity);
  return id < 0 ? null : { expected: logits, got, ...reason('came_back', { id }) };
}

/** @type {Compare} */
export function notIdentity({ logits }, got, input) {
  const id = got.findIndex((it, i) => it !== Math.fround(input.logits[i]));
  return id < 0 ? null : { expected: logits, got, ...reason('changed', { id }) };
}

/** Counts how often each logit stays, so that ties may be broken either way. @type {Compare} */
export function otherCounts({ logits }, got) {
  const sorted = (/** @type {ArrayLike<number>} */ list) => Array.from(list).sort((a, b) => a - b);
  const [a, b] = [sorted(logits), sorted(got)];
  const count = (/** @type {number[]} */ list) => list.filter((it) => it !== -Infinity).length;
  return a.every((it, i) => it === b[i])
    ? null
    : { expected: logits, got, ...reason('counts', { expected: count(a), got: count(b) }) };
}

/** @type {Compare} */
export function reordered({ logits }, got, input) {
  const ids = [...got.keys()].sort((a, b) => input.logits[b] - input.logits[a]);
  const at = ids.findIndex((id, i) => i > 0 && got[id] > got[ids[i - 1]]);
  return at < 0
    ? null
    : { expected: logits, got, ...reason('overtaken', { id: ids[at], other: ids[at - 1] }) };
}

/** @type {Compare} */
export function raised({ logits }, got, input) {
  const { repetition_penalty: r } = input.settings;
  const id = got.findIndex(
    (it, i) => r >= 1 && it > input.logits[i] && !close(it, input.logits[i]),
  );
  return id < 0 ? null : { expected: logits, got, ...reason('risen', { id }) };
}

/** @type {Compare} */
export const differs = (expected, got) => disagreement(expected, got);

/** At T = 0 the best keeps its logit. @type {Compare} */
export function otherLogit(expected, got, input) {
  const failure = differs(expected, got, input);
  if (!failure || disagreement(expected, got, false)) return failure;
  const id = got.findIndex((it) => it !== -Infinity);
  return { ...failure, ...reason('zero_logit', { value: String(got[id]) }) };
}

/** Each T divides by itself, and 0 alone is greedy. @type {Compare} */
export function otherDivisor(expected, got, input) {
  const failure = differs(expected, got, input);
  if (!failure) return null;
  const { logits, settings } = input;
  const { temperature: t } = settings;
  if (got.filter((it) => it !== -Infinity).length === 1)
    return { ...failure, ...reason('greedy_early', { t }) };
  const by = logits[0] / got[0];
  if (!logits.every((logit, id) => close(got[id], logit / by))) return failure;
  return { ...failure, ...reason('other_divisor', { t, by: Number(by.toPrecision(4)) }) };
}
