/**
 * Fetches the tour, and the landscape's first frame: a picture in the build that is shown before the model is loaded.
 */
import { recall } from '../state/memory.js';
import { loadView } from './views.js';

/**
 * @typedef {import('../state/first-frame.js').FirstFrame} FirstFrame
 * @typedef {import('../state/first-frame.js').BuiltFrame} BuiltFrame
 */

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

  /** @param {number} beat @param {boolean} fresh true if the beat sets its own start */
  async showBeat(beat, fresh) {
    await (await this.fetchTour()).show(beat, fresh);
  }

  /** Moves the tour `step` beats forward. @param {number} step */
  async turnTour(step) {
    await (await this.fetchTour()).turn(step);
  }

  /** Continues the tour at the beat where the user left it. */
  async resumeTour() {
    await (await this.fetchTour()).resume();
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
