/**
 * Faults of workers in a page: threads that the browser freezes in the middle of a text, and a worker that falls silent. The
 * texts are those of one thread.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { serve } from '../../web/serve.js';
import { ISOLATED, launchChromium, root } from '../bench/chromium.js';
import { hasChromium } from '../chromium.js';
import { closed } from '../cleanup.js';
import { long } from '../long.js';

const MODEL = 'models/stories.gguf';
const OPTIONS = { prompt: 'One day', seed: 7, max_new_tokens: 240, temperature: 1 };

const server = closed(await serve(root, 0, undefined, undefined, ISOLATED));
const chromium = hasChromium ? closed(await launchChromium()) : null;
const context = await chromium?.newContext();

/** Writes the text with three threads in the engine's worker; `written` has its ids. */
const WRITE = `(async () => {
  const { RemoteLogitscope } = await import('/web/engine/entry-remote.js');
  const scope = await RemoteLogitscope.load({ model: new URL('/${MODEL}', location.href).href, threads: 3 });
  globalThis.written = [];
  for await (const { id } of scope.generate(${JSON.stringify(OPTIONS)})) {
    globalThis.written.push(id);
  }
  return scope.info.threads + ' ' + globalThis.written;
})()`;

/**
 * Writes 24 texts with the engine alone and with two workers. A worker gets no message after its first tasks; its tasks
 * are then written again. The engine waits for them with its second text.
 */
const SILENT = `(async () => {
  const { RemoteLogitscope } = await import('/web/engine/entry-remote.js');
  const { writeAll } = await import('/web/engine/crowd.js');
  const scope = await RemoteLogitscope.load({ model: new URL('/models/verbs.gguf', location.href).href });
  const tasks = Array.from({ length: 24 }, (_, seed) => ({ seed, prompt: 'Today she', max_new_tokens: 8 }));
  const write = async (session, options) => {
    const texts = [];
    for await (const { text } of writeAll(scope, session, 'sample', tasks, tasks.length, options))
      texts.push(text);
    return texts;
  };
  let silent = null, asked, n = 0;
  const told = new Promise((resolve) => (asked = resolve));
  const worker = () => {
    const thread = new Worker('/web/engine/worker.js', { type: 'module' });
    const post = thread.postMessage.bind(thread);
    thread.postMessage = (message, transfer) => {
      if (message.method === 'texts') asked(silent ??= thread);
      if (thread !== silent) post(message, transfer);
    };
    return thread;
  };
  const patient = { write: async (task) => (n++ && (await told), scope.write(task)) };
  const options = { workers: 2, worth: 0, silence: 60, worker };
  return [await write(patient, options), await write(scope, {}), silent !== null];
})()`;

long(
  'the texts of a worker that falls silent are written again',
  {
    skip: hasChromium ? false : 'Chromium is not installed',
  },
  async () => {
    const page = await context.newPage();
    await page.goto(`${server.url}tests/browser/blank.html`);
    const [texts, alone, silent] = await page.evaluate(SILENT);
    assert.deepEqual(texts, alone);
    assert.ok(silent);
    assert.equal(texts.length, 24);
    assert.equal(page.workers().length, 1);
    await page.close();
  },
);

test('a page that is frozen in the middle of a text writes the same text', {
  skip: hasChromium ? false : 'Chromium is not installed',
}, async () => {
  const alone = await Logitscope.load({ model: join(root, MODEL), threads: 1 });
  const { ids } = await alone.write(OPTIONS);
  const page = await context.newPage();
  await page.goto(`${server.url}tests/browser/blank.html`);
  const devtools = await context.newCDPSession(page);
  const text = page.evaluate(WRITE);
  await page.waitForFunction('globalThis.written?.length > 8');
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  await (await context.newPage()).bringToFront();
  await devtools.send('Page.setWebLifecycleState', { state: 'active' });
  assert.equal(await text, `3 ${ids}`);
});
