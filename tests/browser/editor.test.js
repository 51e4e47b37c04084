/**
 * Tests the lesson editor: a start from the instrument, keyboard use, errors beside their fields, import and export.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { LONG, long, sample } from '../long.js';
import { axe, openBench, until } from './bench.js';
import { question, rest, said } from './lesson-page.js';

const bench = closed(await openBench());

/** Finds a field of the form by its path in the draft. */
const field = (page, place) =>
  page.locator(
    `logit-lesson-editor [role=form] [id="${place}"], logit-lesson-editor [role=form] [name="${place}"]`,
  );
const fill = async (page, place, text) => {
  await field(page, place).fill(text);
  await field(page, place).blur();
};
const command = (page, name) => page.locator(`logit-lesson-editor [data-command=${name}]`);
const notice = (page) => page.locator('logit-lesson-editor .notice').innerText();
const draft = (page) => page.locator('logit-lesson-editor').evaluate((editor) => editor.draft);
const computed = (page) =>
  page.locator('logit-lesson-editor [role=form] logit-measured-value strong').first().innerText();

/** Returns the element with the keyboard focus. */
const focused = (page) =>
  page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at?.id;
  });

async function open(path, options = {}) {
  const opened = await bench.open({ path, ready: false, fresh: true, ...options });
  await field(opened.page, 'title').waitFor();
  await rest(opened.page);
  return opened;
}

test('a lesson of the current screen gets a question, and the draft survives a reload', async () => {
  const { page, complaints, foreign, close } = await open(
    '?lesson=new&model=verbs&lang=en#prompt=Today%20she&temperature=0.7&seed=7&logit_bias=3:1',
  );
  assert.match(await notice(page), /No lesson can hold these parts of it: logit_bias\./);
  const begun = (await draft(page)).parts[0].figure.state;
  assert.deepEqual([begun.model, begun.settings, begun.seed], ['verbs', { temperature: 0.7 }, 7]);
  for (const name of ['title', 'aim', 'result']) await fill(page, name, `My ${name}`);
  await page.locator('logit-lesson-editor .figure .segments button').last().click(); // own logits
  await fill(page, 'parts[0].figure.state.settings.temperature', '1');
  await rest(page);
  await command(page, 'question').click();
  await fill(page, 'parts[0].questions[0].ask', 'How probable is A?');
  await rest(page);
  assert.match(await computed(page), /^0\.629/);
  await fill(page, 'parts[0].questions[0].right', 'Yes.');
  await page.locator('.sound').waitFor();
  const written = await draft(page);
  assert.equal(written.title, 'My title');
  await page.reload();
  await field(page, 'title').waitFor();
  assert.match(await notice(page), /Your draft “My title” is here again/);
  assert.deepEqual(await draft(page), written);
  assert.deepEqual([complaints, foreign], [[], []]);
  await close();
});

