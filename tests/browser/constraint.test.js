/** Tests the constraint's card: its choices, their effects, the state in words, and a user's own grammar. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { temporaryFolder } from '../cleanup.js';
import { byteTokens, smallModel } from '../node/small_model.js';
import { cases, long } from '../long.js';
import {
  axe,
  expectTrace,
  FIRST,
  loadReference,
  openBench,
  readBars,
  START,
  until,
  unfoldStages,
} from './bench.js';

/** A model that can write JSON. The page's model verbs cannot. */
const folder = temporaryFolder();
const writer = join(folder, 'writer.gguf');
const printable = byteTokens().filter((_, byte) => byte >= 32 && byte < 127);
await writeFile(writer, smallModel({ tokens: [...printable, '<end>'], seed: 5 }));
let writes = false;

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
/** @type {Awaited<ReturnType<typeof loadReference>>} */
let scope;
before(async () => {
  const route = (path) => (writes && path.endsWith('verbs.gguf') ? writer : undefined);
  [bench, scope] = await Promise.all([openBench(route), loadReference()]);
});
after(() => Promise.all([bench?.close(), scope?.close()]));

const BALANCED = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };
const card = (page) => page.locator('logit-constraint');
async function addCard(page) {
  if (await card(page).count()) return; // a page of an earlier test may still show the card
  await unfoldStages(page);
  await page.locator('[data-add=constraint]').click();
}
/** Opens the page at its initial settings, perhaps in a page that an earlier test used. */
const open = () => bench.open({ path: `?lang=en${START}` });
const said = (page) => card(page).locator('#state').innerText();

long('a constraint allows tokens that could be part of the prompt', async () => {
  const { page, complaints, close } = await open();
  await addCard(page);
  await card(page).locator('select').selectOption('rules');
  await card(page).getByRole('button').click();
  await until(
    () => said(page),
    (text) => text.includes('allowed'),
  );
  scope.feed(scope.encode(FIRST).slice(0, -1));
  const { tokens } = scope.distribution({ ...BALANCED, top: 8 });
  await page.locator('logit-tape .given [data-place]').last().hover();
  const items = page.locator('logit-alternatives [data-alternative]');
  await items.first().waitFor();
  const seen = await items.evaluateAll((all) =>
    all.map(({ dataset }) => [dataset.alternative, dataset.p]),
  );
  assert.deepEqual(
    seen,
    tokens.map(({ id, p }) => [String(id), String(p)]),
  );
  assert.deepEqual(complaints, []);
  await close();
});

