/**
 * Writes grammars (src/grammar.h) for JSON (RFC 8259) and for JSON that fits a schema. White space
 * and nesting are limited, so that every text can end. A \u escape may be half a surrogate pair,
 * which the RFC's grammar and JSON.parse allow.
 *
 * Every text that a schema's grammar accepts is an instance of the schema. Some instances are not
 * accepted: keys must have the schema's order, an object with `properties` may have other keys only
 * if the schema has `additionalProperties`, and numbers with bounds have no exponent.
 */
import { checkDepth, checkInteger, checkOptions, isObject } from './checks.js';
import { LogitscopeError, phrase, show, shown } from './errors.js';
import { compileWith } from './gates.js';
import { Languages, TooLarge, grammarOfStates } from './language.js';
import {
  DIGITS_MAX,
  decimalOf,
  floorOf,
  shortBound,
  rangeOf,
  unitsAt,
  writeDecimal,
} from './number-range.js';
import { REPEAT_MAX, Unsupported, languageOfPattern } from './pattern.js';
import {
  Branches,
  allowsKey,
  expression,
  memberInside,
  isOpen,
  objectOf,
  ownValue,
  refuse,
  requiredOf,
  writtenTypes,
} from './schema-branches.js';
import { digitsOf, keysOf, readSchema, writeValue } from './schema-text.js';

/** @import { Branch, Member } from './schema-branches.js' */
/** @import { Language } from './pattern.js' */
/** @import { Bound, Decimal } from './number-range.js' */

const DEPTH = 16;
const SPACE = 20;
/**
 * Maximum white space in the lessons' tasks. A small model would fill a longer gap with spaces and
 * never close the text.
 */
const TASK_SPACE = 1;
/** A string with a maximum length, because a small model does not always close a string. */
const TASK_STRING = Object.freeze({ type: 'string', maxLength: 40 });
/** Deepest nesting of an unrestricted value in a schema. */
const ANY_DEPTH = 8;
/** A piece of grammar that is used several times becomes a rule if it has more characters than this. */
const SHORT = 60;
/**
 * Maximum number of levels of items and values within one rule. Each level uses up to three parentheses;
 * src/grammar.c allows 100.
 */
const NESTING = 8;
/** Maximum number of levels of nested schemas; a reference counts as a level. */
const LEVELS_MAX = 200;
/** Maximum number of expressions in patternProperties: n of them have 2^n combinations. */
const PATTERNS_MAX = 4;
/** Maximum number of multiples between two integers for a multipleOf below 1, since the grammar lists each. */
const FRACTIONS_MAX = 100;
/** Maximum number of multiples between two bounds, since the grammar lists each. */
const MULTIPLES_MAX = 1000;
const RULES_MAX = 512; // of src/grammar.h
/**
 * Maximum number of values and characters of a schema. The grammar of a larger schema would be refused later.
 */
const SIZE_MAX = 1 << 18;
const RECENT_MAX = 8;
/** Maximum number of characters of a grammar, comments and white space included. */
const GRAMMAR_MAX = 1 << 20;

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

/** The schemas of the lessons' tasks, by name. */
const TASKS = Object.freeze({
  name_age_city: {
    type: 'object',
    properties: { name: TASK_STRING, age: { type: 'integer' }, city: TASK_STRING },
    required: ['name', 'age', 'city'],
  },
  three_numbers: { type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 },
});

/**
 * @param {string} root
 * @param {string[]} rules
 * @param {number} space
 */
const grammarFrom = (root, rules, space) =>
  `root ::= space ${root} space\n${rules.join('\n')}${BASIC}space ::= [ \\t\\n\\r]{0,${space}}`;

/** @param {number} depth @param {number} space */
function grammarOfJson(depth, space) {
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
  return grammarFrom(`value${depth}`, rules, space);
}

/** The grammar's literal for a JSON value. @param {unknown} value */
const literal = (value) => `"${writeValue(value).replace(/["\\]/g, '\\$&')}"`;

