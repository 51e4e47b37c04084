/** Tests the view Compare: its figures must equal those of the engine in Node. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { divergence, figuresOf, run, spreadOf } from '../../web/engine/compare.js';
import { Logitscope } from '../../web/engine/index.js';
import { suites } from '../../web/engine/suites.js';
import { PASSAGES } from '../../web/views/compare/passages.js';
import { closed, temporaryFolder } from '../cleanup.js';
import { long, sample } from '../long.js';
import { axe, FIRST, loadReference, openBench, root, settle, START, until } from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

const SEED = 42;
const CSV_HEADS = [
  'strategy',
  'seed',
  'tokens',
  'distinct_1',
  'distinct_2',
  'surprisal_raw',
  'surprisal',
  'perplexity_raw',
  'perplexity',
  'mean_kept',
  'loop_start',
  'loop_period',
  'loop_times',
  'finish',
  'text',
];

const NINE = suites.find(({ name }) => name === 'nine').strategies;

/** Opens Compare with a suite; the default has nine strategies. `more` is the rest of the address. */
async function open({ suite = 'nine', lang = 'en', model = 'verbs', more = '', ...options } = {}) {
  const path = `?lang=${lang}&model=${model}&view=compare${START}&compare_suite=${suite}${more}`;
  const opened = await bench.open({ path, ready: false, ...options });
  await finished(opened.page);
  await settle(opened.page);
  return opened;
}

/** Waits until every text is complete. */
function finished(page) {
  return until(
    () => page.locator('logit-compare progress').evaluate((bar) => [bar.value, bar.max]),
    ([value, max]) => value === max && max > 1,
  );
}

/** Unfolds the settings. */
async function unfold(page) {
  const button = page.locator('logit-compare-controls #settings');
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}

const choose = (page, suite) => page.locator('logit-compare #suite').selectOption(suite);

/** Presses a button in the menu of a strategy. */
async function act(column, action) {
  await column.locator('logit-strategy .dots').click();
  await column.locator(`[data-action=${action}]`).click();
}

/** Returns the ids of the text in column `at`. */
const idsIn = (page, at) =>
  page
    .locator(`[data-column="${at}"] .t`)
    .evaluateAll((tokens) => tokens.map((token) => Number(token.dataset.id)));

/** Reads the figure `name` of the text in column `at` from the table below the texts. */
const figure = (page, at, name) =>
  page.locator(`details.table [data-figure=${name}]`).nth(at).textContent();

/** Writes a text with the engine in Node; returns its ids and figures. */
async function write(strategy, { seed = SEED, max_new_tokens = 60, prompt = FIRST } = {}) {
  const steps = [];
  for await (const step of run(scope, scope, strategy, { prompt, seed, max_new_tokens }))
    steps.push(step);
  return { ids: steps.map(({ id }) => id), figures: await figuresOf(scope, steps) };
}

async function type(box, text) {
  await box.fill(text);
  await box.press('Enter');
}

long('strategies that read a second text show the distribution that they draw from', async () => {
  const strategies = [
    { settings: { contrastive_beta: 0.5 } },
    { settings: { guidance_scale: 2, negative_prompt: 'Today' } },
  ];
  const chosen = encodeURIComponent(JSON.stringify(strategies));
  const path = `?lang=en&model=verbs&view=compare${START}&compare_strategies=${chosen}&compare_step=2`;
  const { page, complaints, close } = await bench.open({ path, ready: false });
  await finished(page);
  await settle(page);
  const texts = [];
  for (const strategy of strategies) texts.push(await write(strategy));
  const slices = page.locator('logit-strips li');
  const shown = await slices.evaluateAll((all) => all.map(({ dataset }) => Number(dataset.id)));
  assert.deepEqual(
    shown,
    texts.map(({ ids }) => ids[1]),
  );
  assert.equal(await slices.locator('.strip').count(), strategies.length);
  for (const [i] of strategies.entries())
    assert.ok((await slices.nth(i).locator('.strip > *').count()) > 1, 'tokens that it may draw');
  assert.deepEqual(complaints, []);
  await close();
});

