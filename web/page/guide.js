/**
 * <logit-guide>: one beat of the tour, as a line below the landscape. A beat sets up the settings, asks the user for
 * an action, and then describes the measured effect. Emits "logit-beat" to change to another beat, with `fresh` false
 * to keep the settings, and "logit-guide-end" at the end.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/guide';
import { addMessages, fixed, number, percent, plain, t } from '../locale/locale.js';
import { LogitElement, define, elementWith } from '../base/element.js';
import { Toolbars } from '../base/toolbars.js';
import { capitalise, settingName } from '../base/setting-words.js';
import { CUTS } from '../views/landscape/pair.js';
import { DRAWS } from '../views/landscape/rain.js';
import guideStyles from './guide.css';

addMessages(locales);

/** In the first beat the user moves the knob below LEFT and then above RIGHT, as shares of its range. */
const LEFT = 0.05;
const RIGHT = 0.64;
/** A drag of both lines still counts as a drag of u if the knob moves at most KNOB_MAX and u at least U_MIN. */
const KNOB_MAX = 0.05;
const U_MIN = 0.1;
/** Number of frames without work after which the landscape's picture is final; a change can arrive a frame late. */
const RESTS = 3;

/** @import { LogitLandscape } from '../views/landscape/landscape.js' */
/** @import { Outcome } from '../views/landscape/outcome.js' */

/**
 * Buttons of the beats: an action of the landscape and the key of its label.
 * @type {Record<number, { action: 'top_p' | 'top_k' | 'swap' | 'rain', label: () => string }[]>}
 */
const BUTTONS = {
  3: [
    { action: 'top_p', label: () => t('landscape.twin') },
    { action: 'top_k', label: () => capitalise(settingName('top_k')) },
  ],
  4: [{ action: 'swap', label: () => t('landscape.swap') }],
  5: [{ action: 'rain', label: () => `× ${number(DRAWS)}` }],
};

/**
 * Temperatures at which each beat's action has a clear effect: minimum, maximum, and the one to set if the user's is
 * outside.
 */
const HEAT = [
  [0.3, 1.5, 0.7],
  [0.7, 1.1, 1],
  [1, 1.5, 1],
  [1.3, 3, 1.5],
  [1.3, 3, 1.5],
];
/** The number of the beat about knobs that remove tokens. A user who begins with such a knob starts here. */
const CUTS_BEAT = 3;
/** Values of top-p at which its order has a clear effect: minimum, maximum, and the one to set. */
const NUCLEUS = [0.5, 0.97, 0.9];

/** @param {number} value @param {number[]} range */
const valueOrUsual = (value, [low, high, usual]) => (value >= low && value <= high ? value : usual);

/**
 * Returns the settings with which a beat begins, so that its action has an effect; other stages are off. Returns null
 * if nothing must change.
 * @param {number} beat
 * @param {import('../state/page-state.js').PageState} state
 * @param {import('../engine/types.js').TableRow[]} table
 */
export function startOf(beat, { settings, landscape_knob, landscape_twin }, table) {
  const is = /** @type {Record<string, any>} */ (settings);
  /** @type {Record<string, any>} */
  const start = { temperature: valueOrUsual(is.temperature, HEAT[beat - 1]) };
  if (beat === 4) start.top_p = valueOrUsual(is.top_p, NUCLEUS);
  // The last beat continues with the settings of the beat before it.
  if (beat === 5 && is.top_p === valueOrUsual(is.top_p, NUCLEUS)) {
    start.top_p = is.top_p;
    if (is.order) start.order = is.order;
  }
  const neutral = (/** @type {string} */ name) => table.find((row) => row.name === name)?.neutral;
  const same = [...new Set([...Object.keys(is), ...Object.keys(start)])].every(
    (name) => is[name] === (start[name] ?? neutral(name)),
  );
  const knob = beat === CUTS_BEAT && CUTS.includes(landscape_knob ?? '') ? landscape_knob : null;
  const along = (landscape_knob ?? 'temperature') === (knob ?? 'temperature') && !landscape_twin;
  return same && along ? null : { settings: start, landscape_knob: knob, landscape_twin: false };
}

/** Returns the numbers of tokens that top-p keeps after the sure and the unsure prompt. @param {Outcome} now */
const keptByTopP = ({ value, kept }) => ({
  p: plain(value),
  sure: number(kept?.[0] ?? 0),
  unsure: number(kept?.[1] ?? 0),
});

/** Returns true if the user moved u, and the knob at most a little. @param {Outcome} before @param {Outcome} now */
function movesLuck(before, now) {
  const moved = Math.abs(Number(now.u) - Number(before.u));
  return now.share === before.share ? moved > 0 : moved >= U_MIN;
}

/**
 * For each beat, functions that detect the effect of its actions. A function returns null while there is no effect;
 * then a function that returns the sentence about it. `told` is true if this effect was described before.
 * @type {((before: Outcome, now: Outcome, told?: boolean) => (() => string) | null)[][]}
 */
