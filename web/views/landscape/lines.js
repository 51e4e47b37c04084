/**
 * The two lines over the picture, at the knob's value and at u. An input, Play or a sweep moves them. When they stop,
 * events report the new values to the page.
 */
import { Debounce } from '../../base/debounce.js';
import { sameValue } from '../../state/fields.js';
import { Knob } from './knob.js';
import { Run } from './run.js';

/** The page gets the new values after the lines have not moved for this time, in ms. */
const REST_MS = 300;
/** Effects of the knobs that get their usual value when the user chooses them. */
const TRIED = ['cut', 'penalise'];

/**
 * @typedef {import('../../engine/types.js').TableRow} TableRow
 * @typedef {import('./input.js').Point} Point
 *
 * @typedef {object} LinesOwner
 * @property {number | null} u null for the seed's first number
 * @property {number | null} drawnU the u of the drawn token; null before a draw
 * @property {(type: string, detail?: object) => void} emit
 * @property {() => void} began called before a change by the user
 * @property {() => void} plays called before Play and a sweep
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
  /** The knob's value at the start of the user's change. */
  #from = 0;
  /**
   * The knob that Play moves. `value`: the value to which it returns; null to return to the page's value.
   * @type {{ name: string, value: number | null } | null}
   */
  #home = null;
  /**
   * The knob that got its usual value because the user chose it, until the user changes this value; null if none.
   * @type {TableRow | null}
   */
  #tried = null;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
    this.knob = new Knob(owner);
  }

  /** True if there is no line of u: a Gumbel-max draw does not use u. */
  get single() {
    return this.knob.settings.draw === 'gumbel';
  }

  /** The u of the draw; null for a Gumbel-max draw and before the first reading. */
  get u() {
    return this.single ? null : (this.#owner.u ?? this.#owner.drawnU);
  }

  /** @returns {Point} */
  get crossing() {
    return { share: this.knob.share, u: this.u ?? 0 };
  }

  /** The values to ask the engine about: knob, its value, u, all settings. */
  get request() {
    const { row, value, settings } = this.knob;
    const { name } = /** @type {TableRow} */ (row);
    return { settings: { ...settings, [name]: value }, knob: name, value, u: this.#owner.u };
  }

  /**
   * Adopts new settings of the page. Returns true if they have another order of samplers.
   * @param {Record<string, any>} given
   * @param {boolean} held true if an input drags a line
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

  /** Drops changes that the page does not know, because it has another state now. Play goes on. */
  drop() {
    this.#debounce.cancel();
    if (!this.playing) this.knob.moved = {};
  }

  begin() {
    this.#owner.began();
    this.#from = this.knob.value;
  }

  /** Stops Play, because the user takes a line. */
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
   * @param {boolean} [told] true to tell the page when the lines rest
   */
  move({ value, u }, told = true) {
    const { name } = /** @type {TableRow} */ (this.knob.row);
    if (u !== undefined) this.#owner.u = u;
    this.#change(value === undefined ? {} : { [name]: value }, told);
  }

  /** Changes settings, as a deed of the user. @param {Record<string, any>} patch */
  set(patch) {
    this.begin();
    this.#change(patch, true);
  }

  /**
   * Prepares the choice of another knob. If it is off, sets it to its usual value, so that its effect is visible. The
   * knob before is turned off again if its value came in this way and the user left it unchanged.
   * @param {string} name of the next knob
   */
  tryOn(name) {
    const { row, rows, settings } = this.knob;
    const [before, next] = [this.#tried, rows.find((each) => each.name === name)];
    if (!next || next === row) return;
    const { neutral, usual, effect } = next;
    const off = TRIED.includes(effect) && (settings[name] ?? neutral) === neutral;
    /** @type {Record<string, number>} */
    const patch = off ? { [name]: usual } : {};
    if (before && settings[before.name] === before.usual) patch[before.name] = before.neutral;
    if (Object.keys(patch).length > 0) this.set(patch);
    this.#tried = off ? next : null;
  }

  /** Keeps the value that `tryOn` has set. */
  keepTried() {
    this.#tried = null;
  }

  /** Chooses the next seed, with this seed's own u. */
  roll() {
    this.#owner.u = null;
    this.set({ seed: (this.knob.settings.seed + 1) % 2 ** 53 });
  }

  /** @param {Record<string, any>} patch @param {boolean} told */
  #change(patch, told) {
    this.knob.moved = { ...this.knob.moved, ...patch };
    if (!this.playing && this.#tried && this.#tried.name in patch) this.#tried = null;
    // The sweep moves the knob on its own, so it does not count as an action of the user.
    if (!this.playing || !this.run.sweeps) this.#owner.emit('logit-deed');
    this.#owner.moved();
    if (told) this.#debounce.schedule(REST_MS, () => this.tell());
  }

  /** Returns the knob to its value before the drag. */
  cancel() {
    this.move({ value: this.#from });
  }

  /** Ends a drag and reports the values to the page at once. */
  release() {
    this.tell();
    this.#owner.moved();
  }

  /** Reports the changed settings and u to the page. */
  tell() {
    this.#debounce.cancel();
    const { logit_bias: _, seed, order, ...settings } = this.knob.moved;
    // Play only shows values: the page keeps the value from before Play.
    if (this.#home) delete settings[this.#home.name];
    const owner = this.#owner;
    if (order !== undefined) owner.emit('logit-order', { order });
    if (seed !== undefined) owner.emit('logit-seed', { seed });
    if (Object.keys(settings).length > 0) owner.emit('logit-set', settings);
    owner.emit('logit-choose', { u: owner.u });
  }

  /** Starts or stops Play. */
  play() {
    if (this.playing && !this.run.sweeps) return this.stop();
    this.#run(false);
  }

  /** Moves the knob slowly to one side and back, as an invitation in an idle first visit. */
  sweep() {
    if (!this.playing) this.#run(true);
  }

  /** @param {boolean} sweeps true for a sweep, false for Play */
  #run(sweeps) {
    this.goHome();
    this.#owner.plays();
    if (!sweeps) this.tell();
    const { name } = /** @type {TableRow} */ (this.knob.row);
    this.#home = { name, value: this.knob.value };
    this.run.begin(performance.now(), this.knob.share, sweeps);
    this.#setPlaying(true);
  }

  /**
   * During Play or a sweep, sets the knob to its value at the time `now`.
   * @param {number} now in ms
   * @param {boolean} stepped true if it moves in a few steps (reduced motion)
   */
  advance(now, stepped) {
    if (!this.playing) return;
    const { value, ended } = this.run.at(now, stepped, /** @type {TableRow} */ (this.knob.row));
    if (ended) {
      this.goHome();
      this.#owner.moved();
    } else if (value !== this.knob.value) this.move({ value }, false);
  }

  /** Ends Play or a sweep; the knob returns to its value before. */
  goHome() {
    this.#setPlaying(false);
    if (!this.#home) return;
    const { name, value } = this.#home;
    const { [name]: _, ...others } = this.knob.moved;
    this.knob.moved = value === null ? others : { ...others, [name]: value };
    this.#home = null;
  }

  /** Stops Play and keeps the knob's present value. After a sweep, the knob returns to its value before. */
  stop() {
    if (!this.playing) return;
    if (this.run.sweeps) return this.goHome();
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
