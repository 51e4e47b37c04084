/** Compares a learner's numbers with the engine's. Each function finds one fault. */
import { close, disagreement } from './expect.js';
import { reason } from './reasons.js';

/**
 * @typedef {(expected: import('./expect.js').Expected, got: Float64Array,
 *   input: import('./inputs.js').Case) => import('./expect.js').Failure | null} Compare
 */

/**
 * @param {import('./expect.js').Expected} expected
 * @param {Float64Array} got
 * @param {Parameters<typeof reason>} why
 */
const failedBecause = ({ logits }, got, ...why) => ({ expected: logits, got, ...reason(...why) });

/** @type {Compare} */
export function softlyRemoved(expected, got, input) {
  const { stays, free } = expected;
  const id = got.findIndex(
    (it, i) => !stays(i) && !free(i) && it !== -Infinity && it !== Math.fround(input.logits[i]),
  );
  return id < 0 ? null : failedBecause(expected, got, 'soft', { id, value: String(got[id]) });
}

/** @type {Compare} */
export function touched(expected, got, input) {
  const id = got.findIndex(
    (it, i) => expected.stays(i) && it !== -Infinity && it !== Math.fround(input.logits[i]),
  );
  return id < 0 ? null : failedBecause(expected, got, 'another_logit', { id });
}

/** @type {Compare} */
export function lostBest(expected, got, input) {
  const best = Math.max(...input.logits);
  const top = Math.max(...got);
  const kept = input.logits.some((it, id) => it === best && got[id] === top && top !== -Infinity);
  return kept ? null : failedBecause(expected, got, 'lost_best');
}

/** @type {Compare} */
export const emptied = (expected, got) =>
  got.some((it) => it !== -Infinity) ? null : failedBecause(expected, got, 'emptied');

/** @type {Compare} */
export function cameBack(expected, got, input) {
  const id = got.findIndex((it, i) => input.logits[i] === -Infinity && it !== -Infinity);
  return id < 0 ? null : failedBecause(expected, got, 'came_back', { id });
}

/** @type {Compare} */
export function notIdentity(expected, got, input) {
  const id = got.findIndex((it, i) => it !== Math.fround(input.logits[i]));
  return id < 0 ? null : failedBecause(expected, got, 'changed', { id });
}

/** Counts how often each logit stays, because of two equal logits either may stay. @type {Compare} */
export function otherCounts(expected, got) {
  const sorted = (/** @type {ArrayLike<number>} */ list) => Array.from(list).sort((a, b) => a - b);
  const [a, b] = [sorted(expected.logits), sorted(got)];
  const count = (/** @type {number[]} */ list) => list.filter((it) => it !== -Infinity).length;
  if (a.every((it, i) => it === b[i])) return null;
  return failedBecause(expected, got, 'counts', { expected: count(a), got: count(b) });
}

/** @type {Compare} */
export function reordered(expected, got, input) {
  const ids = [...got.keys()].sort((a, b) => input.logits[b] - input.logits[a]);
  const at = ids.findIndex((id, i) => i > 0 && got[id] > got[ids[i - 1]]);
  return at < 0
    ? null
    : failedBecause(expected, got, 'overtaken', { id: ids[at], other: ids[at - 1] });
}

/** @type {Compare} */
export function raised(expected, got, input) {
  const { repetition_penalty: r } = input.settings;
  const id = got.findIndex(
    (it, i) => r >= 1 && it > input.logits[i] && !close(it, input.logits[i]),
  );
  return id < 0 ? null : failedBecause(expected, got, 'risen', { id });
}

/** @type {Compare} */
export const differs = (expected, got) => disagreement(expected, got);

/** Checks that at temperature 0 the best token keeps its logit. @type {Compare} */
export function otherLogit(expected, got, input) {
  const failure = differs(expected, got, input);
  if (!failure || disagreement(expected, got, false)) return failure;
  const id = got.findIndex((it) => it !== -Infinity);
  return { ...failure, ...reason('zero_logit', { value: String(got[id]) }) };
}

/** Checks that the temperature divides the logits; 0 means greedy. @type {Compare} */
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
