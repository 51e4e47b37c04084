/**
 * <logit-chain>: the samplers in the order of the chain, a line for each with handle, name, slider, value and effect.
 * Temperature, top-k and top-p are always there. Buttons add frequent samplers, the shelf has all others. The user
 * moves a line by dragging or with keys. With `single`, only one knob is shown at a time. Emits "logit-set",
 * "logit-preset" and "logit-order".
 */
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { measure, t } from '../../locale/locale.js';
import chainStyles from './chain.css';
import { LogitElement, define, elementWith } from '../../base/element.js';
import './knob.js';
import { moveInOrder } from '../../state/order.js';
import { Reorder } from '../../base/reorder.js';
import {
  aboutSetting,
  capitalise,
  describeDifference,
  later,
  settingName,
  valueInWords,
} from '../../base/setting-words.js';
import { effectOf } from '../../base/stage-words.js';
import { ALWAYS_SHOWN, PARTS, SECOND, SHARED, WANTED, matchPreset } from '../../state/settings.js';
import { readTexts, writeTexts } from '../../state/escapes.js';
import { renderChips } from './chips.js';
import { Chooser } from './chooser.js';
import { renderPresets } from './presets.js';
import { renderConvention, renderText } from './texts.js';

/** @import { Trace, Settings, SettingRow } from '../../plots/trace.js' */
/** @import { Preset } from './presets.js' */

/** True if the main pointer is a mouse. On a touch screen, the focus in a number field would open the keyboard. */
const HOVER = matchMedia('(hover: hover)');

/** Entries of the shelf that are no samplers; presets do not change them. */
const BESIDE = ['own', 'constraint', 'logit_bias'];

