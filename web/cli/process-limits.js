/**
 * Limits the memory and the number of processes of a whole submission. Memory that several processes share counts
 * once. With systemd, the kernel enforces the limits; without it, this file reads /proc at intervals.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { refusal } from '../grade/reasons.js';

/** Most processes and threads; Node alone has a dozen. */
const TASKS = 256;
/** Interval between two readings of /proc, in ms: a process can fill 1 or 2 GB in a second. */
const EVERY = 25;

/** Returns true if the system has /proc and LOGITSCOPE_NO_WATCH is not set. */
export const canWatch = () => !process.env.LOGITSCOPE_NO_WATCH && existsSync('/proc/self/status');

/** @returns {number[]} empty if this process can open no more files */
function processIds() {
  try {
    return readdirSync('/proc').map(Number).filter(Boolean);
  } catch {
    return [];
  }
}

/** @param {string} path @returns {string} empty if the process has ended or is not readable */
function readText(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Returns the sum of all numbers that a pattern finds. @param {string} text @param {RegExp} pattern */
const sumOf = (text, pattern) =>
  [...text.matchAll(pattern)].reduce((sum, [, number]) => sum + Number(number), 0);

/**
 * Returns the memory of a process in kB. If the system has no smaps_rollup, memory that several processes share is
 * counted for each of them, which is too much.
 */
const pagesOf = (/** @type {number} */ pid) =>
  sumOf(readText(`/proc/${pid}/smaps_rollup`), /^Pss_(?:Anon|Shmem): +(\d+)/gm) ||
  residentOf(readText(`/proc/${pid}/status`));
const residentOf = (/** @type {string} */ status) => sumOf(status, /^Rss(?:Anon|Shmem):\s+(\d+)/gm);

/** A process with all processes that it has started. */
class Tree {
  #ours;
  /** Processes that do not belong to the tree, so that they are not read again. @type {Set<number>} */
  #others = new Set();

  /** @param {number} root */
  constructor(root) {
    this.#ours = new Set([root]);
  }

  /** Ids of the running processes of the tree. */
  get pids() {
    return this.#ours;
  }

  look() {
    const running = new Set(processIds());
    if (!running.size) return;
    for (const known of [this.#ours, this.#others])
      for (const pid of known) if (!running.has(pid)) known.delete(pid);
    const unknown = [...running].filter((pid) => !this.#ours.has(pid) && !this.#others.has(pid));
    const parents = unknown.map((pid) => {
      // The name in the text before may have any character, even a parenthesis.
      const [, parent] = /.*\) \S (\d+)/s.exec(readText(`/proc/${pid}/stat`)) ?? [];
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
 * Watches a process and all processes that it has started. Calls `onexcess` if they exceed a limit.
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
    const statuses = pids.map((pid) => readText(`/proc/${pid}/status`));
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
        } catch {} // no process to end: it has ended already
      }
    },
  };
}

/**
 * Returns the command that runs a program in a systemd scope with both limits. Returns null if systemd is missing or
 * does not support them.
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
