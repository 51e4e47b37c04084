/**
 * <logit-term>: a term of the field, with its one-sentence explanation a press away. `name` is that
 * of the messages term.NAME and term.NAME.about.
 */
import { html } from 'lit';
import { hasMessage, t } from '../locale/locale.js';
import { define } from './element.js';
import { LogitHelp } from './help.js';
import termStyles from './term.css';

/** The words and their explanations, fetched beside the first model. */
export const glossary = import('./glossary.js');

/** What the glossary holds, in the order in which a beginner meets it. */
export const TERMS = [
  'token',
  'logit',
  'probability',
  'temperature',
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
  'u',
  'inverse',
  'gumbel',
  'variation',
  'end',
  'ttr',
  'distinct',
  'branch',
  'cache',
];

export class LogitTerm extends LogitHelp {
  static properties = { ...LogitHelp.properties, name: {} };

  static styles = [...LogitHelp.styles, termStyles];

  constructor() {
    super();
    /** The label is how the word stands where it is used, if not as in the glossary. */
    this.name = '';
    glossary.then(() => this.requestUpdate());
  }

  render() {
    const { name, label } = this;
    if (!hasMessage(`term.${name}`)) return html`${label}`;
    return this.renderPress(label || t(`term.${name}`), t(`term.${name}.about`));
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
