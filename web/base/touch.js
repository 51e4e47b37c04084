/**
 * Touch on elements that drag sideways, while a vertical move scrolls the page (`touch-action:
 * pan-y`). A touch counts if it moves sideways or ends at its start; before, it may be a scroll.
 */

/** The distance after which a touch is a drag, in pixels. */
const SLACK = 10;

/**
 * The first events of touches that do not drag yet, by element.
 * @type {WeakMap<EventTarget, PointerEvent>}
 */
const waiting = new WeakMap();

/**
 * Captures a pointer. Returns whether it counts at once, as a mouse does.
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

/** True if a move or the end of a pointer counts. @param {PointerEvent} event */
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
 * The listeners of an element under a dragged pointer.
 * @param {(x: number, y: number) => void} take the place as shares of the element, from the left and the top
 * @param {() => boolean} [enabled]
 */
export function dragging(take, enabled = () => true) {
  const follow = (/** @type {PointerEvent} */ { currentTarget, clientX, clientY }) => {
    const element = /** @type {HTMLElement} */ (currentTarget);
    const { left, top, width, height } = element.getBoundingClientRect();
    take((clientX - left) / width, (clientY - top) / height);
  };
  const onMove = (/** @type {PointerEvent} */ event) => counts(event) && follow(event);
  const onDown = (/** @type {PointerEvent} */ event) =>
    event.button === 0 && enabled() && takePointer(event) && follow(event);
  return { pointerdown: onDown, pointermove: onMove, pointerup: onMove };
}

/**
 * Restores the value of a slider if a touch becomes a scroll, since the browser moves the thumb at
 * the first contact.
 * @param {Node} root contains the sliders
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
