/**
 * <logit-question>: a question of a lesson. It judges an answer with measures of the engine and explains the result.
 * Emits "logit-answer" and "logit-solution"; the lesson keeps the mark.
 */
import { html, nothing } from 'lit';
import { LogitElement, define, elementWith, valueOf } from '../../base/element.js';
import { onEnter } from '../../base/enter.js';
import { inWords, shownToken } from '../../lessons/answer-words.js';
import { offered } from '../../lessons/answers.js';
import { judge, rightOption } from '../../lessons/judge.js';
import { LESSON_MEASURES, sourceOf } from '../../lessons/measures.js';
import { readTyped } from '../../lessons/typed-number.js';
import { t } from '../../locale/locale.js';
import { inline } from './inline.js';
import { Asking } from './asking.js';
import { recallCode, rememberCode } from './progress.js';
import inlineStyles from './inline.css';
import questionStyles from './question.css';

/** @import { Question } from '../../lessons/lesson-file.js' */
/** @import { LessonState, Asked } from '../../lessons/measures.js' */
/** @typedef {{ kind: 'right' | 'wrong' | 'note', text: string }} Said a sentence about an answer */

/** If checking takes longer than this, a sentence says so. In ms. */
const SOON = 300;
/**
 * The stored answer ends with this character if it was right. An answer is a single line, so it never has this
 * character itself.
 */
const RIGHT = '\n';
/** Most characters of an answer that a sentence repeats. */
const LONGEST_SHOWN = 60;

/**
 * Returns the first order of the items: the same wrong order for all learners, or the right one if the learner knows
 * it.
 * @param {number} n
 * @param {boolean} known true if the learner knows the right order
 */
function firstOrder(n, known) {
  if (known) return Array.from({ length: n }, (_, i) => i);
  const odd = Array.from({ length: n }, (_, i) => i).filter((i) => i % 2 === 1);
  return [...odd, ...Array.from({ length: n }, (_, i) => i).filter((i) => i % 2 === 0)];
}

/**
 * Returns true if an answer to one question fits the other, as when the language of the lesson changes.
 * @param {Question | undefined} a
 * @param {Question} b
 */
function takeSameAnswers(a, b) {
  /** @param {Question} question */
  const lengths = ({ options, items }) => `${options?.length} ${items?.length}`;
  return a?.id === b.id && a.kind === b.kind && lengths(a) === lengths(b);
}

/** Writes an answer for storing; an order as numbers with commas. @param {any} given */
const writeKept = (given) => (Array.isArray(given) ? given.join() : String(given));

/**
 * Reads a stored answer; null if it does not fit the question.
 * @param {Question} question
 * @param {string} kept
 */
function readKept({ kind, options = [], items = [] }, kept) {
  if (kind === 'choice') return Number(kept) in options ? Number(kept) : null;
  if (kind !== 'order') return kept;
  const order = kept.split(',').map(Number);
  const whole = order.length === items.length && items.every((_, i) => order.includes(i));
  return whole ? order : null;
}

