/**
 * xAPI: statements of what a learner has done, handed to the page as "logit-statement", to the page
 * around a frame as 'logitscope:statement', and to a store if the page names one by the attribute
 * `xapi`. With an `actor` too, the store keeps the state. No lesson's file and no address can name a
 * store.
 */

import { Refusal } from './refusal.js';

const VERBS = 'http://adlnet.gov/expapi/verbs/';
const VERSION = '1.0.3';
const STATE_ID = 'logitscope';

/** How long a store may take to answer, in ms. */
const PATIENCE = 30_000;
/** A store that has no state yet. */
const NOT_FOUND = 404;
/** A store that keeps statements and no states. */
const STATELESS = [405, 501];
/** Such a statement is there already: the store took it, and its answer was lost. */
const CONFLICT = 409;

/** The address under which a store knows a lesson. @param {string | null} name */
function activityOf(name) {
  try {
    return new URL(`?lesson=${encodeURIComponent(name ?? '')}`, document.baseURI).href;
  } catch {
    return `urn:logitscope:${name}`;
  }
}

/** A random UUID, also where the page is not a secure context. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** @param {import('./connect.js').Host} host @returns {import('./connect.js').Adapter} */
export function xapi({ lesson, take, refuse }) {
  const store = lesson.xapi && new URL(lesson.xapi.replace(/\/*$/, '/'), document.baseURI);
  const framed = window.parent !== window;
  const nobody = { account: { homePage: location.origin, name: 'anonymous' } };
  /** @type {any} Null where the page does not say who learns. */
  let actor = null;
  /** Whether the store keeps the state. */
  let keeps = false;
  /** @type {Refusal | null} */
  let forbidden = null;
  try {
    if (lesson.actor) actor = JSON.parse(lesson.actor);
  } catch (error) {
    const { message: reason } = /** @type {Error} */ (error);
    forbidden = new Refusal('actor', { reason }, { final: true });
  }

  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
    if (!store || effectiveDirective !== 'connect-src' || !blockedURI.startsWith(store.origin))
      return;
    forbidden = new Refusal('policy', { host: store.host }, { final: true });
    refuse(forbidden);
  });

  /**
   * @param {string} path in the store
   * @param {readonly number[]} allowed what a store may answer beside success
   * @param {RequestInit} [options]
   * @returns {Promise<Response | null>} null where the page names no store
   */
  async function ask(path, allowed, options = {}) {
    if (forbidden) throw forbidden;
    if (!store) return null;
    const headers = { 'content-type': 'application/json', 'x-experience-api-version': VERSION };
    const signal = AbortSignal.timeout(PATIENCE);
    let reason;
    try {
      // A request outlives the page, which may close just after the last answer.
      const rest = { keepalive: true, headers, signal };
      const response = await fetch(new URL(path, store), { ...options, ...rest });
      if (response.ok || allowed.includes(response.status)) return response;
      reason = String(response.status);
    } catch (error) {
      reason = /** @type {Error} */ (error).message;
    }
    throw forbidden ?? new Refusal('failed', { host: store.host, reason });
  }

  const statePath = () => {
    const agent = JSON.stringify(actor);
    const activityId = activityOf(lesson.result.lesson);
    return `activities/state?${new URLSearchParams({ activityId, agent, stateId: STATE_ID })}`;
  };

  /**
   * Makes a statement, and hands it to the page.
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
      id: uuid(), // so that a store takes it once, however often it is sent
      ...(actor || store ? { actor: { objectType: 'Agent', ...(actor ?? nobody) } } : {}),
      verb: { id: VERBS + verb, display: { en: verb } },
      object: { objectType: 'Activity', id, definition },
      result,
      timestamp: new Date().toISOString(),
    };
    lesson.emit('logit-statement', { statement });
    if (framed) window.parent.postMessage({ type: 'logitscope:statement', statement }, '*');
    return statement;
  }

  /** Statements by what they say, until the store has them. @type {Map<unknown, object>} */
  const unsent = new Map();
  /** @param {unknown} about @param {() => object} made */
  async function post(about, made) {
    const statement = unsent.get(about) ?? made();
    unsent.set(about, statement);
    await ask('statements', [CONFLICT], { method: 'POST', body: JSON.stringify(statement) });
    unsent.delete(about);
  }

  return {
    learner: store && actor ? JSON.stringify([store.href, actor]) : '',
    async recall() {
      await lesson.opened;
      if (forbidden) throw forbidden;
      if (!actor) return;
      const response = await ask(statePath(), [NOT_FOUND, ...STATELESS]);
      keeps = !STATELESS.includes(response?.status ?? NOT_FOUND);
      if (response?.ok) take(await response.text());
    },
    async tell({ score, complete, state: kept }, known) {
      if (known) return;
      const body = JSON.stringify({ state: kept, score });
      await post(`${complete} ${body}`, () =>
        make(complete ? 'completed' : 'scored', { score: { scaled: score }, completion: complete }),
      );
      if (keeps) await ask(statePath(), [], { method: 'PUT', body });
    },
    async note(deed) {
      const { name, id, right } = deed;
      if (name === 'answer') await post(deed, () => make('answered', { success: right }, id));
    },
  };
}
