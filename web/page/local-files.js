/**
 * Model files of the user: their record in the history, and opening them again. While the page is open, the files
 * stay in memory. For later visits, IndexedDB keeps handles of the files, if the browser has handles. Before it opens
 * one, the browser asks the user.
 */
import { handleOf } from '../state/files.js';

/** @typedef {{ key: string, name: string, size: number, count: number, context: number | null }} FileRecord */

/** Most models for which handles are kept. */
const MOST = 8;

/** Returns a new key. Later keys sort after earlier ones. */
export function newKey() {
  return `${Date.now()}-${Math.random().toString(36).slice(2, 8)}`;
}

/** The files that were opened since the page was loaded, by the key of their record. @type {Map<string, File[]>} */
const opened = new Map();

/**
 * Returns the data about files for a history entry; null if there are no files.
 * @param {File[]} files
 * @param {number | null} context
 * @returns {FileRecord | null}
 */
export function keepFile(files, context) {
  if (files.length === 0) return null;
  const known = [...opened].find(([, each]) => each.every((file, i) => file === files[i]));
  const key = known?.[0] ?? newKey();
  if (!known) {
    opened.set(key, files);
    keepHandles(key, files);
  }
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return { key, name: files[0].name, size, count: files.length, context };
}

/** Keeps files that the user has opened again. @param {FileRecord} kept @param {File[]} files */
export function foundAgain({ key }, files) {
  opened.set(key, files);
  keepHandles(key, files);
}

/**
 * Returns the files if this needs no question to the user; else null.
 * @param {FileRecord} kept
 * @returns {Promise<File[] | null>}
 */
export async function findFiles({ key }) {
  return opened.get(key) ?? (await readHandles(await findHandles(key), 'queryPermission'));
}

/**
 * Asks the user for permission and returns the files. Returns null if the user refuses or a file is gone.
 * @param {FileRecord} kept
 */
export async function askFiles({ key }) {
  return readHandles(await findHandles(key), 'requestPermission');
}

/** @param {any[] | null} handles @param {'queryPermission' | 'requestPermission'} ask */
async function readHandles(handles, ask) {
  if (!handles) return null;
  try {
    for (const handle of handles)
      if ((await handle[ask]({ mode: 'read' })) !== 'granted') return null;
    return /** @type {File[]} */ (await Promise.all(handles.map((handle) => handle.getFile())));
  } catch {
    return null; // a file cannot be read: it was moved or deleted
  }
}

/** @param {string} key @returns {Promise<any[] | null>} */
export async function findHandles(key) {
  const found = await inStore('readonly', (store) => store.get(key)).catch(() => null);
  return Array.isArray(found) ? found : null;
}

/** @param {string} key @param {File[]} files */
async function keepHandles(key, files) {
  const handles = await Promise.all(files.map(handleOf));
  if (!handles.every(Boolean)) return;
  try {
    await inStore('readwrite', (store) => store.put(handles, key));
    const keys = /** @type {string[]} */ (await inStore('readonly', (store) => store.getAllKeys()));
    const others = keys.filter((each) => each !== key).sort();
    for (const old of others.slice(0, 1 - MOST))
      await inStore('readwrite', (store) => store.delete(old));
  } catch {
    // Without storage (sandboxed frame, private window, full disk), <logit-reopen> asks for the file later.
  }
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} act
 * @returns {Promise<T>}
 */
async function inStore(mode, act) {
  const opening = indexedDB.open('logitscope', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('files');
  const base = await resultOf(opening);
  try {
    return await resultOf(act(base.transaction('files', mode).objectStore('files')));
  } finally {
    base.close();
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
