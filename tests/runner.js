/**
 * Runs test programs in parallel and counts their results. A program that crashes, hangs or stays open counts as a
 * failure with its name. This file installs and builds nothing.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Time limits in seconds.
 * @typedef {object} Limits
 * @property {number} test longest time without the begin or end of a test
 * @property {number} end longest time after the last test; beyond it, a server, browser or worker is open
 * @property {number} program longest time of a program
 * @property {number} run longest time of the run
 */

/**
 * Default limits. The longest test takes 10 s on an idle machine, 60 s in `make test-long`. A call to a page ends after
 * 90 s, before the limit of a test: call-limit.js.
 * @type {Limits}
 */
const LIMITS = process.env.LONG
  ? { test: 300, end: 30, program: 1800, run: 3600 }
  : { test: 120, end: 30, program: 900, run: 3600 };

/** A Node program that runs test files one after another; its arguments are the files. */
export const FILES = 'tests/files.js';

/** Arguments of Node: a test file prints results for people and reports each test to the runner. */
export const REPORTERS = [
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./tests/reporter.js',
  '--test-reporter-destination=stderr',
];

export const secondsSince = (began) => ((performance.now() - began) / 1000).toFixed(1);

/** Returns an error's message in one line of at most 400 characters. @param {string} [why] */
const inOneLine = (why = 'no reason is given') => why.replaceAll(/\s+/g, ' ').trim().slice(0, 400);

/** Counts of the tests of one file. */
class FileCounts {
  passed = 0;
  failed = 0;
  skipped = 0;
  /** True once these counts are in the totals. */
  counted = false;
  since = performance.now();

  /** @param {string} name */
  constructor(name) {
    this.name = name;
  }

  get known() {
    return this.passed + this.failed + this.skipped;
  }
}

/** The progress of one test program. */
class Program {
  #since = performance.now();
  /** Time of the last message. */
  #last = performance.now();
  /** Names of tests that have begun and not ended; a suite precedes its tests. @type {string[]} */
  #open = [];
  /** True if a test has ended. */
  #ended = false;
  /** Number of failed tests. */
  failed = 0;

  /** @param {string} name @param {string[]} files the test files of the program, in their order */
  constructor(name, files) {
    this.name = name;
    this.file = new FileCounts(name);
    /** Files that have not run yet. */
    this.left = new Set(files);
  }

  /** True if a test or a file was reported. */
  get ran() {
    return this.file.known || this.file.name !== this.name;
  }

  /**
   * Adds a message of Node's reporter to the counts of its file.
   * @returns {{ isFile: boolean, result?: 'passed' | 'failed' | 'skipped' }}
   */
  hear({ type, name: test, nesting, suite, skip, broken }) {
    this.#last = performance.now();
    const isFile = nesting === 0 && this.left.has(test);
    const key = `${nesting} ${test}`;
    if (type === 'test:dequeue') {
      this.#open.push(key);
      if (isFile) this.file = new FileCounts(test);
      return { isFile };
    }
    this.#ended = true;
    const place = this.#open.indexOf(key);
    if (place >= 0) this.#open.splice(place, 1);
    if (isFile) this.left.delete(test);
    const result = resultOf({ type, suite, skip, broken });
    if (result) this.file[result]++;
    if (result === 'failed') this.failed++;
    return { isFile, result };
  }

