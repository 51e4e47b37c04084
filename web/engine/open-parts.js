/**
 * Opens the sources that load.js cannot read: names of the hub, files of other hosts (kept for the
 * next visit if `keep` is true), paths in Node, and all parts of a split file.
 */
import { checkBoolean } from './checks.js';
import { LogitscopeError, mustBe, show } from './errors.js';
import { RangeFile, hubInNode, inNode } from './range-file.js';
import { addressOf, partNames } from './model-names.js';
import { Checksum } from './checksum.js';

/** @import { Part } from './split-file.js' */
/** @import { Store, Keeper } from './browser-store.js' */

/**
 * The state of a fetch. `told` is merged into each progress report: it tells where the files are
 * stored, null if unknown. `forget` removes the stored files.
 * @typedef {{ keep: boolean, signal?: AbortSignal, told: { where: string } | null, forget: () => Promise<unknown> }} Way
 */

/** @param {Way} way @returns {Promise<Store | null>} */
async function storeOf({ keep }) {
  if (!keep) return null;
  if (!inNode) return (await import('./browser-store.js')).store;
  return (await import('#node')).store;
}

/**
 * Makes a hash to check a file, if its host announced the SHA-256; else null. Browsers hide the
 * announcement, so this happens only in Node.
 * @param {string | null} expected
 */
async function makeSum(expected) {
  if (!expected || !inNode) return null;
  return (await import('#node')).createHash('sha256');
}

/**
 * Opens the kept copy of a file; without one, opens the file at its host.
 * @param {string} address
 * @param {Way} way
 * @returns {Promise<Part>}
 */
async function openRemotePart(address, way) {
  const store = await storeOf(way);
  const { forget } = way;
  way.forget = () => Promise.all([forget(), store?.remove(address).catch(() => {})]);
  const kept = await store?.find(address).catch(() => null);
  if (kept) {
    way.told ??= { where: 'there' };
    const { size } = kept;
    return { size, read: (start) => readKept(kept, start, () => store?.remove(address)) };
  }
  const file = await RangeFile.open(address, way);
  return { size: file.size, read: (start) => readRemote(address, file, store, way, start) };
}

/**
 * Yields a kept file from `start` on; throws at the end if its checksum is wrong.
 * @param {import('./browser-store.js').Kept} kept
 * @param {number} start
 * @param {() => unknown} remove
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* readKept(kept, start, remove) {
  const sum = new Checksum();
  for await (const chunk of kept.read(0)) {
    sum.add(chunk);
    const left = sum.length - start;
    if (left > 0) yield chunk.subarray(Math.max(0, chunk.length - left));
  }
  if (sum.text === kept.sum) return;
  await remove();
  throw new LogitscopeError('load_failed', 'kept_damaged');
}

/**
 * Yields a file of another host from `start` on. If the file is to be kept or hashed, it is read
 * from its first byte.
 * @param {string} address
 * @param {RangeFile} file
 * @param {Store | null} store
 * @param {Way} way
 * @param {number} start
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* readRemote(address, file, store, way, start) {
  const begun = (await store?.begin(address, file).catch(() => 'none')) ?? null;
  let keeper = /** @type {Keeper | null} */ (typeof begun === 'object' ? begun : null);
  const where = keeper?.where ?? /** @type {string | null} */ (begun);
  way.told = where ? { where } : null;
  const announced = await makeSum(file.sha256);
  const sum = new Checksum();
  const kept = keeper?.length ?? 0;
  let at = keeper || announced ? 0 : start;
  /** @type {Parameters<Keeper['end']>[0]} */
  let state = 'part';
  const leave = async () => {
    const left = keeper;
    keeper = null;
    await Promise.resolve(left?.end(state, sum)).catch(() => {});
  };
  try {
    for await (const chunk of bytesOf(file, keeper, at)) {
      const before = at;
      at += chunk.length;
      if (file.size !== null && at > file.size)
        throw new LogitscopeError('load_failed', 'load_length', { limit: file.size, n: at });
      announced?.update(chunk);
      if (keeper) sum.add(chunk);
      if (keeper && at === kept && sum.text !== keeper.sum) {
        state = 'wrong';
        throw new LogitscopeError('load_failed', 'kept_damaged');
      }
      if (keeper && at > kept) {
        try {
          await keeper.write(chunk, sum);
        } catch {
          way.told = { where: 'quota' };
          state = 'wrong';
          await leave();
        }
      }
      if (at > start) yield chunk.subarray(Math.max(0, start - before));
    }
    const got = announced?.digest('hex');
    if (got !== undefined && got !== file.sha256) {
      state = 'wrong';
      const values = { limit: String(file.sha256), value: got };
      throw new LogitscopeError('load_failed', 'far_sum', values);
    }
    state = 'whole';
  } finally {
    file.close();
    await leave();
  }
}

