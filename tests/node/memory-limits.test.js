/**
 * Tests memory that cannot grow: the module with each memory limit, from its initial size up to enough. A call that
 * does not fit must fail with one sentence, and open sessions must still work. The native test_allocations.c makes
 * every allocation fail.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Logitscope, LogitscopeError } from '../../web/engine/index.js';
import { sample } from '../long.js';
import { withMemory } from './bounded_memory.js';
import { smallModel } from './small_model.js';

const wasm = readFileSync('web/engine/logitscope.wasm');
const model = smallModel({ dim: 64, layers: 2, context: 256 });
const BEGIN = [1, 2, 3];
const PAGE = 65_536;

/** Calls that the test makes with a model, one at a time. Each result must equal that in `expected`. */
const ACTS = {
  session: (scope) => {
    const session = scope.session();
    session.feed([4, 5]);
    const { tokens } = session.distribution({ top: 3 });
    session.close();
    return tokens;
  },
  settings: (scope) =>
    scope.distribution({ top_k: 9, mirostat: 2, xtc_probability: 0.5, dry_multiplier: 1, top: 5 }),
  bias: (scope) =>
    scope.distribution({ logit_bias: { 1: 2, 5: -3 }, banned_words: ['ab'], top: 5 }),
  grammar: (scope) => scope.distribution({ constraint: 'json', top: 5 }).kept,
  schema: (scope) =>
    scope.distribution({ constraint: { schema: { type: 'integer' } }, top: 5 }).kept,
  wide: (scope) => scope.warp(new Float32Array(100_000).fill(1), { top_p: 0.5, top: 3 }).kept,
  landscape: (scope) => scope.landscape({}, 'temperature', [0.5, 1, 2], { top: 5 }),
  encode: (scope) => scope.encode('ab'.repeat(200_000)).length,
  decode: (scope) => scope.decode(new Uint32Array(300_000).fill(66)).length,
  surprisal: (scope) => scope.surprisal([1, 2, 3]),
  second: (scope) => {
    scope.second(new Float32Array(scope.info.vocab_size));
    const { tokens } = scope.distribution({ guidance_scale: 2, top: 3 });
    scope.second(null);
    return tokens;
  },
};

/** @param {Logitscope} scope */
function plain(scope) {
  scope.feed(BEGIN);
  return scope.distribution({ top: 4 }).tokens;
}

/** Asserts that an error is out_of_memory with one sentence. @param {any} error @param {string} what */
function checkRefusal(error, what) {
  assert.ok(error instanceof LogitscopeError, `${what}: ${error?.stack}`);
  assert.equal(error.code, 'out_of_memory', `${what}: ${error.message}`);
  assert.match(error.message, /^[^\n{}]{5,150}$/, what);
}

/** Result of each call with enough memory. @type {Record<string, unknown>} */
const expected = {};

/** @param {(least: number) => number} most limit of the memory in pages of 64 KiB, from the initial number of pages */
const load = (most) => Logitscope.load({ model, wasm: withMemory(wasm, most), variant: 'simd' });

/**
 * Opens a model with a memory of `most` pages and makes all calls. Returns the number of failed calls, or null if the
 * model did not open.
 * @param {number} most
 */
async function tryWith(most) {
  let refused = 0;
  let scope;
  try {
    scope = await load(() => most);
  } catch (error) {
    checkRefusal(error, `load in ${most} pages`);
    return null;
  }
  let begun = false;
  for (const [name, act] of [['plain', plain], ...Object.entries(ACTS)]) {
    const what = `${name} in ${most} pages`;
    try {
      assert.deepEqual(act(scope), expected[name], what);
      begun = true;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      checkRefusal(error, what);
      refused++;
    }
    if (begun) assert.deepEqual(plain(scope), expected.plain, `after ${what}`);
  }
  assert.ok(scope.memoryBytes <= most * PAGE);
  scope.close();
  return refused;
}

test('an act that does not fit into memory is refused, and the session stays usable', async () => {
  let first = 0;
  const scope = await load((least) => (first = least) + 4096);
  for (const [name, act] of [['plain', plain], ...Object.entries(ACTS)])
    expected[name] = act(scope);
  const all = scope.memoryBytes / PAGE;
  scope.close();

  assert.equal(await tryWith(first), null);
  assert.equal(await tryWith(all), 0);
  const opening = Array.from({ length: 64 }, (_, i) => first + 1 + i);
  const acting = Array.from({ length: all - first - 65 }, (_, i) => first + 65 + i);
  const answers = [];
  for (const pages of [...sample(opening, 1), ...sample(acting, 2)])
    answers.push(await tryWith(pages));
  assert.ok(
    answers.some((refused) => refused),
    'something opens, and something is refused',
  );
});
