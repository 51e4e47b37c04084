/**
 * Tests the page over a model elsewhere: a server with the folder ask/ beside the page, and a host page that answers
 * by messages. Both answer from verbs.gguf, so both pages show the same numbers.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { packPieces, serveAsked, sourceOf } from '../asked_server.js';
import { atEnd, closed } from '../cleanup.js';
import { long } from '../long.js';
import { model, until } from './bench.js';
import { openSite } from './site.js';

let browser;
let server;
let scope;

before(async () => {
  scope = await Logitscope.load({ model });
  const site = await openSite();
  browser = site.browser;
  server = await serveAsked(site.dist, scope, {
    prompt: 'Today she',
    settings: { temperature: 0.7, top_k: 12, no_such_knob: 1 },
  });
  atEnd(() => server.end());
});

/** Opens an address and waits for the bars. */
async function open(address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  atEnd(() => page.close());
  await page.goto(address);
  return page;
}

/** Returns rows of the distribution, prompt and drawn ids of a page in a frame or window. */
const shown = (frame) =>
  frame.evaluate(() => {
    const scope = document.querySelector('logit-scope');
    const { trace, drawn, prompt, texts } = scope?.instrument ?? {};
    return {
      tokens: trace?.tokens.map(({ id, p, p_raw }) => [id, p, p_raw]) ?? [],
      drawn: drawn && [drawn.id, drawn.u, drawn.p],
      prompt: prompt?.text,
      ids: texts?.steps.map(({ id }) => id),
      fault: scope?.fault?.key ?? null,
      source: scope?.source ?? null,
    };
  });
const ready = (frame) =>
  until(
    () => shown(frame),
    ({ tokens, drawn }) => tokens.length > 0 && drawn,
  );
const act = (page, call) =>
  page.evaluate((name) => void document.querySelector('logit-scope')[name](), call);

/** Compares the page's distribution and ids with those of the engine after the same text. */
function assertDirect({ tokens, drawn, ids, prompt }, settings, seed) {
  scope.feed([...scope.encode(prompt), ...ids]);
  const direct = scope.read({ ...settings, seed, top: tokens.length }, { step: ids.length });
  assert.deepEqual(
    tokens,
    direct.trace.tokens.map(({ id, p, p_raw }) => [id, p, p_raw]),
  );
  assert.deepEqual(drawn, [direct.drawn.id, direct.drawn.u, direct.drawn.p]);
}

test('the page over ask/ shows the numbers of the model, and a knob asks nothing', async () => {
  const page = await open(`${server.address}?source=asked`);
  const first = await ready(page);
  assert.equal(first.source, 'source:asked');
  const seed = await page.evaluate(() => document.querySelector('logit-scope').state.seed);
  assertDirect(first, { temperature: 0.7, top_k: 12 }, seed);
  const notice = await page.locator('.said').innerText();
  assert.match(notice, /no_such_knob/);
  const before = server.asked.logits.length;
  await page.evaluate(() =>
    document.querySelector('logit-scope').set({ temperature: 1.5, top_k: 0 }),
  );
  const moved = await until(
    () => shown(page),
    ({ tokens }) => tokens[0][1] !== first.tokens[0][1],
  );
  assertDirect(moved, { temperature: 1.5 }, seed);
  assert.equal(server.asked.logits.length, before);
  await act(page, 'step');
  const stepped = await until(
    () => shown(page),
    ({ ids, drawn }) => ids.length === 1 && drawn?.[0] !== moved.drawn[0],
  );
  assertDirect(stepped, { temperature: 1.5 }, seed);
  assert.equal(server.asked.logits.length, before + 1);
  assert.match(page.url(), /\?source=asked(?!.*model=)/);

  // When the server has ended and begun again, the page still has its text.
  await server.end();
  await act(page, 'step');
  const gone = await until(
    () => shown(page),
    ({ fault }) => fault,
  );
  assert.deepEqual([gone.fault, gone.ids.length, gone.prompt], ['asked_gone', 2, 'Today she']);
  await page.getByText('The model no longer answers.').waitFor();
  await server.begin();
  await page.locator('logit-asking [data-command=retry]').click();
  const again = await until(
    () => shown(page),
    ({ drawn, fault, tokens }) => drawn && !fault && tokens[0]?.[1] !== stepped.tokens[0][1],
  );
  assert.deepEqual(again.ids, gone.ids);
  assertDirect(again, { temperature: 1.5 }, seed);
});

