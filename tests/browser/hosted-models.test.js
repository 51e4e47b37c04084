/**
 * Tests models of other hosts: no request before a click that confirms host and size, cut and slow connections, storage
 * for the next visit and its limits.
 */
import assert from 'node:assert/strict';
import { cp, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { patternOf, readHosts } from '../../web/model-hosts.js';
import { serve } from '../../web/serve.js';
import { closed, temporaryFolder } from '../cleanup.js';
import { openHost } from '../faulty_host.js';
import { long, sample } from '../long.js';
import { splitGguf } from '../fixtures/split.js';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { smallContents } from '../node/small_model.js';
import { modelFacts, openSheet, until } from './bench.js';
import { openSite } from './site.js';

const contents = smallContents({ dim: 64, context: 64, layers: 8, name: 'far away' });
const image = writeGguf(contents);
const parts = splitGguf(contents, 2);
const files = {
  'm.gguf': image,
  'm-00001-of-00002.gguf': parts[0],
  'm-00002-of-00002.gguf': parts[1],
};
const fits = (/** @type {string} */ text) => /far away/.test(text);

/**
 * For the site in each folder, a script that its worker runs first. The script removes or breaks a feature of the
 * browser.
 */
const WITHOUT = {
  files: 'delete StorageManager.prototype.getDirectory;',
  stores:
    'delete StorageManager.prototype.getDirectory; Object.defineProperty(globalThis, "caches", {});',
  room: 'StorageManager.prototype.estimate = async () => ({ quota: 1000, usage: 0 });',
  full: `const NO_SPACE = () => { throw new DOMException('No space', 'QuotaExceededError'); };
    const { createSyncAccessHandle } = FileSystemFileHandle.prototype;
    FileSystemFileHandle.prototype.createSyncAccessHandle = async function () {
      const handle = await createSyncAccessHandle.call(this);
      const write = handle.write.bind(handle);
      handle.write = (bytes, at) => {
        if (at.at < 2e5) return write(bytes, at);
        handle.flush = NO_SPACE;
        NO_SPACE();
      };
      return handle;
    };`,
  crammed: `delete StorageManager.prototype.getDirectory;
    Cache.prototype.put = async function (address, { body }) {
      const reader = body.getReader();
      for (let n = 0; n < 2e5; ) n += (await reader.read()).value.length;
      throw new DOMException('No space', 'QuotaExceededError');
    };`,
  slow: `const { stream } = Blob.prototype;
    const transform = async (chunk, to) => {
      await new Promise((go) => setTimeout(go, chunk.length / 1500));
      to.enqueue(chunk);
    };
    Blob.prototype.stream = function () {
      return stream.call(this).pipeThrough(new TransformStream({ transform }));
    };`,
};

/** @type {Awaited<ReturnType<typeof openHost>>} */
let host;
/** @type {string} */
let site;
/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  host = await openHost(files);
  const dist = temporaryFolder();
  const opened = await openSite();
  browser = opened.browser;
  await cp(opened.dist, dist, { recursive: true });
  await allow(dist, [new URL(host.url).origin, 'https://huggingface.co']);
  const worker = await readFile(join(dist, 'worker.js'), 'utf8');
  for (const [name, script] of Object.entries(WITHOUT))
    await writeFile(join(dist, `worker-${name}.js`), script + worker);
  const element = (/** @type {string} */ name) =>
    `<logit-${name} model="${host.url}m.gguf" prompt="The"></logit-${name}>`;
  await writeFile(
    join(dist, 'alone.html'),
    `<!doctype html><html lang="en"><link rel="icon" href="data:,"><body>${element('landscape')}
    ${element('distribution')}<script type="module" src="logitscope.js"></script></body></html>`,
  );
  const route = (/** @type {string} */ path) => {
    const [, name, file] = /^\/(files|stores|room|slow|full|crammed)\/(.*)$/.exec(path) ?? [];
    return name && join(dist, file === 'worker.js' ? `worker-${name}.js` : file || 'index.html');
  };
  site = closed(await serve(dist, 0, route)).url;
});

/**
 * Allows models of these hosts, as a build with a list of hosts does.
 * @param {string} dist @param {string[]} hosts
 */
