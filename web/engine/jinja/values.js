/**
 * The values of a template. A bigint is Python's int, a number is a float, null is None, an Array is a
 * list, and a `Str` is a string; other types are the classes here. No value gives access to an object
 * of JavaScript.
 */
import { refuse } from './fault.js';
import { floatText, intText } from './numbers.js';
import { Markup, Str, compareTexts, concat, str } from './text.js';

/** @typedef {any} Value */

/** A missing name or item. It prints as an empty text; most other uses are errors. */
export class Undefined {
  /** @param {string} reason */
  constructor(reason) {
    this.reason = reason;
  }
}

export class Tuple {
  /** @param {Value[]} items @param {Record<string, Value>} [names] items by name, for a named tuple */
  constructor(items, names = {}) {
    this.items = items;
    this.names = new Map(Object.entries(names));
  }
}

export class Range {
  /** @param {bigint} start @param {bigint} stop @param {bigint} step */
  constructor(start, stop, step) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    const span = step > 0n ? stop - start : start - stop;
    const size = step > 0n ? step : -step;
    this.length = span > 0n ? Number((span + size - 1n) / size) : 0;
  }

  /** @param {number} n */
  at(n) {
    return this.start + BigInt(n) * this.step;
  }
}

/** A dict. Keys keep the order of insertion; 1, 1.0 and True are one key. */
export class Dict {
  /** @type {Map<any, [Value, Value]>} */
  #entries = new Map();

  /** @param {Iterable<[Value, Value]>} [entries] */
  constructor(entries = []) {
    for (const [key, value] of entries) this.set(key, value);
  }

  get length() {
    return this.#entries.size;
  }

  /** @param {Value} key @param {Value} value */
  set(key, value) {
    const hash = hashOf(key);
    this.#entries.set(hash, [this.#entries.get(hash)?.[0] ?? key, value]);
  }

  /** @param {Value} key @returns {Value} the value; JavaScript's undefined if there is none */
  get(key) {
    return this.#entries.get(hashOf(key))?.[1];
  }

  /** @param {Value} key */
  has(key) {
    return this.#entries.has(hashOf(key));
  }

  keys() {
    return this.entries().map(([key]) => key);
  }

  entries() {
    return [...this.#entries.values()];
  }
}

/** The result of a dict's `keys`, `values` and `items`. */
export class View {
  /** @param {Dict} dict @param {'keys' | 'values' | 'items'} kind */
  constructor(dict, kind) {
    this.dict = dict;
    this.kind = kind;
  }

  /** @returns {Value[]} */
  items() {
    const entries = this.dict.entries();
    if (this.kind === 'items') return entries.map((entry) => new Tuple(entry));
    return entries.map(([key, value]) => (this.kind === 'keys' ? key : value));
  }
}

export class Namespace {
  /** @param {Dict} values */
  constructor(values) {
    this.values = values;
  }
}

/** An iterator. It yields each item once. */
export class Iter {
  /** @param {Iterator<Value>} items */
  constructor(items) {
    this.steps = items;
  }
}

/** @typedef {Map<string, Value>} Named arguments that are given by name */

/** A function, method or macro. */
export class Func {
  /**
   * @param {string} name
   * @param {(args: Value[], named: Named) => Value} call
   * @param {Record<string, Value>} [attributes]
   */
  constructor(name, call, attributes = {}) {
    this.name = name;
    this.call = call;
    this.attributes = new Map(Object.entries(attributes));
  }
}

/** An object with attributes, for example `loop` or a cycler. */
export class Thing {
  /** @type {Map<string, () => Value>} */
  attributes = new Map();
  kind = 'object';
}

const UNDEFINED = Symbol('Undefined');

/** Returns a key for a JavaScript Map: equal for equal keys of a Python dict. @param {Value} key */
export function hashOf(key) {
  if (key instanceof Str) return key.text;
  if (typeof key === 'boolean') return key ? 1n : 0n;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key;
  if (typeof key === 'bigint' || key === null) return key;
  if (key instanceof Undefined) return UNDEFINED;
  if (Array.isArray(key) || key instanceof Dict) refuse(`unhashable type: '${typeName(key)}'`);
  if (key instanceof Tuple) refuse('a tuple as a key is not supported');
  return key;
}

/** @param {Value} value */
export function typeName(value) {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  if (value instanceof Str) return 'str';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Range) return 'range';
  if (value instanceof View) return `dict_${value.kind}`;
  if (value instanceof Iter) return 'generator';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Namespace) return 'Namespace';
  return value instanceof Thing ? value.kind : 'function';
}

