/**
 * The engines of the page. Elements with the same model share a worker and a download; each has its own timelines.
 */
import { RemoteLogitscope } from '../engine/remote.js';
import { assets } from './assets.js';
import { farAddress, isUnasked } from './hosts.js';
import { MODELS } from './models.js';

/**
 * @typedef {string | URL | ArrayBuffer | Uint8Array | File | File[] | null} Model an address, a name on
 *   the hub, bytes, a file, all parts of a split file, or null for an engine without a model
 *
 * The progress that the engine reports, in bytes; `where` is "file" for the user's own file.
 * @typedef {{ loaded: number, total: number, where?: string }} Progress
 * @typedef {(progress: Progress) => void} OnProgress
 * @typedef {{ ready: Promise<RemoteLogitscope>, release: () => void, cancel: () => void }} Lease
 *
 * `context` is the length of a session in tokens, null for the engine's default; `variant` chooses
 * the module with the engine's inner loops.
 * @typedef {{ onprogress?: OnProgress, context?: number | null,
 *   variant?: 'auto' | 'scalar' | 'simd' | 'relaxed' }} Options
 *
 * @typedef {object} Shared
 * @property {Promise<RemoteLogitscope>} engine
 * @property {() => Promise<RemoteLogitscope>} load opens another engine
 * @property {RemoteLogitscope} [loaded] the engine, once it is open
 * @property {number} users
 * @property {Set<OnProgress>} listeners
 * @property {AbortController} control
 */

/**
 * Sources of a model that need no network. A model from these sources that has at most SMALL_BYTES loads without a
 * progress bar.
 */
const LOCAL = ['there', 'file'];
const SMALL_BYTES = 32e6;
/** Least time between two reports of progress, in ms. More reports would block the page. */
const TELL_MS = 100;

/**
 * All engines by two keys: first the variant and context, then the model.
 * @type {Map<string, Map<unknown, Shared>>}
 */
const all = new Map();

/**
 * @param {Options} options
 * @returns {Map<unknown, Shared>}
 */
function sharedOf({ variant = 'auto', context = null }) {
  const key = `${variant} ${context}`;
  const shared = all.get(key) ?? new Map();
  all.set(key, shared);
  return shared;
}

/**
 * Leases the engine of a model. The first lease loads it; when the last lease is released, it is closed. `cancel`
 * ends the load for all leases. After a failure, the next call tries again. An engine that does not answer is
 * replaced.
 * @param {Model} model
 * @param {Options} [options]
 * @returns {Lease}
 */
export function lease(model, options = {}) {
  const { onprogress } = options;
  const shared = sharedOf(options);
  const far = typeof model === 'string' && !assets.inside.has(model);
  const base = MODELS.some((offer) => offer.model === model) ? assets.base : document.baseURI;
  const key = far ? new URL(model, base).href : model;
  const known = shared.get(key);
  const entry = known ?? openEngine(key, options);
  if (known) known.engine = known.engine.then((engine) => answering(engine, known));
  entry.users++;
  if (onprogress) entry.listeners.add(onprogress);
  let held = true;
  return {
    ready: entry.engine,
    cancel() {
      if (entry.loaded) return;
      entry.control.abort();
      if (shared.get(key) === entry) shared.delete(key);
    },
    release() {
      if (!held) return;
      held = false;
      if (onprogress) entry.listeners.delete(onprogress);
      if (--entry.users > 0) return;
      entry.control.abort();
      if (shared.get(key) === entry) shared.delete(key);
      entry.engine.then((engine) => engine.close()).catch(() => {}); // the loading code reports a failure
    },
  };
}

/** Returns true for files of the user. @param {unknown} model */
const isOwn = (model) => [model].flat().every((part) => part instanceof File);

/** True for a model that may be no GGUF file: a file of the user or a name of the hub. @param {any} model */
export const mayConvert = (model) => isOwn(model) || model?.startsWith?.('hub:');

/** Returns true if a load needs a progress bar. @param {Progress | null} progress */
export function isSlow(progress) {
  const { where, total = 0 } = progress ?? {};
  return where !== undefined && (!LOCAL.includes(where) || total > SMALL_BYTES);
}

export function openModels() {
  const keys = [...all.values()].flatMap((shared) => [...shared.keys()]);
  return keys.filter((key) => typeof key === 'string');
}

export function enginesBusy() {
  const held = [...all.values()].flatMap((shared) => [...shared.values()]);
  return held.some(({ loaded }) => loaded?.busy ?? true);
}

/**
 * Returns the engine, or a new one if its worker has failed.
 * @param {RemoteLogitscope} engine @param {Shared} entry
 */
async function answering(engine, entry) {
  try {
    await engine.random(0, 0);
    return engine;
  } catch {
    engine.close().catch(() => {}); // ignore errors: it has failed already
    return entry.load();
  }
}

/**
 * @param {any} key
 * @param {Options} options
 * @returns {Shared}
 */
function openEngine(key, options) {
  const shared = sharedOf(options);
  /** @type {Set<OnProgress>} */
  const listeners = new Set();
  const control = new AbortController();
  let told = 0;
  const ofReader = isOwn(key);
  const tell = (/** @type {Progress} */ progress) => {
    const now = performance.now();
    if (now - told < TELL_MS && progress.loaded < progress.total) return;
    told = now;
    for (const listener of listeners)
      listener(ofReader ? { ...progress, where: 'file' } : progress);
  };
  const entry = /** @type {Shared} */ ({ users: 0, listeners, control });
  entry.load = () => {
    entry.loaded = undefined;
    const engine = load(key, options, tell, control.signal);
    engine.then(
      (loaded) => (entry.loaded = loaded),
      () => shared.get(key) === entry && shared.delete(key),
    );
    return engine;
  };
  entry.engine = entry.load();
  shared.set(key, entry);
  return entry;
}

/** @param {any} key @param {Options} options @param {OnProgress} onprogress @param {AbortSignal} signal */
async function load(key, { variant = 'auto', context = null }, onprogress, signal) {
  const { inside, wasm, simd, relaxed, worker } = assets;
  if (isUnasked(key)) await (await import('../engine/browser-store.js')).needKept(key);
  const source = await assets.openSource?.(key, signal);
  const files = mayConvert(key) ? await import('./own-model.js') : null;
  const model = inside.get(key) ?? (await files?.readable(key, { signal, onprogress })) ?? key;
  return RemoteLogitscope.load({
    ...(source ? { source } : key === null ? {} : { model }),
    ...(context === null ? {} : { context }),
    variant,
    wasm,
    simd,
    relaxed,
    keep: Boolean(farAddress(key)),
    signal,
    supersede: true,
    worker: typeof worker === 'function' ? await worker() : worker,
    onprogress: /** @type {any} */ (onprogress),
  });
}
