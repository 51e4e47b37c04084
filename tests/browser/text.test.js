/** Tests the panel of the written text: alternatives, branches, loops, figures and options. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEarlyLoop, findLoop } from '../../web/engine/text-loops.js';
import { TextTree } from '../../web/state/tree.js';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import { FIRST, START, loadReference, openBench, settle, until } from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

const BALANCED = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };

const ids = (page) =>
  page
    .locator('logit-text .step [data-place]')
    .evaluateAll((buttons) => buttons.map((b) => Number(b.dataset.id)));

/** Opens the page at its initial settings, perhaps in a page that an earlier test used. */
const open = (fragment = '', options = {}) => {
  return bench.open({ path: `?lang=en${START}${fragment && `&${fragment}`}`, ...options });
};

/** Opens the fold of the text panel. */
const unfold = (page) => page.locator('logit-text .more > summary').click();

async function steps(page, n) {
  for (let i = 0; i < n; i++) {
    const have = (await ids(page)).length;
    await page.locator('[data-command=step]').click();
    await until(
      () => ids(page),
      (all) => all.length === have + 1,
    );
  }
}

test('an earlier token shows its alternatives, and pressing one makes a branch', async () => {
  const { page, complaints, close } = await open();
  await unfold(page);
  await steps(page, 3);
  const first = await ids(page);
  scope.feed([...scope.encode(FIRST), first[0]]);
  const expected = scope.distribution({ ...BALANCED, top: 8 }).tokens;

  await page.locator('logit-text .step [data-place]').nth(1).hover();
  const items = page.locator('logit-alternatives [data-alternative]');
  await items.first().waitFor();
  assert.deepEqual(
    await items.evaluateAll((all) => all.map(({ dataset }) => [dataset.alternative, dataset.p])),
    expected.map(({ id, p }) => [String(id), String(p)]),
  );
  const { y, height } = await page.locator('logit-alternatives .menu').boundingBox();
  const token = await page.locator('logit-text .step [data-place]').nth(1).boundingBox();
  assert.ok(
    y >= 0 && y + height <= 900 && (y + height <= token.y || y >= token.y + token.height - 1),
    `in the window, beside its token: ${y} to ${y + height}`,
  );
  const other = expected.find(({ id, p }) => id !== first[1] && p > 0) ?? expected[1];
  await page.locator(`[data-alternative="${other.id}"]`).click();
  const branched = [first[0], other.id];
  assert.deepEqual(
    await until(
      () => ids(page),
      (all) => all.length === 2,
    ),
    branched,
  );
  assert.equal(await page.locator('.step.forced').count(), 1);

  const branches = page.locator('logit-branches [role=option]');
  await until(() => branches.count(), 2);
  assert.equal(await branches.nth(1).getAttribute('aria-selected'), 'true');
  await branches.nth(0).click();
  assert.deepEqual(
    await until(
      () => ids(page),
      (all) => all.length === 3,
    ),
    first,
  );
  await branches.nth(0).press('ArrowDown');
  assert.deepEqual(
    await until(
      () => ids(page),
      (all) => all.length === 2,
    ),
    branched,
  );
  assert.deepEqual(complaints, []);
  await close();
});

long('the keyboard alone goes back in a text and branches it', async () => {
  const { page, close } = await open();
  await unfold(page);
  await steps(page, 3);
  const before = await ids(page);
  const tokens = page.locator('logit-text .step [data-place]');
  await tokens.nth(2).focus();
  await page.locator('logit-alternatives [data-alternative]').first().waitFor();
  await page.keyboard.press('Escape');
  await until(() => page.locator('logit-alternatives').count(), 0);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowDown');
  await page.locator('logit-alternatives [data-alternative]:focus').waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  assert.deepEqual(
    await until(
      () => ids(page),
      (all) => all.length === 1,
    ),
    before.slice(0, 1),
  );
  await steps(page, 2);
  assert.deepEqual(await ids(page), before, 'the same seed walks the same branch');
  assert.equal(await page.locator('logit-branches [role=option]').count(), 1);
  await close();
});

