/**
 * Reads and writes JSON schemas as text. JSON.parse moves keys that look like integers and rounds
 * long numbers. This parser keeps the order of keys and the digits of numbers.
 */
import { checkDepth } from './checks.js';
import { LogitscopeError, reasonOf } from './errors.js';
import { compareDecimals, decimalOf } from './number-range.js';

/** Maximum number of characters of a number. */
const NUMBER_MAX = 400;

/** A number that a JavaScript number cannot represent exactly, kept as text. */
export class Written {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** The keys of each parsed object, in the order of the text. @type {WeakMap<object, string[]>} */
const orders = new WeakMap();

/**
 * @param {object} object
 * @returns {string[]} its keys, in the order of the text if it was parsed
 */
export const keysOf = (object) => orders.get(object) ?? Object.keys(object);

/** @param {unknown} value */
export const isNumber = (value) =>
  value instanceof Written || (typeof value === 'number' && Number.isFinite(value));

/** A number in JSON's notation. @param {any} value */
export const digitsOf = (value) => (value instanceof Written ? value.text : String(value));

/**
 * Writes a value as JSON, with keys in the order of the text.
 * @param {any} value
 * @returns {string}
 */
export function writeValue(value) {
  if (value instanceof Written) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeValue).join(',')}]`;
  const members = keysOf(value).map((key) => `${JSON.stringify(key)}:${writeValue(value[key])}`);
  return `{${members.join(',')}}`;
}

/** @param {string} text @returns {number | Written} */
function readNumber(text) {
  const value = Number(text);
  const [, exponent = '0'] = /[eE](.*)/.exec(text) ?? [];
  if (text.length > NUMBER_MAX || Math.abs(Number(exponent)) > NUMBER_MAX)
    throw new LogitscopeError('invalid_argument', 'schema_number', { limit: NUMBER_MAX });
  const same =
    Number.isFinite(value) && !compareDecimals(decimalOf(text), decimalOf(String(value)));
  return same ? value : new Written(text);
}

/**
 * Parses a schema. `plain` is true if JSON.parse would give an equal result.
 * @param {string} text
 * @returns {{ schema: any, plain: boolean }}
 */
export function readSchema(text) {
  try {
    checkDepth('constraint', { schema: JSON.parse(text) });
  } catch (error) {
    if (error instanceof LogitscopeError) throw error;
    throw new LogitscopeError('invalid_argument', 'schema_text', { reason: reasonOf(error) });
  }
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
  const next = () => /** @type {string} */ (tokens.next().value?.[0]);
  let plain = true;
  /** @param {string} token @returns {any} */
  const read = (token) => {
    if (token === '[') return readList();
    if (token === '{') return readObject();
    if (!/^[-\d]/.test(token)) return JSON.parse(token);
    const number = readNumber(token);
    plain &&= !(number instanceof Written);
    return number;
  };
  const readList = () => {
    const list = [];
    for (let token = next(); token !== ']'; token = next())
      if (token !== ',') list.push(read(token));
    return list;
  };
  const readObject = () => {
    const object = Object.create(null);
    /** @type {Set<string>} */
    const keys = new Set();
    for (let token = next(); token !== '}'; token = next()) {
      if (token === ',') continue;
      const key = JSON.parse(token);
      next(); // skips the colon
      object[key] = read(next());
      keys.add(key);
    }
    const order = [...keys];
    plain &&= Object.keys(object).every((key, i) => key === order[i]);
    orders.set(object, order);
    return object;
  };
  return { schema: read(next()), plain };
}
