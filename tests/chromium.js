/**
 * Chromium as the tests start it: its shell without windows, of the same version and with half of
 * the work for a page, or where there is none the whole browser; or what CHROMIUM names.
 */
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const executablePath = process.env.CHROMIUM ?? PLACES.find(existsSync) ?? PLACES[0];

/** True if it is there. */
export const hasChromium = existsSync(executablePath);

/** For Playwright. */
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
