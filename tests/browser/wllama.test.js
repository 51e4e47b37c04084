/**
 * Compares this engine with llama.cpp, which wllama runs in Chromium. Ids and greedy texts must be equal, and
 * llama.cpp's draws must be in the set that the preset llama.cpp keeps.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Logitscope, presets } from '../../web/engine/index.js';
import { compareWithWllama, logProbabilitiesOf } from '../bench/beside_wllama.js';
import { openChromium } from '../bench/chromium.js';
import { modelFile } from '../bench/models.js';
import { shapes } from '../bench/shapes.js';
import { LONG, cases, long } from '../long.js';
import { root } from './bench.js';

const PROMPTS = ['Once upon a time', 'The  quick, brown fox!', 'été 日本', 'x'];
const stories = join(root, 'models/stories.gguf');
const f32 = modelFile(shapes[0], 'f32');
const models = LONG ? [f32, modelFile(shapes[0], 'q8_0'), stories] : [f32];

for (const model of models) {
  test(`wllama reads ${model.slice(root.length)} with the same result`, async () => {
    const compared = await compareWithWllama(model, PROMPTS, 24);
    for (const { ids, same, ...rest } of compared) {
      assert.deepEqual(ids.ours, ids.theirs);
      assert.ok(same, JSON.stringify(rest));
    }
  });
}

/**
 * Bounds on log-probabilities for the files of tests/vectors/make_architectures.py, and the position up to which they
 * hold. llama.cpp looks GELU up in a table of float16, and rounds the scales of quantised activations to float16. With
 * these two roundings, the float64 reference changes by the differences of llama.cpp (gemma2 2.2e-3, gemma3 5.2e-3,
 * gptneox 1.1e-3; phi3 0.18, lfm2 0.30). llama.cpp runs llama and phi3 without their window, so past it the numbers
 * must differ.
 */
const NEAR = 2e-5;
/** @type {Record<string, { near?: number, window?: number }>} */
const ARCHITECTURES = {
  phi3_long: { window: 8 },
  gemma3: { near: 6e-3 },
  lfm2: {},
  ...(LONG && {
    llama_window: { window: 8 },
    llama_freqs: {},
    llama_linear: {},
    llama_scale_linear: {},
    llama_yarn: {},
    qwen2: {},
    qwen3: {},
    gemma2: { near: 3e-3 },
    phi3_short: {},
    phi3_q8_0: { near: 0.2 },
    smollm3: {},
    gptneox: { near: 2e-3 },
    gptneox_serial: { near: 1e-3 },
    lfm2_q8_0: { near: 0.31 },
    olmo2: {},
    granite: {},
  }),
};

/**
 * Bounds for the files of tests/vectors/make_formats.py. For formats with blocks of 256 values, ggml rounds a vector in
 * groups of 256, otherwise in groups of 32 with a float16 scale. For Q4_1 and Q5_1 it also rounds a group's sum to
 * float16. This engine's groups have 32 values and a float32 scale. The bounds are the difference between the float64
 * reference with ggml's roundings and with this engine's, to three digits; llama.cpp differs from the reference with
 * ggml's roundings by at most 2.5e-6. llama.cpp does not open qwen2_q4_k_m: its qwen2 allows only heads of n_embd /
 * n_head.
 */
/** @type {typeof ARCHITECTURES} */
const FORMATS = {
  llama_q3_k_m: { near: 0.26 },
  ...(LONG && {
    llama_q5_0: { near: 0.125 },
    llama_q5_1: { near: 0.086 },
    llama_iq4_nl: { near: 0.08 },
    llama_q4_0: { near: 0.088 },
    llama_q2_k: { near: 0.176 },
    llama_q5_k_m: { near: 0.296 },
    llama_iq4_xs: { near: 0.233 },
    qwen2_q4_1: { near: 0.121 },
  }),
};

long('wllama gives the same probabilities in every architecture and format', async () => {
  const chromium = await openChromium();
  try {
    for (const [name, { near = NEAR, window }] of Object.entries({
      ...ARCHITECTURES,
      ...FORMATS,
    })) {
      const model = join(root, `tests/vectors/forward/${name}.gguf`);
      const scope = await Logitscope.load({ model });
      const context = scope.info.context_length;
      const vectors = readFileSync(model.replace(/gguf$/, 'txt'), 'utf8').split('\n');
      const ids = vectors[1].split(' ').map(Number).slice(0, context);
      const page = await chromium.openPage();
      const theirs = await page.logProbabilities({ model, context, ids });
      const gaps = theirs.map((row, t) => {
        scope.feed(ids.slice(0, t + 1));
        const ours = logProbabilitiesOf(scope.logits());
        return Math.max(...ours.map((p, id) => Math.abs(p - row[id])));
      });
      const compared = gaps.slice(0, window);
      assert.ok(Math.max(...compared) <= near, `${name}: ${gaps}`);
      if (window) assert.ok(gaps[window] > 0.01, `${name} without its window: ${gaps}`);
      await page.close();
      scope.close();
    }
  } finally {
    await chromium.close();
  }
});

/**
 * Settings that override llama.cpp's defaults. The first entry is the defaults alone. No entry has a repetition
 * penalty: it depends on the logits' sign, which probabilities do not show.
 */
