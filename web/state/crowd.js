/** The workers that write the texts of a sweep, a comparison or a lesson in the page. */
import { assets } from './assets.js';

/** Most workers in a page. */
const MOST = 16;

/**
 * One worker for each core but one, which stays free for the page. The caller's engine goes on answering other calls.
 * @returns {import('../engine/crowd.js').CrowdOptions & { workers: number }}
 */
export const pageCrowd = () => ({
  workers: Math.min(MOST, Math.max(1, (globalThis.navigator?.hardwareConcurrency ?? 1) - 1)),
  worker: assets.worker,
});
