/** Tests the choice of a model in the page: the offered models, a user's own file, and errors. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { MODELS } from '../../web/state/models.js';
import { closed } from '../cleanup.js';
import { long, LONG } from '../long.js';
import {
  chooseModel,
  modelFacts,
  openBench,
  openSheet,
  root,
  settle,
  unfoldStages,
  until,
} from './bench.js';

const bench = closed(await openBench());

const chosen = (page) => page.locator('logit-model #model').innerText();

long(
  'each model of the list opens with prompts that it can read, and the settings stay',
  async () => {
    const { page, complaints, foreign, close } = await bench.open();
    const box = page.locator('logit-knob[data-name=top_k] .box');
    await box.fill('7');
    await box.press('Enter');
    for (const [name, vocabulary] of [
      ['stories', /2,048 tokens/],
      ['shakespeare', /6\d tokens/],
      ['verbs', /64 tokens/],
    ]) {
      await choose(page, name);
      assert.match(await modelFacts(page), vocabulary);
      const { bytes, tokens } = MODELS.find((offer) => offer.name === name);
      const told = await page.evaluate(() => {
        const { info } = document.querySelector('logit-scope');
        return [info.bytes, info.model_context_length];
      });
      assert.deepEqual(told, [bytes, tokens], 'the sheet says the size of each file');
      const examples = page.locator('logit-text .examples button, logit-text button[aria-pressed]');
      assert.ok((await examples.count()) > 0);
      assert.equal((await page.locator('logit-text .error').allInnerTexts()).join(''), '');
      assert.equal(await box.inputValue(), '7');
      await page.locator('[data-command=step]').click();
      await until(() => page.locator('logit-text .step').count(), 1);
    }
    assert.deepEqual(complaints, []);
    assert.deepEqual(foreign, []);
    await close();
  },
);

/** Chooses a model in the list and waits until the page shows it. */
async function choose(page, name) {
  await chooseModel(page, name);
  await until(
    () => modelFacts(page),
    (text) => text.includes(name),
  );
  await settle(page);
}

