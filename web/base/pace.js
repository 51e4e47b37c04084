/**
 * What is read while something moves: ten times a second, and once more at rest. What moves by
 * transform alone follows every frame.
 */
import { Rest } from './rest.js';

/** How long what is written stands at least while something moves, in ms. */
const STANDS = 100;

export class Pace {
  /** Counts how often everything was written anew: what hangs on it alone is kept in between. */
  turn = 0;
  #last = -Infinity;
  #late = false;
  #rest = new Rest();
  /** What was written at this turn, by its key. @type {Map<string, any>} */
  #written = new Map();
  #host;
  #moving;

  /**
   * @param {import('lit').ReactiveElement} host
   * @param {string[]} moving the properties of the host that change while something moves
   */
  constructor(host, moving) {
    this.#host = host;
    this.#moving = moving;
  }

  /** Whether it is time to write, for an update of what is `changed`. @param {Map<string, unknown>} changed */
  take(changed) {
    const now = performance.now();
    const moves =
      changed.size > 0 && [...changed.keys()].every((name) => this.#moving.includes(name));
    if (moves && now < this.#last + STANDS) {
      this.#writeLater(this.#last + STANDS - now);
      return false;
    }
    this.#rest.stop();
    this.#late = false;
    this.#last = now;
    this.#written.clear();
    this.turn++;
    return true;
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

  /** @param {number} ms */
  #writeLater(ms) {
    if (this.#late) return;
    this.#late = true;
    this.#rest.after(ms, () => this.#host.requestUpdate());
  }
}
