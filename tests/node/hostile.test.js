/**
 * Calls each JavaScript entry point with random values. It must return a result or throw an error with a code, and open
 * sessions must still work.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { CODES } from '../../web/engine/errors.js';
import { Logitscope, LogitscopeError } from '../../web/engine/index.js';
import { grammarOf } from '../../web/engine/schema.js';
import { checkLesson, readLesson } from '../../web/lessons/lesson-file.js';
import { checkState, parseQuery } from '../../web/state/page-state.js';
import { closed, temporaryFolder } from '../cleanup.js';
import { cases } from '../long.js';
import { cli } from './command_line.js';
import { smallContents, smallModel } from './small_model.js';
import { writeGguf } from '../fixtures/gguf_writer.js';

const seed = Number(process.env.SEED ?? 1);
const scope = closed(await Logitscope.load({ model: smallModel() }));
scope.feed([1, 2, 3]);

/** Values that a caller may pass by mistake or on purpose. */
const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  maxDepth: 3,
});
const loop = () => {
  const list = [];
  list.push(list);
  return list;
};
const number = fc.oneof(
  fc.double(),
  fc.integer({ min: -3, max: 9 }),
  fc.constantFrom(2 ** 31, 2 ** 32, 2 ** 53, -0, 1e308),
);
const value = fc.oneof(
  { arbitrary: anything, weight: 2 },
  { arbitrary: number, weight: 2 },
  fc.constantFrom(Symbol('x'), loop(), () => 0, new Proxy({}, {}), 'a'.repeat(5000)),
  fc.array(number, { maxLength: 8 }),
);

/** Asserts a LogitscopeError with a known code and one sentence. */
function checkError(error, what) {
  assert.ok(error instanceof LogitscopeError, `${what}: ${error?.stack ?? String(error)}`);
  assert.ok(CODES.includes(error.code), `${what}: ${error.code}`);
  assert.ok(error.message.length < 1000 && !error.message.includes('\n'), error.message);
}

/** Runs a property on random values. @param {number} numRuns in make test @param {number} all in make test-long */
const check = (numRuns, all, ...property) =>
  fc.assert(fc.property(...property), { numRuns: cases(numRuns, all), seed });

test('calls of the engine with any arguments give a result or a refusal', () => {
  const names = [...scope.table.map(({ name }) => name), 'order', 'seed', 'constraint', 'own'];
  const more = ['logit_bias', 'banned_words', 'forced_first', 'end_tokens', 'draw', 'preset'];
  const settings = fc.oneof(
    value,
    fc.dictionary(fc.constantFrom(...names, ...more), value, { maxKeys: 3 }),
  );
  const call = fc.oneof(
    fc.tuple(fc.constant('warp'), fc.oneof(value, fc.array(number)), settings, value),
    fc.tuple(fc.constantFrom('encode', 'decode', 'distinct', 'random', 'piece'), value, value),
    fc.tuple(fc.constantFrom('read', 'distribution', 'draw'), settings, value),
    fc.tuple(fc.constantFrom('feed', 'second', 'surprisal'), value, value),
    fc.tuple(fc.constant('landscape'), settings, fc.constantFrom(...names), value),
  );
  const expected = [...(scope.feed([1, 2, 3]) && scope.logits())];
  check(150, 50_000, call, ([name, ...given]) => {
    try {
      scope[name](...given);
    } catch (error) {
      checkError(error, `${name}(${fc.stringify(given)})`);
    }
  });
  scope.second(null);
  scope.feed([1, 2, 3]);
  assert.deepEqual([...scope.logits()], expected);
});

test('arguments that once caused other exceptions are refused', () => {
  const bare = Object.create(null);
  const silent = { toJSON: () => undefined };
  const many = new Float64Array(1 << 24);
  for (const act of [
    () => scope.warp([1], { temperature: bare }),
    () => scope.warp([1], { temperature: silent }),
    () => scope.warp([1], { constraint: bare }),
    () => grammarOf(null),
    () => scope.landscape({}, 'top_k', /** @type {any} */ (new Set([bare]))),
    () => scope.landscape({}, 'top_k', many),
    () => scope.landscape({}, 'top_k', [1], { top: Number.NaN }),
  ])
    assert.throws(act, (error) => checkError(error, String(act)) ?? true);
});

