/**
 * <logit-speculative>: speculative decoding, token by token. It shows the token that a small model proposed, the two
 * distributions that decide, and the decision. Emits "logit-choose" with each choice.
 */
import { html, nothing } from 'lit';
import { classMap } from 'lit/directives/class-map.js';
import { locales } from '#locales/speculative';
import { toFault } from '../../engine/errors.js';
import { addMessages, fixed, number, percent, plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { define, elementWith, valueOf } from '../../base/element.js';
import { sentence } from '../../base/faults.js';
import { walkTo } from '../../base/handles.js';
import { ModelElement } from '../../base/model-element.js';
import { readField } from '../read-field.js';
import { liveUnfocused } from '../../base/live-unfocused.js';
import { unturned, visible, visibleHtml } from '../../base/visible.js';
import { assets } from '../../state/assets.js';
import { initialChoices } from '../../state/fields.js';
import frameStyles from '../../style/frame.css';
import { addressOf } from './draft.js';
import { measureBoth } from './measure.js';
import speculativeStyles from './speculative.css';

addMessages(locales);

/** @import { Step, Speculated, SpeculationTotals as Totals } from '../../engine/types.js' */

/** Numbers of draft tokens that the user can choose. */
const DRAFTS = [1, 2, 4, 8];
/** The number of listed tokens in each distribution. */
const LISTED = 10;

/** The choices with which the view begins. */
const FIRST = initialChoices('speculative');

/** Keeps room for the numbers of a text that is being written. */
const NONE = /** @type {Totals} */ ({
  passes: 0,
  tokens: 0,
  accepted: 0,
  rejected: 0,
  acceptance: null,
});

export class LogitSpeculative extends elementWith(ModelElement, () => ({
  /** Number of tokens that the draft model proposes in one pass. @type {number} */
  draft_tokens: FIRST.draft_tokens,
  /** Null for the bench's temperature. @type {number | null} */
  temperature: FIRST.temperature,
  /** Null for the bench's seed. @type {number | null} */
  seed: FIRST.seed,
  /** @type {number} */
  max_new_tokens: FIRST.max_new_tokens,
  /** @type {Step[]} */
  steps: [],
  /** Totals of the text; null until the text is complete. @type {Totals | null} */
  totals: null,
  /** The index of the chosen token. */
  at: 0,
  /** The refused text of a box; null if none. @type {{ name: string, text: string, error: string } | null} */
  refused: null,
  /** The error that prevented the text; null if none. @type {import('../../engine/errors.js').Fault | null} */
  wrong: null,
  /**
   * Milliseconds for each token with and without a draft model; null before a measurement.
   * @type {{ drafted: number, plain: number } | null}
   */
  timed: null,
  /** @type {'' | 'text' | 'time'} */
  busy: '',
  said: '',
})) {
  static properties = {
    draft_tokens: { type: Number },
    temperature: { type: Number },
    seed: { type: Number },
    max_new_tokens: { type: Number },
  };

  static styles = [...ModelElement.styles, frameStyles, speculativeStyles];

  /** @type {AbortController | null} */
  #run = null;
  /** The options of the displayed text, as JSON. */
  #written = '';

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#run?.abort();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    super.willUpdate(changed);
    if (this.engine && this.#wantedJson !== this.#written) this.#write();
  }

  async opened() {
    this.#written = '';
    this.requestUpdate();
  }

  /** The options with which the text is generated. */
  get #options() {
    const { draft_tokens, max_new_tokens, prompt, prompt_ids } = this;
    return {
      ...this.asked,
      ...withoutNull(this),
      prompt: prompt_ids ?? prompt,
      max_new_tokens,
      draft_tokens,
      draft: addressOf(this.offer) ?? undefined,
    };
  }

  /** The options as JSON without the draft model, to find out if the displayed text is outdated. */
  get #wantedJson() {
    const { draft, ...options } = this.#options;
    return JSON.stringify([Boolean(draft), options]);
  }

  async #write() {
    const { engine } = this;
    this.#written = this.#wantedJson;
    this.#run?.abort();
    this.wrong = null;
    this.timed = null;
    this.steps = [];
    this.totals = null;
    this.said = '';
    if (!engine || !addressOf(this.offer)) return;
    const run = new AbortController();
    this.#run = run;
    this.busy = 'text';
    const opening = engine.session();
    try {
      const { signal } = run;
      const generation = (await opening).generate({ ...this.#options, draft_top: LISTED, signal });
      for (;;) {
        const { done, value } = await generation.next();
        if (this.#run !== run) break;
        if (done) {
          this.totals = value.speculation ?? null;
          const { at } = this;
          this.at = Math.min(at, this.steps.length - 1);
          this.said = this.speak(() => this.#totalsInWords());
          break;
        }
        this.steps = [...this.steps, value];
      }
    } catch (error) {
      if (this.#run === run) this.wrong = toFault(error);
    } finally {
      if (this.#run === run) this.busy = '';
      opening.then((session) => session.close()).catch(() => {}); // its engine may be closed already
    }
  }

  async #measureTime() {
    const { engine } = this;
    if (!engine || this.busy) return;
    const run = new AbortController();
    this.#run = run;
    this.busy = 'time';
    try {
      const timed = await measureBoth(engine, this.#options, run.signal);
      if (this.#run !== run) return;
      this.timed = timed;
      this.said = this.speak(() => this.#timeInWords());
    } catch (error) {
      if (this.#run === run) this.wrong = toFault(error);
    } finally {
      if (this.#run === run) this.busy = '';
    }
  }

  render() {
    const { fault, wrong } = this;
    const drafts = this.model === '' || addressOf(this.offer);
    return html`
      <h2>${t('view.speculative')}</h2>
      <p class="about">${t('speculative.about')}</p>
      ${drafts ? this.#renderControls() : this.#renderNone()}
      ${fault || wrong ? html`<p class="error" role="alert">${sentence(/** @type {any} */ (fault ?? wrong), this)}</p>` : nothing}
      ${drafts && this.engine ? this.#renderText() : nothing}
      <p class="visually-hidden" role="status">${this.said}</p>
    `;
  }

  /** Renders why there is no draft model: none exists, or this page does not contain its file. */
  #renderNone() {
    if (this.engine?.info?.remote) return html`<p class="none">${t('speculative.none.remote')}</p>`;
    if (assets.inside.size > 0) return html`<p class="none">${t('speculative.none.carried')}</p>`;
    return html`<div class="none"><p>${t('speculative.none')}</p>
      <button class="primary" data-command="stories" @click=${() => this.emit('logit-model', { model: 'stories' })}>
        ${t('speculative.open')}</button></div>`;
  }

  #renderControls() {
    const { refused } = this;
    return html`
      <div class="asked">
        <div><span class="label" id="k">${t('speculative.k')}</span>
          <div class="segments" role="group" aria-labelledby="k">${DRAFTS.map(
            (n) => html`<button data-drafts=${n} aria-pressed=${n === this.draft_tokens}
              @click=${() => this.keepChoice({ draft_tokens: n })}>${n}</button>`,
          )}</div></div>
        ${this.#renderBox('temperature', this.temperature ?? this.asked.temperature ?? 1)}
        ${this.#renderBox('seed', this.seed ?? this.asked.seed ?? 0)}
        ${this.#renderBox('max_new_tokens', this.max_new_tokens)}
        <button data-command="seed" @click=${this.#onSeed}>${t('speculative.seed.new')}</button>
      </div>
      <p class="error" role="alert" id="error">${refused?.error ?? nothing}</p>`;
  }

  /** @param {string} name @param {number} value */
  #renderBox(name, value) {
    const wrong = this.refused?.name === name;
    return html`<label class="label">${t(`speculative.${name}`)}
      <input inputmode="decimal" autocomplete="off" data-box=${name} aria-describedby="error" aria-invalid=${wrong}
        .value=${liveUnfocused(wrong ? (this.refused?.text ?? '') : plain(value))}
        @change=${(/** @type {Event} */ event) => this.#onBox(name, event)}></label>`;
  }

  /** @param {string} name @param {Event} event */
  #onBox(name, event) {
    const text = valueOf(event);
    const read = readField('speculative', name, text);
    this.refused = 'error' in read ? { name, text, error: read.error } : null;
    if ('value' in read) this.keepChoice({ [name]: read.value });
  }

  #onSeed() {
    this.refused = null;
    this.keepChoice({ seed: crypto.getRandomValues(new Uint32Array(1))[0] });
  }

  #renderText() {
    const { steps } = this;
    const step = steps[Math.min(this.at, steps.length - 1)];
    return html`
      <div class="columns">
        <section>
          <h3>${t('speculative.text')}</h3>
          ${this.#renderLegend()}
          <p class="tape" translate="no" dir="auto" role="listbox" tabindex="0" aria-label=${t('speculative.text')} aria-orientation="horizontal"
            aria-activedescendant=${steps.length > 0 ? `t${Math.min(this.at, steps.length - 1)}` : nothing} @keydown=${this.#onKey}
            ><span class="prompt" role="presentation" lang="en">${unturned(this.prompt)}</span>${steps.map((one, i) => this.#renderToken(one, i))}</p>
          <div class=${this.totals ? '' : 'awaited'}>${this.#renderTotals(this.totals ?? NONE)}</div>
        </section>
        <section class="decision">
          <h3>${t('speculative.decision')}</h3>
          ${step?.speculation ? this.#renderDecision(step, step.speculation) : nothing}
        </section>
      </div>`;
  }

  #renderLegend() {
    return html`<ul class="legend">${['accepted', 'replaced', 'bonus'].map(
      (outcome) =>
        html`<li><i class="key ${outcome}" aria-hidden="true"></i>${t(`speculative.${outcome}`)}</li>`,
    )}</ul>`;
  }

  /** @param {Step} step @param {number} i */
  #renderToken(step, i) {
    const how = /** @type {Speculated} */ (step.speculation);
    const { outcome } = how;
    const first = this.steps[i - 1]?.speculation?.pass !== how.pass;
    const gone = outcome === 'replaced' ? draftOf(how) : null;
    const selected = i === Math.min(this.at, this.steps.length - 1);
    return html`<span id="t${i}" role="option" class=${classMap({ step: true, [outcome]: true, first })} data-outcome=${outcome}
      aria-selected=${selected} @click=${() => (this.at = i)}
      >${gone ? html`<del lang="en">${wrappable(gone)}</del>` : nothing}<span lang="en">${wrappable(tokenOf(step))}</span><span class="visually-hidden">, ${t(`speculative.${outcome}`)}</span></span>`;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const last = this.steps.length - 1;
    const to = last < 0 ? undefined : walkTo(event, Math.min(this.at, last), last);
    if (to !== undefined) this.at = to;
  }

  /** @param {Step} step @param {Speculated} how */
  #renderDecision(step, how) {
    return html`
      <p class="told">${decisionInWords(step, how)}</p>
      ${how.drafted === undefined ? nothing : renderCoin(how)}
      ${how.dropped && how.dropped.length > 0 ? html`<p class="about">${t('speculative.dropped', { n: how.dropped.length })}</p>` : nothing}
      ${renderShares(step, how)}`;
  }

  /** @param {Totals} totals */
  #renderTotals({ tokens_per_pass, passes, tokens, accepted, rejected, acceptance }) {
    const { busy, timed } = this;
    const fact = (
      /** @type {string} */ name,
      /** @type {string} */ value,
      /** @type {string} */ more,
    ) =>
      html`<div data-fact=${name}><dt>${t(`speculative.${name}`)}</dt><dd><b>${value}</b> ${more}</dd></div>`;
    return html`
      <dl class="facts">
        ${fact('per-pass', fixed(tokens_per_pass ?? 0, 2), t('speculative.of-passes', { n: passes, tokens: number(tokens) }))}
        ${fact('rate', acceptance === null ? '–' : percent(acceptance), t('speculative.of-drafts', { accepted: number(accepted), n: accepted + rejected }))}
        <div data-fact="time"><dt>${t('speculative.time')}</dt><dd>${timed ? html`<b>${t('speculative.ms', { ms: fixed(timed.drafted, 2) })}</b> ${t('speculative.ms.plain', { ms: fixed(timed.plain, 2) })}` : nothing}
          <button data-command="time" aria-disabled=${busy !== ''} @click=${this.#measureTime}>${t(busy === 'time' ? 'speculative.timing' : 'speculative.measure')}</button></dd></div>
      </dl>
      <p class="about">${timed ? this.#timeInWords() : t('speculative.time.about')}</p>`;
  }

  #totalsInWords() {
    const { tokens_per_pass, passes, accepted, rejected } = /** @type {Totals} */ (this.totals);
    return t('speculative.done', {
      n: passes,
      rate: fixed(tokens_per_pass ?? 0, 2),
      accepted,
      of: accepted + rejected,
    });
  }

  #timeInWords() {
    const { drafted, plain: alone } = /** @type {{ drafted: number, plain: number }} */ (
      this.timed
    );
    const times = alone / drafted;
    return times >= 1
      ? t('speculative.faster', { times: fixed(times, 2) })
      : t('speculative.slower', { times: fixed(1 / times, 2) });
  }
}

