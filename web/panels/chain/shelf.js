/**
 * <logit-shelf>: the warpers that are not in the chain, each with the sentence that says what it
 * does; one pressed comes into the chain. Asks with "logit-add"; `start` is
 * left out where it asks for itself.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/shelf';
import { addMessages, announceLanguage, t } from '../../locale/locale.js';
import { LogitElement, define } from '../../base/element.js';
import { aboutSetting, capitalise, settingName } from '../../base/setting-words.js';
import { SHELF } from '../../state/settings.js';
import shelfStyles from './shelf.css';

addMessages(locales);
announceLanguage();

/** What a warper is set to when it comes off the shelf: a usual value, so that it does something. */
const STARTS = /** @type {Record<string, number>} */ ({
  repetition_penalty: 1.1,
  frequency_penalty: 0.5,
  presence_penalty: 0.5,
  no_repeat_ngram_size: 2,
  dry_multiplier: 0.8,
  min_p: 0.05,
  typical_p: 0.9,
  epsilon_cutoff: 0.01,
  eta_cutoff: 0.02,
  top_n_sigma: 1,
  xtc_probability: 0.5,
  mirostat: 2,
  adaptive_target: 0.3,
  top_a: 0.2,
  p_less: 1,
  top_h: 0.5,
  dynatemp_range: 0.5,
  smoothing_factor: 0.3,
  min_new_tokens: 8,
  exponential_decay_length_penalty: 1.05,
  tfs_z: 0.95,
  guidance_scale: 1.5,
  contrastive_beta: 0.5,
  green_bias: 2,
  synthid_depth: 30,
});

export class LogitShelf extends LogitElement {
  static properties = {
    shown: { attribute: false },
  };

  static styles = [...LogitElement.styles, shelfStyles];

  constructor() {
    super();
    /** @type {string[]} The warpers that have a card already. */
    this.shown = [];
  }

  render() {
    const left = SHELF.map(({ group, names }) => ({
      group,
      names: names.filter((name) => !this.shown.includes(name)),
    })).filter(({ names }) => names.length > 0);
    if (left.length === 0) return nothing;
    return html`
      <details>
        <summary><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 3v10M3 8h10"></path></svg>
          ${t('shelf.add')}</summary>
        ${left.map(
          ({ group, names }) => html`
          <h3 id=${group}>${t(`shelf.group.${group}`)}</h3>
          <ul aria-labelledby=${group}>${names.map(
            (name) => html`
            <li><button data-add=${name} @click=${() => this.#add(name)}>
              <b>${capitalise(settingName(name))}</b>
              <span class="about">${aboutSetting(name)}</span></button></li>`,
          )}</ul>`,
        )}
      </details>
    `;
  }

  focus() {
    this.renderRoot.querySelector('summary')?.focus();
  }

  /** @param {string} name */
  #add(name) {
    const details = this.renderRoot.querySelector('details');
    if (details) details.open = false;
    this.emit('logit-add', { name, start: STARTS[name] });
  }
}

define('logit-shelf', LogitShelf);
