/** Tests properties of the samplers, such as a total mass of 1, with random logits of several sizes. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Logitscope } from '../../web/engine/index.js';
import { cases } from '../long.js';
import { Pcg32 } from '../vectors/generators.js';

const SIZES = [1, 2, 7, 64, 512, 50257, 262144];
const TOLERANCE = 2 ** -20;

/** @type {Logitscope} */
let scope;
before(async () => {
  scope = await Logitscope.load();
});

/** Returns logits of a given spread. If the seed is a multiple of 4, they are rounded coarsely, which makes ties. */
function randomLogits(size, seed, spread) {
  const pcg = new Pcg32(seed, 54);
  const coarse = seed % 4 === 0;
  return Float32Array.from({ length: size }, () => {
    const x = spread * (pcg.next() / 2 ** 31 - 1) + spread * (pcg.next() / 2 ** 31 - 1);
    return coarse ? Math.round(x) : x;
  });
}

const survivors = ({ logits }) => [...logits.keys()].filter((id) => logits[id] !== -Infinity);
const argmax = (logits) => logits.reduce((best, l, id) => (l > logits[best] ? id : best), 0);
const isSubset = (small, large) => {
  const all = new Set(large);
  return small.every((id) => all.has(id));
};
const bits = (floats) => Buffer.from(floats.buffer, floats.byteOffset, floats.byteLength);

for (const size of SIZES) {
  const numRuns = Math.max(cases(1, 2), Math.min(60, Math.floor(cases(100_000, 200_000) / size)));
  const seeds = fc.integer({ min: 0, max: 2 ** 31 });
  const spreads = fc.constantFrom(0, 0.01, 1, 5, 30);
  const logitsArbitrary = fc
    .tuple(seeds, spreads)
    .map(([seed, spread]) => randomLogits(size, seed, spread));
  const temperature = fc.double({ min: 0.01, max: 50, noNaN: true });
  const k = fc.integer({ min: 1, max: Math.max(1, Math.min(size, 200)) });
  const p = fc.double({ min: 0, max: 1, noNaN: true });
  const check = (name, ...rest) =>
    test(name, () => {
      const property = rest.pop();
      fc.assert(fc.property(logitsArbitrary, ...rest, property), {
        numRuns,
        seed: 7 + size,
        endOnFailure: size > 512,
      });
    });

  describe(`V = ${size}`, () => {
    check(
      "mass is 1, and the caller's array stays",
      temperature,
      k,
      p,
      (logits, T, top_k, top_p) => {
        const copy = logits.slice();
        const trace = scope.warp(logits, { temperature: T, top_k, top_p, top: 5 });
        assert.ok(bits(copy).equals(bits(logits)));
        assert.ok(Math.abs(trace.p.reduce((sum, x) => sum + x, 0) - 1) <= TOLERANCE);
        const listed = trace.tokens.reduce((sum, token) => sum + token.p, trace.rest.p);
        assert.ok(Math.abs(listed - 1) <= TOLERANCE);
        assert.equal(trace.kept, survivors(trace).length);
        assert.equal(trace.rest.count + trace.tokens.length, size);
      },
    );

    check('the best survives top-k and top-p', k, p, (logits, top_k, top_p) => {
      const best = argmax(logits);
      for (const settings of [{ top_k }, { top_p }, { top_k, top_p }, { top_p: 0 }]) {
        assert.equal(scope.warp(logits, settings).tokens[0].id, best);
      }
    });

    check('a filter changes no surviving logit', k, p, (logits, top_k, top_p) => {
      const { logits: warped } = scope.warp(logits, { top_k, top_p });
      assert.ok(warped.every((l, id) => l === -Infinity || l === logits[id]));
    });

    check('temperature reorders nothing', temperature, (logits, T) => {
      const { logits: warped } = scope.warp(logits, { temperature: T });
      const ids = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
      assert.ok(ids.every((id, i) => i === 0 || warped[id] <= warped[ids[i - 1]]));
    });

    check(
      'entropy does not fall as T rises, towards greedy and towards uniform',
      temperature,
      temperature,
      (logits, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((T) =>
          scope.warp(logits, { temperature: T }),
        );
        assert.ok(high.entropy >= low.entropy - 1e-6);
        const greedy = scope.warp(logits, { temperature: 0 });
        assert.deepEqual(survivors(greedy), [argmax(logits)]);
        const cold = scope.warp(logits, { temperature: 1e-30 });
        assert.equal(cold.tokens[0].id, argmax(logits));
        const hot = scope.warp(logits, { temperature: 1e9 });
        assert.ok(Math.abs(hot.entropy - Math.log2(size)) < 1e-5);
      },
    );

    check('neutral values are the identity, bit for bit', (logits) => {
      const neutral = {
        temperature: 1,
        top_k: 0,
        top_p: 1,
        repetition_penalty: 1,
        min_tokens_to_keep: 1,
        logit_bias: {},
      };
      for (const settings of [{}, neutral, { top_k: size }]) {
        assert.ok(bits(scope.warp(logits, settings, { history: [0] }).logits).equals(bits(logits)));
      }
    });

    check('smaller k, smaller p, keep a subset', k, k, p, p, (logits, k1, k2, p1, p2) => {
      const kept = (settings) => survivors(scope.warp(logits, settings));
      assert.ok(isSubset(kept({ top_k: Math.min(k1, k2) }), kept({ top_k: Math.max(k1, k2) })));
      assert.ok(isSubset(kept({ top_p: Math.min(p1, p2) }), kept({ top_p: Math.max(p1, p2) })));
    });

    check(
      'top-k before temperature keeps no more than after, the difference being ties',
      temperature,
      k,
      (logits, T, top_k) => {
        const names = ['temperature', 'top_k'];
        const after = scope.warp(logits, { temperature: T, top_k, order: names });
        const before = scope.warp(logits, { temperature: T, top_k, order: names.reverse() });
        const stayed = survivors(before);
        assert.ok(isSubset(stayed, survivors(after)));
        const least = stayed.reduce((least, id) => Math.min(least, after.logits[id]), Infinity);
        for (const id of survivors(after)) {
          assert.ok(before.logits[id] !== -Infinity || after.logits[id] === least);
        }
      },
    );

    check(
      'a penalised token does not rise, nor any other move',
      fc.double({ min: 1, max: 5, noNaN: true }),
      fc.integer({ min: 0, max: size - 1 }),
      (logits, r, id) => {
        const { logits: warped } = scope.warp(
          logits,
          { repetition_penalty: r },
          { history: [id, id] },
        );
        assert.ok(warped[id] <= logits[id]);
        assert.ok(warped.every((l, other) => other === id || l === logits[other]));
      },
    );

    check('min_tokens_to_keep is a floor', k, (logits, n) => {
      const trace = scope.warp(logits, { top_p: 0, min_tokens_to_keep: n });
      assert.equal(trace.kept, Math.min(n, size));
    });
  });
}
