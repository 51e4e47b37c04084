/** Tests the charts of the distribution, their draggable cut lines, and the actions in the menu of a bar. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topPFor } from '../../web/plots/cuts.js';
import { cumulate, layoutCurve } from '../../web/plots/curve.js';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import {
  FIRST,
  START,
  expectTrace,
  loadReference,
  openBench,
  readBars,
  settle,
  until,
} from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

const BALANCED = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };

/** Opens the page at its initial settings, perhaps in a page that an earlier test used. */
const open = (options = {}) => bench.open({ path: `?lang=en${START}`, ...options });

function expectBars(page, settings) {
  scope.feed(scope.encode(FIRST));
  return expectTrace(page, scope.distribution(settings));
}

const handle = (page, name) => page.locator(`[data-handle=${name}]`);
async function value(page, name) {
  await settle(page);
  return page.locator(`logit-knob[data-name=${name}] .box`).inputValue();
}

/** Drags the centre of a handle to a point in a few moves. */
async function drag(page, name, to) {
  const box = await handle(page, name).boundingBox();
  const from = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  const target = { ...from, ...to };
  for (let i = 1; i <= 8; i++)
    await page.mouse.move(
      from.x + ((target.x - from.x) * i) / 8,
      from.y + ((target.y - from.y) * i) / 8,
    );
  await page.mouse.up();
}

test('dragging the cut lines among the bars turns the knobs', async () => {
  const { page, close } = await open({ viewport: { width: 1440, height: 1600 } });
  const row = async (i) => (await page.locator('logit-distribution .row').nth(i).boundingBox()).y;
  await drag(page, 'top_k', { y: await row(7) });
  const settings = { ...BALANCED, top_k: Number(await value(page, 'top_k')) };
  assert.ok(settings.top_k >= 5 && settings.top_k <= 8, `top_k ${settings.top_k}`);
  await expectBars(page, settings);

  await drag(page, 'top_p', { y: (await row(0)) + 16 });
  settings.top_p = Number(await value(page, 'top_p'));
  await expectBars(page, settings);
  assert.equal(scope.distribution(settings).kept, 1);

  await drag(page, 'top_k', { y: (await row(19)) + 60 });
  assert.equal(await value(page, 'top_k'), '0', 'below the list is off');
  await close();
});

test('the arrow keys move the cut lines, which say the tokens that they keep', async () => {
  const { page, close } = await open();
  const top = handle(page, 'top_p');
  assert.equal(await top.getAttribute('aria-valuetext'), 'top-p 0.9 keeps 3 of 64');
  await top.focus();
  await page.keyboard.press('ArrowDown');
  const words = await until(() => top.getAttribute('aria-valuetext'), /keeps 4/);
  assert.match(words, /^top-p 0\.9\d* keeps 4 of 64$/);
  await expectBars(page, { ...BALANCED, top_p: Number(await value(page, 'top_p')) });
  await page.keyboard.press('End');
  await expectBars(page, { ...BALANCED, top_p: 1 });
  await page.keyboard.press('Home');
  await until(() => top.getAttribute('aria-valuetext'), /keeps 1 of/);
  await until(async () => (await readBars(page)).filter(({ p }) => Number(p) > 0).length, 1);
  await close();
});

