/**
 * <logit-sentences>: whole texts by their exact probability, sharpened in two ways: every token cooled, or every text
 * raised to a power. A river is one text; the last band is all other texts. A model with many words shows its next
 * tokens instead, and emits "logit-model" to ask for the small one.
 */
import { html, nothing, svg } from 'lit';
import { locales } from '#locales/sentences';
import { addMessages, briefPercent, number, plain, t } from '../../locale/locale.js';
import { define } from '../../base/element.js';
import { walkTo } from '../../base/handles.js';
import { help } from '../../base/help.js';
import { ModelElement } from '../../base/model-element.js';
import { Newest } from '../../state/newest.js';
import { Width } from '../../base/width.js';
import { sentence } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import { POWERS, layoutRivers, temperaturesOf } from './layout.js';
import sentencesStyles from './sentences.css';

addMessages(locales);

/** The share of all texts that the rivers hold at the model's own law. */
const MASS = 0.995;
/** A vocabulary up to this size has whole sentences, a larger one its next tokens. */
const SMALL = 256;
const NEXT_TOKENS = 4;
const NEXT = { mass: 0.9, limit: 2000, max_new_tokens: NEXT_TOKENS };
/** The shipped model with whole sentences. */
const VERBS = 'verbs';
/** The most rows of the table. */
const ROWS = 30;
/** A narrower picture names fewer columns. In 1/16 rem. */
const NARROW = 560;
const RAISED = /** @type {Record<number, string>} */ ({ 2: 'p²', 4: 'p⁴', 8: 'p⁸', 16: 'p¹⁶' });

export class LogitSentences extends ModelElement {
  static properties = {
    ...ModelElement.properties,
    law: { state: true },
    at: { state: true },
    column: { state: true },
    trouble: { state: true },
  };

  static styles = [...ModelElement.styles, sentencesStyles];

