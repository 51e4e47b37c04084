/** Tests the sweep view: its numbers must equal Node's, and its files must open. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import { parseAxis, sweep, toCsv } from '../../web/engine/sweep.js';
import { briefPercent } from '../../web/locale/locale.js';
import { closed } from '../cleanup.js';
import { LONG, cases, long, sample } from '../long.js';
import {
  FIRST,
  START,
  axe,
  chooseModel,
  loadReference,
  openBench,
  root,
  settle,
  until,
} from './bench.js';

const grammar = JSON.parse(await readFile(`${root}models/verbs.grammar.json`, 'utf8'));

const bench = closed(await openBench());
const scope = closed(await loadReference());

/**
 * Opens the charts, perhaps in a page that an earlier test used. If `unfold` is true, opens the form of the sweep too.
 */
async function openSweep({ lang = 'en', model = 'verbs', unfold = true, ...options } = {}) {
  const path = `?lang=${lang}&model=${model}&view=sweep${START}`;
  const opened = await bench.open({ ...options, path, ready: false });
  const { page } = opened;
  await page.locator('logit-sweep .figures').waitFor();
  await settle(page);
  const view = page.locator('logit-sweep');
  const figure = () => view.evaluate((it) => it.figure);
  await until(figure, (name) => name === 'entropy');
  const change = view.locator('#change');
  if ((await change.getAttribute('aria-expanded')) !== String(unfold)) await change.click();
  const close = async () => {
    const tab = page.locator('[data-view=sweep]');
    if (await tab.count()) {
      await tab.click();
      await page.waitForURL(/view=sweep/);
    }
    await opened.close();
  };
  return { ...opened, view, close };
}

async function choose(view, figure) {
  await view.locator(`input[value=${figure}]`).check({ force: true });
}

async function fill(view, id, text) {
  await view.locator(`#${id}`).fill(text);
  await view.locator(`#${id}`).press('Enter');
}

const status = (view) => view.locator('.status').innerText();
const settled = (view, words) =>
  until(
    () => status(view),
    (text) => text === words,
  );

async function expectDone(view, words) {
  assert.equal(await settled(view, words), words);
}

/** Presses a button that downloads; returns { name, text }. */
async function saved(page, view, command) {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    view.locator(`[data-command=${command}]`).click(),
  ]);
  return { name: file.suggestedFilename(), text: await textOf(await file.createReadStream()) };
}

/** Returns the CSV that Node computes for a plan. */
async function expectedCsv(plan) {
  const points = [];
  for await (const point of sweep(scope, { prompt: FIRST, ...plan })) points.push(point);
  return toCsv(plan, points);
}

test('entropy against temperature appears at once, with its limits, and is the engine’s', async () => {
  const { page, view, complaints, foreign, close } = await openSweep({ unfold: false });
  await expectDone(view, '61 points.');
  const line = view.locator('.shown');
  assert.equal(await line.innerText(), 'Temperature 0 to 3 in steps of 0.05');
  assert.equal(await view.locator('.form').count(), 0, 'the form is folded');
  const { y, height } = await view.locator('logit-sweep-trend svg').boundingBox();
  assert.ok(y + height < page.viewportSize().height, 'the chart is in sight');
  const limits = await view.locator('text.limit').allTextContents();
  assert.deepEqual(limits, ['0: one token is certain', 'log₂ 64: all tokens alike']);
  const plan = { axes: [parseAxis('temperature=0:3:0.05')], measures: ['entropy'], settings: {} };
  const { name, text } = await saved(page, view, 'csv');
  assert.equal(name, 'verbs-temperature-entropy.csv');
  assert.equal(text, await expectedCsv(plan));
  assert.equal(await view.locator('tbody tr').count(), 61);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});

long(
  'a figure that started by itself and was left before its end runs again to its end',
  async () => {
    const { view, close } = await openSweep();
    await expectDone(view, '61 points.');
    // Stops the sweep from inside the page: a message from the test's process could arrive after its end.
    const left = await view.evaluate(async (it) => {
      const box = it.renderRoot.querySelector('#first-step');
      box.value = '0.01';
      box.dispatchEvent(new Event('change'));
      await it.updateComplete;
      const { busy } = it;
      it.figure = 'map';
      await it.updateComplete;
      it.figure = 'entropy';
      return busy;
    });
    assert.ok(left, 'it ran');
    await expectDone(view, '301 points.');
    await close();
  },
);

