/**
 * The worker between the frame and the worker with the user's code. The user's code may send any message
 * of any size. This worker receives and checks the messages in its own thread, so they take no time from
 * the page. It passes only valid answers to the frame.
 */
import { trustedAddress } from '../engine/trusted.js';
import { isAnswer } from '../grade/answer.js';
import { message } from '../grade/harness.js';

/** @type {Worker | null} */
let worker = null;
/** The last call from the page; null before the first. @type {any} */
let asked = null;

/** True if an answer can be from the harness, which adds `length` to each typed array. @param {any} answer */
const isSent = (answer) =>
  isAnswer(answer, asked) && (!ArrayBuffer.isView(answer.result) || answer.length !== undefined);

/** @param {string} harness the code of the worker */
function start(harness) {
  const source = new Blob([harness], { type: 'text/javascript' });
  worker = new Worker(trustedAddress(URL.createObjectURL(source)));
  worker.onmessage = ({ data }) => postMessage(asked && isSent(data) ? data : null);
  worker.onmessageerror = () => postMessage(null);
  worker.onerror = (event) => {
    event.preventDefault(); // otherwise the frame would also get the error, uncut
    postMessage({ error: message(event.message || 'the worker failed') });
  };
}

onmessage = ({ data }) => {
  if (!worker) return start(data.harness);
  if (data.id !== undefined) asked = data;
  worker.postMessage(data);
};
