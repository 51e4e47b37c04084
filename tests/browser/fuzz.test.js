/** Random input from seeds: on a view, and in `make test-long` in lessons too; `make fuzz-page` plays longer. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { planOf, play } from '../fuzz/player.js';
import { cases } from '../long.js';
import { openBench } from './bench.js';
import { openSite } from './site.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
before(async () => (bench = await openBench()));
after(() => bench?.close());

/** How long a seed is played, in ms. */
const EACH = cases(1500, 8000);
const SEEDS = Array.from({ length: cases(1, 24) }, (_, i) => i + 2);

for (const seed of SEEDS)
  test(`random input does no harm and stands in the address: SEED=${seed} ${planOf(seed).place}`, async () => {
    const { browser } = await openSite();
    const { log, faults, mirrored } = await play(browser, bench.url, planOf(seed), EACH);
    const last = log.slice(-12).join('\n');
    assert.ok(log.length > 0);
    assert.deepEqual(faults, [], last);
    if (mirrored) assert.equal(mirrored.second, mirrored.shown, last);
  });