async function allow(dist, hosts) {
  const usual = readHosts('MODEL_HOSTS');
  const written = (/** @type {string[]} */ all) => JSON.stringify(patternOf(all));
  const scripts = (await readdir(dist)).filter((name) => name.endsWith('.js'));
  let found = 0;
  for (const name of ['index.html', ...scripts]) {
    const path = join(dist, name);
    const text = await readFile(path, 'utf8');
    const changed = text
      .replaceAll(written(usual), () => written(hosts))
      .replaceAll(usual.join(' '), () => hosts.join(' '));
    if (changed === text) continue;
    found++;
    await writeFile(path, changed);
  }
  assert.ok(found >= 2, 'the policy and what is said of it');
}

/** Opens a page in a new browser context; its storage begins empty. @param {string} [script] runs before the page's scripts */
async function visitor(script = '') {
  const context = await browser.newContext();
  if (script) await context.addInitScript(script);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  /** @type {string[]} */
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  const open = (/** @type {string} */ query = '') =>
    page.goto(`${site}?lang=en&view=bench${query}`);
  const fact = () => modelFacts(page);
  const ready = () => until(() => fact().catch(() => ''), fits);
  return { context, page, open, ready, complaints };
}

test('a model address asks first, and the model is stored for the next visit', async () => {
  const { context, page, open, ready, complaints } = await visitor();
  host.behave({});
  const query = `&model=${encodeURIComponent(`${host.url}m.gguf`)}`;
  await open(query);
  const ask = page.locator('logit-open');
  await ask.locator('[data-command=size]').waitFor();
  assert.deepEqual(host.requests, []);
  const { host: named } = new URL(host.url);
  assert.equal(await ask.locator('[data-command=size]').innerText(), `Ask ${named} for the size`);
  await ask.locator('[data-command=size]').click();
  const fetching = ask.locator('[data-command=fetch]');
  const size = (image.length / 1e6).toFixed(2);
  assert.equal(await fetching.innerText(), `Fetch ${size} MB from ${named}`);
  assert.deepEqual(
    host.requests.map(({ method }) => method),
    ['HEAD'],
  );
  await fetching.click();
  assert.ok(fits(await ready()));
  const gets = host.requests.filter(({ method }) => method === 'GET');
  assert.equal(gets.length, 1);
  for (const { headers } of host.requests) {
    assert.equal(headers.referer, undefined);
    assert.equal(headers.cookie, undefined);
  }
  assert.match(page.url(), /model=http/);
  await page.locator('logit-distribution .row').nth(2).waitFor();

  host.behave({});
  await open(query);
  assert.ok(fits(await ready()));
  assert.deepEqual(host.requests, []);
  assert.deepEqual(complaints, []);
  await context.close();
});

long(
  'a cut connection resumes; the list removes the model; a name or host is refused, files open',
  async () => {
    const { context, page, open, ready, complaints } = await visitor();
    // A cut connection discards unread data, so the host pauses: the page reads some data before each cut.
    host.behave({ cut: 300_000, cuts: 2, pause: 30 });
    await open(`&model=${encodeURIComponent(`${host.url}m.gguf`)}`);
    await page.locator('logit-open [data-command=size]').click();
    await page.locator('logit-open [data-command=fetch]').click();
    assert.ok(fits(await ready()));
    const gets = host.requests.filter(({ method }) => method === 'GET');
    assert.equal(gets.length, 3);
    assert.ok(gets.slice(1).every(({ headers }) => /^bytes=\d+-$/.test(String(headers.range))));

    host.behave({});
    const size = (image.length / 1e6).toFixed(2);
    await openSheet(page, 'more');
    const dialog = page.locator('logit-open dialog');
    assert.match(
      await dialog.locator('.kept li').innerText(),
      new RegExp(`m\\.gguf\\s+${size} MB`),
    );
    await dialog.locator('[data-remove]').click();
    await dialog.getByText('Nothing is kept.').waitFor();
    // If the page's policy forbids a host, the dialog shows one sentence; a file can still be opened.
    await dialog.locator('#name').fill('https://example.org/x.gguf');
    await dialog.locator('#name').press('Enter');
    const alert = () => dialog.locator('[role=alert]').innerText();
    await until(alert, /may not fetch from example\.org: .*disk\.$/);
    await dialog.locator('#name').fill('hub:owner');
    await dialog.locator('#name').press('Enter');
    await until(alert, /^“hub:owner” is neither/);
    await dialog.locator('input[type=file]').setInputFiles(
      parts.map((bytes, i) => ({
        name: `p${i}.gguf`,
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(bytes),
      })),
    );
    assert.ok(fits(await ready()));
    assert.deepEqual(host.requests, []);
    assert.deepEqual(complaints, []);
    await context.close();
  },
);

