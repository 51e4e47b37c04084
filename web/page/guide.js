/**
 * <logit-guide>: one beat of the tour, as a line below the landscape's picture. A beat begins with settings
 * that give its action an effect and waits for the user's action. A sentence about the measured effect then
 * replaces its text. The guide emits "logit-beat" for another beat and "logit-guide-end" at the end.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/guide';
import { addMessages, fixed, number, percent, plain, t } from '../locale/locale.js';
import { LogitElement, define } from '../base/element.js';
import { Toolbars } from '../base/toolbars.js';
import { capitalise, settingName } from '../base/setting-words.js';
import { CUTS } from '../views/landscape/pair.js';
import { DRAWS } from '../views/landscape/rain.js';
import guideStyles from './guide.css';

addMessages(locales);

/** In the first beat the user moves the knob below LEFT, then above RIGHT, both shares of its range. */
const LEFT = 0.05;
const RIGHT = 0.64;
/** A drag of both lines counts as a drag of u if the knob moves at most KNOB_MAX of its range and u at least U_MIN. */
const KNOB_MAX = 0.05;
const U_MIN = 0.1;
/** After this many frames without work the landscape rests: a change may reach it a frame later. */
const RESTS = 3;

/**
 * @typedef {import('../views/landscape/landscape.js').LogitLandscape} LogitLandscape
 * @typedef {import('../views/landscape/outcome.js').Outcome} Outcome
 */

/**
 * The buttons of the beats, one for each action, with their labels. An action is one of the landscape.
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
 * The temperatures at which the action of each beat has an effect: minimum, maximum and default. Within
 * them a beat keeps the settings before it.
 */
const HEAT = [
  [0.3, 1.5, 0.7],
  [0.7, 1.1, 1],
  [1, 1.5, 1],
  [1.3, 3, 1.5],
  [1.3, 3, 1.5],
];
/** The beat about the knobs that remove tokens; with one of them the first beats lead to it. */
const CUTS_BEAT = 3;
/** The values of top-p that have an effect in the beat about the order: minimum, maximum, default. */
const NUCLEUS = [0.5, 0.97, 0.9];

/** @param {number} value @param {number[]} range */
const within = (value, [low, high, usual]) => (value >= low && value <= high ? value : usual);

/**
 * Returns the changes to the state at the beginning of a beat: settings that give its action an effect,
 * with all other stages off. Returns null if no change is needed.
 * @param {number} beat
 * @param {import('../state/page-state.js').PageState} state
 * @param {import('../engine/types.js').TableRow[]} table
 */