  #width = new Width(this, '.rivers');
  /** The law for the newest prompt and settings. */
  #newest = new Newest(
    (
      /** @type {{ engine: any, prompt: any, settings: any, options: any }} */ {
        engine,
        prompt,
        settings,
        options,
      },
    ) => engine.law(prompt, settings, options),
    (law) => Object.assign(this, { law, trouble: null, at: 0 }),
    (error) => (this.trouble = toFault(error)),
  );
  #asked = '';

  constructor() {
    super();
    /** The law of the prompt; null until it is known. @type {any} */
    this.law = null;
    /** Index of the chosen text. */
    this.at = 0;
    /** The chosen column; null for the middle. @type {number | null} */
    this.column = null;
    /** @type {import('../../engine/errors.js').Fault | null} */
    this.trouble = null;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    super.updated(changed);
    const { engine, prompt, prompt_ids, asked } = this;
    const key = JSON.stringify([this.model, prompt, prompt_ids, asked]);
    if (!engine?.info || (!prompt && !prompt_ids) || key === this.#asked) return;
    this.#asked = key;
    this.#newest.ask({
      engine,
      prompt: prompt_ids ?? prompt,
      settings: { ...asked, temperature: this.#temperature },
      options: {
        ...(this.#whole ? { mass: MASS } : NEXT),
        knob: { name: 'temperature', values: temperaturesOf(this.#temperature) },
        powers: POWERS,
      },
    });
  }

  get #whole() {
    return (this.engine?.info?.vocab_size ?? 0) <= SMALL;
  }

  /** The temperature of the law itself. */
  get #temperature() {
    const { temperature = 1 } = /** @type {Record<string, any>} */ (this.asked);
    return temperature || 1;
  }

  render() {
    const { law, trouble } = this;
    const fault = trouble ?? this.fault;
    return html`
      <div class="head"><h3>${t('sentences.title')}</h3>${help(t('sentences.title'), t('sentences.about'))}</div>
      ${fault ? html`<p class="error" role="alert">${sentence(fault, this)}</p>` : nothing}
      <p class="lead">${law ? this.#lead(law) : t('sentences.reading')}
        ${law && !this.#whole ? html`<button class="quiet" data-command="verbs" @click=${() => this.emit('logit-model', { model: VERBS })}>${t('sentences.verbs')}</button>` : nothing}</p>
      <div class="ways" aria-hidden="true"><b class="cool">${t('sentences.cool')}</b><b class="sharp">${t('sentences.sharpen')}</b></div>
      <div class="rivers">${law && this.#width.width > 0 ? this.#renderRivers(law) : nothing}</div>
      ${law?.sentences.length ? this.#renderBelow(law) : nothing}`;
  }

  /** @param {any} law */
  #lead(law) {
    const values = {
      n: number(law.sentences.length),
      mass: briefPercent(law.mass),
      k: NEXT_TOKENS,
    };
    return t(this.#whole ? 'sentences.lead' : 'sentences.lead.next', values);
  }

  /** A text as the reader sees it. @param {any} it */
  #words(it) {
    return it.text.trim() || t('sentences.nothing');
  }

  /** @param {any} law */
  #renderRivers(law) {
    const { width, unit } = this.#width;
    const height = Math.min(520 * unit, Math.max(300 * unit, width * 0.4));
    const words = (/** @type {any} */ it) => this.#words(it);
    const layout = layoutRivers(law, { width, height, unit, words });
    const { rivers, rest, x, middle, columns } = layout;
    const column = this.column ?? middle;
    const show = (/** @type {PointerEvent} */ event) => this.#point(event, layout, height);
    const ticks = width < NARROW * unit ? [-16, -4, 1, 4, 16] : [-16, -8, -4, -2, 1, 2, 4, 8, 16];
    return html`<div class="walk" role="slider" tabindex="0" aria-label=${t('sentences.walk')} aria-valuemin="1"
      aria-valuemax=${law.sentences.length} aria-valuenow=${this.at + 1} aria-valuetext=${this.#told(law, layout)} @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event, law, columns, middle)}>
      <svg height=${height + 22 * unit} font-size=${13 * unit} aria-hidden="true" @pointermove=${show} @pointerdown=${show}>
        <path class="rest" d=${rest}></path>
        ${rivers.map(
          ({ index, colour, path }) =>
            svg`<path class="river ${colour < 0 ? `pale${index % 2}` : `c${colour}`} ${index === this.at ? 'chosen' : ''}" data-text=${index} d=${path}></path>`,
        )}
        <line class="middle" x1=${x(middle)} x2=${x(middle)} y1="0" y2=${height}></line>
        ${column === middle ? nothing : svg`<line class="column" x1=${x(column)} x2=${x(column)} y1="0" y2=${height}></line>`}
        ${rivers.map(({ index, names }) =>
          names.map(
            (at) =>
              svg`<text class="name" x=${at.x} y=${at.y} dy=".35em" text-anchor="middle">${words(law.sentences[index])}</text>`,
          ),
        )}
        ${ticks.map((power) => this.#renderTick(power, { x, middle, height, unit }))}
      </svg></div>
      <p class="told" aria-hidden="true">${this.#told(law, layout)}</p>`;
  }

  /**
   * Renders the name of a column: below 0 a temperature, above 1 a power.
   * @param {number} power
   * @param {{ x: (column: number) => number, middle: number, height: number, unit: number }} place
   */
  #renderTick(power, { x, middle, height, unit }) {
    const at = middle + (Math.sign(power) * Math.log2(Math.abs(power)) * middle) / 4;
    const temperature = plain(Number((this.#temperature / -power).toPrecision(2)));
    const words =
      power < 0 ? `T ${temperature}` : power === 1 ? t('sentences.itself') : RAISED[power];
    const anchor = at === 0 ? 'start' : at === 2 * middle ? 'end' : 'middle';
    return svg`<text class="tick" x=${x(at)} y=${height + 16 * unit} text-anchor=${anchor}>${words}</text>`;
  }

  /**
   * The words for a column: its temperature or power.
   * @param {import('./layout.js').Layout} layout
   */
  #place({ middle }) {
    const column = this.column ?? middle;
    if (column === middle) return t('sentences.itself');
    const value = (/** @type {number} */ it) => plain(Number(it.toPrecision(3)));
    if (column > middle) return t('sentences.at.power', { power: value(POWERS[column - middle]) });
    return t('sentences.at.temperature', { t: value(this.#temperature / POWERS[middle - column]) });
  }

  /** The numbers of the chosen text. @param {any} law @param {import('./layout.js').Layout} layout */
  #told(law, layout) {
    const chosen = law.sentences[this.at];
    if (!chosen) return '';
    const { shares } = layout.rivers[this.at];
    return t('sentences.told', {
      text: this.#words(chosen),
      p: briefPercent(chosen.p),
      rank: number(this.at + 1),
      place: this.#place(layout),
      share: briefPercent(shares[this.column ?? layout.middle]),
    });
  }

  /** Chooses text and column under the pointer. @param {PointerEvent} event @param {import('./layout.js').Layout} layout @param {number} height */
  #point({ offsetX, offsetY }, { rivers, x, columns }, height) {
    const column = Math.min(columns - 1, Math.max(0, Math.round(offsetX / x(1))));
    let left = offsetY / height;
    const under = rivers.find(({ shares }) => (left -= shares[column]) < 0);
    this.column = column;
    if (under) this.at = under.index;
  }

  /** Up and Down choose the text, Left and Right the column. @param {KeyboardEvent} event @param {any} law @param {number} columns @param {number} middle */
  #key(event, law, columns, middle) {
    const { key } = event;
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const to = (this.column ?? middle) + (key === 'ArrowLeft' ? -1 : 1);
      this.column = Math.min(columns - 1, Math.max(0, to));
      event.preventDefault();
      return;
    }
    const down = { ArrowUp: 'ArrowLeft', ArrowDown: 'ArrowRight' }[key] ?? key;
    const to = walkTo(
      /** @type {any} */ ({ key: down, preventDefault: () => event.preventDefault() }),
      this.at,
      law.sentences.length - 1,
    );
    if (to !== undefined) this.at = to;
  }

  /** Renders both ends of the picture in words, and the table. @param {any} law */
  #renderBelow(law) {
    const { greedy, sentences, rest } = law;
    const [mode] = sentences;
    const place = greedy.rank
      ? number(greedy.rank)
      : t('sentences.beyond', { n: number(sentences.length) });
    const last = (/** @type {Float64Array} */ list, /** @type {boolean} */ first) =>
      briefPercent(first ? list[0] : list[list.length - 1]);
    return html`
      <div class="ends"><p>${t('sentences.greedy', { text: this.#words(greedy), p: briefPercent(greedy.p), rank: place })}</p>
        <p>${t('sentences.mode', { text: this.#words(mode), p: briefPercent(mode.p) })}</p></div>
      <details class="table"><summary>${t('distribution.table')}</summary>
        <div class="scroll" tabindex="0" role="region" aria-label=${t('sentences.title')}>
          <table><thead><tr>${['text', 'p', 'cooled', 'sharpened'].map((key) => html`<th scope="col">${t(`sentences.head.${key}`)}</th>`)}</tr></thead>
            <tbody translate="no">${sentences.slice(0, ROWS).map(
              (
                /** @type {any} */ it,
              ) => html`<tr><th scope="row">${this.#words(it)}</th><td>${briefPercent(it.p)}</td>
                <td>${last(it.along, true)}</td><td>${last(it.sharpened, false)}</td></tr>`,
            )}<tr><th scope="row">${t('sentences.rest')}</th><td>${briefPercent(rest + sentences.slice(ROWS).reduce((/** @type {number} */ all, /** @type {any} */ it) => all + it.p, 0))}</td><td></td><td></td></tr></tbody></table>
        </div></details>`;
  }
}

define('logit-sentences', LogitSentences);
