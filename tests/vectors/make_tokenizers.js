/**
 * Prints tokenizers.json: small vocabularies in the form of a tokenizer.json, and texts with their ids and their decoded
 * text by Hugging Face's JavaScript tokenizers. FOLDER has the package @huggingface/tokenizers.
 *
 *     node tests/vectors/make_tokenizers.js FOLDER > tests/vectors/tokenizers.json
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LETTERS } from '../../web/import/byte-pairs.js';

const library = join(process.argv[2], 'node_modules/@huggingface/tokenizers/dist/tokenizers.mjs');
const { Tokenizer } = await import(pathToFileURL(library).href);

const SPACE = '\u2581';
const LLAMA3 =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}" +
  '| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';

const added = (id, content, flags = {}) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
  ...flags,
});
const split = (Regex) => ({ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false });
const BYTES = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
const template = (before, after = []) => ({
  type: 'TemplateProcessing',
  single: [
    ...before.map((id) => ({ SpecialToken: { id, type_id: 0 } })),
    { Sequence: { id: 'A', type_id: 0 } },
    ...after.map((id) => ({ SpecialToken: { id, type_id: 0 } })),
  ],
  special_tokens: {},
});

/** A byte-level vocabulary: the letters of all bytes and the results of merges. @param {string[]} merges */
function byteLevel(merges, parts, more = []) {
  const tokens = [...LETTERS, ...merges.map((each) => each.replace(' ', '')), ...more];
  const vocab = Object.fromEntries(tokens.map((token, id) => [token, id]));
  return {
    normalizer: null,
    post_processor: null,
    decoder: BYTES,
    ...parts,
    added_tokens: parts.added_tokens?.(tokens.length) ?? [],
    model: { type: 'BPE', vocab, merges, ignore_merges: Boolean(more.length) },
  };
}
const WORDS = ['t h', 'th e', 'Ġ the', 'e r', 'h e', '1 2', '12 3', 'Ġ Ġ', 'Ã ©', 'Ċ Ċ', 'Ġ a', '\' s'];

