/** Files that Node reads, and why one cannot be read. */
import { createReadStream, promises as fs } from 'node:fs';

/** Bytes read at once. */
export const CHUNK = 1 << 20;

/** @param {string} path @returns {import('./split-file.js').Part & { size: number }} */
export const partOfPath = (path, size = 0) => ({
  size,
  read: (start) => createReadStream(path, { start, highWaterMark: CHUNK }),
});

/** What users meet of the system's reasons, in plain words. @type {Record<string, (path: string) => string>} */
const REASONS = {
  ENOENT: (path) => `there is no file ${path}`,
  ENOTDIR: (path) => `there is no file ${path}`,
  EISDIR: (path) => `${path} is a folder`,
  EACCES: (path) => `${path} may not be read`,
};

/** An error of the system in plain words, where there are any. @param {string} path @param {any} error */
export const readFault = (path, error) =>
  REASONS[error?.code] ? new Error(REASONS[error.code](path), { cause: error }) : error;

/** The file at a path; throws an Error that says why it cannot be read. @param {string} path */
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
