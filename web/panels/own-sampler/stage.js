/**
 * <logit-own-stage>: the card of the user's own sampler in the chain: a switch, the code, and the reason if it was
 * removed. Emits "logit-own-stage" with the function for the chain, or with null to remove it; `failed` is true if an
 * error removed it, false if the user did.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/sampler';
import { numbersOf } from '../../grade/properties.js';
import { TestedFunction, readsTokens } from '../../grade/tested-function.js';
import { addMessages, t } from '../../locale/locale.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { recall, remember } from '../../state/memory.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { NO_DIGITS, OWN } from './examples.js';
import { canRun, inFrame } from './frame.js';
import { LIMIT_MS, renderEditor } from './editor.js';
import stageStyles from './stage.css';

addMessages(locales);

export class LogitOwnStage extends elementWith(LogitElement, () => ({
  /** True if the sampler is in the chain. */
  on: false,
  /** @type {{ code: string, params?: any } | null} */
  trouble: null,
  /** True if the code differs from the running code. */
  edited: false,
})) {
  static styles = [...LogitElement.styles, stageStyles];

  #code = recall('own') ?? OWN;
  /** The user's own code. It is kept here while the editor shows the example. */
  #mine = OWN;
  /** True if the user wants this sampler in the chain. */
  #wanted = true;
  /** The sampler that is in the chain; null if none. @type {TestedFunction | null} */
  #tested = null;

  /** Time limit of one call, in ms. */
  limit = LIMIT_MS;

  connectedCallback() {
    super.connectedCallback();
    if (this.#wanted && !this.on) this.use();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    // A card that moves is removed and added again at once; only a card that stays removed ends its code.
    queueMicrotask(() => this.isConnected || this.#switchOff());
  }

  focus() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('[data-do=switch]'))?.focus();
  }

  #switchOff() {
    this.#tested?.close();
    this.#tested = null;
    this.on = false;
  }

  /** Starts the code and puts it into the chain. */
  use() {
    if (!canRun()) return;
    this.#switchOff();
    remember('own', this.#code);
    const tested = new TestedFunction(inFrame(this.#code, document.body), 'own', this.limit);
    this.#tested = tested;
    this.#wanted = true;
    this.on = true;
    this.trouble = null;
    this.edited = false;
    // Calls run one after another, in the order of requests.
    let last = tested.load().then(({ error, hung }) => {
      if (error) this.#showFailure(tested, { code: hung ? 'hung' : 'load', params: { error } });
    });
    /** @type {import('../../state/reader.js').OwnStage} */
    const own = (logits, settings, { history, tokens }) => {
      const given = { logits, settings, history };
      const result = last.then(() => this.#callSampler(tested, given, tokens));
      last = result.then(() => {});
      return /** @type {Promise<any>} */ (result);
    };
    own.readsTokens = readsTokens(this.#code);
    this.emit('logit-own-stage', { own });
  }

  /** Removes the code from the chain and ends it. */
  leave() {
    this.#switchOff();
    this.#wanted = false;
    this.trouble = null;
    this.emit('logit-own-stage', { own: null });
  }

  /**
   * Returns the logits that the code computes; null if it fails or is no longer in the chain.
   * @param {TestedFunction} tested
   * @param {{ logits: Float32Array, settings: any, history: number[] }} given
   * @param {readonly string[]} [tokens]
   */
  async #callSampler(tested, given, tokens) {
    if (tested !== this.#tested) return null;
    const { result, ...answer } = await tested.call({ call: 'warp', ...given }, tokens);
    if (tested !== this.#tested) return null;
    const rounded =
      result instanceof Float64Array ? Float64Array.from(result, Math.fround) : result;
    const { numbers, failure } = numbersOf({ ...answer, result: rounded }, given);
    const left = numbers?.some((it, id) => it !== -Infinity && given.logits[id] !== -Infinity);
    if (numbers && left) return numbers;
    this.#showFailure(
      tested,
      failure ? { code: failure.code ?? 'threw', params: failure.params } : { code: 'nothing' },
    );
    return null;
  }

  /** @param {TestedFunction} tested @param {{ code: string, params?: any }} trouble */
  #showFailure(tested, trouble) {
    if (tested !== this.#tested) return;
    this.#switchOff();
    this.#wanted = false;
    this.trouble = trouble;
    this.emit('logit-own-stage', { own: null, failed: true });
  }

  /** @param {string} text */
  #onTyped(text) {
    this.#code = text;
    remember('own', this.#code);
    this.edited = true;
  }

  /** Shows the example, or the user's code again. */
  #swapCode() {
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
        ${renderEditor(
          this.#code,
          (text) => this.#onTyped(text),
          () => this.use(),
          'about',
        )}
        <p class="about">${t('sampler.stage.tokens')} <code translate="no">${NO_DIGITS}</code></p>
        <div class="tools">
          <button class=${this.edited ? 'primary' : ''} data-do="apply" @click=${this.use}>${t('sampler.stage.apply')}</button>
          <button data-do="again" @click=${this.#swapCode}>${t(this.#code === OWN && this.#mine !== OWN ? 'sampler.back' : 'sampler.again')}</button>
        </div>
      </details>`;
  }
}

define('logit-own-stage', LogitOwnStage);
