/**
 * Tests the landscape: the point where its lines cross selects the token that the engine draws. Every control that
 * moves the lines is tested.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { LONG, long, sample } from '../long.js';
import { axe, FIRST, frame, loadReference, openBench, root, settle, until } from './bench.js';
import { findOverlaps } from './overflow.js';

/** Number of tokens in a text after the prompt. */
const TOKENS = 24;
/** The largest u that a drag reaches. */
const LAST_U = 0.9999;

const bench = closed(await openBench());
const scope = closed(await loadReference());

async function openLandscape({ hash = '#temperature=0.7', lang = 'en', ...options } = {}) {
  // Writes the address as the page itself writes it. Tests with equal addresses then reuse one page.
  const path = `?lang=${lang}&model=verbs&view=landscape${hash}`;
  const opened = await bench.open({ path, ready: false, ...options });
  const view = opened.page.locator('logit-landscape');
  await view.locator('.sentence mark').waitFor();
  await settle(opened.page);
  return { ...opened, view, knob: view.locator('.handle.knob'), die: view.locator('.handle.u') };
}

const numberOf = async (handle) => Number(await handle.getAttribute('aria-valuenow'));

/** Scrolls to the picture and returns its bounding box. */
async function plotOf({ view }) {
  await view.locator('.plot').evaluate((it) => it.scrollIntoView({ block: 'center' }));
  return view.locator('.plot').boundingBox();
}

/** Drags the mouse between two points of the picture, given as fractions of its width and height. */
async function drag({ page, view }, from, to) {
  const { x, y, width, height } = await plotOf({ view });
  const at = ([share, u]) => [x + share * width, y + u * height];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 8 });
  await page.mouse.up();
  await settle(page);
}

/** Returns the sentence without the sign for its end. */
async function sentenceOf(view) {
  const text = await view.locator('.sentence').textContent();
  return text.replace(/∎$/, '');
}

/** Compares all parts that show the crossing with the engine. */
async function expectCrossing({ view, knob, die }, { name = 'temperature', u, ...settings } = {}) {
  const value = await numberOf(knob);
  const asked = { ...settings, [name]: value };
  const first = u === undefined ? {} : { u: await numberOf(die) };
  const written = await scope.write({
    ...asked,
    ...first,
    prompt: FIRST,
    seed: settings.seed ?? 42,
    max_new_tokens: TOKENS,
  });
  assert.equal(await sentenceOf(view), FIRST + written.text);
  const details = view.locator('.numbers');
  if ((await details.getAttribute('open')) === null) await details.locator('summary').click();
  await view.locator('.numbers tbody tr').first().waitFor();
  scope.feed(scope.encode(FIRST));
  const { trace, drawn } = scope.read(
    { ...asked, seed: settings.seed ?? 42, top: 24 },
    u === undefined ? { step: 0 } : { step: 0, ...first },
  );
  const rows = await view
    .locator('.numbers tbody tr')
    .evaluateAll((all) => all.map(({ dataset, ariaCurrent }) => ({ ...dataset, ariaCurrent })));
  const marked = rows.filter(({ ariaCurrent }) => ariaCurrent === 'true');
  assert.deepEqual(
    marked.map(({ id }) => id),
    [String(drawn.id)],
  );
  const bits = new Map(trace.tokens.map(({ id, p }) => [String(id), String(p)]));
  bits.set(String(drawn.id), String(drawn.p));
  const listed = rows.filter(({ id }) => id !== 'rest');
  assert.ok(listed.length >= 7);
  for (const { id, p } of listed) assert.equal(p, bits.get(id));
  const removed = new Set(
    trace.tokens.filter((each) => each.removed_by).map(({ id }) => String(id)),
  );
  const kept = listed.filter(({ id }) => !removed.has(id)).length;
  const others = await view.locator('.numbers [data-id=rest] th').innerText();
  assert.equal(Number(others.replace(/\D/g, '')), trace.kept - kept, 'those that can be drawn');
  if (trace.kept === kept) assert.equal(others, 'all others');
  return { value, drawn, written };
}

