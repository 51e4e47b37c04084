/**
 * Fetches the tour, and the landscape's first frame: a picture in the build that is shown before the model is loaded.
 * Renders the line about the tour.
 */
import { html, nothing } from 'lit';
import { t } from '../locale/locale.js';
import { recall } from '../state/memory.js';
import { loadView } from './views.js';

/** @import { FirstFrame, BuiltFrame } from '../state/first-frame.js' */
/** @import { PageState } from '../state/page-state.js' */

export class FirstScreen {
  /**
   * The first frame; undefined before it is fetched, null if the build has none.
   * @type {FirstFrame | null | undefined}
   */
  frame;
  /** @type {import('./tour.js').Tour | null} */
  tour = null;
  #scope;
  #go;

  /**
   * @param {import('./scope.js').LogitScope} scope
   * @param {(view: string) => void} go shows a view, like a press of its tab
   */
  constructor(scope, go) {
    this.#scope = scope;
    this.#go = go;
  }

  async fetchTour() {
    const { Tour } = await import('./tour.js');
    return (this.tour ??= new Tour(this.#scope, this.#go));
  }

  /** Offers the tour, if the page has one and this browser has not shown it before. */
  async offerTour() {
    if (this.#scope.guide && recall('guide') === null) await (await this.fetchTour()).offer();
  }

  /**
   * Shows the beat of a state, if it has one, and returns the other parts; null if it has no other parts.
   * A beat without other parts sets its own start.
   * @param {PageState | null} state
   * @returns {PageState | null}
   */
  takeBeat(state) {
    if (!state?.beat) return state;
    const { beat, ...others } = state;
    const { settings, view = this.#scope.view, ...parts } = others;
    const only = Object.keys({ ...settings, ...parts }).length === 0;
    this.fetchTour().then((tour) => tour.show(beat, only));
    if (!only) return others;
    this.#scope.view = view;
    return null;
  }

  /** Moves the tour `step` beats forward. @param {number} step */
  async turnTour(step) {
    await (await this.fetchTour()).turn(step);
  }

  /** Continues the tour at the beat where the user left it. */
  onGuide = async () => {
    this.#scope.view = 'landscape';
    await (await this.fetchTour()).resume();
  };

  /** True if the landscape has a line about the tour. */
  get hasLine() {
    const { view, guide } = this.#scope;
    return view === 'landscape' && (guide || Boolean(this.tour?.beat));
  }

  /** Renders the line about the tour: its beat, or the button that starts it. */
  render() {
    if (!this.hasLine) return nothing;
    return this.tour?.beat
      ? this.tour.render()
      : html`<p slot="guide"><button class="plain" data-guide="show" @click=${this.onGuide}>${t(this.#scope.present ? 'present.keys' : 'foot.guide')}</button></p>`;
  }

  /**
   * Fetches the first frame and the code of the landscape. If the address has no state, also fetches the tour.
   * @param {(built: BuiltFrame) => Promise<FirstFrame>} frameOf
   */
  async fetch(frameOf) {
    const scope = this.#scope;
    const parts = /** @type {const} */ ([
      import('#first-frame'),
      loadView('landscape'),
      scope.address.fragment.length < 2 && this.offerTour(),
    ]);
    const [found] = await Promise.allSettled(parts);
    if (scope.ready) return;
    const built = found.status === 'fulfilled' ? found.value.built : null;
    this.frame = built && (await frameOf(built));
    scope.requestUpdate();
  }
}
