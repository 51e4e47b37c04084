/**
 * Fuzzes the built page: plays random input on every view, lesson and language. `node tests/fuzz/page.js SECONDS`
 * starts at seed SEED; the same seed plays the same input. The browser is Chromium, or BROWSER=firefox or
 * BROWSER=webkit, in which the check for memory growth is skipped.
 */
import { serve } from '../../web/serve.js';
import { closeEverything } from '../cleanup.js';
import { openSite } from '../browser/site.js';
import { playElsewhere } from './elsewhere.js';
import { growthOf, planOf, play } from './player.js';

/** How long each seed is played, in ms. */
const EACH = 12_000;

const first = Number(process.env.SEED ?? 1);
const { BROWSER = 'chromium' } = process.env;
if (!['chromium', 'firefox', 'webkit'].includes(BROWSER)) {
  console.error(`BROWSER is chromium, firefox or webkit, not ${BROWSER}`);
  process.exit(2);
}
/** @type {import('./elsewhere.js').Browser | null} */
const other = BROWSER === 'chromium' ? null : await import(`../browser/${BROWSER}.js`);
const missing = other?.missing();
if (missing) throw new Error(missing);
const { dist, browser } = await openSite();
const server = await serve(dist, 0);
let until = Date.now() + Number(process.argv[2] ?? 60) * 1000;
const sums = { seeds: 0, acts: 0, mirrored: 0, faults: 0 };

// The browser would continue after this process has ended, so a signal only ends the loop after the current seed.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    until = 0;
  });

for (let seed = first; Date.now() < until; seed++) {
  const plan = planOf(seed);
  const what = `SEED=${seed} ${plan.place} ${plan.lang} ${other ? BROWSER : `${plan.viewport.width} px`}`;
  /** @type {string[]} */
  let said = [];
  try {
    const played = other
      ? await playElsewhere(other, server.url, plan, EACH)
      : await play(browser, server.url, plan, EACH);
    const { log, faults, mirrored } = played;
    said = [...faults];
    if (mirrored && mirrored.shown !== mirrored.second)
      said.push(
        `another page shows something else at ${mirrored.address}`,
        mirrored.shown.slice(0, 1500),
        mirrored.second.slice(0, 1500),
      );
    const held = [];
    if ('held' in played) {
      said.push(...growthOf(played.held));
      const { nodes, listeners, heap } = played.held[played.held.length - 1];
      const looks = played.held.length > 2 ? [`${played.held.length} looks`] : [];
      held.push(
        `${nodes} nodes`,
        `${listeners} listeners`,
        `${(heap / 1e6).toFixed(1)} MB`,
        ...looks,
      );
    }
    sums.acts += log.length;
    if (mirrored) sums.mirrored++;
    if (said.length > 0) said.push(...log.slice(-12).map((act) => `  ${act}`));
    const all = [`${log.length} acts`, ...held, ...(mirrored ? ['mirrored'] : [])];
    console.log(`${what}: ${all.join(', ')}`);
  } catch (error) {
    said.push(String(error?.stack ?? error));
  }
  sums.seeds++;
  if (said.length > 0) {
    sums.faults++;
    console.log(`${what} FAILED\n  ${said.join('\n  ')}`);
  }
}

console.log(
  `${sums.seeds} seeds, ${sums.acts} acts, ${sums.mirrored} mirrored, ${sums.faults} failed`,
);
await server.close();
process.exitCode = sums.faults > 0 ? 1 : 0;
await closeEverything();
