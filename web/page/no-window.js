/**
 * Stubs for browser globals, so that the bundle of elements can be imported in Node, for example on a server. The
 * import then succeeds and defines nothing. The build replaces the globals by these exports.
 */

const { window: page } = /** @type {any} */ (globalThis);

/** A stub that can be called and has any property; null in a browser. @type {any} */
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
