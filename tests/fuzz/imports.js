/**
 * Fuzzes the readers of checkpoints: changes valid files at random and reads them. node tests/fuzz/imports.js TARGET
 * SECONDS, starting at seed SEED. Reading must succeed or throw a LogitscopeError with one sentence, within a second
 * of processor time. An input that does neither is stored in build/fuzz/found. `make fuzz` runs all targets.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import '../../web/engine/sentences.js';
import { LogitscopeError } from '../../web/engine/errors.js';
import { Random } from '../../web/grade/inputs.js';
import { ofBytes } from '../../web/import/byte-file.js';
import { readCheckpoint } from '../../web/import/checkpoint.js';
import { readPickle } from '../../web/import/pickle.js';
import { readZip } from '../../web/import/zip.js';
import {
  bytesOf,
  floats,
  pickle,
  safetensors,
  tensor,
  zip,
} from '../fixtures/checkpoint_writer.js';
import { hostile } from '../fixtures/hostile_checkpoints.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vector = (/** @type {string} */ name) =>
  new Uint8Array(readFileSync(`${root}/tests/vectors/checkpoints/${name}`));
/** Limit for the processor time of one input, in ms. */
const LIMIT_MS = 1000;
/** Size in bytes up to which a file of tests/fixtures/hostile_checkpoints.js is used as an input. */
const SMALL = 2000;

/** Returns the entries of a ZIP archive. @param {Uint8Array} bytes */
async function entriesOf(bytes) {
  const entries = await readZip(ofBytes(bytes, 'seed'));
  return Promise.all(
    [...entries.values()].map(async ({ name, read }) => ({ name, data: await read() })),
  );
}

/** Reads a checkpoint with the values of all its tensors. @param {Uint8Array} bytes */
async function readAll(bytes) {
  const { tensors } = await readCheckpoint([ofBytes(bytes, 'file')]);
  for (const { shape, read } of tensors.values()) {
    const values = await read();
    assert.equal(
      values.length,
      shape.reduce((product, n) => product * n, 1),
    );
  }
}

/** Returns the small hostile files that begin with a given text. @param {string} start */
const hostileOf = (start) =>
  hostile
    .filter(([name]) => !/bomb|endless|very many|deep|long|never ends/.test(name))
    .map(([, , make]) => make())
    .filter(
      (bytes) => bytes.length < SMALL && bytesOf(start).every((byte, i) => bytes[i] === byte),
    );

/** Returns a header of safetensors with n tensors. @param {number} n */
const rows = (n) =>
  Object.fromEntries(
    Array.from({ length: n }, (_, i) => [
      `layer.${i}`,
      { dtype: 'F32', shape: [2, 1], data_offsets: [8 * i, 8 * i + 8] },
    ]),
  );

/**
 * For each target: inputs to change, and a function that reads a changed input. The entries of an archive are changed
 * before packing, because a changed archive would fail at its check sum.
 * @type {Record<string, { seeds: () => Promise<Uint8Array[]>, run: (bytes: Uint8Array, random: Random) => unknown }>}
 */
export const TARGETS = {
  pickle: {
    seeds: async () => [
      ...['protocol2.pkl', 'protocol3.pkl', 'protocol4.pkl', 'protocol5.pkl'].map(vector),
      (await entriesOf(vector('new.pt')))[0].data,
      pickle({ model: { w: tensor(0, [2, 2]) }, stoi: { a: 0 } }),
      ...hostileOf('\x80'),
    ],
    async run(bytes, random) {
      if (random.next() < 0.5) readPickle(bytes, { name: 'file', persistent: () => ({}) });
      else
        await readAll(
          zip([
            { name: 'm/data.pkl', data: bytes },
            ...[0, 1, 2].map((key) => ({ name: `m/data/${key}`, data: floats([1, 2, 3, 4]) })),
          ]),
        );
    },
  },
  zip: {
    seeds: async () => [...['new.pt', 'linear.pt', 'packed.npz'].map(vector), ...hostileOf('PK')],
    run: readAll,
  },
  safetensors: {
    seeds: async () => [
      safetensors(rows(3), floats([1, 2, 3, 4, 5, 6])),
      safetensors({ __metadata__: { format: 'pt' }, ...rows(1) }, floats([1, 2])),
      ...hostileOf('').filter((bytes) => bytes[8] === 0x7b),
    ],
    run: readAll,
  },
  npz: {
    seeds: async () => [
      ...(await entriesOf(vector('arrays.npz'))).map(({ data }) => data),
      vector('one.npy'),
      ...hostileOf('\x93NUMPY'),
    ],
    run: (bytes, random) =>
      readAll(
        random.next() < 0.3
          ? bytes
          : zip([{ name: 'w.npy', data: bytes, deflate: random.next() < 0.3 }]),
      ),
  },
};

