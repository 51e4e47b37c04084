/**
 * Random logits under random settings, in any order: the engine against the naive warpers and
 * draws.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { Pcg32 } from '../vectors/twin.js';
import { cases } from '../long.js';
import { ORDER, drawGumbel, drawInverse, entropy, ranked, softmax, warp } from './naive.js';
import { smallModel } from './small_model.js';

const pcg = new Pcg32(2026, 54);
const unit = () => pcg.next() / 2 ** 32;
const below = (n) => Math.floor(unit() * n);
const oneOf = (...choices) => choices[below(choices.length)];

/** Ties, removed tokens and every scale come up. */
function someLogits(size) {
  const scale = oneOf(0.1, 1, 5, 100);
  const tied = unit() < 0.3;
  return Float32Array.from({ length: size }, (_, id) => {
    if (tied) return below(4);
    return id > 0 && unit() < 0.03 ? -Infinity : (unit() - 0.5) * scale;
  });
}

const LAST = ['adaptive_target', 'synthid_depth', 'renormalize_logits'];

function someSettings(size) {
  const settings = {
    temperature: () => oneOf(0, 1e-30, 0.01, 0.5, 0.7, 1, 1.5, 10),
    top_k: () => below(size * 1.2),
    top_p: () => oneOf(0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1),
    repetition_penalty: () => oneOf(0.5, 1, 1.1, 2, 50),
    repetition_window: () => below(6),
    rep_pen_slope: () => oneOf(0, 0.4, 1),
    prompt_ignore_length: () => below(8),
    encoder_repetition_penalty: () => oneOf(0.5, 1, 1.3),
    renormalize_logits: () => below(2),
    min_tokens_to_keep: () => 1 + below(5),
    logit_bias: () =>
      Object.fromEntries(
        [
          ...Array.from({ length: 3 }, () => [below(size), oneOf(false, (unit() - 0.5) * 10)]),
          ...Object.entries({ '0 1': 1.5, '1 2 0': false, '3 0': -2, '1 0': 0.5, '2 1': 3 }),
        ].filter(([key]) =>
          String(key)
            .split(' ')
            .every((id) => Number(id) < size),
        ),
      ),
    frequency_penalty: () => oneOf(-0.5, 0.1, 2),
    penalty_decay: () => oneOf(0, 0.5, 0.996),
    presence_penalty: () => oneOf(-1, 0.5, 3),
    no_repeat_ngram_size: () => oneOf(0, 1, 2, 3, 4),
    dry_multiplier: () => oneOf(0, 0.8, 3),
    dry_base: () => oneOf(0.5, 1, 1.75, 2),
    dry_allowed_length: () => below(4),
    dry_penalty_last_n: () => oneOf(0, 5, 12),
    dry_sequence_breakers: () => oneOf([], [[0]], [[below(size)], [below(size), below(size)]]),
    min_p: () => oneOf(0, 1e-3, 0.05, 0.3, 1, 1.5),
    typical_p: () => oneOf(0.05, 0.2, 0.5, 0.9, 1),
    epsilon_cutoff: () => oneOf(0, 1e-6, 3e-4, 0.07),
    eta_cutoff: () => oneOf(0, 1e-6, 3e-4, 0.07, 0.9),
    top_n_sigma: () => oneOf(0, 0.5, 1, 3),
    top_a: () => oneOf(0, 0.01, 0.2, 0.7, 3),
    p_less: () => oneOf(0, 1, 2),
    top_h: () => oneOf(0, 0.05, 0.33, 0.71, 1),
    dynatemp_range: () => oneOf(0, 0.3, 0.4),
    dynatemp_exponent: () => oneOf(0, 0.5, 1, 2),
    smoothing_factor: () => oneOf(0, 0.2, 1, 7),
    smoothing_curve: () => oneOf(1, 2, 4.5),
    min_new_tokens: () => below(3),
    end_tokens: () => [below(size), below(size)],
    exponential_decay_length_penalty: () => oneOf(0.5, 1, 1.2),
    // Over many tokens the bends of p are no larger than the rounding of e^x to float32.
    tfs_z: () => (size > 1000 ? 1 : oneOf(0.11, 0.53, 0.94, 1)),
    xtc_probability: () => oneOf(0, 0.3, 0.5, 1),
    xtc_threshold: () => oneOf(0, 0.01, 0.1, 0.3),
    mirostat: () => oneOf(0, 0, 0, 0, 1, 2),
    mirostat_tau: () => oneOf(0.5, 2, 5),
    mirostat_mu: () => oneOf(-1, 0, 0.7, 3.3, 8.1),
    adaptive_target: () => oneOf(0, 0.02, 0.3, 0.7, 1),
    adaptive_mean: () => oneOf(0, 0.1, 0.5, 1),
    green_bias: () => oneOf(0, 0.3, 2, 100),
    green_fraction: () => oneOf(0.1, 0.25, 0.5, 0.999),
    green_context: () => below(4),
    green_self: () => below(2),
    synthid_depth: () => oneOf(0, 1, 9, 15, 30),
    synthid_context: () => 1 + below(3),
    watermark_key: () => oneOf(0, 7, 15485863, 2 ** 53 - 1),
    convention: () => oneOf('transformers', 'llama.cpp', 'llama2.c'),
    seed: () => below(1000),
    order: () =>
      // These are the last: of their float32 results near ties depend on how e^x is rounded.
      ORDER.map((name) => [1 + LAST.indexOf(name) || unit(), name])
        .sort()
        .map(([, name]) => name),
  };
  const share = oneOf(0.1, 0.3, 0.5);
  const some = Object.fromEntries(
    Object.entries(settings)
      .filter(() => unit() < share)
      .map(([name, make]) => [name, make()]),
  );
  // Towards T = 0 every rounding of the entropy counts.
  if (some.temperature < 0.5) some.dynatemp_range = 0;
  // What smoothing brings next to the best ties with it or not, as e^x is rounded.
  if (some.smoothing_factor && some.min_p === 1) some.min_p = 0.3;
  return some;
}

