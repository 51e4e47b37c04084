/**
 * Limits for a submission as a whole: the memory of all its processes, with shared mappings counted once, and
 * the number of processes. A systemd scope enforces them in the kernel. Without systemd, this file polls
 * /proc.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { refusal } from '../grade/reasons.js';

/** Most processes and threads; Node itself has a dozen. */
const TASKS = 256;
/** The interval between polls, in ms: a process can write 1 or 2 GB per second. */
const EVERY = 25;

/** True if the system lists its processes. LOGITSCOPE_NO_WATCH makes it false. */
export const canWatch = () => !process.env.LOGITSCOPE_NO_WATCH && existsSync('/proc/self/status');

/** @returns {number[]} empty if this process can open no more files */
function processes() {
  try {
    return readdirSync('/proc').map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

/** @param {string} path @returns {string} empty if the process has ended or is not readable */
function read(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Returns the sum of the numbers that a pattern finds. @param {string} text @param {RegExp} pattern */
const sumOf = (text, pattern) =>
  [...text.matchAll(pattern)].reduce((sum, [, number]) => sum + Number(number), 0);

/**
 * Returns the memory of a process in kB. The second method counts a shared page once per process, so it gives
 * an upper bound.
 */
const pagesOf = (/** @type {number} */ pid) =>
  sumOf(read(`/proc/${pid}/smaps_rollup`), /^Pss_(?:Anon|Shmem): +(\d+)/gm) ||
  residentOf(read(`/proc/${pid}/status`));
const residentOf = (/** @type {string} */ status) => sumOf(status, /^Rss(?:Anon|Shmem):\s+(\d+)/gm);

/** A process and all its descendants. */
class Tree {
  #ours;
  /** Processes that are not in the tree and are not read again. @type {Set<number>} */
  #others = new Set();

  /** @param {number} root */
  constructor(root) {
    this.#ours = new Set([root]);
  }

  /** The ids of the tree's running processes. */
  get pids() {
    return this.#ours;
  }

  look() {
    const running = new Set(processes());
    if (!running.size) return;
    for (const known of [this.#ours, this.#others])
      for (const pid of known) if (!running.has(pid)) known.delete(pid);
    const unknown = [...running].filter((pid) => !this.#ours.has(pid) && !this.#others.has(pid));
    const parents = unknown.map((pid) => {
      // The name in the text before may contain any character, even a parenthesis.
      const [, parent] = /.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`)) ?? [];
      return { pid, parent: Number(parent) };
    });
    for (let found = true; found; ) {
      const more = parents.filter(
        ({ pid, parent }) => !this.#ours.has(pid) && this.#ours.has(parent),
      );
      for (const { pid } of more) this.#ours.add(pid);
      found = more.length > 0;
    }
    for (const pid of unknown) if (!this.#ours.has(pid)) this.#others.add(pid);
  }
}

/**
 * Watches a process and its descendants. Calls `onexcess` when they exceed a limit.
 * @param {number | undefined} root
 * @param {number} megabytes
 * @param {(why: import('../grade/tested-function.js').Answer) => void} onexcess
 * @returns {{ kill: () => void }} kill ends all these processes
 */
export function watch(root, megabytes, onexcess) {
  if (root === undefined || !canWatch()) return { kill() {} };
  const tree = new Tree(root);
  const look = () => {
    tree.look();
    const pids = [...tree.pids];
    const statuses = pids.map((pid) => read(`/proc/${pid}/status`));
    const tasks = statuses.reduce((sum, status) => sum + sumOf(status, /^Threads:\s+(\d+)/gm), 0);
    if (tasks > TASKS) return onexcess(refusal('tasks', { limit: TASKS }));
    const most = 1024 * megabytes;
    if (statuses.reduce((sum, status) => sum + residentOf(status), 0) <= most) return;
    const held = pids.reduce((sum, pid) => sum + pagesOf(pid), 0);
    if (held > most) onexcess(refusal('memory', { limit: megabytes }));
  };
  const timer = setInterval(look, EVERY);
  timer.unref();
  return {
    kill() {
      clearInterval(timer);
      tree.look();
      for (const pid of tree.pids) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {} // the process has ended already
      }
    },
  };
}

/**
 * Returns the command prefix that runs a program in a new systemd scope with both limits. Returns null
 * without systemd or if systemd does not support the limits.
 * @param {number} megabytes
 * @returns {{ words: string[], env: Record<string, string> } | null}
 */
export function findScope(megabytes) {
  if (!existsSync('/run/systemd/system')) return null;
  const { XDG_RUNTIME_DIR = '', DBUS_SESSION_BUS_ADDRESS = '' } = process.env;
  const env = { XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS };
  const limits = { MemoryMax: megabytes * 2 ** 20, MemorySwapMax: 0, TasksMax: TASKS };
  const words = [
    ...['systemd-run', '--scope', '--quiet', '--collect'],
    ...(process.getuid?.() === 0 ? [] : ['--user']),
    ...Object.entries(limits).flatMap(([name, value]) => ['-p', `${name}=${value}`]),
    ...['--', 'env', '-i'],
  ];
  const asked =
    'cd "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)" && cat memory.max pids.max';
  const [first, ...rest] = [...words, '/bin/sh', '-c', asked];
  const { stdout } = spawnSync(first, rest, { env, encoding: 'utf8', timeout: 10_000 });
  return stdout === `${limits.MemoryMax}\n${TASKS}\n` ? { words, env } : null;
}