test('the charts are tabs, and each has draggable cut lines', async () => {
  const { page, complaints, close } = await open({ viewport: { width: 1440, height: 1600 } });
  await page.locator('logit-distribution summary').click(); // the words about a chart come with its figures
  await page.locator('#tab-bars').focus();
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowRight');
  const path = page.locator('logit-curve path.final');
  await path.waitFor({ state: 'attached' });
  assert.equal(await page.locator('#tab-cumulative').getAttribute('aria-selected'), 'true');

  const chart = await page.locator('logit-curve .walk').boundingBox();
  await drag(page, 'top_p', { y: chart.y + chart.height / 2 });
  const p = Number(await value(page, 'top_p'));
  assert.ok(p > 0.3 && p < 0.7, `top_p ${p}`);
  await handle(page, 'top_p').press('ArrowUp');
  const moved = await until(
    () => value(page, 'top_p'),
    (text) => text !== String(p),
  );
  assert.equal(Number(moved), Math.round(p * 100 + 1) / 100);

  await page.locator('#tab-ranks').click();
  await drag(page, 'top_k', { x: chart.x + chart.width / 2 });
  const k = Number(await value(page, 'top_k'));
  assert.ok(k > 2 && k < 20, `top_k ${k}`);

  await page.locator('logit-curve .walk').focus();
  await page.keyboard.press('End');
  const words = await page.locator('logit-curve .walk').getAttribute('aria-valuetext');
  assert.match(words, /^Rank 64: .+% before and 0% after/);
  assert.equal(await page.locator('logit-distribution .about', { hasText: 'by rank' }).count(), 1);
  await page.locator('logit-distribution tbody').waitFor();
  assert.equal(await page.locator('logit-distribution tbody tr').count(), 7);
  assert.deepEqual(complaints, []);
  await close();
});

long('a chart of all ranks has the height of the bars, also before it is loaded', async () => {
  for (const [width, height] of [
    [375, 740],
    [1440, 900],
  ]) {
    const { page, close } = await open({
      path: '?lang=en&view=bench',
      own: true,
      viewport: { width, height },
    });
    const room = async () => (await page.locator('logit-distribution #panel').boundingBox()).height;
    await settle(page);
    const before = await room();
    assert.ok(before > 400, `${before} px`);
    let fetched = () => {};
    const held = new Promise((resolve) => (fetched = resolve));
    await page.route('**/curve-*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.locator('#tab-cumulative').click();
    await page.locator('#tab-cumulative[aria-selected=true]').waitFor();
    assert.equal(await room(), before, `${width} px, not fetched yet`);
    fetched();
    for (const view of ['cumulative', 'ranks']) {
      await page.locator(`#tab-${view}`).click();
      await page.locator('logit-curve .readout:not(:empty)').waitFor();
      await settle(page);
      assert.equal(await room(), before, `${width} px, ${view}`);
    }
    const labels = await page.locator('logit-curve svg text').evaluateAll((all) =>
      all.map((text) => ({
        words: text.textContent,
        room:
          text.getBoundingClientRect().left - text.closest('.chart').getBoundingClientRect().left,
      })),
    );
    assert.ok(labels.some(({ words }) => words === '10⁻⁵%'));
    const out = labels.filter((label) => label.room < 0);
    assert.deepEqual(out, [], `${width} px`);
    await close();
  }
});

test('the bar of a token forbids it, makes it likelier and takes it', async () => {
  const { page, close } = await open();
  scope.feed(scope.encode(FIRST));
  const [first, second] = scope.distribution(BALANCED).tokens;
  const row = (id) => page.locator(`logit-distribution .row[data-id="${id}"]`);
  await row(first.id).click();
  await page.locator('[data-item=forbid]').click();
  await expectBars(page, { ...BALANCED, logit_bias: { [first.id]: false } });
  await row(second.id).click();
  await page.locator('[data-item=likelier]').click();
  await expectBars(page, { ...BALANCED, logit_bias: { [first.id]: false, [second.id]: 1 } });
  await page.locator(`[data-bias="${first.id}"]`).press('Enter');
  await page.locator(`[data-bias="${second.id}"]:focus`).press('Enter');
  await expectBars(page, BALANCED);

  // The address contains a bias for a token sequence. The sequence has a chip with a button that removes it.
  const sequence = `${[...scope.encode(FIRST)].at(-1)} ${second.id}`;
  await page.evaluate((key) => {
    location.hash += `&logit_bias=${encodeURIComponent(key)}:2`;
  }, sequence);
  await expectBars(page, { ...BALANCED, logit_bias: { [sequence]: 2 } });
  const chip = page.locator(`[data-bias="${sequence}"]`);
  assert.equal(await chip.locator('.token').count(), 2);
  await chip.click();
  await expectBars(page, BALANCED);

  const chart = page.locator('logit-distribution').getByRole('listbox');
  await chart.focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  const menu = page.locator('logit-token-menu [role=menu]');
  await menu.waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await menu.count(), 0);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  const step = page.locator('logit-text .step [data-place]');
  await step.waitFor();
  assert.equal(Number(await step.getAttribute('data-id')), second.id);
  await close();
});

