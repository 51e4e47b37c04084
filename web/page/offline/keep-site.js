/**
 * Asks the browser to keep the site for visits without the network. Only the site's own pages have a link to the
 * service worker.
 */
import { trustedAddress } from '../../engine/trusted.js';
import { openModels } from '../../state/engines.js';

/** In browsers without idle callbacks, the registration waits for this time, in ms. */
const PATIENCE = 1000;

const findLink = () => document.querySelector('link[rel=serviceworker]');

/** True for a page of the site; false in a frame, a single file, a lesson package or another website. */
export const isSitePage = () =>
  findLink() !== null && window.parent === window && origin !== 'null';

/** True if the page asks a model beside it: a program serves the page for a while only. */
const isOfProgram = () => new URLSearchParams(location.search).has('source');

/** Registers the service worker when the browser is idle; a failure does not matter. */
export function keepSite() {
  const link = findLink();
  if (!link || !isSitePage() || isOfProgram() || !isSecureContext) return;
  const { href } = /** @type {HTMLLinkElement} */ (link);
  const register = () => keep(href).catch(() => {});
  if ('requestIdleCallback' in globalThis) requestIdleCallback(register);
  else setTimeout(register, PATIENCE);
}

/** Registers the service worker and tells it which files this visit has fetched. @param {string} address */
async function keep(address) {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  await serviceWorker.register(trustedAddress(address));
  const { active } = await serviceWorker.ready;
  const fetched = performance.getEntriesByType('resource').map(({ name }) => name);
  if (!serviceWorker.controller) active?.postMessage([location.href, ...fetched, ...openModels()]);
}
