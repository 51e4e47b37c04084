/** Renders the controls below a figure of a lesson: numbers, seed, prompt, biases. */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { settingName, valueInWords } from '../../base/setting-words.js';
import { liveUnfocused } from '../../base/live-unfocused.js';
import { valueOf } from '../../base/element.js';
import { plain, t } from '../../locale/locale.js';

/** @import { LessonState } from '../../lessons/measures.js' */
/** @import { TableRow } from '../../engine/types.js' */

/**
 * @typedef {object} Options
 * @property {LessonState} state
 * @property {TableRow[]} table
 * @property {Map<string, number>} ids the ids of the tokens that a control can bias or force as first token
 * @property {(patch: Partial<LessonState>) => void} set
 * @property {import('../../base/number-input.js').NumberInput} seed the input of the seed
 */

const LONGEST = 100;
/** Step of a slider for a bias, in logits. */
const STEP = 0.1;

/** @param {Event} event */
const numberOf = (event) => Number(valueOf(event));

/** @param {string} label @param {unknown} input @param {string} [name] */
const renderRow = (label, input, name = '') =>
  html`<label class="control" data-control=${name}><span>${label}</span>${input}</label>`;

/** Moves the slider beside a button by one step. @param {Event} event @param {number} by */
function stepSlider({ currentTarget }, by) {
  const { parentElement } = /** @type {HTMLElement} */ (currentTarget);
  const slider = /** @type {HTMLInputElement} */ (parentElement?.querySelector('input'));
  slider.stepUp(by);
  slider.dispatchEvent(new Event('input', { bubbles: true }));
}

/**
 * Renders a slider between two buttons, which move it by one step.
 * @param {string} label
 * @param {{ value: number, low: number, high: number, step: number, shown: string, said?: string,
 *   name?: string, disabled?: boolean, set: (to: number) => void }} options
 */
function renderSlider(
  label,
  { value, low, high, step, shown, said, name = '', disabled = false, set },
) {
  const button = (/** @type {number} */ by) => html`<button type="button" class="step" data-by=${by}
    aria-label=${t(by < 0 ? 'lesson.less' : 'lesson.more', { name: label })} ?disabled=${disabled} aria-disabled=${value === (by < 0 ? low : high)}
    @click=${(/** @type {Event} */ event) => stepSlider(event, by)}>${by < 0 ? '−' : '+'}</button>`;
  return html`<div class="control" data-control=${name}><span>${label}</span>${button(-1)}
    <input type="range" min=${low} max=${high} step=${step} .value=${live(String(value))} aria-label=${label}
      aria-valuetext=${said ?? nothing} ?disabled=${disabled}
      @input=${(/** @type {Event} */ event) => set(numberOf(event))}>${button(1)}<output>${shown}</output></div>`;
}

/** @param {Options} options @param {object} patch settings to change; an undefined value removes a setting */
function setSettings({ set }, patch) {
  set({ settings: patch });
}

/** @param {string} token @param {Options} options */
function renderBias(token, options) {
  const { state, ids } = options;
  const id = ids.get(token);
  const { [String(id)]: bias = 0, ...others } = state.settings?.logit_bias ?? {};
  const name = token.trim() || token;
  const take = (/** @type {number | false} */ to) =>
    setSettings(options, { logit_bias: to === 0 ? others : { ...others, [String(id)]: to } });
  const banned = bias === false;
  return html`<div class="pair" data-bias=${name}>
    ${renderSlider(t('lesson.bias', { token: name }), {
      ...{ value: banned ? 0 : bias, low: -10, high: 10, step: STEP },
      shown: banned ? '−∞' : plain(bias),
      disabled: banned || id === undefined,
      set: take,
    })}
    <label class="ban"><input type="checkbox" .checked=${live(banned)} ?disabled=${id === undefined}
      @change=${() => take(banned ? 0 : false)}> ${t('lesson.ban', { token: name })}</label></div>`;
}

/** @param {string[]} tokens @param {Options} options */
function renderFirst(tokens, options) {
  const { state, ids } = options;
  const chosen = state.settings?.forced_first;
  const take = (/** @type {Event} */ event) =>
    setSettings(options, { forced_first: valueOf(event) === '' ? undefined : numberOf(event) });
  return renderRow(
    t('lesson.first'),
    html`<select @change=${take}>
      <option value="" ?selected=${chosen === undefined}>${t('lesson.first.free')}</option>
      ${tokens.map((token) => {
        const id = ids.get(token);
        return html`<option value=${String(id)} ?selected=${id === chosen}>${token.trim()}</option>`;
      })}</select>`,
  );
}

/** @type {Record<string, (options: Options) => unknown>} */
const OTHERS = {
  seed: ({ state, seed: { text, error, onInput, onChange } }) =>
    html`${renderRow(
      t('lesson.seed'),
      html`<input type="text" inputmode="numeric" autocomplete="off" spellcheck="false"
      aria-invalid=${error ? 'true' : 'false'} aria-describedby="seed-error"
      .value=${live(text ?? plain(state.seed ?? 42))} @input=${onInput} @change=${onChange}>`,
      'seed',
    )}${error ? html`<p id="seed-error" class="error" role="alert">${error}</p>` : nothing}`,
  prompt: ({ state, set }) =>
    renderRow(
      t('text.prompt'),
      html`<input type="text" lang="en" spellcheck="false" autocomplete="off" .value=${liveUnfocused(state.prompt ?? '')}
        @change=${(/** @type {Event} */ event) => set({ prompt: valueOf(event) })}>`,
      'prompt',
    ),
  length: ({ state, set }) => {
    const value = Number(state.choices?.length ?? LONGEST);
    return renderSlider(t('lesson.length'), {
      ...{ value, low: 0, high: LONGEST, step: 1, shown: plain(value), name: 'length' },
      set: (length) => set({ choices: { length } }),
    });
  },
};

/** @param {string} name @param {Options} options */
function renderNumber(name, options) {
  const found = options.table.find((each) => each.name === name);
  if (!found) return '';
  const { low, high, kind, step, neutral } = found;
  const value = Number(options.state.settings?.[name] ?? neutral);
  return renderSlider(settingName(name), {
    ...{ value, low, high, name, step: kind === 'integer' ? 1 : step },
    shown: plain(value),
    said: valueInWords(found, value),
    set: (to) => setSettings(options, { [name]: to }),
  });
}

/** @param {string[]} names @param {string[]} tokens @param {Options} options */
export function renderControls(names, tokens, options) {
  return html`<div class="controls">${names.map((name) => {
    if (name === 'logit_bias') return tokens.map((token) => renderBias(token, options));
    if (name === 'forced_first') return renderFirst(tokens, options);
    if (name === 'constraint') return ''; // <logit-written-text> renders its control
    return Object.hasOwn(OTHERS, name) ? OTHERS[name](options) : renderNumber(name, options);
  })}</div>`;
}
