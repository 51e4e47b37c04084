/**
 * Calls `act` if the Enter key is pressed in a field. A form would do this too, but a frame with
 * `sandbox="allow-scripts"` blocks forms.
 * @param {KeyboardEvent} event
 * @param {() => void} act
 */
export function onEnter(event, act) {
  if (event.key !== 'Enter' || event.isComposing) return;
  if (!(event.composedPath()[0] instanceof HTMLInputElement)) return;
  event.preventDefault();
  act();
}
