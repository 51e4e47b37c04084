/**
 * Plays random input (?fuzz=SEED) in Firefox or WebKit. The page must report no errors and request nothing from other
 * hosts. A second page that opens its address must show the same content.
 */
import { digestOf, findShown, isLinkable, isShown } from './player.js';

/** @typedef {Pick<typeof import('../browser/firefox.js'), 'open' | 'missing'>} Browser */

/**
 * Runs in the page: collects its errors from now on. One is ignored: a ResizeObserver that reports a size one frame
 * late.
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

/** Runs in the page: returns its errors and its requests to other hosts. */
const faultsOf = () => [
  ...globalThis.complaints,
  ...performance
    .getEntriesByType('resource')
    .filter(({ name }) => !name.startsWith(origin) && !/^(blob|data|about):/.test(name))
    .map(({ name }) => `asks ${name}`),
];

/** Runs a function in the page and returns its result. */
const call = async (page, run) =>
  JSON.parse(
    await page.evaluate(`Promise.resolve((${run})()).then((x) => JSON.stringify(x ?? null))`),
  );

/** Waits until `good` is true in the page. @param {() => unknown} good */
async function until(page, good) {
  for (const end = Date.now() + 60_000; !(await call(page, good)); ) {
    if (Date.now() > end) throw new Error(`never true: ${good}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Plays the input of one seed for `milliseconds`.
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
    // Results of a lesson are stored in this browser profile, so a second page cannot show them.
    if (/lesson/.test(place) || !(await call(page, isLinkable)))
      return { log, faults, mirrored: null };
    const shown = digestOf(await call(page, findShown));
    await new Promise((resolve) => setTimeout(resolve, 400)); // the page updates its address after a pause
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

/** Opens an address in a second page and returns its content. @param {Browser} browser @param {string} address */
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
