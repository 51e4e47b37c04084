/**
 * Tests a lesson in the page: the engine judges answers, and the page stores and reports results. All of it works by
 * keyboard.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { range } from '../../web/engine/sweep.js';
import { judge } from '../../web/lessons/judge.js';
import { measure } from '../../web/lessons/measures.js';
import { LESSON_LANGUAGES, SHIPPED, lessonFile } from '../../web/lessons/shipped.js';
import { Knob } from '../../web/views/landscape/knob.js';
import { closed } from '../cleanup.js';
import { LONG, long, sample } from '../long.js';
import { axe, openBench, root, until } from './bench.js';

import { question, rest, said } from './lesson-page.js';

const bench = closed(await openBench());

long(
  'three lessons come first with their pictures, and one begins with a guess drawn by pointer and keys',
  async () => {
    const { page, complaints, close } = await open('?lesson&lang=en');
    const scope = await Logitscope.load({});
    const list = page.locator('logit-lesson .list');
    const pictures = list.locator('.first logit-lesson-picture');
    const bands = () => pictures.nth(1).evaluate((it) => it.bands);
    const [{ ps }] = await until(bands, (all) => all.length > 0);
    const { high } = scope.table.find(({ name }) => name === 'temperature');
    const [best] = scope.warp(Float32Array.of(2, 1, 0.5), { temperature: high }).tokens;
    assert.equal(await pictures.count(), 3);
    assert.equal(ps.at(-1), best.p, 'the picture has the numbers of the engine');
    assert.equal(await list.locator('a[href*="lesson="]').count(), SHIPPED.length);
    for (const view of ['cost', 'speculative', 'sweep&model=verbs#sweep_figure=sentences'])
      assert.equal(await list.locator(`a[href*="view=${view}"]`).count(), 1);
    await list.getByRole('link', { name: /^Top-p/ }).click();
    const guess = page.locator('logit-guess');
    const bars = guess.getByRole('slider');
    const shares = () => guess.evaluate((it) => it.drawn);
    await until(() => bars.count(), 6);
    await rest(page);
    const figure = page.locator('logit-figure').first();
    assert.equal(await figure.evaluate((it) => it.held), true);
    assert.equal(
      await figure.locator('.live').evaluate((it) => getComputedStyle(it).filter),
      'none',
    );

    const { x, y, width, height } = await bars.first().boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height * 0.3, { steps: 4 });
    await page.mouse.up();
    assert.ok(Math.abs((await shares())[0] - 0.7) < 0.02, `${await shares()}`);
    await bars.nth(5).press('Home');
    await bars.first().press('ArrowUp');
    const drawn = await shares();
    assert.ok(Math.abs(drawn.reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
    assert.equal(drawn[5], 0);
    assert.equal(
      await bars.first().getAttribute('aria-valuenow'),
      String(Math.round(100 * drawn[0])),
    );

    await guess.getByRole('button', { name: 'Show' }).press('Enter');
    const { state, guess: asked } = JSON.parse(
      await readFile(new URL('../../web/lessons/top-p.en.json', import.meta.url), 'utf8'),
    ).parts[0].figure;
    const { tokens } = scope.warp(Float32Array.from(state.logits), asked.settings);
    const real = state.logits.map((_, id) => tokens.find((token) => token.id === id)?.p ?? 0);
    scope.close();
    assert.deepEqual(await guess.evaluate((it) => it.real), real);
    const distance = real.reduce((sum, p, i) => sum + Math.abs(p - drawn[i]), 0) / 2;
    const written = await guess.getByRole('status').innerText();
    assert.ok(written.startsWith(`Your guess is ${(100 * distance).toPrecision(3)}%`), written);
    const { score, attempts } = await result(page);
    assert.deepEqual([score, attempts], [null, 0], 'a guess has no mark');
    await page.reload();
    await rest(page);
    const again = await until(shares, (all) => Math.abs(all[0] - drawn[0]) < 1e-4);
    assert.ok(Math.abs(again[0] - drawn[0]) < 1e-4, 'the guess is kept');
    assert.equal(await guess.getByRole('button', { name: 'Draw again' }).count(), 1);
    assert.deepEqual(complaints, []);
    await close();
  },
);

// axe checks the lesson at its beginning and its end. With LONG=1 it checks the lesson after each answer.
const result = (page) => page.locator('logit-lesson').evaluate((lesson) => lesson.result);

/** @param {string} path */
async function open(path, options = {}) {
  const opened = await bench.open({ path, ready: false, fresh: true, ...options });
  await opened.page.locator('logit-lesson h2, logit-lesson [role=alert]').first().waitFor();
  await rest(opened.page);
  return opened;
}

test('the temperature lesson asks before it shows, and keeps marks and typed answers', async () => {
  const { page, complaints, foreign, close } = await open('?lesson=temperature&lang=en');
  const held = () =>
    page
      .locator('logit-figure')
      .first()
      .evaluate((figure) => figure.held);
  const box = (place) => question(page, place).locator('input');
  const give = async (place, text) => {
    await box(place).fill(text);
    await box(place).press('Enter');
    await rest(page);
    return said(page, place);
  };
  assert.match(await give(1, 'much'), /“much” is not a number/);
  assert.equal((await result(page)).score, null, 'that was no answer');
  assert.match(await give(1, '0.571'), /^Not yet\. That is 2 \/ 3\.5/);
  assert.match(await give(1, '62.9 %'), /^Right\./);
  assert.equal(await held(), true, 'the second question waits');
  assert.match(await give(2, '.844'), /^Right\./);
  assert.equal(await held(), false);
  await question(page, 4).locator('button.primary').press('Enter');
  await until(() => said(page, 4), /About what the model gives it at T = 1/);
  await page.locator('logit-figure').nth(1).locator('[role=slider]').first().press('Home');
  await until(() => said(page, 4), /^Right\. The text is nearly/);
  const now = await result(page);
  assert.deepEqual([now.score, now.complete, now.attempts], [3 / 8, false, 5]);
  await box(2).fill('0.9');
  await page.reload();
  await rest(page);
  assert.deepEqual(await result(page), now);
  assert.equal(await held(), false);
  assert.deepEqual([await box(1).inputValue(), await box(2).inputValue()], ['62.9 %', '0.9']);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});

