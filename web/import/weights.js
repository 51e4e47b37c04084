/**
 * Changes of tensors on their way into a GGUF file. Each function returns new weights; their values are computed on
 * demand.
 */

/** @import { Weights } from './gguf-writer.js' */
/** @typedef {Pick<Weights, 'shape' | 'values'>} Values  shape as in PyTorch, slowest dimension first */

const elementCount = (/** @type {number[]} */ shape) =>
  shape.reduce((product, n) => product * n, 1);

/** Weights that are all equal. @param {number[]} shape @param {number} value @returns {Values} */
export const filled = (shape, value) => ({
  shape,
  values: async () => new Float32Array(elementCount(shape)).fill(value),
});

/** Returns the same values with another shape. @param {Values} weights @param {number[]} shape @returns {Values} */
export const reshaped = ({ values }, shape) => ({ shape, values });

const TILE = 16;

/** @param {Values} weights a matrix @returns {Values} */
export const transposed = ({ shape: [rows, cols], values }) => ({
  shape: [cols, rows],
  async values() {
    const from = await values();
    const to = new Float32Array(from.length);
    // In tiles, so that both matrices stay in the processor's cache.
    for (let tile = 0; tile < cols; tile += TILE)
      for (let r = 0; r < rows; r++)
        for (let c = tile; c < Math.min(tile + TILE, cols); c++)
          to[c * rows + r] = from[r * cols + c];
    return to;
  },
});

/** Joins matrices by rows, or vectors by elements. @param {Values[]} parts @returns {Values} */
export const stacked = (parts) => ({
  shape: [parts.reduce((sum, { shape }) => sum + shape[0], 0), ...parts[0].shape.slice(1)],
  async values() {
    const to = new Float32Array(parts.reduce((sum, { shape }) => sum + elementCount(shape), 0));
    let at = 0;
    for (const part of parts) {
      const values = await part.values();
      to.set(values, at);
      at += values.length;
    }
    return to;
  },
});

/**
 * Changes the order of a matrix's rows, or of a vector's elements.
 * @param {Values} weights
 * @param {(row: number) => number} from the old row of a new one
 * @returns {Values}
 */
export const reordered = ({ shape, values }, from) => ({
  shape,
  async values() {
    const old = await values();
    const to = new Float32Array(old.length);
    const size = elementCount(shape.slice(1));
    for (let r = 0; r < shape[0]; r++) {
      const at = from(r) * size;
      to.set(old.subarray(at, at + size), r * size);
    }
    return to;
  },
});

/**
 * Changes values row by row; `change` gets a copy of each row and writes into it.
 * @param {Values} weights
 * @param {(row: Float32Array) => void} change
 * @returns {Values}
 */
export const changed = ({ shape, values }, change) => ({
  shape,
  async values() {
    const to = Float32Array.from(await values());
    const size = shape[shape.length - 1];
    for (let at = 0; at < to.length; at += size) change(to.subarray(at, at + size));
    return to;
  },
});

/** Adds 1 to each weight of a norm: Gemma's checkpoints store the weight minus 1. @param {Values} weights */
export const plusOne = (weights) =>
  changed(weights, (row) => {
    for (let i = 0; i < row.length; i++) row[i] += 1;
  });

/**
 * Reorders the rows of q or k for RoPE. transformers rotates elements i and i + size / 2 of a head together; llama's
 * GGUF files rotate 2i and 2i + 1.
 * @param {Values} weights of q or k
 * @param {number} size of a head
 */
export const interleaved = (weights, size) =>
  reordered(weights, (row) => {
    const i = row % size;
    return row - i + (i >> 1) + (i % 2) * (size / 2);
  });

/**
 * Swaps the two halves of each head, so that RoPE rotates in the other direction.
 * @param {Values} weights @param {number} size of a head
 */
export const halvesSwapped = (weights, size) =>
  reordered(weights, (row) => row + (row % size < size / 2 ? size / 2 : -size / 2));

/**
 * Reorders rows: GPT-NeoX stores q, k and v of one head side by side, GGUF all of q, then all of k, then all of v.
 * @param {Values} weights
 * @param {number} size of a head
 */
export const unmixed = (weights, size) => {
  const third = weights.shape[0] / 3;
  return reordered(weights, (row) => {
    const part = Math.floor(row / third);
    const inPart = row % third;
    return Math.floor(inPart / size) * 3 * size + part * size + (inPart % size);
  });
};

/** Divides each row by its root mean square. @param {Values} weights @param {number} eps */
export const normed = (weights, eps) =>
  changed(weights, (row) => {
    let sum = 0;
    for (const x of row) sum += x * x;
    const root = Math.sqrt(sum / row.length + eps);
    for (let i = 0; i < row.length; i++) row[i] /= root;
  });
