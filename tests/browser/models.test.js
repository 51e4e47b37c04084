/** The models of the page: those it offers, a file of the reader's own, and refusals. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { LONG } from '../long.js';
import { openBench, root, until } from './bench.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
before(async () => (bench = await openBench()));
after(() => bench?.close());

const modelFact = (page) => page.locator('footer dl').first().innerText();
const chosen = (page) =>
  page.locator('logit-model select').evaluate((s) => s.selectedOptions[0].text);

test('each model of the list opens, with prompts that it can read and the settings kept', async () => {
  const { page, complaints, foreign, close } = await bench.open();
  const box = page.locator('logit-knob[data-name=top_k] .box');
  await box.fill('7');
  await box.press('Enter');
  for (const [name, vocabulary] of [
    ['stories', /2,048 tokens/],
    ['shakespeare', /6\d tokens/],
    ['verbs', /64 tokens/],
  ]) {
    await page.locator('logit-model select').selectOption(name);
    assert.match(
      await until(
        () => modelFact(page),
        (text) => text.includes(name),
      ),
      vocabulary,
    );
    const examples = page.locator('logit-text .examples button, logit-text button[aria-pressed]');
    assert.ok((await examples.count()) > 0);
    assert.equal((await page.locator('logit-text .error').allInnerTexts()).join(''), '');
    assert.equal(await box.inputValue(), '7');
    await page.locator('[data-command=step]').click();
    await until(
      () => page.locator('logit-text .step').count(),
      (n) => n === 1,
    );
  }
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});

test('a file is opened by picker; what is no model is refused in one sentence and changes nothing; a name that turns the direction of text turns only itself', async () => {
  const { page, close } = await bench.open({ path: '?lang=en&model=shakespeare', fresh: true });
  const file = page.locator('logit-model input[type=file]');
  await file.setInputFiles({
    name: 'broken.gguf',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from('no model at all'),
  });
  const refusal = page.locator('logit-model [role=alert]');
  await refusal.waitFor();
  assert.match(await refusal.innerText(), /^This model was not opened: .+\.$/);
  assert.match(await modelFact(page), /shakespeare/);
  assert.match(await chosen(page), /^shakespeare/);
  await file.setInputFiles({
    name: 'mine.gguf',
    mimeType: 'application/octet-stream',
    buffer: await readFile(join(root, 'models/verbs.gguf')),
  });
  assert.match(
    await until(
      () => modelFact(page),
      (text) => text.includes('verbs'),
    ),
    /64 tokens/,
  );
  const mine = (name) => name === '\u2068mine.gguf\u2069';
  assert.ok(mine(await until(() => chosen(page), mine)));
  assert.equal(await refusal.count(), 0);

  // A name that turns the direction of text turns only itself.
  const buffer = await readFile(join(root, 'models/verbs.gguf'));
  const turned = 'v\u202Es';
  buffer.write(turned, buffer.indexOf('verbs', buffer.indexOf('general.name')));
  const name = `${turned}.gguf`;
  await file.setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  await until(
    () => modelFact(page),
    (text) => text.includes(turned),
  );
  const right = await page
    .locator('footer dl dd')
    .first()
    .evaluate((fact) => {
      const range = document.createRange();
      const after = [...fact.childNodes].find((node) => node.nodeValue?.includes('('));
      range.selectNode(/** @type {Node} */ (after));
      const bdi = /** @type {Element} */ (fact.querySelector('bdi'));
      return range.getBoundingClientRect().left >= bdi.getBoundingClientRect().right - 1;
    });
  assert.ok(right, 'what follows the name stands to its right');
  const isolated = `\u2068${name}\u2069`;
  assert.equal(
    await until(
      () => chosen(page),
      (text) => text === isolated,
    ),
    isolated,
  );
  await close();
});

test('an address names an offered model or a file of its own origin, never a foreign one; without it the page opens on stories', async () => {
  const { page, foreign, close } = await bench.open({
    path: '?lang=en&model=https://example.org/models/verbs.gguf',
  });
  assert.match(await modelFact(page), /stories/);
  assert.deepEqual(foreign, []);
  for (const model of LONG ? ['model=stories&', ''] : ['']) {
    await page.goto(`${bench.url}?lang=en&${model}view=bench`);
    await page.locator('logit-distribution .row').first().waitFor();
    assert.match(await modelFact(page), /stories \(llama\)/);
  }
  await page.goto(`${bench.url}?lang=en&model=models/verbs.gguf&view=bench`);
  await page.locator('logit-distribution .row').first().waitFor();
  assert.match(await modelFact(page), /verbs/);
  await close();
});
