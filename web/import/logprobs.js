/**
 * Reads an answer with token probabilities that another program gave: JSON, JSON lines or server-sent events. The
 * shapes are in logprob-shapes.js. All logarithms are natural.
 */
import { exp, log } from '../engine/elementary.js';
import { LogitscopeError, phrase, shown } from '../engine/errors.js';
import { bad } from './faults.js';
import { PROGRAMS, SHAPES, isObject, programOf, promptOf, textOf } from './logprob-shapes.js';
import { parseJson } from './read-text.js';

/** @import { Phrase as Note } from '../engine/errors.js' */

/**
 * A token with its number; null is a part that the answer does not give.
 * @typedef {{ text: string, bytes: number[] | null, id: number | null, logprob: number | null }} Token
 * @typedef {Token & { logprob: number }} Listed
 *
 * One position. `top` has the most probable tokens, most probable first; it may lack the drawn token, and then every
 * token that it lacks is at most as probable as its last. `half_unit` is the largest error of rounding.
 * `prompt` is true for a given token. `drawn` is false if the answer does not name the drawn token.
 * @typedef {{ token: Token, top: Listed[], half_unit: number, prompt: boolean, drawn: boolean }} Position
 *
 * A note on the record: its sentence is the one of an error with this key.
 *
 * `raw` names the law of the numbers: the model's own ('raw'), or the one that the server drew from, after
 * temperature and truncation ('warped').
 * @typedef {{ program: string, raw: 'raw' | 'warped' | 'unknown', vocab_size: number | null, text: string | null,
 *   positions: Position[], notes: Note[] }} LogprobRecord
 * @import { Found, Raw, Shape } from './logprob-shapes.js'
 */

/** Limits: characters of a text, JSON values of a document, positions, and alternatives of all positions. */
export const LIMITS = { text: 1 << 26, values: 1 << 22, positions: 1 << 16, tokens: 1 << 21 };
/** A program writes a number up to this for "impossible" or "not among the listed". */
const IMPOSSIBLE = -1000;
/** OpenAI's older number for the same. */
const NOT_LISTED = -100;
/** Largest positive logarithm that is rounding. */
const ROUNDING = 1e-4;
/** Probabilities may add up to so much more than 1. */
const MASS_SLACK = 0.01;
/** The least error of a number: a server's softmax is in float32. */
const FLOAT_ERROR = 1e-6;

/**
 * Python's JSON has bare NaN and Infinity. JSON.parse reads 1e999 as Infinity; NaN becomes a text and is refused
 * as a number.
 * @param {string} text
 */
