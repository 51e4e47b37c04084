/**
 * The state of the twin: two prompts side by side on one knob, a sure one and an unsure one. twin.js has
 * the pictures; it is fetched when the user first wants it.
 */
import { html, nothing } from 'lit';
import { t } from '../../locale/locale.js';
import { outcomeOfPair } from './outcome.js';

/** The knobs that remove tokens: the twin compares the numbers that they keep. */
export const CUTS = ['top_k', 'top_p', 'min_p'];

/** The twin's own settings: a hot temperature would level both prompts and hide their difference. */
export const OWN = { temperature: 1 };

/** @typedef {import('./landscape.js').LogitLandscape} LogitLandscape */

export class Pair {
  /** Null until it is fetched. @type {import('./twin.js').Twin | null} */
  shown = null;
  #host;
  #coming = false;
  /** The values of the knobs before another one was chosen, by name. @type {Record<string, number>} */
  #left = {};

  /** @param {LogitLandscape} host */
  constructor(host) {
    this.#host = host;
  }

  /** True if the knob can have a twin. */
  get possible() {
    const { lines, given } = this.#host;
    return given === null && CUTS.includes(lines.knob.row?.name ?? '');
  }

  /** True if the twin is in the place of the picture. */
  get on() {
    return this.#host.twin && this.possible;
  }

  /** True if the display will change without further input. */
  get busy() {
    return this.on && (this.shown?.busy ?? true);
  }

  /** The facts for the tour; null until both answers are there. */
  get outcome() {
    const kept = this.shown?.kept;
    return kept ? outcomeOfPair(this.#host.lines.knob, kept) : null;
  }

  get drags() {
    return this.shown?.drags ?? false;
  }

  /** Opens or closes the pictures. Called after each update. */
  async sync() {
    const host = this.#host;
    const { engine } = host;
    if (!this.on || !engine) return this.close();
    this.shown?.measure();
    if (this.shown || this.#coming) return;
    this.#coming = true;
    try {
      const { Twin } = await import('./twin.js');
      if (this.on && engine === host.engine) this.shown = new Twin(host, engine);
    } finally {
      this.#coming = false;
    }
    host.requestUpdate();
  }

  close() {
    this.shown?.close();
    this.shown = null;
  }

  /** Shows or hides the twin. If the knob is off, turns it to its usual value. @param {boolean} twin */
  show(twin) {
    const host = this.#host;
    host.keepChoice({ twin });
    if (!twin) return;
    const { row, value } = host.lines.knob;
    if (row && value === row.neutral) host.lines.set({ [row.name]: row.usual });
  }

  /**
   * Turns the twin's knob off before another one is chosen, since two cuts at once would hide each
   * other, and turns the next one on.
   * @param {string} name of the next knob
   */
  leave(name) {
    const { lines } = this.#host;
    const { row, rows, value, settings } = lines.knob;
    const next = rows.find((each) => each.name === name);
    if (!this.on || !row || !next || row === next || !CUTS.includes(name)) return;
    this.#left[row.name] = value;
    const is = settings[name] ?? next.neutral;
    const on = is === next.neutral ? (this.#left[name] ?? next.usual) : is;
    lines.set({ [row.name]: row.neutral, [name]: on });
  }

  /** Renders the button beside the knobs. */
  renderToggle() {
    const { bare, twin } = this.#host;
    if (bare || !this.possible) return nothing;
    return html`<button class="pair" data-command="twin" aria-pressed=${twin} @click=${() => this.show(!twin)}>
      <svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><path d="M1.5 3.5h5.5v9H1.5zM9 3.5h5.5v9H9z"></path></svg>${t('landscape.twin')}</button>`;
  }
}
