/** Tests every sampler on the page: its card, its bars and its draws. Also compares two conventions side by side. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareResults } from '../../web/state/order.js';
import { readTexts, writeTexts } from '../../web/state/escapes.js';
import { conventions } from '../../web/engine/presets.js';
import { closed } from '../cleanup.js';
import { LONG, cases, long, sample } from '../long.js';
import {
  axe,
  expectTrace,
  FIRST,
  loadReference,
  openBench,
  settle,
  unfoldDraw,
  unfoldStages,
  until,
} from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

/** Values for samplers that change nothing at their usual value after so few words. */
const VALUES = { no_repeat_ngram_size: 1, dry_multiplier: 3, xtc_probability: 0.6 };
const BASICS = ['temperature', 'top_k', 'top_p'];

const knob = (page, name) => page.locator(`logit-knob[data-name=${name}]`);

async function type(page, name, value) {
  await knob(page, name).locator('.box').fill(String(value));
  await page.keyboard.press('Enter');
}

async function add(page, name) {
  await unfoldStages(page);
  await page.locator(`[data-add=${name}]`).click();
  // A sampler that comes back keeps its details open.
  const more = page.locator(`[data-more=${name}]`);
  if ((await more.getAttribute('aria-expanded')) === 'false') await more.click();
}

const drawnIds = (page) =>
  page
    .locator('logit-text .step [data-place]')
    .evaluateAll((buttons) => buttons.map((b) => Number(b.dataset.id)));

/** Waits until the bars equal the engine's probabilities exactly; returns the trace. */
async function expectBars(page, ids, settings, step) {
  scope.feed(ids);
  const trace = scope.distribution({ seed: 42, ...settings }, { step });
  await expectTrace(page, trace);
  return trace;
}

/** Presses Step until `n` tokens are drawn; compares each with the bars before it. */
async function expectSteps(page, n, settings) {
  const ids = [...scope.encode(FIRST)];
  const traces = [];
  const state = settings.mirostat ? 'mirostat_mu' : 'adaptive_mean';
  let mu = 0;
  for (let step = 0; step < n; step++) {
    const asked = { seed: 42, ...settings, [state]: mu };
    traces.push(await expectBars(page, ids, asked, step));
    const drawn = scope.draw(asked, { step });
    await page.locator(`logit-draw .lands[data-drawn="${drawn.id}"]`).waitFor();
    await page.locator('[data-command=step]').click();
    const shown = page.locator('logit-text .step [data-place]').nth(step);
    await shown.waitFor();
    assert.equal(Number(await shown.getAttribute('data-id')), drawn.id);
    assert.equal(await shown.getAttribute('data-p'), String(drawn.p));
    ids.push(drawn.id);
    mu = drawn.mu ?? 0;
    if (drawn.id === scope.info.eos_token_id) break;
  }
  return traces;
}

async function openPlain(options) {
  const opened = await bench.open(options);
  await opened.page.locator('#preset').selectOption('transformers');
  await settle(opened.page); // otherwise an update could clear a selection that the test types over
  return opened;
}

const stageOf = (trace, name) => trace.stages.find((stage) => stage.name === name);

test('bars and draws are the engine’s with each sampler in use', async (t) => {
  const { page, complaints, close } = await openPlain();
  // guidance.test.js tests samplers that read a second text.
  const samplers = scope.table.filter(
    ({ sampler, kind, group }) => sampler && kind !== 'map' && group !== 'second',
  );
  for (const { name, usual } of sample(samplers, 1)) {
    const value = VALUES[name] ?? usual;
    await t.test(name, async () => {
      if (!BASICS.includes(name)) await add(page, name);
      await type(page, name, value);
      const settings = { [name]: value };
      const traces = await expectSteps(page, cases(2, 3), settings);
      assert.ok(traces.every((trace) => stageOf(trace, name).active));
      if (!['dry_multiplier', 'xtc_probability', 'mirostat'].includes(name))
        assert.ok(traces.some((trace) => stageOf(trace, name).changed));
      await page.locator('[data-command=reset]').click();
      if (BASICS.includes(name)) await type(page, name, name === 'top_k' ? 0 : 1);
      else {
        await knob(page, name).hover();
        await page.locator(`[data-remove=${name}]`).click();
      }
      await expectBars(page, scope.encode(FIRST), {}, 0);
      const cards = BASICS.includes(name) ? 1 : 0;
      assert.equal(await page.locator(`.card[data-stage=${name}]`).count(), cards);
    });
  }
  if (LONG)
    await t.test('repetition window', async () => {
      await add(page, 'repetition_penalty');
      await type(page, 'repetition_penalty', 1.5);
      await type(page, 'repetition_window', 1);
      await expectSteps(page, 2, { repetition_penalty: 1.5, repetition_window: 1 });
    });
  assert.deepEqual(complaints, []);
  await close();
});

