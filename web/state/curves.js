/** Fetches what the charts over all ranks draw: whole distributions, in falling order. */

/**
 * @typedef {import('../plots/trace.js').SettingRow} SettingRow
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../plots/curve.js').Curves} Curves
 */

/**
 * Before the warpers, as they enter top-p, and after the warpers.
 * @param {import('../engine/remote.js').RemoteLogitscope} engine
 * @param {{ logits: Float32Array, settings: Settings, table: { name: string, group: string, neutral: any }[],
 *   order: string[], history: number[], second?: Float32Array, step: number }} text
 * @returns {Promise<Curves>}
 */
export async function fetchCurves(engine, { settings, table, order, ...given }) {
  const { logits, ...how } = given;
  const until = order.indexOf('top_p');
  // Mirostat replaces the truncations wherever it stands.
  const later = table.filter(
    ({ name, group }) =>
      order.indexOf(name) >= until || (settings.mirostat && group === 'truncation'),
  );
  const neutral = Object.fromEntries(later.map((row) => [row.name, row.neutral]));
  // One of the reader's own is last where it is not named.
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
