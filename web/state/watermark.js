/** Detects watermarks in a drawn text. */
import { detect } from '../engine/detect.js';
import { WATERMARKS, PARTS } from './settings.js';

const NAMES = [...WATERMARKS, ...WATERMARKS.flatMap((name) => PARTS[name])];

/**
 * Watermarks in a text. `green` has true for each drawn token that the first watermark prefers: with the green list,
 * a green token; with SynthID, a token for which more than half of the g values are 1. It is empty if no watermark is
 * on.
 * @typedef {{ found: import('../engine/types.js').Detection[], green: boolean[] }} FoundWatermarks
 */

/**
 * Detects the watermarks that are on. If none is on, looks for both with the present key.
 * @param {import('../engine/remote.js').RemoteLogitscope} engine
 * @param {number[]} prompt
 * @param {{ id: number }[]} steps
 * @param {Record<string, any>} settings
 * @returns {Promise<FoundWatermarks>}
 */
export async function findWatermarks(engine, prompt, steps, settings) {
  const on = WATERMARKS.some((name) => settings[name]);
  const given = Object.fromEntries(NAMES.map((name) => [name, settings[name]]));
  const rows = on ? [] : engine.table.filter(({ name }) => WATERMARKS.includes(name));
  const sought = Object.fromEntries(rows.map(({ name, usual }) => [name, usual]));
  const asked = { ...given, ...sought };
  const from = prompt.length;
  const found = await detect(engine, [...prompt, ...steps.map(({ id }) => id)], asked, { from });
  const signs = on ? found[0].shares.slice(from) : [];
  return { found, green: signs.map((share) => Number(share) > 0.5) };
}
