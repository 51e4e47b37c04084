/** What a drawn text bears of the watermarks that are on. */
import { detect } from '../engine/detect.js';
import { MARKS, PARTS } from './settings.js';

const NAMES = [...MARKS, ...MARKS.flatMap((name) => PARTS[name])];

/**
 * What was found, and which of the drawn tokens bear the first watermark's sign: green ones, or those
 * of which more than half of the g are 1; none where no watermark is on.
 * @typedef {{ found: import('../engine/types.js').Detection[], green: boolean[] }} Marks
 */

/**
 * Of both, under the present key, while none is on.
 * @param {import('../engine/remote.js').RemoteLogitscope} engine
 * @param {number[]} prompt
 * @param {{ id: number }[]} steps
 * @param {Record<string, any>} settings
 * @returns {Promise<Marks>}
 */
export async function findMarks(engine, prompt, steps, settings) {
  const on = MARKS.some((name) => settings[name]);
  const given = Object.fromEntries(NAMES.map((name) => [name, settings[name]]));
  const rows = on ? [] : engine.table.filter(({ name }) => MARKS.includes(name));
  const sought = Object.fromEntries(rows.map(({ name, usual }) => [name, usual]));
  const asked = { ...given, ...sought };
  const from = prompt.length;
  const found = await detect(engine, [...prompt, ...steps.map(({ id }) => id)], asked, { from });
  const signs = on ? found[0].shares.slice(from) : [];
  return { found, green: signs.map((share) => Number(share) > 0.5) };
}
