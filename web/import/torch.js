/**
 * Reads files of torch.save: the ZIP archive that PyTorch writes since 1.6, and the older format, several pickles in
 * a row. The elements of a tensor are read on demand.
 */
import { phrase } from '../engine/errors.js';
import { u64, viewOf } from './byte-file.js';
import { bad, named, unsupported } from './faults.js';
import { Global, TorchTensor } from './pickle-globals.js';
import { endedEarly, readPickle, readPickleAt } from './pickle.js';
import { SIZES, sourceTensor } from './tensor.js';

/** @import { ByteFile } from './byte-file.js' */
/** @import { ZipEntry } from './zip.js' */

/** Limit for a pickle in bytes. It has names and shapes, but no weights. */
const MOST_PICKLE = 1 << 26;
/** Number of bytes that are read first of a file in the older format. */
const FIRST_READ = 1 << 18;
/** The magic number at the start of the older format. */
const MAGIC = 0x1950a86a20f9469cfc6cn;
const OLD_PROTOCOL = 1001;
const MOST_STORAGES = 1 << 16;

/** The elements of one or more tensors. */
class Storage {
  /** @type {(from: number, to: number) => Promise<Uint8Array>} */
  read = () => Promise.reject(new Error('no place'));
  /** Number of elements between the start of the whole storage and this part; older format only. */
  first = 0;

  /** @param {string} key @param {string} type @param {number} length in elements */
  constructor(key, type, length) {
    this.key = key;
    this.type = type;
    this.length = length;
  }
}

/**
 * Returns a function that makes the storage of a persistent id, or finds the one that it made before.
 * @param {Map<string, Storage>} storages by key and type
 */
const storagesOf = (storages) => (/** @type {any} */ id) => {
  if (!Array.isArray(id) || id[0] !== 'storage' || !(id[1] instanceof Global)) return undefined;
  const [, { type }, key, , length, view] = id;
  if (!type || !['string', 'number'].includes(typeof key)) return undefined;
  if (!Number.isSafeInteger(length) || length < 0) return undefined;
  const name = `${key} ${type} ${length}`;
  let storage = storages.get(name);
  if (!storage) {
    if (storages.size === MOST_STORAGES) return undefined;
    storage = new Storage(String(key), type, length);
    storages.set(name, storage);
  }
  return view === undefined || view === null ? storage : viewOfStorage(storage, view);
};

/**
 * Makes a part of a storage: PyTorch 0.4 saves storages that share memory in this way.
 * @param {Storage} root @param {any} view
 */
function viewOfStorage(root, view) {
  const [, first, length] = Array.isArray(view) ? view : [];
  if (![first, length].every((n) => Number.isSafeInteger(n) && n >= 0)) return undefined;
  if (first + length > root.length) return undefined;
  const part = new Storage(root.key, root.type, length);
  part.first = first;
  const size = SIZES[root.type];
  part.read = (from, to) => root.read(first * size + from, first * size + to);
  return part;
}

/**
 * @param {ByteFile} file
 * @param {Map<string, ZipEntry>} entries
 * @returns {Promise<any>} the object that was saved; its tensors are TorchTensor
 */
export async function readTorchZip(file, entries) {
  const name = [...entries.keys()].find((each) => /^[^/]*\/data\.pkl$/.test(each)) ?? 'data.pkl';
  const pickle = entries.get(name);
  if (!pickle) throw bad(file.name, 'torch_no_pickle');
  const folder = name.slice(0, -'data.pkl'.length);
  if (entries.has(`${folder}constants.pkl`)) throw unsupported(file.name, 'torch_script');
  for (const entry of entries.values())
    if (!entry.stored)
      throw unsupported(file.name, 'zip_entry', {
        name: named(entry.name),
        trouble: phrase('entry_deflated'),
      });
  const order = entries.get(`${folder}byteorder`);
  if (order && new TextDecoder().decode(await order.read(0, Math.min(order.size, 6))) !== 'little')
    throw unsupported(file.name, 'torch_order');
  if (pickle.size > MOST_PICKLE)
    throw bad(file.name, 'torch_pickle', { n: pickle.size, limit: MOST_PICKLE });
  /** @type {Map<string, Storage>} */
  const storages = new Map();
  const persistent = storagesOf(storages);
  const value = readPickle(await pickle.read(), { name: file.name, persistent });
  for (const storage of storages.values()) {
    const entry = entries.get(`${folder}data/${storage.key}`);
    if (!entry) throw bad(file.name, 'torch_missing', { name: named(storage.key) });
    checkLength(file, storage, entry.size);
    storage.read = entry.read;
  }
  return value;
}

