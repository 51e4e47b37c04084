/**
 * Input over the picture, by pointer or by keys: sideways moves the knob, up and down u. A drag keeps
 * its first direction, so that it moves one of them alone; from the crossing of the lines it moves
 * both. A press moves both at once. A finger moves the knob sideways; up and down it scrolls the page,
 * unless it began on the handle of u.
 */

/**
 * @typedef {{ share: number, u: number }} Point shares of the picture's width and height
 * @typedef {'knob' | 'u' | 'both'} Way
 *
 * @typedef {object} Owner
 * @property {Point} crossing where the lines are
 * @property {boolean} single whether there is only the knob's line
 * @property {() => void} begin a drag begins, or a key is pressed anew
 * @property {(to: Partial<Point>) => void} move
 * @property {() => void} rest a drag ends
 * @property {() => void} cancel the drag ends without effect, as when a second finger comes
 * @property {(point: Point) => void} press without dragging
 * @property {() => void} look the pointer is elsewhere
 */

/** How far a mouse moves before it drags, and a finger, in pixels. */
const SLACK = 4;
const FINGER = 10;
/** How near the crossing a hand takes both lines, in pixels. */
const NEAR = 18;
/** The largest u below 1 that a hand reaches. */
export const U_MAX = 0.9999;

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** Where an element lies in the document. @param {HTMLElement} element */
function boxOf(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left: left + scrollX, top: top + scrollY, width, height };
}

export class Hand {
  /** Where the pointer is. @type {Point | null} */
  pointed = null;
  #owner;
  /** Where the picture lies in the document, since a drag began: nothing moves it meanwhile. @type {{ left: number, top: number, width: number, height: number } | null} */
  #box = null;
  /** `finger` may be about to scroll. @type {{ x: number, y: number, way: Way | null, finger: boolean, pressed: boolean, moved: boolean } | null} */
  #drag = null;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  /** Whether it holds a line. */
  get holds() {
    return this.#drag?.moved ?? false;
  }

  /** @param {PointerEvent} event */
  #placeIn(event) {
    const plot = /** @type {HTMLElement} */ (event.currentTarget);
    const { left, top, width, height } = this.#box ?? boxOf(plot);
    const [x, y] = [event.pageX - left, event.pageY - top];
    return { x, y, width, height, share: clamp(x / width, 0, 1), u: clamp(y / height, 0, U_MAX) };
  }

  /** @param {PointerEvent} event */
  onDown = (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.button !== 0 || !event.isPrimary) return;
    this.#box = boxOf(/** @type {HTMLElement} */ (event.currentTarget));
    const { x, y, width, height } = this.#placeIn(event);
    const { crossing, single } = this.#owner;
    const on = target.closest('.handle');
    const finger = !on && event.pointerType !== 'mouse';
    const near = Math.hypot(x - crossing.share * width, y - crossing.u * height) < NEAR;
    const both = near && !single && !finger ? 'both' : null;
    const way = on ? (on.matches('.u') ? 'u' : 'knob') : both;
    this.#drag = { x, y, way, finger, pressed: way === null, moved: false };
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    if (!on) event.preventDefault();
  };

  /** @param {PointerEvent} event */
  onMove = (event) => {
    if (!event.isPrimary) return;
    const { x, y, share, u } = this.#placeIn(event);
    this.pointed = { share, u };
    const drag = this.#drag;
    if (!drag) return this.#owner.look();
    if (!drag.moved) {
      const [dx, dy] = [Math.abs(x - drag.x), Math.abs(y - drag.y)];
      if (Math.max(dx, dy) < (drag.finger ? FINGER : SLACK)) return;
      drag.pressed = false;
      if (drag.finger && dy > dx) return;
      drag.moved = true;
      drag.way ??= dx >= dy || this.#owner.single ? 'knob' : 'u';
      this.#owner.begin();
    }
    this.#owner.move({
      ...(drag.way === 'u' ? {} : { share }),
      ...(drag.way === 'knob' ? {} : { u }),
    });
  };

  /** @param {PointerEvent} event */
  onUp = (event) => {
    if (!event.isPrimary) return;
    const drag = this.#drag;
    this.#drag = null;
    const { share, u } = this.#placeIn(event);
    this.#box = null;
    const lost = event.type === 'pointercancel';
    if (drag?.moved) this.#owner[lost ? 'cancel' : 'rest']();
    else if (drag?.pressed && !lost) this.#owner.press({ share, u });
  };

  onLeave = () => {
    this.pointed = null;
    this.#owner.look();
  };
}

/** How far the keys go: a step of the knob, and of u. */
const KEYS = /** @type {Record<string, number>} */ ({
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
});
const ENDS = /** @type {Record<string, number>} */ ({ Home: 0, End: 1 });
const U_STEP = 0.01;

/**
 * Where a key moves a line to; null where it means nothing here.
 * @param {KeyboardEvent} event
 * @param {'knob' | 'u'} which line has the focus; Shift means the other
 * @param {Point} crossing
 * @param {number} step of the knob, as a share of its way
 * @returns {Partial<Point> | null}
 */
export function keyMove(event, which, { share, u }, step) {
  const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
  if (altKey || ctrlKey || metaKey || !(key in KEYS || key in ENDS)) return null;
  if ((which === 'knob') !== shiftKey)
    return { share: clamp(ENDS[key] ?? share + KEYS[key] * step, 0, 1) };
  // The line goes the way that the key points; u grows downwards.
  const sign = /Up|Down/.test(key) ? -1 : 1;
  const to = ENDS[key] ?? Number((u + sign * KEYS[key] * U_STEP).toFixed(6));
  return { u: clamp(to, 0, U_MAX) };
}
