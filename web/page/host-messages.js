/**
 * The page inside a frame and the page around it: messages { type: 'logitscope:…' }, taken from the
 * parent only. It may ask 'get', 'set' and 'step'; it hears 'ready', 'state', 'step', 'result' and
 * 'error'. A malformed message changes nothing and is answered by an error of one sentence.
 */
import { sayDropped } from './dropped.js';
import { checkState } from '../state/page-state.js';
import { t } from '../locale/locale.js';

const FIELDS = ['type', 'id', 'prompt', 'settings', 'seed', 'branch'];

/** @param {import('./scope.js').LogitScope} scope */
export function answerHost(scope) {
  const { parent } = window;

  /** @param {string} type @param {object} detail @param {string} [origin] */
  function tell(type, detail, origin = '*') {
    parent.postMessage({ type: `logitscope:${type}`, ...detail }, origin);
  }

  /** What a message asks for. @param {any} message @returns {Promise<[string, object]>} */
  async function answer(message) {
    const kind = message.type.slice('logitscope:'.length);
    /** @param {string} code @param {string} sentence @returns {[string, object]} */
    const refuse = (code, sentence) => ['error', { code, message: sentence }];
    if (!scope.ready) return refuse('closed', t('host.early'));
    if (kind === 'get') return ['state', scope.state];
    if (kind === 'step') {
      await scope.step();
      return ['result', scope.result];
    }
    if (kind !== 'set')
      return refuse('invalid_argument', t('host.unknown', { type: message.type }));
    const extra = Object.keys(message).filter((name) => !FIELDS.includes(name));
    const { state, dropped } = checkState(message, scope.table, scope.info?.vocab_size);
    for (const part of extra) dropped.push({ part, why: 'unknown', minimum: 0, maximum: 0 });
    if (state) dropped.push(...(await scope.refused(state.settings)));
    if (dropped.length > 0) return refuse('invalid_setting', sayDropped(dropped));
    if (!state) return refuse('invalid_argument', t('host.empty'));
    const { settings, branch } = scope.state;
    const same = state.prompt === undefined || state.prompt === scope.state.prompt;
    await scope.restore({
      ...(same ? { branch } : {}),
      ...state,
      settings: message.settings === undefined ? settings : state.settings,
    });
    return ['state', scope.state];
  }

  addEventListener('message', async ({ source, origin, data }) => {
    if (source !== parent || typeof data !== 'object' || data === null) return;
    if (typeof data.type !== 'string' || !data.type.startsWith('logitscope:')) return;
    const [type, detail] = await answer(data);
    const id = ['string', 'number'].includes(typeof data.id) ? { id: data.id } : {};
    tell(type, { ...detail, ...id }, origin === 'null' ? '*' : origin);
  });

  if (scope.ready) tell('ready', { info: scope.info });
  /** @param {string} name @param {(detail: any) => void} listener */
  const hear = (name, listener) =>
    scope.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail));
  hear('logit-ready', (detail) => tell('ready', detail));
  hear('logit-change', () => tell('state', scope.state));
  hear('logit-error', (detail) => tell('error', detail));
  hear('logit-step', ({ id, text, p, p_raw, rank, u, position }) => {
    tell('step', { token: { id, text, p, p_raw, rank, u, position } });
    if (scope.result.finish_reason) tell('result', scope.result);
  });
}
