/** A lesson in the page: answers are judged by the engine, kept, told, and given by keyboard alone. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openBench, until } from './bench.js';

const axeSource = await readFile(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
before(async () => (bench = await openBench()));
after(() => bench?.close());

/** Waits until no element of the lesson works: for two frames, since what one shows may ask for more. */
const rest = (page) =>
  page.evaluate(async () => {
    const working = (root) =>
      [...root.querySelectorAll('*')].some(
        (each) =>
          each.matches(':not(:defined)') ||
          each.isUpdatePending ||
          (each.localName.startsWith('logit-') && each.busy) ||
          (each.shadowRoot && working(each.shadowRoot)),
      );
    for (let still = 0; still < 2; still = working(document) ? 0 : still + 1)
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  });
const result = (page) => page.locator('logit-lesson').evaluate((lesson) => lesson.result);

/** @param {string} path */
async function open(path, options = {}) {
  const opened = await bench.open({ path, ready: false, fresh: true, ...options });
  await opened.page.locator('logit-lesson h2, logit-lesson [role=alert]').first().waitFor();
  await rest(opened.page);
  return opened;
}

/** A question by its place in the lesson. */
const question = (page, place) => page.locator('logit-question').nth(place - 1);
const said = (page, place) => question(page, place).locator('[role=status]').innerText();

async function axe(page) {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id}: ${target.flat().join(' ')} ${failureSummary}`,
      ),
    );
  });
}

test('temperature: said before it is seen, judged by the engine, by keyboard alone, and kept', async () => {
  const { page, complaints, foreign, close } = await open('?lesson=temperature&lang=en');
  assert.deepEqual(await axe(page), []);
  assert.equal((await result(page)).score, null, 'nothing was answered');
  const figures = page.locator('logit-figure');
  const held = (i) => figures.nth(i).evaluate((figure) => figure.held);
  assert.deepEqual([await held(0), await held(1)], [true, false]);

  const fill = async (place, text) => {
    await question(page, place).locator('input').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await rest(page);
    return said(page, place);
  };
  assert.match(await fill(1, 'much'), /“much” is not a number/);
  assert.equal((await result(page)).score, null, 'that was no answer');
  assert.match(await fill(1, '0.571'), /^Not yet\. That is 2 \/ 3\.5/);
  assert.match(await fill(1, '0.2'), /Look at the figure again/);
  assert.equal(await held(0), true, 'the second question waits');
  assert.match(await fill(1, '62.9 %'), /^Right\./);
  assert.match(await fill(2, '0.48'), /That is T = 2/);
  assert.equal(await held(0), false);
  assert.match(await fill(2, '.844'), /^Right\./);

  await question(page, 3).locator('input').first().focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await rest(page);
  assert.match(await said(page, 3), /They come close there/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await rest(page);
  assert.match(await said(page, 3), /^Right\./);

  assert.match(await question(page, 4).locator('.now').innerText(), /^Now: 0\.191/);
  await question(page, 4).locator('button.primary').press('Enter');
  await rest(page);
  assert.match(await said(page, 4), /Look at the figure again/);
  await figures.nth(1).locator('[role=slider]').first().press('Home');
  await until(
    () => said(page, 4),
    (text) => /^Right\. The text has become/.test(text),
  );

  const now = await result(page);
  assert.deepEqual([now.score, now.complete, now.attempts], [4 / 6, false, 9]);
  await page.reload();
  await rest(page);
  assert.deepEqual(await result(page), now);
  assert.equal(await held(0), false);

  await question(page, 5).locator('input').first().check();
  await question(page, 5).locator('button.primary').click();
  await rest(page);
  await question(page, 5).locator('[data-command=solution]').click();
  await rest(page);
  assert.match(await said(page, 5), /Solution\. The answer is: Next to nothing/);
  await question(page, 6).locator('input').last().check();
  await question(page, 6).locator('button.primary').click();
  await rest(page);
  const done = await result(page);
  assert.deepEqual([done.score, done.complete], [5 / 6, true], 'a shown solution is not scored');
  assert.match(await page.locator('logit-lesson footer').innerText(), /divides every logit by T/);
  await page.goto(`${bench.url}?lesson&lang=en`);
  await rest(page);
  assert.match(
    await page.locator('logit-lesson li', { hasText: 'Temperature' }).innerText(),
    /done: 5 of 6 right/,
  );
  assert.deepEqual(await axe(page), []);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});

test('top-p in Spanish at 375 px: a comma, a nucleus of five, and no English left', async () => {
  const { page, complaints, foreign, close } = await open('?lesson=top-p&lang=es', {
    viewport: { width: 375, height: 800 },
  });
  assert.deepEqual(await axe(page), []);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 375, `${wide} px`);
  await question(page, 2).locator('input').fill('0,588');
  await question(page, 2).locator('button.primary').click();
  await rest(page);
  assert.match(await said(page, 2), /Has dividido entre p/);
  await question(page, 2).locator('input').fill('0,556');
  await question(page, 2).locator('button.primary').click();
  await rest(page);
  assert.match(await said(page, 2), /^Correcto\./);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});

const CARRIED = {
  lesson: 1,
  name: 'own',
  title: 'Own',
  aim: 'a',
  result: 'b',
  parts: [
    {
      figure: { show: 'landscape', state: { logits: [1, 0], tokens: ['x', 'y'] } },
      questions: [
        { id: 'row', kind: 'order', ask: 'row', right: 'r', items: ['one', 'two', 'three'] },
        {
          id: 'name',
          kind: 'token',
          ask: 'which',
          right: 'r',
          answer: { measure: 'token_at_u', u: 0.9 },
          wrong: [{ measure: 'token', rank: 1, say: 'That is the first.' }],
        },
      ],
    },
  ],
};

test('a lesson in the address: an order by keyboard, a token to name, and one that is refused', async () => {
  const path = (lesson, theme = 'auto') =>
    `?lesson&lang=en&theme=${theme}#lesson=${encodeURIComponent(JSON.stringify(lesson))}`;
  const { page, complaints, foreign, close } = await open(path(CARRIED));
  const up = (item) => question(page, 1).getByRole('button', { name: `Move up: ${item}` });
  // It begins as two, one, three.
  await up('one').focus();
  await page.keyboard.press('Enter');
  await rest(page);
  const focused = () =>
    page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.getAttribute('aria-label');
    });
  assert.equal(await focused(), 'Move down: one', 'at the top, the other way has the focus');
  await question(page, 1).locator('button.primary').press('Enter');
  await rest(page);
  assert.match(await said(page, 1), /^Right\./);
  await question(page, 2).getByRole('radio', { name: 'x' }).check();
  await question(page, 2).locator('button.primary').click();
  await rest(page);
  assert.match(await said(page, 2), /That is the first/);
  await question(page, 2).getByRole('radio', { name: 'y' }).check();
  await question(page, 2).locator('button.primary').click();
  await rest(page);
  assert.equal((await result(page)).score, 1);

  await page.goto(
    bench.url + path({ ...CARRIED, aim: '<img src=x>', endpoint: 'https://a.b' }, 'light'),
  );
  const alert = page.locator('logit-lesson [role=alert]');
  await alert.waitFor();
  assert.match(await alert.innerText(), /aim holds HTML[^]*names an address \(endpoint\)/);
  assert.equal(await page.locator('logit-question').count(), 0);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});

