/**
 * Tests the first frame, that is, the numbers and pictures that the build has computed and the page shows before the
 * engine and the model have loaded. The live numbers must then equal them bit for bit, and no element may move.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { long, sample } from '../long.js';
import { openBench, root, settle } from './bench.js';

const BLANK = 'source/tests/browser/blank.html';
const PROMPT = 'The soup was too';
const SETTINGS = { temperature: 0.7, seed: 42 };
const PARTS = [
  '.sentence',
  '.examples',
  '.ladder',
  '.plot',
  '.axis',
  '.headline',
  '.bars',
  '.acts',
  '.numbers',
  '.panel',
];

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
/** @type {Logitscope} */
let scope;
before(async () => {
  const load = Logitscope.load({ model: join(root, 'models/stories.gguf') });
  [bench, scope] = await Promise.all([openBench(), load]);
});
after(() => Promise.all([bench?.close(), scope?.close()]));

/** Opens a page and delays its engine until the test releases it. */
async function openHeld() {
  const opened = await bench.open({
    path: BLANK,
    own: true,
    ready: false,
    reducedMotion: 'no-preference', // animations run, since one could hide a part of the first frame
  });
  const { page } = opened;
  let letGo = () => {};
  let waiting = Promise.resolve();
  await page.route('**/worker.js', async (route) => {
    await waiting;
    await route.continue();
  });
  await page.addInitScript(() => {
    globalThis.shifts = 0;
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) globalThis.shifts += value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const view = page.locator('logit-landscape');
  const visit = async (/** @type {string} */ path) => {
    waiting = new Promise((resolve) => (letGo = () => resolve(undefined)));
    await page.goto(bench.url + BLANK); // leaves the page: otherwise only the fragment would change
    await page.goto(`${bench.url}${path}`);
    await view.locator('.acts .play').waitFor();
  };
  const live = async () => {
    letGo();
    await settle(page);
    assert.ok(await page.locator('logit-scope').evaluate((it) => it.ready));
  };
  return { ...opened, view, visit, live };
}

/** @type {ReturnType<typeof openHeld> | undefined} */
let shared;
/** Opens one held page for several tests. */
const held = () => (shared ??= openHeld());

/** Returns a view's texts with their positions, and its canvases. */
const look = (view) =>
  view.evaluate((it, parts) => {
    const inside = it.shadowRoot;
    const [headline] = inside.querySelectorAll('.headline');
    const canvases = [...inside.querySelectorAll('canvas')].map((canvas) => [
      canvas.className || 'bars',
      canvas.toDataURL(),
    ]);
    const boxes = parts.map((part) => {
      const found = part === '.panel' ? it : inside.querySelector(part);
      const { x, y, width, height } = found.getBoundingClientRect();
      return [part, x, y, width, height].join(' ');
    });
    return {
      ready: document.querySelector('logit-scope').ready,
      text: inside.querySelector('.sentence').textContent,
      ladder: [...inside.querySelectorAll('.ladder span')].map((it) => it.textContent),
      said: [
        headline.innerText,
        ...[...headline.querySelectorAll('input')].map((box) => box.value),
      ],
      canvases: Object.fromEntries(canvases),
      boxes,
    };
  }, PARTS);

/**
 * Waits until the view's texts and pictures are equal in two successive readings, since a picture may be drawn one
 * frame late. Returns them.
 */
async function calm(view) {
  let before = '';
  for (;;) {
    const seen = await view
      .evaluate(() => new Promise(requestAnimationFrame))
      .then(() => look(view));
    if (JSON.stringify(seen) === before) return seen;
    before = JSON.stringify(seen);
  }
}

/** Runs in the page: counts the later frames that do not show the names of the tokens. */
function watchNames(it) {
  const names = it.shadowRoot.querySelector('canvas.names');
  const copy = new OffscreenCanvas(100, 60).getContext('2d', { willReadFrequently: true });
  const stood = { gone: 0 };
  const look = () => {
    copy.clearRect(0, 0, 100, 60);
    copy.drawImage(names, 0, 0, 100, 60);
    const { data } = copy.getImageData(0, 0, 100, 60);
    if (!data.some((value) => value !== 0)) stood.gone++;
    requestAnimationFrame(look);
  };
  look();
  return stood;
}

/** Returns the largest difference in a channel between two pictures of one size, from 0 to 255. */
const unlike = (page, one, other) =>
  page.evaluate(
    async (pair) => {
      const [a, b] = await Promise.all(
        pair.map(async (source) => {
          const image = new Image();
          image.src = source;
          await image.decode();
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [image.width, image.height];
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height).data;
        }),
      );
      return a.length === b.length
        ? a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0)
        : 255;
    },
    [one, other],
  );

/** @type {[string, number][]} */
const SCREENS = [
  ['?lang=en', 1440],
  ['?lang=es', 375],
];

