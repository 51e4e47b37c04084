/**
 * Gives browser tests the built site and a Chromium. The test runner builds the site once and writes its path to the
 * environment. A test file that runs alone builds the site itself. Each process starts its own Chromium: using
 * another process's Chromium takes ten times as long as a start.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAUNCH } from '../chromium.js';
import { atExit } from '../cleanup.js';

const SHARED = fileURLToPath(new URL('../../build/site', import.meta.url));

/** Uses require, not import: for an import, Node would first scan megabytes of code for names. */
const { chromium } = createRequire(import.meta.url)('playwright-core');

/** Builds the site; loads the builder only when needed. @param {string} folder */
async function build(folder) {
  await (await import('../../web/build.js')).build(folder);
}

/** Builds the site for all test files; returns environment variables with its path. The runner calls it. */
export async function shareSite() {
  await build(SHARED);
  return { LOGITSCOPE_SITE: SHARED };
}

/** @type {Promise<{ dist: string, browser: import('playwright-core').Browser }> | undefined} */
let site;

/** Opens the site and a browser, once for each process. Tests must not write into `dist`. */
export function openSite() {
  site ??= start();
  return site;
}

async function start() {
  const { LOGITSCOPE_SITE: shared } = process.env;
  const dist = shared ?? (await mkdtemp(join(tmpdir(), 'logitscope-')));
  if (!shared) {
    atExit(() => rm(dist, { recursive: true, force: true }));
    await build(dist);
  }
  const browser = await chromium.launch(LAUNCH);
  atExit(() => browser.close());
  return { dist, browser };
}
