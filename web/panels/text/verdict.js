/** <logit-verdict>: says if the finished text obeys the grammar, or is valid JSON. */
import { locales } from '#locales/verdict';
import { html } from 'lit';
import { addMessages, t } from '../../locale/locale.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { unturned } from '../../base/visible.js';
import verdictStyles from './verdict.css';

addMessages(locales);

export class LogitVerdict extends elementWith(LogitElement, () => ({
  /** Null until the text is complete. @type {import('../../engine/grammar.js').Verdict | null} */
  verdict: null,
  /** The text if a constraint to JSON is on; else null. @type {string | null} */
  json: null,
})) {
  static styles = [...LogitElement.styles, verdictStyles];

  render() {
    if (this.json !== null) return renderJson(this.json);
    const { verdict } = this;
    if (!verdict)
      return html`<p class="verdict"><span class="label">${t('verdict.title')}</span>
        <span class="waiting">${t('verdict.waiting')}</span></p>`;
    const { right, code, values } = verdict;
    const [kind, title] = right ? ['yes', 'verdict.right'] : ['no', 'verdict.wrong'];
    const passed = ['syntax', 'tense', 'person'].map(
      (name) => html`<span class="yes">${t(`verdict.${name}.yes`)}</span>`,
    );
    return html`
      <p class="verdict" data-right=${right}>
        <b class=${kind}>${t(title)}</b>
        ${right ? passed : html`<span>${t(`verdict.${code}`, values)}</span>`}
      </p>
    `;
  }
}

/** @param {string} text */
function renderJson(text) {
  const right = isJson(text);
  return html`
    <p class="verdict" data-right=${right}><b class=${right ? 'yes' : 'no'}>${t(right ? 'verdict.json.right' : 'verdict.json.cut')}</b></p>
    <pre lang="en" translate="no" dir="auto">${unturned(text)}</pre>`;
}

/** @param {string} text */
function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

define('logit-verdict', LogitVerdict);
