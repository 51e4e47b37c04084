/** What helps a beginner: the look around on a first visit, and a sentence for every term. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBench, root } from './bench.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
before(async () => (bench = await openBench()));
after(() => bench?.close());

const messages = async (code) =>
  JSON.parse(await readFile(join(root, `web/locale/${code}.json`), 'utf8'));

test('a first visit is shown round in five steps, each with its panel outlined, and only once', async () => {
  const { page, complaints, close } = await bench.open({ first: true });
  const said = await messages('en');
  const stops = [];
  for (let i = 0; i < 5; i++) {
    const guide = page.locator('logit-guide');
    await guide.getByText(said[`guide.${i}.about`]).waitFor();
    stops.push(
      await page.locator('[data-guided]').evaluateAll((found) => found.map((e) => e.localName)),
    );
    await guide.locator('[data-guide=next]').click();
  }
  assert.deepEqual(stops, [
    ['logit-text'],
    ['logit-distribution'],
    ['logit-chain'],
    ['logit-draw'],
    ['div'],
  ]);
  assert.equal(await page.locator('logit-guide, [data-guided]').count(), 0);
  await page.reload();
  await page.locator('logit-distribution .row').first().waitFor();
  assert.equal(await page.locator('logit-guide').count(), 0);
  await page.locator('[data-guide=show]').click();
  await page.locator('logit-guide').waitFor();
  await page.locator('logit-guide [data-guide=next]').focus();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('logit-guide').count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test('a term explains itself at a press, inside the window, in both languages', async () => {
  for (const code of ['en', 'es']) {
    const { page, close } = await bench.open({
      path: `?lang=${code}`,
      viewport: { width: 360, height: 800 },
    });
    const said = await messages(code);
    for (const name of ['kept', 'mass', 'entropy', 'perplexity']) {
      const term = page.locator(`logit-distribution logit-term[name=${name}]`);
      await term.locator('button').focus();
      await page.keyboard.press('Enter');
      const about = term.locator('p');
      assert.equal(await about.innerText(), said[`term.${name}.about`]);
      const box = await about.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
      await page.keyboard.press('Escape');
      assert.equal(await about.isVisible(), false);
    }
    await close();
  }
});

test('the glossary lists every term', async () => {
  const { page, close } = await bench.open();
  const said = await messages('en');
  await page.locator('.glossary summary').click();
  const shown = await page.locator('.glossary dd').allInnerTexts();
  const expected = Object.keys(said).filter((key) => /^term\..+\.about$/.test(key));
  assert.deepEqual(shown.sort(), expected.map((key) => said[key]).sort());
  await close();
});
