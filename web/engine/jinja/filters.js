/** The filters of Jinja, with the `tojson` of transformers. */
import { getAttribute, pathOf } from './attributes.js';
import { bind, checkItems, needInt, needStr } from './arguments.js';
import { refuse } from './fault.js';
import { formatByPercent } from './format.js';
import { toJson } from './json.js';
import { fixedText, parseFloating, parseInteger, toFloat, toInt } from './numbers.js';
import { operate } from './operators.js';
import { capitalise, centre, join, replace, splitLines, strip } from './strings.js';
import { isTest, runTest } from './tests.js';
import { Markup, Str, concat, str } from './text.js';
import {
  Dict,
  Iter,
  Range,
  Tuple,
  Undefined,
  asNumber,
  equal,
  hashOf,
  isNumber,
  lengthOf,
  compareValues,
  less,
  listOf,
  needDefined,
  needIterator,
  text,
  isTrue,
  typeName,
} from './values.js';

/** @import { Value, Named } from './values.js' */

/** Filters of Jinja that are not supported. */
const OTHERS = new Set(
  'filesizeformat pprint random striptags urlencode urlize wordwrap xmlattr'.split(' '),
);

const isFlag = (/** @type {Value} */ value) => value !== undefined && isTrue(value);

/** The value to compare: a string in lower case unless `sensitive`. @param {Value} value @param {boolean} sensitive */
const comparisonKey = (value, sensitive) =>
  !sensitive && value instanceof Str ? value.recase((all) => all.toLowerCase()) : value;

/** Converts a value to a string, as Jinja's string filters do. @param {Value} value @param {string} name the filter */
const stringFor = (value, name) => needStr(text(value), `the filter '${name}'`);

/**
 * @param {Value[]} items
 * @param {(item: Value) => Value[]} keysOf
 * @param {boolean} reverse
 */
function sorted(items, keysOf, reverse) {
  const keyed = items.map((item) => ({ item, keys: keysOf(item) }));
  // As in Python, a list of one item is not compared, so any item is accepted.
  keyed.sort((a, b) => {
    const [x, y] = reverse ? [b.keys, a.keys] : [a.keys, b.keys];
    return compareValues(x, y);
  });
  return keyed.map(({ item }) => item);
}

/** @param {Value} attribute */
function pathsOf(attribute) {
  const paths =
    attribute instanceof Str ? attribute.text.split(',').map((path) => str(path)) : [attribute];
  return paths.map(pathOf);
}

/** @param {Value} all @param {boolean} sensitive @param {Value} attribute @param {boolean} greatest */
function minimumOrMaximum(all, sensitive, attribute, greatest) {
  const items = listOf(all);
  if (!items.length) return new Undefined('No aggregated item, sequence was empty.');
  const path = pathOf(attribute);
  const key = (/** @type {Value} */ item) => comparisonKey(path(item), sensitive);
  let best = items[0];
  for (const item of items.slice(1)) {
    const [a, b] = greatest ? [key(best), key(item)] : [key(item), key(best)];
    if (less(a, b)) best = item;
  }
  return best;
}

/** @param {Value} all @param {boolean} sensitive @param {Value} attribute */
function* unique(all, sensitive, attribute) {
  const path = pathOf(attribute);
  const seen = new Set();
  const each = needIterator(all);
  for (let step = each.next(); !step.done; step = each.next()) {
    const hash = hashOf(comparisonKey(path(step.value), sensitive));
    if (seen.has(hash)) continue;
    seen.add(hash);
    yield step.value;
  }
}

/**
 * Like `pathOf`, but a missing part of the path gives the default `or`.
 * @param {Value} attribute
 * @param {Value} or
 * @returns {(value: Value) => Value}
 */
function pathOr(attribute, or) {
  const keys =
    attribute instanceof Str ? attribute.text.split('.').map((part) => str(part)) : [attribute];
  return (value) =>
    keys.reduce((at, key) => {
      const next = pathOf(key)(at);
      return next instanceof Undefined && or !== undefined && or !== null ? or : next;
    }, value);
}

