/** Checkpoints of courses and of the hub become GGUF files: log-probabilities of PyTorch, formats, and refusals. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { byteFileOfPath } from '../../web/cli/byte-file.js';
import { Logitscope } from '../../web/engine/index.js';
import { ofBytes } from '../../web/import/byte-file.js';
import { convert } from '../../web/import/convert.js';
import { recogniseLayout } from '../../web/import/layouts.js';
import { FORMATS, fromHalf, toHalf } from '../../web/import/quantise.js';
import { long } from '../long.js';
import { cli } from './command_line.js';

const courses = fileURLToPath(new URL('../vectors/courses', import.meta.url));
/** Values that no file of the model states. */
const ASSUMED = { lecture_embedding: { attention_scale: 'embedding' } };

/** @param {string} folder */
const filesIn = (folder) =>
  Promise.all(readdirSync(folder).map((name) => byteFileOfPath(join(folder, name))));

/** @param {import('../../web/import/convert.js').Converted} model */
async function bytesOf({ chunks, size }) {
  const parts = [];
  for await (const chunk of chunks) parts.push(chunk);
  const bytes = new Uint8Array(Buffer.concat(parts));
  assert.equal(bytes.length, size);
  return bytes;
}

/** Largest distance of the engine's log-probabilities from PyTorch's. */
function distance(scope, prompts) {
  let worst = 0;
  for (const { ids, logprobs } of prompts) {
    scope.feed(ids);
    const logits = scope.logits();
    const max = Math.max(...logits);
    const total = max + Math.log(logits.reduce((sum, x) => sum + Math.exp(x - max), 0));
    for (const [i, wanted] of logprobs.entries())
      worst = Math.max(worst, Math.abs(logits[i] - total - wanted));
  }
  return worst;
}

/**
 * Converts each model of a folder and compares it with its log-probabilities.
 * @param {string} folder
 * @param {number} bound
 */
async function compareAll(folder, bound) {
  const names = readdirSync(folder).filter((name) => !name.endsWith('.json'));
  for (const name of names) {
    const model = await convert(await filesIn(join(folder, name)), { assume: ASSUMED[name] });
    const scope = await Logitscope.load({ model: await bytesOf(model) });
    const prompts = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    const far = distance(scope, prompts);
    assert.ok(far < bound, `${name}: ${far}`);
  }
  return names;
}

test('each layout gives the log-probabilities of PyTorch', async () => {
  assert.ok((await compareAll(courses, 1e-5)).length >= 7);
});

long('every course and architecture, trained for some seconds, on 200 prompts', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'courses-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const script = fileURLToPath(new URL('../courses/make.py', import.meta.url));
  execFileSync('/usr/bin/python3', [script, '--train', folder], { stdio: 'ignore' });
  // PyTorch's own float32 is up to 1.16e-5 from its float64 on these prompts.
  assert.ok((await compareAll(folder, 1.5e-5)).length >= 23);
});

test('vector and plain loops give the same bits for the activation and the head of a course', async () => {
  const model = await bytesOf(await convert(await filesIn(join(courses, 'nanogpt'))));
  const logitsOf = async (variant) => {
    const scope = await Logitscope.load({ model, variant });
    scope.feed(scope.encode('the cat'));
    return scope.logits();
  };
  assert.deepEqual(await logitsOf('simd'), await logitsOf('scalar'));
});

test('nanoGPT with meta.pkl keeps its characters; without it, a note names the file', async () => {
  const files = await filesIn(join(courses, 'nanogpt'));
  const whole = await convert(files);
  assert.deepEqual(
    [whole.layout, whole.architecture, whole.tokenizer],
    ['nanoGPT', 'logitscope-gpt', 'logitscope-char'],
  );
  const scope = await Logitscope.load({ model: await bytesOf(whole) });
  assert.equal(scope.decode(scope.encode('the cat sat')), 'the cat sat');
  const alone = await convert(files.filter(({ name }) => name.endsWith('.pt')));
  const note = alone.notes.find(({ key }) => key === 'layout_note_vocabulary');
  assert.equal(note?.values.where, 'meta.pkl');
});

/** Random values, with a block of zeros and one of a single spike. */
function someValues() {
  let state = 1;
  const values = Float32Array.from({ length: 320 }, () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647 - 0.5;
  });
  values.fill(0, 64, 96);
  values.fill(0, 96, 128)[100] = -3;
  return values;
}

