/** Reads SentencePiece's tokenizer.model (a protocol buffer; BPE only) and llama2.c's tokenizer.bin. */
import { show } from '../engine/errors.js';
import { textOf, viewOf } from './byte-file.js';
import { bad, unsupported } from './faults.js';
import { BYTE, CONTROL, ID_LIMIT, NORMAL, UNKNOWN } from './token-list.js';

/** @import { Vocabulary } from './token-list.js' */

const SPACE = '\u2581';

/**
 * Reads a message of a protocol buffer and calls `take` for each field; the value of a field is a number or bytes.
 * @param {Uint8Array} bytes @param {string} name
 * @param {(field: number, value: any) => void} take
 */
function readFields(bytes, name, take) {
  const view = viewOf(bytes);
  let at = 0;
  const cut = () => bad(name, 'vocab_protobuf', { n: at });
  /** A negative number has ten bytes. No field here needs its value, so it becomes -1. */
  const varint = () => {
    let value = 0;
    for (let n = 0; n < 10; n++) {
      if (at >= bytes.length) throw cut();
      const byte = bytes[at++];
      value += (byte & 127) * 128 ** n;
      if (byte < 128) return n === 9 ? -1 : value;
    }
    throw cut();
  };
  /** @param {number} n */
  const skip = (n) => {
    if (n < 0 || n > bytes.length - at) throw cut();
    at += n;
    return at - n;
  };
  while (at < bytes.length) {
    const tag = varint();
    const [field, kind] = [Math.floor(tag / 8), tag % 8];
    if (kind === 0) take(field, varint());
    else if (kind === 1) skip(8);
    else if (kind === 2) {
      const length = varint();
      const from = skip(length);
      take(field, bytes.subarray(from, from + length));
    } else if (kind === 5) take(field, view.getFloat32(skip(4), true));
    else throw cut();
  }
}

/** Names of the values of TrainerSpec.model_type. */
const MODEL_TYPES = ['', 'Unigram', 'BPE', 'Word', 'Char'];
const BPE = 2;

/**
 * Returns true if a file begins as a tokenizer.model does: field 1 is a message that begins with a text and a score.
 * @param {Uint8Array} bytes
 */
export const isSentencePiece = (bytes) =>
  bytes[0] === 0x0a && bytes[2] === 0x0a && bytes[4 + bytes[3]] === 0x15;

/** @param {Uint8Array} bytes @param {string} name @returns {Vocabulary} */
export function fromSentencePiece(bytes, name) {
  /** @type {{ tokens: string[], types: number[], scores: number[] }} */
  const list = { tokens: [], types: [], scores: [] };
  const trainer = { 3: 1, 24: 0, 40: 0, 41: 1, 42: 2, 43: -1 };
  const normalizer = { 1: new Uint8Array(), 2: new Uint8Array(), 3: 1, 4: 1, 5: 1 };
  readFields(bytes, name, (field, value) => {
    if (field === 1 && value instanceof Uint8Array) {
      const piece = { 1: new Uint8Array(), 2: 0, 3: NORMAL };
      readFields(value, name, (part, content) => Object.assign(piece, { [part]: content }));
      if (list.tokens.length === ID_LIMIT) throw bad(name, 'vocab_many', { limit: ID_LIMIT });
      list.tokens.push(textOf(piece[1]) ?? '\ufffd');
      list.scores.push(piece[2]);
      list.types.push(piece[3]);
    }
    const target = field === 2 ? trainer : field === 3 ? normalizer : null;
    if (target && value instanceof Uint8Array)
      readFields(value, name, (part, content) => Object.assign(target, { [part]: content }));
  });
  const refused = (/** @type {string} */ part, /** @type {string} */ value) =>
    unsupported(name, 'vocab_part', { part, value });
  if (list.tokens.length === 0) throw bad(name, 'vocab_empty');
  if (trainer[3] !== BPE) throw refused('model', MODEL_TYPES[trainer[3]] ?? show(trainer[3]));
  if (trainer[24]) throw refused('trainer', 'treat_whitespace_as_suffix');
  if (normalizer[2].length) throw refused('normalizer', show(textOf(normalizer[1])));
  if (normalizer[4]) throw refused('normalizer', 'remove_extra_whitespaces');
  if (!normalizer[5]) throw refused('normalizer', 'escape_whitespaces: false');
  const ids = { unknown: trainer[40], bos: trainer[41], eos: trainer[42], padding: trainer[43] };
  return {
    model: 'llama',
    ...list,
    ids: Object.fromEntries(
      Object.entries(ids).filter(([, id]) => id >= 0 && id < list.tokens.length),
    ),
    flags: {
      'ggml.add_bos_token': trainer[41] >= 0 && trainer[41] < list.tokens.length,
      'ggml.add_space_prefix': Boolean(normalizer[3]),
    },
    notes: [],
  };
}

/** Names of the first three tokens. llama2.c writes the last two with line ends. */
const FIRST = ['<unk>', '<s>', '</s>'];

/** Returns true if a file begins as llama2.c's tokenizer.bin does. @param {Uint8Array} bytes */
export const isTokenizerBin = (bytes) =>
  bytes.length > 17 && textOf(bytes.subarray(12, 17)) === '<unk>' && bytes[8] === 5;

/**
 * Reads the length of the longest token, then for each token its score, length and bytes, all little endian.
 * @param {Uint8Array} bytes @param {string} name @returns {Vocabulary}
 */
export function fromTokenizerBin(bytes, name) {
  const view = viewOf(bytes);
  /** @type {string[]} */
  const tokens = [];
  const scores = [];
  for (let at = 4; at < bytes.length; ) {
    const length = at + 8 <= bytes.length ? view.getInt32(at + 4, true) : -1;
    if (length < 0 || length > bytes.length - at - 8) throw bad(name, 'vocab_protobuf', { n: at });
    if (tokens.length === ID_LIMIT) throw bad(name, 'vocab_many', { limit: ID_LIMIT });
    scores.push(view.getFloat32(at, true));
    const text = textOf(bytes.subarray(at + 8, at + 8 + length)) ?? '\ufffd';
    tokens.push(FIRST[tokens.length] ?? text.replaceAll(' ', SPACE));
    at += 8 + length;
  }
  const firstTypes = [UNKNOWN, CONTROL, CONTROL];
  const types = tokens.map(
    (token, id) => firstTypes[id] ?? (/^<0x[0-9A-F]{2}>$/.test(token) ? BYTE : NORMAL),
  );
  return {
    model: 'llama',
    tokens,
    types,
    scores,
    ids: { unknown: 0, bos: 1, eos: 2 },
    flags: { 'ggml.add_bos_token': true, 'ggml.add_space_prefix': true },
    notes: [],
  };
}
