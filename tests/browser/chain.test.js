/** Tests the cards of the chain: moves by mouse and keys, and the page's explanations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareResults, moveInOrder } from '../../web/state/order.js';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import {
  FIRST,
  START,
  expectTrace,
  expectTraceInBars,
  frame,
  loadReference,
  openBench,
  settle,
  until,
} from './bench.js';

const bench = closed(await openBench());
const scope = closed(await loadReference());

const BALANCED = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };
const TOP_P_FIRST = ['top_p', 'repetition_penalty', 'temperature', 'top_k'];

/** Opens the page at its initial settings, perhaps in a page that an earlier test used. */
const open = (options = {}) => bench.open({ ...options, path: `?lang=en${START}` });

function expectBars(page, settings) {
  scope.feed(scope.encode(FIRST));
  return expectTrace(page, scope.distribution(settings));
}

/** Returns the stages of the visible cards, from top to bottom. */
const cards = (page) =>
  page.locator('logit-chain .card').evaluateAll((all) => all.map((card) => card.dataset.stage));
const canonical = () => scope.table.filter(({ sampler }) => sampler).map(({ name }) => name);

test('the keyboard grabs, moves and drops a card, and the page announces each step', async () => {
  const { page, close } = await open();
  const shown = await cards(page);
  assert.deepEqual(shown, ['repetition_penalty', 'temperature', 'top_k', 'top_p']);
  const plug = page.locator('.card[data-stage=top_p] .plug');
  const said = page.locator('logit-chain [aria-live]');
  await plug.focus();
  await page.keyboard.press('Space');
  assert.equal(await plug.getAttribute('aria-pressed'), 'true');
  for (let i = 2; i >= 0; i--) {
    await page.keyboard.press('ArrowUp');
    await until(
      () => cards(page),
      (names) => names[i] === 'top_p',
    );
  }
  assert.equal(await said.innerText(), 'Top-p, place 1 of 4.');
  await page.keyboard.press('Space');
  assert.equal(await said.innerText(), 'Top-p let go at place 1 of 4.');
  assert.deepEqual(await cards(page), TOP_P_FIRST);
  const order = moveInOrder(canonical(), shown, 'top_p', 0);
  await expectBars(page, { ...BALANCED, order });
  assert.equal(
    await page.evaluate(() => {
      let element = document.activeElement;
      while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element.closest('.card')?.dataset.stage;
    }),
    'top_p',
    'the plug keeps the focus',
  );

  const history = scope.encode(FIRST);
  scope.feed(history);
  const warp = (settings) => scope.warp(scope.logits(), settings, { history });
  const { only } = compareResults(warp({ ...BALANCED, order }), warp(BALANCED));
  assert.ok(only.count > 0);
  const words = await page.locator('logit-chain .order p').innerText();
  for (const id of only.ids) assert.ok(words.includes(`“${scope.piece(id).text.trim()}”`), words);

  await page.locator('[data-command=canonical]').click();
  await expectBars(page, BALANCED);
  assert.deepEqual(await cards(page), shown);
  await close();
});

test('Escape puts a grabbed card back', async () => {
  const { page, close } = await open();
  const shown = await cards(page);
  await page.locator('.card[data-stage=temperature] .plug').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await until(
    () => cards(page),
    (names) => names.join() !== shown.join(),
  );
  await page.keyboard.press('Escape');
  await until(() => cards(page), shown);
  await close();
});

test('a mouse drag moves a card to another place', async () => {
  const { page, close } = await open({ viewport: { width: 1440, height: 2000 } });
  const plug = await page.locator('.card[data-stage=top_p] .plug').boundingBox();
  const first = await page.locator('.card[data-stage=repetition_penalty]').boundingBox();
  await page.mouse.move(plug.x + plug.width / 2, plug.y + plug.height / 2);
  await page.mouse.down();
  for (let y = plug.y; y > first.y + 10; y -= 20) {
    await page.mouse.move(plug.x, y);
    await frame(page);
  }
  await page.mouse.up();
  await until(() => cards(page), TOP_P_FIRST);
  const shown = TOP_P_FIRST.toSorted((a, b) => canonical().indexOf(a) - canonical().indexOf(b));
  await expectBars(page, { ...BALANCED, order: moveInOrder(canonical(), shown, 'top_p', 0) });
  await close();
});

