/** Tests a user's own sampler in the chain of the bench. It must behave like a built-in sampler. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LONG, long, sample } from '../long.js';
import {
  FIRST,
  axe,
  byId,
  expectTrace,
  frame,
  loadReference,
  openBench,
  readBars,
  settle,
  unfoldStages,
  until,
  unfoldDraw,
} from './bench.js';

const BALANCED = { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 };
/** Computes the expected result of the page's example code. @param {Float32Array} logits */
const five = (logits) => {
  const least = [...logits].sort((a, b) => b - a)[4];
  return logits.map((logit) => (logit >= least ? logit : -Infinity));
};

const bench = await openBench();
const scope = await loadReference();

/** The example code that the page shows to a new user. @type {string | undefined} */
let example;

/** @param {object} [options] */
async function open({ add = true, ...options } = {}) {
  // A reused page may still have the own sampler of an earlier test, which no address contains.
  const opened = await bench.open(options);
  const { page } = opened;
  const card = page.locator('logit-chain .card[data-stage=own]');
  if (await card.count()) {
    await card.hover();
    await card.locator('[data-remove=own]').click();
  }
  await card.waitFor({ state: 'detached' });
  if (add) {
    await unfoldStages(page);
    await page.locator('[data-add=own]').click();
    await card.waitFor();
    const editor = card.locator('textarea');
    example ??= await editor.inputValue();
    if ((await editor.inputValue()) !== example) {
      if (!(await editor.isVisible())) await card.locator('summary').click();
      await card.locator('[data-do=again]').click();
    }
  }
  return {
    ...opened,
    card,
    did: () => card.locator('.did').textContent(),
    trouble: () => card.locator('.error').textContent(),
    /** Sets the time limit of a call. @param {number} ms */
    limit: (ms) =>
      card.locator('logit-own-stage').evaluate((stage, given) => {
        stage.limit = given;
      }, ms),
    /** @param {string} code */
    async use(code) {
      const editor = card.locator('textarea');
      if (!(await editor.isVisible())) await card.locator('summary').click();
      await editor.fill(code);
      await card.locator('[data-do=apply]').click();
    },
    /** @param {any} settings @param {string} [prompt] */
    async shows(settings, prompt = FIRST) {
      scope.feed(scope.encode(prompt));
      await expectTrace(page, scope.distribution({ ...settings, top: 20 }));
    },
    /**
     * Moves the card with the arrow keys.
     * @param {number} by number of places, negative for up
     */
    async move(by) {
      await card.locator('.plug').focus();
      await page.keyboard.press('Space');
      for (let i = 0; i < Math.abs(by); i++) {
        await page.keyboard.press(by < 0 ? 'ArrowUp' : 'ArrowDown');
        await settle(page);
      }
      await page.keyboard.press('Space');
    },
    order: () =>
      page
        .locator('logit-chain .card')
        .evaluateAll((cards) => cards.map((card) => card.dataset.stage)),
    set: async (/** @type {string} */ name, /** @type {string} */ value) => {
      const box = page.locator(`logit-knob[data-name=${name}] .box`);
      await box.fill(value);
      await box.press('Enter');
    },
    off: async (/** @type {string} */ name) => {
      const knob = page.locator(`logit-knob[data-name=${name}]`);
      await knob.hover();
      await knob.locator('.off').click();
    },
  };
}

const canonical = () => scope.table.filter(({ sampler }) => sampler).map(({ name }) => name);
/** Returns the canonical order with 'own' in front of a sampler. @param {string} before */
const orderBefore = (before) =>
  canonical().flatMap((name) => (name === before ? ['own', name] : [name]));

test('a user’s own sampler is added as the last stage, and every bar then agrees with the engine', async () => {
  const { page, card, did, order, set, shows, complaints, close } = await open();
  assert.equal((await order()).at(-1), 'own');
  await shows({ ...BALANCED, own: five });
  // With and without this sampler the first bars are equal, so only its message shows that it has run.
  const says = await until(did, (text) => (text ?? '').trim() !== '');
  assert.match(says, /as they came/);
  await set('top_p', '1');
  await shows({ ...BALANCED, top_p: 1, own: five });
  assert.match(await did(), /^\s*Removes 59 .*ntropy/);
  assert.equal(await card.locator('.spark').count(), 1);
  // The state of a new address is complete: it has no own sampler.
  await page.evaluate(() => (location.hash = 'temperature=0.7'));
  await card.waitFor({ state: 'detached' });
  await shows({ temperature: 0.7 });
  // Ignores the error of the test's script, which runs in every document and finds no storage in the sandboxed frame.
  assert.deepEqual(
    complaints.filter((text) => !text.includes('localStorage')),
    [],
  );
  await close();
});

