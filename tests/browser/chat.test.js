/**
 * Tests a chat template in the built site. A nested worker of the engine's worker renders the template under the page's
 * content security policy. The page downloads the template code only when needed.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { smallModel } from '../node/small_model.js';
import { pathToFileURL } from 'node:url';
import { LONG, long } from '../long.js';
import { START, chooseModel, openBench, settle, until } from './bench.js';

const SAID = [{ role: 'user', content: '<end>' }];

const bench = await openBench();

long('chat gives the same ids as in Node, and an endless template is stopped', async () => {
  const loop = (/** @type {string} */ inner) => `{% for a in range(99999) %}${inner}{% endfor %}`;
  const given = [
    smallModel({ template: '<end>{% for m in messages %}{{ m.content }}{% endfor %}!' }),
    smallModel({ template: loop(loop(loop('{{ a }}'))) }),
  ];
  const { page, complaints, close } = await bench.open({ path: '?lang=en' });
  const fetched = () =>
    page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  assert.ok(!(await fetched()).some((url) => /template\.js|chat-/.test(url)));
  await page.goto(`${bench.url}source/tests/browser/blank.html`); // the site's policy would forbid the workers below
  const got = await page.evaluate(
    async ([models, messages]) => {
      const worker = new Worker('/worker.js', { type: 'module' });
      const call = (/** @type {string} */ method, /** @type {any[]} */ args) =>
        new Promise((resolve) => {
          worker.onmessage = ({ data }) => data.progress || resolve(data);
          worker.postMessage({ id: 1, session: 0, method, args });
        });
      const answers = [];
      for (const bytes of models) {
        await call('load', [{ model: Uint8Array.from(bytes) }]);
        const { result, error } = await call('chat', [messages]);
        answers.push(error?.key ?? { ...result, ids: Array.from(result.ids) });
      }
      return answers;
    },
    /** @type {[number[][], any[]]} */ ([given.map((bytes) => Array.from(bytes)), SAID]),
  );
  const scope = await Logitscope.load({ model: given[0] });
  const { ids, ...rest } = await scope.chat(/** @type {any} */ (SAID));
  assert.deepEqual(got, [{ ...rest, ids: Array.from(ids) }, 'chat_template_slow']);
  assert.deepEqual(complaints, []);
  scope.close();
  await close();
});

long(
  'the messages are state: a link holds them, and a model without a template says that it has none',
  async () => {
    const { page, close } = await bench.open({ path: `?lang=en${START}&seed=42` });
    const { found, kept } = await page.evaluate(async () => {
      const scope = /** @type {any} */ (document.querySelector('logit-scope'));
      const { chat, system, date } = { chat: 'Hi', system: 'S', date: null };
      await scope.restore({ prompt: 'Today she', settings: {}, chat, system, date });
      await scope.settled();
      return { found: scope.state.chat, kept: scope.state.system };
    });
    assert.deepEqual([found, kept], ['Hi', 'S']);
    await page.locator('logit-text #fault').getByText('no chat template').waitFor();
    await until(() => page.url(), /chat=Hi&system=S/);
    assert.match(page.url(), /chat=Hi&system=S/);
    await close();
  },
);

/** A model with a template that has roles and the date, and ends with the beginning of a thinking part. */
const THINKING = smallModel({
  context: 512,
  template:
    "{% for m in messages %}<end>{{ m.role }}: {{ m.content }}{% endfor %} {{ strftime_now('%d.%m.%Y') }}{% if add_generation_prompt %}<end><think>{% endif %}",
});
const FILE = {
  name: 'thinker.gguf',
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(THINKING),
};

const showView = (/** @type {import('playwright-core').Page} */ page, /** @type {string} */ name) =>
  page.locator(`logit-scope [role=tab][data-view=${name}]`).click();

