/** Finds out when the page has settled: it shows its state, and nothing is pending. */
import { enginesBusy } from '../state/engines.js';
import { Debounce } from './debounce.js';
import { isFetchingWords } from './faults.js';

/** Waits for the next frame and for everything that it starts. */
function nextFrame() {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/**
 * Returns true if an element is not defined yet, waits for an update, or says that it is busy.
 * @param {Document | ShadowRoot} root
 * @returns {boolean}
 */
function isWorking(root) {
  return [...root.querySelectorAll('*')].some((element) => {
    const { isUpdatePending, busy } = /** @type {any} */ (element);
    if (isUpdatePending || (busy && element.localName.startsWith('logit-'))) return true;
    if (element.matches(':not(:defined)')) return true;
    return element.shadowRoot !== null && isWorking(element.shadowRoot);
  });
}

/**
 * Resolves when nothing was pending for two frames. One frame is not enough, because it may start new work. Actions
 * that wait for a pause run at once.
 */
export async function settled() {
  for (let still = 0; still < 2; ) {
    await nextFrame();
    const busy = Debounce.flush() || enginesBusy() || isFetchingWords() || isWorking(document);
    still = busy ? 0 : still + 1;
  }
}
