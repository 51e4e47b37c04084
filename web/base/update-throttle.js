/**
 * A Lit controller that throttles an element while a value moves. The moving marks are rendered in every
 * frame, numbers ten times a second, and everything when the movement ends.
 */
import { Debounce } from './debounce.js';
import { Throttle } from './throttle.js';

/** Movement ends after this time without a change, in ms. */
const REST_MS = 150;

export class UpdateThrottle {
  /** Counts the renders of the numbers; a key for lit's `guard`. */
  numbersCount = 0;
  /** Counts the full renders; a key for lit's `guard`. */
  fullCount = 0;
  /** True if any part of the host is in the window. */
  visible = true;
  #throttle = new Throttle();
  #moved = -Infinity;
  #debounce = new Debounce();
  /** The results of `reuse`; each render of the numbers empties it. @type {Map<string, any>} */
  #cache = new Map();
  #observer = new IntersectionObserver(([{ isIntersecting }]) => (this.visible = isIntersecting));
  #host;
  #moving;

  /**
   * @param {import('lit').ReactiveElement} host
   * @param {string[]} moving the host's properties that change during movement
   */
  constructor(host, moving) {
    this.#host = host;
    this.#moving = moving;
    host.addController(this);
  }

  hostConnected() {
    this.#observer.observe(this.#host);
  }

  hostDisconnected() {
    this.#observer.disconnect();
  }

  /**
   * Returns the parts that an update renders: everything when a movement begins or ends, the numbers too
   * if the throttle's interval is over, else only the moving marks.
   * @param {Map<string, unknown>} changed
   * @returns {'all' | 'numbers' | 'motion'}
   */
  classify(changed) {
    const now = performance.now();
    const moves =
      changed.size > 0 && [...changed.keys()].every((name) => this.#moving.includes(name));
    // An off-screen element updates in idle time only, so its updates can be more than REST_MS apart.
    const continues = moves && (now < this.#moved + REST_MS || !this.visible);
    this.#moved = moves ? now : -Infinity;
    if (continues) this.#debounce.schedule(REST_MS, () => this.#host.requestUpdate());
    else this.#debounce.cancel();
    if (continues && (this.#throttle.left(now) > 0 || !this.visible)) return 'motion';
    this.#throttle.restart(now);
    this.#cache.clear();
    this.numbersCount++;
    if (continues) return 'numbers';
    this.fullCount++;
    return 'all';
  }

  /** True if a value moves: the last update is at most REST_MS ago. */
  get moving() {
    return performance.now() < this.#moved + REST_MS;
  }

  /** Ends the movement of the value at once; the next update renders the whole element. */
  release() {
    this.#moved = -Infinity;
    this.#host.requestUpdate();
  }

  /**
   * Returns the cached result of `write`; calls `write` at most once between two renders of the numbers.
   * @template T
   * @param {string} key
   * @param {() => T} write
   * @returns {T}
   */
  reuse(key, write) {
    if (!this.#cache.has(key)) this.#cache.set(key, write());
    return this.#cache.get(key);
  }
}