/** @param {ByteFile} file @param {Storage} storage @param {number} bytes */
function checkLength(file, { key, type, length }, bytes) {
  if (length * SIZES[type] === bytes) return;
  throw bad(file.name, 'torch_storage', {
    name: named(key),
    n: bytes,
    limit: length * SIZES[type],
  });
}

/**
 * Reads the first pickle of a file. If it is the magic number of the older format, reads the rest of the file too.
 * @param {ByteFile} file
 * @returns {Promise<any>} the pickled object
 */
export async function readTorchPickles(file) {
  for (let size = FIRST_READ; ; size *= 8) {
    const most = Math.min(size, file.size, MOST_PICKLE);
    const bytes = await file.read(0, most);
    try {
      return await readOld(file, bytes);
    } catch (error) {
      if (!endedEarly(error) || most === file.size) throw error;
      if (most === MOST_PICKLE)
        throw bad(file.name, 'torch_pickle', { n: file.size, limit: MOST_PICKLE });
    }
  }
}

/** @param {ByteFile} file @param {Uint8Array} bytes the head of the file */
async function readOld(file, bytes) {
  const name = file.name;
  const magic = readPickleAt(bytes, 0, { name });
  if (magic.value !== MAGIC) {
    if (magic.end !== file.size)
      throw bad(name, 'pickle', { n: magic.end, trouble: phrase('pickle_rest') });
    return magic.value;
  }
  const protocol = readPickleAt(bytes, magic.end, { name });
  if (protocol.value !== OLD_PROTOCOL)
    throw unsupported(name, 'torch_protocol', { version: named(protocol.value) });
  const system = readPickleAt(bytes, protocol.end, { name });
  if (!(system.value instanceof Map) || system.value.get('little_endian') !== true)
    throw unsupported(name, 'torch_order');
  /** @type {Map<string, Storage>} */
  const storages = new Map();
  const persistent = storagesOf(storages);
  const saved = readPickleAt(bytes, system.end, { name, persistent });
  const keys = readPickleAt(bytes, saved.end, { name });
  await placeStorages(file, storages, keys.value, keys.end);
  return saved.value;
}

/**
 * Finds the position of each storage after the pickles. In the file, a storage is its number of elements (8 bytes)
 * and the elements.
 * @param {ByteFile} file
 * @param {Map<string, Storage>} storages
 * @param {any} keys their order in the file
 * @param {number} at
 */
async function placeStorages(file, storages, keys, at) {
  /** @type {Map<string, Storage>} */
  const byKey = new Map();
  for (const storage of storages.values()) {
    if (byKey.has(storage.key)) throw bad(file.name, 'torch_twice', { name: named(storage.key) });
    byKey.set(storage.key, storage);
  }
  for (const key of Array.isArray(keys) ? keys.slice(0, MOST_STORAGES + 1) : []) {
    const storage = byKey.get(typeof key === 'number' ? String(key) : key);
    if (!storage) throw bad(file.name, 'torch_missing', { name: named(key) });
    byKey.delete(storage.key);
    const length = u64(viewOf(await file.read(at, at + 8)), 0);
    const size = SIZES[storage.type];
    checkLength(file, storage, length * size);
    const start = at + 8;
    storage.read = (from, to) => file.read(start + from, start + to);
    at = start + length * size;
    if (at > file.size) throw bad(file.name, 'import_cut', { n: file.size, limit: at });
  }
  for (const key of byKey.keys()) throw bad(file.name, 'torch_missing', { name: named(key) });
}

/**
 * Returns a tensor of PyTorch after a check that it lies within its storage.
 * @param {string} file
 * @param {string} name
 * @param {TorchTensor} tensor
 */
export function tensorOfTorch(file, name, { storage, offset, shape, strides }) {
  if (!(storage instanceof Storage))
    throw bad(file, 'import_tensor', { name: named(name), trouble: phrase('place_storage') });
  const { type, length, read } = storage;
  return sourceTensor({ file, name, type, shape, strides, offset, length, bytes: read });
}
