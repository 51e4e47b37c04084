/** Times decode steps in the worker, where nothing of the page disturbs them. */

/**
 * @typedef {{ n: number, cached: number, uncached: number }} Timing the tokens that a step sees, and
 *   its milliseconds with and without the cache
 */

/** Steps on either side of a place that count for it. */
const AROUND = 8;
/** Steps that are run again without the cache at each place. */
const REPEATS = 4;

/**
 * The mean of the middle half: steady against pauses, and finer than a browser's clock.
 * @param {number[]} values
 */
export function middle(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 4);
  const kept = sorted.slice(cut, sorted.length - cut);
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}

/**
 * Places along the context, closer at its beginning.
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
 * Yields a timing for each place, the cheap ones first.
 * @param {any} session a timeline of its own
 * @param {{ ids: number[], ends: number[], context: number, signal: AbortSignal }} text
 * @returns {AsyncGenerator<Timing, void, void>}
 */
export async function* measureSteps(session, { ids, ends, context, signal }) {
  // Without the end tokens the text goes on to the end of the context.
  const settings = endless(ends);
  const last = context - 1;
  const whole = [...ids];
  /** @type {number[]} The time of the step that sees n tokens, by n. */
  const times = [];
  const options = { ...settings, prompt: ids, max_new_tokens: last - ids.length, signal };
  for await (const step of session.generate(options)) {
    times[step.position] = step.ms;
    whole.push(step.id);
  }
  for (const n of placesOf(ids.length, last)) {
    if (signal.aborted) return;
    const near = times.slice(Math.max(ids.length + 1, n - AROUND), n + AROUND + 1);
    /** @type {number[]} */
    const again = [];
    const prompt = whole.slice(0, n);
    for (let i = 0; i < REPEATS && !signal.aborted; i++)
      for await (const { ms } of session.generate({
        ...settings,
        prompt,
        max_new_tokens: 1,
        cache: false,
        signal,
      }))
        again.push(ms);
    yield { n, cached: middle(near), uncached: middle(again) };
  }
}

/**
 * Tokens a second of an engine, over the steps of a short text.
 * @param {any} session
 * @param {{ ids: number[], ends: number[], context: number, signal: AbortSignal }} text
 */
export async function measureSpeed(session, { ids, ends, context, signal }) {
  const settings = endless(ends);
  const max_new_tokens = Math.min(96, context - ids.length - 1);
  /** @type {number[]} */
  const times = [];
  for (let i = 0; i < 3 && !signal.aborted; i++)
    for await (const { ms } of session.generate({
      ...settings,
      prompt: ids,
      max_new_tokens,
      signal,
    }))
      times.push(ms);
  return 1000 / middle(times);
}
