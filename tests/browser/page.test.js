/** Tests the page of the built site with real keys and mouse. Its numbers must equal those of the engine in Node. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { LONG, long, sample } from '../long.js';
import {
  FIRST,
  START,
  expectTrace,
  loadReference,
  modelFacts,
  openBench,
  readBars,
  settle,
  showView,
  until,
  unfoldDraw,
} from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

const BALANCED = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };

/** Opens the page with its usual settings. */
const open = (options) => bench.open({ path: `?lang=en${START}`, ...options });

/** Waits until the bars equal, bit for bit, the engine's probabilities for a text and its settings. */
function expectBars(page, text, settings) {
  scope.feed(typeof text === 'string' ? scope.encode(text) : text);
  return expectTrace(page, scope.distribution(settings));
}

const knob = (page, name) => page.locator(`logit-knob[data-name=${name}]`);

async function type(page, name, text) {
  const box = knob(page, name).locator('.box');
  await box.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

const texts = (page) =>
  page
    .locator('logit-text .step [data-place]')
    .evaluateAll((buttons) => buttons.map((b) => Number(b.dataset.id)));

test('the page loads completely from its own origin and logs no complaint', async () => {
  const { page, complaints, foreign, close } = await bench.open({ path: '?lang=en#temperature=1' });
  await expectBars(page, FIRST, {});
  assert.match(await modelFacts(page), /64 tokens/);
  assert.equal(await page.title(), 'Experiment · Logitscope');
  await page.locator('[data-command=run]').click();
  await page.locator('.verdict[data-right]').waitFor();
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  await close();
});

long(
  "the title describes the current state in the page's language and adds no history entry",
  async () => {
    const { page, close } = await open();
    const title = (/** @type {string} */ wanted) => until(() => page.title(), wanted);
    await title('Experiment: temperature 0.7, top-p 0.9, repetition penalty 1.1 · Logitscope');
    await page.locator('#tab-landscape').click();
    await title('Temperature 0.7 · Logitscope');
    const knob = page.locator('logit-landscape .handle.knob');
    const before = await page.evaluate(() => history.length);
    for (let i = 0; i < 5; i++) await knob.press('ArrowRight');
    await title('Temperature 0.95 · Logitscope');
    await page.locator('logit-landscape [data-knob=top_p]').click();
    await title('Top-p 0.9 · Logitscope');
    assert.ok((await page.evaluate(() => history.length)) <= before + 1);
    await page.locator('#tab-compare').click();
    await title('Compare: T = 0, 1, 100 · Logitscope');
    await page.getByRole('button', { name: 'Language and colours' }).click();
    await page.getByRole('radio', { name: 'Español' }).check();
    await title('Comparar: T = 0, 1, 100 · Logitscope');
    await page.goto(
      page.url().replace('lang=en', 'lang=es').replace('&view=compare', '&view=landscape'),
    );
    await title('Temperatura 0,95 · Logitscope');
    await close();
  },
);

test('the distribution takes the largest part of the width; in a narrow window the text comes first and stays in sight', async () => {
  const { page, close } = await bench.open({ path: '?lang=en#seed=42', fresh: true });
  const chart = page.locator('logit-distribution');
  const { width } = await chart.boundingBox();
  assert.ok(width >= 0.45 * 1440, `${width} px`);
  const knobs = page.locator('logit-knob[data-name=temperature] [type=range]');
  for (const [w, h] of [
    [375, 812],
    [768, 1024],
    [640, 480],
    [320, 480],
  ]) {
    await page.setViewportSize({ width: w, height: h });
    const sight = () =>
      page.evaluate(() => {
        const { shadowRoot } = document
          .querySelector('logit-scope')
          .renderRoot.querySelector('logit-bench');
        const inner = shadowRoot.querySelector('logit-distribution').shadowRoot;
        const part = (name) => shadowRoot.querySelector(name).getBoundingClientRect();
        const { top: dock } = part('logit-chain');
        // In a low window the bars are below the window's end: the test scrolls until they are between the text and
        // the knob.
        if (innerHeight < 600) scrollTo(0, scrollY + part('logit-distribution').top - 140);
        const { bottom: text } = part('logit-text');
        const bottoms = [...inner.querySelectorAll('.row')]
          .map((row) => row.getBoundingClientRect())
          .filter(({ top }) => top >= text)
          .map(({ bottom }) => bottom);
        const order = [...shadowRoot.querySelectorAll('.bench > .panel')].map(
          ({ localName }) => localName,
        );
        return { bars: bottoms.filter((bottom) => bottom <= dock).length, order: order.join() };
      });
    const found = await until(sight, ({ bars }) => bars >= 3);
    assert.ok(found.bars >= 3, `${found.bars} bars over the knobs at ${w} x ${h}`);
    assert.equal(found.order, 'logit-text,logit-distribution,logit-chain,logit-draw');
    // The panels move only in the frames after the window has changed its size.
    const within = ({ y, height }) => y > 0 && y + height <= h;
    await until(() => page.locator('[data-command=step]').boundingBox(), within);
    await until(() => knobs.boundingBox(), within);
  }
  await close();
});

/** Opens the page in a window of the given size and counts the visible bars. */
const testSight = (declare, where, width, height, path, rows) =>
  declare(`bars and temperature are in sight together from the start: ${where}`, async () => {
    const { page, close } = await bench.open({ path, viewport: { width, height } });
    const sight = (locator) =>
      locator.evaluateAll(
        (all) =>
          all.filter((element) => {
            const { top, bottom, right, height } = element.getBoundingClientRect();
            return height > 0 && top >= 0 && bottom <= innerHeight && right <= innerWidth;
          }).length,
      );
    const found = await until(
      () => sight(page.locator('logit-distribution .row')),
      (seen) => seen >= rows,
    );
    assert.ok(found >= rows, `${found} rows`);
    assert.equal(await sight(knob(page, 'temperature').locator('[type=range]')), 1);
    await close();
  });

testSight(long, 'a laptop', 1440, 900, `?lang=en${START}&seed=42`, 20);
testSight(long, 'a small laptop', 1280, 800, `?lang=en${START}`, 15);

const testHead = (declare, lang, path) =>
  declare(
    `the head is one row, on a phone it and the views take 100 px at most: ${lang}`,
    async () => {
      const { page, close } = await bench.open({ path });
      for (const [width, most] of [
        [320, 100],
        [375, 100],
        [1024, 60],
        [1440, 60],
        [2560, 70],
      ]) {
        await page.setViewportSize({ width, height: 800 });
        const bottom = () =>
          page
            .locator('logit-scope .top')
            .first()
            .evaluate((it) => it.getBoundingClientRect().bottom);
        const found = await until(bottom, (at) => at <= most);
        assert.ok(found <= most, `${found} px at ${width} px`);
      }
      await close();
    },
  );

testHead(long, 'en', `?lang=en${START}&seed=42`);

test('the print has the text, the chart, the knobs and the address, on white', async () => {
  const { page, close } = await open({ colorScheme: 'dark' });
  await page.locator('[data-command=step]').click();
  await settle(page);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const shown = (selector) => page.locator(selector).first().isVisible();
  for (const part of ['logit-tape', 'logit-distribution .chart', 'logit-knob'])
    assert.equal(await shown(part), true, part);
  for (const part of ['[role=tablist]', '[data-command=step]', 'footer', 'logit-draw', '.folds'])
    assert.equal(await shown(part), false, part);
  const [address, scheme] = await page.evaluate(() => [
    getComputedStyle(document.body, '::after').content,
    getComputedStyle(document.documentElement).colorScheme,
  ]);
  assert.match(address, /#prompt=Today%20she&.*branch=\d+/);
  assert.equal(scheme, 'light');
  await page.emulateMedia({ media: 'screen' });
  await close();
});

long(
  'the layout of the panels follows the width of the instrument, not of the window',
  async () => {
    const { page, close } = await open();
    const columns = async (width) => {
      await page.evaluate((w) => (document.querySelector('main').style.maxWidth = `${w}px`), width);
      const places = () =>
        page
          .locator('logit-scope .bench > .panel')
          .evaluateAll((all) => all.map((panel) => panel.getBoundingClientRect().x));
      const count = async () => new Set((await places()).map(Math.round)).size;
      const wanted = { 700: 1, 1050: 2, 1400: 2 }[width];
      await until(count, wanted);
    };
    for (const width of [1400, 1050, 700]) await columns(width);
    await page.evaluate(() => (document.querySelector('main').style.maxWidth = ''));
    await close();
  },
);

test("a typed prompt shows the engine's own distribution after it", async () => {
  const { page, close } = await open();
  await page.locator('#prompt').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Yesterday they');
  await expectBars(page, 'Yesterday they', BALANCED);
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('button', { name: 'Every day he' }).click();
  await expectBars(page, 'Every day he', BALANCED);
  assert.equal(await page.locator('#prompt').inputValue(), 'Every day he');
  await close();
});

test('number boxes take every value that the engine accepts, also beyond the slider', async () => {
  const { page, close } = await open();
  const settings = { ...BALANCED };
  const typed = /** @type {const} */ ([
    ['temperature', '12.5', 12.5],
    ['top_k', '7', 7],
    ['top_p', '.85', 0.85],
    ['repetition_penalty', '0.25', 0.25],
    ['temperature', '1e-3', 0.001],
  ]);
  for (const [name, text, value] of sample(typed, 3)) {
    await type(page, name, text);
    settings[name] = value;
    await expectBars(page, FIRST, settings);
  }
  await close();
});

test('sliders follow keys and mouse', async () => {
  const { page, close } = await open();
  const slider = knob(page, 'top_k').getByRole('slider');
  await slider.focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  await expectBars(page, FIRST, { ...BALANCED, top_k: 5 });
  assert.equal(await slider.getAttribute('aria-valuetext'), '5');

  const heat = knob(page, 'temperature').getByRole('slider');
  const { x, y, width, height } = await heat.boundingBox();
  await page.mouse.move(x + width * 0.24, y + height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 12; i++)
    await page.mouse.move(x + width * (0.24 + 0.04 * i), y + height / 2);
  await page.mouse.up();
  const temperature = Number(await heat.inputValue());
  assert.ok(temperature > 1.5, `dragged to ${temperature}`);
  assert.equal(await knob(page, 'temperature').locator('.box').inputValue(), String(temperature));
  await expectBars(page, FIRST, { ...BALANCED, top_k: 5, temperature });
  await close();
});

test('temperature 0 is reachable and is called greedy', async () => {
  const { page, close } = await open();
  const slider = knob(page, 'temperature').getByRole('slider');
  await slider.focus();
  await page.keyboard.press('Home');
  await expectBars(page, FIRST, { ...BALANCED, temperature: 0 });
  assert.equal(await slider.getAttribute('aria-valuetext'), '0, greedy');
  for (const name of ['temperature', 'top_p']) {
    await page.locator(`li.card[data-stage=${name}]`).hover();
    await page.locator(`[data-more=${name}]`).click();
  }
  assert.match(await page.locator('[data-stage=temperature] .did').innerText(), /^Greedy/);
  assert.match(
    await page.locator('[data-stage=top_p] .did').innerText(),
    /^Does nothing: temperature has already removed/,
  );
  assert.equal(await page.locator('[data-readout=kept] dd').first().innerText(), '1 of 64');
  await close();
});

test('presets set every knob, and the knobs show a user’s own values', async () => {
  const { page, close } = await open();
  const select = page.locator('#preset');
  await select.selectOption({ label: 'Greedy: always the best' });
  await expectBars(page, FIRST, { temperature: 0 });
  await select.selectOption({ label: 'top-p 0.9, penalty 1.2' });
  await expectBars(page, FIRST, { top_p: 0.9, repetition_penalty: 1.2 });
  await select.selectOption({ label: 'Plain: the model as it is' });
  await expectBars(page, FIRST, {});
  await type(page, 'top_k', '3');
  await until(() => select.inputValue(), '');
  assert.equal(await page.locator('logit-chain').locator('option[value^=strategy]').count(), 8);
  await close();
});

test('bad input gives one sentence beside its control and changes nothing', async () => {
  const { page, complaints, close } = await open();
  const cases = [
    ['temperature', 'hot', 'Temperature must be a number, got “hot”; it stays at 0.7.'],
    ['temperature', '-1', 'Temperature must be 0 or more, got -1; it stays at 0.7.'],
    ['temperature', '', 'Temperature needs a number; it stays at 0.7.'],
    ['top_p', '1.5', 'Top-p must be between 0 and 1, got 1.5; it stays at 0.9.'],
    ['top_k', '2.5', 'Top-k must be a whole number, got 2.5; it stays at 0.'],
    [
      'repetition_penalty',
      '0',
      'Repetition penalty must be greater than 0, got 0; it stays at 1.1.',
    ],
    [
      'repetition_penalty',
      'NaN',
      'Repetition penalty must be a number, got “NaN”; it stays at 1.1.',
    ],
  ];
  for (const [name, text, sentence] of sample(cases, 4)) {
    const box = knob(page, name).locator('.box');
    await box.fill(text);
    await box.press('Enter');
    const error = knob(page, name).locator('.error');
    await until(() => error.innerText(), sentence);
    assert.equal(await box.getAttribute('aria-invalid'), 'true');
    assert.equal(
      await box.inputValue(),
      text,
      'the refused text stays while its box has the focus',
    );
    const valid = String(BALANCED[name] ?? 0);
    await box.blur();
    await until(() => box.inputValue(), valid);
    assert.equal(await error.innerText(), sentence, 'the sentence stays until the next input');
    await box.press('Escape');
  }
  await expectBars(page, FIRST, BALANCED);
  const seed = page.locator('logit-draw #seed');
  await unfoldDraw(page);
  await seed.fill('-3');
  const refused = page.locator('logit-draw .error');
  assert.match(
    await until(() => refused.innerText(), Boolean),
    /^Seed must be between 0 and 9,007,199,254,740,991, got -3; it stays at 42\.$/,
  );
  assert.deepEqual(complaints, []);
  await close();
});

test('an unreadable prompt gives one sentence, and the last good text stays', async () => {
  const { page, complaints, close } = await open();
  const fault = page.locator('logit-text #fault');
  await page.locator('#prompt').fill('Tomorrow zebra');
  assert.match(await until(() => fault.innerText(), Boolean), /^This model does not know “zebra”/);
  await expectBars(page, FIRST, BALANCED);
  await page.locator('#prompt').fill('Tomorrow they');
  await expectBars(page, 'Tomorrow they', BALANCED);
  assert.equal(await fault.innerText(), '');
  assert.deepEqual(complaints, []);
  await close();
});

long('an empty prompt asks the model to begin a text', async () => {
  const { page, close } = await open();
  await page.locator('#prompt').fill('');
  await expectBars(page, '', BALANCED);
  await close();
});

test('a seed gives the text that Node generates, step by step and in one run', async () => {
  const { page, close } = await bench.open({
    path: '?lang=en#prompt=Yesterday%20they&temperature=1.3&top_k=30&seed=4&bench_chart=bars',
  });
  const settings = { temperature: 1.3, top_k: 30, seed: 4, prompt: 'Yesterday they' };
  const generation = scope.generate(settings);
  const steps = [];
  for await (const step of generation) steps.push(step);

  await expectBars(page, 'Yesterday they', { temperature: 1.3, top_k: 30 });
  const step = page.locator('[data-command=step]');
  await step.focus();
  for (let i = 0; i < steps.length; i++) {
    const next = page.locator(`logit-draw .lands[data-drawn="${steps[i].id}"]`);
    await next.waitFor();
    await page.keyboard.press('Enter');
  }
  await settle(page);
  assert.deepEqual(
    await texts(page),
    steps.map(({ id }) => id),
  );
  const shares = await page
    .locator('logit-text .step [data-place]')
    .evaluateAll((buttons) => buttons.map((b) => b.dataset.p));
  assert.deepEqual(
    shares,
    steps.map(({ p }) => String(p)),
  );
  assert.equal(await step.getAttribute('aria-disabled'), 'true');

  await page.locator('[data-command=reset]').click();
  assert.deepEqual(
    await until(
      () => texts(page),
      (ids) => ids.length === 0,
    ),
    [],
  );
  await expectBars(page, 'Yesterday they', { temperature: 1.3, top_k: 30 });
  await page.locator('[data-command=run]').click();
  const ids = await until(
    () => texts(page),
    (seen) => seen.length === steps.length,
  );
  assert.deepEqual(
    ids,
    steps.map(({ id }) => id),
  );
  await page.locator('.verdict[data-right]').waitFor();
  await close();
});

test('two steps asked for at once draw two tokens, each from its own distribution', async () => {
  const { page, close } = await open();
  const expected = [];
  for await (const { id } of scope.generate({
    ...BALANCED,
    prompt: FIRST,
    seed: 42,
    max_new_tokens: 2,
  }))
    expected.push(id);
  await page.locator('[data-command=step]').evaluate((button) => {
    button.click();
    button.click();
  });
  assert.deepEqual(
    await until(
      () => texts(page),
      (ids) => ids.length === 2,
    ),
    expected,
  );
  await close();
});

test('a new prompt ends a run and begins a new text', async () => {
  const { page, close } = await open();
  await page.locator('[data-command=run]').click();
  await page.locator('logit-text .step').first().waitFor();
  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('button', { name: 'Every day he' }).click();
  await expectBars(page, 'Every day he', BALANCED);
  await settle(page);
  assert.deepEqual(await texts(page), []);
  await expectBars(page, 'Every day he', BALANCED);
  await close();
});

test('Stop ends a run between two tokens, and knobs can turn during a run', async () => {
  const { page, close } = await open();
  await page.locator('[data-command=run]').click();
  // Stops the run when its first token appears, so that the run has tokens left even on a slow machine.
  const stopped = await page.locator('logit-bench').evaluate(async ({ shadowRoot }) => {
    const steps = () =>
      shadowRoot
        .querySelector('logit-text')
        .shadowRoot.querySelector('logit-tape')
        ?.shadowRoot.querySelectorAll('.step').length ?? 0;
    while (steps() < 1) await new Promise((resolve) => setTimeout(resolve, 1));
    const chain = shadowRoot.querySelector('logit-chain').shadowRoot;
    const slider = chain.querySelector('[data-name=temperature]').shadowRoot.querySelector('input');
    slider.stepUp();
    slider.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    shadowRoot.querySelector('logit-text').shadowRoot.querySelector('[data-command=stop]').click();
    return steps();
  });
  await settle(page);
  const after = await texts(page);
  assert.ok(after.length <= stopped + 1, 'at most the token that was under way');
  assert.equal(await page.locator('.step.end').count(), 0);
  const temperature = Number(await knob(page, 'temperature').locator('.box').inputValue());
  assert.ok(temperature > BALANCED.temperature);
  await expectBars(page, [...scope.encode(FIRST), ...after], { ...BALANCED, temperature });
  await close();
});

test('the draw shows the u of seed and step, and its token', async () => {
  const { page, close } = await open();
  scope.feed(scope.encode(FIRST));
  const drawn = scope.draw({ ...BALANCED, seed: 42 }, { step: 0 });
  assert.equal(
    Number(await page.locator('logit-draw .lands').getAttribute('data-drawn')),
    drawn.id,
  );
  assert.ok(
    (await page.locator('logit-draw .lands').innerText()).startsWith(
      `u = ${drawn.u.toFixed(4)} lands on`,
    ),
  );
  const hit = page.locator('logit-draw .segment.next');
  const [from, to] = await hit.evaluate((element) => [
    Number(element.dataset.from),
    Number(element.dataset.to),
  ]);
  assert.ok(from <= drawn.u && drawn.u < to);
  await unfoldDraw(page);
  await page.getByRole('button', { name: 'New seed' }).click();
  await until(
    () => page.locator('logit-draw #seed').inputValue(),
    (value) => value !== '42',
  );
  await close();
});

long('every preset has its own name', async () => {
  const { page, close } = await open();
  await showView(page, 'logits');
  const lists = page.locator('#preset');
  await lists.nth(1).waitFor();
  for (const list of await lists.all()) {
    const labels = await list.locator('option').allTextContents();
    const names = labels.map((label) => label.split(':')[0].trim().toLowerCase());
    assert.deepEqual(names, [...new Set(names)]);
    assert.ok(names.includes('greedy'));
  }
  await page.getByRole('tab', { name: 'Experiment' }).click(); // the next test needs the bench
  await close();
});

long('settled resolves when everything asked for is shown, and not earlier', async () => {
  // Texts of 5 tokens, so that the first runs are short. Later runs are longer.
  const { page, close } = await bench.open({
    path: `?lang=en${START}&compare_max_new_tokens=5`,
  });
  await page.locator('#prompt').fill('Yesterday they');
  await settle(page);
  scope.feed(scope.encode('Yesterday they'));
  const { tokens } = scope.distribution(BALANCED);
  const shares = Object.fromEntries((await readBars(page)).map(({ id, p }) => [id, p]));
  for (const { id, p } of tokens) assert.equal(shares[id], String(p));
  await page.locator('[data-command=run]').click();
  await settle(page);
  assert.equal(await page.locator('.verdict[data-right]').count(), 1, 'the run has ended');
  assert.match(page.url(), /branch=/, 'and is in the address');
  for (const [view, said] of [
    ['sweep', '61 points.'],
    ['compare', '3 of 3 texts'],
  ]) {
    await showView(page, view);
    await settle(page);
    assert.equal(await page.locator(`logit-${view} [role=status]`).first().innerText(), said);
  }
  // The address does not contain the number of samples, so `settle` must not wait for a change of the address.
  await page.locator('logit-compare #settings').click();
  const samples = page.locator('logit-compare [data-name=samples]');
  await samples.fill('4');
  await samples.press('Enter');
  await settle(page);
  const progress = page.locator('logit-compare [role=status]').first();
  assert.equal(await progress.innerText(), '12 of 12 texts');
  await page.getByRole('tab', { name: 'Experiment' }).click(); // the next test needs the bench
  await close();
});

testSight(long, 'a laptop, in Spanish', 1440, 900, `?lang=es${START}&seed=42`, 20);
testHead(long, 'es', `?lang=es${START}`);

const FRAMES = [
  ["a lesson's frame", 760, 760, '?lang=en&controls=temperature,distribution', 8],
  ["a lesson's wide frame", 1000, 760, '?lang=en&controls=temperature,top_p,distribution', 20],
];
for (const frame of FRAMES) testSight(long, ...frame); // frames inside a page on a laptop

// build.test.js checks that no address in the built files is absolute.
long('the page works under any path', async () => {
  const { page, complaints, close } = await bench.open({ path: 'deep/er/?lang=en' });
  await expectBars(page, FIRST, BALANCED);
  assert.deepEqual(complaints, []);
  await close();
});

test('a model that fails to load gives one sentence, and Try again loads it', async () => {
  const { page, complaints, close } = await bench.open({
    ready: false,
    own: true,
    path: 'source/tests/browser/blank.html',
  });
  await page.addInitScript(() => {
    window.heard = [];
    for (const type of ['ready', 'change', 'step', 'error'])
      addEventListener(`logit-${type}`, ({ detail }) => window.heard.push({ type, detail }));
  });
  let broken = true;
  await page.route('**/models/verbs.gguf', (route) =>
    broken ? route.fulfill({ status: 503, body: '' }) : route.continue(),
  );
  await page.goto(`${bench.url}?lang=en&model=verbs&view=bench#top_p=0.9`);
  const alert = page.locator('logit-scope .notice[role=alert]');
  await alert.waitFor();
  assert.match(await alert.innerText(), /^The model could not be loaded: .*503/);
  broken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectBars(page, FIRST, { top_p: 0.9 });
  if (!LONG) return close();
  const last = (type) =>
    page.evaluate((wanted) => window.heard.findLast((e) => e.type === wanted)?.detail, type);
  const ready = await until(() => last('ready'), Boolean);
  assert.equal(ready.info.vocab_size, 64);
  await type(page, 'top_k', '9');
  const change = await until(
    () => last('change'),
    (detail) => detail?.settings.top_k === 9,
  );
  assert.equal(change.prompt, FIRST);
  assert.deepEqual(change.settings, {
    temperature: 1,
    top_p: 0.9,
    repetition_penalty: 1,
    top_k: 9,
    repetition_window: 0,
    min_tokens_to_keep: 1,
  });
  assert.equal(change.seed, 42);
  await page.locator('[data-command=step]').click();
  const step = await until(() => last('step'), Boolean);
  assert.equal(step.position, scope.encode(FIRST).length);
  assert.ok(step.p > 0 && step.u < 1 && step.text);
  await page.locator('#prompt').fill('zebra');
  const error = await until(
    () => last('error'),
    (detail) => detail?.code === 'unknown_token',
  );
  assert.equal(error.code, 'unknown_token');
  assert.deepEqual(
    complaints.filter((text) => !text.includes('503')),
    [],
  );
  await close();
});
