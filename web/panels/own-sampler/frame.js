/**
 * Runs the user's code in a frame without access to the page (its origin is opaque) and without network. A worker in
 * the frame runs the code; it ends with the frame. See web/sandbox/.
 */

import { trustedDocument } from '../../engine/trusted.js';
import { assets } from '../../state/assets.js';

/** Address of the frame's document. Bundlers recognise this expression and copy the file. */
const page = new URL('./sandbox.html', import.meta.url);

/** Returns true if the frame's document can be opened: from a server, or inside the single-file page. */
export const canRun = () => assets.inside.has('sandbox.html') || page.protocol !== 'file:';

/** @param {HTMLIFrameElement} frame */
function fill(frame) {
  const carried = assets.inside.get('sandbox.html');
  if (carried) frame.srcdoc = trustedDocument(new TextDecoder().decode(carried));
  else frame.src = page.href;
}

/**
 * @param {string} code a module
 * @param {Node} parent of the hidden frame
 * @returns {import('../../grade/tested-function.js').Start}
 */
export const inFrame = (code, parent) => (onanswer) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.hidden = true;
  fill(frame);
  /** Messages for the frame, until it listens; then null. @type {any[] | null} */
  let waiting = [{ code }];
  const post = (/** @type {any} */ message) => {
    if (waiting) waiting.push(message);
    else frame.contentWindow?.postMessage(message, '*');
  };
  const listen = (/** @type {MessageEvent} */ { source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data !== 'ready') return onanswer(data);
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
