/**
 * The tour of a first visit: offers it, chooses the beat, and remembers where the user left it. <logit-guide> shows a
 * beat and recognises the user's action.
 */
import { html, nothing } from 'lit';
import { Debounce } from '../base/debounce.js';
import { sameValue } from '../state/fields.js';
import { recall, remember } from '../state/memory.js';
import { startOf } from './guide.js';

/** @import { PageState } from '../state/page-state.js' */

/** Number of beats; after them, the bench opens. */
const BEATS = 5;

const ACTIONS = [
  [],
  ['temperature', 'landscape_u'],
  ['landscape_u'],
  ['top_k', 'top_p', 'landscape_knob', 'landscape_twin'],
  ['top_p', 'order'],
];

/** Returns the settings and choices that beats change. @param {PageState} state @returns {Record<string, unknown>} */
const partsOf = ({ settings, landscape_knob, landscape_twin, landscape_u }) => ({
  ...settings,
  landscape_knob,
  landscape_twin,
  landscape_u,
});

export class Tour {
  /** The displayed beat, from 1; null outside the tour. @type {number | null} */
  beat = null;
  #scope;
  #go;
  /** True if the user has started the tour with its button, which then gets the focus at the end. */
  #from = false;
  /** True if the tour was offered in this visit; it is offered once. */
  #offered = false;
  /**
   * The user's settings and choices before the first beat changed them; they are restored at the end. Null if none
   * were changed.
   * @type {Record<string, unknown> | null}
   */
  #own = null;
  /**
   * Settings and choices at the start of the displayed beat; null before one.
   * @type {Record<string, unknown> | null}
   */
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
      // From the third beat on, the beat's buttons change settings too.
      if (start || (fresh && beat > 2 && beat <= BEATS)) this.#own ??= partsOf(state);
      if (start) await scope.restore({ ...state, ...start });
      this.#began = partsOf(scope.state);
    };
    if (scope.ready) await begin();
    else scope.addEventListener('logit-ready', () => this.beat === beat && begin(), { once: true });
    this.#setBeat(beat);
  }

  /** @param {number | null} beat */
  #setBeat(beat) {
    this.beat = beat;
    this.#scope.requestUpdate();
  }

  /** @param {number} beat @param {boolean} [fresh] */
  async #goTo(beat, fresh) {
    await this.show(beat, fresh);
    this.#announce();
  }

  /** Goes `step` beats forward, or back if negative, if the tour has that beat. @param {number} step */
  async turn(step) {
    const to = (this.beat ?? 0) + step;
    if (to >= 1 && to <= BEATS + 1) await this.#goTo(to);
  }

  /** Continues the tour where the user left it, after a press of its button. */
  async resume() {
    this.#from = true;
    await this.#goTo(Number(recall('guide')) || 1);
    // The button may be at the foot of another view, so scroll to the tour.
    this.#scope.renderRoot.querySelector('logit-guide')?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {boolean} bench true if the page then shows the bench */
  #endTour(bench) {
    const left = this.beat ?? 1;
    remember('guide', left > 1 && left <= BEATS ? String(left) : 'seen');
    this.#takeChanges();
    this.#setBeat(null);
    this.#restoreOwn();
    if (bench) this.#go('bench');
    this.#focusAfter(bench);
    this.#announce();
  }

  /** @param {boolean} bench true if the bench shows now */
  async #focusAfter(bench) {
    if (!bench && !this.#from) return;
    // When the tour has ended, its button is rendered again.
    await this.#scope.updateComplete;
    const place = bench ? '#tab-bench' : '[data-guide=show]';
    const found = /** @type {HTMLElement | null} */ (this.#scope.renderRoot.querySelector(place));
    found?.focus({ preventScroll: !bench });
  }

  /** Adds changes that the user has made during this beat to `#own`, but not those that the beat asked for. */
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
    return html`<logit-guide slot="guide" .beat=${beat} .beats=${BEATS} .present=${this.#scope.present} .root=${renderRoot} @logit-beat=${(/** @type {CustomEvent} */ { detail }) => this.#goTo(detail.beat, detail.fresh)}
      @logit-guide-end=${(/** @type {CustomEvent} */ { detail }) => this.#endTour(detail.bench)}></logit-guide>`;
  }
}
