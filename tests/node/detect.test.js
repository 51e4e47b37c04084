/**
 * Tests the watermark detector: its counts equal a naive hash, its p equals exact integer sums, and it distinguishes
 * watermarked texts of the shipped model from plain texts.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { detect, normalTail, upperTail } from '../../web/engine/detect.js';
import { serve } from '../../web/engine/engine-server.js';
import { Logitscope } from '../../web/engine/index.js';
import { RemoteLogitscope } from '../../web/engine/remote.js';
import { MEASURED, TEMPERATURES } from '../../web/state/measured-watermarks.js';
import { closed } from '../cleanup.js';
import { cases } from '../long.js';
import { Pcg32 } from '../vectors/generators.js';
import { markBits, selfBits } from './naive.js';
import { smallModel } from './small_model.js';

const pcg = new Pcg32(18, 54);
const below = (n) => Math.floor((pcg.next() / 2 ** 32) * n);

const scope = closed(await Logitscope.load({ model: smallModel() }));

describe('the binomial tail', () => {
  /** Returns the binomial tail P(X >= least) for chance a / b, by integer arithmetic. */
  function exactTail(n, least, a, b) {
    let sum = 0n;
    for (let i = Math.max(least, 0), choose = 1n; i <= n; i++) {
      choose = 1n;
      for (let k = 1; k <= i; k++) choose = (choose * BigInt(n - k + 1)) / BigInt(k);
      sum += choose * BigInt(a) ** BigInt(i) * BigInt(b - a) ** BigInt(n - i);
    }
    const scale = 10n ** 40n;
    return Number((sum * scale) / BigInt(b) ** BigInt(n)) / 1e40;
  }

  test('equals the tail in whole numbers', () => {
    for (const [a, b] of [
      [1, 4],
      [1, 2],
      [9, 10],
    ])
      for (const n of [0, 1, 2, 7, 40, 90])
        for (let least = -1; least <= n + 1; least += n > 20 ? 7 : 1) {
          const [got, right] = [upperTail(n, least, a / b), exactTail(n, least, a, b)];
          assert.ok(
            Math.abs(got - right) <= 1e-12 * right + 1e-39,
            `${n} ${least} ${got} ${right}`,
          );
        }
  });

  test('of many trials is near the normal tail, and stays a number far out', () => {
    assert.ok(Math.abs(upperTail(120_000, 60_000, 1 / 2) - 0.5) < 0.002);
    assert.ok(Math.abs(upperTail(120_000, 60_403, 1 / 2) / 0.01 - 1) < 0.02);
    const far = upperTail(1000, 600, 1 / 4);
    assert.ok(far > 1e-130 && far < 1e-100, String(far));
  });
});

describe('the normal tail', () => {
  // Upper tails of the normal distribution, computed by Python's decimal to 60 digits.
  const KNOWN = [
    [0, 0.5],
    [1e-3, 0.49960105778608893],
    [1, 0.15865525393145705],
    [2.326347874040841, 0.009999999999999997],
    [2.9999, 0.0013503412829549248],
    [3.0001, 0.0013494549132607172],
    [6, 9.86587645037698e-10],
    [12, 1.776482112077679e-33],
    [37, 5.725571222524577e-300],
  ];

  test('equals a table', () => {
    for (const [z, p] of KNOWN) {
      assert.ok(Math.abs(normalTail(z) / p - 1) < 1e-11, `${z}: ${normalTail(z)}, not ${p}`);
      assert.ok(Math.abs(normalTail(-z) - (1 - p)) < 1e-14, `-${z}`);
    }
    assert.equal(normalTail(100), 0);
  });

  test('is near the exact tail of the weighted mean', () => {
    // Counts, for each sum of integer weights, the outcomes that have this sum. Each further g doubles the number of
    // outcomes.
    const [depth, tokens] = [6, 40];
    const weights = Array.from({ length: depth }, (_, i) => 10 * (depth - 1) - 9 * i);
    let chance = [1];
    for (let token = 0; token < tokens; token++)
      for (const weight of weights) {
        const next = Array(chance.length + weight).fill(0);
        for (const [sum, p] of chance.entries()) {
          next[sum] += p / 2;
          next[sum + weight] += p / 2;
        }
        chance = next;
      }
    const mean = (chance.length - 1) / 2;
    const sd = Math.sqrt((tokens * weights.reduce((sum, w) => sum + w * w, 0)) / 4);
    for (const z of [0.5, 1.5, 2.33, 3, 4]) {
      const least = Math.ceil(mean + z * sd);
      const exact = chance.slice(least).reduce((sum, p) => sum + p, 0);
      const said = normalTail((least - mean) / sd) / exact;
      assert.ok(said > 0.97 && said < 1.15, `z ${z}: ${said} of the exact one`);
    }
  });
});

