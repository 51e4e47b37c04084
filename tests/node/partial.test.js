/**
 * Tests the bounds of partial distributions: against the engine's numbers over the whole vocabulary in random cases, and
 * against a search over tails, which must stay inside and come near the ends.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { boundsOf } from '../../web/sources/bounds.js';
import {
  STAGE_NAMES,
  chainOf,
  cutOf,
  distributionOf,
  faultOf,
  historyOf,
  randomOf,
} from '../fixtures/partial_cases.js';
import { cases } from '../long.js';

const scope = await Logitscope.load();

/** Compares the bounds of a random case with the whole distribution. Returns the bounds, or null without a case. */
async function compare(random, sorted, settings) {
  const { partial, whole } = cutOf(random, sorted);
  const n = partial.logprobs.length;
  const history = historyOf(random, whole.length, n);
  const step = Math.floor(10 * random());
  let trace;
  try {
    trace = scope.warp(whole, { ...settings, top: 0 }, { history, step });
  } catch (error) {
    if (error.code === 'nothing_left' || error.code === 'unknown_token') return null;
    throw error;
  }
  const bounds = await boundsOf(scope, partial, settings, { history, step });
  assert.equal(
    faultOf(bounds, trace, n),
    null,
    JSON.stringify({ settings, partial, history, step }),
  );
  return bounds;
}

test('the bounds hold the engine’s numbers, and are its numbers if they are exact', async () => {
  let exact = 0;
  const seen = new Set();
  for (let seed = 1; seed <= cases(400, 40_000); seed++) {
    const random = randomOf(seed);
    const sorted = distributionOf(random, seed % 200 ? 400 : 262_144);
    const bounds = await compare(random, sorted, chainOf(random));
    if (!bounds) continue;
    exact += Number(bounds.exact);
    for (const { name } of bounds.stages) seen.add(name);
  }
  assert.ok(exact > 100, `${exact} exact`);
  assert.deepEqual(
    STAGE_NAMES.filter((name) => !seen.has(name)),
    [],
  );
});

/** Tails of `count` tokens with the mass, none above the cap: packed, equal, and random. */
function* tailsOf(random, mass, cap, count, n) {
  const packed = Array(count).fill(mass * 1e-9);
  let left = mass;
  for (let i = 0; i < count && left > 0; i++, left -= cap) packed[i] = Math.min(cap, left);
  yield packed;
  yield Array(count).fill(mass / count);
  for (let k = 0; k < n; k++) {
    // A mixture of a packed, a flat and a random tail stays within the limits.
    const power = 1 + 6 * random();
    const weights = Array.from({ length: count }, () => random() ** power);
    const sum = weights.reduce((a, b) => a + b);
    const drawn = weights.map((weight) => (weight / sum) * mass);
    const most = Math.max(...drawn);
    const share = most > cap ? (cap - mass / count) / (most - mass / count) : 1;
    yield drawn.map((q) => share * q + ((1 - share) * mass) / count);
  }
}

test('a search over tails stays inside the bounds and comes near their ends', async () => {
  const head = [0.3, 0.2, 0.1, 0.05];
  const mass = 0.35;
  const searched = [
    [{ temperature: 0.5 }, 1e-5],
    [{ temperature: 1.7 }, 1e-5],
    [{ dynatemp_range: 0.4 }, 0.06],
    [{ min_p: 0.1 }, 0.05],
    [{ top_p: 0.8 }, 0.05],
    [{ epsilon_cutoff: 0.01 }, 0.05],
    [{ temperature: 1.3, top_p: 0.9 }, 0.15],
    [{ p_less: 1 }, 0.2],
  ];
  for (const [settings, near] of searched) {
    const partial = { logprobs: head.map(Math.log), vocab_size: 40, half_unit: 0 };
    const bounds = await boundsOf(scope, partial, settings);
    const found = head.map(() => [1, 0]);
    const random = randomOf(5);
    for (const tail of tailsOf(random, mass, 0.05, 36, cases(150, 5000))) {
      const { p } = scope.warp([...head, ...tail].map(Math.log), { ...settings, top: 0 });
      head.forEach((_, i) => {
        const [low, high] = bounds.tokens[i].p;
        assert.ok(
          low <= p[i] && p[i] <= high,
          `${JSON.stringify(settings)} ${i}: ${p[i]} in ${low} ${high}`,
        );
        found[i] = [Math.min(found[i][0], p[i]), Math.max(found[i][1], p[i])];
      });
    }
    // The likeliest token's ends are reached, but for the part that only other corners reach.
    const [low, high] = bounds.tokens[0].p;
    assert.ok(
      found[0][0] - low <= near && high - found[0][1] <= near,
      `${JSON.stringify(settings)}: ${found[0]} in ${low} ${high}`,
    );
  }
});

test('cuts above the tail are exact', async () => {
  const whole = distributionOf(randomOf(3), 5000);
  assert.ok(whole.length > 100);
  const partial = {
    logprobs: Float64Array.from(whole.subarray(0, 20)),
    vocab_size: null,
    half_unit: 0,
  };
  const ratio = Math.exp(whole[10] - whole[0]);
  for (const settings of [
    { top_k: 7 },
    { top_k: 19, temperature: 0.6, top_p: 0.8 },
    { min_p: ratio },
    { temperature: 1.4, top_k: 5, frequency_penalty: 0.4 },
    { temperature: 0 },
  ]) {
    const { exact, tokens, rest } = await boundsOf(scope, partial, settings, {
      history: [0, 0, 3],
    });
    const { p } = scope.warp(whole, settings, { history: [0, 0, 3] });
    assert.ok(exact, JSON.stringify(settings));
    assert.deepEqual(
      tokens.map((token) => token.p),
      Array.from(p.subarray(0, 20), (x) => [x, x]),
    );
    assert.deepEqual(rest, [0, 0]);
  }
});

test('a stage without bounds is named', async () => {
  const partial = { logprobs: [-0.5, -1.5], vocab_size: null, half_unit: 0 };
  for (const settings of [
    { green_bias: 2 },
    { mirostat: 1 },
    { guidance_scale: 2 },
    { constraint: 'json' },
  ]) {
    const { stages, tokens } = await boundsOf(scope, partial, settings);
    assert.equal(stages.at(-1).bounded, false);
    assert.equal(stages.at(-1).name, Object.keys(settings)[0]);
    assert.deepEqual(tokens[0].p, [0, 1]);
  }
  await assert.rejects(boundsOf(scope, { ...partial, logprobs: [] }, {}), { key: 'no_numbers' });
  await assert.rejects(boundsOf(scope, { ...partial, logprobs: [Number.NaN] }, {}), {
    key: 'must_be_at',
  });
  await assert.rejects(boundsOf(scope, partial, { top_p: 2 }), { key: 'must_be_between' });
});

test('rounded numbers widen the bounds', async () => {
  const partial = { logprobs: [-0.51, -1.2, -2.31], vocab_size: 3, half_unit: 0.005 };
  const { tokens, exact } = await boundsOf(scope, partial, { temperature: 0.5 });
  assert.equal(exact, false);
  for (const off of [
    [0, 0, 0],
    [0.005, -0.005, -0.005],
    [-0.005, 0.005, 0.005],
  ]) {
    const { p } = scope.warp(
      partial.logprobs.map((l, i) => l + off[i]),
      { temperature: 0.5 },
    );
    tokens.forEach((token, i) => {
      assert.ok(token.p[0] <= p[i] && p[i] <= token.p[1] && token.p[1] - token.p[0] < 0.03);
    });
  }
});
