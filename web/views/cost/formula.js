/**
 * The cost of one decode step by formula, in operations (a multiplication and an addition are two) and in bytes read.
 * One part grows with the size of the model, the other (attention) with the length of the text.
 */

/**
 * @typedef {{ architecture: string, vocab_size: number, context_length: number, model_context_length: number, n_layer: number,
 *   n_head: number, n_head_kv: number, n_embd: number, parameters: number,
 *   weight_bytes: number }} Info
 * @typedef {{ matrices: number, attention: number, bytes: number }} Cost
 */

/**
 * Returns the number of weights that are multiplied for one token: all except GPT-2's table of positions. The table
 * of tokens counts, because it is the output matrix too.
 * @param {Info} info
 */
export function multiplied({ architecture, parameters, model_context_length, n_embd }) {
  return parameters - (architecture === 'gpt2' ? model_context_length * n_embd : 0);
}

/**
 * Returns the cost of a step with one new token and n tokens in all, when the cache has the keys and values of the
 * others. Operations: 2 for each weight; in every layer 2 n_embd for each attention score and for each value.
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
 * Returns the cost of the same step without a cache. All tokens pass the layers again; only the last one passes the
 * output matrix. Token i attends to i tokens.
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
 * Returns the sums over all steps of a text, with and without the cache: how many tokens passed the layers, and how
 * many operations that took.
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
