/**
 * A hand over the picture, by pointer or by keys: sideways it moves the knob, up and down u. A drag
 * keeps to the way in which it begins, so that the one is moved with the other held; from where the
 * lines cross it moves both.
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
 * @property {(point: Point, place: { x: number, y: number }) => void} press without dragging
 * @property {() => void} look the pointer is elsewhere
 */

/** How far a hand moves before it drags, in pixels. */
const SLACK = 4;
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
  /** @type {{ x: number, y: number, way: Way | null, moved: boolean } | null} */
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
    if (event.button !== 0 || target.closest('logit-token-menu')) return;
    this.#box = boxOf(/** @type {HTMLElement} */ (event.currentTarget));
    const { x, y, width, height } = this.#placeIn(event);
    const { crossing, single } = this.#owner;
    const on = target.closest('.handle');
    const away = Math.hypot(x - crossing.share * width, y - crossing.u * height);
    const way = on ? (on.matches('.u') ? 'u' : 'knob') : away < NEAR && !single ? 'both' : null;
    this.#drag = { x, y, way, moved: false };
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    if (!on) event.preventDefault();
  };

  /** @param {PointerEvent} event */
  onMove = (event) => {
    const { x, y, share, u } = this.#placeIn(event);
    this.pointed = { share, u };
    const drag = this.#drag;
    if (!drag) return this.#owner.look();
    if (!drag.moved) {
      const [dx, dy] = [Math.abs(x - drag.x), Math.abs(y - drag.y)];
      if (Math.max(dx, dy) < SLACK) return;
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
    const drag = this.#drag;
    this.#drag = null;
    const { x, y, share, u } = this.#placeIn(event);
    this.#box = null;
    if (!drag || event.type === 'pointercancel') return;
    if (drag.moved) this.#owner.rest();
    else if (drag.way === null) this.#owner.press({ share, u }, { x, y });
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
