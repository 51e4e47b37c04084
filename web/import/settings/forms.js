/**
 * The notations of settings files. Each reader returns pairs of a key and a value in the order of the
 * text. Values of a notation without types stay texts: the tables know the numbers among them.
 */
import { LogitscopeError, show } from '../../engine/errors.js';

/** @typedef {[key: string, value: unknown][]} Pairs */

/** The longest text that is read, in characters. */
export const LONGEST = 1 << 20;
const DEEPEST = 32;
/** The longest value of a variable, in characters: values that name each other could double without end. */
const LONGEST_VALUE = 1 << 12;

/**
 * The error for a text with settings.
 * @param {string} key
 * @param {import('../../engine/errors.js').Values} values
 */
export const refused = (key, values) => new LogitscopeError('settings', key, values);

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export const isObject = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The line of a fault of JSON, if the message of this engine names it. @param {string} text @param {unknown} error */
function lineOf(text, error) {
  const message = String(/** @type {Error} */ (error).message);
  const line = /\bline (\d+)/.exec(message)?.[1];
  const position = /\bposition (\d+)/.exec(message)?.[1];
  if (line) return Number(line);
  return position ? text.slice(0, Number(position)).split('\n').length : 0;
}

/** @param {unknown} value @param {number} levels */
function checkDeep(value, levels = DEEPEST) {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw refused('settings_deep', { limit: DEEPEST });
  for (const each of Object.values(value)) checkDeep(each, levels - 1);
}

/** Reads an object of JSON. @param {string} text @returns {Record<string, unknown>} */
export function readObject(text) {
  let value;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const line = lineOf(text, error);
    if (error instanceof RangeError) throw refused('settings_deep', { limit: DEEPEST });
    throw line ? refused('settings_json_line', { line }) : refused('settings_json', {});
  }
  if (!isObject(value)) throw refused('settings_object', { value: show(value) });
  checkDeep(value);
  return value;
}

/** Writes pairs as JSON. @param {Pairs} pairs */
export const writeJson = (pairs) => `${JSON.stringify(Object.fromEntries(pairs), null, 2)}\n`;

