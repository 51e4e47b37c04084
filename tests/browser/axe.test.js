/**
 * Runs axe-core on every view in the page's own table, in every language, theme and width, with results shown and folds
 * open. Then runs it with each panel and menu open.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { LONG, long, sample } from '../long.js';
import { openBench, settle, showView, unfoldView, unfoldDraw, unfoldStages } from './bench.js';
import { VIEW_NAMES } from '../../web/state/fields.js';
import { closed } from '../cleanup.js';

const axeSource = await readFile(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);
const WIDTHS = [375, 1440];
/**
 * The page's appearances: a user may choose each. The test checks the first with all rules, the others only with the
 * rules for colours.
 */
const LOOKS = [
  { name: 'light', theme: 'light', media: {} },
  { name: 'dark', theme: 'dark', media: {} },
  { name: 'contrast', theme: 'contrast', media: {} },
  { name: 'contrast on dark', theme: 'contrast', media: { colorScheme: 'dark' } },
  { name: 'more contrast', theme: 'light', media: { contrast: 'more' } },
  { name: 'forced colours', theme: 'light', media: { forcedColors: 'active' } },
];
const PLAIN = { colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none' };

const bench = closed(await openBench());

async function open(lang) {
  const opened = await bench.open({ path: `?lang=${lang}&theme=light` });
  await opened.page.evaluate(axeSource);
  return opened;
}

const COLOURS = ['color-contrast', 'color-contrast-enhanced'];
/** Sets of axe's rules: all rules, only those for colours, or those for a higher contrast. */
const RULES = {
  all: { rules: { 'color-contrast-enhanced': { enabled: false } } },
  colours: { runOnly: ['color-contrast'] },
  'more contrast': { runOnly: COLOURS, rules: { 'color-contrast-enhanced': { enabled: true } } },
};

/**
 * Returns axe's findings, one line for each.
 * @param {import('playwright-core').Page} page
 * @param {keyof typeof RULES} [which]
 */
function axe(page, which = 'all') {
  const { rules, ...options } = { rules: {}, ...RULES[which] };
  return page.evaluate(
    async (asked) => {
      const { violations } = await window.axe.run(document, asked);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ target, failureSummary }) => `${id}: ${target.flat().join(' ')} ${failureSummary}`,
        ),
      );
    },
    {
      ...options,
      resultTypes: ['violations'],
      rules: { 'target-size': { enabled: true }, ...rules },
    },
  );
}

/**
 * Runs axe in every appearance and returns { appearance: findings }. It checks themes at both widths. `make test`
 * checks the first appearance at one width, and a sample of the others.
 */
async function lookEverywhere(page, what, [plain, ...others], seed) {
  const isTheme = ({ media }) => !Object.keys(media).length;
  const all = others.flatMap((look) =>
    (isTheme(look) ? WIDTHS : WIDTHS.slice(1)).map((width) => [width, look]),
  );
  const places = [
    ...sample(WIDTHS, 1, seed).map((width) => [width, plain]),
    ...sample(all, 1, seed),
  ];
  const found = {};
  for (const [width, { name, theme, media }] of places.sort(([a], [b]) => a - b)) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ ...PLAIN, ...media });
    await page.evaluate((value) => (document.documentElement.dataset.theme = value), theme);
    const which = /contrast/.test(name) ? 'more contrast' : name === plain.name ? 'all' : 'colours';
    found[`${what}, ${name}, ${width} px`] = await axe(page, which);
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

// Colours are equal in all languages, so the second language skips appearances that differ only in colours.
for (const [lang, looks, views] of [
  ['en', LOOKS, sample(VIEW_NAMES, 1, 1)],
  ...(LONG ? [['es', LOOKS.slice(0, 1), VIEW_NAMES]] : []),
])
  test(`axe finds nothing on any view: ${lang}`, async () => {
    const { page, close } = await open(lang);
    const found = {};
    for (const [i, view] of views.entries()) {
      await unfoldView(page, view);
      Object.assign(found, await lookEverywhere(page, view, looks, i));
    }
    expectNothing(found);
    await close();
  });