test('arrow keys walk along the curve, and the bench takes the point', async () => {
  const { page, view, close } = await openSweep();
  await expectDone(view, '61 points.');
  const walk = view.getByRole('slider');
  assert.match(
    await view.locator('.readout').innerText(),
    /^Temperature 0\.7: entropy 1\.83 bits$/,
  );
  await walk.focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(
    await until(
      () => walk.getAttribute('aria-valuenow'),
      (now) => now === '16',
    ),
    '16',
  );
  assert.match(await walk.getAttribute('aria-valuetext'), /^Temperature 0\.75: entropy /);
  await page.keyboard.press('Home');
  await until(
    () => view.locator('.readout').innerText(),
    (text) => text === 'Temperature 0: entropy 0 bits',
  );
  await page.keyboard.press('End');
  await view.getByRole('button', { name: 'Take to Experiment: temperature 3' }).click();
  const box = (name) => page.locator(`logit-knob[data-name=${name}] .box`).inputValue();
  assert.equal(
    await until(
      () => box('temperature'),
      (value) => value === '3',
    ),
    '3',
  );
  assert.equal(await box('top_p'), '1', 'the figure had everything else off');
  await page.locator('[data-view=sweep]').click();
  assert.match(
    await view.locator('.readout').innerText(),
    /^Temperature 3: /,
    'the figure is still there',
  );
  await close();
});

long(
  'a changed prompt or range runs a new sweep, and a wrong one is refused in words',
  async () => {
    const { page, view, close } = await openSweep();
    await fill(view, 'first-to', '0.2');
    await expectDone(view, '5 points.');
    for (const [id, text, sentence] of [
      ['first-from', '-1', 'Temperature must be 0 or more, got -1'],
      ['first-step', 'x', 'Step must be a number, got “x”'],
      ['first-step', '0', 'Step must be greater than 0, got 0'],
    ]) {
      await fill(view, id, text);
      const alert = view.locator('.form + .error');
      assert.equal(
        await until(
          () => alert.innerText(),
          (said) => said === sentence,
        ),
        sentence,
      );
      assert.equal(await view.locator(`#${id}`).getAttribute('aria-invalid'), 'true');
      assert.equal(await view.locator('[data-command=run]').getAttribute('aria-disabled'), 'true');
      await fill(view, id, id === 'first-from' ? '0' : '0.1');
    }
    await expectDone(view, '3 points.');
    await fill(view, 'first-from', '0.5');
    const refused = /^The end must not be below the start/;
    assert.match(
      await until(
        () => status(view),
        (text) => refused.test(text),
      ),
      refused,
    );
    await fill(view, 'first-from', '0');
    await page.locator('[data-view=bench]').click();
    await page.locator('logit-text [data-command=examples]').click();
    await page.getByRole('button', { name: 'Every day he' }).click();
    await until(
      () => page.locator('#prompt').inputValue(),
      (text) => text === 'Every day he',
    );
    await page.locator('[data-view=sweep]').click();
    const caption = view.locator('.caption');
    assert.match(
      await until(
        () => caption.innerText(),
        (text) => text.includes('Every day he'),
      ),
      /Every day he/,
    );
    await close();
  },
);