test('Q8_0 and Q4_0 hold each value within half a step of the scale, the largest exactly', () => {
  const values = someValues();
  const q8 = FORMATS.Q8_0.encode(values);
  const q4 = FORMATS.Q4_0.encode(values);
  for (let block = 0; block < values.length / 32; block++) {
    const part = values.subarray(block * 32, block * 32 + 32);
    const peak = part.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
    const scale8 = fromHalf(q8[block * 34] | (q8[block * 34 + 1] << 8));
    const scale4 = fromHalf(q4[block * 18] | (q4[block * 18 + 1] << 8));
    assert.equal(scale8, fromHalf(toHalf(Math.abs(peak) / 127)));
    assert.equal(scale4, fromHalf(toHalf(peak / -8)));
    for (let i = 0; i < 32; i++) {
      const code8 = (q8[block * 34 + 2 + i] << 24) >> 24;
      const byte = q4[block * 18 + 2 + (i % 16)];
      const code4 = (i < 16 ? byte & 15 : byte >> 4) - 8;
      const step = Math.abs(peak);
      // half a step, and the rounding of the scale to half precision
      assert.ok(Math.abs(code8 * scale8 - part[i]) <= ((0.5 + 127 / 2048) / 127) * step);
      // the side opposite to the peak ends at 7 steps, one before 8
      assert.ok(Math.abs(code4 * scale4 - part[i]) <= (1.01 / 8) * step);
      if (part[i] === peak && peak) assert.deepEqual([Math.abs(code8), code4], [127, -8]);
    }
  }
});

const tensorOf = (/** @type {number[]} */ ...shape) => ({
  shape,
  read: async () => new Float32Array(shape.reduce((a, b) => a * b, 1)),
});
/** @param {Record<string, ReturnType<typeof tensorOf>>} tensors */
const layoutOf = (tensors, config = {}, parts = {}) =>
  recogniseLayout({ tensors: new Map(Object.entries(tensors)), config }, parts);
const nanogpt = () => ({
  'module._orig_mod.transformer.wte.weight': tensorOf(5, 4),
  'module._orig_mod.transformer.wpe.weight': tensorOf(3, 4),
  'module._orig_mod.transformer.h.0.ln_1.weight': tensorOf(4),
  'module._orig_mod.transformer.h.0.attn.c_attn.weight': tensorOf(12, 4),
  'module._orig_mod.transformer.h.0.attn.bias': tensorOf(1, 1, 3, 3),
  'module._orig_mod.transformer.h.0.attn.c_proj.weight': tensorOf(4, 4),
  'module._orig_mod.transformer.h.0.ln_2.weight': tensorOf(4),
  'module._orig_mod.transformer.h.0.mlp.c_fc.weight': tensorOf(16, 4),
  'module._orig_mod.transformer.h.0.mlp.c_proj.weight': tensorOf(4, 16),
  'module._orig_mod.transformer.ln_f.weight': tensorOf(4),
});

test('missing sizes, unknown tensors and foreign values are refused by name', async () => {
  const heads = { model_args: { n_head: 2 } };
  assert.equal((await layoutOf(nanogpt(), heads)).rows, 5);
  assert.equal((await layoutOf(nanogpt(), {}, { assume: { n_head: 2 } })).rows, 5);
  await assert.rejects(layoutOf(nanogpt()), {
    key: 'layout_unstated',
    values: { name: 'n_head', where: 'ckpt.pt' },
  });
  await assert.rejects(layoutOf({ ...nanogpt(), 'lora.A': tensorOf(2) }, heads), {
    key: 'layout_left',
    values: { layout: 'nanoGPT', name: 'lora.A' },
  });
  const { 'module._orig_mod.transformer.ln_f.weight': _, ...less } = nanogpt();
  await assert.rejects(layoutOf(less, heads), {
    key: 'tensor_missing',
    values: { name: 'ln_f.weight' },
  });
  await assert.rejects(layoutOf(nanogpt(), heads, { assume: { activation: 'silu' } }), {
    key: 'must_be_one_of',
  });
  for (const name of ['token_embedding_table.weight', 'arr_0', 'bigram'])
    await assert.rejects(layoutOf({ [name]: tensorOf(27, 27) }), { key: 'layout_bigram' });
  await assert.rejects(layoutOf({ a: tensorOf(27, 28) }), { key: 'layout_unknown' });
  await assert.rejects(layoutOf({ a: tensorOf(1), b: tensorOf(1) }), {
    key: 'layout_unknown',
    code: 'unsupported',
  });
});