/** A line break that a shell ignores: after \ in a Unix shell, ^ in cmd.exe, ` in PowerShell. */
const CONTINUED = /[\\^`]$/;

/**
 * Joins the lines of a shell that belong together, and leaves out comments of whole lines.
 * @param {string} text
 */
function commandLines(text) {
  /** @type {string[][]} */
  const lines = [];
  let open = false;
  for (const line of text.split(/\r?\n/)) {
    const bare = line.trim();
    if (!open && /^(#|::|rem\s)/i.test(bare)) continue;
    // Lists of flags are often pasted with a flag on each line and no sign at its end.
    const joins = lines.length > 0 && (open || /^--?[a-zA-Z]/.test(bare));
    open = CONTINUED.test(bare) && !/\\\\$/.test(bare);
    const part = open ? bare.slice(0, -1) : line;
    if (joins) lines[lines.length - 1].push(part);
    else lines.push([part]);
  }
  return lines.map((parts) => parts.join(' '));
}

/**
 * Splits a line as a shell does: quotes, backslashes, comments. A text in double quotes keeps backslashes before other
 * characters than " \ $ and `. A ; between two letters belongs to the word: cmd.exe does not split there.
 * @param {string} line
 * @returns {string[]}
 */
export function shellWords(line) {
  const words = [];
  const parts = line.matchAll(
    /\s+|"((?:[^"\\]|\\[^])*)"|'([^']*)'|\\([^])|([;|&<>]+)|([^\s"'\\#;|&<>]+(?:;[^\s"'\\#;|&<>]+)*)|([^])/g,
  );
  let word = null;
  for (const [whole, double, single, escaped, operator, plain] of parts) {
    if (whole === '#' && word === null) break;
    if (/^\s/.test(whole) || operator !== undefined) {
      if (word !== null) words.push(word);
      word = null;
      if (operator !== undefined) words.push(operator);
    } else
      word =
        (word ?? '') +
        (double?.replace(/\\(["\\$`\n])/g, '$1') ?? single ?? escaped ?? plain ?? whole);
  }
  if (word !== null) words.push(word);
  return words;
}

const isFlag = (/** @type {string} */ word) =>
  /^--?[a-zA-Z]/.test(word) && !/^-(inf|nan)$/i.test(word);
const isOperator = (/** @type {string} */ word) => /^[;|&<>]+$/.test(word);

/**
 * Replaces $NAME, ${NAME} and ${NAME:-value} by the values that the text assigns; others stay.
 * @param {string} word
 * @param {Map<string, string>} values
 */
function expanded(word, values) {
  const made = word.replace(
    /\$(?:(\w+)|\{(\w+)(?::?-([^{}]*))?\})/g,
    (whole, name, braced, otherwise) => values.get(name ?? braced) ?? otherwise ?? whole,
  );
  return made.length > LONGEST_VALUE ? word : made;
}

/**
 * The commands of a text as lists of words. Assignments NAME=value apply to the words after them.
 * @param {string} text
 * @returns {string[][]}
 */
function commandsOf(text) {
  /** @type {string[][]} */
  const commands = [];
  /** @type {Map<string, string>} */
  const values = new Map();
  // In lists of a program, of JSON and of YAML a comma follows each word.
  for (const line of commandLines(text.replace(/(["'])[ \t]*,(?=\s|["'\]])/g, '$1 '))) {
    /** @type {string[]} */
    let command = [];
    for (const word of shellWords(line)) {
      const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(word) ?? [];
      if (name !== undefined) values.set(name, expanded(value, values));
      if (isOperator(word)) {
        commands.push(command);
        command = [];
      } else command.push(expanded(word, values));
    }
    commands.push(command);
  }
  return commands;
}

/**
 * Reads the flags of command lines, in a script or alone. A flag takes the next word as its value, unless that is a
 * flag too. Variables LLAMA_ARG_NAME=value count as flags.
 * @param {string} text
 * @param {(flag: string) => boolean} [switches] true for a flag that takes no value
 * @param {(word: string) => boolean} [ours] true for the program's name; if a text has it, only the flags after it
 *   count
 * @returns {Pairs[]} of each command with flags
 */
export function readFlags(text, switches = () => false, ours = () => false) {
  const all = commandsOf(text);
  const own = all.filter((command) => command.some(ours));
  const from = (/** @type {string[]} */ command) =>
    command.slice(command.map(ours).lastIndexOf(true) + 1);
  const read = (own.length > 0 ? own.map(from) : [all.flat()]).map((words) => {
    /** @type {Pairs} */
    const pairs = [];
    for (let i = 0; i < words.length; i++) {
      const variable = /^LLAMA_ARG_([A-Z_]+)=(.*)$/s.exec(words[i]);
      if (variable) pairs.push([variable[1].toLowerCase(), variable[2]]);
      if (!isFlag(words[i])) continue;
      const [, flag, stated] = /** @type {RegExpExecArray} */ (
        /^(--?[^=]+)(?:=([^]*))?$/.exec(words[i])
      );
      const next = words[i + 1];
      if (stated !== undefined) pairs.push([flag, stated]);
      else if (next === undefined || isFlag(next) || switches(flag)) pairs.push([flag, true]);
      else pairs.push([flag, words[++i]]);
    }
    return pairs;
  });
  return read.filter((pairs) => pairs.length > 0);
}

/** Writes a word so that a Unix shell reads it back. @param {string} word */
export const quoteWord = (word) =>
  /^[\w.,:;+@%/=-]+$/.test(word) && !word.includes(';')
    ? word
    : `'${word.replaceAll("'", `'\\''`)}'`;

/** Writes pairs as flags of one command line. @param {string} command @param {Pairs} pairs */
export const writeFlags = (command, pairs) =>
  `${[
    command,
    ...pairs.flatMap(([flag, value]) =>
      [value].flat().map((one) => (one === true ? flag : `${flag} ${quoteWord(String(one))}`)),
    ),
  ].join(' ')}\n`;

/**
 * Reads lines "key = value" in sections; a later section overrides the earlier ones. Comments begin with # or ;.
 * @param {string} text
 * @returns {{ sections: string[], pairs: Pairs }}
 */
export function readIni(text) {
  /** @type {Pairs} */
  const pairs = [];
  const sections = [];
  for (const line of text.split(/\r?\n/)) {
    const bare = line.trim();
    const at = bare.indexOf('=');
    const key = bare.slice(0, Math.max(at, 0)).trim();
    if (/^\[[^\]]*\]$/.test(bare)) sections.push(bare.slice(1, -1));
    else if (/^\w[\w.\- ]*$/.test(key)) pairs.push([key, unquoted(bare.slice(at + 1).trim())]);
  }
  return { sections, pairs };
}

/** @param {string} text */
export const unquoted = (text) => /^(["'])([^]*)\1$/.exec(text)?.[2] ?? text;

/** The form of a key without regard to case, dashes and a leading "--". @param {string} key */
export const plainKey = (key) => key.replace(/^-+/, '').replaceAll('-', '_').toLowerCase();

/**
 * The shortest decimal of a number that was stored with 32 bits: 0.8 in place of 0.800000011920929.
 * @param {unknown} value
 */
export function shortFloat(value) {
  if (typeof value !== 'number' || Math.fround(value) !== value) return value;
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** A value in the notation of Python. @param {string} text */
function pythonValue(text) {
  const json = text
    .trim()
    .replace(/\bTrue\b/g, 'true')
    .replace(/\bFalse\b/g, 'false')
    .replace(/\bNone\b/g, 'null')
    .replace(/'((?:[^'\\\n]|\\.)*)'/g, (_, inner) => JSON.stringify(inner.replaceAll("\\'", "'")))
    .replace(/,\s*([\]}])/g, '$1');
  try {
    return JSON.parse(json);
  } catch {
    return text.trim();
  }
}

/**
 * Reads arguments name=value of a call in Python; values that are no constants stay texts.
 * @param {string} text
 * @returns {Pairs}
 */
export function readKeywords(text) {
  const [open, close] = [text.indexOf('('), text.lastIndexOf(')')];
  const inner = open >= 0 && close > open ? text.slice(open + 1, close) : text;
  /** @type {Pairs} */
  const pairs = [];
  const one =
    /(?<![\w.])([a-z_]\w*)\s*=(?!=)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]|\{[^{}]*\}|[^,()#\n]+)/g;
  for (const [, key, value] of inner.matchAll(one)) pairs.push([key, pythonValue(value)]);
  return pairs;
}
