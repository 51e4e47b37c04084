/**
 * Tells drags from scrolling. On a touch screen, a sideways movement drags a slider or a line, a vertical one scrolls
 * the page. A touch counts only after it has moved sideways or ended where it began.
 */

/** A touch that has moved this far sideways is a drag. In pixels. */
const SLACK = 10;

/**
 * For each element: the first event of a touch that may still become scrolling.
 * @type {WeakMap<EventTarget, PointerEvent>}
 */
const waiting = new WeakMap();

/**
 * Captures the pointer after a press. Returns true for a mouse, whose press begins a drag at once. A touch may still
 * become scrolling.
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

/** Returns true if a movement or the end of a press counts. @param {PointerEvent} event */
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
 * Returns listeners for an element on which the user drags.
 * @param {(x: number, y: number) => void} take gets the pointer's position: 0 to 1 from the left and the
 *   top of the element
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
 * If a touch on a slider becomes scrolling, restores its value: the browser moved the slider at the first contact.
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

/**
 * Selects the number in a field at the press that focuses it, so that typing replaces it. A second press sets the
 * caret.
 * @param {Node} root contains the boxes
 */
export function selectNumbers(root) {
  root.addEventListener('pointerdown', (event) => {
    const box = /** @type {HTMLInputElement} */ (event.target);
    if (!box.matches?.('input[inputmode]:not(:focus)')) return;
    const select = () => box.selectionStart === box.selectionEnd && box.select();
    box.addEventListener('click', select, { once: true });
  });
}
