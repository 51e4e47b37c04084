/**
 * Input over the picture, by pointer or by keys: sideways moves the knob, up and down u. A drag keeps
 * its first direction, so that it moves only one of them; from the crossing of the lines it moves
 * both. A press moves both at once. A finger moves the knob sideways; up and down it scrolls the page,
 * unless it began on the handle of u.
 */

/**
 * @typedef {{ share: number, u: number }} Point shares of the picture's width and height
 * @typedef {'knob' | 'u' | 'both'} Way
 *
 * The lines that an input moves, as class Lines.
 * @typedef {object} Movable
 * @property {Point} crossing
 * @property {boolean} single whether there is only the knob's line
 * @property {{ stride: number }} knob
 * @property {() => void} begin keeps the values before a change
 * @property {() => void} grab ends Play, then begins
 * @property {(to: Partial<Point>) => void} moveTo
 * @property {() => void} release a drag ends
 * @property {() => void} cancel the drag ends without effect, for example at a second finger
 * @property {() => void} stop ends Play
 */

/** The movement that begins a drag, of a mouse and of a finger, in pixels. */
const SLACK = 4;
const FINGER = 10;
/** The distance from the crossing within which a pointer takes both lines, in pixels. */
const NEAR = 18;
/** The largest u below 1 that an input reaches. */
export const U_MAX = 0.9999;

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** The box of an element in the document. @param {HTMLElement} element */
function boxOf(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left: left + scrollX, top: top + scrollY, width, height };
}

export class Input {
  /** The place of the pointer; null outside the picture. @type {Point | null} */
  pointed = null;
  #lines;
  #onPoint;
  /** The picture's box since the pointer went down: it stays in place during a drag. @type {{ left: number, top: number, width: number, height: number } | null} */
  #box = null;
  /** `finger` may be about to scroll. @type {{ x: number, y: number, way: Way | null, finger: boolean, pressed: boolean, moved: boolean } | null} */
  #drag = null;

  /**
   * @param {Movable} lines
   * @param {() => void} onPoint called when the pointer moves without a drag
   */
  constructor(lines, onPoint) {
    this.#lines = lines;
    this.#onPoint = onPoint;
  }

  /** True if a drag moves a line. */
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
    if (event.button !== 0 || !event.isPrimary) return;
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
    if (drag?.moved) this.#lines[lost ? 'cancel' : 'release']();
    else if (drag?.pressed && !lost) {
      this.#lines.grab();
      this.#lines.moveTo({ share, u });
    }
  };

  onLeave = () => {
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

/** Steps of a key: of the knob's stride, and of U_STEP. */
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
 * Returns the new place of the line that a key moves, null for other keys.
 * @param {KeyboardEvent} event
 * @param {'knob' | 'u'} which line has the focus; Shift means the other
 * @param {Point} crossing
 * @param {number} stride of the knob, as a share of its range
 * @returns {Partial<Point> | null}
 */
function keyMove(event, which, { share, u }, stride) {
  const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
  if (altKey || ctrlKey || metaKey || !(key in KEYS || key in ENDS)) return null;
  if ((which === 'knob') !== shiftKey)
    return { share: clamp(ENDS[key] ?? share + KEYS[key] * stride, 0, 1) };
  // The line moves in the direction of the key; u grows downwards.
  const sign = /Up|Down/.test(key) ? -1 : 1;
  const to = ENDS[key] ?? Number((u + sign * KEYS[key] * U_STEP).toFixed(6));
  return { u: clamp(to, 0, U_MAX) };
}