describe('the detector counts', () => {
  const ids = Array.from({ length: 300 }, () => 97 + below(4));

  test('green tokens, a context with its token once', async () => {
    for (const settings of [
      { green_bias: 2 },
      { green_bias: 100, green_fraction: 0.5, green_context: 3, watermark_key: 9 },
      { green_bias: 1, green_context: 0 },
    ]) {
      const { green_fraction: q = 0.25, green_context: width = 1 } = settings;
      const [found, ...others] = await detect(scope, ids, settings);
      const seen = new Map();
      const shares = ids.map((id, i) => {
        const bits = markBits(1, settings, ids.slice(0, i), width);
        if (!bits) return null;
        const green = bits(id) < q * 2 ** 32 ? 1 : 0;
        const gram = ids.slice(i - width, i + 1).join();
        if (!seen.has(gram)) seen.set(gram, { i, green });
        return green;
      });
      const scored = [...seen.values()];
      const count = scored.reduce((sum, { green }) => sum + green, 0);
      assert.deepEqual(found.shares, shares);
      assert.deepEqual(
        found.scored,
        scored.map(({ i }) => i),
      );
      assert.deepEqual([found.name, found.n, found.count], ['green_bias', seen.size, count]);
      assert.equal(found.z, (count - q * seen.size) / Math.sqrt(seen.size * q * (1 - q)));
      assert.equal(found.z, found.curve.at(-1));
      assert.equal(found.curve.length, found.n);
      assert.equal(found.p, upperTail(seen.size, count, q));
      assert.deepEqual(others, []);
    }
  });

  test('with green_self the deciding token together with its green token once', async () => {
    for (const settings of [
      { green_bias: 2, green_self: 1, green_context: 3 },
      { green_bias: 2, green_self: 1, green_context: 0, green_fraction: 0.5, watermark_key: 5 },
    ]) {
      const { green_fraction: q = 0.25, green_context: width } = settings;
      const [found] = await detect(scope, ids, settings);
      const seen = new Map();
      const shares = ids.map((id, i) => {
        const told = selfBits(settings, ids.slice(0, i), width, true)?.(id);
        if (!told) return null;
        const green = told.bits < q * 2 ** 32 ? 1 : 0;
        const pair = `${told.decider} ${id}`;
        if (!seen.has(pair)) seen.set(pair, { i, green });
        else assert.equal(seen.get(pair).green, green, pair);
        return green;
      });
      const scored = [...seen.values()];
      assert.deepEqual(found.shares, shares);
      assert.deepEqual(
        found.scored,
        scored.map(({ i }) => i),
      );
      assert.equal(
        found.count,
        scored.reduce((sum, { green }) => sum + green, 0),
      );
      assert.equal(found.weighted, undefined);
    }
  });

  test("SynthID's g, once for each context", async () => {
    for (const settings of [{ synthid_depth: 30, synthid_context: 2 }, { synthid_depth: 5 }]) {
      const { synthid_depth: depth, synthid_context: width = 4 } = settings;
      const [found] = await detect(scope, ids, settings);
      const seen = new Set();
      let count = 0;
      const weights = Array.from({ length: depth }, (_, i) => 10 - (9 * i) / (depth - 1));
      let weighted = 0;
      ids.forEach((id, i) => {
        const bits = markBits(2, settings, ids.slice(0, i), width);
        const context = ids.slice(Math.max(0, i - width), i).join();
        if (!bits || seen.has(context)) return;
        seen.add(context);
        for (let layer = 0; layer < depth; layer++) {
          const g = Math.floor(bits(id) / 2 ** layer) % 2;
          count += g;
          weighted += g * weights[layer];
        }
      });
      const whole = weights.reduce((sum, weight) => sum + weight, 0);
      const squares = weights.reduce((sum, weight) => sum + weight ** 2, 0);
      const z = (weighted - (seen.size * whole) / 2) / Math.sqrt((seen.size * squares) / 4);
      assert.ok(Math.abs(found.weighted.share - weighted / (seen.size * whole)) < 1e-12);
      assert.ok(Math.abs(found.weighted.z - z) < 1e-9);
      assert.equal(found.weighted.z, found.weighted.curve.at(-1));
      assert.equal(found.weighted.p, normalTail(found.weighted.z));
      assert.deepEqual([found.name, found.n, found.count], ['synthid_depth', seen.size, count]);
      assert.equal(found.share, count / (depth * seen.size));
      assert.equal(found.expected, 0.5);
      assert.equal(found.p, upperTail(depth * seen.size, count, 0.5));
    }
  });

  test('both watermarks at once, a text too short for a context, and an empty text', async () => {
    const both = await detect(scope, ids, { green_bias: 2, synthid_depth: 3 });
    assert.deepEqual(
      both.map(({ name }) => name),
      ['green_bias', 'synthid_depth'],
    );
    for (const text of [[], [97]]) {
      const [{ n, z, p, curve, shares }] = await detect(scope, text, { green_bias: 2 });
      assert.deepEqual([n, z, p, curve, shares], [0, 0, 1, [], text.map(() => null)]);
    }
  });

  test('generation and detection agree: under the hard list every token is green', async () => {
    const settings = { green_bias: 100, green_fraction: 0.5, watermark_key: 3 };
    const written = [];
    for await (const step of scope.generate({ prompt: 'Hi', max_new_tokens: 40, ...settings }))
      written.push(step.id);
    const [{ shares }] = await detect(scope, [...scope.encode('Hi'), ...written], settings);
    assert.ok(shares.slice(-written.length).every((share) => share === 1));
  });

  test('an engine in a worker counts the same', async () => {
    const { port1, port2 } = new MessageChannel();
    serve(port1);
    const remote = await RemoteLogitscope.load({ model: smallModel(), worker: port2 });
    const settings = { green_bias: 2, synthid_depth: 30 };
    assert.deepEqual(await detect(remote, ids, settings), await detect(scope, ids, settings));
    port1.close();
  });

  test('settings without a detectable watermark are refused', async () => {
    const key = async (text, settings) => (await detect(scope, text, settings).catch((e) => e)).key;
    assert.equal(await key([1], {}), 'no_watermark');
    assert.equal(await key('text', { green_bias: 1 }), 'must_be');
    assert.equal(await key([-1], { green_bias: 1 }), 'id_between');
    assert.equal(await key([1], { green_bias: 101 }), 'must_be_between');
    assert.equal(await key([1], { green_bias: 1, green_fraction: 1 }), 'must_be_above_below');
  });
});