long(
  'the temperature lesson works by keyboard, has a sentence for each mistake, and does not score a shown solution',
  async () => {
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
    assert.match(await fill(1, '62.9'), /“62\.9” is more than 1\. If you mean .* write 62\.9%/);
    assert.equal((await result(page)).score, null, 'nor was that');
    const waits = () => figures.first().locator('.held').innerText();
    assert.match(await waits(), /^Answer questions 1 and 2 first/);
    assert.match(await fill(1, '0.571'), /^Not yet\. That is 2 \/ 3\.5/);
    assert.match(
      await fill(1, '0,2'),
      /^Not yet\. That is too small/,
      'a decimal comma is understood',
    );
    assert.match(await fill(1, '1/5'), /That is too small/, 'and a simple sum');
    assert.match(await fill(1, '0.62'), /^Not yet\. Nearly/, 'rounded too early');
    assert.equal(await held(0), true, 'the second question waits');
    assert.match(await waits(), /^Answer question 2 first/);
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
    assert.equal(await said(page, 3), '', 'that was of another answer');
    await page.keyboard.press('Enter');
    await rest(page);
    assert.match(await said(page, 3), /^Right\./);

    assert.match(await question(page, 4).locator('.now').innerText(), /^Now: 0\.191/);
    await question(page, 4).locator('button.primary').press('Enter');
    await rest(page);
    assert.match(await said(page, 4), /About what the model gives it at T = 1/);
    await figures.nth(1).locator('[role=slider]').first().press('Home');
    await until(() => said(page, 4), /^Right\. The text is nearly/);
    // If the learner moves the figure after a right answer, the verdict below the question changes, but the score does
    // not.
    await figures.nth(1).locator('[role=slider]').first().press('End');
    await until(() => question(page, 4).locator('.now').innerText(), /^Now: 0\.0/);
    await question(page, 4).locator('button.primary').press('Enter');
    await rest(page);
    assert.match(await said(page, 4), /less probable/);
    await figures.nth(1).locator('[role=slider]').first().press('Home');
    await until(() => said(page, 4), /^Right\. The text is nearly/);

    const now = await result(page);
    assert.deepEqual([now.score, now.complete, now.attempts], [4 / 8, false, 11]);
    const box = (place) => question(page, place).locator('input').inputValue();
    await question(page, 2).locator('input').fill('0.9');
    await question(page, 6).locator('input').last().check();
    await page.reload();
    await rest(page);
    assert.deepEqual(await result(page), now);
    assert.equal(await held(0), false);
    assert.deepEqual(
      [await box(1), await box(2)],
      ['62.9 %', '0.9'],
      'also one that was not checked',
    );
    assert.equal(await question(page, 6).locator('input').last().isChecked(), true, 'a choice too');
    assert.equal(await said(page, 2), '', 'which is not called right');
    assert.match(await said(page, 1), /^Right\./, 'what was said of it is said again');

    await question(page, 5).locator('input').first().check();
    await question(page, 5).locator('button.primary').click();
    await rest(page);
    await question(page, 5).locator('[data-command=solution]').click();
    await rest(page);
    assert.match(await said(page, 5), /Solution\. The answer is: Next to nothing/);
    await question(page, 6).locator('input').last().check();
    await question(page, 6).locator('button.primary').click();
    await rest(page);
    const { score } = await result(page);
    assert.equal(score, 5 / 8, 'a shown solution is not scored');
    assert.match(await fill(7, '0.27'), /^Right\./);
    await question(page, 8).locator('input').nth(1).check();
    await question(page, 8).locator('button.primary').click();
    await rest(page);
    assert.match(await said(page, 8), /^Right\. Mostly T = 0\.01 is greedy/);
    const done = await result(page);
    assert.deepEqual([done.score, done.complete], [7 / 8, true], 'a shown solution is not scored');
    assert.match(await page.locator('logit-lesson footer').innerText(), /divides every logit by T/);
    await page.goto(`${bench.url}?lesson&lang=en`);
    await rest(page);
    assert.match(
      await page
        .locator('logit-lesson li', { has: page.getByText('Temperature', { exact: true }) })
        .innerText(),
      /done: 7 of 8 right/,
    );
    assert.deepEqual(await axe(page), []);
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  },
);

long(
  'the top-p lesson in Spanish at 375 px takes a decimal comma, keeps a nucleus of five, and has no English left',
  async () => {
    const { page, complaints, foreign, close } = await open('?lesson=top-p&lang=es', {
      viewport: { width: 375, height: 800 },
    });
    if (LONG) assert.deepEqual(await axe(page), []);
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
    await question(page, 5).locator('input').first().check();
    await question(page, 5).locator('button.primary').click();
    await rest(page);
    await question(page, 5).locator('[data-command=solution]').click();
    await rest(page);
    assert.match(
      await said(page, 5),
      /^Solución\. La respuesta es: 87\./,
      'and no “not yet” beside it',
    );
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  },
);

