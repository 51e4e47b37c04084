/**
 * Reads a Python pickle of protocol 2 to 5 as data. A pickle is a program for a stack machine. This machine has only
 * the instructions that build plain data, and calls only the functions of pickle-globals.js. An
 * object of a class from the user's script becomes a Map of its fields.
 *
 * None becomes null, a dict a Map, a list or tuple an Array, a set a Set, bytes a Uint8Array, and an integer beyond
 * 2^53 a BigInt. As in Python, several variables may refer to the same list, and a list may contain itself.
 */
import { LogitscopeError, phrase } from '../engine/errors.js';
import { textOf, u64, viewOf } from './byte-file.js';
import { bad, named, unsupported } from './faults.js';
import { GLOBALS, Global, Namespace, OwnClass, OwnRecord, ownClass } from './pickle-globals.js';

/**
 * @typedef {object} PickleOptions
 * @property {string} [name] the file's name, for sentences
 * @property {(id: any) => unknown} [persistent] returns the object of a persistent id; undefined refuses
 *   the id
 */

/** Limits for one pickle: instructions, new objects (lists do not count), open marks, bytes of an integer. */
const MOST_STEPS = 1 << 21;
const MOST_OBJECTS = 1 << 18;
const MOST_MARKS = 1000;
const MOST_INTEGER = 64;
/** Limit for the values that all calls of functions copy: two for each byte of the pickle, and this many more. */
const FREE_COPIES = 1 << 20;
/** Longest text in bytes that is decoded without TextDecoder, which is slow for short texts. */
const SHORT = 24;

/**
 * @param {Uint8Array} bytes one pickle and nothing else
 * @param {PickleOptions} [options]
 * @returns {any}
 */
export function readPickle(bytes, options) {
  const { value, end } = readPickleAt(bytes, 0, options);
  if (end !== bytes.length)
    throw bad(options?.name ?? 'pickle', 'pickle', { n: end, trouble: phrase('pickle_rest') });
  return value;
}

/**
 * Reads the pickle that begins at position `at`. The result has its value, and `end`, the position after it.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {PickleOptions} [options]
 * @returns {{ value: any, end: number }}
 */
export function readPickleAt(bytes, at, { name = 'pickle', persistent } = {}) {
  const machine = new Machine(bytes, at, name, persistent);
  if (bytes[at] !== PROTO && at < bytes.length)
    throw machine.fault('pickle_protocol', { version: '0' }, unsupported);
  return { value: machine.run(), end: machine.at };
}

/** Returns true if the error means that the data ended before the pickle did. @param {unknown} error */
export const endedEarly = (error) =>
  error instanceof LogitscopeError &&
  /** @type {any} */ (error.values.trouble)?.key === 'pickle_ends';

const PROTO = 0x80;
const STOP = 0x2e;

class Machine {
  /** @type {any[]} */
  stack = [];
  /** For each open mark, the stack as it was before the mark. @type {any[][]} */
  marks = [];
  /** @type {Map<number, any>} */
  memo = new Map();
  objects = 0;
  /** Number of values that calls have copied. Without a limit, many copies of one long list would fill the memory. */
  copied = 0;
  /** Position of the current instruction, for errors. */
  from = 0;

