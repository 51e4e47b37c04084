/**
 * Where a reader's code runs: a frame with an origin of its own and no network, and in it a worker,
 * both gone once the frame is removed. See web/sandbox/.
 */

/** @type {string | undefined} */
const here = import.meta.url;
/** Null where a page is one file: there is no second document to put into a frame. */
export const sandboxUrl =
  here && !here.startsWith('file:') ? new URL('./sandbox.html', here).href : null;

/**
 * @param {string} code a module
 * @param {Node} parent where the frame stands, unseen
 * @returns {import('../../grade/subject.js').Start}
 */
export const inFrame = (code, parent) => (onanswer) => {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.hidden = true;
  frame.src = String(sandboxUrl);
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