long('the saved figure stands alone and names its inputs', async () => {
  const { page, view, close } = await openSweep();
  for (const figure of ['entropy', 'map']) {
    await choose(view, figure);
    await expectDone(view, figure === 'map' ? '200 points.' : '61 points.');
    const { name, text } = await saved(page, view, 'svg');
    assert.match(name, /^verbs-temperature-.*entropy\.svg$/);
    assert.doesNotMatch(text, /class=|style=|var\(|href|<script|<!--|aria-/);
    assert.match(text, /Model verbs, prompt “Today she”/);
    assert.match(text, /all other settings off/);
    assert.match(text, /entropy, bits/);
    const shown = await page.evaluate(async (source) => {
      const image = new Image();
      image.src = URL.createObjectURL(new Blob([source], { type: 'image/svg+xml' }));
      await image.decode();
      return { width: image.naturalWidth, height: image.naturalHeight };
    }, text);
    assert.ok(shown.width > 800 && shown.height > 400, JSON.stringify(shown));
  }
  await close();
});

long(
  'the map is a grid of the engine’s numbers; keys move, Enter and a click take a cell',
  async () => {
    const { page, view, complaints, close } = await openSweep();
    await choose(view, 'map');
    await expectDone(view, '200 points.');
    const plan = (measure) => ({
      axes: [parseAxis('temperature=0.1:2:0.1'), parseAxis('top_p=0.1:1:0.1')],
      measures: [measure],
      settings: {},
    });
    const { name, text } = await saved(page, view, 'csv');
    assert.equal(name, 'verbs-temperature-top_p-entropy.csv');
    assert.equal(text, await expectedCsv(plan('entropy')));

    await view.locator('#measure').selectOption('nucleus');
    await until(
      () => view.locator('h3').innerText(),
      (title) => title.startsWith('Tokens kept'),
    );
    await expectDone(view, '200 points.');
    assert.equal((await saved(page, view, 'csv')).text, await expectedCsv(plan('nucleus')));

    const grid = view.getByRole('grid');
    assert.equal(await grid.getByRole('gridcell').count(), 200);
    await grid.focus();
    const active = async () => {
      const id = await grid.getAttribute('aria-activedescendant');
      return view.locator(`#${id}`).getAttribute('aria-label');
    };
    assert.match(await active(), /^Temperature 0\.7, top-p 0\.9: tokens kept/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await until(active, (said) => said.startsWith('Temperature 0.8, top-p 0.8'));
    await page.keyboard.press('Enter');
    const box = (setting) => page.locator(`logit-knob[data-name=${setting}] .box`).inputValue();
    const knobs = async () => `${await box('temperature')} ${await box('top_p')}`;
    assert.equal(await until(knobs, (now) => now === '0.8 0.8'), '0.8 0.8');

    await page.locator('[data-view=sweep]').click();
    await view.locator('[data-index="190"] rect').click();
    assert.equal(await until(knobs, (now) => now === '2 0.1'), '2 0.1');
    assert.deepEqual(complaints, []);
    await close();
  },
);

/** Compares the pictures of one knob, of right and wrong texts and of a mask with the engine's laws, after an own prompt. */
async function checkPictures(page, rivers, settings) {
  const field = rivers.locator('.own-prompt');
  await field.fill('Last night we');
  await field.press('Enter');
  const shows = (name, title) =>
    Promise.all([
      rivers.locator(`[data-picture=${name}]`).click(),
      until(
        () => rivers.locator('h3').innerText(),
        (words) => words.startsWith('After “Last night we”') && words.includes(title),
      ),
    ]);
  await shows('top_p', 'under top-p');
  const knob = { name: 'top_p', values: [0, 0.5, 1] };
  const cut = await scope.law('Last night we', { ...settings, top_p: 1 }, { mass: 0.995, knob });
  const slider = rivers.getByRole('slider');
  const said = () => slider.getAttribute('aria-valuetext');
  await slider.focus();
  const at = async (column, steps, key) => {
    for (let i = 0; i < steps; i++) await page.keyboard.press(key);
    return until(said, (words) => words.includes(column));
  };
  assert.equal(await rivers.locator('path.river').count(), cut.sentences.length);
  const own = await at('top-p 0.898', 0, 'ArrowLeft');
  assert.ok(own.startsWith('“went'), own);
  const half = await at('top-p 0.5:', 51, 'ArrowLeft');
  assert.ok(half.endsWith(`: ${briefPercent(cut.sentences[0].along[1])}`), half);

  await shows('right', 'right and wrong');
  const { right } = await scope.law('Last night we', settings, { grammar, mass: 0.9 });
  const numbers = () => rivers.locator('.curve-name').allTextContents();
  await until(numbers, ([first]) => first === `${Number((100 * right.p).toFixed(2))} right`);
  assert.equal((await numbers())[1], `${right.distinct.toFixed(1)} different right ones`);

  await field.fill('Tomorrow'); // 8,670 right texts: slow enough for a progress, which the next prompt ends
  await field.press('Enter');
  const progress = rivers.locator('progress');
  await until(
    () => progress.evaluateAll(([bar]) => bar?.value ?? 0),
    (share) => share > 0,
  );
  await field.fill('Last night we');
  await field.press('Enter');
  await until(
    () => progress.count(),
    (bars) => bars === 0,
  );
  assert.equal((await numbers())[0], `${Number((100 * right.p).toFixed(2))} right`);

  await shows('mask', 'only these');
  const box = rivers.locator('textarea');
  await box.fill('went home\nate lunch\nwere reading the book');
  const texts = ['went home', 'ate lunch', 'were reading the book'];
  const constraint = { grammar: `root ::= ${texts.map((text) => `" ${text}"`).join(' | ')}` };
  const laws = await scope.law('Last night we', settings, {
    alongside: [{ settings: { ...settings, constraint } }, { condition: constraint }],
  });
  const allowed = laws.sentences.filter(({ beside }) => beside[1][1] > 0);
  const wanted = [0, 1].flatMap((law) => allowed.map(({ beside }) => briefPercent(beside[law][0])));
  await until(
    () => rivers.locator('.share').allTextContents(),
    (shares) => JSON.stringify(shares) === JSON.stringify(wanted),
  );
  await box.fill('went home\nsang songs');
  await until(
    () => rivers.locator('.allowed + .error').innerText(),
    (words) => words.startsWith('The model cannot write “sang songs”'),
  );
  assert.deepEqual(await axe(page), []);
  await shows('ways', 'two ways');
}

test('whole sentences are rivers as high as the engine’s law', async () => {
  const { page, view, complaints, close } = await openSweep({ unfold: false });
  await choose(view, 'sentences');
  const rivers = view.locator('logit-sentences');
  await rivers.locator('path.river').first().waitFor();
  const settings = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };
  const powers = Array.from({ length: 33 }, (_, i) => 2 ** (i / 8));
  const knob = { name: 'temperature', values: powers.map((power) => 0.7 / power).reverse() };
  const law = await scope.law(FIRST, settings, { mass: 0.995, knob, powers });
  const height = Number(await rivers.locator('line.middle').getAttribute('y2'));
  const paths = await rivers
    .locator('path.river')
    .evaluateAll((all) => all.map((path) => path.getAttribute('d')));
  assert.equal(paths.length, law.sentences.length);
  // While a law is counted, the room for its picture is already there.
  const room = await rivers
    .locator('.rivers')
    .evaluate((it) => [parseFloat(getComputedStyle(it).minHeight), it.scrollHeight]);
  assert.equal(Math.ceil(room[0]), Math.ceil(room[1]));
  for (const [i, { along, sharpened, p }] of law.sentences.entries()) {
    const ys = [...paths[i].matchAll(/,(-?[\d.]+)/g)].map(([, y]) => Number(y));
    const high = (column) => (ys[129 - column] - ys[column]) / height;
    for (const [column, share] of [
      [0, along[0]],
      [20, along[20]],
      [32, p],
      [64, sharpened[32]],
    ])
      assert.ok(Math.abs(Math.abs(high(column)) - share) < 0.03 / height, `${i} ${column}`);
  }
  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  const slider = rivers.getByRole('slider');
  const said = () => slider.getAttribute('aria-valuetext');
  const [first, second] = law.sentences.map(({ text }) => text.trim());
  assert.ok((await said()).startsWith(`“${first}”`));
  await slider.focus();
  await page.keyboard.press('ArrowDown');
  await until(said, (words) => words.startsWith(`“${second}”`));
  await page.keyboard.press('ArrowLeft');
  await until(said, (words) => words.includes('temperature 0.642'));
  await page.mouse.move(0, 0);
  const line = await rivers.locator('line.middle').boundingBox();
  await page.mouse.move(line.x, line.y + 2);
  await until(said, (words) => words.startsWith(`“${first}”`) && words.includes('p at T 0.7'));

  await slider.press('ArrowDown');
  await slider.press('Enter');
  const { tokens, p, text } = law.sentences[1];
  const chosen = rivers.locator('.box.chosen rect');
  await until(
    () => chosen.count(),
    (n) => n === tokens.length,
  );
  const heights = await chosen.evaluateAll((all) =>
    all.map((it) => Number(it.getAttribute('height'))),
  );
  const rem = await page.evaluate(() =>
    parseFloat(getComputedStyle(document.documentElement).fontSize),
  );
  const high = 25 * rem;
  tokens.reduce((prefix, token, i) => {
    const next = prefix * token.p;
    assert.ok(Math.abs(heights[i] - high * next) < 0.51, `${token.text} has ${heights[i]}`);
    return next;
  }, 1);
  assert.equal(
    await rivers.locator('h4').innerText(),
    `Why “${text.trim()}” has ${briefPercent(p)}`,
  );
  const whole = await rivers
    .locator('.box')
    .evaluateAll((all) =>
      all
        .map((it) => it.querySelector('rect'))
        .map((it) => [it.getAttribute('x'), it.getAttribute('height')]),
    );
  const column = whole.filter(([x]) => x === '0').reduce((sum, [, high]) => sum + Number(high), 0);
  assert.ok(Math.abs(column - high) < 1, `the first column has all of p: ${column}`);
  assert.deepEqual(await axe(page), []);
  const file = await saved(page, rivers, 'svg');
  assert.equal(file.name, 'verbs-sentences.svg');
  for (const words of ['“Today she”', 'temperature 0.7', 'top-p 0.9', first])
    assert.ok(file.text.toLowerCase().includes(words.toLowerCase()), words);
  const [image] = await Promise.all([
    page.waitForEvent('download'),
    rivers.locator('[data-command=png]').click(),
  ]);
  assert.equal(image.suggestedFilename(), 'verbs-sentences.png');
  await rivers.getByRole('button', { name: 'Tomorrow she' }).click();
  await until(
    () => rivers.locator('h3').innerText(),
    (words) => words.startsWith('After “Tomorrow she”'),
  );
  await until(
    () => rivers.locator('.prompts [aria-pressed=true]').innerText(),
    (words) => words === 'Tomorrow she',
  );
  await checkPictures(page, rivers, settings);
  await chooseModel(page, 'stories');
  await until(
    () => rivers.locator('.lead').innerText(),
    (words) => words.startsWith('The next 4 tokens'),
  );
  assert.deepEqual(complaints, []);
  await close();
});

long('the nucleus over texts has Node’s mean and quartiles, and the texts are listed', async () => {
  const { page, view, close } = await openSweep();
  await choose(view, 'nucleus');
  await view.getByText(/^Run writes 100 texts .* (second|minute)s? on this device\.$/).waitFor();
  await fill(view, 'first-from', '0.5');
  await fill(view, 'first-step', '0.25');
  await fill(view, 'samples', '3');
  await view.locator('[data-command=run]').click();
  await expectDone(view, '3 points.');
  const plan = {
    axes: [parseAxis('top_p=0.5:1:0.25')],
    measures: ['nucleus', 'text_nucleus'],
    settings: { seed: 42 },
    samples: 3,
  };
  assert.match(await view.locator('.caption').innerText(), /3 texts per point, .* seeds from 42/);
  const csv = await saved(page, view, 'csv');
  assert.equal(csv.text, await expectedCsv(plan));
  await view.locator('.texts summary').click();
  assert.equal(await view.locator('.texts li').count(), 3);
  assert.equal(await view.locator('path.band.s1').count(), 1);
  await close();
});

test('diversity against correctness uses the grammar as judge, and says if there is none', async () => {
  const { page, view, close } = await openSweep();
  await choose(view, 'trade');
  await fill(view, 'first-from', '1');
  await fill(view, 'first-step', '1');
  await fill(view, 'samples', '8');
  await view.locator('[data-command=run]').click();
  await expectDone(view, '3 points.');
  const plan = {
    axes: [parseAxis('temperature=1:3:1')],
    measures: ['distinct_texts', 'correctness'],
    settings: { seed: 42 },
    samples: 8,
    max_new_tokens: 20,
    grammar,
  };
  assert.equal((await saved(page, view, 'csv')).text, await expectedCsv(plan));
  await view.locator('.texts summary').click();
  assert.match(await view.locator('.texts li').first().innerText(), /right|wrong/);
  await view.evaluate((element) => (element.grammar = null));
  await settled(
    view,
    'Only the verbs model comes with a grammar that can judge its sentences: open that model for this figure.',
  );
  assert.match(await status(view), /^Only the verbs model/);
  assert.equal(await view.locator('[data-command=run]').getAttribute('aria-disabled'), 'true');
  await close();
});

long(
  'a long sweep leaves the page responsive, stops on demand, and a new sweep replaces it',
  async () => {
    const { page, view, close } = await openSweep();
    await choose(view, 'penalty');
    await fill(view, 'first-step', '0.01');
    await fill(view, 'samples', '100');
    await view.locator('[data-command=run]').click();
    await until(
      () => status(view),
      (text) => /^Running: [1-9]/.test(text),
    );
    for (let frame = 0; frame < 30; frame++)
      await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.match(await status(view), /^Running: /, 'thirty frames came before the end');
    await view.locator('#samples').fill('7');
    const before = await status(view);
    await until(
      () => status(view),
      (text) => text !== before,
    );
    assert.equal(await view.locator('#samples').inputValue(), '7', 'the typed number stays');
    await view.locator('#samples').fill('100');
    await view.locator('[data-command=cancel]').click();
    const words = await until(
      () => status(view),
      (text) => text.startsWith('Stopped'),
    );
    assert.match(words, /^Stopped: \d+ of 101 points\.$/);
    const rows = await view.locator('tbody tr').count();
    assert.ok(rows > 0 && rows < 101, `${rows} rows are kept`);
    await settle(page);
    assert.equal(await status(view), words, 'nothing comes after the stop');

    await view.locator('[data-command=run]').click();
    await until(
      () => status(view),
      (text) => text.startsWith('Running'),
    );
    await choose(view, 'entropy');
    await expectDone(view, '61 points.');
    assert.equal(await view.locator('h3').innerText(), 'Entropy by temperature');
    await close();
  },
);

long('any number of the table can be swept, one or two at a time', async () => {
  const { page, view, close } = await openSweep();
  await choose(view, 'any');
  await expectDone(view, '21 points.');
  await view.locator('#first-setting').selectOption('typical_p');
  await fill(view, 'first-from', '0.2');
  await fill(view, 'first-step', '0.2');
  await view.locator('#second-setting').selectOption('top_k');
  await fill(view, 'second-from', '1');
  await fill(view, 'second-to', '3');
  await fill(view, 'second-step', '1');
  await expectDone(view, '15 points.');
  await view.locator('#keep').uncheck();
  await settle(page); // waits, since the changed check box starts another sweep
  await expectDone(view, '15 points.');
  const plan = {
    axes: [parseAxis('typical_p=0.2:1:0.2'), parseAxis('top_k=1,2,3')],
    measures: ['nucleus'],
    settings: {},
  };
  const csv = await saved(page, view, 'csv');
  assert.equal(csv.name, 'verbs-typical_p-top_k-nucleus.csv');
  assert.equal(csv.text, await expectedCsv(plan));
  await close();
});

// This test is one of the last, because it leaves another model in the page.
long('a figure of a stage that is off stays while another model loads', async () => {
  const { page, view, complaints, close } = await openSweep({ lang: 'es' });
  await choose(view, 'any');
  await settle(page);
  await view.locator('#first-setting').selectOption('min_p');
  await settle(page);
  assert.equal(await view.locator('.now').count(), 2, 'marked where the bench is');
  await page.locator('[data-view=bench]').click();
  await chooseModel(page, 'shakespeare');
  await page.locator('[data-view=sweep]').click();
  await settle(page);
  assert.deepEqual(complaints, []);
  await close();
});

// The last test at this address, since it changes the document, which no later test may reuse.
long('the saved figure is well-formed for any names and prompts', async () => {
  const { page, view, close } = await openSweep();
  await expectDone(view, '61 points.');
  await view.evaluate((element) => {
    const { plan, model } = element.run;
    const prompt = 'a\u0007\u0000b\ud800c\uffffd <&> 👍';
    element.run = { ...element.run, plan: { ...plan, prompt }, model: `${model}\u001b` };
    return element.updateComplete;
  });
  const { text } = await saved(page, view, 'svg');
  const plain = await page.context().newPage(); // the site's policy forbids documents made from text
  const read = await plain.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
    return [parsed.querySelectorAll('parsererror').length, parsed.documentElement.textContent];
  }, text);
  await plain.close();
  assert.equal(read[0], 0);
  assert.ok(read[1]?.includes('prompt “a\ufffd\ufffdb\ufffdc\ufffdd <&> 👍”'), read[1] ?? '');
  await close();
});

