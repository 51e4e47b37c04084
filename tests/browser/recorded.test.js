/**
 * Tests recorded probabilities on the page: a real file, its text, bars that equal the bounds in Node, the audit, a hostile
 * file, the keyboard and a reload. The file is given by choosing it and by dropping it.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { readRecord } from '../../web/import/logprobs.js';
import { auditRecord } from '../../web/sources/audit.js';
import { boundsOf } from '../../web/sources/bounds.js';
import { positionAt } from '../../web/sources/record-position.js';
import { exampleRecord } from '../../web/views/logits/record-example.js';
import { LONG } from '../long.js';
import { axe, openBench, openSheet, settle, until } from './bench.js';

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
/** @type {Logitscope} */
let scope;
before(async () => ([bench, scope] = await Promise.all([openBench(), Logitscope.load({})])));
after(() => Promise.all([bench?.close(), scope?.close()]));

const text = exampleRecord();
const record = { ...readRecord(text), vocab_size: null };
const SETTINGS = { temperature: 1.3, min_p: 0.02 };

/** Drops a file anywhere on the page. */
const drop = (page, name, content) =>
  page.evaluate(
    ([name, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], name));
      document.body.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, composed: true }),
      );
    },
    [name, content],
  );

/** The intervals of the bars by token index. */
const readIntervals = (page) =>
  page
    .locator('logit-logits .row[data-id]:not([data-id=rest])')
    .evaluateAll((rows) =>
      Object.fromEntries(
        rows.map(({ dataset: { id, p, pHigh = p } }) => [id, [Number(p), Number(pHigh)]]),
      ),
    );

test('a dropped record shows its text; a token shows its position with the intervals of boundsOf', async () => {
  const { page, complaints, foreign } = await bench.open();
  await drop(page, 'answer.json', text);
  const tokens = page.locator('logit-record [role=option]');
  await tokens.nth(35).waitFor();
  // The line below a token has the strength of its surprise.
  const strengths = await tokens.evaluateAll((all) =>
    all.map(({ style }) => style.getPropertyValue('--heat')),
  );
  const surprises = record.positions.map(({ token }) => -token.logprob / Math.LN2);
  assert.deepEqual(
    strengths,
    surprises.map((bits) => Math.min(1, bits / 6).toFixed(2)),
  );
  const words = (await page.locator('logit-record .text').innerText()).replace(/\s+/g, ' ');
  assert.match(words, /looked around to see the sun there\. He said to himself/);
  await tokens.nth(4).click();
  for (const [name, value] of Object.entries(SETTINGS)) {
    if (name === 'min_p')
      await page.locator('logit-logits logit-chain').getByRole('button', { name: /Min-p/ }).click();
    await page.locator(`logit-logits logit-knob[data-name=${name}] .box`).fill(String(value));
    await page.keyboard.press('Enter');
  }
  const expectAt = async (at, vocab_size) => {
    const { top, half_unit } = record.positions[at];
    const partial = { logprobs: top.map(({ logprob }) => logprob), vocab_size, half_unit };
    const bounds = await boundsOf(scope, partial, SETTINGS);
    const expected = Object.fromEntries(bounds.tokens.map(({ index, p }) => [index, [...p]]));
    assert.deepEqual(
      await until(
        () => readIntervals(page),
        (found) => JSON.stringify(found) === JSON.stringify(expected),
      ),
      expected,
    );
    return bounds;
  };
  const wide = await expectAt(4, null);
  assert.ok(wide.tokens.some(({ p: [low, high] }) => high - low > 0.05));
  assert.ok((await page.locator('logit-logits .range').count()) > 0);
  const line = page.locator('logit-logits .card[data-stage=temperature] .tail');
  assert.equal(await line.innerText(), 'depends on the hidden tail');
  if (!LONG) {
    await settle(page);
    await page.reload();
    await page.locator('logit-record [aria-selected=true][data-at="4"]').waitFor();
    await expectAt(4, null);
    assert.deepEqual([complaints, foreign], [[], []]);
    return;
  }
  // The size of the vocabulary narrows the intervals.
  await page.locator('#vocabulary').fill('2048');
  await page.keyboard.press('Enter');
  const narrow = await expectAt(4, 2048);
  const widest = ({ tokens: all }) => Math.max(...all.map(({ p: [low, high] }) => high - low));
  assert.ok(widest(narrow) <= widest(wide));
  // The text shows the tokens that the settings remove.
  const gone = () =>
    page
      .locator('logit-record [data-fate=gone]')
      .evaluateAll((all) => all.map(({ dataset }) => Number(dataset.at)));
  const removed = await Promise.all(
    record.positions.map(async (_, at) => {
      const { partial, drawn } = positionAt({ ...record, vocab_size: 2048 }, at);
      return typeof (await boundsOf(scope, partial, SETTINGS)).tokens[drawn].removed_by === 'string'
        ? [at]
        : [];
    }),
  );
  assert.deepEqual(
    await until(gone, (found) => found.join() === removed.flat().join()),
    removed.flat(),
  );
  // The keyboard walks through the text.
  await page.locator('logit-record .text').focus();
  await page.keyboard.press('ArrowRight');
  await expectAt(5, 2048);
  assert.equal(
    await page.locator('logit-record [aria-selected=true]').getAttribute('data-at'),
    '5',
  );
  await page.keyboard.press('Home');
  await expectAt(0, 2048);
  // The audit equals the one in Node, and a proof leads to its position.
  await page.locator('logit-audit summary').click();
  const audit = await auditRecord(
    { ...record, vocab_size: 2048 },
    { ...SETTINGS, min_p: 0.1 },
    scope,
  );
  await page.locator('logit-logits logit-knob[data-name=min_p] .box').fill('0.1');
  await page.keyboard.press('Enter');
  const proofs = () =>
    page
      .locator('logit-audit [data-proof]')
      .evaluateAll((all) => all.map(({ dataset }) => Number(dataset.proof)));
  const expected = audit.proofs.map(({ position }) => position);
  assert.ok(expected.length > 0);
  await until(proofs, expected);
  await page.locator('logit-audit [data-proof]').first().click();
  await page.locator(`logit-record [aria-selected=true][data-at="${expected[0]}"]`).waitFor();
  await until(() => page.locator('logit-logits .shown').innerText(), /removed by min-p/);
  await settle(page);
  assert.deepEqual(await axe(page), []);
  // Explore shows the listed tokens alone, and its knob is that of the bench.
  await page.locator('logit-record-explore summary').click();
  const { top } = record.positions[expected[0]];
  const listed = top.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
  const explored = (call) =>
    page.locator('logit-record-explore logit-landscape').evaluate((it, value) => {
      if (value) it.lines.grab();
      if (value) it.lines.move({ value });
      return it.content.shown?.reading?.trace.tokens.map(({ p_raw }) => p_raw);
    }, call);
  const shares = await until(explored, (found) => found?.length === top.length);
  for (const [i, { logprob }] of top.entries())
    assert.ok(Math.abs(shares[i] - Math.exp(logprob) / listed) < 1e-6);
  await explored(2);
  // The record, the place in it and the knob survive a reload, also before the picture is at rest.
  await page.reload();
  await page.locator(`logit-record [aria-selected=true][data-at="${expected[0]}"]`).waitFor();
  const box = page.locator('logit-logits logit-knob[data-name=temperature] .box');
  await until(() => box.inputValue(), '2');
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
});

