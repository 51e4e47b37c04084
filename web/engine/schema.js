/**
 * Grammars (src/grammar.h) as text: JSON as RFC 8259 has it, and JSON by a small schema. White space
 * and nesting have a budget, so that no text has to go on for ever. A \u escape may be half a
 * surrogate pair, which the RFC's grammar and JSON.parse let pass.
 */
import { checkInteger, checkOptions } from './checks.js';
import { LogitscopeError, show } from './errors.js';

const DEPTH = 16;
const SPACE = 20;
const REPEAT_MAX = 1000; // of src/grammar.c
const COMMON = ['type', 'title', 'description', '$schema'];

const BASIC = String.raw`
string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
integer ::= "-"? ("0" | [1-9] [0-9]*)
number ::= integer ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
boolean ::= "true" | "false"
null ::= "null"
`;

/** What the lessons ask for, by name. */
export const TASKS = Object.freeze({
  name_age_city: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' }, city: { type: 'string' } },
  },
  three_numbers: { type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 },
});

/**
 * @param {string} root
 * @param {string[]} rules
 * @param {number} space
 */
const whole = (root, rules, space) =>
  `root ::= space ${root} space\n${rules.join('\n')}${BASIC}space ::= [ \\t\\n\\r]{0,${space}}`;

/**
 * @param {number} depth
 * @param {number} space
 */
function json(depth, space) {
  const rules = Array.from({ length: depth + 1 }, (_, d) => {
    const value = `value${d} ::= string | number | boolean | null`;
    const inner = `value${d - 1} space`;
    return d
      ? `${value} | object${d} | array${d}
object${d} ::= "{" space (member${d} ("," space member${d})*)? "}"
member${d} ::= string space ":" space ${inner}
array${d} ::= "[" space (${inner} ("," space ${inner})*)? "]"`
      : value;
  });
  return whole(`value${depth}`, rules, space);
}

/**
 * A value exactly as JSON writes it, as a literal.
 * @param {unknown} value
 */
const literal = (value) => `"${JSON.stringify(value).replace(/["\\]/g, '\\$&')}"`;

/**
 * The rule of an array's item, used once before and once after the commas.
 * @param {any} schema
 * @param {string} at
 * @param {string[]} rules
 */
function arrayOf({ items, minItems = 0, maxItems }, at, rules) {
  checkInteger(`schema at ${at}: minItems`, minItems, 0, REPEAT_MAX);
  if (maxItems !== undefined) {
    checkInteger(`schema at ${at}: maxItems`, maxItems, minItems, REPEAT_MAX);
  }
  const name = `item${rules.length}`;
  const place = rules.push('') - 1;
  rules[place] = `${name} ::= ${express(items, `${at}.items`, rules)} space`;
  const most = maxItems === undefined ? '' : maxItems - 1;
  const list = `(${name} ("," space ${name}){${Math.max(minItems - 1, 0)},${most}})`;
  return `"[" space ${maxItems === 0 ? '' : minItems ? list : `${list}?`} "]"`;
}

/**
 * @param {any} schema
 * @param {string} at where it is in the whole
 * @param {string[]} rules
 * @returns {string}
 */
function express(schema, at, rules) {
  if (schema?.enum !== undefined) {
    checkOptions(`schema at ${at}`, schema, [...COMMON, 'enum']);
    if (Array.isArray(schema.enum) && schema.enum.length) {
      return `(${schema.enum.map(literal).join(' | ')})`;
    }
    throw new LogitscopeError(
      'invalid_argument',
      `schema at ${at}: enum must be a list of values, got ${show(schema.enum)}`,
    );
  }
  const type = schema?.type;
  if (type === 'object') {
    checkOptions(`schema at ${at}`, schema, [...COMMON, 'properties']);
    const members = Object.entries(schema.properties ?? {}).map(
      ([name, inner]) =>
        `${literal(name)} space ":" space ${express(inner, `${at}.${name}`, rules)} space`,
    );
    return `"{" space ${members.join(' "," space ')} "}"`;
  }
  if (type === 'array') {
    checkOptions(`schema at ${at}`, schema, [...COMMON, 'items', 'minItems', 'maxItems']);
    return arrayOf(schema, at, rules);
  }
  if (!['string', 'number', 'integer', 'boolean', 'null'].includes(type)) {
    throw new LogitscopeError(
      'invalid_argument',
      `schema at ${at}: type must be object, array, string, number, integer, boolean or null, got ${show(
        type,
      )}`,
    );
  }
  checkOptions(`schema at ${at}`, schema, COMMON);
  return type;
}

/**
 * The grammar of a constraint: "json" or a task by name, { json: { depth, space } },
 * { schema, space }, { grammar: text }.
 * @param {any} constraint
 * @returns {string}
 */
export function grammarOf(constraint) {
  if (constraint === 'json') return json(DEPTH, SPACE);
  if (Object.hasOwn(TASKS, constraint)) return grammarOf({ schema: /** @type {any} */ (TASKS)[constraint] });
  if (typeof constraint === 'object' && !Array.isArray(constraint)) {
    const { grammar, schema, space = SPACE } = constraint;
    if (typeof grammar === 'string') {
      checkOptions('constraint', constraint, ['grammar']);
      return grammar;
    }
    if (schema !== undefined) {
      checkOptions('constraint', constraint, ['schema', 'space']);
      checkInteger('constraint: space', space, 0, REPEAT_MAX);
      /** @type {string[]} */
      const rules = [];
      return whole(express(schema, '$', rules), rules, space);
    }
    if (constraint.json !== undefined) {
      checkOptions('constraint', constraint, ['json']);
      checkOptions('constraint: json', constraint.json, ['depth', 'space']);
      const { depth = DEPTH, space: budget = SPACE } = constraint.json;
      checkInteger('constraint: depth', depth, 0, 100);
      checkInteger('constraint: space', budget, 0, REPEAT_MAX);
      return json(depth, budget);
    }
  }
  throw new LogitscopeError(
    'invalid_argument',
    `constraint must be "json", ${Object.keys(TASKS).map(show).join(', ')} or an object with json, schema or grammar, got ${show(constraint)}`,
  );
}
