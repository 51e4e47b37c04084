/**
 * Tests the page in pseudo-locales (?strings=): strings of double length, a right-to-left page, strings with markup. No
 * element may overflow or overlap, and no markup may run. Also tests a page that a browser's translator has changed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VIEW_NAMES } from '../../web/state/fields.js';
import { closed } from '../cleanup.js';
import { LONG, long, sample } from '../long.js';
import { START, openBench, openSheet, settle, unfoldStages } from './bench.js';
import { rest } from './lesson-page.js';
import { findFaults, findOverlaps } from './overflow.js';

const bench = closed(await openBench());

/** The windows are 4000 px high, so that no card covers other elements. */
const WIDTHS = [375, 1440];
const HIGH = 4000;

const LESSONS = [
  '?lesson',
  '?lesson&guide',
  '?lesson=new',
  '?lesson=top-k',
  '?lesson=write-it',
  '?lesson=constrained',
  '?lesson=strategies',
];
/** Parts of the page: views, menus and lessons. */
const PLACES = [...VIEW_NAMES, 'models', 'sheet', 'preferences', ...LESSONS];

const OVER = {
  models: (page) => openSheet(page, 'more'),
  sheet: (page) => page.locator('logit-model #model').click(),
  preferences: (page) => page.locator('logit-preferences [popovertarget]').click(),
};

/** @param {import('playwright-core').Page} page */
async function unfold(page) {
  await unfoldStages(page);
  const folded = page.locator('details:not([open]) > summary:visible');
  while (await folded.count()) await folded.first().click();
}

/** Shows a part of the page in a pseudo-locale. */
async function show(place, strings) {
  const lesson = place.startsWith('?');
  const view = VIEW_NAMES.includes(place) ? `view=${place}&` : '';
  const path = `${lesson ? `${place}&` : `?${view}`}lang=en&strings=${strings}`;
  const opened = await bench.open({
    path: path + (lesson ? '' : START),
    ready: false,
    fresh: true,
  });
  const { page } = opened;
  await page.locator(`html[data-strings=${strings}]`).waitFor();
  if (lesson) {
    await page.locator('logit-preferences').first().waitFor();
    await rest(page);
  } else {
    await page.locator('#view').waitFor();
    await settle(page);
    if (LONG) await unfold(page);
    await OVER[place]?.(page);
    await settle(page);
  }
  return opened;
}

/** Runs in the page: counts strings that became markup. */
const findMarkup = () => {
  let shown = 0;
  let made = 0;
  const walk = (root) => {
    made += root.querySelectorAll('.disguised').length;
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) walk(element.shadowRoot);
      for (const { nodeType, data } of element.childNodes)
        if (nodeType === Node.TEXT_NODE && data.includes('<img class=disguised')) shown++;
    }
  };
  walk(document);
  return { made, shown: shown > 0, ran: 'disguised' in window };
};

for (const [i, strings] of ['double', 'long', 'rtl'].entries())
  (strings === 'long' ? test : long)(
    `there is room for every string, and nothing lies over another: ${strings}`,
    async () => {
      for (const place of sample(PLACES, 1, i)) {
        const { page, complaints, foreign, close } = await show(place, strings);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: HIGH });
          const wanted = { faults: [], width, overlaps: [] };
          await rest(page);
          const found = await page.evaluate(findFaults);
          found.overlaps = await page.evaluate(findOverlaps);
          assert.deepEqual(found, wanted, `${place}, ${width} px`);
        }
        const direction = await page.evaluate(() => getComputedStyle(document.body).direction);
        assert.equal(direction, strings === 'rtl' ? 'rtl' : 'ltr');
        assert.deepEqual([complaints, foreign], [[], []], place);
        await close();
      }
    },
  );

test('no string is read as markup', async () => {
  for (const place of sample(PLACES, 1, 3)) {
    const { page, complaints, foreign, close } = await show(place, 'xss');
    const wanted = { made: 0, shown: true, ran: false };
    assert.deepEqual(await page.evaluate(findMarkup), wanted, place);
    assert.deepEqual([complaints, foreign], [[], []], place);
    await close();
  }
});

