/**
 * Converts regular expressions of ECMA-262 to languages (language.js): the set of all texts in which
 * the expression finds a match. It assumes the flag u: a character is a code point. Back
 * references, lookbehind, word boundaries and property classes are errors that name the construct.
 */
import { phrase } from './errors.js';
import { CHARACTERS, complement, intersect, normalise } from './language.js';

/** @import { Ranges, Languages } from './language.js' */
/** @typedef {import('./language.js').Node} Language */
/**
 * @typedef {{ kind: 'set', ranges: Ranges } | { kind: 'start' | 'end' }
 *   | { kind: 'seq' | 'or', parts: Tree[] }
 *   | { kind: 'repeat', part: Tree, least: number, most: number }
 *   | { kind: 'look', part: Tree, negated: boolean }} Tree
 */

/** Highest count in a quantifier: REPEAT_MAX of src/grammar.c. */
export const REPEAT_MAX = 1000;
const NESTING_MAX = 50;

/** The error for an unsupported expression; `trouble` gives the reason. */
export class Unsupported extends Error {
  /** @param {import('./errors.js').Phrase} trouble */
  constructor(trouble) {
    super(trouble.key);
    this.trouble = trouble;
  }
}

/** @type {Ranges} */
const DIGITS = [[0x30, 0x39]];
/** @type {Ranges} */
const WORD = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
/** @type {Ranges} */
const SPACE = [
  [9, 13],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_ENDS = complement([
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
]);
/** @type {Record<string, Ranges>} */
const CLASSES = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};
/** @type {Record<string, number>} */
const CONTROLS = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** Parses an expression that RegExp accepts. */
class Reader {
  #at = 0;
  #nesting = 0;

  /** @param {string} source */
  constructor(source) {
    this.source = source;
  }

