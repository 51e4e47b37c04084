/**
 * The engines of the page: elements over the same model share one worker and one download, each
 * with timelines of its own.
 */
import { RemoteLogitscope } from '../engine/remote.js';
import { assets } from './assets.js';
import { MODELS } from './models.js';

/**
 * @typedef {string | URL | ArrayBuffer | Uint8Array | File | null} Model an address, bytes, a file,
 *   or null for an engine without a model
 * @typedef {(progress: { loaded: number, total: number }) => void} OnProgress
 * @typedef {{ ready: Promise<RemoteLogitscope>, release: () => void }} Lease
 *
 * @typedef {object} Shared
 * @property {Promise<RemoteLogitscope>} engine
 * @property {RemoteLogitscope} [loaded] the engine, once it is there
 * @property {number} users
 * @property {Set<OnProgress>} listeners
 */

/** By variant, then by model. @type {Map<string, Map<unknown, Shared>>} */
const all = new Map();

/**
 * @param {string} variant
 * @returns {Map<unknown, Shared>}
 */
function sharedOf(variant) {
  const shared = all.get(variant) ?? new Map();
  all.set(variant, shared);
  return shared;
}

/**
 * An engine over `model`, loaded at the first call and closed when the last lease is released.
 * A load that failed is forgotten, so that the next call tries again.
 * @param {Model} model
 * @param {OnProgress} [onprogress]
 * @param {'auto' | 'scalar' | 'simd' | 'relaxed'} [variant] the inner loops
 * @returns {Lease}
 */
export function lease(model, onprogress, variant = 'auto') {
  const shared = sharedOf(variant);
  const far = typeof model === 'string' && !assets.inside.has(model);
  const base = MODELS.some((offer) => offer.model === model) ? assets.base : document.baseURI;
  const key = far ? new URL(model, base).href : model;
  /** @type {Shared} */
  const entry = shared.get(key) ?? open(key, variant);
  entry.users++;
  if (onprogress) entry.listeners.add(onprogress);
  let held = true;
  return {
    ready: entry.engine,
    release() {
      if (!held) return;
      held = false;
      if (onprogress) entry.listeners.delete(onprogress);
      if (--entry.users > 0) return;
      if (shared.get(key) === entry) shared.delete(key);
      entry.engine.then((engine) => engine.close()).catch(() => {}); // the user heard of it already
    },
  };
}

/** Whether an engine is on its way or has not answered yet. */
export function enginesBusy() {
  const held = [...all.values()].flatMap((shared) => [...shared.values()]);
  return held.some(({ loaded }) => loaded?.busy ?? true);
}

/**
 * @param {any} key
 * @param {any} variant
 * @returns {Shared}
 */
function open(key, variant) {
  const shared = sharedOf(variant);
  /** @type {Set<OnProgress>} */
  const listeners = new Set();
  const engine = load(key, variant, (progress) => {
    for (const listener of listeners) listener(progress);
  });
  /** @type {Shared} */
  const entry = { engine, users: 0, listeners };
  shared.set(key, entry);
  engine.then(
    (loaded) => (entry.loaded = loaded),
    () => shared.get(key) === entry && shared.delete(key),
  );
  return entry;
}

/** @param {any} key @param {any} variant @param {OnProgress} onprogress */
async function load(key, variant, onprogress) {
  const { inside, wasm, relaxed, worker } = assets;
  return RemoteLogitscope.load({
    ...(key === null ? {} : { model: inside.get(key) ?? key }),
    variant,
    wasm,
    relaxed,
    worker: typeof worker === 'function' ? await worker() : worker,
    onprogress: /** @type {any} */ (onprogress),
  });
}
