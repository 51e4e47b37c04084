/**
 * <logit-stages>: the chain as a picture. The columns are the model and the active stages; each token is a band that
 * becomes narrower, ends or grows. The user drags a stage's title sideways to move it and up or down to change its
 * value, turns stages off, and follows one token. Emits "logit-set" and "logit-order".
 */
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { locales } from '#locales/stages';
import { download } from '../../base/download.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { Reorder } from '../../base/reorder.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { toPng } from '../../base/svg-file.js';
import { UpdateThrottle, carry } from '../../base/update-throttle.js';
import { endName, visible } from '../../base/visible.js';
import { walkList } from '../../base/walk.js';
import { Width } from '../../base/width.js';
import { addMessages, briefPercent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { COLOURS } from '../../plots/river-colours.js';
import { bandAt, columnAt, layStages } from '../../plots/stages.js';
import { moveInOrder } from '../../state/order.js';
import riverStyles from '../../style/river.css';
import tableStyles from '../../style/table.css';
import { Heads } from './heads.js';
import { StagesPicture, roomOf, titleFont } from './picture.js';
import stagesStyles from './stages.css';
import { renderStagesTable } from './table.js';
import { drawOf, fittedName, nameOfColumn, pathOf, sentenceOf } from './words.js';

addMessages(locales);

/** @import { Trace } from '../../plots/trace.js' */
/** @import { River, Band } from '../../plots/stages.js' */

/** The key of the band for all other tokens. */
const REST = 'rest';
/** An end within this distance, in pixels, counts as in sight. */
const CUT = 8;

export class LogitStages extends elementWith(LogitElement, () => ({
  /** @type {Trace | null} */
  trace: null,
  /** @type {import('../../plots/trace.js').Drawn | null} */
  drawn: null,
  /**
   * Tokens that have a band but are not listed in the trace.
   * @type {import('../../plots/stages.js').BandToken[]}
   */
  further: [],
  eos: -1,
  /**
   * The engine's table of settings; empty if no stage can be moved or changed.
   * @type {import('../../plots/trace.js').SettingRow[]}
   */
  table: [],
  /** @type {import('../../plots/trace.js').Settings} */
  settings: {},
  /** @type {string[] | null} Null for the canonical order. */
  order: null,
  fixed: false,
  /** True if the page has its own button to save the picture. */
  within: false,
  /** Key of the band under the pointer or chosen by a key; null if none. @type {string | null} */
  active: null,
  /** Key of the band that the user follows; null if none. @type {string | null} */
  followed: null,
  /** Name of the column that the line below the picture describes; null if none. @type {string | null} */
  told: null,
  unfolded: false,
})) {
  static properties = { fixed: { type: Boolean }, within: { type: Boolean } };

  static styles = [...LogitElement.styles, tableStyles, riverStyles, stagesStyles];

  #width = new Width(this, '.plot');
  #throttle = new UpdateThrottle(this, ['trace', 'drawn', 'further'], ['settings', 'order']);
  /** @type {StagesPicture | null} */
  #picture = null;
  /** The element whose canvas shows the picture. @type {HTMLElement | null} */
  #plot = null;
  /** Width of the plot when the picture measured it. */
  #fitted = 0;
  /** The frame that paints next; 0 for none. */
  #frame = 0;
  /** @type {River | null} */
  #river = null;
  /** A key of the columns and the size at the last render. */
  #key = '';
  /** Names of bands by id. @type {Map<string, string>} */
  #names = new Map();
  #heads = new Heads(this);
  /**
   * Values that the user has set and the page has not confirmed yet.
   * @type {import('../../plots/trace.js').Settings}
   */
  #asked = {};

  reorder = new Reorder(this, {
    across: true,
    names: () => this.movable,
    label: (name) => capitalise(settingName(name)),
    move: (name, to) =>
      this.emit('logit-order', {
        order: moveInOrder(this.wholeOrder, this.movable, name, to),
        dragged: this.reorder.dragging,
      }),
  });

  /** For each stage that is off but keeps its column: its last value. @type {Map<string, number>} */
  off = new Map();

  /** The order of all samplers. Unless the order has it, the user's own sampler is last. */
  get wholeOrder() {
    const order = this.order ?? this.table.filter(({ sampler }) => sampler).map(({ name }) => name);
    const own = this.trace?.stages.some(({ name }) => name === 'own');
    return own && !order.includes('own') ? [...order, 'own'] : order;
  }

  /** Names of the stages that the user can move. */
  get movable() {
    const order = this.fixed ? [] : this.wholeOrder;
    const names = this.#river?.columns.map(({ name }) => name) ?? [];
    return names.filter((name) => order.includes(name));
  }

  /** Width of the picture in pixels. */
  get width() {
    return this.#width.width;
  }

  /** The columns and bands of the picture. */
  get river() {
    return this.#river;
  }

  /** Returns the value of a stage's setting. @param {import('../../plots/trace.js').SettingRow} row */
  valueOf({ name, neutral }) {
    return Number(this.#asked[name] ?? this.settings[name] ?? neutral);
  }

  /** Returns the table's row for a stage; undefined if the user cannot change its value. @param {string} name */
  rowOf(name) {
    return this.table.find((row) => row.name === name && row.sampler && row.kind !== 'map');
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    if (this.#heads.dragging) carry(false);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  /** @param {Map<string, unknown>} changes */
  shouldUpdate(changes) {
    if (changes.has('settings')) this.#asked = {};
    const moved = this.#layOut(changes);
    const early = !changes.has('trace') && !changes.has('drawn');
    const part = this.#throttle.classify(changes, early);
    if (part === 'all' || moved || !this.#picture) return true;
    if (this.#throttle.visible) this.#askPaint();
    return part === 'numbers';
  }

  /**
   * Computes the bands again if their data has changed. Returns true if there are other columns now.
   * @param {Map<string, unknown>} changes
   */
  #layOut(changes) {
    const { trace, off } = this;
    if (!trace || !['trace', 'further', 'off'].some((name) => changes.has(name))) return false;
    for (const { name, active } of trace.stages) if (active) off.delete(name);
    const before = this.#river;
    this.#river = layStages(trace, this.further, new Set(off.keys()));
    this.#nameBands(this.#river);
    const key = this.#river.columns.map(({ name }) => name).join();
    const moved = key !== this.#key;
    this.#key = key;
    const turns = this.#heads.turning || (this.#throttle.moving && !this.reorder.dragging);
    const continues = turns && !moved;
    this.#picture?.take(this.#river, before !== null && !continues);
    return moved;
  }

  /** Gives each band a name. If two tokens have the same name, spaces become visible in it. @param {River} river */
  #nameBands({ bands }) {
    const short = bands.map(({ token }) => token.text.trim());
    this.#names = new Map(
      bands.map(({ id, token }, i) => {
        if (id === this.eos) return [String(id), endName()];
        const twice = short[i] === '' || short.indexOf(short[i]) !== short.lastIndexOf(short[i]);
        return [String(id), visible(twice ? token : { ...token, text: short[i] })];
      }),
    );
  }

  /** Returns the name on a band. @param {Band | null} band */
  nameOf = (band) => (band ? String(this.#names.get(String(band.id)) ?? '') : t('stages.ground'));

  /** Returns the name of a column as its title shows it. @param {import('../../plots/stages.js').Column} column */
  faceOf(column) {
    const { look } = this.#picture ?? {};
    return look?.width
      ? fittedName(column, roomOf(column, look), titleFont(look))
      : nameOfColumn(column);
  }

  /** Fades the edges of the picture that hide further columns. */
  #markCut = () => {
    const wide = this.renderRoot.querySelector('.wide');
    if (!wide) return;
    const { scrollLeft, scrollWidth, clientWidth } = wide;
    wide.classList.toggle('more-before', scrollLeft > CUT);
    wide.classList.toggle('more-after', scrollWidth - clientWidth - scrollLeft > CUT);
  };

  updated() {
    const fresh = this.#fitPicture();
    this.#heads.settle();
    if (fresh) this.#markCut();
    if (fresh) this.#paint();
    else this.#askPaint();
  }

  /** Creates the picture, or fits it to a new size. Returns true if its canvas is still empty or stretched. */
  #fitPicture() {
    const plot = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.plot'));
    const colours = this.renderRoot.querySelector('.colours');
    const { width } = this.#width;
    if (!plot || !colours || !this.#river) return false;
    // A render without a trace, as while another model loads, has removed the old plot.
    if (this.#picture && this.#plot === plot && this.#fitted === width) return false;
    if (!this.#picture || this.#plot !== plot) {
      this.#plot = plot;
      this.#picture = new StagesPicture(plot, colours);
      this.#picture.take(this.#river, false);
    } else this.#picture.refit(plot, colours);
    this.#fitted = width;
    return true;
  }

  #onTheme() {
    const plot = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.plot'));
    const colours = this.renderRoot.querySelector('.colours');
    if (plot && colours) this.#picture?.refit(plot, colours);
    this.#paint();
  }

  /** Paints in the next frame, once for all changes before it. */
  #askPaint() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint() {
    const id = (/** @type {string | null} */ key) =>
      key === null || key === REST ? null : Number(key);
    const moves = this.speak(() =>
      this.#picture?.paint({
        drawn: this.drawn?.id ?? null,
        u: this.drawn?.u ?? null,
        pointed: id(this.active),
        followed: id(this.followed),
        nameOf: this.nameOf,
        percent: briefPercent,
      }),
    );
    if (moves) this.#askPaint();
  }

  render() {
    const { trace } = this;
    const river = this.#river;
    if (!trace || !river) return html`<div class="wide"><div class="plot empty"></div></div>`;
    const { columns } = river;
    return html`
      <div class="colours" aria-hidden="true" @transitionend=${this.#onTheme}>
        ${COLOURS.map((name) => html`<i class=${name}></i>`)}</div>
      <div class="wide" @scroll=${this.#markCut} ${cssom({ '--columns': String(columns.length) })}>
        <div class="river ${this.reorder.grabbed ? 'grabbing' : ''}" dir="ltr">
          ${this.#heads.render(trace, river)}
          ${this.#renderPlot(trace, river)}
        </div>
      </div>
      <p class="told" translate="no" aria-hidden="true">${this.#lineBelow(trace, river)}</p>
      <p class="visually-hidden" aria-live="assertive">${this.reorder.said}</p>
      <p class="visually-hidden" role="status">${this.#followedWords(trace, river)}</p>
      <p id="plug-keys" hidden>${t('stages.keys.move')}</p>
      <p id="keys" class="visually-hidden">${t('stages.keys')}</p>
      ${guard([...this.#titleInputs, this.unfolded], () => renderStagesTable(this, trace, river))}
    `;
  }

  /** @param {Trace} trace @param {River} river */
  #renderPlot(trace, river) {
    return html`
      <div class="plot" translate="no" role="listbox" tabindex="0" aria-label=${t('stages.chart')}
        aria-describedby="keys" aria-activedescendant=${this.active === null ? nothing : `band-${this.active}`}
        @keydown=${this.#onKey} @blur=${() => (this.active = null)}
        @pointermove=${this.#onPoint} @pointerleave=${() => (this.active = null)}
        @pointerdown=${this.#onDown}>
        <canvas aria-hidden="true"></canvas>
        ${guard([...this.#titleInputs, this.followed], () =>
          this.#keysByRank(river).map(
            (key) => html`
            <div class="visually-hidden" role="option" id="band-${key}" aria-selected=${key === this.followed}
              aria-label=${this.#pathWords(trace, river, key)}></div>`,
          ),
        )}
      </div>`;
  }

  /** Values on which the titles depend: while a knob or the pointer moves, they stay the same. */
  get #titleInputs() {
    const moves = this.#throttle.moving;
    const columns = moves && this.reorder.dragging ? null : this.#key;
    return [moves || this.trace, columns, this.table, t('language')];
  }

  /** Returns the keys of the bands, sorted by rank. @param {River} river */
  #keysByRank({ bands, rest }) {
    const keys = [...bands].sort((a, b) => a.rank - b.rank).map(({ id }) => String(id));
    return rest.some((share) => share > 0) ? [...keys, REST] : keys;
  }

  /** @param {Trace} trace @param {River} river @param {string} key */
  #pathWords(trace, river, key) {
    const band = river.bands.find(({ id }) => String(id) === key) ?? null;
    if (!band && key !== REST) return '';
    const turns = (/** @type {string} */ name) => Boolean(this.rowOf(name));
    return pathOf(trace, river, band, { turns, eos: this.eos });
  }

  /** Returns the text of the line below the picture. @param {Trace} trace @param {River} river */
  #lineBelow(trace, river) {
    if (this.reorder.grabbed && !this.reorder.dragging) return t('stages.keys.move');
    const column = river.columns.find(({ name }) => name === this.told);
    if (column)
      return sentenceOf(
        trace,
        column,
        this.rowOf(column.name)?.neutral,
        Boolean(this.rowOf(column.name)),
      );
    const key = this.active ?? this.followed;
    return key === null ? drawOf(this.drawn, this.eos) : this.#pathWords(trace, river, key);
  }

  /** @param {Trace} trace @param {River} river */
  #followedWords(trace, river) {
    return this.followed === null ? '' : this.#pathWords(trace, river, this.followed);
  }

  /** Returns the pointer's position as shares of the picture's width and height. @param {PointerEvent} event */
  #placeOf({ clientX, clientY, currentTarget }) {
    const box = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
    return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
  }

  /** @param {PointerEvent} event */
  #onPoint(event) {
    if (!this.#river || this.#heads.dragging) return;
    const { x, y } = this.#placeOf(event);
    const key = String(bandAt(this.#river, x, y)?.id ?? REST);
    if (key !== this.active) this.active = key;
  }

  /**
   * A press follows the token under the pointer. A drag up or down with the mouse changes the value of the column's
   * stage.
   * @param {PointerEvent} event
   */
  #onDown(event) {
    const river = this.#river;
    if (event.button !== 0 || !river) return;
    const { x, y } = this.#placeOf(event);
    const key = String(bandAt(river, x, y)?.id ?? REST);
    const { name } = river.columns[columnAt(river.columns, x)];
    this.#heads.begin(event, name, { moves: false, press: () => this.follow(key) });
  }

  /** Follows a token. If it is followed already, follows none. @param {string | null} key */
  follow(key) {
    const { followed } = this;
    this.followed = key === REST || key === followed ? null : key;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (!this.#river) return;
    const keys = this.#keysByRank(this.#river);
    if (event.key === 'Escape' && (this.active ?? this.followed) !== null) {
      event.preventDefault();
      this.active = this.followed = null;
      return;
    }
    if ((event.key === 'Enter' || event.key === ' ') && this.active !== null) {
      event.preventDefault();
      this.follow(this.active);
    }
    const from = event.key === 'ArrowUp' ? keys.length : -1;
    const at = this.active === null ? from : keys.indexOf(this.active);
    const to = walkList(event, ['ArrowUp', 'ArrowDown'], at, keys.length - 1);
    if (to !== undefined) this.active = keys[to];
  }

  /**
   * Sets a stage's value. At the neutral value, the stage keeps its column.
   * @param {string} name @param {number} value
   */
  turn(name, value) {
    const row = this.rowOf(name);
    if (!row || this.fixed || value === this.valueOf(row)) return;
    if (value === row.neutral) this.off.set(name, this.valueOf(row));
    this.#asked = { ...this.#asked, [name]: value };
    this.emit('logit-set', { [name]: value });
  }

  /** Turns a stage off, or on again with its last value. @param {string} name */
  toggle(name) {
    const row = this.rowOf(name);
    if (!row) return;
    this.turn(name, this.off.has(name) ? Number(this.off.get(name)) : row.neutral);
  }

  /**
   * Returns the picture as a file; null before the first trace.
   * @param {string} [text] the text before the next token
   * @returns {Promise<import('../../base/svg-file.js').Shot | null>}
   */
  async picture(text = '') {
    const { drawStages } = await import('./save.js');
    const { trace, drawn, nameOf } = this;
    const picture = this.#picture;
    const river = this.#river;
    if (!trace || !picture || !river) return null;
    const turns = (/** @type {string} */ name) => Boolean(this.rowOf(name));
    const neutral = (/** @type {string} */ name) => this.rowOf(name)?.neutral;
    const shown = { drawn: drawn?.id ?? null, u: drawn?.u ?? null, nameOf };
    return this.speak(() => {
      const about = drawOf(drawn, this.eos);
      const names = picture.names(river, {
        ...shown,
        pointed: null,
        followed: null,
        percent: briefPercent,
      });
      const { look } = picture;
      const scene = { trace, river, look, names, turns, neutral, text, about, ...shown };
      return { name: 'stages', ...drawStages(scene) };
    });
  }

  /** Saves the picture as a file. @param {'svg' | 'png'} kind */
  async save(kind) {
    const shot = await this.picture();
    if (!shot) return;
    const { name, svg } = shot;
    if (kind === 'svg') download(`${name}.svg`, svg, 'image/svg+xml');
    else download(`${name}.png`, await toPng(svg), 'image/png');
  }
}

define('logit-stages', LogitStages);
