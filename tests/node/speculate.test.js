/** Tests speculative decoding: the rule, its distribution, the record of drafts, and errors. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import * as layout from '../../web/engine/layout.js';
import { Module } from '../../web/engine/module.js';
import { readVerdict } from '../../web/engine/speculate.js';
import { Pcg32 } from '../vectors/generators.js';
import { cases } from '../long.js';
import { drawInverse, residualOf, speculated } from './naive.js';
import { EOS, VOCAB, smallModel } from './small_model.js';

const pcg = new Pcg32(18n, 54n);
const unit = () => pcg.next() / 2 ** 32;

/** @type {Logitscope} */
let scope;
/** The draft model: a smaller model with the same vocabulary. @type {Logitscope} */
let draft;
before(async () => {
  [scope, draft] = await Promise.all(
    [{ context: 48 }, { layers: 1, seed: 2 }].map((shape) =>
      Logitscope.load({ model: smallModel(shape) }),
    ),
  );
});
after(() => {
  scope.close();
  draft.close();
});

/**
 * Asserts that counts fit the distribution p: chi-square is within five standard deviations.
 * @param {number[]} counts @param {number[]} p @param {number} n
 */
function holdsLaw(counts, p, n) {
  const cells = p.map((share, i) => ({ mean: n * share, count: counts[i] ?? 0 }));
  assert.ok(cells.every(({ mean, count }) => mean > 0 || !count));
  const large = cells.filter(({ mean }) => mean >= 5);
  const square = large.reduce((sum, { mean, count }) => sum + (count - mean) ** 2 / mean, 0);
  const freedom = large.length - 1;
  assert.ok(square < freedom + 5 * Math.sqrt(2 * freedom), `${square} of ${freedom}`);
}

/** @param {number[]} weights */
const normal = (weights) => {
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
};

describe('the rule in the module', () => {
  /** @type {Module} */
  let module;
  before(async () => {
    module = await Module.load();
  });

  /** Calls the C function that decides about a draft, with two distributions in the module's memory. */
  function rule(/** @type {number[]} */ p, /** @type {number[]} */ q) {
    const at = module.exchange(24 * p.length);
    const qAt = at + 8 * p.length;
    const view = module.view();
    p.forEach((share, i) => view.setFloat64(at + 8 * i, share, true));
    q.forEach((share, i) => view.setFloat64(qAt + 8 * i, share, true));
    return {
      decide: (
        /** @type {number} */ drafted,
        /** @type {number} */ seed,
        /** @type {number} */ step,
      ) => module.calls.speculate_decide(at, qAt, p.length, drafted, seed, step),
      residual() {
        const shareAt = qAt + 8 * p.length;
        const sum = module.calls.speculate_residual(shareAt, at, qAt, p.length);
        return { sum, share: [...module.float64(shareAt, p.length)] };
      },
    };
  }

  test('equals the naive rule', () => {
    for (let round = 0; round < cases(400, 4000); round++) {
      const n = 1 + Math.floor(unit() * (round % 20 ? 30 : 3000));
      const power = round % 4 ? 1 : 20;
      const some = () => normal(Array.from({ length: n }, () => unit() ** power));
      const p = some();
      const q = round % 9 ? some() : p;
      const { decide, residual } = rule(p, q);
      const drafted = q.indexOf(Math.max(...q));
      const { id, accepted } = readVerdict(module, decide(drafted, 77, round));
      assert.deepEqual({ id, accepted }, speculated(p, q, drafted, 77, round));
      assert.deepEqual(residual(), residualOf(p, q));
    }
  });

  test('draws by p and accepts as many drafts as p and q share, by chi-square', () => {
    const n = cases(1e5, 1e6);
    for (const [p, q, seed] of /** @type {const} */ ([
      [
        [0.5, 0.2, 0.1, 0.08, 0.06, 0.03, 0.02, 0.01],
        [0.1, 0.5, 0.1, 0.2, 0.05, 0.03, 0.01, 0.01],
        1,
      ],
      [normal(Array(50).fill(1)), normal(Array.from({ length: 50 }, (_, i) => 0.8 ** i)), 2],
      [[0, 0.5, 0, 0.5], [0.4, 0.2, 0.3, 0.1], 3],
    ])) {
      const { decide } = rule([...p], [...q]);
      const counts = Array(p.length).fill(0);
      let accepted = 0;
      for (let step = 0; step < n; step++) {
        let u = module.calls.draw_random(seed, step);
        const drafted = q.findIndex((share) => (u -= share) < 0);
        const at = decide(drafted, seed, step);
        const view = module.view();
        counts[view.getUint32(at + layout.SPECULATE_VERDICT_ID, true)]++;
        accepted += view.getUint32(at + layout.SPECULATE_VERDICT_ACCEPTED, true);
      }
      holdsLaw(counts, [...p], n);
      const shared = p.reduce((sum, share, i) => sum + Math.min(share, q[i]), 0);
      holdsLaw([accepted, n - accepted], [shared, 1 - shared], n);
    }
  });
});

