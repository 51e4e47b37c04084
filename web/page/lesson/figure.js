/**
 * <logit-figure>: a live figure of a lesson, such as a landscape or a sweep. Emits "logit-figure" with each change,
 * and with null for a reset; the lesson then sets `patch`. While `held` is true, the figure is hidden; its prompt or
 * logits are shown instead.
 */
import { html, nothing } from 'lit';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { props } from '../../base/props.js';
import { readSeed } from '../../base/setting-words.js';
import { NumberInput } from '../../base/number-input.js';
import { list, plain, t } from '../../locale/locale.js';
import { patched, wholeOrder } from '../../lessons/figure-change.js';
import '../../views/landscape/landscape.js';
import { Asking } from './asking.js';
import { renderControls } from './controls.js';
import { modelOf } from './reader.js';
import figureStyles from './figure.css';

/** @import { LessonState } from '../../lessons/measures.js' */

/**
 * Functions that fetch the code of a kind of figure when a lesson first needs it.
 * @type {Record<string, () => Promise<unknown>>}
 */
const LATER = {
  sweep: () => import('../../views/sweep/sweep.js'),
  bigram: () => import('../../views/logits/logits.js'),
  cost: () => import('../../views/cost/sum.js'),
  text: () => import('./written-text.js'),
  loop: () => import('./loop.js'),
  compare: () => import('../../views/compare/compare.js'),
  sentences: () => import('../../views/sentences/sentences.js'),
};