test('text and settings typed while a model loads stay, even if it cannot read them', async () => {
  const { page, complaints, close } = await bench.open({ fresh: true });
  const prompt = page.locator('#prompt');
  const topK = page.locator('logit-knob[data-name=top_k] .box');
  let go = (_) => {};
  const typed = new Promise((resolve) => (go = resolve));
  await page.route('**/models/shakespeare.gguf', async (route) => {
    await typed;
    await route.continue();
  });
  await chooseModel(page, 'shakespeare');
  await page.locator('logit-model progress').waitFor();
  await prompt.fill('Hark, the');
  await topK.fill('11');
  await topK.press('Enter');
  await prompt.press('Enter');
  go(null);
  await until(
    () => modelFacts(page),
    (text) => text.includes('shakespeare'),
  );
  await settle(page);
  assert.deepEqual([await prompt.inputValue(), await topK.inputValue()], ['Hark, the', '11']);
  await page.unroute('**/models/shakespeare.gguf');
  await choose(page, 'verbs');
  assert.equal(await prompt.inputValue(), 'Hark, the');
  assert.match(await page.locator('logit-text #fault').innerText(), /^This model does not know “/);
  assert.equal(await topK.inputValue(), '11');
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'typed text and settings survive a change of model; an example does not; each model has its own undo',
  async () => {
    const { page, complaints, close } = await bench.open({ fresh: true });
    const prompt = page.locator('#prompt');
    const fault = page.locator('logit-text #fault');
    assert.equal(await prompt.inputValue(), 'Today she');
    await choose(page, 'stories');
    assert.equal(
      await prompt.inputValue(),
      'The soup was too',
      'an example becomes one of the model',
    );
    await prompt.fill('A zebra saw');
    await unfoldStages(page);
    await page.locator('[data-add=constraint]').click();
    const card = page.locator('logit-constraint');
    await card.locator('summary').first().click();
    await card.locator('#banned_words').fill('" zebra", " will"');
    await settle(page); // an update of the page must not clear the typed words
    assert.match(await card.locator('#banned_words').inputValue(), /zebra/);
    await card.locator('#banned_words').press('Enter');
    await settle(page);
    await page.locator('[data-view=compare]').click();
    const other = page.locator('logit-compare-controls #prompt');
    await other.fill('Tom likes');
    await other.press('Enter');
    await settle(page);
    await page.locator('[data-view=bench]').click();
    for (let i = 0; i < 2; i++) {
      await choose(page, 'verbs');
      assert.equal(await prompt.inputValue(), 'A zebra saw');
      assert.equal(
        await fault.innerText(),
        'This model does not know “A”. The bars show how this model begins a text.',
      );
      await page.locator('[data-command=step]').click({ force: true });
      await settle(page);
      assert.equal(await page.locator('logit-tape [data-place]').count(), 0);
      assert.ok((await page.locator('logit-distribution .row').count()) > 1);
      await choose(page, 'stories');
      assert.equal(await prompt.inputValue(), 'A zebra saw');
      assert.equal(await fault.innerText(), '');
      assert.match(await page.locator('logit-tape .given').innerText(), /zebra/);
      assert.match(await card.locator('#banned_words').inputValue(), /zebra/);
    }
    await page.locator('[data-view=compare]').click();
    assert.equal(await other.inputValue(), 'Tom likes');
    await page.locator('[data-view=bench]').click();

    // Each model has its own changes to undo; they come back with it.
    const undo = page.locator('logit-scope .moment [data-command=undo]');
    const heat = () =>
      page.locator('logit-scope').evaluate((scope) => scope.state.settings.temperature);
    const warm = await heat();
    await page.locator('logit-scope').evaluate((scope) => scope.set({ temperature: 0.55 }));
    await settle(page);
    await choose(page, 'verbs');
    await until(() => undo.getAttribute('aria-disabled'), 'true');
    assert.match(
      String(await undo.getAttribute('title')),
      /stories.+can be undone when it is open/,
    );
    await choose(page, 'stories');
    await undo.click();
    await settle(page);
    assert.equal(await heat(), warm);
    assert.deepEqual(complaints, []);
    await close();
  },
);

test('the sheet opens by key, has the size of each model, and gives the focus back', async () => {
  const { page, complaints, close } = await bench.open();
  const button = page.locator('logit-model #model');
  const sheet = page.locator('logit-sheet');
  const inSheet = () => sheet.evaluate((one) => one.matches(':focus-within'));
  const onButton = () => button.evaluate((one) => one.matches(':focus'));
  await button.press('Enter');
  await until(inSheet, Boolean);
  assert.equal(await sheet.locator('[aria-current]').getAttribute('data-model'), 'verbs');
  for (const { name, bytes, tokens } of MODELS) {
    const line = await sheet.locator(`[data-model=${name}]`).innerText();
    assert.match(line, new RegExp(`${(bytes / 1e6).toFixed(2)} MB · ${tokens} tokens`));
  }
  await page.keyboard.press('Escape');
  await until(onButton, Boolean);
  assert.equal(await sheet.isVisible(), false);
  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  // The key Tab leaves the sheet and closes it; a second press of the button closes it too.
  await button.click();
  await until(inSheet, Boolean);
  for (let i = 0; i < 20 && (await inSheet()); i++) await page.keyboard.press('Tab');
  assert.equal(await sheet.isVisible(), false);
  await button.click();
  await button.click();
  assert.equal(await sheet.isVisible(), false);

  // A context that the model cannot have changes nothing. Any other context makes the model read the text again.
  await button.click();
  const context = sheet.locator('logit-context input');
  await context.fill('99');
  await context.press('Enter');
  await until(
    () => sheet.locator('logit-context .error').innerText(),
    'context must be between 1 and 32, got 99; it stays at 32.',
  );
  await context.fill('16');
  await context.press('Enter');
  assert.match(await until(() => page.url(), /context=/), /context=16/);
  assert.ok(await inSheet(), 'the sheet stays open');
  await sheet.locator('[data-view=cost]').click();
  await page.locator('#tab-cost[aria-selected=true]').waitFor();
  assert.equal(await sheet.isVisible(), false);
  await until(onButton, Boolean);
  await openSheet(page, 'bigram');
  await page.locator('#tab-logits[aria-selected=true]').waitFor();
  await page.locator('logit-logits [data-source=bigram][aria-pressed=true]').waitFor();
  assert.equal(
    await page.locator('#tab-cost').count(),
    0,
    'a view without a tab has one while shown',
  );
  assert.deepEqual(complaints, []);
  await close();
});

test('the picker opens a file; a file that is no model is refused in one sentence and changes nothing', async () => {
  const { page, close } = await bench.open({ path: '?lang=en&model=shakespeare', fresh: true });
  const file = page.locator('logit-sheet input[type=file]');
  await file.setInputFiles({
    name: 'broken.gguf',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from('no model at all'),
  });
  const refusal = page.locator('logit-scope .refused[role=alert] p');
  await refusal.waitFor();
  assert.match(await refusal.innerText(), /^\u2068broken\.gguf\u2069 was not opened: .+\.$/);
  assert.match(await modelFacts(page), /shakespeare/);
  assert.match(await chosen(page), /^shakespeare/);
  if (LONG) {
    // This model has no token before the text: without a prompt Explore shows no picture, and asks for one.
    await page.locator('#tab-landscape').click();
    const view = page.locator('logit-landscape');
    const rivers = () => view.locator('.picture').isVisible();
    await view.locator('.sentence mark').waitFor();
    const text = await view.locator('.prompt').innerText();
    await view.locator('.prompt').fill('');
    await view.getByText('this model needs one').waitFor();
    assert.equal(await rivers(), false);
    await view.locator('.prompt').fill(text);
    await until(rivers, Boolean);
    await page.locator('#tab-bench').click();
  }
  await file.setInputFiles({
    name: 'mine.gguf',
    mimeType: 'application/octet-stream',
    buffer: await readFile(join(root, 'models/verbs.gguf')),
  });
  assert.match(
    await until(
      () => modelFacts(page),
      (text) => text.includes('verbs'),
    ),
    /64 tokens/,
  );
  const mine = (name) => name === 'mine.gguf';
  assert.ok(mine(await until(() => chosen(page), mine)));
  await settle(page);
  assert.equal(await refusal.count(), 0);
  assert.equal(await page.locator('#prompt').inputValue(), 'Today she', 'it can read that one');
  assert.equal(await page.locator('logit-text #fault').innerText(), '');
  const examples = page.locator('logit-text .examples button');
  assert.equal(await examples.first().textContent(), 'Today she');
  if (!LONG) return close();

  // An override character in a name reverses only the name, not the text after it.
  const buffer = await readFile(join(root, 'models/verbs.gguf'));
  const turned = 'v\u202Es';
  buffer.write(turned, buffer.indexOf('verbs', buffer.indexOf('general.name')));
  const name = `${turned}.gguf`;
  await file.setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
  await until(
    () => modelFacts(page),
    (text) => text.includes(turned),
  );
  const right = await page.locator('logit-model #model').evaluate((button) => {
    const [bdi, arrow] = [...button.children].map((part) => part.getBoundingClientRect());
    return arrow.left >= bdi.right - 1;
  });
  assert.ok(right, 'what follows the name stands to its right');
  await until(() => chosen(page), name);

  // A link names the file of its model. If the visitor has not opened this file, the page says so.
  await page.locator('[data-command=share]').click();
  const link = new URL(await page.locator('logit-send #link').inputValue());
  await page.keyboard.press('Escape');
  assert.equal(new URLSearchParams(link.hash.slice(1)).get('made_with'), name);
  const notice = page.locator('logit-scope .said[role=alert] p');
  const follow = (hash) => page.evaluate((to) => (location.hash = to), hash);
  await follow(link.hash);
  await settle(page);
  assert.equal(await notice.count(), 0, 'the file is open');
  await follow(link.hash.replace(/made_with=[^&]*/, 'made_with=theirs.gguf'));
  await notice.getByText(/made with \u2068theirs\.gguf\u2069/).waitFor();

  // A model of characters begins with a line break.
  await file.setInputFiles({
    name: 'letters.gguf',
    mimeType: 'application/octet-stream',
    buffer: await readFile(join(root, 'models/shakespeare.gguf')),
  });
  await until(() => page.locator('#prompt').inputValue(), '\n');
  await until(() => examples.first().textContent(), '↵');
  await close();
});

long(
  'a checkpoint of PyTorch opens, a vocabulary completes it, and its GGUF file is saved',
  async () => {
    const { page, complaints, close } = await bench.open({ fresh: true });
    const folder = join(root, 'tests/vectors/courses');
    const file = page.locator('logit-sheet input[type=file]');
    const notice = page.locator('logit-scope .said[role=alert] p');
    const shown = () => notice.allInnerTexts().then((all) => all.join());
    await file.setInputFiles(join(folder, 'nanogpt/meta.pkl'));
    await until(shown, /meta\.pkl is a vocabulary: choose the checkpoint too/);
    await file.setInputFiles(join(folder, 'nanogpt/ckpt.pt'));
    await until(
      () => chosen(page),
      (text) => text.startsWith('ckpt.pt'),
    );
    assert.doesNotMatch(await shown(), /as its id/, 'the vocabulary waited for its checkpoint');
    await file.setInputFiles(join(folder, 'nanogpt/ckpt.pt'));
    await until(shown, /as its id.+meta\.pkl: choose that too/);
    await file.setInputFiles(join(folder, 'nanogpt/meta.pkl'));
    await until(shown, (text) => text !== '' && !text.includes('meta.pkl'));
    assert.match(await modelFacts(page), /logitscope-gpt/);
    const [{ ids, logprobs }] = JSON.parse(await readFile(join(folder, 'nanogpt.json'), 'utf8'));
    const found = await page.locator('logit-scope').evaluate(
      async (scope, [of, n]) => {
        const { instrument } = scope;
        const pieces = await instrument.reader.pieces(of);
        await instrument.setPrompt(pieces.map(({ text }) => text).join(''));
        await scope.settled();
        const { tokens } = instrument.trace;
        return Array.from({ length: n }, (_, id) => tokens.find((token) => token.id === id)?.p_raw);
      },
      /** @type {const} */ ([ids, logprobs.length]),
    );
    assert.ok(found.filter(Boolean).length >= 12);
    for (const [id, p] of found.entries())
      if (p !== undefined) assert.ok(Math.abs(p - Math.exp(logprobs[id])) < 1e-5, `p of ${id}`);
    await file.setInputFiles(
      ['nanogpt/meta.pkl', 'nanogpt/ckpt.pt'].map((name) => join(folder, name)),
    );
    await settle(page);
    assert.match(await chosen(page), /^ckpt\.pt/, 'the file with the weights gives the name');
    await page.locator('#model').click();
    const saving = page.waitForEvent('download');
    await page.locator('logit-sheet [data-command=save-model]').click();
    const saved = await saving;
    assert.equal(saved.suggestedFilename(), 'ckpt.gguf');
    assert.equal((await readFile(await saved.path())).toString('latin1', 0, 4), 'GGUF');
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'without the network a model gives one sentence, and the picker stays at the model in use',
  async () => {
    const { page, close } = await bench.open({ viewport: { width: 1280, height: 800 }, own: true });
    const height = () =>
      page
        .locator('logit-scope .top')
        .first()
        .evaluate((top) => top.offsetHeight);
    const before = await height();
    // The page downloads its error messages when the first error occurs. This page has no service worker, so they are
    // not in a cache.
    await page.locator('#prompt').fill('zebra');
    await page.locator('logit-text #fault:not(:empty)').waitFor();
    await page.context().setOffline(true);
    await chooseModel(page, 'shakespeare');
    const refusal = page.locator('logit-scope .refused[role=alert]');
    await refusal.waitFor();
    assert.equal(
      await refusal.locator('p').innerText(),
      '\u2068shakespeare\u2069 was not opened: the browser is offline, and this model was never opened in it.',
    );
    assert.match(await chosen(page), /^verbs/);
    assert.equal(await height(), before, 'the head is as high as before');
    await refusal.locator('button').click();
    assert.equal(await refusal.count(), 0);
    await page.context().setOffline(false);
    // The next model needs two files, itself and its grammar; neither is available.
    const said = async () => {
      await chooseModel(page, 'verbs');
      await refusal.waitFor();
      const text = await refusal.locator('p').innerText();
      await refusal.locator('button').click();
      return text;
    };
    await choose(page, 'stories');
    await page.route('**/models/verbs.*', (route) => route.abort());
    await page.context().setOffline(true);
    const named = '\u2068verbs\u2069 was not opened: ';
    assert.equal(
      await said(),
      `${named}the browser is offline, and this model was never opened in it.`,
    );
    await page.context().setOffline(false);
    const unreached = `${named}the network or this site cannot be reached.`;
    assert.equal(await said(), unreached);
    await page.unroute('**/models/verbs.*');
    await page.route('**/models/verbs.grammar.json', (route) => route.abort());
    assert.equal(await said(), unreached);
    await close();
  },
);

long(
  'an address names an offered model or a file of its own origin, never a foreign one; without it the page opens stories',
  async () => {
    const { page, foreign, close } = await bench.open({
      path: '?lang=en&model=https://example.org/models/verbs.gguf',
    });
    assert.match(await modelFacts(page), /stories/);
    assert.deepEqual(foreign, []);
    for (const model of LONG ? ['model=stories&', ''] : ['']) {
      await page.goto(`${bench.url}?lang=en&${model}view=bench`);
      await page.locator('logit-distribution .row').first().waitFor();
      assert.match(await modelFacts(page), /stories\s+architecture\s*llama/);
    }
    await page.goto(`${bench.url}?lang=en&model=models/verbs.gguf&view=bench`);
    await page.locator('logit-distribution .row').first().waitFor();
    assert.match(await modelFacts(page), /verbs/);
    await close();
  },
);
