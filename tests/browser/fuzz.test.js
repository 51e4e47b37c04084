/** Plays random input from seeds on views and lessons. `make fuzz-page` plays longer. */
import assert from 'node:assert/strict';
import { closed } from '../cleanup.js';
import { growthOf, planOf, play, watch } from '../fuzz/player.js';
import { long } from '../long.js';
import { openBench } from './bench.js';
import { openSite } from './site.js';

const bench = closed(await openBench());

/** Playing time for each seed, in ms. */
const EACH = 8000;
const SEEDS = Array.from({ length: 24 }, (_, i) => i + 2);

for (const seed of SEEDS)
  long(
    `random input causes no fault, and the address keeps the state: SEED=${seed} ${planOf(seed).place}`,
    async () => {
      const { browser } = await openSite();
      const { log, faults, mirrored } = await play(browser, bench.url, planOf(seed), EACH);
      const last = log.slice(-12).join('\n');
      assert.ok(log.length > 0);
      assert.deepEqual(faults, [], last);
      if (mirrored) assert.equal(mirrored.second, mirrored.shown, last);
    },
  );

long('the fuzzer tells a leaking page from one that opens something large', async () => {
  const { browser } = await openSite();
  const page = await browser.newPage();
  const add = (count) => globalThis.kept.push(...Array.from({ length: count }, () => new Text()));
  await page.evaluate(() => (globalThis.kept = []));
  await page.evaluate(add, 10_000);
  // Instead of waiting between two measurements, the page adds 9000 nodes once, as if it opened something large.
  let looks = 0;
  page.waitForTimeout = () => page.evaluate(add, looks++ === 1 ? 9000 : 0);
  assert.deepEqual(growthOf(await watch(page, 0)), []);
  assert.ok(looks > 2);
  page.waitForTimeout = () => page.evaluate(add, 4000);
  const [said] = growthOf(await watch(page, 0));
  assert.match(said, /^nodes grow: (\d+, ){11}\d+$/);
  await page.close();
});
