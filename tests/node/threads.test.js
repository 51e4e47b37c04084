/**
 * Several threads for one text: the digest equals that of one thread, also if a worker dies or memory cannot be
 * shared. Small models are split too, because these tests lower the least size of a part.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { Core } from '../../web/engine/core.js';
import { copy, take } from '../../web/engine/crowd-calls.js';
import { Logitscope } from '../../web/engine/index.js';
import { openSource } from '../../web/engine/load.js';
import { Logitscope as Engine } from '../../web/engine/logitscope.js';
import { Module } from '../../web/engine/module.js';
import { load } from '../../web/engine/threads.js';
import { long } from '../long.js';
import { courseFiles } from './course_files.js';
import { digest } from './digest.js';
import { formatFiles } from './format_files.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Opens a model with n threads that take even the smallest parts.
 * @param {string} model
 * @param {number} n
 * @param {'auto' | 'scalar' | 'simd' | 'relaxed'} [variant]
 */
async function open(model, n, variant = 'auto') {
  const stream = await openSource('model', model);
  const threads = await load(stream, { threads: n, variant }, Module);
  assert.ok(threads, 'logitscope-threads.wasm is built');
  const core = new Core(threads.module);
  await core.openModel(stream, 0, 'auto');
  await threads.open(core);
  threads.module.calls.threads_least(1);
  assert.equal(core.info?.threads, n);
  return { scope: new Engine(/** @type {any} */ (core)), threads };
}

/** @param {string} model @param {number[]} numbers @param {'auto' | 'scalar' | 'simd'} [variant] */
async function compare(model, numbers, variant) {
  const alone = await Logitscope.load({ model, threads: 1, variant });
  const expected = await digest(alone);
  alone.close();
  for (const n of numbers) {
    const { scope } = await open(model, n, variant);
    assert.equal(await digest(scope), expected, `${model}, ${n} threads`);
    scope.close();
  }
}

test('the digest of 2 and 3 threads equals that of one', async () => {
  await compare(`${root}models/stories.gguf`, [2]);
  await compare(`${root}${formatFiles[8]}`, [3]);
});

long('the digest of 2, 3 and 8 threads equals that of one, in every format', async () => {
  for (const model of [...formatFiles, ...courseFiles, 'models/verbs.gguf'])
    await compare(`${root}${model}`, [2, 3, 8]);
  for (const variant of /** @type {const} */ (['scalar', 'simd']))
    await compare(`${root}${formatFiles[8]}`, [2, 3, 8], variant);
});

test('a worker that dies in the middle of a text changes no token', async () => {
  const model = `${root}models/stories.gguf`;
  const options = { prompt: 'One day', seed: 7, max_new_tokens: 24 };
  const alone = await Logitscope.load({ model, threads: 1 });
  const expected = await alone.write(options);
  const { scope, threads } = await open(model, 3);
  const ids = [];
  for await (const { id } of scope.generate(options)) {
    ids.push(id);
    if (ids.length === 4) threads.workers[0].end();
    if (ids.length === 12) threads.workers[1].end();
  }
  assert.deepEqual(ids, Array.from(expected.ids));
  scope.close();
  alone.close();
});

test('a crowd takes copies of an engine with threads', async () => {
  const model = `${root}models/stories.gguf`;
  const scope = await Logitscope.load({ model, threads: 2 });
  const copied = copy(scope);
  const { options } = copied;
  const taker = await Logitscope.load(/** @type {any} */ (options));
  await take(taker, copied);
  assert.equal(await digest(taker), await digest(scope));
  scope.close();
});

test('one thread runs if memory cannot be shared', async (t) => {
  t.mock.method(WebAssembly, 'Memory', () => {
    throw new RangeError('no memory');
  });
  const scope = await Logitscope.load({ model: `${root}models/verbs.gguf`, threads: 2 });
  assert.equal(scope.info?.threads, 1);
  assert.equal(await digest(scope), '5aa484ccb5ab9439');
});

test('a small model gets one thread, and a number outside the limits is refused', async () => {
  const model = `${root}models/verbs.gguf`;
  assert.equal((await Logitscope.load({ model })).info?.threads, 1);
  for (const threads of [0, 17, 1.5])
    await assert.rejects(Logitscope.load({ model, threads }), { key: 'must_be_integer_between' });
});