/**
 * Throws the error that C reports for a grammar without a line number.
 * @param {string} trouble
 * @returns {never}
 */
function refuseWhole(trouble) {
  throw new LogitscopeError('invalid_argument', 'grammar_line', {
    line: 1,
    trouble: phrase(trouble),
  });
}

/** @param {unknown} schema of limited depth */
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

/** @param {string[]} parts @returns {string} an alternative of the parts */
const oneOf = (parts) => (parts.length > 1 ? `(${parts.join(' | ')})` : parts[0]);

/** Writes the rules of a schema. A part (a piece of grammar text) is null if no text fits it. */
class Writer {
  #branches = new Branches();
  #count = 0;
  /** @type {string[]} */
  rules = [];
  /**
   * The part of each branch; `body` is absent while the part is being written.
   * @type {Map<string, { name?: string, body?: string | null }>}
   */
  #written = new Map();
  /** @type {Map<string, string | null>} */
  #texts = new Map();
  #any = '';
  #level = 0;

  /** @param {string} base */
  #newName(base) {
    if (this.#count === RULES_MAX) refuseWhole('too_many_rules');
    return `${base}${this.#count++}`;
  }

  /** Makes a rule; returns its name. @param {string} base @param {string} body */
  #rule(base, body) {
    const name = this.#newName(base);
    this.rules.push(`${name} ::= ${body}`);
    return name;
  }

  /**
   * Returns a part for repeated use: the name of a new rule if it is long, else the part itself.
   * @param {string} base
   * @param {string} body
   */
  #shared(base, body) {
    return body.length > SHORT ? this.#rule(base, body) : body;
  }

  /** @param {Member[]} members @returns {string | null} */
  value(members) {
    if (this.#level++ === LEVELS_MAX)
      refuse(members[0]?.at ?? '$', 'schema_levels', { limit: LEVELS_MAX });
    const branches = this.#branches.of(members);
    const parts = new Set(branches.flatMap((branch) => this.#branch(branch) ?? []));
    this.#level--;
    if (!parts.size) return null;
    const part = oneOf([...parts]);
    return this.#level % NESTING ? part : this.#shared('value', part);
  }

  /** @param {Branch} branch @returns {string | null} */
  #branch(branch) {
    const known = this.#written.get(branch.key);
    if (known) {
      const { body, name } = known;
      if (body === null) return null;
      if (body === undefined) return (known.name ??= this.#newName('value'));
      if (name === undefined && body.length <= SHORT) return body;
      return (known.name ??= this.#rule('value', body));
    }
    /** @type {{ name?: string, body?: string | null }} */
    const entry = {};
    this.#written.set(branch.key, entry);
    const body = this.#partOfBranch(branch);
    entry.body = body;
    if (entry.name === undefined) return body;
    if (body === null) refuse(branch.at, 'schema_nothing');
    this.rules.push(`${entry.name} ::= ${body}`);
    return entry.name;
  }

  /** @param {Branch} branch @returns {string | null} */
  #partOfBranch(branch) {
    if (branch.values) return oneOf(branch.values.map(literal));
    if (!branch.members.length) return this.#anything();
    const types = writtenTypes(branch);
    const parts = [...types].flatMap((type) => {
      if (type === 'integer' && types.has('number')) return [];
      return this.#valueOfType(type, branch) ?? [];
    });
    return parts.length ? oneOf(parts) : null;
  }

  /** @param {string} type @param {Branch} branch @returns {string | null} */
  #valueOfType(type, branch) {
    if (type === 'object') return this.#object(branch);
    if (type === 'array') return this.#array(branch);
    if (type === 'string') return this.#string(branch);
    if (type === 'number' || type === 'integer') return this.#number(branch, type);
    return type;
  }

  /** Any value, with limited nesting: one rule for each depth. */
  #anything() {
    if (this.#any) return this.#any;
    let inner = 'string | number | boolean | null';
    for (let depth = 0; depth < ANY_DEPTH; depth++) {
      const item = `${this.#rule('any', inner)} space`;
      const member = `string space ":" space ${item}`;
      inner =
        `string | number | boolean | null | "{" space (${member} ("," space ${member})*)? "}" | ` +
        `"[" space (${item} ("," space ${item})*)? "]"`;
    }
    this.#any = this.#rule('any', inner);
    return this.#any;
  }

  /** @param {Branch} branch @param {string} type @returns {string | null} */
  #number({ at, low, high, multiples }, type) {
    let places = type === 'integer' ? 0 : Infinity;
    for (const { value, at: here } of multiples) {
      const { units, scale } = decimalOf(digitsOf(value));
      const parts = 10n ** BigInt(scale) / units; // number of multiples between two integers
      const divides = parts * units === 10n ** BigInt(scale);
      if (divides && (units === 1n || places === 0)) places = Math.min(places, scale);
      else if (multiples.length > 1) refuse(here, 'schema_refused', { word: 'multipleOf' });
      else if (low && high) return multiplesOf({ units, scale }, low, high, places, here);
      else if (divides && !low && !high && parts <= FRACTIONS_MAX)
        return fractionsOf(Number(parts));
      else refuse(here, 'schema_multiple', { value: digitsOf(value) });
    }
    if (!low && !high) {
      if (places === 0) return 'integer';
      return places === Infinity ? 'number' : `integer ("." [0-9]{1,${places}})?`;
    }
    const bounds = [low && shortBound(low, 1), high && shortBound(high, -1)];
    const lost = (low && !bounds[0] && low) || (high && !bounds[1] && high);
    if (lost) refuse(at, 'schema_digits', { limit: DIGITS_MAX });
    return rangeOf(bounds[0] ?? null, bounds[1] ?? null, places);
  }

  /**
   * minLength and maxLength count a surrogate pair as one character. A string with such a limit
   * contains no half of a pair.
   * @param {Branch} branch
   * @returns {string | null}
   */
  #string(branch) {
    const { minLength, maxLength, patterns } = branch;
    if (patterns.length) return this.#matchingString(branch, [], []);
    if (maxLength !== undefined && maxLength < minLength) return null;
    if (!minLength && maxLength === undefined && !saysLength(branch)) return 'string';
    return `"\\"" character{${minLength},${maxLength ?? ''}} "\\""`;
  }

  /**
   * The strings of a branch; each character has one spelling.
   * @param {Pick<Branch, 'at' | 'patterns' | 'minLength' | 'maxLength'>} branch
   * @param {{ source: string, at: string, negated: boolean }[]} more expressions that must match,
   *   or must not match if `negated`
   * @param {string[]} without excluded texts
   * @returns {string | null}
   */
  #matchingString({ at, patterns, minLength, maxLength = Infinity }, more, without) {
    const all = [...patterns.map((it) => ({ ...it, negated: false })), ...more];
    const key = JSON.stringify([
      all.map((it) => [it.source, it.negated]),
      minLength,
      maxLength ?? '',
      without,
    ]);
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const made = new Languages();
    try {
      const texts = all.map(({ source, negated, at: here }) => {
        const found = languageAt(made, source, here);
        return negated ? made.not(found) : found;
      });
      const length = made.repeat(made.any, minLength, maxLength);
      const others = made.not(made.or(without.map((text) => made.text(text))));
      const states = made.states(made.and([...texts, length, others]));
      const body = states.length
        ? `"\\"" ${grammarOfStates(states, (part) => this.#ruleOfState(part), this.#define)}`
        : null;
      const part = body && this.#shared('text', body);
      this.#texts.set(key, part);
      return part;
    } catch (error) {
      if (error instanceof TooLarge) refuse(at, 'schema_states');
      throw error;
    }
  }

  /** @param {string | null} body */
  #ruleOfState(body) {
    return body === null ? this.#newName('text') : this.#rule('text', body);
  }

  #define = (/** @type {string} */ name, /** @type {string} */ body) => {
    this.rules.push(`${name} ::= ${body}`);
  };

  /** @param {Branch} branch @returns {string | null} */
  #array(branch) {
    const lists = branch.members.map(itemsOf);
    const length = Math.max(0, ...lists.map(({ first }) => first.length));
    const elementOf = (/** @type {number} */ i) =>
      this.value(lists.flatMap(({ first, others }) => first[i] ?? others ?? []));
    const isTuple = length > 0 && lists.every(({ others }) => !others);
    const least = branch.minItems;
    let most = Math.min(branch.maxItems ?? Infinity, isTuple ? length : Infinity);
    if (branch.members.some(({ schema }) => schema.uniqueItems === true) && most > 1)
      refuse(branch.at, 'schema_refused', { word: 'uniqueItems' });
    /** @type {string[]} */
    const first = [];
    for (let i = 0; i < Math.min(length, most); i++) {
      const element = elementOf(i);
      if (element === null) most = i;
      else first.push(`${element} space`);
    }
    const other = most > length ? elementOf(length) : null;
    if (other === null) most = Math.min(most, length);
    if (least > most) return null;
    return `"[" space ${this.#list(first, other && `${other} space`, least, most)}"]"`;
  }

  /**
   * @param {string[]} first
   * @param {string | null} other part of each item after `first`; null if there is none
   * @param {number} least
   * @param {number} most
   */
  #list(first, other, least, most) {
    if (most === 0) return '';
    const n = first.length;
    const rest = other && most > n ? this.#shared('item', other) : null;
    const times = (/** @type {number} */ before) =>
      `{${Math.max(least - before, 0)},${most === Infinity ? '' : most - before}}`;
    if (!n) {
      const list = `(${rest} ("," space ${rest})${times(1)})`;
      return `${least ? list : `${list}?`} `;
    }
    let tail = rest ? `("," space ${rest})${times(n)}` : '';
    for (let i = n - 1; i > 0; i--) {
      const more = `"," space ${first[i]} ${tail}`;
      tail = i < least ? more : `(${more})?`;
      if (i % NESTING === 0) tail = this.#shared('item', tail);
    }
    const list = `${first[0]} ${tail}`;
    return `${least ? list : `(${list})?`} `;
  }

  /** @param {Branch} branch @returns {string | null} */
  #object(branch) {
    const asked = this.#nameBranch(branch);
    const { names, needed, open } = keysOfObject(branch, this.#branches, asked);
    if (asked && [...needed].some((name) => !allowsKey(asked, name))) return null;
    /** @type {{ part: string, needed: boolean }[]} */
    const members = [];
    for (const name of names) {
      const value = this.value(this.#branches.property(branch, name));
      if (value !== null)
        members.push({
          part: `${literal(name)} space ":" space ${value} space`,
          needed: needed.has(name),
        });
      else if (needed.has(name)) return null;
    }
    const other = asked?.values ? null : this.#others(branch, names, asked, open);
    return this.#members(branch, members, other);
  }

  /**
   * The branch that propertyNames requires of every key; null without propertyNames.
   * @param {Branch} branch
   * @returns {Branch | null}
   */
  #nameBranch({ members, at }) {
    const asked = members.flatMap((member) => {
      const schema = ownValue(member.schema, 'propertyNames');
      return schema === undefined ? [] : [memberInside(member, 'propertyNames', schema)];
    });
    if (!asked.length) return null;
    const found = this.#branches.of(asked);
    const [branch] = found;
    if (found.length !== 1 || (branch.types && !branch.types.has('string')))
      refuse(at, 'schema_refused', { word: 'propertyNames' });
    return branch;
  }

  /**
   * One part for all members with a key outside `properties`; null if there are none.
   * @param {Branch} branch
   * @param {string[]} names
   * @param {Branch | null} asked branch that every key must fit; null for any key
   * @param {boolean} open true if other keys are allowed
   * @returns {string | null}
   */
  #others(branch, names, asked, open) {
    const { members, at } = branch;
    const sources = [
      ...new Set(members.flatMap((member) => keysOf(objectOf(member, 'patternProperties')))),
    ];
    if (sources.length > PATTERNS_MAX)
      refuse(at, 'schema_patterns', { limit: PATTERNS_MAX, n: sources.length });
    const parts = [];
    for (let set = 0; set < 2 ** sources.length; set++) {
      const isMet = (/** @type {number} */ i) => Math.floor(set / 2 ** i) % 2 === 1;
      if (set === 0 && !open) continue;
      const met = new Set(sources.filter((_, i) => isMet(i)));
      const value = this.value(members.flatMap((member) => schemasForKeys(member, met)));
      if (value === null) continue;
      const key = this.#key(
        asked,
        names,
        sources.map((source, i) => ({ source, at, negated: !isMet(i) })),
      );
      if (key !== null) parts.push(`${key} space ":" space ${value} space`);
    }
    return parts.length ? this.#shared('member', oneOf(parts)) : null;
  }

  /**
   * @param {Branch | null} asked
   * @param {string[]} names
   * @param {{ source: string, at: string, negated: boolean }[]} patterns
   */
  #key(asked, names, patterns) {
    const plain = asked && !asked.patterns.length;
    if (!names.length && !patterns.length && (!asked || plain))
      return asked ? this.#string(asked) : 'string';
    const none = { at: '', patterns: [], minLength: 0, maxLength: undefined };
    return this.#matchingString(asked ?? none, patterns, names);
  }

  /**
   * Writes the members of an object. `other` is the part for keys outside the declared ones; null if none is allowed.
   * @param {Branch} branch
   * @param {{ part: string, needed: boolean }[]} members
   * @param {string | null} other
   * @returns {string | null}
   */
  #members(branch, members, other) {
    if (other && members.length === 0) return objectOfOthers(branch, other);
    const { at, minProperties, maxProperties = Infinity } = branch;
    const needed = members.filter((member) => member.needed).length;
    if (maxProperties < needed || (!other && minProperties > members.length)) return null;
    if (minProperties > Math.max(needed, 1))
      refuse(at, 'schema_count', { word: 'minProperties', value: minProperties });
    if (maxProperties < members.length || (other && maxProperties < Infinity))
      refuse(at, 'schema_count', { word: 'maxProperties', value: maxProperties });
    const body = this.#listed(members, other);
    const isOptional = !needed && minProperties === 0;
    return `"{" space ${body && `(${body})`}${body && isOptional ? '?' : ''} "}"`;
  }

  /**
   * Writes the members in the given order. A comma precedes every member that is present, except
   * the first: an optional member at the beginning, or the first required member.
   * @param {{ part: string, needed: boolean }[]} members
   * @param {string | null} other
   */
  #listed(members, other) {
    const more = other ? `("," space ${other})*` : '';
    const first = members.findIndex((member) => member.needed);
    const heads = first < 0 ? members.length : first + 1;
    let tail = [...members.slice(heads).map(afterComma), more].join(' ');
    const starts = other && first < 0 ? [`${other} ${more}`] : [];
    for (let i = heads - 1; i >= 0; i--) {
      if (heads > 1) tail = this.#shared('member', tail);
      const part = heads > 1 ? this.#shared('member', members[i].part) : members[i].part;
      starts.unshift(`${part} ${tail}`);
      tail = `${afterComma({ part, needed: members[i].needed })} ${tail}`;
    }
    return starts.join(' | ');
  }
}