/** @param {Value} all @param {Value} attribute @param {Value} or @param {boolean} sensitive */
function groupBy(all, attribute, or, sensitive) {
  const path = pathOr(attribute, or);
  const key = (/** @type {Value} */ item) => comparisonKey(path(item), sensitive);
  /** @type {{ key: Value, items: Value[] }[]} */
  const groups = [];
  const order = listOf(all).map((item) => ({ item, key: key(item) }));
  order.sort((a, b) => compareValues(a.key, b.key));
  for (const { item, key: of } of order) {
    const last = groups.at(-1);
    if (last && equal(last.key, of)) last.items.push(item);
    else groups.push({ key: of, items: [item] });
  }
  return groups.map(({ key: of, items }) => {
    const grouper = sensitive ? of : path(items[0]);
    return new Tuple([grouper, items], { grouper, list: items });
  });
}

/** @param {Value} all @param {number} size @param {Value} fill */
function* batch(all, size, fill) {
  let row = [];
  const each = needIterator(all);
  for (let step = each.next(); !step.done; step = each.next()) {
    if (row.length === size) {
      yield row;
      row = [];
    }
    row.push(step.value);
  }
  if (!row.length) return;
  if (fill !== undefined && fill !== null) {
    checkItems(size);
    while (row.length < size) row.push(fill);
  }
  yield row;
}

/** @param {Value} all @param {number} n @param {Value} fill */
function* columns(all, n, fill) {
  const items = listOf(all);
  if (n === 0) refuse('division by zero');
  checkItems(n);
  const each = Math.floor(items.length / n);
  const extra = items.length - each * n;
  let from = 0;
  for (let i = 0; i < n; i++) {
    const to = from + each + (i < extra ? 1 : 0);
    const column = items.slice(from, to);
    if (fill !== undefined && fill !== null && i >= extra) column.push(fill);
    yield column;
    from = to;
  }
}

/** @param {Str} self @param {Value} width @param {boolean} first @param {boolean} blank */
function indent(self, width, first, blank) {
  const margin =
    width instanceof Str
      ? needStr(width, 'indent')
      : str(' ').repeat(Math.max(0, needInt(width, 'indent', 4)));
  const lines = splitLines(self.plus(str('\n')));
  const parts = first ? [margin] : [];
  for (const [i, line] of lines.entries()) {
    if (i) parts.push(str('\n'));
    if (i && (blank || line.text)) parts.push(margin);
    parts.push(line);
  }
  return concat(parts);
}

/** @param {Value} value @param {Value} lengthGiven @param {boolean} kill @param {Value} endGiven @param {Value} leewayGiven */
function truncate(value, lengthGiven, kill, endGiven, leewayGiven) {
  const end = endGiven === undefined ? str('...') : needStr(endGiven, 'truncate');
  const length = needInt(lengthGiven, 'truncate', 255);
  const leeway = leewayGiven === null ? 5 : needInt(leewayGiven, 'truncate', 5);
  if (length < end.length) refuse(`expected length >= ${end.length}, got ${length}`);
  if (leeway < 0) refuse(`expected leeway >= 0, got ${leeway}`);
  const size = lengthOf(value);
  if (size !== null && size <= length + leeway) return value;
  const self = needStr(value, 'truncate');
  const cut = self.slice(0, self.unit(length - end.length));
  const space = kill ? -1 : cut.text.lastIndexOf(' ');
  return (space < 0 ? cut : cut.slice(0, space)).plus(end);
}

/** @param {Value} value @param {Value} or @param {Value} base */
function toInteger(value, or, base) {
  const fallback = or === undefined ? 0n : or;
  if (value instanceof Undefined) refuse(value.reason);
  if (isNumber(value)) {
    const number = asNumber(value);
    if (typeof number === 'bigint') return number;
    return Number.isNaN(number) ? fallback : toInt(number);
  }
  if (!(value instanceof Str)) return fallback;
  const bare = strip(value, undefined, true, true).text;
  const int = parseInteger(bare, needInt(base, 'the base', 10));
  if (int !== null) return int;
  const float = parseFloating(bare);
  return float === null || Number.isNaN(float) ? fallback : toInt(float);
}

/** @param {Value} value @param {Value} or */
function toFloating(value, or) {
  const fallback = or === undefined ? 0 : or;
  if (value instanceof Undefined) refuse(value.reason);
  if (isNumber(value)) return toFloat(asNumber(value));
  if (!(value instanceof Str)) return fallback;
  return parseFloating(strip(value, undefined, true, true).text) ?? fallback;
}