export class LogitFigure extends elementWith(LogitElement, () => ({
  /** @type {import('../../lessons/lesson-file.js').Figure['show']} */
  show: 'landscape',
  /** The state with which the figure begins. @type {LessonState} */
  begin: { prompt: '' },
  /** The learner's changes to `begin`. @type {Partial<LessonState>} */
  patch: {},
  /** The engine's table of settings. @type {import('../../engine/types.js').TableRow[]} */
  table: [],
  /** @type {string | undefined} */
  knob: undefined,
  /** The names of the controls below the figure. @type {string[] | undefined} */
  controls: undefined,
  /** Tokens for the controls of biases and of the first token. @type {string[]} */
  tokens: [],
  /** @type {import('./reader.js').LessonReader | null} */
  reader: null,
  /** The ids of `tokens`. @type {Map<string, number>} */
  ids: new Map(),
  /** Name of the figure for screen readers. */
  name: '',
  /** Numbers of the questions that come before the figure. @type {number[]} */
  waits: [],
  /** True if the learner must first draw a guess. */
  guesses: false,
  held: false,
})) {
  static properties = { show: {}, knob: {}, name: {}, held: { type: Boolean, reflect: true } };

  static styles = [...LogitElement.styles, figureStyles];

  #seed = new NumberInput(this, readSeed, (seed) => {
    if (seed !== (this.#now.seed ?? 42)) this.#emitChange({ seed, u: undefined });
  });
  /** @type {{ logits: Float32Array, tokens: string[] } | null} */
  #given = null;

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('show')) LATER[this.show]?.();
    if (changed.has('tokens') && this.tokens.length > 0) this.#findIds();
    if (changed.has('begin') || changed.has('patch')) this.#now = patched(this.begin, this.patch);
    if (!changed.has('begin')) return;
    const { logits, tokens } = this.begin;
    this.#given = logits
      ? { logits: Float32Array.from(logits), tokens: tokens ?? logits.map(String) }
      : null;
  }

  /** The present state. It is the same object until something changes. @type {LessonState} */
  #now = this.begin;
  #asking = new Asking(this);

  get busy() {
    return this.#asking.busy;
  }

  #findIds() {
    const reader = /** @type {import('./reader.js').LessonReader} */ (this.reader);
    this.#asking.ask(
      () => reader.read(this.begin, { measure: 'kept' }),
      ({ trace }) => (this.ids = new Map(trace.tokens.map(({ text, id }) => [text, id]))),
    );
  }

  /** @param {Partial<LessonState>} change */
  #emitChange(change) {
    this.emit('logit-figure', { change });
  }

  /** The present settings, including the seed. */
  get #presentSettings() {
    const { settings = {}, seed = 42 } = patched(this.begin, this.patch);
    const order = settings.order ? { order: wholeOrder(settings.order, this.table) } : {};
    return { ...settings, ...order, seed };
  }

  /** @returns {Record<string, () => unknown>} */
  get #viewRenderers() {
    const { begin, patch, held } = this;
    const { choices, prompt = '', u = null } = patched(begin, patch);
    return {
      landscape:
        () => html`<logit-landscape bare .given=${this.#given} .model=${modelOf(begin)} .prompt=${prompt}
        .settings=${this.#presentSettings} .u=${u} .knob=${this.knob ?? null}></logit-landscape>`,
      // Do not use `patch`: it has the point under the pointer.
      sweep: () => html`<logit-sweep bare .model=${modelOf(begin)} .prompt=${prompt} .texts=${!held}
        .settings=${{ ...begin.settings, seed: begin.seed ?? 42 }} ${props(choices ?? {})}></logit-sweep>`,
      bigram:
        () => html`<logit-logits bare .source=${'bigram'} .settings=${patched(begin, patch).settings}
        ${props(choices ?? {})}></logit-logits>`,
      text: () => html`<logit-written-text .reader=${this.reader} .state=${this.#now}
        ?constrained=${this.controls?.includes('constraint')}></logit-written-text>`,
      // While the figure is hidden, write no texts.
      compare: () =>
        held
          ? html`<div class="later"></div>`
          : html`<logit-compare fixed .model=${modelOf(begin)} .prompt=${prompt} .seed=${begin.seed ?? 42}
        ${props(choices ?? {})}></logit-compare>`,
      loop: () => html`<logit-loop .reader=${this.reader} .state=${this.#now} .step=${choices?.step ?? 0}
        ?held=${held}></logit-loop>`,
      // While the figure is hidden, count no sentences.
      sentences: () =>
        held
          ? html`<div class="later"></div>`
          : html`<logit-sentences .model=${modelOf(begin)} .prompt=${prompt} .knob=${this.knob ?? null}
        .settings=${this.#presentSettings} ${props(choices ?? {})}></logit-sentences>`,
      cost: () => html`<logit-cost-sum ${props(choices ?? {})}></logit-cost-sum>`,
    };
  }

  #renderControls() {
    const { controls, tokens, table, ids } = this;
    if (!controls) return nothing;
    return renderControls(controls, tokens, {
      state: this.#now,
      table,
      ids,
      set: (to) => this.#emitChange(to),
      seed: this.#seed,
    });
  }

  /** Renders the prompt or the logits, and the questions to answer first. */
  #renderHeld() {
    const { waits, guesses } = this;
    const { logits, tokens = [], choices, prompt = choices?.text } = this.begin;
    const which = { n: waits.length, which: list(waits.map(String)) };
    const note = waits.length > 0 ? html`<p>${t('lesson.held', which)}</p>` : nothing;
    if (guesses) return html`<div class="held note">${note}</div>`;
    return html`<div class="held">
      ${prompt ? html`<p class="prompt" lang="en" translate="no">${prompt} …</p>` : nothing}
      ${
        logits
          ? html`<dl translate="no">${logits.map((logit, i) => html`<div><dt>${tokens[i] ?? i}</dt><dd>${plain(logit)}</dd></div>`)}</dl>`
          : nothing
      }
      ${note}</div>`;
  }

  render() {
    const { patch, held, show } = this;
    return html`
      <figure aria-label=${t('lesson.figure', { title: this.name })}>
        <div class="live" ?inert=${held}
          @logit-set=${(/** @type {CustomEvent} */ { detail }) => this.#emitChange({ settings: detail })}
          @logit-constraint=${(/** @type {CustomEvent} */ { detail }) => this.#emitChange({ settings: detail })}
          @logit-order=${(/** @type {CustomEvent} */ { detail }) => this.#emitChange({ settings: { order: detail.order ?? undefined } })}
          @logit-seed=${(/** @type {CustomEvent} */ { detail }) => this.#emitChange({ seed: detail.seed })}
          @logit-count=${(/** @type {CustomEvent} */ { detail }) => this.#emitChange({ choices: detail })}
          @logit-choose=${(/** @type {CustomEvent} */ { detail }) => 'u' in detail && this.#emitChange({ u: detail.u ?? undefined })}>
          ${this.#viewRenderers[show]()}
          ${this.#renderControls()}
        </div>
        ${held ? this.#renderHeld() : nothing}
      </figure>
      ${
        held || Object.keys(patch).length === 0
          ? nothing
          : html`<button data-command="reset" @click=${() => this.emit('logit-figure', { change: null })}>${t('lesson.reset')}</button>`
      }`;
  }
}

define('logit-figure', LogitFigure);
