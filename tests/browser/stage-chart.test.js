/** Tests the chart of the stages: its numbers, the drag of a stage and of its value, keys, table and file. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { LONG, cases, long } from '../long.js';
import { axe, chooseModel, openBench, root, settle, until } from './bench.js';

const PROMPT = 'Tom opened the box and';
const PATH = `?lang=en&model=stories&view=bench#prompt=${encodeURIComponent(PROMPT)}`;
const CHAIN = `${PATH}&temperature=1.3&top_k=40&min_p=0.05`;
/** Values of each sampler, in the usual order of the stages. A random chain takes one value of each. */
const VALUES = {
  temperature: [0.3, 0.8, 1.3, 2],
  top_k: [3, 12, 40],
  top_p: [0.5, 0.9],
  min_p: [0.02, 0.1],
  repetition_penalty: [1.2, 2],
  xtc_probability: [1],
  typical_p: [0.6],
};

let bench;
/** @type {Logitscope} */
let scope;
before(async () => {
  const model = join(root, 'models/stories.gguf');
  [bench, scope] = await Promise.all([openBench(), Logitscope.load({ model })]);
  scope.feed(scope.encode(PROMPT));
});
after(() => Promise.all([bench?.close(), scope?.close()]));

const open = (path = CHAIN, options = {}) => bench.open({ path, ...options });
const stages = (page) => page.locator('logit-stages');
const state = (page) => page.locator('logit-scope').evaluate((it) => it.state);
const names = (page) => stages(page).evaluate((it) => it.river.columns.map(({ name }) => name));

/** Returns the numbers of the chart of the stages. */
async function readRiver(page) {
  await settle(page);
  return stages(page).evaluate((it) => {
    const { columns, bands, rest, ground } = it.river;
    return {
      columns: columns.map(({ name }) => name),
      rest: [...rest],
      ground: [...ground],
      bands: bands.map(({ id, p, before, after, token }) => ({
        id,
        p: [...p],
        heights: [...p].map((_, c) => after[c] - before[c]),
        removed_by: token.removed_by,
      })),
    };
  });
}

/** Returns each token's probability after the model and after each stage, for the whole vocabulary. */
function expected(settings) {
  const trace = scope.distribution({ ...settings, top: 2048 });
  const active = trace.stages.flatMap((stage, i) => (stage.active ? [{ ...stage, i }] : []));
  const of = ({ p_raw, stage_p }) => [p_raw, ...active.map(({ i }) => stage_p[i])];
  return {
    columns: ['model', ...active.map(({ name }) => name)],
    shares: new Map(trace.tokens.map((token) => [token.id, of(token)])),
    removed: new Map(trace.tokens.map(({ id, removed_by }) => [id, removed_by])),
  };
}

test('each band is the engine’s probability after each stage, and the others are the exact rest', async () => {
  const { page, complaints, close } = await open();
  let seed = 3;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const order = scope.table.filter(({ sampler }) => sampler).map(({ name }) => name);
  for (let n = 0; n < cases(2, 60); n++) {
    const chosen = Object.entries(VALUES).filter(() => random() < 0.6);
    const values = chosen.map(([name, all]) => [name, all[Math.floor(random() * all.length)]]);
    const shuffled = [...order].sort(() => random() - 0.5);
    const settings = { ...Object.fromEntries(values), order: n % 2 ? shuffled : order, seed: 42 };
    await page.locator('logit-scope').evaluate(
      (it, { order: names, seed: number, ...asked }) =>
        it.restore({
          prompt: 'Tom opened the box and',
          settings: { ...asked, order: names },
          seed: number,
          bench_chart: 'stages',
        }),
      settings,
    );
    const { columns, bands, rest } = await readRiver(page);
    const { columns: stagesOn, shares, removed } = expected(settings);
    assert.deepEqual(columns, stagesOn);
    const left = columns.map(() => 1);
    for (const { id, p, heights, removed_by } of bands) {
      assert.deepEqual(p, shares.get(id), `token ${id} under ${JSON.stringify(settings)}`);
      assert.equal(removed_by, removed.get(id));
      heights.forEach((height, c) => assert.ok(Math.abs(height - p[c]) < 1e-9));
      p.forEach((share, c) => (left[c] -= share));
    }
    rest.forEach((share, c) => assert.ok(Math.abs(share - left[c]) < 1e-9));
    // Every token with a probability above 0.02 has a band.
    const shown = new Set(bands.map(({ id }) => id));
    for (const [id, each] of shares) if (each[0] > 0.02) assert.ok(shown.has(id), `token ${id}`);
  }
  assert.deepEqual(complaints, []);
  await close();
});

