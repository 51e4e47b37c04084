/**
 * Tests models with their forward pass elsewhere. The source is another Logitscope over verbs.gguf, so every number must
 * equal the direct model's bit for bit, in this thread and with the engine in a worker.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, mock, test } from 'node:test';
import { Logitscope, LogitscopeError, beamSearch } from '../../web/engine/index.js';
import { run } from '../../web/engine/compare.js';
import { RemoteLogitscope } from '../../web/engine/remote.js';
import { sweep } from '../../web/engine/sweep.js';
import { sourceOf } from '../asked_server.js';
import { atEnd } from '../cleanup.js';

const model = readFileSync(new URL('../../models/verbs.gguf', import.meta.url));
const SETTINGS = [
  {},
  { temperature: 0.7, top_k: 8, top_p: 0.9 },
  { repetition_penalty: 1.4, frequency_penalty: 0.3, min_p: 0.05 },
  { dry_multiplier: 0.8, dry_sequence_breakers: [' the', 'go to'], temperature: 1.2 },
  { mirostat: 2, mirostat_tau: 3 },
  { guidance_scale: 1.5, negative_prompt: 'Yesterday they' },
  { forced_first: ' is', banned_words: ['has', 'going to'], logit_bias: { 30: 2 } },
  { constraint: { grammar: 'root ::= " has" [a-z ]*' } },
  { draw: 'gumbel', temperature: 1.5 },
];
const PROMPT = 'Today she';

let direct;
/** All questions that the engines have asked the source: texts to encode, and ids whose logits they need. */
const asked = { encode: [], logits: [] };
let source;
/** The tested engines: `local` in this thread, `remote` in a worker. Both ask `source`. */
const engines = {};

before(async () => {
  const [mine, theirs] = await Promise.all([
    Logitscope.load({ model }),
    Logitscope.load({ model }),
  ]);
  direct = mine;
  const { encode, logits, ...facts } = sourceOf(theirs);
  source = {
    ...facts,
    encode: (text) => (asked.encode.push(text), encode(text)),
    logits: async (ids) => (asked.logits.push([...ids].join()), logits(ids)),
  };
  engines.local = await Logitscope.load({ source });
  engines.remote = await RemoteLogitscope.load({ source });
  atEnd(() => engines.remote.close());
});

const all = async (generator) => {
  const values = [];
  for (;;) {
    const { done, value } = await generator.next();
    values.push(value);
    if (done) return values.map(withoutTime);
  }
};
const withoutTime = (value) =>
  value && { ...value, ms: 0, steps: value.steps?.map(({ ms: _, ...step }) => step) };

/** Returns all results of a session after a prompt, under each of SETTINGS. */
async function everything(scope) {
  const ids = await scope.encode(PROMPT);
  await scope.feed([1]); // the results must not depend on this earlier text
  const found = [ids, await scope.decode(ids), await scope.feed(ids), await scope.logits()];
  for (const [i, { negative_prompt, ...settings }] of SETTINGS.entries()) {
    if (settings.guidance_scale) await scope.second(new Float32Array(64).map((_, id) => id / 9));
    found.push(
      await scope.read(settings, { step: i }),
      await scope.draw(settings, { step: i + 1 }),
    );
    found.push(await scope.landscape(settings, 'temperature', [0.5, 1, 2], { top: 5 }));
  }
  const fork = await scope.fork();
  await fork.feed([...ids, 26]);
  found.push(await fork.distribution({ top: 64 }), await scope.timeline(), await fork.timeline());
  found.push(await scope.surprisal([1, 2]), await scope.score(PROMPT, ' is going to eat'));
  for (const [seed, settings] of SETTINGS.entries())
    found.push(
      withoutTime(await scope.write({ prompt: PROMPT, seed, max_new_tokens: 40, ...settings })),
    );
  await fork.close();
  return found;
}

