/** The `tojson` of transformers: Python's `json.dumps`, which escapes no HTML. */
import { bind, needInt } from './arguments.js';
import { refuse } from './fault.js';
import { floatText, intText } from './numbers.js';
import { Str, concat, str } from './text.js';
import { Dict, Tuple, compareValues, listOf, isTrue, typeName } from './values.js';

/** @import { Value } from './values.js' */

const SHORT = /** @type {Record<string, string>} */ ({
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
});
const PLAIN = /["\\\0-\x1f]/g;
const ASCII = /["\\\0-\x1f\x7f-\uffff]/g;

/** @param {string} found */
const escaped = (found) =>
  SHORT[found] ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** @param {number} value */
const floatName = (value) => (Number.isFinite(value) ? floatText(value) : String(value));

/** @typedef {{ ascii: boolean, indent: Str | null, between: Str, colon: Str, sorted: boolean }} Layout */

/** @param {Value} value @returns {Str | null} null for other values */
function scalar(value) {
  if (value === null) return str('null');
  if (typeof value === 'boolean') return str(String(value));
  if (typeof value === 'bigint') return str(intText(value));
  return typeof value === 'number' ? str(floatName(value)) : null;
}

/** @param {string} ends both brackets @param {Str[]} items @param {Str | null} margin line break and indent of the items; null: one line @param {Layout} layout */
function enclosed(ends, items, margin, layout) {
  if (!items.length) return [str(ends)];
  const parts = [str(ends[0])];
  for (const [i, item] of items.entries()) {
    if (i) parts.push(layout.between);
    if (margin) parts.push(margin);
    parts.push(item);
  }
  if (margin && layout.indent)
    parts.push(margin.slice(0, margin.text.length - layout.indent.text.length));
  return [...parts, str(ends[1])];
}

/** @param {Str} value @param {Layout} layout */
const quoted = (value, layout) =>
  concat([str('"'), value.rewrite(layout.ascii ? ASCII : PLAIN, escaped), str('"')]);

/** @param {Value} value @param {Layout} layout @param {Str | null} margin @returns {Str} */
function writeJson(value, layout, margin) {
  if (value instanceof Str) return quoted(value, layout);
  const inner = margin && layout.indent ? margin.plus(layout.indent) : null;
  if (Array.isArray(value) || value instanceof Tuple) {
    const items = listOf(value).map((each) => writeJson(each, layout, inner));
    return concat(enclosed('[]', items, inner, layout));
  }
  if (value instanceof Dict) {
    const entries = value.entries();
    if (layout.sorted) entries.sort(([a], [b]) => compareValues(a, b));
    const items = entries.map(([key, each]) => {
      const name = key instanceof Str ? key : scalar(key);
      if (!name) return refuse('a key of JSON must be a string or a number');
      return concat([quoted(name, layout), layout.colon, writeJson(each, layout, inner)]);
    });
    return concat(enclosed('{}', items, inner, layout));
  }
  return scalar(value) ?? refuse(`Object of type ${typeName(value)} is not JSON serializable`);
}

/** @param {Value[]} args the value, then the filter's arguments @param {import('./values.js').Named} named */
export function toJson(args, named) {
  const [value, ascii, indent, separators, sorted] = bind(
    'tojson',
    'value! ensure_ascii indent separators sort_keys',
    args,
    named,
  );
  let by = indent instanceof Str ? indent : null;
  if (!by && indent !== undefined && indent !== null)
    by = str(' ').repeat(Math.max(0, needInt(indent, 'indent')));
  const given = separators === undefined || separators === null ? null : listOf(separators);
  if (given && (given.length !== 2 || !given.every((each) => each instanceof Str)))
    refuse('separators must be two strings');
  const [between, colon] = given ?? [str(by ? ',' : ', '), str(': ')];
  const layout = {
    ascii: ascii !== undefined && isTrue(ascii),
    indent: by,
    between,
    colon,
    sorted: sorted !== undefined && isTrue(sorted),
  };
  return writeJson(value, layout, by && str('\n'));
}