test('more than one stage shows the river, one stage the bars, and a choice stays', async () => {
  const { page, complaints, close } = await open();
  const chart = () => page.locator('logit-distribution').evaluate(({ view }) => view);
  assert.equal(await chart(), 'stages');
  assert.equal((await state(page)).bench_chart, null);
  await page.locator('#tab-bars').click();
  await until(chart, 'bars');
  const address = await until(() => page.url(), /bench_chart/);
  assert.match(address, /bench_chart=bars/);
  await page.locator('#tab-stages').click();
  await stages(page).waitFor();
  const restore = (settings) =>
    page.locator('logit-scope').evaluate((it, asked) => it.restore({ settings: asked }), settings);
  await restore({ temperature: 0.5 });
  await until(chart, 'bars');
  await restore({ temperature: 0.5, top_k: 9 });
  await until(chart, 'stages');
  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  // On a phone six columns scroll inside, and no words below them touch.
  await page.setViewportSize({ width: 375, height: 812 });
  await restore({ temperature: 1.3, top_k: 40, top_p: 0.9, min_p: 0.05, xtc_probability: 0.5 });
  await settle(page);
  const words = await stages(page).evaluate((it) => {
    const range = document.createRange();
    return [...it.shadowRoot.querySelectorAll('.feet p')].map((foot) => {
      range.selectNodeContents(foot);
      const { left, right } = range.getBoundingClientRect();
      return { left, right };
    });
  });
  assert.equal(words.length, 6);
  words.sort((a, b) => a.left - b.left);
  for (const [i, { left }] of words.slice(1).entries())
    assert.ok(left > words[i].right + 4, `${left} after ${words[i].right}`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 375);
  // The edge with more columns behind it fades; at the end of the scroll, the draw is in sight.
  const wide = stages(page).locator('.wide');
  const fades = () => wide.evaluate(({ className }) => className);
  await until(fades, 'wide more-after');
  await wide.evaluate((it) => it.scrollTo(it.scrollWidth, 0));
  await until(fades, 'wide more-before');
  // Beside the chain, the model and eight stages are in sight at once, and no title is cut.
  await page.setViewportSize({ width: 1280, height: 720 });
  await restore({
    ...{ temperature: 1.3, top_k: 40, top_p: 0.9, min_p: 0.05, xtc_probability: 0.5 },
    ...{ repetition_penalty: 1.1, dry_multiplier: 0.8, typical_p: 0.9 },
  });
  await settle(page);
  await until(fades, 'wide');
  const titles = await stages(page).evaluate((it) =>
    [...it.shadowRoot.querySelectorAll('.head :is(.name, .plug)')].map((title) => ({
      text: title.textContent,
      whole: title.title,
      cut: title.scrollWidth > title.clientWidth,
    })),
  );
  assert.equal(titles.length, 9);
  for (const { text, whole, cut } of titles) assert.ok(!cut && whole, `${text}: ${whole}`);
  // In the saved picture, no words print over one another.
  const { svg } = await stages(page).evaluate((it) => it.picture('Tom opened'));
  const saved = await page.context().newPage();
  await saved.setContent(svg);
  const over = await saved.evaluate(() => {
    const words = [...document.querySelectorAll('text')].map((text) => {
      const { x, y, width, height } = text.getBBox();
      const middle = y + height / 2;
      return { text: text.textContent, left: x, right: x + width, middle };
    });
    const touches = (a, b) =>
      a.left < b.right && b.left < a.right && Math.abs(a.middle - b.middle) < 12;
    return words.flatMap((a, i) =>
      words.slice(i + 1).flatMap((b) => (touches(a, b) ? [`${a.text}/${b.text}`] : [])),
    );
  });
  await saved.close();
  assert.deepEqual(over, []);
  assert.deepEqual(complaints, []);
  await close();
});

