/**
 * Tests the reader of checkpoints with files of PyTorch and NumPy (tests/vectors/checkpoints), files of the test's own
 * writer, and hostile and damaged files.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import '../../web/engine/sentences.js';
import { LogitscopeError } from '../../web/engine/errors.js';
import { byteFileOfPath } from '../../web/cli/byte-file.js';
import { byteFile, ofBlob, ofBytes } from '../../web/import/byte-file.js';
import { formatOf, readCheckpoint } from '../../web/import/checkpoint.js';
import { readPickle } from '../../web/import/pickle.js';
import { temporaryFolder } from '../cleanup.js';
import { hostile } from '../fixtures/hostile_checkpoints.js';
import { TARGETS, fuzz } from '../fuzz/imports.js';
import { LONG, cases, long } from '../long.js';
import {
  floats,
  join,
  pickle,
  safetensors,
  tensor,
  torchOld,
  torchZip,
  u64,
  zip,
} from '../fixtures/checkpoint_writer.js';

const folder = new URL('../vectors/checkpoints/', import.meta.url);
const recipe = new URL('../vectors/make_checkpoints.py', import.meta.url).pathname;
const load = (/** @type {string} */ name) => new Uint8Array(readFileSync(new URL(name, folder)));
const expected = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8'));

/** @param {Uint8Array} bytes @param {string} [name] */
const read = (bytes, name = 'file') => readCheckpoint([ofBytes(bytes, name)]);

/** Reads a checkpoint with all of its values. @param {Uint8Array} bytes */
async function readAll(bytes) {
  const { tensors } = await read(bytes);
  for (const tensor of tensors.values()) await tensor.read();
}

/** Returns types, shapes and values by name. @param {import('../../web/import/checkpoint.js').Checkpoint} checkpoint */
async function listed({ tensors }) {
  /** @type {Record<string, any>} */
  const rows = {};
  for (const [name, { type, shape, read }] of tensors) rows[name] = [type, shape, await read()];
  return rows;
}

/** Compares a checkpoint with a row of expected.json. @param {any} checkpoint @param {any} row @param {string} name */
async function compare(checkpoint, [tensors, config], name) {
  const found = await listed(checkpoint);
  assert.deepEqual(Object.keys(found), Object.keys(tensors), name);
  for (const [tensor, [type, shape, text]] of Object.entries(tensors)) {
    const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
    const values = new Float32Array(bytes.buffer);
    assert.deepEqual(found[tensor], [type, shape, values], `${name} ${tensor}`);
  }
  for (const [key, value] of Object.entries(config))
    assert.deepEqual(checkpoint.config[key], value, `${name} ${key}`);
}

/**
 * Returns the error that an action throws; it must be one sentence on one line.
 * @param {() => Promise<unknown>} act
 * @returns {Promise<LogitscopeError | null>} null if the action throws none
 */
async function refusal(act) {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof LogitscopeError)) throw error;
    assert.ok(error.message.length < 400, error.message);
    assert.doesNotMatch(error.message, /[\p{Cc}]|undefined|\[object|NaN/u);
    return error;
  }
}

test('files of PyTorch and NumPy have the values that PyTorch and NumPy give', async () => {
  for (const [name, row] of Object.entries(expected))
    await compare(await read(load(name), name), row, name);
  const linear = await readCheckpoint([ofBlob(new Blob([load('linear.pt')]), 'linear.pt')]);
  await compare(linear, expected['linear.pt'], 'a blob');
  const path = new URL('packed.npz', folder).pathname;
  await compare(await readCheckpoint([await byteFileOfPath(path)]), expected['packed.npz'], path);
});

test('a module that was pickled whole is refused with the way out', async () => {
  const error = await refusal(() => read(load('module.pt'), 'module.pt'));
  assert.equal(
    error?.message,
    'module.pt names torch.nn.modules.linear.Linear, which is code and is never run here: ' +
      'save plain values, of a model its state_dict()',
  );
});

test('opening reads no weights, and a tensor only its own', async () => {
  const big = new Float32Array(1 << 18).fill(0.5);
  const state = {
    w: tensor(0, [512, 512]),
    row: tensor(0, [512], { offset: 512, length: 1 << 18 }),
  };
  const saved = { model: state, optimizer: { state: { 0: { exp_avg: tensor(1, [512, 512]) } } } };
  const storages = { 0: floats(big), 1: floats(big) };
  for (const bytes of [torchZip(saved, storages), torchOld(saved, storages)]) {
    let n = 0;
    const file = byteFile('f', bytes.length, async (from, to) => {
      n += to - from;
      return bytes.subarray(from, to);
    });
    const { tensors } = await readCheckpoint([file]);
    assert.ok(n < 600_000, `${n} bytes to open`);
    n = 0;
    assert.deepEqual(await tensors.get('row')?.read(), big.slice(0, 512));
    assert.ok(n <= 4 * 512 + 100, `${n} bytes for a row`);
    await tensors.get('w')?.read();
    assert.ok(n < 4 * big.length + 3000, `${n} bytes for all weights`);
  }
});