/** @param {{ part: string, needed: boolean }} member */
const afterComma = ({ part, needed }) => (needed ? `"," space ${part}` : `("," space ${part})?`);

/**
 * Writes an object whose keys are all outside the declared ones.
 * @param {Branch} branch
 * @param {string} other
 * @returns {string | null}
 */
function objectOfOthers({ at, minProperties, maxProperties = Infinity }, other) {
  if (minProperties > 1)
    refuse(at, 'schema_count', { word: 'minProperties', value: minProperties });
  if (maxProperties === 0) return minProperties ? null : '"{" space "}"';
  const times = maxProperties === Infinity ? '*' : `{0,${maxProperties - 1}}`;
  return `"{" space (${other} ("," space ${other})${times})${minProperties ? '' : '?'} "}"`;
}

/**
 * Returns the declared keys (`names`), the required keys (`needed`), and `open`: true if other keys
 * are allowed.
 * @param {Branch} branch
 * @param {Branches} branches
 * @param {Branch | null} asked branch that every key must fit; null for any key
 */
function keysOfObject(branch, branches, asked) {
  const { members, at } = branch;
  const declared = new Set(members.flatMap((member) => keysOf(objectOf(member, 'properties'))));
  const needed = new Set(requiredOf(branch));
  const open = isOpen(branch);
  if (open)
    for (const name of asked?.values ?? []) if (typeof name === 'string') declared.add(name);
  for (const name of needed) {
    if (!declared.has(name) && !open && !branches.property(branch, name).length)
      refuse(at, 'schema_names', { value: shown(name) });
    declared.add(name);
  }
  return { names: [...declared].filter((name) => !asked || allowsKey(asked, name)), needed, open };
}

