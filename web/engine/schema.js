/**
 * Grammars (src/grammar.h) as text: JSON as RFC 8259 has it, and JSON by a small schema. White
 * space and nesting have a budget, so that no text has to go on for ever. A \u escape may be half a
 * surrogate pair, which the RFC's grammar and JSON.parse let pass.
 */
import { checkDepth, checkInteger, checkOptions } from './checks.js';
import { LogitscopeError, phrase, show, shown } from './errors.js';

const DEPTH = 16;
const SPACE = 20;
/** Of the lessons' tasks: small models fill a longer gap to its end and never come to theirs. */
const TASK_SPACE = 1;
/** Nor do they always come to the end of a string. */
const TASK_STRING = Object.freeze({ type: 'string', maxLength: 40 });
const REPEAT_MAX = 1000; // of src/grammar.c
const RULES_MAX = 512; // of src/grammar.h
/** Values and characters of a schema: what has more makes a grammar that is refused, but later. */
const SIZE_MAX = 1 << 18;
/** Characters of a grammar: comments and white space cost time too. */
const GRAMMAR_MAX = 1 << 20;
const NOTES = ['title', 'description', '$schema']; // say nothing about the text

const BASIC = String.raw`
string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
integer ::= "-"? ("0" | [1-9] [0-9]*)
number ::= integer ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
boolean ::= "true" | "false"
null ::= "null"
character ::= [^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" (single | pair))
single ::= [0-9abcefABCEF] hex{3} | [dD] [0-7] hex{2}
pair ::= [dD] [89abAB] hex{2} "\\u" [dD] [c-fC-F] hex{2}
hex ::= [0-9a-fA-F]
`;

