/**
 * <logit-compare>: texts of several strategies side by side, from one prompt and the same random numbers. One text of
 * each strategy is shown in columns, several are counted in a table. In blind mode the user ranks the texts before
 * the settings are shown. Emits "logit-adopt" to use a strategy in the bench, and "logit-choose" with each choice.
 */
import { locales } from '#locales/compare';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { divergence, spreadOf, toCsv } from '../../engine/compare.js';
import { LOOPING, nameOf as plainName, suites } from '../../engine/suites.js';
import { addMessages, t } from '../../locale/locale.js';
import { define, elementWith, valueOf } from '../../base/element.js';
import { download } from '../../base/download.js';
import { cssom } from '../../plots/cssom.js';
import { reason, sentence } from '../../base/faults.js';
import { ModelElement } from '../../base/model-element.js';
import { Debounce } from '../../base/debounce.js';
import { initialChoices } from '../../state/fields.js';
import { spoken } from '../../base/visible.js';
import './controls.js';
import { SPREAD, renderGaps, renderRows, renderSpread } from './figures.js';
import './passage.js';
import { PASSAGES } from './passages.js';
import { entriesOf } from './ranking.js';
import { TextRunner } from './runner.js';
import { SliceReader } from './slices.js';
import { letter, nameOf } from './strategy.js';
import { MOST_TEXTS, StrategyList } from './strategy-list.js';
import './strips.js';
import compareStyles from './compare.css';

/** @import { Strategy } from '../../engine/compare.js' */
/** @import { Text } from './runner.js' */

addMessages(locales);

/** Texts are written again after the user has not typed for this time, in ms. */
const REST = 250;
/** The order of blind texts comes from the seed's random numbers from this step on, which no text reaches. */
const SHUFFLE = 2 ** 32;
/** Most columns in one row, and most columns with large type. */
const FEW = 4;
const LARGE = 3;
/** The number of seeds. */
const SEEDS = 2 ** 32;
const COLOURS = /** @type {const} */ (['after', 'before', 'none']);

/** The choices with which the view begins. */
const FIRST = initialChoices('compare');