/** @param {Branch} branch */
const saysLength = ({ members }) =>
  members.some(({ schema }) => schema.minLength !== undefined || schema.maxLength !== undefined);

/**
 * Lists the multiples of a number between two bounds.
 * @param {Decimal} step
 * @param {Bound} low @param {Bound} high
 * @param {number} places
 * @param {string} at
 */
function multiplesOf(step, low, high, places, at) {
  const scale = Math.max(step.scale, low.value.scale, high.value.scale);
  const [by, from, to] = [step, low.value, high.value].map((it) => unitsAt(it, scale));
  const first = -floorOf(-from, by);
  const count = floorOf(to, by) - first;
  if (count > MULTIPLES_MAX) refuse(at, 'schema_multiple', { value: writeDecimal(step) });
  /** @type {string[]} */
  const all = [];
  for (let i = first; i <= first + count; i++) {
    const units = i * by;
    if ((low.open && units === from) || (high.open && units === to)) continue;
    const text = writeDecimal({ units, scale });
    if (places > 0 || !text.includes('.')) all.push(`"${text}"`);
  }
  return all.length ? oneOf(all) : null;
}

/** The grammar of the multiples of 1 / parts. @param {number} parts */
function fractionsOf(parts) {
  const all = Array.from({ length: parts }, (_, i) => String(i / parts).slice(1) || '.0');
  return `integer (${all.map((text) => `"${text}"`).join(' | ')})?`;
}

