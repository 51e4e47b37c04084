/**
 * What the browser tests of a run share: the site, built once, and one Chromium. The runner makes
 * both and names them in the environment; a file that is run by hand makes its own.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from '../../web/build.js';
import { LAUNCH } from '../chromium.js';

const SHARED = fileURLToPath(new URL('../../build/site', import.meta.url));

/** For the runner: site and browser for all files, and the environment that tells of them. */
export async function shareSite() {
  await build(SHARED);
  const server = await chromium.launchServer(LAUNCH);
  return {
    env: { LOGITSCOPE_SITE: SHARED, LOGITSCOPE_BROWSER: server.wsEndpoint() },
    close: () => server.close(),
  };
}

/** For a file: the run's site and browser, or its own. Nobody writes into `dist`. */
export async function openSite() {
  const { LOGITSCOPE_SITE: shared, LOGITSCOPE_BROWSER: endpoint } = process.env;
  const dist = shared ?? (await mkdtemp(join(tmpdir(), 'logitscope-')));
  if (!shared) await build(dist);
  const browser = endpoint ? await chromium.connect(endpoint) : await chromium.launch(LAUNCH);
  return {
    dist,
    browser,
    async close() {
      await browser.close();
      if (!shared) await rm(dist, { recursive: true, force: true });
    },
  };
}
