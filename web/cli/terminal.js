/** Text for a terminal: token text can hold anything, so whatever could steer one is escaped. */

// Control characters, and the marks that reorder or hide text.
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** @param {string} character */
function escapeOne(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Text as it is, newlines and tabs too, without the power to steer the terminal.
 * @param {string} text
 */
export function safe(text) {
  return text.replace(UNSAFE, escapeOne);
}

/**
 * One line in quotes, for tables.
 * @param {string} text
 */
export function quoted(text) {
  return `"${safe(text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t'))}"`;
}

/** @param {unknown} value */
export function printJson(value) {
  process.stdout.write(`${JSON.stringify(value, null, 2).replace(UNSAFE, escapeOne)}\n`);
}

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
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  return rows
    .map((row) =>
      row
        .map((word, c) => (right.includes(c) ? word.padStart(widths[c]) : word.padEnd(widths[c])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The width of the terminal, 80 where there is none. */
export function width() {
  return process.stdout.columns ?? 80;
}