/** Drags with the mouse in several moves. */
async function drag(page, from, to, { up = true } = {}) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let i = 1; i <= 10; i++) {
    const share = i / 10;
    await page.mouse.move(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share);
  }
  if (up) await page.mouse.up();
}

const middleOf = async (place) => {
  const { x, y, width, height } = await place.boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
};

test('a dragged stage lands at the place of its drop', async () => {
  const { page, complaints, close } = await open();
  const head = (name) => page.locator(`.head[data-stage=${name}]`);
  assert.deepEqual(await names(page), ['model', 'temperature', 'top_k', 'min_p']);
  await drag(
    page,
    await middleOf(head('min_p').locator('.plug')),
    await middleOf(head('temperature')),
  );
  await settle(page);
  assert.deepEqual(await names(page), ['model', 'min_p', 'temperature', 'top_k']);
  const { order } = (await state(page)).settings;
  assert.deepEqual(
    ['min_p', 'temperature', 'top_k']
      .map((name) => order.indexOf(name))
      .map((at, i, all) => i === 0 || at > all[i - 1]),
    [true, true, true],
  );
  await drag(page, await middleOf(head('min_p').locator('.plug')), await middleOf(head('top_k')));
  await settle(page);
  assert.deepEqual(await names(page), ['model', 'temperature', 'top_k', 'min_p']);
  assert.ok((await state(page)).settings.order.indexOf('min_p') > order.indexOf('min_p'));
  assert.deepEqual(complaints, []);
  if (!LONG) return close();
  const value = head('top_k').locator('.value');
  const from = await middleOf(value);
  await drag(page, from, { x: from.x, y: from.y - 60 });
  await settle(page);
  const { high, low } = scope.table.find(({ name }) => name === 'top_k');
  const k = Math.round(40 + ((Math.min(high, 2048) - low) * 60) / 240);
  assert.equal((await state(page)).settings.top_k, k);
  assert.equal(
    await until(
      () => value.innerText(),
      (text) => text === String(k),
    ),
    String(k),
  );
  await drag(page, from, { x: from.x, y: from.y + 40 }, { up: false });
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await settle(page);
  assert.equal((await state(page)).settings.top_k, k, 'Escape puts the value back');

  // A drag inside the picture, not on a handle, changes the value of the stage in that column.
  const plot = await page.locator('logit-stages .plot').boundingBox();
  const x = plot.x + plot.width / 2 - plot.width * 0.18;
  await drag(page, { x, y: plot.y + 200 }, { x, y: plot.y + 170 });
  await settle(page);
  assert.ok((await state(page)).settings.temperature > 1.3);
  assert.deepEqual(complaints, []);
  await close();
});

long('the keyboard moves and turns a stage, turns it off and on, and follows a word', async () => {
  const { page, complaints, close } = await open();
  const head = (name) => page.locator(`.head[data-stage=${name}]`);
  await head('top_k').locator('.plug').focus();
  for (const key of ['Space', 'ArrowLeft', 'Space']) await page.keyboard.press(key);
  await settle(page);
  assert.deepEqual(await names(page), ['model', 'top_k', 'temperature', 'min_p']);
  assert.match(
    await page.locator('logit-stages [aria-live]').innerText(),
    /let go at place 1 of 3/,
  );

  await head('top_k').locator('[role=slider]').focus();
  for (const key of ['ArrowUp', 'ArrowUp', 'PageDown']) await page.keyboard.press(key);
  await settle(page);
  assert.equal((await state(page)).settings.top_k, 32);

  await head('min_p').hover();
  await head('min_p').locator('.power').click();
  await settle(page);
  assert.equal((await state(page)).settings.min_p ?? 0, 0);
  assert.deepEqual(
    await names(page),
    ['model', 'top_k', 'temperature', 'min_p'],
    'the column stays',
  );
  const { bands } = await readRiver(page);
  for (const { p } of bands) assert.equal(p[3], p[2], 'a stage that is off changes nothing');
  await head('min_p').locator('.power').click();
  await settle(page);
  assert.equal((await state(page)).settings.min_p, 0.05);

  // All titles together are one Tab stop. Arrow keys move the focus between their parts.
  const held = () => stages(page).evaluate((it) => it.shadowRoot.activeElement?.ariaLabel ?? '');
  const walked = [];
  await head('top_k').locator('.plug').focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) {
    await page.keyboard.press(key);
    walked.push(await held());
  }
  assert.deepEqual(walked, ['Top-k', 'Turn Top-k off', 'Move Temperature', 'Top-k']);
  await page.keyboard.press('Tab');
  assert.equal(await held(), 'Probabilities of the tokens after each stage');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await held(), 'Top-k');

  await page.locator('logit-stages .plot').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  const option = page.locator('logit-stages [role=option][aria-selected=true]');
  assert.match(
    await option.getAttribute('aria-label'),
    /^“found”: [\d.]+% from the model → [\d.]+% after top-k 32 → .*% after .*$/,
  );
  assert.equal(await stages(page).evaluate(({ followed }) => followed !== null), true);
  await page.keyboard.press('Escape');
  assert.equal(await stages(page).evaluate(({ followed }) => followed), null);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(complaints, []);
  await close();
});

