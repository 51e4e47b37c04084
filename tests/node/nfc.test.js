/**
 * Tests that Unicode's form C, which some tokenizers apply (Qwen's, for example), equals JavaScript's. With a
 * vocabulary of bytes, the decoded ids are the normalised text.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logitscope } from '../../web/engine/index.js';
import { atEnd } from '../cleanup.js';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { LONG, cases, long } from '../long.js';
import { Pcg32 } from '../vectors/generators.js';
import { cli } from './command_line.js';
import { byteTokens } from './small_model.js';

const table = readFileSync(new URL('../../src/nfc_table.c', import.meta.url), 'utf8').match(
  /Unicode (\d+\.\d+)/,
)?.[1];
const host = process.versions.unicode;
const BATCH = 20_000;
const CONTROL = 3;
const USER_DEFINED = 4;

/**
 * Opens a model with a vocabulary of bytes.
 * @param {string} [pre] @param {string[]} [added] control tokens; the last is user-defined
 */
async function open(pre = 'qwen2', added = ['<|end|>', 'e']) {
  const bytes = byteTokens();
  const tokens = [...bytes, ...added];
  const types = tokens.map((_, id) =>
    id < bytes.length ? 1 : id + 1 < tokens.length ? CONTROL : USER_DEFINED,
  );
  const model = writeGguf({
    metadata: {
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': pre,
      'tokenizer.ggml.tokens': { type: 'array', of: 'string', value: tokens },
      'tokenizer.ggml.token_type': { type: 'array', of: 'int32', value: types },
      'tokenizer.ggml.merges': { type: 'array', of: 'string', value: [] },
    },
  });
  const scope = await Logitscope.load({ model });
  atEnd(() => scope.close());
  return { scope, model };
}

/** All characters that both Unicode versions define. */
const known = [];
let leftOut = 0;
for (let code = 0; code < 0x110000; code++) {
  const character = String.fromCodePoint(code);
  if (code >= 0xd800 && code < 0xe000) continue;
  if (host !== table && /\p{Cn}/u.test(character)) leftOut++;
  else known.push(character);
}
/** All characters that occur in a decomposed form (NFD), and all characters that decomposition changes. */
const parts = [...new Set(known.map((each) => each.normalize('NFD')).join(''))];
const changed = known.filter((each) => each.normalize('NFD') !== each);
const lively = [
  ...changed,
  ...parts.filter((each) => /\p{M}/u.test(each)),
  ...known.filter((each) => /\p{M}/u.test(each)),
  ...Array.from({ length: 0x100 }, (_, i) => String.fromCodePoint(0x1100 + i)),
];

/** @param {Logitscope} scope @param {string[]} texts without line feeds */
function compare(scope, texts) {
  const text = texts.join('\n');
  const got = scope.decode(scope.encode(text)).split('\n');
  assert.equal(got.length, texts.length);
  for (const [i, each] of texts.entries())
    if (got[i] !== each.normalize('NFC'))
      assert.equal(escape(got[i]), escape(each.normalize('NFC')), escape(each));
}

test('every character is normalised as by JavaScript, alone and beside a letter or a mark', async () => {
  const { scope } = await open('qwen2', []);
  console.log(`Unicode ${table} against ${host}: ${leftOut} characters left out`);
  // A character that decomposition leaves alone and that is no part of another: make test tries every eighth.
  const some = LONG ? known : [...lively, ...known.filter((_, i) => i % 8 === 0)];
  const all = some.filter((each) => each !== '\n');
  for (let at = 0; at < all.length; at += BATCH) compare(scope, all.slice(at, at + BATCH));
  for (const around of LONG ? [changed, lively] : [changed])
    for (const mark of ['\u0301', '\u0323', '\u0308'].slice(0, cases(1, 3)))
      compare(
        scope,
        around.flatMap((each) => [each + mark, `a${each}`, `${mark}${each}`]),
      );
});

/** @param {Logitscope} scope @param {number} n */
function tryRandom(scope, n) {
  const generator = new Pcg32(17n, 0n);
  const below = (/** @type {number} */ limit) => Math.floor((generator.next() / 2 ** 32) * limit);
  const latin = [
    ...'aeiouAEIOUyn \u0300\u0301\u0302\u0303\u0304\u0308\u030a\u0323\u0327\u0328\u031b',
  ];
  const pools = [lively, lively, latin, latin, known.filter((each) => each !== '\n')];
  for (let done = 0; done < n; done += BATCH)
    compare(
      scope,
      Array.from({ length: Math.min(BATCH, n - done) }, () => {
        const pool = pools[below(pools.length)];
        return Array.from({ length: 1 + below(12) }, () => pool[below(pool.length)]).join('');
      }),
    );
}