test('three temperatures come first, and one needle meets the token that each draws', async () => {
  const { page, complaints, close } = await bench.open();
  await page.getByRole('tab', { name: 'Compare' }).click();
  await finished(page);
  const temperatures = [0, 1, 100];
  assert.equal(await page.locator('[data-column]').count(), temperatures.length);
  const slices = page.locator('logit-strips li');
  const texts = [];
  for (const temperature of temperatures) texts.push(await write({ settings: { temperature } }));
  const shown = () => slices.evaluateAll((all) => all.map(({ dataset }) => Number(dataset.id)));
  /**
   * Returns u, and for each strip its bands, the position of the drawn band and the position of its label, from 0 to
   * 1.
   */
  const strips = () =>
    page.locator('logit-strips').evaluate((it) => {
      const list = it.shadowRoot.querySelector('.slices');
      const read = (item) => {
        const { top, height } = item.querySelector('.strip').getBoundingClientRect();
        const place = (y) => (y - top) / height;
        const bands = [...item.querySelectorAll('.strip > i')].map((band) => ({
          kind: band.className,
          count: Number(band.dataset.count),
          said: band.textContent,
          name: band.title,
          to: place(band.getBoundingClientRect().bottom),
        }));
        const label = item.querySelector('.taken').getBoundingClientRect();
        const unsaid = Number(item.querySelector('.count').dataset.count);
        const named = item.querySelector('.taken b').textContent;
        return { bands, unsaid, named, label: place((label.top + label.bottom) / 2), top, height };
      };
      const u = Number(list.style.getPropertyValue('--u'));
      return { u, strips: [...list.querySelectorAll('li')].map(read) };
    });

  const range = page.locator('logit-strips input');
  for (const step of [1, 2, 4]) {
    while (Number(await range.inputValue()) < step) await range.press('ArrowRight');
    await settle(page);
    const expected = texts.map(({ ids }) => ids[step - 1]);
    assert.deepEqual(await until(shown, (ids) => String(ids) === String(expected)), expected);
    await until(strips, ({ strips: all }) => all.every(({ bands }) => bands.length > 0));
    const { u, strips: all } = await strips();
    assert.equal(u, scope.random(SEED, step - 1));
    assert.equal(new Set(all.map(({ top }) => top)).size, 1, 'strips side by side');
    for (const [i, temperature] of temperatures.entries()) {
      const { bands, unsaid, named, label, height } = all[i];
      scope.feed([...scope.encode(FIRST), ...texts[i].ids.slice(0, step - 1)]);
      const { tokens } = scope.distribution({ temperature, top: scope.info.vocab_size });
      const survivors = tokens.filter(({ p, removed_by }) => removed_by === null && p > 0);
      const counts = bands.map(({ count }) => count);
      const sum = counts.reduce((total, count) => total + count, 0);
      assert.equal(sum, survivors.length, 'every token is named or counted');
      const silent = bands.filter(({ kind, said }) => kind === 'more' && said === '');
      assert.equal(
        unsaid,
        silent.reduce((total, { count }) => total + count, 0),
      );
      for (const { kind, said, name } of bands)
        if (said && kind === 'one') assert.ok(name.startsWith(said));
      let mass = 0;
      let at = 0;
      for (const { count, to } of bands) {
        mass += survivors.slice(at, at + count).reduce((total, { p }) => total + p, 0);
        at += count;
        assert.ok(Math.abs(to - mass) * height < 1, `a band ends at ${to}, not at ${mass}`);
      }
      const drawn = survivors.findIndex(({ id }) => id === texts[i].ids[step - 1]);
      const before = bands.findIndex(({ kind }) => kind === 'drawn');
      assert.equal(
        counts.slice(0, before).reduce((total, count) => total + count, 0),
        drawn,
      );
      assert.equal(named, survivors[drawn].text.trim());
      assert.ok(Math.abs(label - u) * height < 15, 'its name is on the needle');
    }
    assert.match(
      await range.getAttribute('aria-valuetext'),
      new RegExp(`^At token ${step}, u = 0\\.\\d{4}\\. A: .+; B: .+; C: .+$`),
    );
    assert.equal(await page.locator('logit-passage .at').count(), temperatures.length);
  }
  await until(() => page.url(), /compare_step=4/);
  assert.match(page.url(), /compare_step=4/);

  // A click on a token shows the step that drew it.
  await page.locator('[data-column="1"] logit-passage .t').nth(2).click();
  await until(() => range.inputValue(), '3');
  await page.setViewportSize({ width: 375, height: 812 });
  await settle(page);
  const places = await slices.evaluateAll((all) =>
    all.map((it) => it.querySelector('.strip').getBoundingClientRect().left),
  );
  assert.equal(new Set(places).size, 1);
  assert.deepEqual(complaints, []);
  await close();
});

