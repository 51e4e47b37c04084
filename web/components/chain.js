/**
 * <logit-chain>: the warpers as one signal path, a card each: its knob, a small before/after chart
 * and what it did to the distribution; cards change places by dragging or by keys. Asks with
 * "logit-set", "logit-preset" and "logit-order".
 */
import { html, nothing, svg } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { t } from '../locale/locale.js';
import { layoutSparkline, stageShares } from '../plots/sparkline.js';
import { chainStyles } from './chain-styles.js';
import { define } from './define.js';
import { LogitElement } from './element.js';
import './knob.js';
import { moveInOrder } from './order.js';
import { Reorder } from './reorder.js';
import {
  SHARED,
  WARPERS,
  capitalise,
  describeDifference,
  describeSettings,
  describeStage,
  matchPreset,
  settingName,
} from './settings.js';

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
    order: { attribute: false },
    difference: { attribute: false },
    eos: { attribute: false },
    constraint: { attribute: false },
    fault: { attribute: false },
  };

  static styles = [...LogitElement.styles, chainStyles];

  #picked = '';
  #reorder = new Reorder(this, {
    names: () => this.#shown,
    label: (name) => capitalise(settingName(name)),
    move: (name, to) =>
      this.emit('logit-order', { order: moveInOrder(this.#order, this.#shown, name, to) }),
  });

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
    /** @type {string[] | null} Null is the canonical order. */
    this.order = null;
    /** @type {import('./order.js').Difference | null} */
    this.difference = null;
    this.eos = -1;
    /** @type {import('../engine/types.js').Constraint | null} */
    this.constraint = null;
    /** Why the constraint cannot be applied. */
    this.fault = '';
  }

  connectedCallback() {
    super.connectedCallback();
    import('./constraint.js'); // not needed before the first token
  }

  /** The warpers that have a card, in the order applied. */
  get #shown() {
    const active = this.trace?.stages.filter((stage) => stage.active).map(({ name }) => name) ?? [];
    const wanted = new Set(['logit_bias', ...WARPERS, ...active]);
    return this.#order.filter((name) => wanted.has(name));
  }

  get #order() {
    return this.order ?? this.table.filter(({ warper }) => warper).map(({ name }) => name);
  }

  render() {
    return html`
      <h2 id="title">${t('chain.title')}</h2>
      <p class="about">${t('chain.about')}</p>
      ${this.#renderPresets()}
      <ol class=${this.#reorder.grabbed ? 'grabbing' : ''}>
        <li class="end">${t('chain.in')}</li>
        <li class="gate">
          <logit-constraint .constraint=${this.constraint} .state=${this.trace?.constraint}
            .stage=${this.trace?.stages.find(({ name }) => name === 'constraint')}
            .fault=${this.fault}></logit-constraint>
        </li>
        ${repeat(
          this.#shown,
          (name) => name,
          (name) => this.#renderCard(name),
        )}
        <li class="end">${t('chain.out')}</li>
      </ol>
      ${this.#renderOrder()}
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
    if (this.order) return '';
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
    const grabbed = this.#reorder.grabbed === name;
    const spark = trace && stage ? this.#renderSpark(trace, index) : nothing;
    const did = html`
      <p class="did ${works ? '' : 'idle'}">${stage ? describeStage(stage, before ?? 0) : ''}</p>`;
    return html`
      <li class="card ${works ? 'works' : ''} ${grabbed ? 'grabbed' : ''} ${name === 'logit_bias' ? 'bias' : ''}"
        data-stage=${name}>
        ${this.#reorder.renderPlug(name)}
        ${
          name === 'logit_bias'
            ? html`<p class="name">${capitalise(settingName(name))}</p>
              <div class="row">${did}${spark}</div>`
            : html`${this.#renderKnob(name, spark)}${did}`
        }
      </li>
    `;
  }

  #renderOrder() {
    const { order, difference, eos } = this;
    const words = order && difference ? describeDifference(difference, eos) : t('order.canonical');
    return html`
      <div class="order">
        <p class=${order ? '' : 'plain'}>${words}</p>
        <button aria-disabled=${order === null} data-command="canonical"
          @click=${() => order && this.emit('logit-order', { order: null })}>
          ${t('order.restore')}</button>
      </div>
      <p class="heard" aria-live="assertive">${this.#reorder.said}</p>
      <p id="plug-keys" hidden>${t('order.keys')}</p>
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
