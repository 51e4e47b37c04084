/**
 * <logit-chain>: the warpers as one signal path, a line each: its knob and what it did, more of both
 * at a press. Temperature, top-k and top-p stand first, the others behind a button; cards change
 * places by dragging or by keys, come from the shelf and go back to it. Asks with "logit-set", "logit-preset" and "logit-order".
 */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { measure, number, t } from '../../locale/locale.js';
import chainStyles from './chain.css';
import { LogitElement, define, valueOf } from '../../base/element.js';
import { help } from '../../base/help.js';
import './knob.js';
import { moveInOrder } from '../../state/order.js';
import { Reorder } from '../../base/reorder.js';
import { liveUnfocused } from '../../base/live-unfocused.js';
import {
  aboutSetting,
  capitalise,
  describeDifference,
  describeIdleBriefly,
  describeSettings,
  describeStage,
  later,
  settingName,
} from '../../base/setting-words.js';
import { FRONT, PARTS, SECOND, SHARED, matchPreset } from '../../state/settings.js';
import { readTexts, writeTexts } from '../../state/escapes.js';

/**
 * @typedef {import('../../plots/trace.js').Trace} Trace
 * @typedef {import('../../plots/trace.js').Settings} Settings
 * @typedef {import('../../plots/trace.js').SettingRow} SettingRow
 * @typedef {{ name: string, settings: Settings }} Preset
 */

/** What float32 logits may do to the entropy of a stage that changes no probability, in bits. */
const ROUNDING = 1e-6;

export class LogitChain extends LogitElement {
  static properties = {
    table: { attribute: false },
    settings: { attribute: false },
    trace: { attribute: false },
    presets: { attribute: false },
    imitations: { attribute: false },
    strategies: { attribute: false },
    order: { attribute: false },
    difference: { attribute: false },
    eos: { attribute: false },
    mu: { attribute: false },
    map: { attribute: false },
    padded: { state: true },
    pair: { attribute: false },
    beside: { attribute: false },
    outcomes: { attribute: false },
    only: { attribute: false },
    fixed: { type: Boolean },
    gates: { attribute: false },
    programmable: { type: Boolean },
    fault: { attribute: false },
    unfolded: { state: true },
    fronting: { state: true },
  };

  static styles = [...LogitElement.styles, chainStyles];

