/**
 * The setting along the picture, from end to end, and all settings as they stand: those that the page
 * gave, and over them what was moved here and the page has not said yet.
 */
import { CARRIED } from '../../engine/presets.js';
import { clamp } from './hand.js';

/**
 * @typedef {import('../../engine/types.js').TableRow} TableRow
 *
 * @typedef {object} Owner
 * @property {TableRow[]} table
 * @property {string | null} knob the name of the setting; temperature where none is
 * @property {Record<string, any>} asked the settings as they were given
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
  /** What was moved here and the page has not said yet. @type {Record<string, any>} */
  moved = {};
  /** The settings as the page gave them last; null before it has. @type {Record<string, any> | null} */
  given = null;
  #owner;
  /** The sliders of a table. @type {{ table: TableRow[], rows: TableRow[] } | null} */
  #sliders = null;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** The settings that are sliders. */
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

  /** Everything that the engine is told. @returns {Record<string, any>} */
  get settings() {
    const seed = Number.isInteger(this.#owner.seed) ? { seed: this.#owner.seed } : {};
    return { seed: 42, ...seed, ...(this.given ?? this.#owner.asked), ...this.moved };
  }

  get value() {
    const { name, neutral } = /** @type {TableRow} */ (this.row);
    return Number(this.settings[name] ?? neutral);
  }

  /** Where it is on its way, 0 to 1. */
  get share() {
    const { low, high } = /** @type {TableRow} */ (this.row);
    return clamp((this.value - low) / (high - low), 0, 1);
  }

  /** The value at a share of its way, on its grid. @param {number} share */
  valueAt(share) {
    const { kind, low, high, step } = /** @type {TableRow} */ (this.row);
    const unit = kind === 'integer' ? 1 : step;
    const value = Math.round((low + share * (high - low)) / unit) * unit;
    return clamp(Number(value.toFixed(6)), low, high);
  }

  /** How far a key moves it, as a share of its way. */
  get stride() {
    const { kind, low, high, step } = /** @type {TableRow} */ (this.row);
    const unit = kind === 'integer' ? 1 : Math.max(step, (high - low) / 60);
    return unit / (high - low);
  }

  /**
   * What the page says holds, but for a knob that moves.
   * @param {boolean} moving
   */
  yield(moving) {
    const name = this.row?.name ?? '';
    this.moved = moving && name in this.moved ? { [name]: this.moved[name] } : {};
  }
}