test('a wide schema is refused at once', () => {
  const wide = (/** @type {number} */ n) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: n }, (_, i) => [`p${i}`, { const: i }])),
  });
  const alternatives = Array.from({ length: 20_000 }, (_, i) => ({ const: i }));
  const began = process.cpuUsage();
  for (const schema of [wide(6000), wide(50_000), { enum: ['x'.repeat(1e6)] }])
    assert.throws(() => grammarOf({ schema }), { code: 'invalid_argument', key: 'grammar_line' });
  assert.ok(grammarOf({ schema: { oneOf: alternatives } }).length > 100_000);
  assert.throws(() => grammarOf({ schema: { oneOf: [...alternatives, { type: 'integer' }] } }), {
    key: 'schema',
  });
  assert.ok(process.cpuUsage(began).user < 3e6, 'it took seconds'); // an earlier version took 40 s
});

test('options of a generation give a result or a refusal', async () => {
  const names = ['prompt', 'prompt_ids', 'max_new_tokens', 'stop', 'settings', 'signal', 'top'];
  const others = ['temperature', 'seed', 'constraint', 'negative_prompt', 'score', 'onstep'];
  const options = fc.dictionary(fc.constantFrom(...names, ...others), value, { maxKeys: 3 });
  const property = fc.asyncProperty(fc.oneof(value, options), async (given) => {
    try {
      let n = 0;
      for await (const _ of scope.generate(given)) if (++n > 3) break;
    } catch (error) {
      checkError(error, fc.stringify(given));
    }
  });
  await fc.assert(property, { numRuns: cases(50, 15_000), seed });
});

test('schemas and constraints give a result or a refusal', () => {
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      value,
      fc.record(
        {
          type: fc.oneof(
            fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'null'),
            value,
          ),
          properties: fc.oneof(fc.dictionary(fc.string(), tie('schema'), { maxKeys: 3 }), value),
          required: fc.oneof(fc.array(fc.string(), { maxLength: 2 }), value),
          items: tie('schema'),
          enum: fc.oneof(fc.array(value, { maxLength: 3 }), value),
          const: value,
          anyOf: fc.oneof(fc.array(tie('schema'), { maxLength: 3 }), value),
          pattern: fc.oneof(fc.string(), value),
          minLength: number,
          maxLength: number,
          minItems: number,
          maxItems: number,
        },
        { requiredKeys: [] },
      ),
    ),
  }));
  const constraint = fc.oneof(
    value,
    schema.map((it) => ({ schema: it })),
    fc.tuple(schema, value).map(([it, space]) => ({ schema: it, space })),
    fc.string().map((grammar) => ({ grammar: `root ::= ${grammar}` })),
    value.map((json) => ({ json })),
    fc.constantFrom('json', 'name_age_city', '__proto__', 'toString'),
  );
  check(60, 12_000, constraint, (given) => {
    const began = process.cpuUsage();
    try {
      assert.equal(typeof grammarOf(given), 'string');
      scope.distribution({ constraint: given, top: 1 });
    } catch (error) {
      checkError(error, fc.stringify(given));
    }
    assert.ok(process.cpuUsage(began).user < 5e6, fc.stringify(given));
  });
});

test('lesson files give a lesson or its faults', () => {
  const shipped = ['bias', 'cost', 'top-p', 'write-it'].map((name) =>
    JSON.parse(readFileSync(`web/lessons/${name}.en.json`, 'utf8')),
  );
  const { table } = scope;
  const judge = (faults) => {
    for (const { code, key, values } of faults)
      assert.ok(code === 'bad_lesson' && typeof key === 'string' && typeof values === 'object');
  };
  /** A shipped lesson with a random value at a random path; each number of `way` selects a key. */
  const spoilt = fc
    .tuple(fc.constantFrom(...shipped), fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), value)
    .map(([lesson, way, put]) => {
      const copy = structuredClone(lesson);
      let at = copy;
      let key = '';
      for (const step of way) {
        const keys = Object.keys(at);
        key = keys[step % keys.length];
        if (typeof at[key] !== 'object' || at[key] === null || !Object.keys(at[key]).length) break;
        if (step !== way.at(-1)) at = at[key];
      }
      if (Object.hasOwn(at, key)) at[key] = put;
      return copy;
    });
  check(400, 40_000, fc.oneof(value, spoilt), (lesson) => judge(checkLesson(lesson, table)));
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .array(fc.constantFrom('# a', '\n', '---', '- [x] b', '> c', '```', 'kind: number', '[]{'))
      .map((parts) => parts.join('\n')),
  );
  check(300, 30_000, text, (source) => judge(readLesson(source, table).faults));
  for (const deep of [`${'['.repeat(5e4)}`, `${'{"a":'.repeat(5e4)}1`, '# '.repeat(1e5)])
    judge(readLesson(deep, table).faults);
});

