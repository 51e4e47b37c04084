/**
 * <logit-lesson-picture>: a small picture of a lesson's first landscape: the probabilities over the values of its
 * knob.
 */
import { html, nothing, svg } from 'lit';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { shownToken } from '../../lessons/answer-words.js';
import lessonPictureStyles from './lesson-picture.css';

/** @import { Lesson } from '../../lessons/lesson-file.js' */

/** Number of values of the knob, and number of tokens with their own band. */
const VALUES = 33;
const BANDS = 6;
/** Width and height in units of the SVG, and the least height of a band that has a name. */
const [WIDTH, HEIGHT] = [320, 160];
const LINE = 22;

export class LogitLessonPicture extends elementWith(LogitElement, () => ({
  /** @type {Lesson | null} */
  lesson: null,
  /** @type {import('./reader.js').LessonReader | null} */
  reader: null,
  /** The tokens, each with its probability at every value. @type {{ text: string, ps: number[] }[]} */
  bands: [],
})) {
  static styles = [...LogitElement.styles, lessonPictureStyles];

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('lesson') || changed.has('reader')) this.#readRivers();
  }

  async #readRivers() {
    const { lesson, reader } = this;
    const figure = lesson?.parts.find((part) => part.figure?.show === 'landscape')?.figure;
    if (!figure || !reader) return;
    const { state, knob = 'temperature' } = figure;
    const row = (await reader.table()).find(
      (/** @type {{ name: string }} */ { name }) => name === knob,
    );
    if (!row) return;
    const read = (/** @type {Record<string, number>} */ settings) =>
      reader.read(state, { measure: 'kept', settings });
    const { trace } = await read({});
    const texts = trace.tokens.slice(0, BANDS).map(({ text }) => text);
    const bands = texts.map((text) => ({ text, ps: /** @type {number[]} */ ([]) }));
    for (let i = 0; i < VALUES; i++) {
      const value = row.low + ((row.high - row.low) * i) / (VALUES - 1);
      const { tokens } = (await read({ [knob]: value })).trace;
      for (const { text, ps } of bands)
        ps.push(tokens.find((token) => token.text === text)?.p ?? 0);
    }
    if (lesson === this.lesson) this.bands = bands;
  }

  render() {
    const { bands } = this;
    const floors = Array(VALUES).fill(0);
    return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
      <rect width=${WIDTH} height=${HEIGHT}></rect>
      ${bands.map(({ text, ps }, rank) => {
        const from = [...floors];
        for (const [i, p] of ps.entries()) floors[i] += p;
        return renderBand(shownToken(text), rank, from, [...floors]);
      })}</svg>`;
  }
}

/**
 * @param {string} name
 * @param {number} rank from 0
 * @param {number[]} from the sum of the bands above, from 0 to 1
 * @param {number[]} to
 */
function renderBand(name, rank, from, to) {
  const x = (/** @type {number} */ i) => ((WIDTH * i) / (VALUES - 1)).toFixed(1);
  const y = (/** @type {number} */ share) => (HEIGHT * share).toFixed(1);
  const upper = from.map((share, i) => `${x(i)} ${y(share)}`);
  const lower = to.map((share, i) => `${x(i)} ${y(share)}`).reverse();
  const heights = to.map((share, i) => HEIGHT * (share - from[i]));
  const inner = heights.slice(3, -6);
  const at = 3 + inner.indexOf(Math.max(...inner));
  const middle = (HEIGHT * (from[at] + to[at])) / 2;
  return svg`<path class="band-${rank}" d="M${upper.join('L')}L${lower.join('L')}Z"></path>
    ${heights[at] < LINE ? nothing : svg`<text x=${x(at)} y=${middle + 5}>${name}</text>`}`;
}

define('logit-lesson-picture', LogitLessonPicture);