test('a sharded model opens with and without its index', async () => {
  const part = (/** @type {string} */ name, /** @type {number} */ value) =>
    ofBytes(
      safetensors(
        {
          __metadata__: { format: 'pt' },
          [name]: { dtype: 'F32', shape: [1], data_offsets: [0, 4] },
        },
        floats([value]),
      ),
      `folder/${name}.safetensors`,
    );
  const parts = [part('a', 1), part('b', 2)];
  const map = { a: 'a.safetensors', b: 'b.safetensors' };
  const index = (/** @type {any} */ weight_map) =>
    ofBytes(new TextEncoder().encode(JSON.stringify({ weight_map })), 'model.json');
  for (const files of [parts, [index(map), ...parts]]) {
    const found = await listed(await readCheckpoint(files));
    assert.deepEqual(found.a[2], Float32Array.of(1));
    assert.deepEqual(found.b[2], Float32Array.of(2));
  }
  const keyOf = async (/** @type {any[]} */ ...files) =>
    (await refusal(() => readCheckpoint(files)))?.key;
  assert.equal(await keyOf(index(map), parts[0]), 'index_part');
  assert.equal(await keyOf(index({ ...map, c: 'a.safetensors' }), ...parts), 'index_tensor');
  assert.equal(await keyOf(parts[0], parts[1], parts[0]), 'import_twice');
});

test('archives with 64-bit fields open', async () => {
  const data = pickle({ w: tensor(0, [1]) });
  const size = String.fromCharCode(...join('\x01\0\x10\0', u64(4), u64(4)));
  const wide = { packed: 0xffffffff, size: 0xffffffff, extra: size };
  const entries = [
    { name: 'm/data.pkl', data },
    { name: 'm/data/0', data: floats([3]), listed: wide, local: wide },
  ];
  const bytes = zip(entries, { zip64: true });
  assert.deepEqual((await listed(await read(bytes))).w, ['F32', [1], Float32Array.of(3)]);
});

test('a pickle of plain values becomes maps, lists and numbers', async () => {
  const value = { stoi: { a: 0, b: 1 }, list: [1.5, null, true, -7, 2n ** 60n, 'é'.repeat(30)] };
  const found = readPickle(pickle(value));
  assert.deepEqual(Object.fromEntries(found.get('stoi')), value.stoi);
  assert.deepEqual(found.get('list'), value.list);
  assert.equal((await refusal(async () => readPickle(join(pickle(1), 'N'))))?.key, 'pickle');
});

test('the first bytes tell the format', async () => {
  const formats = await Promise.all(
    ['new.pt', 'old.pt', 'arrays.npz', 'one.npy', 'protocol4.pkl', 'tied.bin', 'expected.json'].map(
      (name) => formatOf(ofBytes(load(name), 'x')),
    ),
  );
  assert.deepEqual(formats, ['zip', 'pickle', 'zip', 'npy', 'pickle', 'llama2c', 'json']);
});

test('every hostile checkpoint is refused within a second, with its key', async () => {
  assert.ok(hostile.length >= 280, `${hostile.length}`);
  for (const [name, key, make] of hostile) {
    const bytes = make();
    const { user, system } = process.cpuUsage();
    const error = await refusal(() => readAll(bytes));
    const spent = process.cpuUsage({ user, system });
    const trouble = /** @type {any} */ (error?.values.trouble)?.key;
    assert.equal(error && [error.key, trouble].filter(Boolean).join('/'), key, name);
    assert.match(String(error?.code), /^(bad_file|unsupported)$/, name);
    assert.ok(spent.user + spent.system < 1e6, `${name}: ${spent.user + spent.system} us`);
  }
  const { maxRSS } = process.resourceUsage();
  assert.ok(maxRSS < 1e6, `${maxRSS} kB`);
});

/** Names of the files that the test cuts at every byte. */
const CUT = LONG ? Object.keys(expected) : ['linear.pt', 'untied.bin', 'protocol5.pkl'];

test('a file that is cut at any byte is refused', async () => {
  for (const name of CUT) {
    const bytes = load(name);
    for (let n = 0; n < bytes.length; n++) {
      const error = await refusal(() => readAll(bytes.subarray(0, n)));
      assert.match(String(error?.code), /^(bad_file|unsupported)$/, `${name}, ${n} bytes`);
    }
  }
});

test('a checkpoint that is changed at random opens or is refused', async () => {
  for (const name of Object.keys(TARGETS)) {
    const { runs, opened } = await fuzz(name, { seed: 1, runs: cases(300, 20_000) });
    assert.ok(opened < runs, name);
  }
});

long('all of a file of 500 MB is read in less than half its size', () => {
  const path = `${temporaryFolder()}/big.safetensors`;
  const row = (/** @type {any} */ _, /** @type {number} */ i) => [
    `t${i}`,
    { dtype: 'F32', shape: [12_500, 1000], data_offsets: [5e7 * i, 5e7 * (i + 1)] },
  ];
  const head = safetensors(Object.fromEntries(Array.from({ length: 10 }, row)), floats([]));
  writeFileSync(path, head);
  truncateSync(path, head.length + 5e8);
  const script = `
    const { byteFileOfPath } = await import('${new URL('../../web/cli/byte-file.js', import.meta.url)}');
    const { readCheckpoint } = await import('${new URL('../../web/import/checkpoint.js', import.meta.url)}');
    const { tensors } = await readCheckpoint([await byteFileOfPath('${path}')]);
    for (const { read } of tensors.values()) if ((await read()).length !== 12_500_000) throw new Error();
    console.log(process.resourceUsage().maxRSS);`;
  const kilobytes = Number(execFileSync(process.execPath, ['--input-type=module', '-e', script]));
  assert.ok(kilobytes < 250_000, `${kilobytes} kB`);
});

long('random checkpoints of PyTorch have its values', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const target = temporaryFolder();
    execFileSync('/usr/bin/python3', [recipe, String(seed), target]);
    const rows = JSON.parse(readFileSync(`${target}/expected.json`, 'utf8'));
    for (const [name, row] of Object.entries(rows)) {
      const file = await byteFileOfPath(`${target}/${name}`);
      await compare(await readCheckpoint([file]), row, `seed ${seed}, ${name}`);
    }
  }
});
