/**
 * Several threads for one text: the digest equals that of one thread, also if a worker dies or memory cannot be
 * shared. Small models are split too, because these tests lower the least size of a part.
 */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { copy, take } from '../../web/engine/crowd-calls.js';
import { Logitscope } from '../../web/engine/index.js';
import { long } from '../long.js';
import { courseFiles } from './course_files.js';
import { digest } from './digest.js';
import { formatFiles } from './format_files.js';
import { openThreads } from './threaded.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param {string} model @param {number[]} numbers @param {'auto' | 'scalar' | 'simd'} [variant] */
async function compare(model, numbers, variant) {
  const alone = await Logitscope.load({ model, threads: 1, variant });
  const expected = await digest(alone);
  alone.close();
  for (const n of numbers) {
    const { scope } = await openThreads(model, n, variant);
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
  const { scope, threads } = await openThreads(model, 3);
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

test('one thread runs if memory cannot be shared, or cannot hold the model', async (t) => {
  /** @type {number[]} */
  const pages = [];
  // A constructor cannot be an arrow function.
  t.mock.method(WebAssembly, 'Memory', function refuse(/** @type {any} */ { initial }) {
    pages.push(initial);
    throw new RangeError('no memory');
  });
  const model = `${root}models/stories.gguf`;
  const scope = await Logitscope.load({ model, threads: 2 });
  assert.equal(scope.info?.threads, 1);
  assert.equal(
    (await scope.write({ prompt: 'One day', seed: 7, max_new_tokens: 4 })).ids.length,
    4,
  );
  assert.ok(pages[0] * 65536 > statSync(model).size);
});

test('a host that states a wrong number of processors gets the same text', async (t) => {
  const model = `${root}models/verbs.gguf`;
  const options = { prompt: 'Tomorrow she', seed: 7, max_new_tokens: 8 };
  const alone = await Logitscope.load({ model, threads: 1 });
  const { ids } = await alone.write(options);
  for (const [stated, most] of [
    [64, 16],
    [Number.NaN, 1],
  ]) {
    t.mock.method(os, 'availableParallelism', () => stated);
    syncBuiltinESMExports();
    const { scope, threads } = await openThreads(model, 'auto');
    t.mock.restoreAll();
    syncBuiltinESMExports();
    assert.equal(threads.workers.length, most - 1);
    assert.ok(Number(scope.info?.threads) <= most);
    assert.deepEqual((await scope.write(options)).ids, ids, `${stated} processors`);
    scope.close();
  }
});

test('a small model gets one thread, and a number outside the limits is refused', async () => {
  const model = `${root}models/verbs.gguf`;
  assert.equal((await Logitscope.load({ model })).info?.threads, 1);
  for (const threads of [0, 17, 1.5])
    await assert.rejects(Logitscope.load({ model, threads }), { key: 'must_be_integer_between' });
});
