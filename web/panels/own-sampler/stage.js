/**
 * <logit-own-stage>: what stands on the card of a sampler of the reader's own: its switch, its code,
 * and the sentence that says why it was taken out. Asks with "logit-own-stage" ({ own, failed }) for
 * the chain to take its function in, or (null) out; `failed` where that is not the reader's wish.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/sampler';
import { numbersOf } from '../../grade/properties.js';
import { TestedFunction } from '../../grade/tested-function.js';
import { addMessages, t } from '../../locale/locale.js';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { LogitElement, define } from '../../base/element.js';
import { recall, remember } from '../../state/memory.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { OWN } from './examples.js';
import { canRun, inFrame } from './frame.js';
import { LIMIT_MS, onEditorKey } from './editor.js';
import stageStyles from './stage.css';

addMessages(locales);

export class LogitOwnStage extends LogitElement {
  static properties = {
    on: { state: true },
    trouble: { state: true },
    edited: { state: true },
  };

  static styles = [...LogitElement.styles, stageStyles];

  #code = recall('own') ?? OWN;
  /** The reader's code, while the example shows in its place. */
  #mine = OWN;
  /** Whether it is to be in the chain. */
  #wanted = true;
  /** What runs in the chain. @type {TestedFunction | null} */
  #tested = null;

  constructor() {
    super();
    /** Whether it is in the chain. */
    this.on = false;
    /** @type {{ code: string, params?: any } | null} */
    this.trouble = null;
    /** Whether the code is another than the one in the chain. */
    this.edited = false;
    /** How long one call may take, in ms. */
    this.limit = LIMIT_MS;
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.#wanted && !this.on) this.use();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    // A card that changes its place is put elsewhere at once.
    queueMicrotask(() => this.isConnected || this.#end());
  }

  focus() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('[data-do=switch]'))?.focus();
  }

  #end() {
    this.#tested?.close();
    this.#tested = null;
    this.on = false;
  }

  /** Puts the present code into the chain. */
  use() {
    if (!canRun()) return;
    this.#end();
    remember('own', this.#code);
    const tested = new TestedFunction(inFrame(this.#code, document.body), 'own', this.limit);
    this.#tested = tested;
    this.#wanted = true;
    this.on = true;
    this.trouble = null;
    this.edited = false;
    // One call at a time, in the order in which they came.
    let last = tested.load().then(({ error, hung }) => {
      if (error) this.#fail(tested, { code: hung ? 'hung' : 'load', params: { error } });
    });
    /** @type {import('../../engine/types.js').Own} */
    const own = (logits, settings, { history }) => {
      const result = last.then(() => this.#ask(tested, { logits, settings, history }));
      last = result.then(() => {});
      return /** @type {Promise<any>} */ (result);
    };
    this.emit('logit-own-stage', { own });
  }

  /** Takes it out of the chain. */
  leave() {
    this.#end();
    this.#wanted = false;
    this.trouble = null;
    this.emit('logit-own-stage', { own: null });
  }

  /**
   * What the code makes of logits; null where it fails or is no longer in the chain.
   * @param {TestedFunction} tested
   * @param {{ logits: Float32Array, settings: any, history: number[] }} given
   */
  async #ask(tested, given) {
    if (tested !== this.#tested) return null;
    const { result, ...answer } = await tested.call({ call: 'warp', ...given });
    if (tested !== this.#tested) return null;
    const rounded =
      result instanceof Float64Array ? Float64Array.from(result, Math.fround) : result;
    const { numbers, failure } = numbersOf({ ...answer, result: rounded }, given);
    const left = numbers?.some((it, id) => it !== -Infinity && given.logits[id] !== -Infinity);
    if (numbers && left) return numbers;
    this.#fail(
      tested,
      failure ? { code: failure.code ?? 'threw', params: failure.params } : { code: 'nothing' },
    );
    return null;
  }

  /** @param {TestedFunction} tested @param {{ code: string, params?: any }} trouble */
  #fail(tested, trouble) {
    if (tested !== this.#tested) return;
    this.#end();
    this.#wanted = false;
    this.trouble = trouble;
    this.emit('logit-own-stage', { own: null, failed: true });
  }

  /** @param {Event} event */
  #onInput(event) {
    this.#code = fullTextOf(event);
    remember('own', this.#code);
    this.edited = true;
  }

  /** Goes to the example, or from there back to the reader's code. */
  #again() {
    const here = this.#code;
    this.#code = here === OWN ? this.#mine : OWN;
    if (here !== OWN) this.#mine = here;
    this.use();
  }

  render() {
    const name = capitalise(settingName('own'));
    return html`
      <div class="head">
        <p class="name">${name}</p>
        <button class="off" data-do="switch" ?hidden=${!canRun()} @click=${this.on ? this.leave : this.use}>
          ${t(this.on ? 'sampler.stage.leave' : 'sampler.stage.use')}<span class="visually-hidden">${name}</span></button>
        <slot name="end"></slot>
      </div>
      <div class="said">
        <p class="about">${t(canRun() ? 'about.own' : 'sampler.unavailable')}</p>
        ${this.on ? html`<slot name="spark"></slot>` : nothing}
      </div>
      ${this.on ? html`<slot></slot>` : nothing}
      <p class="error" role="alert">${this.trouble ? this.#renderTrouble(this.trouble) : nothing}</p>
      ${canRun() ? this.#renderEditor() : nothing}
    `;
  }

  /** @param {{ code: string, params?: any }} trouble */
  #renderTrouble({ code, params }) {
    return t('sampler.stage.out', { why: t(`sampler.fail.${code}`, params) });
  }

  #renderEditor() {
    return html`
      <details>
        <summary>${t('sampler.code')}</summary>
        <textarea spellcheck="false" autocomplete="off" autocapitalize="off" aria-label=${t('sampler.code')}
          aria-describedby="keys" ${boundedText(this.#code)} @input=${this.#onInput}
          @keydown=${(/** @type {KeyboardEvent} */ event) =>
            onEditorKey(event, () => this.use())}></textarea>
        <p class="about" id="keys">${t('sampler.keys')}</p>
        <div class="tools">
          <button class=${this.edited ? 'primary' : ''} data-do="apply" @click=${this.use}>${t('sampler.stage.apply')}</button>
          <button data-do="again" @click=${this.#again}>${t(this.#code === OWN && this.#mine !== OWN ? 'sampler.back' : 'sampler.again')}</button>
        </div>
      </details>`;
  }
}

define('logit-own-stage', LogitOwnStage);
