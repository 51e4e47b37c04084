/** Tests the page under touch, 375 px wide: dragging a handle must not scroll the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { LONG, long } from '../long.js';
import { frame, openBench, START, settle, until, unfoldDraw } from './bench.js';

const bench = closed(await openBench());

/** Opens the page at its initial settings, perhaps in a page that an earlier test used. */
async function openTouch(path = `?lang=en${START}`, fresh = false) {
  const opened = await bench.open({
    path,
    fresh,
    ready: !path.includes('view='),
    viewport: { width: 375, height: 812 },
    hasTouch: true,
    isMobile: true,
  });
  const { page } = opened;
  const client = await page.context().newCDPSession(page);
  const send = (type, points) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(([x, y]) => ({ x, y })),
    });
  /** Drags by touch between two points in slow steps; calls `act` before the release. */
  const drag = async ([x, y], [toX, toY], act = async () => {}) => {
    await send('touchStart', [[x, y]]);
    for (let i = 1; i <= 12; i++) {
      await send('touchMove', [[x + ((toX - x) * i) / 12, y + ((toY - y) * i) / 12]]);
      await frame(page);
    }
    await act();
    await send('touchEnd', []);
  };
  return { ...opened, send, drag, scrolled: () => page.evaluate(() => Math.round(scrollY)) };
}

/** Scrolls a locator to the middle of the window; returns its centre and size. */
async function middle(locator) {
  await locator.evaluate((it) => it.scrollIntoView({ block: 'center' }));
  const { x, y, width, height } = await locator.boundingBox();
  return [x + width / 2, y + height / 2, width, height];
}

long('cut lines follow touch', async () => {
  const { page, drag, scrolled, close } = await openTouch();
  for (const name of ['top_p', 'top_k']) {
    const line = page.locator(`[data-handle=${name}]`);
    await settle(page);
    const [x, y] = await middle(line);
    const [value, place] = [await line.getAttribute('aria-valuenow'), await scrolled()];
    await drag([x + 100, y], [x + 100, y - 60]);
    assert.notEqual(
      await until(
        () => line.getAttribute('aria-valuenow'),
        (now) => now !== value,
      ),
      value,
      name,
    );
    assert.equal(await scrolled(), place, `${name}: the page stays`);
  }
  await close();
});

long('sliders and the random number follow touch', async () => {
  const { page, drag, scrolled, close } = await openTouch();
  const knob = page.locator('logit-knob[data-name=temperature] input[type=range]');
  const [x, y, width] = await middle(knob);
  const place = await scrolled();
  const from =
    x -
    width / 2 +
    10 +
    (width - 20) * Number(await knob.evaluate((it) => (it.value - it.min) / (it.max - it.min)));
  await drag([from, y], [from + 80, y]);
  assert.ok(
    Number(
      await until(
        () => knob.inputValue(),
        (now) => Number(now) > 0.8,
      ),
    ) > 0.8,
  );
  assert.equal(await scrolled(), place);

  const strip = page.locator('logit-draw .strip');
  await settle(page);
  const [mx, my, wide] = await middle(strip);
  const there = await scrolled();
  const u = () => strip.getAttribute('aria-valuenow').then(Number);
  await drag([mx, my], [mx + wide * 0.3, my + 5]);
  const now = await until(u, (value) => Math.abs(value - 0.8) < 0.01);
  assert.ok(Math.abs(now - 0.8) < 0.01, String(now));
  assert.equal(await scrolled(), there);
  await close();
});

long('touch moves cards', async () => {
  const { page, drag, scrolled, close } = await openTouch();
  await page.locator('logit-chain [data-command=list]').click();
  const order = () =>
    page
      .locator('logit-chain .card')
      .evaluateAll((cards) => cards.map(({ dataset }) => dataset.stage).join());
  const before = await order();
  const [x, y] = await middle(page.locator('.card[data-stage=temperature] .plug'));
  const place = await scrolled();
  const next = await page.locator('.card[data-stage=top_k]').boundingBox();
  await drag([x, y], [x, next.y + next.height * 0.8], async () => {
    await until(order, (now) => now !== before);
    assert.equal(await scrolled(), place, 'touch moves a card, not the page');
  });
  assert.match(await until(order, (now) => now !== before), /top_k,temperature/);
  await settle(page);
  const moved = page.locator('.card[data-stage=temperature]');
  const inSight = ({ y, height }) => y >= 0 && y + height <= page.viewportSize().height;
  assert.ok(inSight(await until(() => moved.boundingBox(), inSight)));
  const all = page.locator('logit-chain .card');
  const names = (await order()).split(',');
  for (const [from, to, into] of [
    [0, names.length - 1, 0.8],
    [names.length - 1, 0, 0.2],
  ]) {
    await middle(all.nth(1));
    const plug = await all.nth(from).locator('.plug').boundingBox();
    const end = await all.nth(to).boundingBox();
    const at = plug.x + plug.width / 2;
    await drag([at, plug.y + plug.height / 2], [at, end.y + end.height * into]);
    names.splice(to, 0, ...names.splice(from, 1));
    await settle(page);
    assert.equal(await order(), names.join());
  }
  await close();
});

