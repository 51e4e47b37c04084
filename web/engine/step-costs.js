/**
 * The cost of a text's steps by a count: multiplications of one matrix of width × width, and of
 * attention, in which each token reads itself and all earlier ones.
 */

/**
 * A text of `new_tokens` after a prompt. Only one matrix of the model is counted.
 * @typedef {{ prompt_tokens: number, new_tokens: number, width: number }} Counted
 * @typedef {{ matrix: number, attention: number }} Multiplications
 */

/** Most tokens and largest width: up to there all sums are exact integers. */
export const COUNT_MAX = 10_000;

/**
 * A step over `n` tokens; `fresh` of them are new to the model. Each new token meets the matrix
 * once; in attention it has a score and a share for each token that it reads.
 * @param {number} n
 * @param {number} fresh
 * @param {number} width
 * @returns {Multiplications}
 */
export function countStep(n, fresh, width) {
  const before = n - fresh;
  const looks = (n * (n + 1) - before * (before + 1)) / 2;
  return { matrix: fresh * width * width, attention: 2 * looks * width };
}

/**
 * All steps of a text. Without a cache every token is fresh in every step. With a cache the prompt
 * is fresh in the first step, then one token per step.
 * @param {Counted} counted
 * @param {boolean} cached
 * @returns {Multiplications}
 */
export function countText({ prompt_tokens, new_tokens, width }, cached) {
  const sum = { matrix: 0, attention: 0 };
  for (let i = 0; i < new_tokens; i++) {
    const n = prompt_tokens + i;
    const { matrix, attention } = countStep(n, cached && i > 0 ? 1 : n, width);
    sum.matrix += matrix;
    sum.attention += attention;
  }
  return sum;
}

/**
 * The local exponent of a text's cost in its length: 1 if twice as many new tokens cost twice as
 * much, 2 if they cost four times as much.
 * @param {Counted} counted
 * @param {boolean} cached
 * @returns {Multiplications}
 */
export function exponentOf(counted, cached) {
  const once = countText(counted, cached);
  const twice = countText({ ...counted, new_tokens: 2 * counted.new_tokens }, cached);
  return {
    matrix: Math.log2(twice.matrix / once.matrix),
    attention: Math.log2(twice.attention / once.attention),
  };
}