long(
  'the one-token lesson has a figure of five steps, and a sentence lights the step that it names',
  async () => {
    const { page, complaints, foreign, close } = await open('?lesson=one-token&lang=en', {
      viewport: { width: 375, height: 800 },
    });
    const figure = page.locator('logit-figure').first();
    const lit = () => figure.locator('li.lit').allInnerTexts();
    await question(page, 1).locator('button.primary').click();
    await question(page, 2).locator('input').first().check();
    await question(page, 2).locator('button.primary').click();
    await rest(page);
    assert.deepEqual([await figure.evaluate(({ held }) => held), await lit()], [false, []]);
    await question(page, 1).locator('[data-command=solution]').click();
    await question(page, 1).locator('[data-show="#step=3"]').click();
    await rest(page);
    const engine = await engineOf({});
    engine.feed(engine.encode('The little dog'));
    const { drawn } = engine.read({ temperature: 1, seed: 42 }, { step: 0 });
    const token = engine.piece(drawn.id).text;
    const [step] = await lit();
    assert.match(step, new RegExp(`^Draw one token[^]*u = 0\\.630 falls on “${token.trim()}”`));
    for (const name of ['Append', 'Stop', 'Run']) {
      await figure.locator('[data-command=next]').press('Enter');
      await rest(page);
      const [next] = await lit();
      assert.ok(next.startsWith(name), next);
    }
    assert.ok((await figure.locator('.pieces').innerText()).endsWith(token.trim()), 'round 2');
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 375);
    if (LONG) assert.deepEqual(await axe(page), []);
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  },
);

/** @param {string} path */
const readJson = async (path) => JSON.parse(await readFile(`${root}/${path}`, 'utf8'));

/**
 * Engines by the name of their model. The engine for logits that a lesson gives has the key undefined.
 * @type {Map<string | undefined, Promise<Logitscope>>}
 */
const engines = new Map();

/** @param {import('../../web/lessons/measures.js').LessonState} state */
function engineOf({ logits, model = 'stories' }) {
  const name = logits ? undefined : model;
  if (!engines.has(name))
    engines.set(name, Logitscope.load(name ? { model: `${root}/models/${name}.gguf` } : {}));
  return engines.get(name);
}

/**
 * Measurements that are already computed, by state and name.
 * @type {Map<string, Promise<number | string | undefined>>}
 */
const known = new Map();
const grammar = await readJson('models/verbs.grammar.json');

/** Returns a function that measures a state with the engine in Node. */
const measuredOf = (state) => (asked) => {
  const key = JSON.stringify([state, asked]);
  if (!known.has(key))
    known.set(
      key,
      engineOf(state).then((engine) => measure(asked, state, engine, engine, grammar)),
    );
  return known.get(key);
};

/** Values to try for each control, besides its initial value. */
const TRIED = {
  prompt: ['Lily'],
  seed: [7],
  length: [100],
  constraint: ['three_numbers'],
  temperature: [0.5, 0.8],
};
const BIASES = [0, 2, 4];
/** Temperatures to try where whole sentences are counted. */
const OF_SENTENCES = [0.25, 0.5, 1.2, 1.35, 1.8];

/** Returns all combinations of the values of all controls. */
function placesOfControls({ show, state, controls, tokens = [] }) {
  let places = [{ state, set: {} }];
  for (const name of controls) {
    const [token] = tokens;
    const tried = show === 'sentences' ? OF_SENTENCES : TRIED[name];
    const values = name === 'logit_bias' ? BIASES : (tried ?? []);
    const id = state.tokens?.indexOf(token);
    const patchOf = (value) => {
      if (name === 'seed' || name === 'prompt') return { [name]: value };
      if (name === 'length') return { choices: { ...state.choices, length: value } };
      return { settings: { [name]: name === 'logit_bias' ? { [id]: value } : value } };
    };
    const moved = places.flatMap((place) =>
      values.map((value) => {
        const { settings, ...others } = patchOf(value);
        const now = { ...place.state, ...others };
        return {
          state: settings ? { ...now, settings: { ...now.settings, ...settings } } : now,
          set: { ...place.set, [name]: value },
        };
      }),
    );
    places = [...places, ...moved];
  }
  return places.map((place) => ({ ...place.state, set: place.set }));
}

/** Sets the controls in `set` below a figure; the others get their initial values. */
async function setControls(section, { controls, tokens }, { set }) {
  const figure = section.locator('logit-figure').first();
  const reset = figure.locator('[data-command=reset]');
  if ((await reset.count()) > 0) await reset.press('Enter');
  // Sets the prompt first. If it were the last, the state could reach the goal on the way.
  const named = controls.filter((each) => each in set);
  for (const name of named.sort((a, b) => Number(b === 'prompt') - Number(a === 'prompt'))) {
    const value = set[name];
    if (name === 'constraint') {
      await figure.locator('logit-constraint select').selectOption(value);
      continue;
    }
    const row =
      name === 'logit_bias' ? `[data-bias="${tokens[0].trim()}"]` : `[data-control=${name}]`;
    const input = figure.locator(`${row} input`).first();
    await input.fill(String(value));
    await input.press('Tab');
  }
}

/**
 * Returns the states that the figure passes through as keys move its slider, in order.
 * @param {import('../../web/lessons/lesson-file.js').Figure} figure
 * @param {import('../../web/lessons/lesson-file.js').Goal} goal
 */
async function placesOf(figure, { measure: name }) {
  const { show, state, knob = 'temperature' } = figure;
  const at = (settings) => ({ ...state, settings: { ...state.settings, ...settings } });
  if (figure.controls) return placesOfControls(figure);
  if (show === 'sweep') {
    const { name: setting, from, to, step } = state.choices.first;
    return range(setting, from, to, step).values.map((value) => at({ [setting]: value }));
  }
  if (show === 'cost')
    return [1, 2000].map((n) => ({ ...state, choices: { ...state.choices, new_tokens: n } }));
  if (name === 'token_at_u')
    return Array.from({ length: 100 }, (_, i) => ({ ...state, u: i / 100 }));
  const { table } = await engineOf(state);
  const slider = new Knob({ table, knob, asked: {}, seed: undefined });
  const values = [];
  // Each key press starts from the grid value that the press before reached.
  for (slider.moved = { [knob]: slider.valueAt(0) }; !values.includes(slider.value); ) {
    values.push(slider.value);
    slider.moved = { [knob]: slider.valueAt(slider.share + slider.stride) };
  }
  return values.map((value) => at({ [knob]: value }));
}

