/**
 * Tests a page in the background that is disturbed: it goes offline, the machine sleeps during a computation, the
 * clock is set back, or the storage is full. In the end its state must equal that of an undisturbed page. Two tabs of
 * one user must not affect each other.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import { openBench, settle } from './bench.js';

/** Duration of the machine's sleep, in ms: longer than any timer of the page. */
const ASLEEP = 700;

/** Stops all browser processes of a page for ASLEEP ms. */
async function sleepAndWake(page) {
  const devtools = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  const signal = (name) => processInfo.forEach(({ id }) => process.kill(id, name));
  try {
    signal('SIGSTOP');
    await sleep(ASLEEP);
  } finally {
    signal('SIGCONT');
  }
  await devtools.detach();
}

const bench = closed(await openBench());

/** By view: its address, an action that starts a computation, and a function that reads the final state. */
const STATES = {
  landscape: {
    path: '&view=landscape#temperature=0.7',
    begin: (page) => page.locator('logit-landscape .handle.knob').press('PageUp'),
    read: (page) => page.locator('logit-landscape .sentence').innerText(),
  },
  bench: {
    path: '#temperature=1.5&max_new_tokens=60',
    begin: (page) => page.locator('logit-text [data-command=run]').click(),
    read: (page) =>
      page
        .locator('logit-text .step [data-place]')
        .evaluateAll((all) => all.map((b) => b.dataset.id)),
  },
  compare: {
    path: '&view=compare',
    begin: (page) => page.locator('logit-compare [data-command=luck]').click(),
    read: (page) => page.locator('logit-compare logit-passage').allInnerTexts(),
  },
  sweep: {
    path: '&view=sweep#sweep_figure=trade&sweep_samples=2',
    begin: (page) => page.locator('logit-sweep [data-command=run]').click(),
    read: (page) => page.locator('logit-sweep tbody').first().textContent(),
  },
};

for (const [name, { path, begin, read }] of Object.entries(STATES))
  long(
    `${name} ends in the same state although it is offline, asleep, its clock set back and its storage full`,
    async () => {
      const opened = () =>
        bench.open({ path: `?lang=en&model=verbs${path}`, ready: false, own: true });
      const [{ page, complaints, foreign, close }, awake] = await Promise.all([opened(), opened()]);
      await Promise.all(
        [page, awake.page].map(async (each) => {
          await each.locator('logit-scope').waitFor();
          await settle(each);
          await each.waitForLoadState('networkidle'); // some parts load after the bars, and offline they could not
        }),
      );
      await page.context().setOffline(true);
      await page.evaluate(() => {
        const { now } = Date;
        Date.now = () => now() - 1e11;
        globalThis.met = [];
        Storage.prototype.setItem = function (key) {
          if (this === localStorage) globalThis.met.push(key);
          throw new DOMException('No space', 'QuotaExceededError');
        };
        let last = performance.now();
        globalThis.longest = 0;
        setInterval(() => {
          globalThis.longest = Math.max(globalThis.longest, performance.now() - last);
          last = performance.now();
        }, 10);
      });
      await page.getByRole('button', { name: 'Language and colours' }).click();
      await page.getByRole('radio', { name: 'Dark' }).check();
      await begin(page);
      await sleepAndWake(page);
      await settle(page);
      await begin(awake.page);
      await settle(awake.page);
      const shown = await read(page);
      assert.ok(shown.length > 0);
      assert.deepEqual(shown, await read(awake.page));
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
      const met = await page.evaluate(() => globalThis.met);
      const kept = ['landscape', 'bench'].includes(name) ? ['logitscope-sessions'] : [];
      assert.deepEqual(met.sort(), [...kept, 'logitscope-theme'], 'each store is met once');
      assert.ok((await page.evaluate(() => globalThis.longest)) > ASLEEP / 2, 'it slept');
      assert.deepEqual([...complaints, ...foreign], []);
      await Promise.all([close(), awake.close()]);
    },
  );

test('two tabs of one user keep their own states', async () => {
  const { page, complaints, close } = await bench.open({
    own: true,
    path: '?lang=en#temperature=0.3',
  });
  const other = await page.context().newPage();
  await other.goto(`${bench.url}?lang=en&model=verbs#temperature=1.7`);
  await other.locator('logit-distribution .row').first().waitFor();
  await settle(other);
  const heat = (tab) =>
    tab.locator('logit-knob[data-name=temperature] input[type=range]').inputValue();
  assert.deepEqual(await Promise.all([page, other].map(heat)), ['0.3', '1.7']);
  await other.locator('logit-knob[data-name=temperature] input[type=range]').fill('2.4');
  await settle(other);
  await page.reload();
  await page.locator('logit-distribution .row').first().waitFor();
  await settle(page);
  assert.deepEqual(await Promise.all([page, other].map(heat)), ['0.3', '2.4']);
  assert.deepEqual(complaints, []);
  await close();
});
