/**
 * Tests every view at 320 px, the width of a 1280 px window at 400 % zoom, and with the text spacing of WCAG 1.4.12.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LONG, long } from '../long.js';
import { openBench, unfoldView, until } from './bench.js';
import { findFaults } from './overflow.js';
import { VIEW_NAMES } from '../../web/state/fields.js';
import { closed } from '../cleanup.js';

const bench = closed(await openBench());

/** The text spacing that a user may set. */
const SPACING = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
  p { margin-bottom: 2em !important }`;

const SIZES = /** @type {const} */ ([
  [320, ''],
  [320, SPACING],
  [1440, SPACING],
  [2560, ''],
]);

/** Runs in the page: applies the text spacing to every shadow tree, or removes it. */
function space(sheet) {
  window.spacing ??= new CSSStyleSheet();
  window.spacing.replaceSync(sheet);
  const walk = (root) => {
    if (!root.adoptedStyleSheets.includes(window.spacing))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, window.spacing];
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) walk(shadowRoot);
  };
  walk(document);
}

// `make test` checks one view at the narrowest size, in Spanish: its words are longer, so they overflow sooner.
for (const lang of LONG ? ['en', 'es'] : ['es'])
  test(`no view scrolls sideways at 320 px, with or without wide spacing: ${lang}`, async () => {
    const { page, close } = await bench.open({ path: `?lang=${lang}` });
    for (const view of LONG ? VIEW_NAMES : ['bench']) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await unfoldView(page, view);
      for (const [width, sheet] of LONG ? SIZES : SIZES.slice(1, 2)) {
        await page.setViewportSize({ width, height: 800 });
        await page.evaluate(space, sheet);
        const wanted = { faults: [], width };
        const found = await until(
          () => page.evaluate(findFaults),
          (now) => JSON.stringify(now) === JSON.stringify(wanted),
        );
        assert.deepEqual(found, wanted, `${view}, ${width} px${sheet && ', spaced'}`);
      }
      await page.evaluate(space, '');
    }
    await close();
  });

long(
  'in a row too narrow for all tabs the tab of the current view is completely visible',
  async () => {
    const { page, close } = await bench.open({
      path: '?lang=es&view=compare',
      viewport: { width: 320, height: 640 },
      ready: false,
    });
    const tab = page.locator('logit-scope .places [role=tab][aria-selected=true]');
    const inSight = () =>
      tab.evaluate((it) => {
        const places = it.closest('.places');
        const [at, row] = [it, places].map((part) => part.getBoundingClientRect());
        const fade = Number.parseFloat(getComputedStyle(places).getPropertyValue('--fade')) * 16;
        const { scrollLeft, scrollWidth, clientWidth } = places;
        // The row fades at an edge that hides a part of it.
        const left = scrollLeft > 0 ? row.left + fade : row.left;
        const right = scrollLeft + clientWidth < scrollWidth - 1 ? row.right - fade : row.right;
        return fade > 0 && at.left >= left - 1 && at.right <= right + 1;
      });
    await tab.and(page.locator('#tab-compare')).waitFor();
    assert.ok(await until(inSight, Boolean), 'as the page opens');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) {
      await tab.press(key);
      assert.ok(await until(inSight, Boolean), key);
    }
    await close();
  },
);