test("the nine stand side by side, with the engine's tokens and figures", async () => {
  const { page, complaints, foreign, close } = await open();
  const expected = [];
  for (const strategy of NINE) expected.push(await write(strategy));
  for (const [i, { ids, figures }] of expected.entries()) {
    const column = page.locator(`[data-column="${i}"]`);
    assert.deepEqual(
      await until(
        () => idsIn(page, i),
        (got) => got.length >= ids.length,
      ),
      ids,
    );
    assert.equal(await figure(page, i, 'ttr'), figures.distinct_1.toFixed(2));
    assert.equal(await figure(page, i, 'distinct'), figures.distinct_2.toFixed(2));
    assert.equal(await figure(page, i, 'kept'), figures.mean_kept.toFixed(1));
    assert.equal(
      (await figure(page, i, 'surprisal')).trim(),
      `${figures.surprisal_raw.toFixed(2)} → ${figures.surprisal.toFixed(2)}`,
    );
    assert.equal(await figure(page, i, 'finish'), 'end token');
    const parts = divergence(expected[0].ids, ids);
    const marked = await column
      .locator('.t')
      .evaluateAll((tokens) =>
        tokens.findIndex((token) => token.previousElementSibling?.className === 'parts'),
      );
    assert.equal(marked, i === 0 || parts === null ? -1 : parts);
  }
  assert.ok(expected.some(({ ids }) => divergence(expected[0].ids, ids) !== null));
  assert.match(
    await page.locator('[data-column="1"] logit-passage').innerText(),
    /First differs from A at token \d+: “.+” instead of “.+”/,
  );
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});

long(
  'greedy and T = 0.01 give one text, with its smallest gap named; T = 100 differs',
  async () => {
    const { page, close } = await open();
    await choose(page, 'extremes');
    const gaps = page.locator('logit-compare .gaps');
    await gaps.waitFor();
    assert.deepEqual(await idsIn(page, 1), await idsIn(page, 0));
    assert.match(
      await gaps.innerText(),
      /the text is greedy’s.* smallest gap .* 0\.21, at token 6: “school” before “work”/s,
    );
    assert.match(await gaps.innerText(), /No gap is too small/);
    assert.notDeepEqual(await idsIn(page, 2), await idsIn(page, 0));

    // At T = 0.05, the gaps between the best two tokens are too small at some steps. The page must name each such step.
    await act(page.locator('[data-column="1"]'), 'edit');
    await type(page.locator('[data-column="1"] [data-name=temperature]'), '0.05');
    await until(() => gaps.innerText(), /too small for T = 0\.05/);
    const { ids } = await write({ settings: { temperature: 0 } });
    const close_ = [];
    const timeline = [...scope.encode(FIRST)];
    for (const [step, id] of ids.entries()) {
      scope.feed(timeline);
      if (scope.distribution({ temperature: 0.05 }).tokens[0].p < 0.999) close_.push(step + 1);
      timeline.push(id);
    }
    const named = await gaps.locator('li').allInnerTexts();
    assert.deepEqual(
      named.map((line) => Number(/^Token (\d+)/.exec(line)[1])),
      close_,
    );
    assert.ok(close_.length > 0);
    await close();
  },
);

long('with five texts at T = 0.05 the sentence gives the number of greedy ones', async () => {
  const { page, close } = await open({ suite: 'extremes' });
  const prompt = 'Tomorrow she';
  await page.locator('logit-compare #prompt').fill(prompt);
  await unfold(page);
  await type(page.locator('logit-compare [data-name=samples]'), '5');
  await act(page.locator('[data-row="1"]'), 'edit');
  await type(page.locator('[data-row="1"] [data-name=temperature]'), '0.05');
  const greedy = await write({ settings: { temperature: 0 } }, { prompt });
  const partings = [];
  for (let n = 0; n < 5; n++) {
    const cold = await write({ settings: { temperature: 0.05 } }, { prompt, seed: SEED + n });
    partings.push(divergence(greedy.ids, cold.ids));
  }
  const same = partings.filter((at) => at === null).length;
  assert.ok(same > 0 && same < 5);
  const first = Math.min(...partings.filter((at) => at !== null)) + 1;
  const said = page.locator('logit-compare .gaps p').first();
  const expected = `At T = 0.05, ${same} of 5 texts are greedy’s, token by token; the earliest parting is at token ${first}.`;
  const text = await until(
    () => said.innerText(),
    (shown) => shown.startsWith(expected),
  );
  assert.ok(text.startsWith(expected), text);
  await close();
});