test("a drag beside a card's handle selects no text", async () => {
  const { page, close } = await open();
  const card = page.locator('logit-chain .card[data-stage=temperature]');
  for (const part of ['.name', '.brief']) {
    const { x, y, width, height } = await card.locator(part).boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width, y + 120, { steps: 4 });
    await page.mouse.up();
    assert.equal(await page.evaluate(() => String(getSelection())), '', part);
    const within = (/** @type {any} */ knob) => String(knob.shadowRoot.getSelection());
    assert.equal(await card.locator('logit-knob').evaluate(within), '', part);
  }
  await close();
});

long('on a phone the text that sticks does not cover a card during its move', async () => {
  const { page, close } = await open({ viewport: { width: 375, height: 812 } });
  await page.locator('logit-chain [data-command=list]').click();
  const card = page.locator('logit-chain .card[data-stage=top_p]');
  await card.evaluate((it) => scrollBy(0, it.getBoundingClientRect().top - 400));
  const { x, y, width, height } = await card.locator('.plug').boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y - 180, { steps: 5 });
  await until(
    () => cards(page),
    ([name]) => name === 'top_p',
  );
  const hidden = async () => {
    const [text, row] = await Promise.all([
      page.locator('logit-text').boundingBox(),
      card.boundingBox(),
    ]);
    return row.y < text.y + text.height || row.y + row.height > 812;
  };
  assert.equal(await until(hidden, (is) => !is), false, 'while it is held');
  await page.mouse.up();
  await settle(page);
  assert.equal(await until(hidden, (is) => !is), false, 'once it is let go');
  await close();
});

