/**
 * Random input on every view, lesson and language of the built page for so many seconds: `node
 * tests/fuzz/page.js 60`, from the seed of SEED on. Each seed is played anew by its number.
 */
import { serve } from '../../web/serve.js';
import { closeEverything } from '../cleanup.js';
import { openSite } from '../browser/site.js';
import { planOf, play } from './player.js';

/** How long one seed is played, in ms. */
const EACH = 12_000;
/** More than this many times the nodes or listeners of half of the time is growth. */
const GROWTH = 3;

const first = Number(process.env.SEED ?? 1);
const { dist, browser } = await openSite();
const server = await serve(dist, 0);
const until = Date.now() + Number(process.argv[2] ?? 60) * 1000;
const sums = { seeds: 0, acts: 0, mirrored: 0, faults: 0 };

for (let seed = first; Date.now() < until; seed++) {
  const plan = planOf(seed);
  const what = `SEED=${seed} ${plan.place} ${plan.lang} ${plan.viewport.width} px`;
  /** @type {string[]} */
  let said = [];
  try {
    const { log, faults, half, end, mirrored } = await play(browser, server.url, plan, EACH);
    said = [...faults];
    if (mirrored && mirrored.shown !== mirrored.second)
      said.push(
        `another page shows something else at ${mirrored.address}`,
        mirrored.shown.slice(0, 1500),
        mirrored.second.slice(0, 1500),
      );
    for (const name of /** @type {const} */ (['nodes', 'listeners', 'documents']))
      if (end[name] > GROWTH * half[name])
        said.push(`${name} grew from ${half[name]} to ${end[name]}`);
    sums.acts += log.length;
    if (mirrored) sums.mirrored++;
    if (said.length > 0) said.push(...log.slice(-12).map((act) => `  ${act}`));
    console.log(
      `${what}: ${log.length} acts, ${end.nodes} nodes, ${end.listeners} listeners, ` +
        `${(end.heap / 1e6).toFixed(1)} MB${mirrored ? ', mirrored' : ''}`,
    );
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