  /** @param {string} what @returns {never} */
  #refuse(what) {
    throw new Unsupported(phrase('pattern_part', { part: what }));
  }

  /** @param {RegExp} sticky */
  #match(sticky) {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.source);
    if (found) this.#at = sticky.lastIndex;
    return found;
  }

  /** @returns {Tree} */
  read() {
    /** @type {Tree[]} */
    const choices = [];
    do choices.push(this.#sequence());
    while (this.#match(/\|/y));
    return choices.length > 1 ? { kind: 'or', parts: choices } : choices[0];
  }

  /** @returns {Tree} */
  #sequence() {
    /** @type {Tree[]} */
    const parts = [];
    while (this.#at < this.source.length && !'|)'.includes(this.source[this.#at]))
      parts.push(this.#quantified(this.#atom()));
    return { kind: 'seq', parts };
  }

  /** @param {Tree} part @returns {Tree} */
  #quantified(part) {
    const [, sign, low, comma, high] = this.#match(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y) ?? [];
    if (sign === undefined && low === undefined) return part;
    const least = sign ? Number(sign === '+') : Number(low);
    let most = least;
    if (sign) most = sign === '?' ? 1 : Infinity;
    else if (comma) most = Number(high || Infinity);
    if (least > REPEAT_MAX || (most > REPEAT_MAX && most < Infinity))
      throw new Unsupported(phrase('repeated_too_often'));
    return { kind: 'repeat', part, least, most };
  }

  /** @returns {Tree} */
  #atom() {
    const [group, name] = this.#match(/\((\?(?:<(?![=!])[^>]*>|<?[=!]|:|[^)]*:)?)?/y) ?? [];
    if (group !== undefined) return this.#group(group, name ?? '');
    const [sign] = /** @type {RegExpExecArray} */ (this.#match(/\\?[^]/uy));
    if (sign === '^') return { kind: 'start' };
    if (sign === '$') return { kind: 'end' };
    if (sign === '.') return { kind: 'set', ranges: LINE_ENDS };
    if (sign === '[') return { kind: 'set', ranges: this.#class() };
    const code = sign.startsWith('\\') ? this.#escape(sign, false) : sign.codePointAt(0);
    return { kind: 'set', ranges: rangesOf(/** @type {number | Ranges} */ (code)) };
  }

  /** Parses a group. @param {string} group its opening, like "(?:" @param {string} kind @returns {Tree} */
  #group(group, kind) {
    if (!/^(\?([=!:]|<[^=!].*))?$/s.test(kind)) this.#refuse(group);
    if (this.#nesting++ === NESTING_MAX) throw new Unsupported(phrase('pattern_nested'));
    const part = this.read();
    this.#nesting--;
    this.#match(/\)/y);
    return /^\?[=!]/.test(kind) ? { kind: 'look', part, negated: kind === '?!' } : part;
  }

  /**
   * Parses an escape after its backslash.
   * @param {string} sign the backslash and the character after it
   * @param {boolean} inClass
   * @returns {number | Ranges}
   */
  #escape(sign, inClass) {
    const letter = sign.slice(1);
    if (Object.hasOwn(CLASSES, letter)) return CLASSES[letter];
    if (inClass && letter === 'b') return 8;
    if (letter === '0' && /\d/.test(this.source[this.#at] ?? '')) this.#refuse('\\0');
    if (Object.hasOwn(CONTROLS, letter)) return CONTROLS[letter];
    if (letter === 'x' || letter === 'u') {
      const digits =
        letter === 'x'
          ? this.#match(/([0-9a-fA-F]{2})/y)
          : (this.#match(/[dD]([89abAB][0-9a-fA-F]{2})\\u[dD]([c-fC-F][0-9a-fA-F]{2})/y) ??
            this.#match(/([0-9a-fA-F]{4})|\{([0-9a-fA-F]+)\}/y));
      if (!digits) this.#refuse(sign);
      const [whole, one, two] = /** @type {RegExpExecArray} */ (digits);
      if (whole.includes('\\')) return pairOf(one, two);
      return Number.parseInt(one ?? two, 16);
    }
    if (/[0-9A-Za-z]/.test(letter)) this.#refuse(sign);
    return /** @type {number} */ (letter.codePointAt(0));
  }

  /** @returns {Ranges} */
  #class() {
    const negated = this.#match(/\^/y);
    /** @type {Ranges} */
    const ranges = [];
    while (!this.#match(/\]/y)) {
      const low = this.#classAtom();
      const high = this.#match(/-(?!\])/y) ? this.#classAtom() : low;
      if (low === high || typeof low !== 'number' || typeof high !== 'number') {
        const between = low === high ? [] : rangesOf(0x2d);
        ranges.push(...rangesOf(low), ...between, ...(low === high ? [] : rangesOf(high)));
      } else ranges.push([low, high]);
    }
    return negated ? complement(ranges) : intersect(normalise(ranges), CHARACTERS);
  }

  /** @returns {number | Ranges} */
  #classAtom() {
    const [sign] = /** @type {RegExpExecArray} */ (this.#match(/\\?[^]/uy));
    if (sign.length > 1 && sign.startsWith('\\')) return this.#escape(sign, true);
    return /** @type {number} */ (sign.codePointAt(0));
  }
}

/** @param {string} high @param {string} low the digits after "d" of each half */
const pairOf = (high, low) =>
  0x10000 + ((Number.parseInt(high, 16) & 0x3ff) << 10) + (Number.parseInt(low, 16) & 0x3ff);

/** @param {number | Ranges} it @returns {Ranges} */
const rangesOf = (it) => (typeof it === 'number' ? [[it, it]] : it.map(([a, b]) => [a, b]));

/** The answer to "is this position the beginning of the text?". @typedef {'yes' | 'no' | 'maybe'} Begun */

/** @param {Tree} tree @returns {boolean} true if it contains an assertion */
function hasAssertion(tree) {
  if (tree.kind === 'seq' || tree.kind === 'or') return tree.parts.some(hasAssertion);
  return tree.kind === 'repeat' ? hasAssertion(tree.part) : tree.kind !== 'set';
}

/**
 * Answers if a tree matches the empty text: 'yes' if it matches no other text, 'no' if it never does.
 * @param {Tree} tree
 * @returns {Begun}
 */
function matchesEmpty(tree) {
  if (tree.kind === 'set') return 'no';
  if (tree.kind === 'seq' || tree.kind === 'or') {
    const all = tree.parts.map(matchesEmpty);
    if (tree.kind === 'seq' && all.includes('no')) return 'no';
    if (all.every((each) => each === 'yes')) return 'yes';
    return all.every((each) => each === 'no') ? 'no' : 'maybe';
  }
  if (tree.kind !== 'repeat' || tree.most === 0) return 'yes';
  return tree.least ? matchesEmpty(tree.part) : 'maybe';
}

/**
 * The language of a part followed by `rest`. `rest` extends to the end of the text, so a lookahead is
 * an intersection with `rest`.
 * @param {Languages} made
 * @param {Tree} tree
 * @param {Language} rest
 * @param {Begun} begun
 * @returns {Language}
 */
function languageOf(made, tree, rest, begun) {
  switch (tree.kind) {
    case 'set':
      return made.seq(made.set(tree.ranges), rest);
    case 'or':
      return made.or(tree.parts.map((part) => languageOf(made, part, rest, begun)));
    case 'seq': {
      let at = begun;
      const places = tree.parts.map((part) => {
        const here = at;
        const empty = matchesEmpty(part);
        if (at === 'yes' && empty !== 'yes') at = empty === 'no' ? 'no' : 'maybe';
        else if (at === 'maybe' && empty === 'no') at = 'no';
        return here;
      });
      return tree.parts.reduceRight(
        (after, part, i) => languageOf(made, part, after, places[i]),
        rest,
      );
    }
    case 'repeat': {
      const { part, least, most } = tree;
      if (!hasAssertion(part))
        return made.seq(made.repeat(languageOf(made, part, made.empty, 'no'), least, most), rest);
      if (most > 1) throw new Unsupported(phrase('pattern_looks'));
      const once = most ? languageOf(made, part, rest, begun) : rest;
      return least ? once : made.or([once, rest]);
    }
    case 'look': {
      const ahead = languageOf(made, tree.part, made.all, begun);
      return made.and([tree.negated ? made.not(ahead) : ahead, rest]);
    }
    case 'start':
      if (begun === 'maybe') throw new Unsupported(phrase('pattern_part', { part: '^' }));
      return begun === 'yes' ? rest : made.none;
    default:
      return rest.nullable ? made.empty : made.none;
  }
}

/**
 * The language of the texts in which an expression finds a match.
 * @param {Languages} made
 * @param {string} source
 * @returns {Language}
 */
export function languageOfPattern(made, source) {
  if (!regExpOf(source)) throw new Unsupported(phrase('pattern_malformed'));
  const tree = new Reader(source).read();
  const first = languageOf(made, tree, made.all, 'yes');
  const later = languageOf(made, tree, made.all, 'no');
  return made.or([first, made.seq(made.any, made.seq(made.all, later))]);
}

/** @param {string} source @returns {RegExp | null} */
export function regExpOf(source) {
  for (const flags of ['u', ''])
    try {
      return new RegExp(source, flags);
    } catch {}
  return null;
}