test('a hostile record is refused in one sentence or shown as text; a large one says that it is not kept', async () => {
  const { page, complaints } = await bench.open();
  await openSheet(page, 'recorded');
  await page.locator('logit-record [data-command=record]').waitFor();
  await page.locator('logit-record textarea').fill('{"logprobs": {"content": [');
  const error = () => page.locator('logit-record .error[role=alert]').innerText();
  assert.match(await until(error, (words) => words !== ''), /^\S.*\.$/);
  const evil = '<img src=x onerror="document.title=1">\u202e';
  const item = (logprob) => ({
    token: evil,
    logprob,
    top_logprobs: [
      { token: evil, logprob },
      { token: 'b', logprob: -2 },
    ],
  });
  // The page shows 2,000 tokens at once. `make test` shows few, since each takes time to paint.
  const count = LONG ? 2001 : 40;
  const content = Array.from({ length: count }, () => item(-0.2));
  const large = JSON.stringify({
    choices: [{ message: { role: 'assistant', content: '' }, logprobs: { content } }],
    pad: 'x'.repeat(500_000),
  });
  await page
    .locator('logit-record input[type=file]')
    .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from(large) });
  await page.locator(`logit-record [data-at="${Math.min(count, 2000) - 1}"]`).waitFor();
  assert.equal(await page.locator('logit-record img').count(), 0);
  assert.match(await page.locator('logit-record [data-at="0"]').innerText(), /<img\ssrc=x/);
  assert.match(
    await page.locator('logit-record [role=status]:not(.fates)').innerText(),
    /too large/,
  );
  assert.deepEqual(complaints, []);
  if (!LONG) return;
  await page.locator('logit-record [data-command=later]').click();
  await page.locator('logit-record [aria-selected=true][data-at="2000"]').waitFor();
  await page.reload();
  assert.match(await until(error, (words) => words !== ''), /too large/);
  assert.deepEqual(complaints, []);
});
