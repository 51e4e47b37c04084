/** Tests the panel behind "Send this": link, QR code, picture, loop and the code to embed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { LONG, long } from '../long.js';
import { axe, openBench, settle, until } from './bench.js';
import { modulesOf, readCode } from './qr.js';

const bench = closed(await openBench());

const MOMENT =
  '?lang=en&model=verbs&view=landscape#prompt=Yesterday%20they&temperature=1.3&top_p=0.85&seed=7&landscape_knob=top_p&landscape_u=0.6';

/** Opens a new document with permission to use the clipboard. */
async function openMoment({ path = MOMENT, ...options } = {}) {
  const opened = await bench.open({
    path,
    ready: false,
    fresh: true,
    viewport: { width: 1280, height: 720 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const { page } = opened;
  await page.locator('logit-landscape .sentence mark').waitFor();
  await settle(page);
  return { ...opened, panel: page.locator('logit-send') };
}

/** Opens the panel and waits for its picture. */
async function open({ page, panel }) {
  await page.locator('[data-command=share]').click();
  await panel.locator('img').waitFor();
}

/** Returns the text of the QR code on the screen. */
async function readShown(panel) {
  const [path, box] = await panel
    .locator('.code svg')
    .evaluate((it) => [it.firstElementChild.getAttribute('d'), it.getAttribute('viewBox')]);
  const [quiet, , wide] = box.split(' ').map(Number);
  return readCode(modulesOf(path, wide + 2 * quiet));
}

/** Clicks a button that saves a file; returns the file's name and bytes. */
async function saved({ page, panel }, name) {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    panel.locator(`[data-do=${name}]`).click(),
  ]);
  const bytes = Buffer.concat(await (await file.createReadStream()).toArray());
  return { name: file.suggestedFilename(), bytes };
}

/**
 * A page that reads saved pictures: the site's policy forbids documents made from text.
 * @type {import('playwright-core').Page | undefined}
 */
let reader;

/** Saves the picture of the present view; returns its name, its texts and its SVG. */
async function savedTexts(opened) {
  await open(opened);
  const { name, bytes } = await saved(opened, 'svg');
  await opened.page.keyboard.press('Escape');
  reader ??= await opened.page.context().browser().newPage();
  const words = await reader.evaluate((markup) => {
    const { documentElement: root } = new DOMParser().parseFromString(markup, 'image/svg+xml');
    const clean = (it) => it.textContent.replace(/\s+/g, ' ').trim();
    return root.localName === 'svg' ? [...root.querySelectorAll('text')].map(clean) : [];
  }, String(bytes));
  return { name, words, svg: String(bytes) };
}

/** Returns bars, drawn token and sentence of a landscape. @param {import('playwright-core').Page} page */
const shown = (page) =>
  page.locator('logit-landscape').evaluate((it) => {
    const { shown, names } = it.content;
    const { trace, drawn } = shown.reading;
    const bars = trace.tokens.map(({ id, p }) => [names.of(id), p]);
    return { bars, drawn, text: it.renderRoot.querySelector('.sentence').textContent };
  });

test('link and QR code are the first things in sight and equal', async () => {
  const opened = await openMoment();
  const { page, panel, complaints, close } = opened;
  const sizes = [
    { width: 375, height: 812 },
    { width: 1280, height: 720 },
  ];
  for (const size of LONG ? sizes : sizes.slice(1)) {
    await page.setViewportSize(size);
    await open(opened);
    for (const part of ['#link', '.code', '[data-copy=link]', '[data-do=svg]']) {
      const { y, height } = await panel.locator(part).boundingBox();
      assert.ok(y >= 0 && y + height <= size.height, `${part} at ${y} of ${size.height}`);
    }
    const focused = await panel.evaluate((it) => it.shadowRoot.activeElement?.dataset.copy);
    assert.equal(focused, 'link', 'the focus is on "Copy link"');
    const overflow = await panel
      .locator('.sheet')
      .evaluate((it) => it.scrollWidth - it.clientWidth);
    assert.equal(overflow, 0);
    if (size.width < 400) {
      await page.keyboard.press('Escape');
      await panel.locator('dialog').waitFor({ state: 'detached' });
      const back = await page.evaluate(
        () => document.activeElement?.shadowRoot?.activeElement?.dataset.command,
      );
      assert.equal(back, 'share', 'the focus returns');
    }
  }
  if (LONG) assert.deepEqual(await axe(page), []);
  const link = await panel.locator('#link').inputValue();
  assert.equal(await readShown(panel), link);
  await page.keyboard.press('Enter');
  await until(() => panel.locator('.link [role=status]').innerText(), 'Copied.');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  await panel.locator('.code').click();
  const { width } = await panel.locator('.code').boundingBox();
  assert.ok(width > 300, `the large code is ${width} px wide`);
  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  const before = await shown(page);
  const [, path] = link.split(bench.url);
  const other = await openMoment({ path });
  assert.deepEqual(await shown(other.page), before);
  assert.deepEqual([complaints, other.complaints], [[], []]);
  await other.close();
  await close();
});

long('the picture has sentence, value and names; it is copied or saved', async () => {
  const opened = await openMoment();
  const { page, panel, complaints, close } = opened;
  const { text } = await shown(page);
  const { name, words } = await savedTexts(opened);
  assert.equal(name, 'landscape-top_p.svg');
  assert.ok(words.includes('also: temperature 1.3'), words.join('|'));
  assert.ok(words.join(' ').includes(text.replace('∎', '').slice(0, 60)), words.join('|'));
  assert.ok(words.includes('top-p = 0.85') && words.includes('u = 0.6000'), words.join('|'));
  await page.locator('logit-landscape').evaluate((/** @type {any} */ view) => {
    const held = new Promise((resolve) => Object.assign(globalThis, { release: resolve }));
    const { picture } = view;
    view.picture = () => held.then(() => picture.call(view));
  });
  await page.locator('[data-command=share]').click();
  const room = () => panel.locator('dialog').evaluate((it) => it.clientHeight);
  await panel.locator('.thumb').waitFor();
  const before = await room();
  await page.evaluate(() => /** @type {any} */ (globalThis).release());
  await panel.locator('img').waitFor();
  assert.equal(await room(), before, 'the picture has room before it comes');
  await panel.locator('[data-do=copy]').click();
  const said = panel.locator('.picture [role=status]');
  await until(() => said.innerText(), 'Copied.');
  const [copied, saidSize] = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const image = await createImageBitmap(await item.getType('image/png'));
    const thumb = document.querySelector('logit-send').shadowRoot.querySelector('img');
    return [image.width / image.height, thumb.naturalWidth / thumb.naturalHeight];
  });
  assert.ok(Math.abs(copied - saidSize) < 0.01, 'the copied picture is the visible one');
  await page.evaluate(() => (navigator.clipboard.write = () => Promise.reject(new Error())));
  const png = await saved(opened, 'copy');
  assert.equal(png.name, 'landscape-top_p.png');
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  await until(
    () => said.innerText(),
    'This browser copies no pictures. Saved as landscape-top_p.png.',
  );
  assert.deepEqual(complaints, []);
  await close();
});

