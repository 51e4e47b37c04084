/**
 * Tests the state that a reload and the history restore besides the address: drawn texts with their numbers, an
 * unfinished run, long settings, the user's own file. Also tests pages without storage.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { START, chooseModel, modelFacts, openBench, root, settle, until } from './bench.js';
import { MAX_OWN_TEXT } from '../../web/state/fields.js';
import { findModel } from '../../web/state/models.js';
import { LONG, cases, long } from '../long.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
/** @type {{ name: string, mimeType: string, buffer: Buffer }} */
let file;
before(async () => {
  bench = await openBench();
  const buffer = await readFile(join(root, 'models/verbs.gguf'));
  file = { name: 'mine.gguf', mimeType: '', buffer };
});
after(() => bench?.close());

const STORIES = `?lang=en&model=stories${START}`;
const ids = (page) => page.locator('logit-scope').evaluate((scope) => scope.result.ids);
/** Returns the stored data of the drawn texts: every branch with its numbers. */
const texts = (page) =>
  page.locator('logit-scope').evaluate((scope) => {
    const { key: _, ...saved } = scope.saveTexts();
    return saved;
  });
/** Returns the HTML of each drawn token and of the branches. */
const marks = (page) =>
  page
    .locator('logit-tape .step, logit-branches li')
    .evaluateAll((all) => all.map(({ outerHTML }) => outerHTML.replace(/<!--.*?-->/g, '')));
const steps = (page, n) =>
  page.locator('logit-scope').evaluate(async (scope, count) => {
    await Promise.all(Array.from({ length: count }, () => scope.step()));
    await scope.settled();
  }, n);
const set = (page, settings) =>
  page.locator('logit-scope').evaluate(async (scope, patch) => {
    await scope.set(patch);
    await scope.settled();
  }, settings);
const notice = (page) => page.locator('logit-scope .said[role=alert] p');

async function reload(page) {
  await page.reload();
  await page.locator('logit-scope').evaluate((scope) => scope.settled());
}

async function goBack(page) {
  const moved = page.evaluate(
    () =>
      new Promise((resolve) => addEventListener('popstate', () => resolve(null), { once: true })),
  );
  await page.goBack();
  await moved;
  await settle(page);
}

