/** Tests each function of the engine's interface on a small random model. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { before, describe, test } from 'node:test';
import { Logitscope, presets, strategies } from '../../web/engine/index.js';
import { atEnd, closed, temporaryFolder } from '../cleanup.js';
import { cases } from '../long.js';
import { Pcg32 } from '../vectors/generators.js';
import { EOS, VOCAB, smallModel } from './small_model.js';

const image = smallModel();
const scope = closed(await Logitscope.load({ model: image }));

const bits = (floats) => new Uint32Array(Float32Array.from(floats).buffer);

describe('load', () => {
  const path = join(temporaryFolder(), 'small.gguf');
  writeFileSync(path, image);
  const buffer = image.buffer.slice(image.byteOffset, image.byteOffset + image.byteLength);
  const sources = {
    'a path': () => path,
    'a file URL': () => pathToFileURL(path),
    'a file URL as text': () => pathToFileURL(path).href,
    'an ArrayBuffer': () => buffer,
    'a Uint8Array': () => image,
    'a Blob': () => new Blob([image]),
    'a Response': () => new Response(image),
    'a data URL': () =>
      `data:application/octet-stream;base64,${Buffer.from(image).toString('base64')}`,
  };
  for (const [what, source] of Object.entries(sources)) {
    test(`loads from ${what}, with progress`, async () => {
      const progress = [];
      const loaded = await Logitscope.load({
        model: source(),
        onprogress: (p) => progress.push(p),
      });
      assert.equal(loaded.info.name, 'small');
      if (!(source() instanceof ArrayBuffer) && !(source() instanceof Uint8Array)) {
        assert.equal(progress.at(-1).loaded, image.length);
        assert.ok(progress.every(({ total }) => total === null || total === image.length));
      }
      loaded.close();
    });
  }

  test('leaves the caller’s bytes usable', async () => {
    const copy = image.slice();
    const loaded = await Logitscope.load({ model: copy });
    assert.deepEqual(copy, image);
    loaded.close();
  });

  test('takes wasm as a module or as bytes', async () => {
    const url = new URL('../../web/engine/logitscope.wasm', import.meta.url);
    const loaded = await Logitscope.load({ wasm: url });
    assert.equal(loaded.random(42, 0), 0.6303102186438938);
  });

  test('without a model there is no info, but warp and random work', async () => {
    const bare = await Logitscope.load();
    assert.equal(bare.info, null);
    assert.equal(bare.warp([0, 0]).entropy, 1);
  });

  test('a file without tensors is a tokenizer', async () => {
    const tokenizer = await Logitscope.load({ model: 'build/fixtures/gpt2_vocab.gguf' });
    assert.equal(tokenizer.info.architecture, null);
    assert.equal(tokenizer.decode(tokenizer.encode('Hello wörld')), 'Hello wörld');
    assert.throws(() => tokenizer.feed([1]), { code: 'unsupported' });
    assert.throws(() => tokenizer.session(), { code: 'unsupported' });
  });

  test('a model without a tokenizer works with ids', async () => {
    const ids = await Logitscope.load({ model: smallModel({ tokenizer: false }) });
    assert.equal(ids.info.tokenizer, null);
    assert.equal(ids.info.eos_token_id, null);
    ids.feed([1, 2]);
    assert.equal(ids.distribution({ top: 1 }).tokens[0].text, '');
    assert.throws(() => ids.encode('x'), { code: 'unsupported' });
    assert.throws(() => ids.piece(1), { code: 'unsupported' });
  });
});

describe('info and table', () => {
  test('info has the values of the file', () => {
    assert.deepEqual(scope.info, {
      name: 'small',
      architecture: 'gpt2',
      vocab_size: VOCAB,
      context_length: 32,
      model_context_length: 32,
      n_layer: 2,
      n_head: 2,
      n_head_kv: 2,
      n_embd: 16,
      n_ff: 64,
      parameters: 15328,
      file_type: 'F32',
      bytes: image.length,
      tokenizer: 'gpt2',
      pre: 'gpt-2',
      chat_template: false,
      chat_templates: [],
      bos_token_id: EOS,
      eos_token_id: EOS,
      end_token_ids: [EOS],
      weight_bytes: scope.info.weight_bytes,
      session_bytes: scope.info.session_bytes,
      variant: scope.variant,
      streams: 1,
      threads: 1,
    });
  });

  test('the table has the rows of settings.txt in canonical order, samplers first', () => {
    const lines = readFileSync(new URL('../vectors/settings.txt', import.meta.url), 'utf8');
    const listed = [...lines.matchAll(/^(\w+) \w+ (\w+) /gm)];
    assert.deepEqual(
      scope.table.map(({ name, sampler }) => [name, sampler]),
      listed.map(([, name, group]) => [name, group !== 'shared']),
    );
    const row = scope.table.find(({ name }) => name === 'top_p');
    assert.deepEqual(
      [row.kind, row.group, row.neutral, row.minimum, row.maximum, row.minimum_included],
      ['real', 'truncation', 1, 0, 1, true],
    );
    assert.deepEqual(scope.table.find(({ name }) => name === 'logit_bias').neutral, {});
  });

  test('info and table cannot be changed by a caller', () => {
    scope.table[0].name = 'x';
    scope.info.name = 'x';
    assert.equal(scope.table[0].name, 'guidance_scale');
    assert.equal(scope.info.name, 'small');
  });

  test('presets and the nine strategies are valid settings', () => {
    assert.equal(strategies.length, 9);
    assert.deepEqual(presets.greedy, { temperature: 0 });
    assert.deepEqual(presets.transformers, {});
    scope.feed([1]);
    for (const name of Object.keys(presets))
      assert.ok(scope.distribution({ preset: name }).kept >= 1);
    assert.equal(scope.distribution({ preset: 'greedy' }).kept, 1);
    assert.equal(scope.distribution({ preset: 'greedy', temperature: 1 }).kept, VOCAB);
  });
});

describe('text', () => {
  test('any text is decoded as it was encoded', () => {
    for (const text of ['', 'Hello', 'wörld 😀', '\0\n', '\ufeffmark']) {
      assert.equal(scope.decode(scope.encode(text)), text);
    }
    assert.deepEqual([...scope.encode('Hi')], [72, 105]);
    assert.ok(scope.encode('Hi') instanceof Uint32Array);
  });

  test('bos and special tokens come only on request', () => {
    assert.deepEqual([...scope.encode('a', { bos: true })], [EOS, 97]);
    assert.deepEqual([...scope.encode('a', { bos: 'auto' })], [97]);
    assert.equal(scope.encode('<end>').length, 5);
    assert.deepEqual([...scope.encode('<end>', { special: true })], [EOS]);
    assert.equal(scope.decode([97, EOS]), 'a');
    assert.equal(scope.decode([97, EOS], { special: true }), 'a<end>');
  });

  test('invalid UTF-8 and lone surrogates become U+FFFD', () => {
    assert.equal(scope.decode([0xff, 97]), '\ufffda');
    assert.equal(scope.decode(scope.encode('a\ud800b')), 'a\ufffdb');
  });

  test('piece gives text and bytes of a token', () => {
    assert.deepEqual(scope.piece(97), {
      id: 97,
      text: 'a',
      bytes: Uint8Array.of(97),
      special: false,
    });
    assert.equal(scope.piece(EOS).special, true);
    scope.piece(97).bytes[0] = 0;
    assert.equal(scope.piece(97).bytes[0], 97);
  });
});

describe('timeline', () => {
  test('feed keeps the common prefix', () => {
    const session = scope.session();
    assert.deepEqual(session.feed([1, 2, 3]), { evaluated: 3, reused: 0 });
    assert.deepEqual(session.feed([1, 2, 3, 4]), { evaluated: 1, reused: 3 });
    assert.deepEqual(session.feed([1, 2, 9]), { evaluated: 1, reused: 2 });
    assert.deepEqual(session.feed([1, 2, 9], { cache: false }), { evaluated: 3, reused: 0 });
    assert.deepEqual([...session.timeline()], [1, 2, 9]);
    session.close();
  });

  test('logits are a copy and do not depend on how the ids were fed', () => {
    const [whole, parts] = [scope.session(), scope.session()];
    const ids = Array.from({ length: 40 }, (_, i) => (37 * i) % VOCAB);
    whole.feed(ids);
    for (let n = 1; n <= ids.length; n++) parts.feed(ids.slice(0, n));
    assert.deepEqual(bits(whole.logits()), bits(parts.logits()));
    const copy = whole.logits();
    copy.fill(0);
    assert.notDeepEqual(whole.logits(), copy);
    assert.equal(copy.length, VOCAB);
  });

  test('a fork changes independently of its session', () => {
    const trunk = scope.session();
    trunk.feed([5, 6]);
    const fork = trunk.fork();
    assert.deepEqual(bits(fork.logits()), bits(trunk.logits()));
    fork.feed([5, 6, 7]);
    assert.deepEqual([...trunk.timeline()], [5, 6]);
    trunk.close();
    assert.equal(fork.distribution().vocab_size, VOCAB);
    fork.close();
    assert.throws(() => trunk.fork(), { code: 'closed' });
  });

  test('a fork evaluates nothing and gives its own logits in reused memory', () => {
    const [trunk, other] = [scope.session(), scope.session()];
    assert.deepEqual([...trunk.fork().timeline()], []);
    trunk.feed([5, 6, 7]);
    other.feed([9, 8]);
    const expected = other.distribution();
    const first = trunk.fork();
    first.distribution();
    first.close();
    const fork = other.fork(); // takes the memory of `first`, so leftovers of `first` would show
    assert.deepEqual(fork.distribution(), expected);
    assert.deepEqual(fork.hidden(), other.hidden());
    assert.deepEqual(fork.feed([9, 8, 1]), { evaluated: 1, reused: 2 });
    assert.deepEqual(other.feed([9, 8]), { evaluated: 0, reused: 2 });
    for (const session of [trunk, other, fork]) session.close();
  });

  test('surprisals of several tokens equal those of one token at a time', () => {
    scope.feed([5, 6]);
    const ids = [0, VOCAB - 1, 7, 7];
    const each = Float64Array.from(ids, (id) => scope.surprisal(id));
    assert.deepEqual(scope.surprisal(ids), each);
    assert.deepEqual(scope.surprisal(Uint32Array.from(ids)), each);
    assert.deepEqual(scope.surprisal([]), new Float64Array());
    const logits = Array.from(scope.logits());
    const sum = logits.reduce((all, logit) => all + Math.exp(logit), 0);
    each.forEach((nats, i) => assert.ok(Math.abs(nats - Math.log(sum) + logits[ids[i]]) < 1e-5));
    for (const wrong of [VOCAB, -1, 1.5]) {
      assert.throws(() => scope.surprisal(wrong), { code: 'unknown_token' });
      assert.throws(() => scope.surprisal([1, wrong]), { code: 'unknown_token' });
    }
    assert.throws(() => scope.surprisal('1'), { code: 'invalid_argument' });
  });

  test('scalar and SIMD give the same bits', async () => {
    const scalar = await Logitscope.load({ model: image, variant: 'scalar' });
    assert.equal(scalar.variant, 'scalar');
    const ids = [...scope.encode('The quick brown fox')];
    scalar.feed(ids);
    scope.feed(ids);
    assert.deepEqual(bits(scalar.logits()), bits(scope.logits()));
    const settings = { temperature: 0.7, top_k: 50, top_p: 0.9, repetition_penalty: 1.3 };
    assert.deepEqual(scalar.distribution(settings), scope.distribution(settings));
    scalar.close();
  });
});

describe('distribution', () => {
  test('the sums of the trace agree', () => {
    scope.feed([1, 2, 3]);
    const trace = scope.distribution({ temperature: 0.8, top_k: 30, top_p: 0.9, top: 10 });
    assert.equal(trace.vocab_size, VOCAB);
    assert.equal(trace.tokens.length, 10);
    assert.deepEqual(
      trace.stages.map(({ name }) => name),
      scope.table.filter((row) => row.sampler).map((row) => row.name),
    );
    const sum = (key) => trace.tokens.reduce((total, token) => total + token[key], trace.rest[key]);
    assert.ok(Math.abs(sum('p') - 1) < 2 ** -20);
    assert.ok(Math.abs(sum('p_raw') - 1) < 2 ** -20);
    assert.equal(trace.rest.count, VOCAB - 10);
    assert.ok(trace.kept <= 30);
    const [best] = trace.tokens;
    assert.equal(best.rank, 1);
    assert.equal(best.stage_p.length, scope.table.filter((row) => row.sampler).length);
    assert.equal(best.stage_p.at(-1), best.p);
    assert.equal(best.text, scope.piece(best.id).text);
    assert.equal(best.logit, scope.logits()[best.id]);
    const topK = trace.stages.find(({ name }) => name === 'top_k');
    assert.equal(topK.removed, VOCAB - 30);
    assert.ok(Math.abs(trace.perplexity - 2 ** trace.entropy) < 1e-9);
  });

  test('removed tokens are listed after the survivors, each with its stage', () => {
    const trace = scope.warp([4, 3, 2, 1], { top_k: 2 });
    assert.deepEqual(
      trace.tokens.map(({ id, removed_by }) => [id, removed_by]),
      [
        [0, null],
        [1, null],
        [2, 'top_k'],
        [3, 'top_k'],
      ],
    );
    assert.equal(trace.tokens[2].warped, -Infinity);
    assert.equal(trace.tokens[2].p, 0);
  });

  test('order changes the kept tokens', () => {
    const settings = { temperature: 0.5, top_p: 0.8 };
    assert.equal(scope.warp([3, 2, 1], settings).kept, 1);
    const order = ['top_p', 'temperature'];
    const trace = scope.warp([3, 2, 1], { ...settings, order });
    assert.equal(trace.kept, 2);
    assert.deepEqual(
      trace.stages.map(({ name }) => name),
      order,
    );
  });

  test('a setting that does nothing is named in a warning', () => {
    const { warnings, stages } = scope.warp([3, 2, 1, 0], { top_k: 1, top_p: 0.95 });
    assert.deepEqual(warnings, ['top_p 0.95 removes nothing after top_k 1']);
    assert.equal(stages.find(({ name }) => name === 'top_p').after, 'top_k');
    assert.deepEqual(scope.warp([3, 2, 1, 0], {}).warnings, []);
  });

  test('a bias of a sequence acts when all its tokens except the last came last: test_bias_dist_processor', () => {
    // huggingface/transformers tests/generation/test_logits_process.py @019af3a (Apache-2.0)
    const logit_bias = {
      1: 100,
      4: 100,
      '1 0': -100,
      '0 1 2': -100,
      '1 3 1 3': -100,
      '1 3 1 3 1 3': -100,
    };
    const after = (history, more = {}) => [
      ...scope.warp([0, 0, 0, 0, 0], { logit_bias: { ...logit_bias, ...more } }, { history })
        .logits,
    ];
    assert.deepEqual(after([0, 1, 3, 1]), [-100, 100, 0, -100, 100]);
    assert.deepEqual(after([0, 1, 0, 1]), [-100, 100, -100, 0, 100]);
    assert.deepEqual(after([]), [0, 100, 0, 0, 100]);
    assert.deepEqual(after([2, 1], { '2 1 4': 0.5, '1 4': 0.25 })[4], 100.75, 'they add up');
    assert.deepEqual(after([2, 1], { '1 4': false, '2 1 4': 7 })[4], -Infinity, 'a ban bans');
    for (const key of ['1 9', '9 1'])
      assert.throws(() => after([0], { [key]: 1 }), { code: 'unknown_token', message: /token 9/ });
  });

  test('logit_bias bans, and its stage says how many are biased', () => {
    const trace = scope.warp([3, 2, 1], { logit_bias: { 0: false, 2: 4.5 } });
    assert.equal(trace.stages.find(({ name }) => name === 'logit_bias').value, 2);
    assert.deepEqual([...trace.logits], [-Infinity, 2, 5.5]);
    assert.deepEqual(
      [...scope.warp([3, 2, 1], { logit_bias: { 0: -Infinity } }).logits],
      [-Infinity, 2, 1],
    );
  });

  test('distribution neither runs the model nor changes the logits', () => {
    scope.feed([1, 2, 3]);
    const raw = scope.logits();
    scope.distribution({ temperature: 0, top_k: 3, logit_bias: { 1: 9 } });
    assert.deepEqual(bits(scope.logits()), bits(raw));
    assert.deepEqual([...scope.timeline()], [1, 2, 3]);
  });

  test('top sets the number of listed tokens, at most the whole vocabulary', () => {
    assert.equal(scope.distribution().tokens.length, 20);
    assert.equal(scope.distribution({ top: 0 }).tokens.length, 0);
    assert.equal(scope.distribution({ top: 100000 }).tokens.length, VOCAB);
    assert.equal(scope.distribution({ top: 100000 }).rest.count, 0);
  });
});

describe('warp', () => {
  test("returns the whole result and leaves the caller's array alone", () => {
    const logits = Float32Array.of(1, 2, 3);
    const trace = scope.warp(logits, { repetition_penalty: 2 }, { history: [2, 2] });
    assert.deepEqual([...logits], [1, 2, 3]);
    assert.deepEqual([...trace.logits], [1, 2, 1.5]);
    assert.ok(trace.p instanceof Float64Array);
    assert.ok(Math.abs(trace.p.reduce((a, b) => a + b) - 1) < 1e-12);
  });

  test('leaves the session as it was', () => {
    scope.feed([1, 2, 3]);
    const before = scope.distribution();
    scope.warp([1, 2]);
    assert.deepEqual(scope.distribution(), before);
  });
});

describe('draw', () => {
  before(() => scope.feed([1, 2, 3]));

  test('u comes from seed and step', () => {
    const drawn = scope.draw({ seed: 42 }, { step: 3 });
    assert.equal(drawn.u, scope.random(42, 3));
    assert.deepEqual(scope.draw({ seed: 42 }, { u: drawn.u }), drawn);
    assert.deepEqual(scope.draw({}, { step: 0 }), scope.draw());
  });

  test('u falls into the drawn token’s part of the cumulative distribution', () => {
    const { tokens } = scope.distribution({ top: VOCAB });
    assert.equal(scope.draw({}, { u: 0 }).id, tokens[0].id);
    assert.equal(scope.draw({}, { u: tokens[0].p + tokens[1].p / 2 }).id, tokens[1].id);
    assert.equal(scope.draw({}, { u: 1 - 2 ** -53 }).rank, VOCAB);
    const drawn = scope.draw({}, { u: 0 });
    assert.deepEqual([drawn.rank, drawn.p, drawn.p_raw], [1, tokens[0].p, tokens[0].p_raw]);
    assert.ok(Math.abs(drawn.logprob - Math.log(drawn.p)) < 1e-12);
    assert.deepEqual(scope.draw({}, { u: 0, raw: false }), { ...drawn, p_raw: 0 });
  });

  test('rng is called once', () => {
    let calls = 0;
    const drawn = scope.draw(
      {},
      {
        rng: () => {
          calls++;
          return 0.25;
        },
      },
    );
    assert.equal(calls, 1);
    assert.equal(drawn.u, 0.25);
  });

  test('gumbel has no u and depends on seed and step', () => {
    const drawn = scope.draw({ draw: 'gumbel', seed: 7 }, { step: 2 });
    assert.equal(drawn.u, null);
    assert.deepEqual(scope.draw({ draw: 'gumbel', seed: 7 }, { step: 2 }), drawn);
    const ids = new Set(
      Array.from({ length: 50 }, (_, step) => scope.draw({ draw: 'gumbel' }, { step }).id),
    );
    assert.ok(ids.size > 5);
  });
});

test('cached facts about logits end with them: at a feed, another session, pasted logits', async () => {
  const fresh = async (ids) => {
    const one = await Logitscope.load({ model: image });
    one.feed(ids);
    const result = {
      trace: one.distribution(),
      drawn: one.draw({ top_k: 3 }),
      logits: one.logits(),
    };
    one.close();
    return result;
  };
  const first = await fresh([1, 2, 3]);
  const second = await fresh([3, 2, 4, 1]);
  const other = scope.session();
  const look = (session, expected) => {
    for (const _ of [1, 2]) {
      assert.deepEqual(session.distribution(), expected.trace);
      assert.deepEqual(session.draw({ top_k: 3 }), expected.drawn);
    }
  };
  scope.feed([1, 2, 3]);
  look(scope, first);
  scope.feed([3, 2, 4, 1]);
  look(scope, second);
  other.feed([1, 2, 3]);
  look(other, first);
  look(scope, second);
  for (const { logits, trace } of [first, second]) {
    assert.equal(scope.warp(logits).raw_entropy, trace.raw_entropy);
  }
  look(scope, second);
  other.close();
});

test('random is PCG32 and begins as published for seed 42', () => {
  assert.equal(scope.random(42, 0), 0.6303102186438938);
  assert.equal(scope.random(2 ** 53 - 1, 12345), scope.random(2 ** 53 - 1, 12345));
});

test('distinct n-grams are counted as shares', () => {
  assert.equal(scope.distinct([1, 2, 1, 2], 1), 0.5);
  assert.equal(scope.distinct([1, 2, 1, 2], 2), 2 / 3);
  assert.equal(scope.distinct([], 1), 0);
});

test('memory does not grow over 1,000 steps', async () => {
  const long = await Logitscope.load({ model: smallModel({ context: 64 }) });
  const run = async (count) => {
    for await (const step of long.generate({
      prompt: 'x',
      max_new_tokens: count,
      top_p: 0.95,
      repetition_penalty: 1.1,
      logit_bias: { [EOS]: false },
    }))
      long.distribution({ temperature: step.u });
  };
  await run(1);
  const bytes = long.memoryBytes;
  await run(1000);
  assert.equal(long.timeline().length, 1000);
  assert.equal(long.memoryBytes, bytes);
});

test('sessions and instances free their memory', async () => {
  const many = await Logitscope.load({ model: smallModel() });
  const open = () => {
    const session = many.session();
    session.feed([1, 2, 3]);
    session.close();
  };
  for (let i = 0; i < 10; i++) open();
  const bytes = many.memoryBytes;
  for (let i = 0; i < 500; i++) open();
  assert.equal(many.memoryBytes, bytes);
});

test('after close every call is refused', async () => {
  const gone = await Logitscope.load({ model: image });
  const session = gone.session();
  gone.close();
  gone.close();
  assert.throws(() => gone.encode('x'), { code: 'closed' });
  assert.throws(() => gone.feed([1]), { code: 'closed' });
  assert.throws(() => gone.random(1, 1), { code: 'closed' });
  assert.throws(() => session.feed([1]), { code: 'closed' });
  assert.throws(() => session.distribution(), { code: 'closed' });
});

test('a generation is refused when the instance closes during it', async () => {
  const gone = await Logitscope.load({ model: image });
  const step = gone.generate({ prompt: 'x' }).next();
  gone.close();
  await assert.rejects(step, { code: 'closed' });
});

test('load sets the default of cache, and feed and generate may override it', async () => {
  const plain = await Logitscope.load({ model: image, cache: false });
  atEnd(() => plain.close());
  plain.feed([1, 2, 3]);
  assert.deepEqual(plain.feed([1, 2, 3, 4]), { evaluated: 4, reused: 0 });
  assert.deepEqual(plain.feed([1, 2, 3, 4, 5], { cache: true }), { evaluated: 1, reused: 4 });
  await assert.rejects(Logitscope.load({ model: image, cache: 0 }), { code: 'invalid_argument' });
});

test('a fork of the default session has its timeline', () => {
  scope.feed([1, 2, 3]);
  const fork = scope.fork();
  atEnd(() => fork.close());
  assert.deepEqual(fork.timeline(), scope.timeline());
  assert.deepEqual(fork.logits(), scope.logits());
});

test('two generations at once end each by its own grammar', async () => {
  const withoutEnd = new URL('../../models/shakespeare.gguf', import.meta.url);
  const model = await Logitscope.load({ model: withoutEnd });
  atEnd(() => model.close());
  const run = (letters) =>
    model.session().write({ prompt: 'x', constraint: { grammar: `root ::= "${letters}"` } });
  const texts = await Promise.all([run('aaaa'), run('bbbbbb')]);
  assert.deepEqual(
    texts.map(({ text, finish_reason }) => [text, finish_reason]),
    [
      ['aaaa', 'stop'],
      ['bbbbbb', 'stop'],
    ],
  );
});

describe('a vocabulary is at most as large as its sums allow', () => {
  /** Returns the entropy, in bits, of n logits: one is 0, the others -1. */
  const entropyOf = (n) => {
    const z = 1 + (n - 1) * Math.exp(-1);
    return Math.log2(z) + ((n - 1) * Math.exp(-1)) / z / Math.LN2;
  };
  for (const n of [300_000, 360_000, 2 ** 19]) {
    test(`a vocabulary of ${n} logits is exact`, () => {
      const logits = new Float32Array(n).fill(-1);
      logits[0] = 0;
      const { entropy, kept, p } = scope.warp(logits, { top: 1 });
      assert.ok(Math.abs(entropy - entropyOf(n)) < 1e-6, `${entropy}, not ${entropyOf(n)}`);
      assert.equal(kept, n);
      assert.ok(Math.abs(p.reduce((sum, x) => sum + x, 0) - 1) < 2 ** -20);
    });
  }

  test('more logits are refused and change nothing', () => {
    const before = scope.warp([1, 0]);
    for (const n of [2 ** 19 + 1, 2 ** 20])
      assert.throws(() => scope.warp(new Float32Array(n), { top: 1 }), {
        code: 'too_long',
        message: `a vocabulary has at most 524288 tokens, and there are ${n} logits`,
      });
    assert.deepEqual(scope.warp([1, 0]), before);
  });

  test('a number outside float32 is refused and quoted as given', () => {
    for (const value of [1e39, -1e39])
      assert.throws(() => scope.warp([0, value]), {
        code: 'not_finite',
        message: `the logit of token 1 must be finite or -Infinity, got ${value}`,
      });
    assert.equal(scope.warp([0, -3e38]).kept, 2);
  });
});