  /**
   * @param {Uint8Array} bytes
   * @param {number} at
   * @param {string} name
   * @param {PickleOptions['persistent']} persistent
   */
  constructor(bytes, at, name, persistent) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.at = at;
    this.name = name;
    this.persistent = persistent;
  }

  run() {
    for (let steps = 0; ; steps++) {
      this.from = this.at;
      const code = this.bytes[this.skip(1)];
      if (code === STOP) return this.pop();
      if (steps === MOST_STEPS) throw this.fault('pickle_steps', { limit: MOST_STEPS });
      const instruction = INSTRUCTIONS[code];
      if (!instruction) {
        const hex = `0x${code.toString(16).padStart(2, '0')}`;
        throw this.fault('pickle_opcode', { name: NOT_READ[code] ?? hex }, unsupported);
      }
      instruction(this);
    }
  }

  /**
   * Makes an error that names the position of the current instruction.
   * @param {string} key of a phrase
   * @param {import('../engine/errors.js').Values} [values]
   */
  fault(key, values = {}, kind = bad) {
    return kind(this.name, 'pickle', { n: this.from, trouble: phrase(key, values) });
  }

  /** Moves n bytes forward and returns the position before the move. @param {number} n */
  skip(n) {
    const at = this.at;
    if (n > this.bytes.length - at) throw this.fault('pickle_ends');
    this.at = at + n;
    return at;
  }

  u8 = () => this.bytes[this.skip(1)];
  u16 = () => this.view.getUint16(this.skip(2), true);
  i32 = () => this.view.getInt32(this.skip(4), true);
  u32 = () => this.view.getUint32(this.skip(4), true);
  u64 = () => u64(this.view, this.skip(8));

  /** @param {number} n */
  take(n) {
    const at = this.skip(n);
    return this.bytes.subarray(at, at + n);
  }

  /** @param {number} n */
  text(n) {
    const bytes = this.take(n);
    if (n <= SHORT && bytes.every((byte) => byte < 0x80)) return String.fromCharCode(...bytes);
    const text = textOf(bytes);
    if (text === null) throw this.fault('pickle_text');
    return text;
  }

  /** Reads a text up to the end of the line. */
  line() {
    const end = this.bytes.indexOf(0x0a, this.at);
    if (end < 0) throw this.fault('pickle_ends');
    const text = this.text(end - this.at);
    this.at++;
    return text;
  }

  /** @param {number} n */
  integer(n) {
    if (n > MOST_INTEGER) throw this.fault('pickle_integer', { limit: MOST_INTEGER });
    let value = 0n;
    for (const byte of this.take(n).slice().reverse()) value = (value << 8n) | BigInt(byte);
    const signed = BigInt.asIntN(8 * n, value);
    return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
  }

  /** @param {any} value */
  push(value) {
    this.stack.push(value);
  }

  /**
   * Pushes a new object, if the limit allows one more: a few bytes of a pickle can make a large object.
   * @param {any} value
   */
  pushObject(value) {
    if (++this.objects > MOST_OBJECTS) throw this.fault('pickle_objects', { limit: MOST_OBJECTS });
    this.stack.push(value);
  }

  /** Counts values that a call is about to copy. @param {any[]} given */
  count(given) {
    for (const value of given) this.copied += sizeOf(value);
    if (this.copied > 2 * this.bytes.length + FREE_COPIES) throw this.fault('pickle_copies');
  }

  pop() {
    if (this.stack.length === 0) throw this.fault('pickle_stack');
    return this.stack.pop();
  }

  top() {
    if (this.stack.length === 0) throw this.fault('pickle_stack');
    return this.stack[this.stack.length - 1];
  }

  mark() {
    if (this.marks.length === MOST_MARKS) throw this.fault('pickle_marks', { limit: MOST_MARKS });
    this.marks.push(this.stack);
    this.stack = [];
  }

  /** Removes the last mark and returns the values above it. */
  popMark() {
    const values = this.stack;
    const below = this.marks.pop();
    if (!below) throw this.fault('pickle_stack');
    this.stack = below;
    return values;
  }

  /** @param {number} n */
  tuple(n) {
    if (this.stack.length < n) throw this.fault('pickle_stack');
    this.push(this.stack.splice(this.stack.length - n, n));
  }

  /** @param {number} at */
  get(at) {
    if (!this.memo.has(at)) throw this.fault('pickle_memo', { at });
    this.push(this.memo.get(at));
  }

  /** @param {any[]} values */
  append(values) {
    const list = this.top();
    if (!Array.isArray(list)) throw this.fault('pickle_wrong', { name: 'APPENDS' });
    for (const value of values) list.push(value);
  }

  /** @param {any[]} values keys and values in turn */
  setItems(values) {
    const map = this.top();
    if (!(map instanceof Map) || values.length % 2 !== 0)
      throw this.fault('pickle_wrong', { name: 'SETITEMS' });
    for (let i = 0; i < values.length; i += 2) map.set(this.key(values[i]), values[i + 1]);
    if (map instanceof OwnRecord) this.checkRecord(map);
  }

  /**
   * Returns a valid key of a dict: a plain value, or a copy of a short tuple of plain values. Long tuples are refused
   * because converting them to a text could take very long.
   * @param {any} key
   */
  key(key) {
    const isPlain = (/** @type {any} */ part) => typeof part !== 'object' || part === null;
    if (isPlain(key)) return key;
    if (!Array.isArray(key) || key.length > MOST_IN_KEY || !key.every(isPlain))
      throw this.fault('pickle_wrong', { name: 'SETITEMS' });
    return Object.freeze([...key]);
  }

  /** @param {any[]} values */
  addItems(values) {
    const set = this.top();
    if (!(set instanceof Set)) throw this.fault('pickle_wrong', { name: 'ADDITEMS' });
    for (const value of values) set.add(this.key(value));
  }

  /** @param {unknown} module @param {unknown} name */
  global(module, name) {
    if (typeof module !== 'string' || typeof name !== 'string')
      throw this.fault('pickle_wrong', { name: 'STACK_GLOBAL' });
    const found = GLOBALS.get(`${module}.${name}`);
    if (found) return this.push(found);
    const own = ownClass(module, name);
    if (!own) throw this.code(`${module}.${name}`);
    this.pushObject(own);
  }

  /** The error for a name that leads to code. @param {string} name */
  code(name) {
    return unsupported(this.name, 'pickle_global', { name: named(name) });
  }

  /** @param {'call' | 'make'} kind */
  call(kind) {
    const tuple = this.pop();
    const callee = this.pop();
    const given = Array.isArray(tuple) ? tuple.slice(0, MOST_ARGUMENTS) : null;
    if (given) this.count(given);
    const made = given && callee instanceof Global ? callee[kind]?.(...given) : undefined;
    if (made === undefined && callee instanceof OwnClass) throw this.code(callee.name);
    if (made === undefined)
      throw this.fault('pickle_arguments', {
        name: callee instanceof Global ? callee.name : typeof callee,
      });
    this.pushObject(made);
  }

  build() {
    const state = this.pop();
    const target = this.top();
    this.count([state]);
    // PyTorch gives a state dict attributes such as _metadata. They are no content, so they are left out.
    if (target instanceof Map && !(target instanceof Namespace) && state instanceof Map) return;
    const built = target?.build?.(state);
    if (target instanceof OwnRecord) this.checkRecord(target, built);
    else if (!built) throw this.fault('pickle_wrong', { name: 'BUILD' });
  }

  /**
   * Refuses an object of a class from the user's script if it contains tensors or if its state is no dict of fields.
   * Only the script knows the meaning of such an object.
   * @param {OwnRecord} record
   * @param {boolean} [built] false if its state is no dict of fields
   */
  checkRecord(record, built = true) {
    if (!built || record.hasTensors) throw this.code(record.name);
  }

  load() {
    const made = this.persistent?.(this.pop());
    if (made === undefined) throw this.fault('pickle_persistent');
    this.pushObject(made);
  }
}

