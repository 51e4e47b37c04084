/** The hosts from which a page may fetch a model that the user names. The build sets MODEL_HOSTS. */

/** The hub's address, a copy: engine/model-names.js has it too, but the first visit does not fetch that file. */
const HUB = 'https://huggingface.co/';
/** Matches the origins of the allowed hosts; without MODEL_HOSTS, none. */
const HOSTS = new RegExp(/** @type {any} */ (globalThis).MODEL_HOSTS ?? '^$');

/**
 * Returns the host of a model on another site, and `allowed`: true if the page may fetch from this host.
 * Returns null for a model of this site.
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

/** The models that the user agreed to fetch: the button names host and size. @type {Set<unknown>} */
const agreed = new Set();
/** Emits "agreed" to all elements that wait for the model. */
export const agreements = new EventTarget();

/** @param {unknown} model @param {number | null} [context] the context length in tokens; null for the engine's default */
export function agreeTo(model, context = null) {
  agreed.add(model);
  agreements.dispatchEvent(new CustomEvent('agreed', { detail: { model, context } }));
}

/** True if a model is on another host and the user has not agreed to fetch it yet. @param {unknown} model */
export function isUnasked(model) {
  return farAddress(model) !== null && !agreed.has(model);
}
