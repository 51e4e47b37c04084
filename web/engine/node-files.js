/** Reads files in Node, with plain reasons when a file is not readable. */
import { createReadStream, promises as fs } from 'node:fs';

/** Bytes of one read. */
export const CHUNK = 1 << 20;

/** @param {string} path @returns {import('./split-file.js').Part & { size: number }} */
export const partOfPath = (path, size = 0) => ({
  size,
  read: (start) => createReadStream(path, { start, highWaterMark: CHUNK }),
});

/** Common error codes in plain words. @type {Record<string, (path: string) => string>} */
const REASONS = {
  ENOENT: (path) => `there is no file ${path}`,
  ENOTDIR: (path) => `there is no file ${path}`,
  EISDIR: (path) => `${path} is a folder`,
  EACCES: (path) => `${path} may not be read`,
};

/**
 * An error with a plain reason if its code is known; otherwise the same error.
 * @param {string} path
 * @param {any} error
 */
export const readFault = (path, error) =>
  REASONS[error?.code] ? new Error(REASONS[error.code](path), { cause: error }) : error;

/** The file at a path; throws an Error with the reason if not readable. @param {string} path */
export async function openFile(path) {
  try {
    const stat = await fs.stat(path);
    if (stat.isDirectory()) throw new Error(REASONS.EISDIR(path));
    await fs.access(path, fs.constants.R_OK);
    return partOfPath(path, stat.size);
  } catch (error) {
    throw readFault(path, error);
  }
}