/**
 * The schemas of an array's first items, and the schema of all later items in `others`; undefined if
 * the schema does not state it.
 * @param {Member} member
 * @returns {{ first: Member[], others: Member | undefined }}
 */
function itemsOf(member) {
  const { schema, at } = member;
  const isOld = Array.isArray(schema.items);
  const first = isOld ? schema.items : (schema.prefixItems ?? []);
  if (!Array.isArray(first))
    refuse(at, 'schema_list', { word: 'prefixItems', value: shown(first) });
  const others = isOld ? schema.additionalItems : schema.items;
  return {
    first: first.map((/** @type {any} */ each, i) => memberInside(member, `items[${i}]`, each)),
    others: others === undefined ? undefined : memberInside(member, 'items', others),
  };
}

/**
 * The schemas for keys that are not in `properties` and match the patternProperties in `met`.
 * @param {Member} member
 * @param {Set<string>} met
 * @returns {Member[]}
 */
function schemasForKeys(member, met) {
  const patterns = objectOf(member, 'patternProperties');
  const found = Object.keys(patterns)
    .filter((source) => met.has(source))
    .map((source) => memberInside(member, source, patterns[source]));
  const more = ownValue(member.schema, 'additionalProperties');
  return found.length || more === undefined
    ? found
    : [memberInside(member, 'additionalProperties', more)];
}

