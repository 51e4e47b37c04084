/** Shows the progress on stderr while a model is fetched. */

/** Time between two updates, in ms. A terminal overwrites its line; elsewhere each update is a new line. */
const EVERY = { terminal: 100, lines: 5000 };
const WIDTH = 24;

/**
 * Reasons why a file was not stored, by their names in `where`.
 * @type {Record<string, string>}
 */
const NOT_KEPT = {
  quota: 'not kept: there is no room for it',
  busy: 'not kept: another process is fetching it',
  none: 'not kept: the folder cannot be written',
  unsized: 'not kept: the host does not say how long it is',
};

const writeMegabytes = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** @param {number} seconds */
function writeDuration(seconds) {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/**
 * Returns a callback for progress, and a function to call at the end.
 * @param {NodeJS.WriteStream} stderr
 */
export function showProgress(stderr) {
  const begun = performance.now();
  let first = -1;
  let last = -Infinity;
  let where = '';
  /** @param {{ loaded: number, total: number | null }} progress @param {number} now */
  const line = ({ loaded, total }, now) => {
    const rate = (1000 * (loaded - first)) / Math.max(1, now - begun);
    const left = total && rate > 0 ? `, ${writeDuration((total - loaded) / rate)} left` : '';
    const share = total ? Math.floor((WIDTH * loaded) / total) : 0;
    const bar = total ? `[${'#'.repeat(share).padEnd(WIDTH, '.')}] ` : '';
    const of = total ? ` of ${writeMegabytes(total)}` : '';
    return `${bar}${writeMegabytes(loaded)}${of}, ${writeMegabytes(rate)}/s${loaded === total ? '' : left}`;
  };
  return {
    /** @type {import('../engine/types.js').OnProgress} */
    onprogress(progress) {
      if (!progress.where || progress.where === 'there') return;
      ({ where } = progress);
      const now = performance.now();
      if (first < 0) first = progress.loaded;
      const ended = progress.loaded === progress.total;
      if (!ended && now - last < (stderr.isTTY ? EVERY.terminal : EVERY.lines)) return;
      last = now;
      stderr.write(stderr.isTTY ? `\r\u001b[2K${line(progress, now)}` : `${line(progress, now)}\n`);
    },
    end() {
      if (where && stderr.isTTY) stderr.write('\n');
      if (NOT_KEPT[where]) stderr.write(`${NOT_KEPT[where]}\n`);
    },
  };
}
