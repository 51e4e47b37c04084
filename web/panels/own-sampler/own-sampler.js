/**
 * <logit-own-sampler>: an editor for a sampler of the reader's own, which runs in a sandboxed frame;
 * what it makes of the present logits beside what the built-in one does; and the grader's report.
 * Where no engine is given it opens one by itself, with a few logits to try.
 * Says "logit-own" after each run and each check.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/sampler';
import { addMessages, number, percent, plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { MODULE_11, casesOf } from '../../grade/cases.js';
import { CHAIN } from '../../grade/chain.js';
import { GRADED, askingOf, grade } from '../../grade/grade.js';
import { numbersOf } from '../../grade/properties.js';
import { scoreOf } from '../../grade/score.js';
import { SPECS } from '../../grade/specs.js';
import { TestedFunction } from '../../grade/tested-function.js';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { LogitElement, define } from '../../base/element.js';
import { toFault } from '../../engine/errors.js';
import { lease } from '../../state/engines.js';
import { recall, remember } from '../../state/memory.js';
import { settingName } from '../../base/setting-words.js';
import { spoken, visibleHtml } from '../../base/visible.js';
import { LIMIT_MS, onEditorKey } from './editor.js';
import { TRIAL, actingValue, exampleOf } from './examples.js';
import ownSamplerStyles from './own-sampler.css';
import { canRun, inFrame } from './frame.js';
import { caseTable, verdictItem } from './report.js';

addMessages(locales);

/** @typedef {import('../../grade/grade.js').Verdict} Verdict */

/**
 * What a run shows: the best tokens of either, each with both probabilities.
 * @typedef {object} Shown
 * @property {{ piece: import('../../base/visible.js').Token, mine: number, theirs: number }[]} rows
 * @property {number} differ how many tokens of the whole vocabulary have another probability
 * @property {Record<string, unknown>} settings those of the built-in one
 */

/** The cases of a lesson, of five functions. */
const CASES = 'cases';
const LISTED = 10;
const SAME = 2 ** -20;

export class LogitOwnSampler extends LogitElement {
  static properties = {
    engine: { attribute: false },
    logits: { attribute: false },
    tokens: { attribute: false },
    settings: { attribute: false },
    history: { attribute: false },
    as: {},
    busy: { state: true },
    shown: { state: true },
    trouble: { state: true },
    verdicts: { state: true },
    fault: { state: true },
    own: { state: true },
    edited: { state: true },
  };

  static styles = [...LogitElement.styles, ownSamplerStyles];

  /** The code of each kind, once it was edited. @type {Record<string, string>} */
  #written;
  /** Counts the runs, so that one that was overtaken says nothing more. */
  #turn = 0;
  /** @type {TestedFunction | null} */
  #tested = null;
  /** @type {import('../../state/engines.js').Lease | null} */
  #lease = null;

  constructor() {
    super();
    /** @type {import('../../engine/remote.js').RemoteLogitscope | null} */
    this.engine = null;
    /** The logits of the present context. @type {Float32Array | null} */
    this.logits = null;
    /** The texts of given logits; null where they are a model's. @type {string[] | null} */
    this.tokens = null;
    /** @type {import('../../engine/types.js').Settings} */
    this.settings = {};
    /** The ids so far, for penalties. @type {ArrayLike<number>} */
    this.history = [];
    const { as, written } = recallWork();
    this.as = as;
    this.#written = written;
    /** How long one call may take, in ms. */
    this.limit = LIMIT_MS;
    /** @type {'' | 'run' | 'check'} */
    this.busy = '';
    /** @type {Shown | null} */
    this.shown = null;
    /** @type {{ code: string, params?: any } | null} */
    this.trouble = null;
    /** @type {import('./report.js').Asked[] | null} */
    this.verdicts = null;
    /** What is wrong, once a check has found it. @type {import('../../grade/diagnose.js').Fault | null} */
    this.fault = null;
    /** The engine that it opened by itself. @type {import('../../engine/remote.js').RemoteLogitscope | null} */
    this.own = null;
    /** Whether the code was changed since it ran last. */
    this.edited = false;
  }

  connectedCallback() {
    super.connectedCallback();
    if (this.hasUpdated && !this.engine) this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#forget();
    this.#release();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('engine')) return;
    if (this.engine) this.#release();
    else this.#open();
  }

