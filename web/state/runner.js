/** Calls a function at an even pace until it returns false or stop() is called. */

/** Pauses between two tokens for each speed of a run, in ms. */
export const PACES = [1200, 420, 120, 50, 0];

export class Runner {
  /** Index in PACES. The default is about eight tokens in a second, as fast as people read. */
  pace = 2;
  /** @type {AbortController | null} */
  #control = null;

  get running() {
    return this.#control !== null;
  }

  /**
   * @param {(signal: AbortSignal) => Promise<boolean>} step resolves to true if another step may
   * follow
   */
  async run(step) {
    const control = new AbortController();
    this.#control = control;
    const { signal } = control;
    try {
      while (!signal.aborted && (await step(signal))) await waitFor(PACES[this.pace], signal);
    } finally {
      if (this.#control === control) this.#control = null;
    }
  }

  stop() {
    this.#control?.abort();
    this.#control = null;
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 */
function waitFor(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(undefined);
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