long(
  'a card lands at the drop point after fast and long drags, and the address records only the move',
  async () => {
    const { page, close } = await open({ viewport: { width: 1440, height: 2000 } });
    const shown = await cards(page);
    const boxes = () =>
      page.locator('logit-chain .card').evaluateAll((all) =>
        all.map((card) => {
          const { top, bottom } = card.getBoundingClientRect();
          return [top, bottom];
        }),
      );
    /** Drags the card at index `from` to index `to` in a number of moves. */
    const drag = async (from, to, moves) => {
      const plug = await page.locator('logit-chain .card .plug').nth(from).boundingBox();
      const [x, y] = [plug.x + plug.width / 2, plug.y + plug.height / 2];
      const [top, bottom] = (await boxes())[to];
      const end = to > from ? bottom - 4 : top + 4;
      await page.mouse.move(x, y);
      await page.mouse.down();
      for (let i = 1; i <= moves; i++) {
        await page.mouse.move(x, y + ((end - y) * i) / moves);
        if (moves > 2) await settle(page); // a slow drag lets the page update, and no update may make a card taller
      }
      await page.mouse.up();
      await settle(page);
    };
    const last = shown.length - 1;
    let expected = shown;
    for (const [from, to, moves] of [
      [0, last, 9],
      [0, last, 1],
      [last, 0, 2],
      [1, last - 1, 9],
      [last, 1, 9],
    ]) {
      const rest = expected.filter((_, i) => i !== from);
      expected = rest.toSpliced(to, 0, expected[from]);
      await drag(from, to, moves);
      assert.deepEqual(await cards(page), expected, `${from} to ${to} in ${moves}`);
    }
    await page.locator('[data-command=canonical]').click();
    await settle(page);
    await drag(0, last, 9);
    const { hash } = new URL(page.url());
    const [, order] = /[#&]order=([^&]*)/.exec(hash) ?? [];
    assert.match(String(order), /^\w+:\w+$/);
    await close();
  },
);

test('a moved sampler passes the visible ones, and the hidden ones stay with their neighbours', () => {
  const order = ['a', 'x', 'b', 'y', 'c'];
  const shown = ['a', 'b', 'c'];
  assert.deepEqual(moveInOrder(order, shown, 'c', 0), ['c', 'a', 'x', 'b', 'y']);
  assert.deepEqual(moveInOrder(order, shown, 'c', 1), ['a', 'x', 'c', 'b', 'y']);
  assert.deepEqual(moveInOrder(order, shown, 'a', 2), ['x', 'b', 'y', 'c', 'a']);
});

test('bars and knob follow a move at once, strip and cards in idle time', async () => {
  const { page, complaints, close } = await open();
  scope.feed(scope.encode(FIRST));
  await page.evaluate(() => {
    window.waiting = [];
    window.spare = window.requestIdleCallback;
    window.requestIdleCallback = (callback) => window.waiting.push(callback);
  });
  const slider = page.locator('logit-knob[data-name=temperature] [type=range]');
  const box = page.locator('logit-knob[data-name=temperature] #box');
  const card = page.locator('.card[data-stage=temperature] .did');
  await slider.hover();
  await page.locator('[data-more=temperature]').click();
  const strip = page.locator('logit-draw .strip svg');
  const [said, drawn] = [await card.innerText(), await strip.innerHTML()];
  const slide = (temperature) =>
    slider.evaluate((it, value) => {
      it.value = String(value);
      it.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    }, temperature);
  for (const temperature of [1.2, 0.4, 2.5]) {
    await slide(temperature);
    await expectTraceInBars(page, scope.distribution({ ...BALANCED, temperature }));
    const follows = (text) => text === String(temperature);
    assert.ok(follows(await until(() => box.inputValue(), follows)));
  }
  assert.deepEqual([await card.innerText(), await strip.innerHTML()], [said, drawn]);
  const release = () => page.evaluate(() => window.waiting.splice(0).forEach((run) => run()));
  await release();
  const { stages } = scope.distribution({ ...BALANCED, temperature: 2.5 });
  const { entropy } = stages.find(({ name }) => name === 'temperature');
  const words = await until(
    () => card.innerText(),
    (now) => now !== said,
  );
  assert.ok(words.includes(entropy.toFixed(2)), `${words}: ${entropy}`);
  // A card outside the window redraws its strip only when the slider no longer moves.
  await until(
    () => release().then(() => strip.innerHTML()),
    (now) => now !== drawn,
  );

  // Step ends the slider's move. The page must first apply the changes that it has postponed during the move.
  await slide(0.5);
  const { id } = scope.draw({ ...BALANCED, temperature: 0.5, seed: 42 }, { step: 0 });
  await page.locator('[data-command=step]').click();
  await page.evaluate(() => (window.requestIdleCallback = window.spare));
  await release();
  scope.feed([...scope.encode(FIRST), id]);
  await expectTrace(page, scope.distribution({ ...BALANCED, temperature: 0.5 }));
  assert.equal(await page.locator('logit-tape .step').count(), 1);
  assert.match(await page.locator('logit-draw .counter').innerText(), /2$/);
  assert.deepEqual(complaints, []);
  await close();
});

test('while a knob moves, bars follow every frame, numbers ten times a second, and all are exact at rest', async () => {
  const { page, close } = await bench.open({ path: '?lang=en#temperature=0.7&seed=3' });
  const counted = await page.locator('logit-scope').evaluate(async (it) => {
    const { shadowRoot } = it.renderRoot.querySelector('logit-bench');
    const knobs = shadowRoot.querySelector('logit-chain').shadowRoot;
    const knob = knobs.querySelector('[data-name=temperature]');
    const slider = knob.shadowRoot.querySelector('[type=range]');
    const bars = shadowRoot.querySelector('logit-distribution');
    const chart = bars.shadowRoot.querySelector('.chart');
    const [row, canvas] = ['.row', 'canvas'].map((part) => chart.querySelector(part));
    const [words, bar] = [row.querySelector('.after'), row.querySelector('.final')];
    const entropy = bars.shadowRoot.querySelector('[data-readout=entropy] dd');
    const middle = row.getBoundingClientRect().y - chart.getBoundingClientRect().y + 11;
    /** Returns the length of the first bar. During a move a canvas shows the bars, otherwise an element for each. */
    const length = () => {
      if (!chart.matches('.moving')) return bar.style.transform;
      const { data } = canvas.getContext('2d').getImageData(0, Math.round(middle), canvas.width, 1);
      return data.filter((_, i) => i % 4 === 3 && data[i] > 0).length;
    };
    const [said, read, places] = [new Set(), new Set(), new Set()];
    let [painted, back, astray] = [0, 0, 0];
    const fonts = new Set();
    const began = performance.now();
    let moves = 0;
    const realNow = performance.now.bind(performance);
    // Each move advances performance.now by 1/60 s, but timers use the real time. Both clocks may cause an update, so
    // `ms` is the sum of both times.
    performance.now = () => began + (1000 * moves) / 60;
    for (; moves < 60; moves++) {
      slider.value = String(0.5 + moves / 60);
      const asked = slider.value;
      slider.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      await new Promise(requestAnimationFrame);
      said.add(words.textContent);
      read.add(entropy.textContent);
      places.add(length());
      back += Number(slider.value !== asked);
      painted += Number(chart.matches('.moving'));
      const listed = bars.trace.tokens.some(({ id }) => id === bars.drawn.id);
      const marked = [...chart.querySelectorAll('.row.next')].map(({ dataset }) => dataset.id);
      astray += Number(marked.join() !== (listed ? String(bars.drawn.id) : ''));
      if (chart.matches('.moving')) fonts.add(/[\d.]+px/.exec(canvas.getContext('2d').font)[0]);
    }
    const ms = performance.now() - began + realNow() - began;
    const { fontSize } = getComputedStyle(words);
    const alike = [...fonts].every((size) => size === fontSize);
    return {
      said: said.size,
      read: read.size,
      places: places.size,
      painted,
      back,
      astray,
      alike,
      ms,
    };
  });
  assert.ok(counted.said <= counted.ms / 100 + 2, JSON.stringify(counted));
  assert.ok(counted.read <= counted.ms / 100 + 2, JSON.stringify(counted));
  assert.ok(counted.places > counted.read, JSON.stringify(counted));
  assert.ok(counted.painted > 0, JSON.stringify(counted));
  assert.ok(counted.alike, 'what is painted is as large as what stands');
  assert.equal(counted.back, 0, 'the knob stays in the hand');
  assert.equal(counted.astray, 0, 'the token that is drawn is the one that is marked');
  await settle(page);
  assert.equal(await page.locator('.chart.moving').count(), 0, 'the bars stand at rest');
  const box = page.locator('logit-knob[data-name=temperature] #box');
  const temperature = Number(await box.inputValue());
  scope.feed(scope.encode(FIRST));
  const trace = scope.distribution({ temperature });
  await expectTrace(page, trace);
  const [first] = await page.locator('.row .after').allTextContents();
  assert.equal(first, `${(100 * trace.tokens[0].p).toFixed(1)}%`);
  await close();
});

long(
  'a stage without effect says why in its row, and a stopped cut line names the stage that stops it',
  async () => {
    const { page, close } = await open();
    const said = async (name, settings, prompt) => {
      await page.locator('logit-scope').evaluate(
        async (it, [patch, text]) => {
          if (text) await it.restore({ ...it.state, prompt: text, branch: [] });
          await it.set(patch);
          await it.settled();
        },
        [settings, prompt],
      );
      const brief = page.locator(`.card[data-stage=${name}] .brief`);
      return [await brief.innerText(), await brief.getAttribute('title')];
    };
    const xtc = (settings) =>
      said('xtc_probability', { top_p: 1, xtc_threshold: 0.01, ...settings });
    await xtc({ xtc_probability: 1, xtc_threshold: 0.5 });
    await settle(page);
    assert.deepEqual(await xtc({ xtc_probability: 1, xtc_threshold: 0.9 }), [
      'needs 2 likely tokens',
      'Does nothing here: fewer than two tokens reach its threshold.',
    ]);
    assert.deepEqual(await xtc({ xtc_probability: 1e-9, xtc_threshold: 0.01 }), [
      'skips this step',
      'Skips this step: its random number is above the probability.',
    ]);
    assert.match((await xtc({ xtc_probability: 1, min_tokens_to_keep: 64 }))[0], /^too few left$/);
    assert.match((await xtc({ xtc_probability: 1, min_tokens_to_keep: 1 }))[0], /^removes \d/);
    const dry = (prompt, dry_penalty_last_n = 0) =>
      said(
        'dry_multiplier',
        { xtc_probability: 0, dry_multiplier: 1, dry_allowed_length: 2, dry_penalty_last_n },
        prompt,
      );
    assert.equal((await dry('Today she will'))[0], 'no repeat of 2 tokens');
    assert.deepEqual(await dry('Today she will she'), [
      'repeat: 1 of 2 tokens',
      'Does nothing here: DRY acts on a repeat of 2 tokens or more, and the longest that ends this text is “she”, of length 1.',
    ]);
    assert.match((await dry('Today she will she will'))[0], /bits/);
    assert.equal((await dry('Today she will she will', 2))[0], 'outside its window');
    assert.equal((await said('top_p', { top_k: 1, top_p: 0.9 }))[0], 'bounded by top-k');

    await said('top_p', { top_k: 3, top_p: 0.5, dry_multiplier: 0 });
    const line = page.locator('logit-distribution .handle.by-top_p');
    const stop = line.locator('.stop');
    assert.equal(await stop.innerText(), '');
    const { x, y, width, height } = await line.boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 300, { steps: 4 });
    await settle(page);
    assert.equal(await stop.innerText(), 'top-k 3 leaves 3: top-p can keep no more');
    await page.mouse.up();
    await settle(page);
    assert.equal(await stop.innerText(), '');
    await line.focus();
    await page.keyboard.press('End');
    assert.equal(await stop.innerText(), 'top-k 3 leaves 3: top-p can keep no more');
    await page.keyboard.press('Home');
    await settle(page);
    assert.equal(await stop.innerText(), '');
    await close();
  },
);

