/**
 * Tests that every pre-tokenizer equals its regular expressions: the native build and JavaScript's RegExp must cut
 * random Unicode texts into equal pieces.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { NAMES, pieces } from '../fixtures/pretokenizers.js';
import { cases } from '../long.js';
import { Pcg32 } from '../vectors/generators.js';
import { byteTokens } from './small_model.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const table = readFileSync(`${root}src/unicode_table.c`, 'utf8').match(/Unicode (\d+\.\d+)/)?.[1];
const host = process.versions.unicode;
const BATCH = 20_000;

/**
 * For each text, returns the lengths in bytes of the pieces into which the engine cuts it.
 * @param {string} name @param {Uint8Array[]} texts
 */
function native(name, texts) {
  const input = Buffer.concat(
    texts.flatMap((text) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(text.length);
      return [length, text];
    }),
  );
  const { status, stdout, stderr } = spawnSync('build/gcc/logitscope', ['split', name], {
    cwd: root,
    input,
    maxBuffer: 1 << 30,
  });
  assert.equal(status, 0, String(stderr));
  /** @type {number[][]} */
  const lengths = [[]];
  for (let at = 0; at < stdout.length; at += 4) {
    const length = stdout.readUInt32LE(at);
    if (length) lengths[lengths.length - 1].push(length);
    else lengths.push([]);
  }
  return lengths.slice(0, -1);
}

/** Character classes of the expressions. The test collects all characters of each class that this Node knows. */
const SETS = [
  /\p{Lu}|\p{Lt}/u,
  /\p{Ll}/u,
  /\p{Lm}|\p{Lo}/u,
  /\p{M}/u,
  /\p{N}/u,
  /\p{P}/u,
  /\p{S}/u,
  /\p{White_Space}/u,
  /./su,
];
const pools = SETS.map(() => /** @type {number[]} */ ([]));
let leftOut = 0;
for (let code = 0; code < 0x110000; code++) {
  const character = String.fromCodePoint(code);
  if (/\p{Cs}/u.test(character)) continue;
  // If Node has an older Unicode version, it does not know some characters of the engine's table.
  if (host !== table && /\p{Cn}/u.test(character)) {
    leftOut++;
    continue;
  }
  pools[SETS.findIndex((set) => set.test(character))].push(code);
}
/** Texts that occur in the regular expressions, and similar texts. */
const FAVOURITES = [
  ...["'s", "'S", "'t", "'Re", "'vE", "'m", "'LL", "'l", "'d", "'", '\u017f', '\u2019s'],
  ...[' ', ' ', ' ', '  ', '\n', '\r\n', '\n\n', '\t', '\u00a0', '\u3000', '\u0085', '/', '/\n'],
  ...['0', '12', '345', '6789', '\u0663', '\u00bd', '$', '+', '`', '~', '^|', '<=>', '...', '_'],
  ...['the', 'The', 'THE', 'tHe', 'A', 'z', '\u00e9', 'e\u0301', '\u0301', '\u4e2d\u6587'],
  ...['\ud55c', '\u0e01', '\u01c5', '\u02b0', '\u30fc', '\u{1d7d9}', '\ufb01', '\u200d', '\ufeff'],
  ...['\u3002', '\uff0c', '\u2018', '\u0531', '\u10a0', '\u{10400}', '\u212a', '\ud7a4', '\0'],
];

/** @param {Pcg32} generator */
function randomText(generator) {
  const below = (/** @type {number} */ n) => Math.floor((generator.next() / 2 ** 32) * n);
  let text = '';
  for (let n = below(12); n >= 0; n--) {
    if (below(5) < 3) {
      text += FAVOURITES[below(FAVOURITES.length)];
      continue;
    }
    const pool = pools[below(pools.length)];
    // Half of the characters are from the first 400 of their class, since most characters in a class are ideographs.
    const limit = below(2) ? pool.length : Math.min(pool.length, 400);
    const character = String.fromCodePoint(pool[below(limit)]);
    text += below(4) ? character : character.repeat(1 + below(4));
  }
  return text;
}

/**
 * @param {string} name @param {number} count @param {number} seed
 */
async function compare(name, count, seed) {
  const generator = new Pcg32(seed, 54);
  let differ = 0;
  let first = '';
  for (let done = 0; done < count; done += BATCH) {
    await new Promise(setImmediate); // lets the test report its progress
    const texts = Array.from({ length: Math.min(BATCH, count - done) }, () =>
      randomText(generator),
    );
    const encoder = new TextEncoder();
    const got = native(
      name,
      texts.map((text) => encoder.encode(text)),
    );
    assert.equal(got.length, texts.length);
    texts.forEach((text, i) => {
      const expected = pieces(name, text).map((piece) => Buffer.byteLength(piece));
      if (expected.join() === got[i].join()) return;
      first ||= `${JSON.stringify(text)}: ${got[i]}, expected ${expected}`;
      differ++;
    });
  }
  assert.equal(differ, 0, `${differ} of ${count} differ, the first: ${first}`);
}

describe('pre-tokenizers cut as their expressions do', () => {
  const newer = Number(host) > Number(table);
  const skip = newer && `the host's Unicode ${host} is newer than the table's ${table}`;
  Object.entries(NAMES).forEach(([key, [name, ...others]], i) => {
    test(`${name} under Unicode ${host}, ${leftOut} code points left out`, { skip }, async () => {
      await compare(name, cases(4_000, 1_000_000), i);
    });
    if (others.length)
      test(`the passes of ${key} hold for ${others.join(', ')}`, { skip }, async () => {
        for (const other of others) await compare(other, 500, i);
      });
  });
});

test('an unknown pre-tokenizer is refused', () => {
  const { status, stderr } = spawnSync('build/gcc/logitscope', ['split', 'gpt2'], { cwd: root });
  assert.equal(status, 1);
  assert.equal(String(stderr), 'gpt2 is not known\n');
});

test("GPT-4o's vocabulary gives the ids of another implementation", async () => {
  const file = readFileSync(`${root}tests/vectors/gpt4o_bpe.json`, 'utf8');
  const { tokens, cases: texts } = JSON.parse(file);
  const alphabet = byteTokens();
  /** @type {Map<number, string>} */
  const spelled = new Map();
  const merges = [];
  for (const [id, left, right] of tokens) {
    const parts = [left, right].map((part) => spelled.get(part));
    spelled.set(id, right === undefined ? alphabet[parseInt(left, 16)] : parts.join(''));
    if (right !== undefined) merges.push(parts.join(' '));
  }
  const list = (value) => ({ type: 'array', of: 'string', value });
  const model = writeGguf({
    metadata: {
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': 'gpt-4o',
      'tokenizer.ggml.tokens': list([...spelled.values()]),
      'tokenizer.ggml.merges': list(merges),
    },
  });
  const scope = await Logitscope.load({ model });
  const ids = [...spelled.keys()];
  for (const [text, expected] of texts)
    assert.deepEqual(
      [...scope.encode(text)].map((place) => ids[place]),
      expected,
      text,
    );
  scope.close();
});
