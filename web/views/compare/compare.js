/**
 * <logit-compare>: strategies side by side on the same prompt and the same random numbers. One text
 * each stands in columns, several in a table; or all blind, to be ranked before the settings show.
 * Asks with "logit-adopt" to use a strategy in the bench, tells by "logit-choose" what was chosen.
 */
import { CARRIED } from '../../engine/presets.js';
import { locales } from '#locales/compare';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { divergence, spreadOf, toCsv } from '../../engine/compare.js';
import { LOOPING, nameOf as plainName, suites } from '../../engine/suites.js';
import { addMessages, t } from '../../locale/locale.js';
import { define, valueOf } from '../../base/element.js';
import { download } from '../../base/download.js';
import { reason, sentence } from '../../base/faults.js';
import { ModelElement } from '../../base/model-element.js';
import { Debounce } from '../../base/debounce.js';
import { initialChoices } from '../../state/fields.js';
import { activeSettings } from '../../state/settings.js';
import { spoken } from '../../base/visible.js';
import './controls.js';
import { SPREAD, renderFigures, renderGaps, renderRows, renderSpread } from './figures.js';
import './passage.js';
import { PASSAGES } from './passages.js';
import { entriesOf } from './ranking.js';
import { TextRunner } from './runner.js';
import { SliceReader } from './slices.js';
import { letter, nameOf } from './strategy.js';
import './strips.js';
import compareStyles from './compare.css';

/**
 * @typedef {import('../../engine/compare.js').Strategy} Strategy
 * @typedef {import('../../engine/types.js').Settings} Settings
 * @typedef {import('./runner.js').Text} Text
 */

addMessages(locales);

const LEAST = 2;
/** Strategies at most; one text of the reader's can stand beside them. */
const MOST = 9;
/** How long typing rests before the texts are made anew, in ms. */
const REST = 250;
/** The steps of the seed that shuffle the blind texts: beyond those of any text. */
const SHUFFLE = 2 ** 32;
const COLOURS = /** @type {const} */ (['after', 'before', 'none']);

export class LogitCompare extends ModelElement {
  static properties = {
    ...ModelElement.properties,
    suite: {},
    strategies: { attribute: false },
    samples: { type: Number },
    seed: { type: Number },
    max_new_tokens: { type: Number },
    blind: { type: Boolean },
    colour: { attribute: false },
    step: { type: Number },
    fixed: { type: Boolean },
    shuffled: { state: true },
    unfolded: { state: true },
  };

  static styles = [...ModelElement.styles, compareStyles];

  #runner = new TextRunner(() => this.#paint());
  #slices = new SliceReader(() => this.#paint());
  #frame = 0;
  #debounce = new Debounce();
  /** The settings that are numbers. @type {import('../../engine/types.js').TableRow[]} */
  #rows = [];
  /** What each strategy on show is known by, wherever it stands. @type {number[]} */
  #keys = [];
  #lastKey = 0;
  /** The plan whose texts are made, as text. */
  #planned = '';
  /** @type {WeakMap<Text[], import('../../engine/compare.js').Spread>} */
  #spreads = new WeakMap();

  constructor() {
    super();
    const initial = initialChoices('compare');
    /** A ready comparison, by its name in suites.js. @type {string} */
    this.suite = initial.suite;
    /** Strategies in place of the suite's. @type {readonly Strategy[] | null} */
    this.strategies = initial.strategies;
    /** Texts of each, in place of the suite's number. @type {number | null} */
    this.samples = initial.samples;
    /** In place of the one among the settings. @type {number | null} */
    this.seed = initial.seed;
    /** @type {number} */
    this.max_new_tokens = initial.max_new_tokens;
    /** @type {boolean} */
    this.blind = initial.blind;
    /** @type {typeof COLOURS[number]} */
    this.colour = initial.colour;
    /** The token that the strips show, from 1. @type {number} */
    this.step = initial.step;
    /** Whether what is compared is somebody else's choice, who also says what it is about. */
    this.fixed = false;
    /** The random numbers that shuffle blind texts. @type {number[]} */
    this.shuffled = [];
    /** The keys of the strategies whose texts show. @type {Set<number>} */
    this.unfolded = new Set();
  }

  /** Whether texts are made or slices are read. */
  get busy() {
    return this.#runner.running || this.#slices.busy;
  }

