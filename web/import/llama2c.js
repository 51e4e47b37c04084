/**
 * Reads the .bin files of llama2.c, version 0: seven integers, then the float32 weights in a fixed order. The tensors
 * get the names that they have in Llama's checkpoints.
 */
import { viewOf } from './byte-file.js';
import { sourceTensor } from './tensor.js';

/** @import { ByteFile } from './byte-file.js' */
/** @import { Checkpoint } from './checkpoint.js' */

/**
 * @typedef {object} Header
 * @property {number} dim
 * @property {number} hidden_dim
 * @property {number} n_layers
 * @property {number} n_heads
 * @property {number} n_kv_heads
 * @property {number} vocab_size
 * @property {number} max_seq_len
 * @property {boolean} tied true if the head is the embedding
 */

export const HEADER_BYTES = 28;
/**
 * Upper limits for the seven integers. The file has no magic number, so plausible integers and the length tell the
 * format.
 */
const MOST = { dim: 1 << 16, layers: 1024, vocab: 1 << 20, context: 1 << 20 };

/** @param {Uint8Array} bytes @returns {Header | null} null if the bytes are no plausible header */
function headerOf(bytes) {
  if (bytes.length < HEADER_BYTES) return null;
  const view = viewOf(bytes);
  const [dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab, max_seq_len] = Array.from(
    { length: 7 },
    (_, i) => view.getInt32(4 * i, true),
  );
  const vocab_size = Math.abs(vocab);
  const within = (/** @type {number} */ n, /** @type {number} */ most) => n > 0 && n <= most;
  const plausible =
    within(dim, MOST.dim) &&
    within(hidden_dim, 8 * MOST.dim) &&
    within(n_layers, MOST.layers) &&
    within(n_heads, dim) &&
    within(n_kv_heads, n_heads) &&
    within(vocab_size, MOST.vocab) &&
    within(max_seq_len, MOST.context) &&
    dim % n_heads === 0 &&
    n_heads % n_kv_heads === 0;
  const tied = vocab > 0;
  return plausible
    ? { dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size, max_seq_len, tied }
    : null;
}

/**
 * Lists the parts of the file in their order, each with name and shape. A name with LAYER is one tensor for each
 * layer. The part without a name is the table of RoPE's rotations; it is skipped, because the engine computes them.
 * @param {Header} header
 * @returns {[string | null, number[]][]}
 */
function partsOf({ dim, hidden_dim, n_heads, n_kv_heads, vocab_size, max_seq_len, tied }) {
  const kv = (dim / n_heads) * n_kv_heads;
  const layer = (/** @type {string} */ name) => `layers.LAYER.${name}.weight`;
  /** @type {[string | null, number[]][]} */
  const parts = [
    ['tok_embeddings.weight', [vocab_size, dim]],
    [layer('attention_norm'), [dim]],
    [layer('attention.wq'), [dim, dim]],
    [layer('attention.wk'), [kv, dim]],
    [layer('attention.wv'), [kv, dim]],
    [layer('attention.wo'), [dim, dim]],
    [layer('ffn_norm'), [dim]],
    [layer('feed_forward.w1'), [hidden_dim, dim]],
    [layer('feed_forward.w2'), [dim, hidden_dim]],
    [layer('feed_forward.w3'), [hidden_dim, dim]],
    ['norm.weight', [dim]],
    [null, [max_seq_len, dim / n_heads]],
  ];
  if (!tied) parts.push(['output.weight', [vocab_size, dim]]);
  return parts;
}

/** @param {number[]} shape */
const elementCount = (shape) => shape.reduce((product, n) => product * n, 1);

/**
 * Returns the tensors with their positions in the file, and the length that the file must have.
 * @param {Header} header
 */
function layOut(header) {
  /** @type {{ name: string, shape: number[], at: number }[]} */
  const tensors = [];
  let at = HEADER_BYTES;
  for (const [name, shape] of partsOf(header)) {
    for (let i = 0; i < (name?.includes('LAYER') ? header.n_layers : 1); i++) {
      if (name) tensors.push({ name: name.replace('LAYER', String(i)), shape, at });
      at += 4 * elementCount(shape);
    }
  }
  return { tensors, size: at };
}

/** @param {Uint8Array} bytes the first bytes of a file @param {number} size of the file */
export function isLlama2c(bytes, size) {
  const header = headerOf(bytes);
  return header !== null && layOut(header).size === size;
}

/** @param {ByteFile} file of which isLlama2c is true @returns {Promise<Checkpoint>} */
export async function readLlama2c(file) {
  const header = /** @type {Header} */ (headerOf(await file.read(0, HEADER_BYTES)));
  const tensors = new Map();
  for (const { name, shape, at } of layOut(header).tensors) {
    const bytes = (/** @type {number} */ from, /** @type {number} */ to) =>
      file.read(at + from, at + to);
    const place = { file: file.name, name, type: 'F32', shape, length: elementCount(shape), bytes };
    tensors.set(name, sourceTensor(place));
  }
  return { tensors, config: { ...header } };
}