test('the figures of a text come from its tokens', async () => {
  const { page, close } = await open();
  await unfold(page);
  await steps(page, 4);
  const drawn = [];
  for await (const step of scope.generate({
    ...BALANCED,
    prompt: FIRST,
    seed: 42,
    max_new_tokens: 4,
  }))
    drawn.push(step);
  const list = drawn.map(({ id }) => id);
  const figure = (name) => page.locator(`[data-measure=${name}] dd`).first().innerText();
  assert.equal(
    await until(
      () => figure('ttr'),
      (text) => text === scope.distinct(list, 1).toFixed(2),
    ),
    scope.distinct(list, 1).toFixed(2),
  );
  assert.equal(await figure('distinct'), scope.distinct(list, 2).toFixed(2));
  const mean = (by) => drawn.reduce((sum, step) => sum - Math.log2(step[by]), 0) / 4;
  const numbers = (await figure('surprisal')).match(/[\d.]+/g);
  assert.deepEqual(numbers, [mean('p_raw').toFixed(2), mean('p').toFixed(2)]);
  assert.deepEqual((await figure('perplexity')).match(/[\d.]+/g), [
    (2 ** mean('p_raw')).toFixed(2),
    (2 ** mean('p')).toFixed(2),
  ]);
  await close();
});

test('white space in a sentence is visible', async () => {
  const { page, complaints, close } = await open();
  await page.locator('logit-text #prompt').fill('Today  she');
  const refused = page.locator('logit-text #fault');
  assert.match(await until(() => refused.innerText(), Boolean), /does not know “␣”/);
  // The test passes a loop of line breaks and white space to the elements, because the small model cannot write one.
  const shown = await page.evaluate(async () => {
    const read = async (name, given, selector) => {
      const element = Object.assign(document.createElement(name), given);
      document.body.append(element);
      await element.updateComplete;
      const found = element.renderRoot.querySelector(selector);
      await found.updateComplete;
      const { textContent } = found.renderRoot?.querySelector('.numbers') ?? found;
      element.remove();
      return textContent.trim();
    };
    const step = (position) => ({ id: 7, text: '\n', special: false, p: 1, p_raw: 1, position });
    const loop = { start: 0, end: 3, period: 1, times: 3 };
    const text = { steps: [0, 1, 2].map(step), loop };
    const token = { id: 1, special: false, p: 1, p_raw: 1, removed_by: null };
    const names = [' ', '\u00a0', ' she'].map((text) => {
      const trace = { tokens: [{ ...token, text }], kept: 1, vocab_size: 2, entropy: 0 };
      return read('logit-glance', { knobs: 'p', chart: 'p', shown: true, trace }, '.name');
    });
    return [await read('logit-text', text, 'logit-tape'), ...(await Promise.all(names))];
  });
  assert.equal(shown[0], 'Loop: “↵” has come 3 times in a row, from token 1 on.');
  assert.deepEqual(shown.slice(1), ['␣', '⟨A0⟩', 'she']);
  assert.deepEqual(complaints, []);
  await close();
});

test('colours follow the choice', async () => {
  const { page, close } = await open();
  await unfold(page);
  await steps(page, 1);
  const heat = () =>
    page
      .locator('.step')
      .first()
      .evaluate((step) => Number(step.style.getPropertyValue('--heat')));
  const after = await heat();
  assert.ok(after > 0);
  await page.locator('logit-text select').selectOption('before');
  assert.ok((await until(heat, (value) => value !== after)) > after);
  await page.locator('logit-text select').selectOption('none');
  await until(heat, 0);
  await close();
});

test('a loop is the earliest cycle that comes three times in a row; a long one may come twice in a text', () => {
  const long = [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8];
  assert.equal(findLoop(long), null);
  assert.deepEqual(findEarlyLoop(long), { start: 0, end: 16, period: 8, times: 2 });
  assert.equal(findEarlyLoop([1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7]), null);
  assert.deepEqual(findEarlyLoop([...long, 9, 9, 9]), { start: 16, end: 19, period: 1, times: 3 });
  assert.equal(findLoop([]), null);
  assert.equal(findLoop([1, 2, 1, 2, 1]), null);
  assert.deepEqual(findLoop([1, 2, 1, 2, 1, 2]), { start: 0, end: 6, period: 2, times: 3 });
  assert.deepEqual(findLoop([9, 5, 5, 5, 5, 8]), { start: 1, end: 5, period: 1, times: 4 });
  assert.deepEqual(findLoop([7, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1]), {
    start: 1,
    end: 11,
    period: 3,
    times: 3,
  });
});