long(
  'a pseudo-locale is not remembered as a language, and the links of a lesson keep it',
  async () => {
    const { page, close } = await show('?lesson', 'double');
    const { lang, title } = await page.evaluate(() => ({
      lang: document.documentElement.lang,
      title: document.querySelector('logit-lesson').shadowRoot.querySelector('h2').textContent,
    }));
    assert.deepEqual([lang, title], ['en', 'Begin here Begin here']);
    await page.locator('logit-lesson li a').first().click();
    await page.locator('logit-lesson article').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('strings'), 'double');
    const kept = await page.evaluate(() => JSON.stringify(localStorage));
    assert.doesNotMatch(kept, /double/);
    await close();
  },
);

long('an unknown pseudo-locale changes nothing', async () => {
  const { page, complaints, close } = await bench.open({ path: '?lang=en&strings=toString' });
  await settle(page);
  assert.equal(await page.locator('#tab-bench').innerText(), 'Experiment');
  assert.equal(await page.locator('html').getAttribute('data-strings'), null);
  assert.deepEqual(complaints, []);
  await close();
});

/**
 * Runs in the page: changes every text as a browser's translator does, also text that is marked as not translatable.
 */
const translateAll = () => {
  const walk = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.shadowRoot) walk(node.shadowRoot);
      const skipped = node.parentElement?.closest('style, script, textarea, option, svg, font');
      if (node.nodeType === Node.TEXT_NODE && !skipped && /\p{L}{2}/u.test(node.data))
        texts.push(node);
    }
    for (const text of texts) {
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      inner.textContent = `«${text.data}»`;
      outer.append(inner);
      text.replaceWith(outer);
    }
  };
  walk(document.body);
};

/** Runs in the page: returns all texts, and those translatable texts that contain a space sign. */
const readTexts = () => {
  const found = { texts: [], open: [] };
  const walk = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (node.nodeType !== Node.TEXT_NODE || node.parentElement?.closest('style, script'))
        continue;
      const text = node.data.replace(/[«»]/g, '').trim();
      if (text) found.texts.push(text);
      if (text.includes('␣') && !node.parentElement?.closest('[translate=no]'))
        found.open.push(text);
    }
  };
  walk(document.body);
  return { text: found.texts.join('').replace(/\s+/g, ' '), open: found.open };
};

long(
  'a page changed by a translator still shows current values, and no token may be translated',
  async () => {
    const found = [];
    for (const translated of [false, true]) {
      const path = '?lang=en&model=verbs&view=landscape#temperature=0.7&top_p=0.9';
      const options = translated ? { own: true } : { fresh: true }; // no later test may reuse a translated page
      const { page, complaints, close } = await bench.open({ path, ready: false, ...options });
      const view = page.locator('logit-landscape');
      const translate = async () => {
        await settle(page);
        if (translated) await page.evaluate(translateAll);
      };
      const fill = async (box, text) => {
        await box.fill(text);
        await box.press('Enter');
        await settle(page);
      };
      await view.locator('.sentence mark').waitFor();
      await view.locator('.numbers summary').click();
      await translate();
      await fill(view.locator('.big input'), '1.4');
      await page.locator('#tab-bench').click();
      await page.locator('logit-stages [role=option]').first().waitFor();
      await translate();
      await page.locator('logit-distribution #tab-bars').click();
      await page.locator('logit-distribution .row').first().waitFor();
      await page.locator('logit-distribution summary').first().click();
      await translate();
      await fill(page.locator('logit-knob[data-name=temperature] .box'), '0.5');
      await fill(page.locator('#prompt'), 'Tomorrow she');
      await page.locator('logit-text [data-command=step]').click();
      await translate();
      await page.locator('logit-text [data-command=step]').click();
      await settle(page);
      const there = await page.evaluate(readTexts);
      await page.locator('#tab-landscape').click();
      await settle(page);
      found.push([there, await page.evaluate(readTexts)]);
      assert.deepEqual(complaints, []);
      await close();
    }
    const [plain, other] = found;
    assert.deepEqual(other, plain);
    assert.deepEqual(
      plain.map(({ open }) => open),
      [[], []],
    );
  },
);