long(
  'an own top-k keeps, draws and writes the tokens of the built-in one at the same place',
  async () => {
    const mine = await open({
      path: '?lang=en&model=verbs#prompt=Today%20she&temperature=1.6&seed=11',
    });
    await mine.shows({ temperature: 1.6, own: five });
    const theirs = await open({
      add: false,
      path: '?lang=en&model=verbs#prompt=Today%20she&temperature=1.6&seed=11&top_k=5&bench_chart=bars',
    });
    await theirs.shows({ temperature: 1.6, top_k: 5 });
    const removed = async (/** @type {any} */ page) =>
      (await readBars(page))
        .map(({ removed_by, ...bar }) => ({ ...bar, removed: removed_by !== null }))
        .sort(byId);
    assert.deepEqual(await removed(mine.page), await removed(theirs.page));
    assert.match(await mine.did(), /Removes 59 /);
    assert.equal(
      await mine.did(),
      await theirs.page.locator('.card[data-stage=top_k] .did').textContent(),
    );
    const text = [];
    for (const { page } of [mine, theirs]) {
      text.push(await page.locator('logit-draw').evaluate((it) => JSON.stringify(it.drawn)));
      await page.locator('[data-command=run]').click();
      const finished = () => page.locator('logit-text').evaluate((it) => it.finished);
      await until(finished, Boolean);
      text.push(await page.locator('logit-text').evaluate((it) => JSON.stringify(it.steps)));
    }
    assert.ok(JSON.parse(text[1]).length > 1);
    assert.deepEqual(text.slice(0, 2), text.slice(2));
    await mine.close();
    await theirs.close();
  },
);

long('the result of an own sampler depends on its place, and keys move it', async () => {
  const LEAST =
    'export default (l) => l.map((it) => (it >= Math.max(...l) - 1.5 ? it : -Infinity));';
  const own = (/** @type {Float32Array} */ l) =>
    l.map((it) => (it >= Math.fround(Math.max(...l) - 1.5) ? it : -Infinity));
  const it = await open({
    path: '?lang=en&model=verbs#prompt=Today%20she&temperature=2&bench_chart=bars',
  });
  await it.use(LEAST);
  await it.shows({ temperature: 2, own });
  const after = await it.did();
  await it.move(-3);
  assert.deepEqual((await it.order()).slice(-4), ['own', 'temperature', 'top_k', 'top_p']);
  await it.shows({ temperature: 2, own, order: orderBefore('temperature') });
  assert.notEqual(await it.did(), after);
  await it.set('top_k', '2');
  await it.shows({ temperature: 2, top_k: 2, own, order: orderBefore('temperature') });
  await it.close();
});

long('the handle of an own sampler can be dragged like any other', async () => {
  const it = await open({ viewport: { width: 1440, height: 1800 } });
  await it.shows({ ...BALANCED, own: five });
  const plug = await it.card.locator('.plug').boundingBox();
  const first = await it.page.locator('.card[data-stage=repetition_penalty]').boundingBox();
  await it.page.mouse.move(plug.x + plug.width / 2, plug.y + 10);
  await it.page.mouse.down();
  for (let y = plug.y; y > first.y + 10; y -= 20) {
    await it.page.mouse.move(plug.x, y);
    await frame(it.page);
  }
  await it.page.mouse.up();
  await it.shows({ ...BALANCED, own: five, order: orderBefore('repetition_penalty') });
  await it.close();
});

long(
  'an own sampler can be turned off and on, removed, added again, and reads texts of tokens',
  async () => {
    const it = await open();
    await it.use('export default (l) => l.map((x) => x * 2);');
    const own = (/** @type {Float32Array} */ l) => l.map((x) => x * 2);
    await it.shows({ ...BALANCED, own });
    await it.card.locator('[data-do=switch]').click();
    await it.shows(BALANCED);
    await it.move(-1);
    await it.shows(BALANCED);
    await it.card.locator('[data-do=switch]').click();
    await it.shows({ ...BALANCED, own, order: orderBefore('top_p') });
    await it.card.hover();
    await it.card.locator('[data-remove=own]').click();
    await it.card.waitFor({ state: 'detached' });
    await it.shows(BALANCED);
    assert.equal(await it.page.locator('iframe').count(), 0);
    await unfoldStages(it.page);
    await it.page.locator('[data-add=own]').click();
    await it.card.locator('summary').click();
    assert.match(await it.card.locator('textarea').inputValue(), /x \* 2/);
    const noE = `export default (l, _, { tokens }) =>
    l.map((x, id) => (tokens[id].includes('e') ? -Infinity : x));`;
    const expected = (/** @type {Float32Array} */ l) =>
      l.map((x, id) => (scope.piece(id).text.includes('e') ? -Infinity : x));
    await it.use(noE);
    await it.shows({ ...BALANCED, own: expected, order: orderBefore('top_p') });
    await it.set('temperature', '1.2');
    await it.shows({
      ...BALANCED,
      temperature: 1.2,
      own: expected,
      order: orderBefore('top_p'),
    });
    await it.close();
  },
);