test('a tree keeps every branch and walks a known one again', () => {
  const tree = new TextTree();
  const step = (id) => ({ id, text: String(id) });
  for (const id of [1, 2, 3]) tree.append(step(id));
  tree.rewind(1);
  assert.deepEqual(
    tree.steps.map(({ id }) => id),
    [1],
  );
  tree.append(step(2));
  assert.equal(tree.branches.length, 1, 'nothing new');
  tree.rewind(1);
  for (const id of [4, 5]) tree.append(step(id));
  tree.rewind(0);
  tree.append(step(6));
  const shape = tree.branches.map(({ steps, shared, level, here }) => [
    steps.map(({ id }) => id).join(''),
    shared,
    level,
    here,
  ]);
  assert.deepEqual(shape, [
    ['123', 0, 0, 0],
    ['145', 1, 1, 0],
    ['6', 0, 1, 1],
  ]);
  tree.show(tree.branches[1].node);
  assert.deepEqual(
    tree.steps.map(({ id }) => id),
    [1, 4, 5],
  );
  tree.ends = [5];
  assert.equal(tree.finished, 'eos');
  tree.stopAtEnd = false;
  assert.equal(tree.finished, null);
});

long(
  'nodes do not pile up: after many steps and a reset the document has its old size',
  async () => {
    const { page, close } = await open();
    /** Returns the number of DOM nodes in the page, including the nodes in shadow trees. */
    const nodes = () =>
      page.evaluate(() => {
        const count = (/** @type {Node} */ node) =>
          [...node.childNodes, ...(node.shadowRoot ? [node.shadowRoot] : [])].reduce(
            (n, child) => n + count(child),
            1,
          );
        return count(document);
      });
    const round = async () => {
      await steps(page, 6);
      await page.locator('[data-command=reset]').click();
      await until(
        () => ids(page),
        (all) => all.length === 0,
      );
      await settle(page);
      return nodes();
    };
    await round(); // not counted: the first round adds parts that load on demand
    const before = await round();
    for (let i = 0; i < 3; i++) assert.equal(await round(), before);
    await close();
  },
);

