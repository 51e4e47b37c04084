/** The frame of the landscape before there is a model, and the tour: fetched when they are wanted. */
import { recall } from '../state/memory.js';
import { VIEWS } from './views.js';

/**
 * @typedef {import('../state/first-frame.js').FirstFrame} FirstFrame
 * @typedef {import('../state/first-frame.js').BuiltFrame} BuiltFrame
 */

export class FirstScreen {
  /** The frame; undefined before it is fetched, null if there is none. @type {FirstFrame | null | undefined} */
  frame;
  /** @type {import('./tour.js').Tour | null} */
  tour = null;
  #scope;
  #go;

  /**
   * @param {import('./scope.js').LogitScope} scope
   * @param {(view: string) => void} go shows a view as its tab does
   */
  constructor(scope, go) {
    this.#scope = scope;
    this.#go = go;
  }

  async #fetchTour() {
    const { Tour } = await import('./tour.js');
    return (this.tour ??= new Tour(this.#scope, this.#go));
  }

  /** Offers the tour if this visit begins with it. */
  async offerTour() {
    if (this.#scope.guide && recall('guide') === null) await (await this.#fetchTour()).offer();
  }

  /** @param {number} beat */
  async showBeat(beat) {
    await (await this.#fetchTour()).show(beat);
  }

  /** Continues the tour at the beat that the user left. @param {HTMLElement} from the button */
  async resumeTour(from) {
    (await this.#fetchTour()).resume(from);
  }

  /**
   * Fetches the frame, the code of the landscape, and the tour for an address without a state.
   * @param {(built: BuiltFrame) => Promise<FirstFrame>} frameOf
   */
  async fetch(frameOf) {
    const scope = this.#scope;
    const load = /** @type {() => Promise<unknown>} */ (VIEWS[0].load);
    const parts = /** @type {const} */ ([
      import('#first-frame'),
      load(),
      scope.address.fragment.length < 2 && this.offerTour(),
    ]);
    const [found] = await Promise.allSettled(parts);
    if (scope.ready) return;
    const built = found.status === 'fulfilled' ? found.value.built : null;
    this.frame = built && (await frameOf(built));
    scope.requestUpdate();
  }
}
