/**
 * The two lines over the picture: the knob's value and u. An input or Play moves them; once they rest,
 * events tell the page.
 */
import { Debounce } from '../../base/debounce.js';
import { sameValue } from '../../state/fields.js';
import { Knob } from './knob.js';
import { Run } from './run.js';

/** The lines rest for this time, in ms, before the page gets their place. */
const REST_MS = 300;

/**
 * @typedef {import('../../engine/types.js').TableRow} TableRow
 * @typedef {import('./input.js').Point} Point
 *
 * @typedef {object} LinesOwner
 * @property {number | null} u null for the seed's own
 * @property {number | null} drawnU the u of the drawn token, null before one is drawn
 * @property {(type: string, detail?: object) => void} emit
 * @property {() => void} began called before a change
 * @property {() => void} moved called after a change
 * @property {() => void} requestUpdate called when Play begins or ends
 *
 * @typedef {import('./knob.js').KnobOwner & LinesOwner} Owner
 */

export class Lines {
  playing = false;
  run = new Run();
  knob;
  #owner;
  #debounce = new Debounce();
  /** The knob's value when the change began. */
  #from = 0;
  /** The knob that plays and its value before; a null value is the page's. @type {{ name: string, value: number | null } | null} */
  #home = null;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
    this.knob = new Knob(owner);
  }

  /** True if the line of u is missing: the Gumbel draw uses no u. */
  get single() {
    return this.knob.settings.draw === 'gumbel';
  }

  /** The number that decides the draw; null with the Gumbel draw, and before the first reading. */
  get u() {
    return this.single ? null : (this.#owner.u ?? this.#owner.drawnU);
  }

  /** @returns {Point} */
  get crossing() {
    return { share: this.knob.share, u: this.u ?? 0 };
  }

  /** The crossing, as Content asks for it. */
  get request() {
    const { row, value, settings } = this.knob;
    const { name } = /** @type {TableRow} */ (row);
    return { settings: { ...settings, [name]: value }, knob: name, value, u: this.#owner.u };
  }

  /**
   * Takes the settings of the page. Returns whether they bring another order of samplers.
   * @param {Record<string, any>} given
   * @param {boolean} held whether an input holds a line
   */
  take(given, held) {
    const { knob } = this;
    if (sameValue(given, knob.given)) return false;
    const reordered = given.order && !sameValue(given.order, knob.settings.order);
    const home = this.#home;
    if (home && given[home.name] !== knob.given?.[home.name]) home.value = null;
    knob.adopt(given, held || this.playing);
    return reordered;
  }

  begin() {
    this.#owner.began();
    this.#from = this.knob.value;
  }

  /** Begins a change by an input, which ends Play. */
  grab() {
    this.stop();
    this.begin();
  }

  /** @param {Partial<Point>} to */
  moveTo({ share, u }) {
    this.move({
      ...(share === undefined ? {} : { value: this.knob.valueAt(share) }),
      ...(u === undefined || this.single ? {} : { u }),
    });
  }

  /**
   * @param {{ value?: number, u?: number }} to
   * @param {boolean} [told] whether the page is told once the lines rest
   */
  move({ value, u }, told = true) {
    const { name } = /** @type {TableRow} */ (this.knob.row);
    if (u !== undefined) this.#owner.u = u;
    this.#change(value === undefined ? {} : { [name]: value }, told);
  }

  /** Changes settings, the knob's or others. @param {Record<string, any>} patch */
  set(patch) {
    this.begin();
    this.#change(patch, true);
  }

  /** Takes the next seed, and its own u. */
  roll() {
    this.#owner.u = null;
    this.set({ seed: (this.knob.settings.seed + 1) % 2 ** 53 });
  }

  /** @param {Record<string, any>} patch @param {boolean} told */
  #change(patch, told) {
    this.knob.moved = { ...this.knob.moved, ...patch };
    this.#owner.emit('logit-deed');
    this.#owner.moved();
    if (told) this.#debounce.schedule(REST_MS, () => this.tell());
  }

  /** Puts the knob back to its value before the drag. */
  cancel() {
    this.move({ value: this.#from });
  }

  /** Ends a drag. */
  release() {
    this.tell();
    this.#owner.moved();
  }

  /** Sends the place of the lines to the page. */
  tell() {
    this.#debounce.cancel();
    const { logit_bias: _, seed, order, ...settings } = this.knob.moved;
    // A knob that plays returns to its value in the page.
    if (this.#home) delete settings[this.#home.name];
    const owner = this.#owner;
    if (order !== undefined) owner.emit('logit-order', { order });
    if (seed !== undefined) owner.emit('logit-seed', { seed });
    if (Object.keys(settings).length > 0) owner.emit('logit-set', settings);
    owner.emit('logit-choose', { u: owner.u });
  }

  /** Starts Play, or stops it. */
  play() {
    if (this.playing) return this.stop();
    this.begin();
    this.tell();
    const { name } = /** @type {TableRow} */ (this.knob.row);
    this.#home = { name, value: this.knob.value };
    this.run.begin(performance.now());
    this.#setPlaying(true);
  }

  /**
   * Moves the knob that plays to its place at a time.
   * @param {number} now
   * @param {boolean} stepped whether it moves in a few steps
   */
  advance(now, stepped) {
    if (!this.playing) return;
    const { value, ended } = this.run.at(now, stepped, /** @type {TableRow} */ (this.knob.row));
    if (ended) {
      this.goHome();
      this.#owner.moved();
    } else if (value !== this.knob.value) this.move({ value }, false);
  }

  /** Ends Play with the knob at its value before. */
  goHome() {
    this.#setPlaying(false);
    if (!this.#home) return;
    const { name, value } = this.#home;
    const { [name]: _, ...others } = this.knob.moved;
    this.knob.moved = value === null ? others : { ...others, [name]: value };
    this.#home = null;
  }

  /** Ends Play with the knob at its value now. */
  stop() {
    if (!this.playing) return;
    this.#setPlaying(false);
    this.#home = null;
    this.move({ value: this.knob.valueAt(this.knob.share) });
  }

  /** @param {boolean} playing */
  #setPlaying(playing) {
    if (this.playing === playing) return;
    this.playing = playing;
    this.#owner.requestUpdate();
  }
}
