/**
 * Stores fetched model files in the browser, by address, so that the next visit need not fetch them.
 * If the browser has the origin's private file system, an interrupted fetch can continue; else the
 * Cache API stores complete files only. While one tab fetches a file, no other tab stores it. Each
 * time a file is read, its checksum is compared. If a fetch was interrupted, the bytes after the last
 * recorded checksum are fetched again.
 */

import { LogitscopeError } from './errors.js';
import { HUB, addressOf, partNames } from './model-names.js';
import { Checksum } from './checksum.js';

/** @import { Part } from './split-file.js' */
/** @import { RangeFile } from './range-file.js' */

/**
 * Writes a fetched file into a store. If the store fails, the fetch continues without storing.
 * @typedef {object} Keeper
 * @property {string} where the store's name in the progress
 * @property {number} length number of the file's first bytes already in the store
 * @property {string} sum checksum of these bytes
 * @property {((start: number) => AsyncIterable<Uint8Array>) | null} read reads these bytes; null
 *   if the store cannot
 * @property {(bytes: Uint8Array, sum: Checksum) => unknown} write writes the next bytes; `sum`
 *   already includes them
 * @property {(state: 'whole' | 'part' | 'wrong', sum: Checksum) => unknown} end closes the
 *   store: 'whole' keeps the complete file, 'part' keeps the beginning if the store can, 'wrong' removes
 *   the file
 *
 * @typedef {Part & { sum: string }} Kept
 *
 * @typedef {object} Store
 * @property {(address: string) => Promise<Kept | null>} find returns the complete file, or null
 * @property {(address: string, file: RangeFile) => Promise<Keeper | string>} begin returns a
 *   Keeper, or the reason why the file cannot be kept
 * @property {(address: string) => Promise<unknown>} remove removes the file unless it is being
 *   fetched
 *
 * The record of a file: `sum` is the checksum of its first `length` bytes.
 * @typedef {{ address: string, size: number | null, tag: string | null, length: number, sum: string }} About
 * @typedef {{ address: string, bytes: number, size: number | null, whole: boolean }} Listed
 */

const FOLDER = 'logitscope';
const ABOUT = '.json';
/** Number of bytes that are read from a blob at once. */
const CHUNK = 1 << 22;
/**
 * The checksum of the file so far is recorded after each such number of bytes. If the tab is closed
 * during a fetch, at most this many bytes must be fetched again.
 */
export const STRIDE = 1 << 23;
/** Length of the checksum text that follows a file's bytes in the Cache API. */
const TRAILER = 64;

/** @param {string} address */
async function keyOf(address) {
  const sum = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(address));
  return Array.from(new Uint8Array(sum, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}

/**
 * Locks a name among all tabs. Returns a function that releases the lock; null if another tab has
 * the lock.
 * @param {string} name
 * @returns {Promise<(() => void) | null>}
 */
function lockName(name) {
  if (!navigator.locks) return Promise.resolve(() => {});
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`${FOLDER} ${name}`, { ifAvailable: true }, (lock) => {
        if (!lock) return resolve(null);
        return new Promise((release) => resolve(() => release(undefined)));
      })
      .catch(reject);
  });
}

/**
 * Opens the folder for models in the origin's private file system; null if the browser has none.
 * @returns {Promise<FileSystemDirectoryHandle | null>}
 */
async function openFolder() {
  try {
    const top = await navigator.storage.getDirectory();
    return await top.getDirectoryHandle(FOLDER, { create: true });
  } catch {
    return null;
  }
}

/** @returns {Promise<Cache | null>} */
async function openCache() {
  try {
    return await caches.open(FOLDER);
  } catch {
    return null;
  }
}

/** @param {Blob} blob @returns {Part} */
export const partOfBlob = (blob) => ({
  size: blob.size,
  async *read(start) {
    for (let at = start; at < blob.size; at += CHUNK)
      yield new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
  },
});

