/** The controls of <logit-sentences>: the prompt, the picture with its knob, and the allowed texts. */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { capitalise, settingName, usualFirst } from '../../base/setting-words.js';
import { t } from '../../locale/locale.js';

/** @typedef {import('../../engine/types.js').TableRow} TableRow */

/** The knobs with a button of their own. */
const NAMED = ['top_p', 'top_k', 'min_p'];

/**
 * @param {{ prompt: string, examples: string[], choose: (prompt: string) => void }} options
 */
export function renderPrompts({ prompt, examples, choose }) {
  const take = (/** @type {any} */ { target }) => {
    if (target.value.trim()) choose(target.value.trimEnd());
    else target.value = prompt;
  };
  return html`<div class="prompts sideways" role="group" aria-label=${t('sentences.prompts')} translate="no">
    <input class="own-prompt" name="prompt" dir="auto" aria-label=${t('sentences.prompt')} placeholder=${t('sentences.prompt')}
      autocomplete="off" spellcheck="false" .value=${prompt} @change=${take}>
    ${examples.map(
      (each) => html`<button dir="auto" aria-pressed=${each === prompt}
        @click=${() => choose(each)}>${each}</button>`,
    )}</div>`;
}

/**
 * @param {object} options
 * @param {string} options.kind the picture
 * @param {TableRow} options.row the knob
 * @param {TableRow[]} options.rows all knobs
 * @param {boolean} options.whole true if the texts are whole
 * @param {boolean} options.judged true if a grammar can judge them
 * @param {(choice: { kind: string, knob?: string }) => void} options.choose
 */
export function renderChoices({ kind, row, rows, whole, judged, choose }) {
  const own = kind === 'knob' ? row.name : '';
  const button = (/** @type {string} */ name, /** @type {string} */ words, knob = '') =>
    html`<button data-picture=${knob || name} aria-pressed=${knob ? knob === own : name === kind}
      @click=${() => choose({ kind: name, ...(knob && { knob }) })}>${words}</button>`;
  const others = usualFirst(rows.filter(({ name }) => !NAMED.includes(name)));
  const isOther = others.some(({ name }) => name === own);
  const option = (/** @type {TableRow} */ { name }) =>
    html`<option value=${name} ?selected=${name === own}>${capitalise(settingName(name))}</option>`;
  return html`<div class="choices sideways" role="group" aria-label=${t('sentences.pictures')}>
    <div class="segments">${button('ways', t('sentences.ways'))}${NAMED.map((name) =>
      button('knob', capitalise(settingName(name)), name),
    )}<select class=${isOther ? 'chosen' : ''} aria-label=${t('sentences.more.label')} .value=${live(isOther ? own : '')}
      @change=${(/** @type {any} */ { target }) => choose({ kind: 'knob', knob: target.value })}>
      <option value="" disabled hidden ?selected=${!isOther}>${t('sentences.more')}</option>${others.map(option)}</select></div>
    ${
      whole
        ? html`<div class="segments">${judged ? button('right', t('sentences.right.name')) : nothing}${button('mask', t('sentences.mask.name'))}</div>`
        : nothing
    }</div>`;
}

/**
 * @param {{ allowed: string, fault: string, type: (text: string) => void }} options allowed: a text a line
 */
export function renderAllowed({ allowed, fault, type }) {
  const rows = Math.min(6, allowed.split('\n').length);
  return html`<label class="allowed"><span class="label">${t('sentences.allowed')}</span>
    <textarea name="allowed" dir="auto" rows=${rows} translate="no" spellcheck="false" autocomplete="off" aria-invalid=${fault ? 'true' : nothing}
      .value=${live(allowed)} @input=${(/** @type {any} */ { target }) => type(target.value)}></textarea></label>
    <p class="error" role="alert">${fault}</p>`;
}
