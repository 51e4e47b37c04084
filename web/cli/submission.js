/** A submission in a process of its own: JavaScript, Python, or a program that speaks the protocol. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LONGEST, readAnswer, toLine } from '../grade/wire.js';
import { findPython } from './interpreter.js';
import { findJail, homeOf, limited } from './jail.js';
import { safe } from './terminal.js';

const GRADE = fileURLToPath(new URL('../grade', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
/** Most characters that it may print in all. */
const PRINTED = 64 << 10;

export const KINDS = ['.js', '.mjs', '.cjs', '.py', '.ipynb'];

/** @param {string} file */
export const kindOf = (file) => extname(file).toLowerCase();

/** Whether Python runs it. @param {string} file */
export const isPython = (file) => ['.py', '.ipynb'].includes(kindOf(file));

/** The processes that run, to be ended with this one. @type {Set<() => void>} */
const running = new Set();
process.on('exit', () => running.forEach((end) => void end()));

/** Processes for submissions, all shut off in the same way. */
export class Submissions {
  #stderr;
  #memory;
  #stdio;
  /** @type {string | undefined} */
  #chosen;
  /** @type {import('./interpreter.js').Interpreter | null} */
  #python = null;
  #folder = mkdtempSync(join(tmpdir(), 'logitscope-'));
  /** The way in which they are shut off: its name, null for none. */
  #jail;

  /**
   * @param {NodeJS.WritableStream} stderr for what they print
   * @param {{ memory: number, stdio?: boolean, python?: string }} options memory in MB; python: a
   *   path, else the one that findPython takes
   */
  constructor(stderr, { memory, stdio = false, python }) {
    this.#chosen = python;
    this.#stderr = stderr;
    this.#memory = memory;
    this.#stdio = stdio;
    this.#jail = findJail(this.#folder);
  }

  /** bwrap or unshare; null where neither works. */
  get isolation() {
    return this.#jail?.name ?? null;
  }

  /** The Python that runs submissions; a UsageError if there is none. */
  get python() {
    this.#python ??= findPython(this.#chosen);
    return this.#python;
  }

  /**
   * The words that run a file, and the paths that its program is read from.
   * @param {string} file
   */
  #program(file) {
    if (isPython(file)) {
      const { program, site, sees } = this.python;
      // -I: nothing of the surroundings; -B: no compiled files beside it.
      const words = [program, '-I', '-B', '-u'];
      if (this.#stdio) return { words: [...words, file], sees };
      return { words: [...words, join(GRADE, 'harness.py'), file, ...(site ? [site] : [])], sees };
    }
    if (this.#stdio && !KINDS.includes(kindOf(file))) return { words: [file], sees: homeOf(file) };
    const heap = `--max-old-space-size=${Math.floor(this.#memory / 2)}`;
    const harness = this.#stdio ? [] : [join(GRADE, 'node_process.js')];
    const { execPath } = process;
    return { words: [execPath, heap, ...harness, file], sees: homeOf(execPath) };
  }

  /**
   * Runs a file's harness in a process.
   * @param {string} path
   * @param {string[]} sees what it may read beside itself
   * @returns {import('../grade/subject.js').Start}
   */
  start(path, sees = [dirname(resolve(path))]) {
    return (onanswer, onend) => {
      const file = resolve(path);
      const { words, sees: home } = this.#program(file);
      const seen = [GRADE, PACKAGE, ...home, ...sees, file];
      const wrap = this.#jail?.wrap({ folder: this.#folder, sees: seen }) ?? [];
      const [program, ...rest] = [...limited(this.#memory), ...wrap, ...words];
      const child = spawn(program, rest, {
        cwd: this.#folder,
        env: {},
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      return this.#talk(child, onanswer, onend);
    };
  }

  /**
   * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable,
   *   import('node:stream').Readable, import('node:stream').Readable>} child
   * @param {(answer: any) => void} onanswer
   * @param {(why: import('../grade/subject.js').Answer) => void} onend
   */
  #talk(child, onanswer, onend) {
    /** The last call: nothing can come before the first. @type {any} */
    let asked = { call: 'load' };
    let rest = '';
    let printed = 0;
    let over = false;
    const end = () => {
      over = true;
      running.delete(end);
      try {
        // The whole group: whatever it started ends too.
        process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
      } catch {} // it has ended
    };
    running.add(end);
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST) lines.push(rest);
      for (const line of lines) {
        if (over) return; // the line before ended it
        const read = readAnswer(line, asked);
        if ('refused' in read) onend(read.refused);
        else onanswer(read.answer);
      }
    });
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text) => {
      if (printed < PRINTED) this.#stderr.write(safe(text.slice(0, PRINTED - printed)));
      printed += text.length;
    });
    child.stdin.on('error', () => {}); // it has ended, and says so itself
    child.on('error', ({ message }) => onend({ error: message }));
    child.on('exit', (code, signal) => {
      running.delete(end);
      const by = signal ?? code;
      setTimeout(() => onend({ error: `it ended its own process (${by})` }), 20);
    });
    return {
      post(/** @type {any} */ message) {
        asked = message;
        child.stdin.write(toLine(message));
      },
      end,
    };
  }

  close() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
