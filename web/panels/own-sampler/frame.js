/**
 * Where a reader's code runs: a frame with an origin of its own and no network, and in it a worker,
 * both gone once the frame is removed. See web/sandbox/.
 */

import { trustedDocument } from '../../engine/trusted.js';
import { assets } from '../../state/assets.js';

/** The frame's document, by an address that bundlers look for. */
const page = new URL('./sandbox.html', import.meta.url);

/** Whether there is a document for the frame: beside this script, or within a page of one file. */
export const canRun = () => assets.inside.has('sandbox.html') || page.protocol !== 'file:';

/** @param {HTMLIFrameElement} frame */
function fill(frame) {
  const carried = assets.inside.get('sandbox.html');
  if (carried) frame.srcdoc = trustedDocument(new TextDecoder().decode(carried));
  else frame.src = page.href;
}

/**
 * @param {string} code a module
 * @param {Node} parent where the frame stands, unseen
 * @returns {import('../../grade/tested-function.js').Start}
 */
export const inFrame = (code, parent) => (onanswer) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.hidden = true;
  fill(frame);
  /** @type {any[] | null} Null once the frame listens. */
  let waiting = [{ code }];
  const post = (/** @type {any} */ message) => {
    if (waiting) waiting.push(message);
    else frame.contentWindow?.postMessage(message, '*');
  };
  const listen = (/** @type {MessageEvent} */ { source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data !== 'ready') {
      onanswer(data);
      return;
    }
    const early = waiting ?? [];
    waiting = null;
    early.forEach(post);
  };
  addEventListener('message', listen);
  parent.appendChild(frame);
  return {
    post,
    end() {
      removeEventListener('message', listen);
      frame.remove();
    },
  };
};
