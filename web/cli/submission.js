/** Runs a submission in a process of its own: JavaScript, Python, or any program that speaks the protocol. */
import { spawn } from 'node:child_process';
import { extname, join, resolve } from 'node:path';
import { longest, readAnswer } from '../grade/answer.js';
import { refusal } from '../grade/reasons.js';
import { Host } from '../grade/toy.js';
import { toLine } from '../grade/json-lines.js';
import { findPython } from './interpreter.js';
import { HERE, findJail, homeOfNode, limited } from './jail.js';
import { GraderFolder } from './grader-folder.js';
import { safe } from './terminal.js';
import { canWatch, findScope, watch } from './process-limits.js';

const DETECTS = '--experimental-detect-module';
/** Most characters that a submission may print. */
const PRINTED = 64 << 10;

export const KINDS = ['.js', '.mjs', '.cjs', '.py', '.ipynb'];

/** @param {string} file */
export const kindOf = (file) => extname(file).toLowerCase();

/** Returns true if the file is run by Python. @param {string} file */
export const isPython = (file) => ['.py', '.ipynb'].includes(kindOf(file));

/** Most questions in one call; a correct function needs fewer than a hundred. */
const QUESTIONS = 4096;

/**
 * Returns the log of a generation. A part of it is written by the host, another part only the submission's process
 * knows.
 * @param {Host} host
 * @param {import('../grade/tested-function.js').Answer} answer
 */
const logOf = ({ log: { windows, seeds } }, { log }) => ({ early: 0, ...log, windows, seeds });

/** Functions that kill running submissions, called when this process ends. @type {Set<() => void>} */
const running = new Set();
process.on('exit', () => running.forEach((kill) => void kill()));
/**
 * These signals would end this process at once. A handler makes it exit normally, so that no submission goes on
 * running.
 */
const SIGNALS = /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM']);
const leave = (/** @type {string} */ _, /** @type {number} */ number) => process.exit(128 + number);

/** Kills a process and its whole group. @param {number | undefined} pid */
function killGroup(pid) {
  try {
    process.kill(-(pid ?? Number.NaN), 'SIGKILL');
  } catch {} // the process has ended already
}

/** Escapes characters beyond ASCII in a line of JSON, because a harness reads bytes. @param {string} line */
const toAscii = (line) =>
  line.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** @typedef {{ write: (text: string) => unknown }} Printer */

/**
 * Prints the output of a submission, up to a limit.
 * @param {import('node:stream').Readable} stream
 * @param {Printer} stderr
 */
function passOn(stream, stderr) {
  let printed = 0;
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    if (printed < PRINTED) stderr.write(safe(text.slice(0, PRINTED - printed)));
    printed += text.length;
  });
}

/** Starts the processes of submissions. */
export class Submissions {
  #stderr;
  #memory;
  #stdio;
  /** @type {string | undefined} */
  #chosen;
  /** @type {import('./interpreter.js').Interpreter | null} */
  #python = null;
  /** @type {GraderFolder[]} */
  #folders = [];
  /** Folders that no process uses. @type {GraderFolder[]} */
  #free = [];
  /** The jail in use; null if none. */
  #jail;
  #scope;

  /**
   * @param {NodeJS.WritableStream} stderr for text that submissions print
   * @param {{ memory: number, stdio?: boolean, python?: string }} options memory: in MB; stdio: true if a program
   *   in any language may run; python: its path, by default from findPython
   */
  constructor(stderr, { memory, stdio = false, python }) {
    this.#chosen = python;
    this.#stderr = stderr;
    this.#memory = memory;
    this.#stdio = stdio;
    for (const signal of SIGNALS) process.on(signal, leave);
    this.#jail = findJail(this.#takeFolder());
    this.#free = [...this.#folders];
    this.#scope = findScope(memory);
  }

  /** Name of the jail, 'bwrap' or 'unshare'; null if neither works. */
  get isolation() {
    return this.#jail?.name ?? null;
  }

  /** True if all processes of a submission share one limit; false if each has its own. */
  get bounded() {
    return this.#scope !== null || canWatch();
  }

  /** The Python that runs submissions. Throws a UsageError if there is none. */
  get python() {
    this.#python ??= findPython(this.#chosen);
    return this.#python;
  }