long('a byte that changed on the device is found, and the file is fetched again', async () => {
  const { context, page, open, ready } = await visitor();
  const query = `&model=${encodeURIComponent(`${host.url}m.gguf`)}`;
  const fetchAll = async () => {
    host.behave({});
    await open(query);
    await page.locator('logit-open [data-command=size]').click();
    await page.locator('logit-open [data-command=fetch]').click();
    assert.ok(fits(await ready()));
  };
  await fetchAll();
  await page.evaluate(async () => {
    const top = await navigator.storage.getDirectory();
    const folder = await top.getDirectoryHandle('logitscope');
    for await (const [name, handle] of folder.entries()) {
      if (name.endsWith('.json')) continue;
      const at = 90_000;
      const file = await handle.getFile();
      const [byte] = new Uint8Array(await file.slice(at, at + 1).arrayBuffer());
      const to = await handle.createWritable({ keepExistingData: true });
      await to.write({ type: 'write', position: at, data: Uint8Array.of(byte ^ 1) });
      await to.close();
    }
  });
  host.behave({});
  await open(query);
  await page.getByText('was damaged, so it was removed').waitFor();
  assert.deepEqual(host.requests, []);
  await fetchAll();
  await context.close();
});

long(
  'after a cancel or a reload the download resumes, also for the parts of a split model',
  async () => {
    const { context, page, open, ready, complaints } = await visitor();
    host.behave({ pause: 40 });
    const query = `&model=${encodeURIComponent(`${host.url}m-00002-of-00002.gguf`)}`;
    await open(query);
    const ask = page.locator('logit-open');
    await ask.locator('[data-command=size]').click();
    await ask.locator('[data-command=fetch]').click();
    const bar = page.locator('logit-fetching');
    await bar.getByText('It is kept on this device').waitFor();
    await until(
      () => bar.locator('progress').evaluate((it) => it.value / it.max),
      (share) => share > 0.3,
    );
    await bar.locator('[data-command=cancel]').click();
    await page.getByText('loading was cancelled').waitFor();
    host.behave({});
    await open(query);
    await ask.locator('[data-command=size]').click();
    await page
      .getByText('of it are here already')
      .waitFor()
      .catch(() => {});
    await ask.locator('[data-command=fetch]').click();
    assert.ok(fits(await ready()));
    assert.ok(host.requests.some(({ headers }) => headers.range));
    assert.deepEqual(complaints, []);
    await context.close();
  },
);

long(
  'without a file system the cache stores the model, without both nothing does, and the page says so',
  async () => {
    const unkept = /** @type {[keyof typeof WITHOUT, string][]} */ ([
      ['stores', 'keeps nothing for this page'],
      ['room', 'no room'],
      ['crammed', 'no room'],
    ]);
    const places = [['files', 'in the browser’s cache'], ...sample(unkept, 1)];
    for (const [name, said] of /** @type {[keyof typeof WITHOUT, string][]} */ (places)) {
      const { context, page, ready } = await visitor(WITHOUT[name]);
      host.behave({ pause: 40 });
      const query = `?lang=en&view=bench&model=${encodeURIComponent(`${host.url}m.gguf`)}`;
      await page.goto(`${site}${name}/${query}`);
      const ask = page.locator('logit-open');
      await ask.locator('[data-command=size]').click();
      await ask.locator('[data-command=fetch]').click();
      await page.locator('logit-fetching').getByText(said).waitFor();
      host.behave({});
      assert.ok(fits(await ready()), said);
      await page.reload();
      if (name === 'files') assert.ok(fits(await ready()));
      else await ask.locator('[data-command=size]').waitFor();
      assert.deepEqual(host.requests, []);
      await context.close();
    }
  },
);

