/**
 * <logit-term>: a term of the field, with its one-sentence explanation a press away. `name` is that
 * of the messages term.NAME and term.NAME.about.
 */
import { html } from 'lit';
import { hasMessage, t } from '../locale/locale.js';
import { LogitElement, define } from './element.js';
import termStyles from './term.css';

/** The words and their explanations, fetched beside the first model. */
export const glossary = import('./glossary.js');

/** What the glossary holds, in the order in which a beginner meets it. */
export const TERMS = [
  'token',
  'logit',
  'probability',
  'surprisal',
  'entropy',
  'perplexity',
  'kept',
  'mass',
  'rank',
  'warper',
  'top_k',
  'top_p',
  'nucleus',
  'dry',
  'beam',
  'greedy',
  'seed',
  'inverse',
  'gumbel',
  'variation',
  'end',
  'ttr',
  'distinct',
  'branch',
  'cache',
];

export class LogitTerm extends LogitElement {
  static properties = { name: {}, label: {} };

  static styles = [...LogitElement.styles, termStyles];

  constructor() {
    super();
    this.name = '';
    /** How the word stands where it is used, if not as in the glossary. */
    this.label = '';
    glossary.then(() => this.requestUpdate());
  }

  render() {
    if (!hasMessage(`term.${this.name}`)) return this.label;
    return html`<button type="button" popovertarget="about">${this.label || t(`term.${this.name}`)}</button><p
      id="about" popover role="note" @toggle=${this.#place}>${t(`term.${this.name}.about`)}</p>`;
  }

  /** Under the word, inside the window. */
  #place() {
    const word = /** @type {HTMLElement} */ (this.renderRoot.querySelector('button'));
    const about = /** @type {HTMLElement} */ (this.renderRoot.querySelector('p'));
    const from = word.getBoundingClientRect();
    const { width, height } = about.getBoundingClientRect();
    const edge = 8;
    const left = Math.max(edge, Math.min(from.left, innerWidth - width - edge));
    const below = from.bottom + edge;
    const top = below + height > innerHeight ? Math.max(edge, from.top - height - edge) : below;
    about.style.left = `${left}px`;
    about.style.top = `${top}px`;
  }
}

/**
 * @param {string} name one of TERMS
 * @param {string} [label]
 */
export function term(name, label = '') {
  return html`<logit-term name=${name} label=${label}></logit-term>`;
}

define('logit-term', LogitTerm);
