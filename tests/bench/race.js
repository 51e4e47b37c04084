/**
 * A race: contenders do equal work in turns (A B C, A B C ...), so that other load on the machine slows all of them
 * equally. Ratios compare samples of one turn.
 */
import { median } from './timing.js';

/**
 * @typedef {object} Entry
 * @property {string} name
 * @property {'ours' | 'peer' | 'bound'} side
 * @property {string} [absent]  the reason if it did not run
 * @property {number[]} samples  in the race's unit, one for each turn
 *
 * @typedef {object} Race
 * @property {string} part
 * @property {string} host
 * @property {string} subject
 * @property {string} unit
 * @property {boolean} rate  true if a greater value is better
 * @property {Entry[]} entries
 *
 * @typedef {object} Runner
 * @property {string} name
 * @property {Entry['side']} side
 * @property {{ sample: (work: any, least: number) => Promise<number> }} [contender]
 * @property {string} [absent]
 * @property {number} [factor]  multiplies the converted value, for a runner with another unit
 * @property {number} [share]  share of the budget, for a slow baseline
 */

/**
 * @param {Runner[]} runners
 * @param {any} work
 * @param {{ samples: number, least: number, budget: number, minimum?: number }} plan  budget:
 *   total milliseconds of a runner; a runner beyond it stops after `minimum` samples
 * @param {(ms: number) => number} convert  from a sample's milliseconds to the race's unit
 * @returns {Promise<Entry[]>}
 */
export async function race(runners, work, { samples, least, budget, minimum = 3 }, convert) {
  const spent = runners.map(() => 0);
  const taken = runners.map(() => /** @type {number[]} */ ([]));
  for (let turn = -1; turn < samples; turn++) {
    for (const [i, { contender, share = 1 }] of runners.entries()) {
      const over = () => spent[i] > share * budget;
      const needed = share < 1 ? 1 : Math.min(samples, minimum);
      if (!contender || (taken[i].length >= needed && over())) continue;
      const began = performance.now();
      const ms = await contender.sample(work, turn < 0 ? least / 2 : least);
      spent[i] += performance.now() - began;
      // The first turn is a warm-up. It counts only if it has used up the budget and one sample suffices.
      if (turn >= 0 || (needed === 1 && over())) taken[i].push(ms);
    }
  }
  return runners.map(({ name, side, absent, factor = 1 }, i) => ({
    name,
    side,
    ...(absent && { absent }),
    samples: taken[i].map((ms) => factor * convert(ms)),
  }));
}

/** Returns this engine's entry with the best median. @param {Race} race @returns {Entry | undefined} */
export function best({ entries, rate }) {
  const ran = entries.filter(({ side, samples }) => side === 'ours' && samples.length);
  const worth = (/** @type {Entry} */ entry) => (rate ? 1 : -1) * median(entry.samples);
  return ran.sort((a, b) => worth(b) - worth(a))[0];
}

/**
 * Returns this engine's speed divided by the peer's: the median over their common turns.
 * @param {Entry} ours @param {Entry} peer @param {boolean} rate
 */
export function ratio(ours, peer, rate) {
  const turns = Math.min(ours.samples.length, peer.samples.length);
  const each = Array.from({ length: turns }, (_, i) =>
    rate ? ours.samples[i] / peer.samples[i] : peer.samples[i] / ours.samples[i],
  );
  return turns ? median(each) : NaN;
}
