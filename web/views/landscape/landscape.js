/**
 * <logit-landscape>: one knob from end to end, and the random number u. Where their lines cross is the
 * token that is drawn, always by the engine's own draw there; above stands the new text. Asks
 * with "logit-set" and "logit-seed" once a hand rests; emits "logit-choose" with knob and u, and
 * "logit-deed" at once for each action; `outcome` tells its effect.
 */
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { locales } from '#locales/landscape';
import { sentence } from '../../base/faults.js';
import { define } from '../../base/element.js';
import { ModelElement } from '../../base/model-element.js';
import { Debounce } from '../../base/debounce.js';
import { settingName, valueInWords } from '../../base/setting-words.js';
import { addMessages, fixed, percent, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { initialChoices, sameValue } from '../../state/fields.js';
import { LandscapeReader } from '../../state/landscape.js';
import { renderActs } from './acts.js';
import { Hand, U_MAX, keyMove } from './hand.js';
import { renderHandles } from './handles.js';
import { Headline, shownValue } from './headline.js';
import { Knob } from './knob.js';
import landscapeStyles from './landscape.css';
import { Names } from './names.js';
import { COLOURS, NAMED, Picture } from './picture.js';
import { DRAWS, Rain } from './rain.js';
import { Run } from './run.js';
import { savePicture } from './save.js';
import { paintSlice, rowsOf } from './slice.js';
import { renderStages } from './stages.js';
import { Subject } from './subject.js';
import { swapped } from './swap.js';
import { renderTable } from './table.js';
import { renderTip } from './tip.js';
import { axisOf, symbolOf } from './words.js';
import { tailOf, writeSentence } from './sentence.js';

addMessages(locales);

/**
 * @typedef {import('../../engine/types.js').TableRow} TableRow
 * @typedef {import('./hand.js').Point} Point
 *
 * The facts where the lines cross.
 * @typedef {object} Outcome
 * @property {string} knob
 * @property {number} share where the knob is, 0 to 1
 * @property {string} others the other settings
 * @property {number | null} u
 * @property {number} id of the drawn token
 * @property {string} token its name
 * @property {{ token: string, p: number }} best the most probable one
 * @property {number | null} draws how often `best` came in a thousand draws; null before them
 * @property {number} dropped how many tokens top-p takes out
 * @property {number | null} unlike share of u at which the compared order draws
 *   another token; null without a comparison
 */

/** How many bars there are, lying and standing. */
const ROWS = 12;
/** The height of a token's menu, in pixels. */
const MENU = 210;
/** How often numbers and the text are written anew while something moves. */
const READOUT_MS = 100;
const TEXT_MS = 100;
/** How long a hand rests until the page is told. */
const REST_MS = 300;

const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class LogitLandscape extends ModelElement {
  static properties = {
    ...ModelElement.properties,
    knob: {},
    u: { type: Number },
    seed: { type: Number },
    given: { attribute: false },
    first: { attribute: false },
    bare: { type: Boolean },
    playing: { state: true },
    film: { state: true },
    all: { state: true },
    menu: { state: true },
    tabled: { state: true },
  };

  static styles = [...ModelElement.styles, landscapeStyles];

  /** @type {LandscapeReader | null} */
  #reader = null;
  /** @type {Subject | null} */
  #subject = null;
  #names = new Names();
  /** @type {import('../../state/first-frame.js').FirstFrame | null} */
  #first = null;
  #knob = new Knob(this);

  /** What was asked for last. */
  #asked = '';
  /** @type {import('../../state/landscape.js').Crossing | null} */
  #at = null;
  /** Everything but the crossing, since two landscapes are held against each other. @type {string | null} */
  #heldAt = null;
  #debounce = new Debounce();

  /** @type {Picture | null} */
  #picture = null;
  #rain = new Rain();
  #hand = new Hand(this.#handOwner());
  /** What followed when the last change began. @type {number[] | null} */
  #before = null;
  /** The knob by itself; a test has it run faster. */
  run = new Run();

  #frame = 0;
  #said = 0;
  #written = 0;
  /** What the text and the bars do not show yet. */
  #stale = { text: false, bars: false };
  /** The drawn token that the text has. @type {number | null} */
  #shownDrawn = null;
  /** The numbers beside the bars, until they are written anew. @type {Map<number | undefined, string>} */
  #numbers = new Map();
  /** The token whose bar is at a place. @type {(x: number, y: number) => number | undefined} */
  #tokenAt = () => undefined;
  /** Where the knob that plays came from; a null value is the page's. @type {{ name: string, value: number | null } | null} */
  #home = null;
  /** The knob's value when a drag began. */
  #from = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #readout;
  #resized = new ResizeObserver(() => this.#refit());

  #headline = new Headline(
    this,
    () => this.#knob.row,
    (to) => this.#move(to),
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
    /** Logits in place of a model's. @type {import('./subject.js').Given | null} */
    this.given = null;
    /** What shows until an engine has read the same. @type {import('../../state/first-frame.js').FirstFrame | null} */
    this.first = null;
    /** Whether there is nothing but the knob that it shows. */
    this.bare = false;
    this.playing = false;
    /** What is recorded while the knob runs. @type {import('./film.js').Film | null} */
    this.film = null;
    this.all = false;
    /**
     * The token of the menu, its place, and the element that gets the focus after it.
     * @type {{ id: number, x: number, y: number, from: HTMLElement | null } | null}
     */
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
    this.#goHome();
    this.film = null;
    this.menu = null;
  }

  #leave() {
    this.#reader?.close();
    this.#reader = null;
    this.#subject?.close();
    this.#subject = null;
    this.#asked = '';
    this.#names.begin(null, this.#first?.pieces);
    this.#rain.clear();
    if (!this.#first) this.#picture?.forget();
  }

  /** What shows: what was read, or what is there before anything can be. */
  get #read() {
    return this.#reader ?? this.#first;
  }

  /** @param {import('../../engine/remote.js').RemoteLogitscope} engine */
  async opened(engine) {
    this.#leave();
    const subject = await Subject.open(engine, this.given);
    if (engine !== this.engine) return subject.close();
    this.#subject = subject;
    this.#names.begin(subject.source, this.#first?.pieces);
    this.#reader = new LandscapeReader(
      subject.source,
      subject.writer,
      engine.table,
      (what) => this.#onRead(what),
      this.#first?.landscape ? this.#first : null,
    );
    this.#first = null;
    this.requestUpdate();
  }

  /** Whether something is under way that will show. */
  get busy() {
    if (!this.engine) return false;
    const reading = !this.fault && (!this.#reader || this.#reader.busy || this.#unread);
    return (
      reading ||
      this.playing ||
      this.film !== null ||
      this.#frame !== 0 ||
      this.#readout !== undefined
    );
  }

  /**
   * The facts where the lines cross, for the tour; null until they are read.
   * @returns {Outcome | null}
   */
  get outcome() {
    const reading = this.#reader?.reading;
    const token = this.#names.of(reading?.drawn.id ?? NaN);
    if (!reading || reading.at !== this.#at || !token) return null;
    const { trace, drawn, at } = reading;
    const { [at.knob]: _, seed: __, ...others } = /** @type {Record<string, any>} */ (at.settings);
    const { low, high } = /** @type {TableRow} */ (this.#knob.row);
    const best = trace.tokens.reduce((first, token) => (token.p > first.p ? token : first));
    const { tally } = this.#rain;
    const share = (at.value - low) / (high - low);
    return {
      knob: at.knob,
      share,
      others: JSON.stringify(others),
      u: drawn.u,
      id: drawn.id,
      token,
      best: { token: this.#names.of(best.id), p: best.p },
      draws: tally?.total === DRAWS ? (tally.counts.get(best.id)?.n ?? 0) : null,
      dropped: trace.stages.find(({ name }) => name === 'top_p')?.removed ?? 0,
      unlike: this.#reader?.busy ? null : (this.#picture?.unlike(share) ?? null),
    };
  }

  /** Whether there is another prompt than the one that was read. */
  get #unread() {
    return this.#subject?.lacks(this.prompt_ids ?? this.prompt) ?? false;
  }

  async #encode() {
    const subject = /** @type {Subject} */ (this.#subject);
    const taken = await subject.take(this.prompt_ids ?? this.prompt);
    if (taken && subject === this.#subject) this.requestUpdate();
  }

  /** The engine's table of settings. @returns {TableRow[]} */
  get table() {
    return this.engine?.table ?? this.#first?.table ?? [];
  }

  get #gumbel() {
    return this.#knob.settings.draw === 'gumbel';
  }

  /** The number that decides; null where none is walked to. */
  get #u() {
    return this.#gumbel ? null : (this.u ?? this.#read?.reading?.drawn.u ?? null);
  }

  /** Asks for what shows where the lines cross now, if that was not asked for. */
  #ask() {
    const [subject, row] = [this.#subject, this.#knob.row];
    if (!this.#reader || !subject || !row || this.#unread || subject.empty) return;
    const { value } = this.#knob;
    const settings = { ...this.#knob.settings, [row.name]: value };
    this.#keepHeld(row.name, settings);
    const at = { ids: subject.ids, settings, knob: row.name, value, u: this.u };
    // The page names the same settings in another order.
    const key = JSON.stringify({ ...at, settings: Object.entries(settings).sort() });
    if (key === this.#asked) return;
    if (this.#at && this.#at.knob !== at.knob) this.#picture?.forget();
    this.#asked = key;
    this.#at = at;
    this.#rain.clear();
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
    const at = JSON.stringify([this.#subject?.ids, knob, Object.entries(others).sort()]);
    if (this.#heldAt === '') this.#heldAt = at;
    if (this.#heldAt === at) return;
    this.#heldAt = null;
    this.#picture?.release();
  }

  /** @param {'landscape' | 'reading' | 'text' | 'course' | 'fault'} what */
  async #onRead(what) {
    const { landscape, fine, reading } = /** @type {LandscapeReader} */ (this.#reader);
    if (what === 'landscape' && landscape) {
      const first = new Set(landscape.ids.filter((_, k) => k % landscape.top < NAMED));
      await this.#names.fetch(first);
      this.#picture?.take(landscape, fine && !calm());
    }
    if (what === 'reading' && reading) {
      const { tokens } = reading.trace;
      await this.#names.fetch([reading.drawn.id, ...tokens.slice(0, ROWS).map(({ id }) => id)]);
      this.#stale = { bars: true, text: true };
    }
    if (what === 'text') this.#stale.text = true;
    this.#schedule();
    this.#say();
  }

  // When what changes.

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    super.willUpdate(changed);
    const heard = this.engine && /** @type {Record<string, any>} */ ({ ...this.asked });
    if (heard && !sameValue(heard, this.#knob.given)) {
      const { order } = this.#knob.settings;
      if (heard.order && !sameValue(heard.order, order)) this.#hold();
      const home = this.#home;
      if (home && heard[home.name] !== this.#knob.given?.[home.name]) home.value = null;
      this.#knob.yield(this.#hand.holds || this.playing);
      this.#knob.given = heard;
    }
    if (['prompt', 'knob', 'seed', 'model'].some((name) => changed.has(name))) this.#before = null;
    if (changed.has('knob')) {
      this.#goHome();
      if (!this.#reader) this.#picture?.forget();
    }
    if (!changed.has('first') || !this.first || this.engine) return;
    this.#first = this.first;
    this.#names.begin(null, this.first.pieces);
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
    if (changed.has('first') && this.#first) this.#showFirst(this.#first);
    if (this.#unread && this.prompt !== undefined) this.#encode();
    this.#numbers.clear();
    this.#stale.bars = true;
    this.#schedule();
  }

  /** @param {import('../../state/first-frame.js').FirstFrame} first */
  #showFirst({ landscape }) {
    if (landscape) this.#picture?.take(landscape, false);
    this.#writeText(performance.now());
    this.#draw(performance.now());
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
    if (!picture || !this.#knob.row) return;
    if (this.playing) this.#playOn(now);
    this.#ask();
    if (!this.#hand.holds && !this.playing) this.#reader?.follow();
    const reading = this.#read?.reading;
    if (!reading) {
      // There is nothing that a knob could run over.
      this.#goHome();
      this.film = null;
      return;
    }
    picture.paint(
      now,
      {
        share: this.#knob.share,
        u: this.#u,
        trace: reading.trace,
        drawn: reading.drawn.id,
        course: this.#reader?.course ?? null,
        pointed: this.#hand.holds ? null : this.#hand.pointed,
        drops: this.#rain.drops,
      },
      {
        nameOf: this.#names.of,
        others: t('landscape.rest'),
        size: reading.trace.vocab_size,
      },
    );
    if (this.#stale.bars) this.#paintBars(reading);
    // The drawn token changes with the bars, the others in their own time.
    const other = this.#shownDrawn !== reading.drawn.id;
    const early = this.#stale.text && !other && now - this.#written < TEXT_MS;
    if (this.#stale.text && !early) this.#writeText(now);
    this.#takeFrame();
    if (early || this.playing || picture.moving || this.#rain.falling) this.#schedule();
  }

  /** @param {import('../../state/landscape.js').Reading} reading */
  #paintBars({ trace, drawn }) {
    this.#stale.bars = false;
    const { look, side } = /** @type {Picture} */ (this.#picture);
    const { tally } = this.#rain;
    this.#tokenAt = paintSlice(
      /** @type {HTMLCanvasElement} */ (this.renderRoot.querySelector('.bars canvas')),
      {
        look: { ...look, ...side },
        trace,
        drawn,
        nameOf: this.#names.of,
        others: (n) => (n ? t('landscape.others', { n }) : t('landscape.rest')),
        counted: tally && ((id) => (tally.counts.get(id)?.n ?? 0) / tally.total),
        said: this.#numbers,
      },
    );
  }

  get #eos() {
    return this.engine?.info?.eos_token_id ?? this.#first?.eos;
  }

  /** The drawn token is that of the bars; what follows it comes as it is written, and ends with the end token. */
  get #words() {
    const { written, reading } = this.#read ?? {};
    const [first, ...others] = written?.steps ?? [];
    if (!first || !reading || first.id === reading.drawn.id) return written?.steps ?? [];
    const { id } = reading.drawn;
    const now = { id, text: this.#names.textOf(id) };
    return id === this.#eos ? [now] : [now, ...others];
  }

  /** @param {number} now */
  #writeText(now) {
    this.#stale.text = false;
    this.#written = now;
    this.#shownDrawn = this.#read?.reading?.drawn.id ?? null;
    const into = /** @type {HTMLElement} */ (this.renderRoot.querySelector('.sentence'));
    const words = this.#words.map(({ id, text }) => ({ id, text, end: id === this.#eos }));
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
    const { name } = /** @type {TableRow} */ (this.#knob.row);
    if (value !== undefined) this.#knob.moved = { ...this.#knob.moved, [name]: value };
    if (u !== undefined) this.u = u;
    this.emit('logit-deed');
    this.#schedule();
    this.#say();
    if (told) this.#debounce.schedule(REST_MS, () => this.#tell());
  }

  /** Tells the page where the lines are. */
  #tell() {
    this.#debounce.cancel();
    const { logit_bias: _, seed, order, ...settings } = this.#knob.moved;
    // A knob that plays returns to its value in the page.
    if (this.#home) delete settings[this.#home.name];
    if (order !== undefined) this.emit('logit-order', { order });
    if (seed !== undefined) this.emit('logit-seed', { seed });
    if (Object.keys(settings).length > 0) this.emit('logit-set', settings);
    this.emit('logit-choose', { u: this.u });
  }

  /** Keeps what follows now, so that a change can be told from it. */
  #begin() {
    this.#before = this.#reader?.written?.ids ?? null;
    this.#from = this.#knob.value;
  }

  /** @param {Partial<Point>} to */
  #moveTo({ share, u }) {
    this.#move({
      ...(share === undefined ? {} : { value: this.#knob.valueAt(share) }),
      ...(u === undefined || this.#gumbel ? {} : { u }),
    });
  }

  /** @returns {import('./hand.js').Owner} */
  #handOwner() {
    const crossing = () => ({ share: this.#knob.share, u: this.#u ?? 0 });
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
      cancel: () => this.#move({ value: this.#from }),
      press: (point) => {
        this.#stopPlay();
        this.#begin();
        this.#moveTo(point);
      },
      look: () => {
        this.#schedule();
        this.#say();
      },
    };
  }

  /** @param {MouseEvent} event on a name or a bar */
  #onBar({ offsetX, offsetY, clientX, clientY }) {
    const id = this.#tokenAt(offsetX, offsetY);
    if (id !== undefined) this.#openMenu(id, clientX, clientY);
  }

  /** The menu of a river; of the drawn token where a key asks for it. @param {MouseEvent} event */
  #onContext(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const river = this.#picture?.at(this.#hand.pointed);
    const id = target.closest('.handle')
      ? this.#reader?.reading?.drawn.id
      : river && river.rank >= 0
        ? river.river.id
        : undefined;
    if (id === undefined) return;
    event.preventDefault();
    this.#openMenu(id, event.clientX, event.clientY);
  }

  /** @param {number} id @param {Event} event on its button in the table */
  #onToken(id, { currentTarget }) {
    const { left, bottom } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
    this.#openMenu(id, left, bottom);
  }

  /**
   * @param {number} id
   * @param {number} x
   * @param {number} y in the window
   */
  async #openMenu(id, x, y) {
    this.#stopPlay();
    const from = /** @type {HTMLElement | null} */ (this.shadowRoot?.activeElement ?? null);
    await Promise.all([import('../../panels/text/token-menu.js'), this.#names.fetch([id])]);
    const { left, top } = this.getBoundingClientRect();
    const low = Math.min(y, innerHeight - MENU);
    if (this.#picture) this.menu = { id, x: x - left, y: low - top, from }; // the view takes the menu away with it
  }

  /** @param {KeyboardEvent} event @param {'knob' | 'u'} which */
  #onKey(event, which) {
    const crossing = { share: this.#knob.share, u: this.#u ?? 0 };
    const to = keyMove(event, which, crossing, this.#knob.stride);
    if (!to) return;
    event.preventDefault();
    this.#stopPlay();
    if (!event.repeat) this.#begin();
    this.#moveTo(to);
  }

  #play() {
    if (this.playing) return this.#stopPlay();
    this.#begin();
    this.#tell();
    const { name } = /** @type {TableRow} */ (this.#knob.row);
    this.#home = { name, value: this.#knob.value };
    this.run.begin(performance.now());
    this.playing = true;
    this.#schedule();
  }

  /** @param {number} now */
  #playOn(now) {
    const row = /** @type {TableRow} */ (this.#knob.row);
    const { value, ended } = this.run.at(now, calm(), row);
    if (!ended) return value === this.#knob.value ? undefined : this.#move({ value }, false);
    this.#goHome();
    this.#say();
  }

  /** Ends play with the knob where it was before. */
  #goHome() {
    this.playing = false;
    if (!this.#home) return;
    const { name, value } = this.#home;
    const { [name]: _, ...others } = this.#knob.moved;
    this.#knob.moved = value === null ? others : { ...others, [name]: value };
    this.#home = null;
  }

  /** Ends play with the knob where the reader stops it. */
  #stopPlay() {
    if (!this.playing) return;
    this.playing = false;
    this.#home = null;
    this.#move({ value: this.#knob.valueAt(this.#knob.share) });
  }

  async #record() {
    if (this.playing) return this.#stopPlay();
    const { Film } = await import('./film.js');
    if (!this.#picture) return;
    this.film = new Film(this.renderRoot, this.#picture.look);
    this.#play();
  }

  /** What stands there, as the next frame of what is recorded; the last one once the knob rests. */
  #takeFrame() {
    const { film } = this;
    const { row } = this.#knob;
    if (!film || !row) return;
    film.take({
      look: /** @type {Picture} */ (this.#picture).look,
      share: this.#knob.share,
      u: this.#u,
      prompt: this.given ? '' : tailOf(this.prompt),
      words: this.#words.map(({ text }) => text),
      about: `${this.#valueWords(row)}${this.#u === null ? '' : `, u = ${fixed(this.#u, 4)}`}`,
    });
    if (this.playing || this.#reader?.busy || this.#stale.text) return;
    this.film = null;
    film.save(`landscape-${row.name}`);
  }

  #roll() {
    this.u = null;
    this.#set({ seed: (this.#knob.settings.seed + 1) % 2 ** 53 });
  }

  async #drawMany() {
    // What was pressed just before comes first.
    do await new Promise(requestAnimationFrame);
    while (this.#reader && !this.#reader.fault && this.#reader.reading?.at !== this.#at);
    const reading = this.#reader?.reading;
    if (!reading || !this.#subject) return;
    await this.#rain.fall(reading, this.#subject.source, calm(), () => {
      this.#stale.bars = true;
      this.#schedule();
    });
    // Done once all have fallen, unless something else came before.
    if (this.#rain.tally?.total === DRAWS) this.emit('logit-deed');
    this.requestUpdate();
  }

  /** @param {Record<string, any>} patch */
  #set(patch) {
    this.#begin();
    this.#knob.moved = { ...this.#knob.moved, ...patch };
    this.emit('logit-deed');
    this.#schedule();
    this.#say();
    this.#debounce.schedule(REST_MS, () => this.#tell());
  }

  /** The next landscape is held against this one. */
  #hold() {
    this.#heldAt = '';
    this.#picture?.hold();
  }

  /** Temperature and top-p in each other's place, held against what was before. */
  #swap() {
    this.#hold();
    this.#set({ order: swapped(this.#knob.settings.order, this.table) });
  }

  /** @param {string} knob */
  #choose(knob) {
    this.#stopPlay();
    this.knob = knob;
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
    const { [id]: _, ...others } = this.#knob.settings.logit_bias ?? {};
    const added = bias === null || bias === 0 ? {} : { [id]: bias };
    this.#set({ logit_bias: { ...others, ...added } });
  }

  /** @param {'svg' | 'png'} kind */
  #save(kind) {
    const row = /** @type {TableRow} */ (this.#knob.row);
    const reading = this.#reader?.reading;
    const { named, look } = /** @type {Picture} */ (this.#picture);
    if (!reading) return;
    const picture = {
      named,
      course: this.#reader?.course ?? null,
      look,
      share: this.#knob.share,
      u: this.#u,
      drawn: reading.drawn.id,
      title: `${this.given ? '' : this.prompt}${this.#reader?.written?.text ?? ''}`,
      about: this.#valueWords(row),
      axis: axisOf(row),
    };
    savePicture(`landscape-${row.name}`, kind, picture);
  }

  /**
   * Presses one of its buttons, for who does not see it.
   * @param {{ button: string, first?: string }} which selectors; what the first does is waited for
   */
  async press({ button, first }) {
    const at = (/** @type {string} */ selector) =>
      /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(selector));
    const before = first && at(first);
    if (before) {
      before.click();
      while (this.busy && this.isConnected) await new Promise(requestAnimationFrame);
      await this.updateComplete;
    }
    at(button)?.click();
  }

  // What it looks like.

  /** @param {TableRow} row */
  #valueWords(row) {
    return `${symbolOf(row.name)} = ${shownValue(row, this.#knob.value, this.playing)}`;
  }

  render() {
    const row = this.#knob.row;
    const trouble = this.#subject?.fault ?? this.#reader?.fault ?? this.fault;
    return html`
      <h2 class="visually-hidden">${t('view.landscape')}</h2>
      <div class="colours" aria-hidden="true" @transitionend=${() => this.#refit()}>
        ${COLOURS.map((name) => html`<i class=${name}></i>`)}</div>
      <div class="frame" ?inert=${!this.engine}>
        <p class="sentence" translate="no" dir="auto" ?hidden=${this.given !== null}></p>
        <div class="stage">
          <div class="picture">
            ${this.#renderPlot(row)}
            <div class="axis" aria-hidden="true" translate="no">${row ? axisOf(row).map(renderMark) : nothing}</div>
          </div>
          <div class="side">
            <div class="headline">${row ? this.#renderHeadline(row) : nothing}</div>
            <div class="bars"><canvas aria-hidden="true" @click=${this.#onBar}></canvas></div>
          </div>
        </div>
        ${trouble ? html`<p class="error" role="alert">${sentence(trouble, this)}</p>` : nothing}
        <div class="acts">${row ? this.#renderActs(row) : nothing}</div>
      </div>
      ${row && this.all ? this.#renderAll(row) : nothing}
      <div class="below">${row ? [this.#renderTable(row), this.#renderCaption(row)] : nothing}</div>
      ${this.#renderMenu()}
      <p class="visually-hidden" role="status">${this.#hand.holds || this.playing ? '' : this.#spoken()}</p>
    `;
  }

  /** @param {TableRow | undefined} row */
  #renderPlot(row) {
    const { onDown, onMove, onUp, onLeave } = this.#hand;
    return html`
      <div class="plot ${this.#read?.reading ? '' : 'empty'}" role="group" aria-label=${t('landscape.picture')}
        @pointerdown=${onDown} @pointermove=${onMove} @pointerup=${onUp} @pointercancel=${onUp}
        @pointerleave=${onLeave} @contextmenu=${this.#onContext}>
        <canvas class="rivers" aria-hidden="true"></canvas>
        <canvas class="lit" aria-hidden="true"></canvas>
        <i class="line-u"></i>
        <canvas class="names" aria-hidden="true"></canvas>
        <canvas class="strip" aria-hidden="true"></canvas>
        <i class="cross"></i>
        ${this.#renderHandles(row)} ${this.#renderTip()}
      </div>`;
  }

  /** @param {TableRow | undefined} row */
  #renderHandles(row) {
    return renderHandles({
      row,
      value: row ? this.#knob.value : 0,
      u: this.#u ?? 0,
      drawn: this.#drawnWords(),
      onKey: (event, which) => this.#onKey(event, which),
    });
  }

  /** What is drawn, in words. */
  #drawnWords() {
    const drawn = this.#read?.reading?.drawn;
    if (!drawn) return '';
    const { id, p, rank } = drawn;
    return t('landscape.drawn', { token: this.#names.of(id), p: percent(p), rank });
  }

  /** What a screen reader is told once a hand rests. */
  #spoken() {
    const row = this.#knob.row;
    if (!row || !this.#reader?.reading) return '';
    const text = this.#reader.written?.text ?? '';
    return `${settingName(row.name)} ${valueInWords(row, this.#knob.value)}. ${this.#drawnWords()} ${text}`;
  }

  #renderTip() {
    const point = this.#hand.pointed;
    const river = this.#hand.holds || this.menu ? null : this.#picture?.at(point);
    const landscape = this.#reader?.landscape;
    const knob = this.#knob.row?.name;
    if (!river || !point || !landscape || !knob) return renderTip(null);
    const { look } = /** @type {Picture} */ (this.#picture);
    const { share } = this.#knob;
    return renderTip({ point, river, landscape, look, knob, share, nameOf: this.#names.of });
  }

  #renderMenu() {
    if (!this.menu) return nothing;
    const { id, x, y } = this.menu;
    const name = this.#names.of(id);
    return html`
      <logit-token-menu .name=${name} .spoken=${name} .token=${id}
        .bias=${this.#knob.settings.logit_bias?.[id] ?? 0} .x=${x} .y=${y} @logit-force=${this.#onForce}
        @logit-bias=${this.#onBias} @logit-menu-close=${this.#closeMenu}></logit-token-menu>`;
  }

  /** @param {CustomEvent} event */
  #closeMenu({ detail: { refocus } }) {
    const from = this.menu?.from ?? this.renderRoot.querySelector('.handle.knob');
    this.menu = null;
    if (refocus) /** @type {HTMLElement} */ (from).focus();
  }

  /** @param {TableRow} row */
  #renderHeadline(row) {
    const trace = this.#read?.reading?.trace;
    return this.#headline.render({
      row,
      value: this.#knob.value,
      running: this.playing,
      u: this.#u,
      gumbel: this.#gumbel,
      unlike: this.#picture?.unlike(this.#knob.share) ?? null,
      entropy: trace?.entropy,
      beside: trace?.tokens[0]?.p_second !== undefined,
    });
  }

  /** @param {TableRow} row */
  #renderActs(row) {
    const { settings, rows } = this.#knob;
    const { bare, table, playing, film, all } = this;
    // The knob's own value changes nothing here.
    const hangsOn = JSON.stringify({ ...settings, [row.name]: 0 });
    return guard([row, hangsOn, bare, table, playing, film, all, t('language')], () =>
      renderActs({
        row,
        bare,
        rows,
        settings,
        table,
        playing,
        filming: film !== null,
        all,
        play: () => this.#play(),
        roll: () => this.#roll(),
        drawMany: () => this.#drawMany(),
        swap: () => this.#swap(),
        showAll: () => this.#showAll(),
        set: (patch) => this.#set(patch),
        choose: (knob) => this.#choose(knob),
        save: (kind) => this.#save(kind),
        film: () => this.#record(),
      }),
    );
  }

  #showAll() {
    this.all = !this.all;
    // What each stage does is said in the shelf's strings, where they can be fetched.
    import('../../panels/chain/shelf.js').then(
      () => this.requestUpdate(),
      () => {},
    );
  }

  /** @param {TableRow} knob */
  #renderAll(knob) {
    return renderStages({
      rows: this.#knob.rows.filter(({ name, warper }) => warper && name !== knob.name),
      settings: this.#knob.settings,
      stages: this.#reader?.reading?.trace.stages ?? [],
      set: (name, value) => this.#set({ [name]: value }),
    });
  }

  /** What the picture shows, for who comes to it alone. @param {TableRow} row */
  #renderCaption({ name }) {
    const stacked = t('landscape.stacked', { knob: settingName(name) });
    return html`<p class="caption">${stacked} ${this.#gumbel ? '' : t('landscape.crossing')}</p>`;
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
                caption: this.#valueWords(row) + (u === null ? '' : `, u = ${fixed(u, 6)}`),
                nameOf: this.#names.of,
                tally: this.#rain.tally,
                onToken: (id, event) => this.#onToken(id, event),
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
