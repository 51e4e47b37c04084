/**
 * Reads a landscape in four readings: the slices over one knob, the distribution and draw at the
 * crossing of its lines, the text that follows, and the course of a drawn token that no slice lists.
 * No reading waits for another. Each has one request in flight; a newer request replaces a waiting one.
 */
import { toFault } from '../engine/errors.js';
import { VALUES, valuesOf } from './knob-values.js';
import { Newest } from './newest.js';

/**
 * @typedef {import('./sources.js').Source} Source
 * @typedef {import('../engine/types.js').Landscape} Landscape
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../engine/types.js').TableRow} TableRow
 * @typedef {import('../engine/types.js').Trace} Trace
 * @typedef {import('../engine/types.js').Drawn} Drawn
 * @typedef {import('../engine/types.js').Generated} Generated
 * @typedef {import('../engine/types.js').Step} Step
 *
 * The crossing of the lines, with all input of the reading there.
 * @typedef {object} Crossing
 * @property {number[]} ids the text
 * @property {Settings} settings with the knob's value and the seed
 * @property {string} knob
 * @property {number} value of the knob
 * @property {number | null} u from 0 to 1, in place of the seed's first number; null to use the seed's
 *
 * @typedef {{ trace: Trace, drawn: Drawn, at: Crossing }} Reading
 * @typedef {Generated & { steps: Step[] }} Written
 * @typedef {import('../plots/landscape.js').Slices} Slices
 *
 * The probability of one token at all values of a landscape, even if no slice lists the token.
 * @typedef {{ river: import('../plots/landscape.js').River, landscape: Slices }} Course
 */

/** The numbers of tokens listed in a slice and in the distribution at the crossing. */
export const SLICE_TOP = 64;
export const READ_TOP = 24;
/** The length of the text after the prompt, in tokens. */
export const TEXT_TOKENS = 24;
/** The longest time that the worker may compute for one message, in ms. */
const BURST = 8;
/** If a slice takes longer than this, in ms, only every second slice is read. */
const SLOW = 4;
/** The distances between the slices in each round, in values of the knob; the first round is the coarsest. */
const STRIDES = [16, 4, 2, 1];

export class LandscapeReader {
  /** The slices read so far, at evenly spaced values. @type {Slices | null} */
  landscape = null;
  fine = false;
  /** @type {Reading | null} */
  reading = null;
  /** The text that follows; null without a model. @type {Written | null} */
  written = null;
  /** @type {import('../engine/errors.js').Fault | null} */
  fault = null;

  #source;
  #writer;
  #table;
  #changed;
  #key = '';
  /** True if the landscape may be shown before all slices are read. */
  #coarse;
  #closed = false;
  /** @type {Newest<Crossing, Reading>} */
  #reads;
  /** @type {Newest<Crossing, Written | null>} */
  #texts;
  /** @type {Newest<Crossing, void>} */
  #slices;
  /** @type {Newest<Reading, Course | null>} */
  #courses;
  /** The course that was read last. @type {Course | null} */
  #course = null;

