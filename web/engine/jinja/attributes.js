/** Reads attributes and items (`a.b`, `a['b']`, `a[1:2]`) by the rules of Jinja's sandbox. */
import { bind, needInt, needStr, sliceBounds } from './arguments.js';
import { refuse } from './fault.js';
import { formatByFields } from './format.js';
import { stringMethod } from './strings.js';
import { Str, concat, str } from './text.js';
import {
  Dict,
  Func,
  Namespace,
  Range,
  Thing,
  Tuple,
  Undefined,
  View,
  asNumber,
  equal,
  isNumber,
  listOf,
  needDefined,
  typeName,
} from './values.js';

/** @import { Value } from './values.js' */

/** Attributes of Python's types that are not supported, by type. */
const UNSUPPORTED = /** @type {Record<string, string>} */ ({
  int: 'as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes',
  float: 'as_integer_ratio conjugate fromhex hex imag is_integer real',
  dict: 'fromkeys',
  list: 'clear pop',
  range: 'start stop step count index',
  dict_keys: 'isdisjoint mapping',
  dict_items: 'isdisjoint mapping',
  dict_values: 'mapping',
  generator: 'close send throw',
});
UNSUPPORTED.bool = UNSUPPORTED.int;
/** Attributes that change a value, which the sandbox forbids, by type. */
const FORBIDDEN = /** @type {Record<string, string>} */ ({
  dict: 'clear pop popitem setdefault update',
  list: 'append reverse insert sort extend remove',
});

/** @param {Record<string, string>} table @param {Value} value @param {string} name */
const has = (table, value, name) => {
  const type = typeName(value);
  return Object.hasOwn(table, type) && table[type].split(' ').includes(name);
};

/** @param {Value[]} items @param {Value} value @param {Value} start @param {Value} stop */
function indexIn(items, value, start, stop) {
  const [from, to] = sliceBounds(items.length, start, stop, 1);
  const at = items.slice(from, to).findIndex((each) => equal(each, value));
  return at < 0 ? refuse('index: the value is not in the list') : BigInt(from + at);
}

/** @type {Record<string, [string, (items: Value[], ...args: Value[]) => Value]>} */
const OF_LISTS = {
  count: ['/value!', (items, value) => BigInt(items.filter((each) => equal(each, value)).length)],
  index: ['/value! /start /stop', indexIn],
  copy: ['', (items) => [...items]],
};
/** @type {Record<string, [string, (dict: Dict, ...args: Value[]) => Value]>} */
const OF_DICTS = {
  get: ['/key! /default', (dict, key, or) => (dict.has(key) ? dict.get(key) : (or ?? null))],
  items: ['', (dict) => new View(dict, 'items')],
  keys: ['', (dict) => new View(dict, 'keys')],
  values: ['', (dict) => new View(dict, 'values')],
  copy: ['', (dict) => new Dict(dict.entries())],
};

/** @param {Record<string, [string, (...args: any[]) => Value]>} table @param {string} name @param {Value} self */
function method(table, name, self) {
  if (!Object.hasOwn(table, name)) return null;
  const [parameters, run] = table[name];
  return new Func(name, (args, named) => run(self, ...bind(name, parameters, args, named)));
}

/** Follows a field's path, such as ".a[0]", from a value. @param {string} path @param {Value} value */
function follow(path, value) {
  let at = value;
  for (const [, attribute, item] of path.matchAll(/\.([^.[]+)|\[([^\]]+)\]/g)) {
    if (attribute !== undefined) at = getAttribute(at, attribute);
    else at = getItem(at, /^\d+$/.test(item) ? BigInt(item) : str(item));
  }
  return at;
}

/**
 * The method `format` of a string; strings.js has the others.
 * @param {Str} self
 * @returns {(args: Value[], named: import('./values.js').Named) => Value}
 */
const formatMethod = (self) => (args, named) =>
  formatByFields(needStr(self, "the method 'format' of strings"), args, named, follow);

/**
 * The attribute that Python's object would have; JavaScript's undefined if it has none.
 * @param {Value} value
 * @param {string} name
 * @returns {Value}
 */