/** @param {Value} value @param {Value} precision @param {Value} method */
function round(value, precision, method) {
  const how = method === undefined ? 'common' : text(method).text;
  if (!['common', 'ceil', 'floor'].includes(how)) refuse('method must be common, ceil or floor');
  needDefined(value);
  if (!isNumber(value)) return refuse(`cannot round '${typeName(value)}'`);
  const number = asNumber(value);
  const places = needInt(precision, 'round', 0);
  if (places < 0 || places > 300) return refuse('rounding to these places is not supported');
  if (how === 'common') {
    if (typeof number === 'bigint') return number;
    return Number.isFinite(number) ? Number(fixedText(number, places)) : number;
  }
  const scale = 10n ** BigInt(places);
  const scaled = operate('*', number, scale);
  const whole =
    typeof scaled === 'bigint'
      ? scaled
      : toInt(how === 'ceil' ? Math.ceil(scaled) : Math.floor(scaled));
  return operate('/', whole, scale);
}

/** @param {Value} all @param {Value} attribute @param {Value} start */
function sum(all, attribute, start) {
  const path = pathOf(attribute);
  let total = start === undefined ? 0n : start;
  if (total instanceof Str) refuse("sum() can't sum strings");
  let lost = 0;
  for (const item of listOf(all)) {
    const next = operate('+', total, path(item));
    if (typeof next === 'number') {
      const [a, b] = [Number(total), Number(path(item))];
      lost += Math.abs(a) >= Math.abs(b) ? a - next + b : b - next + a;
    }
    total = next;
  }
  // Python 3.12 and 3.11 add floats differently; the sums differ if an addition rounds.
  if (lost) refuse('a sum of floats that is not exact is not supported');
  return total;
}

/** @param {Value} value */
function reverse(value) {
  if (value instanceof Str) return concat(listOf(value).reverse());
  return new Iter(listOf(value).reverse().values());
}

/** @param {Value} value */
function last(value) {
  if (value instanceof Iter) refuse("'generator' object is not reversible");
  const all = value instanceof Range || value instanceof Str ? value : listOf(value);
  if (!all.length) return new Undefined('No last item, sequence was empty.');
  return all.at(all.length - 1);
}

/** @param {Value} value */
function first(value) {
  const step = needIterator(value).next();
  return step.done ? new Undefined('No first item, sequence was empty.') : step.value;
}

/** @param {Value} value @param {boolean} sensitive @param {Value} by @param {boolean} backwards */
function dictSort(value, sensitive, by, backwards) {
  const name = by === undefined ? 'key' : text(by).text;
  if (name !== 'key' && name !== 'value') refuse('You can only sort by either "key" or "value"');
  if (!(value instanceof Dict)) return refuse(`dictsort needs a dict, got '${typeName(value)}'`);
  const items = value.entries().map((entry) => new Tuple(entry));
  const place = name === 'key' ? 0 : 1;
  return sorted(items, ({ items: pair }) => [comparisonKey(pair[place], sensitive)], backwards);
}

const HTML = /** @type {Record<string, string>} */ ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
});

/** @param {Str} value */
function marked({ text: all, origin }) {
  return new Markup(all, origin);
}