/** @param {FileSystemDirectoryHandle} folder @param {string} key @returns {Promise<About | null>} */
async function readAbout(folder, key) {
  try {
    const file = await (await folder.getFileHandle(key + ABOUT)).getFile();
    return aboutOf(await file.text());
  } catch {
    return null;
  }
}

/** Parses a record; null if it is damaged. @param {string} text @returns {About | null} */
export function aboutOf(text) {
  const about = JSON.parse(text);
  const { address, length, sum } = about;
  const sound = typeof address === 'string' && Number.isSafeInteger(length) && length >= 0;
  return sound && typeof sum === 'string' ? about : null;
}

/** True if a stored file is complete. @param {About} about its record @param {File | null} file */
const isWhole = ({ size, length }, file) => length > 0 && length === size && file?.size === size;

/** @param {FileSystemDirectoryHandle} folder @param {string} key @returns {Promise<File | null>} */
async function readFile(folder, key) {
  return folder.getFileHandle(key).then(
    (handle) => handle.getFile(),
    () => null,
  );
}

/** @param {FileSystemDirectoryHandle} folder @param {string} key */
async function removeFile(folder, key) {
  await folder.removeEntry(key).catch(() => {});
  await folder.removeEntry(key + ABOUT).catch(() => {});
}

/**
 * Opens a handle that writes in place; only workers have such handles.
 * @param {FileSystemDirectoryHandle} folder
 * @param {string} name
 */
async function openHandle(folder, name) {
  const handle = /** @type {any} */ (await folder.getFileHandle(name, { create: true }));
  return handle.createSyncAccessHandle();
}

/** @param {FileSystemDirectoryHandle} folder @param {string} key @param {About} about */
async function writeAbout(folder, key, about) {
  const handle = await openHandle(folder, key + ABOUT);
  try {
    handle.truncate(handle.write(new TextEncoder().encode(JSON.stringify(about)), { at: 0 }));
    handle.flush();
  } finally {
    handle.close();
  }
}

/**
 * @param {FileSystemDirectoryHandle} folder
 * @param {string} key
 * @param {About} about
 * @param {() => void} release
 * @returns {Promise<Keeper>}
 */
async function keepInFolder(folder, key, about, release) {
  const before = await readAbout(folder, key);
  const same = before && about.tag && before.tag === about.tag && before.size === about.size;
  if (!same) await removeFile(folder, key);
  const handle = await openHandle(folder, key);
  let noted = same && before.length <= handle.getSize() ? before : about;
  let { length } = noted;
  const note = async (/** @type {Checksum} */ sum) => {
    handle.flush();
    noted = { ...about, length, sum: sum.text };
    await writeAbout(folder, key, noted);
  };
  try {
    handle.truncate(length);
    await writeAbout(folder, key, noted);
  } catch (error) {
    handle.close(); // before removeFile, since an open file cannot be removed
    await removeFile(folder, key);
    throw error;
  }
  return {
    where: 'device',
    length,
    sum: noted.sum,
    async *read(start) {
      for (let at = start; at < length; ) {
        const piece = new Uint8Array(Math.min(1 << 20, length - at));
        at += handle.read(piece, { at });
        yield piece;
      }
    },
    async write(bytes, sum) {
      const written = handle.write(bytes, { at: length });
      length += written;
      if (written < bytes.length) throw new DOMException('', 'QuotaExceededError');
      if (length - noted.length >= STRIDE) await note(sum);
    },
    async end(state, sum) {
      let lost = state === 'wrong';
      try {
        if (!lost && sum.length === length) await note(sum);
      } catch {
        lost = true; // the disk is full
      }
      handle.close();
      if (lost) await removeFile(folder, key);
      release();
    },
  };
}

/**
 * @param {Cache} cache
 * @param {About} about
 * @param {() => void} release
 * @returns {Keeper}
 */
