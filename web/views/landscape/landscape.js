/**
 * <logit-landscape>: the next token at every value of one knob and every random number u. The engine
 * draws the token at the crossing of their lines; the new text is above. When the lines rest, the view
 * emits "logit-set", "logit-seed" and "logit-order" for the changes, and "logit-choose" with u. It also emits
 * "logit-choose" with each new choice: knob, twin, or ids and u. It emits "logit-deed" at once for each action;
 * `outcome` tells its effect.
 *
 * Content sends requests to the engine, Lines keep knob and u, and the Plot's input moves them. A FrameClock
 * schedules the painting of the Display. Deeds are the buttons and the tour's actions. Other code may move `lines` too.
 */
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { locales } from '#locales/landscape';
import { sentence } from '../../base/faults.js';
import { define, elementWith } from '../../base/element.js';
import { Toolbars } from '../../base/toolbars.js';
import { ModelElement } from '../../base/model-element.js';
import { addMessages, t } from '../../locale/locale.js';
import { initialChoices } from '../../state/fields.js';
import { renderTick, ticksOf } from './axis.js';
import { Content } from './content.js';
import { Deeds, calm } from './deeds.js';
import { Display } from './display.js';
import { FrameClock } from './frame-clock.js';
import { Headline } from './headline.js';
import { COLOURS } from '../../plots/river-colours.js';
import riverStyles from '../../style/river.css';
import { renderLadder } from './ladder.js';
import landscapeStyles from './landscape.css';
import twinStyles from './twin.css';
import ladderStyles from './ladder.css';
import sentenceStyles from './sentence.css';
import { Lines } from './lines.js';
import { OWN, outcomeOf } from './outcome.js';
import { Pair } from './pair.js';
import { crossingWords, statusWords } from './phrases.js';
import { Plot } from './plot.js';
import { Sentence } from './sentence.js';
import { ROWS, rowsOf } from './slice.js';
import { alsoActive, renderKnobs } from './segments.js';
import { Subject } from './subject.js';
import { renderTable } from './table.js';

addMessages(locales);

/** @typedef {import('../../engine/types.js').TableRow} TableRow */

/** The choices with which the view begins. */
const FIRST = initialChoices('landscape');