/** Returns the results of a comparison, a sweep and a beam search. */
async function figures(scope) {
  const session = await scope.session();
  const compare = SETTINGS.slice(0, 4).map((settings) => ({ settings }));
  compare.push({ kind: 'beam', settings: { beam_width: 3 } });
  compare.push({ kind: 'given', text: ' is going to eat', settings: {} });
  const found = [];
  for (const strategy of compare)
    found.push(
      await all(run(scope, session, strategy, { prompt: PROMPT, seed: 5, max_new_tokens: 12 })),
    );
  const axes = [{ name: 'temperature', values: [0.3, 1, 1.7] }];
  const measures = ['entropy', 'nucleus', 'distinct_2'];
  found.push(
    await all(sweep(scope, { axes, measures, prompt: PROMPT, samples: 2, max_new_tokens: 6 })),
  );
  found.push(await beamSearch(scope, { prompt: PROMPT, beam_width: 2, max_new_tokens: 6 }));
  await session.close();
  return found;
}

describe('an asked model equals the direct model bit for bit', () => {
  for (const where of ['local', 'remote'])
    test(where, async () => {
      assert.deepEqual(await everything(engines[where]), await everything(direct));
      assert.deepEqual(await figures(engines[where]), await figures(direct));
      const { remote, tokenizer, context_length } = engines[where].info;
      assert.deepEqual([remote, tokenizer, context_length], [true, 'asked', 32]);
    });
});

test('a knob asks nothing, and a new text asks once for each new prefix', async () => {
  const scope = await Logitscope.load({ source });
  asked.logits.length = asked.encode.length = 0;
  const ids = await scope.encode(PROMPT);
  await scope.feed(ids);
  for (const temperature of [0.2, 0.9, 3]) scope.read({ temperature });
  assert.deepEqual(asked, { encode: [PROMPT], logits: [ids.join()] });
  const { ids: drawn } = await scope.write({
    prompt: PROMPT,
    seed: 3,
    max_new_tokens: 5,
    temperature: 2,
  });
  const prefixes = drawn.map((_, n) => [...ids, ...drawn.slice(0, n)].join());
  assert.deepEqual(asked.logits, prefixes);
  await scope.write({ prompt: PROMPT, seed: 3, max_new_tokens: 5, temperature: 2 });
  const other = await scope.session();
  assert.deepEqual(other.feed([...ids, drawn[0]]), { evaluated: 4, reused: 0 }); // at once: nothing to ask
  assert.equal(asked.logits.length, prefixes.length);
  await scope.feed(new Uint32Array(40).fill(5));
  assert.equal(asked.logits.at(-1), Array(32).fill(5).join(), 'at most the context');
});

/** Loads an engine whose source answers by `logits(ids, options)`. */
const withLogits = (logits) => Logitscope.load({ source: { ...source, logits } });

test('a wrong answer is refused, and the timeline keeps its numbers', async () => {
  let answer = null;
  const scope = await withLogits((ids, how) => (answer ? answer(how) : source.logits(ids)));
  await scope.feed([0, 4]);
  const kept = scope.logits();
  const cases = [
    [() => new Float32Array(63), 'asked', 'asked_length', { limit: 64, n: 63 }],
    [() => [1, 2, 3], 'asked', 'asked_length', { limit: 64, n: 3 }],
    [() => 'logits', 'invalid_argument', 'must_be'],
    [() => new Float64Array(64), 'invalid_argument', 'must_be'],
    [() => new Float32Array(64).fill(NaN), 'not_finite', 'logits_not_finite', { n: 2 }],
    [() => Array(64).fill(Infinity), 'not_finite', 'logits_not_finite', { n: 2 }],
    [() => assert.fail('no CUDA'), 'asked', 'asked_failed', { reason: 'no CUDA' }],
    [async () => Promise.reject(new TypeError('x')), 'asked', 'asked_failed', { reason: 'x' }],
  ];
  for (const [i, [given, code, key, values]] of cases.entries()) {
    answer = given;
    const wrong = (error) => {
      assert.ok(error instanceof LogitscopeError);
      assert.deepEqual([error.code, error.key], [code, key]);
      if (values) assert.deepEqual(error.values, values);
      return true;
    };
    await assert.rejects(async () => scope.feed([0, 4, 10 + i]), wrong);
    assert.deepEqual(scope.logits(), kept);
  }
  answer = null;
  await scope.feed([0, 4, 10]);
  assert.deepEqual(scope.logits(), direct.feed([0, 4, 10]) && direct.logits());
});

