/**
 * Tests the view of the user's own logits: pasted, invalid, or counted from a text. Its numbers must equal those of the
 * engine in Node.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { conventions } from '../../web/engine/presets.js';
import { LONG, long } from '../long.js';
import {
  openBench,
  openSheet,
  root,
  settle,
  showView,
  unfoldDraw,
  unfoldStages,
  until,
} from './bench.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
/** @type {Logitscope} */
let scope;
before(async () => ([bench, scope] = await Promise.all([openBench(), Logitscope.load({})])));
after(() => Promise.all([bench?.close(), scope?.close()]));

/** The view that all tests share. Each test sets the knobs back at its end. @type {ReturnType<typeof openView>} */
let view;

async function openView() {
  const opened = await bench.open();
  await showView(opened.page, 'logits');
  await opened.page.locator('logit-logits logit-distribution .row').first().waitFor();
  return opened;
}

function openOnce() {
  view ??= openView();
  return view;
}

/** Sets knobs and waits until they show the values. */
async function setKnobs(page, values) {
  for (const [name, value] of Object.entries(values)) {
    await page.locator(`logit-logits logit-knob[data-name=${name}] .box`).fill(value);
    await page.keyboard.press('Enter');
  }
}

const readShares = (page) =>
  page
    .locator('logit-logits logit-distribution .row')
    .evaluateAll((rows) =>
      Object.fromEntries(rows.map(({ dataset }) => [dataset.id, Number(dataset.p)])),
    );

/** Waits until the bars equal the engine's probabilities for these logits, and checks the other panels. */
async function expectShares(page, logits, settings) {
  const { tokens } = scope.warp(logits, settings);
  const expected = Object.fromEntries(tokens.map(({ id, p }) => [id, p]));
  const same = (found) => JSON.stringify(found) === JSON.stringify(expected);
  assert.deepEqual(await until(() => readShares(page), same), expected);
  await settle(page);
}

test('numbers, bars and the first knobs are in sight together from the start', async () => {
  const { page } = await openOnce();
  const sight = (selector) =>
    page.locator(`logit-logits ${selector}`).evaluateAll(
      (all) =>
        all.filter((element) => {
          const { top, bottom, height } = element.getBoundingClientRect();
          return height > 0 && top >= 0 && bottom <= innerHeight;
        }).length,
    );
  assert.ok(
    (await until(
      () => sight('logit-distribution .row'),
      (rows) => rows >= 14,
    )) >= 14,
  );
  assert.equal(await sight('#logits'), 1);
  for (const name of ['temperature', 'top_k', 'top_p'])
    assert.equal(await sight(`logit-knob[data-name=${name}]`), 1);
});

