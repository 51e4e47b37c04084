/** Detects when a page has settled: it shows its state, and no work is pending. */
import { enginesBusy } from '../state/engines.js';
import { Debounce } from './debounce.js';
import { isFetchingWords } from './faults.js';

/** Waits for a frame and for the work that it starts. */
function frame() {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/**
 * True if an element under `root` is not defined yet, waits for an update, or is `busy`.
 * @param {Document | ShadowRoot} root
 * @returns {boolean}
 */
function working(root) {
  return [...root.querySelectorAll('*')].some((element) => {
    const { isUpdatePending, busy } = /** @type {any} */ (element);
    if (isUpdatePending || (busy && element.localName.startsWith('logit-'))) return true;
    if (element.matches(':not(:defined)')) return true;
    return element.shadowRoot !== null && working(element.shadowRoot);
  });
}

/**
 * Resolves when no work was pending for two frames: the first frame may start more work. Runs debounced
 * actions at once, since nobody is typing or dragging.
 */
export async function settled() {
  for (let still = 0; still < 2; ) {
    await frame();
    const busy = Debounce.flush() || enginesBusy() || isFetchingWords() || working(document);
    still = busy ? 0 : still + 1;
  }
}