/** Returns the prompt on the tape, with special tokens in brackets. */
const readTape = (/** @type {import('playwright-core').Page} */ page) =>
  page.locator('logit-tape .given').evaluate((given) =>
    [...given.childNodes]
      .filter((node) => node.nodeType !== 8)
      .map((node) =>
        /** @type {Element} */ (node).classList?.contains('special')
          ? `[${node.textContent}]`
          : node.textContent,
      )
      .join('')
      .replaceAll('\u00a0', ' '),
  );

/**
 * Checks that Compare and Sweep start from the template's tokens.
 * @param {import('playwright-core').Page} page
 * @param {string} said the result of readTape
 */
async function viewsAgree(page, said) {
  const scope = await Logitscope.load({ model: THINKING });
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'a<end>b' },
  ];
  const { ids, text } = await scope.chat(/** @type {any} */ (messages), { date: '2025-02-01' });
  assert.equal(text, said.replaceAll(/\[(<end>)\]/g, '$1'));
  await showView(page, 'compare');
  const column = page.locator('logit-compare [data-column="0"]').locator('logit-passage .t');
  const drawn = [];
  for await (const { id } of scope.generate({ prompt: ids, temperature: 0, max_new_tokens: 4 }))
    drawn.push(id);
  const shown = () => column.evaluateAll((all) => all.map(({ dataset }) => Number(dataset.id)));
  const begun = await until(shown, ({ length }) => length >= drawn.length);
  assert.deepEqual(begun.slice(0, drawn.length), drawn);
  assert.equal(await page.locator('logit-compare #prompt').innerText(), text);
  await showView(page, 'sweep');
  scope.feed(ids);
  const { entropy } = scope.distribution({ temperature: 1 });
  const cell = page
    .locator('logit-sweep td')
    .getByText(`${entropy.toFixed(2)} bits`, { exact: true });
  await cell.waitFor({ state: 'attached' });
  scope.close();
}

const kept = (/** @type {import('playwright-core').Page} */ page) =>
  page.locator('logit-distribution').evaluate(({ trace }) => trace?.kept);

