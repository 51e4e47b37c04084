/**
 * Tests links: a link contains the choices of its view and restores them. The page names parts that no link can
 * contain.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { LONG, long, sample } from '../long.js';
import { openBench, root, settle, showView, START, unfoldStages, until } from './bench.js';

const bench = closed(await openBench());

const hashOf = (page) => page.evaluate(() => decodeURIComponent(location.hash));
const hashWith = (page, words) =>
  until(
    () => hashOf(page),
    (hash) => words.every((w) => hash.includes(w)),
  );
const openAt = (path, options) =>
  bench.open({ path: `?lang=en&model=verbs${path}`, ready: false, ...options });
/** Opens a view from the bench. Every test starts at the same address, so the tests share one page. */
async function openView(view) {
  const opened = await openAt(START);
  const { page } = opened;
  await showView(page, view);
  return {
    ...opened,
    async close() {
      await page.locator('[data-view=bench]').click();
      await settle(page);
      await opened.close();
    },
  };
}
const alert = (page) => page.locator('logit-scope .said[role=alert] p');

/**
 * Opens the present address of a page in a new document, or, if `fresh` is false, perhaps in a page already used.
 */
async function reopened(page, fresh = true) {
  const { pathname, search, hash } = new URL(page.url());
  const path = `${pathname.replace(/^.*\//, '')}${search}${hash}`;
  return bench.open({ path, ready: false, fresh });
}

long('the link holds the comparison: suite, strategies, seed, blind', async () => {
  const { page, complaints, close } = await openView('compare');
  const suite = (of) => of.locator('logit-compare #suite').inputValue();
  await page.locator('logit-compare #suite').selectOption('extremes');
  await page.locator('logit-compare #settings').click();
  await page.locator('logit-compare .gaps').waitFor();
  await hashWith(page, ['compare_suite=extremes']);
  const seed = page.locator('logit-compare [data-name=seed]');
  await seed.fill('7');
  await seed.press('Enter');
  await hashWith(page, ['compare_suite=extremes', 'compare_seed=7']);
  assert.equal(await suite(page), 'extremes');
  if (LONG) {
    // Only in long runs, since compare.test.js opens many addresses that contain compare_suite.
    const again = await reopened(page);
    await again.page.locator('logit-compare .gaps').waitFor();
    assert.equal(await suite(again.page), 'extremes');
    assert.equal(await again.page.locator('logit-compare [data-name=seed]').inputValue(), '7');
    await again.close();
  }

  await page.locator('[data-column="0"] .dots').click();
  await page.locator('[data-column="0"] [data-action=remove]').click();
  const titles = (of) => of.locator('logit-strategy h3 span:last-child').allInnerTexts();
  const shown = await until(
    () => titles(page),
    (all) => all.length === 2,
  );
  await hashWith(page, ['compare_strategies=']);
  await page.locator('#blind').click();
  await hashWith(page, ['compare_strategies=', 'compare_blind=true']);
  const blind = await reopened(page);
  await blind.page.locator('logit-ranking .card').nth(1).waitFor();
  await blind.page.locator('#blind').click();
  await blind.page.locator('logit-strategy').nth(1).waitFor();
  assert.deepEqual(await titles(blind.page), shown);
  assert.equal(await blind.page.locator('logit-compare [data-name=seed]').inputValue(), '7');
  assert.deepEqual(blind.complaints, []);
  await blind.close();

  await page.goBack();
  await page.goBack();
  assert.equal(
    (
      await until(
        () => titles(page),
        (all) => all.length === 3,
      )
    ).length,
    3,
  );
  await page.locator('[data-view=bench]').click();
  assert.doesNotMatch(
    await until(
      () => hashOf(page),
      (hash) => !hash.includes('compare_'),
    ),
    /compare_/,
  );
  assert.deepEqual(complaints, []);
  await close();
});

long('the link holds the chart of the bench and the conventions side by side', async () => {
  const { page, complaints, close } = await openAt(START);
  await page.locator('logit-distribution').getByRole('tab', { name: 'Cumulative' }).click();
  await unfoldStages(page);
  await page.locator('logit-chain details[data-beside] summary').click();
  await page.locator('logit-conventions select[data-side="1"]').selectOption('llama2.c');
  await hashWith(page, ['bench_chart=cumulative', 'bench_conventions=transformers,llama2.c']);
  const again = await reopened(page);
  await again.page.locator('logit-conventions table').waitFor();
  assert.equal(
    await again.page.locator('logit-conventions select[data-side="1"]').inputValue(),
    'llama2.c',
  );
  const chart = again.page.locator('logit-distribution').getByRole('tab', { selected: true });
  assert.equal(await chart.innerText(), 'Cumulative');
  await hashWith(again.page, ['bench_conventions=transformers,llama2.c']);
  assert.deepEqual(again.complaints, []);
  await again.close();
  assert.deepEqual(complaints, []);
  await close();
});

