/** Registers a custom element once, so that a page may load this code twice without an error. */

/**
 * @param {string} name
 * @param {CustomElementConstructor} element
 */
export function define(name, element) {
  if (!customElements.get(name)) customElements.define(name, element);
}
