/**
 * Launch options of Chromium. The headless shell comes first: it does half the work of the whole browser.
 * CHROMIUM names another program.
 */
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const executablePath = process.env.CHROMIUM ?? PLACES.find(existsSync) ?? PLACES[0];

/** True if the Chromium program exists. */
export const hasChromium = existsSync(executablePath);

/** Playwright's launch options. */
export const LAUNCH = {
  executablePath,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-sync',
    '--disable-background-networking',
    '--disable-component-update',
    '--in-process-gpu',
  ],
};
