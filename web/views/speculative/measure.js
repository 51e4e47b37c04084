/**
 * Measures milliseconds for each token with and without a draft model. The two alternate, so that other work on the
 * computer slows both equally.
 */

/** Number of measured texts of each kind. One text before them is not measured, because the first one is slow. */
const ROUNDS = 5;

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/**
 * @param {import('../../engine/remote.js').RemoteLogitscope} engine
 * @param {Record<string, any>} options of a generation that has a draft
 * @param {AbortSignal} signal
 */
export async function measureBoth(engine, { draft, ...plain }, signal) {
  /** @type {Record<'drafted' | 'plain', number[]>} */
  const paces = { drafted: [], plain: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const kind of /** @type {const} */ (['drafted', 'plain'])) {
      signal.throwIfAborted();
      const session = await engine.session();
      const options = /** @type {any} */ (kind === 'drafted' ? { ...plain, draft } : plain);
      const { steps } = await session.write(options).finally(() => session.close());
      const ms = steps.reduce((sum, step) => sum + step.ms, 0);
      if (round > 0) paces[kind].push(ms / Math.max(1, steps.length));
    }
  }
  return { drafted: median(paces.drafted), plain: median(paces.plain) };
}
