/**
 * axe-core on every view of the page's own table of views, in every language, theme and width, with
 * whatever the view runs and folds out in sight; then with each panel and menu that opens over it.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { cases } from '../long.js';
import { openBench, settle } from './bench.js';

const axeSource = await readFile(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);
const WIDTHS = [375, 1440];
/**
 * What a reader may ask for; the first is looked at by every rule, the others by those of colours.
 */
const LOOKS = [
  { name: 'light', theme: 'light', media: {} },
  { name: 'dark', theme: 'dark', media: {} },
  { name: 'contrast', theme: 'contrast', media: {} },
  { name: 'contrast on dark', theme: 'contrast', media: { colorScheme: 'dark' } },
  { name: 'more contrast', theme: 'light', media: { contrast: 'more' } },
  { name: 'forced colours', theme: 'light', media: { forcedColors: 'active' } },
];
/** One in how many of the looks that are looked at by the rules of colours alone. */
const STRIDE = cases(3, 1);
const PLAIN = { colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none' };

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
before(async () => (bench = await openBench()));
after(() => bench?.close());

async function open(lang) {
  const opened = await bench.open({ path: `?lang=${lang}&theme=light` });
  await opened.page.evaluate(axeSource);
  return opened;
}

/**
 * What axe finds, a line each.
 * @param {import('playwright-core').Page} page
 * @param {boolean} [all] by every rule, not only by those that colours decide
 * @param {boolean} [more] whether text must stand out by 7:1
 */
function axe(page, all = true, more = false) {
  return page.evaluate(
    async ([wholly, enhanced]) => {
      const colours = ['color-contrast', 'color-contrast-enhanced'];
      const { violations } = await window.axe.run(document, {
        ...(wholly ? {} : { runOnly: colours }),
        resultTypes: ['violations'],
        rules: {
          'target-size': { enabled: wholly },
          'color-contrast-enhanced': { enabled: enhanced },
        },
      });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ target, failureSummary }) => `${id}: ${target.flat().join(' ')} ${failureSummary}`,
        ),
      );
    },
    [all, more],
  );
}

/** Shows a view, runs what it runs and opens all that folds. */
async function unfold(page, name) {
  await page.locator(`#tab-${name}`).click();
  await settle(page);
  for (const button of await page.locator('#view button.primary:visible').all()) {
    await button.click();
    await settle(page);
  }
  const folded = page.locator('details:not([open]) > summary:visible');
  while (await folded.count()) await folded.first().click();
  await settle(page);
}

/**
 * Every look, at both widths those that have a name in the address: { where: what axe finds }; of
 * those that differ in colours, a sample that depends on which comes `first`.
 */
async function lookEverywhere(page, what, looks, first) {
  const found = {};
  let coloured = first;
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const { name, theme, media } of looks) {
      if (width === WIDTHS[0] && Object.keys(media).length) continue;
      if (name !== 'light' && coloured++ % STRIDE) continue;
      await page.emulateMedia({ ...PLAIN, ...media });
      await page.evaluate((value) => (document.documentElement.dataset.theme = value), theme);
      found[`${what}, ${name}, ${width} px`] = await axe(
        page,
        name === 'light',
        /contrast/.test(name),
      );
    }
  }
  await page.emulateMedia(PLAIN);
  return found;
}

/** @param {Record<string, string[]>} found */
function expectNothing(found) {
  assert.deepEqual(
    Object.fromEntries(Object.entries(found).filter(([, lines]) => lines.length)),
    {},
  );
}

// Colours know no language: the looks that differ in nothing else are not repeated.
for (const [lang, looks] of [
  ['en', LOOKS],
  ['es', LOOKS.slice(0, 1)],
])
  test(`axe finds nothing on any view: ${lang}`, async () => {
    const { page, close } = await open(lang);
    const views = await page
      .locator('[role=tab][aria-controls=view]')
      .evaluateAll((tabs) => tabs.map(({ dataset }) => dataset.view));
    assert.ok(views.length >= 5, views.join());
    const found = {};
    for (const [i, view] of views.entries()) {
      await unfold(page, view);
      Object.assign(found, await lookEverywhere(page, view, looks, i));
    }
    expectNothing(found);
    await close();
  });

/** What opens over the page, and how. */
const OVER = {
  'menu of a bar': (page) => page.locator('logit-distribution .row').nth(1).click(),
  'menu of a drawn token': async (page) => {
    await page.locator('[data-command=step]').click();
    await page.locator('.step button').focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('logit-alternatives [data-alternative]').first().waitFor();
  },
  'explanation of a word': (page) =>
    page.locator('logit-distribution logit-term button').first().click(),
  'shelf of warpers': async (page) => {
    await page.locator('logit-shelf summary').click();
    await page.locator('logit-shelf button').nth(3).click();
  },
  'grammar of the reader': (page) =>
    page.locator('logit-constraint select').selectOption({ index: 4 }),
  'what was refused': async (page) => {
    await page.locator('logit-knob[data-name=top_p] .box').fill('7');
    await page.locator('#prompt').fill('Tomorrow zebra');
    await page.locator('#fault:not(:empty)').waitFor();
    const nonsense = { name: 'no.gguf', mimeType: '', buffer: Buffer.from('no model') };
    await page.locator('logit-model input[type=file]').setInputFiles(nonsense);
    await page.locator('logit-model .error').waitFor();
  },
  'look around': async (page) => {
    await page.locator('[data-guide=show]').click();
    await page.locator('[data-guide=next]').click();
  },
  'share panel': async (page) => {
    await page.locator('[data-command=share]').click();
    await page.locator('logit-share iframe').evaluate((frame) => frame.remove()); // the page once more
  },
  'curves over all ranks': (page) => page.locator('#tab-cumulative').click(),
  'random number asked for': async (page) => {
    await page.locator('logit-draw .strip').press('ArrowRight');
    await page.locator('[data-command=many]').click();
  },
  'blind ranking': async (page) => {
    await page.locator('#tab-compare').click();
    await page.locator('logit-compare #blind').click();
  },
  'strategy being edited': async (page) => {
    await page.locator('#tab-compare').click();
    await page.locator('logit-compare #blind').click();
    await page.locator('logit-compare [data-action=edit]').first().click();
  },
  'map of a sweep': async (page) => {
    await page.locator('#tab-sweep').click();
    await page.locator('logit-sweep label.chip').nth(1).click();
    await page.locator('logit-sweep button.primary').click();
  },
  'bigram table': async (page) => {
    await page.locator('#tab-own').click();
    await page.locator('[data-source=bigram]').click();
    await page.locator('[data-command=write-many]').click();
  },
};

test('axe finds nothing with any panel or menu open', async () => {
  const { page, close } = await open('en');
  const found = {};
  for (const [i, [what, act]] of Object.entries(OVER).entries()) {
    await act(page);
    await settle(page);
    found[what] = await axe(page);
    if (i % STRIDE === 0) {
      await page.emulateMedia({ forcedColors: 'active' });
      found[`${what}, forced colours`] = await axe(page, false);
      await page.emulateMedia(PLAIN);
    }
    await page.keyboard.press('Escape');
  }
  expectNothing(found);
  await close();
});
