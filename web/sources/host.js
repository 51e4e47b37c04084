/**
 * Asks the host page of the frame by messages, for example a notebook:
 * { type: 'logitscope:ask', ask, what, body } to the parent, { type: 'logitscope:answer', ask, result }
 * or { …, fault } from it. `ask` is the number of the question.
 */
import { LogitscopeError } from '../engine/errors.js';
import { refusalOf } from './refusal.js';

/** @type {Map<unknown, { resolve: (result: unknown) => void, reject: (error: Error) => void }>} */
const open = new Map();
let last = 0;

addEventListener('message', ({ source, data }) => {
  if (source !== window.parent || data?.type !== 'logitscope:answer') return;
  const waiting = open.get(data.ask);
  open.delete(data.ask);
  if (data.fault === undefined) waiting?.resolve(data.result);
  else waiting?.reject(refusalOf(data.fault));
});

/** @type {import('./asked.js').Ask} */
export function askHost(what, body, { signal }) {
  if (window.parent === window) throw new LogitscopeError('unanswered', 'asked_gone');
  return new Promise((resolve, reject) => {
    const ask = ++last;
    open.set(ask, { resolve, reject });
    signal.addEventListener('abort', () => {
      open.delete(ask);
      reject(signal.reason);
    });
    window.parent.postMessage({ type: 'logitscope:ask', ask, what, body }, '*');
  });
}
