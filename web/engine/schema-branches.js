/**
 * Turns a JSON schema into branches: alternatives, each a conjunction of schemas without $ref,
 * allOf, anyOf and oneOf. A value fits the schema if it fits a branch.
 */
import { checkInteger, isObject } from './checks.js';
import { LogitscopeError, phrase, shown } from './errors.js';
import { INTEGER_FORMATS, patternOfFormat } from './formats.js';
import { compareDecimals, decimalOf } from './number-range.js';
import { REPEAT_MAX, regExpOf } from './pattern.js';
import { Written, digitsOf, isNumber, keysOf } from './schema-text.js';

/** @import { Bound } from './number-range.js' */
/**
 * A schema with its path in the document; references are resolved from `root`.
 * @typedef {{ schema: any, root: any, at: string }} Member
 */
/**
 * A conjunction of schemas, merged. `types` null allows any type; `values` null allows any value
 * that the other fields allow. `at` is the path in the document.
 * @typedef {object} Branch
 * @property {string} at
 * @property {string} key identifies the conjunction: equal conjunctions have equal keys
 * @property {Member[]} members
 * @property {Set<string> | null} types
 * @property {any[] | null} values
 * @property {Bound | null} low
 * @property {Bound | null} high
 * @property {{ value: any, at: string }[]} multiples
 * @property {number} minLength
 * @property {number | undefined} maxLength
 * @property {{ source: string, at: string }[]} patterns from `pattern` and `format`
 * @property {number} minItems
 * @property {number | undefined} maxItems
 * @property {number} minProperties
 * @property {number | undefined} maxProperties
 */

/**
 * Maximum number of levels of nested references and allOf in a schema. Also the maximum number of
 * anyOf and oneOf that apply to one value.
 */
