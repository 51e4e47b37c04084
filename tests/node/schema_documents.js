/**
 * Random schemas, random documents that nearly fit them, and a validator. It knows JSON Schema's keywords and the extra
 * rules of web/engine/schema.js (keys in the schema's order, integers without a fraction, values of enum as
 * JSON.stringify writes them).
 */
import fc from 'fast-check';

/**
 * A value with its text. `space` is its longest run of white space, `letters` the code points of a string, possibly
 * with a lone surrogate.
 * @typedef {object} Node
 * @property {'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'} kind
 * @property {string} text
 * @property {number} space
 * @property {number[]} [letters]
 * @property {{ key: string, node: Node }[]} [items] elements; `key` as written in the text
 */

const NAMES = ['a', 'b', 'é"', ''];
const kinds = fc.constantFrom('integer', 'number', 'boolean', 'null', 'string');
const bound = fc.noBias(fc.nat(3));
const bounds = (/** @type {string} */ low, /** @type {string} */ high) =>
  fc.oneof(
    fc.constant({}),
    fc.record(
      { [low]: bound, [high]: fc.noBias(fc.integer({ min: 3, max: 5 })) },
      { requiredKeys: [] },
    ),
  );

/** A random schema with supported keywords. */
const { whole } = fc.letrec((tie) => ({
  whole: fc.oneof(
    { depthSize: 'small' },
    fc
      .tuple(tie('part'), bounds('minItems', 'maxItems'))
      .map(([items, more]) => ({ type: 'array', items, ...more })),
    fc
      .tuple(
        fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 }),
        fc.array(tie('part'), { minLength: 4, maxLength: 4 }),
        fc.option(fc.noBias(fc.nat(15))),
      )
      .map(([names, schemas, needed]) => ({
        type: 'object',
        properties: Object.fromEntries(names.map((name, i) => [name, schemas[i]])),
        ...(needed === null ? {} : { required: names.filter((_, i) => (needed >> i) & 1) }),
      })),
    fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
  part: fc.oneof(
    { depthSize: 'small' },
    fc.record({ type: kinds }),
    fc.record({ type: fc.uniqueArray(kinds, { minLength: 1, maxLength: 3 }) }),
    bounds('minLength', 'maxLength').map((more) => ({ type: ['string', 'null'], ...more })),
    fc
      .array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 })
      .map((values) => ({ enum: values })),
    fc.jsonValue({ maxDepth: 2 }).map((value) => ({ const: value })),
    { weight: 3, arbitrary: tie('whole') },
  ),
}));