const strict = (text) =>
  text.replace(/"[^"\\]*(?:\\[^][^"\\]*)*"|NaN|Infinity/g, (part) =>
    part === 'NaN' ? '"NaN"' : part === 'Infinity' ? '1e999' : part,
  );

/**
 * Parses a document. The keys of vLLM's maps are numbers, which JavaScript would sort: a prefix keeps their order.
 * @param {string} text
 * @param {string} file
 */
function parse(text, file) {
  const kept = text.includes('"prompt_logprobs"')
    ? text.replace(/"(\d+)"(\s*:\s*\{\s*"logprob")/g, '"id:$1"$2')
    : text;
  try {
    return parseJson(kept, file, LIMITS.values);
  } catch (error) {
    if (!(error instanceof LogitscopeError) || error.key !== 'vocab_json') throw error;
    if (!/NaN|Infinity/.test(kept)) throw error;
    return parseJson(strict(kept), file, LIMITS.values);
  }
}

/** A field of a stream of events. */
const FIELD = /^(data|event|id|retry)?:/;

/**
 * The documents of lines or events. A last line that was cut off is left out, with a note.
 * @param {string} text
 * @param {string} file
 * @param {Note[]} notes
 */
function documentsOfLines(text, file, notes) {
  const docs = [];
  const lines = text.split(/\r\n?|\n/);
  const last = text.trimEnd().split(/\r\n?|\n/).length - 1;
  let pending = '';
  for (const [i, line] of lines.entries()) {
    const field = FIELD.exec(line)?.[1];
    if (FIELD.test(line) && field !== 'data') continue;
    const content = (field ? line.slice(5) : line).trim();
    if (content === '' || content === '[DONE]') continue;
    try {
      docs.push(parse(pending + content, file));
      pending = '';
    } catch (error) {
      if (error instanceof LogitscopeError && error.key !== 'vocab_json') throw error;
      // An event may spread its data over several lines.
      const next = FIELD.exec(lines[i + 1] ?? '')?.[1];
      if (field && next === 'data') pending += `${content}\n`;
      else if (i === last && docs.length > 0) notes.push(phrase('record_cut'));
      else throw bad(file, 'record_json', { n: i + 1 });
    }
  }
  return docs;
}

/**
 * @param {string} text
 * @param {string} file
 * @param {Note[]} notes
 * @returns {any[]}
 */
function documentsOf(text, file, notes) {
  let doc;
  try {
    doc = parse(text, file);
  } catch (error) {
    if (!(error instanceof LogitscopeError) || error.key !== 'vocab_json') throw error;
    return documentsOfLines(text, file, notes);
  }
  if (!Array.isArray(doc)) return [doc];
  // A list of whole answers or chunks, or of tokens alone.
  return doc.some((one) => isObject(one) && SHAPES.some(({ is }) => is(one)))
    ? doc
    : [{ content: doc }];
}

/** True if a stream's document repeats the tokens before. @param {Found[]} before @param {Found[]} now */
const repeats = (before, now) =>
  before.length > 0 &&
  now.length >= before.length &&
  [0, before.length - 1].every(
    (i) => JSON.stringify(before[i].drawn) === JSON.stringify(now[i].drawn),
  );

/**
 * The tokens of all documents, joined.
 * @param {any[]} docs
 * @param {string} file
 */
function join(docs, file) {
  /** @type {Found[]} */
  let found = [];
  /** @type {string[]} */
  const texts = [];
  /** @type {Shape | undefined} */
  let shape;
  let program = '';
  for (const doc of docs.filter(isObject)) {
    const whole = isObject(doc.response) ? doc.response : doc; // the last event of OpenAI's responses
    const its = SHAPES.find(({ is }) => is(whole));
    if (!its) continue;
    // Such an event repeats the tokens of earlier events.
    if (whole !== doc && found.length > 0) continue;
    const now = [...promptOf(whole), ...(its.find(whole) ?? [])];
    const text = textOf(whole);
    if (its.whole && repeats(found, now)) {
      found = now;
      texts.length = 0;
    } else for (const one of now) found.push(one);
    if (text !== null) texts.push(text);
    if (!shape || now.length > 0) shape = its;
    if (program === '' || program === 'openai') program = programOf(its, whole, now.at(-1));
    if (found.length > LIMITS.positions)
      throw new LogitscopeError('too_long', 'record_positions', {
        file,
        limit: LIMITS.positions,
      });
  }
  if (!shape)
    throw docs.length > 0 ? bad(file, 'record_shape') : bad(file, 'record_json', { n: 1 });
  return { found, program, text: texts.length > 0 ? texts.join('') : null };
}

/** @param {unknown} value */
const isBytes = (value) =>
  Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);

/** The bytes that OpenAI's completions write as text. @param {string} text */
function escapedBytes(text) {
  if (!/^bytes:(\\x[0-9a-f]{2})+$/i.test(text)) return null;
  return (text.match(/[0-9a-f]{2}(?=\\|$)/gi) ?? []).map((hex) => Number.parseInt(hex, 16));
}

/**
 * The logarithm of a token: null if it is impossible or not given.
 * @param {Raw} raw
 * @param {number} at position, from 1
 * @param {string} file
 */
function logprobOf(raw, at, file) {
  const given = raw.logprob ?? raw.logProbability;
  if (given === null || (given === undefined && typeof raw.prob !== 'number')) return null;
  const value = given === undefined ? log(raw.prob) : given;
  if (typeof value !== 'number' || Number.isNaN(value))
    throw bad(file, 'record_number', { at, value: shown(given === undefined ? raw.prob : given) });
  if (value > ROUNDING) throw bad(file, 'record_positive', { at, value });
  if (value <= IMPOSSIBLE || value === NOT_LISTED) return null;
  return Math.min(value, 0);
}

/**
 * @param {any} given
 * @param {number} at
 * @param {string} file
 * @param {boolean} trusted false if the server makes the bytes of the text
 * @returns {Token}
 */
function tokenOf(given, at, file, trusted) {
  const raw = isObject(given) ? given : {};
  const name = [raw.token, raw.text, raw.tok_str, raw.decoded_token, raw.content].find(
    (one) => typeof one === 'string',
  );
  const text = name ?? '';
  const number = raw.id ?? raw.token_id ?? raw.tokenId ?? /^token_id:(\d+)$/.exec(text)?.[1];
  const id = Number(number);
  return {
    text,
    bytes: isBytes(raw.bytes) && trusted ? raw.bytes : escapedBytes(text),
    id: number != null && Number.isSafeInteger(id) && id >= 0 ? id : null,
    logprob: logprobOf(raw, at, file),
  };
}

/** True if two entries name one token. @param {Token} a @param {Token} b */
function isSame(a, b) {
  if (a.id !== null && b.id !== null) return a.id === b.id;
  if (a.text !== b.text) return false;
  return a.logprob === null || b.logprob === null || Math.abs(a.logprob - b.logprob) <= ROUNDING;
}

/** @param {Listed[]} tokens */
function withoutTwins(tokens) {
  const ids = new Set();
  return tokens.filter(({ id }) => id === null || (!ids.has(id) && ids.add(id)));
}

/**
 * Reads one position.
 * @param {Found} found
 * @param {number} at from 1
 * @param {string} file
 * @param {boolean} topOnly see Program
 * @param {boolean} trusted see tokenOf
 * @returns {Position}
 */
function positionOf({ drawn, top, prompt = false, first = false }, at, file, topOnly, trusted) {
  let token = tokenOf(drawn, at, file, trusted);
  const read = top.map((one) => tokenOf(one, at, file, trusted));
  const known = /** @type {Listed[]} */ (read.filter(({ logprob }) => logprob !== null));
  let listed = withoutTwins(known.sort((a, b) => b.logprob - a.logprob));
  const twin = listed.find((one) => isSame(one, token));
  if (twin) token = { ...token, logprob: twin.logprob, id: token.id ?? twin.id };
  if (first) token = { text: '', bytes: null, id: null, logprob: null };
  // A list may have the drawn token in place of a likelier one: then its last place bounds nothing.
  const lone = listed.length === 1 && (token.logprob ?? 0) >= -Math.LN2;
  if (!topOnly && twin && twin === listed.at(-1) && !lone) listed = listed.slice(0, -1);
  const mass = listed.reduce((sum, { logprob }) => sum + exp(logprob), 0);
  if (mass > 1 + MASS_SLACK + listed.length * ROUNDING)
    throw bad(file, 'record_mass', { at, value: Number(mass.toFixed(4)) });
  return { token, top: listed, half_unit: 0, prompt, drawn: !first };
}

/** Decimal places and digits of a number, as its shortest text has them. @param {number} value */
function digitsOf(value) {
  const [, whole, part = '', power = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(value)) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, '');
  return { places: part.length - Number(power), digits: digits.length };
}