long('white space that leads by a small gap is visible', async () => {
  const { page, close } = await open();
  await page.evaluate(() => {
    const strategies = [0, 0.05].map((temperature) => ({ settings: { temperature } }));
    const plan = { prompt: 'ROMEO:', max_new_tokens: 16, strategies };
    const element = document.createElement('logit-compare');
    document.body.prepend(Object.assign(element, { ...plan, model: 'models/shakespeare.gguf' }));
  });
  const alone = page.locator('body > logit-compare');
  const gaps = alone.locator('.gaps');
  await gaps.waitFor();
  assert.match(await gaps.innerText(), /Token 15: “␣” before “\.”/);
  await alone.evaluate((element) => element.remove());
  await close();
});

test('ten texts of eight settings, top_k-against-top_p of Day 27, fill a table of the engine’s spreads, with texts to unfold', async () => {
  const { page, close } = await open({ suite: 'e27.2' });
  await until(() => page.locator('logit-compare progress').evaluate((bar) => bar.max), 80);
  await finished(page);
  const suite = suites.find(({ name }) => name === 'e27.2');
  for (const [i, strategy] of sample([...suite.strategies.entries()], 3)) {
    const samples = [];
    for (let n = 0; n < 10; n++) samples.push(await write(strategy, { seed: SEED + n }));
    const spread = spreadOf(samples);
    const row = page.locator(`[data-row="${i}"]`);
    const cells = await row.locator('td.number').allInnerTexts();
    assert.deepEqual(cells.map((cell) => cell.trim()).slice(0, 5), [
      `${spread.different} of 10`,
      spread.distinct_2_within.toFixed(2),
      spread.distinct_2_between.toFixed(2),
      spread.edit_similarity.toFixed(2),
      spread.mean_kept.toFixed(1),
    ]);
  }
  assert.equal(await page.locator('logit-passage').count(), 0);
  await page.locator('logit-compare summary').nth(4).click();
  await page.locator('[data-row="4"] logit-passage').nth(9).waitFor();
  assert.equal(await page.locator('[data-row="4"] logit-passage').first().isVisible(), true);
  await close();
});

long('five completions at T = 0.01 give one text', async () => {
  const { page, close } = await open({ suite: 'e27.1' });
  const cell = page.locator('[data-row="1"] [data-figure=different]');
  assert.equal(
    await until(
      () => cell.innerText(),
      (text) => text !== '–',
    ),
    '1 of 5',
  );
  assert.equal(await page.locator('[data-row="1"] [data-figure=similarity]').innerText(), '1.00');
  await close();
});

test('a blind ranking by keyboard hides the settings until the user asks for them', async () => {
  const { page, close } = await open();
  await page.locator('#blind').click();
  const cards = page.locator('logit-ranking .card');
  await cards.first().waitFor();
  const shown = () => cards.evaluateAll((all) => all.map((card) => card.dataset.entry));
  const before = await shown();
  assert.ok(before.length >= 2 && before.length <= 9);
  const told = page.locator('logit-compare').getByText(/temperature 0\.5/);
  assert.equal(await told.count(), 0);
  assert.equal(await page.locator('logit-strategy').count(), 0);

  await cards.first().locator('[data-step="1"]').focus();
  await page.keyboard.press('Enter');
  assert.deepEqual(await shown(), [before[1], before[0], ...before.slice(2)]);
  await page.keyboard.press('ArrowUp');
  assert.deepEqual(await shown(), before);
  assert.match(
    await page.locator('logit-ranking [aria-live=polite]').innerText(),
    /Text 1 is now on rank 1/,
  );
  await page.keyboard.press('ArrowDown');

  await page.getByRole('button', { name: 'Show the settings' }).click();
  const rows = page.locator('logit-ranking tbody tr');
  assert.equal(await rows.count(), 9); // one row a strategy, also for strategies with equal texts
  assert.equal(await told.count(), 2);
  const ranks = await rows.locator('td:first-child').allInnerTexts();
  assert.deepEqual(
    [...new Set(ranks)],
    before.map((_, i) => String(i + 1)),
  );
  await close();
});

