/** The harness in the worker of sandbox.html. The user's code arrives as text in the first message. */
import { serve } from '../grade/harness.js';
import { lock } from './lock.js';

const scope = /** @type {any} */ (globalThis);
const postMessage = lock();

scope.onmessage = (/** @type {{ data: { code: string } }} */ { data: { code } }) => {
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const port = { postMessage, onmessage: null };
  serve(port, () => import(address));
  scope.onmessage = port.onmessage;
};