long('without a judge a press opens the model with a grammar, and runs', async () => {
  const { view, complaints, close } = await openSweep({ model: 'shakespeare' });
  await choose(view, 'trade');
  await fill(view, 'samples', '1');
  await fill(view, 'first-step', '1');
  await view.getByRole('button', { name: 'Open verbs' }).click();
  await expectDone(view, '3 points.');
  assert.match(await view.locator('.caption').innerText(), /^Model verbs, prompt “Today she”/);
  assert.equal(await view.getByRole('button', { name: 'Open verbs' }).count(), 0);
  assert.equal(await view.evaluate((it) => it.renderRoot.activeElement?.dataset.command), 'run');
  assert.deepEqual(complaints, []);
  await close();
});

// A long test, since elements.test.js tests this element with its first example.
long('the element works alone, with its own model and settings', async () => {
  const { page, close } = await openSweep();
  await page.evaluate(() => {
    const sweep = document.createElement('logit-sweep');
    const given = { model: 'models/verbs.gguf', prompt: 'Tomorrow she', figure: 'any' };
    const attributes = { ...given, grammar: 'models/verbs.grammar.json', temperature: '0.5' };
    for (const [name, value] of Object.entries(attributes)) sweep.setAttribute(name, value);
    document.body.replaceChildren(sweep);
  });
  const view = page.locator('logit-sweep');
  await expectDone(view, '21 points.');
  assert.match(
    await view.locator('.caption').innerText(),
    /“Tomorrow she” · other settings: temperature 0\.5/,
  );
  await close();
});

