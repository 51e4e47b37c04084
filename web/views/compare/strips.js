/**
 * <logit-strips>: the distribution of each strategy at one step, as a strip of tokens from 0 to 1. A line through all
 * strips shows the common random number u and names each drawn token. The strips are columns below the texts, or rows
 * if there is no room. Emits "logit-at" to its host with the chosen step.
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { fixed, number, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { layoutBands } from '../../plots/strip.js';
import { LogitElement, define, elementWith, valueOf } from '../../base/element.js';
import { help } from '../../base/help.js';
import { spoken, visible, visibleHtml } from '../../base/visible.js';
import { Width } from '../../base/width.js';
import { letter, titleOf } from './strategy.js';
import stripsStyles from './strips.css';

/** @import { Trace } from '../../engine/types.js' */
/** @import { MeasuredStep } from '../../engine/compare.js' */

/**
 * The data of a strip: one strategy at one step. `step` is the token of its text, or null after the end of the text.
 * `trace` is the distribution, or null until it is read.
 * @typedef {{ strategy: import('../../engine/compare.js').Strategy, step: MeasuredStep | null,
 *   trace: Trace | null }} Slice
 */

/** Most strips in columns, and the least width in rem for columns. */
const BESIDE = 4;
const ROOM = 44;
/** Least and greatest height of strips in columns, and the height of everything else in the view, in rem. */
const [LOW, HIGH, AROUND] = [14, 28, 42];
/** Width in rem of the text beside a strip that is a row. */
const ASIDE = { wide: 34, narrow: 13 };
/** Room for a name, in 1/16 rem: width of a letter, height of a line. */
const LETTER = 8;
const LINE = 15;
/** In a band of several tokens, a token gets its own edge only from this length on, in 1/16 rem. */
const PART = 3;