/** The fewest bits of significand that hold a float32 value. @param {number} value */
function bitsOf(value) {
  const words = new DataView(new ArrayBuffer(4));
  words.setFloat32(0, value);
  const significand = words.getUint32(0) & 0x7fffff;
  return 24 - (significand === 0 ? 23 : 31 - Math.clz32(significand & -significand));
}

/**
 * Sets by how much rounding may have moved the numbers of each position. All numbers of a record are rounded in one
 * way: to decimal places, to digits, or to a float of 24 bits or fewer.
 * @param {Position[]} positions
 */
function setHalfUnits(positions) {
  const numbers = positions.map(({ token, top }) =>
    [...top, ...(token.logprob === null ? [] : [token])].map(({ logprob }) => Number(logprob)),
  );
  let places = 1;
  let digits = 1;
  let bits = 8;
  for (const list of numbers)
    for (const value of list) {
      const written = digitsOf(value);
      places = Math.max(places, written.places);
      digits = Math.max(digits, written.digits);
      bits = Math.max(bits, bitsOf(value));
    }
  for (const [i, list] of numbers.entries()) {
    const largest = list.reduce((most, value) => Math.max(most, -value), 2 ** -20);
    const decimal = Math.floor(log(largest) * Math.LOG10E) + 1 - digits;
    const unit = Math.max(10 ** -places, 10 ** decimal, 2 * largest * 2 ** -bits);
    positions[i].half_unit = Math.max(unit / 2, FLOAT_ERROR);
  }
}

