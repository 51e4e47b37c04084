/**
 * <logit-figure>: a landscape of a lesson's state, which it owns: it takes what the landscape asks
 * for, and tells by "logit-figure" how the figure stands now. While `held` nothing in it can be moved.
 */
import { html, nothing } from 'lit';
import { LogitElement, define } from '../../base/element.js';
import { t } from '../../locale/locale.js';
import '../../views/landscape/landscape.js';
import { modelOf } from './reader.js';
import figureStyles from './figure.css';

/** @typedef {import('../../lessons/measures.js').LessonState} LessonState */

export class LogitFigure extends LogitElement {
  static properties = {
    begin: { attribute: false },
    knob: {},
    name: {},
    held: { type: Boolean, reflect: true },
    state: { state: true },
  };

  static styles = [...LogitElement.styles, figureStyles];

  constructor() {
    super();
    /** The state that it begins with. @type {LessonState} */
    this.begin = { prompt: '' };
    /** @type {string | undefined} */
    this.knob = undefined;
    /** What a screen reader calls it. */
    this.name = '';
    this.held = false;
    /** How it stands now. @type {LessonState} */
    this.state = this.begin;
  }

  /** @type {{ logits: Float32Array, tokens: string[] } | null} */
  #given = null;

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('begin')) return;
    const { logits, tokens } = this.begin;
    this.#given = logits
      ? { logits: Float32Array.from(logits), tokens: tokens ?? logits.map(String) }
      : null;
    this.state = this.begin;
  }

  /** @param {Partial<LessonState>} patch */
  #take(patch) {
    this.state = { ...this.state, ...patch };
    this.emit('logit-figure', { state: this.state });
  }

  render() {
    const { state, held } = this;
    const { settings = {}, seed = 42 } = state;
    return html`
      <figure aria-label=${t('lesson.figure', { title: this.name })}>
        <div class="live" ?inert=${held}
          @logit-set=${(/** @type {CustomEvent} */ { detail }) => this.#take({ settings: { ...settings, ...detail } })}
          @logit-order=${(/** @type {CustomEvent} */ { detail }) => this.#take({ settings: { ...settings, order: detail.order ?? undefined } })}
          @logit-seed=${(/** @type {CustomEvent} */ { detail }) => this.#take({ seed: detail.seed })}
          @logit-choose=${(/** @type {CustomEvent} */ { detail }) => 'u' in detail && this.#take({ u: detail.u ?? undefined })}>
          <logit-landscape .given=${this.#given} .model=${modelOf(state)} .prompt=${state.prompt ?? ''}
            .settings=${{ ...settings, seed }} .u=${state.u ?? null} .knob=${this.knob ?? null}></logit-landscape>
        </div>
        ${held ? html`<p class="held">${t('lesson.held')}</p>` : nothing}
      </figure>
      ${
        held || state === this.begin
          ? nothing
          : html`<button data-command="reset" @click=${() => this.#take({ u: undefined, ...this.begin })}>${t('lesson.reset')}</button>`
      }`;
  }
}

define('logit-figure', LogitFigure);
