/** Prepares text for a terminal. A token can contain any character, so control characters are escaped. */

// Matches control characters except newline and tab, other line ends, and characters that are invisible or change the
// direction of the text.
const UNSAFE =
  /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * Escapes a character as JSON does. A character of two UTF-16 units becomes two escapes.
 * @param {string} character
 */
function escapeOne(character) {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * Returns the text with control characters escaped, except newlines and tabs.
 * @param {string} text
 */
export function safe(text) {
  return text.replace(UNSAFE, escapeOne);
}

/** Returns a text as one line. @param {string} text */
export function inLine(text) {
  return safe(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Returns a text as one line in quotes, for tables. @param {string} text */
export function quoted(text) {
  return `"${inLine(text.replaceAll('\\', '\\\\'))}"`;
}

/** @param {NodeJS.WriteStream} stdout @param {unknown} value */
export function printJson(stdout, value) {
  stdout.write(`${JSON.stringify(value, null, 2).replace(UNSAFE, escapeOne)}\n`);
}

/** Prints a value as one line of JSON. @param {NodeJS.WriteStream} stdout @param {unknown} value */
export function printLine(stdout, value) {
  stdout.write(`${JSON.stringify(value).replace(UNSAFE, escapeOne)}\n`);
}

/**
 * Returns the largest number of a list. Math.max fails for very long lists.
 * @param {number[]} numbers
 */
export const largest = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);

/**
 * Returns a bar of block characters.
 * @param {number} share 0 to 1
 * @param {number} width
 */
export function bar(share, width) {
  const eighths = Math.round(share * width * 8);
  return '█'.repeat(eighths >> 3) + EIGHTHS[eighths & 7];
}

/** @param {number} share */
export function percent(share) {
  const value = 100 * share;
  if (value === 0 || value >= 0.01) return `${value.toFixed(2)} %`;
  return `${value.toExponential(1)} %`;
}

/**
 * Aligns the words of rows in columns.
 * @param {string[][]} rows
 * @param {number[]} right indices of the columns to align at the right
 */
export function columns(rows, right = []) {
  const widths = rows[0].map((_, c) => largest(rows.map((row) => row[c].length)));
  return rows
    .map((row) =>
      row
        .map((word, c) => (right.includes(c) ? word.padStart(widths[c]) : word.padEnd(widths[c])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns the width of the terminal in characters; 80 for other outputs. @param {NodeJS.WriteStream} stdout */
export function width(stdout) {
  return stdout.columns ?? 80;
}

/**
 * Prints a sentence about an error.
 * @param {NodeJS.WritableStream} stderr
 * @param {string} sentence
 */
export const say = (stderr, sentence) => stderr.write(`logitscope: ${inLine(sentence)}\n`);
