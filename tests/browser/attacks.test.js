/**
 * Drops the files of tests/fixtures/attacks.js on the page. The page must open a file, or refuse it with one sentence
 * and keep text, bars and model. Also tests memory that cannot grow.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { temporaryFolder } from '../cleanup.js';
import { attacks } from '../fixtures/attacks.js';
import { long, sample } from '../long.js';
import { withMemory } from '../node/bounded_memory.js';
import { chooseModel, openBench, readBars, settle, until } from './bench.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
/**
 * Memory limit of the engine on the site in each folder, in pages of 64 KiB; 0 means no limit. The model verbs needs
 * 90 pages.
 */
const PAGES = { full: 0, tight: 96 };
before(async () => {
  const folder = temporaryFolder();
  bench = await openBench((path) => {
    const [, kind, file] = /^\/(full|tight)\/(.*)$/.exec(path) ?? [];
    return (
      kind &&
      (file === 'logitscope.wasm' ? join(folder, kind) : join(bench.dist, file || 'index.html'))
    );
  });
  const wasm = readFileSync(join(bench.dist, 'logitscope.wasm'));
  for (const [kind, pages] of Object.entries(PAGES))
    writeFileSync(
      join(folder, kind),
      withMemory(wasm, (least) => pages || least),
    );
});
after(() => bench?.close());

/** Removes commas between digits: the page adds them, the engine does not. @param {string} text */
const ungrouped = (text) => text.replace(/,(?=\d{3})/g, '');

/**
 * Returns the sentence that the page must show: the engine's error for a file.
 * @param {Uint8Array} model
 * @param {string} name
 */
const sentenceOf = (model, name) =>
  Logitscope.load({ model }).then(
    (scope) => assert.fail(`${scope.info.name} opens`),
    ({ message }) => ungrouped(`\u2068${name}.gguf\u2069 was not opened: ${message}.`),
  );

/**
 * Drops a file on the page; returns the page's error or the opened model.
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

test('a dropped hostile file opens, or is refused with its sentence and changes nothing', async () => {
  const { page, complaints, foreign, close } = await bench.open({ path: '?lang=en' });
  const chosen = () => page.locator('logit-model #model').innerText();
  await page.locator('[data-command=step]').click();
  const text = () => page.locator('logit-text .step').allInnerTexts();
  await until(text, ({ length }) => length === 1);
  const state = async () => {
    await settle(page);
    const address = await page.evaluate(() => location.href);
    return { model: await chosen(), text: await text(), bars: await readBars(page), address };
  };
  const before = await state();

  // Always tries the first attack, whose sentence contains a phrase for the damaged part of the file; of the others
  // only a sample.
  const [wrapped, ...others] = attacks.filter(([, , key]) => key);
  assert.ok(others.length > 90);
  for (const [name, , , bytes] of [wrapped, ...sample(others, 1)]) {
    await drop(page, name, bytes);
    const wanted = await sentenceOf(bytes, name);
    const alert = page.locator('logit-scope .refused[role=alert] p');
    const said = async () => ungrouped(await alert.innerText());
    await until(said, wanted);
    assert.deepEqual(await state(), before, name);
  }
  await page.locator('[data-command=step]').click();
  await until(text, ({ length }) => length === 2);

  for (const [name, , , bytes] of sample(
    attacks.filter(([, , key]) => !key),
    1,
  )) {
    await drop(page, name, bytes);
    const shown = `${name}.gguf`;
    await until(chosen, shown);
    assert.equal(await page.locator('logit-scope .refused[role=alert] p').count(), 0);
  }
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});

long(
  'if memory cannot grow, a model that does not fit is refused and the open one stays',
  async () => {
    const { page, complaints, close } = await bench.open({ path: 'tight/?lang=en', own: true });
    const bars = await readBars(page);
    await chooseModel(page, 'stories');
    const alert = page.locator('logit-scope .refused[role=alert] p');
    const refusal = /^\u2068stories\u2069 was not opened: .*(memory|allocated).*\.$/;
    await until(() => alert.innerText(), refusal);
    await settle(page);
    assert.deepEqual(await readBars(page), bars);
    await page.locator('[data-command=step]').click();
    await until(() => page.locator('logit-text .step').count(), 1);
    assert.deepEqual(complaints, []);

    await page.goto(`${bench.url}full/?lang=en&model=verbs&view=bench`);
    const notice = page.locator('logit-scope [role=alert] p').first();
    const failure = /^The model could not be loaded: .*(memory|allocated).*\.$/;
    await until(() => notice.innerText(), failure);
    assert.deepEqual(complaints, []);
    await close();
  },
);
