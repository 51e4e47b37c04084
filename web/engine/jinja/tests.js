/** The tests of Jinja: `value is odd`. */
import { bind } from './arguments.js';
import { refuse } from './fault.js';
import { COMPARE, operate } from './operators.js';
import { isLower, isUpper } from './strings.js';
import { Markup, Str } from './text.js';
import {
  Dict,
  Func,
  Thing,
  Undefined,
  View,
  contains,
  equal,
  isNumber,
  lengthOf,
  iteratorOf,
  text,
} from './values.js';

/** @import { Value, Named } from './values.js' */

/** @param {Value} value @param {Value} other */
function same(value, other) {
  const isPlain = (/** @type {Value} */ each) => isNumber(each) && typeof each !== 'boolean';
  if (isPlain(value) || isPlain(other) || value instanceof Str || other instanceof Str)
    return refuse("the test 'sameas' of numbers and strings is not supported");
  return value === other;
}

/** @param {(a: Value, b: Value) => boolean} test @returns {[string, (a: Value, b: Value) => boolean]} */
const binary = (test) => ['/a! /b!', test];

/** @type {Record<string, [string, (...args: Value[]) => boolean]>} */
const TESTS = {
  odd: ['value!', (value) => equal(operate('%', value, 2n), 1n)],
  even: ['value!', (value) => equal(operate('%', value, 2n), 0n)],
  divisibleby: ['value! num!', (value, by) => equal(operate('%', value, by), 0n)],
  defined: ['value!', (value) => !(value instanceof Undefined)],
  undefined: ['value!', (value) => value instanceof Undefined],
  none: ['value!', (value) => value === null],
  boolean: ['value!', (value) => typeof value === 'boolean'],
  true: ['value!', (value) => value === true],
  false: ['value!', (value) => value === false],
  integer: ['value!', (value) => typeof value === 'bigint'],
  float: ['value!', (value) => typeof value === 'number'],
  number: ['value!', isNumber],
  lower: ['value!', (value) => isLower(text(value).text)],
  upper: ['value!', (value) => isUpper(text(value).text)],
  string: ['value!', (value) => value instanceof Str],
  mapping: ['value!', (value) => value instanceof Dict],
  sequence: [
    'value!',
    (value) => lengthOf(value) !== null && !(value instanceof View || value instanceof Thing),
  ],
  iterable: [
    'value!',
    (value) =>
      iteratorOf(value) !== null || (value instanceof Thing && value.kind === 'LoopContext'),
  ],
  callable: [
    '/value!',
    (value) =>
      value instanceof Func ||
      value instanceof Undefined ||
      (value instanceof Thing && value.kind === 'LoopContext'),
  ],
  sameas: ['value! other!', same],
  escaped: ['value!', (value) => value instanceof Markup],
  in: ['value! seq!', (value, all) => contains(all, value)],
  filter: ['value!', () => refuse("the test 'filter' is not supported")],
  test: ['value!', () => refuse("the test 'test' is not supported")],
};
const NAMES = /** @type {Record<string, string>} */ ({
  '==': '== eq equalto',
  '!=': '!= ne',
  '<': '< lt lessthan',
  '<=': '<= le',
  '>': '> gt greaterthan',
  '>=': '>= ge',
});
for (const [operator, names] of Object.entries(NAMES))
  for (const name of names.split(' ')) TESTS[name] = binary(COMPARE[operator]);

/** @param {string} name */
export const isTest = (name) => Object.hasOwn(TESTS, name);

/** @param {string} name @param {Value[]} args the tested value, then the test's arguments @param {Named} named @returns {boolean} */
export function runTest(name, args, named) {
  if (!isTest(name)) refuse(`Unknown test: ${name}`);
  const [parameters, test] = TESTS[name];
  return test(...bind(`the test '${name}'`, parameters, args, named));
}
