/** Tokens of a record: which listed token was drawn, and the recorded tokens before a position. */

/**
 * @typedef {{ text: string, bytes?: ArrayLike<number> | null, id?: number | null, logprob?: number | null }} RecordToken
 * @typedef {{ token: RecordToken, top: RecordToken[], half_unit?: number, prompt?: boolean,
 *   drawn?: boolean }} RecordPosition
 * @typedef {{ program?: string, raw: 'raw' | 'warped' | 'unknown', vocab_size: number | null,
 *   positions: RecordPosition[] }} LogprobRecord
 */

/** @param {RecordToken} token */
const keyOf = ({ id, bytes, text }) =>
  id !== null && id !== undefined ? id : bytes ? Array.from(bytes).join() : `"${text}`;

/**
 * Returns the index of the drawn token among the listed ones, or their number if it is hidden.
 * @param {RecordPosition} position
 */
export function indexOfDrawn({ token, top }) {
  const key = keyOf(token);
  let at = top.findIndex((one) => keyOf(one) === key);
  // An id or the bytes may stand at one of the two alone.
  if (at < 0 && top.length > 0 && typeof key !== typeof keyOf(top[0]))
    at = top.findIndex(({ text }) => text === token.text);
  return at < 0 ? top.length : at;
}

/**
 * Returns the recorded tokens before a position, as indices of its list. A token that the list lacks has an index after
 * its end, each token its own; so repeats are found. A record has no prompt, unless its server gave the prompt's
 * probabilities.
 * @param {Pick<LogprobRecord, 'positions'>} record
 * @param {number} at
 */
export function historyBefore({ positions }, at) {
  const known = new Map(positions[at].top.map((one, i) => [keyOf(one), i]));
  return positions.slice(0, at).map(({ token }) => {
    const key = keyOf(token);
    if (!known.has(key)) known.set(key, known.size);
    return /** @type {number} */ (known.get(key));
  });
}
