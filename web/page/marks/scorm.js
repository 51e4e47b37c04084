/**
 * SCORM 1.2 and 2004: the API that a course system puts into a window around the lesson. What 1.2
 * keeps of a state is 4,096 characters, which is as long as a state may be here.
 */
import { Refusal } from './refusal.js';

/**
 * The names that differ between versions.
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
 * @property {(right: boolean) => Record<string, string>} answered what an interaction holds beside its id
 *
 * @typedef {Record<string, (...values: string[]) => any>} Api
 * @typedef {import('./connect.js').Host} Host
 * @typedef {import('./connect.js').Adapter} Adapter
 */

/** @param {number} n */
const two = (n) => String(Math.floor(n)).padStart(2, '0');

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
  duration: (s) => `${two(s / 3600).padStart(4, '0')}:${two((s / 60) % 60)}:${two(s % 60)}`,
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

/** The type of an interaction, by the kind of its question. @type {Record<string, string>} */
const TYPES = { number: 'numeric', choice: 'choice', token: 'fill-in', order: 'sequencing' };
/** Errors of a value that is not there: nothing was kept, or the system keeps no such thing. */
const ABSENT = [401, 402, 403];
/** The error of a session that has begun already. */
const BEGUN = 103;
/** Tries to find an API that comes late, and the pause between two in ms. */
const [LOOKS, LOOK_MS] = [10, 200];
/** Characters of a reason that are shown. */
const LONGEST_REASON = 200;

/** The first of the windows around this one, and of those that opened it, that has an API. @param {Version['api']} name */
function findApi(name) {
  /** @param {Window | null} start */
  const above = (start) => {
    for (let at = start, before = null; at && at !== before; before = at, at = at.parent)
      try {
        const found = /** @type {any} */ (at)[name];
        if (found) return /** @type {Api} */ (found);
      } catch {
        // a window of another origin; those around it may be of this one
      }
    return null;
  };
  return above(window.parent) ?? above(window.opener) ?? above(window.top?.opener ?? null);
}

/** @param {Version} version @param {Host} host @returns {Adapter} */
function scorm(version, { lesson, take }) {
  const { prefix, end, score, status, exit, time, duration } = version;
  /** @type {Api | null} */
  let api = null;
  let [begun, review] = [false, false];
  /** Left alone, a system may take a lesson that was only opened for one that is done. */
  let first = {};
  const started = performance.now(); // no clock that is set back

  /** @param {string} method @param {string} reason */
  const refusal = (method, reason) =>
    new Refusal('failed', { reason: `${prefix}${method}: ${reason}`.slice(0, LONGEST_REASON) });

  /** Calls a method of the API. @param {string} method @param {string[]} values */
  function call(method, ...values) {
    try {
      return String(/** @type {Api} */ (api)[prefix + method](...values) ?? '');
    } catch (error) {
      throw refusal(method, String(/** @type {any} */ (error)?.message ?? error));
    }
  }

  /** The error of the last call: 0 where there was none. */
  const lastError = () => Number(call('GetLastError')) || 0;

  /** Calls a method that answers whether it was done. @param {string} method @param {string[]} values */
  function must(method, ...values) {
    if (call(method, ...values) !== 'false') return;
    const code = lastError();
    if (method === 'Initialize' && code === BEGUN) return;
    const words = code ? `${code} ${call('GetErrorString', String(code))}`.trim() : '“false”';
    throw refusal(method, words);
  }

  /** @param {string} key */
  function get(key) {
    const value = call('GetValue', key);
    const code = value === '' ? lastError() : 0;
    if (code === 0 || ABSENT.includes(code)) return value;
    throw refusal('GetValue', `${code} ${call('GetErrorString', String(code))}`);
  }

  /** Makes a call that may fail: no mark depends on it. @param {() => void} work */
  function quietly(work) {
    try {
      work();
    } catch {
      // a system need not have it
    }
  }

  /** @param {Record<string, string>} values */
  function setQuietly(values) {
    for (const [key, value] of Object.entries(values)) quietly(() => call('SetValue', key, value));
  }

  /** Sets all values, also those after one that is refused. @param {Record<string, string>} values */
  function set(values) {
    /** @type {unknown} */
    let fault = null;
    for (const [key, value] of Object.entries(values))
      try {
        must('SetValue', key, value);
      } catch (error) {
        fault ??= error;
      }
    must('Commit', '');
    if (fault) throw fault;
  }

  /**
   * Whether the score that the system asks for is reached; nothing where it asks for none.
   * @param {number} share
   * @returns {Record<string, string>}
   */
  function success(share) {
    const asked = prefix ? '' : get('cmi.scaled_passing_score');
    if (asked === '') return {};
    return { 'cmi.success_status': share >= Number(asked) ? 'passed' : 'failed' };
  }

  return {
    learner: '',
    async recall() {
      for (let n = 0; !(api = findApi(version.api)) && n < LOOKS; n++)
        await new Promise((done) => setTimeout(done, LOOK_MS));
      if (!api) throw new Refusal('none');
      if (!begun) must('Initialize', '');
      begun = true;
      const raw = get(`${score}.raw`);
      const state = get('cmi.suspend_data');
      quietly(() => (review = /^(review|browse)$/.test(get(version.mode))));
      quietly(() => (this.learner = get(version.learner)));
      quietly(
        () =>
          (first = /^(in)?complete|passed|failed/.test(get(status))
            ? {}
            : { [status]: 'incomplete' }),
      );
      take({ state, score: raw === '' ? null : Number(raw) / 100 });
      if (review) throw new Refusal('review', {}, { final: true });
      quietly(() => set({ [exit]: 'suspend', ...first }));
    },
    tell({ score: share, complete, state }) {
      setQuietly({ [`${score}.min`]: '0', [`${score}.max`]: '100', [exit]: 'suspend' });
      set({
        ...first,
        [`${score}.raw`]: String(Math.round((share ?? 0) * 1e4) / 100),
        ...(prefix ? {} : { [`${score}.scaled`]: String(Math.round((share ?? 0) * 1e6) / 1e6) }),
        'cmi.suspend_data': state,
        ...(complete ? { [status]: 'completed', ...success(share ?? 0) } : {}),
      });
    },
    note({ name, id, right = false }) {
      if (name !== 'answer') return;
      quietly(() => {
        const at = `cmi.interactions.${Number(get('cmi.interactions._count')) || 0}.`;
        const asked = lesson.read?.parts.flatMap(({ questions = [] }) => questions);
        const type = TYPES[asked?.find((each) => each.id === id)?.kind ?? ''] ?? 'performance';
        const all = Object.entries({ id, type, ...version.answered(right) });
        setQuietly(Object.fromEntries(all.map(([key, value]) => [at + key, value])));
      });
    },
    end() {
      if (!begun) return;
      begun = false;
      const seconds = (performance.now() - started) / 1000;
      if (!review) quietly(() => set({ [time]: duration(seconds) }));
      quietly(() => /** @type {Api} */ (api)[end](''));
    },
  };
}

/** @param {Host} host */
export const scorm12 = (host) => scorm(SCORM_12, host);
/** @param {Host} host */
export const scorm2004 = (host) => scorm(SCORM_2004, host);
