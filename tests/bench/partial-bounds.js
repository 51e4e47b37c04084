/**
 * Compares the bounds of partial distributions with the engine's numbers over the whole vocabulary, in many random cases.
 * Prints each case that fails, a line every minute, and a table of widths at the end.
 *
 *   node tests/bench/partial-bounds.js [cases] [first seed]
 */
import { Logitscope } from '../../web/engine/index.js';
import { boundsOf } from '../../web/sources/bounds.js';
import {
  chainOf,
  cutOf,
  distributionOf,
  faultOf,
  historyOf,
  randomOf,
} from '../fixtures/partial_cases.js';

const [wanted = 1e6, first = 1] = process.argv.slice(2).map(Number);
/** Number of chains that share a distribution: large vocabularies take long to make. */
const CHAINS = 25;
const scope = await Logitscope.load();
const widths = new Map();
const counts = { cases: 0, faults: 0, exact: 0, unbounded: 0, large: 0 };
let said = Date.now();

/** @param {number} seed @param {() => number} random @param {Float32Array} sorted */
async function tryOne(seed, random, sorted) {
  const { partial, whole } = cutOf(random, sorted);
  const n = partial.logprobs.length;
  const settings = chainOf(random);
  const history = historyOf(random, whole.length, n);
  const step = Math.floor(10 * random());
  const biased = Object.keys(settings.logit_bias ?? {});
  if (biased.some((id) => Number(id) >= whole.length)) return;
  let trace;
  try {
    trace = scope.warp(whole, { ...settings, top: 0 }, { history, step });
  } catch (error) {
    if (error.code === 'nothing_left') return;
    throw error;
  }
  counts.cases++;
  counts.large += Number(whole.length > 10_000);
  const bounds = await boundsOf(scope, partial, settings, { history, step });
  const fault = faultOf(bounds, trace, n);
  if (fault) {
    counts.faults++;
    console.log(JSON.stringify({ seed, n, partial, settings, history, step }), fault);
  }
  counts.exact += Number(bounds.exact);
  counts.unbounded += Number(bounds.stages.some(({ bounded }) => !bounded));
  const width = Math.max(...bounds.tokens.map(({ p: [low, high] }) => high - low));
  const list = widths.get(n) ?? [];
  if ([1, 5, 20, 100].includes(n) && list.length < 1e5) {
    list.push(width);
    widths.set(n, list);
  }
}

for (let seed = first; counts.cases < wanted; seed++) {
  const random = randomOf(seed);
  const whole = distributionOf(random, seed % 8 ? 400 : 262_144);
  for (let i = 0; i < CHAINS; i++) await tryOne(seed, random, whole);
  if (Date.now() - said < 60_000) continue;
  said = Date.now();
  console.log(JSON.stringify(counts));
}
console.log(JSON.stringify(counts));
for (const [n, list] of [...widths].sort(([a], [b]) => a - b)) {
  list.sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  const at = (/** @type {number} */ share) =>
    list[Math.floor(share * (list.length - 1))].toExponential(1);
  console.log(
    `top ${n}: width of p, quartiles ${at(0.25)} ${at(0.5)} ${at(0.75)}, ninth decile ${at(0.9)}`,
  );
}
