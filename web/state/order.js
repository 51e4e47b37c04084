/** Moves a stage in an order, and compares the results of two orders. */

/**
 * @typedef {{ id: number, text: string, special: boolean }} Token
 * @typedef {{ logits: Float32Array, p: Float64Array }} Result logits and probabilities of all tokens after the chain
 *
 * The tokens that only one of two results keeps, in descending order of probability.
 * @typedef {{ count: number, ids: number[] }} Ids
 * @typedef {{ count: number, tokens: Token[] }} Group
 *
 * The difference of two results. `only` has the tokens that only the first result keeps, `lost` those
 * that only the second keeps. `shifted` is the token with the largest change of probability; null if all
 * changes are rounding errors.
 * @typedef {{ only: Ids, lost: Ids, shifted: { id: number, p: number, before: number } | null }} Comparison
 * @typedef {{ only: Group, lost: Group,
 *   shifted: { token: Token, p: number, before: number } | null }} Difference
 */

/** A smaller difference of probabilities is only a rounding error. */
const SAME = 1e-6;
/** Most tokens that a sentence names. */
const NAMED = 5;

/**
 * Returns the order after one of the visible stages is moved to index `to` among them.
 * @param {string[]} order
 * @param {string[]} shown the visible stages, in order
 * @param {string} name
 * @param {number} to
 */
export function moveInOrder(order, shown, name, to) {
  const others = shown.filter((other) => other !== name);
  const rest = order.filter((other) => other !== name);
  if (others.length === 0) return [name, ...rest];
  const isLast = to >= others.length;
  const at = isLast ? rest.indexOf(others[others.length - 1]) + 1 : rest.indexOf(others[to]);
  return [...rest.slice(0, at), name, ...rest.slice(at)];
}

/**
 * Returns the tokens that `result` keeps and `other` removes.
 * @param {Result} result
 * @param {Result} other
 * @returns {Ids}
 */
function keptOnlyBy({ logits, p }, other) {
  const ids = [];
  for (let id = 0; id < logits.length; id++)
    if (logits[id] !== -Infinity && other.logits[id] === -Infinity) ids.push(id);
  ids.sort((a, b) => p[b] - p[a] || a - b);
  return { count: ids.length, ids: ids.slice(0, NAMED) };
}

/**
 * Compares two results over the whole vocabulary.
 * @param {Result} result
 * @param {Result} other the result of another order for the same logits
 * @returns {Comparison}
 */
export function compareResults(result, other) {
  let most = -1;
  let gap = SAME;
  for (let id = 0; id < result.p.length; id++) {
    const apart = Math.abs(result.p[id] - other.p[id]);
    if (apart <= gap || !(result.p[id] > 0 && other.p[id] > 0)) continue;
    most = id;
    gap = apart;
  }
  return {
    only: keptOnlyBy(result, other),
    lost: keptOnlyBy(other, result),
    shifted: most < 0 ? null : { id: most, p: result.p[most], before: other.p[most] },
  };
}