long('the views of Experiment, Charts, Compare and the twin are pictures too', async () => {
  const { page, complaints, close } = await bench.open({
    path: '?lang=en&model=verbs#prompt=Yesterday%20they&temperature=0.7&top_k=5&bench_chart=bars',
  });
  const opened = { page, panel: page.locator('logit-send') };
  await page.locator('logit-distribution #tab-bars').click();
  await settle(page);
  const after = await page.locator('logit-distribution .row text.after').allTextContents();
  assert.ok(after.length >= 5);
  const bars = await savedTexts(opened);
  assert.equal(bars.name, 'next-token-bars.svg');
  for (const text of ['Yesterday they', 'Next token · temperature 0.7 · top-k 5', ...after])
    assert.ok(bars.words.includes(text), `${text} in ${bars.words.join('|')}`);
  await page.locator('logit-distribution #tab-stages').click();
  await settle(page);
  const stages = await savedTexts(opened);
  assert.equal(stages.name, 'stages.svg');
  for (const text of ['Yesterday they', 'temperature 0.7', 'top-k 5', 'keeps 5'])
    assert.ok(stages.words.includes(text), `${text} in ${stages.words.join('|')}`);
  await page.locator('#tab-sweep').click();
  await page.locator('logit-sweep svg').first().waitFor();
  await settle(page);
  const chart = await savedTexts(opened);
  assert.equal(chart.name, 'verbs-temperature-entropy.svg');
  assert.ok(chart.words.includes('Entropy by temperature'), chart.words.join('|'));
  await page.locator('#tab-compare').click();
  await page.locator('logit-strips .taken b').first().waitFor();
  await settle(page);
  const strips = page.locator('logit-strips');
  const taken = await strips.locator('.taken').allInnerTexts();
  const texts = await savedTexts(opened);
  assert.equal(texts.name, 'compare.svg');
  for (const text of ['Yesterday they', 'A: greedy', ...taken])
    assert.ok(
      texts.words.includes(text.replace(/\s+/g, ' ')),
      `${text} in ${texts.words.join('|')}`,
    );
  await page.locator('logit-compare #blind').click();
  await page.locator('[data-command=share]').click();
  await opened.panel.locator('#link').waitFor();
  // Without a picture, no buttons for one.
  await opened.panel.locator('.picture').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.locator('#tab-landscape').click();
  await page.locator('logit-landscape [data-knob=top_k]').click();
  await page.locator('logit-landscape [data-command=twin]').click();
  await page.locator('logit-landscape .twin .kept').last().waitFor();
  await settle(page);
  const kept = await page.locator('logit-landscape .twin .kept').allInnerTexts();
  const twin = await savedTexts(opened);
  assert.equal(twin.name, 'landscape-top_k-twin.svg');
  const bare = (/** @type {string} */ text) => text.replace(/\s/g, '');
  for (const text of kept)
    assert.ok(twin.words.map(bare).includes(bare(text)), `${text} in ${twin.words.join('|')}`);
  // The knob is top-k, a whole number, so the rivers' edges are steps: each part is horizontal or vertical.
  const rivers = [...twin.svg.matchAll(/ d="M([^"]+)Z" fill="[^"]+" stroke/g)];
  assert.ok(rivers.length > 10);
  for (const [, points] of rivers) {
    const places = points.split('L').map((place) => place.split(' '));
    const steps = places.slice(1).map(([x, y], i) => x === places[i][0] || y === places[i][1]);
    assert.ok(steps.every(Boolean), points);
  }
  assert.deepEqual(complaints, []);
  await close();
});