  /** @type {typeof import('./spark.js').renderSpark | null} */
  #renderSpark = null;
  #picked = '';
  /** The warpers off the shelf, until they are removed. @type {Set<string>} */
  #taken = new Set();
  #said = '';
  /** The warper that was added last and is to have the focus. */
  #added = '';
  /** The card that was moved last, which says what the order does. */
  #moved = '';
  /** The order that is told of. @type {Pick<LogitChain, 'order' | 'difference'>} */
  #told = { order: null, difference: null };
  /** The cards that say more. @type {Set<string>} */
  #opened = new Set();
  #reorder = new Reorder(this, {
    names: () => this.#shown,
    label: (name) => capitalise(settingName(name)),
    dropped: (name) => (this.#moved = name),
    move: (name, to) => {
      if (!this.#reorder.dragging) this.#moved = name;
      this.emit('logit-order', { order: moveInOrder(this.#order, this.#shown, name, to) });
    },
  });

  constructor() {
    super();
    /** @type {SettingRow[]} */
    this.table = [];
    /** @type {Settings} */
    this.settings = {};
    /** @type {Trace | null} */
    this.trace = null;
    /** @type {Preset[]} */
    this.presets = [];
    /** @type {Preset[]} */
    this.imitations = [];
    /** @type {Preset[]} */
    this.strategies = [];
    /** @type {string[] | null} Null is the canonical order. */
    this.order = null;
    /** @type {import('../../state/order.js').Difference | null} */
    this.difference = null;
    this.eos = -1;
    /** @type {number | null} Mirostat's bound. */
    this.mu = null;
    /** @type {import('../../state/pad-map.js').PadMap | null} */
    this.map = null;
    /** Whether the pad shows. */
    this.padded = false;
    /** @type {[string, string] | null} The conventions that are compared. */
    this.pair = null;
    /** @type {import('../../state/reader.js').Beside | null} */
    this.beside = null;
    /** @type {import('../../state/outcomes.js').Outcome[] | null} What other programs would keep. */
    this.outcomes = null;
    /** @type {string[] | null} The only settings that show; null for all. */
    this.only = null;
    /** Whether nothing can be changed here. */
    this.fixed = false;
    /** What removes tokens before any warper. @type {import('../../state/fields.js').Gates} */
    this.gates = {};
    /** Whether a sampler of the reader's own can come into the chain. */
    this.programmable = false;
    /** Why the gates cannot be applied. */
    this.fault = '';
    /** Whether the stages beside the first three show. */
    this.unfolded = false;
    /** Whether what other programs do shows. */
    this.fronting = false;
    new ResizeObserver(([{ borderBoxSize }]) =>
      this.style.setProperty('--tall', `${borderBoxSize[0].blockSize}px`),
    ).observe(this);
  }

  connectedCallback() {
    super.connectedCallback();
    import('./constraint.js'); // not needed before the first token
    import('./shelf.js'); // nor before the shelf or a card opens
    import('./spark.js').then(({ renderSpark }) => {
      this.#renderSpark = renderSpark;
      if (this.#opened.size > 0 || this.#taken.has('own')) this.requestUpdate();
    });
  }

  /** The warpers that have a card, in the order applied. */
  get #shown() {
    const taken = this.unfolded || this.fixed ? this.#taken : [];
    const wanted = new Set(this.only ?? [...FRONT, ...taken]);
    return this.#order.filter((name) => wanted.has(name));
  }

  /** How many stages beside the first three have something set. */
  get #others() {
    return [...this.#taken].filter((name) => this.#isSet(name)).length;
  }

  /** @param {string} name of what waits on the shelf */
  #isSet(name) {
    if (name === 'own') return true;
    if (name === 'constraint') return Object.keys(this.gates).length > 0;
    if (name === 'logit_bias')
      return this.trace?.stages.some((stage) => stage.name === name && stage.active) ?? false;
    return (this.settings[name] ?? this.#neutral(name)) !== this.#neutral(name);
  }

  get #presets() {
    return [...this.presets, ...this.imitations, ...this.strategies];
  }

  /**
   * What is in use has a card, and keeps it while its knob passes the neutral value.
   * @param {Map<string, unknown>} changes
   */
  willUpdate(changes) {
    if (changes.has('pair') && this.pair) this.unfolded = true;
    const warpers = this.table.flatMap(({ name, warper }) => (warper ? [name] : []));
    for (const name of [...warpers, 'constraint']) {
      if (FRONT.includes(name) || this.#taken.has(name) || !this.#isSet(name)) continue;
      this.#taken.add(name);
      this.unfolded = true;
    }
  }

  updated() {
    const card = this.#added && this.renderRoot.querySelector(`[data-name=${this.#added}]`);
    if (!card) return;
    this.#added = '';
    const knob = /** @type {import('./knob.js').LogitKnob} */ (card);
    knob.updateComplete.then(() => knob.focus());
  }

  /** The parameters of several warpers that stand on no card. */
  get #loose() {
    const placed = this.#shown.flatMap((name) => this.#partsOf(name));
    return SHARED.filter((name) => !placed.includes(name) && (this.only?.includes(name) ?? true));
  }

  /** @param {string} name */
  #partsOf(name) {
    const parts = PARTS[name] ?? [];
    return parts.filter((part) => !SHARED.includes(part) || (this.only?.includes(part) ?? true));
  }

  /** @param {string} name */
  #row(name) {
    return this.table.find((row) => row.name === name);
  }

