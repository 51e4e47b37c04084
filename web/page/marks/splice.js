/**
 * SPLICE (cssplice.org), for Runestone, OpenDSA, PreTeXt and others that show a lesson in a frame:
 * messages to the page around it, which keeps the state. How high the lesson is, it is told too.
 */

/** How long an answer is waited for, in ms, as the protocol's reference implementation does. */
const PATIENCE = 15_000;

/** A name that no other message has. */
function uniqueId() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');
}

/** @param {import('./connect.js').Host} host @returns {import('./connect.js').Adapter} */
export function splice({ lesson, take }) {
  const { parent } = window;
  /** @param {string} subject @param {object} [detail] */
  const send = (subject, detail) => {
    const message_id = uniqueId();
    parent.postMessage({ subject, message_id, ...detail }, '*');
    return message_id;
  };

  let height = 0;
  new ResizeObserver(() => {
    const now = Math.ceil(document.body.getBoundingClientRect().height);
    if (now === height) return;
    height = now;
    send('lti.frameResize', { height, width: document.documentElement.clientWidth });
  }).observe(lesson);

  return {
    recall: () =>
      new Promise((resolve) => {
        const asked = send('SPLICE.getState');
        setTimeout(resolve, PATIENCE);
        addEventListener('message', ({ source, data }) => {
          if (source !== parent || data?.subject !== 'SPLICE.getState.response') return;
          if (data.message_id !== asked) return;
          take(data.state);
          resolve();
        });
      }),
    tell: ({ lesson: name, score, complete, attempts, state }) =>
      send('SPLICE.reportScoreAndState', {
        score,
        state: { lesson: name, score, complete, attempts, state },
      }),
    note: ({ name, ...data }) =>
      send('SPLICE.sendEvent', { name, data: { lesson: lesson.result.lesson, ...data } }),
  };
}