long('table, file and a press on a band name the stage that removed a word', async () => {
  const { page, complaints, close } = await open(`${CHAIN}&xtc_probability=1`);
  const plot = await page.locator('logit-stages .plot').boundingBox();
  await page.mouse.click(plot.x + 20, plot.y + 30);
  const told = page.locator('logit-stages .told');
  const reason = /^“saw”: .*% from the model → .* → removed by XTC probability 1$/;
  await until(() => told.innerText(), reason);
  await page.locator('logit-stages summary').click();
  const row = page.locator('logit-stages tbody tr', { hasText: 'saw' }).first();
  assert.match(await row.innerText(), /removed by XTC probability 1/);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    stages(page).evaluate((it) => it.save('svg')),
  ]);
  const svg = readFileSync(await file.path(), 'utf8');
  const { bands } = await readRiver(page);
  assert.equal(svg.match(/<path d="M0 /g)?.length, bands.length);
  assert.match(svg, />min-p 0.05<.*>keeps/s);
  const colour = await page.locator('logit-stages canvas').evaluate((canvas) => {
    const { drawn, river } = canvas.getRootNode().host;
    const { before, after } = river.bands.find(({ id }) => id === drawn.id);
    const y = ((before.at(-1) + after.at(-1)) / 2) * canvas.height;
    return [...canvas.getContext('2d').getImageData(canvas.width - 40, y, 1, 1).data];
  });
  assert.ok(colour[3] === 255, 'the last column is painted');
  assert.deepEqual(complaints, []);
  await close();
});

long('the element stands by itself in a lesson', async () => {
  const { page, complaints, close } = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
  });
  await page.setContent(
    `<script type="module" src="${bench.url}logitscope.js"></script>
    <logit-stages model="verbs" prompt="Every day he" top_k="3" temperature="1.5"></logit-stages>`,
  );
  const columns = () =>
    stages(page).evaluate((it) => it.river?.columns.map(({ name }) => name).join() ?? '');
  const all = 'model,temperature,top_k';
  await until(columns, all);
  await stages(page).evaluate((it) => it.setAttribute('min_p', '0.2'));
  await until(columns, `${all},min_p`);
  await Promise.all([
    page.waitForEvent('download'),
    stages(page).getByRole('button', { name: 'PNG' }).click(),
  ]);
  assert.deepEqual(complaints, []);
  await close();
});

long('another model paints its river in place of the last one', async () => {
  const { page, complaints, close } = await open(CHAIN, { fresh: true });
  await settle(page);
  /** Returns the number of different colours in the middle column of the picture. */
  const colours = () =>
    stages(page)
      .locator('canvas')
      .evaluate((/** @type {HTMLCanvasElement} */ canvas) => {
        const { data } = /** @type {CanvasRenderingContext2D} */ (
          canvas.getContext('2d')
        ).getImageData(canvas.width / 2, 0, 1, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
      });
  assert.ok((await colours()) > 3);
  await chooseModel(page, 'verbs');
  await until(() => page.locator('logit-scope').evaluate((it) => it.info.vocab_size), 64);
  await settle(page);
  assert.ok((await until(colours, (found) => found > 3)) > 3);
  assert.deepEqual(complaints, []);
  await close();
});