describe('a failure removes an own sampler with a sentence, and nothing else is lost', () => {
  /** @type {Awaited<ReturnType<typeof open>>} */
  let it;
  let first = '';
  before(async () => {
    it = await open({ path: '?lang=en&model=verbs#prompt=Today%20she&temperature=0.8&seed=5' });
    await it.shows({ temperature: 0.8, own: five });
    await it.page.locator('[data-command=step]').click();
    first = await it.page
      .locator('logit-text')
      .evaluate((text) => text.steps.map((step) => step.text).join(''));
  });
  after(() => it?.close());

  /** @type {[string, RegExp][]} */
  const FAILURES = [
    [
      'export default () => { throw new Error("no idea"); };',
      /^Taken out of the chain\. .*no idea/,
    ],
    ['export default () => { for (;;); };', /too long/],
    ['export default (l) => [0];', /1 numbers for 64/],
    ['export default (l) => l.map(() => NaN);', /Token 0 .*NaN/],
    ['export default (l) => [...l].map(() => 1e39);', /Token 0 .*Infinity/],
    ['export default (l) => l.fill(-Infinity);', /removed every token/],
    ['export default () => {};', /undefined/],
    ['export default (;', /could not be loaded/],
    ['export const a = 1;', /could not be loaded/],
  ];
  for (const [code, words] of sample(FAILURES, 1)) {
    test(code, async () => {
      // A shorter limit stops the endless loop early; the test of the single-file page waits for the default limit.
      if (code.includes('for (;;)')) await it.limit(300);
      await it.use(code);
      await until(it.trouble, (text) => words.test(text ?? ''));
      assert.match(await it.trouble(), words);
      await it.shows({ temperature: 0.8 }, FIRST + first);
      assert.equal(await it.page.locator('logit-scope .trouble').count(), 0);
      assert.equal(await it.page.locator('iframe').count(), 0);
      await it.limit(2000);
      await it.use('export default (l) => l.map((x) => 2 * x);');
      await it.shows(
        { temperature: 0.8, own: (/** @type {Float32Array} */ l) => l.map((x) => 2 * x) },
        FIRST + first,
      );
      assert.equal(await it.trouble(), '');
    });
  }
});

long('a failure during a run stops the run there', async () => {
  const it = await open({ path: '?lang=en&model=verbs#prompt=Today%20she&seed=5' });
  await it.use(
    'export default (l, s, { history }) => { if (history.length > 4) throw new Error("four"); return l; };',
  );
  await it.shows({ own: (/** @type {Float32Array} */ l) => l });
  await it.page.locator('[data-command=run]').click();
  await until(it.trouble, (text) => /four/.test(text ?? ''));
  const steps = () => it.page.locator('logit-text').evaluate((text) => text.steps.length);
  assert.equal(await steps(), 2);
  await settle(it.page);
  assert.equal(await steps(), 2);
  await it.close();
});

long('a slow answer to an outdated question is dropped', async () => {
  const it = await open({ path: '?lang=en&model=verbs#prompt=Today%20she&temperature=0.8' });
  // Code that takes 700 ms: it waits, or with LONG=1 computes.
  const slow = LONG
    ? 'export default async (l) => { for (const end = Date.now() + 700; Date.now() < end; ); return l.map(() => 0); };'
    : 'export default (l) => new Promise((done) => setTimeout(() => done(l.map(() => 0)), 700));';
  await it.use(slow);
  await it.page.waitForTimeout(100);
  await it.use('export default (l) => l.map((x) => 3 * x);');
  const own = (/** @type {Float32Array} */ l) => l.map((x) => 3 * x);
  await it.shows({ temperature: 0.8, own });
  await it.page.waitForTimeout(900);
  await it.shows({ temperature: 0.8, own });
  assert.equal(await it.trouble(), '');
  await it.close();
});