/** @param {Value} value */
const escape = (value) =>
  value instanceof Markup ? value : marked(text(value).rewrite(/[&<>'"]/g, (each) => HTML[each]));

/** @param {Str} value */
function title(value) {
  return value.recase((all) =>
    all.replace(/[^-\s({[<]+/gu, (word) => {
      const first = String.fromCodePoint(word.codePointAt(0) ?? 0);
      return first.toUpperCase() + word.slice(first.length).toLowerCase();
    }),
  );
}

/** @param {Value} value @returns {Generator<Value>} */
function* itemsOf(value) {
  if (value instanceof Undefined) return;
  if (!(value instanceof Dict)) refuse('Can only get item pairs from a mapping.');
  for (const entry of value.entries()) yield new Tuple(entry);
}

/** Each filter: its parameters in the notation of `bind`, and its function. @type {Record<string, [string, (...args: Value[]) => Value]>} */
const FILTERS = {
  abs: [
    '/value!',
    (value) => {
      const number = isNumber(needDefined(value)) ? asNumber(value) : refuse('abs needs a number');
      return number < 0 || Object.is(number, -0) ? -number : number;
    },
  ],
  attr: ['obj! name!', (value, name) => attribute(value, needStr(name, 'attr'))],
  batch: [
    'value! linecount! fill_with',
    (all, n, fill) => new Iter(batch(all, needInt(n, 'batch'), fill)),
  ],
  capitalize: ['s!', (value) => capitalise(stringFor(value, 'capitalize'))],
  center: ['value! width', (value, width) => centre(stringFor(value, 'center'), width ?? 80n)],
  default: [
    'value! default_value boolean',
    (value, or, falsy) => {
      if (!(value instanceof Undefined) && !(isFlag(falsy) && !isTrue(value))) return value;
      return or === undefined ? str('') : or;
    },
  ],
  dictsort: [
    'value! case_sensitive by reverse',
    (value, sensitive, by, backwards) => dictSort(value, isFlag(sensitive), by, isFlag(backwards)),
  ],
  escape: ['/s!', escape],
  first: ['seq!', first],
  float: ['value! default', toFloating],
  forceescape: ['value!', (value) => escape(new Str(text(value).text, text(value).origin))],
  groupby: [
    'value! attribute! default case_sensitive',
    (all, path, or, sensitive) => groupBy(all, path, or, isFlag(sensitive)),
  ],
  indent: [
    's! width first blank',
    (value, width, first, blank) =>
      indent(needStr(value, 'indent'), width, isFlag(first), isFlag(blank)),
  ],
  int: ['value! default base', toInteger],
  items: ['value!', (value) => new Iter(itemsOf(value))],
  join: [
    'value! d attribute',
    (all, by, path) => {
      const parts = listOf(all).map(pathOf(path));
      const texts = parts.map((each) => withoutSafeMark(text(each)));
      return join(by === undefined ? str('') : withoutSafeMark(text(by)), texts);
    },
  ],
  last: ['seq!', last],
  length: [
    '/value!',
    (value) => {
      const length = lengthOf(value);
      return length === null ? refuse(`'${typeName(value)}' has no length`) : BigInt(length);
    },
  ],
  list: ['value!', listOf],
  lower: ['s!', (value) => stringFor(value, 'lower').recase((all) => all.toLowerCase())],
  max: [
    'value! case_sensitive attribute',
    (all, sensitive, path) => minimumOrMaximum(all, isFlag(sensitive), path, true),
  ],
  min: [
    'value! case_sensitive attribute',
    (all, sensitive, path) => minimumOrMaximum(all, isFlag(sensitive), path, false),
  ],
  replace: [
    's! old! new! count',
    (value, old, by, n) =>
      replace(
        withoutSafeMark(text(value)),
        withoutSafeMark(text(old)),
        withoutSafeMark(text(by)),
        n === null ? -1 : needInt(n, 'replace', -1),
      ),
  ],
  reverse: ['value!', reverse],
  round: ['value! precision method', round],
  safe: ['value!', (value) => marked(text(value))],
  slice: [
    'value! slices! fill_with',
    (all, n, fill) => new Iter(columns(all, needInt(n, 'slice'), fill)),
  ],
  sort: [
    'value! reverse case_sensitive attribute',
    (all, backwards, sensitive, attribute) => {
      const paths = pathsOf(attribute);
      const keys = (/** @type {Value} */ item) =>
        paths.map((path) => comparisonKey(path(item), isFlag(sensitive)));
      return sorted(listOf(all), keys, isFlag(backwards));
    },
  ],
  string: ['object!', text],
  sum: ['iterable! attribute start', sum],
  title: ['s!', (value) => title(stringFor(value, 'title'))],
  trim: ['value! chars', (value, chars) => strip(stringFor(value, 'trim'), chars, true, true)],
  truncate: [
    's! length killwords end leeway',
    (value, length, kill, end, leeway) => truncate(value, length, isFlag(kill), end, leeway),
  ],
  unique: [
    'value! case_sensitive attribute',
    (all, sensitive, path) => new Iter(unique(all, isFlag(sensitive), path)),
  ],
  upper: ['s!', (value) => stringFor(value, 'upper').recase((all) => all.toUpperCase())],
  wordcount: [
    's!',
    (value) => BigInt((stringFor(value, 'wordcount').text.match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  ],
};
FILTERS.count = FILTERS.length;
FILTERS.d = FILTERS.default;
FILTERS.e = FILTERS.escape;

/** Removes the mark "safe" of a string. @param {Str} value */
const withoutSafeMark = (value) =>
  value instanceof Markup ? new Str(value.text, value.origin) : value;

/** @param {Value} value @param {Str} name */
function attribute(value, name) {
  if (value instanceof Dict && value.has(name)) {
    // The releases of Jinja 3.1 give different results here.
    return refuse("the filter 'attr' of a dict's key is not supported");
  }
  return getAttribute(value, name.text);
}

/** @param {Value[]} args @param {Named} named @returns {(value: Value) => Value} */
function mapper(args, named) {
  if (!args.length && named.has('attribute')) {
    const [path, or] = bind("the filter 'map'", 'attribute default', [], named);
    return pathOr(path, or);
  }
  if (!args.length) return refuse('map requires a filter argument');
  const name = needStr(args[0], 'map').text;
  return (value) => runFilter(name, [value, ...args.slice(1)], named);
}

/** @param {Value[]} args @param {Named} named @param {boolean} byAttribute @returns {(value: Value) => boolean} */
function chooser(args, named, byAttribute) {
  if (byAttribute && !args.length) refuse('Missing parameter for attribute name');
  const path = byAttribute ? pathOf(args[0]) : (/** @type {Value} */ value) => value;
  const rest = byAttribute ? args.slice(1) : args;
  if (!rest.length) return (value) => isTrue(path(value));
  const name = needStr(rest[0], 'a test').text;
  if (!isTest(name)) refuse(`Unknown test: ${name}`);
  return (value) => runTest(name, [path(value), ...rest.slice(1)], named);
}

/** Filters that return an iterator. @type {Record<string, (args: Value[], named: Named) => (value: Value) => { keep: boolean, value: Value }>} */
const LAZY = {
  map: (args, named) => {
    const change = mapper(args, named);
    return (value) => ({ keep: true, value: change(value) });
  },
  select: (args, named) => choose(chooser(args, named, false), true),
  reject: (args, named) => choose(chooser(args, named, false), false),
  selectattr: (args, named) => choose(chooser(args, named, true), true),
  rejectattr: (args, named) => choose(chooser(args, named, true), false),
};

/** @param {(value: Value) => boolean} test @param {boolean} wanted */
const choose = (test, wanted) => (/** @type {Value} */ value) => ({
  keep: test(value) === wanted,
  value,
});

/** @param {string} name @param {Value[]} args @param {Named} named */
function* lazily(name, args, named) {
  if (!isTrue(args[0])) return;
  const each = needIterator(args[0]);
  const of = LAZY[name](args.slice(1), named);
  for (let step = each.next(); !step.done; step = each.next()) {
    const { keep, value } = of(step.value);
    if (keep) yield value;
  }
}

/** True if Jinja has a filter with this name. @param {string} name */
export const isFilter = (name) =>
  OTHERS.has(name) ||
  ['tojson', 'format'].includes(name) ||
  Object.hasOwn(LAZY, name) ||
  Object.hasOwn(FILTERS, name);

/** @param {string} name @param {Value[]} args the filtered value, then the filter's arguments @param {Named} named @returns {Value} */
export function runFilter(name, args, named) {
  if (!isFilter(name)) refuse(`Unknown filter: ${name}`);
  if (OTHERS.has(name)) refuse(`the filter '${name}' is not supported`);
  if (name === 'tojson') return toJson(args, named);
  if (Object.hasOwn(LAZY, name)) return new Iter(lazily(name, args, named));
  if (name === 'format') {
    if (args.length > 1 && named.size)
      refuse("can't handle positional and keyword arguments at the same time");
    const given = named.size
      ? new Dict([...named].map(([key, value]) => [str(key), value]))
      : new Tuple(args.slice(1));
    return formatByPercent(stringFor(args[0], 'format'), given);
  }
  const [parameters, run] = FILTERS[name];
  return run(...bind(`the filter '${name}'`, parameters, args, named));
}
