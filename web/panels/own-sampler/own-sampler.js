/**
 * <logit-own-sampler>: an editor for a sampler that the user writes. The code runs in a sandboxed frame. Its result
 * appears beside the built-in sampler's, and the grader's report below. Without an engine, it opens one and uses
 * example logits. Emits "logit-own" after each run and each check.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/sampler';
import { addMessages, number, t } from '../../locale/locale.js';
import { MODULE_11, casesOf } from '../../grade/cases.js';
import { CHAIN } from '../../grade/chain.js';
import { Examiner } from '../../grade/examiner.js';
import { GRADED, grade } from '../../grade/grade.js';
import { numbersOf } from '../../grade/properties.js';
import { scoreOf } from '../../grade/score.js';
import { SPECS } from '../../grade/specs.js';
import { TestedFunction } from '../../grade/tested-function.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { toFault } from '../../engine/errors.js';
import { lease } from '../../state/engines.js';
import { recall, remember } from '../../state/memory.js';
import { activeSettings } from '../../state/settings.js';
import { settingName } from '../../base/setting-words.js';
import { compareSamplers, renderComparison } from './comparison.js';
import { LIMIT_MS, renderEditor } from './editor.js';
import { TRIAL, actingValue, exampleOf } from './examples.js';
import ownSamplerStyles from './own-sampler.css';
import { canRun, inFrame } from './frame.js';
import { caseTable, verdictItem } from './report.js';

addMessages(locales);

/** @import { Comparison } from './comparison.js' */

/** The kind of code for a lesson that asks for five functions. */
const CASES = 'cases';