long(
  'a slow question can be cancelled, and a view of weights says that they are missing',
  async () => {
    const page = await open(`${server.address}?source=asked`);
    const before = await ready(page);
    const seed = await page.evaluate(() => document.querySelector('logit-scope').state.seed);
    let free = () => {};
    server.state.hold = new Promise((resolve) => (free = resolve));
    await page.evaluate(() => {
      document.querySelector('logit-scope').instrument.setPrompt('Tomorrow he');
    });
    await page.locator('logit-asking [data-command=cancel]').click();
    assert.equal(
      (
        await until(
          () => shown(page),
          ({ fault }) => fault,
        )
      ).fault,
      'asked_cancelled',
    );
    free();
    await page.locator('logit-asking [data-command=retry]').click();
    assertDirect(
      await until(
        () => shown(page),
        ({ drawn, fault, tokens }) => drawn && !fault && tokens[0][1] !== before.tokens[0][1],
      ),
      { temperature: 0.7, top_k: 12 },
      seed,
    );

    // Compare works with this model. Views that need the model's weights say that they cannot work.
    await page.evaluate(() => (document.querySelector('logit-scope').view = 'compare'));
    await page.locator('logit-passage').first().waitFor();
    await page.evaluate(() => (document.querySelector('logit-scope').view = 'cost'));
    await page.getByText('this model is elsewhere').waitFor();
  },
);

long('a host page answers by messages, another origin and another window do not', async () => {
  const { address } = server;
  const source = sourceOf(scope);
  const facts = { ...source.info, prompt: 'Today she', settings: { temperature: 2 } };
  const host = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><body></body>'),
  );
  closed(host);
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
  const page = await open(`http://localhost:${host.address().port}/`);
  // A page of another origin may not read the server's ask/.
  const refused = await page.evaluate(
    (where) =>
      fetch(where).then(
        () => 'read',
        () => 'refused',
      ),
    `${address}ask/info.json`,
  );
  assert.equal(refused, 'refused');
  const sent = await page.evaluate(
    (where) =>
      fetch(where, { method: 'POST', mode: 'no-cors', body: 'x' }).then(({ type }) => type),
    `${address}ask/encode`,
  );
  assert.equal(sent, 'opaque');
  assert.ok(!server.asked.encode.includes('x'));

  await page.exposeFunction('answerAsked', (what, body) => {
    if (what === 'info') return facts;
    if (what === 'pieces') return [...packPieces(source.pieces)];
    if (what === 'encode') return [...source.encode(body)];
    return [...source.logits(Object.values(body))].map(String);
  });
  await page.evaluate((where) => {
    const kinds = { pieces: Uint8Array, encode: Uint32Array, logits: Float32Array };
    addEventListener('message', async ({ data, source }) => {
      if (data.type !== 'logitscope:ask' || source !== frames[0]) return;
      const { ask, what, body } = data;
      const given = await window.answerAsked(what, body);
      const kind = kinds[what];
      const result = kind ? kind.from(given, Number) : given;
      source.postMessage({ type: 'logitscope:answer', ask, result }, '*');
    });
    document.body.innerHTML = `<iframe width="1000" height="700" src="${where}"></iframe>`;
  }, `${address}?source=host`);
  const frame = await until(
    () => page.frames().find((each) => each.url().includes('source=host')),
    Boolean,
  );
  const found = await ready(frame);
  assert.equal(found.source, 'source:host');
  const seed = await frame.evaluate(() => document.querySelector('logit-scope').state.seed);
  assertDirect(found, { temperature: 2 }, seed);
  const alone = await open(`${address}?source=host`);
  await alone.getByText('Try again').waitFor();
});
