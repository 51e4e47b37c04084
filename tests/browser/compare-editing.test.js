/**
 * Tests changes in Compare: an open editor and unfolded texts stay with their strategy, and a user drags strategies to
 * rank them.
 */
import assert from 'node:assert/strict';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import { openBench, START, until } from './bench.js';

const bench = closed(await openBench());

/** Opens Compare at its initial settings, perhaps in a page that an earlier test used. */
async function open(options) {
  const path = `?lang=en&model=verbs&view=compare${START}`;
  const opened = await bench.open({ ...options, path, ready: false });
  await opened.page.locator('logit-compare #suite').selectOption('extremes');
  await opened.page.locator('logit-compare .gaps').waitFor();
  return opened;
}

/** Presses a button in the menu of the strategy whose column or row has index `at`. */
async function act(page, at, action) {
  const place = page.locator(`:is([data-column="${at}"], [data-row="${at}"]) logit-strategy`);
  await place.locator('.dots').click();
  await place.locator(`[data-action=${action}]`).click();
}

const titles = (page) => page.locator('logit-strategy h3 span:last-child').allInnerTexts();
const editing = (page) =>
  page.locator('logit-strategy').evaluateAll((all) => all.map((one) => one.editing));

long(
  'an open editor stays with its strategy when columns are added, removed and moved',
  async () => {
    const { page, complaints, close } = await open();
    const before = await titles(page);
    const third = page.locator('[data-column="2"]');
    await act(page, 2, 'edit');
    await third.locator('select').selectOption('min_p');
    await third.locator('[data-name=top_p]').fill('7');
    await third.locator('[data-name=top_p]').press('Enter');
    assert.deepEqual(await editing(page), [false, false, true]);

    await act(page, 0, 'remove');
    assert.deepEqual(
      await until(
        () => titles(page),
        (all) => all.length === 2,
      ),
      before.slice(1),
    );
    assert.deepEqual(await editing(page), [false, true]);
    const box = (column, name) => page.locator(`[data-column="${column}"] [data-name=${name}]`);
    assert.equal(await box(1, 'top_p').inputValue(), '7');
    assert.equal(await box(1, 'min_p').inputValue(), '0');

    await act(page, 1, 'lead');
    assert.deepEqual(
      await until(
        () => titles(page),
        ([first]) => first === before[2],
      ),
      [before[2], before[1]],
    );
    assert.deepEqual(await editing(page), [true, false]);
    assert.equal(await box(0, 'top_p').inputValue(), '7');
    assert.match(
      await page.locator('[data-column="0"] .error').innerText(),
      /must be between 0 and 1, got 7/,
    );
    const focused = await page
      .locator('[data-column="0"] logit-strategy')
      .evaluate((it) => it.shadowRoot.activeElement?.className);
    assert.equal(focused, 'dots');

    await page.locator('[data-command=add]').click();
    await page.locator('[data-column="2"]').waitFor();
    assert.deepEqual(await editing(page), [true, false, false]);
    await page.locator('logit-compare #suite').selectOption('extremes');
    assert.deepEqual(
      await until(
        () => titles(page),
        (all) => all[0] === before[0],
      ),
      before,
    );
    assert.deepEqual(await editing(page), [false, false, false]);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long('unfolded texts stay with their strategy when another is removed', async () => {
  const { page, close } = await open();
  await page.locator('logit-compare #suite').selectOption('e27.1');
  await page.locator('[data-row="2"] summary').click();
  await page.locator('[data-row="2"] logit-passage').first().waitFor();
  await act(page, 0, 'remove');
  const open_ = () =>
    page.locator('logit-compare details').evaluateAll((all) => all.map((one) => one.open));
  const unfolded = await until(open_, (all) => all.length < 9);
  assert.equal(unfolded.indexOf(true), 1);
  assert.equal(unfolded.lastIndexOf(true), 1);
  assert.equal(await page.locator('[data-row="1"] logit-passage').count(), 5);
  await close();
});

const shown = (page) =>
  page.locator('logit-ranking .card').evaluateAll((all) => all.map((card) => card.dataset.entry));

async function blind(options) {
  const opened = await open(options);
  await opened.page.locator('logit-compare #suite').selectOption('nine');
  await opened.page.locator('#blind').click();
  await opened.page.locator('logit-ranking .card').nth(2).waitFor();
  return opened;
}

/** Returns points between the handle of the first card and the card two positions below, for a drag. */
async function way(page) {
  const plug = await page.locator('logit-ranking .plug').first().boundingBox();
  const card = await page.locator('logit-ranking .card').nth(2).boundingBox();
  return {
    x: plug.x + plug.width / 2,
    from: plug.y + plug.height / 2,
    to: card.y + card.height - 4,
  };
}

long('a mouse drag moves a text to another rank', async () => {
  const { page, complaints, close } = await blind({ viewport: { width: 1440, height: 1600 } });
  const before = await shown(page);
  const { x, from, to } = await way(page);
  await page.mouse.move(x, from);
  await page.mouse.down();
  for (let y = from; y <= to; y += 8) await page.mouse.move(x, y);
  await page.mouse.up();
  assert.deepEqual(await shown(page), [before[1], before[2], before[0], ...before.slice(3)]);
  assert.match(
    await page.locator('logit-ranking [aria-live=assertive]').innerText(),
    /^Text 1 let go at place 3 of \d\.$/,
  );

  await page.locator('logit-ranking .plug').nth(2).focus();
  for (const key of ['Space', 'ArrowUp', 'ArrowUp', 'Space']) await page.keyboard.press(key);
  assert.deepEqual(await shown(page), before);

  await page.locator('[data-command=reveal]').click();
  assert.equal(await page.locator('logit-ranking .plug').count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

long('touch moves a text to another rank', async () => {
  const { page, close } = await blind({
    viewport: { width: 390, height: 2400 },
    hasTouch: true,
    isMobile: true,
  });
  const before = await shown(page);
  const { x, from, to } = await way(page);
  const client = await page.context().newCDPSession(page);
  const touch = (type, y) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints: y === null ? [] : [{ x, y }] });
  await touch('touchStart', from);
  for (let y = from; y <= to; y += 12) await touch('touchMove', y);
  await touch('touchEnd', null);
  assert.deepEqual(await shown(page), [before[1], before[2], before[0], ...before.slice(3)]);
  await close();
});
