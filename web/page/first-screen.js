/** Fetches the landscape's first frame, which is shown before the model is loaded, and the tour. */
import { recall } from '../state/memory.js';
import { loadView } from './views.js';

/**
 * @typedef {import('../state/first-frame.js').FirstFrame} FirstFrame
 * @typedef {import('../state/first-frame.js').BuiltFrame} BuiltFrame
 */

export class FirstScreen {
  /** The frame; undefined before it is fetched, null if the build has none. @type {FirstFrame | null | undefined} */
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

  /** Offers the tour if the page has one and the browser remembers no earlier tour. */
  async offerTour() {
    if (this.#scope.guide && recall('guide') === null) await (await this.fetchTour()).offer();
  }

  /** @param {number} beat @param {boolean} fresh true if the beat sets its own start */
  async showBeat(beat, fresh) {
    await (await this.fetchTour()).show(beat, fresh);
  }

  /** Shows the beat `step` beats further on. @param {number} step */
  async turnTour(step) {
    await (await this.fetchTour()).turn(step);
  }

  /** Continues the tour at the beat that the user left. */
  async resumeTour() {
    await (await this.fetchTour()).resume();
  }

  /**
   * Fetches the frame and the code of the landscape; also the tour if the address has no state.
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
