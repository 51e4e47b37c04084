/** Tests that each error of C and of JavaScript has its sentence in each language, with equal placeholders. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';
import { simple } from 'acorn-walk';
import { CODES, LogitscopeError } from '../../web/engine/errors.js';
import { Logitscope } from '../../web/engine/index.js';
import { sentenceOf, sentences } from '../../web/engine/sentences.js';
import { sample } from '../long.js';
import { smallModel } from './small_model.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const others = readdirSync(join(root, 'web/locale'))
  .filter((name) => name.endsWith('.json') && name !== 'en.json')
  .map((name) => name.slice(0, -'.json'.length));
const holes = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

/** Returns a C file without its comments and character constants. */
const plain = (name) =>
  read('src', name)
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/'(\\.|[^'\\])'/g, '0');

/** Returns the arguments of a call; `from` is the offset after the opening parenthesis. */
function argumentsAt(source, from) {
  const found = [''];
  for (let i = from, depth = 0; depth >= 0; i++) {
    const text = /^"(\\.|[^"\\])*"/.exec(source.slice(i, i + 400))?.[0] ?? source[i];
    if ('([{'.includes(text)) depth++;
    if (')]}'.includes(text)) depth--;
    if (text === ',' && depth === 0) found.push('');
    else if (depth >= 0) found[found.length - 1] += text;
    i += text.length - 1;
  }
  return found.map((text) => text.trim());
}

const textsOf = (source) => [...source.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, text]) => text);

