/**
 * The titles above the picture of the stages, and the words below it. A sideways drag of a title moves its stage; a
 * drag up or down changes the stage's value. Keys do the same. A Lit controller of <logit-stages>.
 */
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { capitalise, settingName, valueInWords } from '../../base/setting-words.js';
import { carry } from '../../base/update-throttle.js';
import { t } from '../../locale/locale.js';
import { cssom, setProperties } from '../../plots/cssom.js';
import { columnAt } from '../../plots/stages.js';
import { MORPH_MS } from './picture.js';
import { footOf, nameOfColumn, valueOfColumn } from './words.js';

/** @import { LogitStages } from './stages.js' */
/** @import { River, Column } from '../../plots/stages.js' */
/** @import { SettingRow } from '../../plots/trace.js' */

/**
 * A press on a title that may become a drag. If it does not, `press` is called. `mode` is null until the pointer has
 * moved. `plot` is the picture's rectangle, null until it is needed.
 * @typedef {{ name: string, x: number, y: number, value: number, moves: boolean, press: (() => void) | null,
 *   mode: 'move' | 'turn' | 'none' | null, plot: DOMRect | null }} Drag
 */

/** Distance in pixels after which a press becomes a drag. */
const SLACK = 5;
/** Length in pixels of a drag from the lowest to the highest value. */
const REACH = 240;
/** Number of steps for PageUp and PageDown. */
const LEAP = 10;

const calm = matchMedia('(prefers-reduced-motion: reduce)');

/**
 * Rounds a value to the steps of its slider and limits it to the slider's range.
 * @param {SettingRow} row @param {number} value @param {number} high
 */
function inSteps({ low, step }, value, high) {
  const rounded = low + Math.round((value - low) / step) * step;
  return Number(Math.min(high, Math.max(low, rounded)).toFixed(6));
}

export class Heads {
  #host;
  /** @type {Drag | null} */
  #drag = null;
  /** Position of each title at the last render, as a share of the width. @type {Map<string, number>} */
  #places = new Map();
  /** The button that has the Tab stop, such as "plug top_k". Only one button of all titles has it. */
  #stop = '';

  /** @param {LogitStages} host */
  constructor(host) {
    this.#host = host;
  }

  get dragging() {
    return this.#drag !== null && this.#drag.mode !== null;
  }

  /** True while the pointer turns a value. */
  get turning() {
    return this.#drag?.mode === 'turn';
  }

  /** @param {import('../../plots/trace.js').Trace} trace @param {River} river */
  render(trace, { columns }) {
    const pitch = columns.length > 1 ? columns[1].from - columns[0].from : 1;
    // The words of the first and the last column may be a little wider than their column.
    const place = (/** @type {Column} */ { from, to }) => {
      const edge = from === 0 || to > 1 - pitch / 2;
      const width = edge ? `calc(${100 * (to - from)}% + 1.5rem)` : `${100 * pitch}%`;
      const room = `calc(${50 * (to - from + pitch)}% - 0.25rem)`;
      return cssom({ '--at': `${50 * (from + to)}%`, '--width': width, '--edge': room });
    };
    const { movable } = this.#host;
    this.#keepTabStop(columns, movable);
    return html`
      <div class="heads" role="list" aria-label=${t('stages.list')} @keydown=${this.#onWalk} @focusin=${this.#onFocus}>
        ${repeat(
          columns,
          ({ name }) => name,
          (column) =>
            this.#renderHead(trace, column, {
              place: place(column),
              movable,
              face: this.#host.faceOf(column),
            }),
        )}
      </div>
      <div class="feet" aria-hidden="true">
        ${repeat(
          columns,
          ({ name }) => name,
          (column) => {
            const foot = footOf(trace, column, this.#host.rowOf(column.name)?.neutral);
            return html`<p data-foot=${column.name} title=${foot} ${place(column)}>${foot}</p>`;
          },
        )}
      </div>`;
  }

