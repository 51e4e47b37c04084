/**
 * Compares the digest of logits, traces and generated ids in three browsers with Node's, which equals that of the
 * native builds. Only `make test-browsers` and `make test-long` run Firefox and WebKit. A missing browser skips its
 * tests. Tests of relaxed SIMD are skipped if it is not built or, except in Chromium, not available.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, relative } from 'node:path';
import { json } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { serve } from '../../web/serve.js';
import { hasChromium } from '../chromium.js';
import { closed } from '../cleanup.js';
import { ISOLATED, root } from '../bench/chromium.js';
import { modelFile } from '../bench/models.js';
import { shapes } from '../bench/shapes.js';
import { LONG, long } from '../long.js';
import { courseFiles } from '../node/course_files.js';
import { digest } from '../node/digest.js';
import { formatFiles } from '../node/format_files.js';
import * as firefox from './firefox.js';
import { openSite } from './site.js';
import * as webkit from './webkit.js';

const chromiumDriver = {
  missing: () => (hasChromium ? null : 'Chromium is not installed'),
  /** @param {string} address */
  async open(address) {
    const { browser } = await openSite();
    const page = await browser.newPage();
    await page.goto(address);
    return {
      evaluate: (/** @type {string} */ expression) => page.evaluate(expression),
      close: () => page.close(),
    };
  },
};

const browsers = { Chromium: chromiumDriver, Firefox: firefox, WebKit: webkit };
const all = [
  'models/verbs.gguf',
  ...courseFiles,
  ...['f32', 'q8_0'].map((format) =>
    relative(root, modelFile(shapes[0], /** @type {any} */ (format))),
  ),
];
/** `make test` tests only the quantised model here; build.test.js tests a model that is not quantised. */
const models = LONG || process.env.ALL_BROWSERS ? all : all.slice(-1);
const relaxedBuilt = existsSync(join(root, 'web/engine/logitscope-relaxed.wasm'));
/** This browser sends no shared memory or module from worker to worker (DataCloneError), so it has one thread. */
const ALONE = 'WebKit';
const NO_VARIANT = 'no such variant: ';

/** Returns the code that the page runs. @param {string} model @param {string} variant */
const program = (model, variant) => `(async () => {
  const { Logitscope } = await import('/web/engine/index.js');
  const { digest } = await import('/tests/node/digest.js');
  let scope;
  try {
    const url = new URL('/${model}', location.href).href;
    scope = await Logitscope.load({ model: url, variant: '${variant}' });
  } catch (error) {
    return '${NO_VARIANT}' + error.message;
  }
  if (scope.variant !== '${variant}') return '${NO_VARIANT}' + scope.variant;
  return digest(scope);
})()`;

/** Returns code that runs n threads in the engine's worker. @param {string} model @param {number} n */
const threaded = (model, n) => `(async () => {
  const { RemoteLogitscope } = await import('/web/engine/entry-remote.js');
  const { digest } = await import('/tests/node/digest.js');
  const scope = await RemoteLogitscope.load({ model: new URL('/${model}', location.href).href, threads: ${n} });
  const { info } = scope;
  const value = await digest(scope);
  scope.close();
  return crossOriginIsolated + ' ' + info.threads + ' ' + value;
})()`;

/**
 * Waits for the digests of models with each number of threads, which an isolated page computes in a worker.
 * @param {(address: string) => Promise<{ close(): Promise<void> }>} show
 * @param {string[]} list of models
 * @param {number[]} numbers of threads
 * @returns {Promise<string[]>} of each model, joined by commas
 */
async function digestsOf(show, list, numbers) {
  const isolated = closed(await serve(root, 0, undefined, undefined, ISOLATED));
  const receiver = createServer().listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (receiver.address());
  const job = JSON.stringify({ list, numbers, to: `http://127.0.0.1:${port}` });
  const page = await show(`${isolated.url}tests/browser/threads.html#${encodeURIComponent(job)}`);
  try {
    const [request, response] = await once(receiver, 'request');
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end();
    return await json(request);
  } finally {
    await page.close();
    receiver.close();
  }
}

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {string[]} Node's digests, one for each model */
let expected;
before(async () => {
  server = closed(await serve(root, 0));
  expected = [];
  for (const model of models) {
    const scope = await Logitscope.load({ model: join(root, model) });
    expected.push(await digest(scope));
    scope.close();
  }
});

for (const [name, driver] of Object.entries(browsers)) {
  const alone = name === 'Chromium' || LONG || process.env.ALL_BROWSERS;
  const absent = alone ? driver.missing() : 'make test-browsers runs it';
  describe(name, () => {
    /** @type {{ evaluate: (expression: string) => Promise<string>, close: () => Promise<void> }} */
    let page;
    before(async () => {
      if (!absent) page = await driver.open(`${server.url}tests/browser/blank.html`);
    });
    after(() => page?.close());
    long(
      `${name}: threads in an isolated page and in another`,
      {
        skip: absent ?? false,
      },
      async () => {
        const model = 'models/stories.gguf';
        const scope = await Logitscope.load({ model: join(root, model), threads: 1 });
        const value = await digest(scope);
        scope.close();
        assert.equal(await page.evaluate(threaded(model, 2)), `false 1 ${value}`);
        const isolated = closed(await serve(root, 0, undefined, undefined, ISOLATED));
        const other = await driver.open(`${isolated.url}tests/browser/blank.html`);
        try {
          const n = name === ALONE ? 1 : 3;
          assert.equal(await other.evaluate(threaded(model, 3)), `true ${n} ${value}`);
        } finally {
          await other.close();
        }
      },
    );
    test(`${name}: every format with 1, 2, 3 and 8 threads`, {
      skip: all === models ? (absent ?? name === ALONE) : 'make test-browsers runs it',
    }, async () => {
      const list = [...formatFiles, ...courseFiles, 'models/verbs.gguf'];
      const numbers = [1, 2, 3, 8];
      const found = await digestsOf('show' in driver ? driver.show : driver.open, list, numbers);
      for (const [i, model] of list.entries()) {
        const scope = await Logitscope.load({ model: join(root, model), threads: 1 });
        const value = await digest(scope);
        scope.close();
        assert.equal(found[i], numbers.map(() => value).join(), model);
      }
      assert.equal(found.length, list.length);
    });
    for (const [i, model] of models.entries()) {
      for (const variant of ['scalar', 'simd', 'relaxed']) {
        test(`${name}: ${model} ${variant}`, { skip: absent ?? false }, async (t) => {
          const value = await page.evaluate(program(model, variant));
          const optional = variant === 'relaxed' && !(relaxedBuilt && name === 'Chromium');
          if (optional && value.startsWith(NO_VARIANT)) t.skip(value);
          else assert.equal(value, expected[i]);
        });
      }
    }
  });
}
