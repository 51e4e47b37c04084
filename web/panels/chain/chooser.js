/** The buttons that choose the one visible knob. A swipe over the lines chooses too. */
import { html } from 'lit';
import { capitalise, settingName } from '../../base/setting-words.js';
import { t } from '../../locale/locale.js';

const CALM = matchMedia('(prefers-reduced-motion: reduce)');

export class Chooser {
  #chain;
  /** The chosen knob and the shown ones when the buttons last scrolled. */
  #inSight = '';

  /** @param {import('./chain.js').LogitChain} chain */
  constructor(chain) {
    this.#chain = chain;
  }

  /** Scrolls the buttons to the chosen one, when another is chosen or a stage was added or removed. @param {string[]} shown */
  scroll(shown) {
    const { at, renderRoot } = this.#chain;
    const chosen = `${at} ${shown}`;
    if (chosen === this.#inSight) return;
    this.#inSight = chosen;
    const buttons = /** @type {HTMLElement} */ (renderRoot.querySelector('.chooser'));
    const button = buttons.querySelector('[aria-pressed=true]');
    if (!button) return;
    const [row, box] = [buttons, button].map((each) => each.getBoundingClientRect());
    buttons.scrollLeft += box.left + box.width / 2 - row.left - row.width / 2;
  }

  /**
   * Scrolls to a sampler's line, smoothly unless `soon` is true.
   * @param {string} name @param {boolean} [soon] true to jump
   */
  choose(name, soon = CALM.matches) {
    this.#chain.at = name;
    const card = this.#chain.renderRoot.querySelector(`ol [data-stage=${name}]`);
    card?.scrollIntoView({
      inline: 'start',
      block: 'nearest',
      behavior: soon ? 'instant' : 'smooth',
    });
  }

  /** Notes the sampler of the line that the user has swiped to. @param {Event} event */
  onScroll = ({ currentTarget }) => {
    const list = /** @type {HTMLElement} */ (currentTarget);
    const middle = list.getBoundingClientRect().x + list.offsetWidth / 2;
    for (const card of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('.card'))) {
      const { left, right } = card.getBoundingClientRect();
      if (left <= middle && middle < right) this.#chain.at = card.dataset.stage ?? this.#chain.at;
    }
  };

  /** @param {string[]} shown names of the samplers that have a line */
  render(shown) {
    const { at } = this.#chain;
    return html`
      <div class="chooser" role="group" aria-label=${t('chain.choose')}>${shown.map(
        (name) => html`
        <button data-choose=${name} aria-pressed=${name === (at || shown[0])}
          @click=${() => this.choose(name)}>${capitalise(settingName(name))}</button>`,
      )}</div>`;
  }
}
