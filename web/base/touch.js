/**
 * Elements that a finger drags sideways, while up and down it scrolls the page (`touch-action: pan-y`).
 * A finger counts once it goes sideways, or is lifted where it came down; until then it may be about to
 * scroll.
 */

/** How far a finger goes before it drags, in pixels. */
const SLACK = 10;

/**
 * The events of fingers that came down and do not drag yet, by element.
 * @type {WeakMap<EventTarget, PointerEvent>}
 */
const waiting = new WeakMap();

/**
 * Takes a pointer that comes down. Returns whether it counts at once.
 * @param {PointerEvent} event
 */
export function takePointer(event) {
  const target = /** @type {HTMLElement} */ (event.currentTarget);
  target.setPointerCapture(event.pointerId);
  const finger = event.pointerType !== 'mouse';
  if (finger) waiting.set(target, event);
  else waiting.delete(target);
  return !finger;
}

/**
 * Whether a pointer that moves or is lifted counts.
 * @param {PointerEvent} event
 */
export function counts(event) {
  const target = /** @type {HTMLElement} */ (event.currentTarget);
  const from = waiting.get(target);
  if (!target.hasPointerCapture(event.pointerId)) return false;
  if (!from) return event.type === 'pointermove';
  const across = Math.abs(event.clientX - from.clientX);
  const along = Math.abs(event.clientY - from.clientY);
  const still = Math.max(across, along) < SLACK;
  if (event.type !== 'pointermove') return still;
  if (still || along > across) return false;
  waiting.delete(target);
  return true;
}

/**
 * Restores the value of a slider if its finger goes on to scroll the page: the browser has moved the
 * thumb to the finger at once.
 * @param {Node} root that holds sliders
 */
export function keepSliders(root) {
  let before = '';
  root.addEventListener('pointerdown', ({ target }) => {
    before = /** @type {HTMLInputElement} */ (target).value;
  });
  root.addEventListener('pointercancel', (event) => {
    const target = /** @type {HTMLInputElement} */ (event.target);
    if (target.type !== 'range' || target.value === before) return;
    target.value = before;
    target.dispatchEvent(new Event('input', { bubbles: true }));
  });
}
