/** Tests samplers that have a state, random decisions or text settings, and presets that imitate other programs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Logitscope, presets } from '../../web/engine/index.js';
import { closed } from '../cleanup.js';
import { checkCase } from '../vectors/check.js';
import { parse } from '../vectors/parse.js';
import { EOS, smallModel } from './small_model.js';

const scope = closed(await Logitscope.load({ model: smallModel() }));

async function run(options) {
  const steps = [];
  const generation = scope.generate({ prompt: 'Hi', logit_bias: { [EOS]: false }, ...options });
  for (;;) {
    const { done, value } = await generation.next();
    if (done) return { steps, ...value };
    steps.push(value);
  }
}

test('docs/samplers.md, the strings of both languages and the types list exactly the table’s samplers', () => {
  const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const samplers = scope.table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const listed = read('docs/samplers.md').matchAll(/^\| `(\w+)` \|.*\| \[.*\]\(https:.*\) \|$/gm);
  assert.deepEqual(
    Array.from(listed, ([, name]) => name),
    samplers,
  );
  for (const language of ['en', 'es']) {
    const strings = JSON.parse(read(`web/locale/${language}.json`));
    for (const name of samplers) assert.ok(strings[`setting.${name}`], `${language}: ${name}`);
    for (const { name, kind } of scope.table)
      if (kind !== 'map' && name !== 'mirostat_mu')
        assert.ok(strings[`about.${name}`], `${language}: about ${name}`);
  }
  const types = read('web/engine/types.js');
  for (const { name } of scope.table)
    assert.match(types, new RegExp(`@property \\{[^\n]+\\} \\[${name}\\]`), name);
});

const keptOf = ({ logits }) => [...logits.keys()].filter((id) => logits[id] !== -Infinity);

describe('mirostat', () => {
  for (const mirostat of [1, 2]) {
    test(`version ${mirostat}: mu follows each step's surprise and cuts the next`, async () => {
      const settings = { mirostat, mirostat_tau: 3, mirostat_eta: 0.5, seed: 4 };
      const { steps, ids, prompt_ids } = await run({ ...settings, max_new_tokens: 40 });
      const session = scope.session();
      let mu = 6;
      steps.forEach((step, n) => {
        session.feed([...prompt_ids, ...ids.slice(0, n)]);
        const now = { ...settings, mirostat_mu: mu, logit_bias: { [EOS]: false } };
        const drawn = session.draw(now, { step: n });
        assert.equal(drawn.id, step.id);
        assert.equal(drawn.mu, step.mu);
        assert.equal(session.distribution(now).kept, step.kept);
        mu -= 0.5 * (-Math.log2(step.p) - 3);
        assert.ok(Math.abs(step.mu - mu) < 1e-9);
        mu = step.mu;
      });
      session.close();
      assert.ok(new Set(steps.map((step) => step.kept)).size > 3);
    });
  }

  test('the surprise settles at tau', async () => {
    for (const tau of [2, 4]) {
      const { steps } = await run({
        mirostat: 2,
        mirostat_tau: tau,
        mirostat_eta: 0.2,
        max_new_tokens: 400,
      });
      const late = steps.slice(100).map(({ p }) => -Math.log2(p));
      const mean = late.reduce((a, b) => a + b, 0) / late.length;
      assert.ok(Math.abs(mean - tau) < 0.3, `${mean} bits, not ${tau}`);
    }
  });

  test('mu is null without mirostat', async () => {
    const { steps } = await run({ max_new_tokens: 2 });
    assert.deepEqual(
      steps.map((step) => step.mu),
      [null, null],
    );
  });

  test('a replaced truncation is named in a warning', () => {
    const { warnings, stages } = scope.warp([3, 2, 1], { mirostat: 2, top_k: 1, temperature: 2 });
    assert.deepEqual(warnings.slice(0, 1), ['top_k 1 is replaced by mirostat 2']);
    assert.deepEqual(
      stages.filter((stage) => stage.active).map(({ name }) => name),
      ['temperature', 'mirostat'],
    );
  });
});

describe('adaptive-p', () => {
  const settings = { adaptive_target: 0.3, min_p: 0.01, seed: 4 };
  const bias = { [EOS]: false };

  test('the mean follows the drawn tokens and steers the next draw', async () => {
    const { steps, ids, prompt_ids } = await run({ ...settings, max_new_tokens: 40 });
    const session = scope.session();
    let mean = 0.3;
    steps.forEach((step, n) => {
      session.feed([...prompt_ids, ...ids.slice(0, n)]);
      const before = session.distribution({ min_p: 0.01, logit_bias: bias, top: 1000 });
      const now = { ...settings, adaptive_mean: mean, logit_bias: bias };
      for (const draw of [session.draw(now, { step: n }), session.read(now, { step: n }).drawn])
        assert.deepEqual([draw.id, draw.p, draw.mu], [step.id, step.p, step.mu]);
      mean = 0.9 * mean + 0.1 * before.tokens.find(({ id }) => id === step.id).p;
      assert.ok(Math.abs(step.mu - mean) < 1e-12, `${step.mu}, not ${mean}`);
      mean = step.mu;
    });
    session.close();
  });

  test('a generation resumed from its mean continues the same', async () => {
    const whole = await run({ ...settings, max_new_tokens: 12 });
    const session = scope.session();
    session.feed([...whole.prompt_ids, ...whole.ids.slice(0, 6)]);
    const mean = whole.steps[5].mu;
    const next = session.draw({ ...settings, adaptive_mean: mean, logit_bias: bias }, { step: 6 });
    session.close();
    assert.equal(next.id, whole.steps[6].id);
  });

  test('adaptive-p is replaced by Mirostat', () => {
    const { stages, warnings } = scope.warp([3, 2, 1], { mirostat: 2, adaptive_target: 0.5 });
    assert.ok(!stages.find(({ name }) => name === 'adaptive_target').active);
    assert.ok(warnings.includes('adaptive_target 0.5 is replaced by mirostat 2'));
  });
});

describe('penalties of generated tokens alone', () => {
  test('a generation counts from its first drawn token on', async () => {
    const settings = { frequency_penalty: 3, presence_penalty: 1, temperature: 0 };
    const session = scope.session();
    const prompt = [72, 105, 72, 105];
    const asked = { ...settings, penalty_generated_only: 1, logit_bias: { [EOS]: false } };
    const { ids } = await run({ ...asked, prompt, max_new_tokens: 12 });
    assert.equal(new Set(ids).size > 4, true);
    ids.forEach((id, n) => {
      const raw = session.feed([...prompt, ...ids.slice(0, n)]) && session.logits();
      const history = ids.slice(0, n);
      const { logits } = scope.warp(
        raw,
        { ...settings, logit_bias: { [EOS]: false } },
        { history },
      );
      assert.equal(logits.indexOf(Math.max(...logits)), id);
    });
  });
});

describe('the length of a text', () => {
  test('no end token is drawn before min_new_tokens others', async () => {
    for (const least of [0, 1, 5]) {
      const settings = { logit_bias: { [EOS]: 50 }, min_new_tokens: least };
      const { ids, finish_reason } = await run({ ...settings, max_new_tokens: 20 });
      assert.deepEqual([ids.length, ids.at(-1), finish_reason], [least + 1, EOS, 'eos']);
    }
  });

  test('the length penalty raises every end token by the power of the tokens past its start', () => {
    const settings = { exponential_decay_length_penalty: 1.5, end_tokens: [0, 1] };
    const logits = (more, step) => [
      ...scope.warp([1, -2, 3], { ...settings, ...more }, { step }).logits,
    ];
    assert.deepEqual(logits({}, 0), [1, -2, 3]);
    assert.deepEqual(logits({}, 2), [2.25, 0.5, 3]);
    assert.deepEqual(logits({ exponential_decay_start: 1 }, 2), [1.5, -1, 3]);
    assert.deepEqual(logits({ end_tokens: [] }, 2), [1, -2, 3]);
    assert.deepEqual(logits({ end_tokens: [0, 1, 0] }, 2), [2.25, 0.5, 3]);
  });

  test('warp without a model takes the end tokens from its options', () => {
    assert.equal(scope.warp([1, 2, 3], { min_new_tokens: 1 }).kept, 3);
    assert.equal(scope.warp([1, 2, 3], { min_new_tokens: 1, end_tokens: [2] }).kept, 2);
    assert.throws(() => scope.warp([1], { min_new_tokens: 1, end_tokens: [0] }), {
      code: 'nothing_left',
    });
    assert.throws(() => scope.warp([1], { end_tokens: ['x'] }), { message: /^end_tokens/ });
  });
});

test('a dynamic temperature replaces the temperature', () => {
  const { stages, logits } = scope.warp([2, 2, 2], { temperature: 3, dynatemp_range: 1 });
  const active = stages.filter((stage) => stage.active).map(({ name }) => name);
  assert.deepEqual(active, ['dynatemp_range']);
  assert.deepEqual([...logits], [0.5, 0.5, 0.5]);
});

describe('XTC', () => {
  const settings = { xtc_probability: 0.5, xtc_threshold: 0.001, seed: 12 };

  test('the distribution for a step is the one that the step draws from', async () => {
    const { steps, ids, prompt_ids } = await run({ ...settings, max_new_tokens: 30 });
    const session = scope.session();
    const removed = steps.filter((step, n) => {
      session.feed([...prompt_ids, ...ids.slice(0, n)]);
      const options = { ...settings, logit_bias: { [EOS]: false }, top: 1000 };
      const trace = session.distribution(options, { step: n });
      const token = trace.tokens.find(({ id }) => id === step.id);
      assert.deepEqual([token.p, trace.kept, step.u], [step.p, step.kept, scope.random(12, n)]);
      return trace.stages.find(({ name }) => name === 'xtc_probability').removed > 0;
    });
    session.close();
    assert.ok(removed.length > 5 && removed.length < 25, `${removed.length} of 30`);
  });

  test('the step must be a whole number', () => {
    for (const step of [-1, 0.5, 2 ** 53]) {
      assert.throws(() => scope.warp([1, 2], {}, { step }), { code: 'out_of_range' });
    }
  });
});

describe('DRY', () => {
  const history = [1, 2, 3, 4, 0, 1, 2, 3];
  const logits = [0, 0, 0, 0, 3, 0];
  const dry = (breakers) =>
    scope.warp(logits, { dry_multiplier: 1, dry_sequence_breakers: breakers }, { history })
      .logits[4];

  test('breakers are ids or lists of ids', () => {
    assert.equal(dry([]), 3 - 1.75);
    assert.equal(dry([1]), 2);
    assert.equal(dry([[1, 2], 5]), 3);
  });

  test('texts need a tokenizer only if DRY is active', () => {
    assert.throws(() => dry(['\n']), { code: 'no_model' });
    assert.equal(scope.warp(logits, { dry_sequence_breakers: ['\n'] }).kept, 6);
  });

  test('a text stands for every token that contains it', () => {
    const text = 'ab:ab';
    const session = scope.session();
    session.feed(scope.encode(text));
    const colon = scope.encode(':')[0];
    const raw = session.logits()[colon];
    const warped = (breakers) =>
      session
        .distribution({ dry_multiplier: 2, dry_sequence_breakers: breakers, top: 1000 })
        .tokens.find(({ id }) => id === colon).warped;
    assert.equal(warped([]), Math.fround(raw - 2));
    assert.equal(warped([':']), raw);
    assert.equal(warped(['b:']), Math.fround(raw - 2)); // "ab" repeats after the breaker
    assert.equal(warped(['b:a']), raw); // only "b" repeats: too short for a penalty
    session.close();
  });

  test('invalid breakers are refused in one sentence', () => {
    for (const breakers of ['\n', [''], [[]], [-1], [1.5], [null], [['a']], {}, 3]) {
      assert.throws(() => dry(breakers), {
        code: 'invalid_argument',
        message: /^dry_sequence_breakers must be a list of texts, token ids or lists of them/,
      });
    }
    assert.throws(() => dry([6]), { code: 'unknown_token' });
  });
});

describe('orders and conventions', () => {
  test('an order may use the names dry and xtc', () => {
    const order = ['xtc', 'dry', 'top_k'];
    const trace = scope.warp([1, 2], { order });
    assert.deepEqual(
      trace.stages.map(({ name }) => name),
      ['xtc_probability', 'dry_multiplier', 'top_k'],
    );
    assert.throws(() => scope.warp([1, 2], { order: ['dry', 'dry_multiplier'] }), {
      message: 'order names dry_multiplier twice',
    });
  });

  test('an unknown convention is refused with the three known ones', () => {
    assert.deepEqual(scope.table.at(-1).choices, ['transformers', 'llama.cpp', 'llama2.c']);
    assert.equal(scope.table.at(-1).neutral, 'transformers');
    for (const convention of ['llama', 1, null]) {
      assert.throws(() => scope.warp([1, 2], { convention }), { code: 'invalid_argument' });
    }
  });
});

describe('presets', () => {
  const samplers = () => scope.table.filter((row) => row.sampler).map((row) => row.name);
  const cases = parse(readFileSync(new URL('../vectors/llamacpp.txt', import.meta.url), 'utf8'));

  test('llama.cpp orders every sampler, temperature after all truncations', () => {
    const { order } = presets['llama.cpp'];
    assert.deepEqual([...order].sort(), samplers().sort());
    const names = ['dry_multiplier', 'top_n_sigma', 'top_k', 'typical_p', 'top_p', 'min_p'];
    const rest = [...names, 'xtc_probability', 'temperature'].map((name) => order.indexOf(name));
    assert.deepEqual(
      rest,
      [...rest].sort((a, b) => a - b),
    );
  });

  test("llama.cpp's own vectors hold under its order", () => {
    const own = Object.fromEntries(
      Object.keys(presets['llama.cpp'])
        .filter((name) => !['order', 'convention'].includes(name))
        .map((name) => [name, scope.table.find((row) => row.name === name).neutral]),
    );
    for (const given of cases.filter(({ settings }) => !settings.order)) {
      const settings = { ...own, ...given.settings, preset: 'llama.cpp' };
      assert.deepEqual(checkCase(scope, { ...given, settings }), [], given.name);
    }
  });

  test('they differ at ties, exact hits and the place of temperature', () => {
    const neutral = { temperature: 1, top_k: 0, top_p: 1, min_p: 0, dry_sequence_breakers: [] };
    const kept = (logits, preset, settings) =>
      keptOf(scope.warp(logits, { ...neutral, preset, ...settings })).length;
    const equal = new Float32Array(8);
    const table = Object.fromEntries(
      ['transformers', 'llama.cpp', 'llama2.c'].map((preset) => [
        preset,
        [
          kept([3, 3, 3], preset, { top_k: 2 }),
          kept(equal, preset, { top_p: 0.5 }),
          kept([3, 2, 1], preset, { top_p: 0.8, temperature: 0.5 }),
        ],
      ]),
    );
    assert.deepEqual(table, {
      transformers: [3, 4, 1],
      'llama.cpp': [2, 4, 2],
      'llama2.c': [3, 5, 1],
    });
  });

  test("llama.cpp's penalties see the last 64 tokens", () => {
    const history = [0, ...new Array(64).fill(1)];
    const { logits } = scope.warp(
      [1, 1, 1],
      { preset: 'llama.cpp', presence_penalty: 0.5, temperature: 1, top_k: 0, min_p: 0, top_p: 1 },
      { history },
    );
    assert.deepEqual([...logits], [1, 0.5, 1]);
  });
});
