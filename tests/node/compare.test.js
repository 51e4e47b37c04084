/** Tests the figures of Compare (repetition, diversity, similarity) on texts small enough to count by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  coldPair,
  divergence,
  editSimilarity,
  figuresOf,
  gapsOf,
  run,
  spreadOf,
} from '../../web/engine/compare.js';
import { Logitscope } from '../../web/engine/index.js';
import { presets, strategies } from '../../web/engine/presets.js';
import { nameOf } from '../../web/engine/suites.js';
import { TextRunner } from '../../web/views/compare/runner.js';
import { smallModel } from './small_model.js';

test('divergence is the first differing token, and null if one text only continues the other', () => {
  assert.equal(divergence([1, 2, 3], [1, 4, 3]), 1);
  assert.equal(divergence([1, 2, 3], [1, 2, 3]), null);
  assert.equal(divergence([1, 2], [1, 2, 3]), null);
  assert.equal(divergence([], [1]), null);
});

test('edit similarity is 1 minus the share of edits', () => {
  assert.equal(editSimilarity([], []), 1);
  assert.equal(editSimilarity([1, 2, 3], []), 0);
  assert.equal(editSimilarity([1, 2, 3, 4], [1, 3, 4]), 0.75); // 1 of 4 ids is missing
  assert.equal(editSimilarity([1, 2, 3], [1, 5, 3]), 1 - 1 / 3); // 1 of 3 ids differs
  assert.equal(editSimilarity([1, 3, 4], [1, 2, 3, 4]), 0.75);
});

test('the spread of texts equals a count by hand', () => {
  const figures = { tokens: 3, distinct_2: 1, surprisal_raw: 2, mean_kept: 4, loop: null };
  const samples = [
    { ids: [1, 2, 3], figures },
    { ids: [1, 2, 3], figures },
    { ids: [2, 3, 1, 1, 1], figures: { ...figures, tokens: 5, mean_kept: 12, distinct_2: 0.75 } },
  ];
  const spread = spreadOf(/** @type {any} */ (samples));
  assert.equal(spread.different, 2);
  assert.equal(spread.distinct_2_between, 4 / 8); // 4 of 8 bigrams are distinct: 12 23 12 23 23 31 11 11
  assert.equal(spread.distinct_2_within, 2.75 / 3);
  assert.equal(spread.edit_similarity, (1 + 0.2 + 0.2) / 3);
  assert.equal(spread.mean_kept, (4 * 6 + 12 * 5) / 11);
  assert.equal(spread.perplexity_raw, 4);
  assert.equal(spreadOf(/** @type {any} */ (samples.slice(0, 1))).edit_similarity, null);
  const searched = samples.map(({ ids }) => ({ ids, figures: { ...figures, mean_kept: null } }));
  assert.equal(spreadOf(/** @type {any} */ (searched)).mean_kept, null, 'a search has no nucleus');
});

test('strategies are named as the nine defaults are', () => {
  for (const { name, settings } of strategies) assert.equal(nameOf(settings), name);
  assert.equal(nameOf({}), 'plain');
  assert.equal(
    nameOf({ temperature: 0, no_repeat_ngram_size: 2 }),
    'greedy, no-repeat-ngram-size 2',
  );
});

test('a greedy strategy and a cold one are paired by temperature alone', () => {
  const pair = [{ settings: presets.greedy }, { settings: { temperature: 0.01 } }];
  assert.deepEqual(coldPair(pair), { greedy: 0, cold: 1 });
  assert.equal(coldPair(strategies), null);
  assert.equal(coldPair([pair[0], { settings: { temperature: 0.01, top_k: 3 } }]), null);
});

test('a gap has the best two logits and the probabilities at a temperature', async () => {
  const scope = await Logitscope.load({ model: 'models/verbs.gguf' });
  const prompt = scope.encode('Today she');
  const steps = [];
  for await (const step of run(scope, scope, { settings: { temperature: 0 } }, { prompt, seed: 1 }))
    steps.push(step);
  const ids = steps.map(({ id }) => id);
  const { smallest, close } = await gapsOf(scope, prompt, ids, 0.05);
  assert.ok(smallest && smallest.gap > 0);
  scope.feed([...prompt, ...ids.slice(0, smallest.step)]);
  const sorted = scope.logits().sort().reverse();
  assert.equal(smallest.gap, sorted[0] - sorted[1]);
  assert.equal(smallest.best.id, ids[smallest.step]);
  assert.ok(Math.abs(smallest.second.p / smallest.best.p - Math.exp(-smallest.gap / 0.05)) < 1e-5);
  assert.ok(close.length > 0 && close.length < ids.length);
  for (const { best, gap } of close) assert.ok(best.p < 0.999 && gap >= smallest.gap);

  // Surprisals equal the engine's, even for tokens too improbable for the trace.
  const figures = await figuresOf(scope, steps);
  let nats = 0;
  ids.forEach((id, i) => {
    scope.feed([...prompt, ...ids.slice(0, i)]);
    nats += scope.surprisal(id);
  });
  assert.ok(Math.abs(figures.surprisal_raw - nats / Math.LN2 / ids.length) < 1e-6);
  assert.equal(figures.distinct_2, scope.distinct(ids, 2));
  scope.close();
});

