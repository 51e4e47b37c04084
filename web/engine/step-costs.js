/**
 * Counts the multiplications in a text's steps: by one matrix of width × width, and in one attention
 * head, in which each token reads itself and all earlier tokens.
 */

/**
 * A text of `new_tokens` after a prompt. Only one matrix of the model is counted.
 * @typedef {{ prompt_tokens: number, new_tokens: number, width: number }} Counted
 * @typedef {{ matrix: number, attention: number }} Multiplications
 */

/** Largest number of tokens and largest width for which all sums are exact integers. */
export const COUNT_MAX = 10_000;

/**
 * The multiplications of a step over `n` tokens, `fresh` of which the model has not yet evaluated.
 * Each fresh token is multiplied by the matrix once. In attention it needs `width` multiplications
 * for a score and `width` for a weighted value, for each token that it reads.
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
 * The multiplications of all steps of a text. Without a cache, every token is fresh in every step.
 * With a cache, the prompt is fresh in the first step, then one token per step.
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
 * The exponent with which the cost grows if the number of new tokens doubles: 1 if the cost doubles,
 * 2 if it is four times as high.
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
