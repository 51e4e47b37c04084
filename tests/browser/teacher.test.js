/** Tests a lesson's pages for teachers: guide, answers, print view, and the results of a class from its codes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { LONG } from '../long.js';
import { axe, openBench, until } from './bench.js';
import { question, rest } from './lesson-page.js';

const bench = closed(await openBench());

test('a teacher has a learner’s code, a print sheet, a guide with answers, and the class as dots', async () => {
  const { page, complaints, foreign, close } = await bench.open({
    path: '?lesson=top-p&lang=en',
    ready: false,
    fresh: true,
  });
  await question(page, 2).waitFor();
  await rest(page);
  assert.equal(await page.locator('logit-class-code').count(), 0, 'nothing was done');
  const check = async (place, text) => {
    await question(page, place).locator('input').fill(text);
    await question(page, place).locator('button.primary').click();
    await rest(page);
  };
  await check(2, '0.556');
  await check(3, '4');
  await check(3, '2');
  const code = await page.locator('logit-class-code code').innerText();
  assert.match(code, /^top-p\.0470000\.\w\w$/);

  await page.emulateMedia({ media: 'print' });
  const printed = (selector) => page.locator(selector).first().isVisible();
  assert.equal(await printed('logit-question input'), true, 'a line to write on');
  for (const selector of ['logit-question .acts', 'logit-lesson .top', 'logit-figure[held]'])
    assert.equal(await printed(selector), false, selector);
  await page.emulateMedia({ media: 'screen' });

  await page.goto(`${bench.url}?lesson=top-p&guide&lang=en`);
  const answers = page.locator('logit-lesson-guide .answers > li');
  await answers.nth(6).waitFor();
  assert.match(
    await page.locator('logit-lesson-guide article').innerText(),
    /Let the class add up by hand/,
  );
  const [, share] = await answers.allInnerTexts();
  assert.match(share, /among the tokens that are kept\?\s+Right: 0\.556 \(55\.6%\) ± 0\.006/);
  assert.match(share, /0\.588 \(58\.8%\)\s+You divided by p/);

  const plot = page.locator('logit-class-plot');
  await plot.locator('#codes').fill(`${code} Ana\n\n${code}\n${code.replace('047', '041')}\nhello`);
  const lines = await plot.locator('.error').allInnerTexts();
  assert.match(lines[0], /^Line 4 has a slip of the pen/);
  assert.match(lines[1], /^Line 5 is no code: hello/);
  assert.match(await plot.locator('.n').innerText(), /^2 learners/);
  const counts = await plot.locator('.plot ol .count').allInnerTexts();
  assert.deepEqual(
    counts.slice(0, 3).map((text) => text.split('\n')[0].trim()),
    ['0 of 2 right, 0 at once', '2 of 2 right, 2 at once', '2 of 2 right, 0 at once'],
  );
  assert.equal(await plot.locator('.plot ol li').nth(2).locator('circle.later').count(), 2);
  await plot.locator('.names summary').click();
  const rows = await plot.locator('.names tbody tr').allInnerTexts();
  assert.match(rows[0], /^Ana\s+not tried|^Ana/);
  assert.match(rows[1], /^no name/);
  assert.equal(await plot.locator('.names tbody tr').first().locator('circle.first').count(), 1);
  assert.deepEqual([complaints, foreign], [[], []]);
  if (!LONG) return close();
  assert.deepEqual(await axe(page), []);
  await page.goto(`${bench.url}?lesson&guide&lang=es`);
  const guides = page.locator('logit-lesson-guide .list li');
  await until(() => guides.count(), Boolean);
  assert.match(await guides.first().innerText(), /Guía/);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});