long('the link also holds the chart and the conventions over given logits', async () => {
  const { page, complaints, close } = await openView('logits');
  const own = (of) => of.locator('logit-logits');
  await own(page).locator('logit-knob[data-name=temperature] .box').fill('0.5');
  await page.keyboard.press('Enter');
  await own(page).locator('logit-distribution').getByRole('tab', { name: 'Cumulative' }).click();
  await unfoldStages(own(page));
  await own(page).locator('logit-chain details[data-beside] summary').click();
  await hashWith(page, ['logits_conventions=transformers,llama.cpp']);
  await own(page).locator('logit-conventions select[data-side="1"]').selectOption('llama2.c');
  const parts = [
    'logits_chart=cumulative',
    'logits_conventions=transformers,llama2.c',
    'logits_settings=',
  ];
  await hashWith(page, parts);
  const again = await reopened(page);
  await own(again.page).locator('logit-conventions table').waitFor();
  const other = own(again.page).locator('logit-conventions select[data-side="1"]');
  assert.equal(await other.inputValue(), 'llama2.c');
  const chart = own(again.page).locator('logit-distribution').getByRole('tab', { selected: true });
  assert.equal(await chart.innerText(), 'Cumulative');
  await hashWith(again.page, parts);
  assert.deepEqual(again.complaints, []);
  await again.close();
  await page.goBack();
  await until(
    () => hashOf(page),
    (hash) => !hash.includes('logits_conventions=transformers,llama2.c'),
  );
  await until(
    () => own(page).locator('logit-conventions select[data-side="1"]').inputValue(),
    'llama.cpp',
  );
  assert.deepEqual(complaints, []);
  await close();
});

long('the link holds the sweep with its texts; a figure that was computed is kept', async () => {
  const { page, complaints, close } = await openView('sweep');
  const view = page.locator('logit-sweep');
  const choose = (name) => view.locator(`input[value=${name}]`).check({ force: true });
  const title = (of) => of.locator('logit-sweep h3').innerText();
  await view.locator('input[value=penalty]').waitFor({ state: 'attached' });
  await view.locator('#change').click();
  await choose('penalty');
  for (const [id, text] of [
    ['first-to', '1.2'],
    ['samples', '2'],
  ]) {
    await view.locator(`#${id}`).fill(text);
    await view.locator(`#${id}`).press('Enter');
  }
  await hashWith(page, [
    'sweep_figure=penalty',
    'sweep_first=repetition_penalty:1:1.2:0.1',
    'sweep_samples=2',
  ]);
  assert.doesNotMatch(await hashOf(page), /sweep_texts/);
  await view.locator('[data-command=run]').click();
  const rows = () => view.locator('tbody tr').count();
  await until(rows, 3);
  await hashWith(page, ['sweep_texts=true']);
  const ran = await title(page);
  const again = await reopened(page);
  const there = again.page.locator('logit-sweep');
  await until(() => there.locator('tbody tr').count(), 3);
  assert.equal(await title(again.page), ran);
  assert.match(await there.locator('.shown').innerText(), /, 2 texts each$/);
  assert.deepEqual(again.complaints, []);
  await again.close();

  await choose('map');
  await view.locator('#measure').selectOption('nucleus');
  await hashWith(page, ['sweep_figure=map', 'sweep_measure=nucleus']);
  await choose('penalty');
  await until(() => title(page), ran);
  assert.equal(await rows(), 3);
  assert.equal(await view.locator('#first-to').inputValue(), '1.2');
  await page.locator('[data-view=bench]').click();
  await page.locator('[data-view=sweep]').click();
  await until(() => title(page), ran);
  await choose('map');
  await until(() => view.locator('#measure').inputValue(), 'nucleus');
  assert.deepEqual(complaints, []);
  await close();
});