/**
 * @param {Languages} made
 * @param {string} source
 * @param {string} at
 * @returns {Language}
 */
function languageAt(made, source, at) {
  expression({ at }, source);
  try {
    return languageOfPattern(made, source);
  } catch (error) {
    if (error instanceof Unsupported)
      refuse(at, 'schema_pattern', { value: shown(source), trouble: error.trouble });
    throw error;
  }
}

/** The most recent grammars by schema, since every step asks for one. @type {Map<string, string>} */
const recent = new Map();

/**
 * A text that identifies a value; null if JSON cannot represent it.
 * @param {any} value
 * @returns {string | null}
 */
function keyOf(value) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || /number|boolean|undefined/.test(typeof value)) return String(value);
  if (!Array.isArray(value) && !isObject(value)) return null;
  const parts = Object.entries(value).map(([name, each]) => [JSON.stringify(name), keyOf(each)]);
  if (parts.some(([, text]) => text === null)) return null;
  return `${Array.isArray(value)}{${parts.map((part) => part.join(':')).join()}}`;
}

/** @param {unknown} given a schema, or its text @param {number} space */
function grammarOfSchema(given, space) {
  if (typeof given === 'string' && given.length > GRAMMAR_MAX) refuseWhole('grammar_too_large');
  if (typeof given !== 'string') checkSize(given);
  const key = keyOf([given, space]);
  const found = recent.get(key ?? '');
  if (found !== undefined) return found;
  const schema = typeof given === 'string' ? readSchema(given).schema : given;
  checkSize(schema);
  const writer = new Writer();
  const root = writer.value([{ schema, root: schema, at: '$' }]);
  if (root === null) refuse('$', 'schema_nothing');
  const grammar = grammarFrom(root, writer.rules, space);
  for (const old of [...recent.keys()].slice(0, -RECENT_MAX)) recent.delete(old);
  if (key !== null) recent.set(key, grammar);
  return grammar;
}

