/**
 * Tests that the first screen of each view stays simple: it counts the words and controls in a window of 1440x900.
 * The words of a model or a prompt do not count.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { LONG } from '../long.js';
import { openBench, settle, until } from './bench.js';
import { countScreen } from './screen-count.js';

const FOUR = { temperature: 1.3, top_k: 40, min_p: 0.05, top_p: 0.9 };

const bench = closed(await openBench());

test('each view shows few words and few controls', async () => {
  const { page, complaints, close } = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    own: true,
    viewport: { width: 1440, height: 900 },
  });
  await page.goto(`${bench.url}?lang=en`);
  await page.locator('logit-landscape .sentence mark').waitFor();
  /** @param {string} view @param {number} words @param {number} controls */
  const expectFew = async (view, words, controls) => {
    await page.mouse.move(1, 1);
    await settle(page);
    const found = await until(
      () => page.evaluate(countScreen),
      (now) => now.controls.length <= controls && now.words.length <= words,
    );
    const { length } = found.controls;
    assert.ok(length <= controls, `${view}: ${length} controls: ${found.controls.join(', ')}`);
    const count = found.words.length;
    assert.ok(count <= words, `${view}: ${count} words: ${found.words.join(' ')}`);
    assert.ok(length > 5 && count > 20, `${view} is shown`);
  };
  await expectFew('Explore', 90, 14);

  await page.locator('#tab-bench').click();
  await page.locator('logit-distribution .row').first().waitFor();
  await expectFew('Experiment', 110, 40);
  await page.locator('logit-scope').evaluate((it, settings) => it.restore({ settings }), FOUR);
  await page.locator('logit-stages .head[data-stage=min_p]').waitFor();
  await expectFew('Experiment with four stages', 110, 40);
  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  // The buttons in a sampler's line are visible while the pointer is on the line, and while Tab or Shift+Tab moves
  // the focus to it.
  const about = page.locator('logit-chain [data-more=min_p]');
  const remove = page.locator('logit-chain [data-remove=min_p]');
  const shown = async () => [await remove.isVisible(), await about.isVisible()];
  const both = () => until(shown, (now) => now.every(Boolean));
  assert.deepEqual(await shown(), [false, false]);
  await page.locator('li.card[data-stage=min_p]').hover();
  assert.deepEqual(await both(), [true, true]);
  await page.mouse.move(1, 1);
  const named = () =>
    page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element?.getAttribute('aria-label') ?? element?.textContent?.trim();
    });
  await settle(page); // waits for the shelf of samplers, a Tab stop that loads after the chain
  await page.locator('li.card[data-stage=min_p] #box').focus();
  const visited = [];
  for (const key of ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab']) {
    await page.keyboard.press(key);
    visited.push(await named());
  }
  const [name, next] = ['Remove Min-p', 'More stages'];
  assert.deepEqual(visited, [name, 'About Min-p', next, 'About Min-p', name]);

  await page.locator('#tab-compare').click();
  await page.locator('logit-compare [data-command=luck]').waitFor();
  await expectFew('Compare', 150, 25);
  assert.deepEqual(complaints, []);
  await close();
});
