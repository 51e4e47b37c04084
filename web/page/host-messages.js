/**
 * Messages between the page in a frame and its parent, the host page. The host page sends 'get', 'set' and 'step' and
 * gets 'ready', 'state', 'step', 'result' and 'error'; each type begins with 'logitscope:'. An invalid message
 * changes nothing and gets an error. Answers come in the order of the messages. Several 'set' in a row are applied
 * together.
 */
import { locales } from '#locales/host';
import { takeTyped } from '../base/debounce.js';
import { detailOf, sayDropped } from '../base/faults.js';
import { toFault } from '../engine/errors.js';
import { dataKind, gatesOf } from '../state/fields.js';
import { figureReport } from '../lessons/measures.js';
import { checkState, show } from '../state/page-state.js';
import { addMessages, t } from '../locale/locale.js';

/** @import { PageState } from '../state/page-state.js' */

/**
 * @typedef {{ type: string, detail: object }} Answer
 * @typedef {{ kind: string, message: any, answer: (answer: Answer) => void }} Asked
 */

addMessages(locales);

/** @param {string} code @param {string} message @returns {Answer} */
const refusalAnswer = (code, message) => ({ type: 'error', detail: { code, message } });

/**
 * Returns the report of a text, in the form of a lesson's result. It has no score, because there was no question.
 * @param {import('./scope.js').LogitScope['result']} result
 */
function reportOf({ trace, ...result }) {
  return {
    ...result,
    score: null,
    complete: result.finish_reason !== null,
    ...figureReport(trace),
  };
}

/**
 * Runs `work` and returns its answer; if it throws, returns an error message.
 * @param {() => Promise<Answer>} work @returns {Promise<Answer>}
 */
async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    const { code, message } = await detailOf(toFault(error));
    return refusalAnswer(code, message);
  }
}

/** @param {string} type @param {object} detail @param {string} [origin] */
function postToHost(type, detail, origin = '*') {
  window.parent.postMessage({ type: `logitscope:${type}`, ...detail }, origin);
}

/**
 * For each event of the instrument, the message to the host page.
 * @type {Record<string, (detail: any, scope: import('./scope.js').LogitScope) => Answer>}
 */
const MESSAGES = {
  'logit-ready': (detail) => ({ type: 'ready', detail }),
  'logit-change': (_, { state }) => ({ type: 'state', detail: state }),
  'logit-error': (detail) => ({ type: 'error', detail }),
  'logit-step': ({ id, text, p, p_raw, rank, u, position }) => ({
    type: 'step',
    detail: { token: { id, text, p, p_raw, rank, u, position } },
  }),
  'logit-result': (result) => ({ type: 'result', detail: reportOf(result) }),
};

/** @param {import('./scope.js').LogitScope} scope */
export function answerHost(scope) {
  const queue = new Queue(scope);
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== window.parent || typeof data !== 'object' || data === null) return;
    if (typeof data.type !== 'string' || !data.type.startsWith('logitscope:')) return;
    if (data.type === 'logitscope:answer') return; // for sources/host.js
    const id = ['string', 'number'].includes(typeof data.id) ? { id: data.id } : {};
    const to = origin === 'null' ? '*' : origin;
    queue.add({
      kind: data.type.slice('logitscope:'.length),
      message: data,
      answer: ({ type, detail }) => postToHost(type, { ...detail, ...id }, to),
    });
  });
  if (scope.ready) postToHost('ready', { info: scope.info });
  for (const [name, messageOf] of Object.entries(MESSAGES))
    scope.addEventListener(name, (event) => {
      const { type, detail } = messageOf(/** @type {CustomEvent} */ (event).detail, scope);
      postToHost(type, detail);
    });
}

/** Answers messages one after another. */
class Queue {
  #scope;
  /** @type {Asked[]} */
  #waiting = [];
  #working = false;
  /** The gates that the engine has checked last, and its objections to them. */
  #judged = { gates: '{}', refused: /** @type {any[]} */ ([]) };