const OUTCOMES = [
  [
    (_, { knob, share }) => (knob === 'temperature' && share <= LEFT ? () => '' : null),
    (before, now, told) => {
      if (now.knob !== 'temperature' || (now.share < RIGHT && !told)) return null;
      const kind = now.u !== before.u ? 'luck' : now.id === before.id ? 'same' : 'noticed';
      return () =>
        t(`guide.1.${kind}`, {
          from: percent(before.best.p),
          to: percent(now.best.p),
          before: before.token,
          token: now.token,
        });
    },
  ],
  [
    (before, now) => {
      if (!movesLuck(before, now) || now.id === before.id) return null;
      const [from, to] = [fixed(Number(before.u), 2), fixed(Number(now.u), 2)];
      return () => t('guide.2.noticed', { from, to, before: before.token, token: now.token });
    },
  ],
  [
    (_, { knob, kept }) => (knob === 'top_p' && kept ? () => '' : null),
    (before, { knob, value, kept }) => {
      if (knob !== 'top_k' || !kept) return null;
      const [n, m] = kept.map(number);
      const kind = n === m ? 'noticed' : 'uneven';
      return () => t(`guide.3.${kind}`, { ...keptByTopP(before), k: plain(value), n, m });
    },
  ],
  [
    (before, { others, unlike }) => {
      const orders = [before.others, others].map((each) => String(JSON.parse(each).order));
      if (unlike === null || orders[0] === orders[1]) return null;
      return () => t(unlike > 0 ? 'guide.4.noticed' : 'guide.4.same', { p: percent(unlike) });
    },
  ],
  [
    (_, { best: { token, p }, draws }) =>
      draws === null
        ? null
        : () => t('guide.5.noticed', { token, p: percent(p), n: draws, of: number(DRAWS) }),
  ],
];

