/**
 * Two pictures side by side on one knob: the next token after a prompt with a sure answer and after one with many.
 * Each shows how many tokens the knob keeps. A drag moves the knob's line in both.
 */
import { html, nothing } from 'lit';
import { keptWords, readSetting, settingName } from '../../base/setting-words.js';
import { NumberInput } from '../../base/number-input.js';
import { percent, plain, t } from '../../locale/locale.js';
import { renderTick, ticksOf } from './axis.js';
import { Content } from './content.js';
import { leaveBox, renderHandles } from './handles.js';
import { shownValue } from './headline.js';
import { crossingWords } from './phrases.js';
import { Input } from './input.js';
import { OWN } from './outcome.js';
import { Picture } from './picture.js';
import { Subject } from './subject.js';

/**
 * @typedef {import('./landscape.js').LogitLandscape} LogitLandscape
 * @typedef {import('../../engine/remote.js').RemoteLogitscope} RemoteLogitscope
 * @typedef {import('../../engine/types.js').TableRow} TableRow
 */

const SIDES = /** @type {const} */ (['sure', 'unsure']);
/** The id for "no drawn token": these pictures draw none. */
const NONE = -1;
const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** One of the two pictures, with its prompt and its own timeline. */
class Pane {
  prompt = '';
  /** Null until the page has rendered its element. @type {Picture | null} */
  picture = null;
  content;
  input;

  /** @param {import('./lines.js').Lines} lines @param {() => void} changed */
  constructor(lines, changed) {
    this.content = new Content((news, slices) => {
      if (news === 'knob') this.picture?.turn();
      if (slices) this.picture?.take(slices, !calm());
      changed();
    });
    // This picture has no line of u.
    this.input = new Input(
      {
        single: true,
        get crossing() {
          return { share: lines.knob.share, u: 0 };
        },
        knob: lines.knob,
        begin: () => lines.begin(),
        grab: () => lines.grab(),
        moveTo: ({ share }) => lines.moveTo({ share }),
        release: () => lines.release(),
        cancel: () => lines.cancel(),
        stop: () => lines.stop(),
      },
      changed,
    );
  }

  /** @param {RemoteLogitscope} engine */
  async open(engine) {
    const subject = new Subject(engine, null, [await engine.session()]);
    this.content.open(subject, engine.table);
  }

  /** Returns the entropy of the next token after a prompt, in bits. @param {string} prompt */
  async entropyOf(prompt) {
    const { subject } = this.content;
    if (!subject) return NaN;
    await this.content.take(prompt);
    if (subject.fault || subject.empty) return NaN;
    await subject.source.moveTo({ ids: subject.ids, settings: {}, step: 0 });
    const { trace } = await subject.source.read({ top: 1 }, { step: 0 });
    return trace.entropy;
  }

  /**
   * The number of tokens that can be drawn, the size of the vocabulary, and the kept tokens' probability; null before
   * an answer.
   */
  get kept() {
    const { reading } = this.content.reader ?? {};
    if (!reading) return null;
    const { trace, at } = reading;
    const lost = trace.stages.find(({ name }) => name === at.knob)?.mass_removed ?? 0;
    return { n: trace.kept, of: trace.vocab_size, p: 1 - lost };
  }

  /**
   * Paints the picture. Returns true while a transition is running.
   * @param {number} now in ms
   * @param {LogitLandscape} host
   */
  paint(now, { lines, pair }) {
    const { content, picture } = this;
    if (this.prompt === '') return false;
    const { settings, ...request } = lines.request;
    content.ask({ ...request, settings: { ...settings, ...OWN }, past: [] });
    const { reading } = content.reader ?? {};
    if (!reading || !picture) return false;
    const { trace } = reading;
    picture.paint(
      now,
      {
        share: lines.knob.share,
        u: null,
        trace,
        drawn: NONE,
        course: null,
        pointed: null,
        rests: !pair.drags && !lines.playing,
      },
      { nameOf: content.names.of, others: t('landscape.rest'), size: trace.vocab_size },
    );
    return picture.moving;
  }
}