const LOOKS = [
  ['en', 'light'],
  ['es', 'dark'],
];
const LOOKED = ['entropy', 'map', 'trade', 'any'];
/** In `make test`, a sample of the figures, each in one language. */
const figures = sample(LOOKED, 2);
/** Figures that axe checks here. axe.test.js checks the initial view in every appearance. */
const SAMPLE = sample(figures, 1, 1);

for (const [lang, colorScheme] of sample(LOOKS, 1)) {
  long(`axe finds nothing and nothing overflows: ${lang}, ${colorScheme}`, async () => {
    const { page, view, complaints, close } = await openSweep({ lang, colorScheme, fresh: true });
    for (const figure of figures) {
      await choose(view, figure);
      if (figure === 'trade') {
        await fill(view, 'samples', '2');
        await view.locator('[data-command=run]').click();
      }
      const points = { entropy: 61, map: 200, trade: 30, any: 21 }[figure];
      await expectDone(view, lang === 'en' ? `${points} points.` : `${points} puntos.`);
      for (const summary of await view.locator('summary').all()) await summary.click();
      if (SAMPLE.includes(figure)) assert.deepEqual(await axe(page), [], figure);
      for (const width of [...sample([360, 1024, 2560], 2), 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(
          await until(wide, (found) => found === width),
          width,
          `${figure} at ${width} px`,
        );
      }
    }
    assert.deepEqual(complaints, []);
    await close();
  });
}

long('workers write the texts of a sweep, and the engine answers meanwhile', async () => {
  const { page, view, close } = await openSweep({ unfold: false });
  await page.evaluate(() =>
    Object.defineProperty(navigator, 'hardwareConcurrency', { value: 3, configurable: true }),
  );
  await choose(view, 'trade');
  const first = { name: 'temperature', from: 1, to: 3, step: 0.2 };
  const samples = cases(50, 100);
  await view.evaluate((it, asked) => Object.assign(it, asked), { samples, first });
  await view.locator('[data-command=run]').click();
  await until(
    () => page.workers().length,
    (n) => n >= 3,
  );
  const answered = await view.evaluate(async (it) => {
    const session = await it.engine.session();
    await session.feed(await it.engine.encode('Today she'));
    const { kept } = await session.distribution({ top_k: 5 });
    await session.close();
    return { kept, running: it.run.status };
  });
  assert.deepEqual(answered, { kept: 5, running: 'running' });
  const status = () => view.evaluate((it) => it.run.status);
  await until(status, (it) => it === 'done');
  await until(
    () => page.workers().length,
    (n) => n < 3,
  );
  const { plan, points } = await view.evaluate((it) => ({
    plan: it.run.plan,
    points: it.run.points,
  }));
  const expected = [];
  for await (const point of sweep(scope, plan)) expected.push(point);
  assert.deepEqual(points, expected);
  await close();
});
