/** Reads the curves for charts over all ranks: the probabilities of all tokens in descending order. */

/** @import { Settings } from '../engine/types.js' */
/** @import { Curves } from '../plots/curve.js' */

/**
 * Reads the curves before the chain, before top-p, and after the chain.
 * @param {import('../engine/remote.js').RemoteLogitscope} engine
 * @param {{ logits: Float32Array, settings: Settings, table: { name: string, group: string, neutral: any }[],
 *   order: string[], history: number[], second?: Float32Array, step: number }} text
 * @returns {Promise<Curves>}
 */
export async function fetchCurves(engine, { settings, table, order, ...given }) {
  const { logits, ...how } = given;
  const until = order.indexOf('top_p');
  // Mirostat takes the place of all stages that remove tokens, so they all count as later stages.
  const later = table.filter(
    ({ name, group }) =>
      order.indexOf(name) >= until || (settings.mirostat && group === 'truncation'),
  );
  const neutral = Object.fromEntries(later.map((row) => [row.name, row.neutral]));
  // Unless the order has it, the user's own sampler is last.
  const early = order.includes('own') && order.indexOf('own') < until;
  const read = async (/** @type {Settings} */ asked) => {
    const { p } = await engine.warp(logits, asked, how);
    return p.sort().reverse();
  };
  return {
    raw: await read({}),
    entering: await read({ ...settings, ...neutral, ...(early ? {} : { own: null }) }),
    final: await read(settings),
  };
}
