/**
 * <logit-ranking>: texts without their settings, to be put in order by the reader; then the
 * settings are shown with the figures beside the ranks. Tells a finished order by "logit-ranked".
 */
import { css, html } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { t } from '../../locale/locale.js';
import { define } from '../../base/define.js';
import { LogitElement } from '../../base/element.js';
import { Reorder } from '../../base/reorder.js';
import { figureName, figureRows } from './figures.js';
import './passage.js';
import { nameOf } from './strategy.js';

/**
 * @typedef {import('./runner.js').Text} Text
 *
 * One text to be ranked, and every strategy that wrote it.
 * @typedef {{ text: Text, writers: { name: string, text: Text }[] }} Entry
 */

export class LogitRanking extends LogitElement {
  static properties = {
    entries: { attribute: false },
    given: { attribute: false },
    eos: { attribute: false },
    order: { state: true },
    revealed: { state: true },
    said: { state: true },
  };

  static styles = [
    ...LogitElement.styles,
    css`
      ol {
        position: relative;
        display: grid;
        max-width: 80rem;
        gap: 0.5rem;
        margin: 0.75rem 0;
        padding: 0;
        list-style: none;
      }

      .card {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: 0.25rem 0.875rem;
        padding: 0.625rem 0.75rem;
        border: 1px solid var(--line);
        border-radius: 0.5rem;
        background: var(--panel);
      }

      .grabbed {
        z-index: 1;
        border-color: var(--trace);
        box-shadow: 0 0 0 1px var(--trace), 0 0.75rem 1.5rem light-dark(#14201d33, #000000b3);
      }

      .plug {
        min-height: 2.25rem;
        border: 0;
        padding: 0.375rem 0.25rem;
        background: radial-gradient(circle, var(--control-line) 1.5px, transparent 2px) 0 0 / 0.5rem 0.5rem
          content-box content-box;
        cursor: grab;
        touch-action: none;
      }

      .plug:hover,
      .grabbed .plug {
        background-image: radial-gradient(circle, var(--trace) 2px, transparent 2.5px);
      }

      .grabbing,
      .grabbed .plug {
        cursor: grabbing;
      }

      .rank {
        display: grid;
        grid-template-columns: 1.5rem 2.5rem 2.25rem 2.25rem;
        align-items: start;
        gap: 0.375rem;
      }

      .revealed .rank {
        grid-template-columns: 2.5rem;
      }

      .revealed .rank button {
        display: none;
      }

      .about {
        margin-top: 0.75rem;
      }

      .rank b {
        font: 650 1.25rem/2.25rem var(--mono);
        text-align: center;
      }

      .rank button {
        padding: 0;
      }

      .words {
        max-width: 96ch;
      }

      .told {
        color: var(--trace);
        font-weight: 600;
      }

      .end {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem 1rem;
        min-height: 2.5rem;
      }

      .scroll {
        margin-top: 0.75rem;
        overflow-x: auto;
      }

      table {
        min-width: 46rem;
        border-collapse: collapse;
        font-size: 0.8125rem;
      }

      th,
      td {
        padding: 0.3125rem 0.75rem;
        border-bottom: 1px solid var(--line);
        font-weight: 400;
        white-space: nowrap;
        text-align: right;
      }

      thead th {
        color: var(--soft);
      }

      th:nth-child(2),
      th:nth-child(3) {
        text-align: left;
      }

      td {
        font-family: var(--mono);
      }

      .from {
        color: var(--soft);
      }

      @container (max-width: 30rem) {
        .card {
          grid-template-columns: minmax(0, 1fr);
        }

        .rank {
          grid-area: 1 / 1;
        }

        .words {
          display: contents;
        }

        .words .label {
          grid-area: 1 / 1;
          justify-self: end;
          line-height: 2.25rem;
        }

        .revealed .words .label {
          justify-self: start;
          margin-left: 3rem;
        }
      }
    `,
  ];

  #reorder = new Reorder(this, {
    names: () => this.order.map(String),
    label: (name) => t('compare.blind.text', { n: Number(name) + 1 }),
    move: (name, to) => this.#place(Number(name), to),
  });

  constructor() {
    super();
    /** In the order in which they are first shown. @type {Entry[]} */
    this.entries = [];
    /** The prompt. */
    this.given = '';
    this.eos = -1;
    /** The entries from the best to the worst, as indices. @type {number[]} */
    this.order = [];
    this.revealed = false;
    this.said = '';
  }

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    if (!changes.has('entries')) return;
    const keys = (/** @type {Entry[]} */ entries) => entries.map(({ text }) => text.key).join();
    const before = /** @type {Entry[]} */ (changes.get('entries') ?? []);
    if (before.length > 0 && keys(before) === keys(this.entries)) return;
    this.#begin();
  }

  #begin() {
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
            ? html`<button data-command="again" @click=${this.#begin}>${t('compare.blind.again')}</button>`
            : html`<button class="primary" data-command="reveal" @click=${this.#reveal}>${t('compare.blind.reveal')}</button>`
        }
        <span class="heard" aria-live="polite">${this.said}</span>
        <span class="heard" aria-live="assertive">${this.#reorder.said}</span>
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
        aria-disabled=${this.revealed || !this.#possible(place + step)}
        @click=${() => this.#move(place, place + step, step)}>${sign}</button>`;
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
          <tbody>${order.flatMap((entry, place) =>
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
  #place(entry, to) {
    const order = this.order.filter((other) => other !== entry);
    order.splice(to, 0, entry);
    this.order = order;
  }

  /** @param {number} place */
  #possible(place) {
    return place >= 0 && place < this.order.length;
  }

  /**
   * Moves a text, and the focus with it.
   * @param {number} from
   * @param {number} to
   * @param {number} step which of its two buttons has the focus
   */
  async #move(from, to, step) {
    if (this.revealed || !this.#possible(to)) return;
    const entry = this.order[from];
    this.#place(entry, to);
    this.said = t('compare.blind.moved', { n: entry + 1, rank: to + 1, of: this.order.length });
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
    if (!step || event.defaultPrevented) return; // a card in hand is moved by its plug
    event.preventDefault();
    this.#move(place, place + step, step);
  }

  #reveal() {
    this.revealed = true;
    this.said = t('compare.blind.revealed');
    this.emit('logit-ranked', { order: this.order });
  }
}

/**
 * The first text of each strategy, equal ones as one, shuffled by random numbers; none of a text that
 * is still to be given.
 * @param {Text[][]} texts
 * @param {number[]} us
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
