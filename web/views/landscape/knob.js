/**
 * The knob, that is, the setting along the x axis, and all settings including changes that the page does not know
 * yet.
 */
import { CARRIED } from '../../engine/presets.js';
import { clamp } from './input.js';

/**
 * @typedef {import('../../engine/types.js').TableRow} TableRow
 *
 * @typedef {object} KnobOwner
 * @property {TableRow[]} table
 * @property {string | null} knob the name of the setting; null for temperature
 * @property {Record<string, any>} asked the page's settings
 * @property {number | undefined} seed
 */

/** @param {TableRow[]} table */
function slidersOf(table) {
  return table.filter(
    ({ name, kind, low, high }) =>
      ['real', 'integer'].includes(kind) && high > low && !CARRIED.includes(name),
  );
}

export class Knob {
  /** Settings that the user changed here and the page has not confirmed yet. @type {Record<string, any>} */
  moved = {};
  /** The settings that the page sent last; null before it has sent any. @type {Record<string, any> | null} */
  given = null;
  #owner;
  /** @type {{ table: TableRow[], rows: TableRow[] } | null} */
  #sliders = null;

  /** @param {KnobOwner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** The settings that the user can choose as the knob. */
  get rows() {
    const { table } = this.#owner;
    if (this.#sliders?.table !== table) this.#sliders = { table, rows: slidersOf(table) };
    return this.#sliders.rows;
  }

  /** @returns {TableRow | undefined} */
  get row() {
    const { rows } = this;
    const named = rows.find(({ name }) => name === this.#owner.knob);
    return named ?? rows.find(({ name }) => name === 'temperature');
  }

  /** All settings, as the engine gets them. @returns {Record<string, any>} */
  get settings() {
    const seed = Number.isInteger(this.#owner.seed) ? { seed: this.#owner.seed } : {};
    return { seed: 42, ...seed, ...(this.given ?? this.#owner.asked), ...this.moved };
  }

  get value() {
    const { name, neutral } = /** @type {TableRow} */ (this.row);
    return Number(this.settings[name] ?? neutral);
  }

  /** The knob's value as a share of its range, 0 to 1. */
  get share() {
    const { low, high } = /** @type {TableRow} */ (this.row);
    return clamp((this.value - low) / (high - low), 0, 1);
  }

  /** Returns the value at a share of the range, rounded to the step. @param {number} share 0 to 1 */
  valueAt(share) {
    const { kind, low, high, step } = /** @type {TableRow} */ (this.row);
    const unit = kind === 'integer' ? 1 : step;
    const value = Math.round((low + share * (high - low)) / unit) * unit;
    return clamp(Number(value.toFixed(6)), low, high);
  }

  /** The change for one key press, as a share of the range. */
  get stride() {
    const { kind, low, high, step } = /** @type {TableRow} */ (this.row);
    const unit = kind === 'integer' ? 1 : Math.max(step, (high - low) / 60);
    return unit / (high - low);
  }

  /**
   * Replaces the user's changes here by the page's settings. While the knob moves, its own value stays.
   * @param {Record<string, any>} given
   * @param {boolean} moving true if an input or Play moves the knob
   */
  adopt(given, moving) {
    const name = this.row?.name ?? '';
    this.moved = moving && name in this.moved ? { [name]: this.moved[name] } : {};
    this.given = given;
  }
}
