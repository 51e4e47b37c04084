/**
 * <logit-landscape>: one knob from end to end, and the random number u. Where their lines cross is
 * the token that is drawn, always by the engine's own draw there; above stands what the text becomes.
 * Asks with "logit-set" and "logit-seed" once a hand rests; tells by "logit-choose" of knob and u, and
 * by "logit-deed" at once of what is done.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/landscape';
import { sentence } from '../../base/faults.js';
import { define } from '../../base/element.js';
import { ModelElement } from '../../base/model-element.js';
import { Rest } from '../../base/rest.js';
import { readSetting, settingName, valueInWords } from '../../base/setting-words.js';
import { Typed } from '../../base/typed.js';
import { visible } from '../../base/visible.js';
import { addMessages, fixed, measure, number, percent, plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { toFault } from '../../engine/errors.js';
import { initialChoices, sameValue } from '../../state/fields.js';
import { LandscapeReader } from '../../state/landscape.js';
import { GivenLogits, Timeline } from '../../state/sources.js';
import { Hand, U_MAX, clamp, keyMove } from './hand.js';
import landscapeStyles from './landscape.css';
import { COLOURS, NAMED, Picture } from './picture.js';
import { DRAWS, Rain } from './rain.js';
import { savePicture } from './save.js';
import { paintSlice, rowsOf } from './slice.js';
import { renderStages } from './stages.js';
import { canSwap, isSwapped, swapped } from './swap.js';
import { renderTable } from './table.js';
import { axisOf, round, symbolOf } from './words.js';
import { writeSentence } from './sentence.js';

addMessages(locales);

/**
 * @typedef {import('../../engine/types.js').TableRow} TableRow
 * @typedef {import('../../engine/types.js').Piece} Piece
 * @typedef {import('./hand.js').Point} Point
 * @typedef {{ logits: Float32Array, tokens: string[], history?: number[] }} Given
 */

/** What a chip sets, where it was off. */
const CHIPS = /** @type {Record<string, number>} */ ({ top_p: 0.9, top_k: 40 });
/** How many bars there are, lying and standing. */
const ROWS = 12;
/** How long the knob takes from end to end, and how many steps it takes where nothing may move. */
const PLAY_MS = 8000;
const PLAY_STEPS = 12;
/** How often numbers and the text are written anew while something moves. */
const READOUT_MS = 100;
const TEXT_MS = 50;
/** How long a hand rests until the page is told. */
const REST_MS = 300;

/** As if it were a setting, so that what is typed is judged as one. */
const U_ROW = /** @type {any} */ ({
  name: 'u',
  kind: 'real',
  minimum: 0,
  maximum: 1,
  minimum_included: true,
});

