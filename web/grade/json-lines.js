/**
 * Writes messages to and from the harness as lines of JSON. JSON has no infinities and NaN, so "-inf" and "nan" stand
 * for them. The learner's code may change every object in this process, so this file uses only operators and the
 * copies below.
 */
const [{ parse, stringify }, { isArray }, { isView }, { hasOwn }] = [
  JSON,
  Array,
  ArrayBuffer,
  Object,
];
const { isNaN } = Number;
const [Floats, Doubles, Words] = [Float32Array, Float64Array, Uint32Array];

/** @param {number} x */
const writeNumber = (x) =>
  isNaN(x) ? '"nan"' : x === Infinity ? '"inf"' : x === -Infinity ? '"-inf"' : `${x}`;

/** Turns a value of JSON into a number. @param {unknown} x */
export const back = (x) =>
  x === '-inf' ? -Infinity : x === 'inf' ? Infinity : typeof x === 'number' ? x : Number.NaN;

/** @param {any} value @returns {string} */
function textOf(value) {
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value !== 'object' || value === null) return stringify(value) ?? 'null';
  let text = '';
  if (isArray(value) || isView(value)) {
    const list = /** @type {any} */ (value);
    for (let i = 0; i < list.length; i++) text += `${i ? ',' : ''}${textOf(list[i])}`;
    return `[${text}]`;
  }
  for (const key in value)
    if (hasOwn(value, key) && value[key] !== undefined)
      text += `${text && ','}${stringify(key)}:${textOf(value[key])}`;
  return `{${text}}`;
}

/** Returns a message as a line. @param {any} message */
export const toLine = (message) => `${textOf(message)}\n`;

/**
 * @template {Float32Array | Float64Array | Uint32Array} T
 * @param {{ new (length: number): T }} Kind
 * @param {unknown[]} list
 */
function listOf(Kind, list) {
  const numbers = new Kind(list.length);
  for (let i = 0; i < numbers.length; i++) numbers[i] = back(list[i]);
  return numbers;
}

/** Reads a line for the harness: a call, or the answer to a question. @param {string} line */
export function toCall(line) {
  const message = parse(line);
  const { logits, second, bits, stream, rows } = message;
  if (logits) message.logits = listOf(Floats, logits);
  if (second) message.second = listOf(Floats, second);
  if (bits) message.bits = listOf(Words, bits);
  if (stream) message.stream = listOf(Doubles, stream);
  for (let at = 0; at < rows?.length; at++) rows[at] = listOf(Floats, rows[at]);
  return message;
}
