/**
 * <logit-draw>: the tokens that can be drawn, side by side from 0 to 1, with the random number u of the next step,
 * which the user can drag. Also the seed, the method, and the result of many draws. Emits "logit-seed" and
 * "logit-draw".
 */
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { live } from 'lit/directives/live.js';
import { fixed, number, plain, rounded, t } from '../../locale/locale.js';
import { STRIP_HEIGHT, renderStrip } from '../../plots/strip-view.js';
import { layoutStrip } from '../../plots/strip.js';
import drawStyles from './draw.css';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { UpdateThrottle } from '../../base/update-throttle.js';
import { keptWords, readSeed } from '../../base/setting-words.js';
import { listen } from '../../base/props.js';
import { dragging } from '../../base/touch.js';
import { NumberInput } from '../../base/number-input.js';
import { endName, spoken, visible, visibleHtml, visibleSvg } from '../../base/visible.js';
import { Width } from '../../base/width.js';

/** @import { Trace, Drawn } from '../../plots/trace.js' */

/** Number of draws that one press of the button for many draws makes. */
const MANY = 1000;
/** Largest u of the slider; u must be below 1. */
const LAST = 0.9999;

export class LogitDraw extends elementWith(LogitElement, () => ({
  /** @type {Trace | null} */
  trace: null,
  /** @type {Drawn | null} */
  drawn: null,
  seed: 0,
  count: 0,
  /** @type {string | null} */
  finished: null,
  eos: -1,
  /** @type {'inverse' | 'gumbel'} */
  method: 'inverse',
  /** The u that the user tries; null for the seed's own. @type {number | null} */
  whatIf: null,
  /** @type {import('../../state/tally.js').Tally | null} */
  tally: null,
  /** True if a button beside the strip takes the token at the user's u. */
  stepping: false,
  fixed: false,
  /** True if the seed, the method and many draws are unfolded. */
  opened: false,
})) {
  static properties = { stepping: { type: Boolean }, fixed: { type: Boolean } };

  static styles = [...LogitElement.styles, drawStyles];

  #width = new Width(this, '.strip');
  /** @type {UpdateThrottle} */
  #throttle = new UpdateThrottle(this, ['trace', 'drawn']);
  /**
   * The module that shows many draws; null until it is fetched.
   * @type {typeof import('../../state/tally.js') | null}
   */
  #many = null;
  #typed = new NumberInput(
    this,
    readSeed,
    (seed) => seed !== this.seed && this.emit('logit-seed', { seed }),
    () => this.seed,
  );

  firstUpdated() {
    import('../../state/tally.js').then((many) => {
      this.#many = many;
      if (this.tally) this.requestUpdate();
    });
  }

  /** When many draws begin, unfolds their result. @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('tally') && this.tally) this.opened = true;
  }

  /** @param {Map<string, unknown>} changed */
  shouldUpdate(changed) {
    return this.#throttle.classify(changed) !== 'motion' || this.#throttle.visible;
  }

  render() {
    const { error, text } = this.#typed;
    const sentence = keptWords(error, this.seed);
    return html`
      <div class="top">
        <h2>${t('draw.title')}</h2>
        <b class="counter">${fixed(this.count, 0)}</b>
        <p class="lands" data-drawn=${this.drawn?.id ?? nothing}>${guard([this.#throttle.numbersCount], () => this.#drawSentence())}</p>
      </div>
      ${this.#renderSlider()}
      ${this.#renderWhatIf()}
      <details class="ways" ?open=${this.opened} @toggle=${this.#onWays}>
        <summary>${t('draw.seed')} <span class="digits" translate="no">${plain(this.seed)}</span></summary>
        <p class="about">${t('draw.about')} ${t('draw.why')}</p>
        <div class="seed">
          <label class="label" for="seed">${t('draw.seed')}</label>
          <input id="seed" type="text" inputmode="numeric" autocomplete="off" spellcheck="false" ?readonly=${this.fixed}
            aria-invalid=${error ? 'true' : 'false'} aria-describedby="error"
            .value=${live(text ?? plain(this.seed))}
            @input=${this.#typed.onInput} @change=${this.#typed.onChange}>
          <button ?hidden=${this.fixed} data-command="seed" @click=${this.#onNew}>${t('draw.seed.new')}</button>
          ${this.#renderMethod()}
        </div>
        <p id="error" class="error" role="alert">${sentence}</p>
        ${this.#renderResult()}
      </details>
    `;
  }

  /** @param {Event} event */
  #onWays({ target }) {
    this.opened = /** @type {HTMLDetailsElement} */ (target).open;
  }

  /** Renders the strip, which is also the slider for u. */
  #renderSlider() {
    const { drawn, whatIf } = this;
    const u = drawn?.u ?? null;
    const words =
      drawn && u !== null
        ? t('draw.slider.words', { u: fixed(u, 4), token: spoken(drawn, this.eos) })
        : t('draw.slider.none');
    return html`
      <div class="strip ${whatIf === null ? '' : 'if'}" role="slider" tabindex="0" translate="no"
        aria-label=${t('draw.slider')} aria-valuemin="0" aria-valuemax="1" aria-valuenow=${u ?? 0}
        aria-valuetext=${words} aria-disabled=${!this.#canMoveU}
        ${listen(this.#drag)} @keydown=${this.#onKey}>
        ${this.#renderStrip()}</div>`;
  }

  /** True if the user may try another u. */
  get #canMoveU() {
    return this.method !== 'gumbel' && !this.fixed;
  }

  #renderWhatIf() {
    if (this.fixed) return nothing;
    const on = this.whatIf !== null;
    return html`
      <div class="asked ${on ? 'if' : ''}">
        <p>${on ? t(this.stepping ? 'draw.whatif.on' : 'draw.whatif.on.alone') : ''}</p>
        <button ?hidden=${!on} data-command="seeded"
          @click=${this.#onBack}>${t('draw.back')}</button>
      </div>`;
  }

  #renderMethod() {
    /** @param {string} name */
    const button = (name) => html`
      <button aria-pressed=${this.method === name} data-method=${name}
        @click=${() => this.emit('logit-draw', { method: name })}>${t(`draw.method.${name}`)}</button>`;
    return html`
      <div class="segments" role="group" ?hidden=${this.fixed} aria-label=${t('draw.method')}>${button('inverse')}${button('gumbel')}</div>
        <button class="many" data-command="many" title=${t('draw.many.about')}
          @click=${() => this.emit('logit-draw', { draws: MANY })}>
          ${t(this.tally ? 'draw.many.more' : 'draw.many')}</button>`;
  }

  #renderResult() {
    const { tally } = this;
    const distance = tally && this.#many ? fixed(this.#many.totalVariation(tally), 4) : '';
    return html`
      <p class="result" role="status" data-total=${tally?.total ?? 0}>
        ${distance && tally ? t('draw.many.result', { n: number(tally.total), distance }) : ''}</p>`;
  }

  #renderStrip() {
    const { trace, drawn } = this;
    const { width, unit } = this.#width;
    const height = STRIP_HEIGHT * unit;
    if (!trace || !width) return html`<svg height=${height} aria-hidden="true"></svg>`;
    const layout = layoutStrip({ trace, width, u: drawn?.u ?? null, nextId: drawn?.id ?? null });
    const rest = t('draw.rest');
    const strip = renderStrip({
      layout,
      unit,
      tick: (value) => rounded(value, 1),
      label: ({ key, token }, letters) =>
        this.#throttle.reuse(key, () =>
          token ? visibleSvg(this.#nameOf(token), letters) : rest.slice(0, letters),
        ),
      title: ({ token }) => (token ? visible(this.#nameOf(token)) : rest),
    });
    return html`<svg height=${height} aria-hidden="true">${strip}</svg>`;
  }

  /** @param {import('../../plots/trace.js').TraceToken} token */
  #nameOf(token) {
    return token.id === this.eos ? { ...token, text: endName() } : token;
  }

  #drawSentence() {
    const { drawn, trace } = this;
    if (!drawn || !trace) return '';
    const token =
      drawn.id === this.eos
        ? html`<b>${t('text.end.long')}</b>`
        : html`<b class="token" translate="no">${visibleHtml(drawn)}</b>`;
    if (drawn.u === null) return withToken(t('draw.gumbel'), token);
    const { next } = layoutStrip({ trace, width: 1, u: drawn.u, nextId: drawn.id });
    const u = fixed(drawn.u, 4);
    if (this.finished === 'eos' && this.whatIf === null)
      return withToken(t('draw.drawn', { u }), token);
    if (!next?.token) return withToken(t('draw.lands.rest', { u, rank: drawn.rank }), token);
    return withToken(
      t('draw.lands', { u, from: rounded(next.from, 4), to: rounded(next.to, 4) }),
      token,
    );
  }

  #drag = dragging(
    (x) => this.#emitU(x),
    () => this.#canMoveU,
  );

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const u = this.drawn?.u ?? null;
    if (u === null || !this.#canMoveU) return;
    if (event.key === 'Escape' && this.whatIf !== null) {
      event.preventDefault();
      this.emit('logit-draw', { u: null });
    }
    const steps = {
      ArrowRight: 0.01,
      ArrowUp: 0.01,
      ArrowLeft: -0.01,
      ArrowDown: -0.01,
      PageUp: 0.1,
      PageDown: -0.1,
      Home: -1,
      End: 1,
    }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    this.#emitU((this.whatIf ?? u) + steps);
  }

  /** @param {number} u */
  #emitU(u) {
    this.emit('logit-draw', { u: Math.max(0, Math.min(LAST, Math.round(u * 1e4) / 1e4)) });
  }

  /** Returns to the seed's u. The pressed button disappears, so the strip gets the focus. */
  #onBack() {
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.strip'))?.focus();
    this.emit('logit-draw', { u: null });
  }

  #onNew() {
    const [seed] = crypto.getRandomValues(new Uint32Array(1));
    this.#typed.clear();
    this.emit('logit-seed', { seed });
  }
}

/** Replaces {token} in a sentence by an element. @param {string} sentence @param {unknown} token */
function withToken(sentence, token) {
  const [before, after] = sentence.split('{token}');
  return html`${before}${token}${after}`;
}

define('logit-draw', LogitDraw);