const MOST_ARGUMENTS = 16;
const MOST_IN_KEY = 8;

/** @param {any} value */
function sizeOf(value) {
  if (value instanceof Map || value instanceof Set) return value.size;
  const isList = typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array;
  return isList ? value.length : 0;
}

/** Names of the instructions that are refused, for error sentences. @type {Record<number, string>} */
const NOT_READ = Object.fromEntries(
  Object.entries({
    P: 'PERSID',
    S: 'STRING',
    T: 'BINSTRING',
    U: 'SHORT_BINSTRING',
    V: 'UNICODE',
    F: 'FLOAT',
    I: 'INT',
    L: 'LONG',
    d: 'DICT',
    g: 'GET',
    i: 'INST',
    l: 'LIST',
    o: 'OBJ',
    p: 'PUT',
    '\x82': 'EXT1',
    '\x83': 'EXT2',
    '\x84': 'EXT4',
    '\x92': 'NEWOBJ_EX',
    '\x97': 'NEXT_BUFFER',
    '\x98': 'READONLY_BUFFER',
  }).map(([code, name]) => [code.charCodeAt(0), name]),
);

/**
 * The function of each instruction, by the instruction's byte.
 * @type {(((machine: Machine) => void) | undefined)[]}
 */
const INSTRUCTIONS = [];
/** @type {Record<string, (m: Machine) => void>} */
const NAMED = {
  '\x80': (m) => {
    const version = m.u8();
    if (version < 2 || version > 5) throw m.fault('pickle_protocol', { version }, unsupported);
  },
  // FRAME only tells Python how many bytes to buffer.
  '\x95': (m) => {
    if (m.u64() > m.bytes.length - m.at) throw m.fault('pickle_ends');
  },
  N: (m) => m.push(null),
  '\x88': (m) => m.push(true),
  '\x89': (m) => m.push(false),
  J: (m) => m.push(m.i32()),
  K: (m) => m.push(m.u8()),
  M: (m) => m.push(m.u16()),
  '\x8a': (m) => m.push(m.integer(m.u8())),
  '\x8b': (m) => m.push(m.integer(m.u32())),
  G: (m) => m.push(m.view.getFloat64(m.skip(8), false)),
  '\x8c': (m) => m.push(m.text(m.u8())),
  X: (m) => m.push(m.text(m.u32())),
  '\x8d': (m) => m.push(m.text(m.u64())),
  C: (m) => m.push(m.take(m.u8())),
  B: (m) => m.push(m.take(m.u32())),
  '\x8e': (m) => m.push(m.take(m.u64())),
  '\x96': (m) => m.push(m.take(m.u64())),
  '(': (m) => m.mark(),
  0: (m) => {
    if (m.stack.length === 0) m.popMark();
    else m.pop();
  },
  1: (m) => m.popMark(),
  2: (m) => m.push(m.top()),
  ')': (m) => m.push([]),
  '\x85': (m) => m.tuple(1),
  '\x86': (m) => m.tuple(2),
  '\x87': (m) => m.tuple(3),
  t: (m) => m.push(m.popMark()),
  ']': (m) => m.push([]),
  a: (m) => m.append([m.pop()]),
  e: (m) => m.append(m.popMark()),
  '}': (m) => m.pushObject(new Map()),
  s: (m) => {
    const value = m.pop();
    m.setItems([m.pop(), value]);
  },
  u: (m) => m.setItems(m.popMark()),
  '\x8f': (m) => m.pushObject(new Set()),
  '\x90': (m) => m.addItems(m.popMark()),
  '\x91': (m) => {
    const values = m.popMark();
    m.pushObject(new Set());
    m.addItems(values);
  },
  q: (m) => m.memo.set(m.u8(), m.top()),
  r: (m) => m.memo.set(m.u32(), m.top()),
  '\x94': (m) => m.memo.set(m.memo.size, m.top()),
  h: (m) => m.get(m.u8()),
  j: (m) => m.get(m.u32()),
  c: (m) => {
    const module = m.line();
    m.global(module, m.line());
  },
  '\x93': (m) => {
    const name = m.pop();
    m.global(m.pop(), name);
  },
  R: (m) => m.call('call'),
  '\x81': (m) => m.call('make'),
  b: (m) => m.build(),
  Q: (m) => m.load(),
};
for (const [code, run] of Object.entries(NAMED)) INSTRUCTIONS[code.charCodeAt(0)] = run;