test('one press adds a stage with its usual value, which the next keys replace', async () => {
  const { page, complaints, close } = await bench.open({
    path: '?lang=en#temperature=1&bench_chart=bars',
  });
  scope.feed(scope.encode(FIRST));
  const { usual } = scope.table.find(({ name }) => name === 'min_p');
  await page.locator('[data-chip=min_p]').click();
  await expectTrace(page, scope.distribution({ min_p: usual }));
  await page.keyboard.type('0.2');
  await page.keyboard.press('Enter');
  await expectTrace(page, scope.distribution({ min_p: 0.2 }));
  await page.locator('[data-chip=min_p]').click();
  await expectTrace(page, scope.distribution({}));
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'one press adds each wanted stage with its usual value, in one line, and moves no other out of sight',
  async () => {
    const { page, complaints, close } = await bench.open({
      path: '?lang=en#temperature=1&bench_chart=bars',
      fresh: true,
    });
    scope.feed(scope.encode(FIRST));
    const usual = (name) => scope.table.find((row) => row.name === name).usual;
    const places = () =>
      page
        .locator('[data-chip]')
        .evaluateAll((all) => all.map((chip) => chip.getBoundingClientRect().toJSON()));
    const before = await places();
    await page.locator('[data-chip=min_p]').click();
    await expectTrace(page, scope.distribution({ min_p: usual('min_p') }));
    const box = page.locator('logit-knob[data-name=min_p] .box');
    assert.equal(await box.inputValue(), String(usual('min_p')));
    await page.keyboard.type('0.2');
    await page.keyboard.press('Enter');
    await expectTrace(page, scope.distribution({ min_p: 0.2 }));
    const others = ['repetition_penalty', 'dry_multiplier', 'xtc_probability', 'typical_p'];
    for (const name of others) {
      await page.locator(`[data-chip=${name}]`).click();
      await page.locator(`.card[data-stage=${name}]`).waitFor();
    }
    const values = Object.fromEntries(others.map((name) => [name, usual(name)]));
    await expectTrace(page, scope.distribution({ seed: 42, min_p: 0.2, ...values }, { step: 0 }));
    const added = ['temperature', 'top_k', 'top_p', 'min_p', ...others];
    assert.deepEqual(
      await cards(page),
      canonical().filter((name) => added.includes(name)),
    );
    assert.equal(await page.locator('[data-chip]:not(.on)').count(), 0);
    assert.deepEqual(await places(), before, 'no button moves under the pointer');
    for (const name of added) {
      const { y, height } = await page.locator(`.card[data-stage=${name}]`).boundingBox();
      assert.ok(height <= 44 && y > 0 && y + height < 900, `${name}: ${height} px at ${y}`);
    }
    assert.equal(await page.locator('logit-chain .about:visible').count(), 0, 'no help unasked');
    const briefs = await page.locator('logit-chain .brief').allInnerTexts();
    assert.ok(briefs.includes('no repeat of 2 tokens'), briefs.join());
    assert.ok(!briefs.some((brief) => /0\.00/.test(brief)), briefs.join());
    await page.locator('[data-chip=min_p]').click();
    await expectTrace(page, scope.distribution({ seed: 42, ...values }, { step: 0 }));
    await settle(page);
    await page.locator('[data-chip=min_p]').click();
    await page.locator('.card[data-stage=min_p]').waitFor();
    await settle(page);
    await page.keyboard.press('Control+z');
    await until(
      () => cards(page),
      (names) => !names.includes('min_p'),
    );
    await page.locator('[data-chip=min_p]:not(.on)').waitFor();
    assert.deepEqual(complaints, []);
    await close();
  },
);

test('a stage that changes no probability says so, even if rounding changes the entropy', async () => {
  const { page, close } = await bench.open({ path: '?lang=en#renormalize_logits=1' });
  const brief = page.locator('.card[data-stage=renormalize_logits] .brief');
  await until(() => brief.innerText(), 'no share changes');
  await close();
});
