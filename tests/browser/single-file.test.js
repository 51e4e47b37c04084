/** Tests the single-file page offline, opened by file:// and in a sandboxed frame. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { SHIPPED } from '../../web/lessons/shipped.js';
import { closed } from '../cleanup.js';
import { LONG, long } from '../long.js';
import {
  FIRST,
  expectTrace,
  loadReference,
  openBench,
  root,
  showView,
  unfoldStages,
  until,
} from './bench.js';

const PLAIN = {};
let bench;
let scope;
let file;

before(async () => {
  [bench, scope] = await Promise.all([openBench(), loadReference()]);
  file = join(bench.dist, 'logitscope.html');
});
after(() => bench?.close());

/** Opens a page without network access. */
async function openCut(options) {
  const opened = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    own: true,
    ...options,
  });
  opened.complaints.length = 0;
  opened.foreign.length = 0;
  return opened;
}

function expectWhole(place, settings) {
  scope.feed(scope.encode(FIRST));
  return expectTrace(place, scope.distribution({ ...settings, top: 20 }));
}

test('a double click opens the whole instrument without a network', async () => {
  const { page, complaints, foreign, close } = await openCut();
  await page.context().setOffline(true);
  await page.goto(`${pathToFileURL(file)}?lang=en&model=verbs&view=bench`);
  await page.locator('logit-distribution .row').first().waitFor();
  await expectWhole(page, PLAIN);
  await unfoldStages(page);
  await page.locator('[data-add=own]').click();
  const own = page.locator('logit-chain .card[data-stage=own]');
  await own.getByText('keeps 5').waitFor();
  await own.locator('[data-do=switch]').click();
  await page.locator('#preset').selectOption({ label: 'Greedy: always the best' });
  await expectWhole(page, { temperature: 0 });
  await page.locator('[data-command=run]').click();
  await page.locator('.verdict[data-right]').waitFor();
  if (LONG) {
    await page.locator('[data-command=share]').click();
    const share = page.locator('logit-send');
    await share.locator('#link').waitFor();
    await share.locator('summary').click();
    assert.deepEqual(
      [await share.locator('iframe').count(), await share.locator('#element').count()],
      [0, 0],
    );
    await page.keyboard.press('Escape');
    for (const view of ['compare', 'sweep', 'cost', 'speculative', 'logits'])
      await showView(page, view);
  }
  assert.deepEqual(
    foreign.filter((url) => !/^(file|blob|data):/.test(url)),
    [],
  );
  assert.deepEqual(
    foreign.filter((url) => url.startsWith('file:')).map((url) => url.split('?')[0]),
    [String(pathToFileURL(file))],
  );

  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  // The page names the missing model and the misspelt control.
  await page.goto(
    `${pathToFileURL(file)}?lang=en&model=shakespeare&controls=distribution,top-p#temperature=0.5`,
  );
  await page.locator('logit-distribution .row').first().waitFor();
  assert.equal(
    await page.locator('logit-scope [role=alert] p').innerText(),
    '2 parts were left out: controls=top-p (there is no such knob or panel) and model=shakespeare (this page may not fetch from there: download the file and open it from disk).',
  );
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'the file contains the relaxed SIMD module: a quantised model gives the same bits, and the hash address works',
  async () => {
    const { page, close } = await openCut();
    await page.goto(
      `${pathToFileURL(file)}?lang=en&model=stories#prompt=Once%20upon%20a%20time&temperature=1.2&branch=11,12,13`,
    );
    await page.locator('logit-distribution .row').first().waitFor();
    const built = existsSync(join(bench.dist, 'logitscope-relaxed.wasm'));
    assert.equal(
      await page.locator('logit-scope').evaluate((e) => e.info.variant),
      built ? 'relaxed' : 'simd',
    );
    const stories = await Logitscope.load({ model: join(root, 'models/stories.gguf') });
    await until(() => page.locator('logit-tape .step').count(), 3);
    stories.feed(Uint32Array.from([...stories.encode('Once upon a time'), 11, 12, 13]));
    await expectTrace(page, stories.distribution({ temperature: 1.2, top: 20 }));
    stories.close();
    await close();
  },
);

long(
  'the file contains the lessons: their list, and one in Spanish that is judged and kept',
  async () => {
    // Opens the page as a first visit: if a test script writes to storage before the page does, Chromium may lose the
    // storage of a file.
    const { page, complaints, foreign, close } = await openCut({ first: true });
    await page.context().setOffline(true);
    await page.goto(`${pathToFileURL(file)}?lesson&lang=es`);
    const rows = page.locator('logit-lesson ol:not(.first) li');
    await rows.first().waitFor();
    assert.equal(await rows.count(), SHIPPED.length);
    await rows.getByText('Misma semilla, mismos bytes').click();
    const first = page.locator('logit-question').first();
    await first.locator('input').last().check();
    await first.locator('button.primary').click();
    await first.getByText('Correcto.').waitFor();
    await until(() => page.locator('logit-written-text code').textContent(), '547e4d7d');
    await page.reload();
    await until(() => page.locator('logit-lesson .progress').innerText(), /^1 de 4/);
    assert.deepEqual(
      foreign.filter(
        (url) => !url.startsWith(String(pathToFileURL(file))) && !/^(blob|data):/.test(url),
      ),
      [],
    );
    assert.deepEqual(complaints, []);
    await close();
  },
);

const WORKERS = /** @type {const} */ ([
  ['a worker', true],
  ['no worker', false],
]);
for (const [name, worker] of WORKERS)
  long(
    `the page works in a sandboxed frame of an opaque origin, with ${name}, without storage or history`,
    async () => {
      const html = await readFile(file, 'utf8');
      const server = createServer((request, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8');
        if (!worker && request.url.startsWith('/single'))
          response.setHeader('content-security-policy', "worker-src 'none'");
        response.end(
          request.url.startsWith('/single')
            ? html
            : '<!doctype html><link rel="icon" href="data:,"><iframe sandbox="allow-scripts" width="1200" height="900" src="/single?lang=en&model=verbs&view=bench"></iframe><script>window.heard=[];addEventListener("message",(e)=>heard.push(e.data))</script>',
        );
      });
      closed(server);
      await new Promise((resolve) => server.listen(0, resolve));
      const { page, complaints, close } = await openCut({ first: true });
      await page.goto(`http://localhost:${server.address().port}/`);
      const frame = page.frameLocator('iframe');
      await frame.locator('logit-distribution .row').first().waitFor();
      await expectWhole(frame, PLAIN);
      await page.evaluate(() =>
        frames[0].postMessage({ type: 'logitscope:set', settings: { top_k: 2 } }, '*'),
      );
      await expectWhole(frame, { top_k: 2 });
      assert.ok(
        (await page.evaluate(() => window.heard)).some(({ type }) => type === 'logitscope:ready'),
      );
      assert.deepEqual(
        worker ? complaints : complaints.filter((text) => !text.includes('worker')),
        [],
      );
      complaints.length = 0;
      // A sandboxed frame cannot submit forms, but Enter and the button must still check an answer.
      await page
        .locator('iframe')
        .evaluate((it) => (it.src = '/single?lesson=temperature&lang=en'));
      const first = frame.locator('logit-question').first();
      await first.locator('input').fill('0.5');
      await first.locator('input').press('Enter');
      await first.getByText('Not yet.').waitFor();
      await first.locator('input').fill('0.63');
      await first.locator('[data-command=check]').click();
      await first.getByText('Right.').waitFor();
      if (worker) assert.deepEqual(complaints, []);
      await close();
    },
  );
