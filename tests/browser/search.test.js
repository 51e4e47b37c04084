/** Searches to be watched, the window of the penalties, and the constraint as part of the page's state. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findLoop } from '../../web/engine/loops.js';
import { LOOPING } from '../../web/engine/suites.js';
import { openBench, until } from './bench.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
before(async () => (bench = await openBench()));
after(() => bench?.close());

test('the searches show beam search in a loop, marked, beside drawn texts without one', async () => {
  const path = '?lang=en&model=stories&view=compare';
  const { page, complaints, close } = await bench.open({ path, ready: false });
  const view = page.locator('logit-compare');
  await view.locator('[data-suite=searches]').click();
  await view.locator('[data-command=loop]').click();
  assert.equal(await view.locator('#prompt').inputValue(), LOOPING.prompt);
  const ids = async (at) =>
    view
      .locator(`[data-column="${at}"] .t`)
      .evaluateAll((tokens) => tokens.map((token) => Number(token.dataset.id)));
  const column = (name) => view.locator('li.column').filter({ has: page.locator('h3', { hasText: name }) });
  const loopOf = (name) => column(name).locator('[data-figure=loop] dd').innerText();
  await view.locator('progress[max="7"][value="7"]').waitFor({ timeout: 120_000 });
  await view.locator('[data-command=run]').waitFor();

  const at = Number(await column('8 beams').getAttribute('data-column'));
  const loop = findLoop(await ids(at));
  assert.ok(loop);
  assert.equal(await loopOf('8 beams'), `${loop.times} times, from token ${loop.start + 1}`);
  assert.equal(await column('8 beams').locator('.t.looped').count(), loop.end - loop.start);
  for (const name of ['plain', 'top-p 0.9', 'alpha 0.6', 'alpha 0.4']) assert.equal(await loopOf(name), 'none', name);

  // A search has no settings of the bench's: it is neither edited nor taken over there.
  assert.equal(await column('8 beams').locator('[data-action=adopt]').isVisible(), false);
  assert.equal(await column('plain').locator('[data-action=adopt]').isVisible(), true);
  assert.deepEqual(complaints, []);
  await close();
});

const bars = (page) => page.locator('logit-distribution .row').evaluateAll((rows) => rows.map((row) => row.textContent));

test('the window of the penalties is a knob on the penalty’s card, by keyboard, explained in both languages', async () => {
  const { page, complaints, close } = await bench.open({ path: '?lang=en&model=verbs#prompt=Today%20she%20will%20go%20to&repetition_penalty=2' });
  const knob = page.locator('.card[data-stage=repetition_penalty] logit-knob[data-name=repetition_window]');
  assert.equal(await page.locator('logit-knob[data-name=repetition_window]').count(), 1);
  assert.match(await knob.locator('#about').innerText(), /How many of the last tokens every penalty but DRY looks at; 0 is all/);
  const all = await bars(page);
  await page.getByRole('slider', { name: /Repetition window/ }).focus();
  await page.keyboard.press('ArrowRight');
  const one = await until(() => bars(page), (now) => JSON.stringify(now) !== JSON.stringify(all));
  assert.notDeepEqual(one, all, 'only the last token is penalised');
  assert.equal(await knob.locator('.box').inputValue(), '1');
  await until(() => page.url(), (url) => /repetition_window=1/.test(url));
  assert.match(page.url(), /repetition_window=1/);
  await page.getByText('Español').click();
  const spanish = await until(() => knob.locator('#about').innerText(), (text) => /Cuántos/.test(text));
  assert.match(spanish, /Cuántos de los últimos tokens miran todas las penalizaciones/);
  assert.deepEqual(complaints, []);
  await close();

  // A lesson that names the penalty alone shows it alone; one that names the window alone, the window.
  for (const [controls, windows, cards] of [['repetition_penalty', 0, 1], ['repetition_window', 1, 0], ['repetition_penalty,repetition_window', 1, 1]]) {
    const lesson = await bench.open({ path: `?lang=en&model=verbs&controls=${controls}` });
    assert.equal(await lesson.page.locator('logit-knob[data-name=repetition_window]').count(), windows);
    assert.equal(await lesson.page.locator('.card[data-stage=repetition_penalty]').count(), cards);
    await lesson.close();
  }
});