test('the page’s plot of z against temperature has the numbers of docs/samplers.md', () => {
  const table = readFileSync(new URL('../../docs/samplers.md', import.meta.url), 'utf8');
  const cells = (head) =>
    table
      .split('\n')
      .find((line) => line.startsWith(`| ${head} |`))
      .split('|')
      .slice(2, 5)
      .map((cell) => Number(cell.split(',')[0].trim().replace('−', '-')));
  const heads = ['T 0', 'T 0.3', 'T 0.7', '100 tokens', '100 tokens, T 1.5'];
  assert.deepEqual(TEMPERATURES, [0, 0.3, 0.7, 1, 1.5]);
  for (const [i, head] of heads.entries())
    assert.deepEqual(
      MEASURED.map(({ z }) => z[i]),
      cells(head),
      head,
    );
});

// Each text has a different watermark key, since the null hypothesis is about random keys.
describe('the detector on texts of the stories model', () => {
  const TEXTS = cases(8, 1000);
  const KEYS = cases(40, 1); // number of keys; a text without a watermark gives one more sample under each key
  const LENGTH = 150;
  const MARKS = {
    green_bias: { green_bias: 2 },
    green_self: { green_bias: 2, green_self: 1, green_context: 3 },
    synthid_depth: { synthid_depth: 30 },
  };
  let stories;
  let plain;

  async function write(settings, seed) {
    const ids = [];
    const asked = { ...settings, seed, logit_bias: { [stories.info.eos_token_id]: false } };
    for await (const step of stories.generate({
      prompt: 'Once upon a time',
      max_new_tokens: LENGTH,
      ...asked,
    }))
      ids.push(step.id);
    return ids;
  }

  before(async () => {
    stories = await Logitscope.load({
      model: new URL('../../models/stories.gguf', import.meta.url),
    });
    plain = [];
    for (let i = 0; i < TEXTS; i++) plain.push(await write({}, 1000 + i));
  });
  after(() => stories?.close());

  /**
   * Returns the probability that the p-value is at most 1 %. This probability is not exactly 1 %, since a p-value is
   * computed from a whole number of green tokens.
   */
  function alarmRate(n, q) {
    let least = Math.ceil(n * q);
    while (upperTail(n, least, q) > 0.01) least++;
    return upperTail(n, least, q);
  }

  for (const [name, mark] of Object.entries(MARKS)) {
    test(`${TEXTS * KEYS} looks at plain texts raise about 1 % false alarms of ${name}`, async () => {
      let alarms = 0;
      let rates = 0;
      let sum = 0;
      let squares = 0;
      let weighted = 0;
      for (let i = 0; i < TEXTS * KEYS; i++) {
        const settings = { ...mark, watermark_key: 70_000 + i };
        const [found] = await detect(stories, plain[i % TEXTS], settings);
        alarms += found.p <= 0.01;
        weighted += found.weighted?.p <= 0.01;
        rates += alarmRate(found.n * (mark.synthid_depth ?? 1), found.expected);
        sum += found.z;
        squares += found.z ** 2;
      }
      const n = TEXTS * KEYS;
      const [rate, mean] = [rates / n, sum / n];
      const said = `${alarms} alarms of ${n}, ${rates.toFixed(1)} expected, z ${mean} ± ${squares / n}`;
      assert.ok(rate > 0.004 && rate <= 0.01, said);
      assert.ok(upperTail(n, alarms, rate) > 0.001, said);
      assert.ok(1 - upperTail(n, alarms + 1, rate) > 0.001, said);
      if (mark.synthid_depth) {
        assert.ok(upperTail(n, weighted, 0.01) > 0.001, `weighted: ${weighted} alarms of ${n}`);
        assert.ok(1 - upperTail(n, weighted + 1, 0.01) > 0.001, `weighted: ${weighted} of ${n}`);
      }
      assert.ok(Math.abs(mean) < 4 / Math.sqrt(n), said);
      assert.ok(Math.abs(squares / n - 1) < 6 / Math.sqrt(n), said);
    });

    test(`${TEXTS} watermarked texts have a higher z of ${name} than plain ones`, async () => {
      const zs = [];
      for (let i = 0; i < TEXTS; i++) {
        const settings = { ...mark, watermark_key: i };
        const [{ z, weighted }] = await detect(stories, await write(settings, i), settings);
        zs.push(z);
        assert.ok(!weighted || weighted.z > 2.33, `weighted ${weighted?.z}`);
      }
      zs.sort((a, b) => a - b);
      const said = `${zs[0]} at least, ${zs[TEXTS >> 1]} in the middle`;
      assert.ok(zs[TEXTS >> 1] > 4.5, said);
      assert.ok(zs.filter((z) => z > 2.33).length >= 0.99 * TEXTS, said);
      // With a key other than that of the watermark, the detector finds none.
      const [{ p }] = await detect(stories, await write({ ...mark, watermark_key: 1 }, 1), {
        ...mark,
        watermark_key: 2,
      });
      assert.ok(p > 0.001, String(p));
    });
  }
});