/**
 * Moves a figure to `places[i]`. A sweep reports every point on the way, so the move starts from the end that does
 * not lead through the point `right`.
 */
async function goTo(page, section, figure, goal, places, i, right) {
  const { show } = figure;
  if (figure.controls) return setControls(section, figure, places[i]);
  const { choices = {} } = places[i];
  if (show === 'cost')
    return section.locator('[data-box=new_tokens]').fill(String(choices.new_tokens));
  const slider = section.locator('logit-figure').first().locator('[role=slider]');
  const which =
    show === 'landscape' && goal.measure === 'token_at_u' ? slider.nth(1) : slider.first();
  if (show === 'sweep')
    await until(
      async () => Number(await which.getAttribute('aria-valuemax').catch(() => 0)),
      (n) => n > i,
    );
  await which.focus();
  // Goes first to the other end of the slider, so that at least one key press moves the figure.
  const back = show === 'sweep' && i > right;
  for (const key of back ? ['Home', 'End'] : ['End', 'Home']) await page.keyboard.press(key);
  for (let k = back ? places.length - 1 - i : i; k > 0; k--)
    await page.keyboard.press(back ? 'ArrowLeft' : 'ArrowRight');
  if (show === 'sweep')
    await until(
      () => which.getAttribute('aria-valuenow'),
      (at) => at === String(i + 1),
    );
}

/** @param {string} text of a lesson; returned without Markdown */
const bare = (text) =>
  text
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .trim();

/** Returns the typical wrong answers and then the right answer, each with its verdict. */
async function answersTo(question, figure) {
  const state = question.state ?? figure?.state;
  const measured = measuredOf(state);
  const { kind, answer, options = [], items = [], wrong = [], goal, example, right } = question;
  // Gives only the right code: tests/node/planted-faults.test.js tests wrong code.
  if (kind === 'code') return { places: [], said: [{ given: example, right: true, say: right }] };
  /** @type {any[]} Possible answers. */
  let possible = [];
  if (kind === 'choice') possible = options.map((_, i) => i);
  if (kind === 'order')
    possible = [
      ...wrong.map(({ before: [a, b] }) => {
        const order = items.map((_, i) => i).filter((i) => i !== a);
        order.splice(order.indexOf(b), 0, a);
        return order;
      }),
      items.map((_, i) => i),
    ];
  if (kind === 'number' || kind === 'token') {
    const given = wrong.map(async (each) => {
      if (each.measure) return measured(each);
      return each.equals ?? (each.above === undefined ? each.below - 1 : each.above + 1);
    });
    possible = [...(await Promise.all(given)), await measured(answer)];
  }
  const places = kind === 'state' ? await placesOf(figure, goal) : [];
  if (kind === 'state') possible = places.map((_, i) => i);
  const all = [];
  for (const given of possible) {
    const of = kind === 'state' ? measuredOf(places[given]) : measured;
    all.push({ given, ...(await judge(question, given, of)) });
  }
  // For each sentence, keeps the last state that gives it: the first may be too close to the initial state.
  const said = [...new Map(all.map((each) => [each.say, each])).values()].filter(({ say }) => say);
  const sentences = kind === 'choice' ? options.filter(({ say }) => say) : wrong;
  assert.deepEqual(
    sentences.map(({ say }) => say).filter((say) => !said.some((each) => each.say === say)),
    [],
    `${question.id}: what nobody can hear`,
  );
  assert.equal(said.filter(({ right }) => right).length, 1, question.id);
  return { places, said: said.sort((a, b) => Number(a.right) - Number(b.right)) };
}

/** Gives an answer with the keyboard only. */
async function give(page, form, { kind }, given, language) {
  if (kind === 'number') {
    await form.locator('input').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(String(given).replace('.', language === 'es' ? ',' : '.'));
    await page.keyboard.press('Enter');
    return;
  }
  if (kind === 'code') {
    await form.locator('textarea').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(given);
    await page.keyboard.press('Control+Enter');
    return;
  }
  if (kind === 'choice' || kind === 'token') {
    const texts = await form.locator('label').allInnerTexts();
    const at = kind === 'choice' ? given : texts.findIndex((text) => text.trim() === given.trim());
    assert.ok(at >= 0, `${given} of ${texts}`);
    await form.locator('input').nth(at).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    return;
  }
  if (kind === 'order')
    for (const [place, item] of given.entries()) {
      const order = () => form.evaluate(({ given: now }) => now);
      for (let at; (at = (await order()).indexOf(item)) > place; ) {
        await form.locator('.items li').nth(at).locator('[data-by="-1"]').focus();
        await page.keyboard.press('Enter');
      }
    }
  await form.locator('button.primary').focus();
  await page.keyboard.press('Enter');
}