long('XTC tosses the coin of the step, and many draws agree with its bars', async () => {
  const { page, close } = await openPlain();
  await add(page, 'xtc_probability');
  const settings = { xtc_probability: 0.5, xtc_threshold: 0.05 };
  await type(page, 'xtc_threshold', 0.05);
  await knob(page, 'temperature').getByRole('slider').press('End');
  const traces = await expectSteps(page, cases(4, 6), { ...settings, temperature: 3 });
  const tossed = traces.map((trace) => stageOf(trace, 'xtc_probability').removed > 0);
  assert.deepEqual(new Set(tossed), new Set([true, false]), String(tossed));
  await page.locator('[data-command=reset]').click();
  await unfoldDraw(page);
  await page.locator('[data-command=many]').click();
  const result = page.locator('logit-draw .result[data-total="1000"]');
  await result.waitFor();
  const [, distance] = /distance ([\d.]+)/.exec(await result.innerText()) ?? [];
  assert.ok(Number(distance) < 0.15, `${distance}`);
  await close();
});

for (const version of [1, 2]) {
  long(
    `Mirostat ${version} has a bound that follows the text, back and into a branch`,
    async () => {
      const { page, close } = await openPlain();
      await add(page, 'mirostat');
      const settings = { mirostat: version, mirostat_tau: 1, mirostat_eta: 0.9 };
      for (const [name, value] of Object.entries(settings)) await type(page, name, value);
      await expectSteps(page, 4, settings);
      const ids = await drawnIds(page);
      const generation = scope.generate({
        ...settings,
        prompt: FIRST,
        seed: 42,
        max_new_tokens: 4,
      });
      const steps = [];
      for await (const step of generation) steps.push(step);
      assert.deepEqual(
        ids,
        steps.map(({ id }) => id),
      );
      assert.equal(new Set(steps.map(({ mu }) => mu)).size, steps.length);

      // The first draw sets Mirostat's bound. It applies to the second token and to its alternatives.
      const before = [...scope.encode(FIRST), ids[0]];
      const bounded = { ...settings, seed: 42, mirostat_mu: steps[0].mu };
      scope.feed(before);
      const { tokens } = scope.distribution({ ...bounded, top: 8 }, { step: 1 });
      await page.locator('logit-text .step [data-place]').nth(1).hover();
      const items = page.locator('logit-alternatives [data-alternative]');
      await items.first().waitFor();
      assert.deepEqual(
        await items.evaluateAll((all) =>
          all.map(({ dataset }) => [dataset.alternative, dataset.p]),
        ),
        tokens.map(({ id, p }) => [String(id), String(p)]),
      );
      await page.locator('logit-alternatives [data-item=rewind]').click();
      await expectBars(page, before, bounded, 1);

      // A token that the user chooses, unlike a drawn one, does not change Mirostat's bound.
      const other = tokens.find(({ id, removed_by }) => id !== ids[1] && !removed_by) ?? tokens[1];
      await page.locator(`logit-distribution .row[data-id="${other.id}"]`).click();
      await page.locator('logit-token-menu [data-item=force]').click();
      await until(
        () => drawnIds(page),
        (all) => all.length === 2,
      );
      await expectBars(page, [...before, other.id], bounded, 2);
      await close();
    },
  );
}

test('the keyboard alone adds, moves and removes a sampler', async () => {
  const { page, complaints, close } = await openPlain();
  const focused = () =>
    page.evaluate(() => {
      let element = document.activeElement;
      const path = [];
      while (element) {
        path.push(element.dataset?.name ?? element.localName);
        element = element.shadowRoot?.activeElement;
      }
      return path.slice(-2).join('/');
    });
  const cards = () =>
    page.locator('logit-chain .card').evaluateAll((all) => all.map((card) => card.dataset.stage));
  await page.locator('[data-command=stages]').focus();
  await page.keyboard.press('Enter');
  await page.locator('[data-add=min_p]').focus();
  await page.keyboard.press('Enter');
  await until(focused, 'min_p/input');
  const shown = [...BASICS, 'min_p'];
  assert.deepEqual(await cards(), shown, 'in its canonical place');
  assert.equal(
    await page.locator('logit-chain [role=status]').first().innerText(),
    'Min-p added, place 4 of 4.',
  );
  await expectBars(page, scope.encode(FIRST), { min_p: 0.05 }, 0);
  await page.keyboard.type('0');
  await page.keyboard.press('Enter');
  await expectBars(page, scope.encode(FIRST), {}, 0);
  assert.deepEqual(await cards(), shown, 'a card stays while its knob is neutral');
  await page.keyboard.press('ArrowUp');

  await page.locator('.card[data-stage=min_p] .plug').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowUp');
  await until(cards, (names) => names[2] === 'min_p');
  await page.keyboard.press('Space');
  assert.deepEqual((await cards()).slice(-2), ['min_p', 'top_p']);

  await page.locator('[data-remove=min_p]').focus();
  await page.keyboard.press('Enter');
  assert.deepEqual(await until(cards, (names) => names.length === 3), BASICS);
  assert.match(await until(focused, (at) => at.endsWith('button')), /logit-chain\/button$/);
  assert.deepEqual(complaints, []);
  await close();
});