/** Refuses an undefined value. @param {Value} value */
export function needDefined(value) {
  if (value instanceof Undefined) refuse(value.reason);
  return value;
}

/** @param {Value} value @returns {value is bigint | number | boolean} */
export const isNumber = (value) =>
  typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean';

/** Converts a bool to 0 or 1; returns a number unchanged. @param {bigint | number | boolean} value @returns {bigint | number} */
export const asNumber = (value) => (typeof value === 'boolean' ? BigInt(value) : value);

/** The number of items of a value, or null if Python's `len` refuses it. @param {Value} value @returns {number | null} */
export function lengthOf(value) {
  if (value instanceof Str || value instanceof Dict || value instanceof Range) return value.length;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Tuple) return value.items.length;
  if (value instanceof View) return value.dict.length;
  if (value instanceof Undefined) return 0;
  const length = value instanceof Thing && value.attributes.get('length');
  return length ? Number(length()) : null;
}

/** @param {Value} value */
export function isTrue(value) {
  if (typeof value === 'boolean') return value;
  if (value === null) return false;
  if (isNumber(value)) return Boolean(Number(value));
  return lengthOf(value) !== 0;
}

/** @param {Value} value @returns {Iterator<Value> | null} null if Python refuses to iterate */
export function iteratorOf(value) {
  if (value instanceof Iter) return value.steps;
  if (Array.isArray(value)) return value.values();
  if (value instanceof Tuple) return value.items.values();
  if (value instanceof Dict) return value.keys().values();
  if (value instanceof View) return value.items().values();
  if (value instanceof Undefined) return [].values();
  if (value instanceof Str) return charactersOf(value);
  return value instanceof Range ? numbersOf(value) : null;
}

/** @param {Str} text */
function* charactersOf(text) {
  for (let n = 0; n < text.length; n++) yield text.at(n);
}

/** @param {Range} range */
function* numbersOf(range) {
  for (let n = 0; n < range.length; n++) yield range.at(n);
}

/** @param {Value} value */
export function needIterator(value) {
  return iteratorOf(value) ?? refuse(`'${typeName(value)}' object is not iterable`);
}

/** All items of a value that can be iterated. @param {Value} value @returns {Value[]} */
export function listOf(value) {
  const items = [];
  const all = needIterator(value);
  for (let step = all.next(); !step.done; step = all.next()) items.push(step.value);
  return items;
}

/** @param {Value[]} a @param {Value[]} b */
const equalLists = (a, b) => a.length === b.length && a.every((each, i) => equal(each, b[i]));

/** @param {Value} a @param {Value} b @returns {boolean} */
export function equal(a, b) {
  if (isNumber(a) && isNumber(b)) return asNumber(a) <= asNumber(b) && asNumber(a) >= asNumber(b);
  if (a instanceof Str && b instanceof Str) return a.text === b.text;
  if (Array.isArray(a) && Array.isArray(b)) return equalLists(a, b);
  if (a instanceof Tuple && b instanceof Tuple) return equalLists(a.items, b.items);
  if (a instanceof Undefined) return b instanceof Undefined;
  if (a instanceof Range && b instanceof Range) return equalLists(listOf(a), listOf(b));
  if (a instanceof Dict && b instanceof Dict) {
    if (a.length !== b.length) return false;
    return a.entries().every(([key, value]) => b.has(key) && equal(value, b.get(key)));
  }
  if (a instanceof View && b instanceof View && a !== b)
    refuse('comparing views of dicts is not supported');
  return a === b;
}

/** @param {Value[]} a @param {Value[]} b */
function lessLists(a, b) {
  const at = a.findIndex((each, i) => i >= b.length || !equal(each, b[i]));
  if (at < 0) return a.length < b.length;
  return at < b.length && less(a[at], b[at]);
}

