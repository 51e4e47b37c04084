/** Tests `generate`: finish reasons, stop strings, randomness, cache, abort, and one generation at a time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { TextStream } from '../../web/engine/text-stream.js';
import { closed } from '../cleanup.js';
import { Pcg32 } from '../vectors/generators.js';
import { EOS, VOCAB, byteTokens, smallModel } from './small_model.js';

const scope = closed(await Logitscope.load({ model: smallModel() }));

/** Runs a generation to its end; returns { steps, ...result }. */
async function run(options, on = scope) {
  const steps = [];
  const generation = on.generate({ prompt: 'Hi', ...options });
  for (;;) {
    const { done, value } = await generation.next();
    if (done) return { steps, ...value };
    steps.push(value);
  }
}

const always = (id) => ({ logit_bias: { [id]: 1e6 } });
/** Returns settings that ban all tokens except the given characters. */
const onlyBytes = (text) => {
  const kept = new Set(Buffer.from(text));
  return {
    logit_bias: Object.fromEntries(
      Array.from({ length: VOCAB }, (_, id) => [id, false]).filter(([id]) => !kept.has(id)),
    ),
  };
};

describe('steps and result', () => {
  test('each step has the token’s probability, rank and position', async () => {
    const { steps, ids, prompt_ids, seed, settings, finish_reason } = await run({
      seed: 5,
      temperature: 0.9,
      top_k: 40,
      max_new_tokens: 12,
      logit_bias: { [EOS]: false },
    });
    assert.equal(finish_reason, 'length');
    assert.deepEqual(prompt_ids, [72, 105]);
    assert.equal(seed, 5);
    assert.deepEqual(
      steps.map((step) => step.id),
      ids,
    );
    assert.equal(settings.temperature, 0.9);
    assert.equal(settings.top_p, 1);
    assert.equal(settings.order.length, scope.table.filter((row) => row.sampler).length);
    const session = scope.session();
    steps.forEach((step, n) => {
      assert.equal(step.position, 2 + n);
      assert.equal(step.u, scope.random(5, n));
      session.feed([...prompt_ids, ...ids.slice(0, n)]);
      const trace = session.distribution(settings);
      assert.equal(trace.entropy, step.entropy);
      assert.equal(trace.kept, step.kept);
      const token = session
        .distribution({ ...settings, top: VOCAB })
        .tokens.find(({ id }) => id === step.id);
      assert.deepEqual([token.p, token.p_raw, token.rank], [step.p, step.p_raw, step.rank]);
      assert.ok(step.ms >= 0 && step.logprob <= 0);
    });
    session.close();
  });

  test('the reported settings repeat the generation', async () => {
    const half = Uint32Array.from({ length: 128 }, (_, id) => id);
    for (const asked of [{}, { min_new_tokens: 30, end_tokens: half }]) {
      const first = await run({ seed: 9, preset: 'balanced', max_new_tokens: 30, ...asked });
      const again = await run({ ...first.settings, seed: first.seed, max_new_tokens: 30 });
      assert.deepEqual(again.ids, first.ids);
    }
  });

  test('end_tokens replaces the model’s own end tokens', async () => {
    const asked = { seed: 4, temperature: 2, max_new_tokens: 30 };
    const { ids } = await run({ ...asked, end_tokens: [] });
    assert.equal(ids.length, 30);
    const at = ids.findIndex((id, i) => i > 2 && ids.indexOf(id) === i);
    const ended = await run({ ...asked, end_tokens: [ids[at]] });
    assert.deepEqual(ended.ids, ids.slice(0, at + 1));
    assert.equal(ended.finish_reason, 'eos');
    const eos = await run({ ...asked, end_tokens: [ids[at]], forced_first: EOS });
    assert.equal(eos.ids[0], EOS);
    assert.ok(eos.ids.length > 1, 'the model’s own is a token like others');
  });

  test('the defaults are 100 tokens and seed 0', async () => {
    const result = await run({ logit_bias: { [EOS]: false } });
    assert.equal(result.ids.length, 100);
    assert.equal(result.seed, 0);
  });

  test('max_new_tokens 0 feeds the prompt and ends', async () => {
    const result = await run({ max_new_tokens: 0 });
    assert.deepEqual([result.ids, result.text, result.finish_reason], [[], '', 'length']);
    assert.deepEqual([...scope.timeline()], [72, 105]);
  });

  test('the prompt may be ids, even more than the context holds', async () => {
    const prompt = Array.from({ length: 40 }, (_, i) => i);
    const result = await run({ prompt, max_new_tokens: 5, logit_bias: { [EOS]: false } });
    assert.deepEqual(result.prompt_ids, prompt);
    assert.equal(result.ids.length, 5);
  });

  test('during a step distribution gives the one that the step drew from', async () => {
    for await (const step of scope.generate({
      prompt: 'ab',
      max_new_tokens: 4,
      temperature: 0.5,
    })) {
      assert.equal(scope.distribution({ temperature: 0.5 }).entropy, step.entropy);
      assert.equal(scope.timeline().length, step.position);
    }
  });
});

