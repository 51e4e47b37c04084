/**
 * The names of a browser that the bundle of elements reads while it loads. The build puts them in place
 * of the globals. Without a window, as in a server's Node, each is a stub: the bundle can be imported,
 * and defines no element.
 */

const { window: page } = /** @type {any} */ (globalThis);

/** Takes any call and gives itself for any property. @type {any} */
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
