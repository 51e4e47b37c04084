/**
 * <logit-guide>: a look around the bench in five steps. It outlines one panel of `root` after
 * another and says what it is for; ends with "logit-guide-end".
 */
import { html } from 'lit';
import { locales } from '#locales/guide';
import { addMessages, t } from '../locale/locale.js';
import { LogitElement, define } from '../base/element.js';
import guideStyles from './guide.css';

addMessages(locales);

/** What each step points at, inside the root. */
const STOPS = ['.text', '.distribution', '.chain', '.draw', '[role=tablist]'];

export class LogitGuide extends LogitElement {
  static properties = { at: { state: true }, root: { attribute: false } };

  static styles = [...LogitElement.styles, guideStyles];

  constructor() {
    super();
    this.at = 0;
    /** @type {ParentNode | null} */
    this.root = null;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#outline(null);
  }

  render() {
    const { at } = this;
    const last = at === STOPS.length - 1;
    return html`
      <section aria-labelledby="title" @keydown=${this.#onKey}>
        <div>
          <h2 id="title" tabindex="-1">${t(`guide.${at}`)}
            <span class="count">${t('guide.count', { n: at + 1, of: STOPS.length })}</span></h2>
          <p aria-live="polite">${t(`guide.${at}.about`)}</p>
        </div>
        <nav aria-label=${t('guide.label')}>
          <button data-guide="skip" @click=${this.#end}>${t(last ? 'guide.close' : 'guide.skip')}</button>
          <button data-guide="back" aria-disabled=${at === 0} @click=${() => this.#go(at - 1)}>${t('guide.back')}</button>
          <button class="primary" data-guide="next"
            @click=${() => (last ? this.#end() : this.#go(at + 1))}>${t(last ? 'guide.done' : 'guide.next')}</button>
        </nav>
      </section>
    `;
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (!changed.has('at') && !changed.has('root')) return;
    this.#outline(STOPS[this.at]);
    if (changed.get('at') !== undefined || !this.#inSight) this.#show();
  }

  /** @param {number} at */
  #go(at) {
    if (at >= 0) this.at = at;
  }

  /** Whether the panel begins in the window: not where the guide was asked from the foot of the page. */
  get #inSight() {
    const { top = 0 } = this.root?.querySelector(STOPS[this.at])?.getBoundingClientRect() ?? {};
    return top >= 0 && top < innerHeight;
  }

  /** Brings the panel into the window; of one that does not fit below this, the beginning. */
  #show() {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const panel = this.root?.querySelector(STOPS[this.at]);
    const tall = (panel?.clientHeight ?? 0) > innerHeight * 0.75;
    panel?.scrollIntoView({ block: tall ? 'start' : 'center', behavior: calm ? 'auto' : 'smooth' });
  }

  /** @param {string | null} stop */
  #outline(stop) {
    for (const selector of STOPS)
      this.root?.querySelector(selector)?.toggleAttribute('data-guided', selector === stop);
  }

  #end() {
    this.emit('logit-guide-end');
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === 'Escape') this.#end();
  }
}

define('logit-guide', LogitGuide);
