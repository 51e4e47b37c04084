/**
 * The part of YAML that presets use: "key: value", lists, indented keys, and texts of several lines. The rest is
 * refused by its line.
 */
import { refused } from './forms.js';

const DEEPEST = 8;

/** @typedef {{ indent: number, text: string, line: number }} Line */

/** A value on one line. @param {string} text @param {number} line @returns {unknown} */
function scalar(text, line) {
  if (/^[&*!|>%@`]/.test(text)) throw refused('settings_yaml', { line });
  if (/^(null|~|)$/i.test(text)) return null;
  if (/^(true|yes|on)$/i.test(text)) return true;
  if (/^(false|no|off)$/i.test(text)) return false;
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return Number(text);
  if (/^'.*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  if (!/^["[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    if (/^\[[^'"[\]{}]*\]$/.test(text))
      return text
        .slice(1, -1)
        .split(',')
        .map((one) => scalar(one.trim(), line));
    throw refused('settings_yaml', { line });
  }
}

/** Text without a comment at its end. @param {string} text */
const bare = (text) =>
  /^["'[{]/.test(text)
    ? text.replace(/(["'\]}])\s+#.*$/, '$1')
    : text.replace(/(^|\s)#.*$/, '').trimEnd();

/**
 * Reads the lines from `at` on that are indented as far as the first one.
 * @param {Line[]} lines
 * @param {number} at
 * @param {number} level
 * @returns {{ value: unknown, next: number }}
 */
function readBlock(lines, at, level) {
  const { indent, line } = lines[at];
  if (level > DEEPEST) throw refused('settings_deep', { limit: DEEPEST });
  if (lines[at].text.startsWith('- ') || lines[at].text === '-') {
    const list = [];
    for (; lines[at]?.indent === indent && /^-(\s|$)/.test(lines[at].text); at++)
      list.push(scalar(bare(lines[at].text.slice(1).trim()), lines[at].line));
    return { value: list, next: at };
  }
  /** @type {Record<string, unknown>} */
  const object = Object.create(null);
  while (lines[at]?.indent === indent) {
    const colon = lines[at].text.search(/:(\s|$)/);
    const name = /^(["']?)([^:"']+)\1$/.exec(lines[at].text.slice(0, Math.max(colon, 0)).trim());
    if (!name) throw refused('settings_yaml', { line: lines[at].line });
    const key = name[2];
    const text = bare(lines[at].text.slice(colon + 1).trim());
    const inner = lines[at + 1];
    const isList = inner?.indent === indent && /^-(\s|$)/.test(inner.text);
    if (/^[|>][-+]?$/.test(text)) {
      const words = [];
      for (at++; lines[at]?.indent > indent; at++) words.push(lines[at].text);
      object[key] = words.join('\n');
    } else if (text === '' && inner && (inner.indent > indent || isList)) {
      const { value, next } = readBlock(lines, at + 1, level + 1);
      object[key] = value;
      at = next;
    } else {
      object[key] = scalar(text, lines[at].line);
      at++;
    }
  }
  if (lines[at]?.indent > indent) throw refused('settings_yaml', { line: lines[at].line });
  return { value: object, next: at, ...(line && {}) };
}

/** @param {string} text @returns {Record<string, unknown>} */
export function readYaml(text) {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((whole, i) => ({
      indent: whole.length - whole.trimStart().length,
      text: whole.trim(),
      line: i + 1,
    }))
    .filter(
      (one) => one.text !== '' && !one.text.startsWith('#') && !/^(---|\.\.\.)$/.test(one.text),
    );
  if (lines.length === 0) return {};
  const { value, next } = readBlock(lines, 0, 1);
  if (next < lines.length) throw refused('settings_yaml', { line: lines[next].line });
  if (Array.isArray(value)) throw refused('settings_yaml', { line: lines[0].line });
  return /** @type {Record<string, unknown>} */ (value);
}

/** Writes pairs as "key: value". @param {import('./forms.js').Pairs} pairs */
export const writeYaml = (pairs) =>
  pairs
    .map(([key, value]) =>
      Array.isArray(value)
        ? `${key}:\n${value.map((one) => `- ${inYaml(one)}\n`).join('')}`
        : `${key}: ${inYaml(value)}\n`,
    )
    .join('');

/** @param {unknown} value */
const inYaml = (value) =>
  typeof value === 'string' && /^[a-z_]+$/.test(value) && typeof scalar(value, 0) === 'string'
    ? value
    : JSON.stringify(value);
