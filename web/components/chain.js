/**
 * <logit-chain>: the warpers as one signal path, a card each: its knob, a small before/after chart
 * and what it did to the distribution. Asks with "logit-set" and "logit-preset".
 */
import { css, html, nothing, svg } from 'lit';
import { live } from 'lit/directives/live.js';
import { t } from '../locale/locale.js';
import { layoutSparkline, stageShares } from '../plots/sparkline.js';
import { define } from './define.js';
import { LogitElement } from './element.js';
import './knob.js';
import { SHARED, WARPERS, describeSettings, describeStage, matchPreset } from './settings.js';

/**
 * @typedef {import('../plots/trace.js').Trace} Trace
 * @typedef {import('../plots/trace.js').Settings} Settings
 * @typedef {{ name: string, settings: Settings }} Preset
 */

const SPARK = { width: 96, height: 34 };

export class LogitChain extends LogitElement {
  static properties = {
    table: { attribute: false },
    settings: { attribute: false },
    trace: { attribute: false },
    presets: { attribute: false },
    strategies: { attribute: false },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      .preset {
        display: flex;
        align-items: center;
        gap: 0.625rem;
        margin-top: 0.75rem;
      }

      .preset select {
        flex: 1;
        min-width: 0;
      }

      ol {
        position: relative;
        margin: 0.875rem 0 0;
        padding: 0 0 0 1.375rem;
        list-style: none;
      }

      /* The wire that the logits run along, from card to card. */
      ol::before {
        content: '';
        position: absolute;
        inset: 0.5rem auto 0.5rem 0.3125rem;
        width: 2px;
        background: var(--line);
      }

      .end {
        position: relative;
        color: var(--soft);
        font-size: 0.75rem;
        line-height: 1rem;
      }

      .end::before,
      .card::before {
        content: '';
        position: absolute;
        left: -1.375rem;
        width: 0.75rem;
        height: 0.75rem;
        border: 2px solid var(--control-line);
        border-radius: 50%;
        background: var(--panel);
      }

      .end::before {
        top: 0.125rem;
        border-color: var(--line);
        background: var(--line);
        transform: scale(0.66);
      }

      .card {
        position: relative;
        padding: 0.625rem 0 0.5rem;
      }

      .card + .card {
        border-top: 1px solid var(--line);
      }

      .card::before {
        top: 1.3125rem;
        transition: background var(--quick), border-color var(--quick);
      }

      .card.works::before {
        border-color: var(--trace);
        background: var(--trace);
      }

      .did {
        /* Two lines always: the cards below never jump. */
        min-height: 2.375rem;
        font-size: 0.8125rem;
        line-height: 1.1875rem;
        text-wrap: pretty;
      }

      .did.idle {
        color: var(--soft);
      }

      .spark {
        display: block;
        width: 6rem;
        height: 2.125rem;
        overflow: visible;
      }

      .spark .before {
        fill: var(--ghost);
      }

      .spark .after {
        fill: var(--trace);
        fill-opacity: 0.82;
      }

      .spark line {
        stroke: var(--control-line);
        stroke-width: 1;
      }

      details {
        margin-top: 0.5rem;
        border-top: 1px solid var(--line);
        padding-top: 0.5rem;
      }

      details logit-knob {
        margin-top: 0.625rem;
      }
    `,
  ];

  #picked = '';

  constructor() {
    super();
    /** @type {import('../plots/trace.js').SettingRow[]} */
    this.table = [];
    /** @type {Settings} */
    this.settings = {};
    /** @type {Trace | null} */
    this.trace = null;
    /** @type {Preset[]} */
    this.presets = [];
    /** @type {Preset[]} */
    this.strategies = [];
  }

  render() {
    return html`
      <h2 id="title">${t('chain.title')}</h2>
      <p class="about">${t('chain.about')}</p>
      ${this.#renderPresets()}
      <ol>
        <li class="end">${t('chain.in')}</li>
        ${WARPERS.map((name) => this.#renderCard(name))}
        <li class="end">${t('chain.out')}</li>
      </ol>
      <details>
        <summary>${t('chain.more')}</summary>
        ${SHARED.map((name) => this.#renderKnob(name))}
      </details>
    `;
  }

  #renderPresets() {
    const current = this.#currentPreset();
    /** @param {Preset} preset @param {string} label */
    const option = (preset, label) =>
      html`<option value=${preset.name} ?selected=${preset.name === current}>${label}</option>`;
    return html`
      <div class="preset">
        <label class="label" for="preset">${t('chain.preset')}</label>
        <select id="preset" .value=${live(current)} @change=${this.#onPreset}>
          <option value="" ?selected=${current === ''} disabled>${t('chain.preset.custom')}</option>
          <optgroup label=${t('preset.group.basic')}>
            ${this.presets.map((preset) => option(preset, t(`preset.${preset.name}`)))}
          </optgroup>
          <optgroup label=${t('preset.group.nine')}>
            ${this.strategies.map((preset) => option(preset, describeSettings(preset.settings)))}
          </optgroup>
        </select>
      </div>
    `;
  }

  /** The preset that the settings equal; among equals the one that was picked. */
  #currentPreset() {
    const all = [...this.presets, ...this.strategies];
    const picked = all.filter(({ name }) => name === this.#picked);
    return matchPreset(this.table, this.settings, [...picked, ...all]);
  }

  /** @param {string} name */
  #renderCard(name) {
    const { trace } = this;
    const index = trace ? trace.stages.findIndex((stage) => stage.name === name) : -1;
    const stage = trace?.stages[index];
    const works = Boolean(stage?.active && stage.changed);
    const before = index > 0 ? trace?.stages[index - 1].entropy : trace?.raw_entropy;
    return html`
      <li class="card ${works ? 'works' : ''}" data-stage=${name}>
        ${this.#renderKnob(name, trace && stage ? this.#renderSpark(trace, index) : nothing)}
        <p class="did ${works ? '' : 'idle'}">${stage ? describeStage(stage, before ?? 0) : ''}</p>
      </li>
    `;
  }

  /**
   * @param {string} name
   * @param {unknown} [aside]
   */
  #renderKnob(name, aside = nothing) {
    const row = this.table.find((candidate) => candidate.name === name);
    if (!row) return nothing;
    const counts = name === 'top_k' || name === 'min_tokens_to_keep';
    const most = counts && this.trace ? this.trace.vocab_size : Infinity;
    const value = this.settings[name] ?? row.neutral;
    return html`<logit-knob data-name=${name} .row=${row} .value=${value}
      .most=${most}>${aside}</logit-knob>`;
  }

  /**
   * @param {Trace} trace
   * @param {number} index
   */
  #renderSpark(trace, index) {
    const paths = layoutSparkline({ ...stageShares(trace, index), ...SPARK });
    return html`
      <svg class="spark" viewBox="0 0 ${SPARK.width} ${SPARK.height}" aria-hidden="true">
        ${svg`<path class="before" d=${paths.before}></path>
          <path class="after" d=${paths.after}></path>
          <line x1="0" x2=${SPARK.width} y1=${SPARK.height} y2=${SPARK.height}></line>`}
        ${svg`<title>${t('chain.spark')}</title>`}
      </svg>
    `;
  }

  /** @param {Event} event */
  #onPreset(event) {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    const preset = [...this.presets, ...this.strategies].find(({ name }) => name === value);
    if (!preset) return;
    this.#picked = value;
    this.emit('logit-preset', preset);
  }
}

define('logit-chain', LogitChain);
