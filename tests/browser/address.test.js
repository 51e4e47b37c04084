/**
 * Tests that the page's address contains its state: the page reads the address at its start, updates it after each
 * change, and adds history entries.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { long } from '../long.js';
import { FIRST, expectTrace, loadReference, openBench, settle, until } from './bench.js';

const bench = await openBench();
const scope = await loadReference();

const hashOf = (page) => page.evaluate(() => decodeURIComponent(location.hash));
const drawn = (page) =>
  page
    .locator('logit-text .step [data-place]')
    .evaluateAll((all) => all.map((b) => Number(b.dataset.id)));

function expectBars(page, ids, settings) {
  scope.feed(Uint32Array.from(ids));
  return expectTrace(page, scope.distribution({ ...settings, top: 20 }));
}

test('an address with prompt, settings, order, biases, seed and branch opens exactly that state', async () => {
  const ids = [...scope.encode('Yesterday they')];
  scope.feed(Uint32Array.from(ids));
  const [a] = scope.distribution({ top: 5 }).tokens;
  const settings = {
    temperature: 1.5,
    top_k: 9,
    min_p: 0.01,
    logit_bias: { [a.id]: -1 },
    order: ['top_k', 'logit_bias', 'min_p', 'temperature'],
  };
  const branch = [scope.draw({ ...settings, seed: 5 }, { step: 0 }).id];
  scope.feed(Uint32Array.from([...ids, ...branch]));
  branch.push(scope.distribution(settings).tokens[3].id);
  const hash = `prompt=Yesterday%20they&temperature=1.5&top_k=9&min_p=0.01&logit_bias=${a.id}:-1&order=top_k,logit_bias,min_p,temperature&seed=5&branch=${branch}&bench_chart=bars`;
  const { page, complaints, foreign, close } = await bench.open({
    path: `?lang=en&model=verbs#${hash}`,
  });
  await until(
    () => drawn(page),
    (all) => all.length === 2,
  );
  assert.deepEqual(await drawn(page), branch);
  assert.equal(await page.locator('logit-text .step.forced').count(), 1);
  await expectBars(page, [...ids, ...branch], settings);
  const seed = () => page.locator('logit-draw #seed').inputValue();
  assert.equal(await seed(), '5');
  // Replacing the address of an open page has the same effect as opening the new address in a new page.
  await page.evaluate(() => (location.hash = 'temperature=1.2'));
  await until(seed, '42');
  await expectBars(page, scope.encode(FIRST), { temperature: 1.2 });
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});

test('changes appear after the #, never in a request, and back and forward go through them', async () => {
  const { page, close } = await bench.open();
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  const ids = [...scope.encode('Every day he')];
  await page.locator('logit-text [data-command=examples]').click();
  await page.getByRole('button', { name: 'Every day he' }).click();
  await until(() => hashOf(page), /prompt=Every day he/);
  await page.locator('#preset').selectOption({ label: 'Greedy: always the best' });
  await until(() => hashOf(page), /temperature=0&/);
  await page.locator('[data-command=step]').click();
  const written = await until(() => hashOf(page), /branch=/);
  const branch = await drawn(page);
  assert.match(
    written,
    new RegExp(`^#prompt=Every day he&temperature=0&seed=42&branch=${branch}&bench_chart=bars$`),
  );

  await page.goBack();
  assert.deepEqual(
    await until(
      () => drawn(page),
      (all) => all.length === 0,
    ),
    [],
  );
  await expectBars(page, ids, { temperature: 0 });
  await page.goBack();
  await expectBars(page, ids, { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 });
  await page.goBack();
  await expectBars(page, scope.encode(FIRST), {
    temperature: 0.7,
    top_p: 0.9,
    repetition_penalty: 1.1,
  });
  assert.equal(await page.locator('#prompt').inputValue(), FIRST);
  for (let i = 0; i < 3; i++) await page.goForward();
  assert.deepEqual(
    await until(
      () => drawn(page),
      (all) => all.length === 1,
    ),
    branch,
  );
  assert.deepEqual(asked, []);
  await close();
});

test('turning a knob replaces the history entry and adds none', async () => {
  const { page, close } = await bench.open();
  // An entry keeps its key when its address is replaced.
  const entry = () => page.evaluate(() => globalThis.navigation.currentEntry.key);
  const before = await entry();
  const slider = page.locator('logit-knob[data-name=temperature]').getByRole('slider');
  for (let i = 0; i < 4; i++) {
    await slider.press('ArrowRight');
    await settle(page);
  }
  await until(() => hashOf(page), /temperature=0\.74/);
  assert.equal(await entry(), before);
  await close();
});

long(
  'a link shows its text before the first model, after another link, and while a model loads',
  async () => {
    const { page, complaints, close } = await bench.open({
      ready: false,
      own: true,
      path: 'source/tests/browser/blank.html',
    });
    // The script follows a link when the load has read the address and the model is not ready yet.
    await page.addInitScript(async () => {
      await customElements.whenDefined('logit-scope');
      const { instrument } = document.querySelector('logit-scope');
      const follow = () => {
        if (!instrument.live || instrument.model.status === 'ready') return;
        instrument.removeEventListener('update', follow);
        location.hash = '#prompt=Yesterday%20they&branch=9,8';
      };
      instrument.addEventListener('update', follow);
    });
    const shows = async (prompt, ids) => {
      await until(() => drawn(page), ids);
      await settle(page);
      assert.equal(await page.locator('#prompt').inputValue(), prompt);
      assert.deepEqual(await drawn(page), ids);
    };
    await page.goto(`${bench.url}?lang=en&model=verbs#prompt=Today%20she&branch=5`);
    await shows('Yesterday they', [9, 8]);
    await page.evaluate(async () => {
      location.hash = '#prompt=Every%20day%20he&branch=7,6';
      await new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
      location.hash = '#prompt=Tomorrow%20she&branch=4,11,12';
    });
    await shows('Tomorrow she', [4, 11, 12]);
    await page.evaluate(() => {
      document.querySelector('logit-scope').open('stories');
      location.hash = '#prompt=Today%20she&branch=3,2';
    });
    await shows('Today she', [3, 2]);
    assert.match(page.url(), /model=verbs/);
    assert.deepEqual(complaints, []);
    await close();
  },
);

test('a malformed part gives one sentence, and the rest applies', async () => {
  const { page, complaints, close } = await bench.open({
    path: '?lang=en&model=verbs#temperature=0.5&top_p=1.5&branch=999',
  });
  const alert = page.locator('logit-scope .said[role=alert] p');
  assert.equal(
    await alert.innerText(),
    '2 parts were left out: top_p=1.5 (must be between 0 and 1) and branch=999 (must be between 0 and 63).',
  );
  await expectBars(page, scope.encode(FIRST), { temperature: 0.5 });
  await page.evaluate(() => (location.hash = '#top_k=3&seed=-1'));
  await expectBars(page, scope.encode(FIRST), { top_k: 3 });
  assert.equal(
    await until(() => alert.innerText(), /^One/),
    'One part was left out: seed=-1 (must be 0 or more).',
  );
  await page.getByRole('button', { name: 'Close' }).click();
  await alert.waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
  await close();
});

test('a state that the engine refuses opens with one sentence, and the knobs still work', async () => {
  const { page, complaints, close } = await bench.open({
    path: '?lang=en&model=verbs#order=top_k&temperature=0.5&branch=5,6',
  });
  await settle(page);
  const trouble = page.locator('.trouble[role=alert]');
  assert.match(await trouble.innerText(), /leaves out temperature/);
  assert.deepEqual(await drawn(page), []);
  await page.locator('#preset').selectOption({ label: 'Greedy: always the best' });
  await settle(page);
  await expectBars(page, scope.encode(FIRST), { temperature: 0 });
  assert.equal(await trouble.count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test('the query fixes and hides knobs, panels and view', async () => {
  const { page, complaints, close } = await bench.open({
    path: '?lang=en&model=verbs&controls=temperature,top_p&readonly',
  });
  assert.deepEqual(
    await page.locator('logit-knob').evaluateAll((all) => all.map((knob) => knob.dataset.name)),
    ['temperature', 'top_p'],
  );
  assert.equal(await page.locator('[data-view=bench]').count(), 0);
  assert.equal(await page.locator('h1:visible, logit-preferences:visible').count(), 0);
  const slider = page.locator('logit-knob[data-name=temperature]').getByRole('slider');
  assert.equal(await slider.isDisabled(), true);
  assert.equal(await page.locator('#prompt').evaluate((box) => box.readOnly), true);
  await page.locator('[data-command=step]').click();
  assert.equal(
    (
      await until(
        () => drawn(page),
        (all) => all.length === 1,
      )
    ).length,
    1,
  );
  assert.deepEqual(complaints, []);
  await close();
});

long('a panel alone has the whole width', async () => {
  const { page, close } = await bench.open({ path: '?lang=en&model=verbs&controls=distribution' });
  assert.equal(await page.locator('logit-distribution').isVisible(), true);
  const wide = (selector) =>
    page.locator(selector).evaluate((element) => element.getBoundingClientRect().width);
  assert.equal(await wide('logit-distribution'), await wide('#view'));
  for (const name of ['logit-text', 'logit-draw', 'logit-chain'])
    assert.equal(await page.locator(name).isVisible(), false);
  await close();
});
