/**
 * Text for a terminal. A token's text can contain any character, so characters that control a terminal are
 * escaped.
 */

// Control characters except newline and tab, other line ends, direction marks and invisible
// characters (zero-width joiners, tags, variation selectors).
const UNSAFE =
  /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Escapes as JSON does: a character of two UTF-16 units becomes two escapes. @param {string} character */
function escapeOne(character) {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * Returns the text with all control characters escaped, except newlines and tabs.
 * @param {string} text
 */
export function safe(text) {
  return text.replace(UNSAFE, escapeOne);
}

/** Returns a text on one line. @param {string} text */
export function inLine(text) {
  return safe(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Returns a text on one line in quotes, for tables. @param {string} text */
export function quoted(text) {
  return `"${inLine(text.replaceAll('\\', '\\\\'))}"`;
}

/** @param {NodeJS.WriteStream} stdout @param {unknown} value */
export function printJson(stdout, value) {
  stdout.write(`${JSON.stringify(value, null, 2).replace(UNSAFE, escapeOne)}\n`);
}

/** Prints one line of JSON. @param {NodeJS.WriteStream} stdout @param {unknown} value */
export function printLine(stdout, value) {
  stdout.write(`${JSON.stringify(value).replace(UNSAFE, escapeOne)}\n`);
}

/**
 * Returns the largest number of a list of any length; Math.max limits the number of its arguments.
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
 * Aligns rows of words in columns.
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

/** Returns the width of the terminal in characters; 80 if stdout is not a terminal. @param {NodeJS.WriteStream} stdout */
export function width(stdout) {
  return stdout.columns ?? 80;
}