  /**
   * @param {import('../../plots/trace.js').Trace} trace
   * @param {Column} column
   * @param {{ place: unknown, movable: string[], face: string }} how `face`: the name as it fits
   */
  #renderHead(trace, column, { place, movable, face }) {
    const host = this.#host;
    const { name } = column;
    const row = host.rowOf(name);
    const isOff = host.off.has(name);
    const grabbed = host.reorder.grabbed === name;
    const tell = (/** @type {string | null} */ told) => () => (host.told = told);
    return html`
      <div role="listitem" class="card head ${isOff ? 'off' : ''} ${grabbed ? 'grabbed' : ''}" data-stage=${name} ${place}
        @pointerenter=${tell(name)} @pointerleave=${tell(null)} @focusin=${tell(name)} @focusout=${tell(null)}
        @pointerdown=${(/** @type {PointerEvent} */ event) => this.#onDown(event, name, movable.includes(name))}>
        ${movable.includes(name) ? host.reorder.renderPlug(name, face, this.#tabIndexOf(`plug ${name}`)) : html`<span class="name" title=${nameOfColumn(column)}>${face}</span>`}
        <span class="under">
          ${row ? this.#renderValue(row, valueOfColumn(trace, column, true)) : nothing}
          ${row && !host.fixed ? this.#renderPower(name, isOff) : nothing}
        </span>
      </div>`;
  }

  /** @param {SettingRow} row @param {string} text */
  #renderValue(row, text) {
    const host = this.#host;
    const name = capitalise(settingName(row.name));
    const value = host.valueOf(row);
    if (host.fixed) return html`<span class="value">${text}</span>`;
    return html`
      <span class="value turns" role="slider" tabindex=${this.#tabIndexOf(`value ${row.name}`)} aria-orientation="vertical" aria-label=${name}
        aria-valuemin=${row.low} aria-valuemax=${this.#highestOf(row)} aria-valuenow=${value}
        aria-valuetext=${valueInWords(row, value)} title=${t('stages.turn')}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, row)}>${text}</span>`;
  }

  /** @param {string} name @param {boolean} isOff */
  #renderPower(name, isOff) {
    const label = t(isOff ? 'stages.on' : 'stages.switch', { name: capitalise(settingName(name)) });
    return html`
      <button class="power" data-power=${name} tabindex="-1" aria-label=${label} title=${label}
        @click=${() => this.#host.toggle(name)}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2.5v5M4.6 4.6a5 5 0 1 0 6.8 0"></path></svg></button>`;
  }

  /**
   * Gives the Tab stop to the first button if its button has disappeared.
   * @param {Column[]} columns @param {string[]} movable
   */
  #keepTabStop(columns, movable) {
    const { fixed } = this.#host;
    const parts = columns.flatMap(({ name }) => [
      ...(movable.includes(name) ? [`plug ${name}`] : []),
      ...(this.#host.rowOf(name) && !fixed ? [`value ${name}`] : []),
    ]);
    if (!parts.includes(this.#stop)) this.#stop = parts[0] ?? '';
  }

  /**
   * Returns the tabindex of a button: the titles have one Tab stop, and arrow keys move on from there.
   * @param {string} part
   */
  #tabIndexOf(part) {
    return part === this.#stop ? 0 : -1;
  }

  /** @param {FocusEvent} event */
  #onFocus = ({ target }) => {
    const part = /** @type {HTMLElement} */ (target);
    const name = /** @type {HTMLElement | null} */ (part.closest('.head'))?.dataset.stage;
    this.#stop = `${part.matches('.plug') ? 'plug' : 'value'} ${name}`;
    this.#host.requestUpdate();
  };

  /** Moves the focus to the next or previous button. @param {KeyboardEvent} event */
  #onWalk = (event) => {
    if (event.defaultPrevented) return; // the arrow key was used: it has moved a grabbed stage
    const parts = /** @type {HTMLElement[]} */ ([
      ...this.#host.renderRoot.querySelectorAll('.head :is(.plug, .turns, .power)'),
    ]).filter((part) => getComputedStyle(part).visibility === 'visible');
    const at = parts.indexOf(/** @type {HTMLElement} */ (event.target));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    parts[to]?.focus();
  };

  /** @param {SettingRow} row */
  #highestOf({ name, high }) {
    const most = name === 'top_k' ? this.#host.trace?.vocab_size : undefined;
    return Math.min(high, most ?? Infinity);
  }

  /** @param {KeyboardEvent} event @param {SettingRow} row */
  #onKey(event, row) {
    const high = this.#highestOf(row);
    const value = this.#host.valueOf(row);
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: LEAP, PageDown: -LEAP }[event.key];
    const to = { Home: row.low, End: high }[event.key] ?? (steps && value + steps * row.step);
    if (to === undefined) return;
    event.preventDefault();
    this.#host.turn(row.name, inSteps(row, to, high));
  }

  /** @param {PointerEvent} event @param {string} name @param {boolean} moves */
  #onDown(event, name, moves) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.button !== 0 || target.closest('.power')) return;
    /** @type {HTMLElement | null} */ (target.closest('.plug, .value'))?.focus();
    event.preventDefault();
    this.begin(event, name, { moves, press: null });
  }

  /**
   * Starts a press on a title or a column.
   * @param {PointerEvent} event
   * @param {string} name of the column
   * @param {{ moves: boolean, press: (() => void) | null }} how `moves`: a drag sideways moves the stage
   */
  begin(event, name, { moves, press }) {
    const host = this.#host;
    const row = host.fixed ? undefined : host.rowOf(name);
    const value = row ? host.valueOf(row) : 0;
    const { clientX: x, clientY: y, pointerId, pointerType } = event;
    /** @type {Drag} */
    const drag = { name, x, y, value, moves, press, mode: null, plot: null };
    this.#drag = drag;
    const target = /** @type {HTMLElement} */ (event.currentTarget);
    const river = /** @type {HTMLElement} */ (host.renderRoot.querySelector('.river'));
    const control = new AbortController();
    const { signal } = control;
    const finger = pointerType !== 'mouse' && !moves; // not captured: on the picture, a finger may scroll the page
    if (!finger) river.setPointerCapture(pointerId);
    const end = (/** @type {boolean} */ done) => {
      control.abort();
      this.#endDrag(done);
    };
    const on = (/** @type {string} */ type, /** @type {(event: any) => void} */ listener) =>
      (finger ? target : river).addEventListener(type, listener, { signal });
    on('pointermove', (moved) => !finger && this.#dragTo(moved));
    on('pointerup', () => end(true));
    on('pointercancel', () => end(false));
    window.addEventListener('scroll', () => (drag.plot = null), { signal, capture: true });
    window.addEventListener(
      'keydown',
      (pressed) => {
        if (pressed.key !== 'Escape') return;
        pressed.stopPropagation();
        this.#undoDrag();
        end(false);
      },
      { signal, capture: true },
    );
  }

  /** @param {PointerEvent} event */
  #dragTo({ clientX, clientY }) {
    const drag = this.#drag;
    if (!drag) return;
    const [across, along] = [clientX - drag.x, drag.y - clientY];
    if (drag.mode === null) {
      if (Math.max(Math.abs(across), Math.abs(along)) < SLACK) return;
      const sideways = Math.abs(across) > Math.abs(along);
      const turns = !this.#host.fixed && this.#host.rowOf(drag.name);
      drag.mode = sideways && drag.moves ? 'move' : turns && !sideways ? 'turn' : 'none';
      if (drag.mode === 'move') {
        carry(true);
        this.#host.reorder.take(drag.name);
      }
    }
    if (drag.mode === 'turn') this.#changeValue(drag, along);
    if (drag.mode === 'move') this.#moveHead(drag, clientX);
  }

  /** @param {Drag} drag @param {number} along in pixels, upwards */
  #changeValue({ name, value }, along) {
    const row = this.#host.rowOf(name);
    if (!row) return;
    const high = this.#highestOf(row);
    this.#host.turn(name, inSteps(row, value + ((high - row.low) * along) / REACH, high));
  }

  /**
   * Moves the title with the pointer, and its stage to the column that is nearest.
   * @param {Drag} drag @param {number} x
   */
  #moveHead(drag, x) {
    const { name } = drag;
    const host = this.#host;
    const plot = /** @type {HTMLElement} */ (host.renderRoot.querySelector('.plot'));
    const { left, width } = (drag.plot ??= plot.getBoundingClientRect()); // once a drag: costs a layout
    const columns = host.river?.columns ?? [];
    const near = columns[columnAt(columns, (x - left) / width)];
    const to = host.movable.indexOf(near?.name);
    if (to >= 0) host.reorder.place(to);
    this.#putUnderPointer(name, x - left, width);
  }

  /** @param {string} name @param {number} x in pixels @param {number} width */
  #putUnderPointer(name, x, width) {
    const column = this.#host.river?.columns.find((each) => each.name === name);
    const head = this.#headOf(name);
    if (!column || !head) return;
    const middle = ((column.from + column.to) / 2) * width;
    setProperties(head, { translate: `${Math.min(width, Math.max(0, x)) - middle}px 0` });
    this.#carried = x;
  }

  #carried = 0;

  /** @param {string} name */
  #headOf(name) {
    return /** @type {HTMLElement | null} */ (
      this.#host.renderRoot.querySelector(`.head[data-stage="${name}"]`)
    );
  }

  /** Undoes the drag, because the user pressed Escape. */
  #undoDrag() {
    const drag = this.#drag;
    if (drag?.mode === 'turn') this.#host.turn(drag.name, drag.value);
    if (drag?.mode === 'move') this.#host.reorder.putBack();
  }

  /** @param {boolean} done false for a cancelled drag */
  #endDrag(done) {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag) return;
    if (drag.mode === 'move') {
      carry(false);
      const head = this.#headOf(drag.name);
      const { translate } = head?.style ?? {};
      if (head) setProperties(head, { translate: '' });
      if (head && translate && !calm.matches)
        head.animate({ translate: [translate, '0 0'] }, { duration: 200, easing: 'ease-out' });
      this.#host.reorder.drop();
    } else if (done && drag.mode === null) drag.press?.();
  }

  /** After a render, lets titles glide to their new positions, except the title under the pointer. */
  settle() {
    const host = this.#host;
    const columns = host.river?.columns ?? [];
    const places = new Map(columns.map(({ name, from, to }) => [name, (from + to) / 2]));
    const moved = [...places].filter(([name, at]) => (this.#places.get(name) ?? at) !== at);
    const { width } = host; // not read from the page, which would have to lay itself out first
    for (const [name, place] of calm.matches ? [] : moved) {
      const before = Number(this.#places.get(name));
      const carried = this.#drag?.mode === 'move' && this.#drag.name === name;
      if (carried) this.#putUnderPointer(name, this.#carried, width);
      const foot = host.renderRoot.querySelector(`[data-foot="${name}"]`);
      const frames = { translate: [`${(before - place) * width}px 0`, '0 0'] };
      const how = { duration: MORPH_MS, easing: 'cubic-bezier(0.215, 0.61, 0.355, 1)' };
      for (const part of carried ? [foot] : [foot, this.#headOf(name)]) part?.animate(frames, how);
    }
    this.#places = places;
  }
}