describe('finish', () => {
  test('eos is drawn and listed and adds no text', async () => {
    const { ids, text, steps, finish_reason } = await run(always(EOS));
    assert.deepEqual([ids, text, finish_reason, steps[0].text], [[EOS], '', 'eos', '']);
  });

  test('every end token ends the text, the end of a turn like the eos token', async () => {
    const tokens = [...byteTokens(), '<|im_end|>', '<end>'];
    const chat = await Logitscope.load({ model: smallModel({ tokens }) });
    assert.deepEqual([chat.info.eos_token_id, chat.info.end_token_ids], [257, [256, 257]]);
    for (const id of [256, 257]) {
      const generation = chat.generate({ prompt: 'x', ...always(id) });
      assert.equal((await generation.next()).value.text, '');
      const { value, done } = await generation.next();
      assert.deepEqual([done, value.ids, value.finish_reason], [true, [id], 'eos']);
    }
    chat.close();
  });

  test('a stop string across token borders is cut from the text but kept in the ids', async () => {
    const options = { ...onlyBytes('ab'), seed: 3, max_new_tokens: 60 };
    const free = await run(options);
    const stop = free.text.slice(10, 14);
    const cut = await run({ ...options, stop });
    const at = free.text.indexOf(stop);
    assert.equal(cut.finish_reason, 'stop');
    assert.equal(cut.text, free.text.slice(0, at));
    assert.deepEqual(cut.ids, free.ids.slice(0, at + 4));
    assert.equal(cut.steps.map((step) => step.text).join(''), cut.text);
  });

  test('the earliest of several stop strings counts', async () => {
    const options = { ...onlyBytes('abc'), seed: 4, max_new_tokens: 60 };
    const { text } = await run({ ...options, stop: ['c', 'ab'] });
    const free = await run(options);
    const first = Math.min(
      ...['c', 'ab'].map((stop) => free.text.indexOf(stop)).filter((at) => at >= 0),
    );
    assert.equal(text, free.text.slice(0, first));
  });

  test('abort between steps ends with the text so far', async () => {
    const controller = new AbortController();
    const steps = [];
    const generation = scope.generate({
      prompt: 'x',
      max_new_tokens: 1000,
      signal: controller.signal,
      logit_bias: { [EOS]: false },
    });
    let answer = await generation.next();
    while (!answer.done) {
      steps.push(answer.value);
      if (steps.length === 3) controller.abort();
      answer = await generation.next();
    }
    assert.equal(answer.value.finish_reason, 'aborted');
    assert.equal(answer.value.ids.length, 3);
  });

  test('abort by a timer works, since the loop lets events run', async () => {
    const controller = new AbortController();
    const generation = scope.generate({
      prompt: 'Hi',
      max_new_tokens: 200000,
      signal: controller.signal,
      logit_bias: { [EOS]: false },
    });
    let answer = await generation.next();
    setTimeout(() => controller.abort());
    while (!answer.done) answer = await generation.next();
    assert.equal(answer.value.finish_reason, 'aborted');
    assert.ok(answer.value.ids.length > 0 && answer.value.ids.length < 200000);
  });

  test('an abort works while the prompt is evaluated, and events run', async () => {
    const model = smallModel({ dim: 64, context: 2048 });
    const long = await Logitscope.load({ model });
    const prompt = Array.from({ length: 2000 }, (_, i) => (i * 7) % 250);
    const other = await Logitscope.load({ model });
    for (const options of [{}, { draft: other }, { amateur: other, contrastive_beta: 0.5 }]) {
      const controller = new AbortController();
      const session = long.session();
      const abort = () => (session.timeline().length ? controller.abort() : setImmediate(abort));
      setImmediate(abort);
      const { finish_reason, ids } = await session.write({
        prompt,
        ...options,
        signal: controller.signal,
      });
      assert.deepEqual([finish_reason, ids], ['aborted', []], Object.keys(options).join());
      const reached = session.timeline().length;
      assert.ok(reached > 0 && reached < prompt.length, `${reached} ids`);
    }
    const { prompt_ids } = await long.write({ prompt, max_new_tokens: 1 });
    other.feed(prompt);
    assert.deepEqual([prompt_ids.length, long.logits()], [2000, other.logits()]);
    long.close();
    other.close();
  });

  test('an aborted signal prevents any generation', async () => {
    const result = await run({ signal: AbortSignal.abort() });
    assert.deepEqual([result.ids, result.finish_reason], [[], 'aborted']);
  });
});