const SETTINGS = [
  {},
  { top_k: 3 },
  { top_k: 0, min_p: 0, top_p: 0.4, temperature: 1.5 },
  { top_k: 0, top_p: 1, min_p: 0.5 },
  { top_p: 1, min_p: 0, typical_p: 0.3 },
  { top_k: 4, frequency_penalty: 0.7, presence_penalty: 0.5 },
  { temperature: 0 },
];
const CONTEXTS = cases(8, 200);
const TEXTS = cases(1, 8);
const SEEDS = [11, 22, 33, 44, 55];
const DRAWS = 10; // draws for each seed

/** Draws TEXTS texts with this engine, of CONTEXTS tokens in total. */
async function drawTexts(scope) {
  const length = CONTEXTS / TEXTS;
  const texts = [];
  for (let seed = 0; texts.length < TEXTS; seed++) {
    const prompt = scope.encode(PROMPTS[seed % PROMPTS.length]);
    const generation = scope.generate({
      prompt,
      seed,
      temperature: 0.9,
      max_new_tokens: length,
      logit_bias: { [scope.info.eos_token_id ?? 0]: false },
    });
    let last = await generation.next();
    while (!last.done) last = await generation.next();
    texts.push([...last.value.prompt_ids, ...last.value.ids].slice(0, length));
  }
  return texts;
}

for (const model of [LONG ? stories : f32]) {
  long(
    `wllama draws from ${model.slice(root.length)} only tokens that the preset llama.cpp keeps`,
    async () => {
      const scope = await Logitscope.load({ model });
      const chromium = await openChromium();
      try {
        const page = await chromium.openPage();
        const own = Object.fromEntries(
          Object.entries(presets['llama.cpp']).filter(([, value]) => typeof value === 'number'),
        );
        const settings = SETTINGS.map((given) => ({ ...own, typical_p: 1, ...given }));
        const contexts = await page.sampleContexts({
          model,
          context: scope.info.context_length,
          texts: await drawTexts(scope),
          settings,
          seeds: SEEDS,
          draws: DRAWS,
        });
        assert.equal(contexts.length, CONTEXTS);
        let small = 0;
        for (const { history, p, drawn } of contexts) {
          const logits = Float32Array.from(p, Math.log);
          settings.forEach((values, i) => {
            const asked = { preset: 'llama.cpp', ...values };
            const result = scope.warp(logits, asked, { history });
            const where = `${JSON.stringify(SETTINGS[i])} after ${history}`;
            const met = new Set(drawn[i]);
            for (const id of met) assert.ok(result.logits[id] !== -Infinity, `${id}, ${where}`);
            const likely = [...result.p.keys()].filter((id) => result.p[id] >= 0.1);
            if (result.kept > 5 || likely.length < result.kept) return;
            small++;
            assert.deepEqual(
              [...met].sort((a, b) => a - b),
              likely,
              where,
            );
          });
        }
        assert.ok(small > 2 * CONTEXTS, `${small} small sets`);
      } finally {
        scope.close();
        await chromium.close();
      }
    },
  );
}

const PARTS = [
  'Once upon a time',
  ', there was ',
  'a little girl',
  ' named Lily.',
  ' "Hello!" she said.',
  '\n',
  '\n\n',
  '  two  spaces ',
  'UPPER lower CamelCase',
  ' 3.14159, 42 and 1,000',
  'été, ñandú, Straße',
  '日本語 ',
  '🙂🦆',
  "don't can't we'll",
  '\t',
  'e\u0301',
  'zzzzzzzz',
  '<b> </b> <i>',
  ' the cat sat on the mat',
  '?!... --- ***',
];

/** Makes texts of one to eight parts; repeated calls make equal texts. */
function texts(/** @type {number} */ count) {
  let state = 1;
  const next = (/** @type {number} */ n) => {
    state = (state * 48271) % 2147483647;
    return state % n;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(8) }, () => PARTS[next(PARTS.length)]).join(''),
  );
}

const BEGINNINGS = [
  'Once upon a time',
  'The little dog',
  'Lily wanted to',
  'One sunny day, a boy named Tom',
  'There was a big tree in the',
  'Mom said, "',
  'The cat and the bird',
  'It was raining and',
  'Sam had a red ball.',
  'Sara liked to',
  'In a small house lived',
  'The bear was very hungry.',
  'Tim and Anna went to the beach',
  'A long time ago',
  '"Can I play with you?" asked',
  'The sun was',
  'Ben lost his toy.',
  'She opened the box and',
  'They were best friends',
  'The king was sad because',
];

// Long tests: vocabulary.test.js has SentencePiece tokenizers in `make test`, and the first test has a model.
long(
  'wllama gives the same ids for 200 texts of the stories model',
  { timeout: 300e3 },
  async () => {
    const compared = await compareWithWllama(stories, texts(200), 0);
    assert.equal(compared.length, 200);
    for (const { prompt, ids } of compared) assert.deepEqual(ids.ours, ids.theirs, prompt);
  },
);

long(
  'wllama writes the same greedy story for 20 prompts, or differs only at two close logits',
  { timeout: 300e3 },
  async () => {
    const compared = await compareWithWllama(stories, BEGINNINGS, 48);
    for (const { ids, same, ...rest } of compared) {
      assert.deepEqual(ids.ours, ids.theirs);
      assert.ok(same, JSON.stringify(rest));
    }
  },
);
