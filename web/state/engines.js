/**
 * The engines of the page. Elements that use the same model share one worker and one download, but
 * each element has its own timelines.
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

/** The values of `where` for sources without a network. A model of at most SMALL_BYTES from such a source gets no progress bar. */
const LOCAL = ['there', 'file'];
const SMALL_BYTES = 32e6;
/** The shortest time between two reports of progress, in ms; more frequent reports would block the page. */
const TELL_MS = 100;

/** The engines: the first key is variant and context, the second is the model. @type {Map<string, Map<unknown, Shared>>} */
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
 * Leases the engine for `model`. The first lease loads the engine; the release of the last lease
 * closes it. `cancel` ends the load for all its leases. After a failed load, the next call tries again.
 * An engine that no longer answers is replaced.
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
  const entry = known ?? open(key, options);
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
      entry.engine.then((engine) => engine.close()).catch(() => {}); // the failure was reported before
    },
  };
}

/** True for the user's own files. @param {unknown} model */
const isOwn = (model) => [model].flat().every((part) => part instanceof File);

/** @param {Model} model */
const readable = async (model) => (await import('./own-model.js')).readable(model);

/** True if a load is slow: not a small local model. @param {Progress | null} progress */
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

/** Returns the engine, or a new engine if its worker has failed. @param {RemoteLogitscope} engine @param {Shared} entry */
async function answering(engine, entry) {
  try {
    await engine.random(0, 0);
    return engine;
  } catch {
    engine.close().catch(() => {}); // it failed already
    return entry.load();
  }
}

/**
 * @param {any} key
 * @param {Options} options
 * @returns {Shared}
 */
function open(key, options) {
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
  const model = inside.get(key) ?? (isOwn(key) ? await readable(key) : key);
  return RemoteLogitscope.load({
    ...(key === null ? {} : { model }),
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
