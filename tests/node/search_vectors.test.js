/**
 * Tests that both searches equal PyTorch's with the same weights (tests/vectors/search.json, written by
 * models/train/search_vectors.py). Ids must be equal. Numbers may differ by rounding, in verbs to float32 and in
 * stories to eight-bit integers.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Logitscope, beamSearch, contrastiveSearch } from '../../web/engine/index.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cases = JSON.parse(readFileSync(`${root}tests/vectors/search.json`, 'utf8'));
const TOLERANCE = { verbs: 1e-5, stories: 0.1 };

/**
 * Asserts that the numbers of `found` are within `within` of those of `expected`.
 * @param {Record<string, any>} found
 * @param {Record<string, any>} expected
 * @param {number} within
 */
function near(found, expected, within) {
  for (const name of ['logprob', 'p', 'similarity', 'score']) {
    if (!(name in expected)) continue;
    const off = Math.abs(found[name] - expected[name]);
    assert.ok(off <= within, `${name} ${found[name]}, expected ${expected[name]}`);
  }
}

for (const model of /** @type {const} */ (['verbs', 'stories'])) {
  describe(`searches on ${model} equal PyTorch’s`, () => {
    /** @type {Logitscope} */
    let scope;
    before(async () => {
      scope = await Logitscope.load({ model: `${root}models/${model}.gguf` });
    });
    after(() => scope.close());

    for (const { search, prompt, max_new_tokens, settings, beams, steps } of cases.filter(
      (/** @type {any} */ it) => it.model === model,
    )) {
      test(`${search} ${JSON.stringify(settings)} after "${prompt}"`, async () => {
        const options = { prompt, max_new_tokens, ...settings };
        if (search === 'beam') {
          const found = await beamSearch(scope, options);
          assert.deepEqual(
            found.beams.map(({ ids, finished }) => ({ ids, finished })),
            beams.map((/** @type {any} */ { ids, finished }) => ({ ids, finished })),
          );
          assert.deepEqual(found.ids, beams[0].ids);
          found.beams.forEach((beam, i) => near(beam, beams[i], TOLERANCE[model]));
        } else {
          const found = await contrastiveSearch(scope, options);
          assert.deepEqual(
            found.ids,
            steps.map((/** @type {any} */ { id }) => id),
          );
          found.steps.forEach((step, i) => near(step, steps[i], TOLERANCE[model]));
        }
      });
    }
  });
}

test('a found text begins with the space after the prompt, as a drawn one does', async () => {
  const scope = await Logitscope.load({ model: `${root}models/stories.gguf` });
  try {
    const options = { prompt: 'The little dog', max_new_tokens: 4 };
    const beam = await beamSearch(scope, { ...options, beam_width: 1 });
    const contrast = await contrastiveSearch(scope, { ...options, alpha: 0 });
    const generation = scope.generate({ ...options, temperature: 0 });
    let { done, value } = await generation.next();
    while (!done) ({ done, value } = await generation.next());
    assert.ok(value.text.startsWith(' '));
    assert.equal(beam.text, value.text);
    assert.equal(contrast.text, value.text);
  } finally {
    scope.close();
  }
});

test('the cases cover both searches on both models, with ended and unended texts', () => {
  const kinds = new Set(cases.map(({ model, search }) => `${model} ${search}`));
  assert.equal(kinds.size, 4);
  const ends = cases.flatMap(({ beams = [] }) => beams).map(({ finished }) => finished);
  assert.ok(ends.includes(true) && ends.includes(false));
});
