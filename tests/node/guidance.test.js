/** Tests guidance and contrastive decoding, which combine two distributions before the other stages. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { Pcg32 } from '../vectors/generators.js';
import { LONG } from '../long.js';
import { EOS, VOCAB, smallModel } from './small_model.js';

const pcg = new Pcg32(29n, 54n);
const unit = () => pcg.next() / 2 ** 32;

/** @type {Logitscope} */
let scope;
/** The amateur of contrastive decoding: a weaker model with the same vocabulary. @type {Logitscope} */
let amateur;
before(async () => {
  [scope, amateur] = await Promise.all(
    [{}, { layers: 1, seed: 2 }].map((shape) => Logitscope.load({ model: smallModel(shape) })),
  );
});
after(() => {
  scope.close();
  amateur.close();
});

/** Returns ln softmax in float64. @param {ArrayLike<number>} logits */
function logSoftmax(logits) {
  const all = Array.from(logits);
  const max = Math.max(...all);
  const sum = all.reduce((total, logit) => total + Math.exp(logit - max), 0);
  return all.map((logit) => logit - max - Math.log(sum));
}

/** @param {ArrayLike<number>} logits @param {ArrayLike<number>} negative @param {number} scale */
function guided(logits, negative, scale) {
  const from = logSoftmax(negative);
  return logSoftmax(logits).map((to, id) => from[id] + scale * (to - from[id]));
}

/** @param {ArrayLike<number>} expert @param {ArrayLike<number>} weak */
function contrasted(expert, weak, { alpha = 0.1, beta = 1 }) {
  const bad = logSoftmax(weak);
  const best = Math.max(...Array.from(expert));
  return logSoftmax(expert).map((good, id) =>
    Math.exp(expert[id] - best) < alpha ? -Infinity : (1 + beta) * good - beta * bad[id],
  );
}

/** @param {ArrayLike<number>} got @param {number[]} wanted */
function near(got, wanted) {
  wanted.forEach((value, id) => {
    const same = got[id] === value || Math.abs(got[id] - value) <= 3e-6 * (1 + Math.abs(value));
    assert.ok(same, `token ${id}: ${got[id]}, not ${value}`);
  });
}

/** Returns a token's text as in a trace. */
const textOf = ({ text, special }) => ({ text, special });

/** Returns the settings among the options of a generation. */
const settingsOf = ({ prompt: _, max_new_tokens: __, ...settings }) => settings;

const someLogits = (/** @type {number} */ n) =>
  Float32Array.from({ length: n }, () => 12 * unit() - 6);

describe('guidance', () => {
  test("equals the case of transformers' test of classifier-free guidance", () => {
    const { logits } = scope.warp([1, 1, 1], { guidance_scale: 1.5 }, { second: [1, 0, 1.5] });
    near(logits, [-1.09585313, -0.59585313, -1.34585313]);
  });

  test('200 random pairs equal the definition in float64', () => {
    for (let round = 0; round < 200; round++) {
      const n = 1 + (pcg.next() % (round % 20 ? 40 : 5000));
      const [logits, second] = [someLogits(n), someLogits(n)];
      const guidance_scale = round % 7 ? 5 * unit() : round % 2;
      const { logits: got } = scope.warp(logits, { guidance_scale }, { second });
      if (guidance_scale === 1) assert.deepEqual(got, logits);
      else near(got, guided(logits, second, guidance_scale));
    }
  });

  test('of scale 0 gives the other distribution, and removed tokens stay removed', () => {
    const logits = Float32Array.of(2, -Infinity, 0, 1);
    const { p, logits: got } = scope.warp(logits, { guidance_scale: 0 }, { second: [0, 9, 1, 2] });
    assert.equal(got[1], -Infinity);
    near(
      p,
      [0, 1, 2].map((logit) => Math.exp(logit) / (1 + Math.E + Math.E ** 2)).toSpliced(1, 0, 0),
    );
  });
});

describe('contrastive decoding', () => {
  test('200 random pairs equal the definition in float64', () => {
    for (let round = 0; round < 200; round++) {
      const n = 1 + (pcg.next() % (round % 20 ? 40 : 5000));
      const [logits, second] = [someLogits(n), someLogits(n)];
      const alpha = round % 5 ? unit() : round % 2;
      const beta = 0.01 + 3 * unit();
      const settings = { contrastive_beta: beta, contrastive_alpha: alpha };
      const { logits: got } = scope.warp(logits, settings, { second });
      near(got, contrasted(logits, second, { alpha, beta }));
    }
  });

  test('lists its removed tokens and always keeps the expert’s best', () => {
    const settings = { contrastive_beta: 1, contrastive_alpha: 0.5 };
    const { tokens, stages } = scope.warp([3, 2.9, 0], settings, { second: [9, 0, 0] });
    assert.deepEqual(
      tokens.map(({ id, removed_by }) => [id, removed_by]),
      [
        [1, null],
        [0, null],
        [2, 'contrastive_beta'],
      ],
    );
    assert.equal(stages.find(({ name }) => name === 'contrastive_beta').removed, 1);
  });
});

