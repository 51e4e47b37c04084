/** The hosts from which a page may fetch a model that the user names: MODEL_HOSTS of the build. */

/** The hub's address, as in engine/model-names.js, which the first visit does not fetch. */
const HUB = 'https://huggingface.co/';
/** The pattern of their origins. */
const HOSTS = new RegExp(/** @type {any} */ (globalThis).MODEL_HOSTS ?? '^$');

/**
 * Returns the host of a model outside this site and whether the page may fetch from it; null for a
 * model of this site.
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

/** The models that the user agreed to fetch, by a press that names host and size. @type {Set<unknown>} */
const agreed = new Set();
/** Announces "agreed" to all elements that ask for the same model. */
export const agreements = new EventTarget();

/** @param {unknown} model @param {number | null} [context] the context to open it with */
export function agreeTo(model, context = null) {
  agreed.add(model);
  agreements.dispatchEvent(new CustomEvent('agreed', { detail: { model, context } }));
}

/** True if a model is at another host and the user has not agreed to it yet. @param {unknown} model */
export function isUnasked(model) {
  return farAddress(model) !== null && !agreed.has(model);
}
