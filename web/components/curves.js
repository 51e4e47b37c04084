/** Fetches what the charts over all ranks draw: whole distributions, in falling order. */

/**
 * @typedef {import('../plots/trace.js').SettingRow} SettingRow
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../plots/curve.js').Curves} Curves
 */

/**
 * Before the warpers, as they enter top-p, and after the warpers.
 * @param {any} engine
 * @param {{ logits: Float32Array, settings: Settings, table: { name: string, neutral: any }[],
 *   order: string[], history: number[] }} text
 * @returns {Promise<Curves>}
 */
export async function fetchCurves(engine, { logits, settings, table, order, history }) {
  const until = order.indexOf('top_p');
  const later = table.filter(({ name }) => order.indexOf(name) >= until);
  const neutral = Object.fromEntries(later.map((row) => [row.name, row.neutral]));
  const read = async (/** @type {Settings} */ asked) => {
    const { p } = await engine.warp(logits, asked, { history });
    return /** @type {Float64Array} */ (p).sort().reverse();
  };
  return {
    raw: await read({}),
    entering: await read({ ...settings, ...neutral }),
    final: await read(settings),
  };
}
