/**
 * The worker that renders a chat template. Templates are untrusted: the interpreter gives them no
 * access to JavaScript objects, and chat.js ends the worker after a second.
 */
import { Fault } from './jinja/fault.js';
import { renderTemplate } from './jinja/render.js';

/**
 * `said` is JSON of untrusted variables, such as the messages; `own` are texts that count as written
 * by the template; `limit` is the maximum length of the result.
 * @typedef {{ template: string, date: string, said: string, own: Record<string, string>, limit: number }} Job
 */

/** @param {Job} job */
function render({ template, date, said, own, limit }) {
  const { text, origin } = renderTemplate(template, date, JSON.parse(said), own);
  return text.length > limit ? { long: true } : { text, origin };
}

/** @param {Job} job */
function answer(job) {
  try {
    return render(job);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isDeep = !(error instanceof Fault) && /call stack|recursion/i.test(reason);
    return { reason: isDeep ? 'it is nested too deep' : reason };
  }
}

const inNode = typeof process === 'object' && typeof process.versions?.node === 'string';
/** @param {any} port */
function begin(port) {
  if (inNode) port.on('message', (/** @type {Job} */ job) => port.postMessage(answer(job)));
  else port.onmessage = (/** @type {MessageEvent} */ { data }) => port.postMessage(answer(data));
  port.postMessage({ ready: true });
}

if (inNode) import('#node').then(({ parentPort }) => begin(parentPort));
else begin(globalThis);
