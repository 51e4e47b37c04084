/**
 * Tests random logits with random settings in any order: the engine in JavaScript and the plain samplers in C must give
 * equal bits.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { Pcg32 } from '../vectors/generators.js';
import { cases } from '../long.js';
import { drawGumbel, drawInverse } from './naive.js';
import { PLAIN_MAX, runPlainly } from './plain.js';
import { smallModel } from './small_model.js';

const pcg = new Pcg32(2026, 54);
const unit = () => pcg.next() / 2 ** 32;
const below = (n) => Math.floor(unit() * n);
const oneOf = (...choices) => choices[below(choices.length)];

/** Returns logits of any scale, with equal values and removed tokens. */
function someLogits(size) {
  const scale = oneOf(0.1, 1, 5, 100);
  const tied = unit() < 0.3;
  return Float32Array.from({ length: size }, (_, id) => {
    if (tied) return below(4);
    return id > 0 && unit() < 0.03 ? -Infinity : (unit() - 0.5) * scale;
  });
}

/** Returns biases of single tokens and of sequences. */
function someBiases(size) {
  const ofTokens = Array.from({ length: 3 }, () => [below(size), oneOf(false, 10 * unit() - 5)]);
  const ofSequences = { '0 1': 1.5, '1 2 0': false, '3 0': -2, '1 0': 0.5, '2 1': 3 };
  const all = [...ofTokens, ...Object.entries(ofSequences)];
  const isKnown = (key) => `${key}`.split(' ').every((id) => Number(id) < size);
  return Object.fromEntries(all.filter(([key]) => isKnown(key)));
}

/** Returns a value within the range of a row's knob, often its usual value. */
function someValue({ name, kind, low, high, usual, sampler, choices }, size) {
  if (kind === 'map') return someBiases(size);
  if (kind === 'list') return oneOf([], [[0]], [[below(size)], [below(size), below(size)]]);
  if (kind === 'choice') return oneOf(...choices);
  if (name === 'mirostat' && below(3)) return 0; // rare, since Mirostat replaces the truncation samplers
  if (sampler && below(3) === 0) return usual;
  return kind === 'integer' ? low + below(high - low + 1) : low + unit() * (high - low);
}

function someSettings(table, size) {
  const share = oneOf(0.1, 0.3, 0.5);
  const rows = table.filter(() => unit() < share);
  const settings = Object.fromEntries(rows.map((row) => [row.name, someValue(row, size)]));
  if (settings.guidance_scale !== undefined) delete settings.contrastive_beta; // the chain accepts only one of the two
  const names = table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const shuffled = names.map((name) => [unit(), name]).sort();
  if (below(4)) settings.order = shuffled.map(([, name]) => name);
  if (below(2)) settings.end_tokens = [below(size), below(size)];
  return { ...settings, seed: oneOf(below(1000), 2 ** 53 - 1) };
}

const chains = cases(600, 6000);
test(`${chains} random chains give the logits of the plain samplers`, async () => {
  const simd = await Logitscope.load({ variant: 'simd' });
  const scalar = await Logitscope.load({ variant: 'scalar' });
  const all = Array.from({ length: chains }, (_, round) => {
    const size = round % 200 ? oneOf(1, 2, 3, 7, 64, 512) : PLAIN_MAX;
    const history = Array.from({ length: below(24) }, () => below(Math.min(size, 4)));
    const logits = someLogits(size);
    const second = Float32Array.from({ length: size }, () => 10 * unit() - 5);
    return { logits, history, second, step: below(30), settings: someSettings(simd.table, size) };
  });
  const changed = new Map(simd.table.filter(({ sampler }) => sampler).map(({ name }) => [name, 0]));
  let refused = 0;
  for (const [i, plain] of runPlainly(simd.table, all).entries()) {
    const { logits, settings, ...how } = all[i];
    const about = `round ${i}, ${logits.length} tokens, ${JSON.stringify(settings)}, history ${how.history}`;
    const run = (scope) => scope.warp(logits, { ...settings, top: 10 }, how);
    const kept = plain.filter((logit) => logit !== -Infinity).length;
    if (kept === 0) {
      assert.throws(() => run(simd), { code: 'nothing_left' }, about);
      refused++;
      continue;
    }
    const trace = run(simd);
    assert.deepEqual(
      new Uint32Array(trace.logits.slice().buffer),
      new Uint32Array(plain.slice().buffer),
      about,
    );
    assert.equal(trace.kept, kept, about);
    assert.deepEqual(
      trace.stages.map(({ name }) => name),
      settings.order ?? [...changed.keys()],
    );
    for (const stage of trace.stages)
      if (stage.changed) changed.set(stage.name, changed.get(stage.name) + 1);
    assert.deepEqual(run(scalar), trace, about);
  }
  assert.ok(refused < chains / 4);
  for (const [name, times] of changed)
    assert.ok(times > 2, `${name} changed logits ${times} times`);
});

const draws = cases(300, 1000);
test(`${draws} draws by inverse CDF and as many by Gumbel noise equal the plain ones`, async () => {
  const scope = await Logitscope.load({ model: smallModel() });
  scope.feed([72, 105]);
  for (let step = 0; step < draws; step++) {
    const seed = oneOf(0, 42, 2 ** 53 - 1, pcg.next());
    const settings = { seed, temperature: oneOf(0.5, 1, 3), top_k: oneOf(0, 5) };
    const { logits } = scope.warp(scope.logits(), settings);
    const inverse = scope.draw(settings, { step });
    assert.equal(inverse.id, drawInverse(logits, scope.random(seed, step)), `${seed} ${step}`);
    const gumbel = scope.draw({ ...settings, draw: 'gumbel' }, { step });
    assert.equal(gumbel.id, drawGumbel(logits, seed, step), `${seed} ${step}`);
  }
});
