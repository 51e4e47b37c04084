/**
 * <logit-cost>: the cost of a decode step with and without the KV cache, by formula and as measured in the worker. It
 * also shows how much the cache saves for a whole text, and how fast each build of the engine is. Emits
 * "logit-choose" with the measured parts, so that a link repeats the measurement.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/cost';
import { addMessages, fixed, number, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { define, elementWith } from '../../base/element.js';
import { toFault } from '../../engine/errors.js';
import { lease } from '../../state/engines.js';
import { initialChoices } from '../../state/fields.js';
import { sentence } from '../../base/faults.js';
import frameStyles from '../../style/frame.css';
import { ModelElement } from '../../base/model-element.js';
import chartStyles from '../../style/chart.css';
import { walkTo } from '../../base/handles.js';
import { Width } from '../../base/width.js';
import { renderChart } from './chart.js';
import costStyles from './cost.css';
import { multiplied, operations, wholeText, withCache, withoutCache } from './formula.js';
import { LEAST_CONTEXT, measureSpeed, measureSteps } from './measure.js';
import './sum.js';

addMessages(locales);

/** @import { Timing } from './measure.js' */

const VARIANTS = /** @type {const} */ (['scalar', 'simd', 'relaxed']);

/** The choices with which the view begins. */
const FIRST = initialChoices('cost');

