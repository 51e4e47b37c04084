/**
 * Decides if two prompts are shown side by side on one knob: one after which the model is sure, one after which it is
 * unsure. twin.js paints the two pictures; it is fetched when the user first opens them.
 */
import { html, nothing } from 'lit';
import { t } from '../../locale/locale.js';
import { outcomeOfPair } from './outcome.js';

/** The knobs that remove tokens. The two pictures compare how many tokens they keep. */
export const CUTS = ['top_k', 'top_p', 'min_p'];

/** @typedef {import('./landscape.js').LogitLandscape} LogitLandscape */

export class Pair {
  /** The two pictures; null until their code is fetched. @type {import('./twin.js').Twin | null} */
  shown = null;
  #host;
  #coming = false;
  /** The value of each knob before the user chose another one, by name. @type {Record<string, number>} */
  #left = {};

  /** @param {LogitLandscape} host */
  constructor(host) {
    this.#host = host;
  }

  /** True if two prompts can be shown with the present knob. */
  get possible() {
    const { lines, given } = this.#host;
    return given === null && CUTS.includes(lines.knob.row?.name ?? '');
  }

  /** True if two pictures are shown in place of one. */
  get on() {
    return this.#host.twin && this.possible;
  }

  /** True while a change of the display is pending. */
  get busy() {
    return this.on && (this.shown?.busy ?? true);
  }

  /** The facts for the tour; null until the engine has answered for both prompts. */
  get outcome() {
    const kept = this.shown?.kept;
    return kept ? outcomeOfPair(this.#host.lines.knob, kept) : null;
  }

  get drags() {
    return this.shown?.drags ?? false;
  }

  /** Opens or closes the two pictures if the properties of the view have changed. */
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

  /**
   * Shows or hides the two pictures. If the knob has no effect yet, sets it to its usual value.
   * @param {boolean} twin
   */
  show(twin) {
    const host = this.#host;
    host.keepChoice({ twin });
    if (!twin) return;
    const { row, value } = host.lines.knob;
    if (row && value === row.neutral) host.lines.set({ [row.name]: row.usual });
  }

  /**
   * Prepares the change to another knob. If two pictures are shown and the next knob is one of CUTS, turns the present
   * one off, because two cuts at once would hide each other's effect. Turns the next one on, with its last or usual
   * value. Otherwise changes nothing and returns false.
   * @param {string} name of the next knob
   */
  leave(name) {
    const { lines } = this.#host;
    const { row, rows, value, settings } = lines.knob;
    const next = rows.find((each) => each.name === name);
    if (!this.on || !row || !next || row === next || !CUTS.includes(name)) return false;
    this.#left[row.name] = value;
    const is = settings[name] ?? next.neutral;
    const on = is === next.neutral ? (this.#left[name] ?? next.usual) : is;
    lines.set({ [row.name]: row.neutral, [name]: on });
    return true;
  }

  /** Renders the button that shows or hides the two pictures. */
  renderToggle() {
    const { bare, twin } = this.#host;
    if (bare || !this.possible) return nothing;
    return html`<button class="pair" data-command="twin" aria-pressed=${twin} @click=${() => this.show(!twin)}>
      <svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><path d="M1.5 3.5h5.5v9H1.5zM9 3.5h5.5v9H9z"></path></svg>${t('landscape.twin')}</button>`;
  }
}
