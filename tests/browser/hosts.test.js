/** Pages of others around the instrument: what they copy works there, and says so where it cannot. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { byId, expectedBars, loadReference, openBench, readBars, until } from './bench.js';

let bench;
let scope;

before(async () => {
  [bench, scope] = await Promise.all([openBench(), loadReference()]);
});
after(() => bench?.close());

/** A page of another origin that holds `body`; `answer` may serve other paths of that host. */
async function openLesson(body, answer = () => false) {
  const host = createServer((request, response) => {
    if (answer(request, response)) return;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Lesson</title><link rel="icon" href="data:,"><body>${body}</body></html>`);
  });
  await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
  const { page, complaints, close } = await bench.open({ path: 'source/tests/browser/blank.html', ready: false, first: true });
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  return {
    page,
    complaints,
    async close() {
      await close();
      host.close();
    },
  };
}

async function expectBars(place, ids, settings) {
  scope.feed(Uint32Array.from(ids));
  const wanted = expectedBars(scope.distribution({ ...settings, top: 20 }));
  const sorted = async () => (await readBars(place)).sort(byId);
  assert.deepEqual(await until(sorted, (bars) => JSON.stringify(bars) === JSON.stringify(wanted)), wanted);
}

test('a sandboxed frame on a host that allows no other origin says in one sentence what to use', async () => {
  const { page, close } = await openLesson('<iframe sandbox="allow-scripts" src="/site/index.html"></iframe>', (request, response) => {
    const [, file] = /^\/site\/([\w.-]+)$/.exec(request.url) ?? [];
    if (!file) return false;
    response.setHeader('content-type', { html: 'text/html', css: 'text/css' }[file.split('.').at(-1)] ?? 'text/javascript');
    readFile(join(bench.dist, file)).then((bytes) => response.end(bytes), () => response.writeHead(404).end());
    return true;
  });
  const sentence = page.frameLocator('iframe').locator('.late').first();
  await sentence.waitFor();
  assert.match(await sentence.innerText(), /^The scripts of this page were refused: [^.]*Access-Control-Allow-Origin, use logitscope\.html[^.]*\.$/);
  await close();
});
