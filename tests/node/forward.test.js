/**
 * Tests that the forward pass equals an independent reference within 1e-4: all logits of each model in
 * tests/vectors/forward, fed at once and token by token.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';

const folder = new URL('../vectors/forward/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.slice(0, -4));

/** Parses a file: `ids N`, the ids, `logits N V`, and N rows of V logits. */
function readVectors(name) {
  const words = readFileSync(new URL(`${name}.txt`, folder), 'utf8')
    .split(/\s+/)
    .filter(Boolean);
  const take = (count) => words.splice(0, count).map(Number);
  assert.equal(words.shift(), 'ids');
  const ids = take(take(1)[0]);
  assert.equal(words.shift(), 'logits');
  const [rows, columns] = take(2);
  const logits = Array.from({ length: rows }, () => take(columns));
  assert.equal(words.length, 0);
  assert.equal(rows, ids.length);
  return { ids, logits };
}

test('vectors of at least five models exist', () => assert.ok(names.length >= 5));

for (const name of names) {
  describe(name, () => {
    const { ids, logits } = readVectors(name);
    for (const variant of ['scalar', 'simd']) {
      test(`${variant} logits agree with the reference`, async () => {
        const scope = await Logitscope.load({ model: new URL(`${name}.gguf`, folder), variant });
        for (let n = 1; n <= ids.length; n++) {
          scope.feed(ids.slice(0, n));
          const got = scope.logits();
          assert.equal(got.length, logits[n - 1].length);
          got.forEach((logit, id) => {
            assert.ok(
              Math.abs(logit - logits[n - 1][id]) <= 1e-4,
              `position ${n - 1}, token ${id}: ${logit}, expected ${logits[n - 1][id]}`,
            );
          });
        }
        const last = scope.logits();
        const whole = scope.session();
        whole.feed(ids);
        assert.deepEqual(whole.logits(), last);
        scope.close();
      });
    }
  });
}