long('the seed decides the order of a blind ranking', async () => {
  const orders = [];
  for (const seed of ['7', '8', '7']) {
    const { page, close } = await open({ suite: 'extremes', more: `&compare_seed=${seed}` });
    await page.locator('#blind').click();
    await page.locator('logit-ranking .card').first().waitFor();
    orders.push(await page.locator('logit-ranking logit-passage .box').allInnerTexts());
    await close();
  }
  assert.deepEqual(orders[0], orders[2]);
  assert.notDeepEqual(orders[0], orders[1]);
  assert.ok(orders[0].every((text) => text.startsWith(FIRST)));
});

test('columns can be edited, added, removed and used in the bench', async () => {
  const { page, close } = await open({ suite: 'extremes' });
  await page.locator('logit-compare .gaps').waitFor();
  const column = page.locator('[data-column="2"]');
  await act(column, 'edit');
  await type(column.locator('[data-name=temperature]'), '1.5');
  await type(column.locator('[data-name=top_k]'), '2.5');
  assert.match(await column.locator('.error').innerText(), /must be a whole number, got 2\.5/);
  await type(column.locator('[data-name=top_k]'), '3');
  assert.equal(await column.locator('.error').innerText(), '');
  const settings = { temperature: 1.5, top_k: 3 };
  const { ids } = await write({ settings });
  const same = (got) => JSON.stringify(got) === JSON.stringify(ids);
  assert.deepEqual(await until(() => idsIn(page, 2), same), ids);

  await page.locator('[data-command=add]').click();
  await page.locator('[data-column="3"]').waitFor();
  assert.match(
    await page.locator('[data-column="3"] h3').innerText(),
    /temperature 0\.7, .*top-p 0\.9/,
  );
  const added = await write({
    settings: { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 },
  });
  assert.deepEqual(
    await until(
      () => idsIn(page, 3),
      (got) => got.length === added.ids.length,
    ),
    added.ids,
  );
  for (const left of [3, 2]) {
    await act(page.locator('[data-column="0"]'), 'remove');
    assert.equal(await page.locator('logit-strategy').count(), left);
  }
  const gone = page.locator('[data-column="0"] [data-action=remove]');
  assert.equal(await gone.evaluate(({ hidden }) => hidden), true, 'two are the least');

  await act(page.locator('[data-column="0"]'), 'adopt');
  await page.getByRole('tab', { name: 'Experiment', selected: true }).waitFor();
  const box = (name) => page.locator(`logit-knob[data-name=${name}] .box`);
  await until(() => box('temperature').inputValue(), '1.5');
  assert.equal(await box('top_k').inputValue(), '3');
  assert.equal(await box('top_p').inputValue(), '1');

  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.locator('[data-column="1"]').waitFor();
  assert.equal(await page.locator('logit-strategy').count(), 2, 'the columns are still there');
  await finished(page);
  await close();
});