  /**
   * @param {Source} source
   * @param {{ write: (options: any) => Promise<Written> } | null} writer another timeline, which writes the
   *   text; null without a model
   * @param {TableRow[]} table
   * @param {(what: 'landscape' | 'reading' | 'text' | 'course' | 'fault') => void} changed
   * @param {Pick<LandscapeReader, 'landscape' | 'reading' | 'written'> | null} [first] the frame to
   *   show until the first reading arrives
   */
  constructor(source, writer, table, changed, first = null) {
    this.landscape = first?.landscape ?? null;
    this.reading = first?.reading ?? null;
    this.written = first?.written ?? null;
    this.#coarse = first === null;
    this.#source = source;
    this.#writer = writer;
    this.#table = table;
    this.#changed = (/** @type {Parameters<typeof changed>[0]} */ what) => {
      if (!this.#closed) changed(what);
    };
    /** @type {<T, R>(work: (asked: T) => Promise<R>, take: (result: R) => void) => Newest<T, R>} */
    const newest = (work, take) => {
      const requests = new Newest(work, take, (error) => {
        if (requests.waiting) return;
        this.fault = toFault(error);
        this.#changed('fault');
      });
      return requests;
    };
    this.#reads = newest(
      (asked) => this.#read(asked),
      (reading) => {
        this.reading = reading;
        this.fault = null;
        this.#changed('reading');
      },
    );
    this.#texts = newest(
      (asked) => this.#write(asked),
      (written) => {
        this.written = written;
        this.#changed('text');
      },
    );
    this.#slices = newest(
      (asked) => this.#slice(asked),
      () => {},
    );
    this.#courses = newest(
      (reading) => this.#follow(reading),
      (course) => {
        if (course) this.#course = course;
        this.#changed('course');
      },
    );
  }

  get busy() {
    const all = [this.#reads, this.#texts, this.#slices, this.#courses];
    return all.some(({ busy }) => busy);
  }

  /** The course of the drawn token; null if the slice at the knob lists the token. */
  get course() {
    const { river, landscape } = this.#course ?? {};
    const current = landscape === this.landscape && river?.id === this.reading?.drawn.id;
    return river && current && this.#unlisted ? river : null;
  }

  get #unlisted() {
    const { landscape, reading } = this;
    return landscape !== null && reading !== null && reading.drawn.rank > landscape.top;
  }

  /** Reads the course of the drawn token if no other reading is in flight. */
  follow() {
    const { reading } = this;
    if (!reading || this.fault || this.busy || !this.#unlisted || this.course) return;
    this.#courses.ask(reading);
  }

  /** Reads everything for a new crossing. @param {Crossing} asked */
  ask(asked) {
    const { ids, knob, settings } = asked;
    const key = JSON.stringify([ids, knob, { ...settings, [knob]: 0 }]);
    this.#reads.ask(asked);
    this.#texts.ask(asked);
    if (key === this.#key) return;
    this.#key = key;
    this.#slices.ask(asked);
  }

  close() {
    this.#closed = true;
  }

  /**
   * @param {Crossing} asked
   * @returns {Promise<Reading>}
   */
  async #read(asked) {
    const { ids, settings, u } = asked;
    await this.#source.moveTo({ ids, settings, step: 0 });
    const choice = u === null || settings.draw === 'gumbel' ? { step: 0 } : { step: 0, u };
    const { trace, drawn } = await this.#source.read({ ...settings, top: READ_TOP }, choice);
    return { trace, drawn, at: asked };
  }

  /** @param {Crossing} asked */
  async #write({ ids, settings, u }) {
    if (!this.#writer) return null;
    const first = u === null || settings.draw === 'gumbel' ? {} : { u };
    const options = { ...settings, ...first, prompt: ids, max_new_tokens: TEXT_TOKENS };
    return this.#writer.write(options);
  }

  /**
   * Reads the drawn token's probability at each value of the landscape, a few values at a time; returns
   * null if a newer request replaces this one.
   * @param {Reading} reading
   * @returns {Promise<Course | null>}
   */
  async #follow({ drawn: { id }, at: { ids, settings, knob } }) {
    const landscape = /** @type {Slices} */ (this.landscape);
    const { values, stepped = false } = landscape;
    const n = values.length;
    const river = { id, before: new Float64Array(n), after: new Float64Array(n), stepped };
    await this.#source.moveTo({ ids, settings, step: 0 });
    for (let at = 0, some = 1; at < n; ) {
      const began = performance.now();
      const asked = values.slice(at, at + some);
      const options = { top: 0, step: 0, token: id };
      const { token } = await this.#source.landscape(settings, knob, asked, options);
      if (this.#reads.busy || this.#closed) return null;
      const { before, p } = /** @type {import('../engine/types.js').TokenCourse} */ (token);
      river.before.set(before, at);
      river.after.set(
        before.map((mass, i) => Math.min(1, mass + p[i])),
        at,
      );
      at += asked.length;
      const cost = (performance.now() - began) / asked.length;
      some = Math.max(1, Math.floor(BURST / cost));
    }
    return { river, landscape };
  }

  /**
   * True if only every second slice is read; false if the first frame shows every slice.
   * @param {number} cost the time to read one slice, in ms
   */
  #halved(cost) {
    return this.#coarse && cost > SLOW;
  }

  /**
   * Reads the slices in the order of STRIDES, for about BURST ms a message.
   * @param {Crossing} asked
   */
  async #slice({ ids, settings, knob }) {
    const row = this.#table.find(({ name }) => name === knob);
    if (!row) return;
    const all = valuesOf(row);
    // The largest value turns the knob on, so `moveTo` also reads the second distribution if it needs one.
    await this.#source.moveTo({
      ids,
      settings: { ...settings, [knob]: all[all.length - 1] },
      step: 0,
    });
    const last = all.length - 1;
    /** @type {Map<number, Landscape & { at: number }>} */
    const found = new Map();
    let cost = 1;
    for (const stride of STRIDES.filter((each) => last % each === 0)) {
      if (stride === 1 && last >= VALUES && this.#halved(cost)) break;
      const places = Array.from({ length: last / stride + 1 }, (_, i) => i * stride);
      const missing = places.filter((place) => !found.has(place));
      while (missing.length > 0) {
        const some = missing.splice(0, Math.max(1, Math.floor(BURST / cost)));
        const values = some.map((place) => all[place]);
        const began = performance.now();
        const part = await this.#source.landscape(settings, knob, values, {
          top: SLICE_TOP,
          step: 0,
        });
        cost = (performance.now() - began) / some.length;
        if (this.#slices.waiting || this.#closed) return;
        some.forEach((place, at) => found.set(place, { ...part, at }));
      }
      this.fine = stride === 1 || (stride === 2 && this.#halved(cost));
      if (!this.fine && !this.#coarse) continue;
      this.#coarse = true;
      const stepped = row.kind === 'integer' && stride === 1 && last === row.high - row.low;
      this.landscape = { ...joined(places, all, found), stepped };
      this.#changed('landscape');
    }
  }
}

/**
 * Joins the slices at `places` into one landscape.
 * @param {number[]} places
 * @param {Float64Array} all
 * @param {Map<number, Landscape & { at: number }>} found
 * @returns {Landscape}
 */
function joined(places, all, found) {
  const { top } = /** @type {Landscape} */ (found.get(places[0]));
  const n = places.length;
  const whole = {
    values: Float64Array.from(places, (place) => all[place]),
    top,
    ids: new Uint32Array(n * top),
    p: new Float64Array(n * top),
  };
  places.forEach((place, i) => {
    const { ids, p, at } = /** @type {Landscape & { at: number }} */ (found.get(place));
    whole.ids.set(ids.subarray(at * top, (at + 1) * top), i * top);
    whole.p.set(p.subarray(at * top, (at + 1) * top), i * top);
  });
  return whole;
}
