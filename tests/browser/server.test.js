/**
 * Tests the page over a server of the user's own. The server answers as llama.cpp's over a model that this engine reads
 * too, so the page must show the engine's numbers.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { serve } from '../../web/serve.js';
import { Logitscope } from '../../web/engine/index.js';
import { patternOf, readHosts } from '../../web/model-hosts.js';
import { modelFile } from '../bench/models.js';
import { shapes } from '../bench/shapes.js';
import { atEnd } from '../cleanup.js';
import { serveLlama } from '../llama_fake.js';
import { LONG, long } from '../long.js';
import { cli } from '../node/command_line.js';
import { until } from './bench.js';
import { openSite } from './site.js';

const KEY = 'a-secret-of-this-test';

let browser;
let site;
let fake;
let direct;

before(async () => {
  const { dist, browser: opened } = await openSite();
  browser = opened;
  site = await serve(dist, 0);
  atEnd(() => site.close());
  const model = readFileSync(modelFile(shapes[0], 'f32'));
  direct = await Logitscope.load({ model });
  fake = await serveLlama(await Logitscope.load({ model }));
});

/** Opens a page without the site's service worker, which would first cache the whole site. */
async function openPage() {
  const viewport = { width: 1280, height: 720 };
  const context = await browser.newContext({ viewport, serviceWorkers: 'block' });
  atEnd(() => context.close());
  return context.newPage();
}

const shown = (page) =>
  page.evaluate(() => {
    const scope = document.querySelector('logit-scope');
    const { trace, drawn, prompt, texts } = scope?.instrument ?? {};
    return {
      tokens: trace?.tokens.map(({ id, p, removed_by }) => [id, p, removed_by]) ?? [],
      drawn: drawn?.id,
      prompt: prompt?.text,
      ids: texts?.steps.map(({ id }) => id) ?? [],
      fault: scope?.fault?.key ?? null,
      source: scope?.source ?? null,
    };
  });
const act = (page, call) =>
  page.evaluate((name) => void document.querySelector('logit-scope')[name](), call);
/** Waits until the page shows the server's model after n drawn tokens. */
async function ready(page, n) {
  await until(
    () => shown(page),
    ({ source, tokens, ids }) =>
      source?.startsWith('source:server') && tokens.length > 0 && ids.length === n,
  );
  await page.evaluate(() => document.querySelector('logit-scope').settled());
  return shown(page);
}
const asked = () => fake.questions.filter(({ path }) => path === '/completion').length;

/** Compares the page's distribution with the engine's. */
function assertDirect({ tokens, prompt, ids }, settings) {
  direct.feed([...direct.encode(prompt), ...ids]);
  const { tokens: ours } = direct.distribution({ ...settings, top: 512 });
  const kept = new Map(ours.map(({ id, p, removed_by }) => [id, { p, removed_by }]));
  for (const [id, p, removed_by] of tokens) {
    assert.equal(removed_by, kept.get(id)?.removed_by);
    assert.ok(Math.abs(p - kept.get(id)?.p) < 1e-6);
  }
}

