/**
 * Pointer and keyboard input over the picture. Horizontal movement changes the knob, vertical movement changes u. A
 * press sets both. A drag changes only the one in whose direction it began, or both if it began where the two lines
 * cross. A vertical movement of a finger scrolls the page, unless it began on the handle of u.
 */

/**
 * @typedef {{ share: number, u: number }} Point shares of the picture's width and height, 0 to 1
 * @typedef {'knob' | 'u' | 'both'} Way
 *
 * The lines that an input moves; class Lines is one implementation.
 * @typedef {object} Movable
 * @property {Point} crossing
 * @property {boolean} single true if there is only the knob's line
 * @property {{ stride: number }} knob
 * @property {() => void} begin keeps the values from before a change
 * @property {() => void} grab ends Play, then calls begin
 * @property {(to: Partial<Point>) => void} moveTo
 * @property {() => void} release called at the end of a drag
 * @property {() => void} cancel undoes the drag, for example at a second finger
 * @property {() => void} stop ends Play
 */

/** Distance in pixels after which a press becomes a drag, for a mouse and for a finger. */
const SLACK = 4;
const FINGER = 10;
/** If a drag begins within this distance (in pixels) of the point where the lines cross, it moves both lines. */
const NEAR = 18;
/** Largest u that an input can set; u must be below 1. */
export const U_MAX = 0.9999;

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** Returns the box of an element in window coordinates. @param {HTMLElement} element */
function boxOf(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left: left + scrollX, top: top + scrollY, width, height };
}

export class Input {
  /** The point under the pointer as shares of width and height; null outside the picture. @type {Point | null} */
  pointed = null;
  #lines;
  #onPoint;
  /**
   * The picture's box when the pointer was pressed; null without a drag.
   * @type {{ left: number, top: number, width: number, height: number } | null}
   */
  #box = null;
  /**
   * The current drag; null without one. `finger` is true while the browser may still use the movement to scroll.
   * @type {{ x: number, y: number, way: Way | null, finger: boolean, pressed: boolean, moved: boolean } | null}
   */
  #drag = null;

  /**
   * @param {Movable} lines
   * @param {() => void} onPoint called when the pointer moves without a drag
   */
  constructor(lines, onPoint) {
    this.#lines = lines;
    this.#onPoint = onPoint;
  }

  /** True while a drag moves a line. */
  get drags() {
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
    if (event.button !== 0 || !event.isPrimary || target.closest('label')) return;
    this.pointed = null;
    this.#box = boxOf(/** @type {HTMLElement} */ (event.currentTarget));
    const { x, y, width, height } = this.#placeIn(event);
    const { crossing, single } = this.#lines;
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
    if (!drag) return this.#onPoint();
    if (!drag.moved) {
      const [dx, dy] = [Math.abs(x - drag.x), Math.abs(y - drag.y)];
      if (Math.max(dx, dy) < (drag.finger ? FINGER : SLACK)) return;
      drag.pressed = false;
      if (drag.finger && dy > dx) return;
      drag.moved = true;
      drag.way ??= dx >= dy || this.#lines.single ? 'knob' : 'u';
      this.#lines.grab();
    }
    this.#lines.moveTo({
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
    // After a drag the pointer is at the crossing: a tooltip there would cover the drawn token's name.
    if (lost || drag?.moved) this.pointed = null;
    if (drag?.moved) this.#lines[lost ? 'cancel' : 'release']();
    else if (drag?.pressed && !lost) {
      this.pointed = { share, u };
      this.#lines.grab();
      this.#lines.moveTo({ share, u });
    }
  };

  /** @param {PointerEvent} event */
  onLeave = (event) => {
    // A finger leaves the picture after each press, so the tooltip stays open until the next press.
    if (event.pointerType === 'touch' && this.pointed) return;
    this.pointed = null;
    this.#onPoint();
  };

  /** @param {KeyboardEvent} event @param {'knob' | 'u'} which line has the focus */
  onKey = (event, which) => {
    const { crossing, knob } = this.#lines;
    const to = keyMove(event, which, crossing, knob.stride);
    if (!to) return;
    event.preventDefault();
    if (event.repeat) this.#lines.stop();
    else this.#lines.grab();
    this.#lines.moveTo(to);
  };
}

/** The number of steps that each key moves a line: the knob's stride, or U_STEP for u. */
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
 * Returns the line's new position for a pressed key; null for other keys.
 * @param {KeyboardEvent} event
 * @param {'knob' | 'u'} which the focused line; Shift selects the other line
 * @param {Point} crossing
 * @param {number} stride of the knob, as a share of its range
 * @returns {Partial<Point> | null}
 */
function keyMove(event, which, { share, u }, stride) {
  const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
  if (altKey || ctrlKey || metaKey || !(key in KEYS || key in ENDS)) return null;
  if ((which === 'knob') !== shiftKey)
    return { share: clamp(ENDS[key] ?? share + KEYS[key] * stride, 0, 1) };
  // The picture has u = 0 at the top, so ArrowUp makes u smaller.
  const sign = /Up|Down/.test(key) ? -1 : 1;
  const to = ENDS[key] ?? Number((u + sign * KEYS[key] * U_STEP).toFixed(6));
  return { u: clamp(to, 0, U_MAX) };
}
