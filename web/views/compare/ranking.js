/**
 * <logit-ranking>: a blind test. The user ranks texts without their settings; then the settings and numbers appear
 * beside the ranks. Emits "logit-ranked" with the order.
 */
import { html } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { t } from '../../locale/locale.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { Reorder } from '../../base/reorder.js';
import { figureName, figureRows } from './figures.js';
import './passage.js';
import { nameOf } from './strategy.js';
import rankingStyles from './ranking.css';

/** @import { Text } from './runner.js' */

/**
 * A text to rank, with all strategies that wrote exactly this text.
 * @typedef {{ text: Text, writers: { name: string, text: Text }[] }} Entry
 */

export class LogitRanking extends elementWith(LogitElement, () => ({
  /** The texts in their first order. @type {Entry[]} */
  entries: [],
  /** The prompt. */
  given: '',
  eos: -1,
  /** Indices of `entries` from the best to the worst. @type {number[]} */
  order: [],
  revealed: false,
  said: '',
})) {
  static styles = [...LogitElement.styles, rankingStyles];

  #reorder = new Reorder(this, {
    names: () => this.order.map(String),
    label: (name) => t('compare.blind.text', { n: Number(name) + 1 }),
    move: (name, to) => this.#putAt(Number(name), to),
  });

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    if (!changes.has('entries')) return;
    const keys = (/** @type {Entry[]} */ entries) => entries.map(({ text }) => text.key).join();
    const before = /** @type {Entry[]} */ (changes.get('entries') ?? []);
    if (before.length > 0 && keys(before) === keys(this.entries)) return;
    this.#reset();
  }

  #reset() {
    this.order = this.entries.map((_, i) => i);
    this.revealed = false;
    this.said = '';
  }

  render() {
    const { order, revealed } = this;
    return html`
      <p class="about">${t('compare.blind.about')}</p>
      <ol class=${revealed ? 'revealed' : this.#reorder.grabbed ? 'grabbing' : ''}>${repeat(
        order,
        (entry) => entry,
        (entry, place) => this.#renderCard(entry, place),
      )}</ol>
      <div class="end">
        ${
          revealed
            ? html`<button data-command="again" @click=${this.#reset}>${t('compare.blind.again')}</button>`
            : html`<button class="primary" data-command="reveal" @click=${this.#reveal}>${t('compare.blind.reveal')}</button>`
        }
        <span class="visually-hidden" aria-live="polite">${this.said}</span>
        <span class="visually-hidden" aria-live="assertive">${this.#reorder.said}</span>
        <span id="plug-keys" hidden>${t('order.keys')}</span>
      </div>
      ${revealed ? this.#renderTable() : ''}
    `;
  }

  /**
   * @param {number} entry
   * @param {number} place
   */
  #renderCard(entry, place) {
    const { text, writers } = this.entries[entry];
    const n = entry + 1;
    /** @param {number} step @param {string} key @param {string} sign */
    const mover = (step, key, sign) => html`
      <button aria-label=${t(key, { n })} title=${t(key, { n })} data-step=${step}
        aria-disabled=${this.revealed || !this.#isPlace(place + step)}
        @click=${() => this.#moveEntry(place, place + step, step)}>${sign}</button>`;
    return html`
      <li class="card ${this.#reorder.grabbed === String(entry) ? 'grabbed' : ''}" data-entry=${entry} data-stage=${entry}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, place)}>
        <div class="rank">${this.revealed ? '' : this.#reorder.renderPlug(String(entry))}<b aria-label=${t('compare.blind.rank', { n: place + 1 })} role="img">${place + 1}</b>
          ${mover(-1, 'compare.blind.up', '↑')}${mover(1, 'compare.blind.down', '↓')}</div>
        <div class="words">
          <span class="label">${t('compare.blind.text', { n })}</span>
          ${this.revealed ? html`<span class="told">${writers.map(({ name }) => name).join(' · ')}</span>` : ''}
          <logit-passage plain .given=${this.given} .steps=${text.steps} .eos=${this.eos} .colour=${'none'}></logit-passage>
        </div>
      </li>`;
  }

  #renderTable() {
    const { entries, order } = this;
    const [first] = entries;
    const columns = figureRows(first.text).map(({ name }) => name);
    return html`
      <div class="scroll" role="region" tabindex="0" aria-label=${t('compare.blind.table')}>
        <table>
          <thead><tr>
            <th scope="col">${t('compare.blind.yours')}</th>
            <th scope="col">${t('compare.blind.settings')}</th>
            ${columns.map((name) => html`<th scope="col">${figureName(name)}</th>`)}
          </tr></thead>
          <tbody translate="no">${order.flatMap((entry, place) =>
            entries[entry].writers.map(
              ({ name, text }) => html`
              <tr><td>${place + 1}</td><th scope="row">${name}</th>
                ${figureRows(text).map(({ value }) => html`<td>${value}</td>`)}</tr>`,
            ),
          )}</tbody>
        </table>
      </div>`;
  }

  /**
   * @param {number} entry
   * @param {number} to
   */
  #putAt(entry, to) {
    const order = this.order.filter((other) => other !== entry);
    order.splice(to, 0, entry);
    this.order = order;
  }

  /** @param {number} place */
  #isPlace(place) {
    return place >= 0 && place < this.order.length;
  }

  /**
   * Moves a text up or down in the order; the focus moves with it.
   * @param {number} from
   * @param {number} to
   * @param {number} step the button that gets the focus: -1 up, 1 down
   */
  async #moveEntry(from, to, step) {
    if (this.revealed || !this.#isPlace(to)) return;
    const entry = this.order[from];
    this.#putAt(entry, to);
    this.said = this.speak(() =>
      t('compare.blind.moved', { n: entry + 1, rank: to + 1, of: this.order.length }),
    );
    await this.updateComplete;
    const button = this.renderRoot.querySelector(`[data-entry="${entry}"] [data-step="${step}"]`);
    /** @type {HTMLElement | null} */ (button)?.focus();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} place
   */
  #onKey(event, place) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || event.defaultPrevented) return; // the drag handle has used the key itself
    event.preventDefault();
    this.#moveEntry(place, place + step, step);
  }

  #reveal() {
    this.revealed = true;
    this.said = this.speak(() => t('compare.blind.revealed'));
    this.emit('logit-ranked', { order: this.order });
  }
}

/**
 * Returns the first text of each strategy in random order. Equal texts become one entry. A text of the user that is
 * still empty is left out.
 * @param {Text[][]} texts by strategy
 * @param {number[]} us random numbers from 0 to below 1
 * @returns {Entry[]}
 */
export function entriesOf(texts, us) {
  /** @type {Map<string, Entry>} */
  const found = new Map();
  for (const [i, [text]] of texts.entries()) {
    if (text.strategy.kind === 'given' && text.steps.length === 0) continue;
    const key = text.steps.map(({ id }) => id).join();
    const entry = found.get(key) ?? { text, writers: [] };
    entry.writers.push({ name: nameOf(i, text.strategy), text });
    found.set(key, entry);
  }
  const entries = [...found.values()];
  for (let i = entries.length - 1; i > 0; i--) {
    const j = Math.floor(us[i] * (i + 1));
    [entries[i], entries[j]] = [entries[j], entries[i]];
  }
  return entries;
}

define('logit-ranking', LogitRanking);
