/** The list of strategies in <logit-compare>: renders the editor of each strategy, adds and removes strategies. */
import { html } from 'lit';
import { CARRIED } from '../../engine/presets.js';
import { t } from '../../locale/locale.js';
import { activeSettings } from '../../state/settings.js';
import { letter } from './strategy.js';

/** @import { Strategy } from '../../engine/compare.js' */
/** @import { LogitCompare } from './compare.js' */

const LEAST = 2;
/** Most strategies that write texts. */
const MOST = 9;
/** Most texts side by side: one for each strategy, and one that the user gives. */
export const MOST_TEXTS = MOST + 1;

export class StrategyList {
  /**
   * Keys of the strategies in the list's order. A strategy keeps its key, so that its element is not made again.
   * @type {number[]}
   */
  keys = [];
  #lastKey = 0;
  /** The settings whose value is a number. @type {import('../../engine/types.js').TableRow[]} */
  #rows = [];
  #host;

  /** @param {LogitCompare} host */
  constructor(host) {
    this.#host = host;
  }

  /** @param {import('../../base/model-element.js').RemoteLogitscope} engine */
  open({ table }) {
    this.#rows = table.filter(
      ({ kind, name }) => (kind === 'real' || kind === 'integer') && !CARRIED.includes(name),
    );
  }

  /**
   * Gives all strategies new keys if another list has replaced the old one or if its length has changed.
   * @param {boolean} other true if the list is new
   */
  renew(other) {
    const { strategies } = this.#host.plan;
    if (other || this.keys.length !== strategies.length)
      this.keys = strategies.map(() => ++this.#lastKey);
  }

  keyOf = (/** @type {unknown} */ _, /** @type {number} */ i) => this.keys[i];

  /** The kinds of strategies that the list has room for. @returns {('add' | 'give')[]} */
  get addable() {
    const { strategies } = this.#host.plan;
    const given = strategies.filter(({ kind }) => kind === 'given').length;
    return [
      ...(strategies.length - given < MOST ? [/** @type {const} */ ('add')] : []),
      ...(given === 0 ? [/** @type {const} */ ('give')] : []),
    ];
  }

  renderAdd() {
    const does = { add: () => this.#add(), give: () => this.#addGiven() };
    return this.addable.map(
      (name) => html`
      <button class="quiet" data-command=${name} title=${t(`compare.${name}.about`)}
        @click=${does[name]}>${t(`compare.${name}`)}</button>`,
    );
  }

  /**
   * @param {Strategy} strategy
   * @param {number} i
   * @param {string} fault the error of a given text; '' if none
   */
  render({ kind = 'sample', settings, text = '' }, i, fault) {
    const { fixed, plan } = this.#host;
    return html`
      <logit-strategy .letter=${letter(i)} .kind=${kind} .settings=${settings} .text=${text}
        .fault=${fault} .table=${this.#rows} ?first=${i === 0} ?removable=${plan.strategies.length > LEAST} ?fixed=${fixed}
        @logit-strategy=${(/** @type {CustomEvent} */ event) => this.#onStrategy(event, i)}
        ></logit-strategy>`;
  }

  /**
   * Adds a passage's real continuation as a text and makes its beginning the prompt.
   * @param {import('./passages.js').Passage} passage
   */
  continue({ prompt, text }) {
    const sampled = this.#host.plan.strategies.filter(({ kind }) => kind !== 'given');
    this.#emitStrategies([...sampled, { kind: 'given', settings: {}, text }], { prompt });
  }

  /** Adds a strategy with the settings of the bench. */
  #add() {
    const { seed: _, ...asked } = this.#host.asked;
    this.#append({ settings: activeSettings(this.#host.engine?.table ?? [], asked) });
  }

  /** Adds an empty text that the user fills in. */
  async #addGiven() {
    this.#append({ kind: 'given', settings: {}, text: '' });
    await this.#host.updateComplete;
    const added = [...this.#host.renderRoot.querySelectorAll('logit-strategy')].at(-1);
    /** @type {HTMLElement | null} */ (added)?.focus();
  }

  /** @param {Strategy} strategy */
  #append(strategy) {
    this.keys = [...this.keys, ++this.#lastKey];
    this.#emitStrategies([...this.#host.plan.strategies, strategy]);
  }

  /**
   * @param {CustomEvent} event
   * @param {number} i
   */
  async #onStrategy({ detail: { action, settings, text } }, i) {
    const host = this.#host;
    const { strategies, seed, prompt, prompt_ids } = host.plan;
    if (action === 'adopt')
      host.emit('logit-adopt', { settings, prompt: prompt_ids ? '' : prompt, seed });
    else if (action === 'lead') {
      this.keys = movedToFront(this.keys, i);
      this.#emitStrategies(movedToFront([...strategies], i));
      await host.updateComplete;
      const moved = /** @type {import('lit').LitElement} */ (
        host.renderRoot.querySelector('logit-strategy')
      );
      moved.renderRoot.querySelector('button')?.focus(); // the focused button is hidden now
    } else if (action === 'remove') {
      this.keys = this.keys.filter((_, at) => at !== i);
      this.#emitStrategies(strategies.filter((_, at) => at !== i));
      await host.updateComplete;
      const back = host.renderRoot.querySelector('[data-command=add], [data-command=give]');
      /** @type {HTMLElement | null} */ (back)?.focus(); // the button that had the focus is gone
    } else
      this.#emitStrategies(
        strategies.map((old, at) => (at === i ? { ...old, settings, text } : old)),
      );
  }

  /** @param {Strategy[]} strategies @param {{ prompt?: string }} [others] */
  #emitStrategies(strategies, others = {}) {
    const { samples } = this.#host.plan;
    const bare = strategies.map(({ kind, settings, text }) => ({
      ...(kind === undefined ? {} : { kind }),
      settings,
      ...(text === undefined ? {} : { text }),
    }));
    this.#host.keepChoice({ ...others, samples, strategies: bare });
  }
}

/**
 * Returns the list with item i moved to the front.
 * @template T
 * @param {T[]} list
 * @param {number} i
 */
function movedToFront(list, i) {
  return [list[i], ...list.filter((_, at) => at !== i)];
}
