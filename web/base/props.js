/** Lit directives that set several properties or listeners of an element from one object. */
import { nothing } from 'lit';
import { Directive, directive } from 'lit/directive.js';

class PropsDirective extends Directive {
  /** @param {Record<string, unknown>} _values */
  render(_values) {
    return nothing;
  }

  /**
   * @param {import('lit/directive.js').ElementPart} part
   * @param {[Record<string, unknown>]} args
   */
  update(part, [values]) {
    Object.assign(part.element, values);
    return nothing;
  }
}

class ListenDirective extends Directive {
  #done = false;

  /** @param {Record<string, (event: any) => void>} _listeners must be one object for all renders */
  render(_listeners) {
    return nothing;
  }

  /**
   * @param {import('lit/directive.js').ElementPart} part
   * @param {[Record<string, (event: any) => void>]} args
   */
  update(part, [listeners]) {
    if (!this.#done)
      for (const [type, listener] of Object.entries(listeners))
        part.element.addEventListener(type, listener);
    this.#done = true;
    return nothing;
  }
}

export const props = directive(PropsDirective);
export const listen = directive(ListenDirective);