/** Plays a lesson from its beginning to its end. */
async function play(name, language, width, theme) {
  const where = `${name}, ${language}, ${width} px`;
  const lesson = await readJson(`web/${lessonFile(name, language)}`);
  const words = await readJson(`web/locale/${language}.json`);
  const { page, complaints, foreign, close } = await open(
    `?lesson=${name}&lang=${language}&theme=${theme}`,
    {
      viewport: { width, height: 900 },
    },
  );
  assert.deepEqual(await axe(page), [], where);
  assert.equal((await result(page)).score, null, `${where}: nothing was answered`);
  let [place, attempts] = [0, 0];
  for (const [i, { figure, questions = [] }] of lesson.parts.entries())
    for (const question of questions) {
      place++;
      const at = `${where}: ${question.id}`;
      const form = page.locator('logit-question').nth(place - 1);
      const { places, said: answers } = await answersTo(question, figure);
      for (const { given, right, say } of answers) {
        if (question.kind === 'state') {
          await goTo(
            page,
            page.locator('article > section').nth(i),
            figure,
            question.goal,
            places,
            given,
            answers.at(-1).given,
          );
          if (!right) {
            const value = await measuredOf(places[given])(question.goal);
            await until(
              () => form.evaluate(({ value: now }) => now),
              (now) => now === value || Math.abs(now - value) < 1e-9,
            );
          }
        }
        if (question.kind !== 'state' || !right) await give(page, form, question, given, language);
        const head = words[right ? 'lesson.right' : 'lesson.wrong'];
        const wanted = `${head} ${bare(say)}`;
        await until(
          async () => (await said(page, place)).trim(),
          (text) => (question.kind === 'code' ? text.startsWith(wanted) : text === wanted),
        ).catch((error) => assert.fail(`${at}: ${wanted}: ${error.message}`));
        attempts++;
      }
    }
  await rest(page);
  const { score, complete, ...others } = await result(page);
  assert.deepEqual([score, complete, others.attempts], [1, true, attempts], where);
  const foot = await page.locator('logit-lesson footer').innerText();
  assert.ok(foot.replaceAll('\u00a0', ' ').includes(bare(lesson.result)), foot);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= width, `${where}: ${wide} px`);
  assert.deepEqual(await axe(page), [], where);
  // The frame that runs code has no storage and starts its worker from a blob URL.
  const strange = complaints.filter((text) => !text.includes('localStorage'));
  const fetched = foreign.filter((url) => !url.startsWith('blob:'));
  assert.deepEqual([strange, fetched], [[], []], where);
  await close();
}

/** Every lesson in every language, in a wide and a narrow window. */
const PLAYED = SHIPPED.flatMap((name, i) =>
  LESSON_LANGUAGES.flatMap((language, j) =>
    [1440, 375].map((width, k) => ({
      name,
      language,
      width,
      theme: (i + j + k) % 2 ? 'dark' : 'light',
    })),
  ),
).filter(({ name }) => (process.env.LESSON ?? name) === name);

// Long tests: those above cover the keys, and tests/node/lesson.test.js each right and wrong answer of every lesson.
for (const { name, language, width, theme } of sample(PLAYED, 1, 10))
  long(
    `${name} can be played by keys, ${language}, ${width} px: each wrong answer has its sentence, all right is 1`,
    () => play(name, language, width, theme),
  );
long(
  'figures have controls: a bias, a text under a constraint, a checksum, a comparison',
  async () => {
    const { page, complaints, foreign, close } = await open('?lesson=bias&lang=en', {
      viewport: { width: 375, height: 800 },
    });
    const answer = async (place, given) => {
      const of = question(page, place);
      if (typeof given === 'number') await of.locator('input[type=radio]').nth(given).check();
      else if (given) await of.locator('input').fill(given);
      await of.locator('button.primary').click();
      await rest(page);
      return said(page, place);
    };
    const goTo = async (lesson) => {
      await page.goto(`${bench.url}?lesson=${lesson}&lang=en`);
      await page.locator('logit-question').first().waitFor();
      await rest(page);
    };
    const set = async (control, value) => {
      await control.fill(value);
      await control.press('Enter');
      await rest(page);
    };

    const bias = page.locator('logit-figure').first().locator('[data-bias=B]');
    assert.match(await answer(1, '2.72'), /ratio of the two probabilities/);
    assert.match(await answer(2, '0.834'), /C and D get their part too/);
    await bias.locator('input[type=range]').fill('2');
    await until(
      () => question(page, 3).locator('.now').innerText(),
      /^Now: 0\.681/, // the share is e^3 / (e^3 + e^2 + e^0.5 + e^-1)
    );
    assert.match(await answer(3), /not far enough/);
    await bias.locator('input[type=checkbox]').check();
    await until(() => question(page, 3).locator('.now').innerText(), /^Now: 0\.000/);
    await bias.locator('input[type=checkbox]').uncheck();
    await bias.locator('input[type=range]').fill('4');
    await until(() => said(page, 3), /^Right\. A bias of about 3\.5/);
    assert.match(await answer(5, 0), /it reads “bear”/);
    const written = page.locator('logit-written-text');
    assert.doesNotMatch(await written.locator('.new').innerText(), /^ ?bear/);
    await page.locator('logit-figure').last().locator('select').selectOption({ label: 'bear' });
    await rest(page);
    assert.match(await written.locator('.new').innerText(), /^ ?bear/);
    if (LONG) assert.deepEqual(await axe(page), []);

    await goTo('constrained');
    assert.match(await answer(1, 0), /^Right\./);
    assert.match(await question(page, 2).locator('.now').innerText(), /^Now: no/);
    await page.locator('logit-constraint select').first().selectOption('three_numbers');
    await until(() => said(page, 2), /^Right\./);
    assert.match(await page.locator('logit-verdict .verdict').first().innerText(), /Valid JSON/);
    assert.match(await answer(3, 0), /knows nothing of the limit/);
    const object = page.locator('logit-figure').last();
    assert.match(await object.locator('.verdict').innerText(), /cut off/);
    assert.match(await object.locator('logit-constraint #state').innerText(), /tokens allowed/);
    await object.locator('.controls input[type=range]').first().fill('100');
    await until(() => said(page, 4), /^Right\./);
    if (LONG) assert.deepEqual(await axe(page), []);

    await goTo('same-seed');
    const box = page.locator('logit-figure .controls input');
    assert.match(await answer(1, 2), /^Right\./);
    assert.match(await answer(2, 1), /^Right\./);
    await set(box.nth(1), '7');
    assert.match(await answer(3), /temperature is too high/);
    await box.nth(0).fill('0.8');
    await until(() => said(page, 3), /^Right\. Lily/);
    assert.equal(await page.locator('logit-written-text code').innerText(), '1358fa45');
    await page.locator('[data-command=reset]').click();
    await rest(page);
    assert.equal(await page.locator('logit-written-text code').innerText(), '547e4d7d');

    // The model's vocabulary does not have the word of this prompt, so the engine throws an error. The figure shows
    // it as a sentence.
    const show = (/** @type {object} */ state) =>
      written.evaluate((it, asked) => (it.state = asked), state);
    const state = await written.evaluate((it) => it.state);
    await show({ model: 'verbs', prompt: 'Xyz qq' });
    assert.equal(
      await written.locator('[role=alert]').innerText(),
      'The figure cannot be read: the vocabulary has no word "Xyz"',
    );
    await show(state);
    await rest(page);
    assert.deepEqual(await written.locator('[role=alert]').allInnerTexts(), []);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 375, `${wide} px`);

    await goTo('strategies');
    assert.equal(
      await page.locator('logit-compare').count(),
      0,
      'nothing is written before it shows',
    );
    assert.match(await answer(1, 0), /^Right\./);
    await page.locator('logit-ranking').waitFor();
    assert.equal(await page.locator('logit-compare-controls').count(), 0);
    assert.match(await answer(4, 1), /^Right\. About 10 bits/);
    if (LONG) assert.deepEqual(await axe(page), []);
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  },
);

