/**
 * <logit-constraint>: the constraint on the text (JSON, a task of the lessons, or a grammar by the user) with the
 * characters that may come next; banned words; a forced first token. Emits "logit-constraint".
 */
import { locales } from '#locales/constraint';
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { addMessages, hasMessage, percent, t } from '../../locale/locale.js';
import { aboutSetting } from '../../base/setting-words.js';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { liveUnfocused } from '../../base/live-unfocused.js';
import { readTexts, writeTexts } from '../../state/escapes.js';
import constraintStyles from './constraint.css';

/** @import { Constraint } from '../../engine/types.js' */

addMessages(locales);

const NAMED = ['json', 'name_age_city', 'three_numbers'];
const EXAMPLE = 'root ::= " will " word (" " word)*\nword ::= [a-z]+';
/** White space by its byte, with a visible character for each. @type {Record<number, string>} */
const SPACE = { 9: '⇥', 10: '↵', 13: '␍', 32: '␣' };

/** @param {number} byte */
const isLetter = (byte) => /[a-z0-9]/i.test(String.fromCharCode(byte));

/**
 * Lists the characters that may come next. All letters or digits in a row are one entry; '' stands for any character
 * beyond ASCII. White space is listed only if nothing else may come.
 * @param {number[]} bytes
 */
function signsOf(bytes) {
  const seen = bytes.filter((byte) => !(byte in SPACE));
  const shown = seen.length ? seen : bytes;
  /** @type {[number, number][]} */
  const runs = [];
  for (const byte of shown.filter((one) => one < 128)) {
    const last = runs.at(-1);
    if (last && byte === last[1] + 1 && isLetter(byte) && isLetter(last[1])) last[1] = byte;
    else runs.push([byte, byte]);
  }
  const sign = (/** @type {number} */ byte) => SPACE[byte] ?? String.fromCharCode(byte);
  const names = runs.flatMap(([low, high]) =>
    high - low > 1
      ? [`${sign(low)}–${sign(high)}`]
      : low === high
        ? [sign(low)]
        : [sign(low), sign(high)],
  );
  return shown.some((byte) => byte > 127) ? [...names, ''] : names;
}