/**
 * Notes on parts that a record lacks.
 * @param {string} program
 * @param {Found[]} found
 * @param {Position[]} positions
 * @returns {Note[]}
 */
function notesOf(program, found, positions) {
  /** @param {(position: Position) => boolean} test */
  const count = (test) => positions.filter(test).length;
  const given = found.reduce((n, { top }) => n + top.length, 0);
  const kept = positions.reduce((n, { top }) => n + top.length, 0);
  const alone = count(({ top, token }) => top.length === 0 && token.logprob !== null);
  const none = count(({ top, token }) => top.length === 0 && token.logprob === null);
  const echoed = found.some(({ echo }) => echo);
  return [
    phrase('record_alone', { n: alone }),
    phrase('record_no_number', { n: none }),
    phrase('record_undrawn', { n: count(({ drawn }) => !drawn), program }),
    phrase('record_prompt', { n: count(({ prompt }) => prompt) }),
    phrase('record_left_out', { n: given - kept }),
    ...(echoed ? [phrase('record_echo')] : []),
  ].filter(({ values }) => values.n !== 0);
}

/**
 * Reads a record.
 * @param {string} text
 * @param {{ file?: string }} [options] the file's name, for refusals
 * @returns {LogprobRecord}
 */
export function readRecord(text, { file = 'record' } = {}) {
  if (text.length > LIMITS.text)
    throw new LogitscopeError('too_long', 'record_text', {
      file,
      n: text.length,
      limit: LIMITS.text,
    });
  /** @type {Note[]} */
  const notes = [];
  const docs = documentsOf(text.replace(/^\ufeff/, ''), file, notes);
  const joined = join(docs, file);
  const { found, program } = joined;
  const { raw, ask, top_only = false } = PROGRAMS[program];
  const listed = found.reduce((n, { top }) => n + top.length, 0);
  if (listed > LIMITS.tokens)
    throw new LogitscopeError('too_long', 'record_tokens', { file, limit: LIMITS.tokens });
  const trusted = program !== 'ollama';
  const positions = found.map((one, i) => positionOf(one, i + 1, file, top_only, trusted));
  // LM Studio writes 0 without alternatives if nothing was asked for.
  if (positions.every(({ token, top }) => top.length === 0 && !token.logprob))
    throw bad(file, 'record_none', { program, ask });
  setHalfUnits(positions);
  notes.push(...notesOf(program, found, positions));
  const warped = found.some(
    ({ drawn, top }) => 'prob' in Object(drawn) || 'prob' in Object(top[0]),
  );
  return {
    program,
    raw: warped ? 'warped' : raw,
    vocab_size: null,
    text: joined.text,
    positions,
    notes,
  };
}
