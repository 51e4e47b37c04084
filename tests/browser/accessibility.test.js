/** Tests accessibility of the page: keyboard use, both languages and themes, all widths, no layout shifts. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { long, sample } from '../long.js';
import { FIRST, loadReference, openBench, settle, START, until, unfoldDraw } from './bench.js';

const bench = closed(await openBench());

/** Opens the page in a language at its initial settings, perhaps in a page that an earlier test used. */
const open = (lang, options) => bench.open({ path: `?lang=${lang}${START}`, ...options });

/** Returns the name and the spoken words of the focused element, through every shadow tree. */
function focused(page) {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return {
      tag: element.localName,
      id: element.id,
      command: element.dataset?.command ?? null,
      host:
        element.getRootNode().host?.dataset?.name ?? element.getRootNode().host?.localName ?? '',
    };
  });
}

test('the keyboard alone writes, reads and clears a text', async () => {
  const { page, close } = await open('en');
  await page.locator('[data-command=step]').focus();
  await page.keyboard.press('Enter');
  const steps = page.locator('logit-text .step [data-place]');
  await until(() => steps.count(), 1);
  await page.keyboard.press('Space');
  await until(() => steps.count(), 2);
  assert.equal((await focused(page)).command, 'step');
  assert.match(await page.locator('logit-text [aria-live]').innerText(), /^Drew .+, [\d.]+%\./);

  await steps.first().focus();
  await page.keyboard.press('ArrowRight');
  assert.match(
    await page.locator('logit-text .numbers').innerText(),
    /after the knobs, .* before; surprisal/,
  );
  assert.equal(await steps.nth(1).getAttribute('aria-describedby'), 'numbers');

  await page.locator('[data-command=reset]').focus();
  await page.keyboard.press('Enter');
  await until(() => steps.count(), 0);
  assert.equal((await focused(page)).command, 'reset');
  await close();
});

test('the arrow keys read the bars one by one, and the bars are also a table', async () => {
  const [{ page, close }, scope] = await Promise.all([open('en'), loadReference()]);
  const chart = page.locator('logit-distribution').getByRole('listbox');
  await chart.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const id = await chart.getAttribute('aria-activedescendant');
  const words = await page.locator(`logit-distribution #${id}`).getAttribute('aria-label');
  scope.feed(scope.encode(FIRST));
  const { tokens, rest } = scope.distribution({
    temperature: 0.7,
    top_p: 0.9,
    repetition_penalty: 1.1,
  });
  assert.ok(words.startsWith(`${tokens[1].text.trim()}, rank 2: `), words);
  await page.locator('logit-distribution summary').click();
  await page.locator('logit-distribution tbody').waitFor();
  assert.equal(
    await page.locator('logit-distribution tbody tr').count(),
    tokens.length + Number(rest.count > 0),
  );
  scope.close();
  await close();
});

test('colours follow the system and the theme switch', async () => {
  const { page, close } = await open('en', { colorScheme: 'dark' });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.locator('logit-preferences [popovertarget]').click();
  await page.getByText('Light', { exact: true }).click();
  const light = await until(background, (colour) => colour !== dark);
  assert.notEqual(light, dark);
  await page.getByText('Auto', { exact: true }).click();
  await until(background, dark);
  await page.emulateMedia({ colorScheme: 'light' });
  await until(background, light);
  await close();
});

test('with reduced motion nothing moves, otherwise bars move by transform only', async () => {
  const style = (page) =>
    page
      .locator('logit-distribution .final')
      .first()
      .evaluate((bar) => {
        const { transitionDuration, transitionProperty } = getComputedStyle(bar);
        return { transitionDuration, transitionProperty };
      });
  const still = await open('en', { reducedMotion: 'reduce' });
  assert.equal((await style(still.page)).transitionDuration, '0s');
  await still.close();
  const moving = await open('en', { reducedMotion: 'no-preference' });
  assert.deepEqual(await style(moving.page), {
    transitionDuration: '0.26s',
    transitionProperty: 'transform',
  });
  await moving.close();
});

/**
 * Runs in the page: lists shown elements that extend past the window, except text for screen readers, scrollable
 * tables and the row of the stages' names. Of the stages that a phone shows one at a time, each must fit the window
 * and hold its parts.
 */
function overflow() {
  const over = [];
  const walk = (root, around) => {
    for (const element of root.querySelectorAll('*')) {
      const card = element.closest('.alone > li');
      const box = card && card !== element ? card.getBoundingClientRect() : around;
      const { left, right, width } = element.getBoundingClientRect();
      const drawn = element.ownerSVGElement && element.localName !== 'text';
      const past = right > box.right + 0.5 || left < box.left - 0.5;
      const sticksOut = width > 1 && (card === element ? width > innerWidth + 0.5 : past);
      const free = element.closest('.visually-hidden, .scroll, .chooser > *');
      if (sticksOut && !drawn && !free && element.checkVisibility())
        over.push(`${element.localName}.${element.getAttribute('class')}`);
      if (element.shadowRoot) walk(element.shadowRoot, box);
    }
  };
  walk(document, { left: 0, right: innerWidth });
  return { over, scroll: document.documentElement.scrollWidth };
}