describe('a generation', () => {
  test('follows the rule step by step with samplers that read the history', async () => {
    const settings = {
      repetition_penalty: 1.3,
      dry_multiplier: 0.8,
      xtc_probability: 0.5,
      top_k: 60,
    };
    const options = { prompt: 'Hi', max_new_tokens: 24, draft, draft_tokens: 3, draft_top: VOCAB };
    for (let seed = 0; seed < cases(6, 60); seed++) {
      const { steps, ids, prompt_ids, speculation } = await scope.write({
        ...options,
        ...settings,
        seed,
      });
      const text = [...prompt_ids];
      const beside = scope.session();
      /** @param {any} timeline @param {number[]} all @param {number} step */
      const after = (timeline, all, step) => {
        timeline.feed(all);
        return scope.warp(timeline.logits(), { ...settings, seed }, { history: all, step });
      };
      let [pass, place] = [-1, 0];
      for (const [step, { id, u, p, speculation: how, kept }] of steps.entries()) {
        if (how.pass !== pass) [pass, place] = [how.pass, 0];
        const { p: here, kept: survivors } = after(beside, text, step);
        assert.deepEqual([p, kept], [here[id], survivors]);
        const number = scope.random(seed, step);
        if (how.outcome === 'bonus') {
          assert.ok(place === 3 || step === 23, 'after all drafts alone');
          assert.equal(u, number);
          assert.equal(how.drafted, undefined);
        } else {
          const { p: there, logits } = after(draft, text, step);
          assert.equal(how.drafted, drawInverse([...logits], number));
          const verdict = speculated([...here], [...there], how.drafted, seed, step);
          assert.deepEqual([id, how.outcome === 'accepted'], [verdict.id, verdict.accepted]);
          assert.deepEqual([how.p, how.q], [here[how.drafted], there[how.drafted]]);
          assert.equal(how.acceptance, Math.min(1, how.p / how.q));
          assert.equal(how.coin < how.acceptance, verdict.accepted);
          const { sum, share } = residualOf([...here], [...there]);
          assert.equal(how.residual, sum);
          for (const token of how.tokens)
            assert.deepEqual(
              [token.p, token.q, token.residual],
              [here[token.id], there[token.id], share[token.id]],
            );
          assert.equal(how.dropped === undefined, verdict.accepted);
        }
        place++;
        text.push(id);
      }
      beside.close();
      const count = (/** @type {string} */ outcome) =>
        steps.filter((step) => step.speculation.outcome === outcome).length;
      const { passes, tokens, drafted, accepted, rejected } = speculation;
      assert.deepEqual(
        [tokens, accepted, rejected],
        [ids.length, count('accepted'), count('replaced')],
      );
      assert.equal(passes, pass + 1);
      const dropped = steps.flatMap((step) => step.speculation.dropped ?? []).length;
      assert.ok(drafted >= accepted + rejected + dropped);
      assert.equal(speculation.acceptance, accepted / (accepted + rejected));
      assert.equal(speculation.tokens_per_pass, tokens / passes);
    }
  });

  test('by a model that drafts for itself gives the same text in passes of k + 1 tokens', async () => {
    const same = await Logitscope.load({ model: smallModel({ context: 48 }) });
    for (const settings of [{}, { temperature: 0 }, { top_p: 0.8, frequency_penalty: 0.5 }]) {
      const options = { prompt: 'Hi', max_new_tokens: 20, seed: 5, ...settings };
      const plain = await scope.write(options);
      const both = await scope.write({ ...options, draft: same, draft_tokens: 4 });
      assert.deepEqual(both.ids, plain.ids);
      assert.equal(both.text, plain.text);
      assert.deepEqual(
        both.steps.map(({ u, p, rank, entropy }) => [u, p, rank, entropy]),
        plain.steps.map(({ u, p, rank, entropy }) => [u, p, rank, entropy]),
      );
      assert.equal(both.speculation.rejected, 0);
      assert.equal(both.speculation.passes, 4);
    }
    same.close();
  });

  test('shares its draft with other generations and leaves the draft’s timeline unchanged', async () => {
    const ask = (/** @type {number} */ seed) => ({ prompt: 'Hi', max_new_tokens: 20, seed, draft });
    draft.feed([65, 66]);
    const alone = [];
    for (const seed of [1, 2, 3]) alone.push((await scope.write(ask(seed))).ids);
    const sessions = [1, 2, 3].map(() => scope.session());
    const together = await Promise.all(sessions.map((session, i) => session.write(ask(i + 1))));
    assert.deepEqual(
      together.map(({ ids }) => ids),
      alone,
    );
    assert.deepEqual([...draft.timeline()], [65, 66]);
    const itself = await scope.write({ ...ask(4), draft: scope });
    assert.deepEqual(itself.ids, (await scope.write({ ...ask(4), draft: undefined })).ids);
    for (const session of sessions) session.close();
  });

  test('stays greedy with a draft, even past the context and without the cache', async () => {
    for (const draft_tokens of [1, 2, 5, 32])
      for (const cache of [true, false]) {
        const options = { prompt: 'Hello', temperature: 0, max_new_tokens: 60, cache };
        const plain = await scope.write(options);
        const both = await scope.write({ ...options, draft, draft_tokens });
        assert.deepEqual(both.ids, plain.ids);
        assert.equal(both.text, plain.text);
        assert.equal(both.finish_reason, plain.finish_reason);
      }
  });

  test('gives the same ids without the cache and with the scalar loops', async () => {
    const scalar = await Logitscope.load({ model: smallModel({ context: 48 }), variant: 'scalar' });
    const options = { prompt: 'Hi', max_new_tokens: 40, seed: 8, draft, draft_tokens: 5 };
    const { ids } = await scope.write(options);
    assert.deepEqual((await scope.write({ ...options, cache: false })).ids, ids);
    assert.deepEqual((await scalar.write(options)).ids, ids);
    scalar.close();
  });

  test('uses u for its first number only', async () => {
    const options = { prompt: 'Hi', max_new_tokens: 1, draft };
    assert.deepEqual(
      (await scope.write({ ...options, u: 0.999 })).ids,
      (await scope.write({ prompt: 'Hi', max_new_tokens: 1, u: 0.999 })).ids,
    );
    const [first, ...rest] = (await scope.write({ ...options, max_new_tokens: 6, u: 0.999 })).steps;
    assert.equal(first.speculation.outcome === 'accepted' ? first.u : 0.999, 0.999);
    assert.ok(rest.every(({ u }) => u !== 0.999));
  });

  test('ends at the end of a text, even inside a pass', async () => {
    const same = await Logitscope.load({ model: smallModel({ context: 48 }) });
    const options = { prompt: 'Hi', seed: 1, draft: same, draft_tokens: 8, max_new_tokens: 30 };
    const forced = await scope.write({ ...options, logit_bias: { [EOS]: 6 } });
    assert.equal(forced.finish_reason, 'eos');
    assert.equal(forced.ids.at(-1), EOS);
    const abc = { 97: 30, 98: 30, 99: 30 };
    const stopped = await scope.write({ ...options, logit_bias: abc, stop: 'c' });
    assert.equal(stopped.finish_reason, 'stop');
    assert.ok(!stopped.text.includes('c'));
    const abort = new AbortController();
    const generation = scope.generate({ ...options, signal: abort.signal });
    await generation.next();
    abort.abort();
    assert.equal((await generation.next()).value.finish_reason, 'aborted');
    const json = await scope.write({ ...options, constraint: { schema: { type: 'boolean' } } });
    assert.match(json.text, /^\s*(true|false)\s*$/);
    same.close();
  });

  test('texts of two tokens fall as they do without drafts: chi-square', async () => {
    const n = cases(2500, 300_000);
    const words = [97, 98, 99, 100];
    const settings = { logit_bias: Object.fromEntries(words.map((id) => [id, 25])), top_k: 4 };
    const prompt = scope.encode('Hi');
    /** @param {number[]} ids */
    const after = (ids) => {
      scope.feed(ids);
      return scope.warp(scope.logits(), settings, { history: ids }).p;
    };
    const first = after([...prompt]);
    const law = words.flatMap((a) => {
      const second = after([...prompt, a]);
      return words.map((b) => first[a] * second[b]);
    });
    assert.ok(Math.abs(law.reduce((a, b) => a + b) - 1) < 1e-6);
    const counts = Array(law.length).fill(0);
    const outcomes = new Set();
    for (let seed = 0; seed < n; seed++) {
      const options = { prompt, max_new_tokens: 2, seed, draft, draft_tokens: 2 };
      const { ids, steps } = await scope.write({ ...options, ...settings });
      counts[words.indexOf(ids[0]) * words.length + words.indexOf(ids[1])]++;
      for (const { speculation } of steps) outcomes.add(speculation.outcome);
    }
    assert.deepEqual([...outcomes].sort(), ['accepted', 'bonus', 'replaced']);
    holdsLaw(counts, law, n);
  });
});