long('a large file from disk shows the same progress bar, and a press cancels it', async () => {
  const { context, page, complaints } = await visitor();
  const path = join(temporaryFolder(), 'large.gguf');
  await writeFile(path, image);
  await truncate(path, 40e6);
  await page.goto(`${site}slow/?lang=en&view=bench&model=verbs`);
  await page.locator('logit-distribution .row').first().waitFor();
  await page.locator('logit-sheet input[type=file]').setInputFiles(path);
  const bar = page.locator('logit-fetching');
  await bar.getByText(/ MB a second, (\d+ min )?\d+ s left/).waitFor();
  assert.match(await bar.locator('label').innerText(), /^large\.gguf: \d+\.\d\d MB of 40\.00 MB$/);
  await bar.getByText('sent nowhere').waitFor();
  await bar.locator('[data-command=cancel]').click();
  await page.locator('logit-scope .refused').getByText('loading was cancelled').waitFor();
  assert.equal(await bar.count(), 0);
  assert.match(await modelFacts(page), /verbs/);
  assert.deepEqual(complaints, []);
  await context.close();
});

long(
  'elements alone ask in their own place: one press opens all parts of a model, and one cancels',
  async () => {
    const { context, page, complaints } = await visitor();
    host.behave({ pause: 100 });
    await page.goto(`${site}alone.html`);
    const landscape = page.locator('logit-landscape');
    const panel = page.locator('logit-distribution');
    await panel.locator('[data-command=size]').waitFor();
    await landscape.locator('[data-command=size]').click();
    const press = landscape.locator('[data-command=fetch]');
    const { host: named } = new URL(host.url);
    const size = (image.length / 1e6).toFixed(2);
    assert.equal(await press.innerText(), `Fetch ${size} MB from ${named}`);
    const methods = () => host.requests.map(({ method }) => method);
    assert.deepEqual(methods(), ['HEAD']);
    assert.equal(await panel.locator('h2:visible', { hasText: 'Next token' }).count(), 0);
    await press.click();
    await panel.locator('logit-fetching [data-command=cancel]').click();
    await landscape.getByText('of it are here already').waitFor();
    assert.deepEqual(methods(), ['HEAD', 'GET']);
    host.behave({});
    await landscape.locator('[data-command=size]').click();
    await press.click();
    await panel.getByText('Try again').click();
    await panel.locator('.row').nth(2).waitFor();
    await until(() => landscape.getAttribute('waiting'), null);
    // The page has two elements with the model, but it downloads the missing file only once.
    const whole = host.requests.filter(({ method, headers }) => method === 'GET' && !headers.range);
    assert.equal(whole.length, 1);
    assert.deepEqual(complaints, []);
    await context.close();
  },
);

long(
  'a model of the list asks before its download from the hub, and no element fetches one unasked',
  async () => {
    const { context, page, open } = await visitor();
    /** @type {string[]} */
    const asked = [];
    context.on('request', (request) => {
      if (!request.url().startsWith(site)) asked.push(`${request.method()} ${request.url()}`);
    });
    await context.route('https://huggingface.co/**', (route) => route.abort());
    await open();
    await page.locator('logit-distribution .row').first().waitFor();
    await openSheet(page, 'more');
    const dialog = page.locator('logit-open dialog');
    await dialog.locator('button[data-name*="smollm2-360m"]').click();
    const press = dialog.locator('[data-command=fetch]');
    assert.equal(await press.innerText(), 'Fetch 386.40 MB from huggingface.co');
    const box = dialog.locator('#context');
    for (const [typed, why] of [
      ['many', 'must be a number, got “many”'],
      ['0', 'must be between 1 and 1,048,576, got 0'],
    ]) {
      await box.fill(typed);
      await press.press('Enter');
      const error = dialog.locator('#context-error');
      await until(() => error.innerText(), `context in tokens ${why}`);
      assert.equal(await box.inputValue(), '', 'the refused text leaves with the focus');
    }
    assert.deepEqual(asked, [], 'and nothing is fetched before');
    await box.fill('64');
    await press.click();
    await page.locator('logit-scope .refused[role=alert] p').waitFor();
    const address =
      'https://huggingface.co/ngxson/SmolLM2-360M-Instruct-Q8_0-GGUF/resolve/main/smollm2-360m-instruct-q8_0.gguf';
    assert.deepEqual(asked, [`GET ${address}`]);
    host.behave({});
    const said = await page.evaluate(async (model) => {
      const element = Object.assign(document.createElement('logit-landscape'), { model });
      const refused = new Promise((resolve) =>
        element.addEventListener('logit-error', (event) =>
          resolve(/** @type {CustomEvent} */ (event).detail.message),
        ),
      );
      await customElements.whenDefined('logit-scope');
      /** @type {any} */ (
        document.querySelector('[data-view=landscape]') ??
          document.querySelector('logit-scope')?.shadowRoot?.querySelector('[data-view=landscape]')
      ).click();
      await customElements.whenDefined('logit-landscape');
      document.body.append(element);
      customElements.upgrade(element);
      /** @type {any} */ (element).model = model;
      return refused;
    }, `${host.url}m.gguf`);
    assert.match(String(said), /only after a press/);
    assert.deepEqual(host.requests, []);
    await context.close();
  },
);

