/** Times decode steps in the worker, where the page does not disturb them. */

/**
 * @typedef {{ n: number, cached: number, uncached: number }} Timing n: the tokens of a step; cached,
 *   uncached: its milliseconds with and without the cache
 */

/** A place's time is the mean of the steps at most this many tokens before or after it. */
const AROUND = 8;
/** A shorter context has too few steps around a measured position, for any prompt. */
export const LEAST_CONTEXT = 2 * AROUND + 2;
/** The least number of steps without the cache at each place. */
const REPEATS = 4;
/**
 * A browser's clock has at best ten ticks per ms, and a step may be shorter than a tick. So a run is
 * repeated until ENOUGH ms have passed, but at most MOST times.
 */
const ENOUGH = 50;
const MOST = 32;

/**
 * Returns the mean without the slowest sixteenth, which other work delayed. The mean of enough values is
 * more precise than the clock.
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
 * Repeats a run at least `least` times and until ENOUGH ms have passed, at most MOST times.
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
 * Returns the places to measure, as numbers of tokens; they are denser near the beginning.
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
const endless = (ends) => ({
  seed: 1,
  logit_bias: Object.fromEntries(ends.map((id) => [id, false])),
});

/**
 * Yields a timing for each place; the fastest steps are first.
 * @param {any} session used by no other caller
 * @param {{ ids: number[], ends: number[], context: number, signal: AbortSignal }} text
 * @returns {AsyncGenerator<Timing, void, void>}
 */
export async function* measureSteps(session, { ids, ends, context, signal }) {
  // Without end tokens the text fills the whole context.
  const settings = endless(ends);
  const last = context - 1;
  /** @type {number[]} */
  let whole = [];
  /** @type {number[][]} The times in ms of the steps over n tokens, by n. */
  const times = Array.from({ length: context + 1 }, () => []);
  const options = { ...settings, prompt: ids, max_new_tokens: last - ids.length, signal };
  await repeat(1, signal, async () => {
    whole = [...ids]; // each run begins with equal tokens
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
 * Measures the speed of a session over the steps of a short text, in tokens per second.
 * @param {any} session
 * @param {{ ids: number[], ends: number[], context: number, signal: AbortSignal }} text
 */
export async function measureSpeed(session, { ids, ends, context, signal }) {
  const settings = endless(ends);
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
