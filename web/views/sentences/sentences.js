/**
 * <logit-sentences>: whole texts by their exact probability, sharpened in two ways: every token cooled, or every text
 * raised to a power. A river is one text; the last band is all other texts. A model with many words shows its next
 * tokens instead, and emits "logit-model" to ask for the small one. A press on a river unfolds the path of its text.
 * Emits "logit-prompt" for another prompt.
 */
import { html, nothing, svg } from 'lit';
import { locales } from '#locales/sentences';
import { addMessages, briefPercent, number, plain, t } from '../../locale/locale.js';
import { download } from '../../base/download.js';
import { define } from '../../base/element.js';
import { walkTo } from '../../base/handles.js';
import { help } from '../../base/help.js';
import { ModelElement } from '../../base/model-element.js';
import { Newest } from '../../state/newest.js';
import { Width } from '../../base/width.js';
import { toPng } from '../../base/svg-file.js';
import { sentence } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import { captionOf } from '../sweep/labels.js';
import { renderBeams } from './beams.js';
import { POWERS, layoutRivers, temperaturesOf } from './layout.js';
import sentencesStyles from './sentences.css';
import { renderWhy } from './why.js';

addMessages(locales);

/** The share of all texts that the rivers hold at the model's own law. */
const MASS = 0.995;
/** A vocabulary up to this size has whole sentences, a larger one its next tokens. */
const SMALL = 256;
const NEXT_TOKENS = 4;
const NEXT = { mass: 0.9, limit: 2000, max_new_tokens: NEXT_TOKENS };
/** The shipped model with whole sentences. */
const VERBS = 'verbs';
/** Its prompts with the largest differences between the two ways. */
const TELLING = ['Last night we', 'Yesterday Tom'];
/** Height above the rivers, in 1/16 rem. */
const HEAD = 24;
/** The most rows of the table. */
const ROWS = 30;
/** A narrower picture names fewer columns. In 1/16 rem. */
const NARROW = 560;
const RAISED = /** @type {Record<number, string>} */ ({ 2: 'p²', 4: 'p⁴', 8: 'p⁸', 16: 'p¹⁶' });

export class LogitSentences extends ModelElement {
  static properties = {
    ...ModelElement.properties,
    examples: { attribute: false },
    beam_width: { type: Number },
    law: { state: true },
    at: { state: true },
    column: { state: true },
    followed: { state: true },
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
    (law) =>
      Object.assign(this, {
        law,
        trouble: null,
        at: 0,
        followed: this.followed !== null && law.sentences.length ? 0 : null,
      }),
    (error) => (this.trouble = toFault(error)),
  );
  #asked = '';
  /** @type {{ key: unknown[], layout: import('./layout.js').Layout } | null} */
  #laid = null;

  constructor() {
    super();
    /** Prompts to choose. @type {string[]} */
    this.examples = [];
    /** Largest width of the beam searches that are shown; 0 for none. */
    this.beam_width = 0;
    /** The law of the prompt; null until it is known. @type {any} */
    this.law = null;
    /** Index of the chosen text. */
    this.at = 0;
    /** The chosen column; null for the middle. @type {number | null} */
    this.column = null;
    /** Index of the text with its path below the picture; null without. @type {number | null} */
    this.followed = null;
    /** @type {import('../../engine/errors.js').Fault | null} */
    this.trouble = null;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    super.updated(changed);
    const { engine, prompt, prompt_ids, asked } = this;
    const { beam_width } = this;
    const key = JSON.stringify([this.model, prompt, prompt_ids, asked, beam_width]);
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
        beams: Array.from({ length: beam_width }, (_, i) => i + 1),
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
    const layout = law && this.#width.width > 0 ? this.#layoutOf(law) : null;
    const fault = trouble ?? this.fault;
    const title = this.#title;
    return html`
      ${this.examples.length > 0 ? this.#renderPrompts() : nothing}
      <div class="head"><h3>${title}</h3>${help(title, t('sentences.about'))}</div>
      ${fault ? html`<p class="error" role="alert">${sentence(fault, this)}</p>` : nothing}
      <p class="lead">${law ? this.#lead(law) : t('sentences.reading')}
        ${law && !this.#whole ? html`<button class="quiet" data-command="verbs" @click=${() => this.emit('logit-model', { model: VERBS })}>${t('sentences.verbs')}</button>` : nothing}</p>
      <div class="rivers">${layout ? this.#renderRivers(law, layout) : nothing}</div>
      ${layout ? this.#renderWords(law, layout) : nothing}
      ${law?.beams.length ? renderBeams(law.beams, law.sentences.length, (it) => this.#words(it)) : nothing}
      ${law?.sentences.length ? this.#renderTable(law) : nothing}`;
  }

