/**
 * The browser globals that the bundle of elements reads while it loads; the build replaces the
 * globals by them. Without a window, as in Node on a server, each is a stub: the import succeeds
 * and defines no element.
 */

const { window: page } = /** @type {any} */ (globalThis);

/** Accepts any call and returns itself for any property. @type {any} */
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