test('random texts are normalised as by JavaScript', async () =>
  tryRandom((await open('qwen2', [])).scope, cases(20_000, 100_000)));
long('a million random texts are normalised as by JavaScript', async () =>
  tryRandom((await open('qwen2', [])).scope, 1_000_000),
);

test('only some pre-tokenizers normalise, and the option switches it off', async () => {
  const [decomposed, composed] = ['cafe\u0301', 'caf\u00e9'];
  for (const pre of [
    'qwen2',
    'qwen35',
    'deepseek-r1-qwen',
    'stablelm2',
    'command-r',
    'mpt',
    'olmo',
  ]) {
    const { scope } = await open(pre, []);
    assert.deepEqual(scope.encode(decomposed), scope.encode(composed), pre);
    assert.equal(scope.decode(scope.encode(decomposed, { normalize: 'auto' })), composed);
    assert.equal(scope.decode(scope.encode(decomposed, { normalize: false })), decomposed);
  }
  for (const pre of ['gpt-2', 'llama-bpe', 'default', 'smollm', 'tekken', 'gpt-4o', 'falcon']) {
    const { scope } = await open(pre, []);
    assert.equal(scope.decode(scope.encode(decomposed)), decomposed, pre);
  }
  const { scope } = await open();
  for (const normalize of [true, 'NFC', 0, null])
    assert.throws(() => scope.encode('a', { normalize: /** @type {any} */ (normalize) }), {
      code: 'invalid_argument',
      message: /^normalize must be "auto" or false, got /,
    });
  // In form C this text has three times as many bytes, the most that is possible.
  const grows = '\u{1d160}'.repeat(100);
  assert.equal(scope.encode(grows).length, 1200);
  assert.equal(scope.encode(grows, { normalize: false }).length, 400);
});

test('the command line normalises and can switch it off', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'logitscope-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'bytes.gguf');
  writeFileSync(path, (await open('qwen2', [])).model);
  const ids = async (/** @type {string[]} */ ...flags) => {
    const words = ['tokenize', '--model', path, '--prompt', 'o\u0301', '--json', ...flags];
    return JSON.parse((await cli(words)).stdout).ids.length;
  };
  assert.equal(await ids(), 2);
  assert.equal(await ids('--normalize', 'auto'), 2);
  assert.equal(await ids('--normalize', 'no'), 3);
  const { status, stderr } = await cli(['tokenize', '--prompt', 'a', '--normalize', 'yes']);
  assert.equal(status, 2);
  assert.match(stderr, /--normalize must be no or auto, got "yes"/);
});

test('special and user-defined tokens are found in the original text', async () => {
  const { scope } = await open();
  const [END, E] = [256, 257];
  const bytes = (/** @type {string} */ text) => [...scope.encode(text, { normalize: false })];
  assert.deepEqual(
    [...scope.encode('o\u0301<|end|>\u0301', { special: true })],
    [...bytes('\u00f3'), END, ...bytes('\u0301')],
  );
  // The token matches only the letter; the accent after it is normalised separately.
  assert.deepEqual([...scope.encode('e\u0301')], [E, ...bytes('\u0301')]);
  assert.deepEqual([...scope.encode('\u00e9')], bytes('\u00e9'));
  // The Kelvin sign becomes a K, but this K matches no user-defined token.
  const k = (await open('qwen2', ['<|x|>', 'K'])).scope;
  assert.deepEqual(
    [...k.encode('\u212a')],
    [...k.encode('J')].map((id) => id + 1),
  );
});

test('65,535 marks in a row take no time', async () => {
  const { scope } = await open('qwen2', []);
  const [n, marks] = [21_845, ['\u0301', '\u0323', '\u031b']];
  const start = process.cpuUsage();
  const got = scope.decode(scope.encode(`a${marks.join('').repeat(n)}`));
  assert.ok(process.cpuUsage(start).user < 2e6);
  const [acute, dot, horn] = marks;
  assert.equal(got, `\u1ea1${horn.repeat(n)}${dot.repeat(n - 1)}${acute.repeat(n)}`);
});
