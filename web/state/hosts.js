/** The hosts from which the page may fetch a model that the user names. The build sets MODEL_HOSTS. */

/** Address of the hub, the same as in engine/model-names.js: a first visit does not fetch that file. */
const HUB = 'https://huggingface.co/';
/** Matches the origins of allowed hosts. Without MODEL_HOSTS, it matches nothing. */
const HOSTS = new RegExp(/** @type {any} */ (globalThis).MODEL_HOSTS ?? '^$');
/**
 * For a model on another site, returns its host, and true in `allowed` if the page may fetch from it. Returns null
 * for a model of this site.
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

/** Models for which the user has pressed the button that names host and size. @type {Set<unknown>} */
const agreed = new Set();
/** Emits "agreed" when the user agrees to a model. Every element that waits for this model listens. */
export const agreements = new EventTarget();

/** @param {unknown} model @param {number | null} [context] the context length in tokens; null for the engine's default */
export function agreeTo(model, context = null) {
  agreed.add(model);
  agreements.dispatchEvent(new CustomEvent('agreed', { detail: { model, context } }));
}

/** Returns true if a model is on another host and the user has not agreed to it. @param {unknown} model */
export function isUnasked(model) {
  return farAddress(model) !== null && !agreed.has(model);
}