test('a press connects; text, knobs and a stop keep everything; a reload asks again', async () => {
  const page = await openPage();
  await page.goto(`${site.url}?view=bench#prompt=Once%20upon%20a%20time&temperature=0.8&top_k=7`);
  await until(
    () => shown(page),
    ({ tokens }) => tokens.length > 0,
  );
  await page.locator('#model').click();
  await page.locator('logit-sheet [data-command=server]').click();
  const dialog = page.locator('logit-server');
  const address = dialog.locator('#address');
  assert.equal(await address.inputValue(), 'http://127.0.0.1:8080');
  const connect = dialog.locator('[data-command=connect]');
  const said = (text) => dialog.getByText(text).waitFor();

  // Another machine is not allowed, and a server that refuses this origin is told from one that does not run.
  await address.fill('http://198.51.100.7:8080');
  await connect.click();
  await said(/does not allow 198\.51\.100\.7:8080.*PROBE_HOSTS/);
  await address.fill('http://127.0.0.1:9');
  await connect.click();
  await said(/llama-server -m model\.gguf --port 9/);
  fake.open = false;
  await address.fill(fake.address);
  await connect.click();
  await said(/runs but does not answer pages of http:\/\/localhost/);
  fake.open = true;
  fake.questions.length = 0;

  await dialog.locator('#key').fill(KEY);
  assert.equal(await connect.innerText(), `Send the prompt to 127.0.0.1:${fake.port}`);
  assert.equal(fake.questions.length, 0);
  await connect.click();
  const first = await ready(page, 0);
  assertDirect(first, { temperature: 0.8, top_k: 7 });
  assert.equal(first.prompt, 'Once upon a time');
  assert.ok(fake.questions.every(({ headers }) => headers.authorization === `Bearer ${KEY}`));

  // A knob asks nothing, a step asks once.
  const before = asked();
  await page.evaluate(() => document.querySelector('logit-scope').set({ temperature: 1.5 }));
  const moved = await until(
    () => shown(page),
    ({ tokens }) => tokens[0][1] !== first.tokens[0][1],
  );
  assertDirect(moved, { temperature: 1.5, top_k: 7 });
  assert.equal(asked(), before);
  await act(page, 'step');
  const stepped = await ready(page, 1);
  assertDirect(stepped, { temperature: 1.5, top_k: 7 });
  assert.equal(asked(), before + 1);

  // The server stops: the text stays, and the page asks again when the user says so.
  fake.change = () => ({ status: 503 });
  await act(page, 'step');
  const gone = await until(
    () => shown(page),
    ({ fault }) => fault,
  );
  assert.deepEqual([gone.fault, gone.ids.slice(0, 1)], ['server_status', stepped.ids]);
  fake.change = null;
  await page.locator('logit-asking [data-command=retry]').click();
  const again = await ready(page, 2);
  assertDirect(again, { temperature: 1.5, top_k: 7 });
  await page.locator('#model').click();
  await page.getByText(`llama.cpp at 127.0.0.1:${fake.port}`).waitFor();
  await page.keyboard.press('Escape');

  // The address names no server, and the key is nowhere but in memory.
  await page.waitForURL(/source=server.*temperature=1\.5/);
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...sessionStorage }, { ...localStorage }, history.state, location.href]),
  );
  assert.ok(!kept.includes(KEY));
  assert.ok(!page.url().includes(String(fake.port)));

  // A reload asks nothing before a press; then the text is there again.
  fake.questions.length = 0;
  await page.reload();
  await dialog.locator('dialog').waitFor();
  assert.equal(await address.inputValue(), fake.address);
  assert.equal(fake.questions.length, 0);
  await connect.click();
  const back = await ready(page, 2);
  assert.deepEqual([back.ids, back.prompt, back.tokens], [again.ids, again.prompt, again.tokens]);

  if (!LONG) return;
  // Without a press the first model of the page opens, without the ids of the other vocabulary.
  await page.reload();
  await dialog.getByRole('button', { name: 'Open stories' }).click();
  const other = await until(
    () => shown(page),
    ({ source, tokens }) => source && !source.startsWith('source:') && tokens.length > 0,
  );
  assert.deepEqual([other.prompt, other.ids], ['Once upon a time', []]);
  assert.equal(await dialog.count(), 0);

  // In a frame nobody is asked: the host page could cover the dialog.
  await page.evaluate(() => {
    const frame = document.createElement('iframe');
    frame.src = '?source=server';
    document.body.append(frame);
  });
  const frame = await until(
    () => page.frames().find((each) => each.url().endsWith('?source=server')),
    Boolean,
  );
  await until(
    () => shown(frame),
    ({ source, tokens }) => source && !source.startsWith('source:') && tokens.length > 0,
  );
  assert.equal(await frame.locator('logit-server').count(), 0);
});

/** The intervals of the bars, in the order of the record. */
const readIntervals = (page) =>
  page.locator('logit-logits .row[data-id]:not([data-id=rest])').evaluateAll((rows) =>
    rows
      .map(({ dataset: { id, p, pHigh = p } }) => [Number(id), Number(p), Number(pHigh)])
      .sort(([a], [b]) => a - b)
      .map(([, ...p]) => p),
  );