long('many draws, alternatives and the charts over all ranks use an own sampler', async () => {
  const it = await open({ path: '?lang=en&model=verbs#prompt=Today%20she&temperature=1.5&seed=2' });
  await it.use(
    'export default (l) => { const m = Math.max(...l); return l.map((x) => (x === m ? x : -Infinity)); };',
  );
  await until(it.did, (text) => /Removes 63/.test(text ?? ''));
  await unfoldDraw(it.page);
  await it.page.locator('[data-command=many]').click();
  const tally = () =>
    it.page
      .locator('logit-draw')
      .evaluate((draw) => draw.tally && [draw.tally.total, draw.tally.counts.size]);
  assert.deepEqual((await until(tally, (found) => Boolean(found)))?.[1], 1);
  await it.page
    .locator('logit-distribution')
    .evaluate((chart) => chart.emit('logit-view', { view: 'ranks' }));
  const curves = () =>
    it.page
      .locator('logit-distribution')
      .evaluate((chart) => chart.curves && [chart.curves.final[0], chart.curves.entering[1] > 0]);
  assert.deepEqual(await until(curves, (found) => Boolean(found)), [1, true]);
  await it.close();
});

describe('accessibility and languages', () => {
  for (const theme of sample(['light', 'dark'], 1)) {
    long(`axe finds no violation, ${theme}`, async () => {
      const { page, card, use, trouble, close } = await open({
        colorScheme: /** @type {'light' | 'dark'} */ (theme),
      });
      await use('export default () => 0');
      await until(trouble, (text) => Boolean(text));
      await card.locator('[data-do=again]').click();
      assert.deepEqual(await axe(page), []);
      await close();
    });
  }

  long('in Spanish at 360 px the page does not scroll sideways', async () => {
    const { page, card, close } = await open({
      path: '?lang=es',
      viewport: { width: 360, height: 740 },
    });
    await card.locator('summary').click();
    assert.equal(await card.getByText('Tu muestreador', { exact: true }).first().isVisible(), true);
    const [inner, outer] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
    ]);
    assert.ok(inner <= outer, `${inner} > ${outer}`);
    await close();
  });
});

long(
  'an own sampler works in the single-file page, opened by double click without a network',
  async () => {
    const { page, foreign, close } = await bench.open({
      path: 'source/tests/browser/blank.html',
      ready: false,
      own: true,
    });
    await page.context().setOffline(true);
    foreign.length = 0;
    const file = pathToFileURL(join(bench.dist, 'logitscope.html'));
    await page.goto(`${file}?lang=en&model=verbs#prompt=Today%20she&temperature=1.6`);
    await page.locator('logit-distribution .row').first().waitFor();
    await unfoldStages(page);
    await page.locator('[data-add=own]').click();
    const card = page.locator('logit-chain .card[data-stage=own]');
    const shows = (/** @type {any} */ settings) => {
      scope.feed(scope.encode(FIRST));
      return expectTrace(page, scope.distribution({ ...settings, top: 20 }));
    };
    await shows({ temperature: 1.6, own: five });
    await card.locator('summary').click();
    const use = async (/** @type {string} */ code) => {
      await card.locator('textarea').fill(code);
      await card.locator('[data-do=apply]').click();
    };
    const half = (/** @type {Float32Array} */ l) => l.map((it) => it / 2);
    for (const code of [
      'export default (l) => l.map((it) => it / 2);',
      'const two = 2;\nexport function own(l) { return half(l); }\nfunction half(l) { return l.map((it) => it / two); }',
      'async function half(l) { return l.map((it) => it / 2); }\nexport\n  default half; // mine',
    ]) {
      await use(code);
      await shows({ temperature: 1.6, own: half });
    }
    const trouble = () => card.locator('.error').textContent();
    for (const [code, words] of /** @type {[string, RegExp][]} */ ([
      ['export default (;', /could not be loaded: .*Unexpected/],
      // Only in long runs, since this case takes as long as the page's time limit.
      ...(LONG ? [['export default () => { for (;;); };', /too long/]] : []),
      ['export default async (l) => { await fetch("https://example.com/"); return l; };', /failed/],
      ['export default (l) => { parent.document.title = ""; return l; };', /failed/],
    ])) {
      await use(code);
      assert.match((await until(trouble, (text) => words.test(text ?? ''))) ?? '', words, code);
      await shows({ temperature: 1.6 });
    }
    assert.deepEqual(
      foreign.filter((url) => !/^(file|blob|data):/.test(url)),
      [],
    );
    await close();
  },
);
