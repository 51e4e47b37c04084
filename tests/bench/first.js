/**
 * Measures the time from navigation to the first picture, with an empty cache: from this machine, and at 10 Mbit/s with
 * 40 ms of latency. node tests/bench/first.js [--visits N]
 *
 * "picture" is the first frame with landscape, sentence and bars, which the site's build computes;
 * "live" is the moment when the engine has computed the same picture and every control works. The bench's
 * first bars need the engine.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../web/build.js';
import { serve } from '../../web/serve.js';
import { launchChromium } from './chromium.js';

const at = process.argv.indexOf('--visits');
const VISITS = at > 0 ? Number(process.argv[at + 1]) : 9;
const NETWORKS = {
  localhost: null,
  '10 Mbit/s, 40 ms': { latency: 40, downloadThroughput: 1.25e6, uploadThroughput: 1.25e6 },
};
const SCREENS = { landscape: '?lang=en', bench: '?lang=en&view=bench' };
/** Time limit of a visit, in ms. */
const PATIENCE = 60e3;

/** Runs in the page before its scripts: records the times of the first picture and of the live page. */
function watch() {
  const times = /** @type {{ picture?: number, live?: number }} */ ({});
  Object.assign(globalThis, { times });
  const inside = (/** @type {Element | null | undefined} */ it, /** @type {string} */ selector) =>
    it?.shadowRoot?.querySelector(selector) ?? null;
  const look = () => {
    const scope = document.querySelector('logit-scope');
    const landscape = /** @type {any} */ (inside(scope, 'logit-landscape'));
    const bars = inside(inside(scope, 'logit-distribution'), '.row');
    const now = performance.now();
    if (bars || inside(landscape, '.sentence mark')) times.picture ??= now;
    const frame = inside(landscape, '.stage:not([inert])');
    if (bars || (frame && !landscape.busy)) times.live ??= now;
    if (!times.live) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {typeof NETWORKS[keyof typeof NETWORKS]} network
 */
async function visit(browser, url, network) {
  const page = await (await browser.newContext()).newPage();
  await page.addInitScript(() => localStorage.setItem('logitscope-guide', 'seen'));
  await page.addInitScript(watch);
  const client = await page.context().newCDPSession(page);
  if (network) await throttle(client, network);
  await page.goto(url);
  await page.waitForFunction(() => 'live' in globalThis.times, null, { timeout: PATIENCE });
  const times = await page.evaluate(() => globalThis.times);
  await page.context().close();
  return times;
}

/**
 * Slows the requests of the page and of its workers; a worker fetches the model.
 * @param {import('playwright-core').CDPSession} client
 * @param {{ latency: number, downloadThroughput: number, uploadThroughput: number }} network
 */
async function throttle(client, network) {
  const params = { offline: false, ...network };
  await client.send('Network.enable');
  await client.send('Network.emulateNetworkConditions', params);
  client.on('Target.attachedToTarget', ({ sessionId }) => {
    const tell = (
      /** @type {number} */ id,
      /** @type {string} */ method,
      /** @type {object} */ what,
    ) =>
      client.send('Target.sendMessageToTarget', {
        sessionId,
        message: JSON.stringify({ id, method, params: what }),
      });
    tell(1, 'Network.enable', {});
    tell(2, 'Network.emulateNetworkConditions', params);
    tell(3, 'Runtime.runIfWaitingForDebugger', {});
  });
  await client.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: true,
    flatten: false,
  });
}

/** @param {number[]} values @param {number} share */
const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

const dist = await mkdtemp(join(tmpdir(), 'logitscope-first-'));
await build(dist);
const server = await serve(dist);
const browser = await launchChromium();
process.stdout.write(`Chromium ${browser.version()}, ${VISITS} visits each, nothing cached\n`);
process.stdout.write(
  '| screen | network | picture ms, median | least | live ms, median | least |\n',
);
process.stdout.write('|---|---|---|---|---|---|\n');
for (const [screen, path] of Object.entries(SCREENS))
  for (const [name, network] of Object.entries(NETWORKS)) {
    /** @type {{ picture: number, live: number }[]} */
    const all = [];
    for (let i = 0; i < VISITS; i++) all.push(await visit(browser, server.url + path, network));
    const cells = /** @type {const} */ (['picture', 'live']).flatMap((kind) => {
      const times = all.map((each) => each[kind]);
      return [quantile(times, 0.5), Math.min(...times)];
    });
    process.stdout.write(
      `| ${screen} | ${name} | ${cells.map((ms) => ms.toFixed(0)).join(' | ')} |\n`,
    );
  }
await browser.close();
await server.close();
await rm(dist, { recursive: true });
