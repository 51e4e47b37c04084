/**
 * The adapter for SCORM 1.2 and 2004. The course system provides an object, the API, in a window around the lesson.
 * SCORM 1.2 stores at most 4,096 characters of a state, hence STATE_LIMIT.
 */
import { Refusal } from './refusal.js';

/** @import { Host, Adapter } from './delivery.js' */

/**
 * Names and formats in which the two versions of SCORM differ.
 * @typedef {object} Version
 * @property {'API' | 'API_1484_11'} api
 * @property {string} prefix of each method
 * @property {string} end
 * @property {string} mode
 * @property {string} learner
 * @property {string} score
 * @property {string} status
 * @property {string} exit
 * @property {string} time
 * @property {(seconds: number) => string} duration
 * @property {(right: boolean) => Record<string, string>} answered returns the values of an interaction, without id
 * and type
 *
 * @typedef {Record<string, (...values: string[]) => any>} Api
 */

/** @param {number} n */
const twoDigits = (n) => String(Math.floor(n)).padStart(2, '0');

/** @type {Version} */
const SCORM_12 = {
  api: 'API',
  prefix: 'LMS',
  end: 'LMSFinish',
  mode: 'cmi.core.lesson_mode',
  learner: 'cmi.core.student_id',
  score: 'cmi.core.score',
  status: 'cmi.core.lesson_status',
  exit: 'cmi.core.exit',
  time: 'cmi.core.session_time',
  duration: (s) =>
    `${twoDigits(s / 3600).padStart(4, '0')}:${twoDigits((s / 60) % 60)}:${twoDigits(s % 60)}`,
  answered: (right) => ({
    time: new Date().toTimeString().slice(0, 8),
    result: right ? 'correct' : 'wrong',
  }),
};

/** @type {Version} */
const SCORM_2004 = {
  api: 'API_1484_11',
  prefix: '',
  end: 'Terminate',
  mode: 'cmi.mode',
  learner: 'cmi.learner_id',
  score: 'cmi.score',
  status: 'cmi.completion_status',
  exit: 'cmi.exit',
  time: 'cmi.session_time',
  duration: (seconds) => `PT${Math.floor(seconds)}S`,
  answered: (right) => ({
    timestamp: `${new Date().toISOString().slice(0, 19)}Z`,
    result: right ? 'correct' : 'incorrect',
  }),
};

/** SCORM's type of interaction for each kind of question. @type {Record<string, string>} */
const TYPES = { number: 'numeric', choice: 'choice', token: 'fill-in', order: 'sequencing' };
/** Error codes for a missing value: nothing is stored yet, or the system does not know the element. */
const ABSENT = [401, 402, 403];
/** Error code for a session that has begun already. */
const BEGUN = 103;
/** Number of attempts to find the API, which may be defined late, and the pause between them in ms. */
const [LOOKS, LOOK_MS] = [10, 200];
/** Most characters of a reason that are displayed. */
const LONGEST_REASON = 200;

/**
 * Looks for the API in the windows around this one, then in its opener and the windows around it.
 * @param {Version['api']} name
 */
function findApi(name) {
  /** @param {Window | null} start */
  const above = (start) => {
    for (let at = start, before = null; at && at !== before; before = at, at = at.parent)
      try {
        const found = /** @type {any} */ (at)[name];
        if (found) return /** @type {Api} */ (found);
      } catch {
        // This window has another origin, but one around it may have ours.
      }
    return null;
  };
  return above(window.parent) ?? above(window.opener) ?? above(window.top?.opener ?? null);
}

/** @implements {Adapter} */
class Scorm {
  #version;
  #lesson;
  #take;
  /** @type {Api | null} */
  #api = null;
  #begun = false;
  #review = false;
  /** Values of the first report. Without them, some systems count a lesson as completed when it is opened. */
  #first = {};
  #started = performance.now(); // unlike Date.now(), this clock cannot be set back
  learner = '';

  /** @param {Version} version @param {Host} host */
  constructor(version, { lesson, take }) {
    this.#version = version;
    this.#lesson = lesson;
    this.#take = take;
  }

