/**
 * The defaults of samplers in a GGUF file: keys general.sampling.*, which llama.cpp reads. Source: llama.cpp v0.5.0,
 * common/common.cpp. Flags and requests override them, except the order of --sampler-seq.
 */
import { phrase } from '../../engine/errors.js';
import { readIni, refused, shortFloat } from './forms.js';
import { llamaEffects, llamaOrder, llamaRows, samplersOf } from './llama-cpp.js';

const PREFIX = 'general.sampling.';
/** Names in the file and, if they differ, those of llama.cpp's flags. @type {Record<string, string>} */
const FLAGS = {
  sequence: 'samplers',
  temp: 'temp',
  top_k: 'top_k',
  top_p: 'top_p',
  min_p: 'min_p',
  xtc_probability: 'xtc_probability',
  xtc_threshold: 'xtc_threshold',
  penalty_last_n: 'repeat_last_n',
  penalty_repeat: 'repeat_penalty',
  mirostat: 'mirostat',
  mirostat_tau: 'mirostat_ent',
  mirostat_eta: 'mirostat_lr',
};
const KEYS = Object.keys(FLAGS);

/** Sizes of GGUF's types of values by their number; strings are 8 and lists 9. */
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const [STRING, LIST] = [8, 9];
const MOST_KEYS = 1 << 16;

/** Reads values one after another; `at` may pass the end, which `whole` tells. */
class Head {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.bytes = bytes;
    this.at = 8;
  }

  /** @param {number} n */
  has(n) {
    return n >= 0 && this.at + n <= this.bytes.length;
  }

  /** A size; Infinity if the file ends before it. */
  size() {
    if (!this.has(8)) return Infinity;
    this.at += 8;
    return Number(this.view.getBigUint64(this.at - 8, true));
  }

  type() {
    if (!this.has(4)) return -1;
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  /** A text; null if the file ends before its end. */
  text() {
    const n = this.size();
    if (!this.has(n)) return null;
    this.at += n;
    return new TextDecoder().decode(this.bytes.subarray(this.at - n, this.at));
  }

  /** A number or text; undefined if the file ends before its end or the type is unknown. @param {number} type */
  scalar(type) {
    if (type === STRING) return this.text() ?? undefined;
    const size = SIZES[type];
    if (!size || !this.has(size)) return undefined;
    const { view, at } = this;
    this.at += size;
    const read = [
      () => view.getUint8(at),
      () => view.getInt8(at),
      () => view.getUint16(at, true),
      () => view.getInt16(at, true),
      () => view.getUint32(at, true),
      () => view.getInt32(at, true),
      () => shortFloat(view.getFloat32(at, true)),
      () => view.getUint8(at) !== 0,
    ];
    const wide = [
      () => Number(view.getBigUint64(at, true)),
      () => Number(view.getBigInt64(at, true)),
      () => view.getFloat64(at, true),
    ];
    return (read[type] ?? wide[type - 10])();
  }

  /** Passes over a list. @returns {boolean} false if the file ends before its end */
  skipList() {
    const type = this.type();
    const n = this.size();
    if (type === STRING) {
      for (let i = 0; i < n; i++) if (this.text() === null) return false;
      return true;
    }
    if (!SIZES[type] || !this.has(n * SIZES[type])) return false;
    this.at += n * SIZES[type];
    return true;
  }
}

/**
 * Reads the keys of samplers from the head of a file. The file may end early: the keys before the cut count.
 * @param {Uint8Array} bytes
 * @returns {import('./forms.js').Pairs}
 */
export function readHead(bytes) {
  const head = new Head(bytes);
  head.size(); // number of tensors
  const n = head.size();
  if (!(n <= MOST_KEYS)) throw refused('settings_gguf', {});
  /** @type {import('./forms.js').Pairs} */
  const pairs = [];
  for (let i = 0; i < n; i++) {
    const key = head.text();
    const type = head.type();
    if (key === null) break;
    const value = type === LIST ? head.skipList() || undefined : head.scalar(type);
    if (value === undefined) break;
    if (key.startsWith(PREFIX)) pairs.push([key, value]);
  }
  return pairs;
}

/** @param {string} key */
const plain = (key) => (key.startsWith(PREFIX) ? key.slice(PREFIX.length) : key);

/** @type {import('./read.js').Program} */
export const gguf = {
  id: 'gguf',
  name: 'GGUF',
  version: 'llama.cpp v0.5.0',
  rows: KEYS.map((name) => ({
    ...(llamaRows.find(({ key }) => key === FLAGS[name]) ?? { key: name }),
    key: PREFIX + name,
    also: [],
  })),
  always: { convention: 'llama.cpp', dry_sequence_breakers: ['\n', ':', '"', '*'] },
  order: (state) => llamaOrder(named(state)),
  finish: (state) => llamaEffects(named(state)),
  parse(text, note) {
    const pairs = typeof text === 'string' ? readIni(text).pairs : readHead(text);
    if (pairs.length === 0) note(phrase('settings_gguf_none'));
    return pairs;
  },
  plain,
  also: (settings) => {
    const names = samplersOf(settings);
    return names ? [[`${PREFIX}sequence`, names.join(';')]] : [];
  },
  format: (pairs) => pairs.map(([key, value]) => `${key} = ${value}\n`).join(''),
  sure: (text) => (text.includes(PREFIX) ? 1 : 0),
};

/**
 * The state with llama.cpp's names of the keys.
 * @param {import('./read.js').State} state
 * @returns {import('./read.js').State}
 */
function named(state) {
  const rename = (/** @type {string} */ key) => FLAGS[plain(key)] ?? key;
  return {
    ...state,
    all: Object.fromEntries(Object.entries(state.all).map(([key, v]) => [rename(key), v])),
    given: new Set([...state.given].map(rename)),
  };
}
