/**
 * The look around of a first visit: when it is offered, which of its beats shows, and where it was
 * left. What a beat says and waits for is the guide's.
 */
import { html, nothing } from 'lit';
import { Debounce } from '../base/debounce.js';
import { sameValue } from '../state/fields.js';
import { recall, remember } from '../state/memory.js';

/** @typedef {import('../state/page-state.js').PageState} PageState */

/** How many beats there are; after the last one comes the bench. */
export const BEATS = 5;

/** The parts of the state that the deeds of each beat change. */
const DEEDS = [[], ['temperature', 'landscape_u'], ['landscape_u'], ['top_p'], ['top_p', 'order']];

/** Settings and choices that a beat may change. @param {PageState} state @returns {Record<string, unknown>} */
const partsOf = ({ settings, landscape_knob, landscape_u }) => ({
  ...settings,
  landscape_knob,
  landscape_u,
});

export class Tour {
  #scope;
  #go;
  /** @type {HTMLElement | null} What it was asked from. */
  #from = null;
  /** Whether it was offered: who has ended it has ended it. */
  #offered = false;
  /**
   * The reader's own parts before a beat began with others; restored at the end.
   * @type {Record<string, unknown> | null}
   */
  #own = null;
  /** The parts with which the present beat began; null until it has. @type {Record<string, unknown> | null} */
  #began = null;

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
    const begin = async () => {
      this.#takeChanges();
      const { beat: _, ...state } = scope.state;
      const start = scope.readonly ? null : startOf(beat, state, scope.table);
      if (start) {
        this.#own ??= partsOf(state);
        await scope.restore({ ...state, ...start });
      }
      this.#began = partsOf(scope.state);
      // A drag that ended the last beat may go on.
      if (scope.renderRoot.querySelector('logit-landscape:active'))
        addEventListener('pointerup', () => this.#beginAgain(), { once: true });
    };
    if (scope.ready) await begin();
    else
      scope.addEventListener('logit-ready', () => scope.beat === beat && begin(), { once: true });
    scope.beat = beat;
  }

  #beginAgain() {
    Debounce.flush();
    this.#began = partsOf(this.#scope.state);
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
    this.#takeChanges();
    this.#scope.beat = null;
    this.#giveBack();
    if (bench) this.#go('bench');
    const to = bench ? renderRoot.querySelector('#tab-bench') : this.#from;
    /** @type {HTMLElement | null} */ (to)?.focus({ preventScroll: !bench });
    this.#tell();
  }

  /** Changes of this beat that are not its deed become the reader's own. */
  #takeChanges() {
    Debounce.flush(); // debounced changes come first
    const [own, began, now] = [this.#own, this.#began, partsOf(this.#scope.state)];
    this.#began = null;
    if (!own || !began) return;
    const deeds = DEEDS[this.#scope.beat ?? 0] ?? [];
    for (const name of Object.keys({ ...began, ...now })) {
      if (deeds.includes(name) || sameValue(began[name], now[name])) continue;
      if (now[name] === undefined) delete own[name];
      else own[name] = now[name];
    }
  }

  /** The reader's own settings, in place of those that a beat began with. */
  #giveBack() {
    if (!this.#own) return;
    const { landscape_knob = null, landscape_u = null, ...settings } = this.#own;
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
