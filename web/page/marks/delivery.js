/**
 * Delivers a lesson's marks to one course system: restores the marks that the system has, sends new ones in order,
 * and tries again after a failure. A score never decreases.
 */
import { readMarks } from '../../lessons/marks.js';
import { t } from '../../locale/locale.js';
import { recallUnsent, rememberUnsent } from '../lesson/progress.js';
import { Refusal } from './refusal.js';

/** @import { LogitLesson } from '../lesson/lesson.js' */

/**
 * @typedef {LogitLesson['result']} Result
 * @typedef {{ state?: string, score?: number | null }} Kept the marks of a learner that a course system keeps
 *
 * The argument of an adapter, which may call `take` and `refuse` at any time.
 * @typedef {object} Host
 * @property {LogitLesson} lesson
 * @property {boolean} named true if the page names this system
 * @property {(kept: unknown) => void} take restores the marks that the system keeps
 * @property {(refusal: Refusal | null) => void} refuse shows the sentence of a refusal; null removes it
 *
 * A method may throw or reject; the call is then repeated after a pause.
 * @typedef {object} Adapter
 * @property {() => Promise<void>} recall resolves when `take` has got all kept marks; `tell` is not
 *   called before
 * @property {(result: Result, known: boolean) => unknown} tell sends the marks; `known` is true if the
 *   system keeps these marks already
 * @property {(deed: Deed) => unknown} [note] sends an answer or a shown solution
 * @property {() => void} [end] called when the page is closed or left
 * @property {string} [learner] the learner's id; '' or undefined if the system gives none
 * @typedef {{ name: 'answer' | 'solution', id: string, right?: boolean }} Deed
 * @typedef {(host: Host) => Adapter} Adapt
 */

/** First and longest pause between two attempts, in ms. Each pause is twice as long as the one before. */
const [FIRST_PAUSE, LAST_PAUSE] = [1000, 60_000];
/** "Trying again" is shown for this time before the attempt, in ms, so that it can be read. */
const SHOWN_MS = 400;

/**
 * Shows a sentence about a course system, or removes it.
 * @param {LogitLesson} lesson
 * @param {string} name of the system
 * @param {(() => string) | null} text null to remove the sentence
 * @param {() => void} [again] called by the button to try again; there is no button without it
 */
export function say(lesson, name, text, again) {
  const { [name]: _, ...others } = lesson.unreported;
  lesson.unreported = text ? { ...others, [name]: { text: lesson.speak(text), again } } : others;
}

/**
 * Reads marks that a system has stored. Another version or another program may have written them.
 * @param {any} given
 * @returns {Required<Kept>}
 */
function readKept(given) {
  if (typeof given === 'string')
    try {
      return readKept(JSON.parse(given));
    } catch {
      return { state: given, score: null };
    }
  const { state, score } = given ?? {};
  const good = typeof score === 'number' && score >= 0 && score <= 1;
  return { state: typeof state === 'string' ? state : '', score: good ? score : null };
}

/** @param {unknown} error @returns {Refusal} */
function refusalOf(error) {
  if (error instanceof Refusal) return error;
  return new Refusal('failed', { reason: String(/** @type {any} */ (error)?.message ?? error) });
}

/** @param {Refusal} refusal */
const sentenceOf = ({ key, values }) => {
  return () => t(`lesson.unreported.${key}`, { host: t('lesson.system'), ...values });
};

export class Delivery {
  #lesson;
  #name;
  #named;
  #adapt;
  /** @type {Adapter | null} */
  #adapter = null;
  /** The best score that was sent or stored, 0 to 1; null before one. @type {number | null} */
  #best = null;
  #kept = readKept(null);
  #told = '';
  #recalled = false;
  /** Answers and displayed solutions that are not sent yet. @type {Deed[]} */
  #deeds = [];
  #running = false;
  /** True if something has changed since the current attempt began. */
  #again = false;
  #ended = false;
  /** True while the sentence about a failure is displayed. */
  #failing = false;
  #pause = FIRST_PAUSE;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {LogitLesson} lesson
   * @param {string} name of the system
   * @param {boolean} named true if the page names the system
   * @param {() => Promise<Adapt>} adapt fetches the system's adapter
   */
  constructor(lesson, name, named, adapt) {
    this.#lesson = lesson;
    this.#name = name;
    this.#named = named;
    this.#adapt = adapt;
  }

