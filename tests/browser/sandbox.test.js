/** Tests the frame that runs a user's code, inside pages that are not ours. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandbox } from '../../web/build.js';
import { closed } from '../cleanup.js';
import { openBench } from './bench.js';

const bench = closed(await openBench());

/** Code that throws unless its origin is opaque (null). */
const SPY = `
if (self.origin !== 'null') throw new Error('it runs in ' + self.origin);
export default (logits) => logits;`;

/**
 * Opens a frame and asks it to run SPY. Returns the messages that the parent page receives.
 * @param {Record<string, string>} attributes of the frame
 * @returns {Promise<{ heard: any[], shown: string | undefined }>}
 */
async function frame(attributes) {
  const { page, close } = await bench.open({
    ready: false,
    path: 'source/tests/browser/blank.html',
  });
  const heard = await page.evaluate(
    ([given, code]) =>
      new Promise((resolve) => {
        const messages = [];
        addEventListener('message', ({ data, source }) => {
          messages.push(data);
          if (data === 'ready') {
            source.postMessage({ code }, '*');
            source.postMessage({ id: 1, call: 'load', name: 'own' }, '*');
          } else if (data.error !== undefined || data.id !== undefined) resolve(messages);
        });
        const made = document.createElement('iframe');
        for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
        document.body.append(made);
      }),
    /** @type {const} */ ([attributes, SPY]),
  );
  const inner = page.frames().find((each) => each !== page.mainFrame());
  await inner?.waitForLoadState('domcontentloaded'); // the sentence appears only after the message to the parent
  const shown = (await inner?.locator('body').textContent())?.trim();
  await close();
  return { heard, shown };
}

const WHY = 'this page runs code only in a frame with sandbox="allow-scripts"';

test('without sandbox="allow-scripts" the frame runs nothing and says so', async () => {
  const { page: single } = await sandbox('single');
  for (const attributes of [
    { src: '/sandbox.html' },
    { src: '/sandbox.html', sandbox: 'allow-scripts allow-same-origin' },
    { srcdoc: single },
  ])
    assert.deepEqual(await frame(attributes), { heard: [{ error: WHY }], shown: WHY });
});

test('with sandbox="allow-scripts" the code runs without an origin', async () => {
  const { heard } = await frame({ src: '/sandbox.html', sandbox: 'allow-scripts' });
  assert.equal(heard[0], 'ready');
  assert.deepEqual(heard.at(-1), { id: 1 });
});