  /**
   * Returns the command that runs a file, and the paths that the command needs.
   * @param {string} file
   * @param {string} harness the folder of the harness
   * @returns {{ words: string[], home: [string, string][] }}
   */
  #programFor(file, harness) {
    if (isPython(file)) {
      const { program, site, sees } = this.python;
      const home = sees.map((path) => /** @type {[string, string]} */ ([path, path]));
      // -I ignores the environment; -B writes no compiled files.
      const words = [program, '-I', '-B', '-u'];
      if (this.#stdio) return { words: [...words, file], home };
      return {
        words: [...words, join(harness, 'harness.py'), file, ...(site ? [site] : [])],
        home,
      };
    }
    if (this.#stdio && !KINDS.includes(kindOf(file))) return { words: [file], home: [] };
    const { execPath, allowedNodeEnvironmentFlags: flags } = process;
    const words = [execPath, `--max-old-space-size=${Math.floor(this.#memory / 2)}`];
    // Without a package.json, Node must find out from the syntax if the file is a module.
    if (flags.has(DETECTS)) words.push(DETECTS);
    if (!this.#stdio) words.push(join(harness, 'node-process.js'));
    return { words: [...words, file], home: homeOfNode() };
  }

  /** Returns a folder for one process, so that no submission sees the file of another. */
  #takeFolder() {
    const free = this.#free.pop();
    if (free) return free;
    const folder = new GraderFolder();
    this.#folders.push(folder);
    return folder;
  }

  /**
   * Starts a file with its harness in a process.
   * @param {string} path
   * @param {string} [within] the learner's folder, which the submission may read; without it, only the file
   * @param {Printer} [stderr] for text that the submission prints
   * @returns {import('../grade/tested-function.js').Start}
   */
  start(path, within, stderr = this.#stderr) {
    return (onanswer, onend) => {
      const own = this.#takeFolder();
      const { folder, root } = own;
      const { path: place, sees } = own.put(resolve(path), within && resolve(within));
      const at = this.#jail ? HERE : folder;
      // Without a jail, a learner's folder keeps its path.
      const file = this.#jail || !within ? join(at, place) : resolve(path);
      const { words, home } = this.#programFor(file, join(at, 'harness'));
      const wrap = this.#jail?.wrap({ root, folder, sees: [...home, ...sees] }) ?? [];
      const { words: scope = [], env = {} } = this.#scope ?? {};
      const [program, ...rest] = [...scope, ...limited(this.#memory), ...wrap, ...words];
      const child = spawn(program, rest, {
        cwd: join(folder, 'empty'),
        env,
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      passOn(child.stderr, stderr);
      child.on('exit', () => this.#free.push(own));
      return this.#talkTo(child, onanswer, onend);
    };
  }

  /**
   * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable,
   *   import('node:stream').Readable, import('node:stream').Readable>} child
   * @param {(answer: any) => void} onanswer
   * @param {(why: import('../grade/tested-function.js').Answer) => void} onend
   */
  #talkTo(child, onanswer, onend) {
    /** The call that waits for an answer. The first call is always `load`. @type {any} */
    let asked = { call: 'load' };
    /** Model and random numbers of a call of `generate`; null during other calls. @type {Host | null} */
    let host = null;
    let questions = 0;
    let rest = '';
    let over = false;
    const watched = watch(child.pid, this.#memory, onend);
    const kill = () => {
      running.delete(kill);
      killGroup(child.pid);
      watched.kill();
    };
    const end = () => {
      over = true;
      kill();
    };
    running.add(kill);
    const tell = (/** @type {any} */ message) => child.stdin.write(toAscii(toLine(message)));
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longest(asked)) lines.push(rest);
      for (const line of lines) {
        if (over) return; // ignores further lines: the process has been ended
        const read = readAnswer(line, asked);
        if ('refused' in read) onend(read.refused);
        else if ('answer' in read)
          onanswer(host ? { ...read.answer, log: logOf(host, read.answer) } : read.answer);
        else if (host && ++questions <= QUESTIONS) tell(host.answer(read.question));
        else onend(refusal('own_message'));
      }
    });
    child.stdin.on('error', () => {}); // ignored: the process has ended, and its exit event reports that
    child.on('error', ({ message }) => onend({ error: message }));
    child.on('exit', (code, signal) => {
      kill();
      const by = signal ?? code;
      setTimeout(() => onend({ error: `it ended its own process (${by})` }), 20);
    });
    return {
      post(/** @type {any} */ message) {
        asked = message;
        const { toy, streams, ...rest } = message;
        host = toy ? new Host(message) : null;
        questions = 0;
        tell(host ? { ...rest, toy: { ...toy, rows: undefined } } : message);
      },
      end,
    };
  }

  close() {
    for (const signal of SIGNALS) process.off(signal, leave);
    for (const folder of this.#folders) folder.close();
  }
}
