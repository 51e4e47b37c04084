/**
 * The worker between the frame and the worker of the learner's code, which may send anything, of any
 * size. To receive it takes this thread time, and not the page's: only checked answers go on.
 */
import { trustedAddress } from '../engine/trusted.js';
import { isAnswer } from '../grade/answer.js';
import { message } from '../grade/harness.js';

/** @type {Worker | null} */
let worker = null;
/** The call that waits for its answer. @type {any} */
let asked = null;

/** Whether the harness sends such an answer: it tells the length of each list. @param {any} answer */
const isSent = (answer) =>
  isAnswer(answer, asked) && (!ArrayBuffer.isView(answer.result) || answer.length !== undefined);

/** @param {string} harness the text of the worker */
function start(harness) {
  const source = new Blob([harness], { type: 'text/javascript' });
  worker = new Worker(trustedAddress(URL.createObjectURL(source)));
  worker.onmessage = ({ data }) => postMessage(asked && isSent(data) ? data : null);
  worker.onmessageerror = () => postMessage(null);
  worker.onerror = (event) => {
    event.preventDefault(); // it would go on to the frame whole
    postMessage({ error: message(event.message || 'the worker failed') });
  };
}

onmessage = ({ data }) => {
  if (!worker) return start(data.harness);
  if (data.id !== undefined) asked = data;
  worker.postMessage(data);
};
