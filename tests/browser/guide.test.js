/** Tests the help for beginners: the tour of a first visit, and an explanation of every term. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import { long } from '../long.js';
import { openBench, root, settle, until } from './bench.js';
import { findOverlaps } from './overflow.js';

const bench = closed(await openBench());

const messages = async (code) =>
  JSON.parse(await readFile(join(root, `web/locale/${code}.json`), 'utf8'));

/** Presses the button in the card of the present tour step. */
const press = (view) => view.page().locator('logit-guide .press').click();

/** For each step of the tour, the learner's actions, by keys. */
const DEEDS = [
  [
    (view) => view.locator('.handle.knob').press('Home'),
    (view) => view.locator('.handle.knob').press('End'),
  ],
  [
    async (view) => {
      const u = view.locator('.handle.u');
      await u.press(Number(await u.getAttribute('aria-valuenow')) < 0.5 ? 'End' : 'Home');
    },
  ],
  [press, press],
  [press],
  [press],
];

/** For each step of the tour, the messages that may describe its effect. */
const SAID = [
  ['noticed', 'same'],
  ['noticed'],
  ['noticed', 'uneven'],
  ['noticed', 'same'],
  ['noticed'],
];

/** Returns a pattern of the sentences that describe the effect of a tour step, or of those of the given kinds. */
function sentencesOf(said, beat, kinds = SAID[beat - 1]) {
  const texts = kinds.flatMap((kind) => {
    const message = said[`guide.${beat}.${kind}`];
    return typeof message === 'string' ? [message] : Object.values(message);
  });
  const any = texts.map((text) =>
    text
      .split(/\{\w+\}/)
      .map((part) => part.replace(/[.*+?()[\]\\|^$]/g, '\\$&'))
      .join('.+'),
  );
  return new RegExp(`^(${any.join('|')})$`);
}

/** Waits until the tour describes the effect of an action in step `beat`, and returns that sentence. */
const effectOf = (guide, said, beat) =>
  until(
    () => guide.locator('.text').innerText(),
    (text) => sentencesOf(said, beat).test(text),
  );

test('a first visit begins with the tour, which keeps the user’s settings and undoes its own', async () => {
  const { page, complaints, close } = await bench.open({
    path: '?lang=en',
    first: true,
    firstScreen: true,
    ready: false,
  });
  const said = await messages('en');
  const guide = page.locator('logit-guide');
  const view = page.locator('logit-landscape');
  const settings = () => page.locator('logit-scope').evaluate(({ state }) => state.settings);
  await view.locator('.handle.knob').waitFor();
  await guide.getByText('1/5').waitFor();
  await settle(page);
  const { temperature } = await settings();
  await guide.locator('[data-guide=next]').click();
  await guide.getByText('2/5').waitFor();
  for (const deed of DEEDS[1]) await deed(view);
  await effectOf(guide, said, 2);
  await guide.locator('[data-guide=next]').click();
  await guide.getByText('3/5').waitFor();
  await settle(page);
  assert.notEqual((await settings()).temperature, temperature, 'a setting of the beat');
  await page.locator('logit-scope').evaluate((scope) => scope.set({ min_p: 0.02 }));
  await settle(page);
  await guide.locator('[data-guide=skip]').click();
  await guide.waitFor({ state: 'detached' });
  await settle(page);
  const left = await settings();
  assert.deepEqual([left.temperature, left.min_p], [temperature, 0.02]);
  assert.deepEqual(complaints, []);
  await close();
});

for (const lang of ['en', 'es'])
  long(
    `a first visit has five beats, each of which waits for its action and describes the effect: ${lang}`,
    async () => {
      const path = `?lang=${lang}`;
      const { page, complaints, close } = await bench.open({
        path,
        first: true,
        firstScreen: true,
        ready: false,
      });
      const said = await messages(lang);
      const guide = page.locator('logit-guide');
      const view = page.locator('logit-landscape');
      // The handles appear only with the numbers, which load after the text.
      await view.locator('.handle.knob').waitFor();
      const tops = () =>
        page.evaluate(() => {
          const { renderRoot } = document.querySelector('logit-scope');
          const place = (it) => it.getBoundingClientRect();
          const line = place(renderRoot.querySelector('[slot=guide]'));
          const below = renderRoot
            .querySelector('logit-landscape')
            .renderRoot.querySelector('.below');
          return [line.height, place(below).top + scrollY];
        });
      const places = await tops();
      for (const [i, deeds] of DEEDS.entries()) {
        await guide.getByText(`${i + 1}/5`).waitFor();
        for (const [n, deed] of deeds.entries()) {
          const words = sentencesOf(said, i + 1, [`deed${n || ''}`]);
          await until(() => guide.locator('.deed').innerText(), words);
          await deed(view);
        }
        await effectOf(guide, said, i + 1);
        assert.deepEqual(await tops(), places, 'nothing moves');
        await guide.locator('[data-guide=next]').click();
      }
      await guide.getByText(said['guide.end.said']).waitFor();
      assert.deepEqual(await tops(), places, 'nothing moves');
      await guide.locator('[data-guide=bench]').click();
      await page.locator('logit-distribution').waitFor();
      assert.equal(await guide.count(), 0);
      await page.locator('#tab-landscape').click();
      await settle(page);
      assert.deepEqual(await tops(), places, 'also after the tour');
      assert.equal(await view.evaluate((it) => it.twin), false);
      await page.reload();
      await view.locator('.sentence mark').waitFor();
      assert.equal(await guide.count(), 0);
      assert.deepEqual(complaints, []);
      await close();
    },
  );