export class LogitStrips extends elementWith(LogitElement, () => ({
  /** @type {Slice[]} */
  slices: [],
  /** Index of the step. */
  at: 0,
  /** The number of steps. */
  count: 0,
  eos: -1,
})) {
  static styles = [...LogitElement.styles, stripsStyles];

  #width = new Width(this, '.slices');

  render() {
    const { slices, at, count } = this;
    const u = commonU(slices);
    const { width, unit } = this.#width;
    const rows = slices.length > BESIDE || width < ROOM * 16 * unit;
    const needle = { '--n': slices.length, '--u': u ?? 0, '--tall': this.#columnHeight };
    return html`
      <div class="head">
        <label class="label">${t('compare.at')}
          <input type="range" id="at" min="1" max=${Math.max(1, count)} step="1"
            .value=${live(String(at + 1))} aria-valuetext=${this.#describe(u)}
            @input=${(/** @type {Event} */ event) => this.#emitStep(Number(valueOf(event)) - 1)}></label>
        <p><b class="number">${number(at + 1)}</b> <span class="of">/ ${number(count)}</span></p>
        <p class="u">${u === null ? t('compare.at.none') : html`<b>u = ${fixed(u, 4)}</b>`}</p>
        ${help('u', `${t('compare.at.about')} ${t('compare.about')}`)}
      </div>
      <ol class="slices ${rows ? 'rows' : ''} ${u === null ? '' : 'needled'}" ${cssom(needle)}>
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
    const bands = trace && step ? this.#bandsOf(trace, step, u, rows) : [];
    const taken = bands.find(({ kind }) => kind === 'drawn');
    const middle = taken ? (taken.from + taken.to) / 2 : 0.5;
    const uncounted = bands.filter(({ kind, said }) => kind === 'more' && !said);
    const more = uncounted.reduce((sum, { count }) => sum + count, 0);
    return html`
      <li data-slice=${i} data-id=${step?.id ?? nothing} ${cssom({ '--i': i + 1, '--at': drawn && u !== null ? u : middle })}>
        <p class="name"><b class="letter">${letter(i)}</b><span>${titleOf(strategy)}${
          drawn ? nothing : html` <i>${t('compare.at.found')}</i>`
        }</span></p>
        <div class="strip" translate="no" aria-hidden="true">${bands.map((band) => this.#renderBand(band, rows))}</div>
        <p class="taken">${
          step
            ? html`<b class="token" translate="no">${visibleHtml(this.#nameOf(step))}</b> <span>${percent(drawn ? step.p : step.p_raw)}</span>`
            : html`<span class="ended">${t('compare.at.ended')}</span>`
        }</p>
        <p class="count" data-count=${more}>${more > 0 ? t('compare.at.more', { n: more }) : ''}</p>
      </li>`;
  }

  /**
   * @param {Trace} trace
   * @param {MeasuredStep} step
   * @param {number | null} u
   * @param {boolean} rows
   */
  #bandsOf(trace, step, u, rows) {
    const length = this.#stripLength(rows);
    const letters = (/** @type {string} */ text) => LETTER * ([...text].length + 1);
    const more = letters(t('compare.at.more', { n: trace.kept }));
    /** @param {number} share @param {import('../../engine/types.js').TraceToken | null} token */
    const fits = (share, token) => {
      const need = token ? letters(visible(this.#nameOf(token))) : more;
      return share * length >= (rows ? need : LINE);
    };
    return layoutBands({ trace, u, nextId: step.id, fits });
  }

  /** Returns the length of a strip, in 1/16 rem. @param {boolean} rows */
  #stripLength(rows) {
    const { width, unit } = this.#width;
    const aside = width < ROOM * 16 * unit ? ASIDE.narrow : ASIDE.wide;
    return rows ? width / unit - aside * 16 : this.#columnHeight * 16;
  }

  /** Height of strips in columns, in rem: higher in a high window. */
  get #columnHeight() {
    return Math.min(HIGH, Math.max(LOW, innerHeight / (16 * this.#width.unit) - AROUND));
  }

  /** @param {import('../../plots/strip.js').Band} band @param {boolean} rows */
  #renderBand({ kind, token, count, from, to, said, parts }, rows) {
    const name = token ? visible(this.#nameOf(token)) : t('compare.at.more', { n: count });
    const visibleParts = parts.filter((share) => share * this.#stripLength(rows) >= PART);
    return html`<i class=${kind} data-count=${count} title="${name} ${percent(to - from)}"
      ${cssom({ '--p': to - from })}>${visibleParts.map(
        (share) => html`<s ${cssom({ '--p': share, '--of': share / (to - from) })}></s>`,
      )}${said && kind !== 'drawn' ? html`<span>${name}</span>` : nothing}</i>`;
  }

  /** @param {{ id: number, text: string }} token */
  #nameOf(token) {
    return namedToken(token, this.eos);
  }

  /** Returns a sentence with all drawn tokens, for screen readers. @param {number | null} u */
  #describe(u) {
    const drawn = this.slices.map(({ step }, i) => {
      const token = step && spoken({ ...step, special: false }, this.eos);
      return `${letter(i)}: ${token ?? t('compare.at.ended')}`;
    });
    const where = t('compare.at.words', { n: this.at + 1, u: u === null ? '–' : fixed(u, 4) });
    return `${where} ${drawn.join('; ')}`;
  }

  /** @param {number} at */
  #emitStep(at) {
    this.dispatchEvent(new CustomEvent('logit-at', { detail: { at } }));
  }
}

/**
 * Returns the text of a token without its leading space; for the end token, a name.
 * @param {{ id: number, text: string }} token
 * @param {number} eos
 */
export function namedToken({ id, text }, eos) {
  const name = id === eos ? `‹${t('text.end')}›` : text.replace(/^ (?=\S)/, '');
  return { id, text: name, special: false };
}

/** Returns the random number that the strategies share; null if none uses it. @param {Slice[]} slices */
export function commonU(slices) {
  return slices.find(({ step }) => typeof step?.u === 'number')?.step?.u ?? null;
}

define('logit-strips', LogitStrips);
