/**
 * The temporary folder in which a submission runs. It has only the submission's file and the harness, no other file
 * of this package.
 */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HERE } from './jail.js';

const PREFIX = 'logitscope-grade-';
/** The files of the harness. None of them has a correct answer. */
const HARNESS = [
  'course.py',
  'harness.js',
  'harness.py',
  'node-process.js',
  'toy.js',
  'json-lines.js',
];
const GRADE = fileURLToPath(new URL('../grade', import.meta.url));
/** Limit for a submission in bytes; notebooks may have pictures. */
const LARGEST = 64 << 20;

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {any} */ (error).code === 'EPERM';
  }
}

/** Removes folders of graders that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : 0;
    if (!pid || isRunning(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {} // the folder of another user stays
  }
}

/** @type {Set<GraderFolder>} */
const open = new Set();
process.on('exit', () => open.forEach((folder) => void folder.close()));

export class GraderFolder {
  #at = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  /** Path of an empty folder that becomes the root folder of the jail. */
  root = join(this.#at, 'root');
  folder = join(this.#at, 'seen');

  constructor() {
    removeLeftovers();
    open.add(this);
    for (const name of ['root', 'seen', 'seen/empty', 'seen/file', 'seen/work', 'seen/harness'])
      mkdirSync(join(this.#at, name));
    const harness = join(this.folder, 'harness');
    for (const name of HARNESS) copyFileSync(join(GRADE, name), join(harness, name));
    writeFileSync(join(harness, 'package.json'), '{"type":"module"}');
  }

  /**
   * Copies a file into the folder, or makes its learner's whole folder visible. Returns the path in the jail, and the
   * folders to make visible.
   * @param {string} file
   * @param {string | undefined} within the learner's folder
   * @returns {{ path: string, sees: [string, string][] }}
   */
  put(file, within) {
    if (within)
      return { path: join('work', relative(within, file)), sees: [[within, `${HERE}/work`]] };
    const stats = statSync(file);
    if (!stats.isFile()) throw new Error('it is no file');
    if (stats.size > LARGEST) throw new Error(`it has ${stats.size} bytes, more than ${LARGEST}`);
    const path = join('file', basename(file));
    rmSync(join(this.folder, 'file'), { recursive: true });
    mkdirSync(join(this.folder, 'file'));
    copyFileSync(file, join(this.folder, path));
    chmodSync(join(this.folder, path), stats.mode | 0o400);
    return { path, sees: [] };
  }

  close() {
    open.delete(this);
    rmSync(this.#at, { recursive: true, force: true });
  }
}
