/**
 * Tests the site offline and across builds. After a first visit it opens from the browser's cache, and a page never
 * gets files of two builds.
 */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { serve } from '../../web/serve.js';
import { signSite } from '../../web/sign.js';
import { closed, temporaryFolder } from '../cleanup.js';
import { START, openBench, settle, until } from './bench.js';
import { long } from '../long.js';

/** Files to which the test adds the number of their build. */
const BUILT = ['main.js', 'worker.js', 'page.css', 'template.js', 'sandbox.html'];

/** @type {Awaited<ReturnType<typeof openBench>>} */
let bench;
/**
 * A visit that three tests share, since its first load and its caching are slow.
 * @type {{ site: Awaited<ReturnType<typeof openSite>>, visitor: Awaited<ReturnType<typeof visit>> }}
 */
let shared;
before(async () => {
  bench = await openBench();
  const site = await openSite();
  shared = { site, visitor: await visit(site.url) };
});

/** Appends the number of a build to a file. @param {string} folder @param {string} file @param {number} build */
function mark(folder, file, build) {
  const text = `build ${build}`;
  appendFileSync(join(folder, file), file.endsWith('.html') ? `<!-- ${text} -->` : `/* ${text} */`);
}

/** Signs a copy of the site. Also removes the service worker's timeout, so that a busy machine changes nothing. */
async function sign(/** @type {string} */ folder) {
  await signSite(folder);
  const never = 'AbortSignal.timeout = () => new AbortController().signal;';
  appendFileSync(join(folder, 'sw.js'), never);
}

/** Serves a copy of the site; the test can change its files and stop its server. */
async function openSite() {
  const folder = temporaryFolder();
  const filter = (/** @type {string} */ path) => !/logitscope\.(html|js)$/.test(path);
  cpSync(bench.dist, folder, { recursive: true, filter });
  const update = join(folder, 'update.js');
  const text = readFileSync(update, 'utf8');
  assert.match(text, /,3e3\)/);
  writeFileSync(update, text.replace(',3e3)', ',6e4)'));
  /** Replaces some files, or all by default, by those of another build. */
  const deploy = async (/** @type {number} */ build, files = BUILT, signed = true) => {
    for (const file of files) mark(folder, file, build);
    if (signed) await sign(folder);
  };
  await deploy(1);
  let server = closed(await serve(folder));
  const { url } = server;
  const stop = () => server.close();
  const start = async () => (server = closed(await serve(folder, Number(new URL(url).port))));
  return { folder, url, deploy, stop, start };
}

/** Opens the site with its service worker, and waits until the cache is complete. */
async function visit(/** @type {string} */ url, path = `?lang=en&model=verbs${START}`) {
  const { page, complaints, close } = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    own: true,
    worker: true,
  });
  await page.goto(url + path);
  await shown(page);
  await page.evaluate(async () => {
    const whole = async () => (await caches.match('models/verbs.gguf')) !== undefined;
    await navigator.serviceWorker.ready;
    while (!(await whole())) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  return { page, complaints, close };
}

/** @param {import('playwright-core').Page} page */
async function shown(page) {
  await page.locator('logit-distribution .row').first().waitFor();
  await settle(page);
}

/**
 * Returns the build number of each file, as the page gets it through the service worker.
 * @param {import('playwright-core').Page} page
 */
const builds = (page) =>
  page.evaluate(
    (files) =>
      Promise.all(
        files.map(async (file) => {
          const text = await (await fetch(file)).text();
          return Number(/build (\d+)\D*$/.exec(text)?.[1]);
        }),
      ),
    BUILT,
  );

/** Waits until an idle page has cached another build. @param {import('playwright-core').Page} page */
const fetched = (page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    while (!registration.waiting) await new Promise((resolve) => setTimeout(resolve, 20));
  });

const all = (/** @type {number} */ build) => BUILT.map(() => build);

long('a reload shows the new build complete, even if the page had not heard of it', async () => {
  const { site, visitor } = shared;
  const { page, complaints } = visitor;
  await page.reload();
  await shown(page);
  assert.deepEqual(await builds(page), all(1));
  await site.deploy(2);
  assert.deepEqual(await builds(page), all(1), 'an open page keeps its build');
  await page.reload();
  await shown(page);
  assert.deepEqual(await builds(page), all(2));
  const caches = () => page.evaluate(async () => (await globalThis.caches.keys()).length);
  await until(caches, 1);
  assert.deepEqual(complaints, []);
});

long('a site that is halfway through an upgrade gives no files to the cache', async () => {
  const { site, visitor } = shared;
  const { page, complaints } = visitor;
  // The files are new, but the list of checksums is old. The page keeps the cached files and refuses the new ones.
  await site.deploy(3, ['main.js', 'models/shakespeare.gguf'], false);
  await page.reload();
  await shown(page);
  assert.deepEqual(await builds(page), all(2));
  const model = () =>
    page.evaluate(() =>
      fetch('models/shakespeare.gguf').then(
        async (response) => [response.status, (await response.arrayBuffer()).byteLength],
        ({ name }) => name,
      ),
    );
  assert.equal(await model(), 'TypeError');
  assert.deepEqual(complaints.splice(0), ['Failed to load resource: net::ERR_FAILED']);
  // A new list of checksums, and a file that does not match it yet.
  await site.deploy(4, ['worker.js']);
  mark(site.folder, 'worker.js', 5);
  await page.reload();
  await shown(page);
  assert.deepEqual(await builds(page), all(2));
  // Now all files match the list. On a slow machine the page may show the old build once more.
  await sign(site.folder);
  let seen = all(2);
  for (let tries = 0; tries < 4 && seen[0] === 2; tries++) {
    await page.reload();
    await shown(page);
    seen = await builds(page);
    assert.ok(
      [all(2), [3, 5, 2, 2, 2]].some((build) => build.join() === seen.join()),
      `${seen}`,
    );
  }
  assert.deepEqual(seen, [3, 5, 2, 2, 2]);
});

