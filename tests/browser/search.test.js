/** Tests the step-by-step display of searches, the window of the penalties, and the constraint in the page's state. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLoop } from '../../web/engine/text-loops.js';
import { LOOPING } from '../../web/engine/suites.js';
import { closed } from '../cleanup.js';
import { long, sample } from '../long.js';
import { expectTrace, loadReference, openBench, until } from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

// tests/node/repetition.test.js tests the detection of loops; the next test covers its display.
long('the searches show beam search in a marked loop beside drawn texts without one', async () => {
  const path = '?lang=en&model=stories&view=compare';
  const { page, complaints, close } = await bench.open({ path, ready: false });
  const view = page.locator('logit-compare');
  await view.locator('#suite').selectOption('searches');
  await view.locator('[data-command=loop]').click();
  assert.equal(await view.locator('#prompt').inputValue(), LOOPING.searches.prompt);
  const ids = async (at) =>
    view
      .locator(`[data-column="${at}"] .t`)
      .evaluateAll((tokens) => tokens.map((token) => Number(token.dataset.id)));
  const column = (name) =>
    view.locator('li[data-column]').filter({ has: page.locator('h3', { hasText: name }) });
  const loopOf = async (name) => {
    const at = Number(await column(name).getAttribute('data-column'));
    return view.locator('td[data-figure=loop]').nth(at).textContent();
  };
  await view.locator('progress[max="7"][value="7"]').waitFor({ timeout: 120_000 });

  const at = Number(await column('8 beams').getAttribute('data-column'));
  const loop = findLoop(await ids(at));
  assert.ok(loop);
  assert.equal(await loopOf('8 beams'), `${loop.times} times, from token ${loop.start + 1}`);
  assert.equal(await column('8 beams').locator('.t.looped').count(), loop.end - loop.start);
  for (const name of ['plain', 'top-p 0.9', 'alpha 0.6', 'alpha 0.4'])
    assert.equal(await loopOf(name), 'none', name);

  // A search ignores the bench's settings, so the page offers no edit and no transfer to the bench.
  const offers = async (name) => {
    await column(name).locator('.dots').click();
    const offered = await column(name).locator('[data-action=adopt]').isVisible();
    await page.keyboard.press('Escape');
    return offered;
  };
  assert.equal(await offers('8 beams'), false);
  assert.equal(await offers('plain'), true);
  assert.deepEqual(complaints, []);
  await close();
});

const bars = (page) =>
  page.locator('logit-distribution .row').evaluateAll((rows) => rows.map((row) => row.textContent));

long('one press shows greedy in a marked loop and the other eight without one', async () => {
  // The address limits the texts of the initial run to one token. The click on "loop" starts a longer run.
  const path = '?lang=en&model=stories&view=compare#compare_max_new_tokens=1';
  const { page, complaints, close } = await bench.open({ path, ready: false });
  const view = page.locator('logit-compare');
  await view.locator('#suite').selectOption('nine');
  await view.locator('[data-command=loop]').click();
  assert.equal(await view.locator('#prompt').inputValue(), LOOPING.nine.prompt);
  const loops = () => view.locator('td[data-figure=loop]').allTextContents();
  // Waits for the new run: in the initial run the first strategy has no loop.
  const done = (all) => all.length === 9 && !all.includes('–') && all[0] !== 'none';
  const [greedy, ...others] = await until(loops, done);
  assert.match(greedy, /^\d+ times, from token \d+$/);
  assert.deepEqual(others, Array(8).fill('none'));
  assert.ok((await view.locator('[data-column="0"] .t.looped').count()) > 20);
  assert.equal(
    await view.locator('.t.looped').count(),
    await view.locator('[data-column="0"] .t.looped').count(),
  );
  assert.deepEqual(complaints, []);
  await close();
});

const hashOf = (page) => page.evaluate(() => decodeURIComponent(location.hash));

function expectBars(page, prompt, settings) {
  scope.feed(scope.encode(prompt));
  return expectTrace(page, scope.distribution({ ...settings, top: 20 }));
}

long('the address holds constraint, banned words and first token, back and forth', async () => {
  const grammar = 'root ::= " " [a-p]+ (" " [a-z]+)*';
  const settings = { constraint: { grammar }, banned_words: ['am', 'home'], top_k: 12 };
  const hash = `prompt=Today%20I&top_k=12&constraint=${encodeURIComponent(JSON.stringify({ grammar }))}&banned_words=${encodeURIComponent('["am","home"]')}`;
  const { page, complaints, foreign, close } = await bench.open({
    path: `?lang=en&model=verbs#${hash}`,
  });
  const card = page.locator('logit-constraint');
  await expectBars(page, 'Today I', settings);
  assert.equal(await card.locator('select').inputValue(), 'rules');
  assert.equal(await card.locator('textarea').inputValue(), grammar);
  assert.equal(await card.locator('#banned_words').inputValue(), 'am home');

  // Each change is a history entry: first a forced first token, then no constraint.
  const first = card.locator('#forced_first');
  await first.fill('\\sgo');
  await first.press('Enter');
  assert.match(await until(() => hashOf(page), /forced_first= go/), /&forced_first= go&/);
  await expectBars(page, 'Today I', { ...settings, forced_first: ' go' });
  assert.match(
    await card.locator('#about-forced_first').innerText(),
    /1 token allowed; the others held/,
  );
  await card.locator('select').selectOption('none');
  assert.doesNotMatch(
    await until(
      () => hashOf(page),
      (now) => !now.includes('constraint'),
    ),
    /constraint/,
  );
  await expectBars(page, 'Today I', {
    banned_words: ['am', 'home'],
    top_k: 12,
    forced_first: ' go',
  });
  await page.goBack();
  await expectBars(page, 'Today I', { ...settings, forced_first: ' go' });
  assert.equal(await card.locator('select').inputValue(), 'rules');
  await page.goBack();
  await expectBars(page, 'Today I', settings);
  assert.equal(await first.inputValue(), '');
  await page.goForward();
  await expectBars(page, 'Today I', { ...settings, forced_first: ' go' });

  // The constraint forces only the first token.
  await page.locator('[data-command=step]').click();
  await until(() => hashOf(page), /branch=/);
  await expectBars(page, 'Today I go', {
    ...settings,
    constraint_start: scope.encode('Today I').length,
  });
  await page.reload();
  await page.locator('logit-text .step [data-place]').waitFor();
  await expectBars(page, 'Today I go', {
    ...settings,
    constraint_start: scope.encode('Today I').length,
  });
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});

for (const depth of sample([800, 1500, 20_000], 1))
  test(`a schema nested ${depth} deep is dropped with one sentence`, async () => {
    const schema = `${'{"type":"array","items":'.repeat(depth)}{"type":"integer"}${'}'.repeat(depth)}`;
    const constraint = encodeURIComponent(`{"schema":${schema}}`);
    const { page, complaints, close } = await bench.open({
      path: `?lang=en&model=verbs#prompt=Today%20she&top_k=5&constraint=${constraint}`,
    });
    const alert = page.locator('logit-scope .said[role=alert] p');
    assert.match(
      await until(() => alert.innerText(), /depth/),
      new RegExp(
        `^One part was left out: constraint=.{1,61} \\(constraint: depth must be an integer between 0 and 100, got ${(depth + 2).toLocaleString('en')}\\)\\.$`,
      ),
    );
    await expectBars(page, 'Today she', { top_k: 5 });
    assert.deepEqual(complaints, []);
    await close();
  });

test('a constraint that the engine refuses is dropped with its sentence, and the rest applies', async () => {
  const parts = [
    'top_k=5',
    'constraint=xml',
    'forced_first=7x',
    'banned_words=he',
    'temperature=hot',
  ];
  const { page, complaints, close } = await bench.open({
    path: `?lang=en&model=verbs#prompt=Today%20she&${parts.join('&')}`,
  });
  const alert = page.locator('logit-scope .said[role=alert] p');
  assert.equal(
    await until(() => alert.innerText(), /xml/),
    '4 parts were left out: forced_first=7x (cannot be read), banned_words=he (cannot be read), temperature=hot (cannot be read), ' +
      'and constraint=xml (constraint must be "json", "name_age_city", "three_numbers" or an object with json, schema or grammar, got "xml").',
  );
  await expectBars(page, 'Today she', { top_k: 5 });

  // The vocabulary of the model verbs cannot spell JSON. The page refuses this part of the address, applies the rest.
  await page.evaluate(
    () => (location.hash = '#prompt=Today%20she&constraint=json&banned_words=["will"]'),
  );
  await until(() => alert.innerText(), /^One part was left out: constraint=json/);
  assert.match(await alert.innerText(), /^One part was left out: constraint=json \(/);
  await expectBars(page, 'Today she', { banned_words: ['will'] });
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'the window of the penalties is a knob on the penalty’s card, usable by keyboard, explained in both languages',
  async () => {
    const { page, complaints, close } = await bench.open({
      path: '?lang=en&model=verbs#prompt=Today%20she%20will%20go%20to&repetition_penalty=2',
    });
    const knob = page.locator(
      '.card[data-stage=repetition_penalty] logit-knob[data-name=repetition_window]',
    );
    await page.locator('li.card[data-stage=repetition_penalty]').hover();
    await page.locator('[data-more=repetition_penalty]').click();
    assert.equal(await page.locator('logit-knob[data-name=repetition_window]').count(), 1);
    assert.match(
      await knob.locator('#about').innerText(),
      /How many of the last tokens every penalty but DRY looks at; 0 is all/,
    );
    const all = await bars(page);
    await page.getByRole('slider', { name: /Repetition window/ }).focus();
    await page.keyboard.press('ArrowRight');
    const one = await until(
      () => bars(page),
      (now) => JSON.stringify(now) !== JSON.stringify(all),
    );
    assert.notDeepEqual(one, all, 'only the last token is penalised');
    assert.equal(await knob.locator('.box').inputValue(), '1');
    await until(() => page.url(), /repetition_window=1/);
    assert.match(page.url(), /repetition_window=1/);
    await page.locator('logit-preferences [popovertarget]').click();
    await page.getByText('Español').click();
    const spanish = await until(() => knob.locator('#about').innerText(), /Cuántos/);
    assert.match(spanish, /Cuántos de los últimos tokens miran todas las penalizaciones/);
    assert.deepEqual(complaints, []);
    await close();

    // A lesson may have the penalty's control, the window's control, or both; it shows only these.
    const lessons = /** @type {const} */ ([
      ['repetition_penalty', 0, 1],
      ['repetition_window', 1, 0],
      ['repetition_penalty,repetition_window', 1, 1],
    ]);
    for (const [controls, windows, cards] of sample(lessons, 2)) {
      const lesson = await bench.open({ path: `?lang=en&model=verbs&controls=${controls}` });
      assert.equal(
        await lesson.page.locator('logit-knob[data-name=repetition_window]').count(),
        windows,
      );
      assert.equal(
        await lesson.page.locator('.card[data-stage=repetition_penalty]').count(),
        cards,
      );
      await lesson.close();
    }
  },
);