test('a message is rendered by the model’s template, and the fold sets the thinking', async () => {
  const { page, complaints, close } = await bench.open({ path: '?lang=en', own: true });
  await page.locator('logit-sheet input[type=file]').setInputFiles(FILE);
  await page.locator('logit-text [data-mode=chat]').click();
  await page.locator('logit-chat #user').fill('Hi');
  await until(() => readTape(page), '[<end>]user: Hi 26.07.2024[<end>]<think>');
  await page.locator('logit-chat details > summary').click();
  await page.locator('logit-chat [data-thinking=top_k]').fill('2');
  await page.locator('logit-chat [data-thinking=top_k]').press('Enter');
  await until(() => kept(page), 2);
  await until(() => page.url(), /chat=Hi.*thinking=%7B%22top_k%22:2%7D/);
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'the chat’s fold sets the thinking, which draws the next token; a bad number changes nothing',
  async () => {
    const { page, complaints, close } = await bench.open({ path: '?lang=en', own: true });
    await page.locator('logit-sheet input[type=file]').setInputFiles(FILE);
    await page.locator('logit-text [data-mode=chat]').click();
    await page.locator('logit-chat details > summary').click();
    const box = (/** @type {string} */ name) => page.locator(`logit-chat [data-thinking=${name}]`);
    await settle(page);
    const usual = await kept(page);
    assert.ok(usual > 2);
    // On a phone the open fold does not cover the docked knobs.
    await page.setViewportSize({ width: 375, height: 812 });
    await settle(page);
    const inFront = await page.locator('logit-chain').evaluate((chain) => {
      const { left, top } = chain.getBoundingClientRect();
      const places = [10, 50, innerHeight - top - 10].map((below) => top + below);
      return places.map((y) => chain.getRootNode().elementFromPoint(left + 100, y)?.localName);
    });
    assert.deepEqual(inFront, ['logit-chain', 'logit-chain', 'logit-chain']);
    await page.setViewportSize({ width: 1440, height: 900 });
    await box('top_k').fill('2');
    await box('top_k').press('Enter');
    await until(() => kept(page), 2);
    await page.locator('logit-chain').getByText('In place of the values here: top-k 2').waitFor();
    await box('top_k').fill('-3');
    await box('top_k').press('Enter');
    await page.locator('logit-chat .error').getByText('got -3').waitFor();
    assert.equal(await kept(page), 2);
    const address = /thinking=%7B%22top_k%22:2%7D/;
    await until(() => page.url(), address);
    await box('top_k').fill('');
    await box('top_k').press('Enter');
    await until(() => kept(page), usual);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long('the chat renderer is fetched with its model and then works without the network', async () => {
  const { page, complaints, close } = await bench.open({ path: '?lang=en', own: true });
  await page.locator('logit-sheet input[type=file]').setInputFiles(FILE);
  await page.locator('logit-text [data-mode=chat]').waitFor();
  await settle(page);
  await page.context().setOffline(true);
  await page.locator('logit-text [data-mode=chat]').click();
  for (const said of ['Hi', 'Ho']) {
    await page.locator('logit-chat #user').fill(said);
    const tape = `[<end>]user: ${said} 26.07.2024[<end>]<think>`;
    await until(() => readTape(page), tape);
  }
  assert.deepEqual(complaints, []);
  await close();
});

long('a model with a template takes a text or a chat, also in the single file', async () => {
  // A new document has no chat of an earlier test to return to.
  const { page, complaints, close } = await bench.open({ path: '?lang=en', fresh: true });
  assert.equal(await page.locator('logit-text [data-mode]').count(), 0);
  // `make test` runs only the single file here, since the first test covers the worker of the site.
  for (const single of LONG ? [false, true] : [true]) {
    if (single) {
      await page.goto(`${pathToFileURL(join(bench.dist, 'logitscope.html'))}?lang=en&view=bench`);
      await page.locator('logit-distribution .row').first().waitFor();
    }
    await page.locator('logit-sheet input[type=file]').setInputFiles(FILE);
    await page.locator('logit-text [data-mode=chat]').click();
    const chat = page.locator('logit-chat');
    const prompt = await chat.locator('#user').inputValue();
    const shown = (/** @type {string} */ text) => until(() => readTape(page), text);
    const opened = `[<end>]user: ${prompt} 26.07.2024[<end>]<think>`;
    assert.equal(await shown(opened), opened);
    assert.equal(await chat.locator('#date').inputValue(), '2024-07-26');
    // In a message, the characters of a special token are plain text.
    await chat.locator('#user').fill('a<end>b');
    await chat.locator('#system').fill('Be brief.');
    await chat.locator('#date').fill('2025-02-01');
    const said = '[<end>]system: Be brief.[<end>]user: a<end>b 01.02.2025[<end>]<think>';
    assert.equal(await shown(said), said);
    await settle(page);
    await page.locator('[data-command=step]').click();
    await page.locator('logit-tape .step.thinking').waitFor();
    await viewsAgree(page, said);
    await showView(page, 'bench');
    await chat.locator('#date').fill('2025-02-31');
    await page.locator('logit-text #fault').getByText('YYYY-MM-DD').waitFor();
    await page.locator('logit-text [data-mode=text]').click();
    assert.equal(await shown(prompt), prompt);
    assert.equal(await page.locator('logit-chat').count(), 0);
    await page.locator('logit-text [data-mode=chat]').click();
    assert.equal(
      await chat.locator('#user').inputValue(),
      'a<end>b',
      'what was said is there again',
    );
    assert.equal(await chat.locator('#system').inputValue(), 'Be brief.');
    await chat.locator('#date').fill('2025-02-01');
    assert.equal(await shown(said), said);
    await chooseModel(page, 'verbs');
    await page.locator('logit-text #fault').getByText('chat template').waitFor();
    assert.equal(await chat.locator('#user').inputValue(), 'a<end>b', 'and with another model');
    await page.locator('logit-text [data-mode=text]').click();
    await page.locator('logit-chat').waitFor({ state: 'detached' });
  }
  assert.deepEqual(complaints, []);
  await close();
});
