/**
 * <logit-term>: a word with a dotted underline; a press opens its explanation. For a term NAME, the strings are
 * term.NAME and term.NAME.about.
 */
import { html } from 'lit';
import { hasMessage, t } from '../locale/locale.js';
import { define } from './element.js';
import { LogitHelp } from './help.js';
import termStyles from './term.css';

/** Resolves when the strings of the glossary are fetched, which happens while the first model loads. */
export const glossary = import('./glossary.js');

/** The terms of the glossary, in the order in which a beginner needs them. */
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
  'stage',
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
  'warped',
  'tail',
  'hatched',
];

export class LogitTerm extends LogitHelp {
  static properties = { ...LogitHelp.properties, name: {} };

  static styles = [...LogitHelp.styles, termStyles];

  constructor() {
    super();
    /** Name of the term. `label` is displayed instead if the sentence needs another form. */
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