/** A vocabulary in the manner of SentencePiece: special tokens, bytes, characters, and pieces with all their merges. */
function sentences(pieces, parts) {
  const letters = [...new Set(pieces.join(''))];
  const tokens = [
    ...['<unk>', '<s>', '</s>'],
    ...LETTERS.map((_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
    ...pieces.filter((piece) => piece.length > 1),
    ...letters,
  ];
  const known = new Set(tokens);
  const merges = pieces.flatMap((piece) =>
    Array.from({ length: piece.length - 1 }, (_, i) => [piece.slice(0, i + 1), piece.slice(i + 1)])
      .filter((pair) => pair.every((part) => known.has(part)))
      .map((pair) => pair.join(' ')),
  );
  return {
    normalizer: null,
    pre_tokenizer: null,
    post_processor: template(['<s>']),
    added_tokens: ['<unk>', '<s>', '</s>'].map((token, id) => added(id, token)),
    ...parts,
    model: {
      type: 'BPE',
      unk_token: '<unk>',
      fuse_unk: true,
      byte_fallback: true,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  };
}
const PIECES = ['he', 'll', 'hell', 'hello', `${SPACE}a`, `${SPACE}hello`, 'th', 'the', `${SPACE}the`, 'aa'];
const FALLBACK = [{ type: 'ByteFallback' }, { type: 'Fuse' }];
const STRIP = { type: 'Strip', content: ' ', start: 1, stop: 0 };
const UNSPACE = { type: 'Replace', pattern: { String: SPACE }, content: ' ' };
const REPLACE = { type: 'Replace', pattern: { String: ' ' }, content: SPACE };
const metaspace = (prepend_scheme, more = {}) => ({
  type: 'Metaspace',
  replacement: SPACE,
  prepend_scheme,
  split: false,
  ...more,
});

const VOCABULARIES = {
  'GPT-2, flags of added tokens': byteLevel(WORDS, {
    pre_tokenizer: { ...BYTES, use_regex: true },
    added_tokens: (n) => [
      added(n, '<|end|>'),
      added(n + 1, '<left>', { lstrip: true }),
      added(n + 2, '<right>', { rstrip: true, special: false }),
      added(n + 3, '<both>', { lstrip: true, rstrip: true }),
    ],
  }),
  'ByteLevel with a leading space': byteLevel(WORDS, {
    pre_tokenizer: { ...BYTES, add_prefix_space: true, use_regex: true },
    added_tokens: (n) => [added(n, '<|end|>')],
  }),
  'ByteLevel without an expression': byteLevel(WORDS, { pre_tokenizer: BYTES }),
  'NFC and digits': byteLevel(WORDS, {
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }] },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [{ type: 'Digits', individual_digits: true }, { ...BYTES, use_regex: true }],
    },
  }),
  'Llama 3 with ignored merges and a template': byteLevel(
    WORDS,
    {
      pre_tokenizer: { type: 'Sequence', pretokenizers: [split(LLAMA3), BYTES] },
      post_processor: { type: 'Sequence', processors: [BYTES, template(['<|begin|>'])] },
      added_tokens: (n) => [added(n, '<|begin|>')],
    },
    ['whole', 'Ġwhole'],
  ),
  'GPT-4o, ignored merges as a flag': byteLevel(
    WORDS,
    {
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          split(
            "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
          ),
          BYTES,
        ],
      },
    },
    ['whole', 'Ġwhole'],
  ),
  'nanochat, numbers by two': byteLevel(WORDS, {
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [split(LLAMA3.replace('{1,3}', '{1,2}')), BYTES],
    },
  }),
  'Llama 2': sentences(PIECES, {
    normalizer: {
      type: 'Sequence',
      normalizers: [{ type: 'Prepend', prepend: SPACE }, REPLACE],
    },
    decoder: { type: 'Sequence', decoders: [UNSPACE, ...FALLBACK, STRIP] },
  }),
  Gemma: sentences(PIECES, {
    normalizer: REPLACE,
    pre_tokenizer: { ...split(''), pattern: { String: ' ' }, behavior: 'MergedWithPrevious' },
    decoder: { type: 'Sequence', decoders: [UNSPACE, ...FALLBACK] },
  }),
  'Metaspace first': sentences(PIECES, {
    pre_tokenizer: metaspace('first'),
    decoder: { type: 'Sequence', decoders: [UNSPACE, ...FALLBACK, STRIP] },
  }),
  'Metaspace always, cut at spaces': sentences(PIECES, {
    pre_tokenizer: metaspace('always', { split: true }),
    decoder: { type: 'Sequence', decoders: [UNSPACE, ...FALLBACK, STRIP] },
  }),
};

const TEXTS = [
  ...['the', ' the', 'hello the hello', "the's 12345  the\n\nhe", 'whole whole awhole'],
  ...['caf\u00e9 cafe\u0301', ' a aa aaa', '  hello   the ', '\u6771\u4eac \ud83d\ude00!', '\u2581the'],
  ...['a <left> b<left>', 'a <right> b', 'a  <both>  b', '<s>the</s> hello', '<s> the', '<|end|>the'],
  ...['DON\'T the\'LL', '1 22 333 4444', '\t\r\n the', 'x<|begin|> y', 'hello<s>hello <s> hello'],
];

const vectors = Object.entries(VOCABULARIES).map(([name, json]) => {
  const tokenizer = new Tokenizer(json, {});
  const texts = TEXTS.map((text) => {
    const ids = tokenizer.encode(text, { add_special_tokens: false }).ids.map(Number);
    const options = { skip_special_tokens: true, clean_up_tokenization_spaces: false };
    return [text, ids, tokenizer.decode(ids, options)];
  });
  return { name, json, texts };
});
process.stdout.write(`${JSON.stringify(vectors)}\n`);
