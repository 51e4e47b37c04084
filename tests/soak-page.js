/**
 * Tests the page in Chromium over a long time: `node tests/soak-page.js [MINUTES] [TOKENS] [KNOBS]` cycles through
 * landscape, bench and compare with new seeds. It runs at least MINUTES, TOKENS and KNOBS (knob moves), and prints the
 * memory in use after each twentieth. The heap, nodes, listeners, documents and resident memory of all browser
 * processes must not grow from the second twentieth on.
 */
import { readFileSync } from 'node:fs';
import { serve } from '../web/serve.js';
import { dragLandscape, turnKnob } from './bench/hand.js';
import { openSite } from './browser/site.js';
import { closeEverything } from './cleanup.js';
import { heldBy, listen } from './fuzz/player.js';

const [MINUTES = 120, TOKENS = 1e6, KNOBS = 1e5] = process.argv.slice(2).map(Number);
const STAGES = 20;
/** Duration of a drag of one knob, in ms. */
const DRAG = 3000;
const KNOBS_TURNED = ['temperature', 'top_k', 'top_p'];
/** Length of a text on the bench and in the comparison, in tokens. */
const [WRITTEN, COMPARED] = [400, 200];
/** Number of texts for each setting of the comparison. Few, so drags take most of a round. */
const SAMPLES = 5;
/** Allowed growth: a factor of all counts, and further bytes of the heap for its random changes. */
const GROWTH = 1.25;
const NOISE = 16e6;

/** Runs in the page: returns true if every text of the comparison is complete. */
const complete = () => {
  const { shadowRoot } = document.querySelector('logit-scope');
  const bar = shadowRoot.querySelector('logit-compare')?.shadowRoot.querySelector('progress');
  return bar && bar.max > 1 && bar.value === bar.max;
};

/** Downloads the comparison's CSV and returns its number of tokens. */
async function compared() {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('logit-compare [data-command=csv]').click(),
  ]);
  const written = readFileSync(await file.path(), 'utf8').trim();
  await file.delete();
  const [heads, ...rows] = written
    .replace(/"(?:[^"]|"")*"/g, 'quoted') // commas and newlines in a quoted text separate nothing
    .split('\n')
    .map((line) => line.split(','));
  return rows.reduce((sum, row) => sum + Number(row[heads.indexOf('tokens')]), 0);
}

const { dist, browser } = await openSite();
const server = await serve(dist, 0);
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(300_000);
const faults = listen(page, server.url);
const whole = await browser.newBrowserCDPSession();
const sums = { rounds: 0, written: 0, compared: 0, knobs: 0, dragged: 0 };
const tokens = () => sums.written + sums.compared;

/**
 * Shows a view by a click on its tab, then sets a state by the fragment, as a link does.
 * @param {string} view
 * @param {Record<string, string | number>} [state]
 */
async function show(view, state = {}) {
  await page.locator(`logit-scope [role=tab][data-view=${view}]`).click();
  await settle();
  const fragment = new URLSearchParams({ ...state, seed: String(sums.rounds) });
  await page.evaluate(async (wanted) => {
    const heard = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
    location.hash = wanted;
    await heard;
  }, String(fragment));
  await settle();
}

function settle() {
  return page.evaluate(() => document.querySelector('logit-scope').settled());
}

async function round() {
  sums.rounds++;
  await show('landscape');
  sums.dragged += await page.evaluate(dragLandscape, { ms: DRAG, rise: 0.7 });
  const prompt = sums.rounds % 2 ? 'Once upon a time' : 'One day, a cat';
  await show('bench', { prompt, max_new_tokens: WRITTEN, temperature: 1.5 });
  for (const name of KNOBS_TURNED) sums.knobs += await page.evaluate(turnKnob, { name, ms: DRAG });
  await settle();
  await page.locator('logit-text input[type=range]').evaluate((speed) => {
    speed.value = speed.max;
    speed.dispatchEvent(new Event('input'));
  });
  await page.locator('logit-text [data-command=run]').click();
  await page.waitForFunction(() => document.querySelector('logit-scope').result.finish_reason);
  sums.written += await page.evaluate(
    () => document.querySelector('logit-scope').result.ids.length,
  );
  await show('compare', {
    compare_suite: 'nine',
    compare_samples: SAMPLES,
    compare_max_new_tokens: COMPARED,
    compare_seed: sums.rounds * SAMPLES,
  });
  await page.waitForFunction(complete);
  sums.compared += await compared();
}

/** Returns the resident memory of a process, in MB. @param {number} id */
const residentOf = (id) => {
  try {
    return (
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024
    );
  } catch {
    return 0; // no such process: it has ended
  }
};

/** Returns the page's counters of objects in memory, and the resident memory of all processes in MB. */
async function memoryInUse() {
  const { processInfo } = await whole.send('SystemInfo.getProcessInfo');
  const resident = processInfo.reduce((sum, { id }) => sum + residentOf(id), 0);
  return { ...(await heldBy(page)), resident };
}

await page.goto(`${server.url}?lang=en&model=stories&view=bench`);
await settle();
const began = Date.now();
/** @type {Awaited<ReturnType<typeof held>>[]} */
const all = [];
console.log(
  '| minutes | rounds | tokens | knob moves | drag moves | heap MB | nodes | listeners | documents | resident MB |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|');
for (let stage = 1; stage <= STAGES && faults.length === 0; stage++) {
  const share = stage / STAGES;
  const isUnfinished = () =>
    Date.now() - began < share * MINUTES * 60_000 ||
    tokens() < share * TOKENS ||
    sums.knobs + sums.dragged < share * KNOBS;
  do await round();
  while (isUnfinished() && faults.length === 0);
  const now = await memoryInUse();
  all.push(now);
  console.log(
    `| ${((Date.now() - began) / 60_000).toFixed(1)} | ${sums.rounds} | ${tokens()} | ${sums.knobs} | ${sums.dragged} | ` +
      `${(now.heap / 1e6).toFixed(1)} | ${now.nodes} | ${now.listeners} | ${now.documents} | ${now.resident.toFixed(0)} |`,
  );
}
const [, first] = all;
const last = all.at(-1);
for (const name of ['heap', 'nodes', 'listeners', 'documents', 'resident'])
  if (first && last[name] > GROWTH * first[name] + (name === 'heap' ? NOISE : 0))
    faults.push(`${name} grew from ${first[name]} to ${last[name]}`);
console.log(
  faults.length
    ? `FAILED: ${faults.slice(0, 5).join('; ')}`
    : 'flat, and nothing was complained about',
);
await server.close();
process.exitCode = faults.length ? 1 : 0;
await closeEverything();
