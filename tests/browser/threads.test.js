/**
 * Threads in an isolated page that the browser freezes in the middle of a text: the text is that of one thread. The page then
 * lies in the background, as a tab behind another.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { serve } from '../../web/serve.js';
import { ISOLATED, launchChromium, root } from '../bench/chromium.js';
import { hasChromium } from '../chromium.js';
import { closed } from '../cleanup.js';

const MODEL = 'models/stories.gguf';
const OPTIONS = { prompt: 'One day', seed: 7, max_new_tokens: 240, temperature: 1 };

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

test('a page that is frozen in the middle of a text writes the same text', {
  skip: hasChromium ? false : 'Chromium is not installed',
}, async () => {
  const alone = await Logitscope.load({ model: join(root, MODEL), threads: 1 });
  const { ids } = await alone.write(OPTIONS);
  const server = closed(await serve(root, 0, undefined, undefined, ISOLATED));
  const chromium = await launchChromium();
  try {
    const context = await chromium.newContext();
    const page = await context.newPage();
    await page.goto(`${server.url}tests/browser/blank.html`);
    const devtools = await context.newCDPSession(page);
    const text = page.evaluate(WRITE);
    await page.waitForFunction('globalThis.written?.length > 8');
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    await (await context.newPage()).bringToFront();
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    assert.equal(await text, `3 ${ids}`);
  } finally {
    await chromium.close();
  }
});
