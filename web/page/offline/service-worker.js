/**
 * The site's service worker. After a first visit, the site opens without the network. The worker keeps all files of
 * one build, checks each with its SHA-256, and serves only this build. web/sign.js adds the list of files.
 */

/**
 * @typedef {{ version: string, sums: Record<string, string>, onUse: string[] }} Site `sums` has
 *   the SHA-256 of each file; the files of `onUse` are kept only when they are first requested
 */

const worker = /** @type {any} */ (globalThis);
/** @type {Site} */
const { version, sums, onUse } = /** @type {any} */ (globalThis).SITE;
const { registration, clients } = worker;
/** The site's folder. @type {string} */
const scope = registration.scope;
const PREFIX = `logitscope ${scope} `;
const NAME = PREFIX + version;
/** The first characters of this script in every version, written by web/sign.js. */
const MARK = '/* logitscope ';
/** Longest time to wait for the server's version, in ms. */
const PATIENCE = 1000;
const LOOSE = { ignoreVary: true };

/** The version on the server that a page was last told to fetch. */
let tried = version;

/** Returns the SHA-256 of bytes in base64. @param {ArrayBuffer} bytes */
async function sumOf(bytes) {
  const sum = await crypto.subtle.digest('SHA-256', bytes);
  return btoa(String.fromCharCode(...new Uint8Array(sum)));
}

/** Returns the path of a file of the site; undefined for another address. @param {string} url */
function pathOf(url) {
  const { origin, pathname } = new URL(url);
  const whole = origin + pathname;
  if (!whole.startsWith(scope)) return undefined;
  const path = whole.slice(scope.length).replace(/(^|\/)$/, '$1index.html');
  return Object.hasOwn(sums, path) ? path : undefined;
}

/**
 * Returns a file of this build, from the cache of any build, from the browser's cache or from the server: the first
 * that has the right SHA-256. Throws if none has it.
 * @param {string} path
 */
async function fetchFile(path) {
  const address = scope + path;
  const ways = [
    () => caches.match(address, LOOSE),
    () => fetch(address),
    () => fetch(address, { cache: 'reload' }),
  ];
  for (const way of ways) {
    const found = await way();
    if (!found?.ok) continue;
    const bytes = await found.arrayBuffer();
    if ((await sumOf(bytes)) !== sums[path]) continue;
    const headers = new Headers(found.headers);
    // These headers are about the transfer, not about the bytes.
    for (const name of ['content-encoding', 'vary']) headers.delete(name);
    headers.set('content-length', String(bytes.byteLength));
    return new Response(bytes, { headers });
  }
  throw new TypeError(`${path} belongs to another build`);
}

/** Returns a file of this build, and keeps it if there is room. @param {string} path */
async function fileOf(path) {
  const cache = await caches.open(NAME);
  const kept = await cache.match(scope + path, LOOSE);
  if (kept) return kept;
  const found = await fetchFile(path);
  await cache.put(scope + path, found.clone()).catch(() => {});
  return found;
}

/**
 * Returns the part of a file that a Range header asks for; without one, the whole file.
 * @param {Response} whole @param {string | null} range
 */
async function partOf(whole, range) {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  if (from === undefined) return whole;
  const bytes = await whole.blob();
  const start = Number(from);
  const end = to ? Math.min(Number(to) + 1, bytes.size) : bytes.size;
  const headers = new Headers(whole.headers);
  headers.set('content-range', `bytes ${start < end ? `${start}-${end - 1}` : '*'}/${bytes.size}`);
  headers.delete('content-length');
  return start < end
    ? new Response(bytes.slice(start, end), { status: 206, headers })
    : new Response(null, { status: 416, headers });
}

/**
 * Answers with a file of this build. If the caches were deleted, answers from the server.
 * @param {Request} request
 * @param {string} path
 */
async function respond(request, path) {
  if (!(await caches.has(NAME).catch(() => false))) return fetch(request);
  return partOf(await fileOf(path), request.headers.get('range'));
}

/** Deletes all caches of this site except `kept`. @param {string} [kept] */
async function removeCaches(kept) {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== kept) await caches.delete(name);
}

/**
 * Returns true if the server has a newer build that no page has tried yet. If the server has no service worker any
 * more, removes this one.
 */
async function isNew() {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const address = worker.location.href;
    const found = await fetch(address, { cache: 'no-cache', redirect: 'error', signal });
    const text = await found.text();
    const gone = [404, 410].includes(found.status) || (found.ok && !text.startsWith(MARK));
    if (gone) await Promise.all([registration.unregister(), removeCaches()]);
    if (gone || !found.ok) return false;
    const theirs = text.slice(MARK.length).split(' ', 1)[0];
    const fresh = theirs !== version && theirs !== tried;
    if (fresh) tried = theirs;
    return fresh;
  } catch {
    return false; // not known to be new: no network, or no answer within PATIENCE
  }
}

/** A page with update.js, which fetches the newer build and reloads. */
const UPDATE = `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'">
<title>Logitscope</title><progress aria-label="Logitscope"></progress>
<script type="module" src="${scope}update.js"></script>`;

/**
 * Answers the opening of a page. If there is a newer build and no other page is open, answers with UPDATE. Otherwise
 * answers with this build, because all open pages use the same worker.
 * @param {Request} request
 * @param {string} path
 */
async function open(request, path) {
  const others = await clients.matchAll();
  if (others.length < 2 && (registration.waiting || (!registration.installing && (await isNew()))))
    return new Response(UPDATE, { headers: { 'content-type': 'text/html' } });
  return respond(request, path);
}

/**
 * Keeps all files except those in `onUse`. If one is missing, keeps none, because the server has an incomplete build.
 */
async function install() {
  const cache = await caches.open(NAME);
  const paths = Object.keys(sums).filter((path) => !onUse.includes(path));
  try {
    await Promise.all(paths.map(async (path) => cache.put(scope + path, await fetchFile(path))));
  } catch (error) {
    await caches.delete(NAME);
    throw error;
  }
}

/** Keeps the files that were fetched before this worker was active. @param {string[]} addresses */
async function keep(addresses) {
  const paths = addresses.map(pathOf).filter((path) => path !== undefined);
  await Promise.allSettled(paths.map(fileOf));
}

/** Switches to the newer build, if the page that asks is the only open one. @param {any} page */
async function switchFor(page) {
  const alone = (await clients.matchAll()).length === 1;
  if (alone && registration.waiting) registration.waiting.postMessage('take over');
  else page.postMessage('stay');
}

worker.addEventListener('install', (/** @type {any} */ event) => event.waitUntil(install()));

worker.addEventListener('activate', (/** @type {any} */ event) => {
  if (!registration.installing) event.waitUntil(removeCaches(NAME));
});

worker.addEventListener('message', (/** @type {any} */ event) => {
  const { data, source } = event;
  if (data === 'take over') worker.skipWaiting();
  else event.waitUntil(data === 'switch' ? switchFor(source) : keep(data));
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { request } = event;
  const path = request.method === 'GET' ? pathOf(request.url) : undefined;
  if (path === undefined) return;
  event.respondWith((request.destination === 'document' ? open : respond)(request, path));
});
