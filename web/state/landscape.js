/**
 * Reads a landscape from the engine in five parts: the slices (the distribution at each value of the knob), the
 * distribution and the draw at the lines' crossing, the text after it, the course of a drawn token that no slice
 * lists, and the texts of the ladder. Each part has one running request; a newer request replaces a waiting one. If
 * the text before the draw has changed, the text after it waits for the first slices, so that a slow model shows its
 * picture first. Course and ladder wait until all else is read.
 */
import { toFault } from '../engine/errors.js';
import { textOptions } from './crossing.js';
import { VALUES, valuesOf } from './knob-values.js';
import { Ladder } from './ladder.js';
import { Newest } from './newest.js';

/** @import { Source } from './sources.js' */
/** @import { Landscape, TableRow, Trace, Drawn, Generated, Step } from '../engine/types.js' */
/** @import { Crossing } from './crossing.js' */

/**
 * @typedef {{ trace: Trace, drawn: Drawn, at: Crossing }} Reading
 * @typedef {Generated & { steps: Step[], past: number[] }} Written `past`: the ids before `steps`
 * @typedef {import('../plots/landscape.js').Slices} Slices
 *
 * The probability of one token at all values of a landscape, even if no slice lists the token.
 * @typedef {{ river: import('../plots/landscape.js').River, landscape: Slices }} Course
 */

/** Number of tokens that are listed in a slice, and in the distribution at the crossing. */
export const SLICE_TOP = 64;
export const READ_TOP = 24;
/** Longest time in ms that the worker may compute for one message, so that others do not wait long. */
const BURST = 8;
/** If a slice takes longer than this (in ms), only every second one is read. */
const SLOW = 4;
/** Distances between the slices of each round, as a number of values of the knob. The first round is the coarsest. */
const STRIDES = [16, 4, 2, 1];

export class LandscapeReader {
  /** The slices read so far, at evenly spaced values of the knob. @type {Slices | null} */
  landscape = null;
  /** @type {Reading | null} */
  reading = null;
  /** The text after the draw; null without a model. @type {Written | null} */
  written = null;
  /** @type {import('../engine/errors.js').Fault | null} */
  fault = null;

  /** The texts of the ladder; null without a model. @type {Ladder | null} */
  ladder;

  #source;
  #writer;
  #table;
  #changed;
  /** A key of the ids for which logits were read last. */
  #ids = '';
  /**
   * Resolves when the first distribution and the first slices of new ids are read.
   * @type {Promise<unknown> | null}
   */
  #begun = null;
  #endReading = () => {};
  #endSlices = () => {};
  /** Ends the writing of the text. */
  #stop = new AbortController();
  #key = '';
  /** Number of requests for slices. */
  #requests = 0;
  /** True if a landscape may be shown before all its slices are read. */
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
  /** The course that was read last: a token's probability at each value of the knob. @type {Course | null} */
  #course = null;

  /**
   * @param {Source} source
   * @param {import('./ladder.js').Writer | null} writer another timeline, which writes the
   *   text; null without a model
   * @param {TableRow[]} table
   * @param {(what: 'landscape' | 'reading' | 'text' | 'course' | 'ladder' | 'fault') => void} changed
   * @param {Pick<import('./first-frame.js').FirstFrame, 'landscape' | 'reading' | 'written' | 'rungs'>
   *   | null} [first] the frame to show until the first reading arrives
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
    this.ladder = writer && new Ladder(writer, table, () => this.#changed('ladder'), first?.rungs);
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
      (asked) => this.#read(asked).finally(() => this.#endReading()),
      (reading) => {
        this.reading = reading;
        this.fault = null;
        this.#changed('reading');
      },
    );
    this.#texts = newest(
      (asked) => this.#write(asked),
      (written) => {
        if (!written || written.finish_reason === 'aborted') return;
        this.written = written;
        this.#changed('text');
      },
    );
    this.#slices = newest(
      (asked) => this.#readSlices(asked).finally(() => this.#slices.waiting || this.#endSlices()),
      () => {},
    );
    this.#courses = newest(
      (reading) => this.#readCourse(reading),
      (course) => {
        if (course) this.#course = course;
        this.#changed('course');
      },
    );
  }

  get busy() {
    return this.#reading || this.#courses.busy || (this.ladder?.busy ?? false);
  }

  /** True while slices, the distribution or the text are being read. */
  get #reading() {
    return [this.#reads, this.#texts, this.#slices].some(({ busy }) => busy);
  }

  /** The course of the drawn token; null if the slice at the knob's value lists this token. */
  get course() {
    const { river, landscape } = this.#course ?? {};
    const current = landscape === this.landscape && river?.id === this.reading?.drawn.id;
    return river && current && this.#drawnIsUnlisted ? river : null;
  }

