/**
 * <logit-sentences>: whole texts by their exact probability. A river is one text; the pictures of pictures.js give
 * them different columns. A model with many words shows its next tokens instead, and emits "logit-model" to ask for the
 * small one. A press on a river unfolds the path of its text. Emits "logit-prompt" for another prompt and
 * "logit-choose" for another picture.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/sentences';
import { addMessages, briefPercent, number, t } from '../../locale/locale.js';
import { centre } from '../../base/centre.js';
import { download } from '../../base/download.js';
import { define, elementWith } from '../../base/element.js';
import { walkTo } from '../../base/handles.js';
import { help } from '../../base/help.js';
import { ModelElement } from '../../base/model-element.js';
import { Newest } from '../../state/newest.js';
import { settingName } from '../../base/setting-words.js';
import { Width } from '../../base/width.js';
import { toPng } from '../../base/svg-file.js';
import { sentence } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import { fetchJson } from '../../state/assets.js';
import { Debounce } from '../../base/debounce.js';
import { cssom } from '../../plots/cssom.js';
import { captionOf } from '../sweep/labels.js';
import { renderBeams } from './beams.js';
import { renderAllowed, renderChoices, renderPrompts } from './controls.js';
import { COLOURED, layoutScene } from './layout.js';
import { PICTURES, knobsOf, leadOfRight, tellingTexts } from './pictures.js';
import { HEAD, renderRivers, sideOf } from './rivers.js';
import sentencesStyles from './sentences.css';
import { renderPath, renderWhy } from './why.js';

addMessages(locales);

/** The share of all texts that the rivers hold at the model's own law, and the most prefixes that this may take. */
const WHOLE = { mass: 0.995, limit: 6000 };
/** A vocabulary up to this size has whole sentences, a larger one its next tokens. */
const SMALL = 256;
const NEXT_TOKENS = 4;
const NEXT = { mass: 0.9, limit: 2000, max_new_tokens: NEXT_TOKENS };
/** The shipped model with whole sentences. */
const VERBS = 'verbs';
/** Its prompts with the largest differences between the two ways. */
const TELLING = ['Last night we', 'Yesterday Tom'];
/** The most rows of the table. */
const ROWS = 30;
/** A narrower picture names fewer columns. In 1/16 rem. */
const NARROW = 560;
/** Height of the page above the picture and of the lines below it, in 1/16 rem. */
const ABOVE = 410;
/** Height of the columns' names above the picture and of the line below it together, in 1/16 rem. */
const ROUND = HEAD + 22;
/** The pause of typing after which a law is asked for, in ms. */
const PAUSE_MS = 400;

/** A law that takes longer shows its progress, and a newer question ends it. */
const SLOW_MS = 400;

/** @typedef {{ engine: any, prompt: any, kind: string, asked: import('./pictures.js').Asked }} Question */

/**
 * Asks for the law of a picture. A mask without texts gets two that differ most.
 * @param {Question} question
 * @param {Pick<import('../../engine/law-types.js').LawOptions, 'signal' | 'onprogress'>} how
 */
async function askLaw({ engine, prompt, kind, asked }, how) {
  let { allowed } = asked;
  if (kind === 'mask' && !allowed.length) {
    const { settings, options } = PICTURES.mask.ask(asked);
    allowed = tellingTexts((await engine.law(prompt, settings, options)).sentences);
  }
  const { settings, options } = PICTURES[kind].ask({ ...asked, allowed });
  const law = await engine.law(prompt, settings, { ...options, ...how });
  return { ...asked, allowed, kind, law };
}

