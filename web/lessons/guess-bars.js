/** A learner's guess of a distribution, and its distance from the real one. */

/**
 * Changes one probability of a guess. The others keep their ratios, and all add up to 1.
 * @param {number[]} shares from 0 to 1, with sum 1
 * @param {number} at
 * @param {number} value the new share, from 0 to 1
 */
export function withShare(shares, at, value) {
  const others = shares.reduce((sum, share, i) => (i === at ? sum : sum + share), 0);
  const left = 1 - value;
  return shares.map((share, i) => {
    if (i === at) return value;
    return others > 0 ? (share / others) * left : left / (shares.length - 1);
  });
}

/** Returns the total variation distance of two distributions, 0 to 1. @param {number[]} a @param {number[]} b */
export function distanceOf(a, b) {
  return a.reduce((sum, share, i) => sum + Math.abs(share - b[i]), 0) / 2;
}

/** Most tokens of a guess, unless the lesson names them. */
const MOST = 6;

/**
 * Returns the texts of the tokens that a learner guesses.
 * @param {import('../engine/types.js').Trace} trace
 * @param {string[]} [named] by the lesson
 */
export function guessedTokens(trace, named) {
  return named ?? trace.tokens.slice(0, MOST).map(({ text }) => text);
}

/**
 * Returns the real probabilities of some tokens; the last number is for all others.
 * @param {import('../engine/types.js').Trace} trace
 * @param {string[]} texts
 * @returns {number[]}
 */
export function sharesOf(trace, texts) {
  const shares = texts.map((text) => {
    const exact = trace.tokens.find((token) => token.text === text);
    const found = exact ?? trace.tokens.find((token) => token.text.trim() === text.trim());
    return found?.p ?? 0;
  });
  return [...shares, Math.max(0, 1 - shares.reduce((sum, share) => sum + share, 0))];
}