  /** Begins to listen, and makes the first attempt. */
  begin() {
    const lesson = this.#lesson;
    const attempt = () => this.#sendAll();
    // The capture phase comes first, so an answer is sent before its mark.
    for (const name of /** @type {const} */ (['answer', 'solution']))
      lesson.addEventListener(
        `logit-${name}`,
        (event) => {
          this.#deeds.push({ name, .../** @type {CustomEvent} */ (event).detail });
          attempt();
        },
        true,
      );
    lesson.addEventListener('logit-result', attempt);
    addEventListener('online', attempt);
    document.addEventListener('visibilitychange', () => document.hidden && attempt());
    addEventListener('pagehide', () => attempt().finally(() => this.#adapter?.end?.()));
    // If the browser restores the page from memory, a new session begins.
    addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return;
      this.#recalled = false;
      attempt();
    });
    attempt();
  }

  /** @param {(() => string) | null} text @param {() => void} [again] */
  #showNotice(text, again) {
    say(this.#lesson, this.#name, text, again);
  }

  /** The key under which the browser stores unsent marks; null if the learner is unknown. */
  get #unsentKey() {
    const { learner } = this.#adapter ?? {};
    return learner ? JSON.stringify([this.#name, learner, this.#lesson.result.lesson]) : null;
  }

  /** Returns the result to send, with the best score so far. */
  #currentResult() {
    const { result } = this.#lesson;
    if (result.score !== null) this.#best = Math.max(this.#best ?? 0, result.score);
    return { ...result, score: this.#best };
  }

  /** @type {Host['take']} */
  #take = async (given) => {
    this.#kept = readKept(given);
    await this.#restore(this.#kept);
    this.#sendAll();
  };

  /** @param {Required<Kept>} kept */
  async #restore({ state, score }) {
    if (score !== null) this.#best = Math.max(this.#best ?? 0, score);
    await this.#lesson.opened;
    if (Object.keys(readMarks(state)).length > 0) this.#lesson.restore(state);
  }

  /** @param {Adapter} adapter */
  async #recall(adapter) {
    await adapter.recall();
    await this.#lesson.opened;
    const key = this.#unsentKey;
    if (key) await this.#restore(readKept(recallUnsent(key)));
    this.#recalled = true;
  }

  /** @param {Adapter} adapter */
  async #sendResult(adapter) {
    const result = this.#currentResult();
    const text = JSON.stringify(result);
    if (result.score === null || text === this.#told) return;
    const { state, score } = this.#kept;
    await adapter.tell(result, result.state === state && result.score === score);
    this.#told = text;
  }

  /** Sends everything that is not sent yet. Never rejects. */
  async #sendAll() {
    this.#again = true;
    if (this.#running || this.#ended) return;
    this.#running = true;
    clearTimeout(this.#timer);
    try {
      while (this.#again) {
        this.#again = false;
        this.#adapter ??= (await this.#adapt())({
          lesson: this.#lesson,
          named: this.#named,
          take: this.#take,
          refuse: (refusal) => this.#showNotice(refusal && sentenceOf(refusal)),
        });
        if (!this.#recalled) await this.#recall(this.#adapter);
        for (const deeds = this.#deeds; deeds.length > 0; deeds.shift())
          await this.#adapter.note?.(deeds[0]);
        await this.#sendResult(this.#adapter);
      }
      this.#onSuccess();
    } catch (error) {
      this.#onFailure(refusalOf(error));
    }
    this.#running = false;
  }

  #onSuccess() {
    this.#pause = FIRST_PAUSE;
    const key = this.#unsentKey;
    if (key && this.#told) rememberUnsent(key, null);
    if (!this.#failing) return;
    this.#failing = false;
    this.#showNotice(this.#told ? () => t('lesson.unreported.sent') : null);
  }

  /** @param {Refusal} refusal */
  #onFailure(refusal) {
    const key = this.#unsentKey;
    const { state, score } = this.#currentResult();
    const held = score !== null && key !== null && rememberUnsent(key, { state, score });
    const where = () => t(held ? 'lesson.unreported.kept' : 'lesson.unreported.open');
    const text = sentenceOf(refusal);
    this.#failing = true;
    this.#ended = refusal.final;
    const whole = refusal.key === 'failed' ? () => `${text()} ${where()}` : text;
    this.#showNotice(whole, this.#ended ? undefined : () => this.#retry());
    if (this.#ended) return;
    this.#timer = setTimeout(() => this.#sendAll(), this.#pause);
    this.#pause = Math.min(2 * this.#pause, LAST_PAUSE);
  }

  /** Tries again because the learner has pressed the button. */
  #retry() {
    this.#showNotice(() => t('lesson.unreported.trying'));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sendAll(), SHOWN_MS);
  }
}
