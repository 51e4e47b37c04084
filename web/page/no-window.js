/**
 * Replaces the browser globals that the bundle of elements reads while it loads; the build inserts these
 * exports. Without a window, as in Node on a server, each export is a stub: the import succeeds and
 * defines no element.
 */

const { window: page } = /** @type {any} */ (globalThis);

/** A stub that accepts any call and returns itself for any property; null in a browser. @type {any} */
const stub = page
  ? null
  : new Proxy(class {}, {
      get(target, name) {
        if (name === 'prototype') return target.prototype;
        return typeof name === 'symbol' ? undefined : stub;
      },
      apply: () => stub,
      construct: () => stub,
    });
const ofWindow = page ?? stub;

const { document, customElements, matchMedia, MutationObserver } = ofWindow;
const HTMLElement = page?.HTMLElement ?? class {};

export { HTMLElement, MutationObserver, customElements, document, matchMedia };
