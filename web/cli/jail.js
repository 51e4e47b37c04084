/**
 * Runs a submission in a jail. The jail sets limits. If the system has bwrap or unshare, it also has its own root
 * folder: without network, without writable folders, and with no files except those that the program needs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIMITS = fileURLToPath(new URL('limits.sh', import.meta.url));
const JAIL = fileURLToPath(new URL('jail.sh', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** Files that any program may need, such as libraries. */
const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32'],
  ...['/etc/alternatives', '/etc/ld.so.cache'],
];
/**
 * Folders that submissions must not see, because they have correct implementations: this package and, perhaps, global
 * packages of Node.
 */
const HIDDEN = [PACKAGE, '/usr/lib/node_modules', '/usr/local/lib/node_modules'];
const DEVICES = ['/dev/null', '/dev/urandom', '/dev/random', '/dev/zero'];
/** Limit for the processor time of a process, in s. Calls also have a limit in real time. */
const SECONDS = 600;

/** @param {string} program @returns {string | null} its path */
function findProgram(program) {
  const folders = ['/usr/bin', '/bin', ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.map((folder) => join(folder, program)).find(existsSync);
  return found ?? null;
}

/** The submission's folder inside the jail. */
export const HERE = '/run/submission';

/**
 * Returns the command that runs a program in the jail.
 * @typedef {object} Seen
 * @property {string} root the path of an empty folder
 * @property {string} folder of the submission: its file, the harness, and an empty folder to run in
 * @property {[string, string][]} sees further readable paths, and their paths in the jail
 * @typedef {(seen: Seen) => string[]} Wrap
 */

/** @param {string} path @param {string} folder */
const isInside = (path, folder) => path === folder || path.startsWith(`${folder}/`);
/** @param {string} path */
const isLink = (path) => Boolean(lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());

/**
 * Returns the parts of the jail's root folder. A folder comes before its contents.
 * @typedef {[kind: 'BIND' | 'LINK' | 'HIDE', path: string, place: string]} Part
 * @param {[string, string][]} sees
 * @returns {Part[]}
 */
function partsOf(sees) {
  const all = [...SYSTEM.map((path) => [path, path]), ...sees];
  const shown = all.map(([, place]) => place).filter((place) => !isInside(place, HERE));
  const hidden = HIDDEN.filter(
    (path) => existsSync(path) && shown.some((it) => isInside(path, it)),
  );
  /** @type {Part[]} */
  const parts = all.map(([path, place]) => [isLink(path) ? 'LINK' : 'BIND', path, place]);
  for (const path of hidden) parts.push(['HIDE', path, path]);
  return parts.sort(([, , a], [, , b]) => a.length - b.length);
}

/** @param {string[]} more @returns {(program: string) => Wrap} */
const bwrap =
  (more) =>
  (program) =>
  ({ folder, sees }) => {
    const parts = partsOf([...sees, [folder, HERE]]);
    const hidden = parts.filter(([kind]) => kind === 'HIDE').map(([, , place]) => place);
    const words = (/** @type {Part} */ [kind, path, place]) =>
      kind === 'HIDE' ? ['--tmpfs', place] : ['--ro-bind-try', path, place];
    return [
      program,
      ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', ...more],
      ...parts.flatMap(words),
      ...['--proc', '/proc', '--dev', '/dev', '--dir', '/tmp'],
      ...[...hidden, '/proc', '/dev', '/'].flatMap((place) => ['--remount-ro', place]),
      ...['--chdir', `${HERE}/empty`, '--'],
    ];
  };

/** @type {(program: string) => Wrap} */
const unshare =
  (program) =>
  ({ root, folder, sees }) => {
    const devices = DEVICES.map((path) => /** @type {[string, string]} */ ([path, path]));
    const parts = partsOf([...devices, ...sees, [folder, HERE]]);
    return [
      ...['setpriv', '--pdeathsig', 'KILL', program],
      ...['--user', '--map-root-user', '--net', '--ipc', '--uts', '--mount', '--pid', '--fork'],
      ...['--kill-child', '--', '/bin/sh', JAIL, root, `${HERE}/empty`],
      ...[...parts.flat(), '--'],
    ];
  };

/**
 * Kinds of jails, the best first.
 * @type {[string, (program: string) => Wrap][]}
 */
const KINDS = [
  ['bwrap', bwrap(['--unshare-user', '--disable-userns'])],
  ['bwrap', bwrap([])],
  ['unshare', unshare],
];
// In a jail of bwrap, root could change the permissions of devices, so unshare is better.
if (process.getuid?.() === 0) KINDS.unshift(['unshare', unshare]);

/** Returns the command that runs a program with limits. @param {number} megabytes */
export const limited = (megabytes) => ['/bin/sh', LIMITS, String(1024 * megabytes), `${SECONDS}`];

/** @typedef {{ name: string, wrap: Wrap }} Jail */

/** The kind of jail that works here; null before it is known. @type {Jail | null} */
let working = null;

/**
 * Returns the best kind of jail that works on this system; null if none does, or if LOGITSCOPE_NO_JAIL is set.
 * @param {{ root: string, folder: string }} given
 * @returns {Jail | null}
 */
export function findJail(given) {
  if (process.env.LOGITSCOPE_NO_JAIL) return null;
  working ??= tryKinds(given);
  return working;
}

/** @param {{ root: string, folder: string }} given @returns {Jail | null} */
function tryKinds(given) {
  for (const [name, kind] of KINDS) {
    const program = findProgram(name);
    if (!program) continue;
    const wrap = kind(program);
    const [first, ...rest] = [
      ...limited(64),
      ...wrap({ ...given, sees: [] }),
      '/bin/sh',
      '-c',
      ':',
    ];
    const { status } = spawnSync(first, rest, { env: {}, stdio: 'ignore', timeout: 10_000 });
    if (status === 0) return { name, wrap };
  }
  return null;
}

/**
 * Returns the files outside the system's folders that Node needs: its program, and the libraries that this process
 * has open.
 * @returns {[string, string][]}
 */
export function homeOfNode() {
  const maps = existsSync('/proc/self/maps') ? readFileSync('/proc/self/maps', 'utf8') : '';
  const libraries = maps.match(/(?<= )\/\S+\.so[.\d]*$/gm) ?? [];
  const files = [process.execPath, realpathSync(process.execPath), ...libraries];
  const own = files.filter((file) => !SYSTEM.some((folder) => isInside(file, folder)));
  return [...new Set(own)].map((file) => [file, file]);
}
