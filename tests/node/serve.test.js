/** Tests the static server: it serves only its folder, only to this machine, and leaves no file open. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { get, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serve } from '../../web/serve.js';
import { closed, temporaryFolder } from '../cleanup.js';

test('--help prints the usage and ends', () => {
  const path = fileURLToPath(new URL('../../web/serve.js', import.meta.url));
  const run = (/** @type {string} */ word) =>
    spawnSync(process.execPath, [path, word], { encoding: 'utf8', timeout: 20_000 });
  assert.deepEqual([run('--help').status, run('--port').status], [0, 1]);
  assert.match(run('--help').stdout, /^usage: node web\/serve\.js\n/);
});

/** @type {string} */
let base;
/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {number} */
let port;

before(async () => {
  base = temporaryFolder();
  const site = join(base, 'site');
  await mkdir(join(site, 'deep', '.hidden'), { recursive: true });
  await mkdir(join(base, 'site-beside'));
  const files = {
    'site/index.html': 'page',
    'site/.env': 'secret',
    'site/deep/index.html': 'deep',
    'site/deep/.hidden/key': 'secret',
    'site/large.gguf': Buffer.alloc(32 << 20),
    'site-beside/secret.txt': 'secret',
    'routed.txt': 'routed',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(base, path), text);
  await symlink(join(base, 'site-beside', 'secret.txt'), join(site, 'file.txt'));
  await symlink(join(base, 'site-beside'), join(site, 'folder'));
  await symlink(join(site, 'deep'), join(site, 'within'));
  const route = (/** @type {string} */ path) =>
    path === '/routed' ? join(base, 'routed.txt') : undefined;
  server = closed(await serve(site, 0, route));
  port = Number(new URL(server.url).port);
});

/**
 * Requests a path without changes and returns status and body; fetch would normalise the path.
 * @param {string} path
 * @param {string} [method]
 * @returns {Promise<{ status: number | undefined, text: string }>}
 */
function ask(path, method = 'GET') {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ status: response.statusCode, text });
    });
    asked.on('error', reject).end();
  });
}

test('files of the folder and of a route are served', async () => {
  assert.deepEqual(await ask('/'), { status: 200, text: 'page' });
  assert.deepEqual(await ask('/index.html?a=b'), { status: 200, text: 'page' });
  assert.deepEqual(await ask('/deep/'), { status: 200, text: 'deep' });
  assert.deepEqual(await ask('/within/index.html'), { status: 200, text: 'deep' });
  assert.deepEqual(await ask('/routed'), { status: 200, text: 'routed' });
  assert.deepEqual(await ask('/', 'HEAD'), { status: 200, text: '' });
});

for (const path of [
  '/file.txt',
  '/folder/secret.txt',
  '/../site-beside/secret.txt',
  '/%2e%2e/site-beside/secret.txt',
  '/deep/..%2f..%2fsite-beside/secret.txt',
  '/.env',
  '/%2eenv',
  '/deep/.hidden/key',
  '/deep',
  '/nothing',
  '/%00',
  '/%',
])
  test(`${path} is not found`, async () => {
    assert.deepEqual(await ask(path), { status: 404, text: 'not found\n' });
  });

test('a POST is not answered', async () => {
  assert.equal((await ask('/', 'POST')).status, 404);
});

/** @param {string} host @param {number} at @returns {Promise<boolean>} */
const listens = (host, at) =>
  new Promise((resolve) => {
    const socket = connect(at, host);
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

const oneLoopback = process.platform !== 'linux' && 'only Linux has a second loopback address';
test('the server listens to this machine only, unless told otherwise', {
  skip: oneLoopback,
}, async () => {
  assert.equal(await listens('127.0.0.1', port), true);
  assert.equal(await listens('127.0.0.2', port), false);
  const { url } = closed(await serve(base, 0, undefined, '0.0.0.0'));
  const { hostname, port: at } = new URL(url);
  assert.equal(hostname, '0.0.0.0');
  assert.equal(await listens('127.0.0.2', Number(at)), true);
});

/** Returns the number of this process's descriptors of a file. @param {string} name */
async function opened(name) {
  const links = (await readdir('/proc/self/fd')).map((fd) =>
    readlink(`/proc/self/fd/${fd}`).catch(() => ''),
  );
  return (await Promise.all(links)).filter((link) => link.endsWith(name)).length;
}

const noProc = process.platform !== 'linux' && 'only Linux lists its descriptors';
test('an aborted download leaves no descriptor open', { skip: noProc }, async () => {
  for (let i = 0; i < 20; i++)
    await new Promise((resolve) => {
      const asked = get({ host: '127.0.0.1', port, path: '/large.gguf' }, (response) =>
        response
          .once('data', () => asked.destroy())
          .on('close', resolve)
          .on('error', () => {}),
      );
    });
  const deadline = Date.now() + 2000;
  while ((await opened('large.gguf')) > 0 && Date.now() < deadline) await setTimeout(10);
  assert.equal(await opened('large.gguf'), 0);
});

test('an unchanged file is not sent again', async () => {
  const first = await fetch(`${server.url}deep/`);
  const etag = first.headers.get('etag') ?? '';
  const ask = (/** @type {string} */ tag) =>
    fetch(`${server.url}deep/`, { headers: { 'if-none-match': tag } });
  const again = await ask(etag);
  assert.deepEqual([first.status, again.status, await again.text()], [200, 304, '']);
  assert.equal((await ask('"another"')).status, 200);
});

test('a file named by its contents may be cached without a new request', async () => {
  const policy = async (/** @type {string} */ name) => {
    await writeFile(join(base, 'site', name), '');
    return (await fetch(`${server.url}${name}`)).headers.get('cache-control');
  };
  assert.equal(await policy('chunk-4fc6a96b.js'), 'max-age=31536000, immutable');
  for (const name of ['chunk-4FCGUHGK.js', 'host-messages.js', 'main.js', 'model-4fc6a96b.gguf'])
    assert.equal(await policy(name), 'no-cache', name);
});
