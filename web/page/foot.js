/**
 * Renders the foot of the instrument: notes, buttons of more views, the model's facts, the glossary.
 */
import { html, nothing } from 'lit';
import { hasMessage, number, t } from '../locale/locale.js';
import { TERMS } from '../base/term.js';

/**
 * @param {Record<string, any> | null} info the model's facts
 * @param {{ views: readonly string[], onView: (name: string) => void, onGuide: (() => void) | null, onContext: ((event: CustomEvent) => void) | null }} asked the handlers, and the views
 *   that have a button; `onGuide` is null if the view has a button for the tour, `onContext` if the instrument is read-only
 */
export function renderFoot(info, { views, onView, onGuide, onContext }) {
  return html`
    <footer>
      <div>
        <p>${t('foot.numbers')} ${t('foot.private')}</p>
        ${views.map(
          (name) =>
            html`<button class="plain" data-view=${name} @click=${() => onView(name)}>${t(`foot.${name}`)}</button>`,
        )}
        ${onGuide ? html`<button class="plain" data-guide="show" @click=${onGuide}>${t('foot.guide')}</button>` : nothing}
      </div>
      <dl>${info ? renderFacts(info, onContext) : nothing}</dl>
      ${hasMessage('term.title') ? renderGlossary() : nothing}
    </footer>
  `;
}

function renderGlossary() {
  return html`
    <details class="glossary">
      <summary>${t('term.title')}</summary>
      <dl>${TERMS.map(
        (name) => html`<div><dt>${t(`term.${name}`)}</dt><dd>${t(`term.${name}.about`)}</dd></div>`,
      )}</dl>
    </details>`;
}

/** @param {Record<string, any>} info @param {((event: CustomEvent) => void) | null} onContext */
function renderFacts(info, onContext) {
  /** @param {string} name @param {unknown} value */
  const fact = (name, value) => html`<div><dt>${t(name)}</dt><dd>${value}</dd></div>`;
  return html`
    ${fact('foot.model', html`<bdi>${info.name}</bdi> (<bdi>${info.architecture}</bdi>)`)}
    ${fact('foot.parameters', number(info.parameters))}
    ${fact('foot.vocabulary', t('foot.tokens', { n: info.vocab_size }))}
    ${fact(
      'foot.context',
      onContext
        ? html`<logit-context .info=${info} @logit-context=${onContext}></logit-context>`
        : t('foot.tokens', { n: info.context_length }),
    )}
    ${fact('foot.layers', number(info.n_layer))}
    ${fact('foot.engine', `WebAssembly, ${info.variant}`)}`;
}
