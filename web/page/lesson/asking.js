/** Counts the open requests of an element to the engine, and keeps the error of the last answer. */
import { reason } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import { t } from '../../locale/locale.js';

/** @import { Fault } from '../../engine/errors.js' */
/** @import { ReactiveControllerHost as Host } from 'lit' */

/**
 * Returns a sentence about an error; '' without an error, or until the strings are fetched.
 * @param {Fault | null | undefined} fault
 * @param {Host} host is rendered again when the strings are fetched
 */
export function refusalSentence(fault, host) {
  const why = reason(fault, host);
  return why && t('lesson.unread', { reason: why });
}

export class Asking {
  #host;
  #open = 0;
  /** @type {Fault | null} */
  fault = null;

  /** @param {Host} host is rendered again after each answer */
  constructor(host) {
    this.#host = host;
  }

  get busy() {
    return this.#open > 0;
  }

  get sentence() {
    return refusalSentence(this.fault, this.#host);
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @param {(answer: T) => void} [take] gets the answer while the request still counts as open
   * @param {() => boolean} [isWanted] returns false if a newer request has replaced this one
   */
  async ask(work, take = () => {}, isWanted = () => true) {
    this.#open++;
    try {
      const answer = await work();
      if (isWanted()) {
        this.fault = null;
        take(answer);
      }
    } catch (error) {
      if (isWanted()) this.fault = toFault(error);
    }
    this.#open--;
    this.#host.requestUpdate();
  }
}