long(
  'the beat about luck accepts a vertical drag of the crossing, not a sideways one',
  async () => {
    const path = '?lang=en&model=verbs#beat=2';
    const { page, complaints, close } = await bench.open({ path, ready: false, fresh: true });
    const said = await messages('en');
    const guide = page.locator('logit-guide');
    const view = page.locator('logit-landscape');
    await view.locator('.sentence mark').waitFor();
    await settle(page);
    const drag = async (right, down) => {
      const place = await view.locator('.cross').boundingBox();
      const [x, y] = [place.x + place.width / 2, place.y + place.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + right, y + down, { steps: 20 });
      await page.mouse.up();
      await settle(page);
    };
    const u = () => view.locator('.handle.u').getAttribute('aria-valuenow');
    const before = await u();
    await drag(300, 30);
    assert.notEqual(await u(), before, 'it went down a little');
    assert.equal(await guide.locator('.deed').innerText(), said['guide.2.deed']);
    await drag(3, Number(before) > 0.5 ? -150 : 150);
    await effectOf(guide, said, 2);
    const last = Number(await u()).toFixed(2);
    await until(
      () => guide.locator('.text').innerText(),
      (text) => text.includes(last),
    );
    // The tour speaks only of the temperature; for another knob it says so.
    await view.getByRole('radio', { name: 'Top-k', exact: true }).click();
    await guide.getByText(said['guide.other']).waitFor();
    await view.getByRole('radio', { name: 'Temperature', exact: true }).click();
    await until(
      () => guide.locator('.text').innerText(),
      (text) => text.includes(last),
    );
    assert.deepEqual(complaints, []);
    await close();
  },
);

/** Goes back to the previous step of the tour; the page then sets the settings with which that step starts. */
async function goBack(page) {
  await page.locator('logit-guide [data-guide=back]').click();
  await settle(page);
}

/** Addresses whose settings make some actions of the tour have no effect. */
const ODD = [
  'temperature=0.01&landscape_u=0.9999',
  'temperature=0&top_k=1&landscape_u=0',
  'temperature=3&top_p=0.0001&repetition_penalty=2&min_p=0.9',
  'temperature=1&draw=gumbel&landscape_knob=min_p&mirostat=2',
  'temperature=1&top_p=0.9&order=top_p,top_k,temperature,repetition_penalty&prompt=Every%20day%20he',
];

