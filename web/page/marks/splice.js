/**
 * The adapter for SPLICE (cssplice.org), for Runestone, OpenDSA, PreTeXt and other systems that show a lesson in a
 * frame. It sends messages to the parent page, which stores the state and fits the frame's height.
 */
import { Refusal } from './refusal.js';

/** Longest time to wait for an answer, in ms; the same as in the protocol's reference implementation. */
const PATIENCE = 15_000;

function uniqueId() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');
}

/** @param {import('./delivery.js').Host} host @returns {import('./delivery.js').Adapter} */
export function splice({ lesson, named, take, refuse }) {
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

  /** @type {Set<string>} */
  const asked = new Set();
  let answered = false;
  const ask = () => asked.add(send('SPLICE.getState'));
  /** @type {Promise<void>} */
  const first = new Promise((resolve) =>
    addEventListener('message', ({ source, data }) => {
      if (source !== parent || data?.subject !== 'SPLICE.getState.response') return;
      if (!asked.delete(data.message_id)) return;
      take(data.state);
      if (answered) return;
      answered = true;
      refuse(null);
      resolve();
    }),
  );

  return {
    async recall() {
      ask();
      await Promise.race([first, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
      // If the page has not named SPLICE, the parent page may not know it, so silence is not a failure.
      if (!answered && named) refuse(new Refusal('silent'));
    },
    tell({ lesson: name, score, complete, attempts, state }) {
      if (!answered) ask();
      send('SPLICE.reportScoreAndState', {
        score,
        state: { lesson: name, score, complete, attempts, state },
      });
    },
    note: ({ name, ...data }) =>
      send('SPLICE.sendEvent', { name, data: { lesson: lesson.result.lesson, ...data } }),
  };
}
