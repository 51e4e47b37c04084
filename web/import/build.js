/** Makes the tensors of a GGUF file from a checkpoint. A recipe names the source of each tensor. */
import { LogitscopeError } from '../engine/errors.js';
import { filled, stacked } from './weights.js';

/** @import { Source } from './source.js' */
/** @import { Values } from './weights.js' */
/** @import { Weights } from './gguf-writer.js' */

/**
 * @typedef {string | string[]} Modules  the name of the module that has a tensor, or of several modules whose rows
 *   are joined. # stands for the number of a layer, @ for the number of an attention head
 * @typedef {Record<string, Modules>} Parts  modules by the tensor's name in GGUF, such as attn_qkv. A name with #
 *   gives one tensor for each layer
 * @typedef {object} Recipe
 * @property {Parts} parts
 * @property {Record<string, (values: Values, kind: 'weight' | 'bias') => Values>} [by] a function for each part whose
 *   values must change, such as a transposition
 * @property {string[]} [optional] parts that a layer or model may lack
 * @property {string[]} [biased] parts that need a bias: zeros if the checkpoint has none
 */

/** @param {Modules} modules */
export const listOf = (modules) => (Array.isArray(modules) ? modules : [modules]);

/**
 * Counts the layers of a checkpoint: the numbers i = 0, 1, 2 … for which `modules` has a weight.
 * @param {Source} source @param {Modules} modules
 */
export function countLayers(source, modules) {
  const [stem] = listOf(modules);
  let n = 0;
  while (source.find(stem.replace('#', String(n)), 'weight') !== null) n++;
  return n;
}

/**
 * Takes the weight or bias of a module, or null if the module has none. A list of modules, or of attention heads (@),
 * gives their rows in one tensor.
 * @param {Source} source
 * @param {Modules} modules
 * @param {'weight' | 'bias'} kind
 * @returns {Values | null}
 */
function takePart(source, modules, kind) {
  const names = [];
  for (const stem of listOf(modules)) {
    const heads = stem.includes('@') ? source.count(`${stem}.weight`, '@') : 1;
    for (let h = 0; h < heads; h++) names.push(source.find(stem.replace('@', String(h)), kind));
  }
  const found = names.filter((name) => name !== null);
  if (found.length === 0) return null;
  const missing = names.indexOf(null);
  if (missing >= 0) {
    const name = listOf(modules)[missing] ?? listOf(modules)[0];
    throw new LogitscopeError('bad_file', 'tensor_missing', { name: `${name}.${kind}` });
  }
  const values = found.map((name) => checkShape(name, source.take(name)));
  const [{ shape }] = values;
  for (const [i, other] of values.entries())
    if (other.shape.slice(1).join() !== shape.slice(1).join()) throw shapeError(found[i], other);
  return values.length > 1 ? stacked(values) : values[0];
}

/** @param {string} name @param {Values} values */
const shapeError = (name, { shape }) =>
  new LogitscopeError('bad_file', 'layout_shape', { name, shape: `(${shape.join(', ')})` });

/** @param {string} name @param {Values} values */
function checkShape(name, values) {
  const { shape } = values;
  if (shape.length < 1 || shape.length > 3 || shape.includes(0)) throw shapeError(name, values);
  return values;
}

/**
 * Returns every tensor of the model under its name in GGUF.
 * @param {Source} source
 * @param {number} n_layer
 * @param {Recipe} recipe
 * @returns {Weights[]}
 */
export function buildTensors(source, n_layer, { parts, by = {}, optional = [], biased = [] }) {
  /** @type {Weights[]} */
  const tensors = [];
  for (const [part, modules] of Object.entries(parts)) {
    const each = listOf(modules)[0].includes('#');
    for (let i = 0; i < (each ? n_layer : 1); i++) {
      const here = listOf(modules).map((stem) => stem.replace('#', String(i)));
      const name = each ? `blk.${i}.${part}` : part;
      const change = by[part] ?? ((/** @type {Values} */ values) => values);
      const weight = takePart(source, here, 'weight');
      if (!weight && optional.includes(part)) continue;
      if (!weight)
        throw new LogitscopeError('bad_file', 'tensor_missing', { name: `${here[0]}.weight` });
      const changed = change(weight, 'weight');
      tensors.push({ name: `${name}.weight`, ...changed });
      const bias = takePart(source, here, 'bias');
      if (bias) tensors.push({ name: `${name}.bias`, ...change(bias, 'bias') });
      else if (biased.includes(part))
        tensors.push({ name: `${name}.bias`, ...filled([changed.shape[0]], 0) });
    }
  }
  return tensors;
}