long('changing the language keeps typed answers, settings and refusals', async () => {
  const { page, complaints, foreign, close } = await open('?lesson=temperature&lang=en');
  const field = question(page, 1).locator('input');
  await field.fill('much');
  await question(page, 1).locator('button.primary').click();
  assert.match(await said(page, 1), /“much” is not a number/);
  await field.fill('62');
  const figure = page.locator('logit-figure').nth(1);
  await figure.locator('[role=slider]').first().press('Home');
  const patch = () => figure.evaluate((it) => it.patch);
  const set = await until(patch, ({ settings }) => settings?.temperature === 0);
  const asked = question(page, 2);
  await rest(page); // otherwise the figure's own change would reset the question
  await asked.evaluate((it) => (it.shown = { model: 'verbs', prompt: 'Xyz qq' }));
  await asked.locator('input').fill('0.5');
  await asked.locator('button.primary').click();
  const refused = asked.locator('.said');
  const english = 'The figure cannot be read: the vocabulary has no word "Xyz"';
  await until(() => refused.innerText(), english);

  await page.locator('logit-preferences [popovertarget]').click();
  await page.getByText('Español').click();
  await page.keyboard.press('Escape');
  await until(
    () => question(page, 1).locator('button.primary').innerText(),
    (text) => text !== 'Check',
  );
  await rest(page);
  assert.equal(await field.inputValue(), '62');
  assert.equal(await said(page, 1), '', 'nothing is said in English beside Spanish');
  assert.match(await refused.innerText(), /^No se puede leer la figura: .*“?Xyz/);
  assert.deepEqual(await patch(), set);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});