long('stages replaced by Mirostat say so, and DRY takes its breakers as text', async () => {
  const { page, close } = await openPlain();
  await type(page, 'top_k', 5);
  await add(page, 'mirostat');
  await knob(page, 'top_k').hover();
  await page.locator('[data-more=top_k]').click();
  const did = page.locator('.card[data-stage=top_k] .did');
  assert.match(await until(() => did.innerText(), /Mirostat/), /^Off here: Mirostat replaces it\./);
  await add(page, 'dry_multiplier');
  const box = page.locator('#dry_sequence_breakers');
  await box.fill('\\n : she');
  await page.keyboard.press('Enter');
  await expectBars(
    page,
    scope.encode(FIRST),
    { top_k: 5, mirostat: 2, dry_multiplier: 0.8, dry_sequence_breakers: ['\n', ':', 'she'] },
    0,
  );
  assert.equal(await box.inputValue(), '\\n : she');
  await close();
});

test('several texts in one box are read back unchanged', () => {
  for (const texts of [[], ['\n', ':', '"', '*'], [' a b', '\\n', '\t\\', '\\\\s']])
    assert.deepEqual(readTexts(writeTexts(texts)), texts);
});

test('the presets of other programs set values, order and rules', async () => {
  const { page, close } = await openPlain();
  for (const preset of ['llama.cpp', 'llama2.c']) {
    await page.locator('#preset').selectOption(preset);
    await expectBars(page, scope.encode(FIRST), { preset }, 0);
    assert.equal(await page.locator('#preset').inputValue(), preset);
  }
  await page.locator('#preset').selectOption('llama.cpp');
  assert.equal(await page.locator('.card').last().getAttribute('data-stage'), 'temperature');
  await unfoldStages(page);
  await page.locator('logit-chain summary', { hasText: 'More settings' }).click();
  await page.locator('#convention').selectOption('transformers');
  await until(() => page.locator('#preset').inputValue(), '');
  await expectBars(
    page,
    scope.encode(FIRST),
    { preset: 'llama.cpp', convention: 'transformers' },
    0,
  );
  await close();
});

long('two conventions side by side name the tokens that differ', async () => {
  const { page, complaints, close } = await openPlain();
  const settings = { temperature: 0.5, top_p: 0.8, min_p: 0.1, seed: 42 };
  await type(page, 'temperature', settings.temperature);
  await type(page, 'top_p', settings.top_p);
  await add(page, 'min_p');
  await type(page, 'min_p', settings.min_p);
  await unfoldStages(page);
  await page.locator('[data-beside] summary').click();
  const history = scope.encode(FIRST);
  scope.feed(history);
  const words = page.locator('logit-conventions .said');
  for (const pair of [
    ['transformers', 'llama.cpp'],
    ['llama2.c', 'llama.cpp'],
    ['llama2.c', 'transformers'],
  ]) {
    for (const side of [0, 1]) await page.locator(`[data-side="${side}"]`).selectOption(pair[side]);
    const both = pair.map((name) =>
      scope.warp(scope.logits(), { ...settings, ...conventions[name] }, { history }),
    );
    const found = compareResults(...both);
    if (found.only.count + found.lost.count > 0) await until(() => words.innerText(), /also keeps/);
    const rows = page.locator('logit-conventions tbody tr');
    const shareOf = (id, i) => (both[i].logits[id] === -Infinity ? null : String(both[i].p[id]));
    const shown = await until(
      () =>
        rows.evaluateAll((all) =>
          all.map((row) => [
            row.dataset.token,
            ...[...row.querySelectorAll('td')].map(({ dataset }) => dataset.p ?? null),
          ]),
        ),
      (all) =>
        all.length > 0 &&
        all.every(([id, ...shares]) => shares.every((share, i) => share === shareOf(id, i))),
    );
    for (const [id, ...shares] of shown)
      shares.forEach((share, i) => assert.equal(share, shareOf(id, i)));
    for (const id of [...found.only.ids, ...found.lost.ids]) {
      assert.ok((await words.innerText()).includes(`“${scope.piece(id).text.trim()}”`));
      assert.ok(shown.some(([listed]) => listed === String(id)));
    }
    assert.deepEqual(
      await page.locator('logit-conventions tfoot td').allInnerTexts(),
      both.map(({ kept }) => String(kept)),
    );
  }
  assert.deepEqual(complaints, []);
  await close();
});