/** Numbers with which counts and sizes often go wrong. */
const ODD = [
  0n,
  1n,
  -1n,
  127n,
  255n,
  256n,
  65535n,
  1n << 31n,
  1n << 32n,
  1n << 40n,
  1n << 62n,
  1n << 63n,
];

/**
 * Returns an input with a few random changes.
 * @param {Random} random
 * @param {Uint8Array} given
 * @param {Uint8Array} other another input, from which a part may come
 */
function mutate(random, given, other) {
  let bytes = Buffer.from(given);
  for (let changes = random.whole(1, 4); changes > 0; changes--) {
    const at = random.whole(0, bytes.length);
    const end = Math.min(bytes.length, at + random.whole(0, 16));
    const from = random.whole(0, other.length);
    const part = other.subarray(from, from + random.whole(0, random.next() < 0.1 ? 400 : 16));
    const kind = random.whole(0, 6);
    if (kind === 0 && at < bytes.length) bytes[at] ^= 1 << random.whole(0, 7);
    else if (kind === 1 && at < bytes.length) bytes[at] = random.whole(0, 255);
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    else if (kind === 3) bytes = Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
    else if (kind === 4) bytes.set(part.subarray(0, bytes.length - at), at);
    else if (kind === 5) {
      const size = random.of([1, 2, 4, 8]);
      for (let i = 0, rest = BigInt.asUintN(64, random.of(ODD)); i < size; i++, rest >>= 8n)
        if (at + i < bytes.length) bytes[at + i] = Number(rest & 255n);
    } else if (random.next() < 0.2) bytes = bytes.subarray(0, at);
  }
  return new Uint8Array(bytes);
}

/**
 * Runs a target until the time or the number of inputs is used up. Throws at the first input that breaks it.
 * @param {string} name
 * @param {{ seed?: number, runs?: number, seconds?: number }} options
 * @returns {Promise<{ runs: number, opened: number }>}
 */
export async function fuzz(name, { seed = 1, runs = Number.POSITIVE_INFINITY, seconds = 1e6 }) {
  const { seeds, run } = TARGETS[name];
  const inputs = await seeds();
  const until = performance.now() + 1000 * seconds;
  let opened = 0;
  let n = 0;
  for (; n < runs && performance.now() < until; n++) {
    const random = new Random(seed + n);
    const bytes = mutate(random, random.of(inputs), random.of(inputs));
    const before = process.cpuUsage();
    try {
      await run(bytes, random);
      opened++;
    } catch (error) {
      if (!isRefusal(error)) throw broken(name, seed + n, bytes, error);
    }
    const { user, system } = process.cpuUsage(before);
    if (user + system > 1000 * LIMIT_MS)
      throw broken(name, seed + n, bytes, new Error(`${user + system} us`));
  }
  return { runs: n, opened };
}

/** @param {unknown} error */
const isRefusal = (error) =>
  error instanceof LogitscopeError &&
  ['bad_file', 'unsupported'].includes(error.code) &&
  error.message.length < 400 &&
  !/[\p{Cc}]|undefined|\[object/u.test(error.message);

/**
 * Stores the input and returns an error that names it.
 * @param {string} name @param {number} seed @param {Uint8Array} bytes @param {any} error
 */
function broken(name, seed, bytes, error) {
  const path = `build/fuzz/found/${name}-${seed}`;
  mkdirSync(`${root}/build/fuzz/found`, { recursive: true });
  writeFileSync(`${root}/${path}`, bytes);
  return new Error(`${path}: ${error?.stack ?? error}`, { cause: error });
}

const [, script, target, seconds] = process.argv;
if (script === fileURLToPath(import.meta.url)) {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  try {
    const { runs, opened } = await fuzz(target, { seed, seconds: Number(seconds) });
    console.log(`SEED=${seed}, ${opened} opened\nstat::number_of_executed_units: ${runs}`);
  } catch (error) {
    console.log(`SEED=${seed} FAILED: ${error.message}`);
    process.exitCode = 1;
  }
}