long(
  'on a phone text and Step stay in sight over the chart, with one knob at a time below it',
  async () => {
    const { page, drag, close } = await openTouch(
      '?lang=en#temperature=0.7&top_p=0.9&bench_chart=bars',
      true,
    );
    const [width, height] = [375, 812];
    const inSight = async (selector, [wide, tall] = [width, height]) => {
      const box = await page.locator(selector).first().boundingBox();
      return box.x >= 0 && box.x + box.width <= wide && box.y >= 0 && box.y + box.height <= tall;
    };
    const slider = (name) => `logit-knob[data-name=${name}] input[type=range]`;
    const seen = (name) => until(() => inSight(slider(name)), Boolean);
    const places = ['#prompt', '[data-command=step]', '.row .name', slider('temperature')];
    const tops = [];
    for (const place of places) {
      assert.ok(await inSight(place), place);
      tops.push((await page.locator(place).first().boundingBox()).y);
    }
    assert.deepEqual(
      tops,
      tops.toSorted((a, b) => a - b),
      'in this order',
    );
    await page.locator('[data-command=step]').click();
    await page.locator('logit-tape .step').waitFor();
    await page.evaluate(() => scrollTo(0, 330));
    for (const place of ['[data-command=step]', 'logit-tape .step', slider('temperature')])
      assert.ok(await inSight(place), `${place} after a scroll`);
    assert.ok(!(await inSight('#prompt')));

    assert.ok(!(await inSight(slider('top_p'))));
    await page.locator('[data-choose=top_p]').click();
    await seen('top_p');
    assert.ok(!(await inSight(slider('temperature'))));
    const brief = await page.locator('.card[data-stage=top_p] .brief').boundingBox();
    await drag([60, brief.y + 8], [330, brief.y + 10]);
    await seen('top_k');
    await page.locator('[data-choose=top_k][aria-pressed=true]').waitFor();

    await page.setViewportSize({ width: 812, height: 375 });
    await page.evaluate(() => scrollTo(0, 0));
    await settle(page);
    for (const place of ['[data-command=step]', 'logit-tape .step', '.row .name', slider('top_k')])
      assert.ok(await until(() => inSight(place, [812, 375]), Boolean), `${place} on its side`);
    await close();
  },
);

test('a tap and a long touch on a bar open its menu, and elsewhere touch scrolls the page', async () => {
  const { page, drag, send, scrolled, close } = await openTouch();
  const row = page.locator('logit-distribution .row').nth(1);
  const menu = page.locator('logit-token-menu [role=menu]');
  const [x, y] = await middle(row);
  await page.touchscreen.tap(x, y);
  await menu.waitFor();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  await send('touchStart', [[x, y]]);
  await page.waitForTimeout(900);
  await send('touchEnd', []);
  await menu.waitFor();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  // On a phone a long touch fires a contextmenu event. The page must cancel it, so the browser's menu stays closed.
  const kept = await row.evaluate((it) =>
    it.dispatchEvent(
      new MouseEvent('contextmenu', { bubbles: true, composed: true, cancelable: true }),
    ),
  );
  assert.equal(kept, false);
  await menu.waitFor();
  await page.keyboard.press('Escape');
  const place = await scrolled();
  await drag([x, y + 40], [x, y - 160]);
  await until(scrolled, (now) => now !== place);
  await close();
});

test('a touch may miss a question mark by eight pixels', async () => {
  const { page, close } = await openTouch();
  for (const mark of [
    page.locator('logit-chain [data-more=temperature]'),
    page.locator('logit-chain [data-name=temperature] .off'),
  ]) {
    await mark.scrollIntoViewIfNeeded();
    const [x, y] = await middle(mark);
    for (const above of [-1, 1])
      assert.ok(
        await mark.evaluate(
          (button, [x, y]) => button.getRootNode().elementFromPoint(x, y) === button,
          [x, y + above * (12 + 8)],
        ),
      );
  }
  await close();
});

/**
 * Swipes up from an element, almost vertically. The page must scroll and the state must not change.
 */
