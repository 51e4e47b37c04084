/**
 * The table of layouts of checkpoints. A layout recognises a model by the names and shapes of its tensors, and names
 * the source of every tensor of the GGUF file. A tensor that the layout does not use is refused by its name.
 */
import { LogitscopeError } from '../engine/errors.js';
import { COURSES } from './courses.js';
import { HUB } from './hub.js';
import { Source } from './source.js';

/** @import { Metadata, MetadataValue, Weights } from './gguf-writer.js' */

/**
 * @typedef {number | [number] | string | boolean | { type: 'array', of: 'int32', value: number[] }} Key  a whole number; in
 *   brackets a real number
 * @typedef {{ architecture: string, keys: Record<string, Key>, tensors: Weights[] }} Plan
 * @typedef {object} Layout
 * @property {string} name
 * @property {string} vocabulary the file that has the tokens
 * @property {(source: Source) => boolean | Promise<boolean>} is
 * @property {(source: Source) => Plan | Promise<Plan>} plan
 */

/** @type {Layout[]} */
const LAYOUTS = [...COURSES, ...HUB];

/** @param {Key} key @returns {MetadataValue} */
function valueOf(key) {
  if (typeof key === 'number') return { type: 'uint32', value: key };
  return Array.isArray(key) ? { type: 'float32', value: key[0] } : key;
}

/**
 * Finds the layout of a checkpoint and plans its conversion to GGUF.
 * @param {ConstructorParameters<typeof Source>[0]} checkpoint
 * @param {{ json?: Record<string, unknown> | null, assume?: Record<string, unknown>,
 *   files?: { checkpoint?: string, json?: string } }} [parts] json: the contents of
 *   config.json; assume: values that the user states; files: the names of the checkpoint and of config.json, for
 * errors
 */
export async function recogniseLayout(checkpoint, { json = null, assume = {}, files } = {}) {
  const source = new Source(checkpoint, json, assume, files);
  for (const layout of LAYOUTS) {
    if (!(await layout.is(source))) continue;
    const { architecture, keys, tensors } = await layout.plan(source);
    source.checkAllUsed(layout.name);
    /** @type {Metadata} */
    const metadata = { 'general.architecture': architecture };
    for (const [key, value] of Object.entries(keys))
      metadata[`${architecture}.${key}`] = valueOf(value);
    const rows = tensors.find(({ name }) => name === 'token_embd.weight')?.shape[0] ?? 0;
    return { layout, architecture, metadata, tensors, rows, notes: source.notes };
  }
  const names = source.names.slice(0, 4).join(', ');
  const known = LAYOUTS.map(({ name }) => name).join(', ');
  throw new LogitscopeError('unsupported', 'layout_unknown', { names, known });
}
