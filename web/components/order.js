/** The order of the warpers: moving one, and what another order makes of the distribution. */

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').TraceToken} TraceToken
 *
 * How a result differs from another's: tokens that only one of them keeps, and the kept token whose
 * probability differs most, where it differs to be seen.
 * @typedef {{ only: TraceToken[], lost: TraceToken[],
 *   shifted: { token: TraceToken, p: number } | null }} Difference
 */

/** Probabilities nearer than this are the same but for rounding. */
const SAME = 1e-6;

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
 * @param {Trace} trace
 * @param {Trace} other the same logits by other means
 * @returns {Difference}
 */
export function compareTraces(trace, other) {
  const found = new Map(other.tokens.map((token) => [token.id, token]));
  const kept = (/** @type {TraceToken | undefined} */ token) => token?.removed_by === null;
  const only = trace.tokens.filter((token) => kept(token) && !kept(found.get(token.id)));
  const lost = other.tokens.filter(
    (token) =>
      kept(token) && !trace.tokens.some(({ id, removed_by }) => id === token.id && !removed_by),
  );
  const both = trace.tokens.filter((token) => kept(token) && kept(found.get(token.id)));
  const gap = (/** @type {TraceToken} */ token) =>
    Math.abs(token.p - (found.get(token.id)?.p ?? 0));
  const [most] = [...both].sort((a, b) => gap(b) - gap(a));
  const shifted =
    most && gap(most) > SAME ? { token: most, p: found.get(most.id)?.p ?? 0 } : null;
  return { only, lost, shifted };
}