long('a loop is a film that moves and ends where it began, and the knob is at rest', async () => {
  const opened = await openMoment({ reducedMotion: 'no-preference' });
  const { page, panel, complaints, close } = opened;
  const before = await shown(page);
  await open(opened);
  const film = await saved(opened, 'loop');
  assert.match(film.name, /^landscape-top_p\.(webm|mp4)$/);
  await settle(page);
  assert.deepEqual(await shown(page), before);
  assert.equal(await panel.locator('img').count(), 1, 'the picture is back');
  const other = await page.context().newPage(); // in an empty page, since the site's policy forbids videos
  const seen = await other.evaluate(async (base64) => {
    const video = document.createElement('video');
    video.muted = true;
    video.src = `data:video/webm;base64,${base64}`;
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const pixels = () => {
      [canvas.width, canvas.height] = [video.videoWidth >> 1, video.videoHeight >> 1];
      context.drawImage(video, 0, 0, canvas.width, canvas.height);
      return context.getImageData(0, 0, canvas.width, canvas.height).data;
    };
    const unlike = (a, b) => {
      let n = 0;
      for (let i = 0; i < a.length; i += 4) if (Math.abs(a[i] - b[i]) > 40) n++;
      return (4 * n) / a.length;
    };
    let [first, middle, frames] = [null, 0, 0];
    const each = () => {
      frames++;
      first ??= pixels();
      middle = Math.max(middle, unlike(first, pixels()));
      video.requestVideoFrameCallback(each);
    };
    video.requestVideoFrameCallback(each);
    await new Promise((resolve, reject) => {
      video.onended = resolve;
      video.onerror = () => reject(new Error('no film'));
      video.play();
    });
    return { frames, middle, last: unlike(first, pixels()), wide: video.videoWidth };
  }, film.bytes.toString('base64'));
  await other.close();
  assert.ok(seen.wide > 600 && seen.frames > 10, JSON.stringify(seen));
  assert.ok(seen.middle > 0.02 && seen.last < 0.005, JSON.stringify(seen));
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'a link that is too long for a QR code says so, and the device’s own sheet gets link and picture',
  async () => {
    const opened = await openMoment();
    const { page, panel, complaints, close } = opened;
    await page.evaluate(() => {
      window.sent = [];
      Object.assign(navigator, {
        canShare: () => true,
        share: async ({ url, files }) =>
          window.sent.push([url, files.map(({ name, type }) => `${name} ${type}`)]),
      });
    });
    await page
      .locator('logit-scope')
      .evaluate((it) => it.instrument.setPrompt('they went '.repeat(300)));
    await settle(page);
    await open(opened);
    assert.equal(
      await panel.locator('.link > .about').innerText(),
      'This link is too long for a QR code, which holds at most 2,953 bytes.',
    );
    await panel.locator('[data-do=share]').click();
    const [[url, files]] = await until(
      () => page.evaluate(() => window.sent),
      (sent) => sent.length > 0,
    );
    assert.equal(url, await panel.locator('#link').inputValue());
    assert.deepEqual(files, ['landscape-top_p.png image/png']);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long('"Embed" writes link, frame and element, and its preview is live', async () => {
  const { page, complaints, close } = await bench.open({
    path: '?lang=en&model=verbs#prompt=Yesterday%20they&top_k=3&seed=5',
  });
  const before = await page.evaluate(() => history.length);
  await page.locator('[data-command=share]').click();
  const panel = page.locator('logit-send');
  await panel.locator('#link').waitFor();
  assert.equal(await panel.locator('iframe').count(), 0, 'no preview before it is asked for');
  await panel.locator('summary').click();
  await panel.frameLocator('iframe').locator('logit-landscape canvas.rivers').waitFor();
  assert.doesNotMatch(await panel.locator('#link').inputValue(), /view=/);
  assert.match(await panel.locator('#frame').inputValue(), /&amp;view=landscape#/);
  await panel.getByLabel('Temperature', { exact: false }).first().check();
  await panel.locator('input[name=readonly]').check();
  const link = new URL(await until(() => panel.locator('#link').inputValue(), /readonly/));
  assert.equal(link.search, '?lang=en&model=verbs&controls=temperature&readonly');
  assert.equal(link.hash, '#prompt=Yesterday%20they&top_k=3&seed=5');
  assert.equal(await readShown(panel), link.href, 'the code follows the link');
  assert.match(
    await panel.locator('#frame').inputValue(),
    /^<iframe src="http[^"]*&amp;controls=temperature/,
  );
  assert.match(
    await panel.locator('#element').inputValue(),
    /<logit-scope lang="en" model="verbs" controls="temperature" prompt="Yesterday they" top_k="3" seed="5" readonly>/,
  );
  const preview = panel.frameLocator('iframe');
  await preview.locator('logit-distribution .row').first().waitFor();
  assert.equal(await preview.locator('logit-knob').count(), 1);
  assert.equal(await preview.locator('#prompt').inputValue(), 'Yesterday they');
  await panel.locator('[data-copy=element]').click();
  const said = () => panel.locator('.field [role=status]').allInnerTexts();
  const [frame, element] = await until(said, (all) => all.some(Boolean));
  assert.equal(frame, '');
  assert.match(element, /Copied|selected/, 'beside what was copied');
  assert.equal(await page.evaluate(() => history.length), before, 'the way back is as it was');
  await page.keyboard.press('Escape');
  await panel.locator('iframe').waitFor({ state: 'detached' });
  await page.locator('[data-command=share]').click();
  assert.ok(await panel.locator('input[name=readonly]').isChecked(), 'as it was left');
  assert.equal(await panel.locator('.frames').count(), 0);
  await panel.getByLabel('Temperature', { exact: false }).first().uncheck();
  await panel.locator('.frames').waitFor(); // appears if the frame's address differs from the link
  for (const [theme, style] of [
    ['dark', 'color-scheme: dark;'],
    ['contrast', '--logit-more: ;'],
  ]) {
    await panel.getByLabel('Colours').selectOption(theme);
    const code = await panel.locator('#element').inputValue();
    assert.ok(
      code.includes(`\n<style>logit-scope { ${style} }</style>\n<logit-scope lang="en"`),
      code,
    );
  }
  assert.deepEqual(complaints, []);
  await close();
});
