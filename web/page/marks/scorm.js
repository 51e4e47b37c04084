/**
 * SCORM 1.2 and 2004: the API that a course system puts into a window around the lesson. What 1.2
 * keeps of a state is 4,096 characters, which is as long as a state may be here.
 */

/**
 * What a version calls the same things.
 * @typedef {object} Version
 * @property {'API' | 'API_1484_11'} api
 * @property {string} prefix of each method
 * @property {string} end
 * @property {string} score
 * @property {string} status
 * @property {string} exit
 * @property {string} time
 * @property {(seconds: number) => string} duration
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
  score: 'cmi.core.score',
  status: 'cmi.core.lesson_status',
  exit: 'cmi.core.exit',
  time: 'cmi.core.session_time',
  duration: (s) => `${two(s / 3600).padStart(4, '0')}:${two((s / 60) % 60)}:${two(s % 60)}`,
};

/** @type {Version} */
const SCORM_2004 = {
  api: 'API_1484_11',
  prefix: '',
  end: 'Terminate',
  score: 'cmi.score',
  status: 'cmi.completion_status',
  exit: 'cmi.exit',
  time: 'cmi.session_time',
  duration: (seconds) => `PT${Math.floor(seconds)}S`,
};

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
function scorm({ api: name, prefix, end, score, status, exit, time, duration }, { take, refuse }) {
  const api = findApi(name);
  const started = performance.now(); // no clock that is set back
  /** @param {string} key @returns {string} */
  const get = (key) => String(api?.[`${prefix}GetValue`](key) ?? '');
  /** @param {Record<string, string>} values */
  const set = (values) => {
    for (const [key, value] of Object.entries(values)) api?.[`${prefix}SetValue`](key, value);
    api?.[`${prefix}Commit`]('');
  };

  return {
    async recall() {
      if (!api) return refuse('none');
      api[`${prefix}Initialize`]('');
      const raw = get(`${score}.raw`);
      // Left alone, a course system may take a lesson that was only opened for one that is done.
      const begun = /^(in)?complete|passed|failed/.test(get(status));
      set({ [exit]: 'suspend', ...(begun ? {} : { [status]: 'incomplete' }) });
      addEventListener('pagehide', () => {
        set({ [time]: duration((performance.now() - started) / 1000) });
        api[end]('');
      });
      take({ state: get('cmi.suspend_data'), score: raw === '' ? null : Number(raw) / 100 });
    },
    tell: ({ score: share, complete, state }) =>
      set({
        [`${score}.min`]: '0',
        [`${score}.max`]: '100',
        [`${score}.raw`]: String(Math.round((share ?? 0) * 1e4) / 100),
        ...(prefix ? {} : { [`${score}.scaled`]: String(Math.round((share ?? 0) * 1e6) / 1e6) }),
        'cmi.suspend_data': state,
        ...(complete ? { [status]: 'completed' } : {}),
      }),
  };
}

/** @param {Host} host */
export const scorm12 = (host) => scorm(SCORM_12, host);
/** @param {Host} host */
export const scorm2004 = (host) => scorm(SCORM_2004, host);
