/**
 * A Lit controller that throttles an element while a value moves. Moving shapes are rendered in every frame, numbers
 * ten times a second, everything at the end.
 */
import { Debounce } from './debounce.js';
import { Throttle } from './throttle.js';

/** The movement has ended if nothing changes for this time, in ms. */
const REST_MS = 150;
/** The same while the pointer carries a part: such changes are further apart. */
const CARRY_MS = 1000;

/** True while the pointer carries a part; `carry` sets it. */
export let carrying = false;

/**
 * Tells all throttles that the pointer carries a part, such as a stage, from place to place.
 * @param {boolean} carries
 */
export function carry(carries) {
  carrying = carries;
}

export class UpdateThrottle {
  /** Number of times that numbers were rendered; a key for Lit's `guard`. */
  numbersCount = 0;
  /** Number of full renders; a key for Lit's `guard`. */
  fullCount = 0;
  /** True if a part of the element is inside the window. */
  visible = true;
  #throttle = new Throttle();
  #moved = -Infinity;
  #debounce = new Debounce();
  /** Results of `reuse`, until numbers are rendered again. @type {Map<string, any>} */
  #cache = new Map();
  #observer = new IntersectionObserver(([{ isIntersecting }]) => (this.visible = isIntersecting));
  #host;
  #moving;
  #along;

  /**
   * @param {import('lit').ReactiveElement} host
   * @param {string[]} moving the host's properties that change during movement
   * @param {string[]} [along] properties that may change during a movement, but begin none
   */
  constructor(host, moving, along = []) {
    this.#host = host;
    this.#moving = moving;
    this.#along = along;
    host.addController(this);
  }

  hostConnected() {
    this.#observer.observe(this.#host);
  }

  hostDisconnected() {
    this.#observer.disconnect();
  }

  /**
   * Returns which parts an update renders: 'all' when a movement begins or ends, 'numbers' if their interval is over,
   * else only moving shapes.
   * @param {Map<string, unknown>} changed
   * @param {boolean} [early] true if the numbers of this change are still to come
   * @returns {'all' | 'numbers' | 'motion'}
   */
  classify(changed, early = false) {
    const now = performance.now();
    const others = [...changed.keys()].filter((name) => !this.#moving.includes(name));
    const begins = changed.size > 0 && others.length === 0;
    const moves = changed.size > 0 && others.every((name) => this.#along.includes(name));
    // An element outside the window updates only in idle time, so its updates may be more than REST_MS apart.
    const continues = moves && (this.moving || carrying || !this.visible);
    this.#moved = continues || begins ? now : -Infinity;
    if (continues) this.#awaitRest();
    else this.#debounce.cancel();
    if (continues && (early || this.#throttle.left(now) > 0 || !this.visible)) return 'motion';
    this.#throttle.restart(now);
    this.#cache.clear();
    this.numbersCount++;
    if (continues) return 'numbers';
    this.fullCount++;
    return 'all';
  }

  /** Renders everything when the movement has ended. */
  #awaitRest() {
    this.#debounce.schedule(REST_MS, () => {
      if (carrying && this.moving) this.#awaitRest();
      else this.#host.requestUpdate();
    });
  }

  /** True while the value moves: the last change was at most REST_MS or CARRY_MS ago. */
  get moving() {
    return performance.now() < this.#moved + (carrying ? CARRY_MS : REST_MS);
  }

  /** Ends the movement now. The next update renders everything. */
  release() {
    this.#moved = -Infinity;
    this.#host.requestUpdate();
  }

  /**
   * Returns the result of `write`, which is called only once between two renders of numbers.
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