long(
  'greedy without a stop loops; the length limit is a setting, and the page gives the reason for the end beside the loop',
  async () => {
    const { page, complaints, close } = await open('max_new_tokens=30');
    await unfold(page);
    await page.locator('#preset').selectOption({ label: 'Greedy: always the best' });
    await page.locator('#stop-at-end').uncheck();
    const speed = page.locator('logit-text input[type=range]');
    await speed.focus();
    await page.keyboard.press('End');
    assert.equal(await speed.getAttribute('aria-valuetext'), 'as fast as it goes');
    await page.locator('[data-command=run]').click();
    await page.locator('logit-text .step').nth(29).waitFor();
    await settle(page);
    const all = await ids(page);
    assert.equal(all.length, 30);
    const loop = findLoop(all);
    assert.ok(loop && loop.times >= 3);
    assert.equal(await page.locator('.step.looped').count(), loop.end - loop.start);
    const words = page.locator('logit-text .numbers');
    assert.match(
      await words.innerText(),
      /^Loop: “.+” has come \d+ times in a row, from token \d+ on\. 30 tokens have been drawn, the most that “New token limit” allows\.$/,
    );
    const limit = page.locator('logit-text #limit');
    await limit.fill('5000');
    await limit.press('Enter');
    assert.equal(
      await page.locator('logit-text #limit-error').innerText(),
      'New token limit must be between 1 and 4,096, got 5,000; it stays at 30.',
    );
    await limit.fill('32');
    await limit.press('Enter');
    await page.locator('[data-command=step]').click();
    assert.equal(
      (
        await until(
          () => ids(page),
          (all) => all.length === 31,
        )
      ).length,
      31,
    );
    await until(() => page.evaluate(() => location.hash), /max_new_tokens=32/);
    await page.locator('[data-command=break-loop]').click();
    const rows = page.locator('logit-loop-breaks [data-setting]');
    await rows.first().waitFor();
    const asked = { prompt: FIRST, drawn_ids: await ids(page), temperature: 0, seed: 42 };
    const { breaks } = await scope.breakLoop(asked);
    assert.deepEqual(
      await rows.evaluateAll((all) =>
        all.map((row) => `${row.dataset.setting} ${row.querySelector('b').textContent}`),
      ),
      breaks.map(({ setting, value }) => `${setting} ${value}`),
    );
    // A press sets the value; the page goes back to the token that then differs.
    const { index, instead } = breaks.find(({ setting }) => setting === 'dry_multiplier');
    await page.locator('[data-setting=dry_multiplier]').click();
    await page.locator('[data-command=back]').click();
    await until(
      () => ids(page),
      (all) => all.length === index,
    );
    await steps(page, 1);
    assert.equal((await ids(page)).at(-1), instead.id);
    await page.locator('[data-command=reset]').click();
    await until(() => words.innerText(), '');
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'a step flies its token into the text in half a second, and further steps do not queue',
  async () => {
    const { page, complaints, close } = await open('', { reducedMotion: 'no-preference' });
    await page.evaluate(() => {
      const { renderRoot } = document.querySelector('logit-scope');
      const bench = renderRoot.querySelector('logit-bench');
      const over = () => [
        ...bench.renderRoot.querySelectorAll('.flying'),
        ...['logit-draw', 'logit-distribution'].flatMap((name) => [
          ...bench.renderRoot.querySelector(name).shadowRoot.querySelectorAll('.before'),
        ]),
      ];
      window.over = () => over().length;
      // Records the elements that cover the page after a step: their number, the maximum at once, and the longest
      // animation. It observes mutations, not frames, since a busy machine may paint late.
      const told = (window.told = { made: 0, most: 0, longest: 0 });
      const look = (changes) => {
        const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
        told.made += added.filter((node) => node.matches?.('.flying, .before')).length;
        const nodes = over();
        told.most = Math.max(told.most, nodes.length);
        for (const motion of nodes.flatMap((node) => node.getAnimations({ subtree: true })))
          told.longest = Math.max(told.longest, motion.effect.getComputedTiming().endTime);
      };
      for (const root of [
        bench.renderRoot,
        ...['logit-draw', 'logit-distribution'].map(
          (name) => bench.renderRoot.querySelector(name).shadowRoot,
        ),
      ])
        new MutationObserver(look).observe(root, { childList: true, subtree: true });
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shift += entry.value;
      }).observe({ type: 'layout-shift' });
    });
    const told = () => page.evaluate(() => ({ ...window.told, left: window.over() }));
    const steps = () => page.locator('logit-text .step').count();
    const step = page.locator('logit-text [data-command=step]');

    await step.click();
    await until(told, ({ made, left }) => made >= 2 && left === 0);
    await settle(page);
    const one = await told();
    assert.ok(one.made <= 3, `${one.made}: the token and its flight`);
    assert.ok(one.longest > 200 && one.longest <= 500, `${one.longest} ms`);

    for (let n = 0; n < 4; n++) await step.click();
    await until(steps, 5);
    await until(told, ({ left }) => left === 0);
    assert.ok((await told()).most <= 3, 'a step ends the one before');
    assert.ok((await page.evaluate(() => window.shift)) < 0.05);

    await page.emulateMedia({ reducedMotion: 'reduce' });
    const { made } = await told();
    await step.click();
    await until(steps, 6);
    await settle(page);
    assert.equal((await told()).made, made, 'nothing moves with reduced motion');
    assert.deepEqual(complaints, []);
    await close();
  },
);

long('a prompt looks like prose: its spaces are spaces, its line breaks have a sign', async () => {
  const { page, close } = await bench.open({
    path: '?lang=en&model=stories#prompt=Once%20upon%0Aa',
  });
  const shown = await page
    .locator('logit-tape ol, logit-tape')
    .first()
    .evaluate((tape) =>
      [...(tape.shadowRoot ?? tape).querySelectorAll('[data-place]')]
        .map((it) => it.textContent.trim())
        .join('|'),
    );
  assert.match(shown, /Once\|\s?upon\|.*↵/);
  assert.doesNotMatch(shown, /⟨A0⟩|␣/);

  // A word of several tokens must not break across lines.
  await page.setViewportSize({ width: 375, height: 900 });
  const words = ['extraordinarily', 'misunderstandings', 'hippopotamus', 'unbelievably'];
  await page.locator('#prompt').fill(words.join(' '));
  await page.locator('#prompt').press('Enter');
  await settle(page);
  const lines = await page.locator('logit-tape .given').evaluate((given) => {
    const tokens = [...given.querySelectorAll('[data-place]')];
    const words = [[]];
    for (const token of tokens) {
      if (/\s$/.test(token.previousSibling?.textContent ?? '')) words.push([]);
      words.at(-1).push(token.getBoundingClientRect().top);
    }
    return words.filter((tops) => tops.length > 0);
  });
  assert.equal(lines.length, words.length);
  assert.ok(lines.flat().length > words.length, 'words of several tokens');
  assert.ok(new Set(lines.flat()).size > 1, 'several lines');
  for (const tops of lines) assert.equal(new Set(tops).size, 1);
  await close();
});
