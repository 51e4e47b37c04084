/**
 * <logit-code>: the editor of a question whose answer is code. `check()` runs the code in the sandboxed frame and
 * returns the grader's result. Emits "logit-edit" at each change.
 */
import { html, nothing } from 'lit';
import { locales } from '#locales/sampler';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { grade } from '../../grade/grade.js';
import { scoreOf } from '../../grade/score.js';
import { TestedFunction } from '../../grade/tested-function.js';
import { propertyWords } from '../../grade/property-words.js';
import { addMessages, hasMessage, number, t } from '../../locale/locale.js';
import { LIMIT_MS, onEditorKey } from '../../panels/own-sampler/editor.js';
import { canRun, inFrame } from '../../panels/own-sampler/frame.js';
import { verdictItem } from '../../panels/own-sampler/report.js';
import { recallCode, rememberCode } from './progress.js';
import codeStyles from './code.css';

addMessages(locales);

/** Most failing properties that are shown. The first ones are the simplest. */
const LISTED = 3;

/** @param {string} as @param {import('../../grade/grade.js').Verdict} verdict */
const failsOf = (as, verdict) =>
  `${t('sampler.fails')} ${propertyWords(as, verdict, t, hasMessage)}.`;

export class LogitCode extends elementWith(LogitElement, () => ({
  /** @type {import('../../lessons/lesson-file.js').Question} */
  question: { id: '', kind: 'code', ask: '', right: '' },
  /** The key under which the browser stores the code; '' to store nothing. */
  key: '',
  /** @type {import('./reader.js').LessonReader | null} */
  reader: null,
  /** Called at Ctrl+Enter. */
  run: () => {},
  code: '',
  busy: false,
  /** @type {import('../../grade/grade.js').Verdict[]} */
  verdicts: [],
})) {
  static styles = [...LogitElement.styles, codeStyles];

  /** @type {TestedFunction | null} */
  #tested = null;

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#tested?.close();
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!changed.has('question') || !this.question.id) return;
    // If the stored code is empty, begin with the question's code again.
    this.code = (this.key && recallCode(this.key, this.question.id)) || this.question.begin || '';
    this.verdicts = [];
  }

  /** @returns {Promise<import('../../lessons/judge.js').Coded>} */
  async check() {
    const { as = '' } = this.question;
    if (!canRun()) return { right: false, fault: null, say: t('sampler.unavailable') };
    this.#tested?.close();
    this.busy = true;
    const tested = new TestedFunction(inFrame(this.code, this.renderRoot), as, LIMIT_MS);
    this.#tested = tested;
    try {
      return await this.#grade(tested, as);
    } finally {
      tested.close();
      this.busy = false;
    }
  }

  /** @param {TestedFunction} tested @param {string} as */
  async #grade(tested, as) {
    const say = (/** @type {string} */ code, /** @type {any} */ params) =>
      this.speak(() => t(`sampler.fail.${code}`, params));
    const { error, hung } = await tested.load();
    this.verdicts = [];
    if (error) {
      const code = hung ? 'hung' : 'load';
      return { right: false, fault: code, say: say(code, { error }) };
    }
    /** @type {import('../../grade/diagnose.js').Fault | null} */
    let named = null;
    const { code } = this;
    const engine = await /** @type {import('./reader.js').LessonReader} */ (this.reader).engine();
    const verdicts = await grade({
      engine,
      tested,
      as,
      onfault: (fault) => {
        named = fault;
      },
    });
    if (code === this.code) this.verdicts = verdicts;
    const fault = /** @type {import('../../grade/diagnose.js').Fault | null} */ (
      /** @type {unknown} */ (named)
    );
    const failed = verdicts.find(({ holds }) => !holds);
    // If no typical fault fits, name the first property that fails.
    const fails = failed && this.speak(() => failsOf(as, failed));
    return {
      right: !failed,
      fault: fault?.code ?? null,
      say: fault ? say(fault.code, fault.params) : (fails ?? ''),
    };
  }

  /** @param {Event} event */
  #onInput(event) {
    this.code = fullTextOf(event);
    this.verdicts = [];
    this.emit('logit-edit');
    if (this.key) rememberCode(this.key, this.question.id, this.code);
  }

  render() {
    const failed = this.verdicts.filter(({ holds }) => !holds);
    const { length } = this.verdicts;
    return html`
      <textarea spellcheck="false" autocomplete="off" autocapitalize="off" aria-label=${t('sampler.code')}
        aria-describedby="keys" ${boundedText(this.code)} rows=${Math.min(24, this.code.split('\n').length + 2)}
        @input=${this.#onInput}
        @keydown=${(/** @type {KeyboardEvent} */ event) => onEditorKey(event, this.run)}></textarea>
      <p class="keys" id="keys">${t('sampler.keys')}</p>
      ${
        length && !this.busy
          ? html`<p class="sum">${t('sampler.sum', { holds: number(length - failed.length), fails: number(failed.length) })}
            <strong>${t('sampler.score', { score: number(scoreOf(this.verdicts)) })}</strong></p>
            <ul>${failed.slice(0, LISTED).map((it) => verdictItem(this.question.as ?? '', it))}</ul>`
          : nothing
      }`;
  }
}

define('logit-code', LogitCode);