test('a user’s own text is measured, and a refused one stays in its box', async () => {
  const { page, complaints, close } = await open();
  assert.equal(await page.locator('[data-command=add]').count(), 0, 'nine are the most');
  await page.locator('[data-command=give]').click();
  const column = page.locator('[data-column="9"]');
  const box = column.locator('textarea');
  await until(() => box.evaluate((it) => it.matches(':focus')), Boolean);
  await page.keyboard.type('walks home');
  await page.keyboard.press('Tab');
  const error = column.locator('#fault');
  const said = await until(
    () => error.innerText(),
    (text) => text !== '',
  );
  assert.match(said, /^This text cannot be read: .* walks"\.$/);
  assert.equal(await box.inputValue(), 'walks home', 'it is kept');

  await box.fill('will go to school');
  await box.press('Tab');
  const strategy = { kind: 'given', settings: {}, text: 'will go to school' };
  const { ids, figures } = await write(strategy);
  const same = (got) => JSON.stringify(got) === JSON.stringify(ids);
  assert.deepEqual(await until(() => idsIn(page, 9), same), ids);
  assert.equal(await error.innerText(), '');
  const measured = (text) => text.replace(/,/g, '').endsWith(figures.perplexity.toFixed(2));
  assert.ok(measured(await until(() => figure(page, 9, 'perplexity'), measured)));
  assert.equal(await column.locator('[data-action=adopt]').evaluate(({ hidden }) => hidden), true);
  assert.deepEqual(complaints, []);
  await close();
});

long('a user’s own text is ranked, removed and shown first like the nine', async () => {
  const { page, complaints, close } = await open();
  await page.locator('[data-command=give]').click();
  const column = page.locator('[data-column="9"]');
  const box = column.locator('textarea');
  await box.fill('will go to school');
  await box.press('Tab');
  await finished(page);
  await page.locator('#blind').click();
  await page.locator('[data-command=reveal]').click();
  const ranked = page.locator('logit-ranking tbody tr');
  assert.equal(await ranked.count(), 10);
  assert.equal(await ranked.filter({ hasText: 'text of your own' }).count(), 1);

  await page.locator('#blind').click();
  await act(column, 'remove');
  const give = page.locator('[data-command=give]');
  assert.ok(
    await until(() => give.evaluate((it) => it.matches(':focus')), Boolean),
    'the focus is kept',
  );
  await give.click();
  await box.fill('will go to school');
  await box.press('Tab');
  await act(column, 'lead');
  const parts = page.locator('[data-column="1"] logit-passage');
  assert.match(await until(() => parts.innerText(), Boolean), /First differs from A at token/);
  await unfold(page);
  await type(page.locator('logit-compare [data-name=samples]'), '2');
  const row = page.locator('[data-row="0"] [data-figure=different]');
  await until(() => row.innerText(), '1 of 1');
  assert.deepEqual(complaints, []);
  await close();
});

long('an empty text of the user is refused beside its box and not measured', async () => {
  const { page, complaints, close } = await open();
  await page.locator('[data-command=give]').click();
  const column = page.locator('[data-column="9"]');
  const said = column.locator('#fault');
  await said.waitFor();
  const empty = 'There is no text to measure: write or paste one.';
  assert.equal(await until(() => said.innerText(), Boolean), empty);
  for (const text of [' \n', 'walks home']) {
    await column.locator('textarea').fill(text);
    await column.locator('textarea').press('Tab');
    const mine = text.trim() ? /cannot be read/ : /no text to measure/;
    await until(() => said.innerText(), mine);
    await finished(page);
    const row = page.locator('logit-compare details.table tbody tr').nth(9);
    const shown = await row.locator('td').allTextContents();
    assert.deepEqual(new Set(shown), new Set(['–']), text);
    assert.equal(await page.locator('logit-compare progress').evaluate(({ max }) => max), 9);
  }
  await act(column, 'lead');
  await finished(page);
  const parts = page.locator('[data-column="1"] logit-passage');
  assert.doesNotMatch(await parts.innerText(), /The same tokens/);
  assert.deepEqual(complaints, []);
  await close();
});

test('the nine are also a table, and a file of the same numbers', async () => {
  const { page, close } = await open();
  await page.locator('logit-compare details.table summary').click();
  const rows = page.locator('logit-compare details.table tbody tr');
  assert.equal(await rows.count(), 9);
  const heads = await page.locator('logit-compare details.table th[scope=col]').allInnerTexts();
  assert.equal(heads[1], 'type-token ratio');
  const lines = [CSV_HEADS.join(',')];
  for (const [i, strategy] of NINE.entries()) {
    const { ids, figures: it } = await write(strategy);
    const cells = await rows.nth(i).locator('td').allInnerTexts();
    const [ttr, distinct, surprisal] = [it.distinct_1, it.distinct_2, it.surprisal];
    const bits = `${it.surprisal_raw.toFixed(2)} → ${surprisal.toFixed(2)}`;
    assert.deepEqual(cells.slice(0, 3), [ttr.toFixed(2), distinct.toFixed(2), bits]);
    const text = scope.decode(Uint32Array.from(ids.slice(0, -1)));
    const numbers = [it.tokens, it.distinct_1, it.distinct_2, it.surprisal_raw, it.surprisal];
    const more = [it.perplexity_raw, it.perplexity, it.mean_kept, '', '', ''];
    const name = strategy.name.includes(',') ? `"${strategy.name}"` : strategy.name;
    lines.push([name, SEED, ...numbers, ...more, 'eos', text].join(','));
  }
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('logit-compare [data-command=csv]').click(),
  ]);
  assert.equal(file.suggestedFilename(), 'verbs-compare-nine.csv');
  // Node and Chromium may have different versions of V8, in which the last bits of 2 ** x differ.
  const rounded = (text) => text.replace(/\d+\.\d{9,}/g, (it) => Number(it).toPrecision(14));
  const saved = join(temporaryFolder(), 'compare.csv');
  await file.saveAs(saved);
  const text = await readFile(saved, 'utf8');
  assert.equal(rounded(text), rounded(`${lines.join('\n')}\n`));
  await close();
});

