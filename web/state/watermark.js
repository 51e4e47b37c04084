/** What a drawn text bears of the watermarks that are on. */
import { detect } from '../engine/detect.js';
import { MARKS, PARTS } from './settings.js';

const NAMES = [...MARKS, ...MARKS.flatMap((name) => PARTS[name])];

/**
 * What was found, and which of the drawn tokens bear the first watermark's sign: green ones, or those
 * of which more than half of the g are 1.
 * @typedef {{ found: import('../engine/types.js').Detection[], green: boolean[] }} Marks
 */

/**
 * @param {import('../engine/remote.js').RemoteLogitscope} engine
 * @param {number[]} prompt
 * @param {{ id: number }[]} steps
 * @param {Record<string, any>} settings
 * @returns {Promise<Marks>}
 */
export async function findMarks(engine, prompt, steps, settings) {
  const asked = Object.fromEntries(NAMES.map((name) => [name, settings[name]]));
  const from = prompt.length;
  const found = await detect(engine, [...prompt, ...steps.map(({ id }) => id)], asked, { from });
  return { found, green: found[0].shares.slice(from).map((share) => Number(share) > 0.5) };
}