/** Panels and menus, with the steps that open each. */
const OVER = {
  'menu of a bar': (page) => page.locator('logit-distribution .row').nth(1).click(),
  'menu of a drawn token': async (page) => {
    await page.locator('[data-command=step]').click();
    await page.locator('.step [data-place]').focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('logit-alternatives [data-alternative]').first().waitFor();
  },
  'explanation of a word': async (page) => {
    await page.locator('logit-distribution summary').click();
    await page.locator('logit-distribution logit-term button').first().click();
  },
  'list of samplers': async (page) => {
    await unfoldStages(page);
    await page.locator('logit-shelf button').nth(3).click();
  },
  'grammar of the user': async (page) => {
    await unfoldStages(page);
    await page.locator('[data-add=constraint]').click();
    await page.locator('logit-constraint select').selectOption({ index: 4 });
  },
  'panel for sending': async (page) => {
    await page.locator('[data-command=share]').click();
    await page.locator('logit-send summary').click();
    await page.locator('logit-send iframe').evaluate((frame) => frame.remove()); // the frame repeats the page
  },
  'list of shortcuts': async (page) => {
    await page.locator('logit-preferences [popovertarget]').click();
    await page.locator('[data-command=shortcuts]').click();
    await page.locator('logit-shortcuts dialog[open]').waitFor();
  },
  refusal: async (page) => {
    await page.locator('logit-knob[data-name=top_p] .box').fill('7');
    await page.locator('#prompt').fill('Tomorrow zebra');
    await page.locator('#fault:not(:empty)').waitFor();
    const nonsense = { name: 'no.gguf', mimeType: '', buffer: Buffer.from('no model') };
    await page.locator('logit-sheet input[type=file]').setInputFiles(nonsense);
    await page.locator('logit-scope .refused').waitFor();
  },
  'curves over all ranks': (page) => page.locator('#tab-cumulative').click(),
  'request for a random number': async (page) => {
    await page.locator('logit-draw .strip').press('ArrowRight');
    await unfoldDraw(page);
    await page.locator('[data-command=many]').click();
  },
  tour: async (page) => {
    await page.locator('[data-guide=show]').click();
    await page.locator('[data-guide=next]').click();
  },
  'blind ranking': async (page) => {
    await page.locator('#tab-compare').click();
    await page.locator('logit-compare #blind').click();
  },
  'strategy being edited': async (page) => {
    await page.locator('#tab-compare').click();
    const blind = page.locator('logit-compare #blind');
    if ((await blind.getAttribute('aria-pressed')) === 'true') await blind.click();
    const strategy = page.locator('logit-compare [data-column="0"] logit-strategy');
    await strategy.locator('.dots').click();
    await strategy.locator('[data-action=edit]').click();
  },
  'map of a sweep': async (page) => {
    await page.locator('#tab-sweep').click();
    await page.locator('logit-sweep label.chip').nth(1).click();
    await page.locator('logit-sweep-map').waitFor();
  },
  'bigram table': async (page) => {
    await showView(page, 'logits');
    await page.locator('[data-source=bigram]').click();
    await page.locator('[data-command=write-many]').click();
  },
};

// A long test: the first test checks a view, with its folds open.
long('axe finds nothing with any panel or menu open', async () => {
  const { page, close } = await open('en');
  const found = {};
  for (const [what, act] of Object.entries(OVER)) {
    await act(page);
    await settle(page);
    found[what] = await axe(page);
    await page.emulateMedia({ forcedColors: 'active' });
    found[`${what}, forced colours`] = await axe(page, 'colours');
    await page.emulateMedia(PLAIN);
    await page.keyboard.press('Escape');
  }
  expectNothing(found);
  await close();
});
