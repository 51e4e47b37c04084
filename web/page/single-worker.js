/**
 * The worker of the single-file page: its first message says that it runs, then it is the engine.
 */
import { serve } from '../engine/engine-server.js';

serve(/** @type {any} */ (globalThis));
/** @type {any} */ (globalThis).postMessage({ id: 0 });