// A long test: the first test has the press, and tests/node/hosted-models.test.js the hub's checkpoints.
long(
  'a checkpoint of the hub is fetched after a press, converted, opened and offered as GGUF',
  async () => {
    const { context, page, open, complaints } = await visitor();
    const folder = new URL('../vectors/courses/llama/', import.meta.url);
    const text = await readFile(new URL('input.txt', folder), 'utf8');
    const vocab = Object.fromEntries([...new Set(text)].sort().map((token, id) => [token, id]));
    const split = { type: 'Split', pattern: { Regex: '' }, behavior: 'Isolated', invert: false };
    /** @type {Record<string, Buffer>} */
    const there = {
      'config.json': await readFile(new URL('config.json', folder)),
      'model.safetensors': await readFile(new URL('model.safetensors', folder)),
      'parts/resolve/main/model.safetensors.index.json': Buffer.from(
        '{"metadata": {"total_size": 3e6}, "weight_map": {}}',
      ),
      'tokenizer.json': Buffer.from(
        JSON.stringify({ model: { type: 'WordLevel', vocab }, pre_tokenizer: split }),
      ),
    };
    /** @type {string[]} */
    const asked = [];
    await context.route('https://huggingface.co/**', (route) => {
      const [, name] =
        /^https:\/\/huggingface\.co\/o\/(?:tiny\/resolve\/v1|(?=parts\/resolve\/main))\/?(.*)$/.exec(
          route.request().url(),
        ) ?? [];
      asked.push(`${route.request().method()} ${name}`);
      const body = there[name ?? ''];
      const headers = {
        'access-control-allow-origin': '*',
        'content-length': `${body?.length ?? 0}`,
      };
      return route.fulfill({ status: body ? 200 : 404, headers, body: body ?? '' });
    });
    await open(`&model=${encodeURIComponent('hub:o/tiny@v1')}`);
    const ask = page.locator('logit-open');
    await ask.locator('[data-command=size]').click();
    await ask.locator('[data-command=fetch]').waitFor();
    const size = (there['model.safetensors'].length / 1e6).toFixed(2);
    assert.equal(
      await ask.locator('[data-command=fetch]').innerText(),
      `Fetch ${size} MB from huggingface.co`,
    );
    assert.deepEqual(asked, ['HEAD model.safetensors']);
    await ask.locator('[data-command=fetch]').click();
    assert.match(await until(() => modelFacts(page).catch(() => ''), /llama/), /tiny/);
    assert.equal(asked.filter((each) => each === 'GET model.safetensors').length, 1);
    await page.locator('logit-model #model').click();
    assert.match(await page.locator('[data-command=save-model]').innerText(), /GGUF/);
    // The index tells the size of a model in parts. A model that cannot be opened leaves the open one in place.
    await page.locator('logit-sheet [data-command=more]').click();
    const dialog = page.locator('logit-open dialog');
    await dialog.locator('#name').fill('https://huggingface.co/o/parts');
    await dialog.locator('#name').press('Enter');
    await dialog.locator('[data-command=size]').click();
    const press = dialog.locator('[data-command=fetch]');
    assert.equal(await press.innerText(), 'Fetch 3.00 MB from huggingface.co');
    await press.click();
    const refused = page.locator('logit-scope .refused[role=alert] p');
    assert.match(
      await refused.innerText(),
      /hub:o\/parts has no config\.json with model\.safetensors/,
    );
    assert.match(await modelFacts(page), /tiny/);
    assert.deepEqual(complaints, []);
    await context.close();
  },
);