describe('randomness and cache', () => {
  test('the same seed gives the same ids, another seed other ids', async () => {
    const options = { max_new_tokens: 20, logit_bias: { [EOS]: false } };
    const [a, b, c] = [
      await run({ ...options, seed: 1 }),
      await run({ ...options, seed: 1 }),
      await run({ ...options, seed: 2 }),
    ];
    assert.deepEqual(a.ids, b.ids);
    assert.notDeepEqual(a.ids, c.ids);
  });

  for (const draw of ['inverse', 'gumbel']) {
    test(`${draw} gives the same with and without cache, scalar and SIMD`, async () => {
      const scalar = await Logitscope.load({ model: smallModel(), variant: 'scalar' });
      const options = {
        draw,
        seed: 8,
        temperature: 1.2,
        top_p: 0.95,
        repetition_penalty: 1.1,
        max_new_tokens: 50,
        logit_bias: { [EOS]: false },
      };
      const plain = ({ steps, ...rest }) => ({
        ...rest,
        steps: steps.map(({ ms, ...step }) => step),
      });
      const expected = plain(await run(options));
      assert.deepEqual(plain(await run({ ...options, cache: false })), expected);
      assert.deepEqual(plain(await run(options, scalar)), expected);
      scalar.close();
    });
  }

  test('the penalty’s history is the whole timeline', async () => {
    const options = { temperature: 0, max_new_tokens: 40, logit_bias: { [EOS]: false } };
    const free = await run(options);
    const penalised = await run({ ...options, repetition_penalty: 1e6 });
    assert.ok(new Set(penalised.ids).size > new Set(free.ids).size);
    assert.equal(new Set([...penalised.prompt_ids, ...penalised.ids]).size, 42);
  });
});

describe('one at a time', () => {
  test('a second generation is refused as busy on the same session only', async () => {
    const first = scope.generate({ prompt: 'x', max_new_tokens: 5 });
    await first.next();
    await assert.rejects(scope.generate({ prompt: 'y' }).next(), { code: 'busy' });
    assert.throws(() => scope.feed([1]), { code: 'busy' });
    const other = scope.session();
    assert.equal(
      (await run({ max_new_tokens: 2, logit_bias: { [EOS]: false } }, other)).ids.length,
      2,
    );
    other.close();
    await first.return();
    assert.equal((await run({ max_new_tokens: 1 })).ids.length, 1);
  });

  test('breaking out, and failing, free the session', async () => {
    for await (const step of scope.generate({ prompt: 'x' })) if (step) break;
    await assert.rejects(run({ temperature: -1 }), { code: 'out_of_range' });
    await assert.rejects(
      run({
        logit_bias: Object.fromEntries(Array.from({ length: VOCAB }, (_, id) => [id, false])),
      }),
      { code: 'nothing_left' },
    );
    assert.equal((await run({ max_new_tokens: 1 })).ids.length, 1);
  });

  test('interleaved sessions do not disturb each other', async () => {
    const [a, b] = [scope.session(), scope.session()];
    const of = (session, seed) =>
      session.generate({
        prompt: 'q',
        seed,
        max_new_tokens: 15,
        top_p: 0.9,
        logit_bias: { [EOS]: false },
      });
    const [ga, gb] = [of(a, 1), of(b, 2)];
    const ids = [[], []];
    for (let i = 0; i < 15; i++) {
      ids[0].push((await ga.next()).value.id);
      scope.warp([1, 2, 3], { temperature: 3 });
      ids[1].push((await gb.next()).value.id);
    }
    const alone = (seed) =>
      run({ prompt: 'q', seed, max_new_tokens: 15, top_p: 0.9, logit_bias: { [EOS]: false } });
    assert.deepEqual(ids, [(await alone(1)).ids, (await alone(2)).ids]);
  });
});