test('the landscape starts with one knob and the text of that seed; the bench opens with its setting and sets it in turn', async () => {
  // The address names no view, so the page chooses the first one.
  const opened = await openLandscape({ path: '?lang=en&model=verbs', firstScreen: true });
  const { page, view, knob, close } = opened;
  const tabs = page.locator('[role=tab][aria-controls=view]');
  assert.equal(await tabs.first().getAttribute('data-view'), 'landscape');
  assert.equal(await page.locator('#tab-landscape').getAttribute('aria-selected'), 'true');
  const { value } = await expectCrossing(opened);
  assert.equal(value, 0.7);
  assert.deepEqual(opened.complaints, []);
  assert.deepEqual(opened.foreign, []);
  await knob.press('PageUp');
  await settle(page);
  await page.locator('[data-view=bench]').click();
  await until(() => page.url(), /^[^#]*\?lang=en&model=verbs#/);
  const slider = page.locator('logit-knob[data-name=temperature] input[type=range]');
  assert.equal(await slider.inputValue(), '1.2');
  if (LONG) {
    await page.reload();
    await page.locator('logit-distribution .row').first().waitFor();
    assert.equal(await slider.inputValue(), '1.2');
  }
  await slider.fill('0.3');
  await settle(page);
  await page.locator('[data-view=landscape]').click();
  await view.waitFor();
  await settle(page);
  assert.equal(await numberOf(knob), 0.3);
  await expectCrossing(opened);
  await close();
});

const FIRST_SCREENS = {
  '': 'landscape',
  '&view=bench': 'bench',
  '&controls=temperature,tabs': 'bench',
  '#temperature=0.7': 'bench',
  '&view=landscape#temperature=0.7': 'landscape',
};
// Long tests, since other tests cover these addresses: the test above the first, address.test.js the others.
for (const [rest, view] of Object.entries(FIRST_SCREENS))
  long(`an address that ends with ?lang=en${rest} opens the ${view}`, async () => {
    const path = `?lang=en&model=verbs${rest}`;
    const { page, close } = await bench.open({ path, ready: false, firstScreen: true });
    const tabs = page.locator('[role=tab][aria-controls=view]');
    await tabs.first().waitFor();
    assert.equal(await tabs.first().getAttribute('data-view'), 'landscape');
    const shown = page.locator(view === 'bench' ? 'logit-distribution' : 'logit-landscape');
    await shown.waitFor();
    assert.equal(await page.locator(`#tab-${view}`).getAttribute('aria-selected'), 'true');
    await close();
  });

/** Returns the text after a prompt, as the engine writes it. */
const textAfter = async (prompt, options) =>
  (await scope.write({ prompt, temperature: 0.7, seed: 42, max_new_tokens: TOKENS, ...options }))
    .text;

test('the prompt is edited in the sentence; an unreadable one is named; it survives a reload and reaches the bench', async () => {
  const opened = await openLandscape();
  const { page, view } = opened;
  const box = view.getByRole('textbox', { name: 'The prompt' });
  await box.press('Control+a');
  await page.keyboard.type('Tomo');
  await settle(page);
  const refusal = view.locator('.promise[role=alert]');
  assert.match(await refusal.innerText(), /Tomo/, 'one sentence beside the prompt');
  assert.equal(await box.getAttribute('aria-invalid'), 'true');
  await page.keyboard.type('rrow she');
  await settle(page);
  assert.equal(await refusal.count(), 0);
  const wanted = `Tomorrow she${await textAfter('Tomorrow she')}`;
  assert.equal(await sentenceOf(view), wanted);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+y');
  await page.keyboard.press('Enter');
  assert.equal(await box.evaluate((it) => it.matches(':focus')), false, 'Enter ends the editing');
  // Reloads immediately, before the page has changed its address: the page waits until the user stops typing.
  await box.press('End');
  await page.keyboard.type(' will');
  await page.reload();
  await view.locator('.sentence mark').waitFor();
  await settle(page);
  const typed = 'Tomorrow she will';
  assert.equal(await box.innerText(), typed);
  assert.equal(await sentenceOf(view), typed + (await textAfter(typed)));
  await page.locator('#tab-bench').click();
  await settle(page);
  assert.equal(await page.locator('logit-text #prompt').inputValue(), typed);
  await page.locator('#tab-landscape').click();
  await settle(page); // back at the address at which the next test opens this page
  assert.deepEqual(opened.complaints, []);
  if (!LONG) return opened.close();
  // An example replaces the prompt; the example that was there comes back.
  const examples = view.locator('.examples button');
  assert.equal(await examples.count(), 3);
  const said = await examples.nth(1).innerText();
  await examples.nth(1).click();
  await settle(page);
  assert.equal(await sentenceOf(view), said + (await textAfter(said)));
  assert.equal(await examples.nth(1).innerText(), FIRST);
  // The first press on an example selects it, so typing replaces it; the next press sets the caret.
  const { width, height } = await box.boundingBox();
  const position = { x: width - 2, y: height / 2 };
  await box.click({ position });
  await page.keyboard.type('Today');
  await settle(page);
  assert.equal(await box.innerText(), 'Today');
  await box.press('Enter');
  await box.click();
  await page.keyboard.press('End');
  await page.keyboard.type(' she');
  await settle(page);
  assert.equal(await box.innerText(), 'Today she');
  await box.press('Control+a');
  await page.keyboard.press('Delete');
  await settle(page);
  const hint = await box.evaluate((it) => getComputedStyle(it, '::before').content);
  assert.match(hint, /Type a beginning/);
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

long(
  'the words are a timeline: a press moves the picture, the text stays, and the bench gets the tokens',
  async () => {
    const opened = await openLandscape({ hash: '#temperature=0.7&landscape_u=0.2' });
    const { page, view, die } = opened;
    const written = await scope.write({
      prompt: FIRST,
      temperature: 0.7,
      seed: 42,
      u: 0.2,
      max_new_tokens: TOKENS,
    });
    const { ids } = written;
    const before = await sentenceOf(view);
    const mark = view.locator('[role=option][aria-current=true]');
    const at = async () => Number(await mark.getAttribute('data-at'));
    const expectAt = async (n) => {
      await settle(page);
      assert.equal(await at(), n);
      assert.ok((await sentenceOf(view)).startsWith(before), 'the text stays');
      scope.feed([...scope.encode(FIRST), ...ids.slice(0, n)]);
      const choice = n === 0 ? { step: 0, u: 0.2 } : { step: n };
      const { drawn } = scope.read({ temperature: 0.7, seed: 42 }, choice);
      assert.equal(drawn.id, ids[n]);
      assert.ok(Math.abs((await numberOf(die)) - drawn.u) < 1e-6);
      assert.equal(await mark.innerText(), scope.piece(drawn.id).text.trim());
    };
    await view.locator('[role=option]').nth(3).click();
    await expectAt(3);
    const link = await until(() => page.url(), /landscape_ids/);
    assert.match(link, new RegExp(`landscape_ids=${ids.slice(0, 3)}`));
    await page.keyboard.press('ArrowLeft');
    await expectAt(2);
    assert.ok(await mark.evaluate((it) => it.matches(':focus')), 'the focus follows');
    await page.keyboard.press('Home');
    await expectAt(0);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expectAt(2);
    await page.reload();
    await mark.waitFor();
    await expectAt(2);
    await page.locator('#tab-bench').click();
    await settle(page);
    const { branch } = await page.locator('logit-scope').evaluate((it) => it.state);
    assert.deepEqual(branch, ids.slice(0, 2));
    await page.locator('#tab-landscape').click();
    await view.getByRole('textbox', { name: 'The prompt' }).press('End');
    await page.keyboard.type(' often');
    await until(at, 0);
    await settle(page);
    assert.deepEqual(opened.complaints, []);
    await opened.close();
  },
);

long(
  'each line of the ladder is the engine’s text at its mark or at the knob, and a press sets the knob',
  async () => {
    const opened = await openLandscape({ hash: '#temperature=0.7&landscape_u=0.4&top_p=0.95' });
    const { page, view, knob } = opened;
    const lines = view.getByRole('list', { name: /each mark of the axis/ }).locator('button');
    const texts = () =>
      lines.evaluateAll((all) => all.map((it) => it.lastElementChild.textContent));
    const expectLines = async (name, values, others) => {
      const wanted = [];
      for (const value of values)
        wanted.push(await textAfter(FIRST, { top_p: 0.95, u: 0.4, ...others, [name]: value }));
      const shown = async () => (await texts()).map((text) => text.replace(/ ∎$/, ''));
      await until(shown, wanted);
    };
    const near = view.locator('.ladder [aria-current=true]');
    await expectLines('temperature', [0, 0.7, 1, 1.5, 2]);
    assert.equal(await near.locator('b').innerText(), 'T = 0.7');
    await lines.nth(3).click();
    await settle(page);
    assert.equal(await numberOf(knob), 1.5);
    assert.equal(await near.getAttribute('data-value'), '1.5');
    const [line] = await texts().then((all) => all.slice(3));
    assert.equal(await sentenceOf(view), FIRST + line.replace(/ ∎$/, ''));
    await page.locator('logit-scope').evaluate((it) => it.choose({ landscape_knob: 'top_k' }));
    await settle(page);
    await expectLines('top_k', [1, 2, 5, 20, 0], { temperature: 1.5 });
    await opened.close();
  },
);

long('a link replaces a prompt just typed, and a knob and a seed just changed', async () => {
  const opened = await openLandscape({ hash: '#temperature=0.7&landscape_u=0.2' });
  const { page, view, knob, die } = opened;
  const acts = [
    () => view.getByRole('textbox', { name: 'The prompt' }).press('x'),
    () => knob.press('PageUp'),
    () => view.locator('[data-command=roll]').click(),
  ];
  for (const [i, act] of acts.entries()) {
    const link = `#temperature=0.7&landscape_u=0.${i + 3}`;
    await act();
    await page.evaluate(
      (to) =>
        new Promise((resolve) => {
          addEventListener('hashchange', resolve, { once: true });
          location.hash = to;
        }).then(() => {}),
      link,
    );
    await settle(page);
    assert.equal(await numberOf(knob), 0.7);
    assert.equal(await numberOf(die), (i + 3) / 10);
    const text = await textAfter(FIRST, { temperature: 0.7, u: (i + 3) / 10 });
    assert.equal(await sentenceOf(view), FIRST + text);
    assert.ok(page.url().endsWith(link), page.url());
  }
  await opened.close();
});

test('a horizontal drag moves only the knob, a vertical drag only u', async () => {
  const opened = await openLandscape();
  const u = await numberOf(opened.die);
  await drag(opened, [0.5, 0.2], [0.8, 0.26]);
  const across = await expectCrossing(opened);
  assert.ok(Math.abs(across.value - 2.4) < 0.02, String(across.value));
  assert.equal(await numberOf(opened.die), u);
  await drag(opened, [0.5, 0.5], [0.54, 0.9]);
  const down = await expectCrossing(opened, { u: true });
  assert.equal(down.value, across.value);
  assert.ok(Math.abs((await numberOf(opened.die)) - 0.9) < 0.02);
  // The u of the first step is that of the die. The seed gives the u of all later steps.
  const seeded = down.written.steps.slice(1).map((step) => step.u);
  assert.deepEqual(
    seeded,
    seeded.map((_, i) => scope.random(42, i + 1)),
  );
  await opened.close();
});

// A long test: a press in the picture moves both lines too, and the test above drags each.
long('a drag from the crossing moves both', async () => {
  const opened = await openLandscape();
  const u = await numberOf(opened.die);
  await drag(opened, [0.7 / 3, u], [0.6, 0.3]);
  const { value } = await expectCrossing(opened, { u: true });
  assert.ok(Math.abs(value - 1.8) < 0.02);
  assert.ok(Math.abs((await numberOf(opened.die)) - 0.3) < 0.02);
  await opened.close();
});

test('keys move the knob, and u with Shift or on its own slider', async () => {
  const opened = await openLandscape();
  const { page, knob, die } = opened;
  const press = async (handle, key) => {
    await handle.focus();
    await page.keyboard.press(key);
    await settle(page);
    return [await numberOf(knob), await numberOf(die)];
  };
  const [, u] = await press(knob, 'Home');
  assert.deepEqual(await press(knob, 'ArrowRight'), [0.05, u]);
  if (LONG) {
    assert.deepEqual(await press(knob, 'ArrowUp'), [0.1, u]);
    assert.deepEqual(await press(knob, 'PageUp'), [0.6, u]);
    assert.deepEqual(await press(knob, 'ArrowLeft'), [0.55, u]);
    await expectCrossing(opened);
  }
  assert.deepEqual(await press(knob, 'End'), [3, u]);
  const [, moved] = await press(knob, 'Shift+ArrowDown');
  assert.ok(Math.abs(moved - u - 0.01) < 1e-6, `${u} to ${moved}`);
  if (LONG) {
    assert.deepEqual(await press(die, 'Home'), [3, 0]);
    assert.deepEqual(await press(die, 'PageDown'), [3, 0.1]);
  }
  assert.deepEqual(await press(die, 'End'), [3, LAST_U]);
  await expectCrossing(opened, { u: true });
  const words = await die.getAttribute('aria-valuetext');
  assert.match(words, /^u = 0\.9999; draws .+%, rank \d+$/);
  await opened.close();
});

long(
  'touch moves the knob sideways and u by its handle, and the page does not scroll',
  async () => {
    const opened = await openLandscape({
      viewport: { width: 375, height: 812 },
      hasTouch: true,
      isMobile: true,
    });
    const { page, view, knob, die } = opened;
    const client = await page.context().newCDPSession(page);
    const { x, y, width, height } = await plotOf(opened);
    const place = await page.evaluate(() => scrollY);
    const finger = async (from, to) => {
      const at = (share, u) => [{ x: x + share * width, y: y + u * height }];
      const send = (type, touchPoints) =>
        client.send('Input.dispatchTouchEvent', { type, touchPoints });
      await send('touchStart', at(...from));
      for (let i = 1; i <= 10; i++) {
        await send('touchMove', at(...from.map((start, k) => start + ((to[k] - start) * i) / 10)));
        await frame(page);
      }
      await send('touchEnd', []);
      await settle(page);
    };
    await finger([0.6, 0.2], [0.9, 0.2]);
    assert.ok(Math.abs((await numberOf(knob)) - 2.7) < 0.05);
    await finger([1, await numberOf(die)], [1, 0.6]);
    assert.ok(Math.abs((await numberOf(die)) - 0.6) < 0.05);
    assert.equal(await page.evaluate(() => scrollY), place);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 375);
    await expectCrossing({ view, knob, die }, { u: true });
    await opened.close();
  },
);

test('boxes set knob and u; an invalid value is named and changes nothing', async () => {
  const opened = await openLandscape();
  const { page, view, knob, die } = opened;
  const fill = async (box, text) => {
    await view.locator(box).fill(text);
    await view.locator(box).press('Enter');
    await settle(page);
  };
  await fill('.big input', '1.234');
  await fill('.die input', '0.5');
  assert.equal(await numberOf(knob), 1.234);
  assert.equal(await numberOf(die), 0.5);
  await expectCrossing(opened, { u: true });
  await fill('.big input', '-1');
  const about = view.locator('.headline .about');
  assert.match(await about.innerText(), /must be 0 or more, got -1/);
  assert.equal(await numberOf(knob), 1.234);
  await page.evaluate(() => (location.hash = '#temperature=1'));
  await until(
    () => about.innerText(),
    (text) => !text.includes('must be'),
  );
  assert.equal(await numberOf(knob), 1);
  await opened.close();
});

test('play runs the knob from end to end and back to the user’s value', async () => {
  const hash = '#temperature=1.234';
  const opened = await openLandscape({ hash, reducedMotion: 'no-preference' });
  const { page, view, knob } = opened;
  const play = view.locator('[data-command=play]');
  const usual = await view.evaluate((it) => it.lines.run.ms);
  assert.equal(usual, 8000);
  await view.evaluate((it) => (it.lines.run.ms = 600));
  const began = Date.now();
  await play.click();
  const { values, texts, frames, unlike } = await view.evaluate(async (it) => {
    const seen = { values: new Set(), texts: new Set() };
    let frames = 0;
    // The bold name beside the bars must be the drawn token's.
    let bold = '';
    const { prototype } = CanvasRenderingContext2D;
    const { fillText } = prototype;
    prototype.fillText = function (text, ...place) {
      const name = this.canvas.closest('.bars') && this.textAlign === 'right';
      if (name && this.font.startsWith('650')) bold = text.replace(/^#\d+ /, '');
      return fillText.call(this, text, ...place);
    };
    const unlike = [];
    for (; it.lines.playing; frames++) {
      // Playing begins at the low end of the axis, so the first value may still be the old one.
      seen.values.add(Number(it.renderRoot.querySelector('.handle.knob').ariaValueNow));
      seen.texts.add(it.renderRoot.querySelector('.sentence').textContent);
      await new Promise(requestAnimationFrame);
      const mark = it.renderRoot.querySelector('.sentence mark').textContent;
      if (bold !== '' && bold !== mark) unlike.push(`${bold} ${mark}`);
    }
    prototype.fillText = fillText;
    return { values: [...seen.values].slice(1), texts: [...seen.texts], frames, unlike };
  });
  assert.deepEqual(unlike, [], 'bars and text tell of one drawn token');
  assert.ok(Date.now() - began >= 600);
  await settle(page);
  // A slow machine paints few frames in this time. At least half of them must show a new value.
  assert.ok(frames > 2 && values.length > Math.min(5, frames / 2), `${values.length} of ${frames}`);
  const out = values.slice(0, values.indexOf(3) + 1);
  const back = values.slice(out.length);
  assert.deepEqual(
    out,
    [...out].sort((a, b) => a - b),
    'ever onwards',
  );
  assert.equal(out.at(-1), 3);
  assert.deepEqual(
    back,
    [...back].sort((a, b) => b - a),
    'then back to rest',
  );
  assert.ok(back.every((value) => value >= 1.234));
  assert.ok(texts.length > Math.min(3, values.length / 3), `${texts.length} texts`);
  const { value } = await expectCrossing(opened);
  assert.equal(value, 1.234);
  const shared = await page.evaluate(() => location.hash);
  assert.match(shared, /temperature=1\.234/);
  await view.evaluate((it, ms) => (it.lines.run.ms = ms), usual);
  if (!LONG) return opened.close();
  // Plays slowly, so that the knob has moved little when the test stops it.
  await view.evaluate((it) => (it.lines.run.ms = 60_000));
  await play.click();
  await view.evaluate((it) => it.lines.set({ top_p: 0.9 }));
  await until(() => page.evaluate(() => location.hash), /top_p=0\.9/);
  assert.match(await page.evaluate(() => location.hash), /temperature=1\.234/, 'also meanwhile');
  await play.click();
  await settle(page);
  const stopped = await numberOf(knob);
  assert.ok(stopped < 1);
  await page.locator('#tab-bench').click();
  await settle(page);
  const slider = page.locator('logit-knob[data-name=temperature] input[type=range]');
  assert.equal(Number(await slider.inputValue()), stopped);
  // If the user leaves the view while it plays, the old values must be back on return.
  await page.locator('#tab-landscape').click();
  await settle(page);
  await play.click();
  await until(
    () => numberOf(knob),
    (now) => now < stopped,
  );
  await page.locator('#tab-bench').click();
  await settle(page);
  assert.equal(Number(await slider.inputValue()), stopped);
  await page.locator('#tab-landscape').click();
  await settle(page);
  assert.equal(await numberOf(knob), stopped);
  await view.evaluate((it, ms) => (it.lines.run.ms = ms), usual);
  await opened.close();
});

test('landscape and bench share u', async () => {
  const opened = await openLandscape({ hash: '#temperature=1.2&landscape_u=0.9' });
  const { page, die } = opened;
  const tab = (name) => page.locator(`#tab-${name}`).click();
  const lands = page.locator('logit-draw .lands');
  scope.feed(scope.encode(FIRST));
  const { drawn } = scope.read({ temperature: 1.2, seed: 42 }, { step: 0, u: 0.9 });
  await tab('bench');
  await settle(page);
  assert.match(await lands.innerText(), /^u = 0\.9000/);
  assert.equal(await lands.getAttribute('data-drawn'), String(drawn.id));
  await page.locator('logit-draw .strip').press('Home');
  await tab('landscape');
  await settle(page);
  assert.equal(await numberOf(die), 0);
  if (!LONG) return opened.close();
  await tab('bench');
  await page.locator('[data-command=seeded]').click();
  await tab('landscape');
  await settle(page);
  assert.equal(await numberOf(die), scope.random(42, 0));
  // Leaves the view at once, before the page has applied the postponed change.
  await page.evaluate(() => {
    const { renderRoot } = document.querySelector('logit-scope');
    const handle = renderRoot
      .querySelector('logit-landscape')
      .renderRoot.querySelector('.handle.u');
    handle.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }));
    renderRoot.querySelector('#tab-bench').click();
  });
  await settle(page);
  assert.match(await lands.innerText(), /^u = 0\.0000/);
  await page.locator('logit-text [data-command=step]').click();
  await settle(page);
  assert.match(await lands.innerText(), new RegExp(`^u = ${scope.random(42, 1).toFixed(4)}`));
  await opened.close();
});

long('if no distribution could be read, Play and a loop end at once', async () => {
  const opened = await bench.open({
    path: '?lang=en&model=verbs&view=landscape#prompt=%3Cb%3Ex%3C%2Fb%3E',
    ready: false,
  });
  const { page } = opened;
  const view = page.locator('logit-landscape');
  await view.locator('[role=alert]').waitFor();
  const ended = async () => {
    await settle(page);
    await until(() => view.locator('[data-command=play]').innerText(), /Play/);
  };
  await view.locator('[data-command=play]').click();
  await ended();
  assert.equal(
    await view.evaluate(async (it) => (await (await it.record()).ended)?.size),
    undefined,
  );
  await ended();
  await opened.close();
});

test('roll again takes the next seed and lets it decide u', async () => {
  const opened = await openLandscape({ hash: '#temperature=1.2&landscape_u=0.9' });
  await expectCrossing(opened, { u: true });
  await opened.view.locator('[data-command=roll]').click();
  await settle(opened.page);
  const { drawn } = await expectCrossing(opened, { seed: 43 });
  assert.equal(drawn.u, scope.random(43, 0));
  const href = () => opened.page.url();
  assert.match(
    await until(
      async () => href(),
      (url) => url.includes('seed=43'),
    ),
    /seed=43/,
  );
  assert.doesNotMatch(href(), /landscape_u/);
  await opened.close();
});

test('any setting can be the knob, by pointer or in a menu; the address and a line name the other active settings', async () => {
  const opened = await openLandscape({ hash: '#temperature=1.5&top_p=0.8' });
  const { page, view, knob } = opened;
  await view.getByRole('radio', { name: 'Top-k' }).click();
  await settle(page);
  await knob.press('Home');
  await knob.press('PageUp');
  await settle(page);
  const others = { temperature: 1.5, top_p: 0.8 };
  const { value } = await expectCrossing(opened, { name: 'top_k', ...others });
  assert.equal(value, 10);
  assert.equal(await view.locator('.also').innerText(), 'also: temperature 1.5 and top-p 0.8');
  assert.match(await until(() => page.url(), /top_k=10/), /landscape_knob=top_k/);
  await view.getByRole('combobox', { name: 'More settings' }).selectOption({ label: 'Typical-p' });
  await settle(page);
  await expectCrossing(opened, { name: 'typical_p', ...others, top_k: 10 });
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

long(
  'segments by pointer and arrows, typed numbers and the menu choose the knob; a line names the other active settings',
  async () => {
    const opened = await openLandscape({ hash: '#temperature=1.5' });
    const { page, view, knob } = opened;
    const group = view.getByRole('radiogroup', { name: 'Knob' });
    const chosen = () => view.getByRole('radio', { checked: true }).allInnerTexts();
    const also = view.locator('.also');
    assert.deepEqual(await group.getByRole('radio').allInnerTexts(), [
      'Temperature',
      'Top-k',
      'Top-p',
      'Min-p',
    ]);
    assert.deepEqual(await chosen(), ['Temperature']);
    assert.equal(await also.count(), 0);
    // The row is one stop of Tab; arrows move and choose, and the menu follows the last button.
    await group.getByRole('radio', { name: 'Temperature' }).focus();
    const focused = (it) => it.matches(':focus');
    for (const [key, name, isMenu = false] of [
      ['ArrowRight', 'Top-k'],
      ['ArrowDown', 'Top-p'],
      ['Home', 'Temperature'],
      ['End', 'Temperature', true],
      ['ArrowRight', 'Temperature'],
      ['ArrowLeft', 'Temperature', true],
      ['ArrowLeft', 'Min-p'],
      ['ArrowUp', 'Top-p'],
    ]) {
      await page.keyboard.press(key);
      await settle(page);
      assert.deepEqual(await chosen(), [name], key);
      const to = isMenu ? view.locator('.more') : group.getByRole('radio', { name });
      assert.ok(await to.evaluate(focused), key);
    }
    assert.equal(await also.innerText(), 'also: temperature 1.5', 'untouched knobs are off again');
    await page.keyboard.press('Tab');
    assert.ok(await knob.evaluate(focused));
    // A digit typed on the handle opens its number box. Enter accepts the number and closes the box; Escape closes it
    // without a change.
    await page.keyboard.type('0.7');
    const typed = view.locator('.headline input');
    assert.ok(await typed.evaluate(focused));
    await page.keyboard.press('Escape');
    assert.ok(await knob.evaluate(focused));
    await settle(page);
    assert.equal(await numberOf(knob), 0.9, 'a chosen knob that was off has its usual value');
    await page.keyboard.press('Enter');
    await page.keyboard.type('0.8');
    await page.keyboard.press('Enter');
    assert.ok(await knob.evaluate(focused));
    await settle(page);
    assert.equal(await numberOf(knob), 0.8);
    // A press on the box selects the number; a second press sets the caret.
    await typed.click();
    await page.keyboard.type('0.85');
    await typed.click();
    await page.keyboard.press('End');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await settle(page);
    assert.equal(await numberOf(knob), 0.851);
    await knob.press('PageDown');
    await settle(page);
    const { value: nucleus } = await expectCrossing(opened, { name: 'top_p', temperature: 1.5 });
    assert.ok(nucleus < 1);
    assert.equal(await also.innerText(), 'also: temperature 1.5');
    await view.getByRole('radio', { name: 'Temperature' }).click();
    await settle(page);
    const alone = /^this knob alone: favourite \S+ → \S+/;
    assert.match(await view.locator('.headline .about').innerText(), alone);

    await view.getByRole('radio', { name: 'Top-k' }).click();
    await settle(page);
    assert.equal(await knob.getAttribute('aria-valuemax'), '100');
    assert.match(await also.innerText(), /^also: temperature 1.5 and top-p 0\.\d+$/);
    await knob.press('Home');
    await knob.press('PageUp');
    await settle(page);
    const others = { temperature: 1.5, top_p: nucleus };
    const { value } = await expectCrossing(opened, { name: 'top_k', ...others });
    assert.equal(value, 10);
    const { vocab_size } = scope.info;
    const does = `keeps the most probable tokens: 10 of ${vocab_size}`;
    assert.ok((await view.locator('.headline .about').innerText()).startsWith(does));
    // The address contains all settings.
    const link = await until(() => page.url(), /top_k=10/);
    assert.match(link, /landscape_knob=top_k/);

    const more = view.getByRole('combobox', { name: 'More settings' });
    const groups = await more
      .locator('optgroup')
      .evaluateAll((all) => all.map(({ label }) => label));
    assert.deepEqual(
      groups.map((label) => label.split(':')[0]),
      ['Flatten', 'Cut', 'Penalise', 'Steer', 'Mark'],
    );
    await more.selectOption({ label: 'Typical-p' });
    await settle(page);
    assert.deepEqual(await chosen(), []);
    assert.equal(await more.inputValue(), 'typical_p');
    await expectCrossing(opened, { name: 'typical_p', ...others, top_k: 10 });
    await view.getByRole('radio', { name: 'Temperature' }).click();
    await settle(page);
    assert.equal(await more.inputValue(), '');
    assert.match(
      await also.innerText(),
      /^also: top-k 10 and top-p 0\.\d+$/,
      'typical-p is off again',
    );
    // A number typed at a knob's button goes into its box, and the knob keeps it.
    await view.getByRole('radio', { name: 'Min-p' }).click();
    await page.keyboard.type('0.02');
    await page.keyboard.press('Enter');
    await settle(page);
    assert.equal(await numberOf(knob), 0.02);
    await view.getByRole('radio', { name: 'Temperature' }).click();
    await settle(page);
    assert.match(await also.innerText(), /^also: top-k 10, top-p 0\.\d+, and min-p 0.02$/);
    // A press on the line "also: …" opens the view with all settings, in which the user can change each.
    await also.click();
    await settle(page);
    assert.equal(await page.locator('#tab-bench').getAttribute('aria-selected'), 'true');
    assert.equal(
      await page.locator('logit-knob[data-name=top_k] input[type=range]').inputValue(),
      '10',
    );
    assert.deepEqual(opened.complaints, []);
    await opened.close();
  },
);

/** Returns the layers of the picture as data URLs in one text, and the x coordinate of the crossing. */
const paintedIn = (view) =>
  view.evaluate((it) => {
    const layers = ['rivers', 'lit', 'names', 'strip'];
    const { transform } = it.renderRoot.querySelector('.cross').style;
    return [
      ...layers.map((name) => it.renderRoot.querySelector(`.plot .${name}`).toDataURL()),
      transform,
    ].join();
  });

long(
  'another knob morphs the picture; its end is exactly the picture of a fresh load; with reduced motion at once',
  async () => {
    const ends = [];
    for (const reducedMotion of ['no-preference', 'reduce']) {
      const opened = await openLandscape({ hash: '#temperature=1.2&top_k=20', reducedMotion });
      const { page, view } = opened;
      const first = await paintedIn(view);
      // In some frame, the lines and a river of both pictures must be between their start and their end. The test's
      // clock moves by at most 25 ms a frame, so that a slow machine sees as many frames as a fast one.
      const seen = await view.evaluate(async (it) => {
        const [ask, clock] = [requestAnimationFrame, performance.now.bind(performance)];
        let [now, at] = [clock(), clock()];
        performance.now = () => now;
        window.requestAnimationFrame = (act) =>
          ask(() => {
            now += Math.min(25, clock() - at);
            at = clock();
            act(now);
          });
        const cross = it.renderRoot.querySelector('.cross');
        const rivers = it.renderRoot.querySelector('.plot .rivers');
        const x = () => Number(/[\d.]+/.exec(cross.style.transform)[0]);
        const pixels = () => rivers.toDataURL();
        it.renderRoot.querySelector('[data-knob=top_k]').click();
        const places = [x()];
        const pictures = [pixels()];
        let moves = true;
        document
          .querySelector('logit-scope')
          .settled()
          .then(() => (moves = false));
        while (moves) {
          await new Promise(requestAnimationFrame);
          if (places.at(-1) !== x()) places.push(x());
          if (pictures.at(-1) !== pixels()) pictures.push(pixels());
        }
        return { places, pictures: pictures.length };
      });
      await settle(page);
      const last = await paintedIn(view);
      assert.notEqual(last, first);
      const { places } = seen;
      if (reducedMotion === 'reduce') assert.equal(places.length, 2, 'one move');
      else {
        assert.ok(places.length > 3 && seen.pictures > 3, `${places} in ${seen.pictures} pictures`);
        const down = [...places].sort((a, b) => b - a);
        assert.deepEqual(places, down, 'the line moves along with the rivers');
      }
      await until(() => page.url(), /landscape_knob=top_k/);
      await page.reload();
      await view.locator('.sentence mark').waitFor();
      await settle(page);
      assert.equal(await paintedIn(view), last, 'the picture of a fresh load');
      ends.push(last);
      assert.deepEqual(opened.complaints, []);
      await opened.close();
    }
    assert.equal(ends[0], ends[1]);
  },
);

/** Prompts of the twin: after the first one the model is sure, after the second one it is not. */
const TWIN = ['Today she is going', 'Today'];

/** Compares the numbers of the twin with the engine. */
async function expectTwin(view, name) {
  const value = await numberOf(view.locator('.twin .handle.knob').first());
  const wanted = TWIN.map((prompt) => {
    scope.feed(scope.encode(prompt));
    return scope.read({ [name]: value, seed: 42 }, { step: 0 }).trace.kept;
  });
  const kept = await view.locator('.twin .kept').allInnerTexts();
  assert.deepEqual(
    kept.map((words) => Number(/^keeps (\d+)/.exec(words)[1])),
    wanted,
    `${name} ${value}`,
  );
  const said = wanted.map((n) => `keeps ${n} of ${scope.info.vocab_size}`).join('; ');
  assert.ok((await view.getByRole('status').innerText()).includes(said));
}

test('the twin shows a sure and an unsure prompt on one knob, with the engine’s numbers', async () => {
  const opened = await openLandscape({ hash: '#temperature=1.2&landscape_knob=min_p' });
  const { page, view } = opened;
  await view.getByRole('button', { name: 'Two prompts at once' }).click();
  await settle(page);
  await expectTwin(view, 'min_p');
  await view.locator('.twin .handle.knob').first().press('PageUp');
  await settle(page);
  await expectTwin(view, 'min_p');
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

long('the heights of the twin are the engine’s, and a reload keeps it', async () => {
  const opened = await openLandscape({ hash: '#temperature=1.2' });
  const { page, view } = opened;
  const toggle = view.getByRole('button', { name: 'Two prompts at once' });
  const knob = view.locator('.twin .handle.knob').first();
  const kept = () => view.locator('.twin .kept').allInnerTexts();
  assert.equal(await toggle.count(), 0, 'temperature removes nothing');
  await view.getByRole('radio', { name: 'Top-k' }).click();
  await settle(page);
  const places = async () => [
    await view.locator('.segments').boundingBox(),
    await view.locator('.below').boundingBox(),
  ];
  const still = await places();
  await toggle.click();
  await settle(page);
  assert.deepEqual(await places(), still, 'the row of knobs and the line below stay');
  assert.equal(await toggle.getAttribute('aria-pressed'), 'true');
  assert.equal(await numberOf(knob), 5, 'the usual value, since top-k was off');
  for (const name of ['top_k', 'top_p', 'min_p']) {
    await view.locator(`[data-knob=${name}]`).click();
    await settle(page);
    await expectTwin(view, name);
    for (const share of [0.03, 0.11, 0.32, 0.5, 0.77, 0.94, 1]) {
      const plot = await view.locator('.twin .plot').last().boundingBox();
      await page.mouse.click(plot.x + share * plot.width - 1, plot.y + 30);
      await settle(page);
      await expectTwin(view, name);
    }
    // Reads both pictures: the values of the knob, and the heights of each token's river at these values.
    const shown = await view.evaluate((it) =>
      it.pair.shown.panes.map(({ content, picture }) => ({
        values: [...content.reader.landscape.values],
        rivers: picture.rivers.rivers.map(({ id, before, after }) => [id, [...before], [...after]]),
      })),
    );
    shown.forEach(({ values, rivers }, i) => {
      scope.feed(scope.encode(TWIN[i]));
      const { ids, p, top } = scope.landscape({}, name, values, { top: 64 });
      assert.ok(values.length > 100 && rivers.length > 3);
      for (const [id, before, after] of rivers)
        values.forEach((_, at) => {
          const slice = [...ids.subarray(at * top, (at + 1) * top)];
          const k = p[at * top + slice.indexOf(id)] || 0;
          const height = slice.includes(id) ? k : 0;
          assert.ok(Math.abs(after[at] - before[at] - height) < 1e-9, `${name} ${id} at ${at}`);
        });
    });
  }
  assert.deepEqual(await axe(page), []);
  await until(
    () => page.url(),
    (url) => url.includes('landscape_twin=true') && url.includes('min_p='),
  );
  assert.doesNotMatch(page.url(), /top_[kp]=(?!0\b|1\b)/, 'one cut at a time');
  assert.match(page.url(), /temperature=1\.2&/, 'the user’s own temperature stays');
  assert.match(await view.locator('.twin .hint').innerText(), /your T = 1\.2 returns/);
  const before = await kept();
  await page.reload();
  await view.locator('.twin .kept').last().waitFor();
  await settle(page);
  await until(kept, before);
  await knob.press('Home');
  await settle(page);
  await expectTwin(view, 'min_p');
  await toggle.click();
  await settle(page);
  await expectCrossing(opened, { name: 'min_p', temperature: 1.2 });
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

// A long test: address.test.js fixes and hides knobs by the query.
long('a page with some controls offers those knobs only', async () => {
  const opened = await openLandscape({
    path: '?lang=en&model=verbs&view=landscape&controls=top_p,typical_p,temperature#temperature=1.5',
  });
  const { view } = opened;
  assert.deepEqual(await view.getByRole('radio').allInnerTexts(), ['Temperature', 'Top-p']);
  assert.deepEqual(await view.locator('.more option').allInnerTexts(), ['more …', 'Typical-p']);
  assert.equal(await view.locator('button.also').count(), 0, 'no way to the hidden controls');
  await opened.close();
});

long('the value of any knob is shown whole and overlaps nothing', async () => {
  const wide = ['frequency_penalty', 'epsilon_cutoff', 'watermark_key'];
  for (const lang of LONG ? ['en', 'es'] : ['es']) {
    const { page, view, knob, close } = await openLandscape({ lang });
    const choice = view.locator('.more');
    const all = await choice.locator('option').evaluateAll((them) => them.map((it) => it.value));
    all.shift(); // drops the first entry, which is the menu's name and no knob
    for (const name of LONG ? all : sample(wide, 1)) {
      await choice.selectOption(name);
      await knob.press('Home');
      await knob.press('ArrowRight');
      await settle(page);
      for (const width of LONG ? [320, 375, 800, 1024, 1440] : [320, 800, 1440]) {
        await page.setViewportSize({ width, height: 4000 });
        const isCut = await view
          .locator('.big input')
          .evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
        const found = { isCut, overlaps: await page.evaluate(findOverlaps) };
        assert.deepEqual(found, { isCut: false, overlaps: [] }, `${name}, ${lang}, ${width} px`);
      }
    }
    await close();
  }
});

long(
  'with top-p before temperature the chain changes its order, and the regions with another token are lit',
  async () => {
    const opened = await openLandscape({ hash: '#temperature=1.4' });
    const { page, view, knob } = opened;
    const act = (name) => view.evaluate((it, word) => it.deeds.act(word), name);
    await view.evaluate((it) => it.lines.set({ top_p: 0.9 }));
    await settle(page);
    await expectCrossing(opened, { top_p: 0.9 });
    await act('swap');
    await settle(page);
    const order = scope.table.filter(({ sampler }) => sampler).map(({ name }) => name);
    const [heat, nucleus] = ['temperature', 'top_p'].map((name) => order.indexOf(name));
    [order[heat], order[nucleus]] = [order[nucleus], order[heat]];
    await expectCrossing(opened, { top_p: 0.9, order });
    assert.match(await view.locator('.also').innerText(), /another order$/);
    const about = view.locator('.headline .about');
    assert.match(await about.innerText(), /\nstrong colours: .* [1-9][\d.]*% of u$/);
    // A move of the knob keeps the comparison of two orders. A change of another setting ends it. The address contains
    // the order.
    await knob.press('Home');
    await settle(page);
    assert.match(await about.innerText(), /\nstrong colours: .* 0% of u$/);
    await view.evaluate((it) => it.lines.set({ top_k: 40 }));
    await settle(page);
    assert.match(await about.innerText(), /: like [\d.,]+ equally likely tokens$/);
    await until(() => page.url(), /order=/);
    assert.match(page.url(), /[#&]order=temperature:min_p,top_p:dynatemp_range&/);
    await act('swap');
    await settle(page);
    await expectCrossing(opened, { top_p: 0.9, top_k: 40 });
    assert.equal(await view.locator('.also').innerText(), 'also: top-k 40 and top-p 0.9');
    assert.deepEqual(opened.complaints, []);
    await opened.close();
  },
);

/** Notes in the page each text that the bars paint, with its ends in pixels. */
function notePaints(view) {
  return view.evaluate(() => {
    const { prototype } = CanvasRenderingContext2D;
    const { fillText } = prototype;
    const noting = window.painted !== undefined;
    window.painted = [];
    if (noting) return;
    prototype.fillText = function (text, x, y) {
      const { font, textAlign, canvas } = this;
      const { width } = this.measureText(text);
      const left = textAlign === 'right' ? x - width : x;
      const fits = left >= 0 && left + width <= canvas.clientWidth + 0.5;
      const size = Number(/([\d.]+)px/.exec(font)[1]);
      if (canvas.closest('.bars')) window.painted.push({ text, size, fits });
      return fillText.call(this, text, x, y);
    };
  });
}

test('a thousand real draws pile up at the bars beside the expected numbers, the same ones each time', async () => {
  const opened = await openLandscape({ hash: '#temperature=1' });
  const { page, view } = opened;
  await view.locator('.numbers summary').click();
  await notePaints(view);
  const counts = async () => {
    await view.locator('[data-command=rain]').click();
    await settle(page);
    await view.locator('.numbers td:nth-child(5)').first().waitFor();
    return view
      .locator('.numbers tbody tr')
      .evaluateAll((rows) => rows.map(({ dataset, cells }) => [dataset.id, cells[4].innerText]));
  };
  const first = await counts();
  assert.deepEqual(await counts(), first);
  scope.feed(scope.encode(FIRST));
  const { tokens } = scope.distribution({ temperature: 1, top: 24 });
  const painted = await page.evaluate(() => window.painted.map(({ text }) => text));
  const said = await view.locator('[role=status]').innerText();
  let drawn = 0;
  for (const { id, p, text } of tokens.slice(0, 5)) {
    const n = Number(first.find(([each]) => each === String(id))[1]);
    assert.ok(Math.abs(n - 1000 * p) < 5 * Math.sqrt(1000 * p * (1 - p)) + 1, `${n} of ${p}`);
    const words = `${n} of 1,000, expected ${(1000 * p).toFixed(1)}`;
    assert.ok(painted.includes(words), `${words} in ${painted.slice(-20)}`);
    if (drawn++ < 3)
      assert.ok(said.includes(`${text.trim()} ${n}, expected ${(1000 * p).toFixed(1)}`), said);
  }
  // The counts in the last picture add up to 1,000, so no draw is missing.
  const rows = painted.slice(painted.lastIndexOf(tokens[0].text.trim()));
  const whole = rows.flatMap((text) => /^(\d+) of 1,000/.exec(text)?.[1] ?? []).map(Number);
  assert.equal(
    whole.reduce((sum, n) => sum + n, 0),
    1000,
  );
  await opened.view.locator('.handle.knob').press('ArrowRight');
  await settle(page);
  assert.equal(await view.locator('.numbers td:nth-child(5)').count(), 0);
  await opened.close();
});

long('the bars have type of at least 13 px, and no text is cut', async () => {
  const opened = await openLandscape({ hash: '#temperature=0.05' });
  const { page, view, knob } = opened;
  const sizes = [
    [375, 812],
    [1280, 720],
  ];
  for (const [width, height] of sample(sizes, 1)) {
    await page.setViewportSize({ width, height });
    await settle(page); // the canvas gets its new size, which clears it, a frame later
    await notePaints(view);
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'End']) {
      await knob.press(key);
      await settle(page);
    }
    await view.locator('[data-command=rain]').click();
    await settle(page);
    const painted = await page.evaluate(() => window.painted);
    assert.ok(painted.some(({ text }) => /^>?9\d[.\d]+%$/.test(text)));
    assert.ok(painted.some(({ text }) => /expected/.test(text)));
    const wrong = painted.filter(({ size, fits }) => !fits || size < 13);
    assert.deepEqual(wrong, []);
  }
  await opened.close();
});

long('after two prompts at once the bars have the numbers of the one prompt again', async () => {
  const hash = '#temperature=2.14&top_k=10&top_p=0.6&landscape_knob=top_p';
  const { page, view, close } = await openLandscape({ hash });
  await notePaints(view);
  for (let i = 0; i < 2; i++) {
    await view.locator('.pair').click();
    await settle(page);
  }
  const painted = await page.evaluate(() => window.painted.map(({ text }) => text));
  assert.equal(painted[painted.lastIndexOf('all others') + 1], '0%', painted.slice(-26).join());
  await close();
});

/** Clicks the bar of the token with rank `at`. */
async function pressBar({ view }, at) {
  const bars = view.locator('.bars canvas');
  const { width, height } = await bars.boundingBox();
  // At least five rows and at most twelve, each 20 to 34 px high, and a row of all others.
  const rows = Math.min(12, Math.max(5, Math.floor(height / 20) - 1));
  const tall = Math.min(34, height / (rows + 1));
  await bars.click({ position: { x: width * 0.2, y: (at + 0.5) * tall } });
}

test('hovering names a river, and a press in the picture moves both lines', async () => {
  const opened = await openLandscape();
  const { page, view } = opened;
  const { x, y, width, height } = await plotOf(opened);
  scope.feed(scope.encode(FIRST));
  const [best] = scope.distribution({ temperature: 0.75 }).tokens;
  await page.mouse.move(x + 0.25 * width, y + (best.p / 2) * height);
  await settle(page);
  const tip = await view.locator('.tip').innerText();
  const [there] = scope.distribution({ temperature: 0.7 }).tokens;
  assert.match(
    tip,
    new RegExp(
      `^${best.text.trim()} .+%, rank 1 T = 0.75\\s+at the knob, T = 0.7: ${(100 * there.p).toPrecision(3)}%$`,
    ),
  );
  await page.mouse.click(x + 0.5 * width, y + 0.25 * height);
  await settle(page);
  const { value } = await expectCrossing(opened, { u: true });
  assert.ok(Math.abs(value - 1.5) < 0.02, String(value));
  assert.ok(Math.abs((await numberOf(opened.die)) - 0.25) < 0.01);
  assert.equal(await view.locator('logit-token-menu').count(), 0);
  await opened.close();
});

test('a token’s menu opens from its bar, its row in the table, and by the menu key', async () => {
  const opened = await openLandscape();
  const { page, view } = opened;
  scope.feed(scope.encode(FIRST));
  const [best, second] = scope.distribution({ temperature: 0.7 }).tokens;
  const menu = view.locator('logit-token-menu');
  const head = menu.locator('.head .token');
  await pressBar(opened, 1);
  assert.equal(await head.innerText(), second.text.trim());
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });

  const { drawn } = scope.read({ temperature: 0.7, seed: 42 }, { step: 0 });
  await opened.knob.focus();
  await page.keyboard.press('Shift+F10');
  assert.equal(await head.innerText(), scope.piece(drawn.id).text.trim());
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  assert.ok(await opened.knob.evaluate((it) => it.matches(':focus')), 'the focus comes back');

  const { x, y, width, height } = await plotOf(opened);
  await page.mouse.click(x + 0.1 * width, y + 0.02 * height, { button: 'right' });
  assert.equal(await head.innerText(), best.text.trim());
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  assert.equal(await numberOf(opened.knob), 0.7, 'nothing of that has moved a line');

  await view.locator('.numbers summary').click();
  await view.locator(`.numbers [data-id="${best.id}"] button`).focus();
  await page.keyboard.press('Enter');
  await menu.locator('[data-item=forbid]').click();
  await settle(page);
  const crossing = await expectCrossing(opened, { logit_bias: { [best.id]: false } });
  assert.notEqual(crossing.drawn.id, best.id);
  await opened.close();
});

long('the tooltip of a river stays inside a narrow picture', async () => {
  const opened = await openLandscape({ viewport: { width: 375, height: 800 } });
  const { page, view } = opened;
  const { x, y, width, height } = await plotOf(opened);
  for (const share of [0.05, 0.55, 0.65, 0.95]) {
    await page.mouse.move(x + share * width, y + 0.6 * height);
    await settle(page);
    const tip = await view.locator('.tip').boundingBox();
    assert.ok(tip.x >= x - 1 && tip.x + tip.width <= x + width + 1, `at ${share}: ${tip.x}`);
  }
  await opened.close();
});

long('a user who leaves the view with a menu open finds the landscape again', async () => {
  const opened = await openLandscape({ own: true });
  const { page, view } = opened;
  // If a view removes its focused element, Firefox fires no focusout event; Chromium does. The listener imitates
  // Firefox.
  await page.evaluate(() => {
    addEventListener('focusout', (event) => event.stopImmediatePropagation(), true);
  });
  const menu = view.locator('logit-token-menu');
  const show = (name) =>
    page.locator('logit-scope').evaluate((it, wanted) => (it.view = wanted), name);
  for (const wait of [() => menu.locator('[data-item=force]').waitFor(), () => {}]) {
    await pressBar(opened, 0);
    await wait();
    await show('bench');
    await settle(page);
    await show('landscape');
    await settle(page);
    await view.locator('.plot:not(.empty)').waitFor();
    assert.equal(await menu.count(), 0);
  }
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

long('taking a token moves u into its river', async () => {
  const opened = await openLandscape();
  const { page, view, die } = opened;
  await pressBar(opened, 0);
  await view.locator('logit-token-menu [data-item=force]').click();
  await settle(page);
  const { drawn } = await expectCrossing(opened, { u: true });
  assert.equal(drawn.rank, 1);
  assert.ok(Math.abs((await numberOf(die)) - drawn.p / 2) < 1e-9);
  await opened.close();
});

test('with the Gumbel draw the line of u is gone, and one sentence says so', async () => {
  const opened = await openLandscape({ hash: '#temperature=0.7&draw=gumbel' });
  const { view } = opened;
  assert.match(await view.locator('.headline .about').innerText(), /Gumbel/);
  for (const part of ['.line-u', '.cross', '.handle.u'])
    assert.equal(await view.locator(part).isVisible(), false, part);
  await expectCrossing(opened, { draw: 'gumbel' });
  await opened.close();
});

long('an unlisted drawn token gets a thread through the ground once the knob rests', async () => {
  const hash = '#temperature=2.5&landscape_u=0.95';
  const { page, view, close } = await openLandscape({
    path: `?lang=en&model=stories&view=landscape${hash}`,
  });
  const lit = () =>
    view.locator('canvas.lit').evaluate((canvas) => {
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
      const columns = Array.from({ length: width }, (_, x) =>
        Array.from({ length: height }, (__, y) => y).filter((y) => data[4 * (y * width + x) + 3]),
      );
      const crossing = columns[Math.round((2.5 / 3) * width)];
      return {
        columns: columns.filter((each) => each.length > 0).length / width,
        near: crossing.some((y) => Math.abs(y / height - 0.95) < 0.01),
      };
    });
  const { columns, near } = await until(lit, (found) => found.near);
  assert.ok(near && columns > 0.5, `${columns} of all columns`);
  await view.locator('.handle.u').press('Home');
  await settle(page);
  assert.equal((await lit()).near, false);
  await close();
});

long(
  'the landscape separates unchanged tokens from changed ones since the drag began',
  async () => {
    const opened = await openLandscape({ hash: '#temperature=0', fresh: true });
    const { page, view, knob } = opened;
    assert.equal(await view.locator('.sentence .changed').count(), 0);
    const first = await scope.write({
      prompt: FIRST,
      temperature: 0,
      seed: 42,
      max_new_tokens: TOKENS,
    });
    await knob.focus();
    await page.keyboard.press('End');
    await settle(page);
    const { written } = await expectCrossing(opened);
    const other = written.ids.filter((id, i) => id !== first.ids[i]).length;
    assert.ok(other > 0);
    const ended = written.finish_reason === 'eos' ? 1 : 0;
    const marked = await view.locator('.sentence .changed').count();
    assert.ok(marked === other || marked === other - ended, `${marked} of ${other}`);
    // While Play runs, every word changes, so the page marks no word as changed.
    const text = () => view.locator('.words').innerText();
    const rested = await text();
    await view.locator('[data-command=play]').click();
    await until(text, (words) => words !== rested);
    assert.equal(await view.locator('.sentence .changed').count(), 0);
    await view.locator('[data-command=play]').click(); // stops it, since the next test reuses this page
    await settle(page);
    await opened.close();
  },
);

// A long test, since lesson.test.js also tests this element in a lesson.
long(
  'the element alone in a lesson takes its settings from attributes and keeps a dragged value',
  async () => {
    const opened = await bench.open({
      path: 'source/tests/browser/blank.html',
      ready: false,
      own: true,
    });
    const { page } = opened;
    await page.evaluate((url) => {
      const script = document.createElement('script');
      script.type = 'module';
      script.src = `${url}logitscope.js`;
      document.head.append(script);
      document.body.innerHTML =
        '<logit-landscape model="verbs" prompt="Today she" temperature="1.5" seed="7" top_p="0.8"></logit-landscape>';
    }, bench.url);
    const view = page.locator('logit-landscape');
    await view.locator('.sentence mark').waitFor();
    const knob = view.locator('.handle.knob');
    assert.equal(await numberOf(knob), 1.5);
    const text = async (temperature) => {
      const options = { prompt: FIRST, seed: 7, top_p: 0.8, temperature, max_new_tokens: TOKENS };
      return FIRST + (await scope.write(options)).text;
    };
    const expectText = async (temperature) => {
      const wanted = await text(temperature);
      const same = (said) => said === wanted;
      assert.equal(await until(() => sentenceOf(view), same), wanted);
    };
    await expectText(1.5);
    await knob.waitFor(); // the handle appears with the numbers, after the text
    await knob.focus();
    await page.keyboard.press('Home');
    await expectText(0);
    await opened.close();
  },
);

long('given logits also have a landscape, without a text', async () => {
  const opened = await openLandscape();
  const { page } = opened;
  const found = await page.evaluate(async () => {
    const view = document.createElement('logit-landscape');
    view.given = { logits: Float32Array.of(3, 2, 1, 0), tokens: ['a', 'b', 'c', 'd'] };
    view.model = null;
    view.settings = { temperature: 1, seed: 42 };
    document.querySelector('main').append(view);
    for (let i = 0; i < 2400 && !view.shadowRoot?.querySelector('[data-command=play]'); i++)
      await new Promise((resolve) => setTimeout(resolve, 25));
    view.shadowRoot.querySelector('.numbers').open = true;
    for (let i = 0; i < 2400 && view.shadowRoot.querySelectorAll('tbody tr').length === 0; i++)
      await new Promise((resolve) => setTimeout(resolve, 25));
    const rows = [...view.shadowRoot.querySelectorAll('tbody tr')];
    view.remove(); // removed, since the next test may reuse this page
    return rows.map(({ dataset }) => [dataset.id, dataset.p]);
  });
  const { tokens } = scope.warp(Float32Array.of(3, 2, 1, 0), { temperature: 1 });
  assert.deepEqual(
    found.filter(([id]) => id !== 'rest'),
    tokens.map(({ id, p }) => [String(id), String(p)]),
  );
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

long('an idle first visit shows one sweep; any input ends it, no link shows it', async () => {
  const options = { ready: false, own: true, reducedMotion: 'no-preference' };
  const { page, complaints, close } = await bench.open({
    ...options,
    path: '?lang=en&model=verbs',
    firstScreen: true,
  });
  const view = page.locator('logit-landscape');
  const sweeps = () => view.evaluate(({ lines }) => lines.playing && lines.run.sweeps);
  await view.locator('.handle.knob').waitFor();
  const found = await view.evaluate(async (it) => {
    let deeds = 0;
    it.addEventListener('logit-deed', () => deeds++);
    const values = new Set();
    const end = performance.now() + 30_000;
    const frame = () => new Promise(requestAnimationFrame);
    while (!it.lines.playing && performance.now() < end) await frame();
    const playing = it.renderRoot.querySelector('[data-command=play]').textContent;
    while (it.lines.playing) {
      values.add(it.lines.knob.value);
      await frame();
    }
    return { deeds, playing, most: Math.max(...values), value: it.lines.knob.value };
  });
  assert.ok(found.most > 1.2 && found.most < 2.5, `out to ${found.most}`);
  assert.deepEqual({ ...found, most: 0 }, { deeds: 0, playing: '▶ Play T', most: 0, value: 0.7 });
  assert.equal(await page.evaluate(() => location.hash), '', 'the address stays plain');
  // The page plays this movement only on the first load in a tab, and only if the address contains no settings.
  await page.addInitScript(() => {
    const { setTimeout } = window;
    window.idleTimers = 0;
    window.setTimeout = (action, ms, ...rest) => {
      if (ms === 1500) window.idleTimers++; // counts the timers of idle-sweep.js, by its IDLE_MS
      return setTimeout(action, ms, ...rest);
    };
  });
  const idleTimers = async () => {
    await page.waitForFunction(() => document.querySelector('logit-scope')?.kept);
    await page.waitForLoadState('networkidle'); // idle-sweep.js, which starts the timer, is fetched last
    return page.evaluate(() => window.idleTimers);
  };
  const anew = async (rest = '') => {
    await page.goto(`${bench.url}source/tests/browser/blank.html`);
    await page.goto(`${bench.url}?lang=en&model=verbs${rest}`);
  };
  await anew();
  await view.locator('.handle.knob').waitFor();
  assert.equal(await idleTimers(), 0);
  // Any key ends the movement.
  await page.evaluate(() => sessionStorage.clear());
  await anew();
  await view.locator('.handle.knob').waitFor();
  assert.equal(await idleTimers(), 1);
  await until(sweeps, (now) => now);
  await page.keyboard.press('Shift');
  assert.equal(await sweeps(), false);
  await settle(page);
  assert.equal(await numberOf(view.locator('.handle.knob')), 0.7);
  await page.evaluate(() => sessionStorage.clear());
  await anew('&view=landscape#temperature=1.1');
  await view.locator('.handle.knob').waitFor();
  assert.equal(await idleTimers(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

long('a presentation fits 1280x720, its keys turn the beats, and it keeps the state', async () => {
  const { page, view, knob, complaints, close } = await openLandscape({
    path: '?lang=en&model=verbs&view=landscape&present#temperature=0.4',
    viewport: { width: 1280, height: 720 },
    own: true,
  });
  const { scrollHeight, type } = await page.evaluate(() => ({
    scrollHeight: document.documentElement.scrollHeight,
    type: parseFloat(getComputedStyle(document.documentElement).fontSize),
  }));
  assert.equal(scrollHeight, 720);
  assert.ok(type >= 20, `${type} px`);
  for (const part of ['.sentence', '.plot', '.headline', '.acts', '.bars'])
    assert.ok(await view.locator(part).isVisible(), part);
  assert.equal(await page.locator('[role=tablist]:visible, footer:visible').count(), 0);
  const text = page.locator('logit-guide .text');
  const said = JSON.parse(await readFile(join(root, 'web/locale/en.json'), 'utf8'));
  await page.keyboard.press('PageDown');
  await text.getByText(said['guide.1.deed']).waitFor();
  assert.equal(await page.locator('[data-guide=skip]').count(), 0, 'one button leaves');
  await page.keyboard.press('ArrowRight');
  await text.getByText(said['guide.2.deed']).waitFor();
  await page.keyboard.press('ArrowLeft');
  await text.getByText(said['guide.1.deed']).waitFor();
  const blank = page.locator('.blank');
  await page.keyboard.press('b');
  assert.equal(await blank.isVisible(), true);
  await page.keyboard.press('ArrowRight');
  assert.equal(await blank.isVisible(), false, 'any key shows the screen again');
  await text.getByText(said['guide.1.deed']).waitFor();
  // An arrow key on a focused slider moves the slider, not the beats. The beat about luck has set T to 1, so T
  // becomes 1.05.
  await knob.press('ArrowRight');
  await settle(page);
  assert.equal(await numberOf(knob), 1.05);
  // Escape in the sentence ends the typing only; the next Escape leaves.
  const sentence = view.locator('.prompt');
  await sentence.focus();
  await page.keyboard.press('Escape');
  const typing = () => sentence.evaluate((field) => field.matches(':focus'));
  await until(typing, (is) => !is);
  assert.match(page.url(), /present/);
  await page.keyboard.press('Escape');
  await page.locator('[role=tablist]').first().waitFor();
  const query = () => new URL(page.url()).search;
  await until(query, (words) => !words.includes('present'));
  assert.match(query(), /view=landscape/);
  assert.equal(await numberOf(knob), 1.05);
  // The panel for sending begins a presentation, and its end gives the focus back.
  await page.keyboard.press('Enter');
  await page.locator('logit-send [data-do=present]').click();
  await page.locator('.leave').waitFor();
  await until(query, /[?&]present\b/);
  await page.keyboard.press('Escape');
  await page.locator('[role=tablist]').first().waitFor();
  assert.equal(await page.locator('.leave').count(), 0);
  await page.locator('[data-command=share]:focus').waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

long('at each size picture, headline and Play are in sight together', async () => {
  const { page, view, close } = await openLandscape({ hash: '#temperature=0.7' });
  const sizes = [
    [375, 812, 240],
    [812, 375, 130],
    [1280, 720, 220],
    [720, 450, 130], // 1440x900 at a zoom of 200 %
    [2560, 1440, 500],
  ];
  for (const [width, height, least] of sizes) {
    await page.setViewportSize({ width, height });
    await settle(page);
    await page.evaluate(() => scrollTo(0, 0));
    const what = `${width}x${height}`;
    const box = async (part) => await view.locator(part).boundingBox();
    const plot = await box('.plot');
    assert.ok(plot.height >= least, `${what}: ${plot.height}`);
    const handle = await box('.handle.knob');
    assert.ok(handle.y + handle.height / 2 < height, `${what}: the handle`);
    if (width === 720) continue;
    for (const part of ['.headline .big', '.play']) {
      const { x, y, width: wide, height: tall } = await box(part);
      assert.ok(x >= 0 && x + wide <= width, `${what}: ${part}`);
      assert.ok(y >= 0 && y + Math.min(tall, 40) <= height, `${what}: ${part} at ${y}`);
    }
  }
  await close();
});
