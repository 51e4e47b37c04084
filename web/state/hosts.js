/** Where a page may fetch a model that its reader names: what MODEL_HOSTS was when it was built. */

/** The hub's, as in engine/names.js, which the first visit does not fetch. */
const HUB = 'https://huggingface.co/';
/** What their origins match. */
const HOSTS = new RegExp(/** @type {any} */ (globalThis).MODEL_HOSTS ?? '^$');

/**
 * The host of a model that does not lie on this site: whether it may be fetched from. Null for what
 * does.
 * @param {unknown} model
 * @returns {{ host: string, allowed: boolean } | null}
 */
export function farAddress(model) {
  if (typeof model !== 'string') return null;
  try {
    const url = new URL(model.replace(/^hub:/, HUB), document.baseURI);
    const own = [document.baseURI, import.meta.url].map((base) => new URL(base).origin);
    if (!/^https?:$/.test(url.protocol) || own.includes(url.origin)) return null;
    return { host: url.host, allowed: HOSTS.test(url.origin) };
  } catch {
    return null;
  }
}

/** What the reader has agreed to, by a press that names host and size. @type {Set<unknown>} */
const agreed = new Set();
/** Announces "agreed", to all that ask for the same model. */
export const agreements = new EventTarget();

/** @param {unknown} model @param {number | null} [context] that it is to be opened with */
export function agreeTo(model, context = null) {
  agreed.add(model);
  agreements.dispatchEvent(new CustomEvent('agreed', { detail: { model, context } }));
}

/** Whether a model lies at another host and the reader has not agreed to it yet. @param {unknown} model */
export function isUnasked(model) {
  return farAddress(model) !== null && !agreed.has(model);
}
