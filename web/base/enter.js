/**
 * Calls `act` for the Enter key in an input, as the input's button does. There is no form, since a frame
 * with `sandbox="allow-scripts"` blocks a form's submission before any script runs.
 * @param {KeyboardEvent} event
 * @param {() => void} act
 */
export function onEnter(event, act) {
  if (event.key !== 'Enter' || event.isComposing) return;
  if (!(event.composedPath()[0] instanceof HTMLInputElement)) return;
  event.preventDefault();
  act();
}