test('the first frame shows the engine’s numbers, and the live one replaces it without a visible change', async () => {
  const { page, view, complaints, visit, live } = await held();
  const written = await scope.write({ ...SETTINGS, prompt: PROMPT, max_new_tokens: 24 });
  const ladder = [];
  // The ladder's line nearest to the knob shows the text at the knob's value, here in place of 0.5.
  for (const temperature of [0, SETTINGS.temperature, 1, 1.5, 2]) {
    const { text } = await scope.write({
      ...SETTINGS,
      temperature,
      prompt: PROMPT,
      max_new_tokens: 24,
    });
    ladder.push(text);
  }
  scope.feed(scope.encode(PROMPT));
  const { trace, drawn } = scope.read({ ...SETTINGS, top: 24 }, { step: 0 });
  for (const [path, width] of sample(SCREENS, 1)) {
    await page.setViewportSize({ width, height: 900 });
    await visit(path);
    await view.locator('.sentence mark').waitFor();
    const first = await calm(view);
    assert.equal(first.ready, false);
    assert.equal(first.text, PROMPT + written.text);
    assert.deepEqual(first.ladder, ladder);
    const built = await view.evaluate((it) => {
      const { trace: shown, drawn: token } = it.first.reading;
      return { ...shown, drawn: token };
    });
    assert.equal(built.entropy, trace.entropy);
    assert.equal(built.perplexity, trace.perplexity);
    assert.doesNotMatch(first.said.join(), /NaN/);
    assert.deepEqual(built.drawn, drawn);
    assert.deepEqual(built.rest, trace.rest);
    assert.deepEqual(
      built.tokens,
      trace.tokens.map(({ id, rank, p, p_raw }) => ({ id, rank, p, p_raw })),
    );
    const stood = await view.evaluateHandle(watchNames);
    await live();
    const last = await calm(view);
    assert.equal(await stood.evaluate(({ gone }) => gone), 0, 'frames without the names');
    assert.equal(last.text, first.text);
    assert.deepEqual(last.ladder, first.ladder);
    assert.deepEqual(last.said, first.said);
    assert.deepEqual(last.boxes, first.boxes);
    for (const [name, picture] of Object.entries(last.canvases))
      if (name !== 'rivers') assert.equal(picture, first.canvases[name], name);
    // Antialiased edges may differ by two shades of 256, which is invisible.
    const edges = await unlike(page, first.canvases.rivers, last.canvases.rivers);
    assert.ok(edges <= 2, `${edges} shades`);
    // Then the usual actions move nothing either.
    await view.locator('.handle.knob').press('PageUp');
    await page.locator('#tab-bench').click();
    await page.locator('[data-command=step]').click();
    await settle(page);
    assert.ok((await page.evaluate(() => globalThis.shifts)) < 0.05, `${width} px`);
  }
  assert.deepEqual(complaints, []);
});

test('a prompt that is typed before the engine is open stays, and the engine writes on after it', async () => {
  const { page, view, complaints, visit, live } = await held();
  await visit('?lang=en');
  await view.locator('.prompt').click();
  await page.keyboard.type('The old lighthouse was ');
  assert.equal(await page.evaluate(() => scrollY), 0);
  await live();
  await page.keyboard.type('so');
  await settle(page);
  const prompt = 'The old lighthouse was so';
  assert.equal(await page.locator('logit-scope').evaluate((it) => it.state.prompt), prompt);
  assert.equal(await view.locator('.prompt').innerText(), prompt);
  const { text } = await scope.write({ ...SETTINGS, prompt, max_new_tokens: 24 });
  assert.equal((await look(view)).text, prompt + text);
  assert.deepEqual(complaints, []);
});

const OTHERS = {
  '?lang=en&view=landscape#temperature=1.4&top_p=0.8': 'T = 1.4',
  '?lang=en&view=landscape#prompt=The%20dog': 'T = 1',
  '?lang=en&model=verbs': 'T = 0.7',
};
long('for another state the first picture is hidden and its place is kept', async () => {
  const { page, view, complaints, visit, live, close } = await openHeld();
  for (const [path, value] of sample(Object.entries(OTHERS), 1)) {
    await visit(path);
    const place = await look(view);
    assert.equal(place.ready, false, path);
    assert.equal(await view.locator('.sentence mark').count(), 0, path);
    const box = await view.locator('.big input').inputValue();
    assert.equal(`T = ${box}`, value, path);
    await live();
    await view.locator('.sentence mark').waitFor();
    const last = await calm(view);
    assert.deepEqual(last.boxes, place.boxes, path);
    assert.notEqual(last.canvases.rivers, place.canvases.rivers);
    assert.ok((await page.evaluate(() => globalThis.shifts)) < 0.05, path);
  }
  assert.deepEqual(complaints, []);
  await close();
});

long('on a first visit the first frame includes the first beat of the tour', async () => {
  const { page, view, visit, live, close } = await openHeld();
  await page.addInitScript(() => localStorage.removeItem('logitscope-guide'));
  await visit('?lang=en');
  const guide = page.locator('logit-guide');
  await guide.locator('.deed').waitFor();
  const first = await calm(view);
  assert.equal(first.ready, false);
  await live();
  assert.deepEqual((await look(view)).boxes, first.boxes);
  await close();
});