export class LogitLandscape extends elementWith(ModelElement, () => ({
  /** Name of the setting along the x axis; null for temperature. @type {string | null} */
  knob: FIRST.knob,
  /** True if two prompts are shown side by side while the knob is one that removes tokens. @type {boolean} */
  twin: FIRST.twin,
  /** The random number that the user chose for the draw; null for the seed's own number. @type {number | null} */
  u: FIRST.u,
  /** Ids of the drawn tokens between the prompt and the position that the picture shows. @type {number[]} */
  ids: FIRST.ids,
  /** @type {number | undefined} */
  seed: undefined,
  /** Example prompts; null for those that come with the model. @type {string[] | null} */
  examples: null,
  /** True if the user cannot change the prompt. */
  fixed: false,
  /**
   * Logits that the user gives; null to compute them with the model.
   * @type {import('./subject.js').Given | null}
   */
  given: null,
  /**
   * Answers that are part of the site, shown until an engine is open; null if none.
   * @type {import('../../state/first-frame.js').FirstFrame | null}
   */
  first: null,
  /** True in an embedded view with few controls: only the knobs in `knobs` can be chosen. */
  bare: false,
  /**
   * The knobs that the user may choose: null for all, undefined outside a page with this choice.
   * @type {string[] | null | undefined}
   */
  knobs: undefined,
  /** Number of times that the page has replaced its whole state, such as by a link. */
  replacements: 0,
  /** True if the user has opened the table. */
  tabled: false,
})) {
  static properties = {
    knob: {},
    u: { type: Number },
    seed: { type: Number },
    fixed: { type: Boolean },
    bare: { type: Boolean },
    twin: { type: Boolean },
  };

  static styles = [
    ...ModelElement.styles,
    riverStyles,
    sentenceStyles,
    ladderStyles,
    landscapeStyles,
    twinStyles,
  ];

  content = new Content((...news) => this.#onNews(...news));
  lines = new Lines(this);
  sentence = new Sentence(this);
  #plot = new Plot(this, () => this.#display);
  #clock = new FrameClock(
    (now) => this.speak(() => this.#paint(now)),
    () => this.requestUpdate(),
  );
  /** Paints everything that moves; null before the first rendering. @type {Display | null} */
  #display = null;
  deeds = new Deeds(this, () => {
    this.#display?.repaintBars();
    this.#askFrame();
  });
  #headline = new Headline(this);
  /** Makes files of pictures and films; null before the user wants one. @type {import('./files.js').Files | null} */
  #files = null;
  pair = new Pair(this);
  #resized = new ResizeObserver(() => this.#refit());

  constructor() {
    super();
    new Toolbars(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#closeParts();
    this.#resized.disconnect();
    this.#display = null;
    this.#clock.stop();
    this.lines.goHome();
    this.lines.keepTried();
    this.#files?.drop();
  }

  #closeParts() {
    this.pair.close();
    this.content.close();
    this.deeds.rain.clear();
    if (!this.content.first) this.#display?.picture.forget();
  }

  /** @param {import('../../engine/remote.js').RemoteLogitscope} engine */
  async opened(engine) {
    this.#closeParts();
    const subject = await Subject.open(engine, this.given);
    if (engine !== this.engine) return subject.close();
    this.content.open(subject, engine.table);
    this.sentence.opened();
    this.requestUpdate();
  }

  /** True while a change of the display is pending: tests wait for this to become false. */
  get busy() {
    if (!this.engine) return false;
    const { reader } = this.content;
    const reading = !this.fault && (!reader || reader.busy || this.#needsEncoding);
    if (this.pair.busy) return true;
    return reading || this.lines.playing || Boolean(this.#files?.film) || this.#clock.due;
  }

  /** Facts about the chosen value and u for the tour, such as the drawn token; null until the engine has answered. */
  get outcome() {
    const { content, lines } = this;
    const { row } = lines.knob;
    if (this.pair.on) return this.pair.outcome;
    if (!content.current || !row) return null;
    const unlikeAt = (/** @type {number} */ share) =>
      content.reader?.busy ? null : (this.#display?.picture.difference(share) ?? null);
    const text = [this.sentence.begin, this.ids];
    return outcomeOf(content.current, row, content.names, this.deeds.rain.tally, unlikeAt, text);
  }

  /** True if the engine has not encoded the present prompt yet. */
  get #needsEncoding() {
    return this.content.lacks(this.sentence.begin);
  }

  /** The engine's table of settings, or the prepared one. @returns {TableRow[]} */
  get table() {
    return this.engine?.table ?? this.content.first?.table ?? [];
  }

  get drawnU() {
    return this.content.shown?.reading?.drawn.u ?? null;
  }

  /** @type {import('./content.js').Tell} */
  #onNews(news, slices) {
    const picture = this.#display?.picture;
    if (news === 'encoded') {
      this.#askContent(); // at once: a frame later would be a visible delay while typing
      return this.requestUpdate();
    }
    if (news === 'asked' || news === 'reading' || news === 'fault')
      this.sentence.wait(news === 'asked');
    if (news === 'asked') return this.deeds.rain.clear();
    if (news === 'knob') return picture?.turn();
    if (news === 'compared') return picture?.endComparison();
    if (slices) picture?.take(slices, !calm());
    this.moved();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    super.willUpdate(changed);
    const { content, lines } = this;
    const held = this.#plot.input.drags || this.pair.drags;
    if (changed.get('replacements') !== undefined && this.engine) {
      this.sentence.drop();
      if (!held) lines.drop();
    }
    if (this.engine && lines.take(this.asked, held)) this.compare();
    this.sentence.take(changed);
    if (['prompt', 'ids', 'knob', 'seed', 'model'].some((name) => changed.has(name)))
      content.before = null;
    if (changed.has('knob')) {
      lines.goHome();
      if (!content.reader) this.#display?.picture.forget();
    }
    if (changed.has('first') && this.first && !this.engine) content.prepare(this.first);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    super.updated(changed);
    const display = (this.#display ??= new Display(this.renderRoot, this.sentence));
    for (const each of this.renderRoot.querySelectorAll('.plot, .bars'))
      this.#resized.observe(each);
    if (changed.has('first') && this.content.first) this.#showFirst(display, this.content.first);
    if (this.#needsEncoding && this.prompt !== undefined) this.content.take(this.sentence.begin);
    this.sentence.show();
    this.pair.sync();
    display.refresh();
    this.#askFrame();
  }

  /** @param {Display} display @param {import('../../state/first-frame.js').FirstFrame} first */
  #showFirst(display, { landscape }) {
    const now = performance.now();
    if (landscape) display.picture.take(landscape, false);
    display.write(now, this.content, this.#prose);
    this.#paint(now);
  }

  #refit() {
    this.#display?.refit();
    this.pair.shown?.refit();
    this.#askFrame();
  }

  #askFrame() {
    if (this.isConnected) this.#clock.askFrame();
  }

  /** The user is about to change a line: note the text, so that changed words can be marked. */
  began() {
    this.content.begin();
  }

  /** Play or a sweep is about to move the knob: mark no words. */
  plays() {
    this.content.before = null;
  }

  /** The knob or u has changed: paint, and update the numbers. */
  moved() {
    this.#askFrame();
    this.#clock.askReadout();
  }

  /** @returns {import('./files.js').Scene} */
  get #scene() {
    const { content, lines } = this;
    return { content, lines, display: this.#display, prose: this.#prose };
  }

  async #openFiles() {
    const { Files } = await import('./files.js');
    return (this.#files ??= new Files(this));
  }

  /** Returns the picture as a file, or both pictures if two prompts are shown; null if there is none. */
  async picture() {
    if (this.pair.on) return this.pair.shown?.file() ?? null;
    if (this.#blank) return null;
    return (await this.#openFiles()).picture(this.#scene);
  }

  /** Records a film while the knob moves through its range and back. */
  async record() {
    const none = this.pair.on || this.#blank;
    return none ? null : (await this.#openFiles()).record(() => this.#scene);
  }

  get #prose() {
    const eos = this.engine?.info?.eos_token_id ?? this.content.first?.eos;
    return { prompt: this.given ? '' : this.sentence.prompt, eos };
  }

  #askContent() {
    const { content, lines, ids } = this;
    if (lines.knob.row && !this.#needsEncoding) content.ask({ ...lines.request, past: ids });
  }

  /** @param {number} now */
  #paint(now) {
    const { content, lines } = this;
    const display = this.#display;
    if (!display || !lines.knob.row) return;
    lines.advance(now, calm());
    if (this.pair.on) {
      if (this.pair.shown?.paint(now) || lines.playing) this.#askFrame();
      return;
    }
    this.#askContent();
    const { drags, pointed } = this.#plot.input;
    if (!drags && !lines.playing) content.reader?.follow();
    const reading = content.shown?.reading;
    if (!reading) {
      lines.goHome(); // stops playing: there is no picture
      this.#files?.drop();
      return;
    }
    const rests = !drags && !lines.playing;
    const shown = {
      content,
      reading,
      lines,
      rain: this.deeds.rain,
      pointed: drags ? null : pointed,
      rests,
    };
    const waits = display.paint(now, shown, this.#prose);
    this.#files?.takeFrame(this.#scene);
    if (waits || lines.playing || display.picture.moving || this.deeds.rain.falling)
      this.#askFrame();
  }

  /** From now on, shows the difference between the next landscapes and the present one. */
  compare() {
    this.content.compare();
    this.#display?.picture.startComparison();
  }

  /** Key of the string above the sentence: a promise, a hint to type, or the notice that the model computes. */
  get #promise() {
    if (this.#blank) return 'begin';
    if (this.sentence.late) return 'computing';
    return this.engine?.info?.remote ? 'promise.remote' : 'promise';
  }

  render() {
    const { row } = this.lines.knob;
    const trouble = this.content.fault ?? this.fault;
    const rests = !this.#plot.input.drags && !this.lines.playing && !this.pair.drags;
    const { bare, given, pair } = this;
    return html`
      <h2 class="visually-hidden">${t('view.landscape')}</h2>
      <div class="colours" aria-hidden="true" @transitionend=${() => this.#refit()}>
        ${COLOURS.map((name) => html`<i class=${name}></i>`)}</div>
      <div class="frame ${pair.on ? 'paired' : ''} ${this.#blank ? 'blank' : ''}">
        ${
          trouble
            ? html`<p class="promise error" role="alert">${sentence(trouble, this)}</p>`
            : html`<p class="promise" ?hidden=${given !== null}>${t(`landscape.${this.#promise}`)}</p>`
        }
        ${pair.on ? html`<div class="prompts">${pair.shown?.renderPrompts() ?? nothing}</div>` : nothing}
        ${this.sentence.render({ hidden: given !== null, invalid: this.content.fault !== null, examples: bare ? [] : (this.examples ?? this.offer.examples) })}
        <div class="knobs" ?inert=${!this.engine} role="toolbar" aria-label=${t('landscape.settings')}>${row ? this.#renderKnobs(row) : nothing}</div>
        ${row && pair.on ? html`<div class="twin">${pair.shown?.render(row) ?? nothing}</div>` : nothing}
        <div class="stage">
          <div class="picture" ?inert=${!this.engine || this.#blank}>
            ${this.#plot.render(row)}
            <div class="axis" aria-hidden="true" translate="no">${row ? ticksOf(row).map(renderTick) : nothing}</div>
          </div>
          <slot name="guide"></slot>
          <div class="side" ?inert=${!this.engine}>
            <div class="headline">${row ? this.#renderHeadline(row) : nothing}</div>
            <div class="bars"><canvas aria-hidden="true" @click=${this.#plot.onBar}></canvas></div>
            <div class="acts" role="toolbar" aria-label=${t('landscape.deeds')}>${row ? this.deeds.render(row) : nothing}</div>
          </div>
          <canvas class="drops" aria-hidden="true"></canvas>
        </div>
        ${row && !bare && !given ? this.#renderLadder(row) : nothing}
      </div>
      <div class="below">${row ? this.#renderTable() : nothing}</div>
      ${this.#plot.menu.render()}
      <span id="opens" hidden>${t('landscape.opens')}</span>
      <p class="visually-hidden" role="status">${!rests || this.#blank ? '' : pair.on ? pair.shown?.words : statusWords(this.lines, this.content, this.deeds.rain.tally)}</p>
    `;
  }

  /** True if the prompt has no token, so that there is nothing to read: the last picture is hidden. */
  get #blank() {
    const { subject } = this.content;
    const empty = subject && !subject.fault && subject.empty;
    return Boolean(empty) && !this.#needsEncoding && !this.pair.on;
  }

  /** @param {TableRow} row */
  #renderLadder(row) {
    const { content, lines } = this;
    const { eos } = this.#prose;
    const live = content.wordsUntil(eos);
    const choose = (/** @type {number} */ value) => {
      lines.grab();
      lines.move({ value });
    };
    return renderLadder(
      row,
      lines.knob.value,
      content.rungs,
      live,
      eos,
      this.engine ? choose : null,
    );
  }

  /** @param {TableRow} row */
  #renderHeadline(row) {
    const { knob, single } = this.lines;
    const trace = this.content.shown?.reading?.trace;
    return this.#headline.render({
      row,
      value: knob.value,
      running: this.lines.playing,
      gumbel: single,
      unlike: this.#display?.picture.difference(knob.share) ?? null,
      trace,
      beside: trace?.tokens[0]?.p_second !== undefined,
    });
  }

  /** @param {TableRow} row */
  #renderKnobs(row) {
    const { bare, knobs, table } = this;
    const { settings, rows } = this.lines.knob;
    const also = alsoActive(this.pair.on ? { ...settings, ...OWN } : settings, table, row.name);
    const allowed = knobs ?? (bare ? [] : null);
    const pair = this.pair.possible && this.twin;
    return guard([row, also.join(), allowed?.join(), knobs, table, pair, t('language')], () =>
      renderKnobs({
        row,
        rows: allowed ? rows.filter(({ name }) => allowed.includes(name)) : rows,
        also,
        openBench: knobs === null ? () => this.emit('logit-adopt', {}) : null,
        choose: (knob) => this.deeds.choose(knob),
        beside: this.pair.renderToggle(),
      }),
    );
  }

  #renderTable() {
    const { reader, names } = this.content;
    const reading = this.tabled ? reader?.reading : null;
    return html`
      <details class="numbers" @toggle=${(/** @type {any} */ { target }) => (this.tabled = target.open)}>
        <summary>${t('landscape.table')}</summary>
        ${
          reading
            ? renderTable({
                ...rowsOf(reading.trace, reading.drawn, ROWS),
                caption: crossingWords(this.lines, 6),
                nameOf: names.of,
                tally: this.deeds.rain.tally,
                onToken: (id, { left, bottom }) => this.#plot.menu.open(id, left, bottom),
              })
            : nothing
        }
      </details>`;
  }
}

define('logit-landscape', LogitLandscape);
