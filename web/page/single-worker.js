/** The worker of the single-file page: the engine, once it has said that it runs. */
import { serve } from '../engine/engine-server.js';

serve(/** @type {any} */ (globalThis));
/** @type {any} */ (globalThis).postMessage({ id: 0 });
