/**
 * xAPI: statements of what a learner has done, handed to the page as "logit-statement", to the page
 * around a frame as 'logitscope:statement', and to a store if the page names one by the attribute
 * `xapi`. With an `actor` too, the store keeps the state. No lesson's file and no address can name a
 * store.
 */

const VERBS = 'http://adlnet.gov/expapi/verbs/';
const VERSION = '1.0.3';
const STATE_ID = 'logitscope';

/** The address under which a store knows a lesson. @param {string | null} name */
function activityOf(name) {
  try {
    return new URL(`?lesson=${encodeURIComponent(name ?? '')}`, document.baseURI).href;
  } catch {
    return `urn:logitscope:${name}`;
  }
}

/** @param {import('./connect.js').Host} host @returns {import('./connect.js').Adapter} */
export function xapi({ lesson, take, refuse }) {
  const store = lesson.xapi && new URL(lesson.xapi.replace(/\/*$/, '/'), document.baseURI);
  const framed = window.parent !== window;
  const nobody = { account: { homePage: location.origin, name: 'anonymous' } };
  /** @type {any} Null where the page does not say who learns. */
  let actor = null;
  try {
    if (lesson.actor) actor = JSON.parse(lesson.actor);
  } catch (error) {
    refuse('actor', { reason: /** @type {Error} */ (error).message });
    return { recall: async () => {}, tell() {} };
  }

  let forbidden = false;
  /** Whether the store has said what it keeps: what it could not say is not written over. */
  let recalled = false;
  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
    if (!store || effectiveDirective !== 'connect-src' || !blockedURI.startsWith(store.origin))
      return;
    forbidden = true;
    refuse('policy', { host: store.host });
  });

  /** What is sent waits for what was sent before. */
  let last = Promise.resolve();
  /**
   * @param {string} path in the store
   * @param {RequestInit} [options]
   * @returns {Promise<Response | null>} null where nothing came, which has been said
   */
  async function ask(path, options = {}) {
    if (!store) return null;
    const headers = { 'content-type': 'application/json', 'x-experience-api-version': VERSION };
    let reason;
    try {
      const response = await fetch(new URL(path, store), { ...options, headers });
      if (response.ok || response.status === 404) return response;
      reason = String(response.status);
    } catch (error) {
      reason = /** @type {Error} */ (error).message;
    }
    if (!forbidden) refuse('failed', { host: store.host, reason });
    return null;
  }
  /** @param {() => Promise<unknown>} work */
  const after = (work) => (last = last.then(async () => void (await work())));

  const statePath = () => {
    const agent = JSON.stringify(actor);
    const activityId = activityOf(lesson.result.lesson);
    return `activities/state?${new URLSearchParams({ activityId, agent, stateId: STATE_ID })}`;
  };

  /**
   * @param {string} verb
   * @param {object} result
   * @param {string} [part] of the lesson, a question
   */
  function make(verb, result, part) {
    const { lesson: name } = lesson.result;
    const id = activityOf(name) + (part ? `#${part}` : '');
    const definition = {
      name: {
        [lesson.lang || document.documentElement.lang || 'en']: part ?? lesson.read?.title ?? '',
      },
    };
    const statement = {
      ...(actor || store ? { actor: { objectType: 'Agent', ...(actor ?? nobody) } } : {}),
      verb: { id: VERBS + verb, display: { en: verb } },
      object: { objectType: 'Activity', id, definition },
      result,
      timestamp: new Date().toISOString(),
    };
    lesson.emit('logit-statement', { statement });
    if (framed) window.parent.postMessage({ type: 'logitscope:statement', statement }, '*');
    after(() => ask('statements', { method: 'POST', body: JSON.stringify(statement) }));
  }

  return {
    async recall() {
      await lesson.opened;
      const response = actor && (await ask(statePath()));
      recalled = Boolean(response);
      if (response?.ok) take(await response.text());
    },
    tell({ score, complete, state: kept }, known) {
      if (known) return;
      make(complete ? 'completed' : 'scored', { score: { scaled: score }, completion: complete });
      const body = JSON.stringify({ state: kept, score });
      if (recalled) after(() => ask(statePath(), { method: 'PUT', body }));
    },
    note({ name, id, right }) {
      if (name === 'answer') make('answered', { success: right }, id);
    },
  };
}
