/** Tests the page inside other pages: a frame of another origin, messages in both directions, a sandboxed frame. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { closed } from '../cleanup.js';
import { long, sample } from '../long.js';
import { FIRST, loadReference, openBench, until } from './bench.js';

let bench;
let scope;
let host;
/** HTML of the host page's body. */
let body = '';

before(async () => {
  [bench, scope] = await Promise.all([openBench(), loadReference()]);
  host = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>${body}</body>`,
    );
  });
  closed(host);
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
});
after(() => bench?.close());

/** Opens a host page at another origin. It contains the page in a frame and records its messages. */
async function openHost({ query = '', hash = '', sandbox = '' } = {}) {
  const address = new URL(`${bench.url}?lang=en&model=verbs&view=bench${query}${hash}`);
  address.hostname = 'localhost';
  body = `<iframe width="1200" height="900" src="${address.href.replaceAll('&', '&amp;')}" ${sandbox && `sandbox="${sandbox}"`}></iframe>
    <script>window.heard = []; addEventListener('message', ({ data, source }) => { if (source === frames[0]) heard.push(data); });</script>`;
  const { page, complaints, close } = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    first: true,
  });
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  const frame = page.frameLocator('iframe');
  const heard = (type) =>
    page.evaluate((wanted) => window.heard.filter((m) => m.type === `logitscope:${wanted}`), type);
  const say = (message) =>
    page.evaluate(
      (data) => document.querySelector('iframe').contentWindow.postMessage(data, '*'),
      message,
    );
  assert.equal(
    (
      await until(
        () => heard('ready'),
        (all) => all.length > 0,
      )
    )[0].info.vocab_size,
    64,
  );
  await frame.locator('logit-distribution .row').first().waitFor();
  const ask = async (message) => {
    const id = Math.random();
    await say({ ...message, id });
    return until(
      () => page.evaluate((wanted) => window.heard.find((m) => m.id === wanted), id),
      Boolean,
    );
  };
  return { page, frame, heard, say, ask, requests, complaints, close };
}

for (const sandbox of sample(['', 'allow-scripts', 'allow-scripts allow-same-origin'], 1))
  test(`a host page sets, gets, steps and hears, no other window does, ${sandbox ? `in a sandbox with ${sandbox}` : 'from another origin'}`, async () => {
    const { page, frame, heard, ask, requests, complaints, close } = await openHost({ sandbox });
    const start = await ask({ type: 'logitscope:get' });
    assert.equal(start.type, 'logitscope:state');
    assert.equal(start.prompt, FIRST);
    const set = await ask({
      type: 'logitscope:set',
      prompt: 'Yesterday they',
      settings: { temperature: 1.3, top_k: 30 },
      seed: 7,
    });
    assert.equal(set.type, 'logitscope:state');
    assert.deepEqual(
      [set.prompt, set.seed, set.settings.top_k, set.settings.repetition_penalty],
      ['Yesterday they', 7, 30, 1],
    );
    assert.equal(await frame.locator('#prompt').inputValue(), 'Yesterday they');

    const ids = [];
    for await (const { id } of scope.generate({
      prompt: 'Yesterday they',
      temperature: 1.3,
      top_k: 30,
      seed: 7,
    }))
      ids.push(id);
    for (let i = 0; i < ids.length; i++) {
      const result = await ask({ type: 'logitscope:step' });
      assert.deepEqual(result.ids, ids.slice(0, i + 1));
    }
    assert.deepEqual(
      (await heard('step')).map(({ token }) => token.id),
      ids,
    );
    const [result] = (await heard('result')).filter(({ finish_reason }) => finish_reason);
    assert.equal(result.finish_reason, 'eos');
    const { trace } = await frame.locator('logit-scope').evaluate((element) => element.result);
    const { distribution, kept, entropy, score, complete } = result;
    assert.deepEqual([kept, entropy, score, complete], [trace.kept, trace.entropy, null, true]);
    assert.deepEqual(
      distribution.map(({ id, p }) => [id, p]),
      trace.tokens.map(({ id, p }) => [id, p]),
    );
    assert.equal((await ask({ type: 'logitscope:get' })).branch.length, ids.length);

    // A step by the learner also sends a result, without a request of the host.
    await ask({ type: 'logitscope:set', branch: ids.slice(0, -1) });
    await frame.locator('[data-command=step]').click();
    const own = await until(
      async () => (await heard('result')).filter(({ id }) => id === undefined).at(1),
      Boolean,
    );
    const { id: _, ...same } = result;
    assert.deepEqual(own, same);
    assert.equal(typeof own.verdict.right, 'boolean');

    // The page ignores messages of windows other than its parent.
    await frame.locator('body').evaluate(() => {
      window.seeds = [];
      addEventListener('message', ({ data }) => window.seeds.push(data.seed));
      window.postMessage({ type: 'logitscope:set', seed: 99 }, '*');
    });
    await page.evaluate(() => {
      const other = document.createElement('iframe');
      other.srcdoc =
        `<script>parent.frames[0].postMessage({ type: 'logitscope:set', seed: 98 }, '*')</scr` +
        `ipt>`;
      document.body.append(other);
    });
    const first = page.locator('iframe').first().contentFrame();
    const arrived = () => first.locator('body').evaluate(() => window.seeds.toSorted().join());
    await until(arrived, '98,99');
    assert.equal((await ask({ type: 'logitscope:get' })).seed, 7);
    for (const url of requests)
      assert.doesNotMatch(decodeURIComponent(url).replace(/#.*/, ''), /Yesterday|they|1\.3/);
    assert.deepEqual(complaints, []);
    await close();
  });

long('a message of the host replaces a prompt just typed and a value just changed', async () => {
  const { frame, ask, complaints, close } = await openHost();
  const temperature = frame.locator('[data-name=temperature]').first();
  const acts = [
    () => frame.locator('#prompt').press('x'),
    () => temperature.locator('input[type=range]').press('PageUp'),
    () => temperature.locator('#box').fill('1.9'), // typed and not confirmed
  ];
  const prompts = ['Tomorrow she', 'Yesterday they', 'Today he'];
  for (const [i, act] of acts.entries()) {
    await act();
    const settings = { temperature: [0.7, 0.9, 0.5][i] };
    await ask({ type: 'logitscope:set', prompt: prompts[i], settings });
    await frame.locator('logit-scope').evaluate((scope) => scope.settled());
    const state = await ask({ type: 'logitscope:get' });
    assert.deepEqual(
      [state.prompt, state.settings.temperature],
      [prompts[i], settings.temperature],
    );
    assert.equal(await frame.locator('#prompt').inputValue(), prompts[i]);
    assert.equal(await temperature.locator('#box').inputValue(), String(settings.temperature));
  }
  assert.deepEqual(complaints, []);
  await close();
});

long('a host sets a constraint, banned words and the first token', async () => {
  const { ask, complaints, close } = await openHost();
  await ask({ type: 'logitscope:set', prompt: 'Yesterday they', settings: {} });
  const gates = {
    constraint: { grammar: 'root ::= [a-z ]+' },
    banned_words: ['home'],
    forced_first: ' went',
  };
  const gated = await ask({ type: 'logitscope:set', settings: gates });
  assert.equal(gated.type, 'logitscope:state');
  assert.deepEqual(gated.settings.constraint, gates.constraint);
  await ask({ type: 'logitscope:set', branch: [] });
  assert.deepEqual(
    (await ask({ type: 'logitscope:step' })).ids,
    [...scope.encode('Yesterday they went')].slice(-1),
  );
  assert.deepEqual(complaints, []);
  await close();
});

long('a malformed message changes nothing and gets one sentence', async () => {
  const { ask, say, heard, close } = await openHost();
  const before = await ask({ type: 'logitscope:get' });
  const cases = [
    [
      { type: 'logitscope:set', settings: { top_p: 1.5, top_k: 3 } },
      /top_p=1\.5 \(must be between 0 and 1\)/,
    ],
    [{ type: 'logitscope:set', settings: { colour: 1 } }, /colour=1 \(there is no such setting\)/],
    [{ type: 'logitscope:set', settings: 'hot' }, /settings=/],
    [{ type: 'logitscope:set', prompt: 7, seed: 3 }, /prompt=7/],
    [{ type: 'logitscope:set', seed: 1, extra: 1 }, /extra/],
    [
      { type: 'logitscope:set', settings: { constraint: 'xml' } },
      /constraint=xml \(constraint must be "json", .+ got "xml"\)/,
    ],
    [
      { type: 'logitscope:set', settings: { constraint: { grammar: 'root ::= (' }, top_k: 3 } },
      /line 1: a parenthesis is not closed/,
    ],
    [
      { type: 'logitscope:set', settings: { forced_first: ' will go' } },
      /forced_first must be one token, " will go" is 2/,
    ],
    [
      { type: 'logitscope:set', settings: { banned_words: 'he' } },
      /banned_words=he \(cannot be read\)/,
    ],
    [
      { type: 'logitscope:set', settings: { top_k: 5, order: ['temperature'] } },
      /order leaves out top_k/,
    ],
    [{ type: 'logitscope:set', prompt: 'Tomorrow xyzzy' }, /xyzzy/],
    [{ type: 'logitscope:set' }, /sets nothing/],
    [{ type: 'logitscope:eval', code: '1' }, /no message “logitscope:eval”/],
  ];
  for (const [message, sentence] of cases) {
    const answer = await ask(message);
    assert.equal(answer.type, 'logitscope:error');
    assert.match(answer.message, sentence);
  }
  const errors = (await heard('error')).length;
  for (const message of ['logitscope:set', 3, null, { type: 'other' }, [1]]) await say(message);
  // Answers keep the order of requests, so an error about one of these messages would arrive before this answer.
  const { id: _, ...now } = await ask({ type: 'logitscope:get' });
  assert.equal((await heard('error')).length, errors);
  assert.deepEqual(
    now,
    Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'id')),
  );
  await close();
});

long('a frame of some parts takes language and colours from its address', async () => {
  const path = '?lang=es&theme=dark&model=verbs&controls=temperature,distribution';
  const { page, complaints, close } = await bench.open({ path });
  assert.equal(await page.locator('logit-distribution h2').innerText(), 'Siguiente token');
  const root = page.locator('html');
  assert.equal(await root.getAttribute('lang'), 'es');
  assert.equal(await root.getAttribute('data-theme'), 'dark');
  assert.ok(!(await page.locator('logit-preferences').isVisible()));
  assert.deepEqual(complaints, []);
  await close();
});

test('three elements of a lesson share one engine and one download, each with its own state', async () => {
  const { page, complaints, close } = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    first: true,
  });
  const requests = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await page.route('**/lesson.html', (route) =>
    route.fulfill({
      contentType: 'text/html; charset=utf-8',
      body: `<!doctype html><html lang="en"><link rel="icon" href="data:,"><style>p { color: rgb(1, 2, 3) }</style>
        <script type="module" src="${bench.url}logitscope.js"></script><p>Lesson</p>
        <logit-scope id="lesson" hidden model="verbs" prompt="Today she" top_k="5"></logit-scope>
        <logit-distribution for="lesson"></logit-distribution>
        <logit-chain for="lesson"></logit-chain>
        <logit-distribution id="alone" model="verbs" prompt="Every day he" top_k="2"></logit-distribution>`,
    }),
  );
  await page.goto(`${bench.url}deep/er/lesson.html`);
  const kept = (selector) => () =>
    page
      .locator(`${selector} .row:not([data-removed-by])`)
      .evaluateAll((rows) => rows.filter((row) => Number(row.dataset.p) > 0).length);
  await until(kept('logit-distribution[for]'), 5);
  await until(kept('#alone'), 2);
  const box = page.locator('logit-chain[for] logit-knob[data-name=top_k] .box');
  await box.fill('3');
  await box.press('Enter');
  await until(kept('logit-distribution[for]'), 3);
  assert.equal(await kept('#alone')(), 2);
  assert.equal(requests.filter((path) => path.endsWith('verbs.gguf')).length, 1);
  assert.equal(requests.filter((path) => path.endsWith('worker.js')).length, 1);
  assert.equal(
    await page.locator('p', { hasText: 'Lesson' }).evaluate((p) => getComputedStyle(p).color),
    'rgb(1, 2, 3)',
  );
  assert.deepEqual(complaints, []);
  await close();
});