export class LogitOwnSampler extends elementWith(LogitElement, () => ({
  /** @type {import('../../engine/remote.js').RemoteLogitscope | null} */
  engine: null,
  /** Logits of the present position. @type {Float32Array | null} */
  logits: null,
  /** Texts of the tokens if the user gave the logits; null if they come from a model. @type {string[] | null} */
  tokens: null,
  /** @type {import('../../engine/types.js').Settings} */
  settings: {},
  /** Ids of the text so far, which penalties read. @type {ArrayLike<number>} */
  history: [],
  /** @type {'' | 'run' | 'check'} */
  busy: '',
  /** @type {Comparison | null} */
  shown: null,
  /** @type {{ code: string, params?: any } | null} */
  trouble: null,
  /** @type {import('./report.js').Asked[] | null} */
  verdicts: null,
  /** The fault that the last check found; null if none. @type {import('../../grade/diagnose.js').Fault | null} */
  fault: null,
  /**
   * The engine that this element has opened itself; null if none.
   * @type {import('../../engine/remote.js').RemoteLogitscope | null}
   */
  own: null,
  /** True if the code has changed since the last run. */
  edited: false,
})) {
  static properties = { as: {} };

  static styles = [...LogitElement.styles, ownSamplerStyles];

  /** The user's code for each kind. @type {Record<string, string>} */
  #written;
  /** Number of the present run; an older run shows no result. */
  #turn = 0;
  /** @type {TestedFunction | null} */
  #tested = null;
  /** @type {import('../../state/engines.js').Lease | null} */
  #lease = null;

  /** Time limit of one call, in ms. */
  limit = LIMIT_MS;

  constructor() {
    super();
    const { as, written } = recallWork();
    this.as = as;
    this.#written = written;
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

  /** The engine and the logits for a run: the page's, or else the element's own. */
  get #runSource() {
    const { engine, own, logits, tokens } = this;
    if (engine) return { engine, logits, tokens };
    return logits ? { engine: own, logits, tokens } : { engine: own, ...TRIAL };
  }

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

  /** The settings of a run: those of the chain, but a usual value in place of a neutral one. */
  get #runSettings() {
    const names = this.as === 'chain' ? CHAIN : [this.as];
    const rows = this.#runSource.engine?.table.filter(({ name }) => names.includes(name)) ?? [];
    const active = activeSettings(rows, this.settings);
    const idle = (/** @type {any} */ row) => (this.as === 'chain' ? row.neutral : actingValue(row));
    return Object.fromEntries(rows.map((row) => [row.name, active[row.name] ?? idle(row)]));
  }

  /**
   * Loads the user's code for each function and calls `work` with it. A newer run cancels this one.
   * @param {'run' | 'check'} what
   * @param {(tested: TestedFunction, current: () => boolean, as: string) => Promise<void>} work
   * @param {(as: string, why: { code: string, params: any }) => void} [unloaded]
   */
  async #with(what, work, unloaded = (_, why) => (this.trouble = why)) {
    if (!this.#runSource.engine || !canRun()) return;
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

  /** Runs the code on the logits and compares the result with the built-in sampler's. */
  run() {
    if (this.#onlyChecked) return this.check();
    return this.#with('run', async (tested, current) => {
      const { engine, logits, tokens } = this.#runSource;
      if (!engine || !logits) return;
      this.shown = null;
      const history = Array.from(this.history);
      const settings = this.#runSettings;
      const second = this.#readsSecond ? Array(logits.length).fill(0) : undefined;
      const examiner = new Examiner(engine, tested, this.as);
      const answer = await examiner.ask({ logits, settings, history, second });
      const { numbers, failure } = numbersOf(answer, { logits });
      if (!current()) return;
      if (failure) {
        this.trouble = { code: failure.code ?? 'threw', params: failure.params };
      } else if (numbers.every((it) => it === -Infinity)) {
        this.trouble = { code: 'nothing' };
      } else {
        const bench = { engine, logits, tokens };
        const mine = Float32Array.from(numbers);
        const shown = await compareSamplers(bench, mine, settings, { history, second });
        if (current()) this.shown = shown;
      }
    });
  }

  /** True if this kind of code can only be checked: it has no logits as input. */
  get #onlyChecked() {
    return this.as === 'generate' || this.as === CASES;
  }

  /** True if the sampler reads a second distribution. A uniform one is used. */
  get #readsSecond() {
    return SPECS[this.as]?.second;
  }

  /** Grades the code and shows the report. */
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
          engine: this.#runSource.engine,
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

  /** @param {string} text */
  #onTyped(text) {
    this.#written[this.as] = text;
    this.#remember();
    this.edited = true;
  }

  /** True if the example is shown while the user's code is kept aside. */
  get #keptAside() {
    return this.code === exampleOf(this.as) && Boolean(this.#written[`${this.as}~`]);
  }

  /** Shows the example, or the user's code again. */
  #swapCode() {
    const { as } = this;
    const written = this.#written;
    if (this.#keptAside) written[as] = written[`${as}~`];
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
    const idle = !this.#runSource.engine;
    return html`<div class="whole">
      <div class="bar">
        <label><span class="label">${t('sampler.as')}</span>
          <select @change=${this.#onKind} .value=${this.as}>
            ${[...GRADED, CASES].map((name) => html`<option value=${name} ?selected=${name === this.as}>${this.#kindName(name)}</option>`)}
          </select></label>
        <button class="primary" data-do="run" aria-disabled=${idle} ?hidden=${this.#onlyChecked}
          @click=${this.run}>${t('sampler.run')}</button>
        <button data-do="check" aria-disabled=${idle} @click=${this.check}>${t('sampler.check')}</button>
        <button data-do="again" @click=${this.#swapCode}>${t(this.#keptAside ? 'sampler.back' : 'sampler.again')}</button>
      </div>
      <div class="halves">
        <div>
          ${renderEditor(
            this.code,
            (text) => this.#onTyped(text),
            () => this.run(),
            'hint',
          )}
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
    const stale = this.edited && (this.trouble || this.shown || this.verdicts);
    const before = stale ? html`<p class="hint" role="status">${t('sampler.before')}</p>` : nothing;
    return html`${before}${this.#renderOutcome()}`;
  }

  #renderOutcome() {
    if (this.trouble) {
      const { code, params } = this.trouble;
      return html`<p class="error" role="alert">${t(`sampler.fail.${code}`, params)}</p>`;
    }
    if (this.shown) return renderComparison(this.shown, Boolean(this.#readsSecond));
    const key = this.#onlyChecked ? `sampler.empty.${this.as}` : 'sampler.empty';
    return html`<p class="about">${t(this.busy ? 'sampler.running' : key)}</p>`;
  }

  /** @param {import('./report.js').Asked[]} verdicts */
  #renderReport(verdicts) {
    const failed = verdicts.filter(({ holds }) => !holds).length;
    const failingFirst = [...verdicts].sort((a, b) => Number(a.holds) - Number(b.holds));
    const holds = number(verdicts.length - failed);
    const sum = t('sampler.sum', { holds, fails: number(failed) });
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

/**
 * Returns the kind of code and the code of this browser tab's last visit.
 * @returns {{ as: string, written: Record<string, string> }}
 */
function recallWork() {
  try {
    const { as, written } = JSON.parse(recall('sampler') ?? '');
    const sound = Object.values(written).every((code) => typeof code === 'string');
    if (sound && [...GRADED, CASES].includes(as)) return { as, written };
  } catch {
    // nothing is stored, or it is damaged
  }
  return { as: 'top_p', written: {} };
}

define('logit-own-sampler', LogitOwnSampler);
