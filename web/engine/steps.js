/**
 * What the steps of a text cost, counted by hand: multiplications of one matrix of width × width, and
 * those of attention, where each token looks at itself and at all before it.
 */

/**
 * A text of `new_tokens` after a prompt, in a model of which one matrix is counted.
 * @typedef {{ prompt_tokens: number, new_tokens: number, width: number }} Counted
 * @typedef {{ matrix: number, attention: number }} Multiplications
 */

/** The most tokens and the largest width that are counted: all sums are whole numbers up to there. */
export const COUNT_MAX = 10_000;

/**
 * The step that sees `n` tokens, of which `fresh` have not been through the model yet: each of these
 * meets the matrix once, and in attention a score and a share of each token it looks at.
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
 * All steps of a text. Without a cache every token is fresh in every step; with one, those of the
 * prompt are in the first step, and then one a step.
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
 * The power of the length by which a text's cost grows there: 1 where twice as many new tokens cost
 * twice as much, 2 where they cost four times as much.
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
