/**
 * The page inside a frame and the page around it: messages { type: 'logitscope:…' }, taken from the
 * parent only. It may ask 'get', 'set' and 'step'; it hears 'ready', 'state', 'step', 'result' and
 * 'error'. A malformed message changes nothing and is answered by an error of one sentence. Messages
 * are answered in their order; those that set something while another is worked on are done at once.
 */
import { locales } from '#locales/host';
import { detailOf } from '../base/faults.js';
import { toFault } from '../engine/errors.js';
import { dataKind, gatesOf } from '../state/fields.js';
import { figureReport } from '../lessons/measures.js';
import { checkState, show } from '../state/page-state.js';
import { addMessages, t } from '../locale/locale.js';
import { sayDropped } from '../base/faults.js';

/**
 * @typedef {import('../state/page-state.js').PageState} PageState
 * @typedef {{ type: string, detail: object }} Answer
 * @typedef {{ kind: string, message: any, answer: (answer: Answer) => void }} Asked
 */

addMessages(locales);

/** @param {string} code @param {string} message @returns {Answer} */
const refuse = (code, message) => ({ type: 'error', detail: { code, message } });

/**
 * What is told of a text: it asks nothing and so has no score.
 * @param {import('./scope.js').LogitScope['result']} result
 */
function tellable({ trace, ...result }) {
  return {
    ...result,
    score: null,
    complete: result.finish_reason !== null,
    ...figureReport(trace),
  };
}

/** An answer, whatever happens. @param {() => Promise<Answer>} work @returns {Promise<Answer>} */
async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    const { code, message } = await detailOf(toFault(error));
    return refuse(code, message);
  }
}

/** @param {import('./scope.js').LogitScope} scope */
export function answerHost(scope) {
  const { parent } = window;
  /** What waits, in its order. @type {Asked[]} */
  const waiting = [];
  let working = false;
  /** The gates that the engine judged last, and what it said. */
  let judged = { gates: '{}', refused: /** @type {any[]} */ ([]) };

  /** @param {string} type @param {object} detail @param {string} [origin] */
  function tell(type, detail, origin = '*') {
    parent.postMessage({ type: `logitscope:${type}`, ...detail }, origin);
  }

  /** @param {PageState} state */
  async function refusedGates({ settings }) {
    const asked = gatesOf(settings);
    const gates = dataKind(asked) === 'plain' ? JSON.stringify(asked) : '';
    if (!gates || gates !== judged.gates)
      judged = { gates, refused: await scope.refused(settings) };
    return judged.refused;
  }

  /** The error of what stands, where it cannot be read. @returns {Promise<Answer | null>} */
  async function refused() {
    if (!scope.fault) return null;
    const { code, message } = await detailOf(scope.fault);
    return refuse(code, message);
  }

  /**
   * A state with what a message sets.
   * @param {PageState} state
   * @param {any} message
   * @returns {Promise<PageState | Answer>}
   */
  async function merge(state, message) {
    const { state: patch, dropped } = checkState(message, scope.table, scope.info?.vocab_size);
    if (patch) dropped.push(...(await refusedGates(patch)));
    if (dropped.length > 0) return refuse('invalid_setting', sayDropped(dropped));
    if (!patch) return refuse('invalid_argument', t('host.empty'));
    const { prompt = state.prompt } = patch;
    return {
      ...state,
      ...(prompt === state.prompt ? {} : { branch: [], compare_prompt: null }),
      ...patch,
      settings: message.settings === undefined ? state.settings : patch.settings,
    };
  }

  /** Takes over all messages that set something, up to the next of another kind. */
  async function takeSets() {
    const sets = [];
    while (waiting[0]?.kind === 'set') sets.push(/** @type {Asked} */ (waiting.shift()));
    await setAll(sets);
  }

  /**
   * Sets what messages ask for at once; one by one where the engine refuses what they make together.
   * @param {Asked[]} sets
   */
  async function setAll(sets) {
    let state = scope.state;
    const before = state;
    /** @type {Asked[]} */
    const good = [];
    for (const asked of sets) {
      const merged = await merge(state, asked.message);
      if ('detail' in merged) asked.answer(/** @type {Answer} */ (merged));
      else {
        state = /** @type {PageState} */ (merged);
        good.push(asked);
      }
    }
    if (!good.length) return;
    const done = await attempt(async () => {
      await scope.restore(state);
      return (await refused()) ?? { type: 'state', detail: scope.state };
    });
    if (done.type === 'error') {
      await attempt(async () => (await scope.restore(before), done));
      if (good.length > 1) {
        for (const one of good) await setAll([one]);
        return;
      }
    }
    for (const { answer } of good) answer(done);
  }

  async function work() {
    if (working) return;
    working = true;
    for (let next = waiting[0]; next; next = waiting[0]) {
      if (next.kind === 'set' && scope.ready) {
        await takeSets();
        continue;
      }
      waiting.shift();
      next.answer(await attempt(() => answerOne(next)));
    }
    working = false;
  }

  /** @param {Asked} asked @returns {Promise<Answer>} */
  async function answerOne({ kind, message }) {
    if (!scope.ready) return refuse('closed', t('host.early'));
    if (kind === 'get') return { type: 'state', detail: scope.state };
    if (kind !== 'step')
      return refuse('invalid_argument', t('host.unknown', { type: show(message.type) }));
    const why = await refused();
    if (why) return why;
    await scope.step();
    return { type: 'result', detail: tellable(scope.result) };
  }

  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || typeof data !== 'object' || data === null) return;
    if (typeof data.type !== 'string' || !data.type.startsWith('logitscope:')) return;
    const id = ['string', 'number'].includes(typeof data.id) ? { id: data.id } : {};
    const to = origin === 'null' ? '*' : origin;
    waiting.push({
      kind: data.type.slice('logitscope:'.length),
      message: data,
      answer: ({ type, detail }) => tell(type, { ...detail, ...id }, to),
    });
    work();
  });

  if (scope.ready) tell('ready', { info: scope.info });
  /** @param {string} name @param {(detail: any) => void} listener */
  const hear = (name, listener) =>
    scope.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail));
  hear('logit-ready', (detail) => tell('ready', detail));
  hear('logit-change', () => tell('state', scope.state));
  hear('logit-error', (detail) => tell('error', detail));
  hear('logit-step', ({ id, text, p, p_raw, rank, u, position }) =>
    tell('step', { token: { id, text, p, p_raw, rank, u, position } }),
  );
  hear('logit-result', (result) => tell('result', tellable(result)));
}
