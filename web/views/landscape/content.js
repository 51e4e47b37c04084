/** Sends the landscape's requests to the engine and keeps the answers. It uses no DOM. */
import { LandscapeReader } from '../../state/landscape.js';
import { Names } from './names.js';
import { NAMED } from './labels.js';
import { ROWS } from './slice.js';

/**
 * @typedef {import('../../state/crossing.js').Crossing} Crossing
 * @typedef {import('../../state/first-frame.js').FirstFrame} FirstFrame
 * @typedef {import('./subject.js').Subject} Subject
 *
 * The news of LandscapeReader, and four more. `encoded`: the prompt has its tokens. `asked`: a new
 * request was sent. `knob`: the new request has another knob. `compared`: a comparison ended.
 * @typedef {'landscape' | 'reading' | 'text' | 'course' | 'ladder' | 'fault' | 'encoded' | 'asked' | 'knob' | 'compared'} News
 * @typedef {(news: News, slices?: import('../../state/landscape.js').Slices) => void} Tell
 */

export class Content {
  /** Number of readings and texts received so far. If a display notes an older number, it is outdated. */
  turn = 0;
  names = new Names();
  /** Null until an engine is open. @type {LandscapeReader | null} */
  reader = null;
  /** Null until an engine is open. @type {Subject | null} */
  subject = null;
  /** Token ids of the text at the start of the user's last change; null without a text. @type {number[] | null} */
  before = null;
  /** Answers that are part of the site, shown until an engine is open. @type {FirstFrame | null} */
  first = null;
  /** The last request. @type {Crossing | null} */
  #at = null;
  /** JSON of the last request; '' before it. */
  #asked = '';
  /**
   * While a comparison runs: a key of everything that must stay the same, taken at its first request and '' before
   * that. Null without a comparison.
   * @type {string | null}
   */
  #compared = null;
  #tell;

  /** @param {Tell} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /** Shows answers that are part of the site until an engine is open. @param {FirstFrame} first */
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

  /**
   * The source of the displayed answers: the engine's reader or the prepared answers.
   * @returns {Pick<LandscapeReader, 'landscape' | 'reading' | 'written'> | null}
   */
  get shown() {
    return this.reader ?? this.first;
  }

  /** The texts of the ladder below the picture; empty before the first answer. */
  get rungs() {
    return this.reader?.ladder?.rungs ?? this.first?.rungs ?? [];
  }

  /** The engine's answer to the last request; null while it computes. */
  get current() {
    const reading = this.reader?.reading;
    return reading && reading.at === this.#at ? reading : null;
  }

  /** The error that prevents a reading; null if none. */
  get fault() {
    return this.subject?.fault ?? this.reader?.fault ?? null;
  }

  /** Returns true if `prompt` is not the encoded prompt. @param {string | number[]} prompt */
  lacks(prompt) {
    return this.subject?.lacks(prompt) ?? false;
  }

  /** Encodes a prompt and reports `encoded`. @param {string | number[]} prompt */
  async take(prompt) {
    const { subject } = this;
    const taken = await subject?.take(prompt);
    if (taken && subject === this.subject) this.#tell('encoded');
  }

  /** Notes the ids of the present text, so that words which the change replaces can be marked. */
  begin() {
    this.before = this.reader?.written?.ids ?? null;
  }

  /**
   * Compares the next landscapes with the present one. The comparison goes on if the knob's value, u or seed changes;
   * it ends if the prompt, the knob or another setting changes.
   */
  compare() {
    this.#compared = '';
  }

  /**
   * Requests the answers for a value of the knob and a u, unless the last request was the same.
   * @param {Omit<Crossing, 'ids'>} crossing
   */
  ask(crossing) {
    const { reader, subject } = this;
    if (!reader || !subject || subject.empty) return;
    const at = { ids: subject.ids, ...crossing };
    const { knob, settings } = at;
    this.#keepComparison(at);
    // Sort the settings: the page may send equal settings in another order.
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
    const reader = /** @type {LandscapeReader} */ (this.reader);
    const { landscape, reading } = reader;
    /** Fetches names. Returns false if another model is open by then: its picture must not show these answers. */
    const name = async (/** @type {Iterable<number>} */ ids) => {
      try {
        await this.names.fetch(ids);
      } catch (error) {
        if (reader === this.reader) throw error;
      }
      return reader === this.reader;
    };
    if (news === 'landscape' && landscape) {
      const named = await name(landscape.ids.filter((_, k) => k % landscape.top < NAMED));
      return named && this.#tell(news, landscape);
    }
    if (news === 'reading' && reading) {
      const { drawn, trace, at } = reading;
      const first = trace.tokens.slice(0, ROWS).map(({ id }) => id);
      if (!(await name([drawn.id, ...first, ...at.past]))) return;
    }
    if (news === 'reading' || news === 'text') this.turn++;
    this.#tell(news);
  }

  /** The text between the prompt and the drawn token, token by token. */
  get past() {
    const { reading, written } = this.shown ?? {};
    return this.names.wordsOf(reading?.at.past ?? written?.past ?? []);
  }

  /**
   * Returns the text from the drawn token on, token by token. While the rest of the text is not written yet, the
   * result is the drawn token alone or followed by the old rest.
   * @param {number | null | undefined} eos the id that ends a text
   * @returns {{ id: number, text: string }[]}
   */
  wordsUntil(eos) {
    const { written, reading } = this.shown ?? {};
    const before = reading?.at.past ?? written?.past ?? [];
    const all = written ? [...this.names.wordsOf(written.past), ...written.steps] : [];
    const same = before.every((id, i) => i >= all.length || all[i].id === id);
    const steps = same ? all.slice(before.length) : [];
    const [first, ...others] = steps;
    const id = reading?.drawn.id;
    if (id === undefined || (first && first.id === id)) return steps;
    const drawn = { id, text: this.names.textOf(id) };
    return id === eos || !first ? [drawn] : [drawn, ...others];
  }
}