  #release() {
    this.#lease?.release();
    this.#lease = null;
    this.own = null;
  }

  async #open() {
    this.#release();
    const held = lease(null);
    this.#lease = held;
    try {
      const engine = await held.ready;
      if (this.#lease === held) this.own = engine;
    } catch (error) {
      held.release();
      if (this.#lease === held) this.emit('logit-error', toFault(error));
    }
  }

  /** What there is to try a sampler on: given, or of its own. */
  get #bench() {
    const { engine, own, logits, tokens } = this;
    if (engine) return { engine, logits, tokens };
    return logits ? { engine: own, logits, tokens } : { engine: own, ...TRIAL };
  }

  /** The present code. */
  get code() {
    return this.#written[this.as] ?? exampleOf(this.as);
  }

  set code(text) {
    this.#written[this.as] = text;
    this.#remember();
    this.requestUpdate();
  }

  #remember() {
    remember('sampler', JSON.stringify({ as: this.as, written: this.#written }));
  }

  #forget() {
    this.#turn++;
    this.#tested?.close();
    this.#tested = null;
    this.busy = '';
  }

  /** What the sampler is asked with: the chain's values, or one at which it does something. */
  get #values() {
    const names = this.as === 'chain' ? CHAIN : [this.as];
    const rows = this.#bench.engine?.table.filter(({ name }) => names.includes(name)) ?? [];
    const given = /** @type {Record<string, any>} */ (this.settings);
    return Object.fromEntries(
      rows.map((row) => {
        const { name, neutral } = row;
        const value = given[name] ?? neutral;
        const idle = JSON.stringify(value) === JSON.stringify(neutral);
        return [name, idle && this.as !== 'chain' ? actingValue(row) : value];
      }),
    );
  }

  /**
   * Loads the code anew for each of its functions and hands it to `work`, unless something newer has
   * begun.
   * @param {'run' | 'check'} what
   * @param {(tested: TestedFunction, current: () => boolean, as: string) => Promise<void>} work
   * @param {(as: string, why: { code: string, params: any }) => void} [unloaded]
   */
  async #with(what, work, unloaded = (_, why) => (this.trouble = why)) {
    if (!this.#bench.engine || !canRun()) return;
    this.#forget();
    const turn = this.#turn;
    const current = () => turn === this.#turn;
    this.busy = what;
    this.edited = false;
    this.trouble = null;
    const names = this.as === CASES ? MODULE_11 : [this.as];
    try {
      for (const as of names) {
        const frame = inFrame(this.code, this.renderRoot);
        const tested = new TestedFunction(frame, as, this.limit, names.length > 1);
        this.#tested = tested;
        const { error, hung } = await tested.load();
        if (!current()) return tested.close();
        if (error) unloaded(as, { code: hung ? 'hung' : 'load', params: { error } });
        else await work(tested, current, as);
        tested.close();
        if (!current()) return;
      }
    } finally {
      if (current()) this.#forget();
    }
    this.emit('logit-own', { as: this.as, code: this.code, verdicts: this.verdicts });
  }

  /** Runs the code on the present logits. */
  run() {
    if (this.#onlyChecked) return this.check();
    return this.#with('run', async (tested, current) => {
      const { engine, logits } = this.#bench;
      if (!engine || !logits) return;
      this.shown = null;
      const history = Array.from(this.history);
      const settings = this.#values;
      const second = this.#readsSecond ? Array(logits.length).fill(0) : undefined;
      const asking = askingOf(engine, tested, this.as);
      const answer = await asking.ask({ logits, settings, history, second });
      const { numbers, failure } = numbersOf(answer, { logits });
      if (!current()) return;
      if (failure) {
        this.trouble = { code: failure.code ?? 'threw', params: failure.params };
      } else if (numbers.every((it) => it === -Infinity)) {
        this.trouble = { code: 'nothing' };
      } else {
        const shown = await this.#compare(Float32Array.from(numbers), settings, {
          history,
          second,
        });
        if (current()) this.shown = shown;
      }
    });
  }

  /** Whether there are no logits to run it on. */
  get #onlyChecked() {
    return this.as === 'generate' || this.as === CASES;
  }

  /** Whether it reads a second distribution, which here holds every token alike. */
  get #readsSecond() {
    return SPECS[this.as]?.second;
  }

  /** Grades the code. */
  check() {
    const lesson = this.as === CASES;
    /** @type {import('./report.js').Asked[]} */
    const found = [];
    this.verdicts = null;
    this.fault = null;
    const take = (/** @type {import('./report.js').Asked[]} */ ...verdicts) => {
      found.push(...verdicts);
      this.verdicts = [...found];
    };
    return this.#with(
      'check',
      async (tested, current, as) => {
        this.verdicts = [...found];
        await grade({
          engine: this.#bench.engine,
          tested,
          as,
          lesson,
          onverdict: (verdict) => void (current() && take({ ...verdict, of: as })),
          onfault: (fault) => void (current() && !lesson && (this.fault = fault)),
        });
      },
      (of, why) => {
        if (!lesson) this.trouble = why;
        else
          take(...casesOf(of).map((it) => ({ ...it, cases: 0, ...why, holds: false, lesson, of })));
      },
    );
  }

  /**
   * @param {Float32Array} numbers
   * @param {any} settings
   * @param {{ history: number[], second?: number[] }} beside
   * @returns {Promise<Shown>}
   */
  async #compare(numbers, settings, beside) {
    const bench = this.#bench;
    const engine = /** @type {NonNullable<typeof bench.engine>} */ (bench.engine);
    const logits = /** @type {Float32Array} */ (bench.logits);
    const mine = await engine.warp(numbers, { top: LISTED });
    const theirs = await engine.warp(logits, { ...settings, top: LISTED }, beside);
    const ids = new Set([...theirs.tokens, ...mine.tokens].map(({ id }) => id));
    const best = [...ids]
      .filter((id) => mine.p[id] > 0 || theirs.p[id] > 0)
      .sort((a, b) => Math.max(theirs.p[b], mine.p[b]) - Math.max(theirs.p[a], mine.p[a]) || a - b);
    const rows = [];
    for (const id of best.slice(0, LISTED)) {
      const given = bench.tokens && { id, text: bench.tokens[id], special: false };
      const piece = given ?? (await engine.piece(id));
      rows.push({ piece, mine: mine.p[id], theirs: theirs.p[id] });
    }
    const differ = mine.p.reduce((n, p, id) => n + Number(Math.abs(p - theirs.p[id]) > SAME), 0);
    return { rows, differ, settings };
  }

  /** @param {Event} event */
  #onKind({ target }) {
    this.#forget();
    this.edited = false;
    this.as = /** @type {HTMLSelectElement} */ (target).value;
    this.#remember();
    this.shown = null;
    this.trouble = null;
    this.verdicts = null;
    this.fault = null;
  }

  /** @param {Event} event */
  #onInput(event) {
    this.#written[this.as] = fullTextOf(event);
    this.#remember();
    this.edited = true;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    onEditorKey(event, () => this.run());
  }

  /** Whether the example shows in place of code that was written. */
  get #aside() {
    return this.code === exampleOf(this.as) && Boolean(this.#written[`${this.as}~`]);
  }

  /** Goes to the example, or from there back to the reader's code. */
  #again() {
    const { as } = this;
    const written = this.#written;
    if (this.#aside) written[as] = written[`${as}~`];
    else {
      if (this.code !== exampleOf(as)) written[`${as}~`] = this.code;
      delete written[as];
    }
    this.#remember();
    this.edited = true;
    this.requestUpdate();
  }

  render() {
    return html`
      <h2>${t('sampler.title')}</h2>
      <p class="about">${t('sampler.about')}</p>
      ${
        canRun()
          ? this.#renderWorkshop()
          : html`<p class="error" role="note">${t('sampler.unavailable')}</p>`
      }
    `;
  }

  #renderWorkshop() {
    const idle = !this.#bench.engine;
    return html`<div class="whole">
      <div class="bar">
        <label><span class="label">${t('sampler.as')}</span>
          <select @change=${this.#onKind} .value=${this.as}>
            ${[...GRADED, CASES].map((name) => html`<option value=${name} ?selected=${name === this.as}>${this.#kindName(name)}</option>`)}
          </select></label>
        <button class="primary" data-do="run" aria-disabled=${idle} ?hidden=${this.#onlyChecked}
          @click=${this.run}>${t('sampler.run')}</button>
        <button data-do="check" aria-disabled=${idle} @click=${this.check}>${t('sampler.check')}</button>
        <button data-do="again" @click=${this.#again}>${t(this.#aside ? 'sampler.back' : 'sampler.again')}</button>
      </div>
      <div class="halves">
        <div>
          <textarea spellcheck="false" autocomplete="off" autocapitalize="off" aria-label=${t('sampler.code')}
            aria-describedby="keys" ${boundedText(this.code)} @input=${this.#onInput} @keydown=${this.#onKey}></textarea>
          <p class="hint" id="keys">${t('sampler.keys')}</p>
        </div>
        <div class="result" aria-busy=${this.busy === 'run'}>${this.#renderResult()}</div>
      </div>
      ${this.verdicts ? this.#renderReport(this.verdicts) : nothing}
    </div>`;
  }

  /** @param {string} name */
  #kindName(name) {
    if (name === 'chain' || name === 'generate' || name === CASES) return t(`sampler.kind.${name}`);
    const spoken = settingName(name);
    return spoken === name ? name : `${name} (${spoken})`;
  }

  #renderResult() {
    const before =
      this.edited && (this.trouble || this.shown || this.verdicts)
        ? html`<p class="hint" role="status">${t('sampler.before')}</p>`
        : nothing;
    return html`${before}${this.#renderOutcome()}`;
  }

  #renderOutcome() {
    if (this.trouble) {
      const { code, params } = this.trouble;
      return html`<p class="error" role="alert">${t(`sampler.fail.${code}`, params)}</p>`;
    }
    if (!this.shown) {
      const key = this.#onlyChecked ? `sampler.empty.${this.as}` : 'sampler.empty';
      return html`<p class="about">${t(this.busy ? 'sampler.running' : key)}</p>`;
    }
    const { rows, differ } = this.shown;
    const write = (/** @type {unknown} */ value) =>
      typeof value === 'number' ? plain(value) : JSON.stringify(value);
    const settings = Object.entries(this.shown.settings)
      .map(([name, value]) => `${name} = ${write(value)}`)
      .join(', ');
    const most = Math.max(...rows.map(({ mine, theirs }) => Math.max(mine, theirs)));
    const cell = (
      /** @type {string} */ side,
      /** @type {number} */ p,
    ) => html`<td class="share ${side}">
      <span>${percent(p)}</span><i ${cssom({ '--share': p / most })}></i></td>`;
    return html`<table>
        <caption>${t('sampler.caption', { settings })}${this.#readsSecond ? ` ${t('sampler.second')}` : nothing}</caption>
        <thead><tr><th scope="col">${t('sampler.token')}</th><th scope="col">${t('sampler.mine')}</th>
          <th scope="col">${t('sampler.theirs')}</th></tr></thead>
        <tbody translate="no">${rows.map(
          ({
            piece,
            mine,
            theirs,
          }) => html`<tr class=${Math.abs(mine - theirs) > SAME ? 'other' : ''}>
          <th scope="row"><span class="token" translate="no" aria-hidden="true">${visibleHtml(piece)}</span><span
            class="visually-hidden">${spoken(piece)}</span></th>
          ${cell('mine', mine)}${cell('theirs', theirs)}</tr>`,
        )}</tbody>
      </table>
      <p class="sum" role="status">${differ ? t('sampler.differ', { n: differ }) : t('sampler.same')}</p>`;
  }

  /** @param {import('./report.js').Asked[]} verdicts */
  #renderReport(verdicts) {
    const failed = verdicts.filter(({ holds }) => !holds).length;
    const failingFirst = [...verdicts].sort((a, b) => Number(a.holds) - Number(b.holds));
    const sum = t('sampler.sum', {
      holds: number(verdicts.length - failed),
      fails: number(failed),
    });
    return html`<section class="report" aria-labelledby="report">
      <h3 id="report">${t('sampler.report')}</h3>
      <p class="sum" role="status">${this.busy === 'check' ? t('sampler.checking') : sum}
        ${this.busy === '' && this.as !== CASES ? html`<strong class="score">${t('sampler.score', { score: number(scoreOf(verdicts)) })}</strong>` : nothing}</p>
      ${this.fault ? html`<p class="fault"><strong>${t('sampler.fault')}</strong> ${t(`sampler.fail.${this.fault.code}`, this.fault.params)}</p>` : nothing}
      ${
        this.as === CASES
          ? caseTable(verdicts)
          : html`<ul>${failingFirst.map((verdict) => verdictItem(this.as, verdict))}</ul>`
      }
    </section>`;
  }
}

/** The kind on show in this tab, and the code that was edited. @returns {{ as: string, written: Record<string, string> }} */
function recallWork() {
  try {
    const { as, written } = JSON.parse(recall('sampler') ?? '');
    const sound = Object.values(written).every((code) => typeof code === 'string');
    if (sound && [...GRADED, CASES].includes(as)) return { as, written };
  } catch {
    // nothing was kept, or it is damaged
  }
  return { as: 'top_p', written: {} };
}

define('logit-own-sampler', LogitOwnSampler);