describe('text as it grows', () => {
  test('the texts of the steps join to the text for any bytes', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const { steps, text, ids } = await run({ seed, max_new_tokens: 60, temperature: 2 });
      assert.equal(steps.map((step) => step.text).join(''), text);
      assert.equal(text, scope.decode(ids));
    }
  });

  const feed = (stops, ...chunks) => {
    const stream = new TextStream(stops);
    const added = chunks.map((chunk) => stream.push(Buffer.from(chunk)));
    return { added: [...added, stream.finish()], text: stream.text, stopped: stream.stopped };
  };

  test('incomplete UTF-8 is held back until it is complete', () => {
    assert.deepEqual(feed([], [0xf0, 0x9f], [0x98], [0x80], 'x').added, ['', '', '😀', 'x', '']);
    assert.deepEqual(feed([], [0xf0, 0x9f]).added, ['', '\ufffd']);
  });

  test('stop strings cut the text as a search of the whole text would, at any token borders', () => {
    const random = new Pcg32(3, 54);
    const below = (n) => Math.floor((random.next() / 2 ** 32) * n);
    const signs = ['a', 'a', 'b', 'é', '😀'];
    const word = (n) => Array.from({ length: n }, () => signs[below(5)]).join('');
    let stopped = 0;
    for (let round = 0; round < 3000; round++) {
      const stops = Array.from({ length: 1 + below(3) }, () => word(1 + below(4)));
      const bytes = Buffer.from(word(below(30)));
      const chunks = [];
      for (let at = 0; at < bytes.length; at = chunks.at(-1).end) {
        const end = Math.min(bytes.length, at + 1 + below(5));
        chunks.push({ end, part: bytes.subarray(at, end) });
      }
      const stream = new TextStream(stops);
      let added = '';
      let whole = '';
      let expected = null;
      const decoder = new TextDecoder();
      for (const { part } of chunks) {
        whole += decoder.decode(part, { stream: true });
        const found = stops.map((stop) => whole.indexOf(stop)).filter((at) => at >= 0);
        added += stream.push(part);
        assert.equal(stream.stopped, found.length > 0);
        if (found.length) {
          expected = whole.slice(0, Math.min(...found));
          break;
        }
        // The loop delays only a text that may be the beginning of a stop string.
        assert.ok(whole.startsWith(added));
        const held = whole.slice(added.length);
        assert.ok(
          held === '' || stops.some((stop) => stop.startsWith(held)),
          `${stops} ${whole} ${held}`,
        );
      }
      added += stream.finish();
      assert.equal(added, expected ?? bytes.toString(), `${stops}: ${bytes}`);
      assert.equal(stream.text, added);
      stopped += Number(expected !== null);
    }
    assert.ok(stopped > 500 && stopped < 2900, String(stopped));
  });

  test('the possible beginning of a stop string is held back', () => {
    assert.deepEqual(feed(['end'], 'the e', 'n', 'emy').added, ['the ', '', 'enemy', '']);
    assert.deepEqual(feed(['end'], 'the e', 'n').added, ['the ', '', 'en']);
    assert.deepEqual(feed(['aab'], 'a', 'a', 'a', 'b').added, ['', '', 'a', '', '']);
    assert.deepEqual(feed(['end'], 'the e', 'nd of').text, 'the ');
    assert.equal(feed(['end'], 'the e', 'nd of').stopped, true);
  });
});

