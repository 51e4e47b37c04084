/**
 * Checks the answers of a learner's code. The code runs in its own process, thread or frame and can send any message,
 * so an answer may have only the keys, types and sizes that are listed here.
 */
import { refusal } from './reasons.js';
import { back } from './json-lines.js';

/** @typedef {(value: any) => boolean} Check */

/** Most characters of an error: 600, and the line of the source. */
const SAID = 700;
/** Most names of settings, and most characters of a name. */
const NAMES = 100;
const SEEDS = 1000;
/** Most calls of a model, and most ids in a call; the small models of the grader need fewer. */
const WINDOWS = 4096;

/** @type {Check} */
const isNumber = (value) => typeof value === 'number';
/** @type {Check} */
const isFlag = (value) => typeof value === 'boolean';
/** @type {Check} */
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
/** @param {number} most */
const isText = (most) => (/** @type {any} */ value) =>
  typeof value === 'string' && value.length <= most;
/** Array.from is needed because `every` skips the holes of a list. @param {number} most @param {Check} is */
const isList = (most, is) => (/** @type {any} */ value) =>
  Array.isArray(value) && value.length <= most && Array.from(value).every(is);

/** @param {any} value @param {Record<string, Check>} keys @param {string[]} [needed] */
function isRecord(value, keys, needed = []) {
  return (
    typeof value === 'object' &&
    value !== null &&
    needed.every((key) => Object.hasOwn(value, key)) &&
    Object.keys(value).every(
      (key) => value[key] === undefined || (Object.hasOwn(keys, key) && keys[key](value[key])),
    )
  );
}

const LOG = {
  windows: isList(WINDOWS, isList(WINDOWS, isNumber)),
  early: isCount,
  seeds: isList(SEEDS, isNumber),
  graph: isCount,
  skipped: isText(NAMES),
  blind: isList(2, isText(NAMES)),
  uniform: isFlag,
  drawn: isFlag,
};

/**
 * Keys that every answer may have. An answer without an id is the last one: the process, thread or frame has failed.
 */
const ANY = { id: isCount, error: isText(SAID) };
const NUMBERS = {
  ...ANY,
  result: (/** @type {any} */ value) => value instanceof Float64Array || isText(SAID)(value),
  length: isCount,
  rewrote: isFlag,
};

/** @type {Record<string, Record<string, Check>>} */
const KEYS = {
  load: ANY,
  warp: { ...NUMBERS, changed: isFlag, read: isList(NAMES, isText(NAMES)) },
  generate: {
    ...NUMBERS,
    log: (/** @type {any} */ value) => isRecord(value, LOG, ['windows', 'early', 'seeds']),
  },
};

/**
 * Returns true if a message is a valid answer to a call.
 * @param {any} answer
 * @param {{ call: string, [given: string]: any }} asked
 */
export function isAnswer(answer, { call, logits, settings }) {
  if (!isRecord(answer, KEYS[call])) return false;
  const { id, result, length, error } = answer;
  if (id === undefined && error === undefined) return false;
  if (length === undefined) return true;
  // If a list is too long, the harness sends only its first numbers.
  const most = call === 'warp' ? logits.length : settings.max_new_tokens + 8;
  return result instanceof Float64Array && result.length === Math.min(length, most);
}

/** Most characters of a line: ten times the longest correct answer to the grader's small inputs. */
export const LONGEST = 1 << 18;
/** Most characters of a number and its comma. */
const NUMBER = 32;

/** Returns the most characters of a line that answers a call. @param {any} asked */
export const longest = ({ logits }) => Math.max(LONGEST, NUMBER * (logits?.length ?? 0));
/** Number of characters of a refused line that the report shows. */
const SHOWN = 80;

/** Matches Infinity or NaN outside strings, which JSON does not have. */
const BARE = /^(?:[^"]|"(?:[^"\\]|\\.)*")*?(-?Infinity|NaN)/;

const QUESTION = { id: isCount, ask: isText(NAMES) };
/** @type {Record<string, Record<string, Check>>} */
const QUESTIONS = {
  window: { ...QUESTION, ids: isList(WINDOWS, isNumber), length: isNumber, endless: isFlag },
  seed: { ...QUESTION, seed: isNumber },
  number: { ...QUESTION, seed: (it) => it === null || isNumber(it), step: isCount },
  again: QUESTION,
};

/**
 * Checks a question that a learner's `generate` asks during its call; returns true if it is valid. JSON has no Infinity
 * and no NaN, so `ids`, `length` and `seed` contain them as texts. This function turns these texts into numbers.
 * @param {any} message
 */
function isQuestion(message) {
  const { ask } = message;
  if (Array.isArray(message.ids)) message.ids = message.ids.map(back);
  for (const key of ['length', 'seed'])
    if (typeof message[key] === 'string') message[key] = back(message[key]);
  const keys = Object.hasOwn(QUESTIONS, ask) ? QUESTIONS[ask] : null;
  if (!keys) return false;
  return isRecord(
    message,
    keys,
    Object.keys(keys).filter((key) => key !== 'endless'),
  );
}

/**
 * Reads a line from a learner's process: an answer or a question.
 * @param {string} line
 * @param {any} asked the call that the line answers
 * @returns {{ answer: any } | { question: any } | { refused: import('./tested-function.js').Answer }}
 */
export function readAnswer(line, asked) {
  const limit = longest(asked);
  if (line.length > limit) return { refused: refusal('long_line', { limit }) };
  const value = line.slice(0, SHOWN);
  try {
    const answer = JSON.parse(line);
    if (Array.isArray(answer?.result)) answer.result = Float64Array.from(answer.result, back);
    if (asked.call === 'generate' && answer?.id === asked.id && Object.hasOwn(answer, 'ask'))
      return isQuestion(answer)
        ? { question: answer }
        : { refused: refusal('no_answer', { value }) };
    return isAnswer(answer, asked) ? { answer } : { refused: refusal('no_answer', { value }) };
  } catch {
    const bare = BARE.exec(line)?.[1];
    return { refused: bare ? refusal('bare', { value: bare }) : refusal('line', { value }) };
  }
}