long(
  'going from the instrument to a lesson and back keeps all settings and adds no language to the address',
  async () => {
    const { page, complaints, close } = await bench.open({
      path: '?view=landscape#prompt=They+all&temperature=1.3&seed=7&top_p=0.9',
      ready: false,
      fresh: true,
    });
    const scope = page.locator('logit-scope');
    const state = () =>
      scope.evaluate(({ state: { prompt, seed, settings } }) => ({ prompt, seed, settings }));
    const settled = () =>
      until(() => scope.evaluate((it) => it.settled().then(() => it.ready)), Boolean);
    await settled();
    await scope.locator('logit-landscape .big input').fill('1.7');
    await page.keyboard.press('Enter');
    await settled();
    const before = await state();
    assert.deepEqual(
      [before.settings.temperature, before.settings.top_p, before.seed],
      [1.7, 0.9, 7],
    );
    // Leaves the page immediately, before it updates its address.
    await page.getByRole('link', { name: 'Learn' }).click();
    await page.locator('logit-lesson .list li a').first().click();
    await page.locator('logit-question').first().waitFor();
    assert.equal(new URL(page.url()).search, '?lesson=one-token');
    await page.getByRole('link', { name: 'Learn' }).click();
    await page.locator('logit-lesson .list').waitFor();
    await page.getByRole('link', { name: 'Explore' }).click();
    await settled();
    assert.deepEqual(await state(), before);
    assert.equal(new URL(page.url()).searchParams.get('lang'), null);

    // A language in the address applies to this tab only: a new tab does not use it.
    await page.goto(`${bench.url}?lang=es#temperature=0.4`);
    await settled();
    await page.getByRole('link', { name: 'Lecciones' }).click();
    await page.locator('logit-lesson nav a').first().click();
    await settled();
    assert.equal(new URL(page.url()).searchParams.get('lang'), 'es');
    assert.equal((await state()).settings.temperature, 0.4);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long('every slider of a question has a box or steps, for touch and keys, at 375 px', async () => {
  const { page, complaints, close } = await open('?lesson=same-seed&lang=en', {
    viewport: { width: 375, height: 800 },
  });
  await page.locator('logit-lesson').evaluate((lesson) => lesson.restore('again:1 tiny:1'));
  await rest(page);
  const control = page.locator('[data-control=temperature]');
  const shown = () => control.locator('output').innerText();
  const [less, more] = ['Less: temperature', 'More: temperature'].map((name) =>
    control.getByRole('button', { name }),
  );
  for (const box of [await less.boundingBox(), await more.boundingBox()])
    assert.ok(Math.min(box.width, box.height) >= 40, JSON.stringify(box));
  await control.getByRole('slider', { name: 'temperature' }).fill('0.83');
  for (let n = 0; n < 2; n++) await less.click();
  await less.press('Enter');
  assert.equal(await shown(), '0.8');
  await page.locator('[data-control=seed] input').fill('7');
  await until(() => said(page, 3), /^Right\. Lily and her big dream/);
  assert.match(
    await page.locator('logit-written-text .sum').innerText(),
    /^Check sum of the new text\s+1358fa45/i,
  );
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 375);
  assert.deepEqual(complaints, []);
  await close();
  for (const name of LONG ? ['bias', 'repetition'] : ['repetition']) {
    const { page: other, close: end } = await open(`?lesson=${name}&lang=en`);
    for (const figure of await other.locator('logit-figure').all()) {
      const ranges = await figure.locator('.control input[type=range]').count();
      assert.equal(await figure.locator('.control .step').count(), 2 * ranges);
      const landscapes = await figure.locator('logit-landscape').count();
      assert.equal(await figure.locator('.headline input:visible').count(), 2 * landscapes);
    }
    if (name === 'repetition') {
      await other.locator('logit-lesson').evaluate((lesson) => lesson.restore('none:1'));
      const walk = other.locator('logit-sweep .steps');
      const points = other.locator('logit-sweep').getByRole('slider');
      const number = (name) => points.getAttribute(name).then(Number, () => 0);
      await until(
        () => number('aria-valuemax'),
        (n) => n > 3,
      );
      const at = await number('aria-valuenow');
      await walk.getByRole('button', { name: 'Next point' }).press('Enter');
      await until(() => number('aria-valuenow'), at + 1);
      await walk.getByRole('button', { name: 'Previous point' }).click();
      await until(() => number('aria-valuenow'), at);
    }
    await end();
  }
});

long(
  'the lesson on whole sentences judges by their law and shows it: ranks, beams, a mask, a temperature',
  async () => {
    const { page, complaints, foreign, close } = await open('?lesson=sentences&lang=en', {
      viewport: { width: 375, height: 800 },
    });
    assert.equal(await page.locator('logit-sentences').count(), 1, 'the others count nothing yet');
    const choose = async (place, option, heard) => {
      await question(page, place).locator('input[type=radio]').nth(option).check();
      await question(page, place).locator('button.primary').click();
      await until(() => said(page, place), heard);
    };
    const figure = (part) => page.locator('article > section').nth(part).locator('logit-sentences');
    await choose(1, 0, /^Not yet.*another sentence on top/);
    await choose(1, 2, /^Right\. It has 1\.34%/);
    await figure(0).getByText('rank 19.').waitFor();
    await choose(5, 2, /^Right\. Three beams/);
    const rows = figure(2).locator('.beams tbody tr');
    await rows.nth(3).waitFor();
    assert.deepEqual(await rows.locator('td:last-child').allInnerTexts(), ['5', '1', '16', '6']);
    await choose(7, 2, /^Right\. Only the first word is free/);
    await question(page, 8).locator('input').fill('97.3 %');
    await question(page, 8).locator('button.primary').click();
    await figure(3).getByText('72.7%').first().waitFor();
    await choose(3, 1, /^Right\. It has 24\.0%/);
    for (const [part, place, temperature, heard] of [
      [1, 4, '0.3', /^Not yet\. Greedy’s sentence leads already/],
      [1, 4, '0.5', /^Right\. Three sentences lead/],
      [4, 9, '1.35', /^Right\. At T = 1\.36/],
    ]) {
      const section = page.locator('article > section').nth(part);
      await section.locator('[data-control=temperature] input').fill(temperature);
      if (temperature === '0.3') await question(page, place).locator('button.primary').click();
      await until(() => said(page, place), heard);
    }
    await figure(4).getByText('95.3 right').waitFor();
    await figure(1).getByText('The most probable is “went to school”: 7.37%').waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 375, `${wide} px`);
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  },
);

