/**
 * The look around of a first visit: when it is offered, which of its beats shows, and where it was
 * left. What a beat says and waits for is the guide's.
 */
import { html, nothing } from 'lit';
import { Rest } from '../base/rest.js';
import { recall, remember } from '../state/memory.js';

/** @typedef {import('../state/page-state.js').PageState} PageState */

/** How many beats there are; after the last one comes the bench. */
export const BEATS = 5;

export class LookAround {
  #scope;
  #go;
  /** @type {HTMLElement | null} What it was asked from. */
  #from = null;
  /** Whether it was offered: who has ended it has ended it. */
  #offered = false;
  /**
   * The reader's settings before a beat began with others; restored at the end.
   * @type {PageState | null}
   */
  #own = null;

  /**
   * @param {import('./scope.js').LogitScope} scope whose `beat` it sets
   * @param {(view: string) => void} go shows a view as a press on its tab does
   */
  constructor(scope, go) {
    this.#scope = scope;
    this.#go = go;
  }

  /** Whether this is a visit that begins with it. */
  get due() {
    return this.#scope.guide && recall('guide') === null;
  }

  async offer() {
    if (this.#offered) return;
    this.#offered = true;
    await this.show(1);
  }

  /** @param {number} beat */
  async show(beat) {
    const scope = this.#scope;
    const { startOf } = await import('./guide.js');
    const begin = () => {
      Rest.hasten(); // debounced changes of the last beat come first
      const { beat: _, ...state } = scope.state;
      const start = scope.readonly ? null : startOf(beat, state, scope.table);
      if (!start) return;
      this.#own ??= state;
      return scope.restore({ ...state, ...start });
    };
    if (scope.ready) await begin();
    else
      scope.addEventListener('logit-ready', () => scope.beat === beat && begin(), { once: true });
    scope.beat = beat;
  }

  /** @param {number} beat */
  async #goTo(beat) {
    await this.show(beat);
    this.#tell();
  }

  /** Goes on where it was left. @param {HTMLElement} from what asked for it, to have the focus back */
  resume(from) {
    this.#from = from;
    this.#scope.view = 'landscape';
    this.#goTo(Number(recall('guide')) || 1);
  }

  /** @param {boolean} bench whether the bench is to follow */
  #end(bench) {
    const { renderRoot, beat } = this.#scope;
    const left = beat ?? 1;
    remember('guide', left > 1 && left <= BEATS ? String(left) : 'seen');
    this.#scope.beat = null;
    this.#giveBack();
    if (bench) this.#go('bench');
    const to = bench ? renderRoot.querySelector('#tab-bench') : this.#from;
    /** @type {HTMLElement | null} */ (to)?.focus({ preventScroll: !bench });
    this.#tell();
  }

  /** The reader's own settings, in place of those that a beat began with. */
  #giveBack() {
    if (!this.#own) return;
    Rest.hasten();
    const { settings, landscape_knob = null, landscape_u = null } = this.#own;
    this.#own = null;
    this.#scope.restore({ ...this.#scope.state, settings, landscape_knob, landscape_u });
  }

  #tell() {
    this.#scope.emit('logit-change', this.#scope.state);
  }

  /** Presses a button of the landscape that may be out of sight. @param {any} which */
  #press(which) {
    /** @type {import('../views/landscape/landscape.js').LogitLandscape | null} */ (
      this.#scope.renderRoot.querySelector('logit-landscape')
    )?.press(which);
  }

  render() {
    const { beat, renderRoot } = this.#scope;
    if (!beat) return nothing;
    return html`<logit-guide .beat=${beat} .root=${renderRoot} @logit-beat=${(/** @type {CustomEvent} */ { detail }) => this.#goTo(detail.beat)}
      @logit-guide-end=${(/** @type {CustomEvent} */ { detail }) => this.#end(detail.bench)} @logit-press=${(/** @type {CustomEvent} */ { detail }) => this.#press(detail)}></logit-guide>`;
  }
}