export class LogitGuide extends elementWith(LogitElement, () => ({
  /** The number of the beat, from 1. beats + 1 is the end of the tour. */
  beat: 1,
  beats: 0,
  /** True in a presentation, which can be left in another way. */
  present: false,
  /** Number of actions of this beat that the user has done. */
  done: 0,
  /** The key of the sentence that is shown because the beat is about another knob; '' for none. */
  away: '',
  /** Returns the sentence about the last effect; null before an effect. @type {(() => string) | null} */
  said: null,
  /** True if the effect of the beat's last action was seen. */
  over: false,
  /** The root of the tree that contains the landscape. @type {ShadowRoot | null} */
  root: null,
})) {
  static properties = { beat: { type: Number }, present: { type: Boolean } };

  static styles = [...LogitElement.styles, guideStyles];

  /** Facts about the picture before the action; null if unknown. @type {Outcome | null} */
  #before = null;
  #acted = false;
  #watching = false;

  constructor() {
    super();
    new Toolbars(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unfollow(this.root);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('beat')) {
      this.#resetBeat();
      this.#watchEffects();
    }
    if (!changed.has('root')) return;
    this.#unfollow(/** @type {ShadowRoot | undefined} */ (changed.get('root')));
    this.root?.addEventListener('logit-deed', this.#onDeed);
    this.root?.host.addEventListener('logit-change', this.#watchEffects);
  }

  /** @param {ShadowRoot | null} [root] */
  #unfollow(root) {
    root?.removeEventListener('logit-deed', this.#onDeed);
    root?.host.removeEventListener('logit-change', this.#watchEffects);
  }

  /** Resets the beat: no action is done yet. */
  #resetBeat() {
    this.done = 0;
    this.said = null;
    this.over = false;
    this.#acted = false;
  }

  render() {
    const { beat, over } = this;
    const last = beat > this.beats;
    return html`
      <section aria-labelledby="title" @keydown=${this.#onKey}>
        <h2 id="title" class="visually-hidden" tabindex="-1">${t(last ? 'guide.end' : `guide.${beat}`)}</h2>
        <span class="count">${last ? '' : `${number(beat)}/${number(this.beats)}`}</span>
        <p class="text" aria-live="polite">${last ? t('guide.end.said') : (this.said?.() ?? this.#renderDeed())}</p>
        <div class="go" role="toolbar" aria-label=${t('guide.label')}>
          ${last || over ? nothing : this.#renderButton()}
          ${
            last
              ? html`<button class="primary" data-guide="bench" @click=${() => this.#emitEnd(true)}>${t('guide.bench')}</button>`
              : html`
                <button data-guide="back" aria-label=${t('guide.back')} aria-disabled=${beat === 1} @click=${() => this.#goToBeat(beat - 1)}>‹</button>
                <button class=${over ? 'primary' : ''} data-guide="next" aria-label=${t('guide.next')} @click=${() => this.#goToBeat(this.#nextBeat)}>›</button>`
          }
          ${this.present ? nothing : html`<button data-guide="skip" aria-label=${t(last ? 'guide.close' : 'guide.skip')} @click=${() => this.#emitEnd(false)}>×</button>`}
        </div>
      </section>
    `;
  }

  /** Renders the instruction for the next action, and its keys for screen readers. */
  #renderDeed() {
    const { beat, done } = this;
    if (this.away) return html`<span class="deed">${t(this.away)}</span>`;
    const keys = done === 0 && beat < 3 ? t(`guide.${beat}.keys`) : '';
    const values = beat === 3 && this.#before ? keptByTopP(this.#before) : {};
    return html`<span class="deed">${t(`guide.${beat}.deed${done || ''}`, values)}</span>${
      keys && html` <span class="visually-hidden">${keys}</span>`
    }`;
  }

  #renderButton() {
    const button = BUTTONS[this.beat]?.[this.done];
    if (!button) return nothing;
    return html`<button class="press" @click=${() => this.#landscape?.deeds.act(button.action)}>${button.label()}</button>`;
  }

  /** @returns {LogitLandscape | null | undefined} */
  get #landscape() {
    return this.root?.querySelector('logit-landscape');
  }

  get #nextBeat() {
    const cuts = CUTS.includes(this.#landscape?.knob ?? '');
    return cuts && this.beat < CUTS_BEAT ? CUTS_BEAT : this.beat + 1;
  }

  /** Notes the facts of the picture before the first action of a beat. */
  #onDeed = () => {
    if (!this.#acted) this.#before = this.#landscape?.outcome ?? this.#before;
    this.#acted = true;
    this.#watchEffects();
  };

  /**
   * Checks in each frame if the landscape shows the effect that the present beat of the tour is about. Ends when the
   * landscape has been idle for RESTS frames, and then sets the sentence of the guide.
   */
  #watchEffects = async () => {
    if (this.#watching) return;
    this.#watching = true;
    for (let rests = 0; this.isConnected && rests < RESTS; ) {
      await new Promise(requestAnimationFrame);
      const now = this.#landscape?.outcome;
      if (now) this.#checkEffect(now);
      rests = this.#landscape?.busy ? 0 : rests + 1;
    }
    this.#watching = false;
    const now = this.#landscape?.outcome;
    if (!now || this.beat > this.beats) return;
    if (this.over) this.said = this.#wordsOf(now) ?? (() => t('guide.other'));
    else {
      const { beat } = this;
      const other = beat === 1 && now.knob !== 'temperature' ? 'guide.away' : '';
      this.away = beat === CUTS_BEAT && now.knob === 'min_p' ? 'guide.away.min_p' : other;
      // If the user works at a knob that removes tokens, the tour goes on with the beat about such knobs.
      if (other && CUTS.includes(now.knob))
        this.emit('logit-beat', { beat: CUTS_BEAT, fresh: false });
      const moved = this.beat === 2 && this.#acted && this.#before;
      this.said = moved && movesLuck(moved, now) ? sameTokenWords(now) : null;
    }
  };

  /** Returns the sentence about the present picture; null if it does not show the effect. @param {Outcome} now */
  #wordsOf(now) {
    const { beat } = this;
    const before = /** @type {Outcome} */ (this.#before);
    if (beat < 3 && now.others !== before.others) return null;
    if (beat === 2 && Math.abs(now.share - before.share) > KNOB_MAX) return null;
    const say = OUTCOMES[beat - 1].at(-1)?.(before, now, true);
    return say ?? (beat === 2 ? sameTokenWords(now) : null);
  }

  /** @param {Outcome} now */
  #checkEffect(now) {
    if (this.over) return;
    const before = this.#before;
    if (!before || !this.#acted) {
      this.#before = now;
      return;
    }
    // A change of temperature or u counts only if nothing else has changed.
    const other = now.others !== before.others;
    const stays = this.beat !== 2 || Math.abs(now.share - before.share) <= KNOB_MAX;
    if (!stays || (this.beat < 3 && other)) {
      this.#before = now;
      this.done = 0;
    }
    // The second half of the first beat is compared with the picture at the left end.
    if (this.beat === 1 && this.done && now.share <= LEFT) this.#before = now;
    if (this.beat === 3 && this.done && now.kept && now.knob === 'top_p') {
      this.#before = now;
      this.requestUpdate();
    }
    const outcomes = OUTCOMES[this.beat - 1] ?? [];
    const say = outcomes[this.done]?.(/** @type {Outcome} */ (this.#before), now);
    if (!say) return;
    if (this.done + 1 < outcomes.length) {
      this.done++;
      this.#before = now;
    } else {
      this.over = true;
      this.said = say;
    }
  }

  /** Changes to another beat. @param {number} beat */
  #goToBeat(beat) {
    if (beat >= 1) this.emit('logit-beat', { beat });
  }

  /** @param {boolean} bench true if the page then shows the bench */
  #emitEnd(bench) {
    this.emit('logit-guide-end', { bench });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    this.#emitEnd(false);
  }
}

/** Returns the sentence for a new u that draws the same token as before. @param {Outcome} now */
function sameTokenWords(now) {
  return () => t('guide.2.still', { u: fixed(Number(now.u), 2), token: now.token });
}

define('logit-guide', LogitGuide);
