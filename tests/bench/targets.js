/** The project's performance targets, as ratios within a run, and the values of a run. */
import { WLLAMA } from './parts.js';
import { best, ratio } from './race.js';
import { digits } from './table.js';
import { median } from './timing.js';

/** @typedef {import('./race.js').Race} Race */
/**
 * @typedef {{ what: string, target: string, value: number, met: boolean, unit: string }} Reached
 */
/**
 * @typedef {{ part: string, subject: string, host: string, against?: string, least?: number, most?:
 *   number }} Target
 */

const chromium = { host: 'chromium' };
const node = { host: 'node' };
const V = 'V=128256';

/**
 * @type {Target[]} least: minimum of the ratio to `against`; most:
 * maximum in milliseconds
 */
const targets = [
  { part: 'decode', subject: '15M q8_0', ...chromium, against: WLLAMA, least: 10 },
  { part: 'decode', subject: '15M f32', ...chromium, against: WLLAMA, least: 1.5 },
  { part: 'decode', subject: '15M f32', ...chromium, against: 'memory', least: 0.8 },
  { part: 'decode', subject: '260K f32', ...chromium, against: WLLAMA, least: 10 },
  { part: 'decode', subject: '124M q8_0', ...chromium, against: WLLAMA, least: 6 },
  { part: 'prefill', subject: '15M f32', ...chromium, against: WLLAMA, least: 2 },
  { part: 'prefill', subject: '15M q8_0', ...chromium, against: WLLAMA, least: 8 },
  { part: 'chain', subject: V, ...chromium, most: 0.05 },
  { part: 'chain', subject: V, ...chromium, against: 'sorting JS', least: 500 },
  { part: 'top_p', subject: V, ...chromium, most: 1.3 },
  { part: 'top_p', subject: V, ...node, against: 'PyTorch', least: 10 },
  { part: 'trace', subject: V, ...chromium, most: 3 },
  { part: 'mask', subject: V, ...node, most: 1 },
  { part: 'cold', subject: 'stories', ...chromium, most: 250 },
];

/**
 * @param {Race[]} races
 * @param {Target} target
 * @returns {Reached | null} null if the run has no such races
 */
function reach(races, { part, subject, host, against, least = 0, most = 0 }) {
  const one = races.find(
    (race) => race.part === part && race.host === host && race.subject.startsWith(subject),
  );
  const ours = one && best(one);
  if (!one || !ours) return null;
  const what = `${part} ${one.subject}, ${host}${against ? `, against ${against}` : ''}`;
  if (!against) {
    const value = median(ours.samples);
    return { what, target: `<= ${most} ms`, value, unit: ' ms', met: value <= most };
  }
  const peer = one.entries.find(({ name }) => name === against);
  const value = peer ? ratio(ours, peer, one.rate) : NaN;
  return Number.isNaN(value)
    ? null
    : { what, target: `>= ${least}x`, value, unit: 'x', met: value >= least };
}

/** Returns the ratio of Q8_0 to F32 in decode, both of this engine. @param {Race[]} races @returns {Reached | null} */
function reachOwn(races) {
  const [q8, f32] = ['124M q8_0', '124M f32'].map((subject) =>
    races.find(
      (race) => race.part === 'decode' && race.host === 'chromium' && race.subject === subject,
    ),
  );
  const [fast, slow] = [q8 && best(q8), f32 && best(f32)];
  if (!fast || !slow) return null;
  const value = median(fast.samples) / median(slow.samples);
  return {
    what: 'decode 124M q8_0, chromium, against our own f32',
    target: '>= 2x',
    value,
    unit: 'x',
    met: value >= 2,
  };
}

/** @param {import('./size.js').Size[]} sizes @returns {Reached | null} */
function reachSize(sizes) {
  const total = sizes.find(({ name }) => name === 'ours together');
  if (!total) return null;
  const value = total.gzip / 1e3;
  return {
    what: 'modules, engine JavaScript and worker, gzip',
    target: '<= 90 kB',
    value,
    unit: ' kB',
    met: value <= 90,
  };
}

/**
 * @param {Race[]} races
 * @param {import('./size.js').Size[]} sizes
 * @returns {string[][]} rows of a table; the first is the header
 */
export function targetRows(races, sizes) {
  const reached = [
    ...targets.map((target) => reach(races, target)),
    reachOwn(races),
    reachSize(sizes),
  ];
  return [
    ['', '', 'reached', 'target', ''],
    ...reached.flatMap((one) =>
      one
        ? [
            [
              one.what,
              '',
              `${digits(one.value)}${one.unit}`,
              one.target,
              one.met ? 'met' : 'missed',
            ],
          ]
        : [],
    ),
  ];
}