const testOverflow = (lang) =>
  long(`nothing overflows from 360 to 2560 px: ${lang}`, async () => {
    const { page, close } = await open(lang);
    for (let i = 0; i < 2; i++) await page.locator('[data-command=step]').click();
    const folds = page.locator('#view details:not([open]) > summary:visible');
    while (await folds.count()) await folds.first().click(); // opens all folds, to check their contents
    for (const width of [360, 375, 768, 1024, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const wanted = { over: [], scroll: width };
      const same = (found) => JSON.stringify(found) === JSON.stringify(wanted);
      assert.deepEqual(await until(() => page.evaluate(overflow), same), wanted, `${width} px`);
    }
    await close();
  });

/** @type {[number, string][]} */
const SIZES = [
  [375, 'es'],
  [1024, 'en'],
  [1180, 'es'],
  [1280, 'en'],
  [1440, 'es'],
  [2560, 'en'],
];
const testStill = (width, lang) =>
  long(`turning knobs and drawing tokens moves no panel: ${width} px, ${lang}`, async () => {
    const { page, close } = await open(lang, { viewport: { width, height: 900 } });
    const places = () =>
      page.evaluate(() => {
        scrollTo(0, 0); // otherwise sticky elements would be measured away from their places
        const { shadowRoot } = document.querySelector('logit-scope');
        const bench = shadowRoot.querySelector('logit-bench').shadowRoot;
        const chain = bench.querySelector('logit-chain').shadowRoot;
        chain.querySelector('ol').scrollTo({ left: 0, behavior: 'instant' }); // back to the first stage, for equal places
        const cards = chain.querySelectorAll('.card');
        return [...bench.querySelectorAll('.panel'), ...cards].map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return { name: element.localName, numbers: [x, y + scrollY, width, height] };
        });
      });
    await unfoldDraw(page);
    const before = await places();
    const expectStill = async (when) =>
      (await places()).forEach(({ name, numbers }, i) =>
        numbers.forEach((number, j) =>
          assert.ok(
            Math.abs(number - before[i].numbers[j]) < 1,
            `${when}: ${name} from ${before[i].numbers} to ${numbers}`,
          ),
        ),
      );
    const slider = (name) => page.locator(`logit-knob[data-name=${name}]`).getByRole('slider');
    for (const [name, key] of [
      ['temperature', 'End'],
      ['top_p', 'Home'],
      ['top_p', 'End'],
      ['top_k', 'End'],
      ['temperature', 'Home'],
    ]) {
      await slider(name).press(key);
      await settle(page);
      await expectStill(`${name} ${key}`);
    }
    await page.locator('[data-command=step]').click();
    await page.locator('logit-text .step').first().waitFor();
    await expectStill('after a step');
    await page.locator('[data-command=many]').click();
    await page.locator('logit-draw .result[data-total="1000"]').waitFor();
    await settle(page);
    await expectStill('after many draws');
    await close();
  });

const chosen = sample(SIZES, 1);
for (const lang of ['en', 'es']) {
  testOverflow(lang);
  for (const [width, its] of chosen) if (its === lang) testStill(width, lang);
}

test('the language switch changes every word and every number', async () => {
  const { page, close } = await open('en', { own: true }); // later tests need English
  const [en, es] = await Promise.all(
    ['en', 'es'].map(async (code) =>
      JSON.parse(await readFile(new URL(`../../web/locale/${code}.json`, import.meta.url), 'utf8')),
    ),
  );
  await page.locator('logit-preferences [popovertarget]').click();
  await page.getByText('Español').click();
  await page.keyboard.press('Escape');
  await page.locator('logit-text h2', { hasText: es['text.title'] }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'es');
  const shown = await page.evaluate(() => {
    const words = [];
    const walk = (node) => {
      if (node.nodeType === Node.TEXT_NODE) words.push(node.data.trim());
      if (node.nodeType === Node.ELEMENT_NODE)
        for (const name of ['aria-label', 'title', 'aria-valuetext'])
          words.push(node.getAttribute(name) ?? '');
      if (node.localName === 'style' || node.localName === 'script') return;
      for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) walk(child);
    };
    walk(document.body);
    return words.filter(Boolean);
  });
  const left = Object.entries(en).filter(
    ([key, text]) =>
      key !== 'language' &&
      typeof text === 'string' &&
      text.length > 3 &&
      text !== es[key] &&
      !text.includes('{') &&
      shown.includes(text),
  );
  assert.deepEqual(left, []);
  assert.ok(
    shown.some((text) => /^\d+,\d+\s%$/.test(text)),
    'a Spanish percentage',
  );
  assert.equal(await page.locator('logit-knob[data-name=temperature] .box').inputValue(), '0,7');
  await page.locator('logit-knob[data-name=temperature] .box').fill('1,25');
  const slider = page.locator('logit-knob[data-name=temperature]').getByRole('slider');
  await until(() => slider.getAttribute('aria-valuetext'), '1,25');
  await page.locator('logit-knob[data-name=top_p] .box').fill('1,5');
  const refused = page.locator('logit-knob[data-name=top_p] .error');
  assert.equal(
    await until(() => refused.innerText(), Boolean),
    'Top-p: tiene que estar entre 0 y 1 y es 1,5; se queda en 0,9.',
  );
  await close();
});

long('the language of the address wins over the chosen one', async () => {
  const { page, close } = await open('en');
  await page.locator('logit-preferences [popovertarget]').click();
  await page.getByText('Español').click();
  const lang = () => page.evaluate(() => document.documentElement.lang);
  await until(lang, 'es');
  await page.reload();
  assert.equal(await lang(), 'en');
  await close();
});
