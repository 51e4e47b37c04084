/** Text for a terminal: token text can hold anything, so whatever could steer one is escaped. */

// Control characters but for newline and tab, other ends of lines, and what reorders or hides text:
// marks of direction, and all that shows nothing (zero-width joiners, tags, variation selectors).
const UNSAFE =
  /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]|(?![\n\t])\p{Cc}/gu;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** As JSON writes it: two escapes for what is two units in UTF-16. @param {string} character */
function escapeOne(character) {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * Text as it is, newlines and tabs too, without the power to steer the terminal.
 * @param {string} text
 */
export function safe(text) {
  return text.replace(UNSAFE, escapeOne);
}

/**
 * One line of a text that may have more.
 * @param {string} text
 */
export function inLine(text) {
  return safe(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/**
 * One line in quotes, for tables.
 * @param {string} text
 */
export function quoted(text) {
  return `"${inLine(text.replaceAll('\\', '\\\\'))}"`;
}

/** @param {NodeJS.WriteStream} stdout @param {unknown} value */
export function printJson(stdout, value) {
  stdout.write(`${JSON.stringify(value, null, 2).replace(UNSAFE, escapeOne)}\n`);
}

/** One line of JSON. @param {NodeJS.WriteStream} stdout @param {unknown} value */
export function printLine(stdout, value) {
  stdout.write(`${JSON.stringify(value).replace(UNSAFE, escapeOne)}\n`);
}

/**
 * The largest of any number of numbers, which Math.max cannot be called with.
 * @param {number[]} numbers
 */
export const largest = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);

/**
 * A bar of block characters.
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
 * Rows of words in columns; numbers to the right.
 * @param {string[][]} rows
 * @param {number[]} right the columns to align at the right
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

/** The width of the terminal, 80 where there is none. @param {NodeJS.WriteStream} stdout */
export function width(stdout) {
  return stdout.columns ?? 80;
}