describe('a timeline', () => {
  test('keeps a second distribution until the next feed, and passes it to forks', () => {
    const session = scope.session();
    session.feed([72, 105]);
    const own = session.logits();
    const second = someLogits(VOCAB);
    session.second(second);
    const settings = { guidance_scale: 2, top: 5 };
    const { trace } = session.read(settings, { u: 0.5 });
    assert.deepEqual(
      trace.tokens,
      scope.warp(own, settings, { second }).tokens.map((token) => ({
        ...token,
        ...textOf(scope.piece(token.id)),
      })),
    );
    assert.deepEqual(session.logits(), own);
    const fork = session.fork();
    assert.deepEqual(fork.read(settings, { u: 0.5 }).trace, trace);
    session.feed([72, 105, 33]);
    assert.throws(() => session.read(settings), { code: 'empty', key: 'second_missing' });
    fork.second(null);
    assert.throws(() => fork.read(settings), { code: 'empty', key: 'second_missing' });
    fork.close();
    session.close();
  });

  test('feeds drawn tokens to the negative prompt too', async () => {
    const options = { prompt: 'Hi', guidance_scale: 1.7, seed: 4, logit_bias: { [EOS]: false } };
    const { steps } = await scope.write({
      ...options,
      negative_prompt: 'Oh no',
      max_new_tokens: 8,
    });
    const beside = scope.session();
    const ids = [...scope.encode('Hi')];
    const negative = [...scope.encode('Oh no')];
    for (const [step, { id, p }] of steps.entries()) {
      scope.feed(ids);
      beside.feed(negative);
      scope.second(beside.logits());
      const { drawn } = scope.read(settingsOf(options), { step });
      assert.deepEqual([drawn.id, drawn.p], [id, p]);
      ids.push(id);
      negative.push(id);
    }
    beside.close();
  });

  test('uses the last token of the prompt without a negative prompt', async () => {
    const options = { prompt: 'Hi', guidance_scale: 3, max_new_tokens: 6 };
    const left = await scope.write({ ...options, negative_prompt: 'i' });
    assert.deepEqual((await scope.write(options)).ids, left.ids);
    const other = await scope.write({ ...options, negative_prompt: 'x' });
    assert.notDeepEqual(other.ids, left.ids);
    const { guidance_scale: _, ...plain } = options;
    const contrasted = { ...plain, contrastive_beta: 2, contrastive_alpha: 0.01 };
    const short = await scope.write({ ...contrasted, negative_prompt: 'i' });
    assert.deepEqual((await scope.write(contrasted)).ids, short.ids);
  });

  test('reads the amateur at each step of a generation', async () => {
    const options = { prompt: 'Hi', contrastive_beta: 0.8, seed: 2, max_new_tokens: 8 };
    const { steps } = await scope.write({ ...options, amateur });
    const ids = [...scope.encode('Hi')];
    for (const [step, { id, p }] of steps.entries()) {
      scope.feed(ids);
      amateur.feed(ids);
      const { trace, drawn } = scope.readFrom(scope.logits(), settingsOf(options), {
        second: amateur.logits(),
        step,
      });
      near(trace.logits, contrasted(scope.logits(), amateur.logits(), { beta: 0.8 }));
      assert.deepEqual([drawn.id, drawn.p], [id, p]);
      ids.push(id);
    }
  });

  test('draws as the definition says, by chi-square', () => {
    const n = LONG ? 1e6 : 1e5;
    scope.feed([72]);
    const second = someLogits(VOCAB);
    scope.second(second);
    const wanted = guided(scope.logits(), second, 1.5);
    const total = wanted.reduce((sum, logit) => sum + Math.exp(logit), 0);
    const counts = new Uint32Array(VOCAB);
    for (let step = 0; step < n; step++)
      counts[scope.draw({ guidance_scale: 1.5, seed: 6 }, { step, raw: false }).id]++;
    const expected = wanted.map((logit) => (n * Math.exp(logit)) / total);
    const cells = expected
      .map((mean, id) => ({ mean, count: counts[id] }))
      .filter(({ mean }) => mean >= 5);
    const square = cells.reduce((sum, { mean, count }) => sum + (count - mean) ** 2 / mean, 0);
    const freedom = cells.length - 1;
    // Asserts that chi-square is less than five standard deviations above its mean. Its mean is the number of degrees
    // of freedom.
    assert.ok(square < freedom + 5 * Math.sqrt(2 * freedom), `${square} of ${freedom}`);
  });
});

describe('refusals', () => {
  for (const [what, run, fault] of [
    ['no second distribution', () => scope.warp([1, 2], { guidance_scale: 2 }), 'second_missing'],
    [
      'another size',
      () => scope.warp([1, 2], { guidance_scale: 2 }, { second: [1] }),
      'second_each',
    ],
    [
      'a removed token in it',
      () => scope.warp([1, 2], { contrastive_beta: 1 }, { second: [1, -Infinity] }),
      'second_finite',
    ],
    [
      'a second text that is none, though nothing reads it',
      () => scope.warp([1, 2], /** @type {any} */ ({ negative_prompt: 7 })),
      'must_be',
    ],
    [
      'both at once',
      () => scope.warp([1, 2], { guidance_scale: 2, contrastive_beta: 1 }, { second: [1, 2] }),
      'second_once',
    ],
  ])
    test(/** @type {string} */ (what), () =>
      assert.throws(/** @type {() => void} */ (run), { key: fault }),
    );

  test('a missing amateur and an empty negative prompt', async () => {
    const write = (/** @type {any} */ options) => scope.write({ prompt: 'Hi', ...options });
    await assert.rejects(write({ contrastive_beta: 1, amateur: {} }), { key: 'must_be' });
    await assert.rejects(write({ guidance_scale: 2, negative_prompt: [] }), { code: 'empty' });
    await assert.rejects(write({ guidance_scale: 2, negative_prompt: 7 }), { key: 'must_be' });
  });
});
