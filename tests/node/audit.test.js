/**
 * Tests the audit of recorded probabilities: its tests against published numbers, its rate of false alarms, its power, and
 * its proofs. tests/bench/audit.js has the same simulation at full size.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { auditRecord, readLaws } from '../../web/sources/audit.js';
import { normalQuantile, placeOf, sumsOf, testUniform } from '../../web/sources/draw-tests.js';
import { lawsOf, readPool, simulate } from '../bench/audit.js';
import { exampleRecord } from '../../web/views/logits/record-example.js';
import { closed } from '../cleanup.js';
import { cases, sample } from '../long.js';
import { cli } from './command_line.js';

const scope = closed(
  await Logitscope.load({ model: new URL('../../models/stories.gguf', import.meta.url) }),
);
const pool = await readPool(scope, 60);
const size = pool[0].length;

/** A record of the tokens that `settings` draw at the positions of the pool. */
function recordOf(settings, listed = size) {
  const positions = pool.map((top, step) => {
    const logits = Float32Array.from(top, ({ logprob }) => logprob);
    const { id: at } = scope.drawFrom(logits, { ...settings, seed: 5 }, { step });
    return { token: top[at], top: top.slice(0, listed), drawn: true };
  });
  return { raw: 'raw', vocab_size: size, positions };
}

test('the p-values are those of tables', () => {
  // Kolmogorov's limit law at its 10 %, 5 % and 1 % points, and the exact 5 % point for n = 20 (Miller 1956).
  const grid = (n, shift) =>
    Array.from({ length: n }, (_, i) => [(i + 0.5) / n + shift, (i + 0.5) / n + shift]);
  for (const [n, distance, level] of [
    ...sample(
      [
        [10000, 0.0122385, 0.1],
        [10000, 0.013581, 0.05],
        [10000, 0.0162762, 0.01],
      ],
      1,
    ),
    [20, 0.29408, 0.05],
  ]) {
    const { ks, p_value } = testUniform(grid(n, distance - 0.5 / n));
    assert.ok(Math.abs(ks - distance) < 1e-9);
    assert.ok(Math.abs(p_value / level - 1) < 0.02, `${p_value} at n = ${n}`);
  }
  assert.ok(Math.abs(normalQuantile(0.005) - 2.575829304) < 1e-8);
});

test('a place lies in its interval for any choice of the open tokens, and for any rounding', () => {
  const weights = Float64Array.from([5, 4, 3, 2, 1]);
  const open = [false, false, true, true, false];
  const law = { weights, open, rest: null, blur: 0.01, logs: weights, raw: weights };
  for (const drawn of [0, 1, 2, 4]) {
    const [low, high] = placeOf(law, sumsOf(law), drawn, 0.3);
    for (const kept of [[], [2], [2, 3]]) {
      if (open[drawn] && !kept.includes(drawn)) continue;
      for (const sign of [-1, 1]) {
        const all = [...weights.keys()].filter((i) => !open[i] || kept.includes(i));
        const sum = (list) =>
          list.reduce(
            (total, i) =>
              total + weights[i] * (1 + sign * 0.0049 * (i < drawn ? 1 : i > drawn ? -1 : 0)),
            0,
          );
        const place = (sum(all.filter((i) => i < drawn)) + 0.3 * weights[drawn]) / sum(all);
        assert.ok(low <= place && place <= high, `${drawn}: ${low} ${place} ${high}`);
      }
    }
  }
});

test('a true claim is seldom rejected, and a wrong temperature is found', async () => {
  const runs = cases(300, 10_000);
  const settings = { temperature: 0.9, top_p: 0.95 };
  const laws = await lawsOf(scope, pool, settings, size);
  const claim = { settings, laws };
  const found = simulate(scope, claim, laws, { runs, tokens: 100, seed: 3 });
  assert.equal(found.proofs, 0);
  // The upper end of the 99.9 % interval of a binomial share around 1 %.
  const most = 0.01 + 3.3 * Math.sqrt((0.01 * 0.99) / runs);
  for (const name of ['pit', 'temperature', 'tighter', 'all'])
    assert.ok(found[name] <= most, `${name} ${found[name]}`);
  for (const [temperature, least] of [
    [0.6, 0.5],
    [1.3, 0.5],
  ]) {
    const actual = await lawsOf(scope, pool, { temperature, top_p: 0.95 }, size);
    const { all } = simulate(scope, claim, actual, { runs: 60, tokens: 300, seed: 4 });
    assert.ok(all > least, `${temperature}: ${all}`);
  }
});