test('messages of a host page and queries never throw', () => {
  const { table } = scope;
  const names = ['settings', 'prompt', 'seed', 'branch', 'view', 'type', 'id', '__proto__', 'beat'];
  const message = fc.oneof(
    fc.object({ withBigInt: true }),
    fc.dictionary(fc.constantFrom(...names), value),
    fc.record({ settings: fc.dictionary(fc.constantFrom(...table.map((it) => it.name)), value) }),
  );
  check(60, 12_000, message, (given) => {
    for (const { part, why } of checkState(given, table, 64).dropped)
      assert.ok(typeof part === 'string' && part.length < 300 && why);
  });
  const long = checkState({ settings: { ['x'.repeat(5000)]: 1 } }, table, 64).dropped[0].part;
  assert.ok(long.length < 300, 'a name of any length is cut');
  const query = fc.oneof(fc.string(), fc.webQueryParameters());
  check(60, 10_000, query, (given) => {
    const { dropped } = parseQuery(`?${given}`);
    for (const { part } of dropped) assert.equal(typeof part, 'string');
  });
});

test('chat templates give a text or a refusal', async () => {
  const pieces = [
    '{% for m in messages %}',
    '{% endfor %}',
    '{{ m.content }}',
    '{{ messages[0] }}',
    '{% if true %}',
    '{% endif %}',
    '{{ bos_token }}',
    '{{ raise_exception("no") }}',
    '{{ [1,2]|join("x" * 99999) }}',
    '{% set x = messages %}',
    '{% macro f(a) %}{{ f(a) }}{% endmacro %}{{ f(1) }}',
    '{{ "".constructor }}',
    '{{ 1 / 0 }}',
    '{% raw %}',
    '{{',
    '%}',
    'a\u0000',
  ];
  const template = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((it) => it.join('')),
  );
  const property = fc.asyncProperty(template, fc.string(), async (given, content) => {
    const { metadata, tensors } = smallContents({ dim: 4, layers: 1, template: given });
    const model = writeGguf(/** @type {any} */ ({ metadata, tensors }));
    const opened = await Logitscope.load({ model, session: false });
    try {
      const { text } = await opened.chat([{ role: 'user', content }]);
      assert.equal(typeof text, 'string');
    } catch (error) {
      checkError(error, given);
    } finally {
      opened.close();
    }
  });
  await fc.assert(property, { numRuns: cases(5, 800), seed });
});

test('flags of the command line give a result or one line', async () => {
  const model = join(temporaryFolder(), 'm.gguf');
  writeFileSync(model, smallModel());
  const { stdout: help } = await cli(['generate', '--help']);
  const flags = [...help.matchAll(/--[a-z_-]+/g)]
    .map(([flag]) => flag)
    .filter((flag) => !/help|model|interactive|own|out|file|variant|key/.test(flag));
  const word = fc.oneof(
    fc.constantFrom(...flags),
    fc.constantFrom('-1', '0', '1e999', 'NaN', '{', '[1]', '1,2', '', '--', '=', '\u202e', 'json'),
    fc.string({ maxLength: 8 }),
    number.map(String),
  );
  const words = fc.tuple(
    fc.constantFrom('generate', 'distribution', 'tokenize', 'info', 'sweep', 'compare', 'nonsense'),
    fc.array(word, { maxLength: 4 }),
  );
  const property = fc.asyncProperty(words, async ([command, more]) => {
    const bounds = command === 'generate' ? ['--max-new-tokens', '2'] : [];
    const { status, stderr } = await cli([command, '--model', model, ...bounds, ...more]);
    assert.ok([0, 1, 2].includes(status), `${status}`);
    assert.doesNotMatch(stderr, /\n {4}at /);
    if (status === 2) assert.match(stderr, /^logitscope: .+\n$/);
  });
  await fc.assert(property, { numRuns: cases(15, 200), seed });
});
