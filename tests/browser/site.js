/**
 * What a browser test needs: the site, which the runner builds once and names in the environment, or
 * which a file that is run by hand builds itself; and a Chromium of its own. One that all files share
 * would be spoken to through a second process, which costs a file ten times what a start does.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from '../../web/build.js';
import { LAUNCH } from '../chromium.js';

const SHARED = fileURLToPath(new URL('../../build/site', import.meta.url));

/** For the runner: the site for all files, and the environment that tells of it. */
export async function shareSite() {
  await build(SHARED);
  return { LOGITSCOPE_SITE: SHARED };
}

/** For a file: the run's site or its own, and a browser. Nobody writes into `dist`. */
export async function openSite() {
  const { LOGITSCOPE_SITE: shared } = process.env;
  const dist = shared ?? (await mkdtemp(join(tmpdir(), 'logitscope-')));
  if (!shared) await build(dist);
  const browser = await chromium.launch(LAUNCH);
  return {
    dist,
    browser,
    async close() {
      await browser.close();
      if (!shared) await rm(dist, { recursive: true, force: true });
    },
  };
}
