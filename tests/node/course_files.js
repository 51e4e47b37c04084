/**
 * Writes GGUF files of the architectures that only a conversion makes: random checkpoints of courses as F32 and Q8_0. Their
 * vocabularies can encode the digest's prompt. Paths are relative to the repository's root.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ofBytes } from '../../web/import/byte-file.js';
import { convert } from '../../web/import/convert.js';
import { floats, safetensors } from '../fixtures/checkpoint_writer.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = 'build/fixtures';
const TOKENS = [...'Tomrw she', ...'ABCDEFGHIJKLMNOPQRS'];
const V = TOKENS.length;
const C = 64;
const LAYERS = [0, 1];

/** Shapes by name of a module with weight and bias. @param {string} name @param {number[]} shape */
const biased = (name, ...shape) => ({ [`${name}.weight`]: shape, [`${name}.bias`]: [shape[0]] });
/** @param {(i: number) => Record<string, number[]>} layer */
const each = (layer) => Object.assign({}, ...LAYERS.map(layer));

/** The shapes of each checkpoint, and its configuration. @type {Record<string, [Record<string, number[]>, any]>} */
const COURSES = {
  nanogpt: [
    {
      'wte.weight': [V, C],
      'wpe.weight': [32, C],
      ...each((i) => ({
        [`h.${i}.ln_1.weight`]: [C],
        [`h.${i}.attn.c_attn.weight`]: [3 * C, C],
        [`h.${i}.attn.c_proj.weight`]: [C, C],
        [`h.${i}.ln_2.weight`]: [C],
        [`h.${i}.mlp.c_fc.weight`]: [4 * C, C],
        [`h.${i}.mlp.c_proj.weight`]: [C, 4 * C],
      })),
      'ln_f.weight': [C],
    },
    { n_head: 2 },
  ],
  lecture: [
    {
      'token_embedding_table.weight': [V, C],
      'position_embedding_table.weight': [32, C],
      ...each((i) => ({
        ...Object.assign(
          {},
          ...['query', 'key', 'value'].flatMap((part) =>
            [0, 1].map((h) => ({ [`blocks.${i}.sa.heads.${h}.${part}.weight`]: [C / 2, C] })),
          ),
        ),
        ...biased(`blocks.${i}.sa.proj`, C, C),
        ...biased(`blocks.${i}.ln1`, C),
        ...biased(`blocks.${i}.ln2`, C),
        ...biased(`blocks.${i}.ffwd.net.0`, 4 * C, C),
        ...biased(`blocks.${i}.ffwd.net.2`, C, 4 * C),
      })),
      ...biased('ln_f', C),
      ...biased('lm_head', V, C),
    },
    { n_head: 2, attention_scale: 'embedding' },
  ],
  nanochat: [
    {
      'wte.weight': [V, C],
      ...each((i) => ({
        [`h.${i}.attn.c_q.weight`]: [C, C],
        [`h.${i}.attn.c_k.weight`]: [C / 2, C],
        [`h.${i}.attn.c_v.weight`]: [C / 2, C],
        [`h.${i}.attn.c_proj.weight`]: [C, C],
        [`h.${i}.mlp.c_fc.weight`]: [4 * C, C],
        [`h.${i}.mlp.c_proj.weight`]: [C, 4 * C],
      })),
      'lm_head.weight': [V, C],
    },
    { n_head: 2, sequence_len: 32 },
  ],
  bigram: [{ 'token_embedding_table.weight': [V, V] }, { n_head: 1 }],
};

/** @param {Record<string, number[]>} shapes */
function checkpointOf(shapes) {
  let state = 7;
  let at = 0;
  const parts = [];
  /** @type {Record<string, any>} */
  const header = {};
  for (const [name, shape] of Object.entries(shapes)) {
    const n = shape.reduce((a, b) => a * b, 1);
    const wide = /embed|wte|wpe/.test(name) ? 1 : 1.5 / Math.sqrt(shape[1] ?? 9);
    const values = Float32Array.from({ length: n }, () => {
      state = (state * 48271) % 2147483647;
      return (state / 2147483647 - 0.5) * 2 * wide + (/(ln_?.|ln_f).weight/.test(name) ? 1 : 0);
    });
    header[name] = { dtype: 'F32', shape, data_offsets: [at, (at += 4 * n)] };
    parts.push(floats(values));
  }
  return safetensors(header, new Uint8Array(Buffer.concat(parts)));
}

/** @param {string} name @param {'f32' | 'q8_0'} type */
async function write(name, type) {
  const [shapes, config] = COURSES[name];
  const json = (/** @type {any} */ value) => new TextEncoder().encode(JSON.stringify(value));
  const files = [ofBytes(checkpointOf(shapes), `${name}.safetensors`)];
  if (name !== 'bigram') files.push(ofBytes(json(config), 'config.json'));
  const vocabulary = [ofBytes(json(TOKENS), 'tokens.json')];
  const { chunks } = await convert(files, { type, vocabulary });
  const parts = [];
  for await (const chunk of chunks) parts.push(chunk);
  const path = `${folder}/${name}_${type}.gguf`;
  mkdirSync(`${root}${folder}`, { recursive: true });
  writeFileSync(`${root}${path}`, Buffer.concat(parts));
  return path;
}

export const courseFiles = await Promise.all(
  ['lecture', 'nanochat', 'nanogpt', 'bigram'].flatMap((name) => [
    write(name, 'q8_0'),
    write(name, 'f32'),
  ]),
);