  get #drawnIsUnlisted() {
    const { landscape, reading } = this;
    return landscape !== null && reading !== null && reading.drawn.rank > landscape.top;
  }

  /** If nothing else is being read, reads the course of the drawn token if it is needed, else the ladder. */
  follow() {
    const { reading } = this;
    if (!reading || this.fault || this.busy) return;
    if (this.#drawnIsUnlisted && !this.course) this.#courses.ask(reading);
    else this.ladder?.ask(reading.at);
  }

  /** Requests everything for new values of knob and u. @param {Crossing} asked */
  ask(asked) {
    const { ids, past, knob, settings } = asked;
    const all = JSON.stringify([ids, past]);
    const key = JSON.stringify([all, knob, { ...settings, [knob]: 0 }]);
    this.#reads.ask(asked);
    if (all !== this.#ids) {
      this.#ids = all;
      this.#endReading();
      this.#endSlices();
      this.#begun = Promise.all([
        new Promise((resolve) => (this.#endReading = () => resolve(null))),
        new Promise((resolve) => (this.#endSlices = () => resolve(null))),
      ]);
      this.#stop.abort();
      this.#stop = new AbortController();
    }
    this.ladder?.stop();
    this.#texts.ask(asked);
    if (key === this.#key) return;
    this.#key = key;
    this.#slices.ask(asked);
  }

  close() {
    this.#closed = true;
    this.#stop.abort();
    this.ladder?.stop();
  }

  /**
   * @param {Crossing} asked
   * @returns {Promise<Reading>}
   */
  async #read(asked) {
    const { settings, u } = asked;
    const step = await this.#moveTo(asked);
    const choice = u === null || settings.draw === 'gumbel' ? { step } : { step, u };
    const { trace, drawn } = await this.#source.read({ ...settings, top: READ_TOP }, choice);
    return { trace, drawn, at: asked };
  }

  /**
   * Moves the source to the position of the draw. Returns the number of the step.
   * @param {Pick<Crossing, 'ids' | 'past' | 'settings'>} asked
   */
  async #moveTo({ ids, past, settings }) {
    const step = past.length;
    await this.#source.moveTo({ ids: [...ids, ...past], settings, step });
    return step;
  }

  /** @param {Crossing} asked @returns {Promise<Written | null>} */
  async #write(asked) {
    if (!this.#writer) return null;
    let begun;
    do await (begun = this.#begun);
    while (begun !== this.#begun);
    await this.ladder?.pass;
    if (this.#texts.waiting) return null;
    const { signal } = this.#stop;
    const written = await this.#writer.write({ ...textOptions(asked), signal });
    return { ...written, past: asked.past };
  }

  /**
   * Reads the drawn token's probability at each value of the knob, a few values at a time. Returns null if a newer
   * request comes.
   * @param {Reading} reading
   * @returns {Promise<Course | null>}
   */
  async #readCourse({ drawn: { id }, at }) {
    const { settings, knob } = at;
    const landscape = /** @type {Slices} */ (this.landscape);
    const { values, stepped = false } = landscape;
    const n = values.length;
    const river = { id, before: new Float64Array(n), after: new Float64Array(n), stepped };
    const step = await this.#moveTo(at);
    for (let from = 0, some = 1; from < n; ) {
      const began = performance.now();
      const asked = values.slice(from, from + some);
      const options = { top: 0, step, token: id };
      const { token } = await this.#source.landscape(settings, knob, asked, options);
      if (this.#reads.busy || this.#closed) return null;
      const { before, p } = /** @type {import('../engine/types.js').TokenCourse} */ (token);
      river.before.set(before, from);
      river.after.set(
        before.map((mass, i) => Math.min(1, mass + p[i])),
        from,
      );
      from += asked.length;
      const cost = (performance.now() - began) / asked.length;
      some = Math.max(1, Math.floor(BURST / cost));
    }
    return { river, landscape };
  }

  /**
   * Returns true if only every second slice is read, because reading is slow. If the first frame had every slice, all
   * are read.
   * @param {number} cost the time to read one slice, in ms
   */
  #needsHalf(cost) {
    return this.#coarse && cost > SLOW;
  }

  /**
   * Reads the slices, coarse rounds first, in messages of about BURST ms.
   * @param {Crossing} asked
   */
  async #readSlices({ ids, past, settings, knob }) {
    const row = this.#table.find(({ name }) => name === knob);
    if (!row) return;
    const all = valuesOf(row);
    // At its largest value, the knob is on: then `moveTo` also reads the second distribution if the knob needs one.
    const turnedOn = { ...settings, [knob]: all[all.length - 1] };
    const step = await this.#moveTo({ ids, past, settings: turnedOn });
    const last = all.length - 1;
    const request = ++this.#requests;
    /** @type {Map<number, Landscape & { at: number }>} */
    const found = new Map();
    let cost = 1;
    for (const stride of STRIDES.filter((each) => last % each === 0)) {
      if (stride === 1 && last >= VALUES && this.#needsHalf(cost)) break;
      const places = Array.from({ length: last / stride + 1 }, (_, i) => i * stride);
      const missing = places.filter((place) => !found.has(place));
      while (missing.length > 0) {
        const some = missing.splice(0, Math.max(1, Math.floor(BURST / cost)));
        const values = some.map((place) => all[place]);
        const began = performance.now();
        const part = await this.#source.landscape(settings, knob, values, {
          top: SLICE_TOP,
          step,
        });
        cost = (performance.now() - began) / some.length;
        if (this.#slices.waiting || this.#closed) return;
        some.forEach((place, at) => found.set(place, { ...part, at }));
      }
      const fine = stride === 1 || (stride === 2 && this.#needsHalf(cost));
      if (!fine && !this.#coarse) continue;
      this.#coarse = true;
      const stepped = row.kind === 'integer' && stride === 1 && last === row.high - row.low;
      this.landscape = { ...joinSlices(places, all, found), stepped, request };
      this.#changed('landscape');
      this.#endSlices();
    }
  }
}

/**
 * Joins the slices that were read into one landscape.
 * @param {number[]} places
 * @param {Float64Array} all
 * @param {Map<number, Landscape & { at: number }>} found
 * @returns {Landscape}
 */
function joinSlices(places, all, found) {
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
