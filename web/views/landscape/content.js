/** Everything that the landscape asks of the engine, and the answers. It needs no document. */
import { LandscapeReader } from '../../state/landscape.js';
import { Names } from './names.js';
import { NAMED } from './picture.js';
import { ROWS } from './slice.js';

/**
 * @typedef {import('../../state/landscape.js').Crossing} Crossing
 * @typedef {import('../../state/first-frame.js').FirstFrame} FirstFrame
 * @typedef {import('./subject.js').Subject} Subject
 *
 * The news of LandscapeReader, and four more. `encoded`: the prompt has its tokens. `asked`: another
 * crossing is requested. `knob`: the knob of that crossing is another. `compared`: a comparison ended.
 * @typedef {'landscape' | 'reading' | 'text' | 'course' | 'fault' | 'encoded' | 'asked' | 'knob' | 'compared'} News
 * @typedef {(news: News, slices?: import('../../state/landscape.js').Slices, fine?: boolean) => void} Tell
 */

export class Content {
  /** Counts readings and texts: a display of an earlier count is stale. */
  turn = 0;
  names = new Names();
  /** Null until an engine is open. @type {LandscapeReader | null} */
  reader = null;
  /** Null until an engine is open. @type {Subject | null} */
  subject = null;
  /** The token ids of the text when the last change began. @type {number[] | null} */
  before = null;
  /** Shown until the engine has read the same. @type {FirstFrame | null} */
  first = null;
  /** The last request. @type {Crossing | null} */
  #at = null;
  /** The last request as text. */
  #asked = '';
  /** Key of everything except knob and u, taken at the first request of a comparison; '' before it, null without a comparison. @type {string | null} */
  #compared = null;
  #tell;

  /** @param {Tell} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /** Shows prepared answers until an engine is open. @param {FirstFrame} first */
  prepare(first) {
    this.first = first;
    this.names.begin(null, first.pieces);
  }

  /**
   * @param {Subject} subject
   * @param {import('../../engine/types.js').TableRow[]} table
   */
  open(subject, table) {
    const { first } = this;
    this.subject = subject;
    this.names.begin(subject.source, first?.pieces);
    this.reader = new LandscapeReader(
      subject.source,
      subject.writer,
      table,
      (news) => this.#onRead(news),
      first?.landscape ? first : null,
    );
    this.first = null;
  }

  close() {
    this.reader?.close();
    this.reader = null;
    this.subject?.close();
    this.subject = null;
    this.#asked = '';
    this.names.begin(null, this.first?.pieces);
  }

  /** The answers to show. @returns {Pick<LandscapeReader, 'landscape' | 'reading' | 'written'> | null} */
  get shown() {
    return this.reader ?? this.first;
  }

  /** The reading of the last request; null until it is there. */
  get current() {
    const reading = this.reader?.reading;
    return reading && reading.at === this.#at ? reading : null;
  }

  /** The reason why nothing is read. */
  get fault() {
    return this.subject?.fault ?? this.reader?.fault ?? null;
  }

  /** True if another prompt than the last one waits to be encoded. @param {string | number[]} prompt */
  lacks(prompt) {
    return this.subject?.lacks(prompt) ?? false;
  }

  /** Encodes a prompt. @param {string | number[]} prompt */
  async take(prompt) {
    const { subject } = this;
    const taken = await subject?.take(prompt);
    if (taken && subject === this.subject) this.#tell('encoded');
  }

  /** Keeps the ids of the text, so that a change can be marked. */
  begin() {
    this.before = this.reader?.written?.ids ?? null;
  }

  /** Compares the next landscape with the present one until anything but the crossing changes. */
  compare() {
    this.#compared = '';
  }

  /**
   * Asks for the answers of a crossing, unless it was asked for last.
   * @param {Omit<Crossing, 'ids'>} crossing
   */
  ask(crossing) {
    const { reader, subject } = this;
    if (!reader || !subject || subject.empty) return;
    const at = { ids: subject.ids, ...crossing };
    const { knob, settings } = at;
    this.#keepComparison(at);
    // The page names the same settings in another order.
    const key = JSON.stringify({ ...at, settings: Object.entries(settings).sort() });
    if (key === this.#asked) return;
    if (this.#at && this.#at.knob !== knob) this.#tell('knob');
    this.#asked = key;
    this.#at = at;
    this.#tell('asked');
    reader.ask(at);
  }

  /** @param {Crossing} at */
  #keepComparison({ ids, knob, settings }) {
    if (this.#compared === null) return;
    const { seed: _, [knob]: __, ...others } = /** @type {Record<string, any>} */ (settings);
    const key = JSON.stringify([ids, knob, Object.entries(others).sort()]);
    this.#compared ||= key;
    if (this.#compared === key) return;
    this.#compared = null;
    this.#tell('compared');
  }

  /** @param {News} news */
  async #onRead(news) {
    const { landscape, fine, reading } = /** @type {LandscapeReader} */ (this.reader);
    if (news === 'landscape' && landscape) {
      await this.names.fetch(landscape.ids.filter((_, k) => k % landscape.top < NAMED));
      return this.#tell(news, landscape, fine);
    }
    if (news === 'reading' && reading) {
      const { drawn, trace } = reading;
      await this.names.fetch([drawn.id, ...trace.tokens.slice(0, ROWS).map(({ id }) => id)]);
    }
    if (news === 'reading' || news === 'text') this.turn++;
    this.#tell(news);
  }

  /**
   * The text after the prompt. Its first token is the one that the reading drew; the others follow
   * once they are written, unless the first one ends the text.
   * @param {number | null | undefined} eos
   */
  wordsUntil(eos) {
    const { written, reading } = this.shown ?? {};
    const steps = written?.steps ?? [];
    const [first, ...others] = steps;
    const id = reading?.drawn.id;
    if (!first || id === undefined || first.id === id) return steps;
    const drawn = { id, text: this.names.textOf(id) };
    return id === eos ? [drawn] : [drawn, ...others];
  }
}
