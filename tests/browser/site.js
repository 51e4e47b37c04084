/**
 * The needs of a browser test: the site, which the runner builds once and names in the environment, or
 * which a file that is run by hand builds itself; and the Chromium of its process. One that all
 * processes share would be spoken to through another, which costs ten times what a start does.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAUNCH } from '../chromium.js';
import { atExit } from '../cleanup.js';

const SHARED = fileURLToPath(new URL('../../build/site', import.meta.url));

/** Not imported: Node would first look through its megabytes for names. */
const { chromium } = createRequire(import.meta.url)('playwright-core');

/** Builds the site; the builder is loaded here alone. @param {string} folder */
async function build(folder) {
  await (await import('../../web/build.js')).build(folder);
}

/** For the runner: the site for all files, and the environment that tells of it. */
export async function shareSite() {
  await build(SHARED);
  return { LOGITSCOPE_SITE: SHARED };
}

/** @type {Promise<{ dist: string, browser: import('playwright-core').Browser }> | undefined} */
let site;

/** For the files of a process: the run's site or their own, and a browser. Nobody writes into `dist`. */
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
