/** When a page is at rest: all that was asked for is on show, and nothing is under way. */
import { enginesBusy } from '../state/engines.js';
import { Debounce } from './debounce.js';

/** Time for a frame to be drawn, and for what it asks for to begin. */
function frame() {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/**
 * Whether an element under `root` waits for its code or its update, or says by `busy` that it
 * works.
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
 * Resolves once the page has been at rest for two frames: what one shows may ask for more. Who waits
 * moves no hand, so that what a rest of it would bring comes at once.
 */
export async function settled() {
  for (let still = 0; still < 2; ) {
    await frame();
    still = Debounce.flush() || enginesBusy() || working(document) ? 0 : still + 1;
  }
}
