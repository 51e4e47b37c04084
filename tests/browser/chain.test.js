/** The chain's cards change places by mouse and keys, and the page names what that changes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compareResults, moveInOrder } from '../../web/state/order.js';
import {
  FIRST,
  expectTrace,
  expectTraceInBars,
  frame,
  loadReference,
  openBench,
  until,
} from './bench.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
/** @type {Awaited<ReturnType<typeof loadReference>>} */
let scope;
before(async () => ([bench, scope] = await Promise.all([openBench(), loadReference()])));
after(() => Promise.all([bench?.close(), scope?.close()]));

const BALANCED = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };
const TOP_P_FIRST = ['top_p', 'repetition_penalty', 'temperature', 'top_k'];

function expectBars(page, settings) {
  scope.feed(scope.encode(FIRST));
  return expectTrace(page, scope.distribution(settings));
}

/** The cards on show from top to bottom, and the whole order that moving one of them gives. */
const cards = (page) =>
  page.locator('logit-chain .card').evaluateAll((all) => all.map((card) => card.dataset.stage));
const canonical = () => scope.table.filter(({ warper }) => warper).map(({ name }) => name);

test('a card is grabbed, moved and let go by keyboard, and says so', async () => {
  const { page, close } = await bench.open();
  const shown = await cards(page);
  assert.deepEqual(shown, ['repetition_penalty', 'temperature', 'top_k', 'top_p']);
  const plug = page.locator('.card[data-stage=top_p] .plug');
  const said = page.locator('logit-chain [aria-live]');
  await plug.focus();
  await page.keyboard.press('Space');
  assert.equal(await plug.getAttribute('aria-pressed'), 'true');
  for (let i = 2; i >= 0; i--) {
    await page.keyboard.press('ArrowUp');
    await until(
      () => cards(page),
      (names) => names[i] === 'top_p',
    );
  }
  assert.equal(await said.innerText(), 'Top-p, place 1 of 4.');
  await page.keyboard.press('Space');
  assert.equal(await said.innerText(), 'Top-p let go at place 1 of 4.');
  assert.deepEqual(await cards(page), TOP_P_FIRST);
  const order = moveInOrder(canonical(), shown, 'top_p', 0);
  await expectBars(page, { ...BALANCED, order });
  assert.equal(
    await page.evaluate(() => {
      let element = document.activeElement;
      while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element.closest('.card')?.dataset.stage;
    }),
    'top_p',
    'the plug keeps the focus',
  );

  const history = scope.encode(FIRST);
  scope.feed(history);
  const warp = (settings) => scope.warp(scope.logits(), settings, { history });
  const { only } = compareResults(warp({ ...BALANCED, order }), warp(BALANCED));
  assert.ok(only.count > 0);
  const words = await page.locator('.card[data-stage=top_p] .order p').innerText();
  for (const id of only.ids) assert.ok(words.includes(`“${scope.piece(id).text.trim()}”`), words);

  await page.locator('[data-command=canonical]').click();
  await expectBars(page, BALANCED);
  assert.deepEqual(await cards(page), shown);
  await close();
});

test('Escape puts a grabbed card back', async () => {
  const { page, close } = await bench.open();
  const shown = await cards(page);
  await page.locator('.card[data-stage=temperature] .plug').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await until(
    () => cards(page),
    (names) => names.join() !== shown.join(),
  );
  await page.keyboard.press('Escape');
  assert.deepEqual(
    await until(
      () => cards(page),
      (names) => names.join() === shown.join(),
    ),
    shown,
  );
  await close();
});

test('a card is dragged to another place', async () => {
  const { page, close } = await bench.open({ viewport: { width: 1440, height: 2000 } });
  const plug = await page.locator('.card[data-stage=top_p] .plug').boundingBox();
  const first = await page.locator('.card[data-stage=repetition_penalty]').boundingBox();
  await page.mouse.move(plug.x + plug.width / 2, plug.y + plug.height / 2);
  await page.mouse.down();
  for (let y = plug.y; y > first.y + 10; y -= 20) {
    await page.mouse.move(plug.x, y);
    await frame(page);
  }
  await page.mouse.up();
  assert.deepEqual(
    await until(
      () => cards(page),
      (names) => names.join() === TOP_P_FIRST.join(),
    ),
    TOP_P_FIRST,
  );
  const shown = TOP_P_FIRST.toSorted((a, b) => canonical().indexOf(a) - canonical().indexOf(b));
  await expectBars(page, { ...BALANCED, order: moveInOrder(canonical(), shown, 'top_p', 0) });
  await close();
});

test('a warper moves among those on show, and the hidden stay with their neighbours', () => {
  const order = ['a', 'x', 'b', 'y', 'c'];
  const shown = ['a', 'b', 'c'];
  assert.deepEqual(moveInOrder(order, shown, 'c', 0), ['c', 'a', 'x', 'b', 'y']);
  assert.deepEqual(moveInOrder(order, shown, 'c', 1), ['a', 'x', 'c', 'b', 'y']);
  assert.deepEqual(moveInOrder(order, shown, 'a', 2), ['x', 'b', 'y', 'c', 'a']);
});

test('bars and knob follow a move at once, strip and cards in time to spare', async () => {
  const { page, complaints, close } = await bench.open();
  scope.feed(scope.encode(FIRST));
  await page.evaluate(() => {
    window.waiting = [];
    window.spare = window.requestIdleCallback;
    window.requestIdleCallback = (callback) => window.waiting.push(callback);
  });
  const slider = page.locator('logit-knob[data-name=temperature] [type=range]');
  const box = page.locator('logit-knob[data-name=temperature] #box');
  const card = page.locator('.card[data-stage=temperature] .did');
  await page.locator('[data-more=temperature]').click();
  const strip = page.locator('logit-draw .strip svg');
  const [said, drawn] = [await card.innerText(), await strip.innerHTML()];
  const slide = (temperature) =>
    slider.evaluate((it, value) => {
      it.value = String(value);
      it.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    }, temperature);
  for (const temperature of [1.2, 0.4, 2.5]) {
    await slide(temperature);
    await expectTraceInBars(page, scope.distribution({ ...BALANCED, temperature }));
    const follows = (text) => text === String(temperature);
    assert.ok(follows(await until(() => box.inputValue(), follows)));
  }
  assert.deepEqual([await card.innerText(), await strip.innerHTML()], [said, drawn]);
  const release = () => page.evaluate(() => window.waiting.splice(0).forEach((run) => run()));
  await release();
  const { stages } = scope.distribution({ ...BALANCED, temperature: 2.5 });
  const { entropy } = stages.find(({ name }) => name === 'temperature');
  const words = await until(
    () => card.innerText(),
    (now) => now !== said,
  );
  assert.ok(words.includes(entropy.toFixed(2)), `${words}: ${entropy}`);
  assert.notEqual(await strip.innerHTML(), drawn);

  // What ends the move while they wait does not leave them behind.
  await slide(0.5);
  const { id } = scope.draw({ ...BALANCED, temperature: 0.5, seed: 42 }, { step: 0 });
  await page.locator('[data-command=step]').click();
  await page.evaluate(() => (window.requestIdleCallback = window.spare));
  await release();
  scope.feed([...scope.encode(FIRST), id]);
  await expectTrace(page, scope.distribution({ ...BALANCED, temperature: 0.5 }));
  assert.equal(await page.locator('logit-tape .step').count(), 1);
  assert.match(await page.locator('logit-draw .counter').innerText(), /2$/);
  assert.deepEqual(complaints, []);
  await close();
});
