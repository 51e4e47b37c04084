/** Reads files in Node; if a file is not readable, the error gives a plain reason. */
import { createReadStream, promises as fs } from 'node:fs';

/** Bytes of one read. */
export const CHUNK = 1 << 20;

/** @param {string} path @returns {import('./split-file.js').Part & { size: number }} */
export const partOfPath = (path, size = 0) => ({
  size,
  read: (start) => createReadStream(path, { start, highWaterMark: CHUNK }),
});

/** Plain reasons for common error codes. @type {Record<string, (path: string) => string>} */
const REASONS = {
  ENOENT: (path) => `there is no file ${path}`,
  ENOTDIR: (path) => `there is no file ${path}`,
  EISDIR: (path) => `${path} is a folder`,
  EACCES: (path) => `${path} may not be read`,
};

/**
 * Returns an error with a plain reason if the error's code is known, else the error unchanged.
 * @param {string} path
 * @param {any} error
 */
export const readFault = (path, error) =>
  REASONS[error?.code] ? new Error(REASONS[error.code](path), { cause: error }) : error;

/** Opens the file at a path; throws an Error with the reason if it is not readable. @param {string} path */
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