  /** @param {string} name */
  #neutral(name) {
    return this.#row(name)?.neutral;
  }

  /** The stages; one of the reader's own is last where it is not named. */
  get #order() {
    const order = this.order ?? this.table.filter(({ warper }) => warper).map(({ name }) => name);
    return order.includes('own') || !this.#taken.has('own') ? order : [...order, 'own'];
  }

  render() {
    const whole = !this.only && !this.fixed;
    const shown = this.#shown;
    // While a pointer holds a card the sentences stay as they are, and the cards as high.
    if (!this.#reorder.dragging) this.#told = { order: this.order, difference: this.difference };
    const order = whole && this.#told.order ? this.#renderOrder(this.#told) : nothing;
    return html`
      <div class="top">
        <h2 id="title">${t('chain.title')}</h2>
        ${help(t('chain.title'), `${t('chain.about')} ${whole ? t('order.canonical') : ''}`)}
        ${whole ? this.#renderPresets() : nothing}
      </div>
      <ol class="${this.#reorder.grabbed ? 'grabbing' : ''} ${whole ? 'wired' : ''}" aria-labelledby="title">
        ${whole && this.#taken.has('constraint') ? this.#renderGate() : nothing}
        ${repeat(
          shown,
          (name) => name,
          (name) => this.#renderCard(name, name === this.#moved ? order : nothing),
        )}
      </ol>
      ${shown.includes(this.#moved) ? nothing : order}
      ${whole ? this.#renderOthers() : nothing}
      ${this.only ? this.#loose.map((name) => this.#renderKnob(name, { open: true })) : nothing}
      <p class="visually-hidden" aria-live="assertive">${this.#reorder.said}</p>
      <p class="visually-hidden" role="status">${this.#said}</p>
      <p id="plug-keys" hidden>${t('order.keys')}</p>
    `;
  }

  /** Everything beside the first three. */
  #renderOthers() {
    const ofText = this.programmable ? [] : ['own', 'constraint', ...SECOND];
    const shelved = [...this.#taken, ...ofText];
    return html`
      <div class="folds">
        <button aria-expanded=${this.unfolded} data-command="stages"
          @click=${() => (this.unfolded = !this.unfolded)}>
          ${t(this.#others > 0 ? 'chain.stages.on' : 'chain.stages', { n: this.#others })}</button>
        ${
          this.programmable
            ? html`<button aria-expanded=${this.padded} data-command="pad"
                @click=${this.#onPad}>${t('chain.pad')}</button>`
            : nothing
        }
      </div>
      ${this.padded ? this.#renderPad() : nothing}
      ${
        this.unfolded
          ? html`<logit-shelf .table=${this.table} .shown=${shelved} @logit-add=${this.#onAdd}></logit-shelf>
            ${this.#renderMore()}`
          : nothing
      }`;
  }

  #renderPad() {
    return html`
      <logit-pad .across=${this.#row('temperature') ?? null} .up=${this.#row('top_p') ?? null}
        .settings=${this.settings} .trace=${this.trace} .map=${this.map}></logit-pad>`;
  }

  async #onPad() {
    if (!this.padded) await import('./pad.js');
    else this.emit('logit-map', { wanted: false });
    this.padded = !this.padded;
  }

  #renderGate() {
    return html`
      <li class="gate" ?hidden=${!this.unfolded}>
        <logit-constraint .gates=${this.gates} .state=${this.trace?.constraint}
          .stages=${this.trace?.stages ?? []} .fault=${this.fault}></logit-constraint>
      </li>`;
  }

  #renderMore() {
    return html`
      <details data-fronts ?open=${this.fronting} @toggle=${this.#onFronts} @logit-preset=${this.#leave}>
        <summary>${t('chain.fronts')}</summary>
        ${
          this.fronting
            ? html`<logit-fronts .table=${this.table} .settings=${this.settings} .order=${this.order}
                .outcomes=${this.outcomes}></logit-fronts>`
            : nothing
        }
      </details>
      <details data-beside ?open=${this.pair !== null} @toggle=${this.#onBeside}>
        <summary>${t('chain.conventions')}</summary>
        ${
          this.pair
            ? html`<logit-conventions .pair=${this.pair} .beside=${this.beside}
                .eos=${this.eos}></logit-conventions>`
            : nothing
        }
      </details>
      <details>
        <summary>${t('chain.more')}</summary>
        ${this.#loose.map((name) => this.#renderKnob(name, { open: true }))}
        ${this.#renderConvention()}
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
        <select id="preset" aria-label=${t('chain.preset')} .value=${live(current)} @change=${this.#onPreset}>
          <option value="" ?selected=${current === ''} disabled>${t('chain.preset.custom')}</option>
          <optgroup label=${t('preset.group.basic')}>
            ${this.presets.map((preset) => option(preset, t(`preset.${preset.name}`)))}
          </optgroup>
          <optgroup label=${t('warpers.imitations')}>
            ${this.imitations.map((preset) => option(preset, t(`preset.${preset.name}`)))}
          </optgroup>
          <optgroup label=${t('preset.group.nine')}>
            ${this.strategies.map((preset) => option(preset, strategyName(preset.settings)))}
          </optgroup>
        </select>
      </div>
    `;
  }

  /** The preset that the settings equal; among equals the one that was picked. */
  #currentPreset() {
    const picked = this.#presets.filter(({ name }) => name === this.#picked);
    return matchPreset(this.table, this.settings, this.order, [...picked, ...this.#presets]);
  }

  /** @param {string} name @param {unknown} order what it does, on the card that was moved */
  #renderCard(name, order) {
    const { trace } = this;
    const index = trace ? trace.stages.findIndex((stage) => stage.name === name) : -1;
    const stage = trace?.stages[index];
    const works = Boolean(stage?.active && stage.changed);
    const before = (index > 0 ? trace?.stages[index - 1].entropy : trace?.raw_entropy) ?? 0;
    const kind = `${works ? 'works' : ''} ${this.#reorder.grabbed === name ? 'grabbed' : ''}`;
    const plug = this.only || this.fixed ? nothing : this.#reorder.renderPlug(name);
    const words = stage ? describeStage(stage, before, this.#neutral(name)) : '';
    const spark = () => (trace && stage ? this.#renderSpark?.(trace, index) : nothing);
    const did = html`<p class="did ${works ? '' : 'idle'}">${words}</p>`;
    if (name === 'own')
      return html`
        <li class="card ${kind}" data-stage="own">${plug}
          <logit-own-stage data-name="own">${this.#renderRemove('own')}<span slot="spark">${spark()}</span>${did}</logit-own-stage>${order}
        </li>`;
    const open = this.#opened.has(name);
    const brief = html`<span slot="did" class="brief" title=${words}>${stage ? describeBriefly(stage, before) : ''}</span>`;
    const end = html`${this.#renderToggle(name, open)}${this.#renderRemove(name)}`;
    return html`
      <li class="card ${kind}" data-stage=${name}>
        ${plug}
        ${
          name === 'logit_bias'
            ? html`<div class="row"><p class="name">${capitalise(settingName(name))}</p>${end}</div>`
            : this.#renderKnob(name, { open, slots: html`${brief}${end}` })
        }
        <div class="more" ?hidden=${!open}>${did}${open ? spark() : nothing}</div>
        ${SECOND.includes(name) ? this.#renderSecond(name) : nothing}
        ${open || this.only ? this.#renderParts(name) : nothing}${order}
      </li>
    `;
  }

  /** @param {string} name @param {boolean} open */
  #renderToggle(name, open) {
    return html`
      <button slot="end" class="ring" data-more=${name} aria-expanded=${open}
        aria-label=${t('help.about', { name: capitalise(settingName(name)) })}
        @click=${() => this.#toggle(name)}>?</button>`;
  }

  /** @param {string} name */
  #toggle(name) {
    if (!this.#opened.delete(name)) this.#opened.add(name);
    this.requestUpdate();
  }

  /** @param {string} name */
  #renderRemove(name) {
    if (FRONT.includes(name)) return nothing;
    const label = t('warpers.remove', { name: capitalise(settingName(name)) });
    return html`
      <button slot="end" class="remove" data-remove=${name} ?hidden=${this.fixed} aria-label=${label} title=${label}
        @click=${() => this.#remove(name)}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 4l8 8M12 4l-8 8"></path></svg></button>`;
  }

  /** What stands below a warper's own knob. @param {string} name */
  #renderParts(name) {
    const parts = this.#partsOf(name);
    if (parts.length === 0) return nothing;
    const mu = this.mu === null ? '–' : measure(this.mu);
    return html`
      <div class="parts">
        ${parts.map((part) => this.#renderPart(part))}
        ${name === 'mirostat' ? html`<p class="about">${t('warpers.mu', { mu })}</p>` : nothing}
        ${name === 'adaptive_target' ? html`<p class="about">${later('shelf.mean', { mean: mu })}</p>` : nothing}
      </div>`;
  }

  /** A parameter on a warper's card. @param {string} name */
  #renderPart(name) {
    if (this.#row(name)?.kind !== 'list') return this.#renderKnob(name, { open: true });
    return html`
      <div class="texts">
        <label class="name" for=${name}>${capitalise(settingName(name))}</label>
        <input id=${name} type="text" ?readonly=${this.fixed} autocomplete="off" spellcheck="false"
          aria-describedby="about-${name}" .value=${liveUnfocused(writeTexts(this.settings[name] ?? []))}
          @change=${(/** @type {Event} */ event) => this.emit('logit-set', { [name]: readTexts(valueOf(event)) })}>
        <p class="about" id="about-${name}">${aboutSetting(name)} ${t('warpers.texts')}</p>
      </div>`;
  }

  /** The second text of a stage that reads one. @param {string} name */
  #renderSecond(name) {
    const id = `second-${name}`;
    return html`
      <div class="texts">
        <label class="name" for=${id}>${later('shelf.second')}</label>
        <input class="wide" id=${id} type="text" ?readonly=${this.fixed} autocomplete="off"
          aria-describedby="about-${id}" .value=${liveUnfocused(this.settings.negative_prompt ?? '')}
          @change=${(/** @type {Event} */ event) => this.emit('logit-set', { negative_prompt: valueOf(event) || null })}>
        <p class="about" id="about-${id}">${later('shelf.second.about')}</p>
      </div>`;
  }

  #renderConvention() {
    const { choices = [] } = this.#row('convention') ?? {};
    const current = this.settings.convention;
    return html`
      <div class="texts">
        <label class="name" for="convention">${capitalise(settingName('convention'))}</label>
        <select id="convention" ?disabled=${this.fixed} aria-describedby="about-convention" .value=${live(current)}
          @change=${(/** @type {Event} */ event) => this.emit('logit-set', { convention: valueOf(event) })}>
          ${choices.map((name) => html`<option value=${name} ?selected=${name === current}>${name}</option>`)}
        </select>
        <p class="about" id="about-convention">${aboutSetting('convention')}</p>
      </div>`;
  }

  /** Tells the effect of the reader's own order on the tokens. @param {Pick<LogitChain, 'order' | 'difference'>} told */
  #renderOrder({ order, difference }) {
    return html`
      <div class="order" data-order=${order?.join()}>
        <p>${difference ? describeDifference(difference, this.eos) : ''}</p>
        <button data-command="canonical" @click=${this.#onCanonical}>${t('order.restore')}</button>
      </div>`;
  }

  #onCanonical() {
    const plug = `[data-stage=${this.#moved || FRONT[0]}] .plug`;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(plug))?.focus();
    this.emit('logit-order', { order: null });
  }

  /**
   * @param {string} name
   * @param {{ open?: boolean, slots?: unknown }} [shown]
   */
  #renderKnob(name, { open = false, slots = nothing } = {}) {
    const row = this.#row(name);
    if (!row) return nothing;
    const counts = name === 'top_k' || name === 'min_tokens_to_keep';
    const most = counts && this.trace ? this.trace.vocab_size : Infinity;
    const value = this.settings[name] ?? row.neutral;
    return html`<logit-knob data-name=${name} .row=${row} .value=${value}
      ?fixed=${this.fixed} .most=${most} ?open=${open}>${slots}</logit-knob>`;
  }

  /** @param {CustomEvent} event */
  async #onAdd({ detail: { name, start } }) {
    if (name === 'own') await import('../own-sampler/stage.js');
    this.#taken.add(name);
    this.#opened.add(name);
    this.#added = name;
    const { length } = this.#shown;
    const params = { name: capitalise(settingName(name)), at: this.#shown.indexOf(name) + 1 };
    this.#said = t('warpers.added', { ...params, of: length });
    if (start === undefined)
      this.requestUpdate(); // it asks for itself
    else this.emit('logit-set', { [name]: start });
  }

  /** @param {string} name */
  #remove(name) {
    this.#taken.delete(name);
    this.#said = t('warpers.removed', { name: capitalise(settingName(name)) });
    if (name === 'own') this.emit('logit-own-stage', { own: null });
    else if (name !== 'logit_bias') {
      const neutral = { [name]: this.#neutral(name) };
      this.settings = { ...this.settings, ...neutral }; // at once; all else shows with the answer
      this.emit('logit-set', neutral);
    }
    this.requestUpdate();
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('logit-shelf'))?.focus();
  }

  /** @param {Event} event */
  #onBeside(event) {
    const { open } = /** @type {HTMLDetailsElement} */ (event.target);
    if (open) import('./conventions.js');
    if (open === (this.pair !== null)) return; // opened by a pair that came from outside
    this.emit('logit-conventions', { pair: open ? ['transformers', 'llama.cpp'] : null });
  }

  /** @param {Event} event */
  #onFronts(event) {
    this.fronting = /** @type {HTMLDetailsElement} */ (event.target).open;
    if (this.fronting) import('./fronts.js');
  }

  /** What a preset turns off goes back to the shelf. */
  #leave() {
    const kept = ['own', 'constraint', 'logit_bias'];
    this.#taken = new Set(kept.filter((name) => this.#taken.has(name)));
  }

  /** @param {Event} event */
  #onPreset(event) {
    const value = valueOf(event);
    const preset = this.#presets.find(({ name }) => name === value);
    if (!preset) return;
    this.#picked = value;
    this.#leave();
    this.emit('logit-preset', preset);
  }
}

/**
 * What a stage did, in a word or two.
 * @param {import('../../plots/trace.js').Stage} stage
 * @param {number} before the entropy that it met
 */
function describeBriefly(stage, before) {
  if (!stage.active) return t('chain.is-off');
  if (!stage.changed) return describeIdleBriefly(stage);
  if (stage.removed > 0) return t('chain.brief.removed', { n: number(stage.removed) });
  const bits = stage.entropy - before;
  const size = Math.abs(bits) < ROUNDING ? 0 : Math.abs(bits);
  const sign = size === 0 ? '±' : bits < 0 ? '−' : '+';
  return t('chain.brief.bits', { bits: `${sign}${measure(size)}` });
}

/** @param {import('../../engine/types.js').Settings} settings */
function strategyName(settings) {
  return settings.temperature === 0 ? t('preset.greedy') : describeSettings(settings);
}

define('logit-chain', LogitChain);
