/** Opens a token's menu over the landscape and performs the chosen action. */
import { html, nothing } from 'lit';
import { U_MAX } from './input.js';

/** Height of the menu in pixels, for finding its place. */
const HEIGHT = 210;

/**
 * @typedef {import('lit').ReactiveElement & { lines: import('./lines.js').Lines,
 *   content: import('./content.js').Content }} Host
 */

export class TokenMenu {
  /**
   * The open menu: its token, its position, and the element that gets the focus when it closes.
   * @type {{ id: number, x: number, y: number, from: HTMLElement | null } | null}
   */
  #open = null;
  #host;

  /** @param {Host} host */
  constructor(host) {
    this.#host = host;
    host.addController(this);
  }

  get isOpen() {
    return this.#open !== null;
  }

  hostDisconnected() {
    this.#open = null;
  }

  /**
   * @param {number} id
   * @param {number} x in window coordinates
   * @param {number} y in window coordinates
   */
  async open(id, x, y) {
    const { lines, content, shadowRoot } = this.#host;
    lines.stop();
    const from = /** @type {HTMLElement | null} */ (shadowRoot?.activeElement ?? null);
    await Promise.all([import('../../panels/text/token-menu.js'), content.names.fetch([id])]);
    if (!this.#host.isConnected) return;
    const { left, top } = this.#host.getBoundingClientRect();
    this.#open = { id, x: x - left, y: Math.min(y, innerHeight - HEIGHT) - top, from };
    this.#host.requestUpdate();
  }

  /** @param {CustomEvent} event */
  #onClose = ({ detail: { refocus } }) => {
    const from = this.#open?.from ?? this.#host.renderRoot.querySelector('.handle.knob');
    this.#open = null;
    this.#host.requestUpdate();
    if (refocus) /** @type {HTMLElement} */ (from).focus();
  };

  /** Makes the token the drawn one: sets u to the middle of the token's share. @param {CustomEvent} event */
  #onForce = (event) => {
    event.stopPropagation();
    const { lines, content } = this.#host;
    let walked = 0;
    for (const { id, p } of content.reader?.reading?.trace.tokens ?? []) {
      if (id === event.detail.id && p > 0) {
        lines.begin();
        lines.moveTo({ u: Math.min(U_MAX, walked + p / 2) });
      }
      walked += p;
    }
  };

  /** @param {CustomEvent} event */
  #onBias = ({ detail: { id, bias } }) => {
    const { lines } = this.#host;
    const { [id]: _, ...others } = lines.knob.settings.logit_bias ?? {};
    const added = bias === null || bias === 0 ? {} : { [id]: bias };
    lines.set({ logit_bias: { ...others, ...added } });
  };

  render() {
    if (!this.#open) return nothing;
    const { id, x, y } = this.#open;
    const { lines, content } = this.#host;
    const name = content.names.of(id);
    return html`
      <logit-token-menu .name=${name} .aims=${true} .spoken=${name} .token=${id}
        .bias=${lines.knob.settings.logit_bias?.[id] ?? 0} .x=${x} .y=${y} @logit-force=${this.#onForce}
        @logit-bias=${this.#onBias} @logit-menu-close=${this.#onClose}></logit-token-menu>`;
  }
}