export class LogitSentences extends elementWith(ModelElement, () => ({
  /** Prompts to choose; without any, the picture has no controls. @type {string[]} */
  examples: [],
  /** Largest width of the beam searches that are shown; 0 for none. */
  beam_width: 0,
  /** The picture: ways, knob, right or mask; null for mask if texts are allowed, else ways. @type {string | null} */
  kind: null,
  /** The setting that the picture `knob` follows; null for the usual one. @type {string | null} */
  knob: null,
  /** The texts that a mask allows; empty for two telling ones. @type {string[]} */
  allowed: [],
  /** The picture's law with its question; null until it is known. @type {any} */
  shown: null,
  /** The model's grammar; null without. @type {any} */
  rules: null,
  /** The text in the box of allowed texts while the user edits it. @type {string | null} */
  typed: null,
  /** Index of the chosen text. */
  at: 0,
  /** The chosen column; null for the middle. @type {number | null} */
  column: null,
  /** Index of the text with its path below the picture; null without. @type {number | null} */
  followed: null,
  /** @type {import('../../engine/errors.js').Fault | null} */
  trouble: null,
  /** Share of a slow law that is done; null while none runs. @type {number | null} */
  progress: null,
})) {
  static properties = { beam_width: { type: Number }, kind: {}, knob: {} };

  static styles = [...ModelElement.styles, sentencesStyles];

  #width = new Width(this, '.rivers');
  /** The law for the newest prompt, settings and picture. */
  #newest = new Newest(
    (/** @type {Question} */ question) => this.#ask(question),
    (found, { engine }) =>
      engine === this.engine &&
      Object.assign(this, {
        shown: { ...found, words: (/** @type {any} */ text) => this.#words(text) },
        trouble: null,
        at: found.kind === 'mask' ? this.#firstAllowed(found.law) : 0,
        column: null,
        followed: this.followed !== null && found.law.sentences.length ? 0 : null,
      }),
    (error, { engine }) => {
      const fault = toFault(error);
      const isOurs = engine === this.engine; // else the engine was closed
      if (isOurs && fault.code !== 'cancelled') this.trouble = fault;
    },
  );
  #asked = '';
  /** The place where the pointer went down last. */
  #begun = [0, 0];
  /** The picture with its button in sight. */
  #centred = '';
  #pause = new Debounce();
  /** @type {{ key: unknown[], scene: any, layout: import('./layout.js').Layout } | null} */
  #laid = null;

  /** @param {Question} question */
  async #ask(question) {
    const stop = new AbortController();
    const begun = performance.now();
    const onprogress = (/** @type {{ share: number }} */ { share }) => {
      if (performance.now() - begun < SLOW_MS) return;
      if (this.#newest.waiting) stop.abort();
      else this.progress = share;
    };
    try {
      return await askLaw(question, { signal: stop.signal, onprogress });
    } finally {
      this.progress = null;
    }
  }

  #resized = () => this.requestUpdate();

  connectedCallback() {
    super.connectedCallback();
    addEventListener('resize', this.#resized);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('resize', this.#resized);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    super.willUpdate(changed);
    if (changed.has('model')) this.#readRules();
  }

  async #readRules() {
    const { model } = this;
    this.rules = null;
    const { grammar } = model === '' ? { grammar: undefined } : this.offer;
    if (!grammar) return;
    const rules = await fetchJson(grammar);
    if (model === this.model) this.rules = rules;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    super.updated(changed);
    const choices = this.renderRoot.querySelector('.choices'); // on a phone this row is wider than the window
    if (choices && this.#centred !== this.#kind)
      centre(choices, choices.querySelector('[aria-pressed=true], .chosen'));
    if (choices) this.#centred = this.#kind;
    const { engine, prompt, prompt_ids, asked, allowed, rules, beam_width } = this;
    const kind = this.#kind;
    if (!engine?.info || (!prompt && !prompt_ids) || (kind === 'right' && !rules)) return;
    const row = this.#row;
    const own = kind === 'mask' ? allowed : kind === 'knob' ? row.name : null;
    const key = JSON.stringify([this.model, prompt, prompt_ids, asked, beam_width, kind, own]);
    if (key === this.#asked) return;
    this.#asked = key;
    const { name } = engine.info;
    const settings = { ...asked, temperature: this.#temperature };
    const beams = Array.from({ length: beam_width }, (_, i) => i + 1);
    const options = { ...(this.#whole ? WHOLE : NEXT), beams };
    this.#newest.ask({
      engine,
      prompt: prompt_ids ?? prompt,
      kind,
      asked: { name, settings, options, row, rules, allowed },
    });
  }

  get #whole() {
    return (this.engine?.info?.vocab_size ?? 0) <= SMALL;
  }

  /** The picture that the model can have. */
  get #kind() {
    const kind = this.kind ?? (this.allowed.length > 0 ? 'mask' : 'ways');
    const whole = kind === 'mask' || (kind === 'right' && this.offer.grammar);
    return kind === 'knob' || (whole && this.#whole) ? kind : 'ways';
  }

  /** The row of the knob. @returns {import('../../engine/types.js').TableRow} */
  get #row() {
    const rows = knobsOf(this.engine?.table ?? []);
    const of = (/** @type {string | null} */ knob) => rows.find(({ name }) => name === knob);
    return /** @type {any} */ (of(this.knob) ?? of('top_p'));
  }

  /** True at temperature 0, which has one text and no picture. */
  get #frozen() {
    return /** @type {Record<string, any>} */ (this.asked).temperature === 0;
  }

  /** The temperature of the law itself. */
  get #temperature() {
    const { temperature = 1 } = /** @type {Record<string, any>} */ (this.asked);
    return temperature || 1;
  }

  render() {
    const { shown, trouble } = this;
    const laid = shown && this.#width.width > 0 ? this.#layoutOf(shown) : null;
    const fault = trouble ?? this.fault;
    const title = this.#title;
    return html`
      ${this.examples.length > 0 ? this.#renderControls() : nothing}
      <div class="head"><h3>${title}</h3>${help(title, t(`sentences.about.${shown?.kind ?? 'ways'}`))}
        ${this.progress === null ? nothing : html`<progress max="1" .value=${this.progress} aria-label=${t('sentences.reading')}></progress>`}</div>
      ${fault ? html`<p class="error" role="alert">${sentence(fault, this)}</p>` : nothing}
      <p class="lead">${shown ? this.#lead(shown) : t('sentences.reading')}
        ${shown && !this.#whole ? html`<button class="quiet" data-command="verbs" @click=${() => this.emit('logit-model', { model: VERBS })}>${t('sentences.verbs')}</button>` : nothing}</p>
      <div class="rivers" ${cssom({ '--tall': `${this.#height + ROUND * this.#width.unit}px` })}>${laid ? this.#renderRivers(shown, laid) : nothing}</div>
      ${laid ? this.#renderWords(shown, laid) : nothing}
      ${shown?.law.beams.length ? renderBeams(shown.law.beams, shown.law.sentences.length, shown.words) : nothing}
      ${shown?.law.sentences.length ? this.#renderTable(shown, laid?.scene.middle ?? null) : nothing}`;
  }

  get #title() {
    const prompt = (this.prompt ?? '').replaceAll('\n', '↵');
    const kind = this.shown?.kind ?? 'ways';
    const words = { prompt, k: NEXT_TOKENS, setting: settingName(this.shown?.row.name ?? 'top_p') };
    return t(this.#whole ? `sentences.title.${kind}` : `sentences.next.${kind}`, words);
  }

  #renderControls() {
    const own = this.offer.name === VERBS ? TELLING : [];
    const { prompt = '', shown } = this;
    const kind = this.#kind;
    return html`${renderPrompts({
      prompt,
      examples: [...own, ...this.examples],
      choose: (chosen) => this.emit('logit-prompt', { prompt: chosen }),
    })}
    ${
      this.engine
        ? renderChoices({
            kind,
            row: this.#row,
            rows: knobsOf(this.engine.table),
            whole: this.#whole,
            judged: Boolean(this.offer.grammar),
            choose: (choice) => this.keepChoice(choice),
          })
        : nothing
    }
    ${
      kind === 'mask'
        ? renderAllowed({
            allowed:
              this.typed ??
              (this.allowed.length ? this.allowed : (shown?.allowed ?? [])).join('\n'),
            fault: shown?.kind === 'mask' ? this.#unwritten(shown) : '',
            type: (text) => this.#type(text),
          })
        : nothing
    }`;
  }

  /** Takes the allowed texts after a pause. @param {string} text a text a line */
  #type(text) {
    this.typed = text;
    this.#pause.schedule(PAUSE_MS, () => {
      const allowed = text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean);
      this.allowed = allowed;
      this.emit('logit-choose', { allowed: allowed.join('\n') || null });
    });
  }

  /** A sentence about allowed texts that the model cannot write; '' without. @param {any} shown */
  #unwritten({ allowed, law }) {
    const written = law.sentences.filter((/** @type {any} */ { beside }) => beside[1]?.[1] > 0);
    const texts = written.map((/** @type {any} */ { text }) => text.trim());
    const missing = allowed.find((/** @type {string} */ text) => !texts.includes(text));
    return missing === undefined ? '' : t('sentences.unwritten', { text: missing });
  }

  /** Index of the first allowed text. @param {any} law */
  #firstAllowed({ sentences }) {
    return Math.max(
      0,
      sentences.findIndex((/** @type {any} */ { beside }) => beside[1]?.[1] > 0),
    );
  }

  /** @param {any} shown */
  #lead(shown) {
    const { kind, law, allowed } = shown;
    if (this.#frozen) return t('sentences.frozen');
    const allowedMass = law.sentences.reduce(
      (/** @type {number} */ sum, /** @type {any} */ { p, beside }) =>
        sum + (beside[1]?.[1] > 0 ? p : 0),
      0,
    );
    const values = {
      n: number(kind === 'mask' ? allowed.length : law.sentences.length),
      mass: briefPercent(kind === 'mask' ? allowedMass : law.mass),
      k: NEXT_TOKENS,
      rest: briefPercent(law.rest),
    };
    if (!this.#whole) return t('sentences.lead.next', values);
    if (kind === 'right') return leadOfRight(shown, this.column);
    return t(kind === 'mask' ? 'sentences.lead.mask' : 'sentences.lead', values);
  }

  /** A text as the reader sees it. @param {any} it */
  #words(it) {
    return it.text.trim() || t('sentences.nothing');
  }

  get #height() {
    const { width, unit } = this.#width;
    const [least, most] = (this.shown?.kind ?? this.#kind) === 'mask' ? [220, 320] : [300, 520];
    const left = innerHeight - ABOVE * unit; // so that the picture and its line of numbers fit into the window
    return Math.min(most * unit, Math.max(least * unit, Math.min(width * 0.36, left)));
  }

  /** The picture's scene and layout, kept while law and size stay. @param {any} shown */
  #layoutOf(shown) {
    const { width, unit } = this.#width;
    const key = [shown, width, unit, this.#height, t('sentences.nothing')];
    if (!this.#laid || key.some((each, i) => each !== this.#laid?.key[i])) {
      const scene = PICTURES[shown.kind].scene(shown);
      const inside = width - 2 * sideOf(scene, width / unit) * unit;
      const layout = layoutScene(scene, { width: inside, height: this.#height, unit });
      this.#laid = { key, scene, layout };
    }
    return this.#laid;
  }

  /** @param {any} shown @param {{ scene: any, layout: import('./layout.js').Layout }} laid */
  #renderRivers(shown, { scene, layout }) {
    const { width, unit } = this.#width;
    const height = this.#height;
    const side = sideOf(scene, width / unit) * unit;
    const show = (/** @type {PointerEvent} */ event) => {
      if (this.#scrolls(event)) return;
      this.#point(event, { scene, layout });
    };
    const begin = (/** @type {PointerEvent} */ { clientX, clientY }) =>
      (this.#begun = [clientX, clientY]);
    const press = (/** @type {any} */ event) => {
      this.#point(event, { scene, layout });
      this.followed = this.at;
    };
    return html`<div class="walk" role="slider" tabindex="0" aria-label=${t('sentences.walk')} aria-valuemin="1"
      aria-valuemax=${shown.law.sentences.length} aria-valuenow=${this.at + 1} aria-valuetext=${this.#told(shown, scene)} @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event, scene)}>
      <svg class="two" height=${height + ROUND * unit} font-size=${13 * unit} aria-hidden="true" @pointerdown=${begin} @pointermove=${show} @click=${press}>
      ${renderRivers({ scene, layout, at: this.at, column: this.column, size: { width: width - 2 * side, height, unit, side }, few: width < NARROW * unit ? 5 : 9 })}</svg></div>`;
  }

  /** Renders the chosen text's numbers, sentences about the picture, and the path. @param {any} shown @param {{ scene: any, layout: import('./layout.js').Layout }} laid */
  #renderWords(shown, { scene, layout }) {
    const { width, unit } = this.#width;
    const { law, kind } = shown;
    const { ends, more } = PICTURES[kind];
    const colourOf = (/** @type {number} */ index) =>
      layout.rivers.find((river) => river.index === index)?.colour ?? -1;
    const choose = (/** @type {number} */ index) =>
      Object.assign(this, { at: index, followed: index });
    const paths = kind === 'mask' ? scene.bands.slice(0, COLOURED) : [];
    return html`
      <div class="below"><p class="told" aria-hidden="true">${this.#told(shown, scene)}</p>${this.#renderButtons()}</div>
      ${paths.map((/** @type {any} */ { index }) => renderPath(law.sentences[index], `t${colourOf(index)}`))}
      <div class="ends">${[...(more ? [more(shown, this.column ?? scene.middle ?? scene.columns - 1)] : []), ...ends(shown)].filter(Boolean).map((words) => html`<p>${words}</p>`)}</div>
      ${this.followed === null ? nothing : renderWhy({ law, at: this.followed, colourOf, width, unit, choose })}`;
  }

  #renderButtons() {
    const open = this.followed !== null;
    return html`<div class="buttons">
      <button class="quiet" data-command="why" aria-expanded=${open} @click=${() => (this.followed = open ? null : this.at)}>${t('sentences.why')} <span aria-hidden="true">${open ? '▴' : '▾'}</span></button>
      <button class="quiet" data-command="svg" @click=${() => this.#save('svg')}>${t('sentences.svg')}</button>
      <button class="quiet" data-command="png" @click=${() => this.#save('png')}>${t('sentences.png')}</button></div>`;
  }

  /** The numbers of the chosen text and column. @param {any} shown @param {any} scene */
  #told({ law, kind, ...shown }, { bands, middle }) {
    const chosen = law.sentences[this.at];
    const band = bands.find((/** @type {any} */ { index }) => index === this.at);
    if (!chosen || !band) return '';
    const column = this.column ?? middle ?? 0;
    const verdict =
      chosen.right === undefined
        ? ''
        : ` (${t(chosen.right ? 'sentences.right' : 'sentences.wrong')})`;
    return t('sentences.told', {
      text: this.#words(chosen),
      verdict,
      p: briefPercent(chosen.p),
      rank: number(this.at + 1),
      place: PICTURES[kind].place({ ...shown, kind, law }, column),
      share: briefPercent(band.shares[column]),
    });
  }

  /** True if a finger moves up or down, which scrolls the page. @param {PointerEvent} event */
  #scrolls({ pointerType, clientX, clientY }) {
    const [x, y] = this.#begun;
    return pointerType === 'touch' && Math.abs(clientX - x) <= 8 + Math.abs(clientY - y);
  }

  /** Chooses text and column under the pointer. @param {PointerEvent} event @param {{ scene: any, layout: import('./layout.js').Layout }} laid */
  #point({ offsetX, offsetY }, { scene, layout }) {
    const { width, unit } = this.#width;
    const place = (offsetX - sideOf(scene, width / unit) * unit) / layout.x(1);
    const column = Math.min(scene.columns - 1, Math.max(0, Math.round(place)));
    let left = (offsetY - HEAD * unit) / this.#height;
    const under = layout.rivers.find(({ shares }) => (left -= shares[column]) < 0);
    this.column = column;
    if (under && under.index >= 0) this.at = under.index;
  }

  /** Up and Down choose the text, Left and Right the column, Enter unfolds its path. @param {KeyboardEvent} event @param {any} scene */
  #key(event, { columns, middle, bands }) {
    const { key } = event;
    if (key === 'Enter') {
      this.followed = this.followed === this.at ? null : this.at;
      return;
    }
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const to = (this.column ?? middle ?? 0) + (key === 'ArrowLeft' ? -1 : 1);
      this.column = Math.min(columns - 1, Math.max(0, to));
      event.preventDefault();
      return;
    }
    const order = bands
      .map((/** @type {any} */ { index }) => index)
      .filter((/** @type {number} */ index) => index >= 0);
    const down = { ArrowUp: 'ArrowLeft', ArrowDown: 'ArrowRight' }[key] ?? key;
    const to = walkTo(
      /** @type {any} */ ({ key: down, preventDefault: () => event.preventDefault() }),
      order.indexOf(this.at),
      order.length - 1,
    );
    if (to === undefined) return;
    this.at = order[to];
    if (this.followed !== null) this.followed = this.at;
  }

  /**
   * Returns the picture as a file; null before the law is known.
   * @returns {Promise<import('../../base/svg-file.js').Shot | null>}
   */
  async picture() {
    const { shown, engine, prompt } = this;
    const figure = /** @type {SVGSVGElement | null} */ (this.renderRoot.querySelector('svg.two'));
    if (!shown || !engine?.info || !figure) return null;
    const { name } = engine.info;
    const { standAlone } = await import('../../base/figure.js');
    return this.speak(() => {
      const plan = { axes: [], measures: [], prompt, settings: shown.settings };
      const inputs = captionOf(plan, { model: name, table: engine.table ?? [] });
      const lines = [this.#lead(shown), ...PICTURES[shown.kind].ends(shown), ...inputs];
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

  /** @param {any} shown @param {number | null} middle the picture's own column */
  #renderTable(shown, middle) {
    const { law, kind } = shown;
    const { heads, row, rest } = PICTURES[kind].table(shown, this.column ?? middle ?? 0);
    const texts =
      kind === 'mask'
        ? law.sentences.filter((/** @type {any} */ { beside }) => beside[1]?.[1] > 0)
        : law.sentences;
    const listed = texts.slice(0, ROWS);
    const left =
      1 - listed.reduce((/** @type {number} */ all, /** @type {any} */ { p }) => all + p, 0);
    return html`
      <details class="table"><summary>${t('distribution.table')}</summary>
        <div class="scroll" tabindex="0" role="region" aria-label=${this.#title}>
          <table><thead><tr>${[t('sentences.head.text'), t('sentences.head.p'), ...heads].map((words) => html`<th scope="col">${words}</th>`)}</tr></thead>
            <tbody translate="no">${listed.map(
              (/** @type {any} */ it) =>
                html`<tr><th scope="row">${this.#words(it)}</th>${[briefPercent(it.p), ...row(it)].map((cell) => html`<td>${cell}</td>`)}</tr>`,
            )}<tr><th scope="row">${t('sentences.rest')}</th>${[briefPercent(left), ...rest].map((cell) => html`<td>${cell}</td>`)}</tr></tbody></table>
        </div></details>`;
  }
}

define('logit-sentences', LogitSentences);
