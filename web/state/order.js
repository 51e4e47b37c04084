/** The order of the warpers: moving one, and what another order makes of the distribution. */

/**
 * @typedef {{ id: number, text: string, special: boolean }} Token
 * @typedef {{ logits: Float32Array, p: Float64Array }} Result what warpers made of all logits
 *
 * Tokens that only one of two results keeps, the most probable first.
 * @typedef {{ count: number, ids: number[] }} Ids
 * @typedef {{ count: number, tokens: Token[] }} Group
 *
 * How a result differs from another's: tokens that only one of them keeps, and the kept token whose
 * probability differs most, where it differs to be seen.
 * @typedef {{ only: Ids, lost: Ids, shifted: { id: number, p: number, before: number } | null }} Comparison
 * @typedef {{ only: Group, lost: Group,
 *   shifted: { token: Token, p: number, before: number } | null }} Difference
 */

/** Probabilities nearer than this are the same but for rounding. */
const SAME = 1e-6;
/** How many tokens a sentence names. */
const NAMED = 5;

/**
 * `order` with the warper `name` moved to place `to` among those on show.
 * @param {string[]} order
 * @param {string[]} shown those on show, in order
 * @param {string} name
 * @param {number} to
 */
export function moveInOrder(order, shown, name, to) {
  const others = shown.filter((other) => other !== name);
  const rest = order.filter((other) => other !== name);
  const before = others[to];
  const last = others.at(-1);
  const at = before ? rest.indexOf(before) : last ? rest.indexOf(last) + 1 : 0;
  return [...rest.slice(0, at), name, ...rest.slice(at)];
}

/**
 * The tokens that one result keeps and another does not.
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
 * @param {Result} other the same logits by other means
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
