/** Tests watermarks on the page: green bars, green tokens, and the detector's result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detect } from '../../web/engine/detect.js';
import { closed } from '../cleanup.js';
import { LONG, long } from '../long.js';
import {
  FIRST,
  axe,
  expectTrace,
  loadReference,
  openBench,
  settle,
  until,
  unfoldStages,
} from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

const idsOf = (page, selector) =>
  page.locator(selector).evaluateAll((found) => found.map((one) => Number(one.dataset.id)));
const greenSteps = (page) =>
  page
    .locator('logit-text .step')
    .evaluateAll((steps) => steps.map((step) => step.classList.contains('green')));

/** Waits until the watermark panel shows the result of the engine's detector for the drawn tokens. */
async function expectLine(page, settings, least) {
  const prompt = [...scope.encode(FIRST)];
  const line = page.locator('logit-watermark [data-mark]');
  await until(
    async () => {
      const drawn = await idsOf(page, 'logit-text .step [data-place]');
      const [found] = await detect(scope, [...prompt, ...drawn], settings, { from: prompt.length });
      const shares = found.shares.slice(prompt.length);
      const right = [found.z, found.n, found.p, ...shares.map((share) => share > 0.5)].join();
      const said = await line.evaluateAll((lines) =>
        lines.map(({ dataset: { z, n, p } }) => [z, n, p].join()),
      );
      return { n: drawn.length, right, shown: [...said, ...(await greenSteps(page))].join() };
    },
    ({ n, right, shown }) => n >= least && right === shown,
  );
  return line;
}

test('green bars, green tokens, z and p are the engine’s', async () => {
  const settings = { green_bias: 2, green_fraction: 0.5 };
  const { page, complaints, close } = await bench.open({
    path: '?lang=en#green_bias=2&green_fraction=0.5',
    fresh: true,
  });
  scope.feed([...scope.encode(FIRST)]);
  const trace = scope.distribution({ ...settings, seed: 42 });
  await expectTrace(page, trace);
  const green = trace.tokens.filter((token) => token.green).map(({ id }) => id);
  assert.ok(green.length > 0 && green.length < trace.tokens.length, String(green.length));
  const sorted = async (selector) => (await idsOf(page, selector)).sort((a, b) => a - b);
  const ids = green.sort((a, b) => a - b);
  assert.deepEqual(await sorted('logit-distribution .row.green'), ids);
  assert.deepEqual(await sorted('logit-distribution .row:has(.sign)'), ids);
  const readout = page.locator('logit-distribution [data-readout=green]');
  await until(
    () => readout.innerText(),
    (said) => said.includes('Green') && said.includes('→'),
  );
  assert.equal(await page.locator('logit-watermark p').count(), 1);
  assert.match(await page.locator('logit-watermark p').innerText(), /no token to judge yet/);

  await page.locator('[data-command=run]').click();
  await settle(page);
  await until(() => page.locator('[data-command=step]').getAttribute('aria-disabled'), 'true');
  await settle(page);
  const line = await expectLine(page, settings, 3);
  assert.match(await line.innerText(), /z .*p .*token/s);
  assert.equal(await line.locator('polyline').count(), 1);
  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  assert.deepEqual(await axe(page), []);

  // With another key the detector finds nothing. Without a watermark in the settings, the page shows no result.
  await page.evaluate(() => {
    location.hash = location.hash.replace('green_bias=2', 'green_bias=2&watermark_key=7');
  });
  await expectLine(page, { ...settings, watermark_key: 7 }, 3);
  await page.locator('li.card[data-stage=green_bias]').hover();
  await page.locator('[data-remove=green_bias]').click();
  await until(
    () => page.locator('logit-watermark, .row.green, .step.green, [data-readout=green]').count(),
    0,
  );

  // If the settings have no watermark, the check box looks for both types, and here finds none.
  await page.locator('logit-text details.more > summary').click();
  await page.locator('#seek').check();
  const drawn = await idsOf(page, 'logit-text .step [data-place]');
  const prompt = [...scope.encode(FIRST)];
  const sought = { green_bias: 2, green_fraction: 0.5, watermark_key: 7, synthid_depth: 30 };
  const found = await detect(scope, [...prompt, ...drawn], sought, { from: prompt.length });
  const said = () =>
    page
      .locator('logit-watermark [data-mark]')
      .evaluateAll((lines) => lines.map(({ dataset: { mark, z } }) => `${mark} ${z}`).join());
  await until(said, (lines) => lines === found.map(({ name, z }) => `${name} ${z}`).join());
  assert.equal(
    await page.locator('logit-watermark [data-weighted]').getAttribute('data-weighted'),
    String(found[1].weighted.z),
  );
  assert.equal(await page.locator('.step.green').count(), 0);
  // The chart of the detector's z against temperature has a dot for each of the 15 numbers in its table.
  await page.locator('logit-watermark summary').click();
  const heat = page.locator('logit-watermark-heat');
  await heat.locator('.dot').first().waitFor();
  assert.equal(await heat.locator('tbody td').count(), 15);
  assert.equal(await heat.locator('g:not(.pointer) > .dot, svg > .dot').count(), 15);
  assert.deepEqual(await axe(page), []);
  await page.locator('#seek').uncheck();
  await until(() => page.locator('logit-watermark').count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'SynthID has its own line in Spanish, and the list of samplers offers both watermarks',
  async () => {
    const { page, close } = await bench.open({
      path: '?lang=es#synthid_depth=9&synthid_context=1',
    });
    for (let i = 0; i < 3; i++) {
      await page.locator('[data-command=step]').click();
      await until(() => page.locator('logit-text .step').count(), i + 1);
    }
    const line = await expectLine(page, { synthid_depth: 9, synthid_context: 1 }, 3);
    assert.match(await line.innerText(), /^Capas de SynthID/);
    assert.equal(await page.locator('logit-distribution .row.green').count(), 0);
    await unfoldStages(page);
    assert.equal(await page.locator('[data-add=green_bias]').count(), 1);
    assert.equal(await page.locator('[data-add=synthid_depth]').count(), 0);
    await close();
  },
);