export class LogitChain extends elementWith(LogitElement, () => ({
  /** @type {SettingRow[]} */
  table: [],
  /** @type {Settings} */
  settings: {},
  /** @type {Trace | null} */
  trace: null,
  /** @type {Preset[]} */
  presets: [],
  /** @type {Preset[]} */
  imitations: [],
  /** @type {Preset[]} */
  strategies: [],
  /** @type {string[] | null} Null for the canonical order. */
  order: null,
  /** @type {import('../../state/order.js').Difference | null} */
  difference: null,
  eos: -1,
  /** Mirostat's bound or adaptive-p's mean at this step; null if both are off. @type {number | null} */
  mu: null,
  /** Names of two programs with rules to compare; null for none. @type {[string, string] | null} */
  pair: null,
  /** @type {import('../../state/beside.js').Beside | null} */
  beside: null,
  /** Names of the settings to show; null for all. @type {string[] | null} */
  only: null,
  fixed: false,
  /** @type {import('../../state/fields.js').Gates} */
  gates: {},
  /**
   * Settings of the thinking if they draw the displayed token; null if the knobs' values do.
   * @type {Settings | null}
   */
  partSettings: null,
  /** True if the shelf offers the user's own sampler, constraints, and samplers that read a second text. */
  programmable: false,
  /** True to offer the settings of other programs. */
  imports: false,
  /** The reason why the engine cannot apply the gates; '' if none. */
  fault: '',
  /** True if the shelf and the further settings are unfolded. */
  unfolded: false,
  /** True to show one knob at a time, as on a phone. */
  single: false,
  /**
   * True if the first lines stick to the edge of the window. The buttons that add samplers are then below all
   * lines.
   */
  docked: false,
  /** True if the user has chosen to see all knobs although `single` is true. */
  listed: false,
  /** Number of times that all settings were replaced, by a preset or another state. */
  replacements: 0,
  /** The user's own sampler in the chain; null if none. @type {import('../../engine/types.js').Own | null} */
  own: null,
  /** The sampler with the only visible knob, by name; '' for the first one. */
  at: '',
})) {
  static properties = {
    fixed: { type: Boolean },
    single: { type: Boolean },
    docked: { type: Boolean },
    programmable: { type: Boolean },
    imports: { type: Boolean },
  };

  static styles = [...LogitElement.styles, chainStyles];

  /** @type {typeof import('./spark.js').renderSpark | null} */
  #renderSpark = null;
  /** Says the settings of a part of the text; null until it is fetched. @type {((part: Settings) => string) | null} */
  #sayPart = null;
  /** Name of the preset that the user chose last. */
  #picked = '';
  /** Names of the samplers that have a line because the user or the settings need them. @type {Set<string>} */
  #taken = new Set();
  /** The last sentence for screen readers. */
  #said = '';
  /** Name of the sampler that was just added and gets the focus at the next update; '' for none. */
  #added = '';
  /** Name of the sampler that was moved last. */
  #moved = '';
  /** Names of the samplers whose lines are unfolded. @type {Set<string>} */
  #opened = new Set();
  #chooser = new Chooser(this);
  #reorder = new Reorder(this, {
    names: () => this.#shownNames,
    label: (name) => capitalise(settingName(name)),
    move: (name, to) => {
      this.#moved = name;
      const order = moveInOrder(this.#order, this.#shownNames, name, to);
      this.emit('logit-order', { order: order.join() === this.#usualOrder.join() ? null : order });
    },
  });

  connectedCallback() {
    super.connectedCallback();
    import('./constraint.js'); // fetched after the first token is on screen, like the next two modules
    import('./shelf.js');
    import('./spark.js').then(({ renderSpark }) => {
      this.#renderSpark = renderSpark;
      if (this.#opened.size > 0 || this.#taken.has('own')) this.requestUpdate();
    });
  }

  /** The samplers that have a line, in the order of the chain. */
  get #shownNames() {
    const wanted = new Set(this.only ?? [...ALWAYS_SHOWN, ...this.#taken]);
    return this.#order.filter((name) => wanted.has(name));
  }

  /** @param {string} name of an entry of the shelf */
  #isSet(name) {
    if (name === 'own') return true;
    if (name === 'constraint') return Object.keys(this.gates).length > 0;
    if (name === 'logit_bias')
      return this.trace?.stages.some((stage) => stage.name === name && stage.active) ?? false;
    return (this.settings[name] ?? this.#neutralOf(name)) !== this.#neutralOf(name);
  }

  /**
   * Adds a line for each sampler that the settings turn on. The line stays if its knob passes the neutral value.
   * @param {Map<string, unknown>} changes
   */
  willUpdate(changes) {
    if (this.partSettings && !this.#sayPart)
      import('../text/chat.js').then(({ sayPart }) => {
        this.#sayPart = sayPart;
        this.requestUpdate();
      });
    if (changes.has('pair') && this.pair) this.unfolded = true;
    if (changes.get('replacements') !== undefined) this.#removeAdded();
    // If the card still runs the user's sampler, the page has removed the sampler, for example by an older state.
    const card = /** @type {any} */ (this.renderRoot.querySelector('logit-own-stage'));
    if (changes.get('own') && !this.own && card?.on) this.#taken.delete('own');
    const samplers = this.table.flatMap(({ name, sampler }) => (sampler ? [name] : []));
    for (const name of [...samplers, 'constraint']) {
      if (ALWAYS_SHOWN.includes(name) || this.#taken.has(name) || !this.#isSet(name)) continue;
      this.#taken.add(name);
    }
  }

  /** @param {Map<string, unknown>} changes */
  updated(changes) {
    if (this.#showsOneKnob) {
      if (changes.has('listed') && this.at) this.#chooser.choose(this.at, true);
      this.#chooser.scroll(this.#shownNames);
    }
    const card = this.#added && this.renderRoot.querySelector(`[data-name=${this.#added}]`);
    if (!card) return;
    this.#added = '';
    const knob = /** @type {import('./knob.js').LogitKnob} */ (card);
    if (this.#showsOneKnob) this.#chooser.choose(knob.dataset.name ?? '', true);
    knob.updateComplete.then(() => (HOVER.matches ? knob.edit?.() : knob.focus()));
  }

  /** Shared settings that belong to no visible sampler. */
  get #looseSettings() {
    const placed = this.#shownNames.flatMap((name) => this.#partsOf(name));
    return SHARED.filter((name) => !placed.includes(name) && (this.only?.includes(name) ?? true));
  }

  /** @param {string} name */
  #partsOf(name) {
    const parts = PARTS[name] ?? [];
    return parts.filter((part) => !SHARED.includes(part) || (this.only?.includes(part) ?? true));
  }

  /** @param {string} name */
  #rowOf(name) {
    return this.table.find((row) => row.name === name);
  }

  /** @param {string} name */
  #neutralOf(name) {
    return this.#rowOf(name)?.neutral;
  }

  get #usualOrder() {
    return this.table.filter(({ sampler }) => sampler).map(({ name }) => name);
  }

  /** The order of the samplers. Unless the order has it, the user's own sampler is last. */
  get #order() {
    const order = this.order ?? this.#usualOrder;
    return order.includes('own') || !this.#taken.has('own') ? order : [...order, 'own'];
  }

  render() {
    const whole = !this.only && !this.fixed;
    const alone = this.#showsOneKnob;
    const shown = this.#shownNames;
    const chips = renderChips({
      names: whole ? WANTED.filter((name) => this.#rowOf(name)) : [],
      taken: this.#taken,
      add: (name) => this.#add({ name, start: /** @type {number} */ (this.#rowOf(name)?.usual) }),
      remove: (name) => this.#remove(name),
    });
    const below = this.docked || alone;
    const kind = `${alone ? 'alone' : ''} ${this.#reorder.grabbed ? 'grabbing' : ''}`;
    return html`
      ${alone ? this.#chooser.render(shown) : this.#renderTop(whole)}
      ${whole && !below ? html`<div class="folds">${chips}</div>` : nothing}
      ${this.partSettings && this.#sayPart ? html`<p class="about" role="status">${t('chat.part', { settings: this.#sayPart(this.partSettings) })}</p>` : nothing}
      <ol class="cards ${kind}" aria-labelledby="title" @scrollend=${alone ? this.#chooser.onScroll : nothing}>
        ${whole && this.#taken.has('constraint') ? this.#renderGate() : nothing}
        ${repeat(
          shown,
          (name) => name,
          (name) => this.#renderCard(name),
        )}
      </ol>
      ${whole && this.order ? this.#renderOrder() : nothing}
      ${whole ? this.#renderOthers(below ? chips : nothing) : nothing}
      ${alone ? this.#renderTop(whole) : nothing}
      ${this.only ? this.#looseSettings.map((name) => this.#renderKnob(name, { open: true })) : nothing}
      <p class="visually-hidden" aria-live="assertive">${this.#reorder.said}</p>
      <p class="visually-hidden" role="status">${this.#said}</p>
      <p id="plug-keys">${t('order.keys')}</p>
    `;
  }

  /** True if one knob shows at a time. */
  get #showsOneKnob() {
    return this.single && !this.listed && !this.only && !this.fixed;
  }

  /** @param {boolean} whole */
  #renderTop(whole) {
    return html`
      <div class="top">
        <h2 id="title">${t('chain.title')}</h2>
        ${
          whole && this.imports
            ? html`<button class="quiet" data-command="programs" @click=${() => this.emit('logit-programs')}>${t('chain.programs')}</button>`
            : nothing
        }
        ${whole ? this.#renderPresets() : nothing}
      </div>`;
  }

  /** @param {unknown} chips the buttons of the wanted stages, if they stand here */
  #renderOthers(chips) {
    const ofText = this.programmable ? [] : ['own', 'constraint', ...SECOND];
    const shelved = [...this.#taken, ...ofText];
    const { listed } = this;
    return html`
      <div class="folds">
        ${chips}
        <button class="quiet" aria-expanded=${this.unfolded} data-command="stages"
          @click=${() => (this.unfolded = !this.unfolded)}>${t('chain.stages')}</button>
        <button class="quiet" ?hidden=${!this.single} data-command="list"
          @click=${() => (this.listed = !listed)}>${t(listed ? 'chain.one' : 'chain.list')}</button>
      </div>
      ${
        this.unfolded
          ? html`<p class="about">${t('chain.about')} ${t('order.canonical')}</p>
            <logit-shelf .table=${this.table} .shown=${shelved} .inside=${[...ALWAYS_SHOWN, ...this.#taken]} .imports=${this.imports}
              @logit-add=${(/** @type {CustomEvent} */ { detail }) => this.#add(detail)} @logit-close=${() => this.#fold()}
              @logit-find=${(/** @type {CustomEvent} */ { detail }) => this.#find(detail.name)}></logit-shelf>
            ${this.#renderMore()}`
          : nothing
      }`;
  }

  /** Folds the shelf and moves the focus to its button. */
  #fold() {
    this.unfolded = false;
    /** @type {HTMLElement | null} */ (
      this.renderRoot.querySelector('[data-command=stages]')
    )?.focus();
  }

  /** Closes the shelf and moves the focus to a stage of the chain. @param {string} name */
  #find(name) {
    this.#fold();
    this.#added = name;
  }

  #renderGate() {
    return html`
      <li class="gate">
        <logit-constraint .gates=${this.gates} .state=${this.trace?.constraint}
          .stages=${this.trace?.stages ?? []} .fault=${this.fault}></logit-constraint>
      </li>`;
  }

  #renderMore() {
    return html`
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
        ${this.#looseSettings.map((name) => this.#renderKnob(name, { open: true }))}
        ${renderConvention(
          this.#rowOf('convention')?.choices ?? [],
          this.settings.convention,
          this.fixed,
          (convention) => this.emit('logit-set', { convention }),
        )}
      </details>
    `;
  }

  /**
   * Renders the menu of presets. It shows the preset that the settings equal; if several are equal, the one that the
   * user chose.
   */
  #renderPresets() {
    const all = [...this.presets, ...this.imitations, ...this.strategies];
    const picked = all.filter(({ name }) => name === this.#picked);
    const current = matchPreset(this.table, this.settings, this.order, [...picked, ...all]);
    return renderPresets(this, current, (name) => {
      const preset = all.find((each) => each.name === name);
      if (!preset) return;
      this.#picked = name;
      this.emit('logit-preset', preset);
    });
  }

  /** @param {string} name */
  #renderCard(name) {
    const { trace } = this;
    const index = trace ? trace.stages.findIndex((stage) => stage.name === name) : -1;
    const effect = effectOf(trace, index, this.#neutralOf(name));
    const { works = false, brief: words = '', sentence = '', tail = '' } = effect ?? {};
    const kind = `${works ? 'works' : ''} ${this.#reorder.grabbed === name ? 'grabbed' : ''}`;
    const plug = this.only || this.fixed ? nothing : this.#reorder.renderPlug(name);
    const spark = () => (trace && index >= 0 ? this.#renderSpark?.(trace, index) : nothing);
    const did = html`<p class="did ${works ? '' : 'idle'}">${sentence}</p>`;
    if (name === 'own')
      return html`
        <li class="card ${kind}" data-stage="own">${plug}
          <logit-own-stage data-name="own">${this.#renderRemove('own')}<span slot="spark">${spark()}</span>${did}</logit-own-stage>
        </li>`;
    const open = this.#opened.has(name);
    const brief = html`<span slot="did" class="brief" title=${sentence}>${words}</span>`;
    const end = html`${this.#renderRemove(name)}${this.#renderToggle(name, open)}`;
    return html`
      <li class="card ${kind}" data-stage=${name}>
        ${plug}
        ${
          name === 'logit_bias'
            ? html`<div class="row"><p class="name">${capitalise(settingName(name))}</p>${brief}${end}</div>`
            : this.#renderKnob(name, { open, slots: html`${brief}${end}` })
        }
        ${SECOND.includes(name) ? this.#renderSecond(name) : nothing}
        ${open || this.only ? this.#renderParts(name) : nothing}
        ${tail ? html`<p class="tail" title=${sentence}>${tail}</p>` : nothing}
        <div class="more" ?hidden=${!open}>${did}${open ? spark() : nothing}</div>
      </li>
    `;
  }

  /**
   * Renders the button that unfolds a stage. It shows the first further setting of the stage, if there is one.
   * @param {string} name @param {boolean} open
   */
  #renderToggle(name, open) {
    const toggle = () => {
      if (!this.#opened.delete(name)) this.#opened.add(name);
      this.requestUpdate();
    };
    const row = this.only ? undefined : this.#rowOf(this.#partsOf(name)[0]);
    if (row) {
      const value = valueInWords(row, this.settings[row.name] ?? row.neutral);
      return html`
        <button slot="did" class="second" data-more=${name} aria-expanded=${open} @click=${toggle}>${settingName(row.name)} ${value}</button>`;
    }
    return html`
      <button slot="end" class="ring" data-more=${name} aria-expanded=${open}
        aria-label=${t('help.about', { name: capitalise(settingName(name)) })}
        @click=${toggle}>?</button>`;
  }

  /** @param {string} name */
  #renderRemove(name) {
    if (ALWAYS_SHOWN.includes(name)) return nothing;
    const label = t('chain.remove', { name: capitalise(settingName(name)) });
    return html`
      <button slot="end" class="remove" data-remove=${name} ?hidden=${this.fixed} aria-label=${label} title=${label}
        @click=${() => {
          this.#remove(name);
          this.#fold();
        }}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4 4l8 8M12 4l-8 8"></path></svg></button>`;
  }

  /** Renders the further settings of a sampler, such as DRY's base. @param {string} name */
  #renderParts(name) {
    const parts = this.#partsOf(name);
    if (parts.length === 0) return nothing;
    const mu = this.mu === null ? '–' : measure(this.mu);
    return html`
      <div class="parts">
        ${parts.map((part) => this.#renderPart(part))}
        ${name === 'mirostat' ? html`<p class="about">${t('chain.mu', { mu })}</p>` : nothing}
        ${name === 'adaptive_target' ? html`<p class="about">${later('shelf.mean', { mean: mu })}</p>` : nothing}
      </div>`;
  }

  /** @param {string} name */
  #renderPart(name) {
    if (this.#rowOf(name)?.kind !== 'list') return this.#renderKnob(name, { open: true });
    const label = capitalise(settingName(name));
    const about = `${aboutSetting(name)} ${t('chain.texts')}`;
    const text = writeTexts(this.settings[name] ?? []);
    return renderText({ id: name, label, about, text, fixed: this.fixed }, (typed) =>
      this.emit('logit-set', { [name]: readTexts(typed) }),
    );
  }

  /** Renders the field for the second text of a sampler that reads one. @param {string} name */
  #renderSecond(name) {
    const text = this.settings.negative_prompt ?? '';
    const [label, about] = [later('shelf.second'), later('shelf.second.about')];
    const { fixed } = this;
    return renderText({ id: `second-${name}`, label, about, text, wide: true, fixed }, (typed) =>
      this.emit('logit-set', { negative_prompt: typed || null }),
    );
  }

  /** Renders a sentence about the effect of the user's order. */
  #renderOrder() {
    const { order, difference } = this;
    return html`
      <div class="order" data-order=${order?.join()}>
        <p>${difference ? describeDifference(difference, this.eos) : ''}</p>
        <button class="quiet" data-command="canonical" @click=${this.#onCanonical}>${t('order.restore')}</button>
      </div>`;
  }

  #onCanonical() {
    const plug = `[data-stage=${this.#moved || ALWAYS_SHOWN[0]}] .plug`;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(plug))?.focus();
    this.emit('logit-order', { order: null });
  }

  /** @param {string} name @param {{ open?: boolean, slots?: unknown }} [shown] */
  #renderKnob(name, { open = false, slots = nothing } = {}) {
    const row = this.#rowOf(name);
    if (!row) return nothing;
    const counts = name === 'top_k' || name === 'min_tokens_to_keep';
    const most = counts && this.trace ? this.trace.vocab_size : Infinity;
    const value = this.settings[name] ?? row.neutral;
    return html`<logit-knob data-name=${name} .row=${row} .value=${value}
      ?fixed=${this.fixed} ?large=${this.#showsOneKnob} ?removable=${!ALWAYS_SHOWN.includes(name) && slots !== nothing} .most=${most} ?open=${open}>${slots}</logit-knob>`;
  }

  /**
   * Adds a sampler. Its line is not unfolded, because the other lines would leave the window.
   * @param {{ name: string, start?: number }} added
   */
  async #add({ name, start }) {
    if (name === 'own') await import('../own-sampler/stage.js');
    this.unfolded = false;
    this.#taken.add(name);
    if (start === undefined) this.#opened.add(name); // opens the card, since the user must enter a value
    this.#added = name;
    const { length } = this.#shownNames;
    const params = { name: capitalise(settingName(name)), at: this.#shownNames.indexOf(name) + 1 };
    this.#said = t('chain.added', { ...params, of: length });
    if (start === undefined)
      this.requestUpdate(); // sends no setting: the card sends the value entered in it
    else {
      // Set the value at once: if it changed later, its selected text would no longer be selected.
      const { settings } = this;
      this.settings = { ...settings, [name]: start };
      this.emit('logit-set', { [name]: start });
    }
  }

  /** @param {string} name */
  #remove(name) {
    this.#taken.delete(name);
    this.#said = t('chain.removed', { name: capitalise(settingName(name)) });
    if (name === 'own') this.emit('logit-own-stage', { own: null });
    else if (name !== 'logit_bias') {
      const neutral = { [name]: this.#neutralOf(name) };
      this.settings = { ...this.settings, ...neutral }; // shown before the engine's answer brings the trace
      this.emit('logit-set', neutral);
    }
    const { at } = this;
    if (at === name) this.at = '';
    this.requestUpdate();
  }

  /** @param {Event} event */
  #onBeside(event) {
    const { open } = /** @type {HTMLDetailsElement} */ (event.target);
    if (open) import('./conventions.js');
    if (open === (this.pair !== null)) return; // not the user: a changed `pair` has opened or closed this fold
    this.emit('logit-conventions', { pair: open ? ['transformers', 'llama.cpp'] : null });
  }

  /** Removes the lines of all samplers that the user added, since a preset or another state has turned them off; keeps BESIDE. */
  #removeAdded() {
    this.#taken = new Set(BESIDE.filter((name) => this.#taken.has(name)));
  }
}

define('logit-chain', LogitChain);