long('the link holds pasted logits, a pasted text and the knobs over them', async () => {
  const { page, complaints, close } = await openAt('&view=logits');
  const own = page.locator('logit-logits');
  await own.locator('#logits').fill('cat: 2.5\ndog: 1\n a&b=#%: -0.5');
  await own.locator('logit-knob[data-name=top_k] .box').fill('2');
  await page.keyboard.press('Enter');
  await hashWith(page, ['logits_pasted=cat: 2.5', 'logits_settings={"top_k":2}']);
  const shares = (of) =>
    of
      .locator('logit-logits logit-distribution .row')
      .evaluateAll((all) => all.map(({ dataset }) => [dataset.id, dataset.p, dataset.removedBy]));
  const bars = await until(
    () => shares(page),
    (all) => all[2]?.[2] === 'top_k',
  );
  const again = await reopened(page);
  assert.deepEqual(
    await until(
      () => shares(again.page),
      (all) => JSON.stringify(all) === JSON.stringify(bars),
    ),
    bars,
  );
  assert.equal(
    await again.page.locator('logit-logits #logits').inputValue(),
    'cat: 2.5\ndog: 1\n a&b=#%: -0.5',
  );
  assert.equal(
    await again.page.locator('logit-logits logit-knob[data-name=top_k] .box').inputValue(),
    '2',
  );
  assert.deepEqual(again.complaints, []);
  await again.close();

  await own.locator('[data-source=bigram]').click();
  await own.locator('#by').selectOption('characters');
  await own.locator('#text').fill('abababac');
  for (let i = 2; i < 5; i++) {
    await own.locator('[data-command=write]').click();
    await until(
      () => own.locator('.written').innerText(),
      ({ length }) => length === i,
    );
  }
  const written = await own.locator('.written').innerText();
  await hashWith(page, ['logits_source=bigram', 'logits_by=characters', 'logits_text=abababac']);
  await until(() => hashOf(page), /logits_context=\d+(,\d+){3}(&|$)/);
  const table = await reopened(page);
  await until(() => table.page.locator('logit-logits .written').innerText(), written);
  await table.close();

  // If a text is too long for a link, the page still uses it. The panel for sending says that the link does not
  // contain it.
  await own.locator('#text').fill('ab '.repeat(1334));
  assert.doesNotMatch(
    await until(
      () => hashOf(page),
      (hash) => !hash.includes('logits_text'),
    ),
    /logits_text/,
  );
  await page.locator('[data-command=share]').click();
  assert.equal(
    await page.locator('logit-send .left[role=alert]').innerText(),
    'Too long for a link and left out: the text (at most 4,000 characters).',
  );
  assert.deepEqual(complaints, []);
  await close();
});

long('the link repeats the measurements of the cost view', async () => {
  const { page, close } = await openView('cost');
  await page.locator('logit-cost [data-run=steps][aria-disabled=false]').click();
  await hashWith(page, ['cost_measured=steps']);
  const again = await reopened(page);
  await again.page.locator('logit-cost .walk').waitFor();
  assert.deepEqual(again.complaints, []);
  await again.close();
  await close();
});

test('a view’s choice out of bounds is dropped and named', async () => {
  const { page, complaints, close } = await openAt(
    `&view=compare#prompt=Today%20she&seed=5&compare_suite=ten&compare_samples=21&compare_strategies=[{"settings":{"top_p":2}}]&sweep_first=nonsense:0:1:0.1`,
  );
  await page.locator('logit-strategy').nth(2).waitFor();
  const said = await alert(page).innerText();
  assert.match(
    said,
    /^4 parts were left out: compare_suite=ten \(cannot be read\), compare_samples=21 \(must be between 1 and 20\), /,
  );
  assert.match(
    said,
    /compare_strategies=.* \(must be between 0 and 1\), and sweep_first=nonsense:0:1:0.1 \(cannot be read\)\.$/,
  );
  assert.equal(await page.locator('logit-scope').evaluate((e) => e.state.seed), 5);
  assert.deepEqual(complaints, []);
  await close();
});

// models.test.js tests models that such an address can open.
long('an address without a model, or with a foreign one, says so and opens the first', async () => {
  for (const [model, sentence] of [
    ['', 'One part was left out: model= (cannot be read).'],
    [
      'https://elsewhere.example/x.gguf',
      'One part was left out: model=https://elsewhere.example/x.gguf (this page may not fetch from there: download the file and open it from disk).',
    ],
  ]) {
    const { page, foreign, close } = await bench.open({
      path: `?lang=en&model=${encodeURIComponent(model)}`,
    });
    assert.equal(await alert(page).innerText(), sentence);
    assert.equal(await page.locator('logit-scope').evaluate((e) => e.source), 'stories');
    assert.deepEqual(foreign, []);
    await close();
  }
});

