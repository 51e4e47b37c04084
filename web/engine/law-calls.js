/** `law` of an engine in a worker, with its signal and progress: `askLaw` in the page, the other calls in the worker. */
import { checkFunction, checkSignal } from './checks.js';
import { LogitscopeError } from './errors.js';

/** @import { Law, LawOptions } from './law-types.js' */
/** @import { Settings } from './types.js' */

/** Names the laws of this thread. */
let last = 0;

/**
 * @param {import('./remote.js').RemoteLogitscope} remote
 * @param {string | ArrayLike<number>} prompt
 * @param {Settings} [settings]
 * @param {LawOptions} [options]
 * @returns {Promise<Law>}
 */
export async function askLaw(remote, prompt, settings, options) {
  const { signal, onprogress, ...sent } = options ?? {};
  checkSignal(signal);
  checkFunction('onprogress', onprogress);
  if (signal?.aborted) throw new LogitscopeError('cancelled', 'law_cancelled');
  const key = ++last;
  const law = remote.request('lawCall', 'start', key, prompt, settings, sent);
  const stop = () => void remote.request('lawCall', 'stop', key).catch(() => {}); // already ended
  signal?.addEventListener('abort', stop);
  if (onprogress) watch(remote, key, onprogress).catch(() => {}); // `law` has the error
  try {
    return await law;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** @param {import('./remote.js').RemoteLogitscope} remote @param {number} key @param {NonNullable<LawOptions['onprogress']>} tell */
async function watch(remote, key, tell) {
  for (;;) {
    const progress = await remote.request('lawCall', 'watch', key);
    if (!progress) return;
    tell(progress);
  }
}

/**
 * The laws that run in this worker. `tell` answers a `watch`; null at the end.
 * @type {Map<number, { abort: AbortController, tell: (progress: { share: number } | null) => void }>}
 */
const running = new Map();

/**
 * @param {import('./logitscope.js').Logitscope} scope
 * @param {number} key
 * @param {string | ArrayLike<number>} prompt
 * @param {Settings} settings
 * @param {LawOptions} options
 */
async function start(scope, key, prompt, settings, options) {
  const abort = new AbortController();
  const its = { abort, tell: (/** @type {{ share: number } | null} */ _) => {} };
  running.set(key, its);
  try {
    const onprogress = (/** @type {{ share: number }} */ progress) => its.tell(progress);
    return await scope.law(prompt, settings, { ...options, signal: abort.signal, onprogress });
  } finally {
    running.delete(key);
    its.tell(null);
  }
}

/**
 * Answers a call of `askLaw`. A `watch` resolves at the next progress; with null once the law has ended.
 * @param {any} scope
 * @param {'start' | 'watch' | 'stop'} action
 * @param {number} key
 * @param {...any} law prompt, settings and options
 */
export function lawCall(scope, action, key, ...law) {
  if (action === 'start') return start(scope, key, .../** @type {[any, any, any]} */ (law));
  const its = running.get(key);
  if (action === 'stop') return its?.abort.abort();
  if (!its) return null;
  return new Promise((resolve) => (its.tell = resolve));
}
