/** A submission in a process of its own: JavaScript, Python, or a program that speaks the protocol. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reason } from '../grade/expect.js';
import { toAnswer, toLine } from '../grade/wire.js';
import { find, findJail, homeOf, limited } from './jail.js';

const GRADE = fileURLToPath(new URL('../grade', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url));
/** What it may say in one line, and what it may print in all. */
const LONGEST = 8 << 20;
const PRINTED = 64 << 10;

export const KINDS = ['.js', '.mjs', '.py'];

/** Where nothing is to be named, as a learner's editor has it, then Debian's. */
const python = () => (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : find('python3'));

/**
 * How a file is run.
 * @param {string} file
 * @param {{ stdio?: boolean, memory: number }} options
 * @returns {string[]}
 */
function wordsOf(file, { stdio, memory }) {
  const kind = extname(file);
  if (kind === '.py') {
    const program = python();
    if (!program) throw new Error('there is no python3');
    // -I: nothing of the surroundings; -B: no compiled files beside it.
    return [program, '-I', '-B', '-u', ...(stdio ? [] : [join(GRADE, 'harness.py')]), file];
  }
  if (stdio && !KINDS.includes(kind)) return [file];
  const heap = `--max-old-space-size=${Math.floor(memory / 2)}`;
  return [process.execPath, heap, ...(stdio ? [] : [join(GRADE, 'node_process.js')]), file];
}

/** The processes that run, to be ended with this one. @type {Set<() => void>} */
const running = new Set();
process.on('exit', () => running.forEach((end) => void end()));

/** Processes for submissions, all shut off in the same way. */
export class Submissions {
  #stderr;
  #memory;
  #stdio;
  #folder = mkdtempSync(join(tmpdir(), 'logitscope-'));
  /** The way in which they are shut off: its name, null for none. */
  #jail;

  /**
   * @param {NodeJS.WritableStream} stderr for what they print
   * @param {{ memory: number, stdio?: boolean }} options memory in MB
   */
  constructor(stderr, { memory, stdio = false }) {
    this.#stderr = stderr;
    this.#memory = memory;
    this.#stdio = stdio;
    this.#jail = findJail(this.#folder);
  }

  /** bwrap or unshare; null where neither works. */
  get isolation() {
    return this.#jail?.name ?? null;
  }

  /**
   * Runs a file's harness in a process.
   * @param {string} path
   * @param {string[]} sees what it may read beside itself
   * @returns {import('../grade/subject.js').Start}
   */
  start(path, sees = [dirname(resolve(path))]) {
    return (onanswer) => {
      const file = resolve(path);
      const words = wordsOf(file, { stdio: this.#stdio, memory: this.#memory });
      const seen = [GRADE, PACKAGE, ...homeOf(words[0]), ...sees, file];
      const wrap = this.#jail?.wrap({ folder: this.#folder, sees: seen }) ?? [];
      const [program, ...rest] = [...limited(this.#memory), ...wrap, ...words];
      const child = spawn(program, rest, {
        cwd: this.#folder,
        env: {},
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      return this.#talk(child, onanswer);
    };
  }

  /**
   * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable,
   *   import('node:stream').Readable, import('node:stream').Readable>} child
   * @param {(answer: any) => void} onanswer
   */
  #talk(child, onanswer) {
    let last = 0;
    let rest = '';
    let printed = 0;
    const end = () => {
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
      for (const line of lines) {
        const answer = toAnswer(line);
        if (!('fault' in answer)) {
          onanswer(answer);
          continue;
        }
        const { code, params, message } = reason(answer.fault, { value: answer.value });
        onanswer({ id: last, error: message, code, params });
      }
      if (rest.length > LONGEST) end();
    });
    child.stderr.on('data', (chunk) => {
      if (printed < PRINTED) this.#stderr.write(chunk.subarray(0, PRINTED - printed));
      printed += chunk.length;
    });
    child.stdin.on('error', () => {}); // it has ended, and says so itself
    child.on('error', ({ message }) => onanswer({ error: message }));
    child.on('exit', (code, signal) => {
      running.delete(end);
      const by = signal ?? code;
      setTimeout(() => onanswer({ error: `it ended its own process (${by})` }), 20);
    });
    return {
      post(/** @type {any} */ message) {
        last = message.id;
        child.stdin.write(toLine(message));
      },
      end,
    };
  }

  close() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