/** Returns the settings that are not null. @param {Record<string, any>} given @returns {Record<string, any>} */
function withoutNull({ temperature, seed }) {
  return Object.fromEntries(
    Object.entries({ temperature, seed }).filter(([, value]) => (value ?? null) !== null),
  );
}

/** @param {Step} step */
const tokenOf = ({ id, text, speculation }) => ({
  id,
  text: speculation?.tokens?.find((token) => token.id === id)?.text ?? text,
  special: false,
});

/**
 * Renders a token in running text. Its lines break only at spaces.
 * @param {import('../../base/visible.js').Token} token
 */
const wrappable = (token) =>
  visibleHtml(token, true).map((part) =>
    typeof part === 'string' ? part.replaceAll('\u00a0', ' ') : part,
  );

/** @param {Speculated} how */
const draftOf = ({ drafted = -1, drafted_text = '' }) => ({
  id: drafted,
  text: drafted_text,
  special: false,
});

/** @param {Step} step @param {Speculated} how */
function decisionInWords(step, how) {
  if (how.drafted === undefined)
    return t('speculative.words.bonus', { token: visible(tokenOf(step)), p: percent(step.p) });
  const { p = 0, q = 0, acceptance = 0, coin = 0 } = how;
  const words = {
    drafted: visible(draftOf(how)),
    token: visible(tokenOf(step)),
    p: percent(p),
    q: percent(q),
    share: percent(acceptance),
    u: fixed(coin, 4),
  };
  if (how.outcome === 'replaced') return t('speculative.words.replaced', words);
  return t(acceptance === 1 ? 'speculative.words.sure' : 'speculative.words.accepted', words);
}

