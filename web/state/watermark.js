/** Detects watermarks in a drawn text. */
import { detect } from '../engine/detect.js';
import { WATERMARKS, PARTS } from './settings.js';

const NAMES = [...WATERMARKS, ...WATERMARKS.flatMap((name) => PARTS[name])];

/**
 * The detections, and `green`: for each drawn token, true if it supports the first watermark. With the
 * green list, the token is green; with SynthID, more than half of its g values are 1. `green` is empty
 * while no watermark is on.
 * @typedef {{ found: import('../engine/types.js').Detection[], green: boolean[] }} FoundWatermarks
 */

/**
 * Detects the watermarks that are on. If none is on, looks for both, with the current key.
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
