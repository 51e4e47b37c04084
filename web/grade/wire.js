/**
 * Messages of the harness as lines of JSON, which knows no infinities: a removed logit travels as the
 * string "-inf", and what is no number at all as "nan".
 */
import { isAnswer } from './answer.js';
import { refusal } from './reasons.js';

/** @param {number} x */
const out = (x) =>
  Number.isNaN(x) ? 'nan' : x === Infinity ? 'inf' : x === -Infinity ? '-inf' : x;

/** @param {unknown} x what a number or a word stands for */
const back = (x) =>
  x === '-inf' ? -Infinity : x === 'inf' ? Infinity : typeof x === 'number' ? x : Number.NaN;

/** @param {any} message */
export function toLine(message) {
  const line = JSON.stringify(message, (_, value) => {
    if (ArrayBuffer.isView(value)) return Array.from(/** @type {any} */ (value), out);
    return typeof value === 'number' ? out(value) : value;
  });
  return `${line}\n`;
}

/** What the harness is told. @param {string} line */
export function toCall(line) {
  const message = JSON.parse(line);
  const { logits, second, bits, toy, streams } = message;
  if (logits) message.logits = Float32Array.from(logits, back);
  if (second) message.second = Float32Array.from(second, back);
  if (bits) message.bits = Uint32Array.from(bits);
  if (toy) toy.rows = toy.rows.map((/** @type {any[]} */ row) => Float32Array.from(row, back));
  for (const seed of Object.keys(streams ?? {})) streams[seed] = Float64Array.from(streams[seed]);
  return message;
}

/** Most characters of a line: the longest right answer has a tenth of them. */
export const LONGEST = 1 << 18;
/** How many of them a report shows. */
const SHOWN = 80;

/** A number that JSON does not know, outside of strings. */
const BARE = /^(?:[^"]|"(?:[^"\\]|\\.)*")*?(-?Infinity|NaN)/;

/**
 * The answer in a line of a process, which may hold anything.
 * @param {string} line
 * @param {any} asked the call that it answers
 * @returns {{ answer: any } | { refused: import('./subject.js').Answer }}
 */
export function readAnswer(line, asked) {
  if (line.length > LONGEST) return { refused: refusal('long_line', { limit: LONGEST }) };
  const value = line.slice(0, SHOWN);
  try {
    const answer = JSON.parse(line);
    if (Array.isArray(answer?.result)) answer.result = Float64Array.from(answer.result, back);
    return isAnswer(answer, asked) ? { answer } : { refused: refusal('no_answer', { value }) };
  } catch {
    const bare = BARE.exec(line)?.[1];
    return { refused: bare ? refusal('bare', { value: bare }) : refusal('line', { value }) };
  }
}