/** A list of random numbers. Each choice that a document needs takes the next number. */
class Choices {
  #at = 0;
  /** @param {number[]} choices */
  constructor(choices) {
    this.choices = choices;
  }
  /** Returns a number below n, or 0 after the end of the list. @param {number} n */
  below(n) {
    return (this.choices[this.#at++] ?? 0) % n;
  }
  /** @template T @param {readonly T[]} list @returns {T} */
  of(list) {
    return list[this.below(list.length)];
  }
}

/** Returns white space: mostly none, rarely more than a schema with `space: 2` allows. @param {Choices} choices */
const gap = (choices) => choices.of(['', '', '', '', ' ', '\n', '\t\r', '', '   ', '']);
const LETTERS = ['a', 'Z', '7', 'é', '🦙', '\u007f', '\\n', '\\"', '\\u0041', '\\ud83e\\udd99'];
const ODD_LETTERS = ['\\ud800', '\\udc00', '\\x', '\n', '\\u12', '"'];
const NUMBERS = ['0', '-0', '12', '-7', '0.5', '1e5', '1E-2', '-3.25e+7', '1.0'];
const ODD_NUMBERS = ['01', '+1', '.5', '1.', '-', 'NaN', '1e', '0x1'];

/** Returns the code points of a string's text, or null if it is not JSON. */
function lettersOf(/** @type {string} */ text) {
  try {
    return [...JSON.parse(text)].map((letter) => /** @type {number} */ (letter.codePointAt(0)));
  } catch {
    return null;
  }
}

/** @param {string} text @returns {Node | null} */
function stringNode(text) {
  const letters = lettersOf(text);
  return letters && { kind: 'string', text, space: 0, letters };
}

/**
 * Makes a text that often fits the schema. `node` is its tree, or null if the text is not JSON.
 * @param {any} wanted @param {Choices} choices
 * @returns {{ text: string, node: Node | null }}
 */
function write(wanted, choices) {
  if (choices.below(32) === 31)
    return writeOf(choices.of(['string', 'integer', 'null', 'array', 'object']), {}, choices);
  const { anyOf, type } = wanted;
  if (anyOf) return write(choices.of(anyOf), choices);
  if ('const' in wanted) return exactly(wanted.const, choices);
  if (wanted.enum) return exactly(choices.of(wanted.enum), choices);
  return writeOf(choices.of([type].flat()), wanted, choices);
}

/** Writes a value as JSON.stringify does, rarely with additional white space. */
function exactly(/** @type {unknown} */ value, /** @type {Choices} */ choices) {
  return spell(value, choices.below(16) === 15 ? choices : new Choices([]));
}

/**
 * Writes a value as JSON; `choices` decides about white space.
 * @param {any} value @param {Choices} choices
 * @returns {{ text: string, node: Node }}
 */
function spell(value, choices) {
  const text = JSON.stringify(value);
  if (typeof value === 'string') return { text, node: /** @type {Node} */ (stringNode(text)) };
  if (typeof value !== 'object' || value === null) {
    const kind = value === null ? 'null' : /** @type {Node['kind']} */ (typeof value);
    return { text, node: { kind, text, space: 0 } };
  }
  const list = Array.isArray(value);
  const parts = Object.keys(value).map((name) => ({
    head: list ? '' : JSON.stringify(name),
    ...spell(value[name], choices),
  }));
  return enclose(list ? 'array' : 'object', parts, choices);
}

/** Chooses a count, often a bound of the schema or one beyond a bound. @param {Choices} choices */
function countOf(least = 0, most = least + 2, choices) {
  const beyond = choices.of([most + 1, Math.max(0, least - 1)]);
  return choices.of([least, most, least, most, Math.min(least + 1, most), beyond]);
}

/** @param {string} type @param {any} wanted @param {Choices} choices */
function writeOf(type, wanted, choices) {
  if (type === 'array') return writeArray(wanted, choices);
  if (type === 'object') return writeObject(wanted, choices);
  if (type === 'string') {
    const length = countOf(wanted.minLength, wanted.maxLength, choices);
    const letters = Array.from({ length }, () => choices.of(LETTERS));
    if (length && choices.below(5) === 4) letters[choices.below(length)] = choices.of(ODD_LETTERS);
    const text = `"${letters.join('')}"`;
    return { text, node: stringNode(text) };
  }
  if (type === 'integer' || type === 'number') {
    const text = choices.of(choices.below(8) === 7 ? ODD_NUMBERS : NUMBERS);
    const isNumber = NUMBERS.includes(text);
    return {
      text,
      node: isNumber ? /** @type {Node} */ ({ kind: 'number', text, space: 0 }) : null,
    };
  }
  const text = type === 'null' ? 'null' : choices.of(['true', 'false']);
  return { text, node: /** @type {Node} */ ({ kind: type, text, space: 0 }) };
}

/**
 * Writes an array or an object from its parts, with white space around each part.
 * @template {Node | null} T
 * @param {'array' | 'object'} kind
 * @param {{ head: string, text: string, node: T }[]} parts `head` is the key and colon, empty in an array
 * @param {Choices} choices
 * @returns {{ text: string, node: Node | T }}
 */
function enclose(kind, parts, choices) {
  let space = Math.max(0, ...parts.map(({ node }) => node?.space ?? 0));
  const between = () => {
    const it = gap(choices);
    space = Math.max(space, it.length);
    return it;
  };
  const inner = parts.map(({ head, text }, i) => {
    const before = i ? `${between()},${between()}` : between();
    return `${before}${head && `${head}${between()}:${between()}`}${text}`;
  });
  const [open, close] = kind === 'array' ? '[]' : '{}';
  const text = `${open}${inner.join('')}${between()}${close}`;
  const spoilt = parts.find(({ node }) => node === null);
  if (spoilt) return { text, node: spoilt.node };
  const items = parts.map(({ head, node }) => ({ key: head, node: /** @type {Node} */ (node) }));
  return { text, node: { kind, text, space, items } };
}

/** @param {any} wanted @param {Choices} choices */
function writeArray({ items = { type: 'integer' }, minItems, maxItems }, choices) {
  const length = countOf(minItems, maxItems, choices);
  const parts = Array.from({ length }, () => ({ head: '', ...write(items, choices) }));
  return enclose('array', parts, choices);
}

/** @param {any} wanted @param {Choices} choices */
function writeObject({ properties = {}, required }, choices) {
  let names = Object.keys(properties);
  const needed = required ?? [];
  names = names.filter((name) => (needed.includes(name) ? choices.below(8) < 7 : choices.below(2)));
  const odd = choices.below(24);
  if (odd === 21) names.reverse();
  if (odd === 22) names.push(names[0] ?? 'more');
  if (odd === 23) names.push('more');
  const parts = names.map((name) => ({
    head: choices.below(24) === 23 ? '"\\u0061"' : JSON.stringify(name),
    ...write(properties[name] ?? { type: 'integer' }, choices),
  }));
  return enclose('object', parts, choices);
}

/**
 * True if a value satisfies a schema.
 * @param {any} wanted @param {Node} node
 * @returns {boolean}
 */
function fits(wanted, node) {
  const { anyOf, type } = wanted;
  if (anyOf) return anyOf.some((/** @type {any} */ one) => fits(one, node));
  if ('const' in wanted) return node.text === JSON.stringify(wanted.const);
  if (wanted.enum)
    return wanted.enum.some((/** @type {any} */ it) => node.text === JSON.stringify(it));
  return [type].flat().some((one) => {
    if (one === 'integer') return node.kind === 'number' && /^-?\d+$/.test(node.text);
    if (one !== node.kind) return false;
    if (one === 'string') return fitsString(wanted, node.letters ?? []);
    if (one === 'array') return fitsArray(wanted, node.items ?? []);
    return one === 'object' ? fitsObject(wanted, node.items ?? []) : true;
  });
}

/** @param {any} wanted @param {number[]} letters */
function fitsString({ minLength, maxLength }, letters) {
  if (minLength === undefined && maxLength === undefined) return true;
  if (letters.some((letter) => letter >= 0xd800 && letter < 0xe000)) return false;
  return letters.length >= (minLength ?? 0) && letters.length <= (maxLength ?? Infinity);
}

/** @param {any} wanted @param {{ node: Node }[]} items */
function fitsArray({ items: each, minItems = 0, maxItems = Infinity }, items) {
  if (items.length < minItems || items.length > maxItems) return false;
  return items.every(({ node }) => fits(each, node));
}

/** @param {any} wanted @param {{ key: string, node: Node }[]} members */
function fitsObject({ properties, required }, members) {
  const names = Object.keys(properties);
  const written = names.map((name) => JSON.stringify(name));
  const places = members.map(({ key }) => written.indexOf(key));
  if (places.some((place, i) => place < 0 || (i && place <= places[i - 1]))) return false;
  const missing = (required ?? []).filter(
    (/** @type {string} */ name) => !places.includes(names.indexOf(name)),
  );
  return (
    !missing.length && members.every(({ node }, i) => fits(properties[names[places[i]]], node))
  );
}

/** Maximum length of white space between two tokens of JSON. */
export const SPACE = 2;

/**
 * A schema, a text, and whether the schema accepts it.
 * @type {fc.Arbitrary<{ wanted: any, text: string, valid: boolean }>}
 */
export const documents = fc
  .tuple(whole, fc.array(fc.noBias(fc.nat(1e6)), { minLength: 40, maxLength: 80 }))
  .map(([wanted, numbers]) => {
    const choices = new Choices(numbers);
    const [before, after] = [gap(choices), gap(choices)];
    const { text, node } = write(wanted, choices);
    const space = Math.max(before.length, after.length, node?.space ?? 0);
    return {
      wanted,
      text: `${before}${text}${after}`,
      valid: node !== null && space <= SPACE && fits(wanted, node),
    };
  });