/** What differs, or ''. */
function difference(trace, expected, raw, near) {
  const { logits, kept } = expected;
  const same = (a, b) => Object.is(a, b) || Math.abs(a - b) < near * (1 + Math.abs(a));
  const p = softmax(logits);
  const off = logits.findIndex(
    (logit, id) => !same(logit, trace.logits[id]) || Math.abs(p[id] - trace.p[id]) > 1e-6 + near,
  );
  if (off >= 0)
    return `id ${off}: ${trace.logits[off]} ${trace.p[off]}, not ${logits[off]} ${p[off]}`;
  if (trace.stages.map((stage) => stage.kept).join() !== kept.join()) return 'kept by stage';
  const listed = trace.tokens.filter((token) => token.warped !== -Infinity).map(({ id }) => id);
  if (!near && listed.join() !== ranked(logits).slice(0, listed.length).join()) return 'rank order';
  if (Math.abs(trace.entropy - entropy(p)) > 1e-5) return 'entropy';
  if (Math.abs(trace.raw_entropy - entropy(softmax(raw))) > 1e-5) return 'raw entropy';
  const mass = trace.tokens.reduce((sum, token) => sum + token.p, trace.rest.p);
  if (Math.abs(mass - 1) > 1e-9) return `mass ${mass}`;
  const wrong = trace.tokens.find(
    (token) =>
      Math.abs(token.stage_p.at(-1) - token.p) > 1e-12 ||
      (token.removed_by !== null) !== (token.warped === -Infinity && token.logit !== -Infinity),
  );
  return wrong ? JSON.stringify(wrong) : '';
}

async function compare(sizes, rounds) {
  const simd = await Logitscope.load({ variant: 'simd' });
  const scalar = await Logitscope.load({ variant: 'scalar' });
  for (let round = 0; round < rounds; round++) {
    const size = sizes[round % sizes.length];
    const [logits, settings] = [someLogits(size), someSettings(size)];
    const history = Array.from({ length: below(24) }, () => below(Math.min(size, 4)));
    const expected = warp(logits, settings, history);
    const about = `round ${round}, ${size} tokens, ${JSON.stringify(settings)}, history ${history}`;
    const run = (scope) => scope.warp(logits, { ...settings, top: 10 }, { history });
    if (!expected) {
      assert.throws(() => run(simd), { code: 'nothing_left' }, about);
      continue;
    }
    const trace = run(simd);
    const { adaptive_target, dynatemp_range, synthid_depth, renormalize_logits } = settings;
    const rounds = adaptive_target || dynatemp_range || synthid_depth || renormalize_logits;
    const near = rounds ? 1e-5 : 0;
    assert.equal(difference(trace, expected, logits, near), '', about);
    assert.deepEqual(run(scalar), trace, about);
  }
}

const chains = cases(300, 3000);
test(`small vocabularies: ${chains} random chains`, () => compare([1, 2, 3, 7, 64, 512], chains));
const large = cases(1, 6);
test(`the vocabularies of GPT-2 and of the largest: ${large} random chains`, () =>
  compare([50257, 262144], large));

const draws = cases(300, 1000);
test(`${draws} draws by inverse CDF and as many by Gumbel noise`, async () => {
  const scope = await Logitscope.load({ model: smallModel() });
  scope.feed([72, 105]);
  for (let step = 0; step < draws; step++) {
    const seed = oneOf(0, 42, 2 ** 53 - 1, pcg.next());
    const settings = { seed, temperature: oneOf(0.5, 1, 3), top_k: oneOf(0, 5) };
    const { logits } = warp(scope.logits(), settings, []);
    const inverse = scope.draw(settings, { step });
    assert.equal(inverse.id, drawInverse(logits, scope.random(seed, step)), `${seed} ${step}`);
    const gumbel = scope.draw({ ...settings, draw: 'gumbel' }, { step });
    assert.equal(gumbel.id, drawGumbel(logits, seed, step), `${seed} ${step}`);
  }
});