/**
 * Renders a line from 0 to 1 with u on it. If u is below `acceptance`, the proposed token is accepted.
 * @param {Speculated} how
 */
function renderCoin({ acceptance = 0, coin = 0 }) {
  return html`<div class="coin" aria-hidden="true" ${cssom({ '--stays': acceptance, '--u': coin })}>
    <i class="stays"></i><i class="needle"></i>
    <span class="u ${coin > 0.85 ? 'left' : ''}">u = ${fixed(coin, 2)}</span>
    <span class="ends"><span>0</span><span>${t('speculative.stays')} &lt; ${fixed(acceptance, 2)}</span><span>1</span></span></div>`;
}

/** Renders the two distributions, one above the other. @param {Step} step @param {Speculated} how */
function renderShares(step, how) {
  const { tokens = [] } = how;
  const both = how.drafted !== undefined;
  const most = Math.max(...tokens.map(({ p, q = 0 }) => Math.max(p, q)));
  return html`
    <ul class="legend">${(both ? ['both', 'more', 'less'] : ['alone']).map(
      (part) =>
        html`<li><i class="part ${part}" aria-hidden="true"></i>${t(`speculative.part.${part}`)}</li>`,
    )}</ul>
    <div class="scroll" tabindex="0" role="region" aria-label=${t('speculative.shares')}>
      <table class="shares"><caption class="visually-hidden">${t('speculative.shares')}</caption>
        <thead><tr><th scope="col">${t('speculative.token')}</th><td></td><th scope="col">p</th>
          ${both ? html`<th scope="col">q</th><th scope="col">${t('speculative.residual')}</th>` : nothing}</tr></thead>
        <tbody translate="no">${tokens.map(({ id, text, p, q = p, residual = 0 }) => {
          const marks = { drafted: id === how.drafted, drawn: id === step.id };
          const lower = Math.min(p, q) / most;
          const apart = Math.abs(p - q) / most;
          return html`<tr class=${classMap(marks)}><th scope="row"><span class="token" translate="no" lang="en">${visibleHtml({ id, text, special: false })}</span></th>
            <td class="bars" aria-hidden="true"><i class="part ${both ? 'both' : 'alone'}" ${cssom({ '--share': lower })}></i><i
              class="part ${p > q ? 'more' : 'less'}" ${cssom({ '--share': apart })}></i></td>
            <td>${percent(p)}</td>${both ? html`<td>${percent(q)}</td><td>${residual > 0 ? percent(residual) : '–'}</td>` : nothing}</tr>`;
        })}</tbody>
      </table>
    </div>
    <p class="about">${both ? t('speculative.residual.about', { share: percent(how.residual ?? 0) }) : nothing}</p>`;
}

define('logit-speculative', LogitSpeculative);