test('an answer may take a minute; the signal ends the question', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let signal = null;
    const scope = await withLogits((_, how) => {
      ({ signal } = how);
      return new Promise(() => {});
    });
    const late = scope.feed([1]);
    await null;
    mock.timers.tick(60_000);
    await assert.rejects(late, { code: 'unanswered', key: 'asked_late' });
    assert.equal(signal.aborted, true);
  } finally {
    mock.timers.reset();
  }
});

test('the newest text of a session wins, and other sessions wait for their turn', async () => {
  /** @type {{ ids: string, answer: () => void, signal: AbortSignal }[]} */
  const open = [];
  const scope = await withLogits(
    (ids, { signal }) =>
      new Promise((resolve) => {
        open.push({ ids: [...ids].join(), signal, answer: () => resolve(source.logits(ids)) });
      }),
  );
  const other = await scope.session();
  const first = assert.rejects(scope.feed([1]), { code: 'superseded' });
  const beside = other.feed([2]);
  const second = assert.rejects(scope.feed([3]), { code: 'superseded' });
  const read = assert.rejects(scope.read({}), { code: 'superseded' });
  const newest = scope.feed([4]);
  const trace = scope.distribution({ top: 3 });
  await Promise.all([first, second, read]);
  assert.deepEqual([open[0].ids, open[0].signal.aborted], ['1', true]);
  for (let i = 1; i <= 2; i++) {
    while (open.length <= i) await new Promise(setImmediate);
    open[i].answer();
  }
  await Promise.all([beside, newest]);
  assert.deepEqual(
    open.map(({ ids }) => ids),
    ['1', '2', '4'],
  );
  direct.feed([4]);
  assert.deepEqual(await trace, direct.distribution({ top: 3 }));
});

test('at most 256 questions wait', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const scope = await Logitscope.load({
      source: { ...source, encode: () => new Promise(() => {}) },
    });
    for (let i = 0; i < 256; i++) scope.encode(`text ${i}`);
    await assert.rejects(async () => scope.encode('one more'), { key: 'asked_many' });
  } finally {
    mock.timers.reset();
  }
});

test('an abort ends a generation while it asks', async () => {
  const abort = new AbortController();
  let n = 0;
  const scope = await withLogits((ids) => {
    if (++n < 3) return source.logits(ids);
    abort.abort();
    return new Promise(() => {});
  });
  const { ids, finish_reason } = await scope.write({ prompt: PROMPT, signal: abort.signal });
  assert.deepEqual([ids.length, finish_reason], [2, 'aborted']);
});

test('a source is checked, and calls that need weights are refused', async () => {
  const refused = (change, key) =>
    assert.rejects(Logitscope.load({ source: { ...source, ...change } }), { key });
  const { info } = source;
  for (const vocab_size of [0, 2 ** 18 + 1, 1.5])
    await refused({ info: { ...info, vocab_size } }, 'must_be_integer_between');
  await refused({ info: { ...info, context_length: 0 } }, 'must_be_integer_between');
  await refused({ info: { ...info, eos_token_id: 64 } }, 'must_be_integer_between');
  await refused({ info: { ...info, complete: false } }, 'asked_partial');
  await refused({ info: { ...info, gpu: true } }, 'must_be_among');
  await refused({ pieces: source.pieces.slice(1) }, 'must_be_integer_between');
  await refused({ pieces: source.pieces.with(3, 7) }, 'must_be_at');
  await refused({ pieces: source.pieces.with(3, 'x'.repeat(2000)) }, 'token_bytes');
  await refused({ logits: undefined }, 'must_be');
  await assert.rejects(Logitscope.load({ source, model }), { key: 'asked_and_model' });
  const { local } = engines;
  await local.feed([1]);
  assert.throws(() => local.hidden(), { code: 'unsupported', key: 'no_weights' });
  const drafted = local.write({ prompt: PROMPT, draft: direct });
  await assert.rejects(drafted, { code: 'unsupported', key: 'no_tensors' });
  await assert.rejects(async () => local.encode('Today quux'), { code: 'unknown_token' });
});
