/** Tests guidance by a second text: its effect on the bench, the landscape and the link. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percent } from '../../web/locale/locale.js';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import {
  FIRST,
  axe,
  expectTrace,
  loadReference,
  openBench,
  settle,
  showView,
  until,
} from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

/** Returns the engine's distribution for a text and a second text; drawn tokens extend both. */
function expected(settings, { negative, drawn = [] }) {
  const beside = scope.session();
  beside.feed([...negative, ...drawn]);
  scope.feed([...scope.encode(FIRST), ...drawn]);
  scope.second(beside.logits());
  const second = scope.warp(beside.logits());
  beside.close();
  return { trace: scope.distribution(settings), second };
}

const last = () => [...scope.encode(FIRST)].slice(-1);
const rings = (page) =>
  page
    .locator('logit-distribution .row:has(.second)')
    .evaluateAll((rows) =>
      rows.map((row) => [Number(row.dataset.id), row.querySelector('.second').dataset.share]),
    );

test('bars are the engine’s for the last word and for a user’s text as second text', async () => {
  const settings = { guidance_scale: 2.5 };
  const { page, complaints, foreign, close } = await bench.open({
    path: '?lang=en#guidance_scale=2.5',
    fresh: true,
  });
  await expectTrace(page, expected(settings, { negative: last() }).trace);

  const box = page.getByRole('textbox', { name: 'Second text' });
  await box.fill('Yesterday she');
  await box.press('Enter');
  const negative = [...scope.encode('Yesterday she')];
  const { trace, second } = expected(settings, { negative });
  await expectTrace(page, trace);
  const shown = await rings(page);
  assert.ok(shown.length > 2);
  for (const [id, share] of shown) assert.equal(share, String(second.p[id]));

  await page.locator('[data-command=step]').click();
  await settle(page);
  const [id] = await page.evaluate(() => document.querySelector('logit-scope').state.branch);
  assert.equal(id, scope.draw(settings, { step: 0 }).id, 'the token that the bars gave');
  await expectTrace(page, expected(settings, { negative, drawn: [id] }).trace);
  await until(() => page.url(), /negative_prompt=Yesterday%20she.*branch=/);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});

long('a link holds the second text, and the landscape writes with it', async () => {
  const settings = { guidance_scale: 2.5 };
  const { page, complaints, foreign, close } = await bench.open({
    path: '?lang=en#guidance_scale=2.5&negative_prompt=Yesterday%20she',
    fresh: true,
  });
  const negative = [...scope.encode('Yesterday she')];
  const { trace, second } = expected(settings, { negative });
  const box = page.getByRole('textbox', { name: 'Second text' });
  await expectTrace(page, trace);
  assert.equal(await box.inputValue(), 'Yesterday she');
  assert.deepEqual(await axe(page), []);

  await page.locator('[data-view=landscape]').click();
  const crossing = page.locator('logit-landscape');
  await settle(page);
  const writes = scope.session();
  const { text } = await writes.write({
    ...settings,
    prompt: FIRST,
    negative_prompt: 'Yesterday she',
    seed: 42,
    max_new_tokens: 4,
  });
  writes.close();
  await until(
    () => crossing.locator('.sentence').innerText(),
    (said) => said.replaceAll(/\s+/g, ' ').includes(`${FIRST}${text}`.trim()),
  );
  await crossing.locator('.numbers summary').click();
  assert.match(await crossing.locator('thead').innerText(), /Second text/);
  const row = crossing.locator('tbody tr').first();
  const beside = percent(second.p[Number(await row.getAttribute('data-id'))]);
  assert.equal(await row.locator('td').last().innerText(), beside);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});

long(
  'contrastive decoding names the tokens that it cuts, in Spanish, and is missing over given logits',
  async () => {
    const { page, close } = await bench.open({ path: '?lang=es#contrastive_beta=1' });
    await expectTrace(page, expected({ contrastive_beta: 1 }, { negative: last() }).trace);
    assert.match(await page.locator('[data-stage=contrastive_beta]').innerText(), /^quita \d+/);
    await showView(page, 'logits');
    await settle(page);
    const shelf = page.locator('logit-logits logit-shelf');
    await page.locator('logit-logits [data-command=stages]').click();
    assert.equal(await shelf.locator('[data-add=top_a]').count(), 1);
    assert.equal(await shelf.locator('[data-add=guidance_scale]').count(), 0);
    await close();
  },
);
