/**
 * Counts the work of each thread in a decode step, by a model of the loop: the products of a shape, in the chunks of
 * src/threads.c, claimed by threads of equal speed. Model files check one and two threads: a word of the shared memory
 * counts the jobs, and the clock gives the time.
 *
 *     node tests/bench/scaling.js [SHAPE=FILE ...]    shapes: 3.4M, 15M, 0.6B, 1.2B
 */
import { Logitscope } from '../../web/engine/index.js';
import { openThreads } from '../node/threaded.js';
import { align } from './table.js';
import { median } from './timing.js';

/** Width, feed-forward width, layers, heads, heads of keys, size of a head, vocabulary. */
const SHAPES = /** @type {Record<string, number[]>} */ ({
  '3.4M': [256, 672, 4, 4, 2, 64, 2048],
  '15M': [288, 768, 6, 6, 6, 48, 32000],
  '0.6B': [1024, 3072, 28, 16, 8, 128, 151936],
  '1.2B': [2048, 8192, 16, 32, 8, 64, 128256],
});
/** As in src/threads.c and src/matrix.h. */
const [CHUNKS_MAX, CHUNKS_A_THREAD, CHUNK_COST, RESULT, BLOCK] = [64, 4, 1 << 16, 1 << 18, 16];
const POSITION = 128;
/** Multiplications of a quantised matrix in the time of one of floats, see attend in src/session.c. */
const FLOAT = 4;
/** Operations on floats for one element: norm, quantisation, rotation, swiglu. */
const [NORM, QUANTISE, ROTATE, SWIGLU] = [2, 4, 3, 24];
const THREADS = [1, 2, 4, 8, 16];
const ROUNDS = 7;
const STEPS = 24;

/** Results that are split, and the work that one thread does alone, in multiplications. @param {number[]} shape */
function loopOf([width, ff, layers, heads, kv, size, vocabulary]) {
  const product = (/** @type {number} */ rows, /** @type {number} */ cols) => ({
    width: rows,
    unit: BLOCK,
    cost: rows * cols,
    work: rows * cols,
  });
  const attention = 2 * POSITION * heads * size * FLOAT;
  const layer = [
    product(heads * size, width),
    product(kv * size, width),
    product(kv * size, width),
    { width: heads, unit: 1, cost: attention, work: attention },
    product(width, heads * size),
    product(ff, width),
    product(ff, width),
    product(width, ff),
  ];
  const elements =
    2 * (NORM + QUANTISE) * width +
    (QUANTISE + ROTATE) * heads * size +
    ROTATE * kv * size +
    (QUANTISE + SWIGLU) * ff;
  const results = [...Array(layers).fill(layer).flat(), product(vocabulary, width)];
  return { results, alone: FLOAT * (layers * elements + (NORM + QUANTISE) * width) };
}

/** Sizes of a result's chunks in items; one chunk: not split. @param {any} result @param {number} threads */
function chunksOf({ width, unit, cost }, threads) {
  const most = Math.min(threads * CHUNKS_A_THREAD, Math.floor(cost / CHUNK_COST), CHUNKS_MAX);
  if (threads === 1 || most <= 1 || width > RESULT) return [width];
  const step = Math.ceil(Math.ceil(width / unit) / most) * unit;
  return Array.from({ length: Math.ceil(width / step) }, (_, i) =>
    Math.min(step, width - i * step),
  );
}

/** Work of each thread and number of jobs in a step. @param {number[]} shape @param {number} threads */
export function simulate(shape, threads) {
  const { results, alone } = loopOf(shape);
  const each = Array(threads).fill(0);
  let [longest, jobs] = [alone, 0];
  each[0] = alone;
  for (const result of results) {
    const chunks = chunksOf(result, threads);
    const loads = Array(threads).fill(0);
    for (const items of chunks)
      loads[loads.indexOf(Math.min(...loads))] += (result.work * items) / result.width;
    for (const [i, load] of loads.entries()) each[i] += load;
    longest += Math.max(...loads); // the caller waits for all threads after each result
    jobs += chunks.length > 1 ? 1 : 0;
  }
  return { each, longest, jobs };
}

/** @param {string} name @param {number[]} shape */
function table(name, shape) {
  const one = simulate(shape, 1).longest;
  const millions = (/** @type {number} */ n) => (n / 1e6).toFixed(2);
  const rows = THREADS.map((threads) => {
    const { each, longest, jobs } = simulate(shape, threads);
    const cells = [millions(Math.max(...each)), millions(Math.min(...each)), millions(longest)];
    return [String(threads), '', ...cells, String(jobs), `${(one / longest).toFixed(2)}x`];
  });
  return `${name}, multiplications (10^6) and waits of a step\n${align([
    ['threads', '', 'most', 'least', 'path', 'waits', 'at most'],
    ...rows,
  ])}`;
}

/** Feeds STEPS tokens one by one; returns the ms of a step. @param {any} scope @param {number} turn */
function step(scope, turn) {
  const ids = Array.from({ length: POSITION }, (_, i) => (i * 7 + turn) % 256);
  scope.feed(ids);
  const began = performance.now();
  for (let i = 0; i < STEPS; i++) {
    ids.push((i + turn) % 256);
    scope.feed(ids);
  }
  return (performance.now() - began) / STEPS;
}

/** True if one word of the shared memory grows with the expected jobs. @param {string} file @param {number} jobs */
async function countsJobs(file, jobs) {
  const { scope, threads } = await openThreads(file, 2);
  threads.module.calls.threads_least(CHUNK_COST);
  const ids = Array.from({ length: POSITION }, (_, i) => i);
  scope.feed(ids);
  const words = () => new Int32Array(threads.module.memory.buffer).slice();
  let before = words();
  let found = Array.from(before.keys());
  for (const steps of [1, 3, 2]) {
    for (let i = 0; i < steps; i++) {
      ids.push(i);
      scope.feed(ids);
    }
    const after = words();
    found = found.filter((i) => after[i] - before[i] === steps * jobs);
    before = after;
  }
  scope.close();
  return found.length > 0;
}

for (const [name, shape] of Object.entries(SHAPES)) console.log(`${table(name, shape)}\n`);
for (const asked of process.argv.slice(2)) {
  const [name, model] = asked.split('=');
  const { longest, jobs } = simulate(SHAPES[name], 2);
  const counted = SHAPES[name][0] < 1024 ? `${await countsJobs(model, jobs)}` : 'not looked for';
  const scopes = await Promise.all([1, 2].map((threads) => Logitscope.load({ model, threads })));
  const times = scopes.map(() => /** @type {number[]} */ ([]));
  for (let turn = -1; turn < ROUNDS; turn++)
    for (const [i, scope] of scopes.entries())
      if (turn < 0) step(scope, turn + 1);
      else times[i].push(step(scope, turn));
  const [one, two] = times.map(median);
  const expected = simulate(SHAPES[name], 1).longest / longest;
  const wait = (1e3 * (two - one / expected)) / (jobs || 1);
  console.log(
    `${name}: ${one.toFixed(3)} and ${two.toFixed(3)} ms a step with 1 and 2 threads, ${(one / two).toFixed(2)}x; ` +
      `the model says at most ${expected.toFixed(2)}x; a wait then takes ${wait.toFixed(1)} us; ${jobs} jobs a step found in memory: ${counted}`,
  );
  for (const scope of scopes) scope.close();
}
