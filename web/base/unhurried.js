/**
 * A Lit directive for a box that counts when it is left: like `live`, but a render while somebody
 * types leaves the text alone, unless the value itself is another.
 */
import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';

class Unhurried extends Directive {
  /** @type {unknown} */
  #last;

  /** @param {unknown} value */
  render(value) {
    return value;
  }

  /** @param {import('lit/directive.js').PropertyPart} part @param {[string]} values */
  update({ element }, [value]) {
    const box = /** @type {HTMLInputElement} */ (element);
    const typed = value === this.#last && box.matches(':focus');
    this.#last = value;
    if (!typed && box.value !== value) box.value = value;
    return noChange;
  }
}

export const unhurried = directive(Unhurried);