test("a user's own grammar removes the engine's tokens, in the bars and in words", async () => {
  const { page, complaints, close } = await open();
  await addCard(page);
  await card(page).locator('select').selectOption('rules');
  const grammar = 'root ::= " " [a-l]+ (" " [a-z]+)*';
  await card(page).locator('textarea').fill(grammar);
  await card(page).getByRole('button', { name: 'Use this grammar' }).click();
  scope.feed(scope.encode(FIRST));
  const trace = scope.distribution({ ...BALANCED, constraint: { grammar } });
  await expectTrace(page, trace);
  assert.ok(trace.tokens.some(({ removed_by: by }) => by === 'constraint'));
  assert.match(
    await said(page),
    new RegExp(
      `^In the rule root\\. Next may come\\s+␣\\s+${trace.stages[0].kept} tokens? allowed; the others held [\\d.]+% of the probability\\.$`,
    ),
  );
  await page.locator('logit-text').getByRole('button', { name: 'Step', exact: true }).click();
  const next = await until(
    () => said(page),
    (text) => text.startsWith('Complete'),
  );
  assert.match(next, /^Complete: the text may end here, or go on\. Next may come\s+a–[lz]/);
  await card(page).locator('select').selectOption('none');
  const rest = (bars) => bars.every(({ removed_by: by }) => by !== 'constraint');
  assert.ok(rest(await until(() => readBars(page), rest)));
  assert.equal(await card(page).locator('#state').count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test('a fault of a grammar is named beside it, and nothing else changes', async () => {
  const { page, close } = await open();
  await addCard(page);
  const bars = await readBars(page);
  await card(page).locator('select').selectOption('rules');
  await card(page).locator('textarea').fill('root ::= (');
  await card(page).getByRole('button').click();
  const text = await until(
    () => said(page),
    (now) => now.includes('Grammar'),
  );
  assert.match(text, /Grammar, line 1: a parenthesis is not closed with \)/);
  assert.equal(await card(page).locator('textarea').getAttribute('aria-invalid'), 'true');
  await card(page).locator('select').selectOption('json');
  const stuck = await until(
    () => said(page),
    (now) => now.startsWith('No token'),
  );
  assert.match(stuck, /^No token of this model can continue the text/);
  await card(page).locator('select').selectOption('none');
  const same = (now) => JSON.stringify(now) === JSON.stringify(bars);
  assert.ok(same(await until(() => readBars(page), same)));
  assert.equal(await page.locator('logit-scope .trouble').count(), 0);
  await close();
});

const LOOKS = /** @type {const} */ ([
  ['en', 'light'],
  ['es', 'dark'],
]);

// A long test: axe.test.js checks this card too.
long(
  'the card works by keyboard and axe finds nothing, in both languages, light and dark',
  async () => {
    for (const [lang, colorScheme] of LOOKS) {
      const { page, close } = await bench.open({ fresh: true, path: `?lang=${lang}`, colorScheme });
      await addCard(page);
      await card(page).locator('select').selectOption('rules');
      await card(page).locator('textarea').press('Tab');
      await page.keyboard.press('Enter');
      await until(
        () => said(page),
        (text) => text.includes('root'),
      );
      for (const summary of await card(page).locator('summary').all()) await summary.press('Enter');
      for (const text of await card(page).locator('details p').all())
        assert.ok(await text.isVisible());
      await card(page).locator('#banned_words').fill('home');
      await page.keyboard.press('Enter');
      assert.deepEqual(await axe(page), []);
      await close();
    }
  },
);

long('under a JSON constraint the state follows the text, and the text parses', async () => {
  writes = true;
  const { page, complaints, close } = await bench.open({ fresh: true });
  await addCard(page);
  await card(page).locator('select').selectOption('three_numbers');
  const first = await until(
    () => said(page),
    (text) => text.includes('allowed'),
  );
  assert.match(first, /^Next may come\s+\[\s+2 tokens allowed/);
  await card(page).locator('select').selectOption('rules');
  await card(page).locator('textarea').fill('root ::= "[" [0-9] ("," [0-9]){2} "]"');
  await card(page).getByRole('button').click();
  await page.evaluate(() => {
    globalThis.drawn = '';
    addEventListener(
      'logit-step',
      ({ detail }) => (globalThis.drawn += detail.special ? '' : detail.text),
    );
  });
  const states = [
    /^In the rule root\. Next may come\s+\[/,
    /0–9\s+10 tokens/,
    /,\s+1 token /,
    /0–9/,
    /,/,
    /0–9/,
    /\]/,
    /^Complete: only the end may come\./,
  ];
  for (const state of states) {
    await until(() => said(page), state);
    await page.locator('logit-text').getByRole('button', { name: 'Step', exact: true }).click();
  }
  const text = await until(
    () => page.evaluate(() => globalThis.drawn),
    (now) => now.endsWith(']'),
  );
  assert.equal(JSON.parse(text).length, 3, text);
  assert.deepEqual(complaints, []);
  await close();
  writes = false;
});

long(
  'the page calls a complete JSON text valid and an incomplete one cut off, and shows both',
  async () => {
    writes = true;
    const { page, complaints, close } = await bench.open({ fresh: true });
    const scopeElement = page.locator('logit-scope');
    const restore = (constraint, branch, others = {}) =>
      scopeElement.evaluate(
        (it, [constraint, branch, others]) =>
          it.restore({
            ...it.state,
            ...others,
            branch,
            settings: { ...it.state.settings, constraint },
          }),
        [constraint, branch, others],
      );
    const ids = (text) => [...text].map((character) => character.charCodeAt(0) - 32);
    const verdict = page.locator('logit-text .verdict');
    const plain = page.locator('logit-text pre');
    await restore({ schema: { enum: [[1, 2]] }, space: 0 }, ids('[1,2]'));
    await page.locator('logit-text [data-command=step][aria-disabled=false]').waitFor();
    assert.equal(await plain.count(), 0, 'not before it has ended');
    await page.locator('logit-text [data-command=step]').click();
    await plain.waitFor();
    assert.equal(await plain.innerText(), '[1,2]');
    assert.equal(await verdict.innerText(), 'Valid JSON');
    const cut = `"${'a'.repeat(cases(9, 99))}`;
    await restore({ schema: { type: 'string', maxLength: cases(20, 200) } }, ids(cut), {
      max_new_tokens: cut.length,
    });
    await plain.waitFor();
    assert.equal(await plain.innerText(), cut);
    assert.equal(await verdict.innerText(), 'Not finished: the JSON is cut off');
    assert.deepEqual(complaints, []);
    await close();
    writes = false;
  },
);