long(
  'a lesson made from the current screen can be written, tried, corrected, exported and imported',
  async () => {
    const hash = '#prompt=Lily%20wanted%20to&temperature=0.7&seed=7&logit_bias=3:1&branch=262';
    const { page, complaints, foreign, close } = await open(
      `?lesson=new&model=stories&lang=en${hash}`,
      { permissions: ['clipboard-read', 'clipboard-write'] },
    );
    assert.match(await notice(page), /No lesson can hold these parts of it: logit_bias\./);
    assert.equal(new URL(page.url()).hash, '', 'a reload does not take it once more');
    const begun = (await draft(page)).parts[0].figure.state;
    assert.deepEqual(
      [begun.model, begun.settings, begun.seed],
      ['stories', { temperature: 0.7 }, 7],
    );
    assert.match(begun.prompt, /^Lily wanted to.+/, 'and what was drawn');
    const guess = 'parts[0].figure.guess';
    const guessed = page.locator(`[name="${guess}"]`);
    await guessed.check();
    await fill(page, `${guess}.ask`, 'Draw the next token.');
    await fill(page, `${guess}.tokens`, 'go, play');
    assert.deepEqual((await draft(page)).parts[0].figure.guess, {
      ask: 'Draw the next token.',
      tokens: ['go', 'play'],
    });
    await page.locator('logit-guess').getByText('Draw the next token.').waitFor();
    await guessed.uncheck();
    assert.equal((await draft(page)).parts[0].figure.guess, undefined);
    if (LONG) assert.deepEqual(await axe(page), []);

    const form = page.locator('logit-lesson-editor [role=form]');
    const errors = () => form.locator('.error').count();
    assert.deepEqual([await errors(), await form.locator('[aria-invalid=true]').count()], [0, 0]);

    // An error is shown beside its field; its entry in the list moves the focus there.
    await page.locator('.faults summary').click();
    await page.locator('.faults .jump').first().click();
    await until(() => focused(page), 'title');
    await page.keyboard.type('Más frío');
    assert.equal(await errors(), 0, 'nobody has left a field empty yet');
    await field(page, 'aim').focus();
    await field(page, 'result').focus();
    await until(errors, 1);
    assert.match(await field(page, 'aim').getAttribute('aria-describedby'), /aim-fault/);
    await command(page, 'link').click();
    await until(errors, 2);
    assert.match(await page.locator('[id="result-fault"]').innerText(), /Still to be filled in/);
    await fill(page, 'aim', 'See it.');
    await fill(page, 'result', 'Seen <b>it</b>.');
    assert.equal((await draft(page)).name, 'mas-frio');
    assert.match(await page.locator('[id="result-fault"]').innerText(), /holds HTML/);
    await command(page, 'link').click();
    assert.match(await notice(page), /1 thing is still to be mended/);
    await until(() => focused(page), 'result');
    await fill(page, 'result', 'Seen.');
    assert.equal(await page.locator('[id="result-fault"]').count(), 0);

    // Enters the author's own logits, a question, its answer, and a typical wrong answer.
    const figure = page.locator('logit-lesson-editor [role=form] .figure');
    await figure.locator('.segments button').last().click();
    await fill(page, 'parts[0].figure.state.settings.temperature', '1');
    await rest(page);
    await command(page, 'question').focus();
    await page.keyboard.press('Enter');
    const q = 'parts[0].questions[0]';
    await until(() => focused(page), `${q}.ask`);
    await page.keyboard.type('How probable is A?');
    await rest(page);
    assert.match(await computed(page), /^0\.629/);
    await fill(page, `${q}.right`, 'Yes.');
    await figure.locator('[role=slider]').first().press('Home');
    await until(() => command(page, 'take').getAttribute('aria-disabled'), 'false');
    assert.match(await computed(page), /^0\.629/, 'it was not taken yet');
    await command(page, 'take').click();
    await until(() => computed(page), /^1\.000/);
    await command(page, 'undo').click();
    await until(() => computed(page), /^0\.629/);
    await page.getByRole('button', { name: 'Add a wrong answer' }).click();
    await until(() => focused(page), `${q}.wrong[0].say`);
    await page.keyboard.type('Half.');
    await fill(page, `${q}.wrong[0].equals`, '0.5');
    await page.locator('.sound').waitFor();

    // The preview runs the lesson but stores nothing.
    await question(page, 1).locator('input').fill('0.5');
    await question(page, 1).locator('button.primary').click();
    await rest(page);
    assert.match(await said(page, 1), /Half\./);
    assert.equal(await page.evaluate(() => localStorage.getItem('logitscope-lessons')), null);

    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await command(page, 'embed').click();
    await until(() => notice(page), /The line is copied\.$/);
    assert.match(
      await clipboard(),
      /^<iframe src="http[^"]+\?lesson&amp;lang=en#lesson=[^"]+" title="Más frío"/,
    );
    await command(page, 'link').click();
    await until(() => notice(page), /The link is copied\.$/);
    const link = await clipboard();
    const guide = page.getByRole('link', { name: 'Guide and class' });
    assert.equal(await guide.getAttribute('href'), link.replace('?lesson&', '?lesson&guide&'));
    const downloading = page.waitForEvent('download');
    await command(page, 'download').click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), 'mas-frio.json');
    const file = await download.path();
    const written = await draft(page);
    if (LONG) assert.deepEqual(await axe(page), []);

    // The draft survives a reload, another page state and an export to a file.
    await page.reload();
    await field(page, 'title').waitFor();
    assert.match(await notice(page), /Your draft “Más frío” is here again/);
    assert.deepEqual(await draft(page), written);
    await page.goto(`${bench.url}?lesson=new&lang=es#prompt=Once%20upon%20a%20time&temperature=0`);
    await command(page, 'add').click();
    await until(() => focused(page), 'parts[1].title');
    assert.equal((await draft(page)).parts[1].figure.state.prompt, 'Once upon a time');
    const input = page.locator('logit-lesson-editor input[type=file]');
    await input.setInputFiles({
      name: 'a.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{'),
    });
    await until(() => notice(page), /^a\.json no se puede abrir/);
    // Imports a UTF-16 file with a byte order mark; bytes that are not text cause an error.
    const mimeType = 'application/json';
    const odd = { name: 'b.json', mimeType, buffer: Buffer.from([0x7b, 0xff, 0x7d]) };
    await input.setInputFiles(odd);
    await until(() => notice(page), /^b\.json no se puede abrir: .*UTF-16/);
    const buffer = Buffer.from(`\ufeff${readFileSync(file, 'utf8')}`, 'utf16le');
    await input.setInputFiles({ name: 'wide.json', mimeType, buffer });
    await until(
      () => draft(page),
      ({ parts }) => parts.length === 1,
    );
    assert.equal((await draft(page)).title, 'Más frío');
    await command(page, 'undo').click();
    await until(
      () => draft(page),
      ({ parts }) => parts.length === 2,
    );

    await page.goto(link);
    await question(page, 1).waitFor();
    assert.equal(await question(page, 1).locator('.ask').innerText(), 'How probable is A?');
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  },
);

