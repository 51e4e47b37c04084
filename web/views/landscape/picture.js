/**
 * The picture of a landscape in layers. A drag moves only the lines and the strip at the knob's line, which is fast;
 * rivers and names are painted only when they change.
 */
import { fitCanvas } from '../../plots/canvas.js';
import { setProperties } from '../../plots/cssom.js';
import { colourOf, readPalette } from '../../plots/river-colours.js';
import { common, heightsAt, layRivers, lookAlike } from '../../plots/landscape.js';
import { NAMED, besideOf, layNames } from './labels.js';
import { Morph } from './morph.js';
import { namedAt, paintLit, paintNames } from './paint.js';
import { paintRivers, paintStrip, paintVeil, stripWidth } from './paint.js';

/**
 * @typedef {import('../../plots/landscape.js').Rivers} Rivers
 * @typedef {import('../../plots/landscape.js').Label} Label
 * @typedef {import('./paint.js').Named} Named
 * @typedef {import('./paint.js').Look} Look
 *
 * @typedef {object} Shown
 * @property {number} share the knob's value as a share of its range, 0 to 1
 * @property {number | null} u null if the draw is Gumbel-max
 * @property {import('../../engine/types.js').Trace} trace the distribution at the knob
 * @property {number} drawn the id of the drawn token
 * @property {import('../../plots/landscape.js').River | null} course the drawn token's course if it has no
 *   river, otherwise null
 * @property {{ share: number, u: number } | null} pointed
 * @property {boolean} rests false during a drag and during Play: the names keep their places
 * @typedef {import('./labels.js').Words} Words
 */

export class Picture {
  /** @type {Look} */
  look;
  /** Size of the bars beside the picture, in pixels. @type {{ width: number, height: number }} */
  side;
  /** @type {Rivers | null} */
  rivers = null;
  /** @type {Named[]} */
  named = [];

  #root;
  /** @type {Record<string, any>} */
  #layers = {};
  /** @type {Map<number, number>} */
  #ranks = new Map();
  /** The running transition from the previous landscape; null without one. @type {Morph | null} */
  #morph = null;
  /** The `request` of the present landscape; undefined for the prepared one. @type {number | undefined} */
  #request;
  /** Position of the knob's line on the screen as a share of the width, and the drawn token. */
  #at = { share: 0, drawn: -1 };
  /**
   * The movement of the knob's line after another knob is chosen; `to` is null until the new position is known.
   * @type {{ from: number, to: number | null } | null}
   */
  #line = null;
  /** True from the choice of another knob until its first landscape arrives. */
  #waits = false;
  /** For each layer, a key of the values with which it was painted. @type {Record<string, string>} */
  #painted = {};
  /** The landscape at the start of a comparison; null without a comparison. @type {Rivers | null} */
  #compared = null;
  /**
   * The regions that both compared landscapes have in common; null without a comparison.
   * @type {ReturnType<typeof common> | null}
   */
  #same = null;
  /** A key of the landscape and the knob's position for which places of the names were found. */
  #laid = '';
  /** @type {import('./labels.js').Rest} */
  #rest = { share: 0, u: null, drawn: -1 };
  #turn = 0;
  /** Widths of the names that stood beside the crossing, at size 1, by font and name. @type {Map<string, number>} */
  #widths = new Map();

  /** @param {DocumentFragment | HTMLElement} root */
  constructor(root) {
    this.#root = root;
    this.look = this.#measure();
    this.side = this.#measureSide();
  }

  /** @param {string} name @returns {any} */
  #layer(name) {
    return (this.#layers[name] ??= this.#root.querySelector(`.plot .${name}`));
  }