export class LogitQuestion extends elementWith(LogitElement, () => ({
  /** @type {Question} */
  question: { id: '', kind: 'number', ask: '', right: '' },
  /** The key under which the browser stores the answer; '' to store nothing. */
  key: '',
  place: 1,
  /** @type {import('../../lessons/marks.js').Mark} */
  mark: { attempts: 0, end: null },
  /** @type {import('./reader.js').LessonReader | null} */
  reader: null,
  /** The state that the question asks about. @type {LessonState} */
  shown: { prompt: '' },
  /** The present state of the figure. @type {LessonState} */
  now: { prompt: '' },
  /** True while the figure is hidden. */
  held: false,
  /** The learner's answer: a text, the index of an option, or an order; null for none. @type {any} */
  given: null,
  /** @type {Said | null} */
  said: null,
  /** True if the answer has changed after it was judged. */
  edited: false,
  hinted: false,
  /** The engine's answer, if the learner has asked for the solution; else null. @type {any} */
  truth: null,
  /** The tokens from which the learner can choose. @type {string[]} */
  tokens: [],
  /** The present value of the measure that the learner should change. @type {any} */
  value: undefined,
})) {
  static properties = { place: { type: Number }, held: { type: Boolean } };

  static styles = [...LogitElement.styles, inlineStyles, questionStyles];

  #asking = new Asking(this);
  #following = false;

  get busy() {
    return this.#asking.busy;
  }

  /** @param {Map<string, any>} changed */
  willUpdate(changed) {
    const { question, said } = this;
    const { kind, items = [] } = question;
    if (changed.has('question')) {
      this.edited = false;
      if (!takeSameAnswers(changed.get('question'), this.question)) {
        this.given = kind === 'order' ? firstOrder(items.length, this.mark.end !== null) : null;
        this.#asking.fault = null;
        if (this.#isStored) this.#restoreAnswer();
      }
      this.said = null; // drops a sentence in the old language
    }
    if (!this.reader) return;
    if (kind === 'token' && (changed.has('question') || changed.has('reader'))) this.#offerTokens();
    if (kind === 'code' && changed.has('question')) this.#asking.ask(() => import('./code.js'));
    if (kind !== 'state') return;
    if (changed.has('now') && said?.kind === 'wrong') this.said = null;
    if (changed.has('now') || changed.has('reader')) this.#judgeChanges();
  }

  #offerTokens() {
    this.#asking.ask(
      async () => {
        const { shown } = this;
        const { trace } = await this.#reader.read(shown, { measure: 'token' });
        const texts = trace.tokens.map(({ text }) => text);
        return offered(this.question, texts, (asked) => this.#reader.measure(shown, asked));
      },
      (tokens) => (this.tokens = tokens),
    );
  }

  /** Judges the figure's state, and again while a newer state waits. */
  async #judgeChanges() {
    const { goal } = this.question;
    if (!goal || this.#following) return;
    this.#following = true;
    for (let at; at !== this.now; ) {
      at = this.now;
      // Writing texts takes long, so judge them only after the learner has changed the figure.
      if (at === this.shown && sourceOf(goal) === 'texts') break;
      await this.#judgeState(at, goal);
    }
    this.#following = false;
  }

  /** @param {LessonState} now @param {Asked} goal */
  #judgeState(now, goal) {
    return this.#asking.ask(async () => {
      const measured = (/** @type {Asked} */ asked) => this.#reader.measure(now, asked);
      const value = await measured(goal);
      const verdict = await judge(this.question, null, measured);
      if (now !== this.now) return;
      this.value = value;
      if (!verdict.right || now === this.shown) return;
      if (this.mark.end === 'right') this.#say('right', verdict.say);
      else this.#showVerdict(verdict);
    });
  }

  /** True if the browser stores this answer. The editor of code stores its own. */
  get #isStored() {
    return this.key !== '' && !['state', 'code'].includes(this.question.kind);
  }

  /** Restores the stored answer. If it was right, the verdict is shown again; else the learner must check it again. */
  #restoreAnswer() {
    const kept = recallCode(this.key, this.question.id);
    if (kept === null) return;
    const given = readKept(this.question, kept.replace(RIGHT, ''));
    if (given === null) return;
    this.given = given;
    this.edited = !kept.endsWith(RIGHT);
  }

  /** @param {string} mark RIGHT, or '' for an answer that is wrong or not checked */
  #remember(mark) {
    if (this.#isStored) rememberCode(this.key, this.question.id, `${writeKept(this.given)}${mark}`);
  }

  /** Takes a new answer and removes the verdict on the old one. @param {any} given */
  #takeAnswer(given) {
    this.given = given;
    this.said = null;
    this.edited = true;
    this.#remember('');
  }

  get #reader() {
    return /** @type {import('./reader.js').LessonReader} */ (this.reader);
  }

  /** @param {Said['kind']} kind @param {string} text */
  #say(kind, text) {
    this.said = { kind, text };
  }

  /** @param {import('../../lessons/judge.js').Verdict} verdict */
  #showVerdict({ right, say, side }) {
    const text = say || this.speak(() => t(`lesson.wrong.${side ?? 'other'}`));
    if (this.edited)
      this.#say(
        'note',
        this.speak(() => t('lesson.edited')),
      );
    else this.#say(right ? 'right' : 'wrong', text);
    if (right && !this.edited) this.#remember(RIGHT);
    this.emit('logit-answer', { id: this.question.id, right });
  }

  /** Returns the answer as `judge` needs it. Without an answer, shows a note and returns undefined. */
  #answerToJudge() {
    const { kind, answer } = this.question;
    if (kind === 'state' || kind === 'order' || kind === 'code') return this.given;
    if (this.given === null || this.given === '') {
      this.#say('note', t('lesson.empty'));
      return undefined;
    }
    if (kind !== 'number') return this.given;
    const typed = readTyped(this.given, LESSON_MEASURES[answer?.measure ?? '']?.unit);
    if (!Number.isNaN(typed)) return typed;
    const text = `“${String(this.given).slice(0, LONGEST_SHOWN)}”`;
    this.#say('note', t('lesson.no_number', { text }));
    return undefined;
  }

  async #check() {
    this.#asking.fault = null;
    const given = this.speak(() => this.#answerToJudge());
    if (given === undefined) return;
    const state = this.question.kind === 'state' ? this.now : this.shown;
    this.said = null;
    this.edited = false;
    const running = {
      kind: /** @type {const} */ ('note'),
      text: this.speak(() => t('lesson.running')),
    };
    const say = () => !this.edited && (this.said = running);
    const soon = setTimeout(say, this.question.kind === 'code' ? 0 : SOON);
    await this.#judge(given, state);
    clearTimeout(soon);
    if (this.said === running) this.said = null;
  }

  /** @param {any} given @param {LessonState} state */
  #judge(given, state) {
    return this.#asking.ask(async () => {
      const coded = this.question.kind === 'code' ? await this.#editor?.check() : given;
      const measured = (/** @type {Asked} */ asked) => this.#reader.measure(state, asked);
      const verdict = await judge(this.question, coded, measured);
      if (!verdict.right && this.#asksShare && given > 1) {
        const meant = await judge(this.question, given / 100, measured);
        const typed = this.given;
        if (meant.right) {
          const about = { text: `“${typed}”`, p: typed };
          this.#say(
            'note',
            this.speak(() => t('lesson.no_share', about)),
          );
          return;
        }
      }
      this.#showVerdict(verdict);
    });
  }

  get #asksShare() {
    const { kind, answer } = this.question;
    return kind === 'number' && LESSON_MEASURES[answer?.measure ?? '']?.unit === 'share';
  }

  /** @returns {import('./code.js').LogitCode | null} */
  get #editor() {
    return this.renderRoot.querySelector('logit-code');
  }

  async #solve() {
    this.said = null;
    this.emit('logit-solution', { id: this.question.id });
    const { answer, kind } = this.question;
    if (!answer) return;
    await this.#asking.ask(
      () => this.#reader.measure(this.shown, answer),
      (measured) =>
        (this.truth = kind === 'choice' ? rightOption(this.question, measured) : measured),
    );
  }

  /** @param {number} place @param {number} by */
  async #moveItem(place, by) {
    const order = [...this.given];
    const [item] = order.splice(place, 1);
    order.splice(place + by, 0, item);
    this.#takeAnswer(order);
    await this.updateComplete;
    const row = this.renderRoot.querySelectorAll('.items li')[place + by];
    const wanted = row?.querySelector(by < 0 ? '[data-by="-1"]' : '[data-by="1"]');
    const other = row?.querySelector('button:not([disabled])');
    /** @type {HTMLElement | null} */ (
      wanted?.matches(':not([disabled])') ? wanted : (other ?? null)
    )?.focus();
  }

  render() {
    const { question, place, mark, hinted } = this;
    const done = mark.end;
    const unable = this.#asking.sentence;
    const said =
      (unable && { kind: 'note', text: unable }) ||
      this.said ||
      (done === 'right' && !this.edited && { kind: 'right', text: question.right });
    return html`
      <div role="form" aria-labelledby="ask" class="question ${done ?? ''}"
        @keydown=${(/** @type {KeyboardEvent} */ event) => onEnter(event, () => this.#check())}>
        <p class="place">${t('lesson.question', { n: place })}
          ${done ? html`<span class="done">${t(`lesson.done.${done}`)}</span>` : nothing}</p>
        <p id="ask" class="ask">${inline(question.ask, this.held)}</p>
        ${this.#renderInput()}
        <div class="acts">
          <button class="primary" type="button" data-command="check" @click=${this.#check}>${t(this.said?.kind === 'wrong' && !done ? 'lesson.try' : 'lesson.check')}</button>
          ${
            question.hint && !done
              ? html`<button type="button" data-command="hint" aria-expanded=${hinted} @click=${() => (this.hinted = !hinted)}>${t('lesson.hint')}</button>`
              : nothing
          }
          ${
            mark.attempts > 0 && !done
              ? html`<button type="button" data-command="solution" title=${t('lesson.solution.about')} @click=${this.#solve}>${t('lesson.solution')}</button>`
              : nothing
          }
        </div>
        ${this.hinted && !done ? html`<p class="hint">${inline(question.hint ?? '', this.held)}</p>` : nothing}
        <div role="status">
          ${
            said
              ? html`<p class="said ${said.kind}">${said.kind === 'note' ? nothing : html`<strong>${t(`lesson.${said.kind}`)}</strong> `}${inline(said.text, this.held)}</p>`
              : nothing
          }
          ${done === 'shown' ? this.#renderSolution() : nothing}
        </div>
      </div>`;
  }

  #renderSolution() {
    const { solution, right, kind, options = [], items = [], answer, example } = this.question;
    const chosen = answer ? options[this.truth] : options.find((option) => option.right);
    return html`<p class="said shown"><strong>${t('lesson.shown')}</strong>
      ${
        this.truth !== null && this.truth !== undefined && answer && kind !== 'choice'
          ? t('lesson.truth', { value: inWords(answer.measure, this.truth) })
          : nothing
      }
      ${kind === 'choice' && chosen ? inline(t('lesson.truth.option', { value: chosen.text })) : nothing}
      ${kind === 'order' ? inline(t('lesson.truth.order', { value: items.join(' → ') })) : nothing}
      ${inline(solution ?? right, this.held)}</p>
      ${example ? html`<pre tabindex="0"><code>${example}</code></pre>` : nothing}`;
  }

  #renderInput() {
    const { kind } = this.question;
    if (kind === 'number') return this.#renderNumber();
    if (kind === 'order') return this.#renderOrder();
    if (kind === 'state') return this.#renderState();
    if (kind === 'code')
      return html`<logit-code .question=${this.question} .key=${this.key} .reader=${this.reader}
        .run=${() => this.#check()} @logit-edit=${() => this.#takeAnswer(null)}></logit-code>`;
    if (kind === 'choice')
      return this.#renderRadios((this.question.options ?? []).map(({ text }) => inline(text)));
    return this.#renderRadios(
      this.tokens.map(
        (text) => html`<span class="token" translate="no">${shownToken(text)}</span>`,
      ),
      (index) => this.tokens[index],
    );
  }

  #renderNumber() {
    const { unit } = this.question;
    return html`<p class="field"><label for="given">${t('lesson.answer')}</label>
      <input id="given" inputmode="decimal" autocomplete="off" size="12" maxlength="200" aria-describedby=${this.#asksShare ? 'form' : nothing} .value=${this.given ?? ''}
        @input=${(/** @type {Event} */ event) => this.#takeAnswer(valueOf(event))}>
      ${unit ? html`<span>${unit}</span>` : nothing}
      ${this.#asksShare ? html`<span class="form" id="form">${t('lesson.share')}</span>` : nothing}</p>`;
  }

  /** @param {unknown[]} labels @param {(index: number) => any} [of] returns the answer that a radio button gives */
  #renderRadios(labels, of = (index) => index) {
    return html`<fieldset><legend class="visually-hidden">${t('lesson.answer')}</legend>
      ${labels.map(
        (label, i) => html`<label><input type="radio" name="given" .checked=${this.given === of(i)}
          @change=${() => this.#takeAnswer(of(i))}><span>${label}</span></label>`,
      )}</fieldset>`;
  }

  #renderOrder() {
    const { items = [] } = this.question;
    const order = /** @type {number[]} */ (this.given ?? []);
    return html`<ol class="items">${order.map(
      (item, i) => html`<li><span>${inline(items[item])}</span>
        <button type="button" data-by="-1" ?disabled=${i === 0} aria-label=${t('lesson.up', { item: items[item] })} @click=${() => this.#moveItem(i, -1)}>↑</button>
        <button type="button" data-by="1" ?disabled=${i === order.length - 1} aria-label=${t('lesson.down', { item: items[item] })} @click=${() => this.#moveItem(i, 1)}>↓</button></li>`,
    )}</ol>`;
  }

  #renderState() {
    const { goal } = this.question;
    if (!goal || this.value === undefined) return nothing;
    return html`<p class="now">${t('lesson.goal', { value: inWords(goal.measure, this.value) })}</p>`;
  }
}

define('logit-question', LogitQuestion);
