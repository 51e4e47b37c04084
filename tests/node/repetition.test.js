/**
 * Tests the finding of the suite `searches` on the stories model. In open text, beam search repeats itself, sampling at
 * T = 1 hardly does, and contrastive search with alpha 0.4 is in between. With the paper's alpha 0.6 it repeats less
 * than sampling, since this model's states are similar.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MODELS } from '../../web/state/models.js';
import { run } from '../../web/engine/compare.js';
import { Logitscope } from '../../web/engine/index.js';
import { findLoop } from '../../web/engine/text-loops.js';
import { LOOPING, suites } from '../../web/engine/suites.js';
import { cases, long, sample } from '../long.js';

const PROMPTS = [
  'The little dog',
  'Lily was sad because',
  'Tom and his mom went to',
  'One day, a big bear',
].slice(0, cases(2, 4));
const SEEDS = [0, 1, 2, 3].slice(0, cases(1, 4));
const LENGTH = 120;
const strategies = suites.flatMap((suite) => suite.strategies);

/** @type {Logitscope} */
let scope;
before(async () => {
  const model = fileURLToPath(new URL('../../models/stories.gguf', import.meta.url));
  scope = await Logitscope.load({ model });
});
after(() => scope.close());

/** @param {string} name @param {object} options */
async function idsOf(name, { seed = 0, ...options }) {
  const strategy = strategies.find((it) => it.name === name);
  const generation = run(scope, scope, strategy, { seed, ...options });
  for (;;) {
    const { done, value } = await generation.next();
    if (done) return Array.from(value.ids);
  }
}

/** Returns the share of repeated trigrams: the mean over prompts and seeds. */
async function repeated(name, seeds = [0]) {
  let sum = 0;
  for (const prompt of PROMPTS)
    for (const seed of seeds)
      sum += 1 - scope.distinct(await idsOf(name, { prompt, seed, max_new_tokens: LENGTH }), 3);
  return sum / PROMPTS.length / seeds.length;
}

long(
  'beam search repeats itself most, contrastive search less, sampling least',
  async (context) => {
    const drawn = await repeated('plain', SEEDS);
    const nucleus = await repeated('top-p 0.9', SEEDS);
    const beams = [await repeated('beam search, 4 beams'), await repeated('beam search, 8 beams')];
    const contrast = await repeated('contrastive, k 5, alpha 0.4');
    const strong = await repeated('contrastive, k 4, alpha 0.6');
    context.diagnostic(
      `trigrams that came before: 4 beams ${beams[0].toFixed(3)}, 8 beams ${beams[1].toFixed(3)}, ` +
        `contrastive 0.4 ${contrast.toFixed(3)}, 0.6 ${strong.toFixed(3)}, top-p ${nucleus.toFixed(3)}, T = 1 ${drawn.toFixed(3)}`,
    );
    for (const beam of beams) {
      assert.ok(beam > 2 * nucleus && beam > 3 * drawn);
      assert.ok(contrast < beam / 2);
    }
    assert.ok(contrast > drawn);
    assert.ok(strong < drawn);
  },
);

test('beam search loops on the page’s prompt for searches, and no sampled text does', async () => {
  const loop = findLoop(await idsOf('beam search, 8 beams', LOOPING.searches));
  assert.ok(loop && loop.times >= 3 && loop.period > 4);
  const drawn = sample(['plain', 'top-p 0.9'], 1);
  const contrastive = ['contrastive, k 5, alpha 0.4', 'contrastive, k 4, alpha 0.6'];
  for (const name of [...drawn, ...sample(contrastive, 1)])
    assert.equal(findLoop(await idsOf(name, LOOPING.searches)), null, name);
});

test('greedy loops on the page’s prompt for the nine, and none of the other eight does', async () => {
  const { strategies: nine } = suites.find(({ name }) => name === 'nine');
  const seeds = sample([0, 1, 42], 1, 7);
  for (const { name } of nine) {
    const loops = [];
    for (const seed of seeds) loops.push(findLoop(await idsOf(name, { ...LOOPING.nine, seed })));
    if (name === 'greedy')
      assert.ok(
        loops.every((loop) => loop && loop.period > 4),
        name,
      );
    else
      assert.ok(
        loops.every((loop) => loop === null),
        name,
      );
  }
});

test('the character model loops within 30 greedy tokens after one of its examples', async () => {
  const model = fileURLToPath(new URL('../../models/shakespeare.gguf', import.meta.url));
  const shakespeare = await Logitscope.load({ model });
  const { examples } = MODELS.find(({ name }) => name === 'shakespeare');
  const loops = [];
  for (const prompt of examples) {
    const ids = [];
    const steps = shakespeare.generate({ prompt, temperature: 0, max_new_tokens: 30 });
    for await (const { id } of steps) ids.push(id);
    loops.push(findLoop(ids));
  }
  assert.equal(loops.filter(Boolean).length, 1);
  shakespeare.close();
});
