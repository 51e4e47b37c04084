/**
 * Finds the submissions of a class: a folder with a file or a folder for each learner. Every learner gets a row; a
 * row without a submission has the reason.
 */
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { KINDS, kindOf } from './submission.js';

/** @typedef {'kind' | 'several' | 'none' | 'special' | 'closed'} Unread */

/**
 * A learner's submission, or the reason why there is none.
 * @typedef {object} Submitted
 * @property {string} name
 * @property {string} [file]
 * @property {string} [within] the learner's folder; the submission may read it
 * @property {{ code: Unread, what: string }} [unread]
 */

/** Most levels of subfolders that are searched, because unpacked archives often add some. */
const DEEPEST = 4;
/** Most file names in a reason. */
const LISTED = 5;

/** Returns true for files that operating systems and programs create, such as .DS_Store. @param {string} name */
const isLitter = (name) =>
  name.startsWith('.') ||
  ['__MACOSX', '__pycache__', 'node_modules', 'Thumbs.db', 'desktop.ini'].includes(name);

/** @param {string} folder */
const entriesOf = (folder) =>
  readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !isLitter(name));

/** @param {string} file @param {number} mode */
function isAllowed(file, mode) {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the files of a folder by depth: its own files first, then those of its subfolders.
 * @param {string} folder
 * @param {number} [depth]
 * @returns {string[][]} index: the depth, from 0
 */
function filesIn(folder, depth = 0) {
  const entries = entriesOf(folder);
  const files = entries.filter((it) => it.isFile()).map((it) => join(folder, it.name));
  const folders = depth < DEEPEST ? entries.filter((it) => it.isDirectory()) : [];
  const below = folders.map(({ name }) => filesIn(join(folder, name), depth + 1));
  const deepest = Math.max(0, ...below.map(({ length }) => length));
  const rest = Array.from({ length: deepest }, (_, at) => below.flatMap((it) => it[at] ?? []));
  return [files, ...rest];
}

/** True for a file that can be graded. @param {string} file @param {boolean} stdio */
const canRun = (file, stdio) =>
  KINDS.includes(kindOf(file)) || (stdio && isAllowed(file, constants.X_OK));

/**
 * Returns the submission in one learner's folder.
 * @param {string} name
 * @param {string} at the folder's whole path
 * @param {{ stdio?: boolean }} [options] stdio: true if a program in any language may be a submission
 * @returns {Submitted}
 */
export function submissionOf(name, at, { stdio = false } = {}) {
  if (!isAllowed(at, constants.R_OK | constants.X_OK)) {
    return { name, unread: { code: 'closed', what: '' } };
  }
  const all = filesIn(at);
  const graded = all.map((files) => files.filter((it) => canRun(it, stdio)));
  const found = graded.find(({ length }) => length) ?? [];
  const main = found.length > 1 ? found.filter((it) => /(^|\/)sampler\.\w+$/i.test(it)) : found;
  if (main.length === 1) return { name, file: main[0], within: at };
  const candidates = found.length ? found : all.flat();
  const shown = candidates.slice(0, LISTED).map((it) => it.slice(at.length + 1));
  const what = [...shown, ...(candidates.length > LISTED ? ['…'] : [])].join(', ');
  return { name, unread: { code: found.length ? 'several' : 'none', what } };
}

/**
 * @param {string} folder
 * @param {{ stdio?: boolean }} [options]
 * @returns {Submitted[]} sorted by name
 */
export function submissionsIn(folder, { stdio = false } = {}) {
  return entriesOf(folder)
    .map((entry) => {
      const { name } = entry;
      const file = resolve(folder, name);
      const row = { name };
      /** @type {(code: Unread, what?: string) => Submitted} */
      const without = (code, what = '') => ({ ...row, unread: { code, what } });
      if (entry.isDirectory()) return submissionOf(name, file, { stdio });
      // A link is refused, because it could point to the file of another learner or of the teacher.
      if (!entry.isFile()) return without('special');
      if (!canRun(file, stdio)) return without('kind', extname(name) || name);
      if (!isAllowed(file, constants.R_OK)) return without('closed');
      return { ...row, file };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param {string} file */
export const isFolder = (file) => statSync(file).isDirectory();