test('a bigram table shows the shares of its counts and writes text from them', async () => {
  const { page } = await openOnce();
  await page.locator('logit-logits [data-source=bigram]').click();
  await page.locator('logit-logits #by').selectOption('characters');
  await page.locator('logit-logits #text').fill('abababac');
  // In this text, b follows a three times and c follows a once. Ids are in the order of frequency: a, b, c.
  await page.locator('logit-logits [data-context="0"]').click();
  await expectShares(page, [-Infinity, Math.log(3), Math.log(1)], { temperature: 1 });
  const shares = await readShares(page);
  assert.ok(Math.abs(shares[1] - 0.75) < 1e-6);
  await page.locator('[data-command=write-many]').click();
  const written = () => page.locator('logit-logits .written').innerText();
  const text = await until(written, ({ length }) => length === 41);
  assert.equal(text.length, 41);
  assert.match(text, /^a[bc]/);
  assert.doesNotMatch(text, /aa|bb|bc|ac(?!$).*ccc/);
  // If the user returns to the view, its table is still there.
  await page.locator('#tab-bench').click();
  await openSheet(page, 'bigram');
  const shown = () => page.locator('logit-logits .shown').innerText();
  assert.match(
    await until(shown, /bigram/),
    /^On show: the tokens after “[^”]+” in the bigram table\.$/,
  );
  if (LONG) {
    await page.setViewportSize({ width: 320, height: 800 });
    await until(() => page.evaluate(() => document.documentElement.scrollWidth), 320);
  }
  await page.locator('logit-logits [data-source=pasted]').click();
  await page.locator('logit-logits #logits').waitFor();
  const rows = () => page.locator('logit-logits logit-distribution .row').count();
  await until(rows, 16);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('unreadable input is refused in one sentence that names the line, and changes nothing', async () => {
  const { page } = await openOnce();
  const before = await readShares(page);
  for (const [text, sentence] of [
    ['cat: 1\ndog: many', 'Line 2 must end in a number after a colon, got “dog: many”.'],
    ['cat: 1\n\n: 3', 'Line 3 has no token before the colon.'],
    ['cat: 1e60', 'Line 1 must end in a number after a colon, got “cat: 1e60”.'],
    ['{"cat": 1,\n "dog": }', 'The JSON cannot be read, the trouble is on line 2.'],
    ['[1, "x"]', 'Entry 2 must be a number, or a token with a number, got "x".'],
    ['', 'There are no logits yet: write at least one line such as cat: 2.5.'],
  ]) {
    await page.locator('logit-logits #logits').fill(text);
    const alert = page.locator('logit-logits section > #error');
    await until(() => alert.innerText(), sentence);
    assert.deepEqual(await readShares(page), before);
  }
});

test('a long pasted text stays out of its box but counts', async () => {
  const { page } = await openOnce();
  const box = page.locator('logit-logits #logits');
  const shown = () => page.locator('logit-logits .charts .shown').first().innerText();
  const paste = (/** @type {number} */ n) =>
    box.evaluate((element, count) => {
      const lines = Array.from({ length: count }, (_, i) => `${i}: ${i % 7}`);
      element.select();
      const given = { data: lines.join('\n'), inputType: 'insertFromPaste', cancelable: true };
      return element.dispatchEvent(new InputEvent('beforeinput', given));
    }, n);
  assert.equal(await paste(1000), true, 'a short one is the box’s own');
  assert.equal(await paste(5000), false);
  const said = 'On show: a list of 5,000 numbers.';
  await until(shown, said);
  assert.equal((await box.inputValue()).length, 1000);
  assert.equal(await box.isEditable(), false);
  const note = page.locator('logit-logits section > p', { hasText: 'first 1,000 of 38,889' });
  await note.getByText('Empty the box').click();
  assert.equal(await note.count(), 0);
  await box.fill('a: 1\nb: 2');
  const two = 'On show: a list of 2 numbers.';
  await until(shown, two);
});

test('the user’s own numbers return after a sample replaced them', async () => {
  const { page } = await openOnce();
  const box = page.locator('logit-logits #logits');
  await box.fill('a: 1\nb: 2');
  await page.locator('[data-sample=tailed]').click();
  await until(
    () => box.inputValue(),
    (text) => text !== 'a: 1\nb: 2',
  );
  await page.locator('[data-sample=own]').click();
  await until(() => box.inputValue(), 'a: 1\nb: 2');
});

test('the classic distributions differ as they should', async () => {
  const { page } = await openOnce();
  const best = async () => (await readShares(page))[0];
  await page.locator('[data-sample=confident]').click();
  assert.ok((await until(best, (p) => p > 0.9)) > 0.9);
  await page.locator('[data-sample=tailed]').click();
  assert.ok((await until(best, (p) => p < 0.2)) < 0.2);
});

test('pasted lines and JSON show the engine’s bars', async () => {
  const { page, complaints, foreign } = await openOnce();
  const box = page.locator('logit-logits #logits');
  for (const text of [
    'cat: 2.5\ndog: 1\na: b: -0.5',
    '{"cat": 2.5, "dog": 1, "a: b": -0.5}',
    '[["cat", 2.5], {"token": "dog", "logit": 1}, -0.5]',
  ]) {
    await box.fill(text);
    await expectShares(page, [2.5, 1, -0.5], { temperature: 1 });
  }
  await setKnobs(page, { top_k: '2' });
  await expectShares(page, [2.5, 1, -0.5], { temperature: 1, top_k: 2 });
  const drawn = scope.drawFrom([2.5, 1, -0.5], { temperature: 1, top_k: 2, seed: 42 });
  assert.equal(
    await page.locator('logit-logits .lands').getAttribute('data-drawn'),
    String(drawn.id),
  );
  await unfoldDraw(page.locator('logit-logits'));
  await page.locator('logit-logits [data-command=many]').click();
  await until(
    () => page.locator('logit-logits logit-draw .result').getAttribute('data-total'),
    '1000',
  );
  assert.equal(
    await page.locator('logit-logits logit-draw .result').getAttribute('data-total'),
    '1000',
  );
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await setKnobs(page, { top_k: '0' });
});

long(
  'two conventions stand side by side over given logits too, and no text names a Step',
  async () => {
    const { page, complaints } = await openOnce();
    await page.locator('logit-logits #logits').fill('a: 3\nb: 2\nc: 1');
    await setKnobs(page, { temperature: '0.5', top_p: '0.8' });
    await unfoldStages(page.locator('logit-logits'));
    await page.locator('logit-logits details[data-beside] summary').click();
    const rows = page.locator('logit-logits logit-conventions tbody tr');
    await until(() => rows.count(), 3);
    const pair = ['transformers', 'llama.cpp'];
    const expected = pair.map((name) => {
      const { kept } = scope.warp([3, 2, 1], {
        temperature: 0.5,
        top_p: 0.8,
        ...conventions[name],
      });
      return String(kept);
    });
    const kept = () => page.locator('logit-logits logit-conventions tfoot td').allInnerTexts();
    await until(kept, expected);
    assert.deepEqual(expected, ['1', '2']);
    const said = await page
      .locator('logit-logits logit-draw')
      .evaluate((draw) => draw.shadowRoot.textContent);
    assert.doesNotMatch(said, /\bStep\b/);
    assert.deepEqual(complaints, []);
    await setKnobs(page, { temperature: '1', top_p: '1' });
  },
);

test('a model file opens from this view too', async () => {
  const { page } = await openOnce();
  await page.setInputFiles(
    'logit-logits input[type=file]',
    join(root, 'tests/vectors/forward/llama_q8_0.gguf'),
  );
  const name = () => page.locator('logit-model #model').innerText();
  assert.equal(await until(name, /llama_q8_0/), 'llama_q8_0.gguf');
});

long("a user's own sampler runs on pasted logits before any model is loaded", async () => {
  const { page, complaints, close } = await bench.open({
    path: '?lang=en&view=logits',
    ready: false,
  });
  const sampler = page.locator('logit-logits logit-own-sampler');
  await sampler.locator('[data-do=run]').click();
  const names = sampler.locator('.result tbody th');
  await names.first().waitFor();
  assert.equal(await names.first().locator('.token').innerText(), '␣Paris');
  // Ignores the error of the test's script, which runs in every document and finds no storage in the sandboxed frame.
  assert.deepEqual(
    complaints.filter((text) => !text.includes('localStorage')),
    [],
  );
  await close();
});