  get #suite() {
    return suites.find(({ name }) => name === this.suite) ?? suites[0];
  }

  /** What is to be made. @returns {import('./runner.js').Plan} */
  get plan() {
    const { prompt = '', prompt_ids, max_new_tokens } = this;
    const strategies = this.strategies ?? this.#suite.strategies;
    const samples = this.samples ?? this.#suite.samples;
    const seed = this.seed ?? this.asked.seed ?? 0;
    return { prompt, prompt_ids, seed, samples, max_new_tokens, strategies };
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#debounce.cancel();
    cancelAnimationFrame(this.#frame);
    this.#runner.stop();
    this.#slices.close();
    this.#planned = '';
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    super.willUpdate(changed);
    const { plan } = this;
    if (changed.has('suite') || (changed.has('strategies') && !this.strategies)) this.#keys = [];
    if (this.#keys.length !== plan.strategies.length)
      this.#keys = plan.strategies.map(() => ++this.#lastKey);
    const planned = JSON.stringify(plan);
    if (!this.engine || planned === this.#planned) return;
    this.#planned = planned;
    this.#debounce.cancel();
    if (changed.has('prompt')) this.#debounce.schedule(REST, () => this.#start());
    else this.#start();
  }

  /** @param {import('../../base/model-element.js').RemoteLogitscope} engine */
  opened(engine) {
    this.#planned = '';
    this.#rows = engine.table.filter(
      ({ kind, name }) => (kind === 'real' || kind === 'integer') && !CARRIED.includes(name),
    );
  }

  #start() {
    const { engine, plan } = this;
    if (!engine) return;
    this.#runner.start(engine, plan);
    const us = Array.from({ length: MOST + 1 }, (_, i) => engine.random(plan.seed, SHUFFLE + i));
    Promise.all(us).then(
      (found) => (this.shuffled = found),
      () => {}, // the engine was closed meanwhile
    );
  }

  /** Steps come faster than frames. */
  #paint() {
    if (!this.isConnected) return;
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.requestUpdate());
  }

  render() {
    const { plan, fault } = this;
    const { texts, gaps, running } = this.#runner;
    const laid =
      texts.length === plan.strategies.length &&
      texts.every(([text], i) => text?.strategy === plan.strategies[i]);
    return html`
      ${
        this.fixed
          ? nothing
          : html`<h2>${t('view.compare')}</h2>
      <p class="about">${t('compare.purpose')} ${t('compare.about')}</p>
      <logit-compare-controls .suite=${this.strategies ? '' : this.suite} .plan=${plan}
        .passages=${PASSAGES[this.#modelName] ?? []}
        .fault=${sentence(fault ?? this.#runner.fault, this)}
        @logit-plan=${this.#onPlan}></logit-compare-controls>`
      }
      ${!this.fixed && this.suite in LOOPING && !this.strategies ? this.#renderLooping() : nothing}
      ${this.#renderRun()}
      ${laid ? this.#renderTexts(plan) : nothing}
      ${
        gaps && laid && !running && !this.blind
          ? renderGaps(
              gaps,
              Number(plan.strategies[gaps.cold].settings.temperature),
              texts[gaps.cold].map((text) => partsOf(texts[gaps.greedy][0], text)),
              this.#eos,
            )
          : nothing
      }
    `;
  }

  /** As the model says it or, until that is open, as the page offers it. */
  get #modelName() {
    return this.engine?.info?.name ?? this.offer.name;
  }

  /** What repeats itself in a suite, and on the model that it was measured on a button that shows it. */
  #renderLooping() {
    const looping = LOOPING[this.suite];
    const { prompt, max_new_tokens: n } = looping;
    const watched = this.prompt === prompt && this.max_new_tokens === n;
    return html`
      <p class="note">${t(`compare.${this.suite}.about`)}</p>
      ${
        this.#modelName === 'stories'
          ? html`<p class="run"><button data-command="loop" aria-disabled=${watched}
        @click=${() => this.#choose(looping)}>${t('compare.watch', { prompt, n })}</button></p>`
          : nothing
      }`;
  }

  #renderRun() {
    const { running, progress } = this.#runner;
    const { done, total } = progress;
    const command = running ? 'stop' : 'run';
    return html`
      <div class="run">
        <button class="primary" data-command=${command} @click=${this.#onRun}>${t(`compare.${command}`)}</button>
        <button id="blind" aria-pressed=${this.blind}
          @click=${() => this.#choose({ blind: !this.blind })}>${t('compare.blind')}</button>
        <div class="progress"><progress max=${Math.max(1, total)} .value=${done}
          aria-label=${t('compare.progress.label')}></progress>
          <span role="status">${running ? '' : t('compare.progress', { done, total })}</span></div>
        ${
          this.blind
            ? nothing
            : html`
          <label class="label colour">${t('text.colour')}
            <select @change=${(/** @type {Event} */ event) => this.#choose({ colour: valueOf(event) })}>
              ${COLOURS.map(
                (name) => html`<option value=${name} .selected=${name === this.colour}>
                ${t(`text.colour.${name}`)}</option>`,
              )}</select></label>`
        }
      </div>`;
  }

  /** @param {import('./runner.js').Plan} plan */
  #renderTexts(plan) {
    if (this.blind) return this.#renderBlind(plan);
    return html`
      ${plan.samples === 1 ? this.#renderColumns(plan) : this.#renderTable(plan)}
      <p class="save" ?hidden=${this.fixed}><button data-command="csv" aria-disabled=${this.#complete.length === 0}
        @click=${this.#save}>${t('compare.csv')}</button></p>`;
  }

  /** The texts that have their figures. */
  get #complete() {
    return this.#runner.texts
      .flat()
      .flatMap(({ figures, ...text }) => (figures ? [{ ...text, figures }] : []));
  }

  #save() {
    const texts = this.#complete.map(({ strategy, seed, steps, finish, figures }) => {
      const { kind = 'sample', settings } = strategy;
      const name = strategy.name ?? (kind === 'given' ? kind : plainName(settings));
      const written = finish === 'eos' ? steps.slice(0, -1) : steps;
      return { name, seed, finish, figures, text: written.map(({ text }) => text).join('') };
    });
    if (texts.length === 0) return;
    const name = [this.engine?.info?.name, 'compare', this.strategies ? 'strategies' : this.suite];
    download(`${name.join('-')}.csv`, toCsv(texts), 'text/csv');
  }

  /** @param {import('./runner.js').Plan} plan */
  #renderColumns({ strategies }) {
    const [[first]] = this.#runner.texts;
    return html`
      ${this.fixed ? nothing : this.#renderStrips()}
      <p class="note">${t('compare.first')}</p>
      <ol class="columns">
        ${repeat(strategies, this.#keyOf, (_, i) => {
          const [text] = this.#runner.texts[i];
          const parts = i === 0 ? null : partsOf(first, text);
          return html`
            <li class="column ${i === 0 ? 'first' : ''}" data-column=${i}>
              ${this.#renderStrategy(strategies[i], i)}
              ${this.#renderPassage(text, i, parts, this.#sayParts(first, text, i, parts))}
              ${renderFigures(text)}
            </li>`;
        })}
        ${this.#addable.length > 0 && !this.fixed ? html`<li class="column add">${this.#renderAdd()}</li>` : nothing}
      </ol>
      <details class="table">
        <summary>${t('distribution.table')}</summary>
        <div class="scroll" role="region" tabindex="0" aria-label=${t('compare.table')}>
          ${renderRows(this.#runner.texts.map(([text]) => text))}
        </div>
      </details>`;
  }

  /** What each text draws from at one step, with u through all of them. */
  #renderStrips() {
    const { engine } = this;
    const { prompt } = this.#runner;
    const texts = this.#runner.texts.map(([text]) => text);
    const count = Math.max(0, ...texts.map(({ steps }) => steps.length));
    const at = Math.min(this.step, Math.max(1, count)) - 1;
    if (engine) this.#slices.want(engine, prompt, texts, at);
    const slices = texts.map((text) => ({
      strategy: text.strategy,
      step: text.steps[at] ?? null,
      trace: this.#slices.get(text, at),
    }));
    return html`<logit-strips .slices=${slices} .at=${at} .count=${count} .eos=${this.#eos}
      @logit-at=${this.#onAt}></logit-strips>`;
  }

  #keyOf = (/** @type {unknown} */ _, /** @type {number} */ i) => this.#keys[i];

  /** What can be put beside the strategies on show. @returns {('add' | 'give')[]} */
  get #addable() {
    const { strategies } = this.plan;
    const given = strategies.filter(({ kind }) => kind === 'given').length;
    return [
      ...(strategies.length - given < MOST ? [/** @type {const} */ ('add')] : []),
      ...(given === 0 ? [/** @type {const} */ ('give')] : []),
    ];
  }

  #renderAdd() {
    const does = { add: this.#onAdd, give: this.#onGive };
    return this.#addable.map(
      (name) => html`
      <p><button data-command=${name} @click=${does[name]}>${t(`compare.${name}`)}</button>
        <span>${t(`compare.${name}.about`)}</span></p>`,
    );
  }

  /**
   * @param {Strategy} strategy
   * @param {number} i
   */
  #renderStrategy({ kind = 'sample', settings, text = '' }, i) {
    const removable = this.plan.strategies.length > LEAST;
    return html`
      <logit-strategy .letter=${letter(i)} .kind=${kind} .settings=${settings} .text=${text}
        .fault=${reason(this.#runner.texts[i]?.[0].fault, this)} .table=${this.#rows} ?first=${i === 0} ?removable=${removable} ?fixed=${this.fixed}
        @logit-strategy=${(/** @type {CustomEvent} */ event) => this.#onStrategy(event, i)}
        ></logit-strategy>`;
  }

  /**
   * @param {Text} text
   * @param {number} i
   * @param {number | null} parts
   * @param {string} words
   */
  #renderPassage(text, i, parts, words) {
    const name = nameOf(i, text.strategy);
    return html`
      <logit-passage ?short=${this.plan.samples > 1} .given=${this.#given} .steps=${text.steps} .label=${t('compare.text', { name })} .eos=${this.#eos}
        .colour=${this.colour} .parts=${parts} .at=${this.plan.samples > 1 ? -1 : this.step - 1} .loop=${text.figures?.loop ?? null}
        @logit-at=${this.#onAt}>${words}</logit-passage>`;
  }

  /** What a text begins with: the prompt, but for what a template makes, which stands above all. */
  get #given() {
    return this.prompt_ids ? '' : this.prompt;
  }

  get #eos() {
    return this.engine?.info?.eos_token_id ?? -1;
  }

  /**
   * Where a text parts from the first, in words.
   * @param {Text} first
   * @param {Text} text
   * @param {number} i
   * @param {number | null} parts
   */
  #sayParts(first, text, i, parts) {
    if (i === 0) return t('compare.parts.first');
    const name = letter(0);
    if (parts === null)
      return first.figures && text.figures ? t('compare.parts.none', { name }) : '';
    /** @param {Text} of */
    const token = ({ steps }) => spoken({ ...steps[parts], special: false }, this.#eos);
    return t('compare.parts', { name, at: parts + 1, token: token(text), other: token(first) });
  }

  /** @param {import('./runner.js').Plan} plan */
  #renderTable({ strategies, samples, seed }) {
    return html`
      <p class="note">${t('compare.table.about', { n: samples, from: String(seed), to: String(seed + samples - 1) })}</p>
      <div class="scroll" role="region" tabindex="0" aria-label=${t('compare.table')}>
        <table>
          <thead><tr>
            <th scope="col">${t('compare.settings')}</th>
            ${SPREAD.map((name) => html`<th scope="col">${t(`compare.spread.${name}`)}</th>`)}
          </tr></thead>
          ${repeat(strategies, this.#keyOf, (_, i) => {
            const texts = this.#runner.texts[i];
            return html`
              <tbody translate="no" data-row=${i}>
                <tr><th scope="row">${this.#renderStrategy(strategies[i], i)}</th>
                  ${renderSpread(this.#spreadOf(texts), texts.length)}</tr>
                <tr class="unfold"><td colspan=${SPREAD.length + 1}>${this.#renderUnfold(texts, i)}</td></tr>
              </tbody>`;
          })}
        </table>
      </div>
      <div class="adding">${this.#renderAdd()}</div>`;
  }

  /** @param {Text[]} texts */
  #spreadOf(texts) {
    const known = this.#spreads.get(texts);
    if (known) return known;
    const samples = texts.flatMap(({ steps, figures }) =>
      figures ? [{ ids: steps.map(({ id }) => id), figures }] : [],
    );
    if (samples.length < texts.length) return null;
    const spread = spreadOf(samples);
    this.#spreads.set(texts, spread);
    return spread;
  }

  /**
   * @param {Text[]} texts
   * @param {number} i
   */
  #renderUnfold(texts, i) {
    const done = texts.filter(({ figures }) => figures).length;
    const shown = this.unfolded.has(this.#keys[i]) ? texts : [];
    return html`
      <details @toggle=${(/** @type {Event} */ event) => this.#onUnfold(event, i)}>
        <summary>${t('compare.unfold', { name: letter(i), n: texts.length })}${
          done < texts.length ? ` (${t('compare.of', { done, total: texts.length })})` : ''
        }</summary>
        <ol class="texts">${shown.map(
          (text) =>
            html`<li>${this.#renderPassage(text, i, null, t('compare.seeded', { seed: String(text.seed) }))}</li>`,
        )}</ol>
      </details>`;
  }

  /** @param {import('./runner.js').Plan} plan */
  #renderBlind({ samples }) {
    const { texts, running, progress } = this.#runner;
    if (running || progress.done < progress.total || this.shuffled.length === 0)
      return html`<p class="note" role="status">${t('compare.blind.waiting')}</p>`;
    return html`
      ${samples > 1 ? html`<p class="note">${t('compare.blind.one', { seed: String(texts[0][0].seed) })}</p>` : nothing}
      <logit-ranking .entries=${entriesOf(texts, this.shuffled)} .given=${this.#given} .eos=${this.#eos}></logit-ranking>`;
  }

  #onRun() {
    if (this.#runner.running) this.#runner.stop();
    else this.#start();
  }

  /**
   * @param {Event} event
   * @param {number} i
   */
  #onUnfold({ target }, i) {
    const { open } = /** @type {HTMLDetailsElement} */ (target);
    const key = this.#keys[i];
    const others = [...this.unfolded].filter((other) => other !== key);
    this.unfolded = new Set(open ? [...others, key] : others);
  }

  /** @param {object} patch of what the list of state holds of this view */
  #choose(patch) {
    Object.assign(this, patch);
    this.emit('logit-choose', patch);
  }

  /** @param {CustomEvent} event */
  #onAt({ detail: { at } }) {
    if (this.plan.samples === 1 && at + 1 !== this.step) this.#choose({ step: at + 1 });
  }

  /** @param {CustomEvent} event */
  #onPlan({ detail }) {
    const { passage } = detail;
    if (passage) return this.#continue(passage);
    this.#choose('suite' in detail ? { ...detail, strategies: null, samples: null } : detail);
  }

  /** Puts how a passage really goes on beside what continues it. @param {import('./passages.js').Passage} passage */
  #continue({ prompt, text }) {
    const drawn = this.plan.strategies.filter(({ kind }) => kind !== 'given');
    this.#change([...drawn, { kind: 'given', settings: {}, text }], { prompt });
  }

  /** The bench's settings, or those of the attributes, become one more strategy. */
  #onAdd() {
    const { seed: _, ...asked } = this.asked;
    this.#push({ settings: activeSettings(this.engine?.table ?? [], asked) });
  }

  /** A text of the reader's, such as the one that the prompt was taken from. */
  async #onGive() {
    this.#push({ kind: 'given', settings: {}, text: '' });
    await this.updateComplete;
    const added = [...this.renderRoot.querySelectorAll('logit-strategy')].at(-1);
    /** @type {HTMLElement | null} */ (added)?.focus();
  }

  /** @param {Strategy} strategy */
  #push(strategy) {
    this.#keys = [...this.#keys, ++this.#lastKey];
    this.#change([...this.plan.strategies, strategy]);
  }

  /**
   * @param {CustomEvent} event
   * @param {number} i
   */
  async #onStrategy({ detail: { action, settings, text } }, i) {
    const { strategies, seed } = this.plan;
    if (action === 'adopt') this.emit('logit-adopt', { settings, prompt: this.#given, seed });
    else if (action === 'lead') {
      this.#keys = front(this.#keys, i);
      this.#change(front([...strategies], i));
      await this.updateComplete;
      const moved = /** @type {import('lit').LitElement} */ (
        this.renderRoot.querySelector('logit-strategy')
      );
      moved.renderRoot.querySelector('button')?.focus(); // the button that had the focus is hidden
    } else if (action === 'remove') {
      this.#keys = this.#keys.filter((_, at) => at !== i);
      this.#change(strategies.filter((_, at) => at !== i));
      await this.updateComplete;
      const back = this.renderRoot.querySelector('[data-command=add], [data-command=give]');
      /** @type {HTMLElement | null} */ (back)?.focus(); // the button that had the focus is gone
    } else this.#change(strategies.map((old, at) => (at === i ? { ...old, settings, text } : old)));
  }

  /** @param {Strategy[]} strategies @param {{ prompt?: string }} [others] */
  #change(strategies, others = {}) {
    const { samples } = this.plan;
    const bare = strategies.map(({ kind, settings, text }) => ({
      ...(kind === undefined ? {} : { kind }),
      settings,
      ...(text === undefined ? {} : { text }),
    }));
    this.#choose({ ...others, samples, strategies: bare });
  }
}

/**
 * Where a text parts from another, as far as both are there.
 * @param {Text} first
 * @param {Text} text
 */
function partsOf(first, text) {
  return divergence(
    first.steps.map(({ id }) => id),
    text.steps.map(({ id }) => id),
  );
}

/**
 * A list with one of its items first.
 * @template T
 * @param {T[]} list
 * @param {number} i
 */
function front(list, i) {
  return [list[i], ...list.filter((_, at) => at !== i)];
}

define('logit-compare', LogitCompare);
