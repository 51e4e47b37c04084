/** Tests host pages around the instrument: code copied from the page works there, or explains why it cannot. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { closed } from '../cleanup.js';
import {
  expectTrace,
  loadReference,
  openBench,
  settle,
  showView,
  until,
  unfoldDraw,
} from './bench.js';
import { LONG, long } from '../long.js';

const bench = await openBench();
const scope = await loadReference();

/** Opens a page with `body` at another origin; `answer` may serve other paths of that host. */
async function openLesson(body, { first = false, answer = () => false } = {}) {
  const host = createServer((request, response) => {
    if (answer(request, response)) return;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Lesson</title><link rel="icon" href="data:,"><body>${body}</body></html>`,
    );
  });
  closed(host);
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
  const { page, complaints, close } = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    first,
  });
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  return {
    page,
    complaints,
    close,
  };
}

function expectBars(place, ids, settings) {
  scope.feed(Uint32Array.from(ids));
  return expectTrace(place, scope.distribution({ ...settings, top: 20 }));
}

long(
  'a sandboxed frame on a host without cross-origin access names the alternative in one sentence',
  async () => {
    const { page, close } = await openLesson(
      '<iframe sandbox="allow-scripts" src="/site/index.html"></iframe>',
      {
        first: true,
        answer: (request, response) => {
          const [, file] = /^\/site\/([\w.-]+)$/.exec(request.url) ?? [];
          if (!file) return false;
          response.setHeader(
            'content-type',
            { html: 'text/html', css: 'text/css' }[file.split('.').at(-1)] ?? 'text/javascript',
          );
          // The sentence appears after 4 s; here it appears at once.
          const hasten = (bytes) => String(bytes).replace('late 4s', 'late 1ms');
          readFile(join(bench.dist, file)).then(
            (bytes) => response.end(file.endsWith('.css') ? hasten(bytes) : bytes),
            () => response.writeHead(404).end(),
          );
          return true;
        },
      },
    );
    const sentence = page.frameLocator('iframe').locator('.late').first();
    await sentence.waitFor();
    assert.match(
      await sentence.innerText(),
      /^The scripts of this page were refused: [^.]*Access-Control-Allow-Origin, use logitscope\.html[^.]*\.$/,
    );
    await close();
  },
);

const SETS = `<script type="module" src="LOGITSCOPE"></script>
  <script>window.heard = []; for (const type of ['logit-change', 'logit-error']) addEventListener(type, (e) => heard.push([type, e.target.id, e.detail]))</script>`;

const today = [...scope.encode('Today she')];
const every = [...scope.encode('Every day he')];
const set = (element, name, value) =>
  element.evaluate(
    (e, [n, v]) => (v === null ? e.removeAttribute(n) : e.setAttribute(n, v)),
    [name, value],
  );

/** Opens a lesson with the hidden scope "lab", its panel "shown" and other elements. */
async function openLab(attributes, others = '') {
  const opened = await openLesson(
    `${SETS.replace('LOGITSCOPE', `${bench.url}logitscope.js`)}
    <logit-scope id="lab" hidden model="verbs" prompt="Today she" ${attributes}></logit-scope>
    <logit-distribution id="shown" for="lab"></logit-distribution>${others}`,
  );
  const { page } = opened;
  const lab = page.locator('#lab');
  const bars = (id, ids, settings) => {
    const shown = page.locator(`#${id}`);
    const place = {
      locator: (selector) =>
        selector === 'logit-scope'
          ? lab
          : shown.locator(selector.replace('logit-distribution ', '')),
    };
    return expectBars(place, ids, settings);
  };
  return { ...opened, lab, bars };
}

test('changed attributes and properties take effect at any time, and an invalid one fires an error', async () => {
  const { page, lab, bars, complaints, close } = await openLab('top_k="5"');
  await bars('shown', today, { top_k: 5 });

  await set(lab, 'temperature', '0.5');
  await bars('shown', today, { top_k: 5, temperature: 0.5 });
  await set(lab, 'top_k', null);
  await bars('shown', today, { temperature: 0.5 });
  await lab.evaluate((e) => (e.min_p = 0.01));
  await bars('shown', today, { temperature: 0.5, min_p: 0.01 });
  assert.equal(await lab.evaluate((e) => e.temperature), 0.5);
  await lab.evaluate((e) => (e.prompt = 'Every day he'));
  await bars('shown', every, { temperature: 0.5, min_p: 0.01 });
  await set(lab, 'prompt', 'Today she');
  await set(lab, 'top_p', '1.5');
  const errors = () => page.evaluate(() => window.heard.filter(([type]) => type === 'logit-error'));
  const [[, id, fault]] = await until(errors, (all) => all.length > 0);
  assert.deepEqual([id, fault.code], ['lab', 'invalid_setting']);
  assert.match(fault.message, /top_p=1\.5 \(must be between 0 and 1\)/);
  await bars('shown', today, { temperature: 0.5, min_p: 0.01 });

  assert.deepEqual(complaints, []);
  await close();
});

long(
  'orders, a seed, an element alone, another scope and another model are set in the same way',
  async () => {
    const { page, lab, bars, complaints, close } = await openLab(
      'temperature="0.5" min_p="0.01"',
      `<logit-scope id="other" hidden model="verbs" prompt="Yesterday they"></logit-scope>
    <logit-distribution id="alone" class="x" model="verbs" prompt="Every day he" top_k="2"></logit-distribution>`,
    );
    const alone = page.locator('#alone');
    await bars('alone', every, { top_k: 2 });
    await set(lab, 'order', 'min_p,temperature');
    await bars('shown', today, { temperature: 0.5, min_p: 0.01, order: ['min_p', 'temperature'] });

    await lab.evaluate((e) => Object.assign(e, { order: ['temperature', 'min_p'], seed: 9 }));
    await lab.evaluate((e) => Object.assign(e, { max_new_tokens: '7', draw: 'gumbel' }));
    await bars('shown', today, { temperature: 0.5, min_p: 0.01, order: ['temperature', 'min_p'] });
    assert.deepEqual(await lab.evaluate((e) => [e.seed, e.max_new_tokens, e.draw]), [
      9,
      7,
      'gumbel',
    ]);
    assert.deepEqual(
      await lab.evaluate(({ state }) => [state.seed, state.max_new_tokens, state.settings.draw]),
      [9, 7, 'gumbel'],
    );
    await lab.evaluate((e) => Object.assign(e, { draw: 'inverse', order: 'min_p,temperature' }));
    await bars('shown', today, { temperature: 0.5, min_p: 0.01, order: ['min_p', 'temperature'] });

    await set(alone, 'temperature', '2');
    await set(alone, 'class', 'y');
    await bars('alone', every, { top_k: 2, temperature: 2 });
    await set(alone, 'prompt', 'Today she');
    await bars('alone', today, { top_k: 2, temperature: 2 });
    await alone.evaluate((e) => (e.top_k = 7));
    await bars('alone', today, { top_k: 7, temperature: 2 });
    await set(alone, 'temperature', null);
    await bars('alone', today, { top_k: 7 });
    const changes = await page.evaluate(() =>
      window.heard
        .filter(([type, id]) => type === 'logit-change' && id === 'alone')
        .map(([, , { settings }]) => settings.top_k),
    );
    assert.equal(changes.at(-1), 7);

    await set(page.locator('#shown'), 'for', 'other');
    await bars('shown', [...scope.encode('Yesterday they')], {});
    await set(lab, 'model', 'shakespeare');
    await page.waitForFunction(() => document.querySelector('#lab').info?.vocab_size > 64);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'in a read-only element the user can step and look, and only the lesson changes settings',
  async () => {
    const { page, complaints, close } = await bench.open({
      path: '?lang=en&model=verbs&readonly#prompt=Today%20she&temperature=1.3&xtc_probability=0.5&dry_multiplier=1&mirostat=0&logit_bias=5:1&branch=29&bench_chart=bars',
    });
    const state = () => page.locator('logit-scope').evaluate((e) => JSON.stringify(e.state));
    const [start] = [await state()];
    await page.locator('logit-model #model').click();
    await page.locator('logit-sheet .facts').getByText('verbs').waitFor();
    assert.equal(await page.locator('logit-sheet :is(.line, input)').count(), 0, 'facts alone');
    await page.keyboard.press('Escape');
    // Events of all panels by name, with their details. The test sends them itself, since a fixed page has no controls.
    const asks = {
      'logit-set': { temperature: 2 },
      'logit-preset': { settings: { top_k: 3 } },
      'logit-seed': { seed: 1 },
      'logit-prompt': { prompt: 'Every day he' },
      'logit-bias': { id: 3, bias: 2 },
      'logit-force': { id: 24 },
      'logit-order': { order: ['top_k', 'temperature'] },
      'logit-constraint': { constraint: { type: 'json' } },
      'logit-draw': { method: 'gumbel' },
      'logit-option': { stopAtEnd: false },
    };
    for (const [type, detail] of Object.entries(asks))
      await page
        .locator('logit-text')
        .evaluate(
          (e, [t, d]) =>
            e.dispatchEvent(new CustomEvent(t, { detail: d, bubbles: true, composed: true })),
          [type, detail],
        );
    const u = await page.locator('logit-draw .strip').getAttribute('aria-valuenow');
    await page.locator('logit-draw .strip').press('ArrowRight');
    const tape = page.locator('logit-tape');
    await tape.locator('[data-place="0"]').click();
    await tape.locator('logit-alternatives li[data-alternative]').first().waitFor();
    assert.equal(await tape.locator('logit-alternatives button').count(), 0);
    await page.locator('logit-text').evaluate((e) =>
      e.dispatchEvent(
        new CustomEvent('logit-branch', {
          detail: { index: 0, id: 24 },
          bubbles: true,
          composed: true,
        }),
      ),
    );
    await tape.press('Escape');
    for (const view of ['cumulative', 'bars'])
      await page
        .locator('logit-distribution')
        .getByRole('tab', { name: view === 'bars' ? 'Bars' : 'Cumulative' })
        .click();
    await page.locator('logit-distribution .row').first().click();
    await settle(page);
    assert.equal(await state(), start);
    assert.equal(await page.locator('logit-draw .strip').getAttribute('aria-valuenow'), u);
    assert.equal(await page.locator('logit-token-menu button').count(), 0);
    await unfoldDraw(page);
    // The remaining buttons of all elements: Step, Reset, charts and counts.
    const open = await page.evaluate(() => {
      const found = [];
      const walk = (root) => {
        for (const e of root.querySelectorAll('*')) {
          if (e.shadowRoot) walk(e.shadowRoot);
          if (
            !e.matches(
              'input, select, textarea, button, [role=button], [role=slider], [role=separator]',
            )
          )
            continue;
          if (e.disabled || e.readOnly || e.ariaDisabled === 'true' || !e.checkVisibility())
            continue;
          if (e.dataset.more) continue; // unfolds the line of a stage
          const name = e.dataset.command ?? e.dataset.place ?? e.ariaLabel ?? e.textContent.trim();
          if (root.host.localName !== 'logit-term' && !name.startsWith('About ')) found.push(name);
        }
      };
      walk(document.querySelector('logit-scope').shadowRoot);
      return found.sort();
    });
    assert.deepEqual(open, [
      '-1',
      '-2',
      '0',
      'All ranks',
      'Bars',
      'Cumulative',
      'Log',
      'Model: verbs',
      'Show me around',
      'Stages',
      'many',
      'reset',
      'run',
      'share',
      'step',
    ]);
    await page.locator('[data-command=step]').click();
    await until(() => page.locator('logit-tape .step [data-place]').count(), 2);
    assert.deepEqual(complaints, []);
    await close();
  },
);

long(
  'code from the panel for sending works unchanged in a new page of another origin',
  async () => {
    const { page, close } = await bench.open({
      path: '?lang=en&model=verbs#prompt=Yesterday%20they&temperature=1.3&top_k=7&order=top_k,temperature&seed=5&branch=29&bench_chart=bars',
    });
    await page.locator('[data-command=share]').click();
    const panel = page.locator('logit-send');
    await panel.locator('summary').click();
    await panel.locator('input[name=temperature]').check();
    await panel.locator('input[name=distribution]').check();
    const [link, frame, element] = await Promise.all(
      ['link', 'frame', 'element'].map((id) => panel.locator(`#${id}`).inputValue()),
    );
    await close();
    const ids = [...scope.encode('Yesterday they'), 29];
    const settings = { temperature: 1.3, top_k: 7, order: ['top_k', 'temperature'] };
    const lesson = await openLesson(
      `<a href="${link.replaceAll('&', '&amp;')}">here</a>${frame}${element}`,
    );
    for (const place of ['frame', 'element', 'link']) {
      if (place === 'link') await lesson.page.locator('a', { hasText: 'here' }).click();
      const shown = place === 'frame' ? lesson.page.frameLocator('iframe') : lesson.page;
      await shown.locator('logit-distribution .row').first().waitFor();
      await expectBars(shown, ids, settings);
      assert.deepEqual(
        await shown
          .locator('logit-knob')
          .evaluateAll((all) => all.map((knob) => knob.dataset.name)),
        ['temperature'],
        place,
      );
      assert.equal(await shown.locator('logit-text').isVisible(), false);
      assert.equal((await shown.locator('logit-scope').evaluate((e) => e.state)).seed, 5);
      assert.deepEqual(lesson.complaints, []);
    }
    await lesson.close();
  },
);

test('no request and no storage contains a prompt, a setting or a token, but for the last texts of the site’s own page', async () => {
  const { page, foreign, complaints, close } = await bench.open({
    path: '?lang=en&model=verbs&view=bench',
    first: true,
  });
  const sent = [];
  page.context().on('request', async (request) => {
    const { referer = '' } = await request.allHeaders().catch(() => ({}));
    sent.push([request.method(), request.url(), request.postData() ?? '', referer]);
  });
  await page.locator('#prompt').fill('Yesterday we');
  await page.locator('#prompt').press('Enter');
  await expectBars(page, scope.encode('Yesterday we'), {
    temperature: 0.7,
    top_p: 0.9,
    repetition_penalty: 1.1,
  });
  const box = page.locator('logit-knob[data-name=temperature] .box');
  await box.fill('1.37');
  await box.press('Enter');
  await unfoldDraw(page);
  await page.locator('logit-draw #seed').fill('987654');
  await page.locator('logit-draw #seed').press('Enter');
  for (let i = 1; i < 3; i++) {
    await page.locator('[data-command=step]').click();
    await until(() => page.locator('logit-tape .step').count(), i);
  }
  const tokens = await page
    .locator('logit-tape .step [data-place]')
    .evaluateAll((all) => all.map((b) => b.dataset.id));
  assert.equal(tokens.length, 2);
  const others = LONG ? ['compare', 'sweep', 'cost', 'speculative', 'logits'] : ['cost'];
  for (const view of [...others, 'bench']) {
    await showView(page, view);
    await settle(page);
  }
  await page.locator('logit-preferences [popovertarget]').click();
  await page.locator('logit-preferences').getByText('Español').click();
  await page.locator('logit-preferences').getByText('English').click();
  await page.keyboard.press('Escape');
  await page.locator('[data-command=share]').click();
  if (LONG) await page.locator('logit-send summary').click(); // send.test.js opens the preview
  if (LONG)
    await page
      .locator('logit-send')
      .frameLocator('iframe')
      .locator('logit-landscape .sentence mark')
      .waitFor();
  const href = await until(
    () => page.evaluate(() => location.href),
    (text) => text.includes('branch='),
  );
  assert.match(
    href,
    /#prompt=Yesterday%20we&.*temperature=1\.37.*&seed=987654&branch=\d+,\d+&bench_chart=bars$/,
  );
  const secret = new RegExp(
    `Yesterday|%20we|1\\.37|987654|${tokens.join('(,|%2C)')}|prompt=|temperature=|seed=|branch=`,
  );
  assert.ok(sent.length > 5);
  for (const [method, ...rest] of sent) {
    assert.equal(method, 'GET');
    for (const part of rest) assert.doesNotMatch(part.replace(/#.*/, ''), secret);
  }
  const texts = 'logitscope-sessions';
  await until(
    () => page.evaluate((key) => localStorage.getItem(key), texts),
    (value) => value?.includes('"prompt":"Yesterday we"'),
  );
  const kept = await page.evaluate(
    async (key) => ({
      local: JSON.stringify({ ...localStorage, [key]: '' }),
      session: sessionStorage.length,
      cookie: document.cookie,
      databases: (await indexedDB.databases()).length,
      caches: (await caches.keys()).length,
      workers: ((await navigator.serviceWorker?.getRegistrations()) ?? []).length,
    }),
    texts,
  );
  assert.doesNotMatch(kept.local, secret);
  assert.deepEqual(
    { ...kept, local: '' },
    { local: '', session: 0, cookie: '', databases: 0, caches: 0, workers: 0 },
  );
  assert.deepEqual(foreign, []);
  assert.deepEqual(complaints, []);
  await close();
});

long('a frame inside a host page keeps its texts only until its document closes', async () => {
  const address = `${bench.url}?lang=en&model=verbs&view=bench`;
  const lesson = await openLesson(`<iframe src="${address}"></iframe>`, { first: true });
  const frame = lesson.page.frameLocator('iframe').locator('logit-scope');
  const list = await until(
    () =>
      frame.evaluate(async (it) => {
        if (!it.kept) return [];
        await it.instrument.setPrompt('Yesterday we');
        await it.settled();
        return it.kept.sessions.all.map(({ prompt }) => prompt);
      }),
    (prompts) => prompts.length > 0,
  );
  assert.deepEqual(list, ['Yesterday we']);
  const stored = await frame.evaluate(() => JSON.stringify({ ...localStorage }));
  assert.doesNotMatch(stored, /Yesterday|%20we|prompt=/);
  await lesson.close();
});

long(
  'without the network the page still works, and a part that was never fetched says so in one sentence',
  async () => {
    const { page, complaints, close } = await bench.open({ own: true });
    await showView(page, 'cost');
    await page.locator('logit-cost h2, logit-cost h3').first().waitFor();
    await page.locator('[data-view=bench]').click();
    await page.context().setOffline(true);
    await page.locator('#preset').selectOption({ label: 'Greedy: always the best' });
    await expectBars(page, scope.encode('Today she'), { temperature: 0 });
    await page.locator('[data-command=run]').click();
    await page.locator('.verdict[data-right]').waitFor();
    await showView(page, 'cost');
    await page.locator('logit-cost').getByRole('button').first().waitFor();
    assert.equal(await page.locator('.panel.said').count(), 0);
    assert.deepEqual(complaints, []);
    await page.locator('[data-view=sweep]').click();
    const said = page.locator('logit-scope .said[role=alert] p');
    await said.waitFor();
    assert.match(
      await said.innerText(),
      /^This part is fetched when it is first shown, and the network did not answer: [^.]+\.$/,
    );
    await page.locator('[data-view=bench]').click();
    await page.locator('[data-command=reset]').click();
    await page.locator('logit-tape .step').first().waitFor({ state: 'detached' });
    await expectBars(page, scope.encode('Today she'), { temperature: 0 });
    // The page updates its address after a pause in changes; a reload before that would lose them.
    await page.waitForFunction(
      () => /temperature=0&/.test(location.hash) && !location.hash.includes('branch='),
      null,
      { timeout: 30000 },
    );
    await page.context().setOffline(false);
    await page.reload();
    await page.locator('logit-distribution .row').first().waitFor();
    await expectBars(page, scope.encode('Today she'), { temperature: 0 });
    await page.locator('[data-view=sweep]').click();
    await page.locator('logit-sweep').getByRole('button').first().waitFor();
    await close();
  },
);

long('an element alone refuses an invalid attribute and keeps its default', async () => {
  const { page, complaints, close } = await openLesson(
    `${SETS.replace('LOGITSCOPE', `${bench.url}logitscope.js`)}
    <logit-cost id="cost" model="verbs" new_tokens="abc"></logit-cost>
    <logit-sweep id="sweep" model="verbs" figure="any" measure="q"></logit-sweep>
    <logit-compare id="compare" model="verbs" suite="nonsense"></logit-compare>`,
  );
  const errors = () =>
    page.evaluate(() =>
      window.heard
        .filter(([type]) => type === 'logit-error')
        .map(([, id, { message }]) => `${id}: ${message}`),
    );
  const said = await until(errors, (all) => all.length >= 3);
  for (const part of [
    'cost: .*cost_new_tokens=abc',
    'sweep: .*sweep_measure=q',
    'compare: .*suite',
  ])
    assert.equal(said.filter((line) => new RegExp(part).test(line)).length, 1, `${part}: ${said}`);
  for (const id of ['cost', 'sweep', 'compare'])
    await page.locator(`#${id}`).getByRole('button').first().waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'a panel shows the scope that it names, even if that scope loads later or is replaced',
  async () => {
    const { page, complaints, close } = await openLesson(
      `${SETS.replace('LOGITSCOPE', `${bench.url}logitscope.js`)}
    <logit-distribution id="shown" for="lab"></logit-distribution>`,
    );
    await page.waitForFunction(() => customElements.get('logit-distribution'));
    const put = (prompt) =>
      page.evaluate((text) => {
        document.querySelector('#lab')?.remove();
        const lab = document.createElement('logit-scope');
        Object.assign(lab, { id: 'lab', hidden: true });
        lab.setAttribute('model', 'verbs');
        lab.setAttribute('prompt', text);
        document.body.append(lab);
      }, prompt);
    const shown = page.locator('#shown');
    const place = {
      locator: (selector) =>
        selector === 'logit-scope'
          ? page.locator('#lab')
          : shown.locator(selector.replace('logit-distribution ', '')),
    };
    for (const prompt of ['Today she', 'Yesterday they']) {
      await put(prompt);
      await expectBars(place, [...scope.encode(prompt)], {});
    }
    assert.deepEqual(complaints, []);
    await close();
  },
);
