/** Where a page may fetch a model that its reader names: what MODEL_HOSTS was when it was built. */
import { LogitscopeError } from '../engine/errors.js';
import { addressOf, partNames } from '../engine/names.js';

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

/** Whether a model of another host is there whole, so that nothing is fetched. @param {string} model */
export async function isKept(model) {
  const { listKept } = await import('../engine/kept.js');
  const kept = await listKept();
  return partNames(addressOf(model) ?? '').every((address) =>
    kept.some((each) => each.whole && each.address === address),
  );
}

/** What the reader has agreed to, by a press that names host and size. @type {Set<string>} */
const agreed = new Set();

/** @param {unknown} model */
export function agreeTo(model) {
  const far = farAddress(model);
  if (far) agreed.add(far.address);
}

/** Whether a model lies at another host and the reader has not agreed to it yet. @param {unknown} model */
export function isUnasked(model) {
  const far = farAddress(model);
  return Boolean(far) && !agreed.has(/** @type {{ address: string }} */ (far).address);
}

/** Refuses a model of another host that nobody has agreed to. @param {unknown} model */
export async function checkAgreed(model) {
  if (!isUnasked(model) || (await isKept(String(model)))) return;
  const { host } = /** @type {{ host: string }} */ (farAddress(model));
  throw new LogitscopeError('load_failed', 'far_unasked', { host });
}
