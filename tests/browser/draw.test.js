/** Tests the panel that draws a token: dragging u, Gumbel-max, and a thousand draws beside the bars. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tallySeed, totalVariation } from '../../web/state/tally.js';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import {
  FIRST,
  START,
  loadReference,
  openBench,
  settle,
  until,
  unfoldDraw,
  unfoldStages,
} from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

const BALANCED = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };
/** Opens the page at its initial settings, perhaps in a page that an earlier test used. */
const open = (options = {}) => bench.open({ ...options, path: `?lang=en${START}` });

const drawn = async (page) =>
  Number(await page.locator('logit-draw .lands').getAttribute('data-drawn'));

/** Returns the token that the engine draws after the prompt FIRST. */
function expectedDraw(settings, choice) {
  scope.feed(scope.encode(FIRST));
  return scope.draw({ ...BALANCED, seed: 42, ...settings }, choice);
}

test('the mouse and the keys move u, Step takes its token, and the drawn u comes back', async () => {
  const { page, close } = await open();
  const strip = page.locator('logit-draw .strip');
  await strip.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await strip.boundingBox();
  await page.mouse.move(x + width * 0.3, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.95, y + height / 2, { steps: 5 });
  await page.mouse.up();
  const wanted = expectedDraw({}, { u: 0.95 }).id;
  assert.notEqual(wanted, expectedDraw({}, { step: 0 }).id);
  await until(() => drawn(page), wanted);
  assert.ok(Math.abs(Number(await strip.getAttribute('aria-valuenow')) - 0.95) < 0.01);

  await page.locator('[data-command=seeded]').click();
  const seeded = expectedDraw({}, { step: 0 });
  await until(() => drawn(page), seeded.id);
  await strip.focus();
  await page.keyboard.press('End');
  const words = await until(() => strip.getAttribute('aria-valuetext'), /^u = 0\.9999/);
  assert.match(words, /^u = 0\.9999: \w+/);
  await settle(page);
  const last = await drawn(page);
  await page.locator('[data-command=step]').click();
  await page.locator('logit-text .step').first().waitFor();
  assert.equal(
    Number(await page.locator('logit-text .step [data-place]').first().getAttribute('data-id')),
    last,
  );
  await page.locator('[data-command=seeded]').waitFor({ state: 'hidden' });
  await close();
});

test("Gumbel-max draws the engine's token without a u", async () => {
  const { page, complaints, close } = await open();
  await unfoldDraw(page);
  await page.locator('[data-method=gumbel]').click();
  const lands = page.locator('logit-draw .lands');
  assert.match(await until(() => lands.innerText(), /^Gumbel/), /^Gumbel-max: /);
  await until(() => drawn(page), expectedDraw({ draw: 'gumbel' }, { step: 0 }).id);
  assert.equal(await page.locator('logit-draw .strip').getAttribute('aria-disabled'), 'true');
  await page.locator('logit-draw .strip').focus();
  await page.keyboard.press('End');
  await page.locator('[data-method=inverse]').click();
  await until(() => lands.innerText(), /^u =/);
  await until(() => drawn(page), expectedDraw({}, { step: 0 }).id);
  assert.deepEqual(complaints, []);
  await close();
});

test("a thousand draws are the engine's own, shown as ticks on the bars and as a distance", async () => {
  const { page, close } = await open();
  await unfoldDraw(page);
  await page.locator('[data-command=many]').click();
  const result = page.locator('logit-draw .result');
  await page.locator('logit-draw .result[data-total="1000"]').waitFor();

  const seed = tallySeed(42, 0);
  const counts = new Map();
  for (let step = 0; step < 1000; step++) {
    const { id, p } = expectedDraw({ seed }, { step });
    counts.set(id, { n: (counts.get(id)?.n ?? 0) + 1, p });
  }
  for (const [id, { n }] of counts) {
    const count = page.locator(`logit-distribution .row[data-id="${id}"] .count`);
    await until(() => count.getAttribute('data-share'), String(n / 1000));
  }
  const distance = totalVariation({ total: 1000, counts });
  assert.ok(distance < 0.05);
  assert.ok((await result.innerText()).includes(` ${distance.toFixed(4)} `));

  await page.locator('[data-command=many]').click();
  await page.locator('logit-draw .result[data-total="2000"]').waitFor();
  await page.locator('#tab-ranks').click();
  assert.equal(await result.getAttribute('data-total'), '2000');
  await page.locator('#tab-bars').click();
  await page.locator('logit-knob[data-name=top_k]').getByRole('slider').press('ArrowRight');
  await until(() => result.getAttribute('data-total'), '0');
  assert.equal(await page.locator('.count').count(), 0);
  await close();
});

test('the total variation distance counts tokens that were never drawn', () => {
  const counts = new Map([
    [1, { n: 6, p: 0.5 }],
    [2, { n: 4, p: 0.3 }],
  ]);
  assert.ok(Math.abs(totalVariation({ total: 10, counts }) - 0.2) < 1e-12);
});

long('a strip shows the bars while a knob outside their view turns', async () => {
  const { page, close } = await open({ viewport: { width: 375, height: 700 } });
  const glance = page.locator('logit-glance');
  assert.equal(await glance.isVisible(), false);
  await unfoldStages(page);
  await page.locator('logit-chain summary', { hasText: 'More settings' }).click();
  const slider = page.locator('logit-knob[data-name=min_tokens_to_keep]').getByRole('slider');
  await slider.focus();
  await glance.locator('.column').first().waitFor();
  const box = await glance.boundingBox();
  const used = await slider.boundingBox();
  assert.ok(box.y + box.height < used.y || box.y > used.y + used.height, 'beside the knob');
  await page.locator('logit-draw summary').focus();
  assert.equal(
    await until(
      () => glance.isVisible(),
      (seen) => !seen,
    ),
    false,
  );
  await close();
});
