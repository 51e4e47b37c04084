/**
 * <logit-strips>: the distribution of each strategy at one step as a strip, its tokens end to end from 0
 * to 1, and one needle through all strips: the common random number u. The strips are side by side over
 * the columns of the texts, or one above another without room for that. Asks with "logit-at" ({ at }),
 * which does not leave its host.
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
 * One strategy at the step: its token, null after the end of the text, and the distribution, null until
 * it is read.
 * @typedef {{ strategy: import('../../engine/compare.js').Strategy, step: MeasuredStep | null,
 *   trace: Trace | null }} Slice
 */

/** The most strips side by side, and the least width for that in rem. */
const BESIDE = 4;
const ROOM = 44;
/** The height of strips side by side, and the width beside one in a row, in rem. */
const HEIGHT = 11;
const ASIDE = { wide: 28, narrow: 8 };
/** The room for a name in 1/16 rem: the width of a letter, and the height of a line. */
const LETTER = 8;
const LINE = 20;
/** Tokens below this length, in 1/16 rem, have no line between them. */
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
    /** The number of steps. */
    this.count = 0;
    this.eos = -1;
  }

  /** The common u; null if no strategy draws with one. */
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

  /** The end token has a name of its own. @param {{ id: number, text: string }} token */
  #token({ id, text }) {
    return { id, text: id === this.eos ? `‹${t('text.end')}›` : text, special: false };
  }

  /** A token without the space before a word. @param {MeasuredStep} step */
  #named(step) {
    return visibleHtml(this.#token({ ...step, text: step.text.replace(/^ (?=\S)/, '') }));
  }

  /** The drawn tokens, for a screen reader. @param {number | null} u */
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