export class LogitConstraint extends elementWith(LogitElement, () => ({
  /** @type {import('../../state/fields.js').Gates} */
  gates: {},
  /** @type {import('../../engine/types.js').ConstraintState | null} */
  state: null,
  /** @type {import('../../plots/trace.js').Stage[]} */
  stages: [],
  /** The engine's reason to refuse the settings, as a sentence; '' if it took them. */
  fault: '',
  /** True to show only the constraint. */
  bare: false,
  /** The grammar in its text field. */
  draft: EXAMPLE,
})) {
  static properties = { fault: {}, bare: { type: Boolean } };

  static styles = [...LogitElement.styles, constraintStyles];

  get #chosenKind() {
    const { constraint = null } = this.gates;
    if (constraint === null) return 'none';
    if (typeof constraint === 'string') return constraint;
    return 'grammar' in constraint ? 'rules' : 'given';
  }

  /** If the page has set a grammar, writes it into the text field. @param {Map<string, any>} changed */
  willUpdate(changed) {
    const { grammar } = /** @type {any} */ (this.gates.constraint ?? {});
    if (grammar && grammar !== changed.get('gates')?.constraint?.grammar && changed.has('gates'))
      this.draft = grammar;
  }

  /** @param {string} name of a gate */
  #stageOf(name) {
    return this.stages.find((stage) => stage.name === name);
  }

  render() {
    const chosen = this.#chosenKind;
    /** @param {string} name */
    const option = (name) =>
      html`<option value=${name} ?selected=${name === chosen}>${t(`constraint.${name}`)}</option>`;
    return html`
      <div class="row">
        <label for="choice">${t('constraint.title')}</label>
        <select id="choice" .value=${live(chosen)} @change=${this.#onChoice}>
          ${['none', ...NAMED, 'rules', ...(chosen === 'given' ? [chosen] : [])].map(option)}
        </select>
      </div>
      ${chosen === 'rules' ? this.#renderRules() : nothing}
      ${chosen === 'given' ? html`<p class="did idle"><code>${JSON.stringify(this.gates.constraint)}</code></p>` : nothing}
      ${chosen === 'none' ? html`<p class="did idle">${aboutSetting('constraint')}</p>` : nothing}
      ${chosen === 'none' && !this.fault ? nothing : this.#renderState()}
      ${this.bare ? nothing : this.#renderMore(chosen)}
    `;
  }

  /** @param {string} chosen */
  #renderMore(chosen) {
    return html`
      <details ?open=${this.gates.banned_words || this.gates.forced_first !== undefined}>
        <summary>${t('constraint.words')}</summary>
        ${this.#renderTexts('banned_words', writeTexts(this.gates.banned_words ?? []))}
        ${this.#renderTexts('forced_first', writeTexts([this.gates.forced_first ?? '']))}
      </details>
      ${chosen === 'none' ? nothing : this.#renderLimits()}
    `;
  }

  #renderRules() {
    return html`
      <div class="rules">
        <label class="label" for="grammar">${t('constraint.grammar')}</label>
        <textarea id="grammar" spellcheck="false" autocapitalize="off" ${boundedText(this.draft)}
          aria-invalid=${this.fault ? 'true' : 'false'} aria-describedby="state hint"
          @input=${(/** @type {Event} */ event) => (this.draft = fullTextOf(event))}></textarea>
        <div class="row">
          <button @click=${() => this.#emitConstraint({ grammar: this.draft })}>${t('constraint.apply')}</button>
          <p class="hint" id="hint">${t('constraint.hint')}</p>
        </div>
      </div>`;
  }

  /** @param {'banned_words' | 'forced_first'} name @param {string} value */
  #renderTexts(name, value) {
    const stage = this.#stageOf(name);
    return html`
      <div class="texts">
        <label class="name" for=${name}>${t(`constraint.${name}`)}</label>
        <input id=${name} type="text" autocomplete="off" spellcheck="false" autocapitalize="off"
          aria-describedby="about-${name}" .value=${liveUnfocused(value)} @change=${this.#onTexts}>
        <p class="hint" id="about-${name}">${t(`constraint.${name}.about`)}
          ${stage ? t('constraint.kept', { n: stage.kept, mass: percent(stage.mass_removed) }) : nothing}</p>
      </div>`;
  }

  #renderLimits() {
    return html`
      <details>
        <summary>${t('constraint.limits')}</summary>
        <p>${t('constraint.limits.text')}</p>
      </details>`;
  }

  #renderState() {
    const { state, fault } = this;
    const stage = this.#stageOf('constraint');
    if (fault) return html`<p class="did error" id="state" role="status">${fault}</p>`;
    if (!state || !stage) return html`<p class="did" id="state" role="status"></p>`;
    const kept = t('constraint.kept', { n: stage.kept, mass: percent(stage.mass_removed) });
    return html`<p class="did" id="state" role="status">${this.#sayPlace(state)}
      ${this.#renderNext(state)} ${kept}</p>`;
  }

  /** @param {import('../../engine/types.js').ConstraintState} state */
  #sayPlace({ rule, complete, bytes }) {
    const key = `constraint.in.${rule}`;
    if (complete) return t(bytes.length ? 'constraint.complete' : 'constraint.done');
    if (this.#chosenKind === 'rules') return t('constraint.in.rule', { rule });
    return hasMessage(key) ? t(key) : '';
  }

  /** @param {import('../../engine/types.js').ConstraintState} state */
  #renderNext({ bytes }) {
    if (bytes.length === 0) return nothing;
    const signs = signsOf(bytes);
    if (signs.length > 20) return t('constraint.any');
    const shown = signs.map(
      (sign) =>
        html`<span class=${sign ? 'sign token' : 'sign'}>${sign || t('constraint.others')}</span>`,
    );
    return html`${t('constraint.next')} ${shown}`;
  }

  /** @param {Event} event */
  #onChoice({ target }) {
    const { value } = /** @type {HTMLSelectElement} */ (target);
    if (value === 'none') this.#emitConstraint(null);
    else if (value !== 'given')
      this.#emitConstraint(
        value === 'rules' ? { grammar: this.draft } : /** @type {Constraint} */ (value),
      );
  }

  /** Reads the text fields. An empty field removes its setting; a number means a token id. @param {Event} event */
  #onTexts({ target }) {
    const { id, value } = /** @type {HTMLInputElement} */ (target);
    const texts = readTexts(value);
    const [first = null] = texts;
    const forced = first !== null && /^\d+$/.test(first) ? Number(first) : first;
    if (id === 'forced_first') this.emit('logit-constraint', { forced_first: forced });
    else this.emit('logit-constraint', { banned_words: texts.length > 0 ? texts : null });
  }

  /** @param {Constraint | null} constraint */
  #emitConstraint(constraint) {
    this.emit('logit-constraint', { constraint });
  }
}

define('logit-constraint', LogitConstraint);