describe('stories and its draft', () => {
  /** @type {Logitscope} */
  let stories;
  /** @type {Logitscope} */
  let small;
  before(async () => {
    [stories, small] = await Promise.all(
      ['stories', 'stories-draft'].map((name) =>
        Logitscope.load({ model: new URL(`../../models/${name}.gguf`, import.meta.url) }),
      ),
    );
  });
  after(() => {
    stories.close();
    small.close();
  });

  test('greedy text is the same, in fewer passes', async () => {
    const options = { prompt: 'Once upon a time', temperature: 0, max_new_tokens: 80 };
    const plain = await stories.write(options);
    for (const draft_tokens of [1, 3, 8]) {
      const both = await stories.write({ ...options, draft: small, draft_tokens });
      assert.equal(both.text, plain.text);
      assert.deepEqual(both.ids, plain.ids);
      assert.ok(both.speculation.tokens_per_pass > 1.4, String(both.speculation.tokens_per_pass));
    }
  });

  test('texts of two tokens fall as they do without drafts: chi-square', async () => {
    const n = cases(400, 20_000);
    const settings = { temperature: 1.2, top_k: 3 };
    const prompt = stories.encode('Lily wanted to');
    /** @param {number[]} ids */
    const after = (ids) => {
      stories.feed(ids);
      const { p } = stories.warp(stories.logits(), settings, { history: ids });
      return [...p.keys()].filter((id) => p[id] > 0).map((id) => ({ id, p: p[id] }));
    };
    /** @type {Map<string, number>} */
    const law = new Map();
    for (const one of after([...prompt]))
      for (const two of after([...prompt, one.id])) law.set(`${one.id} ${two.id}`, one.p * two.p);
    const counts = new Map([...law.keys()].map((text) => [text, 0]));
    for (let seed = 0; seed < n; seed++) {
      const options = { prompt, max_new_tokens: 2, seed, draft: small, draft_tokens: 2 };
      const text = (await stories.write({ ...options, ...settings })).ids.join(' ');
      counts.set(text, /** @type {number} */ (counts.get(text)) + 1);
    }
    holdsLaw([...counts.values()], [...law.values()], n);
  });
});

