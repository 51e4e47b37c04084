/**
 * Tests `logitscope convert` with checkpoints of courses and of the Hugging Face hub: the GGUF file must give PyTorch's
 * log-probabilities, and unsupported checkpoints are refused.
 */
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
import { readCheckpoint } from '../../web/import/checkpoint.js';
import { convert } from '../../web/import/convert.js';
import { recogniseLayout } from '../../web/import/layouts.js';
import { FORMATS, fromHalf, toHalf } from '../../web/import/quantise.js';
import { fetchRepository } from '../../web/import/repository.js';
import { joinCheckpoint, readable } from '../../web/state/own-model.js';
import { long } from '../long.js';
import { openHost } from '../faulty_host.js';
import { floats, safetensors } from '../fixtures/checkpoint_writer.js';
import { cli } from './command_line.js';

const courses = fileURLToPath(new URL('../vectors/courses', import.meta.url));
/** Options of the conversion that no file of the model contains, by the model's name. */
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

test('in the page, a vocabulary waits for the checkpoint that is chosen after it, once', async () => {
  const read = (/** @type {string} */ name) =>
    new File([readFileSync(join(courses, 'nanogpt', name))], name);
  const [meta, checkpoint] = ['meta.pkl', 'ckpt.pt'].map(read);
  assert.equal(await joinCheckpoint(meta), meta);
  await assert.rejects(readable(meta), { key: 'layout_vocabulary' });
  const noise = new File(['not a vocabulary'], 'notes.md');
  assert.equal(await joinCheckpoint(noise), noise);
  const whole = await joinCheckpoint(checkpoint);
  assert.deepEqual(whole, [checkpoint, meta]);
  await readable(whole);
  assert.equal(await joinCheckpoint(checkpoint), checkpoint, 'the next model has its own');
  assert.deepEqual(await joinCheckpoint(meta), [checkpoint, meta], 'the other order');
});

test('a bigram table becomes a model whose logits are its rows, bit for bit', async () => {
  let state = 1;
  const random = () => {
    state = (state * 48271) % 2147483647;
    return Math.fround((state / 2147483647 - 0.5) * 10 ** (state % 9));
  };
  // Vocabulary sizes of a bigram table: the converter fills the width up to a multiple of 32.
  for (const n of [2, 27, 32, 65, 97, 160]) {
    const values = Float32Array.from({ length: n * n }, random);
    const table = safetensors(
      { table: { dtype: 'F32', shape: [n, n], data_offsets: [0, 4 * n * n] } },
      floats(values),
    );
    const made = await convert([ofBytes(table, 'bigram.safetensors')]);
    assert.deepEqual([made.layout, made.architecture], ['bigram table', 'llama']);
    const model = await bytesOf(made);
    for (const variant of ['scalar', 'simd']) {
      const scope = await Logitscope.load({ model, variant });
      for (const id of [0, 1, n >> 1, n - 1]) {
        scope.feed([(3 * id) % n, id]);
        assert.deepEqual(scope.logits(), values.slice(id * n, id * n + n), `${n}, ${variant}`);
      }
      scope.close();
    }
  }
});

/** Makes random values, with one block of zeros and one block in which a single value is not 0. */
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
      // The bound of Q8_0 is half a step plus the rounding of the scale to a 16-bit float.
      assert.ok(Math.abs(code8 * scale8 - part[i]) <= ((0.5 + 127 / 2048) / 127) * step);
      // Codes of Q4_0 go from -8 to 7, so a value opposite to the peak may be a whole step too small.
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
    await assert.rejects(layoutOf({ [name]: tensorOf(27, 27) }), { key: 'layout_bigram_counts' });
  await assert.rejects(layoutOf({ a: { shape: [8193, 8193], read: () => Promise.reject() } }), {
    key: 'layout_bigram',
    values: { n: 8193, limit: 8192 },
  });
  const infinite = { shape: [2, 2], read: async () => Float32Array.of(-1, 0, -Infinity, 1) };
  await assert.rejects(layoutOf({ a: infinite }), { key: 'layout_bigram_infinite' });
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

/** Returns a tokenizer.json whose tokens are these characters. @param {string} characters */
const tokenizerOf = (characters) =>
  JSON.stringify({
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries([...characters].map((token, id) => [token, id])),
    },
    pre_tokenizer: { type: 'Split', pattern: { Regex: '' }, behavior: 'Isolated', invert: false },
  });

/** Writes some tensors of a checkpoint to one of its files. @param {[string, any][]} tensors */
async function partOf(tensors) {
  /** @type {Record<string, any>} */
  const header = {};
  const parts = [];
  let at = 0;
  for (const [name, { shape, read }] of tensors) {
    const bytes = floats(await read());
    header[name] = { dtype: 'F32', shape, data_offsets: [at, (at += bytes.length)] };
    parts.push(bytes);
  }
  return safetensors(header, new Uint8Array(Buffer.concat(parts)));
}

