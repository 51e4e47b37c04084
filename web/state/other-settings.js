/** Reads the bench's present position under other settings. The bench itself does not change. */
import { neutralSettings } from './settings.js';

/** @import { Bench } from './bench.js' */
/** @import { Reading } from './reader.js' */
/** @import { Settings } from '../engine/types.js' */

/**
 * Returns the readings under other settings and under the present ones. Biases, gates and seed of the bench apply to
 * both. The first reading also has `beside`, the difference between the two.
 * @param {Bench} bench
 * @param {Settings | null} other null for the present settings alone
 * @returns {Promise<Reading[]>}
 */
export async function readBoth(bench, other) {
  while (bench.pass) await bench.pass;
  const { position, reader, table, canonicalOrder, whatIf } = bench;
  const neutral = neutralSettings(table);
  const ofText = Object.entries(position.settings).filter(
    ([name]) => name !== 'order' && !(name in neutral),
  );
  const asked = { u: whatIf, order: canonicalOrder, whole: false, stages: true };
  const read = (/** @type {Settings} */ settings, /** @type {Settings[] | null} */ both) =>
    reader.read({ ...asked, position: { ...position, settings }, both });
  const theirs = { ...Object.fromEntries(ofText), ...other };
  const first = other ? [await read(theirs, [theirs, position.settings])] : [];
  return [...first, await read(position.settings, null)];
}