test('a token of the prompt shows the model’s expectation at its place', async () => {
  const { page, complaints, close } = await bench.open();
  const ids = [...scope.encode(FIRST)];
  const settings = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };
  await page.locator('[data-command=step]').click();
  const step = page.locator('logit-text .step [data-place]');
  await step.first().waitFor();
  const given = page.locator('logit-tape .given [data-place]');
  const shown = await given.evaluateAll((all) => all.map(({ dataset }) => Number(dataset.id)));
  assert.deepEqual(shown, ids.slice(-shown.length));

  await given.last().hover();
  const rows = page.locator('logit-alternatives [data-alternative]');
  await rows.first().waitFor();
  const before = ids.slice(0, -1);
  scope.feed(before);
  const { tokens } = scope.distribution({ ...settings, top: 8 });
  assert.deepEqual(
    await rows.evaluateAll((all) => all.map(({ dataset }) => [dataset.alternative, dataset.p])),
    tokens.map(({ id, p }) => [String(id), String(p)]),
  );
  const words = page.locator('logit-text .numbers');
  const { p } = scope.warp(scope.logits(), {}, { history: before });
  const bits = (-Math.log2(p[ids.at(-1)])).toFixed(2);
  assert.match(
    await until(
      () => words.innerText(),
      (text) => text.includes(bits),
    ),
    new RegExp(`^she: of your prompt; the model gave it .*surprisal ${bits} bits`),
  );

  // Arrow keys move the selection from the drawn token back into the prompt. Escape ends the selection.
  await page.mouse.move(0, 0);
  await until(() => rows.count(), 0);
  await step.first().focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowLeft');
  assert.match(await until(() => words.innerText(), /^she/), /^she: of your prompt/);
  assert.equal(await page.locator('logit-alternatives button').count(), 0, 'nothing to press');
  await page.keyboard.press('Escape');
  await until(() => rows.count(), 0);
  await page.keyboard.press('Home');
  await until(
    () => words.innerText(),
    (text) => !text.startsWith('she'),
  );
  assert.deepEqual(complaints, []);
  await close();
});

test('a forced token has the numbers of the trace, including its logprob', async () => {
  const { page, close } = await openPlain();
  scope.feed(scope.encode(FIRST));
  const [, second] = scope.distribution({}).tokens;
  await page.evaluate(() =>
    addEventListener('logit-step', ({ detail }) => (window.forced = detail), { once: true }),
  );
  await page.locator(`logit-distribution .row[data-id="${second.id}"]`).click();
  await page.locator('logit-token-menu [data-item=force]').click();
  await page.locator('logit-text .step.forced').waitFor();
  const { id, p, p_raw, rank, logprob } = await page.evaluate(() => window.forced);
  assert.deepEqual(
    { id, p, p_raw, rank, logprob },
    {
      id: second.id,
      p: second.p,
      p_raw: second.p_raw,
      rank: second.rank,
      logprob: second.logprob,
    },
  );
  await close();
});

for (const colorScheme of sample(['light', 'dark'], 1)) {
  long(`axe finds nothing in cards, list of samplers and conventions: ${colorScheme}`, async () => {
    const width = colorScheme === 'dark' ? 360 : 1440;
    const viewport = { width, height: 900 };
    const { page, close } = await openPlain({ colorScheme, viewport, fresh: true });
    for (const name of ['dry_multiplier', 'xtc_probability', 'mirostat']) await add(page, name);
    await unfoldStages(page);
    await page.locator('[data-beside] summary').click();
    await page.locator('logit-conventions tbody tr').first().waitFor();
    await page.locator('logit-tape .given [data-place]').last().hover();
    await page.locator('logit-alternatives [data-alternative]').first().waitFor();
    assert.deepEqual(await axe(page), []);
    const chain = page.locator('logit-chain');
    const [inner, outer] = await chain.evaluate((it) => [it.scrollWidth, it.clientWidth]);
    assert.ok(inner <= outer, `${inner} in ${outer} pixels`);
    await close();
  });
}
