/**
 * <logit-record-explore>: a fold with the landscape of a recorded position. The landscape needs a complete
 * distribution, so it is that of the listed tokens alone. Emits "logit-set" and "logit-order".
 */
import { html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { sentence } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import { percent, t } from '../../locale/locale.js';
import { positionAt, readsHistory } from '../../sources/record-position.js';
import { figuresOf } from '../../state/recorded.js';
import '../landscape/landscape.js';
import auditStyles from './audit.css';

export class LogitRecordExplore extends elementWith(LogitElement, () => ({
  /** @type {import('../../import/logprobs.js').LogprobRecord | null} */
  record: null,
  position: 0,
  /** @type {import('../../engine/types.js').Settings} */
  settings: {},
  /** @type {import('../../engine/remote.js').RemoteLogitscope | null} */
  engine: null,
  open: false,
})) {
  static styles = [...LogitElement.styles, auditStyles];

  render() {
    const onToggle = (/** @type {any} */ { target }) => (this.open = target.open);
    return html`
      <details ?open=${this.open} @toggle=${onToggle}><summary>${t('recorded.explore')}</summary>
        ${this.open ? html`<div class="audit">${this.#renderLandscape()}</div>` : nothing}
      </details>`;
  }

  #renderLandscape() {
    const { record, engine, position } = this;
    if (!record || !engine) return nothing;
    try {
      const withHistory = readsHistory(engine.table, this.settings);
      const found = positionAt(record, position, { settings: this.settings, withHistory });
      if (!found) return nothing;
      const { tokens, history, settings } = found;
      const given = {
        logits: Float32Array.from(tokens, ({ logprob }) => logprob),
        tokens: tokens.map(({ text }) => text),
        history: history.filter((index) => index < tokens.length),
      };
      const p = percent(figuresOf(record.positions[position]).rest);
      // Choices and deeds are of this landscape alone, so the page must not keep them for its own.
      const stop = (/** @type {Event} */ event) => event.stopPropagation();
      return html`<p class="about">${t('recorded.explore.about', { n: tokens.length, p })}</p>
        ${keyed(
          `${position} ${history.join()}`,
          html`<logit-landscape .model=${null} .given=${given} .settings=${settings} .seed=${42}
          @logit-choose=${stop} @logit-deed=${stop} @logit-adopt=${stop} @logit-seed=${stop}></logit-landscape>`,
        )}`;
    } catch (error) {
      return html`<p class="error">${sentence(toFault(error), this)}</p>`;
    }
  }
}

define('logit-record-explore', LogitRecordExplore);
