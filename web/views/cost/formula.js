/**
 * What one decode step costs by the formula: operations (a multiplication and an addition are two)
 * and bytes read. The matrix term grows with the model, the attention term with the text.
 */

/**
 * @typedef {{ architecture: string, vocab_size: number, context_length: number, model_context_length: number, n_layer: number,
 *   n_head: number, n_head_kv: number, n_embd: number, parameters: number,
 *   weight_bytes: number }} Info
 * @typedef {{ matrices: number, attention: number, bytes: number }} Cost
 */

/**
 * The weights that a token is multiplied with: all but GPT-2's table of positions, which is only
 * looked up. The token table is multiplied too, since it is the head.
 * @param {Info} info
 */
export function multiplied({ architecture, parameters, model_context_length, n_embd }) {
  return parameters - (architecture === 'gpt2' ? model_context_length * n_embd : 0);
}

/**
 * The step that sees `n` tokens, the new one among them, with the keys and values of the others
 * kept: 2 operations a weight; 2 n_embd for each score and as many for each mixed value, in every
 * layer.
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
 * The same step with nothing kept: every token goes through the blocks again, the head is for the
 * last alone, and token i attends to i tokens.
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
 * All steps of a text of `drawn` tokens after a prompt: how many tokens went through the blocks,
 * and the operations that took.
 * @param {Info} info
 * @param {number} prompt
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