/**
 * Yields the beginning from the store if the store can read it, then the rest from the host.
 * @param {RangeFile} file
 * @param {Keeper | null} keeper
 * @param {number} start
 */
async function* bytesOf(file, keeper, start) {
  if (keeper?.read) yield* keeper.read(start);
  yield* file.read(Math.max(start, keeper?.length ?? 0));
}

/** @param {string} path @returns {Promise<Part>} */
async function openPath(path) {
  return (await import('#node')).openFile(path);
}

/**
 * @param {any} source
 * @param {Way} way
 * @returns {Promise<Part>}
 */
async function openPart(source, way) {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    source = new Blob([/** @type {BlobPart} */ (source)]);
  if (source instanceof Response) source = await source.blob();
  if (source instanceof Blob) return (await import('./browser-store.js')).partOfBlob(source);
  const text = String(source);
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text))
    return inNode ? openPath(text) : openRemotePart(text, way);
  if (!inNode || !text.startsWith('file:')) return openRemotePart(text, way);
  return openPath((await import('#node')).fileURLToPath(text));
}

/** The sources of a model: the addresses of all parts of a split file. @param {any} source */
function addressesOfParts(source) {
  if (typeof source !== 'string' && !(source instanceof URL)) return [source];
  const address = addressOf(String(source), hubInNode());
  if (address === null)
    throw new LogitscopeError('invalid_argument', 'hub_name', { value: show(source) });
  return partNames(address);
}

/** @param {unknown} source */
const isKnown = (source) =>
  typeof source === 'string' ||
  [URL, Response, ArrayBuffer, Blob].some((type) => source instanceof type) ||
  ArrayBuffer.isView(source);

/**
 * @param {string} what 'model' or 'wasm'
 * @param {any} source one source, or a list of all parts of one file
 * @param {{ keep?: boolean, signal?: AbortSignal }} [options]
 * @returns {Promise<import('./load.js').Stream>}
 */
export async function openParts(what, source, { keep = false, signal } = {}) {
  checkBoolean('keep', keep);
  const all = Array.isArray(source) ? source : [source];
  if (!all.length || !all.every(isKnown)) throw mustBe(what, 'a_source', source);
  /** @type {Way} */
  const way = { keep, signal, told: null, forget: async () => {} };
  const sources = all.flatMap(addressesOfParts);
  // Opens one part after another, since a browser allows few connections to a host.
  async function* opened() {
    for (const each of sources) yield await openPart(each, way);
  }
  try {
    if (sources.length > 1)
      return {
        ...(await (await import('./split-file.js')).joinParts(opened(), sources.length)),
        way,
      };
    const part = await openPart(sources[0], way);
    return { chunks: part.read(0), total: part.size, way };
  } catch (error) {
    if (/** @type {LogitscopeError} */ (error).code === 'bad_file') await way.forget();
    for (const each of all) if (each instanceof Response) each.body?.cancel().catch(() => {});
    throw error;
  }
}
