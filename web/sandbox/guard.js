/**
 * The worker between the frame and the worker of the user's code, which may send any message of any
 * size. This thread receives and checks the messages, so that they cost the page no time; only valid
 * answers go on.
 */
import { trustedAddress } from '../engine/trusted.js';
import { isAnswer } from '../grade/answer.js';
import { message } from '../grade/harness.js';

/** @type {Worker | null} */
let worker = null;
/** The pending call. @type {any} */
let asked = null;

/** Returns whether the harness can have sent an answer: it adds the length of each list. @param {any} answer */
const isSent = (answer) =>
  isAnswer(answer, asked) && (!ArrayBuffer.isView(answer.result) || answer.length !== undefined);

/** @param {string} harness the text of the worker */
function start(harness) {
  const source = new Blob([harness], { type: 'text/javascript' });
  worker = new Worker(trustedAddress(URL.createObjectURL(source)));
  worker.onmessage = ({ data }) => postMessage(asked && isSent(data) ? data : null);
  worker.onmessageerror = () => postMessage(null);
  worker.onerror = (event) => {
    event.preventDefault(); // else the frame would get the whole error
    postMessage({ error: message(event.message || 'the worker failed') });
  };
}

onmessage = ({ data }) => {
  if (!worker) return start(data.harness);
  if (data.id !== undefined) asked = data;
  worker.postMessage(data);
};
