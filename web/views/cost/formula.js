/**
 * The cost of one decode step by formula: operations (a multiplication and an addition are two) and bytes
 * read. The matrix term grows with the model, the attention term grows with the text.
 */

/**
 * @typedef {{ architecture: string, vocab_size: number, context_length: number, model_context_length: number, n_layer: number,
 *   n_head: number, n_head_kv: number, n_embd: number, parameters: number,
 *   weight_bytes: number }} Info
 * @typedef {{ matrices: number, attention: number, bytes: number }} Cost
 */

/**
 * Returns the number of weights that a token is multiplied with: all except GPT-2's position table. The
 * token table is also the head, so it counts.
 * @param {Info} info
 */
export function multiplied({ architecture, parameters, model_context_length, n_embd }) {
  return parameters - (architecture === 'gpt2' ? model_context_length * n_embd : 0);
}

/**
 * Returns the cost of a step with one new token and n tokens in all. The cache has the keys and values of
 * the other tokens. Operations: 2 per weight; in every layer 2 n_embd per score and per mixed value.
 * @param {Info} info
 * @param {number} n
 * @returns {Cost}
 */
export function withCache(info, n) {
  const { n_layer, n_embd, n_head, n_head_kv, weight_bytes } = info;
  return {
    matrices: 2 * multiplied(info),
    attention: 4 * n * n_embd * n_layer,
    bytes: weight_bytes + (8 * n * n_layer * n_embd * n_head_kv) / n_head,
  };
}

/**
 * Returns the cost of an equal step without a cache. Every token passes the blocks again, but only the
 * last token passes the head. Token i attends to i tokens.
 * @param {Info} info
 * @param {number} n
 * @returns {Cost}
 */
export function withoutCache(info, n) {
  const { vocab_size, n_layer, n_embd, weight_bytes } = info;
  const head = 2 * vocab_size * n_embd;
  return {
    matrices: n * (2 * multiplied(info) - head) + head,
    attention: 2 * n * (n + 1) * n_embd * n_layer,
    bytes: weight_bytes,
  };
}

/** @param {Cost} cost */
export function operations({ matrices, attention }) {
  return matrices + attention;
}

/**
 * Returns the total of all steps that draw `drawn` tokens after a prompt: the tokens that passed the
 * blocks, and their operations.
 * @param {Info} info
 * @param {number} prompt in tokens
 * @param {number} drawn
 */
export function wholeText(info, prompt, drawn) {
  const sums = { kept: { tokens: 0, operations: 0 }, again: { tokens: 0, operations: 0 } };
  for (let i = 0; i < drawn; i++) {
    const n = Math.min(prompt + i, info.context_length);
    const again = operations(withoutCache(info, n));
    sums.again.tokens += n;
    sums.again.operations += again;
    sums.kept.tokens += i === 0 ? n : 1;
    sums.kept.operations += i === 0 ? again : operations(withCache(info, n));
  }
  return sums;
}
