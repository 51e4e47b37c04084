/** A checkpoint while a layout reads it: its tensors by name, each used once, and its configuration. */
import { LogitscopeError, show } from '../engine/errors.js';

/**
 * @typedef {import('./weights.js').Values} Values
 * @typedef {{ shape: number[], read: () => Promise<Float32Array> }} SourceTensor
 * @typedef {Record<string, unknown>} Config
 */

/** Wrappers of PyTorch put these before every name: DataParallel, torch.compile, Lightning. */
const WRAPPERS = /^((module|_orig_mod|_forward_module)\.)+/;
/** Names under which training scripts keep their configuration. */
const NESTED = [
  'config',
  'hyper_parameters',
  'hyperparameters',
  'args',
  'model_config',
  'model',
  'model_args',
];
/** The names of a weight and of a bias after the name of their module. */
const KINDS = { weight: ['.weight', '.scale', ''], bias: ['.bias', '.shift'] };

/** @param {unknown} value @returns {value is Config} */
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * Lifts the values of nested configurations: a later one wins.
 * @param {Config} config
 * @returns {Config}
 */
const flattened = (config) =>
  Object.assign({}, config, ...NESTED.map((name) => config[name]).filter(isObject));

/** Values that a user may state, by the names that files have for them. */
const STATED = /** @type {Record<string, string[]>} */ ({
  n_head: ['n_head', 'n_heads', 'num_attention_heads'],
  activation: ['activation', 'activation_function', 'hidden_activation', 'hidden_act'],
  attention_scale: ['attention_scale'],
});
/** GPT-2's names of the same function. */
const TANH = /^gelu_(new|fast)$/;

/**
 * Returns the value that a configuration has for one of the names in STATED.
 * @param {Config} config
 * @param {string} name
 */
function statedIn(config, name) {
  const key = STATED[name].find((each) => config[each] !== undefined && config[each] !== null);
  const value = key && config[key];
  return typeof value === 'string' ? value.replace(TANH, 'gelu_pytorch_tanh') : value;
}

/**
 * Refuses a value that differs from the one in a file.
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
  /** Names that the user states, no file does, and no layout has read. @type {Set<string>} */
  #unread = new Set();
  /** Assumptions to tell the user. @type {import('../engine/errors.js').Phrase[]} */
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
    this.config = { ...flattened(config), ...(json && flattened(json)), ...assumed };
    this.#file = files.checkpoint ?? 'ckpt.pt';
    const layers = /** @type {[string, Config][]} */ ([
      [this.#file, flattened(config)],
      [files.json ?? 'config.json', flattened(json ?? {})],
      ['', assumed],
    ]);
    for (const name of Object.keys(STATED)) this.#checkAgreement(name, layers);
  }

  /**
   * Refuses a value that a later place states otherwise than an earlier one.
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
   * Returns the number of heads that the tensors or the name of the model show; another stated one is refused.
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

  /** Removes a word before all names that begin with it. @param {string} prefix */
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

  /** Counts names with 0, 1, 2 … in place of a sign. @param {string} pattern @param {string} [sign] */
  count(pattern, sign = '#') {
    let n = 0;
    while (this.has(pattern.replace(sign, String(n)))) n++;
    return n;
  }

  /** @param {string} name @returns {number[]} */
  shape(name) {
    return this.#tensor(name).shape;
  }

  /** @param {string} name */
  #tensor(name) {
    const tensor = this.#tensors.get(name);
    if (!tensor) throw new LogitscopeError('bad_file', 'tensor_missing', { name });
    return tensor;
  }

  /** Takes a tensor. @param {string} name @returns {Values} */
  take(name) {
    const tensor = this.#tensor(name);
    this.#used.add(name);
    return { shape: tensor.shape, values: () => tensor.read() };
  }

  /**
   * Finds the weight or bias of a module: its full name, or null.
   * @param {string} stem
   * @param {keyof typeof KINDS} kind
   */
  find(stem, kind) {
    return KINDS[kind].map((suffix) => stem + suffix).find((name) => this.has(name)) ?? null;
  }

  /** Marks tensors as used that hold no weights. @param {RegExp} pattern */
  drop(pattern) {
    for (const name of this.#tensors.keys()) if (pattern.test(name)) this.#used.add(name);
  }

  /** Refuses a tensor and a stated value that the layout has not taken. @param {string} layout */
  checkAllUsed(layout) {
    const [setting] = this.#unread;
    if (setting !== undefined)
      throw new LogitscopeError('unsupported', 'layout_unread', { layout, name: setting });
    const name = this.names.find((each) => !this.#used.has(each));
    if (name !== undefined)
      throw new LogitscopeError('unsupported', 'layout_left', { layout, name });
  }

  /**
   * Returns the first of the named values, or the default.
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
   * Returns a positive number; without one the error names the value to state.
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
   * True if the first tensor is missing or equals the second: a tied head may be saved twice.
   * @param {string} name
   * @param {string} other
   */
  async areEqual(name, other) {
    if (!this.has(name)) return true;
    const [a, b] = [this.#tensor(name), this.#tensor(other)];
    if (a.shape.join() !== b.shape.join()) return false;
    const [x, y] = [await a.read(), await b.read()];
    return x.every((value, i) => value === y[i]);
  }

  /** Refuses a model without its config.json. */
  needJson() {
    if (!this.#hasJson) throw new LogitscopeError('incomplete', 'layout_config', {});
  }

  /**
   * Refuses a value that would change the numbers.
   * @param {string} name
   * @param {unknown[]} known
   */
  need(name, known) {
    const value = this.config[name];
    if (value === undefined || value === null || known.includes(value)) return;
    throw new LogitscopeError('unsupported', 'layout_value', { name, value: show(value) });
  }
}
