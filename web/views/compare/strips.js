/**
 * <logit-strips>: what each strategy draws from at one step, its tokens laid end to end from 0 to 1,
 * and one needle through all of them: the random number u, the same for each. The strips stand side
 * by side where there is room, over the columns of the texts, or else one above another. Asks with
 * "logit-at" ({ at }), which does not leave its host.
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { fixed, number, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { layoutStrip } from '../../plots/strip.js';
import { LogitElement, define, valueOf } from '../../base/element.js';
import { spoken, visible, visibleHtml } from '../../base/visible.js';
import { Width } from '../../base/width.js';
import { letter, titleOf } from './strategy.js';
import stripsStyles from './strips.css';

/**
 * @typedef {import('../../engine/types.js').Trace} Trace
 * @typedef {import('../../engine/compare.js').MeasuredStep} MeasuredStep
 *
 * One strategy at the step: the token that was taken there, null where the text has ended before,
 * and what it was taken from, null until that is read.
 * @typedef {{ strategy: import('../../engine/compare.js').Strategy, step: MeasuredStep | null,
 *   trace: Trace | null }} Slice
 */

/** Strips stand side by side up to so many, and from so many rem on. */
const BESIDE = 4;
const ROOM = 44;
/** Height of strips side by side, and what stands beside one in a line, in rem. */
const HEIGHT = 11;
const ASIDE = { wide: 28, narrow: 8 };
/** A name needs so many pixels of 1/16 rem: across, a letter; upright, its line. */
const LETTER = 8;
const LINE = 20;
/** Below this nothing parts a token from the next: the lines would be all that is seen. */
const THREAD = 4;

export class LogitStrips extends LogitElement {
  static properties = {
    slices: { attribute: false },
    at: { attribute: false },
    count: { attribute: false },
    eos: { attribute: false },
  };

  static styles = [...LogitElement.styles, stripsStyles];

  #width = new Width(this, '.slices');

  constructor() {
    super();
    /** @type {Slice[]} */
    this.slices = [];
    /** The step, from 0. */
    this.at = 0;
    /** How many steps there are. */
    this.count = 0;
    this.eos = -1;
  }

  /** The number that all of them meet; null where none is drawn by one. */
  get #u() {
    return this.slices.find(({ step }) => typeof step?.u === 'number')?.step?.u ?? null;
  }

  render() {
    const { slices, at, count } = this;
    const u = this.#u;
    const { width, unit } = this.#width;
    const rows = slices.length > BESIDE || width < ROOM * 16 * unit;
    const needle = { '--n': slices.length, '--u': u ?? 0 };
    return html`
      <div class="head">
        <label class="label">${t('compare.at')}
          <input type="range" id="at" min="1" max=${Math.max(1, count)} step="1"
            .value=${live(String(at + 1))} aria-valuetext=${this.#say(u)}
            @input=${(/** @type {Event} */ event) => this.#ask(Number(valueOf(event)) - 1)}></label>
        <p><b class="number">${number(at + 1)}</b> <span class="of">/ ${number(count)}</span></p>
        <p class="u">${u === null ? t('compare.at.none') : html`<b>u = ${fixed(u, 4)}</b>`}</p>
        <p class="about">${t('compare.at.about')}</p>
      </div>
      <ol class="slices ${rows ? 'rows' : ''} ${u === null ? '' : 'drawn'}" ${cssom(needle)}>
        ${slices.map((slice, i) => this.#renderSlice(slice, i, u, rows))}
      </ol>`;
  }

  /**
   * @param {Slice} slice
   * @param {number} i
   * @param {number | null} u
   * @param {boolean} rows
   */
  #renderSlice({ strategy, step, trace }, i, u, rows) {
    const drawn = (strategy.kind ?? 'sample') === 'sample';
    return html`
      <li data-slice=${i} data-id=${step?.id ?? nothing} ${cssom({ '--i': i + 1 })}>
        <p class="name"><b class="letter">${letter(i)}</b><span>${titleOf(strategy)}${
          drawn ? nothing : html` <i>${t('compare.at.found')}</i>`
        }</span></p>
        <div class="strip" translate="no" aria-hidden="true">${
          trace && step ? this.#renderStrip(trace, step, u, rows) : nothing
        }</div>
        <p class="taken">${
          step
            ? html`<b class="token" translate="no">${this.#named(step)}</b> <span>${percent(drawn ? step.p : step.p_raw)}</span>`
            : html`<span class="ended">${t('compare.at.ended')}</span>`
        }</p>
      </li>`;
  }

  /**
   * @param {Trace} trace
   * @param {MeasuredStep} step
   * @param {number | null} u
   * @param {boolean} rows
   */
  #renderStrip(trace, step, u, rows) {
    const { segments } = layoutStrip({ trace, width: 1, u, nextId: step.id });
    const { width, unit } = this.#width;
    const aside = width < ROOM * 16 * unit ? ASIDE.narrow : ASIDE.wide;
    const length = rows ? width / unit - aside * 16 : HEIGHT * 16;
    const rest = t('draw.rest');
    return segments.map(({ token, from, to, isNext }) => {
      const text = token ? visible(this.#token(token)) : rest;
      const need = rows ? LETTER * ([...text].length + 1) : LINE;
      const room = (to - from) * length;
      const name = room < need ? nothing : html`<span>${text}</span>`;
      const kind = !token ? 'rest' : isNext ? 'next' : room < THREAD ? 'thread' : '';
      return html`<i class=${kind} title="${text} ${percent(to - from)}"
        ${cssom({ '--p': to - from })}>${name}</i>`;
    });
  }

  /** The end token under its name here. @param {{ id: number, text: string }} token */
  #token({ id, text }) {
    return { id, text: id === this.eos ? `‹${t('text.end')}›` : text, special: false };
  }

  /** A token as in its text: without the space before a word. @param {MeasuredStep} step */
  #named(step) {
    return visibleHtml(this.#token({ ...step, text: step.text.replace(/^ (?=\S)/, '') }));
  }

  /** What all draw, for a screen reader. @param {number | null} u */
  #say(u) {
    const drawn = this.slices.map(({ step }, i) => {
      const token = step && spoken({ ...step, special: false }, this.eos);
      return `${letter(i)}: ${token ?? t('compare.at.ended')}`;
    });
    const where = t('compare.at.words', { n: this.at + 1, u: u === null ? '–' : fixed(u, 4) });
    return `${where} ${drawn.join('; ')}`;
  }

  /** @param {number} at */
  #ask(at) {
    this.dispatchEvent(new CustomEvent('logit-at', { detail: { at } }));
  }
}

define('logit-strips', LogitStrips);
