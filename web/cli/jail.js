/**
 * Where a submission runs: within limits, and where the system has bwrap or unshare, with a root of
 * its own: no network, nothing to write to, and no more to read than what runs it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIMITS = fileURLToPath(new URL('limits.sh', import.meta.url));
const JAIL = fileURLToPath(new URL('jail.sh', import.meta.url));
/** What programs need of a system, its symbolic links among them. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/etc/alternatives'];
const DEVICES = ['/dev/null', '/dev/urandom', '/dev/random', '/dev/zero'];
/** Processor time of one process, in s: calls have their own limit by the clock. */
const SECONDS = 600;

/** @param {string} program @returns {string | null} where it is */
export function find(program) {
  const folders = ['/usr/bin', '/bin', ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.map((folder) => join(folder, program)).find(existsSync);
  return found ?? null;
}

/**
 * Words before a program that run it shut off.
 * @typedef {(given: { folder: string, sees: string[] }) => string[]} Wrap `folder` is an empty one of
 *   its own; `sees` are the paths that it may read beside the system's
 */

/** Where it runs: an empty folder beside no path that it sees. */
const HERE = '/run/submission';

/** @type {Record<string, (program: string) => Wrap>} the best first */
const KINDS = {
  bwrap:
    (program) =>
    ({ sees }) => [
      program,
      ...['--unshare-all', '--die-with-parent', '--new-session'],
      ...[...SYSTEM, ...sees].flatMap((path) => ['--ro-bind-try', path, path]),
      ...['--proc', '/proc', '--dev', '/dev', '--dir', '/tmp'],
      ...['--dir', HERE, '--remount-ro', '/', '--chdir', HERE, '--'],
    ],
  unshare:
    (program) =>
    ({ folder, sees }) => [
      program,
      ...['--user', '--map-root-user', '--net', '--ipc', '--mount', '--pid', '--fork'],
      ...['--kill-child', '--', '/bin/sh', JAIL, folder, HERE],
      ...[...SYSTEM, ...DEVICES, ...sees, '--'],
    ],
};

/** Words before a program that run it within limits. @param {number} megabytes */
export const limited = (megabytes) => ['/bin/sh', LIMITS, String(1024 * megabytes), `${SECONDS}`];

/**
 * What there is on this system: { name, wrap }, null for none; LOGITSCOPE_NO_JAIL is as if there were none.
 * @param {string} folder an empty one
 */
export function findJail(folder) {
  if (process.env.LOGITSCOPE_NO_JAIL) return null;
  for (const [name, kind] of Object.entries(KINDS)) {
    const program = find(name);
    if (!program) continue;
    const wrap = kind(program);
    const [first, ...rest] = [...limited(64), ...wrap({ folder, sees: [] }), '/bin/sh', '-c', ':'];
    const { status } = spawnSync(first, rest, { env: {}, stdio: 'ignore', timeout: 10_000 });
    if (status === 0) return { name, wrap };
  }
  return null;
}

/**
 * The paths that a program itself is read from.
 * @param {string} program
 */
export function homeOf(program) {
  const file = realpathSync(program);
  // Node and Python keep what they need in the folder above that of the program.
  return file.startsWith('/usr/') ? [] : [dirname(dirname(file)), program];
}