/** The errors of C: [{ name, code, keys, form, rest }]; `keys` is empty if the key is a variable. */
const ofC = readdirSync(join(root, 'src'))
  .filter((name) => name.endsWith('.c') && name !== 'status.c')
  .flatMap((name) => {
    const source = plain(name);
    return [...source.matchAll(/\bfault_set\(/g)].map((match) => {
      const [, status, key, form, ...rest] = argumentsAt(source, match.index + match[0].length);
      const code = /^STATUS_(\w+)$/.exec(status)?.[1].toLowerCase();
      return { name, code, keys: textsOf(key), form: textsOf(form)[0], rest };
    });
  });

/** The functions of web/import/faults.js, which add the file to the values. */
const OF_FILES = { bad: 1, unsupported: 1 };

/** Returns the errors of a module: [{ name, code, key, values }]. @param {string} name relative to web/engine */
function ofModule(name) {
  const source = read('web/engine', name);
  const textOf = (/** @type {import('acorn').Node} */ { start, end }) => source.slice(start, end);
  /**
   * Functions that make errors, each with the index of the argument that is the key; the next argument is the values.
   */
  const CALLS = {
    LogitscopeError: 1,
    refuse: name === 'sweep.js' ? 0 : name === 'remote.js' ? 2 : 1,
    phrase: 0,
    'this.end': 1,
    'connection.end': 1,
    ...(name.startsWith('../import') && { ...OF_FILES, 'this.fault': 0, 'm.fault': 0 }),
    ...(name.startsWith('../import/settings') && { refused: 0 }),
  };
  const found = [];
  const keysOf = (node) =>
    node?.type === 'ConditionalExpression'
      ? [...keysOf(node.consequent), ...keysOf(node.alternate)]
      : isText(node)
        ? [node.value]
        : [];
  const visit = ({ callee, arguments: given }) => {
    const called = textOf(callee);
    if (called in CALLS) {
      const at = CALLS[called];
      const object = given[at + 1];
      const values = !object
        ? []
        : object.type === 'ObjectExpression'
          ? object.properties.map(({ key }) => key && textOf(key))
          : null;
      if (called in OF_FILES) values?.push('file');
      const code = called === 'LogitscopeError' && isText(given[0]) ? given[0].value : undefined;
      for (const key of keysOf(given[at])) found.push({ name, code, key, values });
    }
    if (called === 'mustBe')
      for (const key of keysOf(given[1])) found.push({ name, key, values: [] });
  };
  const program = parse(source, { ecmaVersion: 'latest', sourceType: 'module' });
  simple(program, { CallExpression: visit, NewExpression: visit });
  return found;
}
const isText = (node) => node?.type === 'Literal' && typeof node.value === 'string';
const ofJs = ['.', '../import', '../import/settings', '../sources']
  .flatMap((folder) =>
    readdirSync(join(root, 'web/engine', folder)).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.js') && name !== 'sentences.js')
  .concat('../state/link.js')
  .flatMap(ofModule);

test('every sentence exists in each language with the same values', () => {
  for (const language of others) {
    const messages = JSON.parse(read('web/locale', `${language}.json`));
    const said = Object.keys(messages).filter((key) => /^fault\.\w+$/.test(key));
    assert.deepEqual(
      said.sort(),
      Object.keys(sentences)
        .map((key) => `fault.${key}`)
        .sort(),
      language,
    );
    for (const [key, text] of Object.entries(sentences))
      assert.deepEqual(holes(messages[`fault.${key}`]), holes(text), `${language} ${key}`);
  }
});

test('no locale file repeats the English sentences of the engine', () => {
  const kept = Object.keys(JSON.parse(read('web/locale/en.json'))).filter((key) =>
    /^fault\.\w+$/.test(key),
  );
  assert.deepEqual(kept, []);
});

test('every refusal of the C engine has a sentence and its values', () => {
  assert.ok(ofC.length > 90, `${ofC.length} calls`);
  for (const { name, code, keys, form, rest } of ofC) {
    if (code) assert.ok(CODES.includes(code), `${name}: ${code}`);
    assert.notEqual(form, undefined, `${name}: the values of ${keys} are written out`);
    const parts = form ? form.split(' ').map((part) => part.split(':')) : [];
    assert.equal(rest.length, parts.length, `${name}: ${keys} "${form}"`);
    assert.ok(parts.length <= 8, `${name}: ${keys} has more values than a fault holds`);
    for (const [, kind] of parts) assert.match(kind, /^[fuks]$/, `${name}: ${keys} "${form}"`);
    for (const key of keys) {
      assert.ok(key in sentences, `${name}: ${key} has no sentence`);
      const names = parts.map(([value]) => value);
      const lacking = holes(sentences[key]).filter((value) => !names.includes(value));
      assert.deepEqual(lacking, [], `${name}: ${key} lacks a value`);
    }
  }
});

test('every refusal of the engine in JavaScript has a sentence and its values', () => {
  assert.ok(ofJs.length > 80, `${ofJs.length} sentences`);
  for (const { name, code, key, values } of ofJs) {
    if (code) assert.ok([...CODES, 'internal'].includes(code), `${name}: ${code}`);
    assert.ok(key in sentences, `${name}: ${key} has no sentence`);
    if (values && !['must_be', 'must_be_at'].includes(key))
      assert.deepEqual([...values].sort(), holes(sentences[key]), `${name}: ${key}`);
  }
});

test('every sentence is used by some refusal', () => {
  const inC = readdirSync(join(root, 'src'))
    .filter((name) => name.endsWith('.c'))
    .flatMap((name) => textsOf(plain(name)));
  const said = new Set([...inC, ...ofJs.map(({ key }) => key)]);
  assert.deepEqual(
    Object.keys(sentences).filter((key) => !said.has(key)),
    [],
  );
});

test('the C engine contains no English sentence', () => {
  const inC = readdirSync(join(root, 'src'))
    .filter((name) => name.endsWith('.c'))
    .flatMap((name) =>
      textsOf(plain(name).replace(/_Static_assert\([^;]*;|^ +SOURCE\([^;]*?\)\},\n/gm, '')),
    );
  const forms = new Set(ofC.map(({ form }) => form));
  assert.deepEqual(
    inC.filter((text) => /[a-z] [a-z]/i.test(text) && !forms.has(text)),
    [],
  );
});

test('the English sentences equal the recorded ones', () => {
  for (const [key, values, sentence] of JSON.parse(read('tests/node/refusals.json')))
    assert.equal(sentenceOf(key, values), sentence);
});

test('the sentence on architectures names all of the table', () => {
  const names = [...read('src/architecture.c').matchAll(/\.name = "(\w+)"/g)].map(
    ([, name]) => name,
  );
  const said = / \((.*) and (\w+) are\)$/.exec(sentenceOf('architecture', { name: 'x' }));
  assert.ok(names.length > 10);
  assert.deepEqual([...(said?.[1].split(', ') ?? []), said?.[2]], names);
});

test('a phrase takes its values from itself or from the enclosing refusal', () => {
  const subject = { key: 'named_tensor', values: {} };
  const field = { key: 'field_offset', values: {} };
  assert.equal(
    sentenceOf('reaches_beyond', { subject, name: 't', field, n: 7 }),
    'tensor t: offset 7 reaches beyond the end of the file',
  );
  const reason = { key: 'http_status', values: { n: 404 } };
  assert.equal(
    new LogitscopeError('load_failed', 'load_failed', { setting: 'model', reason }).message,
    'model could not be loaded: HTTP status 404',
  );
});

describe('thrown errors', () => {
  /** @type {Logitscope} */
  let scope;
  before(async () => (scope = await Logitscope.load({ model: smallModel() })));

  test('have exactly the values of their sentence', () => {
    const said = (run) => {
      try {
        run();
      } catch ({ code, key, values, message }) {
        assert.equal(message, sentenceOf(key, values));
        return { code, key, values };
      }
      return null;
    };
    scope.feed([1]);
    assert.deepEqual(
      said(() => scope.distribution({ temperature: -0.5 })),
      {
        code: 'out_of_range',
        key: 'must_be_finite_at_least',
        values: { setting: 'temperature', minimum: 0, value: -0.5 },
      },
    );
    assert.deepEqual(said(() => scope.distribution({ top_p: 1.5 }))?.values, {
      setting: 'top_p',
      minimum: 0,
      maximum: 1,
      value: 1.5,
    });
    assert.deepEqual(
      said(() => scope.distribution({ temperature: 'warm' })),
      {
        code: 'invalid_argument',
        key: 'must_be',
        values: { setting: 'temperature', what: { key: 'a_number', values: {} }, value: '"warm"' },
      },
    );
    assert.deepEqual(
      said(() => scope.feed(new Uint32Array(2 ** 20))),
      {
        code: 'too_long',
        key: 'timeline_full',
        values: { limit: 262144, n: 1048576 },
      },
    );
    scope.close();
  });

  test('of a file broken at any place have every value of their sentence', async () => {
    const image = smallModel();
    const broken = Array.from({ length: 30 }, (_, i) =>
      image.slice(0, Math.floor((image.length * i) / 30)),
    );
    for (let i = 0; i < 150; i++) {
      const copy = image.slice();
      copy[(i * 7919) % Math.min(copy.length, 6000)] ^= 1 + ((i * 31) % 255);
      broken.push(copy);
    }
    let refused = 0;
    const tried = sample(broken, 60);
    for (const model of tried) {
      try {
        (await Logitscope.load({ model })).close();
      } catch ({ code, key, values, message }) {
        refused++;
        assert.ok(CODES.includes(code), code);
        assert.equal(message, sentenceOf(key, values));
        assert.doesNotMatch(message, /undefined/, `${key}: ${message}`);
      }
    }
    assert.ok(refused > tried.length / 3, `${refused} were refused`);
  });
});
