/** Tests how the engine measures, while it loads, how many blocks of weights it multiplies with one vector. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { STREAMS } from '../../web/engine/core.js';
import { chooseStreams } from '../../web/engine/weight-streams.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Returns a stand-in for the module that needs `cost[n]` ms per megabyte with n streams. Its clock advances in steps
 * of `tick` ms. Its first `slow` readings take longer, as before code is optimised. Four readings from number `stall`
 * on are delayed, as by another program.
 */
function machine({ cost, parts = 100, bytes = 1e6, tick = 0, slow = 3, stall = -1 }) {
  let time = 0;
  let streams = 1;
  let readings = 0;
  const calls = {
    kernels_streams: (/** @type {number} */ n) => (streams = n),
    model_probe(/** @type {number} */ _model, /** @type {number} */ part) {
      if (part >= parts) return 0;
      if (part === 0) readings++;
      time += ((readings <= slow ? 1.5 : cost[streams]) * bytes) / 1e6;
      if (part === 0 && readings >= stall && readings < stall + 4) time += 20;
      return bytes;
    },
  };
  const now = () => (tick ? Math.floor(time / tick) * tick : time);
  return { calls, now };
}

/** @param {Parameters<typeof machine>[0]} options */
const chosenOn = (options) => {
  const { calls, now } = machine(options);
  return chooseStreams(/** @type {any} */ (calls), 1, STREAMS, now);
};

test('the fastest choice is taken, even by a clock that ticks once a millisecond', () => {
  for (const tick of [0, 0.1, 1]) {
    assert.equal(chosenOn({ cost: { 1: 0.05, 2: 0.08, 4: 0.07 }, tick }), 1);
    assert.equal(chosenOn({ cost: { 1: 0.09, 2: 0.08, 4: 0.06 }, tick }), 4);
    assert.equal(chosenOn({ cost: { 1: 0.09, 2: 0.05, 4: 0.08 }, tick }), 2);
  }
});

test('without a clear difference the first choice stays', () => {
  assert.equal(chosenOn({ cost: { 1: 0.06, 2: 0.06, 4: 0.057 } }), 1);
});

test('slow first readings do not decide', () => {
  for (const slow of [0, 1, 2, 4])
    assert.equal(chosenOn({ cost: { 1: 0.09, 2: 0.08, 4: 0.06 }, slow }), 4);
});

test('four stalled readings in a row do not decide', () => {
  for (let stall = 0; stall < 24; stall++)
    assert.equal(chosenOn({ cost: { 1: 0.05, 2: 0.08, 4: 0.07 }, stall }), 1, `from ${stall}`);
});

test('a model of float32 matrices is not timed', () => {
  assert.equal(chosenOn({ cost: { 1: 9, 2: 1, 4: 1 }, parts: 0 }), 1);
});

test('a small model is not timed, and a requested choice is kept', async () => {
  const model = `${root}models/verbs.gguf`;
  for (const [streams, expected] of /** @type {const} */ ([
    ['auto', 1],
    [4, 4],
  ])) {
    const scope = await Logitscope.load({ model, streams });
    assert.equal(scope.info?.streams, expected);
    scope.close();
  }
});

test('an unsupported number of streams is refused with the choices', async () => {
  await assert.rejects(Logitscope.load({ streams: /** @type {any} */ (3) }), {
    code: 'invalid_argument',
    message: 'streams must be one of "auto", 1, 2, 4, got 3',
  });
});