/**
 * Returns the grammar of a constraint: "json", a task's name, { json: { depth, space } },
 * { schema, space } or { grammar: text }.
 * @param {any} constraint
 * @returns {string}
 */
export function grammarOf(constraint) {
  checkDepth('constraint', constraint);
  if (constraint === 'json') return grammarOfJson(DEPTH, SPACE);
  if (typeof constraint === 'string' && Object.hasOwn(TASKS, constraint))
    return grammarOf({ schema: /** @type {any} */ (TASKS)[constraint], space: TASK_SPACE });
  if (typeof constraint === 'object' && constraint !== null && !Array.isArray(constraint)) {
    const { grammar, schema, space = SPACE } = constraint;
    if (typeof grammar === 'string') {
      checkOptions('constraint', constraint, ['grammar']);
      if (grammar.length > GRAMMAR_MAX) refuseWhole('grammar_too_large');
      return grammar.replace(/^\ufeff/, '');
    }
    if (schema !== undefined) {
      checkOptions('constraint', constraint, ['schema', 'space']);
      checkInteger(phrase('constraint_space'), space, 0, REPEAT_MAX);
      return grammarOfSchema(schema, space);
    }
    if (constraint.json !== undefined) {
      checkOptions('constraint', constraint, ['json']);
      checkOptions('constraint: json', constraint.json, ['depth', 'space']);
      const { depth = DEPTH, space: budget = SPACE } = constraint.json;
      checkInteger(phrase('constraint_depth'), depth, 0, 100);
      checkInteger(phrase('constraint_space'), budget, 0, REPEAT_MAX);
      return grammarOfJson(depth, budget);
    }
  }
  throw new LogitscopeError('invalid_argument', 'constraint_kind', {
    names: Object.keys(TASKS).map(show).join(', '),
    value: shown(constraint),
  });
}

compileWith(grammarOf);