test('a token outside the claim is a proof with its position and stage', async () => {
  const record = recordOf({ temperature: 1.5 });
  const outside = (settings) => auditRecord(record, settings, scope, {});
  for (const [settings, stage] of [
    [{ top_k: 2 }, 'top_k'],
    [{ top_p: 0.3 }, 'top_p'],
    [{ min_p: 0.5 }, 'min_p'],
    [{ temperature: 0 }, 'temperature'],
  ]) {
    const { proofs, p_value, stages } = await outside(settings);
    const expected = record.positions.flatMap(({ token, top }, position) => {
      const logits = Float32Array.from(top, ({ logprob }) => logprob);
      return scope.warp(logits, settings).p[top.indexOf(token)] === 0 ? [{ position, stage }] : [];
    });
    assert.ok(proofs.length > 0);
    assert.deepEqual(proofs, expected);
    assert.equal(p_value, 0);
    assert.equal(stages.find(({ name }) => name === stage).proofs, proofs.length);
  }
});

test('the audit repeats, and warped probabilities are not warped again', async () => {
  const record = recordOf({});
  const first = await auditRecord(record, { temperature: 0.3 }, scope, { seed: 8 });
  assert.deepEqual(await auditRecord(record, { temperature: 0.3 }, scope, { seed: 8 }), first);
  assert.ok(first.p_value < 0.01 && first.temperature.estimate > 0.5);
  const warped = await auditRecord({ ...record, raw: 'warped' }, { temperature: 0.3 }, scope, {});
  assert.ok(warped.p_value > 0.01);
  assert.deepEqual(warped.stages, []);
  await assert.rejects(auditRecord(record, {}, scope, { seed: -1 }), {
    key: 'must_be_integer_between',
  });
});

test('with rounded numbers and hidden tails a true claim is not rejected more often', async () => {
  const runs = cases(400, 10_000);
  for (const settings of [{ temperature: 0.7 }, { temperature: 0.9, top_p: 0.9 }]) {
    const actual = await lawsOf(scope, pool, settings, size);
    const laws = await lawsOf(scope, pool, settings, 12, 3);
    assert.ok(laws.some(({ rest }) => rest === null));
    const found = simulate(scope, { settings, laws }, actual, { runs, tokens: 100, seed: 6 });
    assert.equal(found.proofs, 0);
    const most = 0.01 + 3.3 * Math.sqrt((0.01 * 0.99) / runs);
    for (const name of ['pit', 'temperature', 'tighter', 'all'])
      assert.ok(found[name] <= most, `${name} ${found[name]}`);
  }
});

test('a list that may end in the drawn token is read without its last one, whichever token was drawn', async () => {
  const tail = (top, drawn) => ({
    token: top[drawn],
    top: drawn === 3 ? top.slice(0, 3) : top,
    drawn: true,
  });
  const laws = await readLaws(
    {
      program: 'vllm',
      raw: 'raw',
      vocab_size: null,
      positions: [0, 1, 3].map((drawn) => tail(pool[0].slice(0, 4), drawn)),
    },
    {},
    scope,
    {},
  );
  const [first, ...others] = laws.map(({ weights, rest }) => ({
    n: weights.length,
    share: weights[0] / weights[1],
    rest,
  }));
  for (const law of others) {
    assert.equal(law.n, 3);
    assert.ok(Math.abs(law.share / first.share - 1) < 1e-6);
    assert.ok(Math.abs(law.rest[1] - first.rest[1]) < 1e-5);
  }
});

test('the command line audits a record', async () => {
  const said = await cli(
    ['logprobs', '-', '--temperature', '1.3', '--min-p', '0.1', '--audit'],
    exampleRecord(),
  );
  assert.match(said.stdout, /audit: no\. \d+ of the tokens/);
  assert.match(said.stdout, /token 5 " the": min_p/);
});