export class LogitCompare extends elementWith(ModelElement, () => ({
  /** The name of a prepared comparison in suites.js. @type {string} */
  suite: FIRST.suite,
  /** The user's strategies, in place of the suite's; null if unchanged. @type {readonly Strategy[] | null} */
  strategies: FIRST.strategies,
  /** The number of texts per strategy; null for the suite's number. @type {number | null} */
  samples: FIRST.samples,
  /** The seed of the first texts; null for the seed in the settings. @type {number | null} */
  seed: FIRST.seed,
  /** @type {number} */
  max_new_tokens: FIRST.max_new_tokens,
  /** @type {boolean} */
  blind: FIRST.blind,
  /** @type {typeof COLOURS[number]} */
  colour: FIRST.colour,
  /** The step that the strips show, from 1. @type {number} */
  step: FIRST.step,
  /** True if the comparison belongs to a lesson, which explains it. */
  fixed: false,
  /** Random numbers from 0 to below 1, by which blind texts are shuffled. @type {number[]} */
  shuffled: [],
  /** Keys of the strategies with unfolded texts. @type {Set<number>} */
  unfolded: new Set(),
})) {
  static properties = {
    suite: {},
    samples: { type: Number },
    seed: { type: Number },
    max_new_tokens: { type: Number },
    blind: { type: Boolean },
    step: { type: Number },
    fixed: { type: Boolean },
  };

  static styles = [...ModelElement.styles, compareStyles];

  #runner = new TextRunner(() => this.#askFrame());
  #slices = new SliceReader(() => this.#askFrame());
  #list = new StrategyList(this);
  #frame = 0;
  #debounce = new Debounce();
  /** The plan of the displayed texts, as JSON. */
  #planned = '';
  /** @type {WeakMap<Text[], import('../../engine/compare.js').Spread>} */
  #spreads = new WeakMap();

  /** True while texts are written or distributions are read. */
  get busy() {
    return this.#runner.running || this.#slices.busy;
  }

  get #suite() {
    return suites.find(({ name }) => name === this.suite) ?? suites[0];
  }

  /** The plan: the texts that this comparison needs. @returns {import('./runner.js').Plan} */
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
    this.#list.renew(changed.has('suite') || (changed.has('strategies') && !this.strategies));
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
    this.#list.open(engine);
  }

  #start() {
    const { engine, plan } = this;
    if (!engine) return;
    this.#runner.start(engine, plan);
    const us = Array.from({ length: MOST_TEXTS }, (_, i) => engine.random(plan.seed, SHUFFLE + i));
    Promise.all(us).then(
      (found) => (this.shuffled = found),
      () => {}, // ignore errors: the engine was closed meanwhile
    );
  }

  /** Renders in the next frame, because steps come faster than frames. */
  #askFrame() {
    if (!this.isConnected) return;
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.requestUpdate());
  }

  render() {
    const { plan } = this;
    const { texts: written, gaps, running } = this.#runner;
    const laid =
      written.length === plan.strategies.length &&
      written.every(([text], i) => text?.strategy === plan.strategies[i]);
    const texts = laid ? written : plan.strategies.map(placeholderFor);
    return html`
      ${this.fixed ? html`<div class="run">${this.#renderBlindButton()}${this.#renderProgress()}${this.#renderColour()}</div>` : this.#renderControls(plan)}
      ${!this.fixed && this.suite in LOOPING && !this.strategies ? this.#renderLooping() : nothing}
      ${this.#renderTexts(plan, texts)}
      ${
        gaps && laid && !running && !this.blind
          ? renderGaps(
              gaps,
              Number(plan.strategies[gaps.cold].settings.temperature),
              texts[gaps.cold].map((text) => firstDifference(texts[gaps.greedy][0], text)),
              this.#eos,
            )
          : nothing
      }
    `;
  }

  /**
   * Renders the sentence with the prompt, the buttons and the settings, which are folded.
   * @param {import('./runner.js').Plan} plan
   */
  #renderControls(plan) {
    const { seed, samples } = plan;
    return html`<h2 class="visually-hidden">${t('view.compare')}</h2>
      <logit-compare-controls .suite=${this.strategies ? '' : this.suite} .plan=${plan}
        .passages=${PASSAGES[this.#modelName] ?? []}
        .fault=${sentence(this.fault ?? this.#runner.fault, this)}
        @logit-plan=${this.#onPlan}>
        <button class="quiet" data-command="luck" title=${t('compare.luck.about')}
          @click=${() => this.keepChoice({ seed: (seed + samples) % SEEDS })}>${t('compare.luck')}</button>
        ${this.#renderBlindButton()}
        <div slot="end" class="run">${this.#renderProgress()}</div>
        <div slot="settings">${this.#renderColour()}</div>
      </logit-compare-controls>`;
  }

  /** The name in the model's file; while the model loads, its name in the page's list. */
  get #modelName() {
    return this.engine?.info?.name ?? this.offer.name;
  }

  /**
   * Renders a note about loops. If the model of the note is open, a button sets a prompt and a length with which it
   * loops.
   */
  #renderLooping() {
    const looping = LOOPING[this.suite];
    const { prompt, max_new_tokens: n } = looping;
    const watched = this.prompt === prompt && this.max_new_tokens === n;
    return html`
      <p class="note">${t(`compare.${this.suite}.about`)}</p>
      ${
        this.#modelName === 'stories'
          ? html`<p class="run"><button data-command="loop" aria-disabled=${watched}
        @click=${() => this.keepChoice(looping)}>${t('compare.watch', { prompt, n })}</button></p>`
          : nothing
      }`;
  }

  #renderBlindButton() {
    return html`<button id="blind" class="quiet" aria-pressed=${this.blind}
      @click=${() => this.keepChoice({ blind: !this.blind })}>${t('compare.blind')}</button>`;
  }

  /** Renders the progress and its button: stop while texts are being written, else continue. */
  #renderProgress() {
    const { running, progress } = this.#runner;
    const { done, total } = progress;
    const command = running ? 'stop' : 'run';
    return html`
      <button class="quiet ${done < total ? '' : 'done'}" data-command=${command} @click=${this.#onRun}>${t(`compare.${command}`)}</button>
      <div class="progress"><progress max=${Math.max(1, total)} .value=${done}
        aria-label=${t('compare.progress.label')}></progress>
        <span role="status">${running ? '' : t('compare.progress', { done, total })}</span></div>`;
  }

  #renderColour() {
    if (this.blind) return nothing;
    return html`<label class="label colour">${t('text.colour')}
      <select @change=${(/** @type {Event} */ event) => this.keepChoice({ colour: valueOf(event) })}>
        ${COLOURS.map(
          (name) => html`<option value=${name} .selected=${name === this.colour}>
          ${t(`text.colour.${name}`)}</option>`,
        )}</select></label>`;
  }

  /** @param {import('./runner.js').Plan} plan @param {Text[][]} texts */
  #renderTexts(plan, texts) {
    if (this.blind) return this.#renderBlind(plan);
    return plan.samples === 1 ? this.#renderColumns(plan, texts) : this.#renderTable(plan, texts);
  }

  #renderSave() {
    return html`<button class="quiet" data-command="csv" ?hidden=${this.fixed}
      aria-disabled=${this.#finished.length === 0} @click=${this.#save}>${t('compare.csv')}</button>`;
  }

  /** All finished texts, which have figures. */
  get #finished() {
    return this.#runner.texts
      .flat()
      .flatMap(({ figures, ...text }) => (figures ? [{ ...text, figures }] : []));
  }

  #save() {
    const texts = this.#finished.map(({ strategy, seed, steps, finish, figures }) => {
      const { kind = 'sample', settings } = strategy;
      const name = strategy.name ?? (kind === 'given' ? kind : plainName(settings));
      const written = finish === 'eos' ? steps.slice(0, -1) : steps;
      return { name, seed, finish, figures, text: written.map(({ text }) => text).join('') };
    });
    if (texts.length === 0) return;
    const name = [this.engine?.info?.name, 'compare', this.strategies ? 'strategies' : this.suite];
    download(`${name.join('-')}.csv`, toCsv(texts), 'text/csv');
  }

  /** @param {import('./runner.js').Plan} plan @param {Text[][]} all */
  #renderColumns({ strategies }, all) {
    const texts = all.map(([text]) => text);
    const [first] = texts;
    const few = texts.length <= FEW;
    return html`
      <ol class="columns ${few ? 'few' : ''}" ${cssom({ '--n': texts.length })}>
        ${repeat(strategies, this.#list.keyOf, (strategy, i) => {
          const text = texts[i];
          const parts = i === 0 ? null : firstDifference(first, text);
          return html`
            <li data-column=${i}>
              ${this.#list.render(strategy, i, reason(text.fault, this))}
              ${this.#renderPassage(text, i, parts, this.#differenceWords(first, text, i, parts))}
            </li>`;
        })}
      </ol>
      ${this.fixed ? nothing : this.#renderStrips(texts)}
      <div class="adding">${this.fixed ? nothing : this.#list.renderAdd()}
        <details class="table">
          <summary>${t('compare.numbers')}</summary>
          <p class="about">${t('compare.first')}</p>
          <div class="scroll" role="region" tabindex="0" aria-label=${t('compare.table')}>${renderRows(texts)}</div>
          ${this.#renderSave()}
        </details></div>`;
  }

  /**
   * Renders the distribution of each text at one step as a strip; one line at u goes through all strips.
   * @param {Text[]} texts
   */
  #renderStrips(texts) {
    const { engine } = this;
    const { prompt } = this.#runner;
    const { at, count, slices } = slicesAt(this.step, texts, this.#slices);
    if (engine) this.#slices.want(engine, prompt, texts, at);
    return html`<logit-strips .slices=${slices} .at=${at} .count=${count} .eos=${this.#eos}
      @logit-at=${this.#onAt}></logit-strips>`;
  }

  /**
   * Returns the first text of each strategy as a file, with the strips if each strategy has only one text. Returns
   * null in blind mode and before there is a text.
   * @returns {Promise<import('../../base/svg-file.js').Shot | null>}
   */
  async picture() {
    const texts = this.#runner.texts.map(([text]) => text);
    if (this.blind || !texts.some(({ steps }) => steps.length > 0)) return null;
    const { drawTexts } = await import('./save.js');
    const { samples, seed } = this.plan;
    const { at, slices } = slicesAt(this.step, texts, this.#slices);
    return this.speak(() => {
      const scene = {
        root: this.renderRoot,
        prompt: this.#givenStart,
        texts: texts.map(({ steps, strategy }, i) => ({ name: nameOf(i, strategy), steps })),
        slices: samples === 1 ? slices : [],
        at,
        eos: this.#eos,
        about: samples === 1 ? '' : t('compare.seeded', { seed: String(seed) }),
      };
      return { name: 'compare', title: document.title, svg: drawTexts(scene) };
    });
  }

  /**
   * @param {Text} text
   * @param {number} i
   * @param {number | null} parts
   * @param {string} words
   */
  #renderPassage(text, i, parts, words) {
    const name = nameOf(i, text.strategy);
    const { samples, strategies } = this.plan;
    return html`
      <logit-passage ?short=${samples > 1} ?large=${samples === 1 && strategies.length <= LARGE} .given=${this.fixed || samples > 1 ? this.#givenStart : '…'} .steps=${text.steps} .label=${t('compare.text', { name })} .eos=${this.#eos}
        .colour=${this.colour} .parts=${parts} .at=${samples > 1 ? -1 : this.step - 1} .loop=${text.figures?.loop ?? null}
        @logit-at=${this.#onAt}>${words}</logit-passage>`;
  }

  /** The beginning that each text shows: the prompt. It is '' for a chat, which is shown once above all texts. */
  get #givenStart() {
    return this.prompt_ids ? '' : this.prompt;
  }

  get #eos() {
    return this.engine?.info?.eos_token_id ?? -1;
  }

  /**
   * Returns a sentence about the first difference between two texts: the step and both tokens.
   * @param {Text} first
   * @param {Text} text
   * @param {number} i
   * @param {number | null} parts
   */
  #differenceWords(first, text, i, parts) {
    if (i === 0) return '';
    const name = letter(0);
    if (parts === null)
      return first.figures && text.figures ? t('compare.parts.none', { name }) : '';
    /** @param {Text} of */
    const token = ({ steps }) => spoken({ ...steps[parts], special: false }, this.#eos);
    return t('compare.parts', { name, at: parts + 1, token: token(text), other: token(first) });
  }

  /** @param {import('./runner.js').Plan} plan @param {Text[][]} all */
  #renderTable({ strategies, samples, seed }, all) {
    return html`
      <p class="note">${t('compare.table.about', { n: samples, from: String(seed), to: String(seed + samples - 1) })}</p>
      <div class="scroll" role="region" tabindex="0" aria-label=${t('compare.table')}>
        <table>
          <thead><tr>
            <th scope="col">${t('compare.settings')}</th>
            ${SPREAD.map((name) => html`<th scope="col">${t(`compare.spread.${name}`)}</th>`)}
          </tr></thead>
          ${repeat(strategies, this.#list.keyOf, (_, i) => {
            const texts = all[i];
            return html`
              <tbody translate="no" data-row=${i}>
                <tr><th scope="row">${this.#list.render(strategies[i], i, reason(texts[0].fault, this))}</th>
                  ${renderSpread(this.#spreadOf(texts), texts.length)}</tr>
                <tr class="unfold"><td colspan=${SPREAD.length + 1}>${this.#renderUnfold(texts, i)}</td></tr>
              </tbody>`;
          })}
        </table>
      </div>
      <div class="adding">${this.#list.renderAdd()}${this.#renderSave()}</div>`;
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
    const shown = this.unfolded.has(this.#list.keys[i]) ? texts : [];
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
      <logit-ranking .entries=${entriesOf(texts, this.shuffled)} .given=${this.#givenStart} .eos=${this.#eos}></logit-ranking>`;
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
    const key = this.#list.keys[i];
    const { unfolded } = this;
    const others = [...unfolded].filter((other) => other !== key);
    this.unfolded = new Set(open ? [...others, key] : others);
  }

  /** @param {CustomEvent} event */
  #onAt({ detail: { at } }) {
    if (this.plan.samples === 1 && at + 1 !== this.step) this.keepChoice({ step: at + 1 });
  }

  /** @param {CustomEvent} event */
  #onPlan({ detail }) {
    const { passage } = detail;
    if (passage) return this.#list.continue(passage);
    this.keepChoice('suite' in detail ? { ...detail, strategies: null, samples: null } : detail);
  }
}

/**
 * Returns the index of the step that the strips show, the number of steps, and the data of each strip.
 * @param {number} step from 1
 * @param {Text[]} texts
 * @param {SliceReader} reader
 */
function slicesAt(step, texts, reader) {
  const count = Math.max(0, ...texts.map(({ steps }) => steps.length));
  const at = Math.min(step, Math.max(1, count)) - 1;
  const slices = texts.map((text) => ({
    strategy: text.strategy,
    step: text.steps[at] ?? null,
    trace: reader.get(text, at),
  }));
  return { at, count, slices };
}

/**
 * Returns a placeholder for the texts of a strategy.
 * @param {import('../../engine/compare.js').Strategy} strategy
 * @returns {Text[]}
 */
function placeholderFor(strategy) {
  const none = { steps: [], finish: null, figures: null, absent: false };
  return [{ ...none, key: '', strategy, seed: 0 }];
}

/**
 * Returns the index of the first step in which two texts differ; null if they are equal so far.
 * @param {Text} first
 * @param {Text} text
 */
function firstDifference(first, text) {
  return divergence(
    first.steps.map(({ id }) => id),
    text.steps.map(({ id }) => id),
  );
}

define('logit-compare', LogitCompare);
