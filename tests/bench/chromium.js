/** Chromium as a host: contenders run in a page that this repository serves, each in its own worker. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../../web/serve.js';
import { LAUNCH, hasChromium } from '../chromium.js';
import { bundle, modulePaths } from './size.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const NEWEST = /^\/newest\/(@wllama\/.+)$/;
const SOURCE = /^\/source\/((web|tests|models|build\/bench|node_modules\/@wllama)\/.+)$/;

export function launchChromium() {
  return chromium.launch(LAUNCH);
}

/** Builds the engine as a site ships it: two JavaScript files and the modules, in one folder. */
async function writeEngine() {
  const folder = join(root, 'build/bench/engine');
  mkdirSync(folder, { recursive: true });
  for (const entry of ['remote.js', 'worker.js'])
    writeFileSync(join(folder, entry), await bundle(entry));
  for (const path of modulePaths()) copyFileSync(path, join(folder, basename(path)));
}

/** Headers with which a page is isolated, so that threads share memory. */
export const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/**
 * Opens Chromium as a host; returns null if it is not installed.
 * @param {Record<string, string>} [headers] of every answer
 */
export async function openChromium(headers) {
  if (!hasChromium) return null;
  await writeEngine();
  const browser = await launchChromium();
  const route = (/** @type {string} */ path) => {
    const newest = NEWEST.exec(path)?.[1];
    if (newest) return join(String(process.env.WLLAMA_NEWEST), 'node_modules', newest);
    const source = SOURCE.exec(path)?.[1];
    return source ? join(root, source) : '';
  };
  const server = await serve(root, 0, route, undefined, headers);
  const address = (/** @type {string} */ path) => `${server.url}source/${relative(root, path)}`;

  /** Opens a page with an empty cache. Closing the page closes its contenders. */
  async function openPage() {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on('pageerror', (error) => process.stderr.write(`page: ${error}\n`));
    page.setDefaultTimeout(120e3);
    await page.goto(address(join(root, 'tests/bench/page.html')));
    await page.waitForFunction(() => 'bench' in globalThis);

    /** @param {string} kind @param {any} options paths in them become addresses */
    async function open(kind, options) {
      const addressed = { ...options };
      for (const name of ['model', 'logits'])
        if (name in options) addressed[name] = address(options[name]);
      const id = await page.evaluate(([k, o]) => globalThis.bench.open(k, o), [kind, addressed]);
      return {
        sample: (/** @type {any} */ work, /** @type {number} */ least) =>
          page.evaluate(([i, w, l]) => globalThis.bench.sample(i, w, l), [id, work, least]),
        close: () => page.evaluate((i) => globalThis.bench.close(i), id),
      };
    }
    /** @param {{ model: string, context: number, prompts: string[], steps: number }} options */
    const continueGreedily = (options) =>
      page.evaluate((o) => globalThis.bench.continueGreedily(o), {
        ...options,
        model: address(options.model),
      });

    /** @param {{ model: string, context: number, ids: number[] }} options */
    const logProbabilities = (options) =>
      page.evaluate((o) => globalThis.bench.logProbabilities(o), {
        ...options,
        model: address(options.model),
      });

    /** @param {{ model: string, [name: string]: any }} options */
    const sampleContexts = (options) =>
      page.evaluate((o) => globalThis.bench.sampleContexts(o), {
        ...options,
        model: address(options.model),
      });

    return {
      open,
      continueGreedily,
      logProbabilities,
      sampleContexts,
      close: () => context.close(),
    };
  }

  /**
   * Milliseconds from navigation to the first token, in a browser context with an empty cache.
   * @param {Record<string, string | number>} query
   */
  async function cold(query) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const search = new URLSearchParams(
      Object.entries({ ...query, model: address(String(query.model)) }).map(([name, value]) => [
        name,
        String(value),
      ]),
    );
    await page.goto(`${address(join(root, 'tests/bench/cold.html'))}?${search}`);
    await page.waitForFunction(() => 'cold' in globalThis);
    const { ms } = await page.evaluate(() => globalThis.cold);
    await context.close();
    return ms;
  }

  async function close() {
    await browser.close();
    await server.close();
  }

  return { version: browser.version(), openPage, cold, close };
}