long(
  'on a phone a token’s menu stays inside the window, on the bench and in the landscape',
  async () => {
    for (const view of ['bench', 'landscape']) {
      const path = `?lang=es&model=verbs&view=${view}#temperature=0.7`;
      const { page, close } = await open({
        path,
        ready: view === 'bench',
        viewport: { width: 375, height: 812 },
      });
      if (view === 'landscape') await page.locator('.sentence mark').waitFor();
      await settle(page);
      const place = page
        .locator(view === 'bench' ? 'logit-distribution .row' : '.bars canvas')
        .first();
      await place.scrollIntoViewIfNeeded();
      const { x, y, width } = await place.boundingBox();
      await page.mouse.click(x + width - 20, y + 8);
      const menu = page.locator('logit-token-menu [role=menu]');
      await menu.waitFor();
      const box = await menu.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 375, `${view} ${JSON.stringify(box)}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.equal(wide, 375, view);
      await close();
    }
  },
);

test('a token that is a part of a character shows its bytes', async () => {
  const { page, close } = await open();
  scope.feed(scope.encode(FIRST));
  const [{ text }] = scope.distribution(BALANCED).tokens;
  const bytes = [...new TextEncoder().encode(text)].map((b) => b.toString(16).toUpperCase());
  await page.locator('logit-distribution .row').first().hover();
  const words = await page.locator('logit-distribution .detail .bytes').innerText();
  assert.equal(words, bytes.map((b) => b.padStart(2, '0')).join(' '));
  await close();
});

long(
  'no knob moves the axis, and a drawn token beyond the list is shown with its rank',
  async () => {
    const { page, close } = await open({ path: '?lang=en&model=stories&view=bench#' });
    const ticks = () => page.locator('logit-distribution .frame text').allTextContents();
    const axis = await ticks();
    const box = page.locator('logit-knob[data-name=temperature] .box');
    for (const temperature of ['0', '0.4', '2.5', '3']) {
      await box.fill(temperature);
      await box.press('Enter');
      await settle(page);
      assert.deepEqual(await ticks(), axis, temperature);
      const drawn = await page.locator('logit-draw .lands').getAttribute('data-drawn');
      const listed = page.locator(`logit-distribution .row.next[data-id="${drawn}"]`);
      const beyond = page.locator('logit-distribution [data-beyond]');
      assert.equal((await listed.count()) + (await beyond.count()), 1, temperature);
      if (await beyond.count()) assert.match(await beyond.textContent(), /rank [\d,]+, /);
    }
    assert.equal(await page.locator('logit-distribution [data-beyond]').count(), 1, 'at 3');
    const fill = await page
      .locator('logit-distribution .row')
      .nth(3)
      .locator('.after')
      .textContent();
    assert.match(fill, /^(<.)?[\d.]+%$/);
    await close();
  },
);

test('the figures over the bars stay in their columns while a knob turns', async () => {
  const { page, close } = await bench.open();
  const slider = page.locator('logit-knob[data-name=temperature] input[type=range]');
  const read = (what) =>
    page
      .locator('.readouts div')
      .evaluateAll(
        (all, left) =>
          all.map((it) => (left ? it.getBoundingClientRect().left : it.textContent)).join(),
        what === 'left',
      );
  const [left, before] = [await read('left'), await read('')];
  await slider.press('End');
  await settle(page);
  assert.notEqual(await read(''), before);
  assert.equal(await read('left'), left);
  await close();
});

long(
  'a bar longer than the axis extends past it, with a gap, and its number stays in the chart',
  async () => {
    for (const width of [320, 1440]) {
      const { page, close } = await open({
        path: '?lang=es&model=stories#temperature=0',
        viewport: { width, height: 900 },
      });
      const places = await page.locator('logit-distribution').evaluate((host) => {
        const at = (selector) => {
          const { left, right } = host.renderRoot.querySelector(selector).getBoundingClientRect();
          return { left, right };
        };
        const lines = [...host.renderRoot.querySelectorAll('.frame line')];
        return {
          axis: Math.max(...lines.map((line) => line.getBoundingClientRect().right)),
          bar: at('.row.next .final').right,
          gap: at('.row.next .over'),
          number: at('.row.next .after'),
          chart: at('.chart').right,
        };
      });
      const { axis, bar, gap, number, chart } = places;
      assert.ok(gap.left < axis + 1 && gap.right > axis, JSON.stringify(places));
      assert.ok(bar > gap.right + 2, JSON.stringify(places));
      assert.ok(number.left > bar && number.right <= chart, JSON.stringify(places));
      await close();
    }
  },
);

long(
  'the logarithmic axis has equal steps for each factor of ten, and is in the link',
  async () => {
    const { page, close } = await open({ path: '?lang=en&model=stories#bench_chart=log' });
    assert.equal(await page.locator('#tab-log').getAttribute('aria-selected'), 'true');
    const ticks = page.locator('logit-distribution .frame text');
    assert.deepEqual(await ticks.allTextContents(), [
      '0.0001%',
      '0.001%',
      '0.01%',
      '0.1%',
      '1%',
      '10%',
      '100%',
    ]);
    const places = await ticks.evaluateAll((all) =>
      all.map((text) => Number(text.getAttribute('x'))),
    );
    const gaps = places.slice(1).map((x, i) => x - places[i]);
    for (const gap of gaps) assert.ok(Math.abs(gap - gaps[0]) < 1e-6, gaps.join());
    await close();
  },
);

test('the roundest top-p for n tokens keeps exactly n tokens', () => {
  const logits = [2.1, 1.7, 0.3, 0.29, -1, -3, -8];
  const shares = [...scope.warp(Float32Array.from(logits)).p].sort((a, b) => b - a);
  for (let n = 1; n <= logits.length; n++) {
    const top_p = topPFor(shares, n, logits.length);
    assert.equal(scope.warp(Float32Array.from(logits), { top_p }).kept, n, `${top_p}`);
  }
  assert.equal(topPFor([0.6, 0.2, 0.1, 0.05, 0.05], 2, 5), 0.8);
});

test('curves rise to 1 and their lines stand at the cut ranks', () => {
  const raw = Float64Array.from([0.4, 0.3, 0.2, 0.1]);
  const final = Float64Array.from([4 / 7, 3 / 7, 0, 0]);
  const handles = [
    { name: 'top_k', value: 2, kept: 2, before: 4, cuts: true, active: true },
    { name: 'top_p', value: 0.9, kept: 2, before: 2, cuts: false, active: true },
  ];
  const size = { width: 600, height: 400, unit: 1 };
  const curves = { raw, entering: final, final };
  const layout = layoutCurve({ curves, view: 'cumulative', handles, ...size });
  assert.ok(Math.abs(cumulate(raw)[3] - 1) < 1e-12);
  assert.equal(layout.lines[0].x, layout.x(2));
  assert.equal(layout.lines[1].y, layout.y(0.9));
  const ranks = layoutCurve({ curves, view: 'ranks', handles, ...size });
  assert.equal(ranks.lines[1].x, ranks.x(2));
  assert.equal(ranks.paths.final.split('L').length, 2, 'the removed are not drawn');
});
