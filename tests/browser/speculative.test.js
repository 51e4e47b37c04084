/** Tests the speculative view: the outcome of each token, by mouse and keys, its link, and a model without a draft. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { LONG, long } from '../long.js';
import { axe, openBench, root, showView, until } from './bench.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
/** @type {Logitscope} */
let scope;
/** @type {Logitscope} */
let draft;
before(async () => {
  const load = (/** @type {string} */ name) =>
    Logitscope.load({ model: join(root, `models/${name}.gguf`) });
  [bench, scope, draft] = await Promise.all([openBench(), load('stories'), load('stories-draft')]);
});
after(async () => {
  await bench?.close();
  scope?.close();
  draft?.close();
});

const PROMPT = 'Once upon a time';

/** Returns the text that the view should show. @param {Record<string, any>} options */
const written = (options) =>
  scope.write({ prompt: PROMPT, seed: 3, max_new_tokens: 48, draft, draft_top: 10, ...options });

/** @param {import('playwright-core').Locator} view */
const outcomes = (view) =>
  view.locator('.step').evaluateAll((all) => all.map((one) => one.dataset.outcome));

/** Waits until the view shows the engine's text. */
async function shows(view, { steps, speculation }) {
  const wanted = steps.map((step) => step.speculation.outcome);
  assert.deepEqual(
    await until(
      () => outcomes(view),
      (now) => String(now) === String(wanted),
    ),
    wanted,
  );
  const rate = speculation.tokens_per_pass.toFixed(2);
  const text = await view.locator('[data-fact=per-pass]').innerText();
  assert.match(text, new RegExp(`${rate} ${speculation.tokens} in ${speculation.passes} passes`));
}

test('each token’s outcome and both distributions are the engine’s', async () => {
  const { page, complaints, foreign, close } = await bench.open({
    path: `?lang=en&model=stories#prompt=${encodeURIComponent(PROMPT)}&seed=3`,
    fresh: true,
  });
  await showView(page, 'speculative');
  const view = page.locator('logit-speculative');
  const first = await written({ draft_tokens: 4 });
  await view.locator('.facts').waitFor();
  await shows(view, first);

  const at = first.steps.findIndex(({ speculation }) => speculation.outcome === 'replaced');
  const { id, speculation } = first.steps[at];
  await view.locator('.step').nth(at).click();
  await view.locator('tr.drawn').waitFor();
  const percents = await view
    .locator('.shares tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td:not(.bars)')].map((cell) => cell.innerText)),
    );
  assert.equal(percents.length, speculation.tokens.length);
  for (const [i, { p, q, residual }] of speculation.tokens.entries())
    for (const [k, share] of [p, q, residual].entries()) {
      if (share > 0 && share < 1e-3) continue; // skips small shares: the page writes them with other digits
      const shown = percents[i][k] === '–' ? 0 : parseFloat(percents[i][k]);
      assert.ok(Math.abs(shown - 100 * share) <= share, `${shown}, ${share}`);
    }
  const words = await view.locator('.told').innerText();
  assert.ok(words.includes(`“${speculation.drafted_text.replace(' ', '␣')}”`), words);
  assert.ok(words.includes(`u = ${speculation.coin.toFixed(4)}`), words);
  assert.ok(speculation.tokens.some((token) => token.id === id));

  assert.deepEqual([complaints, foreign], [[], []]);
  if (!LONG) return close();
  // Keys select the last, the first and the next token; each selection shows its description.
  const tape = view.locator('[role=listbox]');
  await tape.focus();
  await page.keyboard.press('End');
  const selected = view.locator('[role=option][aria-selected=true]');
  await until(() => tape.getAttribute('aria-activedescendant'), `t${first.steps.length - 1}`);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await until(() => selected.getAttribute('id'), 't1');
  assert.match(
    await selected.innerText(),
    { accepted: /, a draft that stayed$/, replaced: /, a draft struck out/, bonus: /alone$/ }[
      first.steps[1].speculation.outcome
    ],
  );

  await view.locator('[data-drafts="2"]').click();
  await shows(view, await written({ draft_tokens: 2 }));
  await view.locator('[data-box=temperature]').fill('0');
  await view.locator('[data-box=temperature]').press('Enter');
  const greedy = await written({ draft_tokens: 2, temperature: 0 });
  await shows(view, greedy);
  const plain = await scope.write({ prompt: PROMPT, temperature: 0, max_new_tokens: 48 });
  assert.deepEqual(greedy.ids, plain.ids);
  await until(() => page.url(), /speculative_draft_tokens=2&speculative_temperature=0/);
  await view.locator('[data-box=temperature]').fill('-1');
  await view.locator('[data-box=temperature]').press('Enter');
  await until(
    () => view.locator('#error').innerText(),
    (text) => text !== '',
  );

  await view.locator('[data-command=time]').click();
  await view.locator('[data-fact=time] b').waitFor();
  await view
    .getByText(/[\d.]+ times as (fast|slow) with drafts/)
    .first()
    .waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});

long(
  'a model without a draft says so and links to one with a draft; a text that cannot be drafted gives one sentence',
  async () => {
    const { page, close } = await bench.open({ path: '?lang=es&model=verbs#mirostat=2' });
    await showView(page, 'speculative');
    const view = page.locator('logit-speculative');
    await view.locator('[data-command=stories]').click();
    await view.getByText(/^con \S+ no puede haber un modelo que proponga/i).waitFor();
    await close();
  },
);
