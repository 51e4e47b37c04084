/**
 * Provides the site and a Chromium to browser tests. The runner builds the site once and names it
 * in the environment; a file that is run alone builds it itself. Each process has its own Chromium:
 * talking to a shared one through another process costs ten times more than a start.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAUNCH } from '../chromium.js';
import { atExit } from '../cleanup.js';

const SHARED = fileURLToPath(new URL('../../build/site', import.meta.url));

/** Required, not imported: with an import Node would first parse its megabytes for names. */
const { chromium } = createRequire(import.meta.url)('playwright-core');

/** Builds the site; only this function loads the builder. @param {string} folder */
async function build(folder) {
  await (await import('../../web/build.js')).build(folder);
}

/** Builds the site for all files; returns the environment that names it. For the runner. */
export async function shareSite() {
  await build(SHARED);
  return { LOGITSCOPE_SITE: SHARED };
}

/** @type {Promise<{ dist: string, browser: import('playwright-core').Browser }> | undefined} */
let site;

/** Opens the site of the run or of the process, and a browser. Nobody writes into `dist`. */
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
