/**
 * <logit-biases>: buttons for the tokens that the user made more or less likely; a press removes the change. Emits
 * "logit-bias".
 */
import { html, nothing } from 'lit';
import { fixed, t } from '../../locale/locale.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { namedHtml, spoken } from '../../base/visible.js';
import biasesStyles from './biases.css';

/** @import { Bias } from '../../state/bench.js' */

export class LogitBiases extends elementWith(LogitElement, () => ({
  /** @type {Bias[]} */
  biases: [],
  eos: -1,
  fixed: false,
})) {
  static properties = { fixed: { type: Boolean } };

  static styles = [...LogitElement.styles, biasesStyles];

  /** Index of the button that was pressed, until the focus has moved on; else -1. */
  #pressed = -1;

  /** The pressed button has disappeared: move the focus to the next one, or to the text field if none is left. */
  updated() {
    if (this.#pressed < 0) return;
    const chips = this.renderRoot.querySelectorAll('button');
    const next = chips[Math.min(this.#pressed, chips.length - 1)];
    const line = /** @type {HTMLElement} */ (this.renderRoot.querySelector('.line'));
    (next ?? line).focus();
    this.#pressed = -1;
  }

  render() {
    const { biases } = this;
    return html`
      <div class="line" tabindex="-1" role="group" aria-labelledby="label">
        <span class="label ${biases.length === 0 ? 'visually-hidden' : ''}" id="label">${t('bias.title')}</span>
        ${
          biases.length === 0
            ? nothing
            : html`<ul aria-labelledby="label">${biases.map((bias, i) => this.#renderChip(bias, i))}</ul>`
        }
      </div>
    `;
  }

  /** @param {Bias} entry @param {number} i */
  #renderChip({ id, bias, pieces }, i) {
    const sign = bias === false ? t('bias.forbidden') : `${bias > 0 ? '+' : ''}${fixed(bias, 1)}`;
    const kind = bias === false ? 'no' : bias < 0 ? 'less' : 'more';
    const name = pieces.map((piece) => spoken(piece, this.eos)).join(' ');
    const onClick = () => {
      this.#pressed = i;
      this.emit('logit-bias', { id, bias: null });
    };
    return html`
      <li><button class=${kind} data-bias=${id} ?disabled=${this.fixed} title=${t('bias.remove', { token: name })}
        @click=${onClick}>
        ${pieces.map((piece) => html`<span class="token" translate="no">${namedHtml(piece, this.eos)}</span>`)}
        <span class="sign">${sign}</span><span class="cross" aria-hidden="true" ?hidden=${this.fixed}>×</span>
        <span class="visually-hidden">${t('bias.remove', { token: name })}</span></button></li>`;
  }
}

define('logit-biases', LogitBiases);
