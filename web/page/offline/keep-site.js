/**
 * Asks the browser to keep the site for visits without the network. Only a page of the site has a link
 * that names the service worker; other pages, the single-file page and lesson packages have none.
 */
import { trustedAddress } from '../../engine/trusted.js';
import { openModels } from '../../state/engines.js';

/** The delay of the registration in a browser without idle callbacks, in ms. */
const PATIENCE = 1000;

const findLink = () => document.querySelector('link[rel=serviceworker]');

/** True in a page of the site itself: not in a frame, a single file, a lesson package or a host's page. */
export const isSitePage = () =>
  findLink() !== null && window.parent === window && origin !== 'null';

/** Registers the worker in idle time; ignores a failure. */
export function keepSite() {
  const link = findLink();
  if (!link || !isSitePage() || !isSecureContext) return;
  const { href } = /** @type {HTMLLinkElement} */ (link);
  const register = () => keep(href).catch(() => {});
  if ('requestIdleCallback' in globalThis) requestIdleCallback(register);
  else setTimeout(register, PATIENCE);
}

/** Registers the worker and sends it the addresses of the files that this visit has fetched. @param {string} address */
async function keep(address) {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  await serviceWorker.register(trustedAddress(address));
  const { active } = await serviceWorker.ready;
  const fetched = performance.getEntriesByType('resource').map(({ name }) => name);
  if (!serviceWorker.controller) active?.postMessage([location.href, ...fetched, ...openModels()]);
}