function attributeOf(value, name) {
  if (value instanceof Namespace) return value.values.get(str(name));
  if (has(FORBIDDEN, value, name)) return new Undefined(`the sandbox forbids '${name}'`);
  if (has(UNSUPPORTED, value, name))
    refuse(`the attribute '${name}' of '${typeName(value)}' is not supported`);
  if (value instanceof Str) {
    const run = name === 'format' ? formatMethod(value) : stringMethod(value, name);
    return run ? new Func(name, run) : undefined;
  }
  if (value instanceof Dict) return method(OF_DICTS, name, value) ?? undefined;
  if (Array.isArray(value)) return method(OF_LISTS, name, value) ?? undefined;
  if (value instanceof Tuple) {
    if (value.names.has(name)) return value.names.get(name);
    return (name !== 'copy' && method(OF_LISTS, name, value.items)) || undefined;
  }
  if (value instanceof Func) return value.attributes.get(name);
  return value instanceof Thing ? value.attributes.get(name)?.() : undefined;
}

/** @param {Value} value @param {string} name */
function lookUp(value, name) {
  if (!name.startsWith('_')) return attributeOf(value, name);
  const isKept = value instanceof Namespace && value.values.has(str(name));
  // The sandbox hides Python's internal attributes.
  if (isKept || /^__\w+__$/.test(name)) return hidden(name);
  return undefined;
}

/** @param {string} name */
const hidden = (name) => new Undefined(`access to attribute '${name}' is unsafe`);

/** @param {Value} value @param {Value} key */
function missing(value, key) {
  const type = value === null ? 'None' : `${typeName(value)} object`;
  const shown = key instanceof Str ? `'${key.text}'` : typeof key;
  return new Undefined(`'${type}' has no attribute ${shown}`);
}

/** The item at a key; JavaScript's undefined if there is none. @param {Value} value @param {Value} key @returns {Value} */
function itemOf(value, key) {
  if (value instanceof Dict)
    return Array.isArray(key) || key instanceof Dict ? undefined : value.get(key);
  const isPlace = isNumber(key) && typeof asNumber(key) === 'bigint';
  if (!isPlace) return undefined;
  const items = value instanceof Tuple ? value.items : value;
  if (!(Array.isArray(items) || items instanceof Str || items instanceof Range)) return undefined;
  const n = needInt(key, 'an index');
  const at = n < 0 ? n + items.length : n;
  if (at < 0 || at >= items.length) return undefined;
  return Array.isArray(items) ? items[at] : items.at(at);
}

/** `value.name`. @param {Value} value @param {string} name @returns {Value} */
export function getAttribute(value, name) {
  needDefined(value);
  const found = lookUp(value, name);
  const key = str(name);
  if (found !== undefined) {
    if (
      found instanceof Undefined &&
      value instanceof Dict &&
      value.has(key) &&
      name.startsWith('_')
    )
      refuse(`a key '${name}' behind a dot is not supported`);
    return found;
  }
  const item = itemOf(value, key);
  return item === undefined ? missing(value, key) : item;
}

/** `value[key]`. @param {Value} value @param {Value} key @returns {Value} */
export function getItem(value, key) {
  needDefined(value);
  let found = itemOf(value, key);
  if (found === undefined && key instanceof Str) found = lookUp(value, key.text);
  return found === undefined ? missing(value, key) : found;
}

/** `value[start:stop:step]`. @param {Value} value @param {Value} start @param {Value} stop @param {Value} step */
export function getSlice(value, start, stop, step) {
  needDefined(value);
  const by = step === null ? 1 : needInt(step, 'a slice');
  if (by === 0) refuse('slice step cannot be zero');
  const items = value instanceof Tuple ? value.items : value;
  if (!(Array.isArray(items) || items instanceof Str || items instanceof Range))
    return refuse(`'${typeName(value)}' object is not subscriptable`);
  const [from, to] = sliceBounds(items.length, start, stop, by);
  if (items instanceof Range)
    return new Range(items.at(from), items.at(to), items.step * BigInt(by));
  if (items instanceof Str && by === 1)
    return items.slice(items.unit(from), items.unit(Math.max(from, to)));
  const all = items instanceof Str ? listOf(items) : items;
  const taken = [];
  for (let n = from; by > 0 ? n < to : n > to; n += by) taken.push(all[n]);
  if (items instanceof Str) return concat(taken);
  return value instanceof Tuple ? new Tuple(taken) : taken;
}

/** Returns a function that follows a path of attributes, such as 'a.b', from a value. @param {Value} attribute @returns {(value: Value) => Value} */
export function pathOf(attribute) {
  if (attribute === undefined || attribute === null) return (value) => value;
  const parts = attribute instanceof Str ? attribute.text.split('.') : [attribute];
  const keys = parts.map((part) => {
    if (typeof part !== 'string') return part;
    return /^\d+$/.test(part) ? BigInt(part) : str(part);
  });
  return (value) => keys.reduce((at, key) => getItem(at, key), value);
}
