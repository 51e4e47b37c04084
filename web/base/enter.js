/**
 * Enter in an input acts as its button. There is no form, since a frame with
 * `sandbox="allow-scripts"` stops its submission before any script.
 * @param {KeyboardEvent} event
 * @param {() => void} act
 */
export function onEnter(event, act) {
  if (event.key !== 'Enter' || event.isComposing) return;
  if (!(event.composedPath()[0] instanceof HTMLInputElement)) return;
  event.preventDefault();
  act();
}