long('an invalid seed is refused beside its box, and the text stays', async () => {
  const { page, complaints, foreign, close } = await open('?lesson=same-seed&lang=en');
  for (const place of [1, 2]) {
    await question(page, place).locator('input[type=radio]').first().check();
    await question(page, place).locator('button.primary').click();
  }
  await rest(page);
  const figure = page.locator('logit-figure', { has: page.locator('[data-control=seed]') }).first();
  const box = figure.locator('[data-control=seed] input');
  const written = () => figure.locator('logit-written-text code').innerText();
  const before = await until(written, (sum) => sum !== '');
  for (const [typed, why] of [
    ['-1', 'must be between 0 and 9,007,199,254,740,991, got -1'],
    ['', 'needs a number'],
  ]) {
    await box.fill(typed);
    await box.press('Enter');
    assert.equal(await figure.locator('.controls [role=alert]').innerText(), `Seed ${why}`);
    await rest(page);
    assert.deepEqual([await box.inputValue(), await written()], [typed, before]);
  }
  await box.fill('7');
  await box.press('Enter');
  await until(written, (sum) => sum !== before);
  assert.equal(await figure.locator('.controls [role=alert]').count(), 0);
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

test('a lesson in the address has an order for the keyboard and a token to name, and refuses an unknown one', async () => {
  const path = (lesson, theme = 'auto') =>
    `?lesson&lang=en&theme=${theme}#lesson=${encodeURIComponent(JSON.stringify(lesson))}`;
  const { page, complaints, foreign, close } = await open(path(CARRIED));
  const up = (item) => question(page, 1).getByRole('button', { name: `Move up: ${item}` });
  // The items begin in the order two, one, three, so one step up of "one" gives the right order.
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

long(
  'marks belong to one lesson, not to a shipped one of that name or a corrected question, and can be cleared',
  async () => {
    const path = (lesson) => `?lesson&lang=en#lesson=${encodeURIComponent(JSON.stringify(lesson))}`;
    const mine = { ...CARRIED, name: 'top-p' };
    const { page, complaints, close } = await open(path(mine));
    await question(page, 1).locator('button.primary').click();
    await rest(page);
    const { state } = await result(page);
    assert.notEqual(state, '');
    const at = async (address) => {
      await page.goto(`${bench.url}LICENSES.txt`); // otherwise only the fragment would change
      await page.goto(bench.url + address);
      await page.locator('logit-question').first().waitFor();
      await rest(page);
      return (await result(page)).state;
    };
    assert.equal(await at('?lesson=top-p&lang=en'), '');
    const corrected = structuredClone(mine);
    corrected.parts[0].questions[0].ask = 'corrected';
    assert.equal(await at(path(corrected)), '');
    assert.equal(await at(path(mine)), state, 'as it was left');

    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.getByRole('button', { name: 'Keep them' }).click();
    assert.equal((await result(page)).state, state);
    await page.getByRole('button', { name: 'Begin again' }).click();
    await page.getByRole('button', { name: 'Forget them' }).click();
    await rest(page);
    assert.equal((await result(page)).state, '');
    assert.equal(await said(page, 1), '');
    if (LONG) assert.equal(await at(path(mine)), '');
    assert.equal(await at('?lesson=temperature&lang=en'), '');
    await page.getByRole('link', { name: 'Next lesson' }).click();
    await page.waitForURL(/lesson=top-k/);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'a host page hears each answer, gets and sets the state, and hears of a message that is not understood',
  async () => {
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
    await frame.locator('logit-class-code').waitFor();
    const again = frame.getByRole('button', { name: 'Begin again' });
    assert.equal(await again.count(), 0, 'a host is told of no score that falls');
    const told = await until(() => hear(({ attempts }) => attempts === 1), Boolean);
    assert.deepEqual([told.type, told.score], ['logitscope:result', 0]);
    const [, name] = /^([\w-]+):1$/.exec(told.state);

    // Sets a state from another machine, with a right answer.
    const state = `${name}:3r`;
    const set = await until(() => ask('set', { type: 'logitscope:set', state }), Boolean);
    assert.deepEqual([set.score, set.attempts, set.state], [1 / 7, 3, state]);
    for (const [id, message] of Object.entries({
      long: { type: 'logitscope:set', state: 'x'.repeat(5000) },
      none: { type: 'logitscope:set' },
      other: { type: 'logitscope:step' },
    })) {
      const refused = await until(() => ask(id, message), Boolean);
      assert.deepEqual([refused.type, refused.code], ['logitscope:error', 'invalid_argument'], id);
      assert.match(refused.message, /\S/);
    }
    assert.equal(
      (await until(() => ask('after', { type: 'logitscope:get' }), Boolean)).state,
      state,
    );

    // The lesson takes messages only from a host page, so it must ignore those of its own window.
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
  },
);

long('learner code runs in a sandbox, its fault is named, and a reload keeps it', async () => {
  const { page, complaints, close } = await open('?lesson=write-it&lang=en');
  const editor = question(page, 1).locator('textarea');
  await editor.waitFor();
  const { parts } = JSON.parse(
    await readFile(new URL('../../web/lessons/write-it.en.json', import.meta.url), 'utf8'),
  );
  const [{ example }] = parts[0].questions;
  const check = async (code) => {
    await editor.fill(code);
    await editor.press('Control+Enter');
    await until(
      () => question(page, 1).evaluate((it) => it.busy),
      (busy) => !busy,
    );
    await rest(page);
    return said(page, 1);
  };
  // tests/node/planted-faults.test.js covers each type of error.
  assert.match(
    await check('export default (logits) => logits;'),
    /^Not yet\. It returns the logits as they came/,
  );
  // If the code's error is none of the known ones, the page names the first property that fails.
  const odd = example.replace('logit / T)', 'logit / T + (T > 3 ? 0.5 : 0))');
  assert.match(await check(odd), /^Not yet\. Fails: /);
  const divides = 'export default (logits, { temperature: T }) => logits.map((it) => it / T);';
  assert.match(
    await check(divides),
    /At T = 0 it divides by zero.* Give T = 0 a branch of its own\./s,
  );
  assert.equal((await result(page)).score, 0);
  assert.match(await question(page, 1).locator('.sum').innerText(), /hold, \d+ fail.* of 100/s);
  assert.match(
    await question(page, 1).locator('logit-code li').first().innerText(),
    /smallest input/,
  );
  assert.deepEqual(await axe(page), []);
  // Editing the code removes the verdict.
  await editor.press('Space');
  assert.equal(await said(page, 1), '');
  assert.equal(await question(page, 1).locator('.sum, logit-code li').count(), 0);
  await editor.fill('await new Promise((done) => setTimeout(done, 1000)); throw 1;');
  await editor.press('Control+Enter');
  await until(() => said(page, 1), 'Checking your answer…');
  await editor.press('Space');
  assert.equal(await said(page, 1), '');
  await until(() => said(page, 1), /^You changed your answer while it was being checked/);
  assert.match(await check('export default (;'), /could not be loaded/);
  assert.match(await check(example), /^Right\. It reorders nothing/);
  await editor.press('Space');
  assert.equal(await said(page, 1), '', 'nor is a right one');
  assert.equal((await result(page)).score, 1 / 10);
  assert.deepEqual(
    complaints.filter((text) => !text.includes('localStorage')),
    [],
  );
  // The page stores the code while the user types, before any check.
  await editor.fill(`${example} // mine`);
  await page.reload();
  await editor.waitFor();
  assert.equal(await editor.inputValue(), `${example} // mine`);
  assert.equal(await page.locator('iframe').count(), 0);
  await question(page, 2).locator('button.primary').click();
  await until(
    () => said(page, 2),
    (text) => text.startsWith('Not yet.'),
  );
  await question(page, 2).locator('[data-command=solution]').click();
  await rest(page);
  assert.match(await question(page, 2).locator('pre').innerText(), /export default function top_k/);
  await page.getByRole('button', { name: 'Begin again', exact: true }).click();
  await page.getByRole('button', { name: 'Forget them' }).click();
  await editor.waitFor();
  const begun = await editor.inputValue();
  assert.notEqual(begun, `${example} // mine`);
  await page.reload();
  await editor.waitFor();
  assert.equal(await editor.inputValue(), begun, 'what was written is forgotten too');
  await close();
});
