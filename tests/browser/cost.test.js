/** Tests the cost view: figures of the formula, timed steps with and without the cache, and variants. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  multiplied,
  operations,
  wholeText,
  withCache,
  withoutCache,
} from '../../web/views/cost/formula.js';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import { FIRST, loadReference, openBench, showView, until } from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

test('the formula gives the operation count of a naive forward pass', () => {
  const info = { ...scope.info };
  const { n_embd: d, n_layer, vocab_size, context_length } = info;
  const n = 7;
  let matrices = 0;
  let attention = 0;
  // In the model verbs the feed-forward layer has width 4 d. The page's formula also counts norms and biases, which
  // add a few per cent.
  for (let layer = 0; layer < n_layer; layer++) {
    matrices += 2 * (3 * d * d + d * d + 4 * d * d + 4 * d * d);
    attention += n * 2 * d + n * 2 * d;
  }
  matrices += 2 * d * vocab_size;
  const cost = withCache(info, n);
  assert.equal(cost.attention, attention);
  assert.ok(Math.abs(cost.matrices / matrices - 1) < 0.02, `${cost.matrices} for ${matrices}`);
  assert.equal(multiplied(info), info.parameters - context_length * d);
  // Without the cache, step n costs as much as steps 1 to n with the cache together, but it computes the output head
  // only once.
  const heads = (n - 1) * 2 * vocab_size * d;
  const all = Array.from({ length: n }, (_, i) => operations(withCache(info, i + 1)));
  assert.equal(
    operations(withoutCache(info, n)) + heads,
    all.reduce((a, b) => a + b, 0),
  );
  assert.deepEqual(wholeText(info, 3, 2).kept.tokens, 4);
  assert.deepEqual(wholeText(info, 3, 2).again.tokens, 7);
});

test('steps are timed along the whole context, and the chart agrees with its table and its keys', async () => {
  // The view counts these three tokens too, although they are drawn before it opens.
  const { page, complaints, foreign, close } = await bench.open({ fresh: true });
  for (let i = 0; i < 3; i++) await page.locator('[data-command=step]').click();
  await until(() => page.locator('logit-text .step').count(), 3);
  await showView(page, 'cost');
  const view = page.locator('logit-cost');
  const prompt = scope.encode(FIRST).length;
  await view.locator('.speeds').waitFor();
  const { kept, again } = wholeText(scope.info, prompt, 3);
  const saved = new RegExp(`3 tokens drawn: ${kept.tokens} tokens .* instead of ${again.tokens};`);
  await view.getByText(saved).waitFor();
  await view.locator('[data-run=steps]').click();
  await view.getByText('Measured.').waitFor();
  await view.locator('summary').first().click();
  const rows = await view
    .locator('tr[data-n]')
    .evaluateAll((found) =>
      found.map((row) => [...row.children].map((cell) => parseFloat(cell.textContent))),
    );
  assert.ok(rows.length >= 3);
  for (const [, , cached, , uncached] of rows) assert.ok(cached > 0 && uncached > 0);
  const last = rows.at(-1);
  assert.ok(last[4] > last[2], 'near the end of the context the cache saves time');
  await view.locator('.walk').focus();
  await page.keyboard.press('End');
  assert.equal(await view.locator('.walk').getAttribute('aria-valuenow'), String(rows.length));
  assert.match(await view.locator('.walk').getAttribute('aria-valuetext'), /^2\d tokens: /);

  // The cost of a text starts with the bench's prompt length and the model's width.
  const box = (name) => view.locator(`[data-box=${name}]`);
  assert.equal(await box('prompt_tokens').inputValue(), String(prompt));
  assert.equal(await box('width').inputValue(), String(scope.info.n_embd));
  for (const [name, value] of Object.entries({ prompt_tokens: 8, new_tokens: 20, width: 64 }))
    await box(name).fill(String(value));
  const cells = () => view.locator('table.sum td:not(:first-child), table.sum tr:not(.group) td');
  const counted = await until(
    () => cells().allInnerTexts(),
    (texts) => texts.includes('1,433,600'),
  );
  for (const value of ['114,688', '4,096', '110,592', '51,968', '1.65', '0.80'])
    assert.ok(counted.includes(value), `${value} of ${counted}`);
  await view.locator('.sums').press('Home');
  assert.match(
    await view.locator('.sums').getAttribute('aria-valuetext'),
    /^1 new token: 32,768 multiplications without the cache, 32,768 with it/,
  );
  const wrong = view.locator('logit-cost-sum [role=alert]');
  await box('new_tokens').fill('0');
  assert.equal(await wrong.innerText(), 'new tokens must be between 1 and 10,000, got 0');
  await box('width').fill('wide');
  await box('width').fill('64');
  assert.equal(await box('new_tokens').getAttribute('aria-invalid'), 'true', 'it still is');
  assert.equal(await wrong.innerText(), 'new tokens must be between 1 and 10,000, got 0');
  await until(
    () => page.evaluate(() => location.hash),
    /cost_prompt_tokens=8&cost_new_tokens=20&cost_width=64/,
  );
  await view.locator('[data-run=speeds]').click();
  await until(
    () => view.locator('[data-variant] dd').allInnerTexts(),
    (texts) => texts.every((text) => text.trim() !== '–'),
  );
  const [scalar, simd] = await view.locator('[data-variant] dd').allInnerTexts();
  assert.match(scalar, /tokens\/s/);
  assert.match(simd, /tokens\/s/);
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});

long(
  'a context too short for a measurement says so, and the shortest possible one is measured',
  async () => {
    const sentence = 'A context of 17 tokens is too short to measure in: it takes 18.';
    const short = await bench.open({
      path: '?lang=en&model=verbs&context=17&view=cost#cost_measured=steps,speeds',
      ready: false,
    });
    const view = short.page.locator('logit-cost');
    await view.getByText(sentence).nth(1).waitFor();
    for (const run of ['steps', 'speeds']) {
      const button = view.locator(`[data-run=${run}]`);
      assert.equal(await button.getAttribute('aria-disabled'), 'true');
      await button.click({ force: true });
    }
    assert.equal(await view.evaluate((/** @type {any} */ { busy }) => busy), '');
    assert.deepEqual(short.complaints, []);
    await short.close();

    const long = 'she%20'.repeat(30);
    const { page, complaints, close } = await bench.open({
      path: `?lang=en&model=verbs&context=18&view=cost#prompt=${long}&cost_measured=steps,speeds`,
      ready: false,
    });
    const cost = page.locator('logit-cost');
    await cost.locator('[data-variant=simd]').getByText('tokens/s').waitFor();
    const timings = await cost.evaluate((/** @type {any} */ { timings }) => timings);
    assert.ok(timings.length > 0);
    for (const { cached, uncached } of timings) assert.ok(cached >= 0 && uncached >= 0);
    assert.deepEqual(complaints, []);
    await close();
  },
);