test('a host page is told of each answer, gets and sets the state, and hears what is not understood', async () => {
  const { page, complaints, close } = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    own: true,
  });
  await page.evaluate((src) => {
    window.heard = [];
    addEventListener('message', ({ data }) => window.heard.push(data));
    document.body.append(Object.assign(document.createElement('iframe'), { src, width: 900 }));
  }, `${bench.url}?lesson=top-p&lang=en`);
  const frame = page.frameLocator('iframe');
  const hear = (good) => page.evaluate(() => window.heard).then((all) => all.findLast(good));
  const say = (message) =>
    page
      .locator('iframe')
      .evaluate((inner, told) => inner.contentWindow.postMessage(told, '*'), message);
  const ask = async (id, message) => {
    await say({ ...message, id });
    return hear((told) => told.id === id);
  };

  await frame.locator('logit-question').first().waitFor();
  const begun = await until(() => ask('begun', { type: 'logitscope:get' }), Boolean);
  const none = { score: null, complete: false, attempts: 0, state: '', verdict: null };
  const { distribution, kept, entropy, ...marks } = begun;
  assert.deepEqual(marks, { type: 'logitscope:result', lesson: 'top-p', ...none, id: 'begun' });
  assert.deepEqual([kept > 0, entropy > 0, distribution[0].rank], [true, true, 1]);

  await frame.locator('logit-question').nth(1).locator('input').fill('0.588');
  await frame.locator('logit-question').nth(1).locator('button.primary').click();
  const told = await until(() => hear(({ attempts }) => attempts === 1), Boolean);
  assert.deepEqual([told.type, told.score], ['logitscope:result', 0]);
  const [, name] = /^([\w-]+):1$/.exec(told.state);

  // As from another machine, on which it was right.
  const state = `${name}:3r`;
  const set = await until(() => ask('set', { type: 'logitscope:set', state }), Boolean);
  assert.deepEqual([set.score, set.attempts, set.state], [1 / 6, 3, state]);
  for (const [id, message] of Object.entries({
    long: { type: 'logitscope:set', state: 'x'.repeat(5000) },
    none: { type: 'logitscope:set' },
    other: { type: 'logitscope:step' },
  })) {
    const refused = await until(() => ask(id, message), Boolean);
    assert.deepEqual([refused.type, refused.code], ['logitscope:error', 'invalid_argument'], id);
    assert.match(refused.message, /\S/);
  }
  assert.equal((await until(() => ask('after', { type: 'logitscope:get' }), Boolean)).state, state);

  // The lesson's own window is not its host.
  const before = await page.evaluate(() => window.heard.length);
  await frame.locator('logit-lesson').evaluate(() => {
    postMessage({ type: 'logitscope:get', id: 'own' }, '*');
    return new Promise((resolve) => setTimeout(resolve));
  });
  await until(() => ask('last', { type: 'logitscope:get' }), Boolean);
  assert.equal(await hear(({ id }) => id === 'own'), undefined);
  assert.ok((await page.evaluate(() => window.heard.length)) > before);
  assert.deepEqual(complaints, []);
  await close();
});
