/** Sorts the keys of another program's settings by their effect on the draw. */
import { show } from '../engine/errors.js';
import { plain } from '../locale/locale.js';
import { PARTS } from '../state/settings.js';

/** @import { Reading } from '../import/settings/read.js' */
/** @import { Phrase } from '../engine/errors.js' */
/** @import { SettingRow } from '../plots/trace.js' */

/**
 * @typedef {{ key: string, value: unknown }} Given a key as the text has it
 *
 * @typedef {object} Stage a sampler that runs
 * @property {string} name
 * @property {unknown} value
 * @property {{ name: string, value: unknown }[]} parts its further settings that are not neutral
 * @property {Given[]} from the keys that set it; empty if all are the program's defaults
 * @property {Phrase[]} notes
 *
 * @typedef {object} Arranged
 * @property {Stage[]} chain in the program's order
 * @property {(Given & { notes: Phrase[] })[]} idle keys that do nothing, or nothing here, and why
 * @property {Given[]} off keys with a value that means "off"
 * @property {Given[]} read keys without a setting of their own, such as the order
 * @property {Given[]} prompts keys with a prompt, which the bench does not take over
 * @property {Given[]} others keys that do not concern the draw
 * @property {Phrase[]} general notes about no key of the text
 */

/** Returns a key with its value, shortened, as it is printed. @param {string} key @param {unknown} value */
export function printed(key, value) {
  const text =
    typeof value === 'number' && !key
      ? plain(value)
      : typeof value === 'string' && key
        ? value
        : show(value);
  return key ? `${key} ${text}`.trim() : text;
}

/** The keys of prompts, without dashes. */
const PROMPT = /^-*(p|prompt|messages|memory|input|input_text|system)$/i;

/** True for a key of the program that sets no single setting. @param {string} role @param {string | null} setting */
const isRead = (role, setting) => role === 'setting' && setting === null;

/** @param {unknown} a @param {unknown} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Returns the samplers that settings turn on, in their order.
 * @param {Record<string, any>} settings with an order
 * @param {SettingRow[]} table
 * @returns {Stage[]}
 */
export function chainOf(settings, table) {
  const neutral = new Map(table.map((row) => [row.name, row.neutral]));
  const isOn = (/** @type {string} */ name) =>
    settings[name] !== undefined && !same(settings[name], neutral.get(name));
  return settings.order.filter(isOn).map((/** @type {string} */ name) => ({
    name,
    value: settings[name],
    parts: (PARTS[name] ?? [])
      .filter((part) => settings[part] !== undefined)
      .map((part) => ({ name: part, value: settings[part] })),
    from: [],
    notes: [],
  }));
}

/**
 * @param {Reading} reading
 * @param {SettingRow[]} table
 * @returns {Arranged}
 */
export function arrange({ given, settings, notes }, table) {
  const chain = chainOf(settings, table);
  const stageOf = (/** @type {string | null} */ setting) =>
    chain.find(
      ({ name }) => name === setting || (setting !== null && PARTS[name]?.includes(setting)),
    );
  const rows = given.map((row) => ({ ...row, notes: /** @type {Phrase[]} */ ([]) }));
  /** @type {Phrase[]} */
  const general = [];
  for (const note of notes) {
    const { setting, key } = note.values;
    const row =
      rows.find((each) => each.setting !== null && each.setting === setting) ??
      rows.find((each) => each.key === key);
    const stage = stageOf(row?.setting ?? /** @type {string} */ (setting));
    (stage?.notes ?? row?.notes ?? general).push(note);
  }
  for (const row of rows) stageOf(row.setting)?.from.push(row);
  const left = rows.filter(({ setting }) => !stageOf(setting));
  const idle = left.filter((row) => row.notes.length > 0);
  const quiet = left.filter((row) => row.notes.length === 0);
  const other = quiet.filter(({ role }) => role === 'other');
  return {
    chain,
    idle,
    off: quiet.filter(({ role, setting }) => role !== 'other' && !isRead(role, setting)),
    read: quiet.filter(({ role, setting }) => isRead(role, setting)),
    prompts: other.filter(({ key }) => PROMPT.test(key)),
    others: other.filter(({ key }) => !PROMPT.test(key)),
    general,
  };
}
