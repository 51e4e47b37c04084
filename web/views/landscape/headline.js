/**
 * The headline beside the picture: a large number field with the knob's value, and a sentence about the distribution.
 */
import { html } from 'lit';
import { keptWords, later, readSetting, settingName } from '../../base/setting-words.js';
import { NumberInput } from '../../base/number-input.js';
import { fixed, hasMessage, number, percent, plain, t } from '../../locale/locale.js';
import { SYMBOLS, round } from './axis.js';
import { leaveBox } from './handles.js';

/** @typedef {import('../../engine/types.js').TableRow} TableRow */

/** Limits in bits: a distribution of less entropy than SURE is called sure, one of more than OPEN open. */
const [SURE, OPEN] = [2, 5];
/** Fewer tokens than this are shown with a decimal. */
const EXACT = 10;

/** Endings of the keys of the sentences about temperature: below, at and above 1. */
const HEATS = ['cold', 'neutral', 'hot'];

/**
 * Returns a sentence about the knob's effect on the distribution; '' for a knob without such a sentence.
 * @param {TableRow} row
 * @param {number} value
 * @param {import('../../engine/types.js').Trace | undefined} trace
 */
function effectWords({ name, neutral }, value, trace) {
  const key = `landscape.does.${name}`;
  if (!trace || !hasMessage(`${key}.neutral`)) return '';
  const at = trace.stages.findIndex((stage) => stage.name === name);
  // Probabilities just before and after the knob's own stage, because other stages change them too.
  const [{ p, p_raw, stage_p }] = trace.tokens;
  const about = {
    value: plain(round(value)),
    p: percent(stage_p?.[at] ?? p),
    raw: percent(stage_p?.[at - 1] ?? p_raw),
    n: trace.stages[at]?.kept ?? trace.vocab_size,
    left: number(trace.kept),
    of: number(trace.vocab_size),
  };
  const heat = HEATS[Math.sign(value - neutral) + 1];
  // The bars show the whole chain. If a later stage changes the number, say that this one is the knob's own.
  const alone = heat !== 'neutral' && about.p !== percent(p);
  const kind =
    name === 'temperature' ? (alone ? 'alone' : heat) : value === neutral ? 'neutral' : 'on';
  return t(`${key}.${kind}`, about);
}

/**
 * Says how open the choice is: as if between so many equally likely tokens.
 * @param {import('../../engine/types.js').Trace} trace
 */
function choiceWords({ entropy, perplexity }) {
  const notSure = entropy < OPEN ? 'open' : 'unsure';
  const kind = entropy < SURE ? 'sure' : notSure;
  const n = perplexity < EXACT ? fixed(perplexity, 1) : number(Math.round(perplexity));
  return t(`landscape.${kind}`, { n });
}

/**
 * Returns the knob's value as text. During Play every value has two decimals, so that the text does not jump.
 * @param {TableRow} row @param {number} value @param {boolean} running
 */
export function shownValue({ kind }, value, running) {
  return running && kind === 'real' ? fixed(value, 2) : plain(round(value));
}

/**
 * @typedef {object} Shown
 * @property {TableRow} row
 * @property {number} value
 * @property {boolean} running true during Play
 * @property {boolean} gumbel
 * @property {number | null} unlike the share of u that draws another token than the compared landscape;
 *   null without a comparison
 * @property {import('../../engine/types.js').Trace | undefined} trace
 * @property {boolean} beside true if rings show a second distribution
 */

export class Headline {
  #value;

  /** @param {import('lit').ReactiveControllerHost & { lines: import('./lines.js').Lines }} host */
  constructor(host) {
    const { lines } = host;
    this.#value = new NumberInput(
      host,
      (text) => readSetting(/** @type {TableRow} */ (lines.knob.row), text),
      (value) => lines.move({ value }),
      () => lines.knob.value,
    );
  }

  /** @param {Shown} shown */
  render({ row, value, running, gumbel, unlike, trace, beside }) {
    const box = this.#value;
    const { error } = box;
    const second = beside ? ` · ○ ${later('shelf.second')}` : '';
    let about = trace ? choiceWords(trace) + second : '';
    if (gumbel) about = t('landscape.gumbel');
    if (unlike !== null) about = t('landscape.unlike', { p: percent(Math.max(0, unlike)) });
    const told = unlike !== null || gumbel;
    const symbol = SYMBOLS[row.name];
    return html`
      <label class="big ${symbol ? '' : 'long'}"><span>${symbol ? `${symbol} =` : settingName(row.name)}</span>
        <input inputmode="decimal" autocomplete="off" size="4" data-box="knob" tabindex="-1" aria-label=${settingName(row.name)}
          aria-invalid=${error !== ''} .value=${box.text ?? shownValue(row, value, running)}
          @input=${box.onInput} @change=${box.onChange}
          @keydown=${(/** @type {KeyboardEvent} */ event) => leaveBox(event, box)}></label>
      <p class="about ${error ? 'error' : ''}">${keptWords(error, value) || html`<span>${effectWords(row, value, trace)}</span> <span class=${told ? '' : 'bits'}>${about}</span>`}</p>`;
  }
}
