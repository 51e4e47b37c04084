/**
 * The checkpoint that a layout reads: its configuration, and its tensors by name. It notes which tensors have been
 * used.
 */
import { LogitscopeError, show } from '../engine/errors.js';

/** @import { Values } from './weights.js' */

/**
 * @typedef {{ shape: number[], read: () => Promise<Float32Array> }} SourceTensor
 * @typedef {Record<string, unknown>} Config
 */

/** Prefixes that DataParallel, torch.compile and Lightning put before the name of each tensor. */
const WRAPPERS = /^((module|_orig_mod|_forward_module)\.)+/;
/** Keys under which training scripts save their configuration in a dict with other values. */
const NESTED = [
  'config',
  'hyper_parameters',
  'hyperparameters',
  'args',
  'model_config',
  'model',
  'model_args',
];
/** Endings of a tensor's name after the name of its module. */
const KINDS = { weight: ['.weight', '.scale', ''], bias: ['.bias', '.shift'] };

/** @param {unknown} value @returns {value is Config} */
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * Copies the values of nested configurations to the top level. If a key occurs twice, the later value counts.
 * @param {Config} config
 * @returns {Config}
 */
const withoutNesting = (config) =>
  Object.assign({}, config, ...NESTED.map((name) => config[name]).filter(isObject));

/** Values that a user may state, each with the keys that configurations use for it. */
const STATED = /** @type {Record<string, string[]>} */ ({
  n_head: ['n_head', 'n_heads', 'num_attention_heads'],
  activation: ['activation', 'activation_function', 'hidden_activation', 'hidden_act'],
  attention_scale: ['attention_scale'],
});
/** GPT-2's names for the activation gelu_pytorch_tanh. */
const TANH = /^gelu_(new|fast)$/;

/**
 * Returns a configuration's value for one of the names in STATED.
 * @param {Config} config
 * @param {string} name
 */
function statedIn(config, name) {
  const key = STATED[name].find((each) => config[each] !== undefined && config[each] !== null);
  const value = key && config[key];
  return typeof value === 'string' ? value.replace(TANH, 'gelu_pytorch_tanh') : value;
}

/**
 * Refuses a value that differs from the value in a file.
 * @param {string} name
 * @param {unknown} value of the file
 * @param {string} file
 * @param {unknown} given
 */
function checkEqual(name, value, file, given) {
  if (value === given) return;
  const values = { name, value: String(value), file, given: String(given) };
  throw new LogitscopeError('bad_file', 'layout_differs', values);
}

export class Source {
  /** @type {Map<string, SourceTensor>} */
  #tensors = new Map();
  #hasJson;
  /** @type {Set<string>} */
  #used = new Set();
  /** The name of the checkpoint, for errors. */
  #file;
  /** Names of values that only the user states and no layout has read. @type {Set<string>} */
  #unread = new Set();
  /** Assumptions of the conversion, to show to the user. @type {import('../engine/errors.js').Phrase[]} */
  notes = [];

  /**
   * @param {{ tensors: Map<string, SourceTensor>, config: Config }} checkpoint
   * @param {Config | null} json the contents of config.json
   * @param {Config} assumed values that the user states
   * @param {{ checkpoint?: string, json?: string }} [files] their names, for errors
   */
  constructor({ tensors, config }, json, assumed, files = {}) {
    for (const [name, tensor] of tensors) this.#tensors.set(name.replace(WRAPPERS, ''), tensor);
    this.#hasJson = json !== null;
    /** @type {Config} */
    this.config = { ...withoutNesting(config), ...(json && withoutNesting(json)), ...assumed };
    this.#file = files.checkpoint ?? 'ckpt.pt';
    const layers = /** @type {[string, Config][]} */ ([
      [this.#file, withoutNesting(config)],
      [files.json ?? 'config.json', withoutNesting(json ?? {})],
      ['', assumed],
    ]);
    for (const name of Object.keys(STATED)) this.#checkAgreement(name, layers);
  }

  /**
   * Refuses configurations that state different values.
   * @param {string} name in STATED
   * @param {[string, Config][]} layers configurations by the names of their files
   */
  #checkAgreement(name, layers) {
    const stated = layers
      .map(([file, config]) => ({ file, value: statedIn(config, name) }))
      .filter(({ value }) => value !== undefined);
    for (const { value } of stated.slice(1))
      checkEqual(name, stated[0].value, stated[0].file, value);
    if (stated[0]?.file === '') this.#unread.add(name);
  }