test('hub:owner/name opens a checkpoint of the hub, whole or in parts', async (t) => {
  const read = (name) => new Uint8Array(readFileSync(join(courses, 'llama', name)));
  const prompts = JSON.parse(readFileSync(join(courses, 'llama.json'), 'utf8'));
  const characters = [...new Set(Buffer.from(read('input.txt')).toString())].sort().join('');
  const whole = read('model.safetensors');
  const tensors = [...(await readCheckpoint([ofBytes(whole, 'm')])).tensors];
  const names = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
  const halves = [tensors.slice(0, 4), tensors.slice(4)];
  const parts = await Promise.all(halves.map(partOf));
  const weight_map = Object.fromEntries(
    halves.flatMap((half, i) => half.map(([name]) => [name, names[i]])),
  );
  const index = { metadata: { total_size: whole.length }, weight_map };
  const text = (/** @type {string} */ content) => new TextEncoder().encode(content);
  const small = {
    'config.json': read('config.json'),
    'tokenizer.json': text(tokenizerOf(characters)),
    'tokenizer_config.json': text('{"tokenizer_class": "PreTrainedTokenizerFast"}'),
  };
  const repositories = {
    'o/whole/resolve/main': { ...small, 'model.safetensors': whole },
    'o/parts/resolve/v1': {
      ...small,
      'model.safetensors.index.json': text(JSON.stringify(index)),
      [names[0]]: parts[0],
      [names[1]]: parts[1],
    },
    'o/less/resolve/main': {
      ...small,
      'model.safetensors.index.json': text(JSON.stringify(index)),
      [names[0]]: parts[0],
    },
    'o/away/resolve/main': {
      ...small,
      'model.safetensors.index.json': text('{"weight_map": {"w": "../../x.safetensors"}}'),
    },
    'o/gguf/resolve/main': { 'm.gguf': whole },
    'o/none/resolve/main': { 'config.json': read('config.json') },
    'o/shut/resolve/main': small,
  };
  const files = Object.fromEntries(
    Object.entries(repositories).flatMap(([folder, of]) =>
      Object.entries(of).map(([name, bytes]) => [`${folder}/${name}`, bytes]),
    ),
  );
  const host = await openHost(files);
  const cache = mkdtempSync(join(tmpdir(), 'hub-'));
  const [XDG_CACHE_HOME, HF_ENDPOINT] = [cache, `${host.url}redirect`];
  Object.assign(process.env, { XDG_CACHE_HOME, HF_ENDPOINT });
  t.after(() => {
    delete process.env.XDG_CACHE_HOME;
    delete process.env.HF_ENDPOINT;
    rmSync(cache, { recursive: true });
  });
  for (const name of ['hub:o/whole', 'hub:o/parts@v1']) {
    const { name: title, files: found } = await fetchRepository(name, { keep: true });
    assert.equal(title, name.slice(6).replace('@v1', ''));
    const model = await convert(found, { name: title });
    const scope = await Logitscope.load({ model: await bytesOf(model) });
    assert.ok(distance(scope, prompts) < 1e-5, name);
    assert.equal(scope.decode(scope.encode('the cat')), 'the cat');
    assert.equal(scope.info.name, title);
  }
  const out = join(cache, 'made.gguf');
  host.behave({});
  const made = await cli(['convert', 'hub:o/whole', '--out', out, '--json']);
  assert.equal(made.status, 0, made.stderr);
  const got = host.requests.filter(({ path }) => path.endsWith('model.safetensors'));
  assert.deepEqual(got, [], 'the weights were kept by the first run');
  const ask = ['distribution', '--prompt', 'the', '--top', '3', '--json', '--model'];
  const [local, far] = [await cli([...ask, out]), await cli([...ask, 'hub:o/whole'])];
  assert.equal(far.status, 0, far.stderr);
  assert.deepEqual(
    { ...JSON.parse(far.stdout), model: '' },
    { ...JSON.parse(local.stdout), model: '' },
  );
  for (const [name, sentence] of [
    ['hub:o/less', 'index.json names the part model-00002-of-00002.safetensors, which is missing'],
    ['hub:o/away', '../../x.safetensors'],
    ['hub:o/gguf', 'for a GGUF file name it too, as in hub:owner/name/file.gguf'],
    ['hub:o/none', 'hub:o/none has no config.json with model.safetensors'],
  ]) {
    const { status, stderr } = await cli(['convert', name, '--out', out]);
    assert.equal(status, 2, name);
    assert.ok(stderr.includes(sentence), stderr);
  }
  host.behave({ status: 403 });
  const { stderr } = await cli(['convert', 'hub:o/shut', '--out', out]);
  assert.match(stderr, /hub:o\/shut\/config.json.* could not be loaded: /);
});

test('a file that is no checkpoint is refused by its format', async () => {
  const text = ofBytes(new TextEncoder().encode('hello'), 'notes.pt');
  await assert.rejects(convert([text]), { key: 'layout_no_checkpoint' });
});
