/** Whatever the engine refuses has its sentence in each language of the page, with the same values. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { reader } from '../../web/base/sentences.js';
import { CODES } from '../../web/engine/errors.js';
import { Logitscope } from '../../web/engine/index.js';
import { smallModel } from './small_model.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const faults = (code) =>
  Object.fromEntries(
    Object.entries(JSON.parse(read('web/locale', `${code}.json`))).filter(([key]) => key.startsWith('fault.')),
  );
const english = faults('en');
const others = readdirSync(join(root, 'web/locale'))
  .filter((name) => name.endsWith('.json') && name !== 'en.json')
  .map((name) => name.slice(0, -'.json'.length));
const find = reader(english);
const known = (text, codes = CODES) => codes.some((code) => find(code, text));

/** What a format of C whose parts are words gives; the other formats get a sample for each part. */
const GIVES = {
  '%s must be %s, got {}': ['top_k must be a whole number, got 1.5', 'dry_base must be a finite number, got NaN'],
  '%s must be %s %s %u, got {}': ['a whole', 'a finite'].flatMap((kind) =>
    ['of at least', 'greater than'].map((bound) => `top_k must be ${kind} number ${bound} 0, got -1`),
  ),
  '%s must be %sbetween %u and %u, got {}': ['', 'a whole number '].map(
    (kind) => `top_p must be ${kind}between 0 and 1, got 1.5`,
  ),
  '%s must be %s %u and %s %u, got {}': ['at least', 'above'].flatMap((low) =>
    ['at most', 'below'].map((high) => `typical_p must be ${low} 0 and ${high} 1, got 2`),
  ),
  '%s %s: %s %s': ['tensor 3: name length is cut off by the end of the file', 'key a.b: value nests arrays more than 4 deep'],
  '%s %s: %s %u %s': ['tensor blk.0: shape of 9 elements is larger than the file', 'GGUF header: tensor_count 9 is more than the file can hold'],
  '%s %s occurs twice': ['key a occurs twice', 'tensor a occurs twice'],
  '%s %s: shape %u is not a multiple of 32, as %s needs': ['tensor a: shape 7 is not a multiple of 32, as Q8_0 needs'],
};

const sample = (format) =>
  GIVES[format] ?? [format.replaceAll('%s', 'X').replaceAll('%u', '7').replaceAll('{}', '1.5')];