export class LogitCost extends elementWith(ModelElement, () => ({
  /**
   * Names of the parts that are measured without a press of the button, because a link asks for them.
   * @type {('steps' | 'speeds')[]}
   */
  measured: FIRST.measured,
  /** Numbers of the calculator; null to take those of the bench and the model. @type {number | null} */
  prompt_tokens: FIRST.prompt_tokens,
  /** @type {number | null} */
  new_tokens: FIRST.new_tokens,
  /** @type {number | null} */
  width: FIRST.width,
  /** Number of tokens that were drawn in the bench. */
  drawn: 0,
  /** @type {Timing[]} */
  timings: [],
  /**
   * Tokens per second by the engine's build; null if the browser cannot run a build.
   * @type {Map<string, number | null>}
   */
  speeds: new Map(),
  /** @type {'' | 'steps' | 'speeds'} */
  busy: '',
  at: 0,
  /** Sentence for screen readers after a measurement. */
  said: '',
})) {
  static properties = {
    drawn: { type: Number },
    prompt_tokens: { type: Number },
    new_tokens: { type: Number },
    width: { type: Number },
  };

  static styles = [...ModelElement.styles, frameStyles, chartStyles, costStyles];

  #width = new Width(this, '.chart');
  /** @type {AbortController | null} */
  #run = null;
  /** @type {number[]} */
  #ids = [];
  /** Name of the model that was measured. @type {unknown} */
  #measuredModel = null;

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#run?.abort();
  }

  /** @param {import('../../base/model-element.js').RemoteLogitscope} engine */
  async opened(engine) {
    this.#run?.abort();
    this.#run = null; // a run of the former model shows nothing more
    this.busy = '';
    const model = `${this.model} ${this.context}`;
    const other = this.#measuredModel !== null && this.#measuredModel !== model;
    this.#measuredModel = model;
    if (other) {
      this.timings = [];
      this.speeds = new Map();
      if (this.measured.length > 0) this.keepChoice({ measured: [] });
    }
    await this.#readPrompt(engine);
    if (engine !== this.engine) return;
    const { measured, timings } = this;
    if (measured.includes('steps') && timings.length === 0) await this.#measure();
    const { speeds } = this;
    if (measured.includes('speeds') && speeds.size === 0) await this.#measureVariants();
  }

  /** @param {import('../../base/model-element.js').RemoteLogitscope} engine */
  async #readPrompt(engine) {
    const half = (engine.info?.context_length ?? 2) >> 1;
    const ids = Array.from(
      this.prompt_ids ?? (await engine.encode(this.prompt ?? '').catch(() => [])),
    ).slice(0, half);
    this.#ids = ids.length > 0 ? ids : [engine.info?.bos_token_id ?? 0];
    this.requestUpdate();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    super.willUpdate(changed);
    if ((changed.has('prompt') || changed.has('prompt_ids')) && this.engine)
      this.#readPrompt(this.engine);
  }

  render() {
    const { engine, fault } = this;
    const info = /** @type {any} */ (engine?.info);
    return html`
      <h2>${t('view.cost')}</h2>
      <p class="about">${t('cost.purpose')}</p>
      ${fault ? html`<p class="error" role="alert">${sentence(fault, this)}</p>` : nothing}
      ${info?.remote ? html`<p class="none">${t('cost.remote')}</p>` : info ? this.#renderWhole(info) : nothing}
    `;
  }

  /**
   * Renders everything that needs data of the model. It appears at once, so that nothing moves later.
   * @param {any} info
   */
  #renderWhole(info) {
    const { busy } = this;
    return html`
      ${this.#renderFormula(info)}
      <section>
        <h3>${t('cost.steps')}</h3>
        <p class="about">${t('cost.steps.about')}</p>
        <div class="actions">
          <button class="primary" data-run="steps" aria-disabled=${!this.#canMeasure} @click=${this.#measure}>${t('cost.measure')}</button>
          <button data-run="stop" aria-disabled=${busy === ''} @click=${() => this.#run?.abort()}>${t('cost.stop')}</button>
          <span class="soft" role="status">${busy === 'steps' ? t('cost.working', { n: this.timings.length }) : this.#contextWarning() || this.said}</span>
        </div>
        ${this.#renderTimings(info)}
      </section>
      ${this.#renderSaved(info)}
      ${this.#renderSum(info)}
      ${this.#renderSpeeds()}
    `;
  }

  /** @param {any} info */
  #renderFormula(info) {
    const { n_layer, n_embd } = info;
    const n = Math.max(1, this.#ids.length + this.drawn);
    const kept = withCache(info, n);
    const again = withoutCache(info, n);
    const row = (
      /** @type {string} */ name,
      /** @type {import('./formula.js').Cost} */ cost,
    ) => html`
      <tr><th scope="row">${t(`cost.${name}`)}</th>
        <td>${writeOperations(cost.matrices)}</td><td>${writeOperations(cost.attention)}</td><td>${writeOperations(operations(cost))}</td>
        <td>${fixed(operations(cost) / cost.bytes, 1)}</td></tr>`;
    return html`
      <section>
        <h3>${t('cost.formula')}</h3>
        <p class="formula"><span>${t('cost.matrices')} = 2 × ${number(multiplied(info))}</span>
          <span>${t('cost.attention')} = 4 × n × ${number(n_embd)} × ${number(n_layer)}</span></p>
        <p class="about">${t('cost.formula.about', { n })}</p>
        <div class="scroll" tabindex="0" role="region" aria-label=${t('cost.formula')}>
          <table>
            <thead><tr><th scope="col">${t('cost.step')}</th><th scope="col">${t('cost.matrices')}</th>
              <th scope="col">${t('cost.attention')}</th><th scope="col">${t('cost.operations')}</th>
              <th scope="col">${t('cost.intensity')}</th></tr></thead>
            <tbody>${row('with', kept)}${row('without', again)}</tbody>
          </table>
        </div>
      </section>`;
  }

  /** @param {any} info */
  #renderTimings(info) {
    const { timings } = this;
    const { width, unit } = this.#width;
    const shown = timings[Math.min(this.at, timings.length - 1)];
    const last = timings.length - 1;
    return html`
      <div class="chart place ${timings.length === 0 && this.busy !== 'steps' ? 'none' : ''}">
        ${
          width > 0 && timings.length > 0
            ? html`<div class="walk" role="slider" tabindex="0" aria-label=${t('cost.walk')} aria-valuemin="1"
              aria-valuemax=${timings.length} aria-valuenow=${Math.min(this.at, last) + 1}
              aria-valuetext=${this.#pointWords(info, shown)} @keydown=${this.#onKey}>${this.#renderChart(width, unit)}</div>`
            : html`<p class="empty">${t('cost.none')}</p>`
        }
      </div>
      <p class="told" aria-hidden="true">${shown ? this.#pointWords(info, shown) : nothing}</p>
      ${timings.length > 0 ? this.#renderTable(info) : nothing}`;
  }

  /**
   * @param {number} width
   * @param {number} unit
   */
  #renderChart(width, unit) {
    const { timings } = this;
    const options = {
      series: /** @type {const} */ (['cached', 'uncached']).map((key) => ({
        key,
        values: timings.map((timing) => timing[key]),
      })),
      places: timings.map(({ n }) => n),
      counts: true,
      words: { x: t('cost.n'), y: t('cost.ms'), legend: [t('cost.with'), t('cost.without')] },
      write: threeDigits,
      at: this.at,
      onPoint: (/** @type {number} */ at) => (this.at = at),
    };
    const height = Math.min(360 * unit, Math.max(260 * unit, width * 0.2));
    return renderChart(options, { width, height, unit });
  }

  /**
   * @param {any} info
   * @param {Timing} timing
   */
  #pointWords(info, { n, cached, uncached }) {
    const rate = (/** @type {import('./formula.js').Cost} */ cost, /** @type {number} */ ms) =>
      threeDigits(operations(cost) / ms / 1e6);
    return t('cost.point', {
      n,
      cached: threeDigits(cached),
      uncached: threeDigits(uncached),
      times: threeDigits(uncached / cached),
      fast: rate(withCache(info, n), cached),
      dense: rate(withoutCache(info, n), uncached),
    });
  }

  /** @param {any} info */
  #renderTable(info) {
    const heads = [
      'cost.n',
      'cost.operations.with',
      'cost.ms.with',
      'cost.operations.without',
      'cost.ms.without',
    ];
    return html`
      <details class="table"><summary>${t('distribution.table')}</summary>
        <div class="scroll" tabindex="0" role="region" aria-label=${t('cost.steps')}>
          <table><caption class="visually-hidden">${t('cost.steps')}</caption>
            <thead><tr>${heads.map((key) => html`<th scope="col">${t(key)}</th>`)}</tr></thead>
            <tbody translate="no">${this.timings.map(
              ({ n, cached, uncached }) => html`<tr data-n=${n}><th scope="row">${number(n)}</th>
                <td>${writeOperations(operations(withCache(info, n)))}</td><td>${threeDigits(cached)}</td>
                <td>${writeOperations(operations(withoutCache(info, n)))}</td><td>${threeDigits(uncached)}</td></tr>`,
            )}</tbody>
          </table>
        </div></details>`;
  }

  /** @param {any} info */
  #renderSaved(info) {
    const { kept, again } = wholeText(info, this.#ids.length, this.drawn);
    const words = {
      n: this.drawn,
      kept: number(kept.tokens),
      again: number(again.tokens),
      times: threeDigits(again.operations / kept.operations),
    };
    return html`
      <section><h3>${t('cost.saved')}</h3>
        <p class="told">${this.drawn > 0 ? t('cost.saved.words', words) : t('cost.saved.none')}</p></section>`;
  }

  /** @param {any} info */
  #renderSum({ n_embd }) {
    const { prompt_tokens, new_tokens, width } = this;
    return html`
      <section><h3>${t('cost.sum')}</h3>
        <p class="about">${t('cost.sum.about')}</p>
        <logit-cost-sum .prompt_tokens=${prompt_tokens ?? this.#ids.length} .new_tokens=${new_tokens ?? 20}
          .width=${width ?? n_embd} @logit-count=${(/** @type {CustomEvent} */ { detail }) => this.keepChoice(detail)}></logit-cost-sum></section>`;
  }

  #renderSpeeds() {
    const { speeds, busy } = this;
    const most = Math.max(1, ...[...speeds.values()].map((speed) => speed ?? 0));
    return html`
      <section><h3>${t('cost.speeds')}</h3>
        <p class="about">${t('cost.speeds.about')}</p>
        <div class="actions">
          <button class="primary" data-run="speeds" aria-disabled=${!this.#canMeasure} @click=${this.#measureVariants}>${t('cost.measure')}</button>
          <span class="soft" role="status">${busy === 'speeds' ? t('cost.racing') : this.#contextWarning()}</span>
        </div>
        <dl class="speeds">${VARIANTS.map((variant) => {
          const speed = speeds.get(variant);
          return html`<div data-variant=${variant}><dt>${t(`cost.variant.${variant}`)}</dt>
            <dd><i ${cssom({ '--share': (speed ?? 0) / most })}></i><span>${speedWords(speed)}</span></dd></div>`;
        })}</dl></section>`;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const to = walkTo(event, this.at, this.timings.length - 1);
    if (to !== undefined) this.at = to;
  }

  get #measuredText() {
    const { context_length, end_token_ids } = /** @type {any} */ (this.engine?.info);
    return { ids: this.#ids, ends: end_token_ids, context: context_length };
  }

  /** Returns a sentence if the context is too short for a measurement, else ''. */
  #contextWarning() {
    const n = this.engine?.info?.context_length ?? LEAST_CONTEXT;
    return n < LEAST_CONTEXT ? t('cost.short', { n, least: LEAST_CONTEXT }) : '';
  }

  get #canMeasure() {
    return this.engine !== null && !this.busy && this.#contextWarning() === '';
  }

  async #measure() {
    if (!this.engine || !this.#canMeasure) return;
    const run = this.#beginRun('steps');
    const opening = this.engine.session();
    this.timings = [];
    try {
      const text = { ...this.#measuredText, signal: run.signal };
      for await (const timing of measureSteps(await opening, text)) {
        if (this.#run !== run) return;
        this.timings = [...this.timings, timing];
      }
      this.said = this.speak(() => t(run.signal.aborted ? 'cost.stopped' : 'cost.done'));
    } catch (error) {
      if (toFault(error).code !== 'closed') throw error;
    } finally {
      opening.then((session) => session.close()).catch(() => {}); // its engine may be closed
      if (this.#run === run) this.busy = '';
    }
  }

  /** Measures every build of the engine. Each build opens the model again. */
  async #measureVariants() {
    if (!this.engine || !this.#canMeasure) return;
    const run = this.#beginRun('speeds');
    this.speeds = new Map();
    const text = { ...this.#measuredText, signal: run.signal };
    for (const variant of VARIANTS) {
      if (run.signal.aborted) break;
      const held = lease(this.offer.model, { context: this.context, variant });
      // Null if the browser lacks the instructions of this build.
      const speed = await held.ready.then((engine) => measureSpeed(engine, text)).catch(() => null);
      held.release();
      if (this.#run !== run) return;
      this.speeds = new Map(this.speeds).set(variant, speed);
    }
    this.busy = '';
  }

  /** @param {'steps' | 'speeds'} what */
  #beginRun(what) {
    const run = new AbortController();
    this.#run = run;
    this.busy = what;
    this.said = '';
    this.keepChoice({ measured: [...new Set([...this.measured, what])].sort() });
    return run;
  }
}

/** Writes a number of operations with k, M or G. @param {number} value */
function writeOperations(value) {
  if (value >= 1e9) return `${threeDigits(value / 1e9)} G`;
  return value >= 1e6 ? `${threeDigits(value / 1e6)} M` : `${threeDigits(value / 1e3)} k`;
}

/** @param {number | null | undefined} speed in tokens per second; undefined before a measurement */
function speedWords(speed) {
  if (speed === undefined) return '–';
  if (speed === null) return t('cost.absent');
  return t('cost.speed', { speed: number(Math.round(speed)) });
}

/** Writes a number with three digits. @param {number} value */
function threeDigits(value) {
  if (value >= 100) return fixed(value, 0);
  if (value >= 10) return fixed(value, 1);
  return fixed(value, value >= 1 ? 2 : 3);
}

define('logit-cost', LogitCost);