test('the arrow keys read the numbers of a token', async () => {
  const { page, close } = await open();
  const passage = page.locator('[data-column="1"] logit-passage');
  await passage.locator('.box').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.match(
    await passage.locator('[aria-live]').innerText(),
    /^Token 2, .+ after the knobs, .+ before; [\d.]+ bits$/,
  );
  await close();
});

// A long test, since elements.test.js tests this element with its first example.
long('the element works alone in a lesson', async () => {
  const { page, close } = await open({ suite: 'extremes' });
  await page.evaluate(() => {
    const other = document.createElement('logit-compare');
    for (const [name, value] of Object.entries({
      model: 'models/verbs.gguf',
      prompt: 'Tomorrow she',
      suite: 'extremes',
      seed: '3',
      temperature: '0.6',
    }))
      other.setAttribute(name, value);
    document.body.prepend(other);
  });
  const alone = page.locator('body > logit-compare');
  await alone.locator('.gaps').waitFor();
  const ids = await alone
    .locator('[data-column="0"] .t')
    .evaluateAll((tokens) => tokens.map((token) => Number(token.dataset.id)));
  const expected = await write(
    { settings: { temperature: 0 } },
    { prompt: 'Tomorrow she', seed: 3 },
  );
  assert.deepEqual(ids, expected.ids);
  await alone.locator('[data-command=add]').click();
  assert.match(await alone.locator('[data-column="3"] h3').innerText(), /temperature 0\.6/);
  await alone.evaluate((element) => element.remove());
  await close();
});

long('a run can be stopped', async () => {
  // The texts are long, so that the run lasts until the click on Stop.
  const { page, complaints, close } = await open({ suite: 'extremes', model: 'stories' });
  await choose(page, 'e27.1');
  await unfold(page);
  await type(page.locator('logit-compare [data-name=max_new_tokens]'), '400');
  await type(page.locator('logit-compare [data-name=samples]'), '20');
  const most = () => page.locator('logit-compare progress').evaluate((bar) => bar.max);
  await until(most, 180);
  await page.locator('logit-compare [data-command=stop]').click();
  const progress = () => page.locator('logit-compare [role=status]').innerText();
  const stopped = await until(progress, (text) => text !== '');
  assert.match(stopped, /^\d+ of 180 texts$/);
  assert.notEqual(stopped, '180 of 180 texts');
  await settle(page);
  assert.equal(await progress(), stopped);
  assert.deepEqual(complaints, []);
  await close();
});

test('an outdated run is dropped: only the last prompt is written', async () => {
  const { page, complaints, close } = await open({ suite: 'extremes' });
  await unfold(page);
  await type(page.locator('logit-compare [data-name=samples]'), '1');
  await type(page.locator('logit-compare [data-name=max_new_tokens]'), '5');
  for (const prompt of ['Tomorrow she', 'Yesterday they', 'Every day he'])
    await page.locator('logit-compare #prompt').fill(prompt);
  const { ids } = await write(
    { settings: { temperature: 0 } },
    { prompt: 'Every day he', max_new_tokens: 5 },
  );
  const same = (got) => JSON.stringify(got) === JSON.stringify(ids);
  assert.deepEqual(await until(() => idsIn(page, 0), same), ids);

  await page.locator('logit-compare #prompt').fill('Tomorrow zebra');
  const alert = page.locator('logit-compare-controls #error');
  assert.match(await until(() => alert.innerText(), Boolean), /does not know “zebra”/);
  await page.locator('logit-compare #prompt').press('Enter');
  assert.equal(await page.locator('logit-compare #prompt').inputValue(), 'Tomorrow zebra');
  await page.locator('logit-compare #prompt').press('Shift+Enter');
  assert.equal(await page.locator('logit-compare #prompt').inputValue(), 'Tomorrow zebra\n');
  assert.deepEqual(complaints, []);
  await close();
});

