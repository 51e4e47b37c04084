/**
 * <logit-guide>: the landscape in five beats. Each waits for a deed of the reader, says what was to
 * be seen, and goes on by itself; it sets nothing. Asks for another beat with "logit-beat", with
 * "logit-press" for a button that may be out of sight, and ends with "logit-guide-end".
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/guide';
import { addMessages, number, t } from '../locale/locale.js';
import { LogitElement, define } from '../base/element.js';
import { settingName } from '../base/setting-words.js';
import { DRAWS } from '../views/landscape/rain.js';
import guideStyles from './guide.css';
import { BEATS } from './look-around.js';

addMessages(locales);

/** How near the end of its way the knob counts as there, and how far up it is to go then. */
const LEFT = 0.05;
const RIGHT = 0.64;
/** Who holds both lines moves u alone where the knob stays so near, and u goes so far. */
const STAYS = 0.05;
const GOES = 0.1;

/**
 * What the reader did in the landscape.
 * @typedef {{ knob?: string, share?: number, u?: number, seed?: number, top_p?: number, order?: string[], draws?: number }} Deed
 */

/**
 * The button of a beat whose deed is a press, what stands on it, and a button that comes first.
 * @type {Record<number, { button: string, first?: string, words: () => string }>}
 */
const PRESSES = {
  3: { button: '[data-chip=top_p]', words: () => `+ ${settingName('top_p')}` },
  4: {
    button: '[data-command=swap]',
    first: '[data-chip=top_p][aria-pressed=false]',
    words: () => t('landscape.swap'),
  },
  5: { button: '[data-command=rain]', words: () => `× ${number(DRAWS)}` },
};

const heated = (/** @type {Deed} */ { knob, share }) =>
  knob === 'temperature' ? share : undefined;

/** The deeds of each beat, one after another. @type {((deed: Deed, luck: boolean) => boolean)[][]} */
const DEEDS = [
  [(deed) => (heated(deed) ?? 1) <= LEFT, (deed) => (heated(deed) ?? 0) >= RIGHT],
  [(_, luck) => luck],
  [({ top_p = 1 }) => top_p < 1],
  [({ order }) => order !== undefined],
  [({ draws }) => draws !== undefined],
];

export class LogitGuide extends LogitElement {
  static properties = {
    beat: { type: Number },
    done: { state: true },
    seen: { state: true },
    root: { attribute: false },
  };

  static styles = [...LogitElement.styles, guideStyles];

  /** Where both lines were when the knob last came to where it is. @type {{ share: number, u: number } | null} */
  #held = null;

  constructor() {
    super();
    /** From 1; BEATS + 1 is the end. */
    this.beat = 1;
    /** How many deeds of the beat are done. */
    this.done = 0;
    /** The last beat that ended by its deed: only what was done can be noticed. */
    this.seen = 0;
    /** Where the deeds are done. @type {ParentNode | null} */
    this.root = null;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.root?.removeEventListener('logit-deed', this.#onDeed);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('beat')) {
      this.done = 0;
      this.#held = null;
    }
    if (!changed.has('root')) return;
    /** @type {ParentNode | undefined} */ (changed.get('root'))?.removeEventListener(
      'logit-deed',
      this.#onDeed,
    );
    this.root?.addEventListener('logit-deed', this.#onDeed);
  }

  render() {
    const { beat, done } = this;
    const last = beat > BEATS;
    return html`
      <section aria-labelledby="title" @keydown=${this.#onKey}>
        <h2 id="title" tabindex="-1">${t(last ? 'guide.end' : `guide.${beat}`)}
          <span class="count">${last ? nothing : t('guide.count', { n: beat, of: BEATS })}</span></h2>
        <div class="said" aria-live="polite">
          <p class="noticed">${done === 0 ? this.#renderNoticed() : nothing}</p>
          <p class="deed">${last ? t('guide.end.said') : this.#renderDeed()}</p>
        </div>
        <nav aria-label=${t('guide.label')}>
          <button data-guide="skip" @click=${() => this.#end(false)}>${t(last ? 'guide.close' : 'guide.skip')}</button>
          <button data-guide="back" aria-disabled=${beat === 1} @click=${() => this.#go(beat - 1)}>${t('guide.back')}</button>
          ${
            last
              ? html`<button class="primary" data-guide="bench" @click=${() => this.#end(true)}>${t('guide.bench')}</button>`
              : html`<button data-guide="next" @click=${() => this.#go(beat + 1)}>${t('guide.next')}</button>`
          }
        </nav>
      </section>
    `;
  }

  /** What the deed before has shown, under its own name; what a river is before any. */
  #renderNoticed() {
    const { beat, seen } = this;
    if (beat === 1) return t('guide.begin');
    return seen === beat - 1
      ? html`<b>${t(`guide.${seen}`)}</b> · ${t(`guide.${seen}.noticed`)}`
      : nothing;
  }

  /** What is to be done; where the button may be out of sight, that button itself. */
  #renderDeed() {
    const { beat, done } = this;
    const press = PRESSES[beat];
    const words = t(`guide.${beat}.deed${done || ''}`);
    const keys =
      done === 0 && beat < 3
        ? html` <span class="keys">${t(`guide.${beat}.keys`)}</span>`
        : nothing;
    if (!press) return html`${words}${keys}`;
    return html`<span class="words">${words}</span>
      <button class="primary press ${press.first && this.seen < beat - 1 ? 'needed' : ''}" @click=${() => this.emit('logit-press', press)}>${press.words()}</button>`;
  }

  firstUpdated() {
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    // Asked for at the foot of the page, it is far above.
    const { host } = /** @type {ShadowRoot} */ (this.getRootNode());
    if (host.getBoundingClientRect().top < 0)
      host.scrollIntoView({ behavior: calm ? 'auto' : 'smooth' });
  }

  /**
   * Whether other luck was tried, and nothing else.
   * @param {Deed} deed
   */
  #isLuck({ share, u, seed }) {
    if (u === undefined || share === undefined) return u !== undefined || seed !== undefined;
    const from = this.#held;
    if (from && Math.abs(share - from.share) <= STAYS) return Math.abs(u - from.u) >= GOES;
    this.#held = { share, u };
    return false;
  }

  /** @param {Event} event */
  #onDeed = (event) => {
    const { detail } = /** @type {CustomEvent<Deed>} */ (event);
    const deeds = DEEDS[this.beat - 1];
    const next = deeds?.[this.done];
    if (!next?.(detail, this.#isLuck(detail))) return;
    if (this.done + 1 < deeds.length) this.done++;
    else {
      this.seen = this.beat;
      this.#go(this.beat + 1);
    }
  };

  /** @param {number} beat */
  #go(beat) {
    if (beat >= 1) this.emit('logit-beat', { beat });
  }

  /** @param {boolean} bench whether to go on there */
  #end(bench) {
    this.emit('logit-guide-end', { bench });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    this.#end(false);
  }
}

define('logit-guide', LogitGuide);