  /**
   * Returns `n_head`, the number of attention heads that the tensors or the model's name show. Refuses a
   * configuration with another number.
   * @param {number} n_head
   * @param {string} [file] the one that shows it
   */
  heads(n_head, file = this.#file) {
    checkEqual('n_head', n_head, file, this.value(STATED.n_head, n_head));
    return n_head;
  }

  get names() {
    return [...this.#tensors.keys()];
  }

  /** Removes a prefix from the names of tensors. @param {string} prefix */
  unwrap(prefix) {
    for (const [name, tensor] of this.#tensors)
      if (name.startsWith(prefix)) {
        this.#tensors.delete(name);
        this.#tensors.set(name.slice(prefix.length), tensor);
      }
  }

  /** @param {string} name */
  has(name) {
    return this.#tensors.has(name);
  }

  /**
   * Counts the tensors named by the pattern with 0, 1, 2 … in place of the sign.
   * @param {string} pattern @param {string} [sign]
   */
  count(pattern, sign = '#') {
    let n = 0;
    while (this.has(pattern.replace(sign, String(n)))) n++;
    return n;
  }

  /** @param {string} name @returns {number[]} */
  shape(name) {
    return this.#findTensor(name).shape;
  }

  /** @param {string} name */
  #findTensor(name) {
    const tensor = this.#tensors.get(name);
    if (!tensor) throw new LogitscopeError('bad_file', 'tensor_missing', { name });
    return tensor;
  }

  /** Returns the weights of a tensor and marks it as used. @param {string} name @returns {Values} */
  take(name) {
    const tensor = this.#findTensor(name);
    this.#used.add(name);
    return { shape: tensor.shape, values: () => tensor.read() };
  }

  /**
   * Returns the full name of a module's weight or bias; null if there is none.
   * @param {string} stem
   * @param {keyof typeof KINDS} kind
   */
  find(stem, kind) {
    return KINDS[kind].map((suffix) => stem + suffix).find((name) => this.has(name)) ?? null;
  }

  /** Marks tensors without weights as used, so that checkAllUsed accepts them. @param {RegExp} pattern */
  drop(pattern) {
    for (const name of this.#tensors.keys()) if (pattern.test(name)) this.#used.add(name);
  }

  /**
   * Refuses a tensor that the layout has not used, and a value of the user that it has not read.
   * @param {string} layout
   */
  checkAllUsed(layout) {
    const [setting] = this.#unread;
    if (setting !== undefined)
      throw new LogitscopeError('unsupported', 'layout_unread', { layout, name: setting });
    const name = this.names.find((each) => !this.#used.has(each));
    if (name !== undefined)
      throw new LogitscopeError('unsupported', 'layout_left', { layout, name });
  }

  /**
   * Returns the configuration's first value among the named keys, or the default.
   * @param {string[]} names
   * @param {any} [fallback]
   * @returns {any}
   */
  value(names, fallback) {
    for (const name of names) {
      const value = this.config[name];
      this.#unread.delete(name);
      if (value !== undefined && value !== null) return value;
    }
    return fallback;
  }

  /**
   * Returns a positive number of the configuration. If it is missing, the error names the key to state.
   * @param {string[]} names the first is the name in errors
   * @param {string} where the file that has it
   * @param {number} [fallback]
   * @returns {number}
   */
  number(names, where, fallback) {
    const value = this.value(names, fallback);
    if (value === undefined)
      throw new LogitscopeError('incomplete', 'layout_unstated', { name: names[0], where });
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value;
    throw new LogitscopeError('bad_file', 'layout_value', { name: names[0], value: show(value) });
  }

  /**
   * Returns true if the first tensor is missing or has the same values as the second. Checkpoints may save a tied
   * output matrix twice.
   * @param {string} name
   * @param {string} other
   */
  async areEqual(name, other) {
    if (!this.has(name)) return true;
    const [a, b] = [this.#findTensor(name), this.#findTensor(other)];
    if (a.shape.join() !== b.shape.join()) return false;
    const [x, y] = [await a.read(), await b.read()];
    return x.every((value, i) => value === y[i]);
  }

  /** Refuses a model without its config.json. */
  needJson() {
    if (!this.#hasJson) throw new LogitscopeError('incomplete', 'layout_config', {});
  }

  /**
   * Refuses a value of the configuration that the engine does not compute; an absent value passes.
   * @param {string} name
   * @param {unknown[]} known
   */
  need(name, known) {
    const value = this.config[name];
    if (value === undefined || value === null || known.includes(value)) return;
    throw new LogitscopeError('unsupported', 'layout_value', { name, value: show(value) });
  }
}