long('Forward to a file and a prompt that it cannot read invents no text', async () => {
  const path = '?lang=en&model=stories#prompt=The%20king';
  const { page, complaints, close } = await bench.open({ path, fresh: true });
  await page.locator('logit-sheet input[type=file]').setInputFiles(file);
  const fault = page.locator('logit-text #fault');
  const said = 'This model does not know “The”. The bars show how this model begins a text.';
  await until(() => fault.innerText(), said);
  await settle(page);
  await until(
    () => page.url(),
    (url) => !url.includes('model='),
  );
  await goBack(page);
  assert.equal(await fault.innerText(), '');
  await page.goForward();
  await until(() => fault.innerText(), said);
  await settle(page);
  assert.equal(await fault.innerText(), said);
  assert.equal(await page.locator('#prompt').inputValue(), 'The king');
  assert.equal(await page.locator('logit-tape [data-place]').count(), 0);
  assert.doesNotMatch(await page.locator('logit-tape').innerText(), /Today/);
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'a text too long for the address comes back with its branches and each number as it was drawn',
  async () => {
    const { page, complaints, close } = await bench.open({ path: STORIES, fresh: true });
    await steps(page, 3);
    await set(page, { temperature: 1.3 }); // the first three tokens keep their numbers at the old temperature
    await steps(page, 67);
    await page.locator('logit-text .step [data-place]').nth(1).click();
    await page.locator('logit-alternatives [data-alternative]').nth(2).click();
    await until(
      () => ids(page),
      ({ length }) => length === 2,
    );
    await settle(page);
    const shown = [await texts(page), await marks(page)];
    assert.equal(shown[0].tokens.length, 71);
    await reload(page);
    assert.deepEqual([await texts(page), await marks(page)], shown);
    await goBack(page);
    assert.equal((await ids(page)).length, 70, 'the longer text is one step back');
    assert.doesNotMatch(page.url(), /branch=/);
    await reload(page);
    assert.equal((await ids(page)).length, 70);
    assert.deepEqual((await texts(page)).tokens, shown[0].tokens);

    // A reload stops an unfinished run but keeps its tokens.
    await page.locator('[data-command=reset]').click();
    await page.locator('logit-text .more > summary').click();
    await page.locator('logit-text .speed input').fill('4');
    await page.locator('[data-command=run]').click();
    await until(
      () => ids(page),
      ({ length }) => length > 5,
    );
    const running = await ids(page);
    await reload(page);
    const after = await ids(page);
    assert.deepEqual(after.slice(0, running.length), running);
    assert.equal(await page.locator('[data-command=stop]').count(), 0);
    await reload(page);
    assert.deepEqual(await ids(page), after, 'and once more');
    assert.deepEqual(complaints, []);
    await close();
  },
);

/** Returns the settings and the drawn tokens of a page. */
const state = (page) =>
  page.locator('logit-scope').evaluate(({ state: { settings, branch } }) => ({
    ...settings,
    branch,
  }));

/** Records the state of a page as it closes. */
const leaving = (page) =>
  page.evaluate(() =>
    addEventListener('pagehide', () => {
      const { settings, branch } = document.querySelector('logit-scope').state;
      localStorage.left = JSON.stringify({ ...settings, branch });
    }),
  );
const left = (page) => page.evaluate(() => JSON.parse(localStorage.left));

test('a reload at once or in a run restores each setting and token', async () => {
  const { page, complaints, close } = await bench.open({ fresh: true });
  await until(() => page.evaluate(() => history.state?.logitscope), Boolean);
  await leaving(page);
  await page.locator('logit-scope').evaluate((scope) => scope.step());
  await reload(page);
  const one = await state(page);
  assert.equal(one.branch.length, 1);
  assert.deepEqual(one, await left(page));
  await leaving(page);
  await page.locator('[data-command=run]').click();
  await until(
    () => ids(page),
    ({ length }) => length > 2,
  );
  await page.locator('logit-scope').evaluate((scope) => void scope.set({ top_k: 7 }));
  await reload(page);
  const two = await state(page);
  assert.deepEqual(two, await left(page));
  assert.equal(two.top_k, 7);
  await goBack(page);
  assert.deepEqual(await state(page), one, 'before the run');
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'a reload during a change of the history loses no setting, and the history has its entries',
  async () => {
    const { page, complaints, close } = await bench.open({ path: STORIES, fresh: true });
    await until(() => page.evaluate(() => history.state?.logitscope), Boolean);
    await page.locator('logit-scope').evaluate((scope) => scope.step());
    await reload(page);
    const one = await state(page);
    // The server's answer takes longer than the page's pause before it changes its address. So the page changes the
    // address while it waits.
    await page.route('**/?lang=en**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.locator('logit-scope').evaluate((scope) => scope.step());
    await reload(page);
    await page.unroute('**/?lang=en**');
    assert.equal((await state(page)).branch.length, 2);
    // The browser begins the reload during the page's change of the history, and drops this change.
    await page.route('**/barrier', (route) => {
      page.reload();
      return route.fulfill({ body: '' });
    });
    const [before] = await Promise.all([
      page.evaluate(() => {
        const { pushState } = history;
        history.pushState = (...entry) => {
          const request = new XMLHttpRequest();
          request.open('GET', 'barrier', false);
          request.send();
          pushState.apply(history, entry);
        };
        const scope = document.querySelector('logit-scope');
        scope.set({ top_k: 9 });
        return history.state;
      }),
      page.waitForEvent('load'),
    ]);
    await settle(page);
    assert.equal((await state(page)).top_k, 9);
    await goBack(page);
    assert.deepEqual(await page.evaluate(() => history.state), before);
    assert.deepEqual([(await state(page)).top_k, (await state(page)).branch.length], [0, 2]);
    await goBack(page);
    assert.deepEqual(await state(page), one);
    await leaving(page);
    await page.locator('[data-command=run]').click();
    await until(
      () => ids(page),
      ({ length }) => length > 2,
    );
    await page.locator('logit-scope').evaluate((scope) => void scope.set({ top_k: 7 }));
    await reload(page);
    const two = await state(page);
    assert.deepEqual(two, await left(page));
    assert.equal(two.top_k, 7);
    assert.match(page.url(), /top_k=7/);
    await goBack(page);
    assert.deepEqual(await state(page), one, 'before the run');
    await page.locator('[data-command=run]').click();
    await until(
      () => ids(page),
      ({ length }) => length > 2,
    );
    await goBack(page);
    assert.deepEqual(await state(page), one, 'before the run, also from within it');
    assert.deepEqual(complaints, []);
    await close();
  },
);

long('a reload keeps text that waits for a pause or for its box to lose focus', async () => {
  const { page, complaints, close } = await bench.open({ path: STORIES, fresh: true });
  await until(() => page.evaluate(() => history.state?.logitscope), Boolean);
  await steps(page, 2);
  const drawn = await ids(page);
  await page.locator('#prompt').fill('A big dog');
  await reload(page);
  assert.equal(await page.locator('#prompt').inputValue(), 'A big dog');
  assert.deepEqual(await ids(page), [], 'no token of the other prompt');
  await goBack(page);
  assert.deepEqual(await ids(page), drawn);

  await page.locator('#tab-compare').click();
  await page.locator('[data-command=give]').click();
  await settle(page);
  const given = page.locator('logit-strategy textarea');
  await given.fill('ran to the park.');
  assert.equal(await page.locator('logit-strategy #fault').innerText(), '');
  await reload(page);
  assert.equal(await given.inputValue(), 'ran to the park.');

  await page.locator('#tab-landscape').click();
  await settle(page);
  const value = page.locator('logit-landscape .big input');
  await value.fill('0.25');
  await reload(page);
  assert.equal(await value.inputValue(), '0.25');
  await page.locator('logit-landscape').evaluate((it) => it.lines.set({ top_p: 1 }));
  await reload(page);
  assert.match(page.url(), /temperature=0.25/);
  assert.doesNotMatch(page.url(), /top_p/, 'it is off');
  assert.deepEqual(complaints, []);
  await close();
});

long('if a text cannot be stored it stays in the document, with one sentence or none', async () => {
  const { page, complaints, close } = await bench.open({ path: STORIES, fresh: true });
  await page.evaluate(() => {
    for (let size = 1 << 22; size >= 1; size = size >> 1)
      for (let i = 0; i < 3; i++)
        try {
          sessionStorage.setItem(`full ${size} ${i}`, 'x'.repeat(size));
        } catch {
          // The storage is full, as intended. Smaller pieces fill its rest.
        }
  });
  await steps(page, 70);
  await until(
    () => notice(page).allInnerTexts(),
    ({ length }) => length === 1,
  );
  assert.match(await notice(page).innerText(), /^The browser has no room to keep this text/);
  const before = await texts(page);
  await page.locator('[data-command=reset]').click();
  await settle(page);
  await goBack(page);
  assert.deepEqual(await texts(page), before);
  await page.evaluate(() => {
    sessionStorage.clear();
    Storage.prototype.setItem = () => {
      throw new DOMException('no', 'SecurityError');
    };
  });
  await page.locator('[data-command=reset]').click();
  await steps(page, 66);
  const kept = await texts(page);
  await page.locator('[data-command=reset]').click();
  await settle(page);
  await goBack(page);
  assert.deepEqual(await texts(page), kept);
  assert.equal(await notice(page).count(), 0);
  assert.deepEqual(complaints, []);
  await page.reload(); // restores the browser's storage functions
  await close();
});

test('numbers too long for a link come back, and in a long run a text to count and a text written from it', async () => {
  const { page, close } = await bench.open({
    path: '?lang=en&view=logits#',
    ready: false,
    fresh: true,
  });
  // Longer than MAX_OWN_TEXT by long names: each further token costs time in every painting.
  const [long, word] = ['n'.repeat(180), 'n'.repeat(30)];
  const pasted = Array.from({ length: 30 }, (_, i) => `t${i}${long}: ${(i % 7) / 2}`).join('\n');
  assert.ok(pasted.length > MAX_OWN_TEXT);
  const numbers = page.locator('logit-logits #logits');
  await numbers.fill(pasted);
  if (!LONG) {
    await settle(page);
    await reload(page);
    assert.equal(await numbers.inputValue(), pasted);
    return close();
  }
  const counted = Array.from({ length: 130 }, (_, i) => `w${i % 5}${word} x${i % 3}`).join(' ');
  assert.ok(counted.length > MAX_OWN_TEXT);
  await page.locator('[data-source=bigram]').click();
  await page.locator('logit-logits #text').fill(counted);
  for (let i = 0; i < 2; i++) {
    await page.locator('[data-command=write-many]').click();
    await settle(page);
  }
  const written = await page.locator('logit-logits .written').innerText();
  assert.ok(written.split(' ').length > 64);
  await reload(page);
  assert.equal(await page.locator('logit-logits #text').inputValue(), counted);
  assert.equal(await page.locator('logit-logits .written').innerText(), written);
  await page.locator('[data-source=pasted]').click();
  assert.equal(await page.locator('logit-logits #logits').inputValue(), pasted);
  await close();
});

const again = (page) => page.locator('logit-reopen');

test('a user’s own file is asked for by name and opens in its old state', async () => {
  const { page, complaints, close } = await bench.open({ fresh: true });
  await page.setInputFiles('logit-sheet input[type=file]', file);
  await until(
    () => page.url(),
    (url) => !url.includes('model='),
  );
  await page.locator('#prompt').fill('Tomorrow we');
  await page.locator('#prompt').press('Enter');
  await set(page, { top_k: 7 });
  await steps(page, 2);
  const shown = [await texts(page), await marks(page), page.url()];
  await reload(page);
  await again(page).locator('label').waitFor();
  assert.equal(await again(page).locator('h2').innerText(), 'Open \u2068mine.gguf\u2069 again');
  assert.match(
    await again(page).locator('p').first().innerText(),
    /^This page showed \u2068mine\.gguf\u2069 \(0\.63 MB\), a file on this device\./,
  );
  assert.equal(page.url(), shown[2]);

  if (LONG) {
    // A file that is not a model changes nothing.
    await page.setInputFiles('logit-reopen #file', { ...file, buffer: Buffer.from('no model') });
    await again(page).locator('[role=alert]').getByText('GGUF').waitFor();
  }
  await page.setInputFiles('logit-reopen #file', file);
  await again(page).waitFor({ state: 'detached' });
  await settle(page);
  assert.deepEqual([await texts(page), await marks(page), page.url()], shown);

  // In `make test` models.test.js changes the model, and another test goes back through the history.
  if (LONG) {
    // Opening another model adds a history entry. The entry before it has the user's file.
    await reload(page);
    await again(page).locator('[data-command=other]').click();
    await again(page).waitFor({ state: 'detached' });
    await settle(page);
    assert.match(page.url(), /model=stories/);
    assert.equal(await page.locator('#prompt').inputValue(), 'Tomorrow we');
    assert.deepEqual(await ids(page), []);
    await goBack(page);
    assert.match(await again(page).locator('h2').innerText(), /mine\.gguf/);
    assert.equal(page.url(), shown[2]);
    await page.setInputFiles('logit-reopen #file', file);
    await again(page).waitFor({ state: 'detached' });
    await settle(page);
    assert.deepEqual([await texts(page), await marks(page)], shown.slice(0, 2));
  }
  assert.deepEqual(complaints, []);
  await close();
});

long('a file whose place the browser remembers opens at a press, or by itself', async () => {
  const { page, complaints, close } = await bench.open({ fresh: true, own: true });
  await page.addInitScript(() => {
    // Replaces the file picker: it returns a file in the browser's private file system.
    window.showOpenFilePicker = async () => {
      const folder = await navigator.storage.getDirectory();
      return [await folder.getFileHandle('mine.gguf')];
    };
    FileSystemHandle.prototype.queryPermission = async () => localStorage.leave ?? 'prompt';
    FileSystemHandle.prototype.requestPermission = async () => 'granted';
  });
  await page.reload();
  await page.locator('logit-distribution .row').first().waitFor();
  await page.evaluate(
    async (bytes) => {
      const folder = await navigator.storage.getDirectory();
      const handle = await folder.getFileHandle('mine.gguf', { create: true });
      const to = await handle.createWritable();
      await to.write(Uint8Array.from(bytes));
      await to.close();
    },
    [...file.buffer],
  );
  await page.locator('logit-model #model').click();
  await page.locator('logit-sheet [data-command=file]').click();
  await until(
    () => page.url(),
    (url) => !url.includes('model='),
  );
  await settle(page);
  await steps(page, 2);
  const drawn = await ids(page);
  await reload(page);
  await again(page).locator('[data-command=again]').click();
  await again(page).waitFor({ state: 'detached' });
  await settle(page);
  assert.deepEqual(await ids(page), drawn);
  await page.evaluate(() => (localStorage.leave = 'granted'));
  await reload(page);
  await page.locator('logit-tape .step').nth(1).waitFor();
  await settle(page);
  assert.equal(await again(page).count(), 0);
  assert.deepEqual(await ids(page), drawn);
  assert.deepEqual(complaints, []);
  await close();
});

long('going back to an address without a model shows the page’s own model', async () => {
  const { page, close } = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    own: true,
  });
  await page.goto(`${bench.url}?lang=en&view=bench`);
  await page.locator('logit-distribution .row').first().waitFor();
  await settle(page);
  await chooseModel(page, 'verbs');
  await until(() => page.url(), /model=verbs/);
  await goBack(page);
  assert.match(await modelFacts(page), /stories/);
  assert.equal(await page.locator('#prompt').inputValue(), 'The soup was too');
  await close();
});

long('a reload of an untouched page shows the same', async () => {
  const path = '?lang=en&view=landscape';
  const { page, close } = await bench.open({ path, ready: false, fresh: true });
  const shown = async () => {
    await page.locator('logit-landscape .sentence mark').waitFor();
    await settle(page);
    return page
      .locator('logit-scope')
      .evaluate((scope) => /** @type {any} */ (scope).state.settings);
  };
  const before = await shown();
  await until(() => page.evaluate(() => history.state?.logitscope), Boolean);
  await page.reload();
  assert.deepEqual(await shown(), before);
  await close();
});

long(
  'a model chosen just before a reload comes with it: an example changes with the model, a typed prompt stays',
  async () => {
    const { page, complaints, close } = await bench.open({ fresh: true, own: true });
    await settle(page);
    for (const [model, prompt, typed] of [
      ['shakespeare', findModel('shakespeare').examples[0], null],
      ['stories', 'To be', 'To be'],
    ]) {
      if (typed) {
        await page.locator('#prompt').fill(typed);
        await settle(page);
      }
      await page.route(`**/models/${model}.gguf`, (route) => void route); // the load never ends
      await chooseModel(page, model);
      await page.locator('logit-model progress').waitFor();
      await page.unroute(`**/models/${model}.gguf`);
      await page.reload();
      await page.locator('logit-distribution .row').first().waitFor();
      await settle(page);
      assert.match(page.url(), new RegExp(`model=${model}`));
      assert.equal(await page.locator('#prompt').inputValue(), prompt);
    }
    assert.deepEqual(complaints, []);
    await close();
  },
);

/** A user's random actions. Each function takes the <logit-scope> and a random number in [0, 1). */
const DEEDS = [
  (scope, x) => scope.set({ temperature: Math.round(300 * x) / 100 }),
  (scope, x) => scope.set({ top_k: 1 + Math.floor(60 * x) }),
  (scope, x) => scope.set({ repetition_penalty: 1 + Math.round(10 * x) / 10 }),
  (scope) => scope.step(),
  (scope, x) => scope.instrument.setSeed(Math.floor(1e6 * x)),
  (scope, x) =>
    scope.instrument.setPrompt(['Today she', 'Yesterday they', 'Every day he'][Math.floor(3 * x)]),
];

/** Number of random actions. */
const N_DEEDS = cases(3, 20);

test('undo and redo of random deeds bring the exact states back, also of words typed just before a reload', async () => {
  const { page, complaints, close } = await bench.open({ fresh: true, own: true });
  const state = () => page.locator('logit-scope').evaluate((scope) => JSON.stringify(scope.state));
  await page.waitForFunction(() => document.querySelector('logit-scope').kept);
  const random = (() => {
    let at = 20261128;
    return () => (at = (at * 48271) % 2147483647) / 2147483647;
  })();
  await settle(page);
  const states = [await state()];
  while (states.length <= N_DEEDS) {
    const deed = DEEDS[Math.floor(DEEDS.length * random())];
    const x = random();
    await page.evaluate(`(${deed})(document.querySelector('logit-scope'), ${x})`);
    await settle(page);
    const next = await state();
    if (next !== states.at(-1)) states.push(next);
  }
  assert.ok(new Set(states).size > 0.6 * N_DEEDS);
  const press = async (keys) => {
    await page.evaluate(() => /** @type {any} */ (document.activeElement)?.blur());
    await page.keyboard.press(keys);
    await settle(page);
  };
  for (const wanted of states.slice(0, -1).reverse()) {
    await press('Control+z');
    assert.equal(await state(), wanted);
  }
  assert.match(await page.locator('logit-scope .deed').innerText(), /^Undone: /);
  await press('Control+z');
  assert.equal(await state(), states[0]);
  assert.match(await page.locator('logit-scope .deed').innerText(), /nothing more/);
  for (const wanted of states.slice(1)) {
    await press('Control+Shift+Z');
    assert.equal(await state(), wanted);
  }
  // A reload straight after typing keeps the deeds before it, and the typing is a deed of its own.
  const prompt = page.locator('logit-text #prompt');
  const untyped = await prompt.inputValue();
  await prompt.press('End');
  await page.keyboard.type(' now');
  await page.reload();
  await page.waitForFunction(() => document.querySelector('logit-scope').kept);
  await settle(page);
  assert.equal(await prompt.inputValue(), `${untyped} now`);
  await page.locator('logit-scope .moment [data-command=undo]').click();
  await settle(page);
  assert.equal(await prompt.inputValue(), untyped);
  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  // After a reload, undo and redo still work, although the page has removed their record from the storage.
  await page.reload();
  await page.waitForFunction(() => document.querySelector('logit-scope').kept);
  await settle(page);
  for (const [command, wanted] of [
    ['undo', states.at(-2)],
    ['undo', states.at(-3)],
    ['redo', states.at(-2)],
    ['redo', states.at(-1)],
  ]) {
    await page.locator(`logit-scope .moment [data-command=${command}]`).click();
    await settle(page);
    assert.equal(await state(), wanted, command);
  }
  assert.equal(await page.evaluate(() => sessionStorage.getItem('logitscope-deeds')), null);
  // Undo also applies to actions in Explore. Changing the view is not an action: undo shows the view in which the
  // action was done.
  await page.locator('#tab-landscape').click();
  await settle(page);
  const shown = await state();
  for (const u of [0.25, 0.5]) {
    await page
      .locator('logit-scope')
      .evaluate((scope, landscape_u) => scope.choose({ landscape_u }), u);
    await settle(page);
  }
  await press('Control+z');
  const words = () => page.locator('logit-scope .deed').innerText();
  assert.equal(await words(), 'Undone: u = 0.25 → 0.5', 'the deed, not the state that comes back');
  await press('Control+z');
  assert.equal(await state(), shown);
  await page.locator('logit-scope').evaluate((scope) => scope.set({ temperature: 1e9 }));
  await settle(page);
  await page.locator('logit-scope').evaluate((scope) => scope.set({ temperature: 1.25 }));
  await settle(page);
  for (const [keys, said] of [
    ['Control+z', 'Undone: Temperature 1000000000 → 1.25'],
    ['Control+Shift+Z', 'Redone: Temperature 1000000000 → 1.25'],
  ]) {
    await press(keys);
    assert.equal(await words(), said);
  }
  await press('Control+z');
  await press('Control+z');
  assert.equal(await state(), shown);
  await press('Control+z');
  assert.equal(await state(), states.at(-2));
  // While a text field has a change of its own to undo, Control+z undoes that change, as the browser does.
  await prompt.focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' will');
  await settle(page);
  await page.keyboard.press('Control+z');
  await settle(page);
  assert.doesNotMatch(await prompt.inputValue(), / will$/);

  // The page keeps ten texts, so the eleventh replaces the oldest. A reload keeps all ten. The user can open and
  // remove each.
  const ask = (from, to = from) =>
    page.locator('logit-scope').evaluate(
      async (scope, [first, last]) => {
        const words = ['he', 'she', 'we', 'they', 'you', 'I'];
        for (let i = first; i <= last; i++) {
          await scope.instrument.setPrompt(`${i < 6 ? 'Today' : 'Tomorrow'} ${words[i % 6]}`);
          await scope.step();
          await scope.settled();
        }
      },
      [from, to],
    );
  await ask(0, 10);
  const kept = await state();
  const texts = page.locator('logit-sheet [data-session]');
  const open = async () => {
    await page.locator('logit-model #model').click();
    await texts.first().waitFor();
  };
  await open();
  assert.equal(await texts.count(), 10);
  await page.reload();
  await page.locator('logit-distribution .row').first().waitFor();
  await page.waitForFunction(() => document.querySelector('logit-scope').kept);
  await ask(0);
  await settle(page);
  await open();
  assert.equal(await texts.count(), 10);
  await page.locator('logit-sheet [data-remove]').nth(2).click();
  assert.equal(await texts.count(), 9);
  await texts.nth(1).click();
  await settle(page);
  assert.equal(await state(), kept);
  await open();
  await page.locator('logit-sheet [data-command=remove-all]').click();
  assert.equal(await texts.count(), 0);
  assert.equal(await page.evaluate(() => localStorage.getItem('logitscope-sessions')), '[]');

  // Changes in Compare can be undone too; a step through the strips is none.
  await page.keyboard.press('Escape');
  await page.locator('#tab-compare').click();
  await settle(page);
  const compared = await state();
  for (const patch of [{ compare_max_new_tokens: 9 }, { compare_step: 3 }]) {
    await page.locator('logit-scope').evaluate((scope, choices) => scope.choose(choices), patch);
    await settle(page);
  }
  await press('Control+z');
  assert.equal(await state(), compared);
  await press('Control+Shift+Z');
  assert.match(await state(), /"compare_max_new_tokens":9/);
  assert.deepEqual(complaints, []);
  await close();
});
