/**
 * Messages of the harness as lines of JSON, which knows no infinities: a removed logit travels as the
 * string "-inf", and what is no number at all as "nan".
 */

/** @param {number} x */
const out = (x) =>
  Number.isNaN(x) ? 'nan' : x === Infinity ? 'inf' : x === -Infinity ? '-inf' : x;

/** @param {unknown} x what a number or a word stands for */
export const back = (x) =>
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
