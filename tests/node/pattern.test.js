/**
 * Tests that a regular expression, turned into an automaton, accepts the same texts as RegExp: texts made from the
 * automaton's states, and similar ones. Ranges of numbers must equal a comparison of decimals.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { Languages, TooLarge } from '../../web/engine/language.js';
import { compareDecimals, decimalOf, rangeOf } from '../../web/engine/number-range.js';
import { Unsupported, languageOfPattern } from '../../web/engine/pattern.js';
import { cases } from '../long.js';

const seed = Number(process.env.SEED ?? 1);

/** @param {string} source */
function statesOf(source) {
  const made = new Languages();
  return made.states(languageOfPattern(made, source));
}

/** @param {import('../../web/engine/language.js').State[]} states @param {string} text */
function accepts(states, text) {
  if (!states.length) return false;
  let at = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0);
    const next = [...states[at].edges].find(([, ranges]) =>
      ranges.some(([low, high]) => low <= code && code <= high),
    );
    if (!next) return false;
    [at] = next;
  }
  return states[at].ends;
}

/**
 * Makes a text by a random walk from state to state, of at most 30 steps. Half of the texts then get a random edit of
 * one character, so the automaton refuses some of them.
 * @param {number[]} choices random numbers; each choice takes the last one left
 */
function walk(states, choices) {
  let text = '';
  let at = 0;
  const rest = [...choices];
  const below = (/** @type {number} */ n) => (rest.pop() ?? 0) % n;
  for (let left = 30; left > 0 && states.length; left--) {
    const edges = [...states[at].edges];
    if (!edges.length || (states[at].ends && below(4) === 0)) break;
    const [to, ranges] = edges[below(edges.length)];
    const [low, high] = ranges[below(ranges.length)];
    text += String.fromCodePoint(low + below(Math.min(high - low + 1, 40)));
    at = to;
  }
  const letters = [...text];
  const odd = [...'ab0-.T:Z \n"é😀'][below(13)];
  if (below(2)) letters.splice(below(letters.length + 1), below(2), ...(below(2) ? [odd] : []));
  return letters.join('');
}

const choices = fc.array(fc.nat(1e6), { minLength: 20, maxLength: 130 });
const { expression } = fc.letrec((tie) => ({
  expression: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom('a', 'b', '.', '^', '$', '\\d', '\\W', '[^a]', '[a-c-]', 'é', '😀', '\\.', '-'),
    fc.constantFrom('\\u0062', '\\x41', '\\u{1F600}', '[\\s\\d]', '[^]', '\\n', '"', '\\/', ''),
    fc
      .tuple(tie('expression'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?'))
      .map(([part, times]) => `(?:${part})${times}`),
    fc.tuple(tie('expression'), tie('expression')).map((parts) => parts.join('')),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}|${b})`),
    fc
      .tuple(fc.constantFrom('?=', '?!'), tie('expression'), tie('expression'))
      .map(([sign, ahead, part]) => `(${sign}${ahead})${part}`),
  ),
}));

test('random expressions accept the same texts as RegExp', () => {
  const counts = { read: 0, found: 0, unread: 0 };
  const property = fc.property(expression, fc.array(choices, { minLength: 4 }), (source, many) => {
    let states;
    try {
      states = statesOf(source);
    } catch (error) {
      assert.ok(error instanceof Unsupported || error instanceof TooLarge, error.stack);
      counts.unread++;
      return;
    }
    counts.read++;
    const wanted = new RegExp(source, 'u');
    for (const text of many.map((each) => walk(states, each))) {
      counts.found += Number(wanted.test(text));
      assert.equal(
        accepts(states, text),
        wanted.test(text),
        `/${source}/ in ${JSON.stringify(text)}`,
      );
    }
  });
  fc.assert(property, { numRuns: cases(400, 30_000), seed });
  assert.ok(counts.read > 2 * counts.unread && counts.found > counts.read, JSON.stringify(counts));
});

test('expressions of real programs accept the same texts as RegExp', () => {
  const text = readFileSync(new URL('schemas.json', import.meta.url), 'utf8');
  const sources = new Set(
    [...text.matchAll(/"pattern": ?("(?:[^"\\]|\\.)*")/g)].map(([, it]) => JSON.parse(it)),
  );
  assert.ok(sources.size > 20);
  for (const source of sources) {
    const states = statesOf(source);
    const wanted = new RegExp(source, 'u');
    const property = fc.property(choices, (each) => {
      const word = walk(states, each);
      assert.equal(accepts(states, word), wanted.test(word), `/${source}/ in ${word}`);
    });
    fc.assert(property, { numRuns: cases(30, 3000), seed });
  }
});

test('an escape of the older syntax stands for its character', () => {
  for (const source of ['^\\d{4}\\-\\d\\d$', '^\\_a$', '^a{,2}$', '^}]$']) {
    const states = statesOf(source);
    for (const word of ['2024-01', '_a', 'a{,2}', '}]', 'aa', ''])
      assert.equal(accepts(states, word), new RegExp(source).test(word), `/${source}/ in ${word}`);
  }
});

/** Converts a part of a grammar, which uses no rules, to a RegExp. @param {string} part */
const asRegExp = (part) =>
  new RegExp(
    `^(?:${part.replace(/"([^"]*)"/g, (_, it) => it.replace(/[.-]/g, '\\$&')).replaceAll(' ', '')})$`,
  );

test('a range of numbers accepts exactly its numbers', () => {
  const decimal = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.oneof(fc.nat(3), fc.nat(120), fc.nat(9000), fc.bigInt({ min: 0n, max: 10n ** 20n })),
      fc.constantFrom('', '', '.0', '.5', '.25', '.100', '.099', '.907'),
    )
    .map(([sign, whole, part]) => `${/[1-9]/.test(whole + part) ? sign : ''}${whole}${part}`);
  const bound = fc.option(fc.record({ text: decimal, open: fc.boolean() }));
  const places = fc.constantFrom(0, 1, 2, Infinity);
  const near = fc.constantFrom('', '0', '1', '9', '00', '01', '.0', '.1', '.01');
  let inside = 0;
  const property = fc.property(
    bound,
    bound,
    places,
    fc.array(decimal),
    near,
    (low, high, n, all, end) => {
      const read = (/** @type {any} */ it) => it && { value: decimalOf(it.text), open: it.open };
      const [least, most] = [read(low), read(high)];
      const part = rangeOf(least, most, n);
      const wanted = part === null ? null : asRegExp(part);
      const texts = [low, high].flatMap((it) => (it ? [it.text, it.text + end] : []));
      for (const text of [...all, ...texts]) {
        if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) || /^-0(\.0*)?$/.test(text)) continue;
        const value = decimalOf(text);
        const fits = (/** @type {any} */ it, /** @type {number} */ side) =>
          !it || side * compareDecimals(value, it.value) >= Number(it.open);
        const digits = (text.split('.')[1] ?? '').length;
        const valid = digits <= n && fits(least, 1) && fits(most, -1);
        inside += Number(valid);
        assert.equal(wanted?.test(text) ?? false, valid, `${text} in ${part}`);
      }
    },
  );
  fc.assert(property, { numRuns: cases(1500, 60_000), seed });
  assert.ok(inside > 500, String(inside));
});
