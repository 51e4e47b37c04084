/** Writes settings for another program, with a note for each difference. */
import { phrase, show } from '../../engine/errors.js';
import { active, matters, ours, same, withoutIdle } from './ours.js';
import { programOf } from './programs.js';
import { readSettings } from './read.js';

/** @import { Phrase } from '../../engine/errors.js' */

/**
 * The value of a row for our settings; undefined leaves the key out.
 * @param {import('./read.js').Row} row
 * @param {Record<string, any>} settings
 * @param {(note: Phrase) => void} note
 */
function valueOf(row, settings, note) {
  const { setting, to, off, range } = row;
  if (!setting || !matters(settings, setting)) return undefined;
  const idle = settings[setting] === undefined;
  const neutral = ours[setting]?.neutral;
  const value = idle ? (off ?? neutral) : settings[setting];
  const made = to && !(idle && off !== undefined) ? to(value, settings, note) : value;
  const fits =
    range && typeof made === 'number' ? Math.min(Math.max(made, range[0]), range[1]) : made;
  return fits;
}

/** @param {import('./read.js').Row} row @param {unknown} value */
const isDefault = (row, value) => value === undefined || same(value, row.default);

/** Samplers with other rules for ties and boundaries in another convention. */
const RULED = ['top_k', 'typical_p', 'tfs_z'];

/**
 * Each difference between the settings and their meaning in another program, as a note.
 * @param {Record<string, any>} wanted @param {Record<string, any>} there @param {string} program
 * @returns {Phrase[]}
 */
function differences(wanted, there, program) {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(there)])];
  const ruled = active(wanted).some((name) => RULED.includes(name));
  const notes = names
    .filter((name) => name !== 'order' && !same(wanted[name], there[name]))
    .filter((name) => name !== 'convention' || ruled)
    .map((setting) => {
      const other = there[setting] ?? ours[setting]?.neutral;
      const value = wanted[setting] ?? ours[setting]?.neutral;
      if (setting === 'convention') return phrase('settings_rules', { program });
      if (!Object.hasOwn(ours, setting))
        return phrase('settings_cannot_say', { setting, value: show(value), program });
      return other === undefined || same(other, ours[setting]?.neutral)
        ? phrase('settings_cannot_say', { setting, value: show(value), program })
        : phrase('settings_other_value', {
            setting,
            value: show(value),
            other: show(other),
            program,
          });
    });
  const acting = active(wanted).filter((name) => active(there).includes(name));
  const [here, away] = [wanted, there].map(({ order }) =>
    order ? order.filter((/** @type {string} */ name) => acting.includes(name)) : null,
  );
  if (here && away && !same(here, away))
    notes.push(phrase('settings_other_order', { program, order: away.join(', ') }));
  return notes;
}

/**
 * Writes settings for a program. The text is read back, so each difference is a note. The text leaves the program's
 * defaults out; `left` names the defaults that the settings state, and is null if there are none.
 * @param {Record<string, any>} given ours, e.g. those of `readSettings`
 * @param {string} id of the program
 * @returns {{ text: string, notes: Phrase[], left: Phrase | null }}
 */
export function writeSettings(given, id) {
  const program = programOf(id);
  const settings = withoutIdle(given);
  /** @type {Phrase[]} */
  const notes = [];
  const note = (/** @type {Phrase} */ one) => void notes.push(one);
  /** @type {import('./forms.js').Pairs} */
  const pairs = [];
  /** @type {string[]} */
  const defaults = [];
  for (const row of program.rows) {
    const value = valueOf(row, settings, note);
    if (!isDefault(row, value)) pairs.push([row.key, value]);
    else if (value !== undefined && active(settings).includes(row.setting ?? ''))
      defaults.push(`${row.key} ${show(value)}`);
  }
  const values = { program: program.name, settings: defaults.join(', ') };
  const left = defaults.length > 0 ? phrase('settings_defaults', values) : null;
  pairs.push(...(program.also?.(settings, note) ?? []));
  const text = program.format(pairs, settings, note);
  const there = withoutIdle(readSettings(text, { program: id }).settings);
  return { text, notes: [...notes, ...differences(settings, there, program.name)], left };
}