/** What the lessons ask for, by name. */
const TASKS = Object.freeze({
  name_age_city: {
    type: 'object',
    properties: { name: TASK_STRING, age: { type: 'integer' }, city: TASK_STRING },
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
 * @param {string} at where in the schema
 * @param {string} key
 * @param {import('./errors.js').Values} [values]
 * @returns {never}
 */
function refuse(at, key, values) {
  throw new LogitscopeError('invalid_argument', 'schema', { at, trouble: phrase(key, values) });
}

/** Says of a grammar what C would say of it. @param {string} trouble @returns {never} */
function refuseWhole(trouble) {
  throw new LogitscopeError('invalid_argument', 'grammar_line', {
    line: 1,
    trouble: phrase(trouble),
  });
}

/** @param {unknown} schema of bounded depth */
function checkSize(schema) {
  let left = SIZE_MAX;
  const todo = [schema];
  while (todo.length) {
    const it = todo.pop();
    left -= typeof it === 'string' ? it.length : 1;
    if (typeof it === 'object' && it !== null)
      for (const name of Object.keys(it)) {
        left -= name.length;
        if (left < 0) refuseWhole('grammar_too_large');
        todo.push(/** @type {any} */ (it)[name]);
      }
  }
  if (left < 0) refuseWhole('grammar_too_large');
}

/**
 * A rule of its own; returns its name.
 * @param {string} name
 * @param {string} body
 * @param {string[]} rules
 */
function named(name, body, rules) {
  if (rules.length === RULES_MAX) refuseWhole('too_many_rules');
  const full = `${name}${rules.length}`;
  rules.push(`${full} ::= ${body}`);
  return full;
}

/**
 * Two bounds as a repeat: {2,5}.
 * @param {Record<string, any>} schema
 * @param {string} at
 * @param {string} low the keyword of the lower bound
 * @param {string} high
 * @returns {[number, number | undefined]}
 */
function bounds(schema, at, low, high) {
  const { [low]: least = 0, [high]: most } = schema;
  checkInteger(phrase('schema_word', { at, word: low }), least, 0, REPEAT_MAX);
  if (most !== undefined)
    checkInteger(phrase('schema_word', { at, word: high }), most, least, REPEAT_MAX);
  return [least, most];
}

/**
 * The members in the order given. The first of those that are there has no comma before it: it is
 * one of the optional ones at the beginning or the first required one.
 * @param {any} schema
 * @param {string} at
 * @param {string[]} rules
 */
function objectOf({ properties = {}, required, additionalProperties = false }, at, rules) {
  const names = Object.keys(properties ?? {});
  if (names.length > RULES_MAX) refuseWhole('too_many_rules');
  checkOptions(phrase('schema_word', { at, word: 'properties' }), properties, names);
  if (additionalProperties !== false)
    refuse(at, 'schema_additional', { value: shown(additionalProperties) });
  const listed = required ?? names;
  if (!Array.isArray(listed)) refuse(at, 'schema_required', { value: shown(listed) });
  const known = new Set(names);
  const needed = new Set(listed);
  for (const name of needed)
    if (!known.has(name)) refuse(at, 'schema_names', { value: shown(name) });
  const members = names.map((name) => {
    const value = express(properties[name], `${at}.${name}`, rules);
    return named('member', `${literal(name)} space ":" space ${value} space`, rules);
  });
  const later = members.map(
    (member, i) => `("," space ${member})${needed.has(names[i]) ? '' : '?'}`,
  );
  const first = names.findIndex((name) => needed.has(name));
  const heads = members.slice(0, first < 0 ? names.length : first + 1);
  const body = heads.map((member, i) => `${member} ${later.slice(i + 1).join(' ')}`).join(' | ');
  return `"{" space ${body && `(${body})`}${body && first < 0 ? '?' : ''} "}"`;
}

/**
 * @param {any} schema
 * @param {string} at
 * @param {string[]} rules
 */
function arrayOf(schema, at, rules) {
  const [least, most] = bounds(schema, at, 'minItems', 'maxItems');
  const item = named('item', `${express(schema.items, `${at}.items`, rules)} space`, rules);
  const more = `{${Math.max(least - 1, 0)},${most === undefined ? '' : most - 1}}`;
  const list = `(${item} ("," space ${item})${more})`;
  return `"[" space ${most === 0 ? '' : least ? list : `${list}?`} "]"`;
}

/**
 * A length counts characters, as the keywords do; a surrogate pair is one, and half of one does not
 * come where they are counted.
 * @param {any} schema
 * @param {string} at
 */
function stringOf(schema, at) {
  if (schema.minLength === undefined && schema.maxLength === undefined) return 'string';
  const [least, most = ''] = bounds(schema, at, 'minLength', 'maxLength');
  return `"\\"" character{${least},${most}} "\\""`;
}

/** What each type understands. @type {Record<string, string[]>} */
const KEYWORDS = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
  number: [],
  integer: [],
  boolean: [],
  null: [],
};

/** @param {unknown} value */
function kindOf(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * What a schema accepts, so far as it shows without looking inside: kinds, and values alone.
 * @param {any} schema
 * @returns {{ kind: string, value?: string }[]}
 */
function acceptedBy({
  anyOf,
  oneOf = anyOf,
  const: only,
  enum: values = only === undefined ? [] : [only],
  type = [],
}) {
  if (oneOf) return oneOf.flatMap(acceptedBy);
  if (values.length) {
    return values.map((/** @type {any} */ it) => ({ kind: kindOf(it), value: JSON.stringify(it) }));
  }
  return [type].flat().map((it) => ({ kind: it === 'integer' ? 'number' : it }));
}

/**
 * Whether a value fits two of the sets: a kind without a value stands for all of that kind.
 * @param {{ kind: string, value?: string }[][]} sets
 */
function meet(sets) {
  /** @type {Map<string, Set<string | undefined>>} the values of earlier sets by their kind */
  const seen = new Map();
  return sets.some((set) => {
    const met = set.some(({ kind, value }) => {
      const values = seen.get(kind);
      return values && (value === undefined || values.has(value) || values.has(undefined));
    });
    for (const { kind, value } of set) seen.set(kind, (seen.get(kind) ?? new Set()).add(value));
    return met;
  });
}

/**
 * anyOf, and oneOf where no value fits two of its schemas.
 * @param {any} schema
 * @param {string} at
 * @param {string[]} rules
 */
function choiceOf(schema, at, rules) {
  const word = schema.anyOf === undefined ? 'oneOf' : 'anyOf';
  checkOptions(phrase('schema_at', { at }), schema, [...NOTES, word]);
  const { [word]: schemas } = schema;
  if (!Array.isArray(schemas) || !schemas.length)
    refuse(at, 'schema_list', { word, value: shown(schemas) });
  const parts = schemas.map((/** @type {any} */ it, i) =>
    express(it, `${at}.${word}[${i}]`, rules),
  );
  const sets = word === 'oneOf' ? schemas.map(acceptedBy) : [];
  if (meet(sets)) refuse(at, 'schema_one_of');
  return `(${parts.join(' | ')})`;
}

/**
 * The values of enum or const, each as JSON writes it.
 * @param {any} schema
 * @param {string} at
 */
function valuesOf(schema, at) {
  const word = schema.enum === undefined ? 'const' : 'enum';
  checkOptions(phrase('schema_at', { at }), schema, [...NOTES, 'type', word]);
  const values = word === 'const' ? [schema.const] : schema.enum;
  if (!Array.isArray(values) || !values.length) refuse(at, 'schema_enum', { value: shown(values) });
  const types = schema.type === undefined ? Object.keys(KEYWORDS) : [schema.type].flat();
  const odd = values.find(
    (it) => !types.includes(kindOf(it)) && !(Number.isInteger(it) && types.includes('integer')),
  );
  if (odd !== undefined)
    refuse(at, 'schema_odd', { word, types: types.join(' or '), value: shown(odd) });
  return `(${values.map(literal).join(' | ')})`;
}

/**
 * @param {any} schema
 * @param {string} at where it is in the whole
 * @param {string[]} rules
 * @returns {string}
 */
function express(schema, at, rules) {
  if (schema?.anyOf !== undefined || schema?.oneOf !== undefined)
    return choiceOf(schema, at, rules);
  if (schema?.enum !== undefined || schema?.const !== undefined) return valuesOf(schema, at);
  const types = [schema?.type].flat();
  const odd = types.length ? types.find((type) => !Object.hasOwn(KEYWORDS, type)) : [];
  if (odd !== undefined || types.includes(undefined)) {
    refuse(at, 'schema_type', { value: shown(odd) });
  }
  checkOptions(phrase('schema_at', { at }), schema, [
    ...NOTES,
    'type',
    ...types.flatMap((type) => KEYWORDS[type]),
  ]);
  const parts = types.map((type) => {
    if (type === 'object') return objectOf(schema, at, rules);
    if (type === 'array') return arrayOf(schema, at, rules);
    return type === 'string' ? stringOf(schema, at) : type;
  });
  return parts.length > 1 ? `(${parts.join(' | ')})` : parts[0];
}

/**
 * The grammar of a constraint: "json" or a task by name, { json: { depth, space } },
 * { schema, space }, { grammar: text }.
 * @param {any} constraint
 * @returns {string}
 */
export function grammarOf(constraint) {
  checkDepth('constraint', constraint);
  if (constraint === 'json') return json(DEPTH, SPACE);
  if (typeof constraint === 'string' && Object.hasOwn(TASKS, constraint))
    return grammarOf({ schema: /** @type {any} */ (TASKS)[constraint], space: TASK_SPACE });
  if (typeof constraint === 'object' && constraint !== null && !Array.isArray(constraint)) {
    const { grammar, schema, space = SPACE } = constraint;
    if (typeof grammar === 'string') {
      checkOptions('constraint', constraint, ['grammar']);
      if (grammar.length > GRAMMAR_MAX) refuseWhole('grammar_too_large');
      return grammar;
    }
    if (schema !== undefined) {
      checkOptions('constraint', constraint, ['schema', 'space']);
      checkInteger(phrase('constraint_space'), space, 0, REPEAT_MAX);
      checkSize(schema);
      /** @type {string[]} */
      const rules = [];
      return whole(express(schema, '$', rules), rules, space);
    }
    if (constraint.json !== undefined) {
      checkOptions('constraint', constraint, ['json']);
      checkOptions('constraint: json', constraint.json, ['depth', 'space']);
      const { depth = DEPTH, space: budget = SPACE } = constraint.json;
      checkInteger(phrase('constraint_depth'), depth, 0, 100);
      checkInteger(phrase('constraint_space'), budget, 0, REPEAT_MAX);
      return json(depth, budget);
    }
  }
  throw new LogitscopeError('invalid_argument', 'constraint_kind', {
    names: Object.keys(TASKS).map(show).join(', '),
    value: shown(constraint),
  });
}
