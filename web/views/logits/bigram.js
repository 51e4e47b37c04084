/** A bigram table: how often each token of a text follows each other token. */

/**
 * @typedef {object} Bigram
 * @property {string[]} tokens the most frequent first
 * @property {number[]} totals the number of successors of each token
 * @property {Map<number, number>[]} rows the counts of each token's successors, by id
 */

/**
 * @param {string} text
 * @param {'characters' | 'words'} by a word includes the space before it; punctuation is separate
 * @returns {Bigram}
 */
export function countBigrams(text, by) {
  const found =
    by === 'words' ? (text.match(/\s?[\p{L}\p{N}'’]+|\s?[^\s\p{L}\p{N}]|\s/gu) ?? []) : [...text];
  /** @type {Map<string, number>} */
  const seen = new Map();
  for (const token of found) seen.set(token, (seen.get(token) ?? 0) + 1);
  const tokens = [...seen.keys()].sort(
    (a, b) => (seen.get(b) ?? 0) - (seen.get(a) ?? 0) || (a < b ? -1 : 1),
  );
  const ids = new Map(tokens.map((token, id) => [token, id]));
  /** @type {Map<number, number>[]} */
  const rows = tokens.map(() => new Map());
  const totals = tokens.map(() => 0);
  for (let i = 0; i + 1 < found.length; i++) {
    const from = /** @type {number} */ (ids.get(found[i]));
    const to = /** @type {number} */ (ids.get(found[i + 1]));
    rows[from].set(to, (rows[from].get(to) ?? 0) + 1);
    totals[from]++;
  }
  return { tokens, totals, rows };
}

/**
 * Returns the row of a token as logits: the logarithms of its counts, which the softmax turns into relative
 * frequencies. If nothing follows the token in the text, the counts of all tokens are used.
 * @param {Bigram} table
 * @param {number} id
 */
export function rowLogits({ tokens, totals, rows }, id) {
  if (totals[id] === 0) return totals.map((n) => (n > 0 ? Math.log(n) : -Infinity));
  return tokens.map((_, to) => {
    const n = rows[id].get(to);
    return n ? Math.log(n) : -Infinity;
  });
}
