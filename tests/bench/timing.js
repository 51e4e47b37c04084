/** The bench's clock: a sample runs units of work until enough time has passed; results are medians of samples. */

/**
 * Returns the mean milliseconds of a call. It repeats calls for at least `least` milliseconds, and reads the clock only
 * after batches of calls, because reading takes time.
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
    // The next batch should fill the remaining time. It at most doubles the calls, so one slow batch ends the loop.
    batch = Math.max(1, Math.min(calls, Math.ceil((calls * (least - passed)) / passed)));
  }
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Returns half the range divided by the median. @param {number[]} values */
export function spread(values) {
  return (Math.max(...values) - Math.min(...values)) / 2 / median(values);
}