long(
  'a server with the top tokens only: bounds as on the command line, one question a text',
  async () => {
    const ollama = await serveLlama(direct);
    const asOllama = (path, answer) => {
      if (path === '/v1/models') answer.data[0].owned_by = 'library';
      return answer;
    };
    ollama.change = asOllama;
    const texts = () =>
      ollama.questions
        .filter(({ path }) => path === '/api/generate')
        .map(({ body: { prompt } }) => prompt);
    const page = await openPage();
    await page.goto(`${site.url}?view=bench#prompt=Once%20upon%20a%20time`);
    await until(
      () => shown(page),
      ({ tokens }) => tokens.length > 0,
    );
    const connect = async (address = ollama.address) => {
      await page.locator('#model').click();
      await page.locator('logit-sheet [data-command=server]').click();
      await page.locator('logit-server #address').fill(address);
      await page.locator('logit-server [data-command=connect]').click();
    };
    const expectBounds = async (prompt, ...flags) => {
      const words = ['--server', ollama.address, '--prompt', prompt, '--json', ...flags];
      const { stdout, stderr, status } = await cli(['distribution', ...words]);
      assert.equal(status, 0, stderr);
      const expected = JSON.parse(stdout).tokens.map(({ p }) => p);
      const found = await until(
        () => readIntervals(page),
        (intervals) => JSON.stringify(intervals) === JSON.stringify(expected),
      );
      assert.deepEqual(found, expected);
      ollama.questions.length = 0; // the answers of page and command line are there
    };

    // A refused question changes nothing and keeps the dialog.
    ollama.change = (path, answer) =>
      path === '/api/generate' ? { status: 503 } : asOllama(path, answer);
    await connect();
    await page
      .locator('logit-server')
      .getByText(/status 503/)
      .waitFor();
    assert.match(page.url(), /view=bench/);
    await page.locator('logit-server').getByRole('button', { name: 'Close' }).click();
    ollama.change = asOllama;
    ollama.questions.length = 0;
    await connect();
    const partial = page.locator('logit-partial');
    const prompt = partial.locator('#prompt');
    await partial.getByText(/shows the 20 most probable tokens and hides/).waitFor();
    await partial.getByText(/Explore, Compare, Charts and whole texts need/).waitFor();
    assert.deepEqual(
      [texts(), await prompt.inputValue()],
      [['Once upon a time'], 'Once upon a time'],
    );
    await expectBounds('Once upon a time');

    // A knob asks nothing; penalties would need the tokens of the prompt.
    const knob = async (name, value) => {
      await page.locator(`logit-logits logit-knob[data-name=${name}] .box`).fill(value);
      await page.keyboard.press('Enter');
    };
    await knob('temperature', '1.3');
    await expectBounds('Once upon a time', '--temperature', '1.3');
    const set = (settings) =>
      page.evaluate((logits_settings) => {
        document.querySelector('logit-scope').choose({ logits_settings });
      }, settings);
    await set({ temperature: 1.3, repetition_penalty: 1.2 });
    await page.getByText(/Penalties count the tokens of the prompt/).waitFor();
    await set({ temperature: 1.3 });
    assert.deepEqual(texts(), []);

    // A new text is one question. Another law of an address is none.
    await prompt.fill('The dog');
    await until(texts, (all) => all.length === 1);
    await expectBounds('The dog', '--temperature', '1.3');
    const known = await readIntervals(page);
    await page.evaluate(() =>
      document.querySelector('logit-scope').choose({ logits_prompt: 'From elsewhere' }),
    );
    const again = partial.locator('[data-command=ask]');
    await again.waitFor();
    assert.deepEqual(texts(), []);

    // The server stops: text and numbers stay.
    ollama.change = () => ({ status: 503 });
    await prompt.fill('The cat');
    await partial.getByText(/status 503/).waitFor();
    await partial.getByText('The numbers belong to the earlier prompt.').waitFor();
    assert.deepEqual(await readIntervals(page), known);
    assert.equal(await prompt.inputValue(), 'The cat');
    ollama.change = asOllama;
    await again.click();
    await expectBounds('The cat', '--temperature', '1.3');

    // A reload has the text and its numbers, and asks nothing before a press.
    const last = await readIntervals(page);
    await page.waitForURL(/logits_prompt=The%20cat/);
    assert.ok(!page.url().includes(String(ollama.port)));
    await page.reload();
    await until(
      () => readIntervals(page),
      (found) => JSON.stringify(found) === JSON.stringify(last),
    );
    assert.equal(await prompt.inputValue(), 'The cat');
    await partial.getByText(/No server is connected/).waitFor();
    await prompt.fill('The bird');
    await partial.getByText('The numbers belong to the earlier prompt.').waitFor();
    assert.deepEqual(texts(), []);
    await connect();
    await expectBounds('The bird', '--temperature', '1.3');

    // Without a model the prompt is the one of the address.
    await page.goto('about:blank');
    await page.goto(`${site.url}?source=server#prompt=The%20fox`);
    await page.locator('logit-server [data-command=connect]').click();
    await until(texts, (all) => all.length > 0);
    assert.deepEqual(texts(), ['The fox']);
    await expectBounds('The fox');
  },
);

test('the builder names the hosts of servers', () => {
  const pattern = (text) => new RegExp(patternOf(readHosts('PROBE_HOSTS', text)));
  const usual = pattern();
  for (const origin of ['http://127.0.0.1:8080', 'http://localhost:11434', 'http://localhost'])
    assert.match(origin, usual);
  const others = [
    'https://127.0.0.1:1',
    'http://127.0.0.1.evil.example',
    'http://localhost.x:8',
    'null',
  ];
  for (const origin of others) assert.doesNotMatch(origin, usual);
  assert.match('https://llm.example.org:8443', pattern('https://llm.example.org:*'));
  assert.doesNotMatch('http://127.0.0.1:8080', pattern(''));
  assert.throws(
    () => readHosts('PROBE_HOSTS', 'http://x;script-src *'),
    /PROBE_HOSTS must be like/,
  );
});
