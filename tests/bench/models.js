/**
 * Writes the bench's GGUF files to build/bench/. The weights are seeded random numbers, written in chunks, so a model
 * may be larger than memory. As a program it writes all files: node tests/bench/models.js
 */
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encodeValues, layoutGguf } from '../fixtures/gguf_writer.js';
import { gpt2Vocabulary, llamaVocabulary } from '../fixtures/vocabularies.js';
import { shapes, tensorsOf } from './shapes.js';

/** @typedef {import('./shapes.js').Shape} Shape */
/** @typedef {'f32' | 'q8_0'} Format */

export const folder = fileURLToPath(new URL('../../build/bench/', import.meta.url));
/** @type {Format[]} */
export const formats = ['f32', 'q8_0'];
const CHUNK = 1 << 18;

/** Numbers of a uniform distribution with mean 0 and deviation 1, from xorshift32: only their spread matters. */
class Noise {
  #state = 2463534242;

  /** @param {Float32Array} out @param {number} scale @param {number} mean */
  fill(out, scale, mean) {
    const factor = (scale * Math.sqrt(3)) / 2 ** 31;
    let x = this.#state;
    for (let i = 0; i < out.length; i++) {
      x ^= x << 13;
      x ^= x >>> 17;
      x ^= x << 5;
      out[i] = x * factor + mean;
    }
    this.#state = x;
  }
}

/**
 * Chooses types as llama.cpp does: matrices are quantised, position embeddings are not, and matrices with rows of
 * partial blocks are F16.
 * @param {Format} format
 * @param {{ name: string, shape: number[] }} tensor
 */
function typeOf(format, { name, shape }) {
  if (format === 'f32' || shape.length === 1 || name === 'position_embd.weight') return 'F32';
  return shape[0] % 32 ? 'F16' : 'Q8_0';
}

/** @param {Shape} shape @param {Format} format */
function metadataOf(shape, format) {
  const { architecture, n_embd, n_head } = shape;
  const u32 = (/** @type {number} */ value) => ({ type: 'uint32', value });
  const f32 = (/** @type {number} */ value) => ({ type: 'float32', value });
  const own = {
    context_length: u32(shape.context_length),
    embedding_length: u32(n_embd),
    block_count: u32(shape.n_layer),
    feed_forward_length: u32(shape.n_ff),
    'attention.head_count': u32(n_head),
    ...(architecture === 'gpt2'
      ? { 'attention.layer_norm_epsilon': f32(1e-5) }
      : {
          'attention.head_count_kv': u32(shape.n_head_kv),
          'attention.layer_norm_rms_epsilon': f32(1e-5),
          'rope.dimension_count': u32(n_embd / n_head),
        }),
  };
  return {
    'general.architecture': architecture,
    'general.name': `random ${shape.name}`,
    'general.file_type': u32(format === 'f32' ? 0 : 7),
    ...Object.fromEntries(
      Object.entries(own).map(([key, value]) => [`${architecture}.${key}`, value]),
    ),
    ...(architecture === 'gpt2' ? gpt2Vocabulary() : llamaVocabulary(shape.vocab_size)),
  };
}

/** @param {string} path @param {Shape} shape @param {Format} format */
function write(path, shape, format) {
  const tensors = tensorsOf(shape).map((tensor) => ({ ...tensor, type: typeOf(format, tensor) }));
  const { head, offsets, size } = layoutGguf({ metadata: metadataOf(shape, format), tensors });
  const file = openSync(path, 'w');
  const noise = new Noise();
  writeSync(file, head, 0, head.length, 0);
  tensors.forEach(({ shape: sizes, scale, mean = 0, type }, i) => {
    let at = offsets[i];
    for (let left = sizes.reduce((a, b) => a * b, 1); left > 0; left -= CHUNK) {
      const values = new Float32Array(Math.min(left, CHUNK));
      noise.fill(values, scale, mean);
      const bytes = encodeValues(type, values);
      at += writeSync(file, bytes, 0, bytes.length, at);
    }
  });
  ftruncateSync(file, size);
  closeSync(file);
}

/**
 * Returns the path of a shape's file; writes the file if it is missing.
 * @param {Shape} shape
 * @param {Format} format
 * @returns {string}
 */
export function modelFile(shape, format) {
  const path = `${folder}${shape.name}.${format}.gguf`;
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  write(`${path}.part`, shape, format);
  renameSync(`${path}.part`, path);
  return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const shape of shapes) {
    for (const format of formats) process.stdout.write(`${modelFile(shape, format)}\n`);
  }
}