long('a full disk ends the storing, not the opening, and leaves nothing behind', async () => {
  const { context, page, ready, complaints } = await visitor();
  host.behave({ pause: 40 });
  await page.goto(
    `${site}full/?lang=en&view=bench&model=${encodeURIComponent(`${host.url}m.gguf`)}`,
  );
  const ask = page.locator('logit-open');
  await ask.locator('[data-command=size]').click();
  await ask.locator('[data-command=fetch]').click();
  await page.locator('logit-fetching').getByText('no room').waitFor();
  host.behave({});
  assert.ok(fits(await ready()));
  await openSheet(page, 'more');
  await page.locator('logit-open dialog').getByText('Nothing is kept.').waitFor();
  const held = await page.evaluate(async () => {
    const { held } = await navigator.locks.query();
    return held?.map(({ name }) => name);
  });
  assert.deepEqual(held, []);
  assert.deepEqual(complaints, []);
  await context.close();
});

long(
  'a redirecting host is followed, and a file that changes during the download gives one sentence',
  async () => {
    const { context, page, open, ready, complaints } = await visitor();
    const ask = page.locator('logit-open');
    const load = async (/** @type {string} */ path, behaviour = {}) => {
      host.behave({});
      await open(`&model=${encodeURIComponent(host.url + path)}`);
      await ask.locator('[data-command=size]').click();
      await ask.locator('[data-command=fetch]').waitFor();
      host.behave(behaviour);
      await ask.locator('[data-command=fetch]').click();
    };
    await load('redirect/m.gguf');
    assert.ok(fits(await ready()));
    await load('m.gguf', { cut: 3e5, cuts: 1, pause: 10, tag: 'other' });
    await page.getByText('became another one while it was fetched').waitFor();
    host.behave({});
    await page.getByText('Try again').click();
    assert.ok(fits(await ready()));
    assert.deepEqual(complaints, []);
    await context.close();
  },
);

long(
  'a host that lies about the length gives one sentence, and with the right length the file opens',
  async () => {
    const { context, page, open, ready, complaints } = await visitor();
    const ask = page.locator('logit-open');
    for (const [n, sentence] of /** @type {const} */ ([
      [5000, 'became another one while it was fetched'],
      [-5000, 'reaches beyond the end of the file'],
    ])) {
      host.behave({ length: image.length + n, pause: 5 });
      await open(`&model=${encodeURIComponent(`${host.url}m.gguf`)}`);
      await ask.locator('[data-command=size]').click();
      await ask.locator('[data-command=fetch]').click();
      await page.getByText(sentence).waitFor();
    }
    host.behave({});
    await page.getByText('Try again').click();
    assert.ok(fits(await ready()));
    assert.deepEqual(complaints, []);
    await context.close();
  },
);

long('with two tabs at once one stores the file and both open it', async () => {
  const first = await visitor();
  const second = await first.context.newPage();
  const query = `&model=${encodeURIComponent(`${host.url}m.gguf`)}`;
  host.behave({ pause: 100 });
  await first.open(query);
  await second.goto(`${site}?lang=en&view=bench${query}`);
  const facts = () => modelFacts(second).catch(() => '');
  const press = async (/** @type {import('playwright-core').Page} */ page) => {
    await page.locator('logit-open [data-command=size]').click();
    await page.locator('logit-open [data-command=fetch]').click();
  };
  await press(first.page);
  await first.page.getByText('It is kept on this device').waitFor();
  await press(second);
  await second.getByText('another one is fetching it').waitFor();
  host.behave({});
  assert.ok(fits(await first.ready()));
  assert.ok(fits(await until(facts, fits)));
  host.behave({});
  await second.reload();
  assert.ok(fits(await until(facts, fits)));
  assert.deepEqual(host.requests, []);
  await first.context.close();
});