describe('more than one token or text', () => {
  const options = { prompt: 'Hi', seed: 5, max_new_tokens: 6, logit_bias: { [EOS]: false } };

  test('each step lists the most probable tokens, and the text stays the same', async () => {
    const plain = await scope.write({ ...options, top_k: 3 });
    assert.ok(!('top_logprobs' in plain.steps[0]));
    for (const asked of [{ top_logprobs: 5 }, { top: 5 }, { top: 2, top_logprobs: 5 }]) {
      const { steps, ids } = await scope.write({ ...options, top_k: 3, ...asked });
      assert.deepEqual(ids, plain.ids);
      const session = scope.session();
      for (const [n, step] of steps.entries()) {
        session.feed([72, 105, ...ids.slice(0, n)]);
        const { tokens } = session.distribution({
          top_k: 3,
          top: 5,
          logit_bias: options.logit_bias,
        });
        const listed = tokens.map(({ id, text, logprob, p, p_raw, rank }) => ({
          id,
          text,
          logprob,
          p,
          p_raw,
          rank,
        }));
        assert.deepEqual(step.top_logprobs, listed);
        assert.deepEqual(
          [step.p, step.logprob, step.u],
          [plain.steps[n].p, plain.steps[n].logprob, plain.steps[n].u],
        );
      }
      session.close();
    }
    const gumbel = { ...options, draw: 'gumbel' };
    const { ids } = await scope.write({ ...gumbel, top_logprobs: 1 });
    assert.deepEqual(ids, (await scope.write(gumbel)).ids);
    await assert.rejects(scope.write({ ...options, top_logprobs: -1 }), { code: 'out_of_range' });
    await assert.rejects(scope.write({ ...options, top_logprobs: 2, draft: scope }), {
      code: 'unsupported',
    });
  });

  test('several texts at once equal those of the seeds one by one', async () => {
    const texts = await scope.writeMany({ ...options, n: 3 });
    const withoutTime = ({ steps, ...text }) => ({
      ...text,
      steps: steps.map(({ ms, ...step }) => step),
    });
    for (const [i, text] of texts.entries())
      assert.deepEqual(
        withoutTime(text),
        withoutTime(await scope.write({ ...options, seed: 5 + i })),
      );
    assert.equal(texts.length, 3);
    await assert.rejects(scope.writeMany({ ...options, n: 0 }), { code: 'out_of_range' });
    await assert.rejects(scope.writeMany(null), { code: 'invalid_argument' });
    await assert.rejects(scope.writeMany({ ...options, n: 2, seed: 2 ** 53 - 1 }), {
      code: 'out_of_range',
    });
  });

  test('the score of a text is the sum of its tokens’ scores', async () => {
    const { ids, text, steps } = await scope.write(options);
    const expected = steps.map(({ id, p_raw }) => ({ id, p_raw }));
    const scored = await scope.score([72, 105], ids);
    assert.deepEqual(scored.ids, ids);
    for (const [i, { id, p_raw }] of expected.entries()) {
      assert.equal(scored.tokens[i].id, id);
      assert.ok(Math.abs(Math.exp(scored.tokens[i].logprob) - p_raw) < 1e-6);
    }
    const sum = scored.tokens.reduce((total, { logprob }) => total + logprob, 0);
    assert.equal(scored.logprob, sum);
    const whole = await scope.score('Hi', 'yo');
    assert.deepEqual(
      [whole.prompt_ids, whole.ids],
      [
        [72, 105],
        [121, 111],
      ],
    );
    assert.deepEqual(
      whole.tokens.map((token) => token.text),
      ['y', 'o'],
    );
    scope.feed([72, 105]);
    assert.equal(whole.tokens[0].logprob, -scope.surprisal(121));
    assert.deepEqual((await scope.score('Hi', '')).logprob, 0);
    await assert.rejects(scope.score('', 'a'), { code: 'empty' });
    await assert.rejects(scope.score('a', [VOCAB]), { code: 'unknown_token' });
    await assert.rejects(scope.score('a'), { code: 'invalid_argument' });
    assert.equal(typeof text, 'string');
  });

  test('rows of logits are warped as single ones are', () => {
    const rows = [[3, 2, 1], Float32Array.of(1, 5, 2), Int8Array.of(1, 2, 4)];
    const histories = [[0], [], [2]];
    const settings = { repetition_penalty: 1.5, top_k: 2 };
    assert.deepEqual(
      scope.warpRows(rows, settings, { histories }),
      rows.map((row, i) => scope.warp(row, settings, { history: histories[i] })),
    );
    assert.deepEqual(scope.warpRows([]), []);
    for (const wrong of [null, [[]], [['a']], 3])
      assert.throws(() => scope.warpRows(wrong), { name: 'LogitscopeError' });
    assert.throws(() => scope.warpRows(rows, {}, { histories: 3 }), { code: 'invalid_argument' });
  });
});
