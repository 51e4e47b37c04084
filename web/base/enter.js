/**
 * Enter in a box does what its button does. No form is submitted: a frame with
 * `sandbox="allow-scripts"` stops that before any script hears of it.
 * @param {KeyboardEvent} event
 * @param {() => void} act
 */
export function onEnter(event, act) {
  if (event.key !== 'Enter' || event.isComposing) return;
  if (!(event.composedPath()[0] instanceof HTMLInputElement)) return;
  event.preventDefault();
  act();
}