describe('refusals', () => {
  for (const [setting, settings] of Object.entries({
    draw: { draw: 'gumbel' },
    mirostat: { mirostat: 2 },
    adaptive_target: { adaptive_target: 0.5 },
    guidance_scale: { guidance_scale: 2 },
    contrastive_beta: { contrastive_beta: 1 },
    own: { own: (/** @type {Float32Array} */ logits) => logits },
  }))
    test(`${setting} is refused with a draft`, () =>
      assert.rejects(
        scope.write(/** @type {any} */ ({ prompt: 'Hi', draft, ...settings })),
        (/** @type {any} */ { code, key, values }) =>
          code === 'unsupported' && key === 'draft_setting' && values.setting === setting,
      ));

  test('another vocabulary and an invalid draft are refused', async () => {
    const write = (/** @type {any} */ options) => scope.write({ prompt: 'Hi', ...options });
    const tokens = Array.from({ length: VOCAB }, (_, id) => (id === EOS ? '<end>' : `<${id}>`));
    const other = await Logitscope.load({ model: smallModel({ tokens }) });
    const shorter = await Logitscope.load({ model: smallModel({ tokens: tokens.slice(7) }) });
    await assert.rejects(write({ draft: other }), {
      code: 'invalid_argument',
      key: 'draft_vocabulary',
    });
    await assert.rejects(write({ draft: shorter }), { key: 'draft_vocabulary_size' });
    await assert.rejects(write({ draft: await Logitscope.load() }), {
      key: 'draft_vocabulary_size',
    });
    await assert.rejects(write({ draft: {} }), { key: 'must_be' });
    await assert.rejects(write({ draft: 'a.gguf' }), { code: 'load_failed' });
    await assert.rejects(write({ draft, draft_tokens: 0 }), { code: 'out_of_range' });
    await assert.rejects(write({ draft, draft_tokens: 33 }), { code: 'out_of_range' });
    await assert.rejects(write({ draft, draft_top: -1 }), { code: 'out_of_range' });
    other.close();
    shorter.close();
  });

  test('memory does not grow over many generations', async () => {
    const once = () => scope.write({ prompt: 'Hi', max_new_tokens: 4, draft, draft_tokens: 32 });
    await once();
    const { memoryBytes } = scope;
    for (let i = 0; i < 200; i++) await once();
    assert.equal(scope.memoryBytes, memoryBytes);
  });
});