for (const odd of ODD)
  long(
    `each beat begins in a state that its action changes, and describes the result: ${odd}`,
    async () => {
      const said = await messages('en');
      for (const beat of [1, 2, 3, 4, 5]) {
        // An address with a step of the tour keeps its own settings. Back and Next start a step with the step's
        // settings. A new document has no finished step, which would stay finished.
        const [at, turn] = beat < 3 ? [beat + 1, 'back'] : [beat - 1, 'next'];
        const path = `?lang=en&model=verbs&view=landscape#${odd}&beat=${at}`;
        const { page, complaints, close } = await bench.open({ path, ready: false, fresh: true });
        const guide = page.locator('logit-guide');
        const view = page.locator('logit-landscape');
        await view.locator('.sentence mark').waitFor();
        await guide.locator('.deed').waitFor();
        await settle(page);
        await guide.locator(`[data-guide=${turn}]`).click();
        await settle(page);
        const shows = () =>
          view.evaluate((it) => ({
            token: it.shadowRoot.querySelector('.sentence mark').textContent,
            bars: it.outcome.best,
            kept: [...it.shadowRoot.querySelectorAll('.twin .kept')].map((each) =>
              Number(/^\D+(\d+)/.exec(each.innerText)[1]),
            ),
            draws: it.outcome.draws,
            unlike: it.outcome.unlike,
            u: it.outcome.u?.toFixed(2),
          }));
        let before;
        for (const deed of DEEDS[beat - 1]) {
          before = await shows();
          await deed(view);
          await settle(page);
        }
        const now = await shows();
        const noticed = await effectOf(guide, said, beat);
        const quoted = [...noticed.matchAll(/“([^”]+)”/g)].map(([, token]) => token);
        const what = `beat ${beat}: ${noticed}`;
        if (beat === 1 || beat === 2) {
          assert.equal(quoted.includes(before.token), quoted.length > 1 || beat === 1, what);
          assert.ok(quoted.includes(now.token), what);
        }
        if (beat === 1) assert.ok(before.bars.p > 0.9 && now.bars.p < 0.9, what);
        if (beat === 2) {
          assert.notEqual(now.token, before.token, what);
          assert.ok(noticed.includes(`from ${before.u} to ${now.u}`), what);
        }
        if (beat === 3) {
          const [sure, unsure] = before.kept;
          assert.ok(sure < unsure, what);
          const first = `Top-p 0.9 keeps ${sure} of the sure prompt and ${unsure} of the unsure one`;
          assert.equal(noticed, `${first}; top-k 5 keeps 5 of both.`);
          assert.deepEqual(now.kept, [5, 5]);
        }
        if (beat === 4) assert.equal(noticed.startsWith('In strong colours'), now.unlike > 0, what);
        if (beat === 5) {
          assert.deepEqual(quoted, [now.bars.token]);
          assert.ok(now.draws < 1000 && noticed.includes(`came ${now.draws} times in 1,000`), what);
        }
        assert.deepEqual(complaints, []);
        await close();
      }
    },
  );

