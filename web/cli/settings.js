/** `logitscope settings`: reads the settings of another program, shows the chain that they make, writes them for a third. */
import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { inEnglish, show } from '../engine/errors.js';
import { readFault } from '../engine/node-files.js';
import { programs, readSettings, recognise, writeSettings } from '../import/settings/index.js';
import { UsageError } from './flags.js';
import { readStandardInput, readTextFile } from './read-text.js';
import { columns, inLine, printJson, safe, say } from './terminal.js';

/** @import { Reading } from '../import/settings/read.js' */

/** The head of a GGUF file: metadata with the largest vocabularies fits. */
const HEAD_BYTES = 1 << 26;
const NAMES = programs.map(({ id }) => id).join(', ');

/** Meaning of a key's role, for the table. */
const ROLES = {
  setting: '',
  other: 'no effect on the draw',
  ignored: 'not used by the program',
  cannot: 'no counterpart here',
  unknown: 'not known',
};

/** Returns the head of a GGUF file, or the text of any other file. @param {string} path */
function readFile(path) {
  try {
    const file = openSync(path, 'r');
    try {
      const magic = Buffer.alloc(4);
      readSync(file, magic, 0, 4, 0);
      if (magic.toString('latin1') !== 'GGUF') return readTextFile(path);
      const head = Buffer.alloc(HEAD_BYTES);
      return new Uint8Array(head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0)));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw readFault(path, error);
  }
}

/** @param {unknown} value */
const written = (value) => inLine(typeof value === 'string' ? value : show(value));

/** The effect of a given key: our setting with its value, or the reason that there is none. @param {Reading} reading @param {Reading['given'][number]} given */
function effectOf({ settings, notes }, { key, setting, role }) {
  if (role !== 'setting') return ROLES[role];
  if (setting === null) return '';
  if (settings[setting] !== undefined) return `${setting} = ${written(settings[setting])}`;
  const note = notes.find(({ values }) => values.setting === setting || values.key === key);
  return note ? `${setting}: no effect, see below` : `${setting} is neutral`;
}

/** @param {Reading} reading @param {NodeJS.WriteStream} stdout */
function printReading(reading, stdout) {
  const { program, version, given, settings, notes } = reading;
  const { name } = /** @type {{ name: string }} */ (programs.find(({ id }) => id === program));
  const { order, ...values } = settings;
  stdout.write(`${name}, by the source of ${version}\n`);
  if (given.length > 0) {
    const rows = given.map((one) => [inLine(one.key), written(one.value), effectOf(reading, one)]);
    stdout.write(`\n${columns([['key', 'value', 'here'], ...rows])}\n`);
  }
  const stated = new Set(given.map(({ setting }) => setting));
  const filled = Object.entries(values).filter(([setting]) => !stated.has(setting));
  const rows = filled.map(([setting, value]) => [setting, written(value)]);
  if (rows.length > 0) stdout.write(`\n${columns([['from the program', ''], ...rows])}\n`);
  stdout.write(`\norder: ${order.join(', ')}\n`);
  if (notes.length > 0)
    stdout.write(`\n${notes.map((note) => safe(inLine(inEnglish(note)))).join('\n')}\n`);
}

/** @type {import('./flags.js').Command} */
export const settings = {
  summary: 'read the settings of another program, write them for a third',
  settings: false,
  operands: 'FILE, or - for standard input',
  modelless: true,
  flags: [
    { name: 'from', kind: 'text', help: `the program of FILE (recognised): ${NAMES}` },
    { name: 'to', kind: 'text', help: 'print the settings for this program instead' },
  ],

  check({ operands }) {
    if (operands.length === 0) throw new UsageError('FILE is missing, - is standard input');
    if (operands.length > 1) throw new UsageError('settings reads one FILE');
  },

  async run(_scope, { operands: [path], from, to, json }, { stdin, stdout, stderr }) {
    const text = await readText(path, stdin);
    const reading = readSettings(text, { program: from, fileName: basename(path) });
    const made = to === undefined ? null : writeSettings(reading.settings, to);
    if (json) {
      const guesses = from === undefined ? recognise(text, basename(path)) : [];
      const said = (/** @type {Reading['notes']} */ notes) =>
        notes.map((note) => ({ ...note, sentence: inEnglish(note) }));
      printJson(stdout, {
        ...reading,
        notes: said(reading.notes),
        guesses,
        ...(made && {
          to,
          text: made.text,
          lost: said(made.notes),
          left: made.left && inEnglish(made.left),
        }),
      });
    } else if (made) {
      stdout.write(safe(made.text));
      for (const note of [...reading.notes, ...made.notes, made.left])
        if (note) say(stderr, inEnglish(note));
    } else printReading(reading, stdout);
  },
};

/** @param {string} path - for standard input @param {NodeJS.ReadStream} stdin */
async function readText(path, stdin) {
  if (path === '-') return readStandardInput(stdin);
  try {
    return readFile(path);
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/**
 * Returns the settings in a file of another program. Prints the notes about keys without effect.
 * @param {string} path - for standard input
 * @param {import('./flags.js').Streams} streams
 */
async function settingsIn(path, { stdin, stderr }) {
  const fileName = basename(path);
  const { settings: read, notes } = readSettings(await readText(path, stdin), { fileName });
  for (const note of notes) say(stderr, inEnglish(note));
  return read;
}

/**
 * `--settings-of FILE`: adds the settings of another program to the values of flags, which override them. If the flag
 * may be repeated, each file is a strategy in `strategies_read` too.
 * @param {Record<string, any>} values
 * @param {import('./flags.js').Streams} streams
 * @returns {Promise<Record<string, any>>}
 */
export async function takeSettings({ settings_of: given, ...values }, streams) {
  if (values.preset !== undefined)
    throw new UsageError('--settings-of cannot be used with --preset');
  if (!Array.isArray(given)) return { ...(await settingsIn(given, streams)), ...values };
  const strategies_read = [];
  for (const path of given)
    strategies_read.push({ name: basename(path), settings: await settingsIn(path, streams) });
  return { ...values, settings_of: given, strategies_read };
}
