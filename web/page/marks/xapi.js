/**
 * The adapter for xAPI: statements about the learner's answers and score. The page gets each statement as the event
 * "logit-statement", the parent of a frame as the message 'logitscope:statement', and the store in the attribute
 * `xapi` by HTTP. With an `actor`, the store also keeps the state. Neither a lesson nor an address can name a store.
 */

import { Refusal } from './refusal.js';

/** @import { Adapter } from './delivery.js' */

const VERBS = 'http://adlnet.gov/expapi/verbs/';
const VERSION = '1.0.3';
const STATE_ID = 'logitscope';

/** Longest time to wait for the store's answer, in ms. */
const PATIENCE = 30_000;
/** Status code of a store that has no state yet. */
const NOT_FOUND = 404;
/** Status codes of a store that accepts statements but no states. */
const STATELESS = [405, 501];
/** Status code for a statement that the store has already, because its first answer was lost. */
const CONFLICT = 409;

/** Returns the id under which a store knows a lesson. @param {string | null} name */
function activityOf(name) {
  try {
    return new URL(`?lesson=${encodeURIComponent(name ?? '')}`, document.baseURI).href;
  } catch {
    return `urn:logitscope:${name}`;
  }
}

/** Returns a random UUID. crypto.randomUUID exists only in secure contexts. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** @implements {Adapter} */
class Xapi {
  #lesson;
  #take;
  /** @type {URL | null} */
  #store;
  /** The learner; null if the page names none. @type {any} */
  #actor = null;
  /** True if the store keeps states. */
  #keeps = false;
  /** @type {Refusal | null} */
  #forbidden = null;
  /** Statements that are not sent yet, by the event that caused them. @type {Map<unknown, object>} */
  #unsent = new Map();
  learner = '';

  /** @param {import('./delivery.js').Host} host */
  constructor({ lesson, take, refuse }) {
    this.#lesson = lesson;
    this.#take = take;
    const store = lesson.xapi ? new URL(lesson.xapi.replace(/\/*$/, '/'), document.baseURI) : null;
    this.#store = store;
    try {
      if (lesson.actor) this.#actor = JSON.parse(lesson.actor);
    } catch (error) {
      const { message: reason } = /** @type {Error} */ (error);
      this.#forbidden = new Refusal('actor', { reason }, { final: true });
    }
    if (store && this.#actor) this.learner = JSON.stringify([store.href, this.#actor]);
    document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) => {
      if (!store || effectiveDirective !== 'connect-src' || !blockedURI.startsWith(store.origin))
        return;
      this.#forbidden = new Refusal('policy', { host: store.host }, { final: true });
      refuse(this.#forbidden);
    });
  }

  /**
   * @param {string} path in the store
   * @param {readonly number[]} allowed the status codes, other than success, that are no failure
   * @param {RequestInit} [options]
   * @returns {Promise<Response | null>} null without a store
   */
  async #request(path, allowed, options = {}) {
    if (this.#forbidden) throw this.#forbidden;
    if (!this.#store) return null;
    const headers = { 'content-type': 'application/json', 'x-experience-api-version': VERSION };
    const signal = AbortSignal.timeout(PATIENCE);
    let reason;
    try {
      // With `keepalive`, the request continues if the page is closed after the last answer.
      const rest = { keepalive: true, headers, signal };
      const response = await fetch(new URL(path, this.#store), { ...options, ...rest });
      if (response.ok || allowed.includes(response.status)) return response;
      reason = String(response.status);
    } catch (error) {
      reason = /** @type {Error} */ (error).message;
    }
    throw this.#forbidden ?? new Refusal('failed', { host: this.#store.host, reason });
  }

  get #statePath() {
    const agent = JSON.stringify(this.#actor);
    const activityId = activityOf(this.#lesson.result.lesson);
    return `activities/state?${new URLSearchParams({ activityId, agent, stateId: STATE_ID })}`;
  }

  /**
   * Makes a statement and emits it to the page.
   * @param {string} verb
   * @param {object} result
   * @param {string} [part] the id of a question; undefined for the whole lesson
   */
  #makeStatement(verb, result, part) {
    const lesson = this.#lesson;
    const language = lesson.lang || document.documentElement.lang || 'en';
    const id = activityOf(lesson.result.lesson) + (part ? `#${part}` : '');
    const definition = { name: { [language]: part ?? lesson.read?.title ?? '' } };
    const actor = this.#actor ?? { account: { homePage: location.origin, name: 'anonymous' } };
    const statement = {
      id: uuid(), // with an id, a statement that arrives twice counts once
      ...(this.#actor || this.#store ? { actor: { objectType: 'Agent', ...actor } } : {}),
      verb: { id: VERBS + verb, display: { en: verb } },
      object: { objectType: 'Activity', id, definition },
      result,
      timestamp: new Date().toISOString(),
    };
    lesson.emit('logit-statement', { statement });
    if (window.parent !== window)
      window.parent.postMessage({ type: 'logitscope:statement', statement }, '*');
    return statement;
  }

  /** @param {unknown} about @param {() => object} made */
  async #postStatement(about, made) {
    const statement = this.#unsent.get(about) ?? made();
    this.#unsent.set(about, statement);
    await this.#request('statements', [CONFLICT], {
      method: 'POST',
      body: JSON.stringify(statement),
    });
    this.#unsent.delete(about);
  }

  async recall() {
    await this.#lesson.opened;
    if (this.#forbidden) throw this.#forbidden;
    if (!this.#actor) return;
    const response = await this.#request(this.#statePath, [NOT_FOUND, ...STATELESS]);
    this.#keeps = !STATELESS.includes(response?.status ?? NOT_FOUND);
    if (response?.ok) this.#take(await response.text());
  }

  /**
   * @param {import('./delivery.js').Result} result
   * @param {boolean} known
   */
  async tell({ score, complete, state }, known) {
    if (known) return;
    const body = JSON.stringify({ state, score });
    await this.#postStatement(`${complete} ${body}`, () =>
      this.#makeStatement(complete ? 'completed' : 'scored', {
        score: { scaled: score },
        completion: complete,
      }),
    );
    if (this.#keeps) await this.#request(this.#statePath, [], { method: 'PUT', body });
  }

  /** @param {import('./delivery.js').Deed} deed */
  async note(deed) {
    const { name, id, right } = deed;
    if (name === 'answer')
      await this.#postStatement(deed, () =>
        this.#makeStatement('answered', { success: right }, id),
      );
  }
}

/** @param {import('./delivery.js').Host} host */
export const xapi = (host) => new Xapi(host);
