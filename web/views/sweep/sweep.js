/**
 * <logit-sweep>: a chart of one or two settings over a range, with their effect on the distribution or on texts. One
 * line names the content of the chart and unfolds its form. A sweep without texts runs at once. A sweep with texts
 * waits for a press. Emits "logit-choose" with each choice.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/sweep';
import { needsGrammar, needsTexts } from '../../engine/measures.js';
import { POINTS_MAX, countPoints, placesOf, range, sweep, toCsv } from '../../engine/sweep.js';
import { addMessages, plain, t } from '../../locale/locale.js';
import { centre } from '../../base/centre.js';
import { define, elementWith } from '../../base/element.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { help } from '../../base/help.js';
import { download } from '../../base/download.js';
import { sentence } from '../../base/faults.js';
import { toFault } from '../../engine/errors.js';
import { ModelElement } from '../../base/model-element.js';
import { Throttle } from '../../base/throttle.js';
import { fetchJson } from '../../state/assets.js';
import { pageCrowd } from '../../state/crowd.js';
import { initialChoices, sameValue } from '../../state/fields.js';
import { Estimate, promiseOf } from './estimate.js';
import { FIGURES, SENTENCES, shapeOf } from './figures.js';
import { renderFigures, renderForm } from './form.js';
import './map.js';
import '../sentences/sentences.js';
import sweepStyles from './sweep.css';
import { renderReadout, renderSteps, renderTable, renderTexts } from './table.js';
import './trend.js';
import { captionOf, fileName, placeOf, titleOf } from './labels.js';

addMessages(locales);

/** @import { Plan, Point } from '../../engine/sweep.js' */
/** @import { Asked } from './figures.js' */

/**
 * A running or finished sweep, with all data for its chart.
 * @typedef {object} Run
 * @property {string} key of the plan, to detect a changed plan
 * @property {Plan} plan
 * @property {'line' | 'trade' | 'map'} shape
 * @property {Point[]} points
 * @property {number} total the number of points to measure
 * @property {'running' | 'done' | 'cancelled'} status
 * @property {string} model
 * @property {number} vocabulary the number of tokens
 */

/** Name of the shipped model that has a grammar. */
const JUDGED = 'verbs';
/** Least time between two updates of the chart while a sweep runs, in ms. */
const REPAINT_MS = 80;

/** The choices with which every chart begins. */
const { figure: FIRST_FIGURE, ...UNCHOSEN } = initialChoices('sweep');