describe('settings that the module still has', () => {
  /** Changes of one settings object that calls share; some change a list or a map inside it. */
  const CHANGES = [
    (it) => (it.min_new_tokens = 3),
    (it) => (it.temperature = -1), // refused
    (it) => (it.temperature = 0.7),
    (it) => (it.top_k = '3'), // refused
    (it) => (it.top_k = 200),
    (it) => (it.xtc_probability = 0.5),
    (it) => (it.repetition_penalty = 1.5),
    (it) => (it.end_tokens = [5, 6]),
    (it) => it.end_tokens.push(7),
    (it) => (it.logit_bias = { '2 3 4': 99 }),
    (it) => (it.logit_bias[9] = -1),
    (it) => (it.logit_bias[9] = 3),
    (it) => (it.order = [...CANONICAL]),
    (it) => it.order.reverse(),
    (it) => (it.banned_words = [[3]]),
    (it) => it.banned_words.push([3, 4]),
    (it) => (it.forced_first = 8),
    (it) => (it.own = (logits) => logits.map((l, id) => l - id / 64)),
    (it) => Object.keys(it).map((name) => delete it[name]),
    (it) => Object.assign(it, { dry_multiplier: 2, dry_sequence_breakers: [[9]] }),
    (it) => it.dry_sequence_breakers.push([3]),
    (it) => Object.assign(it, { green_bias: 2, watermark_key: 5, min_new_tokens: 2 }),
    (it) => Object.assign(it, { mirostat: 2, seed: 9, top: 3 }),
    (it) => (it.draw = 'gumbel'),
  ];
  const CANONICAL = scope.table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const other = Float32Array.from({ length: 40 }, (_, i) => Math.sin(7 * i) * 4);
  const history = [2, 3, 4, 2, 3];
  const CALLS = [
    (it, settings) => it.draw(settings),
    (it, settings) => it.read(settings, { step: 3 }),
    (it, settings) => it.distribution(settings),
    (it, settings) => it.drawFrom(other, { ...settings }, { history }),
    (it, settings) => it.landscape(settings, 'temperature', [0.5, 1], { top: 2 }),
    (it, settings) => it.marks(history, settings),
    (it, settings) => it.write({ prompt: history, max_new_tokens: 3, ...settings }),
  ];
  const outcome = async (call, it, settings) => {
    try {
      it.feed(history);
      const { steps, ...rest } = await call(it, settings);
      return { ...rest, steps: steps?.map(({ ms, ...step }) => step) };
    } catch ({ code, key, values }) {
      return { code, key, values };
    }
  };

  test('change no bit of a later call: random calls equal those of new instances', async () => {
    const path = new URL('../../web/engine/logitscope.wasm', import.meta.url);
    const wasm = await WebAssembly.compile(readFileSync(path));
    const open = () => Logitscope.load({ model: image, wasm, variant: 'scalar' });
    const old = closed(await open());
    const random = new Pcg32(58, 54);
    const settings = {};
    let refused = 0;
    for (const change of CHANGES) {
      change(settings);
      const expected = [];
      for (const call of CALLS) {
        const fresh = await open();
        expected.push(await outcome(call, fresh, settings));
        fresh.close();
      }
      refused += expected.filter(({ code }) => code).length;
      for (let n = 0; n < cases(40, 1000); n++) {
        const i = random.next() % CALLS.length;
        const label = `after ${change}: ${CALLS[i]}`;
        assert.deepEqual(await outcome(CALLS[i], old, settings), expected[i], label);
      }
    }
    assert.ok(refused < CHANGES.length * 2, `${refused} were refused`);
  });

  test('give each step of a text the bias that its history asks for', async () => {
    const settings = { logit_bias: { '2 3 4': 99 } };
    const { ids } = await scope.write({ prompt: history, max_new_tokens: 3, ...settings });
    assert.equal(ids[0], 4);
    ids.forEach((id, step) => {
      scope.feed([...history, ...ids.slice(0, step)]);
      assert.equal(scope.draw(settings, { step }).id, id);
    });
  });
});