const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class LogitLandscape extends ModelElement {
  static properties = {
    ...ModelElement.properties,
    knob: {},
    u: { type: Number },
    seed: { type: Number },
    given: { attribute: false },
    playing: { state: true },
    all: { state: true },
    menu: { state: true },
    tabled: { state: true },
  };

  static styles = [...ModelElement.styles, landscapeStyles];

  /** @type {LandscapeReader | null} */
  #reader = null;
  /** @type {import('../../state/sources.js').Source | null} */
  #source = null;
  /** @type {import('../../engine/remote.js').RemoteSession[]} */
  #sessions = [];
  /** @type {number[]} */
  #ids = [];
  /** The prompt that they spell. @type {string | null} */
  #encoded = null;
  /** @type {import('../../engine/errors.js').Fault | null} */
  #promptFault = null;
  /** @type {Map<number, Piece>} */
  #pieces = new Map();

  /** What was moved here and the page has not said yet. @type {Record<string, any>} */
  #moved = {};
  /** The settings that were given last. @type {Record<string, any> | null} */
  #heard = null;
  /** What was asked for last. */
  #asked = '';
  /** Everything but the crossing, since two landscapes are held against each other. @type {string | null} */
  #heldAt = null;
  #rest = new Rest();

  /** @type {Picture | null} */
  #picture = null;
  #rain = new Rain();
  #hand = new Hand(this.#handOwner());
  /** What followed when the last change began. @type {number[] | null} */
  #before = null;
  #playFrom = 0;

  #frame = 0;
  #said = 0;
  #written = 0;
  /** What the text and the bars do not show yet. */
  #stale = { text: false, bars: false };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #readout;
  #resized = new ResizeObserver(() => this.#refit());

  #box = new Typed(
    this,
    (text) => readSetting(/** @type {any} */ (this.#row), text),
    (value) => this.#move({ value }),
  );
  #uBox = new Typed(
    this,
    (text) => readSetting(U_ROW, text),
    (u) => this.#move({ u: Math.min(u, U_MAX) }),
  );

  constructor() {
    super();
    const { knob, u } = initialChoices('landscape');
    /** The setting along the picture; temperature where none is named. @type {string | null} */
    this.knob = knob;
    /** In place of the seed's first number. @type {number | null} */
    this.u = u;
    /** @type {number | undefined} */
    this.seed = undefined;
    /** Logits in place of a model's. @type {Given | null} */
    this.given = null;
    this.playing = false;
    this.all = false;
    /** @type {{ id: number, x: number, y: number } | null} */
    this.menu = null;
    this.tabled = false;
  }

  // What is read.

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#leave();
    this.#resized.disconnect();
    this.#picture = null;
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#readout);
    this.#frame = 0;
    this.#readout = undefined;
    this.playing = false;
  }

  #leave() {
    this.#reader?.close();
    this.#reader = null;
    this.#source = null;
    this.#encoded = null;
    this.#asked = '';
    this.#pieces.clear();
    this.#rain.clear();
    this.#picture?.forget();
    for (const session of this.#sessions) session.close().catch(() => {}); // its engine may be gone
    this.#sessions = [];
  }

  /** @param {import('../../engine/remote.js').RemoteLogitscope} engine */
  async opened(engine) {
    this.#leave();
    const { given } = this;
    if (given) {
      this.#source = new GivenLogits(engine, given.logits, given.tokens);
      this.#ids = given.history ?? [];
    } else {
      const sessions = await Promise.all([engine.session(), engine.session()]);
      if (engine !== this.engine) return;
      this.#sessions = sessions;
      this.#source = new Timeline(engine, sessions[0]);
    }
    const writer = given ? null : this.#sessions[1];
    this.#reader = new LandscapeReader(this.#source, writer, engine.table, (what) =>
      this.#onRead(what),
    );
    this.requestUpdate();
  }

  /** Whether something is under way that will show. */
  get busy() {
    if (this.fault || !this.engine) return false;
    const reading = !this.#reader || this.#reader.busy || this.#unread;
    return reading || this.playing || this.#frame !== 0 || this.#readout !== undefined;
  }

  /** Whether there is another prompt than the one that was read. */
  get #unread() {
    return this.#reader !== null && !this.given && this.#encoded !== this.prompt;
  }

  async #encode() {
    const { engine, prompt } = this;
    this.#encoded = prompt;
    /** @type {number[]} */
    let ids = [];
    let fault = null;
    try {
      ids = Array.from(await /** @type {any} */ (engine).encode(prompt));
    } catch (error) {
      fault = toFault(error);
    }
    if (engine !== this.engine || prompt !== this.prompt) return;
    this.#ids = ids;
    this.#promptFault = fault;
    this.requestUpdate();
  }

  /** @returns {TableRow[]} */
  get #table() {
    return this.engine?.table ?? [];
  }

  /** The settings that are sliders. */
  get #knobs() {
    return this.#table.filter(
      ({ name, kind, low, high }) =>
        ['real', 'integer'].includes(kind) && high > low && name !== 'mirostat_mu',
    );
  }

  /** @returns {TableRow | undefined} */
  get #row() {
    const rows = this.#knobs;
    const named = rows.find(({ name }) => name === this.knob);
    return named ?? rows.find(({ name }) => name === 'temperature');
  }

  /** Everything that the engine is told. @returns {Record<string, any>} */
  get #settings() {
    const seed = Number.isInteger(this.seed) ? { seed: this.seed } : {};
    return { seed: 42, ...seed, ...this.asked, ...this.#moved };
  }

  get #value() {
    const { name, neutral } = /** @type {TableRow} */ (this.#row);
    return Number(this.#settings[name] ?? neutral);
  }

  get #share() {
    const { low, high } = /** @type {TableRow} */ (this.#row);
    return clamp((this.#value - low) / (high - low), 0, 1);
  }

  get #gumbel() {
    return this.#settings.draw === 'gumbel';
  }

  /** The number that decides; null where none is walked to. */
  get #u() {
    return this.#gumbel ? null : (this.u ?? this.#reader?.reading?.drawn.u ?? null);
  }

  /** Asks for what shows where the lines cross now, if that was not asked for. */
  #ask() {
    const row = this.#row;
    if (!this.#reader || !row || this.#unread || (!this.given && this.#ids.length === 0)) return;
    const value = this.#value;
    const settings = { ...this.#settings, [row.name]: value };
    this.#keepHeld(row.name, settings);
    const at = { ids: this.#ids, settings, knob: row.name, value, u: this.u };
    const key = JSON.stringify(at);
    if (key === this.#asked) return;
    this.#asked = key;
    this.#reader.ask(at);
  }

  /**
   * Two landscapes are held against each other until anything but the crossing changes.
   * @param {string} knob
   * @param {Record<string, any>} settings
   */
  #keepHeld(knob, settings) {
    if (this.#heldAt === null) return;
    const { seed: _, [knob]: __, ...others } = settings;
    const at = JSON.stringify([this.#ids, knob, Object.entries(others).sort()]);
    if (this.#heldAt === '') this.#heldAt = at;
    if (this.#heldAt === at) return;
    this.#heldAt = null;
    this.#picture?.release();
  }

  /** @param {'landscape' | 'reading' | 'text' | 'fault'} what */
  async #onRead(what) {
    const { landscape, fine, reading } = /** @type {LandscapeReader} */ (this.#reader);
    if (what === 'landscape' && landscape) {
      const first = new Set(landscape.ids.filter((_, k) => k % landscape.top < NAMED));
      await this.#fetchPieces([...first]);
      this.#picture?.take(landscape, fine && !calm());
    }
    if (what === 'reading' && reading) {
      const { tokens } = reading.trace;
      await this.#fetchPieces([reading.drawn.id, ...tokens.slice(0, ROWS).map(({ id }) => id)]);
      this.#stale.bars = true;
    }
    if (what === 'text') this.#stale.text = true;
    this.#schedule();
    this.#say();
  }

  /** @param {number[]} ids */
  async #fetchPieces(ids) {
    const source = this.#source;
    const missing = ids.filter((id) => !this.#pieces.has(id));
    if (!source || missing.length === 0) return;
    const found = await Promise.all(missing.map((id) => source.piece(id)));
    if (source !== this.#source) return;
    for (const piece of found) this.#pieces.set(piece.id, piece);
  }

  /** @param {number} id @param {boolean} [marked] whether its spaces are to be seen */
  #nameOf = (id, marked = false) => {
    const piece = this.#pieces.get(id);
    if (!piece) return '';
    return (!marked && piece.text.trim()) || visible(piece, 12);
  };

  // When what changes.

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    super.willUpdate(changed);
    const heard = this.engine && { ...this.asked };
    if (heard && !sameValue(heard, this.#heard)) {
      // What the page says holds, but for a knob that moves.
      const name = this.#row?.name ?? '';
      const kept = this.#hand.holds || this.playing ? { [name]: this.#moved[name] } : {};
      this.#moved = name in this.#moved ? kept : {};
      this.#heard = heard;
      this.#rain.clear();
    }
    if (['prompt', 'knob', 'seed', 'model'].some((name) => changed.has(name))) this.#before = null;
    if (changed.has('knob')) this.#picture?.forget();
  }

  firstUpdated() {
    this.#picture = new Picture(this.renderRoot);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    super.updated(changed);
    if (!this.#picture) this.#picture = new Picture(this.renderRoot);
    for (const each of this.renderRoot.querySelectorAll('.plot, .bars'))
      this.#resized.observe(each);
    if (this.#unread && this.prompt !== undefined) this.#encode();
    this.#stale.bars = true;
    this.#schedule();
  }

  #refit() {
    this.#picture?.refit();
    this.#stale.bars = true;
    this.#schedule();
  }

  #schedule() {
    if (this.isConnected)
      this.#frame ||= requestAnimationFrame((now) => {
        this.#frame = 0;
        this.speak(() => this.#draw(now));
      });
  }

  /** @param {number} now */
  #draw(now) {
    const picture = this.#picture;
    if (!this.engine || !picture || !this.#row) return;
    if (this.playing) this.#playOn(now);
    this.#ask();
    const reading = this.#reader?.reading;
    if (!reading) return;
    picture.paint(
      now,
      {
        share: this.#share,
        u: this.#u,
        trace: reading.trace,
        drawn: reading.drawn.id,
        pointed: this.#hand.holds ? null : this.#hand.pointed,
        drops: this.#rain.drops,
      },
      {
        nameOf: this.#nameOf,
        others: (n) => t('landscape.others', { n }),
        size: reading.trace.vocab_size,
      },
    );
    if (this.#stale.bars) this.#paintBars(reading);
    const early = this.#stale.text && now - this.#written < TEXT_MS;
    if (this.#stale.text && !early) this.#writeText(now);
    if (early || this.playing || picture.moving || this.#rain.falling) this.#schedule();
  }

  /** @param {import('../../state/landscape.js').Reading} reading */
  #paintBars({ trace, drawn }) {
    this.#stale.bars = false;
    const place = /** @type {HTMLElement} */ (this.renderRoot.querySelector('.bars'));
    const { look } = /** @type {Picture} */ (this.#picture);
    const { tally } = this.#rain;
    paintSlice(/** @type {HTMLCanvasElement} */ (place.firstElementChild), {
      look: { ...look, width: place.clientWidth, height: place.clientHeight },
      trace,
      drawn,
      nameOf: this.#nameOf,
      others: (n) => t('landscape.others', { n }),
      counted: tally && ((id) => (tally.counts.get(id)?.n ?? 0) / tally.total),
    });
  }

  /** @param {number} now */
  #writeText(now) {
    this.#stale.text = false;
    this.#written = now;
    const into = /** @type {HTMLElement} */ (this.renderRoot.querySelector('.sentence'));
    const eos = this.engine?.info?.eos_token_id;
    const steps = this.#reader?.written?.steps ?? [];
    const words = steps.map(({ id, text }) => ({ id, text, end: id === eos }));
    writeSentence(into, this.given ? '' : this.prompt, words, this.#before);
  }

  /** Writes numbers anew, ten times a second while something moves. */
  #say() {
    if (this.#readout !== undefined) return;
    const wait = Math.max(0, this.#said + READOUT_MS - performance.now());
    this.#readout = setTimeout(() => {
      this.#readout = undefined;
      this.#said = performance.now();
      this.requestUpdate();
    }, wait);
  }

  // What moves it.

  /**
   * Moves the lines.
   * @param {{ value?: number, u?: number }} to
   * @param {boolean} [told] whether the page is told once it rests
   */
  #move({ value, u }, told = true) {
    const { name } = /** @type {TableRow} */ (this.#row);
    if (value !== undefined) this.#moved = { ...this.#moved, [name]: value };
    if (u !== undefined) this.u = u;
    this.emit('logit-deed', { u, share: value === undefined ? undefined : this.#share });
    this.#rain.clear();
    this.#schedule();
    this.#say();
    if (told) this.#rest.after(REST_MS, () => this.#tell());
  }

  /** Tells the page where the lines are. */
  #tell() {
    this.#rest.stop();
    const { logit_bias: _, seed, order, ...settings } = this.#moved;
    if (order !== undefined) this.emit('logit-order', { order });
    if (seed !== undefined) this.emit('logit-seed', { seed });
    if (Object.keys(settings).length > 0) this.emit('logit-set', settings);
    this.emit('logit-choose', { u: this.u });
  }

  /** Keeps what follows now, so that a change can be told from it. */
  #begin() {
    this.#before = this.#reader?.written?.ids ?? null;
  }

  /** The value at a share of the knob's way, on its grid. @param {number} share */
  #valueAt(share) {
    const { kind, low, high, step } = /** @type {TableRow} */ (this.#row);
    const unit = kind === 'integer' ? 1 : step;
    const value = Math.round((low + share * (high - low)) / unit) * unit;
    return clamp(Number(value.toFixed(6)), low, high);
  }

  /** @param {Partial<Point>} to */
  #moveTo({ share, u }) {
    this.#move({
      ...(share === undefined ? {} : { value: this.#valueAt(share) }),
      ...(u === undefined || this.#gumbel ? {} : { u }),
    });
  }

  /** @returns {import('./hand.js').Owner} */
  #handOwner() {
    const crossing = () => ({ share: this.#share, u: this.#u ?? 0 });
    const single = () => this.#gumbel;
    return {
      get crossing() {
        return crossing();
      },
      get single() {
        return single();
      },
      begin: () => {
        this.#stopPlay();
        this.#begin();
      },
      move: (to) => this.#moveTo(to),
      rest: () => {
        this.#tell();
        this.#say();
      },
      press: (point, place) => this.#press(point, place),
      look: () => {
        this.#schedule();
        this.#say();
      },
    };
  }

  /** @param {Point} point @param {{ x: number, y: number }} place */
  async #press(point, { x, y }) {
    this.#stopPlay();
    const river = this.#picture?.at(point);
    if (!river || river.rank < 0) {
      this.#begin();
      this.#moveTo(point);
      return;
    }
    const { id } = river.river;
    await Promise.all([import('../../panels/text/token-menu.js'), this.#fetchPieces([id])]);
    this.menu = { id, x, y };
  }

  /** @param {KeyboardEvent} event @param {'knob' | 'u'} which */
  #onKey(event, which) {
    const { kind, low, high, step } = /** @type {TableRow} */ (this.#row);
    const unit = kind === 'integer' ? 1 : Math.max(step, (high - low) / 60);
    const crossing = { share: this.#share, u: this.#u ?? 0 };
    const to = keyMove(event, which, crossing, unit / (high - low));
    if (!to) return;
    event.preventDefault();
    this.#stopPlay();
    if (!event.repeat) this.#begin();
    this.#moveTo(to);
  }

  #play() {
    if (this.playing) return this.#stopPlay();
    this.#begin();
    this.#playFrom = performance.now();
    this.playing = true;
    this.#schedule();
  }

  /** @param {number} now */
  #playOn(now) {
    const part = clamp((now - this.#playFrom) / PLAY_MS, 0, 1);
    const share = calm() ? Math.floor(part * PLAY_STEPS) / PLAY_STEPS : part;
    const { low, high, kind } = /** @type {TableRow} */ (this.#row);
    const value = low + share * (high - low);
    const shown = kind === 'integer' ? Math.round(value) : Number(value.toFixed(4));
    if (part === 1) this.playing = false;
    if (shown !== this.#value || part === 1) this.#move({ value: shown }, part === 1);
  }

  #stopPlay() {
    if (!this.playing) return;
    this.playing = false;
    this.#move({ value: this.#valueAt(this.#share) });
  }

  #roll() {
    this.u = null;
    this.#set({ seed: (this.#settings.seed + 1) % 2 ** 53 });
  }

  async #drawMany() {
    const reading = this.#reader?.reading;
    if (!reading || !this.#source) return;
    this.emit('logit-deed', { draws: DRAWS });
    await this.#rain.fall(reading, this.#source, calm(), () => {
      this.#stale.bars = true;
      this.#schedule();
    });
    this.requestUpdate();
  }

  /** @param {Record<string, any>} patch */
  #set(patch) {
    this.#begin();
    this.#moved = { ...this.#moved, ...patch };
    this.emit('logit-deed', patch);
    this.#rain.clear();
    this.#schedule();
    this.#say();
    this.#rest.after(REST_MS, () => this.#tell());
  }

  /** Temperature and top-p in each other's place, held against what was before. */
  #swap() {
    this.#heldAt = '';
    this.#picture?.hold();
    this.#set({ order: swapped(this.#settings.order, this.#table) });
  }

  /** @param {string} knob */
  #choose(knob) {
    this.#stopPlay();
    this.knob = knob;
    this.#rain.clear();
    this.emit('logit-choose', { knob });
  }

  /** A token that is to be drawn: u goes to the middle of its part. @param {CustomEvent} event */
  #onForce(event) {
    event.stopPropagation();
    let walked = 0;
    for (const { id, p } of this.#reader?.reading?.trace.tokens ?? []) {
      if (id === event.detail.id && p > 0) {
        this.#begin();
        this.#moveTo({ u: Math.min(U_MAX, walked + p / 2) });
      }
      walked += p;
    }
  }

  /** @param {CustomEvent} event */
  #onBias({ detail: { id, bias } }) {
    const { [id]: _, ...others } = this.#settings.logit_bias ?? {};
    const added = bias === null || bias === 0 ? {} : { [id]: bias };
    this.#set({ logit_bias: { ...others, ...added } });
  }

  /** @param {'svg' | 'png'} kind */
  #save(kind) {
    const row = /** @type {TableRow} */ (this.#row);
    const reading = this.#reader?.reading;
    const { named, look } = /** @type {Picture} */ (this.#picture);
    if (!reading) return;
    const picture = {
      named,
      look,
      share: this.#share,
      u: this.#u,
      drawn: reading.drawn.id,
      title: `${this.given ? '' : this.prompt}${this.#reader?.written?.text ?? ''}`,
      about: this.#headline(row),
      axis: axisOf(row),
    };
    savePicture(`landscape-${row.name}`, kind, picture);
  }

  // What it looks like.

  /** @param {TableRow} row */
  #headline(row) {
    return `${symbolOf(row.name)} = ${this.#shownValue(row)}`;
  }

  /** The knob's value; while it runs by itself with a fixed width. @param {TableRow} row */
  #shownValue(row) {
    const value = this.#value;
    return this.playing && row.kind === 'real' ? fixed(value, 2) : plain(round(value));
  }

  render() {
    const row = this.#row;
    const trouble = this.#promptFault ?? this.#reader?.fault ?? this.fault;
    return html`
      <h2 class="visually-hidden">${t('view.landscape')}</h2>
      <div class="colours" aria-hidden="true" @transitionend=${() => this.#refit()}>
        ${COLOURS.map((name) => html`<i class=${name}></i>`)}</div>
      <div class="frame">
        <p class="sentence"></p>
        <div class="stage">
          <div class="picture">
            ${this.#renderPlot(row)}
            <div class="axis" aria-hidden="true">${row ? axisOf(row).map(renderMark) : nothing}</div>
          </div>
          <div class="side">
            <div class="headline">${row ? this.#renderHeadline(row) : nothing}</div>
            <div class="bars"><canvas aria-hidden="true"></canvas></div>
          </div>
        </div>
        ${trouble ? html`<p class="error" role="alert">${sentence(trouble, this)}</p>` : nothing}
        <div class="acts">${row ? this.#renderActs(row) : nothing}</div>
      </div>
      ${row && this.all ? this.#renderAll(row) : nothing}
      ${row ? this.#renderTable(row) : nothing}
      <p class="visually-hidden" role="status">${this.#hand.holds || this.playing ? '' : this.#spoken()}</p>
    `;
  }

  /** @param {TableRow | undefined} row */
  #renderPlot(row) {
    const { onDown, onMove, onUp, onLeave } = this.#hand;
    return html`
      <div class="plot" role="group" aria-label=${t('landscape.picture')}
        @pointerdown=${onDown} @pointermove=${onMove} @pointerup=${onUp} @pointercancel=${onUp}
        @pointerleave=${onLeave} @logit-force=${this.#onForce} @logit-bias=${this.#onBias}>
        <canvas class="rivers" aria-hidden="true"></canvas>
        <canvas class="lit" aria-hidden="true"></canvas>
        <i class="line-u"></i>
        <canvas class="names" aria-hidden="true"></canvas>
        <canvas class="strip" aria-hidden="true"></canvas>
        <i class="cross"></i>
        ${this.#renderHandles(row)} ${this.#renderTip()} ${this.#renderMenu()}
      </div>`;
  }

  /** @param {TableRow | undefined} row */
  #renderHandles(row) {
    const u = this.#u ?? 0;
    const drawn = this.#drawnWords();
    const value = row ? this.#value : 0;
    return html`
      <div class="handle knob" role="slider" tabindex="0" aria-orientation="horizontal"
        aria-label=${settingName(row?.name ?? 'temperature')} aria-valuemin=${row?.low ?? 0}
        aria-valuemax=${row?.high ?? 0} aria-valuenow=${value}
        aria-valuetext=${row ? `${valueInWords(row, value)}; ${drawn}` : ''}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, 'knob')}><i></i></div>
      <div class="handle u" role="slider" tabindex="0" aria-orientation="vertical"
        aria-label=${t('landscape.u')} aria-valuemin="0" aria-valuemax="1" aria-valuenow=${u}
        aria-valuetext=${`u = ${fixed(u, 4)}; ${drawn}`}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#onKey(event, 'u')}>
        <i></i><b aria-hidden="true">u = ${fixed(u, 2)}</b></div>`;
  }

  /** What is drawn, in words. */
  #drawnWords() {
    const drawn = this.#reader?.reading?.drawn;
    if (!drawn) return '';
    const { id, p, rank } = drawn;
    return t('landscape.drawn', { token: this.#nameOf(id), p: percent(p), rank });
  }

  /** What a screen reader is told once a hand rests. */
  #spoken() {
    const row = this.#row;
    if (!row || !this.#reader?.reading) return '';
    const text = this.#reader.written?.text ?? '';
    return `${settingName(row.name)} ${valueInWords(row, this.#value)}. ${this.#drawnWords()} ${text}`;
  }

  #renderTip() {
    const point = this.#hand.pointed;
    const river = this.#hand.holds || this.menu ? null : this.#picture?.at(point);
    const landscape = this.#reader?.landscape;
    const row = this.#row;
    if (!river || !point || !landscape || !row) return html`<p class="tip" hidden></p>`;
    const { width, height } = /** @type {Picture} */ (this.#picture).look;
    const { values, top, ids, p } = landscape;
    const at = Math.round(point.share * (values.length - 1));
    const { id } = river.river;
    const k = ids.subarray(at * top, (at + 1) * top).indexOf(id);
    const share = river.rank < 0 ? 1 - river.river.before[at] : k < 0 ? 0 : p[at * top + k];
    const words =
      river.rank < 0
        ? t('landscape.ground', { p: percent(share) })
        : t('landscape.river', { token: this.#nameOf(id), p: percent(share), rank: k + 1 });
    const x = point.share * width;
    const y = point.u * height;
    const left = point.share > 0.6 ? `calc(${x}px - 100% - 14px)` : `${x + 14}px`;
    const down = point.u > 0.75 ? `calc(${y}px - 100% - 10px)` : `${y + 14}px`;
    return html`<p class="tip" ${cssom({ transform: `translate(${left}, ${down})` })}>
      <b>${words}</b> ${symbolOf(row.name)} = ${plain(round(values[at]))}</p>`;
  }

  #renderMenu() {
    if (!this.menu) return nothing;
    const { id, x, y } = this.menu;
    const { width, height } = /** @type {Picture} */ (this.#picture).look;
    const name = this.#nameOf(id);
    return html`
      <logit-token-menu .name=${name} .spoken=${name} .token=${id}
        .bias=${this.#settings.logit_bias?.[id] ?? 0} .x=${clamp(x, 0, Math.max(0, width - 240))}
        .y=${clamp(y, 0, Math.max(0, height - 200))} @logit-menu-close=${this.#closeMenu}></logit-token-menu>`;
  }

  /** @param {CustomEvent} event */
  #closeMenu({ detail: { refocus } }) {
    this.menu = null;
    const knob = this.renderRoot.querySelector('.handle.knob');
    if (refocus) /** @type {HTMLElement} */ (knob).focus();
  }

  /** @param {TableRow} row */
  #renderHeadline(row) {
    const trace = this.#reader?.reading?.trace;
    const [box, u] = [this.#box, this.#uBox];
    const error = box.error || u.error;
    const unlike = this.#picture?.unlike(this.#share) ?? null;
    const about =
      unlike !== null
        ? t('landscape.unlike', { p: percent(Math.max(0, unlike)) })
        : this.#gumbel
          ? t('landscape.gumbel')
          : trace && t('landscape.about', { bits: measure(trace.entropy) });
    return html`
      <label class="big ${row.name === 'temperature' ? '' : 'long'}"><span>${symbolOf(row.name)} =</span>
        <input inputmode="decimal" autocomplete="off" size="4" aria-label=${settingName(row.name)}
          aria-invalid=${box.error !== ''} .value=${box.text ?? this.#shownValue(row)}
          @input=${box.onInput} @change=${box.onChange}></label>
      <label class="die" ?hidden=${this.#gumbel}><span>u =</span>
        <input inputmode="decimal" autocomplete="off" size="6" aria-label=${t('landscape.u')}
          aria-invalid=${u.error !== ''} .value=${u.text ?? fixed(this.#u ?? 0, 4)}
          @input=${u.onInput} @change=${u.onChange}></label>
      <p class="about ${error ? 'error' : ''}">${error || about}</p>`;
  }

  /** @param {TableRow} row */
  #renderActs({ name, low, high }) {
    return html`
      <div class="go">
        <button class="primary play" data-command="play" @click=${this.#play}>
          ${this.playing ? t('landscape.stop') : t('landscape.play')}
          <span class="range">${plain(low)} → ${plain(high)}</span></button>
        <button data-command="roll" @click=${this.#roll}>${t('landscape.roll')}</button>
      </div>
      <div class="more">
        <button data-command="rain" @click=${this.#drawMany}>× ${number(DRAWS)}</button>
        ${Object.keys(CHIPS).map((each) => (each === name ? nothing : this.#renderChip(each)))}
        ${this.#renderSwap()}
        <button data-command="all" aria-expanded=${this.all}
          @click=${() => (this.all = !this.all)}>${t('landscape.all')}</button>
        <label class="axis-of"><span class="label" aria-hidden="true">${t('landscape.knob')}</span>
          <select aria-label=${t('landscape.knob')} .value=${name}
            @change=${(/** @type {any} */ { target }) => this.#choose(target.value)}>
            ${this.#knobs.map(
              (each) =>
                html`<option value=${each.name} ?selected=${each.name === name}>${settingName(each.name)}</option>`,
            )}
          </select></label>
        <span class="save">
          <button data-command="svg" @click=${() => this.#save('svg')}>SVG</button>
          <button data-command="png" @click=${() => this.#save('png')}>PNG</button></span>
      </div>`;
  }

  /** @param {string} name */
  #renderChip(name) {
    const row = this.#knobs.find((each) => each.name === name);
    if (!row) return nothing;
    const value = Number(this.#settings[name] ?? row.neutral);
    const on = value !== row.neutral;
    const words = settingName(name);
    return html`<button data-chip=${name} aria-pressed=${on}
      @click=${() => this.#set({ [name]: on ? row.neutral : CHIPS[name] })}>${
        on ? `${words} ${plain(round(value))}` : `+ ${words}`
      }</button>`;
  }

  #renderSwap() {
    const settings = this.#settings;
    // Its place is kept, so that nothing moves when there is an order to swap.
    return html`<button data-command="swap" ?disabled=${!canSwap(settings)}
      aria-pressed=${isSwapped(settings.order, this.#table)}
      @click=${this.#swap}>${t('landscape.swap')}</button>`;
  }

  /** @param {TableRow} knob */
  #renderAll(knob) {
    return renderStages({
      rows: this.#knobs.filter(({ name, warper }) => warper && name !== knob.name),
      settings: this.#settings,
      stages: this.#reader?.reading?.trace.stages ?? [],
      set: (name, value) => this.#set({ [name]: value }),
    });
  }

  /** @param {TableRow} row */
  #renderTable(row) {
    const reading = this.#reader?.reading;
    const u = this.#u;
    return html`
      <details class="numbers" @toggle=${(/** @type {any} */ { target }) => (this.tabled = target.open)}>
        <summary>${t('landscape.table')}</summary>
        ${
          this.tabled && reading
            ? renderTable({
                ...rowsOf(reading.trace, reading.drawn, ROWS),
                caption: this.#headline(row) + (u === null ? '' : `, u = ${fixed(u, 6)}`),
                nameOf: this.#nameOf,
                tally: this.#rain.tally,
              })
            : nothing
        }
      </details>`;
  }
}

/** @param {import('./words.js').Mark} mark */
function renderMark({ share, value, word }) {
  const end = share === 0 ? 'low' : share === 1 ? 'high' : '';
  return html`<span class=${end} ${cssom({ left: `${share * 100}%` })}>${value}<small>${word}</small></span>`;
}

define('logit-landscape', LogitLandscape);
