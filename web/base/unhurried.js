/**
 * A Lit directive for a box whose text counts when the box loses focus. It works as `live`, but a
 * render while somebody types keeps the typed text, unless the value itself has changed.
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