/** Runs a strategy to its end; returns its steps and its result. */
async function collect(scope, strategy, options) {
  const steps = [];
  const texts = run(scope, scope, strategy, { seed: 1, ...options });
  for (;;) {
    const { done, value } = await texts.next();
    if (done) return { steps, result: value };
    steps.push(value);
  }
}

test('a given text is measured token by token with the model’s probabilities', async () => {
  const scope = await Logitscope.load({ model: 'models/verbs.gguf' });
  const prompt = 'Tomorrow she';
  const given = (text) => ({ kind: /** @type {const} */ ('given'), settings: {}, text });
  const { steps, result } = await collect(scope, given(' will go'), { prompt });
  const ids = scope.encode(prompt);
  assert.deepEqual(
    steps.map(({ id }) => id),
    [...scope.encode(`${prompt} will go`)].slice(ids.length),
  );
  assert.deepEqual(
    result.ids,
    steps.map(({ id }) => id),
  );
  assert.equal(result.finish_reason, 'text');
  for (const [i, { id, p, bits, bits_raw }] of steps.entries()) {
    scope.feed([...ids, ...result.ids.slice(0, i)]);
    const logits = Array.from(scope.logits());
    const most = Math.max(...logits);
    const sum = logits.reduce((total, logit) => total + Math.exp(logit - most), 0);
    const naive = Math.log2(sum) - (logits[id] - most) / Math.LN2;
    assert.ok(Math.abs(bits - naive) < 1e-5, `${bits}, ${naive}`);
    assert.equal(bits_raw, bits);
    assert.ok(Math.abs(p - 2 ** -naive) < 1e-6);
  }
  const { tokens, perplexity_raw, mean_kept } = await figuresOf(scope, steps);
  const mean = steps.reduce((total, { bits }) => total + bits, 0) / steps.length;
  assert.deepEqual([tokens, perplexity_raw, mean_kept], [2, 2 ** mean, null]);

  const spaced = await collect(scope, given('will go'), { prompt });
  assert.deepEqual(spaced.result, result, 'a space goes between the words');
  const cut = await collect(scope, given('will go'), { prompt, max_new_tokens: 1 });
  assert.deepEqual([cut.steps.length, cut.result.finish_reason], [1, 'length']);
  assert.deepEqual((await collect(scope, given('  '), { prompt })).steps, []);
  const fromIds = await collect(scope, given('will go'), { prompt: scope.encode(prompt) });
  assert.deepEqual(fromIds.result.ids, result.ids);
  await assert.rejects(collect(scope, given('will fly'), { prompt }), /no word/);
});

test('a given text follows the prompt of a chat template with its control tokens', async () => {
  const template = '<end>{% for m in messages %}{{ m.content }}{% endfor %}<end>';
  const scope = await Logitscope.load({ model: smallModel({ template }) });
  const { ids: prompt } = await scope.chat([{ role: 'user', content: 'hi' }]);
  const given = { kind: /** @type {const} */ ('given'), settings: {}, text: 'ab' };
  const { result } = await collect(scope, given, { prompt });
  assert.deepEqual(Array.from(result.prompt_ids), Array.from(prompt));
  assert.deepEqual(Array.from(result.ids), Array.from(scope.encode('ab')));
  scope.close();
});

test('a given text follows an opening quote at once, and a comma after a space', async () => {
  const scope = await Logitscope.load({ model: 'models/stories.gguf' });
  for (const [prompt, joined] of [
    ['Mom said, "', 'Mom said, "Hello'],
    ['Mom said,', 'Mom said, Hello'],
  ]) {
    const strategy = { kind: /** @type {const} */ ('given'), settings: {}, text: 'Hello' };
    const { result } = await collect(scope, strategy, { prompt });
    assert.deepEqual([...result.prompt_ids, ...result.ids], [...scope.encode(joined)]);
  }
});

test('a given text is encoded with the prompt, whose last token may merge with it', async () => {
  const scope = await Logitscope.load({ model: 'models/stories.gguf' });
  const strategy = { kind: /** @type {const} */ ('given'), settings: {}, text: 'time, there' };
  const { steps, result } = await collect(scope, strategy, { prompt: 'Once upon a ' });
  assert.deepEqual(result.prompt_ids, [...scope.encode('Once upon a')]);
  assert.deepEqual(
    steps.map(({ text }) => text),
    [' time', ',', ' there'],
  );
});

test('a comparison that is stopped ends its searches too', async () => {
  const scope = await Logitscope.load({ model: smallModel() });
  for (const [kind, settings] of [
    ['beam', { beam_width: 1 }],
    ['contrastive', {}],
  ]) {
    let feeds = 0;
    const runner = new TextRunner(() => {});
    const watched = () => {
      const session = scope.session();
      const feed = session.feed.bind(session);
      session.feed = (ids) => {
        if (++feeds === 10) runner.stop();
        return feed(ids);
      };
      return session;
    };
    const engine = { info: scope.info, piece: (id) => scope.piece(id), session: watched };
    const strategies = [{ kind, settings }];
    const plan = { prompt: [72, 105], seed: 0, samples: 1, max_new_tokens: 25, strategies };
    await runner.start(engine, plan);
    assert.equal(runner.texts[0][0].figures, null);
    assert.ok(feeds >= 10 && feeds < 16, `${kind}: ${feeds} texts were fed`);
  }
  scope.close();
});
