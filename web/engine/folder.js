/** Files that the command line keeps: in ~/.cache/logitscope, or under XDG_CACHE_HOME. */
import { createReadStream, promises as fs } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CHUNK, partOfPath } from './files.js';

/** @typedef {import('./kept.js').Store} Store */

/** How long a process may take to write into a lock that it has made, in ms. */
const WRITING = 100;

/** Where the file of an address lies. @param {string} address */
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

/** What is known of a file that was begun; null where that was not written to its end. @param {string} path */
async function readAbout(path) {
  try {
    return JSON.parse(await fs.readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Holds a file among all processes; one that is gone holds nothing. Null where another has it.
 * @param {string} path
 */
async function hold(path) {
  for (let tries = 0; tries < 2; tries++) {
    try {
      await fs.writeFile(path, String(process.pid), { flag: 'wx' });
      return () => fs.rm(path, { force: true });
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      const owner = (await ownerOf(path)) || (await wait(WRITING), await ownerOf(path));
      if (owner && isAlive(owner)) return null;
      await fs.rm(path, { force: true });
    }
  }
  return null;
}

/** Who wrote a lock, 0 while nothing is in it. @param {string} path */
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

/** @type {Store} */
export const store = {
  async find(address) {
    const path = pathOf(address);
    const size = await sizeOf(path);
    return size === null ? null : partOfPath(path, size);
  },

  async begin(address, { size, tag }) {
    const path = pathOf(address);
    const [part, about, lock] = [`${path}.part`, `${path}.json`, `${path}.lock`];
    /** @type {Awaited<ReturnType<typeof hold>>} */
    let release;
    try {
      await fs.mkdir(dirname(path), { recursive: true });
      release = await hold(lock);
    } catch {
      return 'none';
    }
    if (!release) return 'busy';
    try {
      const before = await readAbout(about);
      const same = tag && before?.tag === tag && before.size === size;
      const { bavail, bsize } = await fs.statfs(dirname(path));
      let length = (same && (await sizeOf(part))) || 0;
      if (size !== null && size - length > bavail * bsize) {
        await release();
        return 'quota';
      }
      const file = await fs.open(part, length ? 'r+' : 'w');
      await fs.writeFile(about, JSON.stringify({ address, size, tag }));
      return {
        where: 'folder',
        length,
        async *read(start) {
          if (start >= length) return;
          yield* createReadStream(part, { start, end: length - 1, highWaterMark: CHUNK });
        },
        async write(bytes) {
          await file.write(bytes, 0, bytes.length, length);
          length += bytes.length;
        },
        async end(state) {
          await file.close();
          if (state === 'whole') await fs.rename(part, path);
          if (state === 'wrong') await fs.rm(part, { force: true });
          if (state !== 'part') await fs.rm(about, { force: true });
          await release();
        },
      };
    } catch {
      await release();
      return 'none';
    }
  },

  async remove(address) {
    const path = pathOf(address);
    const release = await hold(`${path}.lock`);
    if (!release) return;
    await Promise.all(
      [path, `${path}.part`, `${path}.json`].map((each) => fs.rm(each, { force: true })),
    );
    await release();
  },
};