long(
  'the first sentence names both ends of the drags, not the places at which they were noticed',
  async () => {
    const path = '?lang=en&model=stories#beat=1';
    const { page, complaints, close } = await bench.open({ path, ready: false, fresh: true });
    const guide = page.locator('logit-guide');
    const view = page.locator('logit-landscape');
    const noticed = guide.locator('.text');
    await view.locator('.sentence mark').waitFor();
    await guide.locator('.deed').waitFor();
    await settle(page);
    const place = await view.locator('.cross').boundingBox();
    const picture = await view.locator('.plot').boundingBox();
    const y = place.y + place.height / 2;
    const to = async (x, steps) => {
      await page.mouse.move(x, y, { steps });
      await settle(page);
    };
    await page.mouse.move(place.x + place.width / 2, y);
    await page.mouse.down();
    for (const share of [0.04, 0.02, 0]) await to(picture.x + share * picture.width, 3);
    for (const share of [0.65, 0.68, 0.7]) await to(picture.x + share * picture.width, 3);
    await page.mouse.up();
    await settle(page);
    const token = await view.locator('.sentence mark').innerText();
    const text = await until(
      () => noticed.innerText(),
      (words) => words.includes(`“${token.trim()}”`) && words.includes('from 100% to'),
    );
    assert.match(text, /from 100% to/);
    assert.ok(text.includes(`“${token.trim()}”`), `${text} ${token}`);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'if new luck draws the same token the tour says so; the user’s own state returns at the end',
  async () => {
    const own = 'temperature=0.01&top_k=3&landscape_u=0.4';
    const path = `?lang=en&model=verbs&view=landscape#${own}&beat=3`;
    const { page, complaints, close } = await bench.open({ path, ready: false, fresh: true });
    const said = await messages('en');
    const guide = page.locator('logit-guide');
    const view = page.locator('logit-landscape');
    await view.locator('.sentence mark').waitFor();
    await guide.locator('.deed').waitFor();
    await settle(page);
    const { settings, landscape_u } = await page.locator('logit-scope').evaluate((it) => it.state);
    const { temperature, top_k } = settings;
    assert.deepEqual([temperature, top_k, landscape_u], [0.01, 3, 0.4], 'as the address says');
    await goBack(page);
    const token = await view.locator('.sentence mark').innerText();
    await view.locator('.handle.u').press('ArrowDown');
    await settle(page);
    assert.equal(await view.locator('.sentence mark').innerText(), token);
    const u = await view.locator('.handle.u').getAttribute('aria-valuenow');
    const still = said['guide.2.still'].replace('{token}', token);
    const words = still.replace('{u}', Number(u).toFixed(2));
    await guide.getByText(words).waitFor();
    assert.equal(await guide.locator('.count').innerText(), '2/5');
    await guide.locator('[data-guide=skip]').click();
    await guide.waitFor({ state: 'detached' });
    await settle(page);
    const hash = await page.evaluate(() => location.hash);
    for (const part of own.split('&')) assert.ok(hash.includes(part), `${part} in ${hash}`);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long('the tour keeps the user’s changes of settings and undoes its own', async () => {
  const path =
    '?lang=en&model=verbs&view=landscape#temperature=0.01&top_k=3&landscape_u=0.4&beat=3';
  const { page, complaints, close } = await bench.open({ path, ready: false });
  const guide = page.locator('logit-guide');
  await guide.locator('.deed').waitFor();
  await settle(page);
  await goBack(page);
  const state = () =>
    page.locator('logit-scope').evaluate(({ state }) => ({
      ...state.settings,
      landscape_u: state.landscape_u,
      twin: state.landscape_twin ?? false,
    }));
  const set = async (patch) => {
    await page.locator('logit-scope').evaluate((scope, it) => scope.set(it), patch);
    await settle(page);
  };
  assert.equal((await state()).temperature, 1);
  await set({ min_p: 0.02 });
  await guide.locator('[data-guide=next]').click();
  await guide.locator('.press').waitFor();
  await settle(page);
  await guide.locator('.press').click();
  await settle(page);
  await set({ temperature: 0.9 });
  await guide.locator('[data-guide=skip]').click();
  await guide.waitFor({ state: 'detached' });
  await settle(page);
  const { temperature, top_k, top_p, min_p, landscape_u, twin } = await state();
  assert.deepEqual(
    { temperature, top_k, top_p: top_p ?? 1, min_p, landscape_u, twin },
    { temperature: 0.9, top_k: 3, top_p: 1, min_p: 0.02, landscape_u: 0.4, twin: false },
  );
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'a knob that removes tokens leads to the beat about such knobs, and the settings stay',
  async () => {
    const path = '?lang=en&model=verbs&view=landscape#temperature=0.7&min_p=0.02&beat=1';
    const { page, complaints, close } = await bench.open({ path, ready: false, fresh: true });
    const guide = page.locator('logit-guide');
    await guide.locator('.deed').waitFor();
    await settle(page);
    const settings = () => page.locator('logit-scope').evaluate(({ state }) => state.settings);
    const before = await settings();
    await page.locator('logit-landscape [data-knob=min_p]').click();
    await until(() => guide.locator('.count').innerText(), '3/5');
    assert.deepEqual(await settings(), before);
    assert.deepEqual(complaints, []);
    await close();
  },
);

// A long test: the test above goes back, skips and undoes from a beat in an address.
long(
  'a link opens a beat at a good temperature; skipping undoes it, and the tour resumes at that beat',
  async () => {
    const path = '?lang=en&model=verbs#beat=3';
    const { page, complaints, close } = await bench.open({ path, ready: false });
    const said = await messages('en');
    const guide = page.locator('logit-guide');
    const knob = page.locator('logit-landscape .handle.knob');
    await guide.getByText(said['guide.3.deed']).waitFor();
    await knob.waitFor();
    await settle(page);
    assert.equal(await knob.getAttribute('aria-valuenow'), '1');
    await guide.locator('[data-guide=next]').click();
    await guide.getByText(said['guide.4.deed']).waitFor();
    await until(() => page.url(), /beat=4/);
    assert.match(page.url(), /temperature=1\.5&top_p=0\.9.*beat=4/, 'the order matters');
    await guide.locator('[data-guide=skip]').focus();
    await page.keyboard.press('Escape');
    await guide.waitFor({ state: 'detached' });
    await until(
      () => page.url(),
      (url) => !url.includes('beat='),
    );
    assert.doesNotMatch(page.url(), /beat=/);
    assert.equal(await knob.getAttribute('aria-valuenow'), '0.7');
    await page.locator('[data-guide=show]').click();
    await guide.getByText(said['guide.4.deed']).waitFor();
    await guide.locator('[data-guide=back]').click();
    await guide.getByText(said['guide.3.deed']).waitFor();
    // Min-p has no part in this beat, so its sentence is about min-p.
    await page.locator('[data-knob=min_p]').click();
    await guide.getByText(said['guide.away.min_p']).waitFor();
    await page.locator('[data-knob=temperature]').click();
    await guide.getByText(said['guide.3.deed']).waitFor();
    // A reload within a step of the tour keeps the settings that the user has changed.
    const scope = page.locator('logit-scope');
    const settings = () => scope.evaluate(({ state }) => state.settings);
    await scope.evaluate((it) => it.set({ temperature: 0.9, min_p: 0.02, top_k: 12 }));
    await until(() => page.url(), /min_p=0\.02.*beat=3/);
    const left = await settings();
    await page.reload();
    await guide.getByText(said['guide.3.deed']).waitFor();
    await settle(page);
    assert.deepEqual(await settings(), left);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'on a phone a beat is a line with its button, and the link for sharing has no beat',
  async () => {
    const { page, complaints, close } = await bench.open({
      path: '?lang=en&model=verbs#beat=3',
      ready: false,
      viewport: { width: 375, height: 812 },
      hasTouch: true,
    });
    const guide = page.locator('logit-guide');
    const view = page.locator('logit-landscape');
    const said = await messages('en');
    await view.locator('.handle.knob').waitFor();
    const { height } = await guide.boundingBox();
    for (const [beat, ...names] of [
      [3, 'Two prompts at once', 'Top-k'],
      [4, '⇄ top-p first'],
      [5, '× 1,000'],
    ]) {
      for (const name of names) await guide.getByRole('button', { name, exact: true }).tap();
      await effectOf(guide, said, beat);
      const box = await guide.boundingBox();
      assert.equal(box.height, height, await guide.locator('.text').innerText());
      for (const part of ['.text', '.go']) {
        const { x, y, width, height } = await guide.locator(part).boundingBox();
        const inside = x >= 0 && x + width <= 375 && y >= box.y && y + height <= box.y + box.height;
        assert.ok(inside, `${part} after beat ${beat}`);
      }
      await guide.locator('[data-guide=next]').tap();
    }
    await page.locator('[data-command=share]').tap();
    const link = page.locator('logit-send #link');
    await link.waitFor();
    await until(() => page.url(), /beat=6/);
    assert.doesNotMatch(await link.inputValue(), /beat/);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'in a window of any width no words of a beat overlap, and all beats have the same height',
  async () => {
    for (const lang of ['en', 'es']) {
      const { page, close } = await bench.open({
        path: `?lang=${lang}&model=verbs#beat=1`,
        ready: false,
        viewport: { width: 320, height: 4000 },
      });
      const guide = page.locator('logit-guide');
      await page.locator('logit-landscape .sentence mark').waitFor();
      await settle(page);
      const heights = {};
      for (const beat of [1, 2, 3, 4, 5]) {
        for (const width of [320, 360, 375, 480, 1024, 1280]) {
          await page.setViewportSize({ width, height: 4000 });
          const what = `beat ${beat}, ${lang}, ${width} px`;
          assert.deepEqual(await page.evaluate(findOverlaps), [], what);
          const { height } = await guide.boundingBox();
          assert.equal(height, (heights[width] ??= height), what);
        }
        if (beat < 5) await guide.locator('[data-guide=next]').click();
      }
      await close();
    }
  },
);

long('a view opened by a link shows no tour', async () => {
  const path = '?lang=en&model=verbs&view=landscape#temperature=1.3';
  const { page, close } = await bench.open({ path, first: true, ready: false });
  await page.locator('logit-landscape .sentence mark').waitFor();
  await settle(page);
  assert.equal(await page.locator('logit-guide').count(), 0);
  assert.equal(await page.locator('.handle.knob').getAttribute('aria-valuenow'), '1.3');
  await close();
});

long(
  'pressing a term explains it inside the window, and the glossary lists every term',
  async () => {
    for (const code of ['en', 'es']) {
      const { page, close } = await bench.open({
        path: `?lang=${code}`,
        viewport: { width: 360, height: 800 },
      });
      const said = await messages(code);
      await page.locator('logit-distribution summary').last().click();
      await page.locator('logit-text .more > summary').click();
      const places = {
        mass: 'distribution',
        entropy: 'distribution',
        perplexity: 'distribution',
        ttr: 'text',
        distinct: 'text',
      };
      for (const [name, panel] of Object.entries(places)) {
        const term = page.locator(`logit-${panel} logit-term[name=${name}]`);
        await term.locator('button').focus();
        await page.keyboard.press('Enter');
        const about = term.locator('p');
        assert.equal(await about.innerText(), said[`term.${name}.about`]);
        const box = await about.boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
        await page.keyboard.press('Escape');
        assert.equal(await about.isVisible(), false);
      }
      await page.locator('.glossary summary').click();
      const shown = await page.locator('.glossary dd').allInnerTexts();
      const expected = Object.keys(said).filter((key) => /^term\..+\.about$/.test(key));
      assert.deepEqual(shown.sort(), expected.map((key) => said[key]).sort());
      await close();
    }
  },
);