/** The strings of a C file, joined as the compiler does: [{ text, code }], `code` where a call names it. */
function stringsOfC(source) {
  const plain = source
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/'(\\.|[^'\\])'/g, '0')
    .replace(/_Static_assert\([^;]*;|static_assert\([^;]*;/g, '')
    .replace(/"\s*\n\s*"/g, '');
  const called = /(?:fault_set(?:_value)?\([^;]*?STATUS_(\w+),[^;"]*?)?"((?:\\.|[^"\\])*)"/g;
  return [...plain.matchAll(called)].map(([, code, text]) => ({
    code: code?.toLowerCase(),
    text: text.replaceAll('\\"', '"'),
  }));
}

/** The sentences that a module of the engine throws: [{ text, code }]. */
function sentencesOfJs(name) {
  const file = ts.createSourceFile(name, read('web/engine', name), ts.ScriptTarget.Latest, true);
  const found = [];
  const MADE = { refuse: 'invalid_argument', '#failAll': 'load_failed' };
  const words = (node) => {
    if (ts.isConditionalExpression(node)) return [...words(node.whenTrue), ...words(node.whenFalse)];
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (!ts.isTemplateExpression(node)) return [];
    return [node.head.text + node.templateSpans.map(({ literal }) => `7${literal.text}`).join('')];
  };
  const visit = (node) => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'LogitscopeError') {
      const [code, message] = node.arguments ?? [];
      for (const text of words(message))
        found.push({ text, code: ts.isStringLiteral(code) ? code.text : undefined });
    }
    if (ts.isCallExpression(node)) {
      const code = MADE[node.expression.getText().replace('this.', '')];
      // With two arguments it is the end of a sentence that begins elsewhere.
      const [text, end] = node.arguments;
      if (code && !end) for (const said of words(text)) found.push({ text: said, code });
      if (code && end) for (const said of words(end)) found.push({ text: said, code: 'phrase' });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

test('every code has a sentence, in each language with the placeholders of the English one', () => {
  for (const code of CODES)
    assert.ok(Object.keys(english).some((key) => key.startsWith(`fault.${code}.`)), code);
  for (const key of Object.keys(english))
    assert.ok([...CODES, 'phrase'].includes(key.split('.')[1]), `${key} belongs to no code`);
  const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  for (const language of others) {
    const messages = faults(language);
    assert.deepEqual(Object.keys(messages), Object.keys(english), language);
    for (const [key, text] of Object.entries(english))
      assert.deepEqual(placeholders(messages[key]), placeholders(text), `${language} ${key}`);
  }
});

test('every sentence of the C engine is known', () => {
  const texts = Object.values(english);
  let n = 0;
  const names = readdirSync(join(root, 'src')).filter((name) => name.endsWith('.c') && name !== 'main.c');
  for (const name of names) {
    for (const { text, code } of stringsOfC(read('src', name))) {
      if (!text.includes(' ') || text.trim() === '') continue;
      n++;
      if (code) assert.ok(CODES.includes(code), code);
      for (const said of sample(text)) {
        const ok = known(said, code ? [code] : CODES) || (!code && (find('phrase', said) || texts.some((it) => it.includes(text.trim()))));
        assert.ok(ok, `${name}: ${code ?? ''} "${said}" has no sentence under fault.${code ?? 'CODE'}.*`);
      }
    }
  }
  assert.ok(n > 100, `${n} strings`);
});

test('every sentence of the engine in JavaScript is known', () => {
  let n = 0;
  for (const name of readdirSync(join(root, 'web/engine')).filter((it) => it.endsWith('.js'))) {
    for (const { text, code } of sentencesOfJs(name)) {
      n++;
      if (code) assert.ok([...CODES, 'phrase'].includes(code), `${name}: ${code}`);
      const found = (code ? [code] : CODES).map((each) => find(each, text)).find(Boolean);
      assert.ok(found, `${name}: "${text}" has no sentence under fault.${code}.*`);
      const { what = '7' } = found.values;
      assert.ok(what.includes('7') || find('phrase', what), `${name}: "${what}" has no fault.phrase.*`);
    }
  }
  assert.ok(n > 60, `${n} sentences`);
});

describe('what is really thrown', () => {
  /** @type {Logitscope} */
  let scope;
  before(async () => (scope = await Logitscope.load({ model: smallModel() })));

  test('the values are those of the sentence', () => {
    const said = (run) => {
      try {
        run();
      } catch (error) {
        return find(error.code, error.message);
      }
      return null;
    };
    scope.feed([1]);
    assert.deepEqual(said(() => scope.distribution({ temperature: -0.5 })), {
      key: 'fault.out_of_range.finite_least',
      values: { name: 'temperature', minimum: '0', value: '-0.5' },
    });
    assert.deepEqual(said(() => scope.distribution({ top_p: 1.5 }))?.values, {
      name: 'top_p',
      minimum: '0',
      maximum: '1',
      value: '1.5',
    });
    assert.deepEqual(said(() => scope.feed(new Uint32Array(2 ** 18))) ?? said(() => scope.feed(new Uint32Array(2 ** 20))), {
      key: 'fault.too_long.timeline',
      values: { limit: '262144', n: '1048576' },
    });
    scope.close();
  });

  test('a file broken in any place is refused by a known sentence, down to its phrases', async () => {
    const image = smallModel();
    const broken = Array.from({ length: 30 }, (_, i) => image.slice(0, Math.floor((image.length * i) / 30)));
    for (let i = 0; i < 150; i++) {
      const copy = image.slice();
      copy[(i * 7919) % Math.min(copy.length, 6000)] ^= 1 + ((i * 31) % 255);
      broken.push(copy);
    }
    let refused = 0;
    for (const model of broken) {
      try {
        (await Logitscope.load({ model })).close();
      } catch (error) {
        refused++;
        const found = find(error.code, error.message);
        assert.ok(found, `${error.code}: ${error.message}`);
        for (const name of ['trouble', 'what'])
          if (found.values[name]) assert.ok(find('phrase', found.values[name]), `${found.values[name]} in ${error.message}`);
      }
    }
    assert.ok(refused > 60, `${refused} were refused`);
  });
});