test('a value that differs from the stated one is refused with both, whoever states it', async () => {
  const open = async (folder, config = {}, assume = {}) => {
    const json = ofBytes(new TextEncoder().encode(JSON.stringify(config)), 'config.json');
    const own = (await filesIn(join(courses, folder))).filter(({ name }) => !/config/.test(name));
    return convert(Object.keys(config).length ? [...own, json] : own, { assume });
  };
  const sentence = (text) => (error) => (assert.equal(error.message, text), true);
  for (const assume of [{ n_head: 4 }, {}]) {
    const config = assume.n_head ? {} : { n_head: 4 };
    await assert.rejects(
      open('nanogpt', config, assume),
      sentence('n_head is 2 in ckpt.pt, got 4'),
    );
  }
  await assert.rejects(open('lecture', { n_head: 7 }), sentence('n_head is 2 in model.pth, got 7'));
  await assert.rejects(
    open('scratch', { n_heads: 2, activation: 'relu' }, { activation: 'gelu' }),
    sentence('activation is relu in config.json, got gelu'),
  );
  await assert.rejects(
    layoutOf(nanogpt(), {}, { assume: { n_head: 3 } }),
    sentence('n_embd is 4, which cannot be divided by n_head 3'),
  );
  await assert.rejects(open('llama2c_bin', {}, { activation: 'relu' }), { key: 'layout_unread' });
});

test('a config.json beside the checkpoint states n_head, activation and attention_scale', async () => {
  const states = { activation: 'relu', attention_scale: 'embedding' };
  for (const [folder, config] of [
    ['nanogpt', states],
    ['lecture', states],
    ['scratch', { n_heads: 2, ...states }],
    ['scratch', { n_head: 2, ...states }],
  ]) {
    const json = ofBytes(new TextEncoder().encode(JSON.stringify(config)), 'config.json');
    const own = (await filesIn(join(courses, folder))).filter(({ name }) => !/config/.test(name));
    const model = await bytesOf(await convert([...own, json]));
    const text = Buffer.from(model).toString('latin1');
    assert.match(text, /logitscope-gpt\.hidden_activation.{12}relu/s, folder);
    assert.match(text, /logitscope-gpt\.attention\.scale/, folder);
    assert.equal((await Logitscope.load({ model })).info.n_head, 2);
  }
});

test('convert on the command line writes a file that info reads, and names what is wrong', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'convert-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const out = join(folder, 'model.gguf');
  const nano = join(courses, 'nanogpt');
  const words = ['--vocabulary', join(nano, 'meta.pkl'), '--out', out, '--type', 'q8_0', '--json'];
  const made = await cli(['convert', join(nano, 'ckpt.pt'), ...words]);
  assert.equal(made.status, 0, made.stderr);
  assert.equal(JSON.parse(made.stdout).layout, 'nanoGPT');
  assert.deepEqual(readdirSync(folder), ['model.gguf']);
  assert.match((await cli(['info', out])).stdout, /logitscope-gpt/);
  writeFileSync(join(folder, 'readme.md'), 'no checkpoint');
  for (const [wrong, sentence] of [
    [[join(nano, 'ckpt.pt'), '--type', 'q3'], 'type must be one of f32, f16, q8_0, q4_0, got "q3"'],
    [[out], 'is a GGUF file already'],
    [[join(nano, 'meta.pkl')], 'meta.pkl is a vocabulary: choose the checkpoint too'],
    [[join(courses, 'scratch', 'vocab.json')], 'vocab.json is a vocabulary'],
    [[join(folder, 'readme.md')], 'there is no checkpoint among'],
    [[join(folder, 'missing.pt')], 'missing.pt'],
    [[], 'CHECKPOINT is missing'],
  ]) {
    const { status, stderr } = await cli(['convert', ...wrong]);
    assert.equal(status, 2);
    assert.ok(stderr.includes(String(sentence)), stderr);
  }
  for (const checkpoint of [join(nano, 'ckpt.pt'), join(courses, 'gpt2', 'model.safetensors')]) {
    const { status, stderr } = await cli(['generate', '--model', checkpoint, '--prompt', 'a']);
    assert.equal(status, 2);
    assert.match(stderr, /by its first bytes, a checkpoint: logitscope convert makes/);
  }
});

test('a file that is no checkpoint is refused by its format', async () => {
  const text = ofBytes(new TextEncoder().encode('hello'), 'notes.pt');
  await assert.rejects(convert([text]), { key: 'layout_no_checkpoint' });
});