  /** The reason to end the program; '' if there is none. @param {Limits} limits */
  troubleOf(limits) {
    const quiet = (performance.now() - this.#last) / 1000;
    const at = this.#open.length
      ? `"${this.#open.at(-1).replace(/^\d+ /, '')}"`
      : 'code outside its tests, or a test that never waits';
    if (quiet > limits.test) return `stood still for ${limits.test} s in ${at}`;
    if (this.#ended && !this.#open.length && quiet > limits.end)
      return `was still open ${limits.end} s after its last test`;
    if (performance.now() - this.#since > limits.program * 1000)
      return `took more than ${limits.program} s, ended in ${at}`;
    return '';
  }

  /** Reads the counts of a native program from the last line of its output. @param {string} output */
  readSummary(output) {
    const summary = /^(\d+) passed, (\d+) failed$/.exec(output.trimEnd().split('\n').at(-1) ?? '');
    if (!summary || this.#ended) return;
    this.file.passed = Number(summary[1]);
    this.failed = this.file.failed = Number(summary[2]);
  }
}

/** The count to which a message of Node's reporter belongs; none for a suite that has not failed itself. */
function resultOf({ type, suite, skip, broken }) {
  if (type === 'test:fail' && (!suite || broken)) return 'failed';
  if (skip !== undefined && !suite) return 'skipped';
  return type === 'test:pass' && !suite ? 'passed' : undefined;
}

export class Runner {
  totals = { passed: 0, failed: 0 };
  /** @type {string[]} */
  skipped = [];
  /** Failures with their reasons, printed again at the end of the run. */
  #failures = [];
  /** Environment of the programs. For the browser tests, LOGITSCOPE_SITE is the folder of the built site. */
  env = process.env;
  /** Names of the running programs. @type {Map<import('node:child_process').ChildProcess, string>} */
  #running = new Map();
  #limits;
  #print;

  /** @param {Limits} [limits] @param {(line: string) => void} [print] */
  constructor(limits = LIMITS, print = console.log) {
    this.#limits = limits;
    this.#print = print;
  }

  /** Starts a program in its own process group, so #end also ends its children. */
  #start(name, command, args, stdio) {
    const child = spawn(command, args, { cwd: root, detached: true, stdio, env: this.env });
    this.#running.set(child, name);
    return child;
  }

  /** Ends a program and all its children. */
  #end(child) {
    this.#running.delete(child);
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The processes of this group have ended already.
    }
  }

  fail(what) {
    this.#print(`FAILED ${what}`);
    this.#failures.push(what);
    this.totals.failed++;
  }

  /** Runs a command that later ones depend on; returns true on success. */
  async step(what, command, ...args) {
    const child = this.#start(what, command, args, ['ignore', 'inherit', 'inherit']);
    const ok = await new Promise((resolve) => {
      child.on('error', () => resolve(false));
      child.on('close', (code) => resolve(code === 0));
    });
    this.#end(child);
    if (!ok) this.fail(what);
    return ok;
  }

  /**
   * Runs one test program and shows its output if it fails. tests/files.js reports the file of each test; any other
   * program counts as one file. If a file stands still, only this file fails, and a new program runs those after it.
   * @param {string} name
   * @param {string} command
   * @param {string[]} args
   */
  async runProgram(name, command, args) {
    const files = args.includes(FILES) ? args.slice(args.indexOf(FILES) + 1) : [];
    const program = new Program(name, files);
    const child = this.#start(name, command, args, ['ignore', 'pipe', 'pipe', 'ipc']);
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('message', (message) => this.#hear(program, message));
    let trouble = '';
    const watch = setInterval(
      () => {
        trouble = program.troubleOf(this.#limits);
        if (trouble) this.#end(child);
      },
      Math.min(500, this.#limits.end * 200),
    );
    const code = await new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('close', (status, signal) => resolve(status ?? signal));
    });
    clearInterval(watch);
    this.#end(child);

    program.readSummary(output);
    const { file, left } = program;
    if (!file.counted) this.#count(file);
    if (!trouble && (!program.ran || (code !== 0 && !program.failed)))
      trouble = `ended with ${code} and without a failed test to show for it`;
    if (trouble || program.failed) this.#print(`\n${output.trimEnd()}`);
    if (!trouble) {
      for (const missing of left) this.fail(`${missing} was not run to its end`);
      return;
    }
    const rest = [...left].filter((each) => each !== file.name);
    const known = rest.length < left.size; // false if the program stood still before its first file
    this.fail(`${known ? file.name : name} ${trouble}`);
    const options = args.slice(0, args.indexOf(FILES) + 1);
    if (known && rest.length)
      await this.runProgram(rest.join(', '), command, [...options, ...rest]);
  }

  /** Counts a message of Node's reporter. @param {Program} program @param {any} message */
  #hear(program, message) {
    const { name: test, skip, why } = message;
    const { isFile, result } = program.hear(message);
    const { file } = program;
    if (result === 'failed')
      this.#failures.push(`${file.name}: ${isFile ? '' : `${test}: `}${inOneLine(why)}`);
    if (result === 'skipped')
      this.skipped.push(`${file.name}: ${test}: ${skip || 'no reason is given'}`);
    if (!isFile || message.type === 'test:dequeue') return;
    this.#count(file);
    if (!file.known) this.fail(`${test} has no test`);
  }

  /** Prints a file's counts and adds them to the totals. @param {FileCounts} file */
  #count(file) {
    const { name, since, passed, failed, skipped } = file;
    file.counted = true;
    this.totals.passed += passed;
    this.totals.failed += failed;
    this.#print(
      `${secondsSince(since).padStart(6)} s  ${name}: ${passed} passed` +
        (failed ? `, ${failed} FAILED` : '') +
        (skipped ? `, ${skipped} skipped` : ''),
    );
  }

  /**
   * Runs a queue of programs, `atOnce` at a time.
   * @param {[string, string, string[]][]} programs
   * @param {number} atOnce
   */
  async runPrograms(programs, atOnce) {
    const worker = async () => {
      for (let next = programs.shift(); next; next = programs.shift())
        await this.runProgram(...next);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  /** Calls `end` if the run takes longer than its limit, after a failure that names the running programs. */
  limitRun(end) {
    const late = () => {
      const names = [...this.#running.values()].join(', ');
      this.fail(`the run took more than ${this.#limits.run} s, ended in ${names || 'nothing'}`);
      end();
    };
    setTimeout(late, this.#limits.run * 1000).unref();
  }

  /**
   * Ends all programs and prints the skipped tests, the failures and the counts. Returns true if
   * nothing failed.
   */
  finish() {
    for (const child of this.#running.keys()) this.#end(child);
    const { skipped, totals } = this;
    for (const [what, list] of Object.entries({ skipped, failed: this.#failures }))
      if (list.length) this.#print(`\n${what}:\n${list.map((line) => `  ${line}`).join('\n')}`);
    const rest = skipped.length ? `, ${skipped.length} skipped` : '';
    this.#print(`${totals.passed} passed, ${totals.failed} failed${rest}`);
    return !totals.failed;
  }
}
