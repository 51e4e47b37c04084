/**
 * The ladder below the picture: for each mark of the knob's axis, the text that the model writes with this value and
 * the same seed. The line of the mark nearest to the knob shows the knob's own value and text.
 */
import { html, nothing } from 'lit';
import { unturned } from '../../base/visible.js';
import { plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { marksOf } from '../../state/ladder.js';
import { round, symbolOf } from './axis.js';

/**
 * @typedef {import('../../state/ladder.js').Rung} Rung
 * @typedef {import('../../engine/types.js').TableRow} TableRow
 */

/** Most words that are coloured where a text begins to differ from the one above it. */
const COLOURED = 4;

/** Characters of a label after the knob's name, such as " = 0.723": all labels have equal width. */
const DIGITS = 8;

/**
 * Splits a text into three parts: the beginning that is equal to the text above, the first different words, and the
 * rest. The different words end with their sentence.
 * @param {Rung['steps']} steps
 * @param {Rung['steps'] | undefined} above
 */
export function partsOf(steps, above) {
  if (!steps) return ['', '', ''];
  const texts = steps.map(({ text }) => text);
  const whole = (/** @type {number} */ from, /** @type {number | undefined} */ to = undefined) =>
    texts.slice(from, to).join('');
  const other = above ? steps.findIndex(({ id }, i) => id !== above[i]?.id) : -1;
  if (other < 0) return [whole(0), '', ''];
  let from = other;
  while (from > 0 && /^\S/.test(texts[from])) from--;
  let to = from + 1;
  for (let words = 1; to < texts.length; to++) {
    if (/[.!?]["”’']?$/.test(texts[to - 1])) break;
    if (/^\s/.test(texts[to]) && ++words > COLOURED) break;
  }
  return [whole(0, from), whole(from, to), whole(to)];
}

/** Returns the index of the mark nearest to the knob's value. @param {number[]} values @param {number} value */
function nearestOf(values, value) {
  const distances = values.map((each) => Math.abs(each - value));
  return distances.indexOf(Math.min(...distances));
}

/** @param {TableRow} row @param {number} value */
function labelOf({ name, neutral }, value) {
  const words = value === neutral && name === 'top_k' ? t('landscape.every') : plain(round(value));
  return `${symbolOf(name)} = ${words}`;
}

/**
 * How many lines each key moves the focus; Infinity means to the first or last line.
 * @type {Record<string, number>}
 */
const KEYS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };

/**
 * Moves the focus to another line and sets the knob to the value of this line.
 * @param {KeyboardEvent} event
 * @param {number[]} values
 * @param {(value: number) => void} choose
 */
function chooseByKey(event, values, choose) {
  const { key, currentTarget, target, altKey, ctrlKey, metaKey } = event;
  const lines = [.../** @type {HTMLElement} */ (currentTarget).querySelectorAll('button')];
  const at = lines.indexOf(/** @type {any} */ (target)) + KEYS[key];
  if (Number.isNaN(at) || altKey || ctrlKey || metaKey) return;
  event.preventDefault();
  const to = Math.min(values.length - 1, Math.max(0, at));
  lines[to].focus();
  choose(values[to]);
}

/**
 * Returns the data of the ladder's lines. `parts` is the result of partsOf.
 * @param {TableRow} row of the knob
 * @param {number} value of the knob
 * @param {Rung[]} rungs
 * @param {Rung['steps']} live the text at the knob's value
 */
export function linesOf(row, value, rungs, live) {
  const marks = marksOf(row);
  const near = nearestOf(marks, value);
  const values = marks.map((each, i) => (i === near ? value : each));
  // After another knob is chosen, `rungs` has the old knob's texts until a text of the new one arrives.
  const written = rungs.filter(({ knob }) => knob === row.name);
  const texts = marks.map((each, i) =>
    i === near ? live : (written.find((rung) => rung.value === each)?.steps ?? null),
  );
  return values.map((each, i) => ({
    value: each,
    label: labelOf(row, each),
    near: i === near,
    parts: partsOf(texts[i], texts[i - 1] ?? undefined).map(unturned),
    last: texts[i]?.at(-1)?.id,
  }));
}

/**
 * @param {TableRow} row of the knob
 * @param {number} value of the knob
 * @param {Rung[]} rungs
 * @param {Rung['steps']} live
 * @param {number | null | undefined} eos
 * @param {((value: number) => void) | null} choose null if the user cannot choose yet
 */
export function renderLadder(row, value, rungs, live, eos, choose) {
  const lines = linesOf(row, value, rungs, live);
  const values = lines.map((line) => line.value);
  const label = cssom({ '--label': `${symbolOf(row.name).length + DIGITS}ch` });
  const onKey = (/** @type {KeyboardEvent} */ event) =>
    choose && chooseByKey(event, values, choose);
  return html`<ul class="ladder" ?inert=${!choose} aria-label=${t('landscape.ladder')} ${label} @keydown=${onKey}>${lines.map(
    ({ value: each, label, near, parts: [same, other, rest], last }) => html`
    <li><button data-value=${each} tabindex=${near ? 0 : -1} class=${near ? 'near' : ''}
      aria-current=${near ? 'true' : nothing} @click=${() => choose?.(each)}><b>${label}</b><span translate="no" dir="auto">${same}<em>${other}</em>${rest}${last === eos ? ' ∎' : ''}</span></button></li>`,
  )}</ul>`;
}
