/**
 * Finds the Python that runs submissions: the one of `--python`, else that of the active virtual environment, else
 * the first `python3` in PATH. It runs once outside the jail, to tell its version and folders.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { UsageError } from './flags.js';

/**
 * @typedef {object} Interpreter
 * @property {string} program
 * @property {string} version
 * @property {string[]} sees paths outside /usr that Python reads
 * @property {string | null} site the folder of the user's packages, which -I hides; null if none
 */

// -E ignores PYTHONPATH, which could name other folders.
const ASKED = ['-E', '-c'];
// Do not import from the current folder: it may have a file json.py.
const QUESTION = `
import sys
sys.path.pop(0)
import json, os, site
user = site.getusersitepackages() if site.ENABLE_USER_SITE else None
print(json.dumps({
    "program": sys.executable,
    "version": sys.version.split()[0],
    "roots": [sys.prefix, sys.base_prefix],
    "site": user if user and os.path.isdir(user) else None,
}))
`;
const LEAST = [3, 8];

/** @param {string} file */
const isProgram = (file) => existsSync(file) && statSync(file).isFile();

/** @param {string | undefined} chosen by --python @returns {string} */
function programOf(chosen) {
  const { VIRTUAL_ENV, PATH = '' } = process.env;
  if (chosen !== undefined) {
    if (!isProgram(chosen)) throw new UsageError(`--python: ${JSON.stringify(chosen)} is no file`);
    return resolve(chosen);
  }
  if (VIRTUAL_ENV) {
    const own = join(VIRTUAL_ENV, 'bin', 'python3');
    if (isProgram(own)) return own;
    throw new UsageError(`VIRTUAL_ENV names ${JSON.stringify(VIRTUAL_ENV)}, which has no python3`);
  }
  const folders = [...PATH.split(delimiter).filter(Boolean), '/usr/bin'];
  const found = folders.map((folder) => join(folder, 'python3')).find(isProgram);
  if (!found) throw new UsageError('there is no python3 in PATH: --python names one');
  return found;
}

/** For each Python: its version and folders. @type {Map<string, string>} */
const asked = new Map();

/** Asks a Python for its version and folders, once. @param {string} program */
function askProgram(program) {
  const known = asked.get(program);
  if (known) return known;
  const { stdout, status } = spawnSync(program, [...ASKED, QUESTION], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  if (status !== 0) throw new UsageError(`${JSON.stringify(program)} does not run Python 3`);
  asked.set(program, stdout);
  return stdout;
}

/**
 * Returns a path, and the paths to which its symbolic links lead.
 * @param {string} path
 * @returns {string[]}
 */
function pathAndTargets(path) {
  const isLink = existsSync(path) && lstatSync(path).isSymbolicLink();
  return isLink ? [path, ...pathAndTargets(resolve(dirname(path), readlinkSync(path)))] : [path];
}

/** @param {string} [chosen] by --python @returns {Interpreter} */
export function findPython(chosen) {
  const named = programOf(chosen);
  const { program, version, roots, site } = JSON.parse(askProgram(named));
  const [major, minor] = version.split('.').map(Number);
  if (major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1])) {
    throw new UsageError(
      `${JSON.stringify(named)} is Python ${version}: ${LEAST.join('.')} or later is needed`,
    );
  }
  const folders = roots.flatMap((/** @type {string} */ root) => [root, realpathSync(root)]);
  const parts = folders.flatMap((/** @type {string} */ root) =>
    ['bin', 'lib', 'lib64', 'pyvenv.cfg'].map((part) => join(root, part)),
  );
  const all = [...parts, ...pathAndTargets(program), ...(site ? [site, realpathSync(site)] : [])];
  const inside = (/** @type {string} */ path) =>
    ['/usr', ...all].some((folder) => path.startsWith(`${folder}/`));
  const sees = [...new Set(all)].filter((path) => existsSync(path) && !inside(path));
  return { program, version, site, sees };
}