const KINDS = {
  lesson: 1,
  name: 'kinds',
  title: 'Kinds',
  aim: 'a',
  result: 'b',
  guide: ['One.', 'Two.'],
  parts: [
    {
      figure: { show: 'landscape', state: { logits: [2, 1, 0], tokens: ['a', 'b', 'c'] } },
      questions: [
        {
          id: 'bound',
          kind: 'choice',
          ask: 'how many?',
          right: 'r',
          answer: { measure: 'kept', settings: { top_p: 0.9 } },
          options: [
            { text: 'one', value: 1, say: 'few' },
            { text: 'two', value: 2 },
          ],
        },
        {
          id: 'row',
          kind: 'order',
          ask: 'row',
          right: 'r',
          items: ['x', 'y'],
          wrong: [{ before: [1, 0], say: 'no' }],
        },
        {
          id: 'reach',
          kind: 'state',
          ask: 'reach',
          right: 'r',
          goal: { measure: 'kept', equals: 2 },
          wrong: [{ above: 2, say: 'many' }],
        },
        {
          id: 'name',
          kind: 'token',
          ask: 'name',
          right: 'r',
          answer: { measure: 'token_at_u', u: 0.7 },
          wrong: [{ measure: 'token', rank: 1, say: 'first' }],
        },
      ],
    },
  ],
};

long(
  'figures of every kind and code questions have fields: they are written, checked and shown',
  async () => {
    const { page, complaints, foreign, close } = await open('?lesson=new&lang=en#', {
      viewport: { width: 375, height: 800 },
    });
    assert.equal(await notice(page), '', 'nothing stood on a screen');
    const figure = async () => (await draft(page)).parts[0].figure;
    const show = async (kind) => {
      await field(page, 'parts[0].figure.show').selectOption(kind);
      await rest(page);
      assert.deepEqual([(await figure()).show, await errors()], [kind, 0]);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 375, kind);
    };
    const errors = () => page.locator('logit-lesson-editor .figure .error:not(:empty)').count();
    await show('sweep');
    await field(page, 'parts[0].figure.state.choices.figure').selectOption('entropy');
    await fill(page, 'parts[0].figure.state.choices.first.to', 'x');
    assert.equal(await errors(), 1, 'a refusal stands beside it');
    await fill(page, 'parts[0].figure.state.choices.first.to', '1.5');
    const { choices } = (await figure()).state;
    assert.deepEqual([choices.figure, choices.first.to], ['entropy', 1.5]);
    await show('compare');
    await show('cost');
    await fill(page, 'parts[0].figure.state.choices.new_tokens', '40');
    await rest(page);
    const shown = page.locator('logit-lesson-editor [role=form] logit-figure');
    assert.match(await shown.locator('.told').innerText(), /^40 new tokens/);
    await show('loop');
    assert.match(await shown.locator('.pieces').innerText(), /\S/);
    await show('text');
    await field(page, 'parts[0].figure.controls.constraint').check();
    assert.deepEqual((await figure()).controls, ['temperature', 'seed', 'constraint']);
    await rest(page);
    assert.equal(await shown.locator('logit-constraint').count(), 1);
    await command(page, 'question').click();
    await field(page, 'parts[0].questions[0].kind').selectOption('code');
    await field(page, 'parts[0].questions[0].as').selectOption('top_p');
    await fill(page, 'parts[0].questions[0].example', 'export default (logits) => logits;');
    await page.getByRole('button', { name: 'Add a wrong answer' }).click();
    await fill(page, 'parts[0].questions[0].wrong[0].fault', 'until_above');
    const [written] = (await draft(page)).parts[0].questions;
    assert.deepEqual(
      [written.kind, written.as, written.example, written.wrong],
      ['code', 'top_p', 'export default (logits) => logits;', [{ fault: 'until_above', say: '' }]],
    );
    if (LONG) assert.deepEqual(await axe(page), []);
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  },
);

