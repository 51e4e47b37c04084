/** Measures decode steps in the worker, where the work of the page does not slow them. */

/**
 * @typedef {{ n: number, cached: number, uncached: number }} Timing n: the tokens of a step; cached,
 *   uncached: its milliseconds with and without the cache
 */

/** The time at a length is the mean over the steps at most this many tokens shorter or longer. */
const AROUND = 8;
/** A shorter context has too few steps on both sides of a length. */
export const LEAST_CONTEXT = 2 * AROUND + 2;
/** Least number of measured steps without the cache, for each length. */
const REPEATS = 4;
/**
 * A browser's clock may tick only every 0.1 ms, and a step can be shorter. So a run is repeated until ENOUGH ms have
 * passed, but at most MOST times.
 */
const ENOUGH = 50;
const MOST = 32;

/**
 * Returns the mean without the slowest sixteenth, which other work has delayed. The mean of many values is more
 * precise than the clock.
 * @param {number[]} values in ms
 */
export function typical(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const kept = sorted.slice(0, sorted.length - Math.floor(sorted.length / 16));
  return sum(kept) / kept.length;
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Calls `run` at least `least` times and until ENOUGH ms have passed, but at most MOST times.
 * @param {number} least
 * @param {AbortSignal} signal
 * @param {() => Promise<number>} run resolves with its ms
 */
async function repeat(least, signal, run) {
  let taken = 0;
  for (let i = 0; i < MOST && (i < least || taken < ENOUGH); i++) {
    if (signal.aborted) return;
    taken += await run();
  }
}

/**
 * Returns the lengths to measure, in tokens. Short lengths are closer to each other.
 * @param {number} from
 * @param {number} to
 */
export function placesOf(from, to) {
  const places = new Set([from + AROUND]);
  for (let n = 16; n < to - AROUND; n *= 2) if (n > from + AROUND) places.add(n);
  places.add(to - AROUND);
  return [...places].filter((n) => n > 0).sort((a, b) => a - b);
}

/** @param {number[]} ends */
const withoutEnd = (ends) => ({
  seed: 1,
  logit_bias: Object.fromEntries(ends.map((id) => [id, false])),
});

/**
 * Yields the times for each length. Steps with the cache are measured first, because they are fast.
 * @param {any} session used by no other caller
 * @param {{ ids: number[], ends: number[], context: number, signal: AbortSignal }} text
 * @returns {AsyncGenerator<Timing, void, void>}
 */
export async function* measureSteps(session, { ids, ends, context, signal }) {
  // End tokens are forbidden, so that the text fills the context.
  const settings = withoutEnd(ends);
  const last = context - 1;
  /** @type {number[]} */
  let whole = [];
  /** Times in ms of the steps by their number of tokens. @type {number[][]} */
  const times = Array.from({ length: context + 1 }, () => []);
  const options = { ...settings, prompt: ids, max_new_tokens: last - ids.length, signal };
  await repeat(1, signal, async () => {
    whole = [...ids]; // drops drawn tokens: each run begins with the same ones
    let taken = 0;
    for await (const { id, position, ms } of session.generate(options)) {
      times[position].push(ms);
      whole.push(id);
      taken += ms;
    }
    return taken;
  });
  for (const n of placesOf(ids.length, last)) {
    const near = times.slice(Math.max(ids.length + 1, n - AROUND), n + AROUND + 1).flat();
    /** @type {number[]} */
    const again = [];
    const prompt = whole.slice(0, n);
    const alone = { ...settings, prompt, max_new_tokens: 1, cache: false, signal };
    await repeat(REPEATS, signal, async () => {
      const before = again.length;
      for await (const { ms } of session.generate(alone)) again.push(ms);
      return sum(again.slice(before));
    });
    if (signal.aborted) return;
    yield { n, cached: typical(near), uncached: typical(again) };
  }
}

/**
 * Returns a session's speed over the steps of a short text, in tokens per second.
 * @param {any} session
 * @param {{ ids: number[], ends: number[], context: number, signal: AbortSignal }} text
 */
export async function measureSpeed(session, { ids, ends, context, signal }) {
  const settings = withoutEnd(ends);
  const max_new_tokens = Math.min(96, context - ids.length - 1);
  /** @type {number[]} */
  const times = [];
  await repeat(3, signal, async () => {
    const before = times.length;
    const options = { ...settings, prompt: ids, max_new_tokens, signal };
    for await (const { ms } of session.generate(options)) times.push(ms);
    return sum(times.slice(before));
  });
  return 1000 / typical(times);
}
