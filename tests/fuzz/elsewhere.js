/**
 * Plays random input (?fuzz=SEED) in Firefox or WebKit, in a window as the browser opens it: nothing
 * complained about or asked for elsewhere, and a second page at the address shows the same.
 */
import { digestOf, findShown, isLinkable, isShown } from './player.js';

/** @typedef {Pick<typeof import('../browser/firefox.js'), 'open' | 'missing'>} Browser */

/**
 * In the page: keeps what it complains about from now on. That an observer is told of a size in the
 * next frame only is an event of this kind, and no fault.
 */
const listen = () => {
  const said = [];
  globalThis.complaints = said;
  addEventListener('error', ({ message, error }) => {
    if (!message.startsWith('ResizeObserver loop')) said.push(`${message} ${error?.stack}`);
  });
  addEventListener('unhandledrejection', ({ reason }) => said.push(`${reason} ${reason?.stack}`));
  const { error } = console;
  console.error = (...words) => {
    said.push(words.join(' '));
    error(...words);
  };
};

/** In the page: what it complained about, and what it asked others for. */
const faultsOf = () => [
  ...globalThis.complaints,
  ...performance
    .getEntriesByType('resource')
    .filter(({ name }) => !name.startsWith(origin) && !/^(blob|data|about):/.test(name))
    .map(({ name }) => `asks ${name}`),
];

/** A value of a function of the page, which `evaluate` hands over as a text. */
const call = async (page, run) =>
  JSON.parse(
    await page.evaluate(`Promise.resolve((${run})()).then((x) => JSON.stringify(x ?? null))`),
  );

/** Waits for what a page is to become. @param {() => unknown} good */
async function until(page, good) {
  for (const end = Date.now() + 60_000; !(await call(page, good)); ) {
    if (Date.now() > end) throw new Error(`never true: ${good}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Plays one seed for a while.
 * @param {Browser} browser
 * @param {string} url of the site
 * @param {ReturnType<typeof import('./player.js').planOf>} plan
 * @param {number} milliseconds
 */
export async function playElsewhere(browser, url, { seed, place, lang }, milliseconds) {
  const page = await browser.open(`${url}${place}&lang=${lang}&model=verbs&fuzz=${seed}`);
  try {
    await call(page, listen);
    await until(page, () => globalThis.fuzz?.log.length > 0);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const log = await call(page, () => globalThis.fuzz.stop());
    const faults = await call(page, faultsOf);
    // The marks of a lesson are kept in this browser's folder.
    if (/lesson/.test(place) || !(await call(page, isLinkable)))
      return { log, faults, mirrored: null };
    const shown = digestOf(await call(page, findShown));
    await new Promise((resolve) => setTimeout(resolve, 400)); // the address is written when the hand rests
    const address = new URL(await call(page, () => location.href));
    address.searchParams.delete('fuzz');
    return {
      log,
      faults,
      mirrored: { address: address.href, shown, second: await see(browser, address.href) },
    };
  } finally {
    await page.close();
  }
}

/** What shows at an address. @param {Browser} browser @param {string} address */
async function see(browser, address) {
  const page = await browser.open(address);
  try {
    await until(page, isShown);
    await call(page, () => document.querySelector('logit-scope')?.settled());
    return digestOf(await call(page, findShown));
  } finally {
    await page.close();
  }
}
