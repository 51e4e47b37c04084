/** Where a page may fetch a model that its reader names: what MODEL_HOSTS was when it was built. */
import { addressOf } from '../engine/names.js';

/** Sources as a policy has them. @type {string[]} */
const HOSTS = /** @type {any} */ (globalThis).MODEL_HOSTS ?? [];

/** Whether a policy that names the hosts lets an address through. @param {URL} address */
function isAllowed({ protocol, host }) {
  return HOSTS.some((source) => {
    const [scheme, name] = source.split('//');
    const named = name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
    return scheme === protocol && named;
  });
}

/**
 * The address that a name leads to at another host: whether it may be fetched from. Null for what
 * lies on this site, "" for a name that is none.
 * @param {unknown} model
 * @returns {{ address: string, host: string, allowed: boolean } | null | ''}
 */
export function farAddress(model) {
  if (typeof model !== 'string') return null;
  const address = addressOf(model);
  if (address === null) return '';
  try {
    const url = new URL(address, document.baseURI);
    const own = [document.baseURI, import.meta.url].map((base) => new URL(base).origin);
    if (!/^https?:$/.test(url.protocol) || own.includes(url.origin)) return null;
    return { address: url.href, host: url.host, allowed: isAllowed(url) };
  } catch {
    return '';
  }
}
