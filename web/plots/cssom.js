/**
 * A Lit directive that sets CSS properties by script. The content security policy of the page forbids style
 * attributes, which Lit's own directive styleMap writes.
 */
import { nothing } from 'lit';
import { Directive, directive } from 'lit/directive.js';

/** For each element: the properties that were set last. @type {WeakMap<Element, Record<string, string>>} */
const known = new WeakMap();

/**
 * Sets only the properties that changed since the last call.
 * @param {HTMLElement | SVGElement} element
 * @param {Record<string, string | number>} properties
 */
export function setProperties(element, properties) {
  const before = known.get(element) ?? {};
  if (!known.has(element)) known.set(element, before);
  for (const [name, value] of Object.entries(properties)) {
    const text = String(value);
    if (before[name] === text) continue;
    element.style.setProperty(name, text);
    before[name] = text;
  }
}

class CssomDirective extends Directive {
  /** @param {Record<string, string | number>} _properties */
  render(_properties) {
    return nothing;
  }

  /**
   * @param {import('lit/directive.js').ElementPart} part
   * @param {[Record<string, string | number>]} args
   */
  update(part, [properties]) {
    setProperties(/** @type {HTMLElement | SVGElement} */ (part.element), properties);
    return nothing;
  }
}

export const cssom = directive(CssomDirective);