test('after a first visit the site opens without the network, with its state; a model is cached on use', async () => {
  const { site, visitor } = shared;
  const { page, complaints, close } = visitor;
  complaints.splice(0);
  const model = (init = {}) =>
    page.evaluate(
      (asked) =>
        fetch('models/shakespeare.gguf', asked).then(async (response) => [
          response.status,
          (await response.arrayBuffer()).byteLength,
        ]),
      init,
    );
  await page.reload(); // the service worker serves a page from its second load on
  await shown(page);
  const online = await builds(page);
  // The whole model, and any range of it, is available offline.
  const [status, size] = await model();
  assert.equal(status, 200);
  await page.locator('logit-knob[data-name=temperature] input[type=range]').fill('1.4');
  await settle(page);
  await site.stop();
  assert.deepEqual(await model({ headers: { range: 'bytes=4-' } }), [206, size - 4]);
  assert.deepEqual(await model({ headers: { range: 'bytes=0-3' } }), [206, 4]);
  assert.deepEqual(await model({ headers: { range: `bytes=${size}-` } }), [416, 0]);
  complaints.splice(0);
  await page.reload();
  await shown(page);
  assert.deepEqual(await builds(page), online);
  const heat = page.locator('logit-knob[data-name=temperature] input[type=range]');
  assert.equal(await heat.inputValue(), '1.4');
  await page.locator('#tab-compare').click();
  await page.locator('logit-compare').waitFor();
  await settle(page);
  assert.deepEqual(complaints, []);
  await close();
});

long('two pages of one build keep it until only one of them is open', async () => {
  const site = await openSite();
  const { page, complaints, close } = await visit(site.url);
  await page.reload();
  await shown(page);
  const other = await page.context().newPage();
  await other.goto(`${site.url}?lang=en&model=verbs&view=bench`);
  await shown(other);
  await site.deploy(2);
  await fetched(page);
  await page.reload();
  await shown(page);
  assert.deepEqual(await Promise.all([page, other].map(builds)), [all(1), all(1)]);
  await other.close();
  await page.reload();
  await shown(page);
  assert.deepEqual(await builds(page), all(2));
  assert.deepEqual(complaints, []);
  await close();
});

long(
  'a site that lost its service worker, or was replaced by another site, is shown as it is',
  async () => {
    const site = await openSite();
    const { page, close } = await visit(site.url);
    for (const answer of [null, '<!doctype html><title>Another site</title>']) {
      const file = join(site.folder, 'sw.js');
      if (answer) writeFileSync(file, answer);
      else rmSync(file);
      await site.deploy(2, ['main.js'], false);
      writeFileSync(join(site.folder, 'index.html'), '<!doctype html><title>Another site</title>');
      await page.reload();
      assert.equal(await page.title(), 'Another site');
      const left = () =>
        page.evaluate(async () => [
          (await navigator.serviceWorker.getRegistrations()).length,
          (await caches.keys()).length,
        ]);
      assert.deepEqual(await until(left, ([n]) => n === 0), [0, 0]);
      if (answer) break;
      cpSync(bench.dist, site.folder, { recursive: true });
      await page.goto(`${site.url}?lang=en&model=verbs&view=bench`);
      await shown(page);
    }
    await close();
  },
);

long('without storage the page works and shows no message', async () => {
  const site = await openSite();
  const { page, complaints, close } = await bench.open({
    path: 'source/tests/browser/blank.html',
    ready: false,
    own: true,
    worker: true,
  });
  const registrations = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  const noted = () => page.evaluate(() => globalThis.asked);
  await page.addInitScript(() => {
    globalThis.asked = 0;
    if (origin === 'null') return; // a sandboxed frame has no service worker
    navigator.serviceWorker.register = async () => {
      globalThis.asked++;
      throw new DOMException('The quota is reached', 'QuotaExceededError');
    };
  });
  await page.goto(`${site.url}?lang=en&model=verbs&view=bench`);
  await shown(page);
  assert.equal(await until(noted, (n) => n > 0), 1);
  assert.equal(await registrations(), 0);
  // A host page with the elements registers no service worker, and neither does a frame of the page.
  const { port } = new URL(site.url);
  cpSync(join(bench.dist, 'logitscope.js'), join(site.folder, 'logitscope.js'));
  const html = `<!doctype html><html lang="en"><title>Host</title><link rel="icon" href="data:,">
    <script type="module" src="logitscope.js"></script>
    <logit-scope model="verbs" prompt="Today she"></logit-scope>
    <iframe src="index.html?lang=en&amp;model=verbs&amp;view=bench"></iframe>
    <iframe sandbox="allow-scripts" src="index.html?lang=en&amp;model=verbs&amp;view=bench"></iframe>`;
  writeFileSync(join(site.folder, 'host.html'), html);
  await page.goto(`http://localhost:${port}/host.html`);
  await shown(page);
  for (const frame of page.frames().slice(1))
    await frame.locator('logit-distribution .row').first().waitFor();
  await page.waitForTimeout(300); // longer than a page's delay before it registers the service worker
  assert.equal(await noted(), 0);
  assert.equal(await registrations(), 0);
  assert.deepEqual(complaints, []);
  await close();
});
