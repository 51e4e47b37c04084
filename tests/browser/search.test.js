/** Searches to be watched, the window of the penalties, and the constraint as part of the page's state. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findLoop } from '../../web/engine/loops.js';
import { LOOPING } from '../../web/engine/suites.js';
import { openBench } from './bench.js';

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