const PATH_MAX = 100;
/** Maximum number of alternatives of a oneOf that are objects, since each is compared with each other one. */
const PAIRED_MAX = 64;
/** Maximum number of branches of a whole schema. */
const BRANCHES_MAX = 1 << 15;

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Keywords that apply to one type only, by type. @type {Record<string, string[]>} */
const OF_TYPE = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
  ],
  array: ['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};
const TYPE_OF = new Map(
  Object.entries(OF_TYPE).flatMap(([type, all]) => all.map((it) => [it, type])),
);
const SHAPES = new Set([
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'type',
  'nullable',
  'enum',
  'const',
  'format',
]);
/** Keywords that do not restrict the value. */
const NOTES = new Set(
  (
    'title description default examples example deprecated readOnly writeOnly discriminator xml ' +
    'externalDocs contentEncoding contentMediaType contentSchema definitions id $id $schema $comment ' +
    '$defs $anchor $dynamicAnchor $vocabulary'
  ).split(' '),
);
/** Keywords of JSON Schema that no grammar can express. */
const REFUSED = new Set(
  (
    'not if then else dependentSchemas dependentRequired dependencies contains minContains ' +
    'maxContains unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef'
  ).split(' '),
);

/**
 * @param {string} at path in the schema
 * @param {string} key
 * @param {import('./errors.js').Values} [values]
 * @returns {never}
 */
export function refuse(at, key, values) {
  throw new LogitscopeError('invalid_argument', 'schema', { at, trouble: phrase(key, values) });
}

/** @param {unknown} value */
function kindOf(value) {
  if (value === null) return 'null';
  if (value instanceof Written) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** @param {any} value of JSON */
const isWhole = (value) => isNumber(value) && decimalOf(digitsOf(value)).scale === 0;

/** True if a value is of a type. @param {any} value @param {Set<string> | null} types */
const hasType = (value, types) =>
  !types || types.has(kindOf(value)) || (types.has('integer') && isWhole(value));

/** Refuses unsupported keywords by name. @param {Member} member */
function checkKeywords({ schema, at }) {
  const { type } = schema;
  const types = [type ?? []].flat();
  const odd = types.find((it) => !TYPES.includes(it));
  if (odd !== undefined || (type !== undefined && !types.length))
    refuse(at, 'schema_type', { value: shown(odd ?? type) });
  const known = new Set(types.map((it) => (it === 'integer' ? 'number' : it)));
  for (const word of keysOf(schema)) {
    if (schema[word] === undefined) continue;
    const of = TYPE_OF.get(word);
    if (of) {
      if (types.length && !known.has(of))
        refuse(at, 'schema_beside', { word, types: types.join(' or ') });
    } else if (REFUSED.has(word)) refuse(at, 'schema_refused', { word });
    else if (!NOTES.has(word) && !SHAPES.has(word) && !word.startsWith('x-'))
      refuse(at, 'schema_unknown', { word: shown(word) });
  }
}

/** True if a schema has keywords that restrict a value, apart from references to other schemas. @param {any} schema */
const restrictsItself = (schema) =>
  Object.keys(schema).some(
    (word) => TYPE_OF.has(word) || ['type', 'enum', 'const', 'format'].includes(word),
  );

/** @param {any} object @param {string} word */
export const ownValue = (object, word) => (Object.hasOwn(object, word) ? object[word] : undefined);

/**
 * The member for a schema inside another schema.
 * @param {Member} member
 * @param {string} word
 * @param {any} schema
 * @returns {Member}
 */
export const memberInside = ({ root, at }, word, schema) => ({ schema, root, at: `${at}.${word}` });

/** The branches of the schemas of one document. */
export class Branches {
  #ids = new Map();
  #left = BRANCHES_MAX;
  /** @type {Map<string, Branch>} */
  #merged = new Map();
  #checked = new Set();

  /** @param {any} it */
  #id(it) {
    let id = this.#ids.get(it);
    if (id === undefined) this.#ids.set(it, (id = this.#ids.size));
    return id;
  }

  /**
   * The schema that a reference names.
   * @param {Member} member
   * @returns {Member}
   */
  #follow({ schema, root, at }) {
    const { $ref } = schema;
    if (typeof $ref !== 'string' || !/^#(\/|$)/.test($ref))
      refuse(at, 'schema_reference', { value: shown($ref) });
    let [found, base] = [root, root];
    try {
      for (const word of $ref.split('/').slice(1)) {
        const key = decodeURIComponent(word).replace(/~1/g, '/').replace(/~0/g, '~');
        found = typeof found === 'object' && found !== null ? ownValue(found, key) : undefined;
        if (isObject(found) && startsDocument(found)) base = found;
      }
    } catch {
      found = undefined; // decoding failed: the reference has a % without two hex digits after it
    }
    if (found === undefined) refuse(at, 'schema_dangling', { value: shown($ref) });
    return { schema: found, root: base, at: $ref };
  }

  /**
   * Adds a schema and the schemas of its references and allOf to `facts`, and each anyOf and oneOf
   * to `choices`.
   * @param {Member} member
   * @param {Member[]} facts
   * @param {{ word: string, list: Member[], path: any[], at: string }[]} choices
   * @param {any[]} path the enclosing schemas
   * @returns {boolean} false if no value fits
   */
  #collect({ schema, root, at }, facts, choices, path) {
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema) || schema instanceof Written)
      refuse(at, 'schema_schema', { value: shown(schema) });
    if (path.includes(schema)) refuse(at, 'schema_circle');
    if (path.length === PATH_MAX) refuse(at, 'schema_levels', { limit: PATH_MAX });
    const member = { schema, root: startsDocument(schema) ? schema : root, at };
    if (!this.#checked.has(schema)) checkKeywords(member);
    this.#checked.add(schema);
    if (
      restrictsItself(schema) &&
      !facts.some((fact) => fact.schema === schema && fact.root === member.root)
    )
      facts.push(member);
    const inner = [...path, schema];
    if (schema.$ref !== undefined && !this.#collect(this.#follow(member), facts, choices, inner))
      return false;
    for (const each of this.#list(member, 'allOf'))
      if (!this.#collect(each, facts, choices, inner)) return false;
    for (const word of ['anyOf', 'oneOf']) {
      const list = this.#list(member, word);
      if (list.length) choices.push({ word, list, path: inner, at });
    }
    return true;
  }

  /** @param {Member} member @param {string} word @returns {Member[]} */
  #list(member, word) {
    const { [word]: list } = member.schema;
    if (list === undefined) return [];
    if (!Array.isArray(list) || !list.length)
      refuse(member.at, 'schema_list', { word, value: shown(list) });
    return list.map((/** @type {any} */ schema, i) =>
      memberInside(member, `${word}[${i}]`, schema),
    );
  }

  /**
   * The branches of a conjunction; empty if no value fits.
   * @param {Member[]} members
   * @returns {Branch[]}
   */
  of(members) {
    /** @type {Member[]} */
    const facts = [];
    /** @type {any[]} */
    const choices = [];
    for (const member of members) if (!this.#collect(member, facts, choices, [])) return [];
    return this.#multiply(facts, choices, members[0]?.at ?? '$');
  }

  /**
   * @param {Member[]} facts
   * @param {any[]} choices
   * @param {string} at
   * @returns {Branch[]}
   */
  #multiply(facts, choices, at) {
    if (choices.length > PATH_MAX) refuse(at, 'schema_branches', { limit: PATH_MAX });
    if (!choices.length) {
      if (!this.#left--) refuse(at, 'schema_branches', { limit: BRANCHES_MAX });
      return this.#merge(facts, at);
    }
    const [{ word, list, path, at: here }, ...others] = choices;
    const results = list.map((/** @type {Member} */ each) => {
      const all = [...facts];
      const rest = [...others];
      return this.#collect(each, all, rest, path) ? this.#multiply(all, rest, each.at) : [];
    });
    if (word === 'oneOf' && this.#mayOverlap(results)) refuse(here, 'schema_one_of');
    return results.flat();
  }

  /** @param {Member[]} facts @param {string} at @returns {Branch[]} */
  #merge(facts, at) {
    const ids = facts.map(({ schema, root }) => `${this.#id(schema)}/${this.#id(root)}`);
    const key = [...new Set(ids)].sort().join(' ');
    let branch = this.#merged.get(key);
    if (!branch) this.#merged.set(key, (branch = merge(facts, at, key)));
    return branch.types?.size === 0 || branch.values?.length === 0 ? [] : [branch];
  }

  /**
   * The schemas that apply to a key: from `properties` and patternProperties, else from
   * additionalProperties.
   * @param {Branch} branch
   * @param {string} name
   * @returns {Member[]}
   */
  property({ members }, name) {
    return members.flatMap((member) => {
      const { schema } = member;
      const named = objectOf(member, 'properties');
      const found = Object.hasOwn(named, name) ? [memberInside(member, name, named[name])] : [];
      for (const [source, each] of Object.entries(objectOf(member, 'patternProperties')))
        if (expression(member, source).test(name)) found.push(memberInside(member, name, each));
      const more = ownValue(schema, 'additionalProperties');
      if (!found.length && more !== undefined) found.push(memberInside(member, name, more));
      return found;
    });
  }

  /** True if a value that the grammar writes for one list may also fit another list. @param {Branch[][]} lists */
  #mayOverlap(lists) {
    /**
     * The indices of the lists that accept a value, under a key of three kinds: one value; "some TYPE"
     * for lists that accept only some values of this type; TYPE for lists that accept all of them.
     * @type {Map<string, Set<number>>}
     */
    const takers = new Map();
    const add = (/** @type {string} */ what, /** @type {number} */ i) =>
      takers.set(what, (takers.get(what) ?? new Set()).add(i));
    const valueKey = (/** @type {any} */ it) => `${kindOf(it)} ${identityOf(it)}`;
    lists.forEach((list, i) => {
      for (const { types, values } of list) {
        for (const it of values ?? []) add(valueKey(it), i);
        for (const it of values ?? []) add(`some ${kindOf(it)}`, i);
        if (!values) for (const kind of kindsOf(types)) add(kind, i);
      }
    });
    const others = (/** @type {string} */ what, /** @type {number} */ i) => {
      const all = takers.get(what);
      return all !== undefined && (all.size > 1 || !all.has(i));
    };
    const clash = lists.some((list, i) =>
      list.some((branch) =>
        branch.values
          ? branch.values.some((it) => others(kindOf(it), i) || others(valueKey(it), i))
          : [...kindsOf(writtenTypes(branch))].some(
              (kind) => (kind !== 'object' && others(kind, i)) || others(`some ${kind}`, i),
            ),
      ),
    );
    const objects = lists.map((list) =>
      list.filter(({ types, values }) => !values && kindsOf(types).has('object')),
    );
    return clash || this.#objectsMayOverlap(objects.filter((list) => list.length));
  }

  /**
   * True if an object may fit two of the lists. No object fits two lists that require one key with
   * different values. Nor does it if one list requires a key that the other one forbids.
   * @param {Branch[][]} lists
   */
  #objectsMayOverlap(lists) {
    if (lists.length < 2) return false;
    const sets = lists.map((list) => list.map((branch) => this.#featuresOf(branch)));
    const names = [...sets[0][0].values.keys()];
    if (names.some((name) => keyTellsApart(sets, name))) return false;
    if (lists.length > PAIRED_MAX) return true;
    const same = (/** @type {Features} */ a, /** @type {Features} */ b) =>
      (!a.names || b.needed.every((name) => a.names?.has(name))) &&
      ![...a.values.keys()].some((name) => b.values.has(name) && keyTellsApart([[a], [b]], name));
    return sets.some((set, i) =>
      sets.some((other, j) => i !== j && set.some((a) => other.some((b) => same(a, b)))),
    );
  }

  /**
   * Returns the features that tell objects apart: required keys, the values of the required keys,
   * and all possible keys (null: any).
   * @param {Branch} branch
   */
  #featuresOf(branch) {
    const needed = requiredOf(branch);
    /** @type {Map<string, string[]>} */
    const values = new Map();
    for (const name of needed) {
      const found = this.of(this.property(branch, name));
      if (found.length && found.every((it) => it.values))
        values.set(
          name,
          found.flatMap((it) => (it.values ?? []).map(identityOf)),
        );
    }
    return { needed, values, names: namesOf(branch) };
  }
}

/** @typedef {{ needed: string[], values: Map<string, string[]>, names: Set<string> | null }} Features */

/** True if every branch lists its values of the key `name`, and no value is in two lists. @param {Features[][]} sets @param {string} name */
function keyTellsApart(sets, name) {
  const seen = new Set();
  return sets.every((set) => {
    const lists = set.map(({ values }) => values.get(name));
    const fresh = lists.every((list) => list?.every((value) => !seen.has(value)));
    for (const list of lists) for (const value of list ?? []) seen.add(value);
    return fresh;
  });
}

/**
 * The types that a grammar writes for a branch: `types`, else the types to which its keywords apply.
 * @param {Branch} branch
 */
export function writtenTypes({ types, members }) {
  if (types) return types;
  const meant = members.flatMap(({ schema }) =>
    keysOf(schema).flatMap((it) => TYPE_OF.get(it) ?? []),
  );
  return new Set(meant.length ? meant : TYPES);
}

/** True if references inside this schema are resolved from this schema. @param {any} schema */
const startsDocument = ({ $id }) => typeof $id === 'string' && !$id.startsWith('#');

/** @param {Set<string> | null} types */
const kindsOf = (types) =>
  new Set([...(types ?? TYPES)].map((it) => (it === 'integer' ? 'number' : it)));

/**
 * The value of a keyword that is an object of schemas, for example `properties`; {} if absent.
 * @param {Member} member
 * @param {string} word
 */
export function objectOf({ schema, at }, word) {
  const value = ownValue(schema, word) ?? {};
  if (!isObject(value)) refuse(at, 'schema_object', { word, value: shown(value) });
  return /** @type {Record<string, any>} */ (value);
}

/** @param {Branch} branch @returns {string[]} */
export function requiredOf({ members }) {
  const all = members.flatMap(({ schema, at }) => {
    const { required = [] } = schema;
    if (!Array.isArray(required)) refuse(at, 'schema_required', { value: shown(required) });
    for (const name of new Set(required))
      if (typeof name !== 'string') refuse(at, 'schema_required', { value: shown(required) });
    return [...new Set(required)];
  });
  return [...new Set(all)];
}

/** True if objects may have keys that no schema names. @param {Branch} branch */
export function isOpen({ members }) {
  const said = members.map(({ schema }) => ownValue(schema, 'additionalProperties'));
  if (said.includes(false)) return false;
  if (said.some((it) => it !== undefined)) return true;
  return members.every(
    ({ schema }) => schema.properties === undefined && schema.patternProperties === undefined,
  );
}

/** Every key that an object may have; null if it may have any. @param {Branch} branch */
function namesOf(branch) {
  const isAny = branch.members.some(({ schema }) => schema.patternProperties !== undefined);
  if (isAny || isOpen(branch)) return null;
  return new Set(branch.members.flatMap((member) => Object.keys(objectOf(member, 'properties'))));
}

/** @param {{ at: string }} place @param {string} source */
export function expression({ at }, source) {
  const found = typeof source === 'string' ? regExpOf(source) : null;
  if (!found)
    refuse(at, 'schema_pattern', { value: shown(source), trouble: phrase('pattern_malformed') });
  return found;
}

/**
 * @param {Member[]} facts
 * @param {string} at
 * @param {string} key
 * @returns {Branch}
 */
function merge(facts, at, key) {
  /** @type {Branch} */
  const branch = {
    at,
    key,
    members: facts,
    types: null,
    values: null,
    low: null,
    high: null,
    multiples: [],
    minLength: 0,
    maxLength: undefined,
    patterns: [],
    minItems: 0,
    maxItems: undefined,
    minProperties: 0,
    maxProperties: undefined,
  };
  for (const fact of facts) {
    mergeTypes(branch, fact);
    mergeValues(branch, fact);
    mergeNumbers(branch, fact);
    mergeText(branch, fact);
    mergeCounts(branch, fact, 'minLength', 'maxLength');
    mergeCounts(branch, fact, 'minItems', 'maxItems');
    mergeCounts(branch, fact, 'minProperties', 'maxProperties');
  }
  if (branch.values) branch.values = branch.values.filter((value) => fits(branch, value));
  return branch;
}

/** @param {Branch} branch @param {Member} fact */
function mergeTypes(branch, { schema }) {
  const { type, nullable } = schema;
  if (type === undefined) return;
  const mine = new Set([type].flat());
  if (nullable === true) mine.add('null');
  if (mine.has('number')) mine.add('integer');
  const { types } = branch;
  branch.types = types ? new Set([...types].filter((it) => mine.has(it))) : mine;
  if (branch.types.has('number')) branch.types.add('integer');
}

/** @param {Branch} branch @param {Member} fact */
function mergeValues(branch, { schema, at }) {
  for (const word of ['enum', 'const']) {
    const given = ownValue(schema, word);
    if (given === undefined) continue;
    const list = word === 'const' ? [given] : given;
    if (!Array.isArray(list) || (!list.length && word === 'enum'))
      refuse(at, 'schema_enum', { value: shown(list) });
    const types = [schema.type ?? []].flat();
    for (const value of list) {
      checkValue(value, at, word);
      if (types.length && !hasType(value, new Set(types)) && !(value === null && schema.nullable))
        refuse(at, 'schema_odd', { word, types: types.join(' or '), value: shown(value) });
    }
    const texts = new Set(list.map(identityOf));
    branch.values = branch.values?.filter((it) => texts.has(identityOf(it))) ?? list;
  }
}

/** A text that is equal for equal JSON values. @param {any} value @returns {string} */
function identityOf(value) {
  if (isNumber(value)) {
    const { units, scale } = decimalOf(digitsOf(value));
    return `${units}e-${scale}`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(identityOf).join(',')}]`;
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${identityOf(value[key])}`)
    .join(',')}}`;
}

/**
 * Refuses a value that JSON cannot represent.
 * @param {any} value
 * @param {string} at
 * @param {string} word
 */
function checkValue(value, at, word) {
  const kind = kindOf(value);
  if (kind === 'array' || kind === 'object') {
    if (kind === 'object' && !isObject(value))
      refuse(at, 'schema_value', { word, value: shown(value) });
    for (const each of Object.values(value)) checkValue(each, at, word);
  } else if (!TYPES.includes(kind) && !(kind === 'number' && isNumber(value)))
    refuse(at, 'schema_value', { word, value: shown(value) });
  else if (kind === 'number' && !isNumber(value))
    refuse(at, 'schema_value', { word, value: shown(value) });
}

/** @param {Branch} branch @param {Member} fact */
function mergeNumbers(branch, { schema, at }) {
  const bound = (
    /** @type {string} */ word,
    /** @type {string} */ exclusive,
    /** @type {1 | -1} */ side,
  ) => {
    const { [word]: value, [exclusive]: beyond } = schema;
    /** @type {[string, any, boolean][]} */
    const all = [
      [word, value, beyond === true],
      [exclusive, typeof beyond === 'boolean' ? undefined : beyond, true],
    ];
    for (const [name, given, open] of all) {
      if (given === undefined) continue;
      if (!isNumber(given)) refuse(at, 'schema_finite', { word: name, value: shown(given) });
      tighten(branch, { value: decimalOf(digitsOf(given)), open }, side);
    }
  };
  bound('minimum', 'exclusiveMinimum', 1);
  bound('maximum', 'exclusiveMaximum', -1);
  const { multipleOf, format, type } = schema;
  if (multipleOf !== undefined) {
    if (!isNumber(multipleOf) || decimalOf(digitsOf(multipleOf)).units <= 0n)
      refuse(at, 'schema_finite', { word: 'multipleOf', value: shown(multipleOf) });
    branch.multiples.push({ value: multipleOf, at });
  }
  if (type === 'integer' && typeof format === 'string' && Object.hasOwn(INTEGER_FORMATS, format)) {
    const [low, high] = INTEGER_FORMATS[format];
    tighten(branch, { value: decimalOf(low), open: false }, 1);
    tighten(branch, { value: decimalOf(high), open: false }, -1);
  }
}

/** @param {Branch} branch @param {Bound} bound @param {1 | -1} side 1: a lower bound */
function tighten(branch, bound, side) {
  const word = side > 0 ? 'low' : 'high';
  const { [word]: before } = branch;
  const order = before ? side * compareDecimals(bound.value, before.value) : 1;
  if (order > 0 || (order === 0 && bound.open)) branch[word] = bound;
}

/** @param {Branch} branch @param {Member} fact */
function mergeText(branch, fact) {
  const { pattern, format } = fact.schema;
  const { at } = fact;
  if (pattern !== undefined) {
    expression(fact, pattern);
    branch.patterns.push({ source: pattern, at });
  }
  const source = patternOfFormat(format);
  if (source !== undefined) branch.patterns.push({ source, at });
}

/**
 * @param {Branch} branch
 * @param {Member} fact
 * @param {'minLength' | 'minItems' | 'minProperties'} low
 * @param {'maxLength' | 'maxItems' | 'maxProperties'} high
 */
function mergeCounts(branch, { schema, at }, low, high) {
  const { [low]: least = 0, [high]: most } = schema;
  checkInteger(phrase('schema_word', { at, word: low }), least, 0, REPEAT_MAX);
  if (most !== undefined)
    checkInteger(phrase('schema_word', { at, word: high }), most, least, REPEAT_MAX);
  branch[low] = Math.max(branch[low], least);
  if (most !== undefined) branch[high] = Math.min(branch[high] ?? Infinity, most);
}

/** True if a number is a multiple of another. @param {any} value @param {any} of */
function isMultiple(value, of) {
  const [a, b] = [decimalOf(digitsOf(value)), decimalOf(digitsOf(of))];
  const scale = Math.max(a.scale, b.scale);
  const at = (/** @type {import('./number-range.js').Decimal} */ it) =>
    it.units * 10n ** BigInt(scale - it.scale);
  return at(a) % at(b) === 0n;
}

/** True if a branch allows a key. @param {Branch} branch @param {string} name */
export const allowsKey = (branch, name) =>
  (branch.values?.includes(name) ?? true) && fits(branch, name);

/**
 * True if a value fits a branch. Keywords about the contents of arrays and objects are refused.
 * @param {Branch} branch
 * @param {any} value
 */
function fits(branch, value) {
  const { types, low, high, multiples, minLength, maxLength = Infinity, patterns, at } = branch;
  if (!hasType(value, types)) return false;
  if (isNumber(value)) {
    const decimal = decimalOf(digitsOf(value));
    const inside = (/** @type {Bound | null} */ bound, /** @type {number} */ side) => {
      const order = bound ? side * compareDecimals(decimal, bound.value) : 1;
      return order > 0 || (order === 0 && !bound?.open);
    };
    return (
      inside(low, 1) && inside(high, -1) && multiples.every((it) => isMultiple(value, it.value))
    );
  }
  if (typeof value === 'string') {
    const { length } = [...value];
    if (length < minLength || length > maxLength) return false;
    return patterns.every((it) => expression(it, it.source).test(value));
  }
  if (typeof value === 'object' && value !== null) {
    const type = Array.isArray(value) ? 'array' : 'object';
    const word = branch.members
      .flatMap(({ schema }) => keysOf(schema))
      .find((it) => TYPE_OF.get(it) === type);
    if (word !== undefined) refuse(at, 'schema_with_values', { word });
  }
  return true;
}
