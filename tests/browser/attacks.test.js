/**
 * The files of tests/fixtures/attacks.js dropped on the page: each is answered with its one sentence,
 * and the text, the bars and the model that was open stay; or it opens.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { attacks } from '../fixtures/attacks.js';
import { sample } from '../long.js';
import { openBench, readBars, settle, until } from './bench.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
before(async () => (bench = await openBench()));
after(() => bench?.close());

/** Without what groups digits, which the engine leaves to the page. @param {string} text */
const ungrouped = (text) => text.replace(/,(?=\d{3})/g, '');

/** What the engine says of a file, and so the page. @param {Uint8Array} model */
const sentenceOf = (model) =>
  Logitscope.load({ model }).then(
    (scope) => assert.fail(`${scope.info.name} opens`),
    ({ message }) => ungrouped(`This model was not opened: ${message}.`),
  );

/**
 * Drops a file on the page, which says that it was refused, or what else it found in it.
 * @param {import('playwright-core').Page} page @param {string} name @param {Uint8Array} bytes
 */
const drop = (page, name, bytes) =>
  page.evaluate(
    async ([file, base64]) => {
      const transfer = new DataTransfer();
      const image = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([image], `${file}.gguf`));
      const answer = new Promise((resolve) => {
        for (const type of ['logit-error', 'logit-ready'])
          addEventListener(type, () => resolve(true), { once: true });
      });
      document.body.dispatchEvent(
        new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }),
      );
      return answer;
    },
    /** @type {const} */ ([name, Buffer.from(bytes).toString('base64')]),
  );

test('a hostile file that is dropped gets its sentence and changes nothing, or opens', async () => {
  const { page, complaints, foreign, close } = await bench.open({ path: '?lang=en' });
  const chosen = () =>
    page.locator('logit-model select').evaluate((select) => select.selectedOptions[0].text);
  await page.locator('[data-command=step]').click();
  const text = () => page.locator('logit-text .step').allInnerTexts();
  await until(text, ({ length }) => length === 1);
  const state = async () => {
    await settle(page);
    const address = await page.evaluate(() => location.href);
    return { model: await chosen(), text: await text(), bars: await readBars(page), address };
  };
  const before = await state();

  // One whose sentence has a phrase that names what the whole is about; and of the others a few.
  const [wrapped, ...others] = attacks.filter(([, , key]) => key);
  assert.ok(others.length > 90);
  for (const [name, , , bytes] of [wrapped, ...sample(others, 3)]) {
    await drop(page, name, bytes);
    const wanted = await sentenceOf(bytes);
    const alert = page.locator('logit-model [role=alert]');
    const said = async () => ungrouped(await alert.innerText());
    assert.equal(await until(said, (sentence) => sentence === wanted), wanted, name);
    assert.deepEqual(await state(), before, name);
  }
  await page.locator('[data-command=step]').click();
  await until(text, ({ length }) => length === 2);

  for (const [name, , , bytes] of sample(
    attacks.filter(([, , key]) => !key),
    1,
  )) {
    await drop(page, name, bytes);
    const shown = `\u2068${name}.gguf\u2069`;
    assert.equal(await until(chosen, (label) => label === shown), shown);
    assert.equal(await page.locator('logit-model [role=alert]').count(), 0);
  }
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});