async function expectScroll({ page, drag, scrolled }, at, state, what) {
  await settle(page);
  const [x, y] = await middle(at);
  const [before, place] = [await state(), await scrolled()];
  await drag([x - 15, y], [x + 15, y - 150]);
  assert.notEqual(await until(scrolled, (now) => now !== place), place, what);
  await settle(page);
  assert.deepEqual(await state(), before, `${what}: a swipe moves nothing`);
}

test('over the picture a vertical swipe scrolls, a horizontal one moves the knob, and a tap moves both lines', async () => {
  const opened = await openTouch('?lang=en&model=verbs&view=landscape#temperature=0.7');
  const { page, drag, send, scrolled } = opened;
  const view = page.locator('logit-landscape');
  await view.locator('.sentence mark').waitFor();
  await settle(page);
  await page.evaluate(() => {
    document.body.style.paddingBottom = '2000px';
  });
  const plot = view.locator('.plot');
  const valueOf = async (name) =>
    Number(await view.locator(`.handle.${name}`).getAttribute('aria-valuenow'));
  const state = async () => [await valueOf('knob'), await valueOf('u')];
  const [, first] = await state();
  await expectScroll(opened, plot, state, 'the picture');
  await expectScroll(opened, view.locator('.handle.knob'), state, 'the handle of the knob');
  const [x, y, width, height] = await middle(plot);
  let place = await scrolled();
  await drag([x, y], [x + width / 4, y + 30]);
  await settle(page);
  const [value, u] = await state();
  assert.ok(Math.abs(value - 2.25) < 0.02, String(value));
  assert.equal(u, first);
  await page.touchscreen.tap(x - width / 4, y + height / 4);
  await settle(page);
  const [tapped, at] = await state();
  assert.ok(Math.abs(tapped - 0.75) < 0.02 && Math.abs(at - 0.75) < 0.02, `${tapped}, ${at}`);
  assert.equal(await scrolled(), place, 'nothing of that scrolls');
  if (!LONG) return page.context().close();
  const [ux, uy] = await middle(view.locator('.handle.u'));
  place = await scrolled();
  await drag([ux, uy], [ux, uy - height / 2]);
  await settle(page);
  const [still, up] = await state();
  assert.equal(still, tapped);
  assert.ok(Math.abs(up - 0.25) < 0.02, String(up));
  assert.equal(await scrolled(), place, 'nor does that');

  // Two touches that move apart, as in a pinch.
  const before = await state();
  const [px, py] = await middle(plot);
  const fingers = (apart) => [
    [px - apart, py],
    [px + apart, py],
  ];
  await send('touchStart', fingers(20));
  for (let i = 1; i <= 10; i++) {
    await send('touchMove', fingers(20 + 8 * i));
    await frame(page);
  }
  await send('touchEnd', []);
  assert.ok((await page.evaluate(() => visualViewport.scale)) > 1.5, 'the page is larger');
  await settle(page);
  assert.deepEqual(await state(), before);
  await page.context().close();
});

long(
  'on the bench a swipe over sliders, strip and lines scrolls and moves none of them',
  async () => {
    const opened = await openTouch();
    const { page, close } = opened;
    const temperature = page.locator('logit-knob[data-name=temperature]');
    const shows = (name) => () =>
      page.locator(name).evaluate((it) => [it.ariaValueNow ?? it.value, it.ariaValueText]);
    await temperature.locator('input[type=range]').waitFor();
    await page.evaluate(() => {
      document.body.style.paddingBottom = '2000px';
    });
    const range = 'logit-knob[data-name=temperature] input[type=range]';
    await expectScroll(opened, page.locator(range), shows(range), 'a slider');
    await expectScroll(opened, page.locator('logit-draw .strip'), shows('logit-draw .strip'), 'u');
    await page.locator('#tab-ranks').click();
    const line = 'logit-curve [data-handle=top_k]';
    await page.locator(line).waitFor();
    await expectScroll(opened, page.locator(line), shows(line), 'a line that stands');
    await close();
  },
);

long('a button and a summary have a touch target of 40 px, however small they look', async () => {
  const { page, close } = await openTouch();
  await unfoldDraw(page);
  for (const place of [
    'logit-scope [data-command=share]',
    'logit-draw [data-command=seed]',
    'logit-draw .many',
    'logit-distribution summary',
    'logit-scope .glossary summary',
  ]) {
    const button = page.locator(place).first();
    const [x, y] = await middle(button);
    for (const [dx, dy] of [
      [0, -19],
      [0, 19],
      [-17, 0],
      [17, 0],
    ])
      assert.ok(
        await button.evaluate(
          (it, [px, py]) => it.contains(it.getRootNode().elementFromPoint(px, py)),
          [x + dx, y + dy],
        ),
        `${place} at ${dx}, ${dy}`,
      );
  }
  await close();
});
