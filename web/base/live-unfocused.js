/**
 * A Lit directive for the text of a field, like `live`. While the user types in the field, a render does not replace
 * the text, unless the bound value has changed.
 */
import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';

class LiveUnfocused extends Directive {
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

export const liveUnfocused = directive(LiveUnfocused);
