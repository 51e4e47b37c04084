/**
 * Keeps files for the command line, under ~/.cache/logitscope or XDG_CACHE_HOME. The checksum of a
 * complete file is in a file `.sum` beside it. An unfinished file ends in `.part`; its record is in
 * a file `.json`.
 */
import { createReadStream, promises as fs, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CHUNK, partOfPath } from './node-files.js';
import { STRIDE, aboutOf } from './browser-store.js';
import { Checksum } from './checksum.js';

/** @import { Store, About } from './browser-store.js' */

/** Time within which a process writes its process number into a new lock, in ms. */
const WRITING = 100;
/**
 * Time between two updates of a lock's date, in ms. After ten times as long without an update, the
 * lock has no owner.
 */
const TOUCH = 30_000;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** The path under which the file of an address is kept. @param {string} address */
export function pathOf(address) {
  const { host, pathname, search } = new URL(address);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const names = pathname.slice(1).split('/');
  const file = names.pop() + encodeURIComponent(search);
  return join(cache, 'logitscope', host.replace(':', '_'), ...names, file);
}

/** @param {string} path */
const sizeOf = (path) =>
  fs.stat(path).then(
    ({ size }) => size,
    () => null,
  );

/** The record of an unfinished file; null if the record is damaged. @param {string} path */
async function readAbout(path) {
  try {
    return aboutOf(await fs.readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Paths of this process's locks. @type {Set<string>} */
const locks = new Set();

const dropLocks = () => locks.forEach((path) => rmSync(path, { force: true }));

/**
 * Removes the locks on a signal, then ends the process unless the program handles the signal.
 * @param {NodeJS.Signals} signal
 */
function onSignal(signal) {
  dropLocks();
  process.off(signal, onSignal);
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

/** @param {'on' | 'off'} how */
function listen(how) {
  process[how]('exit', dropLocks);
  for (const signal of SIGNALS) process[how](signal, onSignal);
}

/**
 * Locks a file against other processes; returns a function that releases the lock. Null if another
 * process has the lock. Locks of dead processes are removed.
 * @param {string} path
 */
async function lockFile(path) {
  for (let tries = 0; tries < 2; tries++) {
    try {
      return takeLock(path);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      let owner = await ownerOf(path);
      if (!owner) {
        await wait(WRITING);
        owner = await ownerOf(path);
      }
      if (owner && isAlive(owner) && (await isTouched(path))) return null;
      await fs.rm(path, { force: true });
    }
  }
  return null;
}

/**
 * Creates a lock, updates its date regularly, and removes it when the process ends. The signal
 * handlers are installed before the lock exists, so that no signal leaves a lock behind.
 * @param {string} path
 */
function takeLock(path) {
  const isFirst = !locks.size;
  if (isFirst) listen('on');
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (isFirst) listen('off');
    throw error;
  }
  locks.add(path);
  const touch = () => fs.utimes(path, new Date(), new Date()).catch(() => {});
  const timer = setInterval(touch, TOUCH).unref();
  return async () => {
    clearInterval(timer);
    locks.delete(path);
    if (!locks.size) listen('off');
    await fs.rm(path, { force: true });
  };
}

/**
 * True if a process still updates a lock's date. This detects a lock whose owner was killed and whose
 * process number now belongs to another process.
 * @param {string} path
 */
const isTouched = (path) =>
  fs.stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs < 10 * TOUCH,
    () => false,
  );

/** The process number in a lock; 0 if the lock is empty or missing. @param {string} path */
const ownerOf = async (path) => Number(await fs.readFile(path, 'utf8').catch(() => ''));

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Opens the `.part` of a file to append bytes; returns null if the disk has no room.
 * @param {string} path
 * @param {About} fresh the record of an empty file
 * @param {() => Promise<void>} release
 * @returns {Promise<import('./browser-store.js').Keeper | null>}
 */
async function openKeeper(path, fresh, release) {
  const [part, about] = [`${path}.part`, `${path}.json`];
  const { size, tag } = fresh;
  const before = await readAbout(about);
  const same = before && tag && before.tag === tag && before.size === size;
  let noted = fresh;
  if (same && before.length <= ((await sizeOf(part)) ?? 0)) noted = before;
  let { length } = noted;
  const { bavail, bsize } = await fs.statfs(dirname(path));
  if (size !== null && size - length > bavail * bsize) return null;
  const file = await fs.open(part, length ? 'r+' : 'w');
  await file.truncate(length);
  await fs.writeFile(about, JSON.stringify(noted));
  const note = async (/** @type {Checksum} */ sum) => {
    await file.datasync();
    noted = { ...fresh, length, sum: sum.text };
    await fs.writeFile(about, JSON.stringify(noted));
  };
  return {
    where: 'folder',
    length,
    sum: noted.sum,
    async *read(start) {
      if (start >= length) return;
      yield* createReadStream(part, { start, end: length - 1, highWaterMark: CHUNK });
    },
    async write(bytes, sum) {
      const { bytesWritten } = await file.write(bytes, 0, bytes.length, length);
      length += bytesWritten;
      if (bytesWritten < bytes.length) throw new Error('the disk is full');
      if (length - noted.length >= STRIDE) await note(sum);
    },
    async end(state, sum) {
      if (state === 'part' && sum.length === length) await note(sum);
      await file.close();
      if (state === 'whole') {
        await fs.writeFile(`${path}.sum`, sum.text);
        await fs.rename(part, path);
      }
      if (state === 'wrong') await fs.rm(part, { force: true });
      if (state !== 'part') await fs.rm(about, { force: true });
      await release();
    },
  };
}

/** @type {Store} */
export const store = {
  async find(address) {
    const path = pathOf(address);
    const size = await sizeOf(path);
    const sum = await fs.readFile(`${path}.sum`, 'utf8').catch(() => null);
    return size === null || sum === null ? null : { ...partOfPath(path, size), sum };
  },

  async begin(address, { size, tag }) {
    const path = pathOf(address);
    /** @type {Awaited<ReturnType<typeof lockFile>>} */
    let release;
    try {
      await fs.mkdir(dirname(path), { recursive: true });
      release = await lockFile(`${path}.lock`);
    } catch {
      return 'none';
    }
    if (!release) return 'busy';
    try {
      const keeper = await openKeeper(
        path,
        { address, size, tag, length: 0, sum: new Checksum().text },
        release,
      );
      if (!keeper) await release();
      return keeper ?? 'quota';
    } catch {
      await release();
      return 'none';
    }
  },

  async remove(address) {
    const path = pathOf(address);
    const release = await lockFile(`${path}.lock`);
    if (!release) return;
    await Promise.all(
      [path, `${path}.sum`, `${path}.part`, `${path}.json`].map((each) =>
        fs.rm(each, { force: true }),
      ),
    );
    await release();
  },
};