function keepInCache(cache, { address, size, tag }, release) {
  const { readable, writable } = new TransformStream();
  const writer = writable.getWriter();
  const headers = { 'x-size': String(size), 'x-tag': tag ?? '' };
  const put = cache.put(address, new Response(readable, { headers }));
  put.catch((error) => writer.abort(error).catch(() => {}));
  return {
    where: 'cache',
    length: 0,
    sum: new Checksum().text,
    read: null,
    write: (bytes) => writer.write(bytes.slice()),
    async end(state, sum) {
      try {
        if (state === 'whole') {
          await writer.write(new TextEncoder().encode(sum.text.padEnd(TRAILER)));
          await writer.close();
        } else await writer.abort();
        await put;
      } catch {
        await cache.delete(address);
      } finally {
        release();
      }
    },
  };
}

/** @type {Store} */
export const store = {
  async find(address) {
    const folder = await openFolder();
    if (folder) {
      const key = await keyOf(address);
      const [about, file] = await Promise.all([readAbout(folder, key), readFile(folder, key)]);
      if (about && file && isWhole(about, file)) return { ...partOfBlob(file), sum: about.sum };
    }
    const response = await (await openCache())?.match(address);
    if (!response) return null;
    const blob = await response.blob();
    const size = Number(response.headers.get('x-size'));
    if (blob.size !== size + TRAILER) return null;
    const sum = (await blob.slice(size).text()).trim();
    return { ...partOfBlob(blob.slice(0, size)), sum };
  },

  async begin(address, { size, tag }) {
    if (size === null) return 'unsized';
    const about = { address, size, tag, length: 0, sum: new Checksum().text };
    const folder = await openFolder();
    const cache = folder ? null : await openCache();
    if (!folder && !cache) return 'none';
    const { quota = Infinity, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
    const key = folder ? await keyOf(address) : address;
    const there = folder ? ((await readFile(folder, key))?.size ?? 0) : 0;
    if (size - there > quota - usage) return 'quota';
    const release = await lockName(key);
    if (!release) return 'busy';
    try {
      if (folder) return await keepInFolder(folder, key, about, release);
    } catch {
      // This thread has no access handles, or another tab has the file open: try the other store.
    }
    const other = cache ?? (await openCache());
    if (other) return keepInCache(other, about, release);
    release();
    return 'none';
  },

  remove: removeKept,
};

/** Lists all stored files, also incomplete ones. @returns {Promise<Listed[]>} */
export async function listKept() {
  /** @type {Listed[]} */
  const found = [];
  const folder = await openFolder();
  if (folder) {
    for await (const name of /** @type {any} */ (folder).keys()) {
      if (!name.endsWith(ABOUT)) continue;
      const key = name.slice(0, -ABOUT.length);
      const [about, file] = await Promise.all([readAbout(folder, key), readFile(folder, key)]);
      if (!about) continue;
      const { address, size, length } = about;
      const bytes = Math.min(length, file?.size ?? 0);
      found.push({ address, bytes, size, whole: isWhole(about, file) });
    }
  }
  const cache = await openCache();
  for (const { url } of (await cache?.keys()) ?? []) {
    const size = Number((await cache?.match(url))?.headers.get('x-size'));
    found.push({ address: url, bytes: size, size, whole: true });
  }
  return found.sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** True if every part of a model is stored completely. @param {string} model a name or address */
export async function isKept(model) {
  const kept = await listKept();
  return partNames(addressOf(model) ?? '').every((address) =>
    kept.some((each) => each.whole && each.address === address),
  );
}

/**
 * Throws unless a model is stored completely, for a caller that must not fetch it.
 * @param {string} model a name or address
 */
export async function needKept(model) {
  if (await isKept(model)) return;
  const { host } = new URL(addressOf(model) ?? HUB);
  throw new LogitscopeError('load_failed', 'far_unasked', { host });
}

/** Removes a stored file. If a tab is fetching it, returns false. @param {string} address */
export async function removeKept(address) {
  const folder = await openFolder();
  const key = folder ? await keyOf(address) : address;
  const release = await lockName(key);
  if (!release) return false;
  if (folder) await removeFile(folder, key);
  await (await openCache())?.delete(address);
  release();
  return true;
}