export class Twin {
  panes;
  #host;
  #value;
  #closed = false;
  #prepared = false;

  /** @param {LogitLandscape} host @param {RemoteLogitscope} engine */
  constructor(host, engine) {
    this.#host = host;
    this.panes = SIDES.map(() => new Pane(host.lines, () => host.moved()));
    this.#value = new NumberInput(
      host,
      (text) => readSetting(/** @type {TableRow} */ (host.lines.knob.row), text),
      (value) => host.lines.move({ value }),
      () => host.lines.knob.value,
    );
    this.#open(engine).catch((error) => {
      if (!this.#closed) throw error; // else the engine was closed meanwhile
    });
  }

  /** @param {RemoteLogitscope} engine */
  async #open(engine) {
    await Promise.all(this.panes.map((pane) => pane.open(engine)));
    if (this.#closed) return this.close();
    const prompts = this.#host.offer.twin ?? (await this.#choosePrompts());
    await Promise.all(this.panes.map((pane, i) => pane.content.take(prompts[i])));
    this.panes.forEach((pane, i) => (pane.prompt = prompts[i]));
    this.#prepared = true;
    this.#host.requestUpdate();
  }

  /**
   * Returns two prompts, the one with less entropy first: the present prompt and the example whose entropy differs
   * most from it.
   */
  async #choosePrompts() {
    const { prompt, offer } = this.#host;
    /** @type {{ prompt: string, bits: number }[]} */
    const all = [];
    for (const each of new Set([prompt, ...offer.examples])) {
      const bits = await this.panes[0].entropyOf(each);
      if (Number.isFinite(bits)) all.push({ prompt: each, bits });
    }
    const [first] = all;
    const away = (/** @type {{ bits: number }} */ { bits }) => Math.abs(bits - first.bits);
    const other = all.reduce((most, each) => (away(each) > away(most) ? each : most), first);
    return [first, other].sort((a, b) => a.bits - b.bits).map((each) => each.prompt);
  }

  get busy() {
    if (!this.#prepared) return true;
    return this.panes.some(({ content, picture }) => content.reader?.busy || picture?.moving);
  }

  get drags() {
    return this.panes.some(({ input }) => input.drags);
  }

  /** The number of tokens that can be drawn after each prompt; null until both are known. */
  get kept() {
    const { row, value } = this.#host.lines.knob;
    const kept = this.panes.flatMap(({ content, kept: of }) => {
      const at = content.reader?.reading?.at;
      return of && at?.knob === row?.name && at?.value === value ? [of.n] : [];
    });
    return kept.length === this.panes.length ? kept : null;
  }

  close() {
    this.#closed = true;
    for (const { content } of this.panes) content.close();
  }

  /** Measures the pictures after they are rendered. */
  measure() {
    const roots = this.#host.renderRoot.querySelectorAll('.twin .pane');
    roots.forEach((root, i) => {
      const pane = this.panes[i];
      pane.picture ??= new Picture(/** @type {HTMLElement} */ (root));
    });
  }

  /** Measures sizes and colours again, for example after a change of the window. */
  refit() {
    for (const { picture } of this.panes) picture?.refit();
  }

  /** Paints both pictures. Returns true while a transition is running. @param {number} now in ms */
  paint(now) {
    return this.panes.map((pane) => pane.paint(now, this.#host)).some(Boolean);
  }

  /** A sentence with the numbers of both prompts, for screen readers. */
  get words() {
    const said = this.panes.map(({ kept }) => kept && t('landscape.keeps.of', { ...kept }));
    return said.every(Boolean) ? said.join('; ') : '';
  }

  /**
   * Returns both pictures as one file; null before they are painted.
   * @returns {Promise<import('../../base/svg-file.js').Shot | null>}
   */
  async file() {
    const { lines } = this.#host;
    const { row, share } = lines.knob;
    const { drawPair } = await import('./save.js');
    const look = this.panes[0].picture?.look;
    const panes = this.panes.flatMap(({ prompt, kept, content, picture }, i) => {
      if (!kept || !row || !picture?.rivers) return [];
      const numbers = `${t('landscape.keeps', { n: kept.n })} ${t('landscape.keeps.about', { of: kept.of, p: percent(kept.p) })}`;
      return {
        title: t(`landscape.twin.${SIDES[i]}`),
        prompt: `${prompt.trim()} …`,
        kept: numbers,
        rivers: picture.rivers,
        names: { nameOf: content.names.of, others: t('landscape.rest'), size: kept.of },
        share,
        axis: ticksOf(row),
      };
    });
    if (!look || !row || panes.length < this.panes.length) return null;
    const about = crossingWords(lines);
    const svg = this.#host.speak(() => drawPair({ about, look, panes }));
    return { name: `landscape-${row.name}-twin`, title: about, svg };
  }

  /** Renders the two prompts, in place of the sentence. */
  renderPrompts() {
    return this.panes.map(
      ({ prompt }, i) =>
        html`<h3>${t(`landscape.twin.${SIDES[i]}`)} <q translate="no">${prompt.trim()} …</q></h3>`,
    );
  }

  /** @param {TableRow} row the knob */
  render(row) {
    const { lines } = this.#host;
    const box = this.#value;
    const name = settingName(row.name);
    const { temperature = 1 } = lines.knob.settings;
    const own =
      temperature === OWN.temperature
        ? ''
        : t('landscape.twin.heat', { value: plain(temperature) });
    return html`
      <div class="head"><label class="value"><span>${name} =</span>
        <input inputmode="decimal" autocomplete="off" size="6" data-box="knob" tabindex="-1" aria-label=${name} aria-invalid=${box.error !== ''}
          .value=${box.text ?? shownValue(row, lines.knob.value, lines.playing)}
          @input=${box.onInput} @change=${box.onChange}
          @keydown=${(/** @type {KeyboardEvent} */ event) => leaveBox(event, box)}></label>
      <p class=${box.error ? 'hint error' : 'hint'}>${keptWords(box.error, lines.knob.value) || `${t(`landscape.twin.${row.name}`)} ${own}`}</p></div>
      ${this.panes.map((pane, i) => this.#renderPane(pane, i, row))}`;
  }

  /** @param {Pane} pane @param {number} i @param {TableRow} row */
  #renderPane({ prompt, kept, input, content }, i, row) {
    const { lines } = this.#host;
    const { onDown, onMove, onUp, onLeave, onKey } = input;
    const said = { row, value: lines.knob.value, u: 0, drawn: this.words, onKey };
    const end = content.reader?.reading ? '' : 'empty';
    return html`<section class="pane">
      <div class="plot ${end}" role="group" aria-label=${`${t(`landscape.twin.${SIDES[i]}`)} ${prompt}`}
        @pointerdown=${onDown} @pointermove=${onMove} @pointerup=${onUp} @pointercancel=${onUp} @pointerleave=${onLeave}>
        <canvas class="rivers" aria-hidden="true"></canvas>
        <canvas class="lit" aria-hidden="true"></canvas>
        <i class="line-u"></i>
        <canvas class="names" aria-hidden="true"></canvas>
        <canvas class="strip" aria-hidden="true"></canvas>
        <i class="cross"></i>
        <b class="tag" aria-hidden="true" translate="no"></b>
        <div class="handles" ?inert=${i > 0}>${renderHandles(said, nothing)}</div>
      </div>
      <div class="axis" aria-hidden="true" translate="no">${ticksOf(row).map(renderTick)}</div>
      <p class="kept" aria-hidden="true">${kept ? html`${t('landscape.keeps', { n: kept.n })}<small>${t('landscape.keeps.about', { of: kept.of, p: percent(kept.p) })}</small>` : nothing}</p>
    </section>`;
  }
}