long(
  'beside a form of several parts the preview shows the edited part, with the lesson’s numbers',
  async () => {
    const { page, complaints, close } = await open('?lesson=new&lang=en#', {
      viewport: { width: 1280, height: 720 },
    });
    const [part] = KINDS.parts;
    const other = {
      ...part,
      text: 'Now [cold](#temperature=0,1).',
      questions: part.questions.map((each) => ({ ...each, id: `${each.id}-2` })),
    };
    const buffer = Buffer.from(JSON.stringify({ ...KINDS, parts: [part, other] }));
    const file = { name: 'two.json', mimeType: 'application/json', buffer };
    await page.locator('logit-lesson-editor input[type=file]').setInputFiles(file);
    await page.locator('.faults summary').click();
    assert.match(
      await page.locator('.faults li').innerText(),
      /^Part 2 · [Tt]ext: .*"0,1"/,
      'a button in a text has no field of its own',
    );
    await page.locator('.faults .jump').click();
    await fill(page, 'parts[1].text', 'Now [cold](#temperature=0.1).');
    await rest(page);
    await page.locator('.sound').waitFor();
    const n = part.questions.length + 2;
    await page.locator('.questions > details > summary', { hasText: `Question ${n}` }).click();
    await field(page, 'parts[1].questions[1].ask').focus();
    const seen = () =>
      page.locator('.preview').evaluate((preview, place) => {
        const lesson = /** @type {any} */ (preview.querySelector('logit-lesson')).renderRoot;
        const asked = lesson.querySelectorAll('logit-question')[place - 1].getBoundingClientRect();
        const within = preview.getBoundingClientRect();
        return asked.top >= within.top - 1 && asked.top < within.bottom;
      }, n);
    await until(seen, Boolean);
    assert.ok(await page.locator('.preview').evaluate(({ scrollTop }) => scrollTop > 0));
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'each kind of question fits 375 px in Spanish, and a link that is too long says so',
  async () => {
    const { page, complaints, foreign, close } = await open('?lesson=new&lang=es', {
      viewport: { width: 375, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const input = page.locator('logit-lesson-editor input[type=file]');
    const long = { ...KINDS, extension: 'á '.repeat(990) };
    const buffer = Buffer.from(JSON.stringify(long));
    await input.setInputFiles({ name: 'kinds.json', mimeType: 'application/json', buffer });
    await page.locator('.sound').waitFor();
    const looked = sample([0, 1, 2, 3], 1);
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
    for (const [i, truth] of ['2 tokens', null, '3 tokens', '“b”'].entries()) {
      const at = `parts[0].questions[${i}]`;
      if (i > 0) await page.locator('.questions > details > summary').nth(i).click();
      await field(page, `${at}.ask`).waitFor();
      await rest(page);
      if (truth) assert.equal(await computed(page), truth, at);
      if (looked.includes(i)) assert.deepEqual(await axe(page), [], at);
      assert.ok((await wide()) <= 375, `${at}: ${await wide()} px`);
    }
    assert.deepEqual(await draft(page), long, 'to look changes nothing');
    await field(page, 'parts[0].questions[3].kind').selectOption('number');
    assert.deepEqual((await draft(page)).parts[0].questions[3].answer, { measure: 'p', rank: 1 });
    await command(page, 'undo').click();
    await command(page, 'link').click();
    await until(() => notice(page), /muchos programas cortan los enlaces/);
    await page.getByRole('button', { name: 'Vista previa' }).click();
    await question(page, 1).waitFor();
    assert.equal(await field(page, 'title').isVisible(), false);
    if (LONG) assert.deepEqual(await axe(page), []);
    assert.deepEqual([complaints, foreign], [[], []]);
    await close();
  },
);
