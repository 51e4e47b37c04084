/**
 * Timing of the bench: a sample runs whole units of work until enough time has passed; results are
 * medians of samples.
 */

/**
 * Returns the milliseconds of a call, over as many calls as fill `least` milliseconds. It reads the clock
 * so seldom that the reading costs nothing.
 * @param {() => void | Promise<void>} call
 * @param {number} least
 * @returns {Promise<number>}
 */
export async function timeOf(call, least) {
  const began = performance.now();
  let calls = 0;
  for (let batch = 1; ; ) {
    for (let i = 0; i < batch; i++) {
      const pending = call();
      if (pending) await pending;
    }
    calls += batch;
    const passed = performance.now() - began;
    if (passed >= least) return passed / calls;
    // The next batch should fill the rest, but at most doubles, so that one slow batch ends the loop.
    batch = Math.max(1, Math.min(calls, Math.ceil((calls * (least - passed)) / passed)));
  }
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Half the range as a part of the median. @param {number[]} values */
export function spread(values) {
  return (Math.max(...values) - Math.min(...values)) / 2 / median(values);
}