long('another model writes its own texts from the same prompt', async () => {
  const { page, close } = await open({
    suite: 'extremes',
    more: '&compare_max_new_tokens=20',
  });
  const before = await idsIn(page, 0);
  await page
    .locator('logit-compare')
    .evaluate((element) => Object.assign(element, { model: 'stories' }));
  const stories = await Logitscope.load({ model: join(root, 'models/stories.gguf') });
  const steps = [];
  const plan = { prompt: FIRST, seed: SEED, max_new_tokens: 20 };
  for await (const step of run(stories, stories, { settings: { temperature: 0 } }, plan))
    steps.push(step);
  const expected = steps.map(({ id }) => id);
  assert.notDeepEqual(before, expected);
  const same = (got) => JSON.stringify(got) === JSON.stringify(expected);
  assert.deepEqual(await until(() => idsIn(page, 0), same), expected);
  await page
    .locator('logit-compare')
    .evaluate((element) => Object.assign(element, { model: 'verbs' }) && undefined);
  await settle(page);
  await Promise.all([stories.close(), close()]);
});

const LOOKS = [
  ['en', 'light', 1440],
  ['es', 'dark', 375],
];
const LOOKED = sample(LOOKS, 1);
/** States that axe checks here. axe.test.js checks the initial view in every appearance. */
const SAMPLE = sample(
  LOOKED.flatMap(([lang]) => ['columns', 'table', 'blind'].map((what) => `${lang} ${what}`)),
  1,
);

// Long tests, since axe.test.js also checks this view and reflow.test.js its width.
for (const [lang, colorScheme, width] of LOOKED) {
  long(
    `axe finds nothing, and nothing is cut off: ${lang}, ${colorScheme}, ${width} px`,
    async () => {
      const { page, close } = await open({
        lang,
        colorScheme,
        viewport: { width, height: 900 },
      });
      const check = async (what) => {
        if (SAMPLE.includes(`${lang} ${what}`)) assert.deepEqual(await axe(page), [], what);
        assert.ok(
          await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
          what,
        );
      };
      await act(page.locator('[data-column="0"]'), 'edit');
      await type(page.locator('[data-column="0"] [data-name=top_p]'), '7');
      await check('columns');
      await choose(page, 'e27.1');
      await page.locator('logit-compare .gaps').waitFor();
      await page.locator('logit-compare summary').first().click();
      await check('table');
      await page.locator('#blind').click();
      await page.locator('[data-command=reveal]').click();
      await check('blind');
      await close();
    },
  );
}

long('a passage that no model read stands beside its continuations, with its credit', async () => {
  const { page, complaints, close } = await open({
    suite: 'temperatures',
    model: 'stories',
  });
  const passage = page.locator('logit-compare #passage');
  const credit = page.locator('logit-compare .credit');
  await unfold(page);
  assert.match(await page.locator('logit-compare #about').first().innerText(), /Its beginning/);
  await passage.selectOption('king');
  const { text } = PASSAGES.stories.find(({ id }) => id === 'king');
  const boxes = page.locator('logit-compare .columns logit-passage .box');
  const given = async () =>
    (await boxes.last().textContent()).replace('≠', '').replace(/\s+/g, ' ');
  const whole = `… ${text}`;
  await until(given, whole);
  assert.match(await credit.innerText(), /Parismita, .*Pratham Books, CC BY 4\.0/);
  const name = page.locator('logit-compare logit-strategy h3').last();
  assert.match(await name.innerText(), /Fat King Thin Dog$/);
  // When the user chooses another passage, it replaces the text of the first one. The strategies stay.
  const columns = await boxes.count();
  await passage.selectOption('goat');
  await until(given, /asked them to pay their fares/);
  assert.equal(await boxes.count(), columns);
  assert.match(await credit.innerText(), /Fabian Wakholi/);
  await page.locator('logit-compare #prompt').fill('Lily wanted to');
  await until(() => credit.innerText(), '');
  assert.deepEqual(complaints, []);
  await close();
});
