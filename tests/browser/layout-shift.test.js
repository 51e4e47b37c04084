/**
 * Tests that no element of the page moves by itself. It measures layout shift as browsers do: for a cold load of each
 * view, for usual actions on the landscape, on the bench and in Compare, and for 30 actions in each view. All tests are
 * long: first-frame.test.js measures a cold load.
 */
import assert from 'node:assert/strict';
import { long } from '../long.js';
import { VIEW_NAMES } from '../../web/state/fields.js';
import { closed } from '../cleanup.js';
import { frame, openBench, settle, until } from './bench.js';

/** Largest layout shift that the test allows; browsers call a shift up to 0.1 good. */
const MOST = 0.05;
const WIDTHS = [
  [375, 812],
  [800, 900],
  [1024, 768],
  [1280, 720],
  [1440, 900],
];

const bench = closed(await openBench());

/** Runs in the page: sums layout shifts as browsers do, without shifts right after input; `every` has those too. */
function count() {
  Object.assign(globalThis, { shifts: 0, every: 0, moved: [] });
  new PerformanceObserver((list) => {
    for (const { value, sources, hadRecentInput } of /** @type {any[]} */ (list.getEntries())) {
      globalThis.every += value;
      if (hadRecentInput) continue;
      globalThis.shifts += value;
      globalThis.moved.push(...sources.map(({ node }) => `${node?.localName}.${node?.className}`));
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/**
 * Returns the usual actions on each view, by name.
 * @param {import('playwright-core').Page} page
 * @returns {[string, () => Promise<unknown>][]}
 */
function actionsOf(page) {
  const landscape = page.locator('logit-landscape');
  const press = (/** @type {string} */ name) => landscape.locator(`[data-${name}]`).click();
  const key = (/** @type {string} */ handle, /** @type {string} */ name) => () =>
    landscape.locator(`.handle.${handle}`).press(name);
  const slider = (/** @type {string} */ name) =>
    page.locator(`logit-chain [data-name=${name}] input[type=range]`).first();
  const slide = (/** @type {string} */ name, /** @type {string} */ to) => () =>
    slider(name).press(to);
  const bars = page.locator('logit-distribution');
  const tab = (/** @type {string} */ name) => () => page.locator(`#tab-${name}`).click();
  const shown = (/** @type {string} */ name) => () => bars.locator(`#tab-${name}`).click();
  return [
    ['the knob to its start', key('knob', 'Home')],
    ['the knob to its end', key('knob', 'End')],
    ['the knob back', key('knob', 'PageDown')],
    ['u down', key('u', 'PageDown')],
    ['u up', key('u', 'ArrowUp')],
    ['another seed', () => press('command=roll')],
    ['top-p', () => press('knob=top_p')],
    ['top-p on', key('knob', 'PageDown')],
    ['top-k', () => press('knob=top_k')],
    ['top-k on', key('knob', 'PageUp')],
    ['top-k off', key('knob', 'Home')],
    ['many draws', () => press('command=rain')],
    ['a river', () => landscape.locator('.plot').hover({ position: { x: 60, y: 60 } })],
    ['another knob', () => landscape.locator('.more').selectOption('typical_p')],
    ['temperature again', () => press('knob=temperature')],
    ['the bench', tab('bench')],
    ['temperature', slide('temperature', 'End')],
    ['temperature down', slide('temperature', 'PageDown')],
    ['temperature to 0', slide('temperature', 'Home')],
    ['temperature up', slide('temperature', 'PageUp')],
    ['top-k of the bench', slide('top_k', 'PageUp')],
    ['top-p of the bench', slide('top_p', 'PageDown')],
    ['a step', () => page.locator('[data-command=step]').click()],
    ['a second step', () => page.locator('[data-command=step]').click()],
    ['the text anew', () => page.locator('[data-command=reset]').click()],
    [
      'a row',
      async () => {
        await bars.locator('#tab-bars').click(); // the river, the default, has no rows
        await bars.locator('.row').nth(2).hover();
      },
    ],
    ['the logarithmic axis', shown('log')],
    ['the bars', shown('bars')],
    ['all ranks', shown('ranks')],
    ['the landscape again', tab('landscape')],
  ];
}

for (const [width, height] of WIDTHS)
  long(`a cold load and the usual actions move nothing: ${width} px`, async () => {
    const { page, complaints, close } = await bench.open({
      path: 'source/tests/browser/blank.html',
      ready: false,
      own: true,
      viewport: { width, height },
    });
    await page.addInitScript(count);
    await page.goto(`${bench.url}?lang=en`);
    await page.locator('logit-landscape .sentence mark').waitFor();
    await settle(page);
    const shifts = async () => page.evaluate(() => globalThis.shifts);
    const cold = await shifts();
    assert.ok(cold < MOST, `${cold} in a cold load`);
    /** @type {Record<string, number>} */
    const found = {};
    let before = cold;
    const actions = actionsOf(page);
    for (const [name, act] of actions) {
      await act();
      await settle(page);
      const now = await shifts();
      if (now > before) found[name] = now - before;
      before = now;
    }
    assert.equal(actions.length, 30);
    const all = Object.values(found).reduce((sum, each) => sum + each, 0);
    assert.ok(all < MOST, JSON.stringify(found));
    assert.deepEqual(complaints, []);
    await close();
  });

for (const [width, height] of WIDTHS)
  long(`a cold load of any view and texts of Compare move nothing: ${width} px`, async () => {
    const { page, complaints, close } = await bench.open({
      path: 'source/tests/browser/blank.html',
      ready: false,
      own: true,
      viewport: { width, height },
    });
    await page.addInitScript(count);
    const shifts = async () => page.evaluate(() => globalThis.shifts);
    const others = VIEW_NAMES.filter((name) => !['landscape', 'bench', 'compare'].includes(name));
    const visited = [...others, 'bench', 'compare'];
    for (const view of visited) {
      await page.goto(`${bench.url}?lang=en&view=${view}`);
      await page.locator('logit-scope').evaluate((it) => it.updateComplete);
      await until(
        () => page.locator('logit-scope').evaluate((it) => it.ready),
        (ready) => ready,
      );
      await settle(page);
      const moved = await shifts();
      assert.ok(moved < MOST, `${moved} in a cold load of ${view}`);
    }
    const luck = page.locator('logit-compare [data-command=luck]');
    await page.locator('logit-compare #settings').click();
    for (const seed of ['7', '8']) {
      const box = page.locator('logit-compare [data-name=seed]');
      await box.fill(seed);
      await box.press('Enter');
      await luck.click();
      await settle(page);
    }
    assert.ok((await shifts()) < MOST, `${await shifts()} in Compare`);
    assert.deepEqual(complaints, []);
    await close();
  });

/** @typedef {() => Promise<unknown>} Act */

/**
 * Returns usual actions of a view; the test repeats them until they are 30.
 * @type {Record<string, (page: import('playwright-core').Page) => Act[]>}
 */
const VIEW_ACTIONS = {
  'view=landscape': (page) => {
    const view = page.locator('logit-landscape');
    const key = (/** @type {string} */ place, /** @type {string} */ name) => () =>
      view.locator(place).press(name);
    const click = (/** @type {string} */ place) => () => view.locator(place).first().click();
    return [
      key('.handle.knob', 'End'),
      key('.handle.u', 'PageDown'),
      key('.prompt', 'x'),
      click('[data-command=roll]'),
      click('[data-knob=top_p]'),
      key('.handle.knob', 'PageDown'),
      click('[data-knob=top_k]'),
      () => page.keyboard.press('Control+z'),
      click('[data-knob=temperature]'),
      click('.examples button:not([aria-pressed=true])'),
      click('.ladder [data-value="1.5"]'),
      click('.words [role=option]:nth-child(4)'),
      click('[data-command=rain]'),
      ...sheetAndDialog(page),
    ];
  },
  'view=bench': (page) => {
    const command = (/** @type {string} */ name) => () =>
      page.locator(`[data-command=${name}]`).first().click();
    const chain = page.locator('logit-chain');
    const chart = page.locator('logit-distribution');
    const river = chart.locator('logit-stages');
    const slide = (/** @type {string} */ name, /** @type {string} */ to) => () =>
      chain.locator(`[data-name=${name}] input[type=range]`).first().press(to);
    return [
      slide('temperature', 'End'),
      slide('temperature', 'PageDown'),
      slide('top_k', 'PageUp'),
      slide('top_p', 'PageDown'),
      () => chain.locator('[data-chip=min_p]').click(),
      () => chart.locator('#tab-stages').click(),
      () => river.locator('[data-stage=min_p] .plug').press(' '),
      () => river.locator('[data-stage=min_p] .plug').press('ArrowLeft'),
      () => river.locator('[data-stage=min_p] .plug').press(' '),
      () => river.locator('[data-stage=top_k] .turns').press('ArrowUp'),
      () => river.locator('.plot').click({ position: { x: 60, y: 40 } }),
      command('step'),
      command('step'),
      () => page.keyboard.press('Control+z'),
      () => chart.locator('#tab-bars').click(),
      () => chart.locator('.row').nth(2).hover(),
      () => chart.locator('#tab-log').click(),
      () => chart.locator('#tab-ranks').click(),
      command('reset'),
      () => page.locator('#prompt').press('x'),
      ...sheetAndDialog(page),
    ];
  },
  'view=compare': (page) => {
    const view = page.locator('logit-compare');
    const slider = view.locator('input[type=range]').first();
    return [
      () => view.locator('[data-command=luck]').click(),
      () => slider.press('End'),
      () => slider.press('PageDown'),
      () => slider.press('Home'),
      () => slider.press('ArrowRight'),
      () => view.locator('#settings').click(),
      () => view.locator('#settings').click(),
      () => view.locator('textarea').first().press('x'),
      () => view.locator('[data-i="3"]').first().hover(),
      () => view.locator('details summary').last().click(),
      () => view.locator('[data-command=luck]').click(),
      ...sheetAndDialog(page),
    ];
  },
  'view=sweep': (page) => {
    const view = page.locator('logit-sweep');
    const figure = (/** @type {string} */ name) => () =>
      view.locator(`input[value=${name}]`).check({ force: true });
    return [
      figure('map'),
      figure('nucleus'),
      figure('penalty'),
      figure('entropy'),
      () => view.locator('.shown svg, logit-sweep-trend svg').first().hover(),
      () => view.locator('#change').click(),
      () => view.locator('#first-to').fill('2'),
      () => view.locator('#first-to').press('Enter'),
      () => view.locator('#change').click(),
      () => view.locator('details summary').last().click(),
      ...sheetAndDialog(page),
    ];
  },
  'lesson=temperature': (page) => {
    const guess = page.locator('logit-guess [role=slider]');
    const question = page.locator('logit-question').first();
    return [
      () => guess.first().press('ArrowUp'),
      () => guess.last().press('PageDown'),
      () => question.locator('input').first().fill('0.5'),
      () => question.locator('button.primary').click(),
      () => question.locator('input').first().fill('0.67'),
      () => question.locator('button.primary').click(),
      () => page.mouse.wheel(0, 400),
      () => page.mouse.wheel(0, -400),
    ];
  },
};

/** Opens and closes the model's sheet and the dialog to send. @param {import('playwright-core').Page} page @returns {Act[]} */
function sheetAndDialog(page) {
  const dialog = page.locator('logit-send dialog');
  const sheet = page.locator('logit-sheet');
  const close = (/** @type {import('playwright-core').Locator} */ shown) => async () => {
    await shown.waitFor();
    await page.keyboard.press('Escape');
    await shown.waitFor({ state: 'hidden' });
  };
  return [
    () => page.locator('logit-model button').first().click(),
    close(sheet),
    () => page.locator('[data-command=share]').click(),
    close(dialog),
  ];
}

for (const [place, actions] of Object.entries(VIEW_ACTIONS))
  long(`30 usual actions move nothing: ${place.split('#')[0]}`, async (test) => {
    const path = 'source/tests/browser/blank.html';
    const options = { path, ready: false, own: true, viewport: { width: 1440, height: 900 } };
    const { page, complaints, close } = await bench.open(options);
    await page.addInitScript(count);
    await page.goto(`${bench.url}?lang=en&${place}`);
    await page.locator('logit-scope, logit-lesson h2').first().waitFor();
    const rest = place.startsWith('lesson') ? frame : settle;
    await rest(page);
    const acts = actions(page);
    for (let i = 0; i < 30; i++) {
      await acts[i % acts.length]();
      await rest(page);
    }
    const { shifts, every, moved } = await page.evaluate(() => ({
      shifts: globalThis.shifts,
      every: globalThis.every,
      moved: globalThis.moved,
    }));
    test.diagnostic(`layout shift ${shifts.toFixed(4)}, right after input too ${every.toFixed(4)}`);
    assert.ok(shifts < MOST, `${shifts}: ${moved}`);
    assert.deepEqual(complaints, []);
    await close();
  });