export class LogitSweep extends elementWith(ModelElement, () => ({
  /**
   * The grammar or its address; undefined to use the model's grammar.
   * @type {import('../../engine/grammar.js').Grammar | string | null | undefined}
   */
  grammar: undefined,
  /** Prompts to choose. @type {string[]} */
  examples: [],
  /** @type {string} */
  figure: FIRST_FIGURE,
  /** The picture of whole sentences. @type {string | null} */
  kind: UNCHOSEN.kind,
  /** The knob of that picture. @type {string | null} */
  knob: UNCHOSEN.knob,
  /** The texts that its mask allows, one a line. @type {string | null} */
  allowed: UNCHOSEN.allowed,
  /** @type {import('./figures.js').Stretch | null} Null for the figure's own range. */
  first: UNCHOSEN.first,
  /** @type {import('./figures.js').Stretch | null} */
  second: UNCHOSEN.second,
  /** @type {string | null} */
  measure: UNCHOSEN.measure,
  /** @type {number | null} */
  samples: UNCHOSEN.samples,
  /** @type {number | null} */
  max_new_tokens: UNCHOSEN.max_new_tokens,
  /** @type {boolean | null} */
  keep: UNCHOSEN.keep,
  /** True if the user has asked for the texts of this chart. @type {boolean} */
  texts: UNCHOSEN.texts,
  /** True to show only the chart, for a lesson. The element then emits "logit-set" with the chosen point. */
  bare: false,
  /** @type {Run | null} */
  run: null,
  /** Index of the chosen point. */
  at: 0,
  /** @type {import('../../engine/errors.js').Fault | null} */
  trouble: null,
  /** @type {import('../../engine/grammar.js').Grammar | null} */
  rules: null,
  /** True while the form is unfolded. */
  unfolded: false,
})) {
  static properties = {
    grammar: {},
    figure: {},
    kind: {},
    knob: {},
    measure: {},
    samples: { type: Number },
    max_new_tokens: { type: Number },
    texts: { type: Boolean },
    bare: { type: Boolean },
  };

  static styles = [...ModelElement.styles, sweepStyles];

  #estimate = new Estimate(() => this.requestUpdate());
  /** Ends the running sweep; null if none is running. @type {AbortController | null} */
  #stop = null;
  /** The user's choices for each chart that is not displayed now. @type {Record<string, Record<string, any>>} */
  #chosen = {};
  /**
   * The last sweep of each chart that is not displayed now.
   * @type {Record<string, { run: Run | null, at: number }>}
   */
  #runs = {};
  /** @type {Record<string, { text: string, error: string }>} */
  #drafts = {};
  #tried = '';

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#cancel();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    super.willUpdate(changed);
    const isOther = changed.get('model') || (changed.has('context') && this.hasUpdated);
    if (isOther) {
      this.#cancel();
      this.run = null;
      this.#runs = {};
      this.#tried = '';
    } else if (changed.get('figure') !== undefined) this.#showFigure(String(changed.get('figure')));
    if (changed.has('grammar') || changed.has('model')) this.#readGrammar();
  }

  async #readGrammar() {
    const { grammar, model } = this;
    const offered = grammar === undefined && model !== '' ? this.offer.grammar : '';
    this.rules = typeof grammar === 'string' ? null : (grammar ?? null);
    if (!offered && (typeof grammar !== 'string' || grammar === '')) return;
    try {
      const rules = offered
        ? await fetchJson(offered)
        : await (await fetch(new URL(String(grammar), document.baseURI))).json();
      if (grammar === this.grammar && model === this.model) this.rules = rules;
    } catch (error) {
      this.trouble = toFault(error);
    }
  }

  /** True while a sweep is running. */
  get busy() {
    return this.#stop !== null;
  }

  get #figure() {
    return FIGURES.find(({ name }) => name === this.figure) ?? FIGURES[0];
  }

  /** The sweep to show: the prepared one with the user's changes. @returns {Asked} */
  get #wantedSweep() {
    const { asked, offers, kind } = this.#figure;
    const { first, second, measure, samples, max_new_tokens, keep } = this;
    const [own, ...others] = asked.measures;
    const taken = measure !== null && (kind === 'any' || offers.includes(measure));
    return {
      first: first ?? asked.first,
      second: kind === 'any' || asked.second ? (second ?? asked.second) : null,
      measures: [taken ? measure : own, ...others],
      samples: samples ?? asked.samples,
      max_new_tokens: max_new_tokens ?? asked.max_new_tokens,
      keep: keep ?? asked.keep,
    };
  }

  /** The plan for the engine; null if a value is invalid or a grammar is missing. @returns {Plan | null} */
  get #plan() {
    const { first, second, keep, measures, samples, max_new_tokens } = this.#wantedSweep;
    const { seed = 0, ...others } = this.asked;
    if (Object.keys(this.#drafts).length > 0 || this.#lacksGrammar) return null;
    try {
      const axes = [first, ...(second ? [second] : [])].map(({ name, from, to, step }) =>
        range(name, from, to, step),
      );
      if (countPoints(axes) > POINTS_MAX) return null;
      const settings = { ...(keep ? others : {}), seed };
      const { prompt, prompt_ids, rules: grammar } = this;
      return { axes, measures, prompt, prompt_ids, settings, samples, max_new_tokens, grammar };
    } catch {
      return null;
    }
  }

  /** True if a measure needs a grammar and there is none. */
  get #lacksGrammar() {
    return this.#wantedSweep.measures.some(needsGrammar) && !this.rules;
  }

  /** @param {Plan} plan */
  #keyOf({ grammar, ...plan }) {
    return JSON.stringify([this.figure, plan, grammar !== null]);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    super.updated(changed);
    const row = this.renderRoot.querySelector('.figures'); // on a phone this row is wider than the window
    if (changed.has('figure')) centre(row, row?.querySelector('input:checked')?.parentElement);
    const { engine } = this;
    const plan = engine && this.prompt && this.figure !== SENTENCES ? this.#plan : null;
    if (!plan || this.#keyOf(plan) === this.#tried) return;
    const writes = plan.measures.some(needsTexts);
    if (!writes || (this.texts && !this.run)) this.#start();
    else if (engine && !this.run && !this.bare) this.#estimate.want(engine, plan);
  }

  #cancel() {
    this.#stop?.abort();
    this.#stop = null;
    const { run } = this;
    if (run?.status === 'running')
      this.run = { ...run, status: /** @type {const} */ ('cancelled') };
  }

  async #start() {
    const { engine } = this;
    const plan = this.#plan;
    if (!engine?.info || !plan) return;
    this.#cancel();
    const stop = (this.#stop = new AbortController());
    this.trouble = null;
    this.#tried = this.#keyOf(plan);
    /** @type {Run} */
    let run = {
      key: this.#tried,
      plan,
      shape: shapeOf(this.#figure, this.#wantedSweep),
      points: [],
      total: countPoints(plan.axes),
      status: 'running',
      model: engine.info.name,
      vocabulary: engine.info.vocab_size,
    };
    const at = indexOfNearest(placesOf(plan.axes), this.#benchValues);
    /** @type {Point[]} */
    const points = [];
    const show = (/** @type {Run['status']} */ status) => {
      if (status !== 'running') this.#stop = null;
      if (this.run?.key !== run.key) this.at = at;
      this.run = run = { ...run, points: [...points], status };
    };
    if (plan.measures.some(needsTexts)) show('running');
    const repaint = new Throttle(REPAINT_MS);
    repaint.restart();
    try {
      for await (const point of sweep(engine, plan, stop.signal, pageCrowd())) {
        if (stop !== this.#stop) return;
        points.push(point);
        if (repaint.left() > 0) continue;
        repaint.restart();
        show('running');
      }
      if (stop === this.#stop) show('done');
    } catch (error) {
      if (stop !== this.#stop) return;
      this.trouble = toFault(error);
      show('cancelled');
    }
  }

  /** The values of all settings in the bench. @returns {Record<string, number>} */
  get #benchValues() {
    const neutral = (this.engine?.table ?? []).map(({ name, neutral: value }) => [name, value]);
    return { ...Object.fromEntries(neutral), .../** @type {any} */ (this.asked) };
  }

  render() {
    if (this.bare) return this.#renderBare();
    if (this.figure === SENTENCES) return this.#renderSentences();
    const { run, engine, unfolded } = this;
    const { name } = this.#figure;
    const title = run ? titleOf(run.plan, run.shape) : t(`sweep.figure.${name}`);
    const caption = run
      ? captionOf(run.plan, { model: run.model, table: engine?.table ?? [] })
      : [];
    return html`
      <h2 class="visually-hidden">${t('view.sweep')}</h2>
      ${renderFigures(this.figure, (name) => this.#chooseFigure(name))}
      <section class="figure" @logit-point=${this.#onPoint} @logit-take=${this.#onTake}>
        <div class="head"><h3>${title}</h3>${help(title, t(`sweep.about.${name}`))}
          <p class="about caption">${caption.join(' · ')}</p></div>
        ${this.#renderLine()}
        ${engine && unfolded ? this.#renderForm() : nothing}
        ${run ? this.#renderRun(run, title) : html`<div class="empty"><p>${engine ? promiseOf(this.#plan, this.#estimate) : ''}</p></div>`}
      </section>`;
  }

  #renderSentences() {
    const { model, context, prompt, prompt_ids, asked } = this;
    return html`
      <h2 class="visually-hidden">${t('view.sweep')}</h2>
      ${renderFigures(this.figure, (name) => this.#chooseFigure(name))}
      <section class="figure"><logit-sentences .model=${model} .context=${context} .prompt=${prompt}
        .prompt_ids=${prompt_ids} .settings=${asked} .examples=${this.examples} .kind=${this.kind} .knob=${this.knob}
        .allowed=${this.allowed?.split('\n') ?? []}></logit-sentences></section>`;
  }

  /** Renders the line about the chart, the button that unfolds the form, and the progress. */
  #renderLine() {
    const { unfolded } = this;
    const { first, second, measures, samples } = this.#wantedSweep;
    const texts = measures.some(needsTexts);
    const parts = [first, ...(second ? [second] : [])].map(({ name, from, to, step }) =>
      t('sweep.line', {
        setting: settingName(name),
        from: plain(from),
        to: plain(to),
        step: plain(step),
      }),
    );
    const line = [...parts, ...(texts ? [t('sweep.line.texts', { n: samples })] : [])];
    return html`<div class="line">
      <p class="shown">${capitalise(line.join(', '))}</p>
      <button class="quiet" id="change" aria-expanded=${unfolded}
        @click=${() => (this.unfolded = !unfolded)}>${t('sweep.change')} <span aria-hidden="true">▾</span></button>
      ${this.#renderActions(texts || unfolded)}
    </div>`;
  }

  /** @param {string} name */
  #chooseFigure(name) {
    const names = Object.keys(UNCHOSEN);
    const mine = Object.fromEntries(names.map((each) => [each, /** @type {any} */ (this)[each]]));
    this.#chosen = { ...this.#chosen, [this.figure]: mine };
    this.keepChoice({ ...UNCHOSEN, ...this.#chosen[name], figure: name });
  }

  /** Shows the last sweep of the newly chosen chart. @param {string} before the previous figure */
  #showFigure(before) {
    // If the program started this sweep, not the user, it starts again when its chart is shown again.
    const broken = this.busy && !this.run?.plan.measures.some(needsTexts);
    this.#cancel();
    this.#runs[before] = { run: broken ? null : this.run, at: this.at };
    const { run = null, at = 0 } = this.#runs[this.#figure.name] ?? {};
    this.run = run;
    this.at = at;
    this.#tried = run?.key ?? '';
    this.#drafts = {};
    this.trouble = null;
  }

  /** Keeps only the values that differ from the prepared sweep. @param {Partial<Asked>} change */
  #keepChanges({ measures, ...change }) {
    const { asked } = this.#figure;
    const [own] = asked.measures;
    const patch = Object.entries({ ...change, ...(measures ? { measure: measures[0] } : {}) });
    const initial = /** @type {Record<string, any>} */ ({ ...asked, measure: own });
    const chosen = patch.map(([name, value]) => [
      name,
      sameValue(value, initial[name]) ? null : value,
    ]);
    this.keepChoice({ ...Object.fromEntries(chosen), texts: false });
  }

  #onCancel() {
    this.#cancel();
    this.keepChoice({ texts: false });
  }

  /** Starts a sweep because the user pressed the button. */
  #run() {
    this.keepChoice({ texts: this.#wantedSweep.measures.some(needsTexts) });
    this.#start();
  }

  /** Opens the model that has a grammar; its texts are written when it is open. */
  #openJudged() {
    this.keepChoice({ texts: true });
    /** @type {HTMLElement | null} */ (
      this.renderRoot.querySelector('[data-command=run]')
    )?.focus();
    this.emit('logit-model', { model: JUDGED });
  }

  #renderForm() {
    return renderForm({
      figure: this.#figure,
      asked: this.#wantedSweep,
      table: /** @type {any} */ (this.engine?.table ?? []),
      judged: this.rules !== null,
      drafts: this.#drafts,
      set: (change) => this.#keepChanges(change),
      draft: (box, draft) => {
        const { [box]: _, ...others } = this.#drafts;
        this.#drafts = draft ? { ...others, [box]: draft } : others;
        this.requestUpdate();
      },
    });
  }

  /** @param {boolean} [runs] true if there are buttons to run and to cancel */
  #renderActions(runs = true) {
    const { run } = this;
    const trouble = this.trouble ?? this.fault;
    const running = run?.status === 'running';
    const plan = this.engine ? this.#plan : null;
    const count = run ? { n: run.total, done: run.points.length } : { n: 0, done: 0 };
    const words =
      this.engine && !plan ? this.#whyNot() : run ? t(`sweep.${run.status}`, count) : '';
    return html`
      <div class="actions">
        ${
          runs
            ? html`<button class="primary" data-command="run" aria-disabled=${plan === null}
          @click=${() => this.#run()}>${t('sweep.run')}</button>
        <button class="quiet ${running ? '' : 'off-duty'}" data-command="cancel" aria-disabled=${!running}
          @click=${() => running && this.#onCancel()}>${t('sweep.cancel')}</button>
        <progress class=${run ? '' : 'off-duty'} aria-label=${t('sweep.progress')} max=${count.n || 1} .value=${count.done}></progress>`
            : nothing
        }
        <p class="status" role="status">${words}</p>
        ${
          this.engine && this.#lacksGrammar
            ? html`<button data-command="open" @click=${this.#openJudged}>${t('sweep.open-model', { model: JUDGED })}</button>`
            : nothing
        }
      </div>
      ${trouble ? html`<p class="error" role="alert">${sentence(trouble, this)}</p>` : nothing}
    `;
  }

  /** Returns a sentence about why there is no plan. */
  #whyNot() {
    if (this.#lacksGrammar) return t('sweep.unjudged');
    return Object.keys(this.#drafts).length > 0 ? '' : t('sweep.bad-range');
  }

  /** @param {Run} run */
  #renderChart({ plan, points, shape, vocabulary }) {
    // While another model loads, the bench's value is unknown.
    const now = this.bare ? null : (this.#benchValues[plan.axes[0].name] ?? null);
    return shape === 'map'
      ? html`<logit-sweep-map .plan=${plan} .points=${points} .at=${this.at}></logit-sweep-map>`
      : html`<logit-sweep-trend .plan=${plan} .points=${points} .at=${this.at}
          ?trade=${shape === 'trade'} .vocabulary=${vocabulary} .now=${now}></logit-sweep-trend>`;
  }

  /** Renders the chart and its buttons only. */
  #renderBare() {
    const { run } = this;
    if (!run) return this.#renderActions();
    return html`${this.#renderActions()}
      <div class="figure" @logit-point=${this.#onPoint} @logit-take=${this.#onPoint}>
        ${this.#renderChart(run)}
        ${renderSteps(run, this.at, (at) => this.#selectPoint(at))}
        ${renderTexts(run.plan, run.points[this.at])}</div>`;
  }

  /** @param {Run} run @param {string} title */
  #renderRun(run, title) {
    const { plan, points, model } = run;
    const point = points[this.at];
    return html`
      ${this.#renderChart(run)}
      <div class="picked">
        ${renderReadout(run, this.at)}
        <button class="quiet" data-command="take" aria-disabled=${!point} @click=${() => this.#usePoint()}>
          ${t('sweep.take', { place: point ? placeOf(point.at) : '' })}</button>
        <button class="quiet" data-command="svg" @click=${() => this.#saveSvg()}>${t('sweep.svg')}</button>
        <button class="quiet" data-command="csv" @click=${() => download(`${fileName(plan, model)}.csv`, toCsv(plan, points), 'text/csv')}>${t('sweep.csv')}</button>
      </div>
      ${renderTexts(plan, point)}
      ${renderTable(plan, points, title)}`;
  }

  /** @param {CustomEvent} event */
  #onPoint(event) {
    event.stopPropagation();
    this.#selectPoint(event.detail.at);
  }

  /** @param {number} at */
  #selectPoint(at) {
    this.at = at;
    const point = this.run?.points[at];
    if (this.bare && point) this.emit('logit-set', point.at);
  }

  /** @param {CustomEvent} event */
  #onTake(event) {
    event.stopPropagation();
    this.at = event.detail.at;
    this.#usePoint();
  }

  /** Uses the point's settings in the bench, with the sweep's prompt if the bench has another one. */
  #usePoint() {
    const point = this.run?.points[this.at];
    if (!this.run || !point) return;
    const { plan } = this.run;
    const { seed, ...settings } = { ...plan.settings, ...point.at };
    const same = plan.prompt === this.prompt || plan.prompt_ids;
    this.emit('logit-adopt', { settings, ...(same ? {} : { prompt: plan.prompt }) });
  }

  /**
   * Returns the chart as a file; null before the first sweep.
   * @returns {Promise<import('../../base/svg-file.js').Shot | null>}
   */
  async picture() {
    const { run } = this;
    const sentences = /** @type {any} */ (this.renderRoot.querySelector('logit-sentences'));
    if (sentences) return sentences.picture();
    const chart = this.renderRoot.querySelector('logit-sweep-map, logit-sweep-trend');
    const figure = /** @type {any} */ (chart)?.figure;
    if (!run || !figure) return null;
    const { plan, shape, model } = run;
    const title = titleOf(plan, shape);
    const lines = captionOf(plan, { model, table: this.engine?.table ?? [] });
    const { standAlone } = await import('../../base/figure.js');
    const svg = this.speak(() => standAlone(figure, { title, lines }));
    return { name: fileName(plan, model), title, svg };
  }

  async #saveSvg() {
    const shot = await this.picture();
    if (shot) download(`${shot.name}.svg`, shot.svg, 'image/svg+xml');
  }
}

/**
 * Returns the index of the point with the values nearest to the settings.
 * @param {Record<string, number>[]} places the values of the swept settings at each point
 * @param {Record<string, number>} settings
 */
function indexOfNearest(places, settings) {
  const away = places.map((place) =>
    Object.entries(place).reduce((sum, [name, value]) => sum + Math.abs(value - settings[name]), 0),
  );
  return away.indexOf(Math.min(...away));
}

define('logit-sweep', LogitSweep);
