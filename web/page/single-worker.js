/** The worker of the single-file page. Its first message says that it runs; then it serves the engine. */
import { serve } from '../engine/engine-server.js';

serve(/** @type {any} */ (globalThis));
/** @type {any} */ (globalThis).postMessage({ id: 0 });