  get #title() {
    const prompt = (this.prompt ?? '').replaceAll('\n', '↵');
    const words = { prompt, k: NEXT_TOKENS };
    return t(this.#whole ? 'sentences.title' : 'sentences.title.next', words);
  }

  #renderPrompts() {
    const own = this.offer.name === VERBS ? TELLING : [];
    return html`<div class="prompts" role="group" aria-label=${t('sentences.prompts')} translate="no">${[
      ...own,
      ...this.examples,
    ].map(
      (prompt) => html`<button dir="auto" aria-pressed=${prompt === this.prompt}
        @click=${() => this.emit('logit-prompt', { prompt })}>${prompt}</button>`,
    )}</div>`;
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

  get #height() {
    const { width, unit } = this.#width;
    return Math.min(520 * unit, Math.max(300 * unit, width * 0.4));
  }

  /** The layout of the rivers, kept while law and size stay. @param {any} law */
  #layoutOf(law) {
    const { width, unit } = this.#width;
    const key = [law, width, unit, t('sentences.nothing')];
    if (!this.#laid || key.some((each, i) => each !== this.#laid?.key[i])) {
      const words = (/** @type {any} */ it) => this.#words(it);
      this.#laid = { key, layout: layoutRivers(law, { width, height: this.#height, unit, words }) };
    }
    return this.#laid.layout;
  }

  /** @param {any} law @param {import('./layout.js').Layout} layout */
  #renderRivers(law, layout) {
    const { width, unit } = this.#width;
    const height = this.#height;
    const head = HEAD * unit;
    const { rivers, rest, x, middle, columns } = layout;
    const column = this.column ?? middle;
    const show = (/** @type {PointerEvent} */ event) => this.#point(event, layout, height);
    const press = (/** @type {PointerEvent} */ event) => {
      show(event);
      this.followed = this.at;
    };
    const ticks = width < NARROW * unit ? [-16, -4, 1, 4, 16] : [-16, -8, -4, -2, 1, 2, 4, 8, 16];
    return html`<div class="walk" role="slider" tabindex="0" aria-label=${t('sentences.walk')} aria-valuemin="1"
      aria-valuemax=${law.sentences.length} aria-valuenow=${this.at + 1} aria-valuetext=${this.#told(law, layout)} @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event, law, columns, middle)}>
      <svg class="two" height=${head + height + 22 * unit} font-size=${13 * unit} aria-hidden="true" @pointermove=${show} @click=${press}>
        <text class="way" y=${15 * unit}>${t('sentences.cool')}</text>
        <text class="way" x=${width} y=${15 * unit} text-anchor="end">${t('sentences.sharpen')}</text>
        <g transform="translate(0 ${head})"><path class="rest" d=${rest}></path>
        ${rivers.map(
          ({ index, colour, path }) =>
            svg`<path class="river ${colour < 0 ? `pale${index % 2}` : `c${colour}`} ${index === this.at ? 'chosen' : ''}" data-text=${index} d=${path}></path>`,
        )}
        <line class="middle" x1=${x(middle)} x2=${x(middle)} y1="0" y2=${height}></line>
        ${column === middle ? nothing : svg`<line class="column pointer" x1=${x(column)} x2=${x(column)} y1="0" y2=${height}></line>`}
        ${rivers.map(({ index, names }) =>
          names.map(
            (at) =>
              svg`<text class="name" x=${at.x} y=${at.y} dy=".35em" text-anchor="middle">${this.#words(law.sentences[index])}</text>`,
          ),
        )}
        ${ticks.map((power) => this.#renderTick(power, { x, middle, height, unit }))}
      </g></svg></div>`;
  }

  /** Renders the chosen text's numbers, both ends of the picture in words, and the path. @param {any} law @param {import('./layout.js').Layout} layout */
  #renderWords(law, layout) {
    const { width, unit } = this.#width;
    const colourOf = (/** @type {number} */ index) => layout.rivers[index]?.colour ?? -1;
    const choose = (/** @type {number} */ index) =>
      Object.assign(this, { at: index, followed: index });
    return html`
      <div class="below"><p class="told" aria-hidden="true">${this.#told(law, layout)}</p>${this.#renderButtons()}</div>
      <div class="ends">${this.#ends(law).map((words) => html`<p>${words}</p>`)}</div>
      ${this.followed === null ? nothing : renderWhy({ law, at: this.followed, colourOf, width, unit, choose })}`;
  }

  #renderButtons() {
    const open = this.followed !== null;
    return html`<div class="buttons">
      <button class="quiet" data-command="why" aria-expanded=${open} @click=${() => (this.followed = open ? null : this.at)}>${t('sentences.why')} <span aria-hidden="true">${open ? '▴' : '▾'}</span></button>
      <button class="quiet" data-command="svg" @click=${() => this.#save('svg')}>${t('sentences.svg')}</button>
      <button class="quiet" data-command="png" @click=${() => this.#save('png')}>${t('sentences.png')}</button></div>`;
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
    let left = (offsetY - HEAD * this.#width.unit) / height;
    const under = rivers.find(({ shares }) => (left -= shares[column]) < 0);
    this.column = column;
    if (under) this.at = under.index;
  }

  /** Up and Down choose the text, Left and Right the column, Enter unfolds its path. @param {KeyboardEvent} event @param {any} law @param {number} columns @param {number} middle */
  #key(event, law, columns, middle) {
    const { key } = event;
    if (key === 'Enter') {
      this.followed = this.followed === this.at ? null : this.at;
      return;
    }
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
    if (to === undefined) return;
    this.at = to;
    if (this.followed !== null) this.followed = to;
  }

  /** Both ends of the picture in words: greedy and the most probable text. @param {any} law */
  #ends({ greedy, sentences }) {
    const [mode] = sentences;
    const rank = greedy.rank
      ? number(greedy.rank)
      : t('sentences.beyond', { n: number(sentences.length) });
    return [
      t('sentences.greedy', { text: this.#words(greedy), p: briefPercent(greedy.p), rank }),
      t('sentences.mode', { text: this.#words(mode), p: briefPercent(mode.p) }),
    ];
  }

  /**
   * Returns the picture as a file; null before the law is known.
   * @returns {Promise<import('../../base/svg-file.js').Shot | null>}
   */
  async picture() {
    const { law, engine, prompt } = this;
    const figure = /** @type {SVGSVGElement | null} */ (this.renderRoot.querySelector('svg.two'));
    if (!law || !engine?.info || !figure) return null;
    const { name } = engine.info;
    const settings = { ...this.asked, temperature: this.#temperature };
    const { standAlone } = await import('../../base/figure.js');
    return this.speak(() => {
      const plan = { axes: [], measures: [], prompt, settings };
      const inputs = captionOf(plan, { model: name, table: engine.table ?? [] });
      const lines = [this.#lead(law), ...this.#ends(law), ...inputs];
      const title = this.#title;
      return { name: `${name}-sentences`, title, svg: standAlone(figure, { title, lines }) };
    });
  }

  /** @param {'svg' | 'png'} kind */
  async #save(kind) {
    const shot = await this.picture();
    if (!shot) return;
    const { name, svg: text } = shot;
    if (kind === 'svg') download(`${name}.svg`, text, 'image/svg+xml');
    else download(`${name}.png`, await toPng(text), 'image/png');
  }

  /** @param {any} law */
  #renderTable(law) {
    const { sentences, rest } = law;
    const last = (/** @type {Float64Array} */ list, /** @type {boolean} */ first) =>
      briefPercent(first ? list[0] : list[list.length - 1]);
    return html`
      <details class="table"><summary>${t('distribution.table')}</summary>
        <div class="scroll" tabindex="0" role="region" aria-label=${this.#title}>
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