export function startOf(beat, { settings, landscape_knob, landscape_twin }, table) {
  const is = /** @type {Record<string, any>} */ (settings);
  /** @type {Record<string, any>} */
  const start = { temperature: within(is.temperature, HEAT[beat - 1]) };
  if (beat === 4) start.top_p = within(is.top_p, NUCLEUS);
  // The last beat keeps the settings of the previous beat.
  if (beat === 5 && is.top_p === within(is.top_p, NUCLEUS)) {
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

/** The numbers of the tokens that top-p keeps of the sure and the unsure prompt. @param {Outcome} now */
const keptByTopP = ({ value, kept }) => ({
  p: plain(value),
  sure: number(kept?.[0] ?? 0),
  unsure: number(kept?.[1] ?? 0),
});

/** True if only u was moved, or u far and the knob a little. @param {Outcome} before @param {Outcome} now */
function movesLuck(before, now) {
  const moved = Math.abs(Number(now.u) - Number(before.u));
  return now.share === before.share ? moved > 0 : moved >= U_MIN;
}

/**
 * Detects the effects of each beat's actions, in their order. A function returns null before the effect,
 * then a function that describes the effect in the current language ('' for no text). `told` is true if
 * the effect was described before and the picture still changes.
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

export class LogitGuide extends LogitElement {
  static properties = {
    beat: { type: Number },
    present: { type: Boolean },
    done: { state: true },
    away: { state: true },
    said: { state: true },
    over: { state: true },
    beats: { attribute: false },
    root: { attribute: false },
  };

  static styles = [...LogitElement.styles, guideStyles];

  /** The picture before the action; null if unknown. @type {Outcome | null} */
  #before = null;
  #acted = false;
  #watching = false;

  constructor() {
    super();
    new Toolbars(this);
    /** The current beat, from 1; beats + 1 is the end of the tour. */
    this.beat = 1;
    this.beats = 0;
    /** True in a presentation, which has a button of its own to leave. */
    this.present = false;
    /** The number of this beat's actions that the user has done. */
    this.done = 0;
    /** True if the first beat cannot go on, since another knob than temperature is chosen. */
    this.away = false;
    /** The sentence about the last effect; null before it. @type {(() => string) | null} */
    this.said = null;
    /** True if the effect of the beat's last action was seen. */
    this.over = false;
    /** The root of the tree that contains the landscape. @type {ShadowRoot | null} */
    this.root = null;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#unfollow(this.root);
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('beat')) {
      this.#begin();
      this.#watch();
    }
    if (!changed.has('root')) return;
    this.#unfollow(/** @type {ShadowRoot | undefined} */ (changed.get('root')));
    this.root?.addEventListener('logit-deed', this.#onDeed);
    this.root?.host.addEventListener('logit-change', this.#watch);
  }

  /** @param {ShadowRoot | null} [root] */
  #unfollow(root) {
    root?.removeEventListener('logit-deed', this.#onDeed);
    root?.host.removeEventListener('logit-change', this.#watch);
  }

  /** Waits for the first action of the beat. */
  #begin() {
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
              ? html`<button class="primary" data-guide="bench" @click=${() => this.#end(true)}>${t('guide.bench')}</button>`
              : html`
                <button data-guide="back" aria-label=${t('guide.back')} aria-disabled=${beat === 1} @click=${() => this.#go(beat - 1)}>‹</button>
                <button class=${over ? 'primary' : ''} data-guide="next" aria-label=${t('guide.next')} @click=${() => this.#go(this.#next)}>›</button>`
          }
          ${this.present ? nothing : html`<button data-guide="skip" aria-label=${t(last ? 'guide.close' : 'guide.skip')} @click=${() => this.#end(false)}>×</button>`}
        </div>
      </section>
    `;
  }

  /** Renders the next action of the beat in words, and its keys for a screen reader. */
  #renderDeed() {
    const { beat, done } = this;
    if (this.away) return html`<span class="deed">${t('guide.away')}</span>`;
    const keys = done === 0 && beat < 3 ? t(`guide.${beat}.keys`) : '';
    const values = beat === 3 && this.#before ? keptByTopP(this.#before) : {};
    return html`<span class="deed">${t(`guide.${beat}.deed${done || ''}`, values)}</span>${
      keys && html` <span class="visually-hidden">${keys}</span>`
    }`;
  }

  #renderButton() {
    const button = BUTTONS[this.beat]?.[this.done];
    if (!button) return nothing;
    return html`<button class="press" @click=${() => this.#view?.act(button.action)}>${button.label()}</button>`;
  }

  /** @returns {LogitLandscape | null | undefined} */
  get #view() {
    return this.root?.querySelector('logit-landscape');
  }

  get #next() {
    const cuts = CUTS.includes(this.#view?.knob ?? '');
    return cuts && this.beat < CUTS_BEAT ? CUTS_BEAT : this.beat + 1;
  }

  /** Keeps the picture before the first action of a beat, to compare later pictures with it. */
  #onDeed = () => {
    if (!this.#acted) this.#before = this.#view?.outcome ?? this.#before;
    this.#acted = true;
    this.#watch();
  };

  /** Checks for an effect in each frame until the landscape rests. */
  #watch = async () => {
    if (this.#watching) return;
    this.#watching = true;
    for (let rests = 0; this.isConnected && rests < RESTS; ) {
      await new Promise(requestAnimationFrame);
      const now = this.#view?.outcome;
      if (now) this.#see(now);
      rests = this.#view?.busy ? 0 : rests + 1;
    }
    this.#watching = false;
    const now = this.#view?.outcome;
    if (!now || this.beat > this.beats) return;
    if (this.over) this.said = this.#wordsOf(now) ?? (() => t('guide.other'));
    else {
      this.away = this.beat === 1 && now.knob !== 'temperature';
      const moved = this.beat === 2 && this.#acted && this.#before;
      this.said = moved && movesLuck(moved, now) ? stillOf(now) : null;
    }
  };

  /** Describes the effect in the present picture; null if the picture shows something else. @param {Outcome} now */
  #wordsOf(now) {
    const { beat } = this;
    const before = /** @type {Outcome} */ (this.#before);
    if (beat < 3 && now.others !== before.others) return null;
    if (beat === 2 && Math.abs(now.share - before.share) > KNOB_MAX) return null;
    const say = OUTCOMES[beat - 1].at(-1)?.(before, now, true);
    return say ?? (beat === 2 ? stillOf(now) : null);
  }

  /** @param {Outcome} now */
  #see(now) {
    if (this.over) return;
    const before = this.#before;
    if (!before || !this.#acted) {
      this.#before = now;
      return;
    }
    // The effects of temperature and u count only if nothing else changed.
    const other = now.others !== before.others;
    const stays = this.beat !== 2 || Math.abs(now.share - before.share) <= KNOB_MAX;
    if (!stays || (this.beat < 3 && other)) {
      this.#before = now;
      this.done = 0;
    }
    // The second action is compared with the picture at the left end of the drag.
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

  /** Shows another beat. @param {number} beat */
  #go(beat) {
    if (beat >= 1) this.emit('logit-beat', { beat });
  }

  /** @param {boolean} bench true if the page then shows the bench */
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

/** Describes a new u that selects the token of the old u. @param {Outcome} now */
function stillOf(now) {
  return () => t('guide.2.still', { u: fixed(Number(now.u), 2), token: now.token });
}

define('logit-guide', LogitGuide);