  /** @param {import('./scope.js').LogitScope} scope */
  constructor(scope) {
    this.#scope = scope;
  }

  /** @param {Asked} asked */
  async add(asked) {
    this.#waiting.push(asked);
    if (this.#working) return;
    this.#working = true;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (next.kind === 'set' && this.#scope.ready) {
        await this.#takeSets();
        continue;
      }
      this.#waiting.shift();
      next.answer(await attempt(() => this.#answerOne(next)));
    }
    this.#working = false;
  }

  /** @param {Asked} asked @returns {Promise<Answer>} */
  async #answerOne({ kind, message }) {
    const scope = this.#scope;
    if (!scope.ready) return refusalAnswer('closed', t('host.early'));
    if (kind === 'get') return { type: 'state', detail: scope.state };
    if (kind !== 'step')
      return refusalAnswer('invalid_argument', t('host.unknown', { type: show(message.type) }));
    const fault = await this.#faultAnswer();
    if (fault) return fault;
    await scope.step();
    return { type: 'result', detail: reportOf(scope.result) };
  }

  /** Returns an error message if the present state has an error, else null. @returns {Promise<Answer | null>} */
  async #faultAnswer() {
    if (!this.#scope.fault) return null;
    const { code, message } = await detailOf(this.#scope.fault);
    return refusalAnswer(code, message);
  }

  /** Takes all 'set' messages from the front of the queue and applies them. */
  async #takeSets() {
    const sets = [];
    while (this.#waiting[0]?.kind === 'set')
      sets.push(/** @type {Asked} */ (this.#waiting.shift()));
    await this.#setAll(sets);
  }

  /**
   * Applies several 'set' messages together. If the engine refuses the result, applies them one by one.
   * @param {Asked[]} sets
   */
  async #setAll(sets) {
    const scope = this.#scope;
    takeTyped(); // the state below includes changes that still wait, so none comes after the message
    const before = scope.state;
    let state = before;
    /** @type {Asked[]} */
    const good = [];
    for (const asked of sets) {
      const merged = await this.#mergeState(state, asked.message);
      if ('detail' in merged) asked.answer(/** @type {Answer} */ (merged));
      else {
        state = /** @type {PageState} */ (merged);
        good.push(asked);
      }
    }
    if (!good.length) return;
    const done = await attempt(async () => {
      await scope.restore(state);
      return (await this.#faultAnswer()) ?? { type: 'state', detail: scope.state };
    });
    if (done.type === 'error') {
      await attempt(async () => {
        await scope.restore(before);
        return done;
      });
      if (good.length > 1) {
        for (const one of good) await this.#setAll([one]);
        return;
      }
    }
    for (const { answer } of good) answer(done);
  }

  /**
   * Returns the state with the parts of a message. If a part is invalid, returns an error message.
   * @param {PageState} state
   * @param {any} message
   * @returns {Promise<PageState | Answer>}
   */
  async #mergeState(state, message) {
    const { table, info } = this.#scope;
    const { state: patch, dropped } = checkState(message, table, info?.vocab_size);
    if (patch) dropped.push(...(await this.#refusedGates(patch)));
    if (dropped.length > 0) return refusalAnswer('invalid_setting', sayDropped(dropped));
    if (!patch) return refusalAnswer('invalid_argument', t('host.empty'));
    const { prompt = state.prompt } = patch;
    return {
      ...state,
      ...(prompt === state.prompt ? {} : { branch: [], compare_prompt: null }),
      ...patch,
      settings: message.settings === undefined ? state.settings : patch.settings,
    };
  }

  /** @param {PageState} state */
  async #refusedGates({ settings }) {
    const asked = gatesOf(settings);
    const gates = dataKind(asked) === 'plain' ? JSON.stringify(asked) : '';
    if (!gates || gates !== this.#judged.gates)
      this.#judged = { gates, refused: await this.#scope.refused(settings) };
    return this.#judged.refused;
  }
}