  #measureSide() {
    const bars = this.#root.querySelector('.bars');
    return { width: bars?.clientWidth ?? 0, height: bars?.clientHeight ?? 0 };
  }

  /** @returns {Look} */
  #measure() {
    const whole = /** @type {ParentNode} */ (/** @type {any} */ (this.#root).getRootNode());
    const plot = /** @type {HTMLElement} */ (this.#root.querySelector('.plot'));
    const sentence = /** @type {HTMLElement} */ (whole.querySelector('.sentence'));
    const colours = /** @type {HTMLElement} */ (whole.querySelector('.colours'));
    return {
      width: plot.clientWidth,
      height: plot.clientHeight,
      unit: parseFloat(getComputedStyle(document.documentElement).fontSize) / 16,
      family: getComputedStyle(plot).fontFamily,
      serif: getComputedStyle(sentence).fontFamily,
      palette: readPalette(colours),
    };
  }

  /** Measures sizes and colours again, for example after a change of the window. */
  refit() {
    this.look = this.#measure();
    this.side = this.#measureSide();
    this.#turn++;
  }

  /** Forgets the landscape, so that the next one appears without a transition. */
  forget() {
    this.rivers = null;
    this.#morph = null;
    this.#line = null;
    this.#waits = false;
    this.endComparison();
  }

  /** Another knob was chosen: keeps the old picture until the new landscape arrives. */
  turn() {
    this.#waits = this.rivers !== null;
    this.#line = this.#waits ? { from: this.#at.share, to: null } : null;
    this.endComparison();
  }

  /** Starts a comparison of the next landscapes with the present one. */
  startComparison() {
    this.#compared = this.rivers;
  }

  endComparison() {
    this.#compared = null;
    this.#same = null;
    this.#turn++;
  }

  /**
   * Returns the share of all u for which the next token is another one than in the compared landscape; null without a
   * comparison.
   * @param {number} share the knob's value as a share of its range
   */
  difference(share) {
    if (!this.#same) return null;
    const at = Math.round(share * (this.#same[0].before.length - 1));
    return this.#same.reduce((left, { before, after }) => left - (after[at] - before[at]), 1);
  }

  /** True during a transition. */
  get moving() {
    return this.#morph !== null;
  }

  /** @param {number} id */
  rankOf = (id) => this.#ranks.get(id) ?? NAMED;

  /**
   * @param {import('../../plots/landscape.js').Slices} landscape
   * @param {boolean} glide true to show the motion from the previous landscape
   */
  take(landscape, glide) {
    const rivers = layRivers(landscape);
    const finer = landscape.request === this.#request && !this.#waits;
    this.#request = landscape.request;
    // A coarse landscape replaces a finer one only if it looks different.
    const { length } = this.rivers?.values ?? [];
    if (!finer && !this.#waits && this.rivers && length > rivers.values.length)
      if (lookAlike(this.rivers, rivers)) return;
    if (finer) this.#morph?.turnTo(rivers);
    else this.#morph = glide && this.rivers ? this.#moveTo(rivers, this.rivers) : null;
    if (!this.#morph) this.#line = null;
    this.#waits = false;
    this.#ranks = new Map(rivers.rivers.map(({ id }, rank) => [id, rank]));
    this.rivers = rivers;
    this.#same = this.#compared && common(this.#compared, rivers);
    this.#turn++;
  }

  /**
   * Returns the transition to a new landscape; null if it appears at once.
   * @param {Rivers} to @param {Rivers} present
   */
  #moveTo(to, present) {
    const along = this.#waits;
    // If a transition is still running, the user is typing fast: show the new landscape at once.
    if (!along && this.#morph) return null;
    // Names are hidden during a transition, so skip it if nothing visible changes.
    if (!along && lookAlike(present, to)) return null;
    const { rivers, colours } = this.#morph?.shown ?? {
      rivers: present,
      colours: new Map(present.rivers.map(({ id }) => [id, this.#colourOf(id)])),
    };
    return new Morph(rivers, colours, to, { along, began: performance.now() });
  }

  /** Returns the colour of a token's river. The drawn token has the colour for drawn tokens. @param {number} id */
  #colourOf(id) {
    const { palette } = this.look;
    return id === this.#at.drawn ? palette.mark : colourOf(palette, this.rankOf(id));
  }

  /**
   * Returns the river or the ground at a point; null outside the picture.
   * @param {{ share: number, u: number } | null} point
   */
  at(point) {
    const { rivers } = this;
    if (!point || !rivers || this.#waits) return null;
    return namedAt(this.named, rivers, point.share, point.u);
  }

  /**
   * @param {number} now
   * @param {Shown} shown
   * @param {Words} words
   */
  paint(now, shown, words) {
    if (!this.rivers) return;
    const { drawn, course } = shown;
    this.#at.drawn = drawn;
    if (shown.rests) this.#rest = { share: shown.share, u: shown.u, drawn };
    this.#layNames(words);
    const part = this.#paintRivers(now);
    const pointed = this.at(shown.pointed);
    const lit = this.named.find(({ river, rank }) => rank >= 0 && river.id === drawn) ?? null;
    const still = !this.moving;
    this.#once(
      'lit',
      [still && (course ?? lit?.river)?.id, course !== null, pointed ? pointed.river.id : ''],
      (context) => {
        const outlined =
          pointed && pointed.rank >= 0 && pointed.river.id !== drawn ? pointed : null;
        if (still && this.#same) paintVeil(context, this.#same, this.look);
        if (still) paintLit(context, { drawn: lit, course, pointed: outlined }, this.look);
      },
    );
    // A new drawn token changes this layer only if its river has a name.
    const { label } = lit ?? {};
    this.#once('names', [this.#laid, still && label && drawn], (context) => {
      const names = this.named.filter((each) => !each.label?.beside);
      if (still) paintNames(context, names, drawn, this.#same !== null, this.look);
    });
    setProperties(this.#layer('names'), { opacity: still ? '1' : '0' });
    this.#moveTag(shown, still && (!label || label.beside) ? words.nameOf(drawn, false) : '');
    this.#moveLines({ ...shown, share: this.#shareOf(shown.share, part) });
  }

  /**
   * Returns the position of the knob's line. During a transition to another knob, the line moves with the rivers.
   * @param {number} share the knob's value as a share of its range
   * @param {number} part of the motion, 0 to 1
   */
  #shareOf(share, part) {
    const line = this.#line;
    if (line) line.to ??= share;
    // If the user moves the knob meanwhile, the line follows at once.
    if (line?.to !== share || (part === 1 && !this.#waits)) this.#line = null;
    if (!line || !this.#line) return share;
    return this.#waits ? line.from : line.from + (share - line.from) * part;
  }

  /** @param {Shown} shown */
  #moveLines({ share, u, trace, drawn }) {
    this.#at.share = share;
    const { width, height, unit } = this.look;
    const strip = stripWidth(unit);
    const slice = trace.tokens.filter(({ p }) => p > 0);
    this.#once('strip', [drawn, slice[0]?.p, trace.entropy], (context) =>
      paintStrip(context, { slice, drawn, rankOf: this.rankOf }, this.look),
    );
    const place = (/** @type {string} */ name, /** @type {number} */ x, /** @type {number} */ y) =>
      setProperties(this.#layer(name), { transform: `translate(${x}px, ${y}px)` });
    place('strip', share * width - strip / 2, 0);
    place('knob', share * width, 0);
    for (const name of ['line-u', 'cross', 'u'])
      setProperties(this.#layer(name), { visibility: u === null ? 'hidden' : 'visible' });
    if (u === null) return;
    place('line-u', 0, u * height);
    place('cross', share * width, u * height);
    place('u', 0, u * height);
  }

  /**
   * Shows the drawn token's name beside the crossing of the lines.
   * @param {Shown} shown
   * @param {string} name '' if a river has the name
   */
  #moveTag({ share, u, course, drawn }, name) {
    const tag = /** @type {HTMLElement} */ (this.#layer('tag'));
    const river = course ?? this.named.find((each) => each.river.id === drawn)?.river;
    const [from, to] = river ? heightsAt(river, share) : [0, 0];
    const at = u ?? (from + to) / 2;
    const hidden = name === '' || (u === null && !river);
    setProperties(tag, { visibility: hidden ? 'hidden' : 'visible' });
    if (hidden) return;
    if (tag.textContent !== name) tag.textContent = name;
    const { x, y } = besideOf(this.#widthOf(name), share, at, this.look);
    setProperties(tag, { transform: `translate(calc(${x}px - 50%), calc(${y}px - 50%))` });
  }

  /** Returns the width of a token's name as a share of its font size. @param {string} name */
  #widthOf(name) {
    const key = `${this.look.family}: ${name}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known;
    const context = this.#layer('names').getContext('2d');
    context.font = `650 100px ${this.look.family}`;
    const width = context.measureText(name).width / 100;
    this.#widths.set(key, width);
    return width;
  }

  /**
   * Paints a layer unless the same values are painted on it already.
   * @param {'rivers' | 'lit' | 'names' | 'strip'} name
   * @param {unknown[]} what the values to show
   * @param {(context: CanvasRenderingContext2D) => void} paint
   */
  #once(name, what, paint) {
    const key = [this.#turn, ...what].join();
    if (this.#painted[name] === key) return;
    this.#painted[name] = key;
    const { width, height, unit } = this.look;
    paint(fitCanvas(this.#layer(name), name === 'strip' ? stripWidth(unit) : width, height));
  }

  /**
   * Finds places for the names again if the landscape or the knob's resting position has changed.
   * @param {Words} words
   */
  #layNames(words) {
    const laid = [this.#turn, words.others, ...Object.values(this.#rest)].join();
    if (this.#laid === laid) return;
    this.#laid = laid;
    const context = this.#layer('names').getContext('2d');
    this.named = layNames(
      context,
      /** @type {Rivers} */ (this.rivers),
      words,
      this.look,
      this.#rest,
    );
  }

  /** Paints the rivers. Returns the progress of the transition, 1 without one. @param {number} now */
  #paintRivers(now) {
    const part = this.#morph?.partAt(now) ?? 1;
    if (part === 1) this.#morph = null;
    this.#once('rivers', [part], (context) => {
      const way = this.#morph?.at(part, (id) => this.#colourOf(id));
      const { rivers } = way?.rivers ?? /** @type {Rivers} */ (this.rivers);
      const each = rivers.map((river) => ({ river, rank: this.rankOf(river.id) }));
      paintRivers(context, each, this.look, way?.colours);
    });
    return part;
  }
}
