/**
 * A Lit controller for what is read while something moves: in sight ten times a second, and everything
 * once more at rest. What moves follows every frame.
 */
import { Rest } from './rest.js';

/** How long what is written stands at least while something moves, in ms. */
const STANDS = 100;
/** After how long without a move it rests, in ms. */
const RESTS = 150;

export class Pace {
  /** Counts how often numbers were written anew: what hangs on it alone is kept in between. */
  turn = 0;
  /** Counts how often everything was. */
  whole = 0;
  /** Whether any of the host is in sight. */
  seen = true;
  #last = -Infinity;
  #moved = -Infinity;
  #rest = new Rest();
  /** What was written at this turn, by its key. @type {Map<string, any>} */
  #written = new Map();
  #sight = new IntersectionObserver(([{ isIntersecting }]) => (this.seen = isIntersecting));
  #host;
  #moving;

  /**
   * @param {import('lit').ReactiveElement} host
   * @param {string[]} moving the properties of the host that change while something moves
   */
  constructor(host, moving) {
    this.#host = host;
    this.#moving = moving;
    host.addController(this);
  }

  hostConnected() {
    this.#sight.observe(this.#host);
  }

  hostDisconnected() {
    this.#sight.disconnect();
  }

  /**
   * What an update is to write: while something moves the numbers from time to time, and in between
   * only what moves; everything where it begins to, once it rests, and for any other change.
   * @param {Map<string, unknown>} changed
   * @returns {'all' | 'numbers' | 'motion'}
   */
  take(changed) {
    const now = performance.now();
    const moves =
      changed.size > 0 && [...changed.keys()].every((name) => this.#moving.includes(name));
    // Out of sight it is updated in time to spare alone, and its moves are further apart than a rest.
    const goesOn = moves && (now < this.#moved + RESTS || !this.seen);
    this.#moved = moves ? now : -Infinity;
    if (goesOn) this.#rest.after(RESTS, () => this.#host.requestUpdate());
    else this.#rest.stop();
    if (goesOn && (now < this.#last + STANDS || !this.seen)) return 'motion';
    this.#last = now;
    this.#written.clear();
    this.turn++;
    if (goesOn) return 'numbers';
    this.whole++;
    return 'all';
  }

  /** The hand has let go: everything is written now. */
  letGo() {
    this.#moved = -Infinity;
    this.#host.requestUpdate();
  }

  /**
   * What was written under a key at this turn; written now where nothing was.
   * @template T
   * @param {string} key
   * @param {() => T} write
   * @returns {T}
   */
  keep(key, write) {
    if (!this.#written.has(key)) this.#written.set(key, write());
    return this.#written.get(key);
  }
}
