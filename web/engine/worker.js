/** The engine in a worker of its own; `remote.js` is the other end. */
import { serve } from './host.js';

serve(/** @type {any} */ (globalThis));
