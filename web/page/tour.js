/**
 * The tour of a first visit: offers it, chooses the beat, and remembers the beat at which the user left.
 * <logit-guide> shows a beat and detects its action.
 */
import { html, nothing } from 'lit';
import { Debounce } from '../base/debounce.js';
import { sameValue } from '../state/fields.js';
import { recall, remember } from '../state/memory.js';
import { startOf } from './guide.js';

/** @typedef {import('../state/page-state.js').PageState} PageState */

/** The number of beats; after the last beat the page shows the bench. */
const BEATS = 5;

const ACTIONS = [
  [],
  ['temperature', 'landscape_u'],
  ['landscape_u'],
  ['top_k', 'top_p', 'landscape_knob', 'landscape_twin'],
  ['top_p', 'order'],
];

/** Returns the settings and choices that a beat may change. @param {PageState} state @returns {Record<string, unknown>} */
const partsOf = ({ settings, landscape_knob, landscape_twin, landscape_u }) => ({
  ...settings,
  landscape_knob,
  landscape_twin,
  landscape_u,
});

export class Tour {
  /** The visible beat, from 1; null outside the tour. @type {number | null} */
  beat = null;
  #scope;
  #go;
  /** True if a button started the tour; then a button gets the focus at its end. */
  #from = false;
  /** True if the tour was offered in this visit; it is offered once. */
  #offered = false;
  /**
   * The user's settings and choices before a beat replaced them; restored at the end. Null if none was
   * replaced.
   * @type {Record<string, unknown> | null}
   */
  #own = null;
  /** The settings and choices with which the current beat began; null before. @type {Record<string, unknown> | null} */
  #began = null;

  /**
   * @param {import('./scope.js').LogitScope} scope
   * @param {(view: string) => void} go shows a view, like a press of its tab
   */
  constructor(scope, go) {
    this.#scope = scope;
    this.#go = go;
  }

  async offer() {
    if (this.#offered) return;
    this.#offered = true;
    await this.show(1);
  }

  /**
   * @param {number} beat
   * @param {boolean} [fresh] true if the beat sets its own start; false for a state that the user left and
   *   comes back to
   */
  async show(beat, fresh = true) {
    const scope = this.#scope;
    const begin = async () => {
      this.#takeChanges();
      const { beat: _, ...state } = scope.state;
      const sets = fresh && !scope.readonly && beat <= BEATS;
      const start = sets ? startOf(beat, state, scope.table) : null;
      // From the third beat on, buttons change settings too.
      if (start || (fresh && beat > 2 && beat <= BEATS)) this.#own ??= partsOf(state);
      if (start) await scope.restore({ ...state, ...start });
      this.#began = partsOf(scope.state);
    };
    if (scope.ready) await begin();
    else scope.addEventListener('logit-ready', () => this.beat === beat && begin(), { once: true });
    this.#set(beat);
  }

  /** @param {number | null} beat */
  #set(beat) {
    this.beat = beat;
    this.#scope.requestUpdate();
  }

  /** @param {number} beat */
  async #goTo(beat) {
    await this.show(beat);
    this.#announce();
  }

  /** Shows the beat `step` beats further on, if there is one. @param {number} step */
  async turn(step) {
    const to = (this.beat ?? 0) + step;
    if (to >= 1 && to <= BEATS + 1) await this.#goTo(to);
  }

  /** Continues at the beat that the user left, after a press of the tour's button. */
  async resume() {
    this.#from = true;
    await this.#goTo(Number(recall('guide')) || 1);
    // The button may be at the foot of another view.
    this.#scope.renderRoot.querySelector('logit-guide')?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {boolean} bench true if the page then shows the bench */
  #end(bench) {
    const left = this.beat ?? 1;
    remember('guide', left > 1 && left <= BEATS ? String(left) : 'seen');
    this.#takeChanges();
    this.#set(null);
    this.#restoreOwn();
    if (bench) this.#go('bench');
    this.#focusAfter(bench);
    this.#announce();
  }

  /** @param {boolean} bench true if the bench shows now */
  async #focusAfter(bench) {
    if (!bench && !this.#from) return;
    // The line of the tour gets its button back.
    await this.#scope.updateComplete;
    const place = bench ? '#tab-bench' : '[data-guide=show]';
    const found = /** @type {HTMLElement | null} */ (this.#scope.renderRoot.querySelector(place));
    found?.focus({ preventScroll: !bench });
  }

  /** Adds the user's changes in this beat to `#own`, except the changes by the beat's action. */
  #takeChanges() {
    Debounce.flush();
    const [own, began, now] = [this.#own, this.#began, partsOf(this.#scope.state)];
    this.#began = null;
    if (!own || !began) return;
    const ofBeat = ACTIONS[this.beat ?? 0] ?? [];
    for (const name of Object.keys({ ...began, ...now })) {
      if (ofBeat.includes(name) || sameValue(began[name], now[name])) continue;
      if (now[name] === undefined) delete own[name];
      else own[name] = now[name];
    }
  }

  #restoreOwn() {
    if (!this.#own) return;
    const {
      landscape_knob = null,
      landscape_twin = false,
      landscape_u = null,
      ...settings
    } = this.#own;
    this.#own = null;
    const choices = { landscape_knob, landscape_twin, landscape_u };
    this.#scope.restore({ ...this.#scope.state, settings, ...choices });
  }

  #announce() {
    this.#scope.emit('logit-change', this.#scope.state);
  }

  render() {
    const { beat } = this;
    if (!beat) return nothing;
    const { renderRoot } = this.#scope;
    return html`<logit-guide slot="guide" .beat=${beat} .beats=${BEATS} .present=${this.#scope.present} .root=${renderRoot} @logit-beat=${(/** @type {CustomEvent} */ { detail }) => this.#goTo(detail.beat)}
      @logit-guide-end=${(/** @type {CustomEvent} */ { detail }) => this.#end(detail.bench)}></logit-guide>`;
  }
}