  /** @param {string} method @param {string} reason */
  #refusalOf(method, reason) {
    const { prefix } = this.#version;
    return new Refusal('failed', {
      reason: `${prefix}${method}: ${reason}`.slice(0, LONGEST_REASON),
    });
  }

  /** Calls a function of the API. @param {string} method @param {string[]} values */
  #call(method, ...values) {
    try {
      const api = /** @type {Api} */ (this.#api);
      return String(api[this.#version.prefix + method](...values) ?? '');
    } catch (error) {
      throw this.#refusalOf(method, String(/** @type {any} */ (error)?.message ?? error));
    }
  }

  /** Returns the error code of the last call; 0 for none. */
  #lastError() {
    return Number(this.#call('GetLastError')) || 0;
  }

  /**
   * Calls a function of the API and throws a refusal if it returns "false".
   * @param {string} method @param {string[]} values
   */
  #callOrThrow(method, ...values) {
    if (this.#call(method, ...values) !== 'false') return;
    const code = this.#lastError();
    if (method === 'Initialize' && code === BEGUN) return;
    const words = code ? `${code} ${this.#call('GetErrorString', String(code))}`.trim() : '“false”';
    throw this.#refusalOf(method, words);
  }

  /** @param {string} key */
  #getValue(key) {
    const value = this.#call('GetValue', key);
    const code = value === '' ? this.#lastError() : 0;
    if (code === 0 || ABSENT.includes(code)) return value;
    const words = this.#call('GetErrorString', String(code));
    throw this.#refusalOf('GetValue', `${code} ${words}`);
  }

  /** @param {Record<string, string>} values */
  #setQuietly(values) {
    for (const [key, value] of Object.entries(values))
      ignoreErrors(() => this.#call('SetValue', key, value));
  }

  /**
   * Sets values. If the system refuses some, throws the first refusal after all were tried.
   * @param {Record<string, string>} values
   */
  #set(values) {
    /** @type {unknown} */
    let fault = null;
    for (const [key, value] of Object.entries(values))
      try {
        this.#callOrThrow('SetValue', key, value);
      } catch (error) {
        fault ??= error;
      }
    this.#callOrThrow('Commit', '');
    if (fault) throw fault;
  }

  /**
   * Returns passed or failed by the system's passing score; nothing if it has none.
   * @param {number} share the score, from 0 to 1
   * @returns {Record<string, string>}
   */
  #successStatus(share) {
    const asked = this.#version.prefix ? '' : this.#getValue('cmi.scaled_passing_score');
    if (asked === '') return {};
    return { 'cmi.success_status': share >= Number(asked) ? 'passed' : 'failed' };
  }

  async recall() {
    const { api, score, mode, learner, status, exit } = this.#version;
    for (let n = 0; !(this.#api = findApi(api)) && n < LOOKS; n++)
      await new Promise((done) => setTimeout(done, LOOK_MS));
    if (!this.#api) throw new Refusal('none');
    if (!this.#begun) this.#callOrThrow('Initialize', '');
    this.#begun = true;
    const raw = this.#getValue(`${score}.raw`);
    const state = this.#getValue('cmi.suspend_data');
    ignoreErrors(() => (this.#review = /^(review|browse)$/.test(this.#getValue(mode))));
    ignoreErrors(() => (this.learner = this.#getValue(learner)));
    ignoreErrors(() => {
      const begun = /^(in)?complete|passed|failed/.test(this.#getValue(status));
      this.#first = begun ? {} : { [status]: 'incomplete' };
    });
    this.#take({ state, score: raw === '' ? null : Number(raw) / 100 });
    if (this.#review) throw new Refusal('review', {}, { final: true });
    ignoreErrors(() => this.#set({ [exit]: 'suspend', ...this.#first }));
  }

  /** @param {import('./delivery.js').Result} result */
  tell({ score: share, complete, state }) {
    const { prefix, score, status, exit } = this.#version;
    this.#setQuietly({ [`${score}.min`]: '0', [`${score}.max`]: '100', [exit]: 'suspend' });
    this.#set({
      ...this.#first,
      [`${score}.raw`]: String(Math.round((share ?? 0) * 1e4) / 100),
      ...(prefix ? {} : { [`${score}.scaled`]: String(Math.round((share ?? 0) * 1e6) / 1e6) }),
      'cmi.suspend_data': state,
      ...(complete ? { [status]: 'completed', ...this.#successStatus(share ?? 0) } : {}),
    });
  }

  /** @param {import('./delivery.js').Deed} deed */
  note({ name, id, right = false }) {
    if (name !== 'answer') return;
    ignoreErrors(() => {
      const at = `cmi.interactions.${Number(this.#getValue('cmi.interactions._count')) || 0}.`;
      const asked = this.#lesson.read?.parts.flatMap(({ questions = [] }) => questions);
      const type = TYPES[asked?.find((each) => each.id === id)?.kind ?? ''] ?? 'performance';
      const all = Object.entries({ id, type, ...this.#version.answered(right) });
      this.#setQuietly(Object.fromEntries(all.map(([key, value]) => [at + key, value])));
    });
  }

  end() {
    if (!this.#begun) return;
    this.#begun = false;
    const { time, duration, end } = this.#version;
    const seconds = (performance.now() - this.#started) / 1000;
    if (!this.#review) ignoreErrors(() => this.#set({ [time]: duration(seconds) }));
    ignoreErrors(() => /** @type {Api} */ (this.#api)[end](''));
  }
}

/** Runs `work` and ignores its failure, because no mark depends on it. @param {() => void} work */
function ignoreErrors(work) {
  try {
    work();
  } catch {
    // The course system may lack this feature.
  }
}

/** @param {Host} host */
export const scorm12 = (host) => new Scorm(SCORM_12, host);
/** @param {Host} host */
export const scorm2004 = (host) => new Scorm(SCORM_2004, host);