/** @param {Value} a @param {Value} b @returns {boolean} */
export function less(a, b) {
  needDefined(a);
  needDefined(b);
  if (isNumber(a) && isNumber(b)) return asNumber(a) < asNumber(b);
  if (a instanceof Str && b instanceof Str) return compareTexts(a.text, b.text) < 0;
  if (Array.isArray(a) && Array.isArray(b)) return lessLists(a, b);
  if (a instanceof Tuple && b instanceof Tuple) return lessLists(a.items, b.items);
  return refuse(`'<' not supported between '${typeName(a)}' and '${typeName(b)}'`);
}

/** Compares two values for `sort`. @param {Value} a @param {Value} b */
export function compareValues(a, b) {
  if (less(a, b)) return -1;
  return less(b, a) ? 1 : 0;
}

/** @param {Value} a @param {Value} b */
export const lessOrEqual = (a, b) => {
  if (typeof a === 'number' && Number.isNaN(a)) return false;
  return less(a, b) || (equal(a, b) && !(typeof b === 'number' && Number.isNaN(b)));
};

/** The result of `value in all`. @param {Value} value @param {Value} all */
export function contains(all, value) {
  if (all instanceof Str) {
    if (!(value instanceof Str)) refuse("'in <string>' requires a string as left operand");
    return all.text.includes(value.text);
  }
  if (all instanceof Dict) return all.has(value);
  if (all instanceof View && all.kind === 'keys') return all.dict.has(value);
  const each = needIterator(all);
  for (let step = each.next(); !step.done; step = each.next())
    if (step.value === value || equal(step.value, value)) return true;
  return false;
}

/** Returns the text of Python's `str`. @param {Value} value @returns {Str} */
export function text(value) {
  if (value instanceof Str) return value;
  if (value instanceof Undefined) return str('');
  return repr(value);
}

const CONTROL = /[\\\n\r\t]|[\p{C}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;

/** @param {string} found */
function escaped(found) {
  const known = /** @type {Record<string, string>} */ ({
    '\\': '\\\\',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
  });
  if (known[found]) return known[found];
  const code = /** @type {number} */ (found.codePointAt(0)).toString(16);
  if (code.length < 3) return `\\x${code.padStart(2, '0')}`;
  return code.length < 5 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}

/** @param {Str} value */
function quoted(value) {
  const double = value.text.includes("'") && !value.text.includes('"');
  const inside = value.rewrite(CONTROL, escaped);
  if (double) return concat([str('"'), inside, str('"')]);
  return concat([str("'"), inside.rewrite(/'/g, () => "\\'"), str("'")]);
}

/** @param {string} begin @param {Str[]} items @param {string} end */
function enclosed(begin, items, end) {
  const parts = items.flatMap((item, i) => (i ? [str(', '), item] : [item]));
  return concat([str(begin), ...parts, str(end)]);
}

/** Returns the text of Python's `repr`. @param {Value} value @returns {Str} */
export function repr(value) {
  if (value instanceof Markup) return concat([str('Markup('), quoted(value), str(')')]);
  if (value instanceof Str) return quoted(value);
  if (value === null) return str('None');
  if (typeof value === 'boolean') return str(value ? 'True' : 'False');
  if (typeof value === 'bigint') return str(intText(value));
  if (typeof value === 'number') return str(floatText(value));
  if (Array.isArray(value)) return enclosed('[', value.map(repr), ']');
  if (value instanceof Tuple)
    return enclosed('(', value.items.map(repr), value.items.length === 1 ? ',)' : ')');
  if (value instanceof Dict) {
    const items = value.entries().map(([key, of]) => concat([repr(key), str(': '), repr(of)]));
    return enclosed('{', items, '}');
  }
  if (value instanceof View) return enclosed(`${typeName(value)}([`, value.items().map(repr), '])');
  if (value instanceof Undefined) return str('Undefined');
  if (value instanceof Range) {
    const { start, stop, step } = value;
    return str(`range(${start}, ${stop}${step === 1n ? '' : `, ${step}`})`);
  }
  if (value instanceof Namespace) return concat([str('<Namespace '), repr(value.values), str('>')]);
  return refuse(`printing a ${typeName(value)} is not supported`);
}