long('no link holds a user’s own file, and the panel for sending says so', async () => {
  const { page, close } = await bench.open({
    path: '?lang=en&model=verbs#prompt=Today%20she&branch=29',
  });
  const model = {
    name: 'mine.gguf',
    mimeType: '',
    buffer: await readFile(join(root, 'models/shakespeare.gguf')),
  };
  await page.setInputFiles('logit-sheet input[type=file]', model);
  await until(
    () => page.url(),
    (url) => !url.includes('model='),
  );
  await page.locator('[data-command=step]').click();
  await until(() => page.locator('logit-text .step').count(), 1);
  await page.locator('[data-command=share]').click();
  const link = new URL(await page.locator('logit-send #link').inputValue());
  assert.equal(link.searchParams.get('model'), null);
  assert.doesNotMatch(link.hash, /branch/);
  assert.equal(
    await page.locator('logit-send .left[role=alert]').innerText(),
    'The model on show was opened from a file, which no link can carry: the link opens stories: English tales, with the same prompt and settings.',
  );
  await close();
});

long(
  'a first visit to another view opens that view, and the tour asked for at the foot begins at the head',
  async () => {
    const { page, complaints, close } = await openAt('&view=compare', {
      first: true,
      viewport: { width: 1200, height: 500 },
    });
    await page.locator('logit-strategy').first().waitFor();
    assert.equal(await page.locator('logit-scope').evaluate((e) => e.view), 'compare');
    assert.equal(await page.locator('logit-guide').count(), 0);

    await page.locator('[data-guide=show]').click();
    await page.locator('logit-guide').waitFor();
    const top = () => page.locator('logit-guide').evaluate((e) => e.getBoundingClientRect().top);
    const inSight = (y) => y >= 0 && y < 500;
    assert.ok(inSight(await until(top, inSight)), `the look around begins at ${await top()}`);
    assert.equal(await page.locator('logit-scope').evaluate((e) => e.view), 'landscape');
    await page.locator('logit-guide [data-guide=skip]').click();
    assert.equal(await page.locator('logit-guide').count(), 0);
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => scrollY), 0, 'the page is not left at its foot');
    assert.deepEqual(complaints, []);
    await close();
  },
);

// A long test: models.test.js sets, refuses and links the context in its box.
long('the context has a number box, is in the link, and is refused in one sentence', async () => {
  const languages = [
    ['en', 'context must be between 1 and 32, got 33; it stays at 8.'],
    ['es', 'contexto: tiene que estar entre 1 y 32 y es 33; se queda en 8.'],
  ];
  for (const [lang, sentence] of sample(languages, 1)) {
    const { page, complaints, close } = await openAt('', {
      path: `?lang=${lang}&model=verbs#prompt=Tomorrow%20she%20will&temperature=0&branch=9,2`,
    });
    const box = (of) => of.locator('logit-sheet logit-context input');
    const openSheet = (of) => of.locator('logit-model #model').click();
    const drawn = (of) => of.locator('logit-text .step').allInnerTexts();
    await page.locator('logit-text .step').nth(1).waitFor();
    const steps = await drawn(page);
    await openSheet(page);
    assert.equal(await box(page).inputValue(), '32');
    await box(page).fill('8');
    await box(page).press('Enter');
    await page.waitForURL((url) => url.searchParams.get('context') === '8');
    await until(() => drawn(page), steps);
    await box(page).fill('33');
    await box(page).press('Enter');
    const alert = page.locator('logit-context [role=alert]');
    assert.equal(await until(() => alert.innerText(), Boolean), sentence);
    assert.equal(new URL(page.url()).searchParams.get('context'), '8');
    const again = await reopened(page);
    await again.page.locator('logit-text .step').nth(1).waitFor();
    await openSheet(again.page);
    assert.equal(await box(again.page).inputValue(), '8');
    await until(() => drawn(again.page), steps);
    const scope = again.page.locator('logit-scope');
    assert.equal(await scope.evaluate(({ info }) => info.context_length), 8);
    await again.page.locator('logit-sheet [data-view=cost]').click();
    const cost = again.page.locator('logit-cost');
    await until(() => cost.evaluate(({ engine }) => engine?.info?.context_length), Boolean);
    assert.equal(await cost.evaluate(({ engine }) => engine.info.context_length), 8);
    assert.deepEqual(again.complaints, []);
    await again.close();
    await page.goBack();
    await until(() => box(page).inputValue(), '32');
    assert.equal(await box(page).inputValue(), '32');
    assert.deepEqual(complaints, []);
    await close();
  }
});

// A long test: the test above covers an invalid context in the text box, address.test.js other invalid parts of an
// address.
long('an invalid context is named, and the model opens with its default', async () => {
  const { page, close } = await openAt('&context=none');
  assert.match(await alert(page).innerText(), /context=none \(cannot be read\)/);
  assert.equal(await page.locator('logit-context input').inputValue(), '32');
  await close();
});
