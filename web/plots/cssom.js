/**
 * A Lit directive that sets CSS properties through the CSSOM. The page's content security policy
 * forbids style attributes, which Lit's own styleMap writes on first render.
 */
import { nothing } from 'lit';
import { Directive, directive } from 'lit/directive.js';

class CssomDirective extends Directive {
  /** What it set. @type {Record<string, string>} */
  #set = {};

  /** @param {Record<string, string | number>} _properties */
  render(_properties) {
    return nothing;
  }

  /**
   * @param {import('lit/directive.js').ElementPart} part
   * @param {[Record<string, string | number>]} args
   */
  update(part, [properties]) {
    const { style } = /** @type {HTMLElement | SVGElement} */ (part.element);
    for (const [name, value] of Object.entries(properties)) {
      const text = String(value);
      if (this.#set[name] === text) continue;
      style.setProperty(name, text);
      this.#set[name] = text;
    }
    return nothing;
  }
}

export const cssom = directive(CssomDirective);
