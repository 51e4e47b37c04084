/**
 * Runs test programs side by side and counts what they say: one that dies, stands still or stays
 * open is a failure with its name. Nothing here installs, builds or knows where tests lie.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * In seconds.
 * @typedef {object} Limits
 * @property {number} test how long no test of a file may begin or end
 * @property {number} end how long a program may stay after its last test: a server, browser or worker was left open
 * @property {number} program how long a whole program may take
 * @property {number} run how long the whole run may take
 */

/** The longest test takes 60 s on an idle machine. @type {Limits} */
const LIMITS = { test: 300, end: 30, program: process.env.LONG ? 1800 : 900, run: 3600 };

/** The program that runs test files one after another; what follows it are their names. */
export const FILES = 'tests/files.js';

/** Node's flags: a test file prints for a person and tells the runner test by test. */
export const REPORTERS = [
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./tests/reporter.js',
  '--test-reporter-destination=stderr',
];

export const secondsSince = (began) => ((performance.now() - began) / 1000).toFixed(1);

/** An error's message, at most one line of it. @param {string} [why] */
const inOneLine = (why = 'no reason is given') => why.replaceAll(/\s+/g, ' ').trim().slice(0, 400);

/** The counts of a file's tests. */
class FileCounts {
  passed = 0;
  failed = 0;
  skipped = 0;
  /** True once the total contains them. */
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

export class Runner {
  totals = { passed: 0, failed: 0 };
  /** @type {string[]} */
  skipped = [];
  /** The failures with their reasons, repeated at the end of the output. */
  #failures = [];
  /** The environment of programs; for the browser tests also the site and the Chromium that they share. */
  env = process.env;
  /** The running programs, by name. @type {Map<import('node:child_process').ChildProcess, string>} */
  #running = new Map();
  #limits;
  #print;

  /** @param {Limits} [limits] @param {(line: string) => void} [print] */
  constructor(limits = LIMITS, print = console.log) {
    this.#limits = limits;
    this.#print = print;
  }

  /** Starts a program in a group of its own, so that it ends with all that it started. */
  #start(name, command, args, stdio) {
    const child = spawn(command, args, { cwd: root, detached: true, stdio, env: this.env });
    this.#running.set(child, name);
    return child;
  }

  /** Ends a program and all that it started, also what it left behind. */
  #end(child) {
    this.#running.delete(child);
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  }

  fail(what) {
    this.#print(`FAILED ${what}`);
    this.#failures.push(what);
    this.totals.failed++;
  }

  /** A step that later ones need; true if it worked. */
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
   * Runs one test program; its output is shown if it fails. One of tests/files.js says which file a
   * test is in; to any other it is the program.
   * @param {string} name
   * @param {string} command
   * @param {string[]} args
   */
  async runProgram(name, command, args) {
    const since = performance.now();
    const child = this.#start(name, command, args, ['ignore', 'pipe', 'pipe', 'ipc']);
    let file = new FileCounts(name);
    /** The files that are still to be run. */
    const left = new Set(args.includes(FILES) ? args.slice(args.indexOf(FILES) + 1) : []);
    /** The tests that have begun and not ended, a suite before those in it. */
    const open = [];
    let output = '';
    const limits = this.#limits;
    let trouble = '';
    let failed = 0;
    let ended = false;
    let last = performance.now();

    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('message', ({ type, name: test, nesting, suite, skip, broken, why }) => {
      last = performance.now();
      const isFile = nesting === 0 && left.has(test);
      const key = `${nesting} ${test}`;
      if (type === 'test:dequeue') {
        open.push(key);
        if (isFile) file = new FileCounts(test);
        return;
      }
      ended = true;
      const place = open.indexOf(key);
      if (place >= 0) open.splice(place, 1);
      if (type === 'test:fail' && (!suite || broken)) {
        failed++;
        file.failed++;
        this.#failures.push(`${file.name}: ${isFile ? '' : `${test}: `}${inOneLine(why)}`);
      } else if (skip !== undefined && !suite) {
        file.skipped++;
        this.skipped.push(`${file.name}: ${test}: ${skip || 'no reason is given'}`);
      } else if (type === 'test:pass' && !suite) file.passed++;
      if (!isFile) return;
      left.delete(test);
      this.#count(file);
      if (!file.known) this.fail(`${test} has no test`);
    });

    const watch = setInterval(
      () => {
        const quiet = (performance.now() - last) / 1000;
        const at = open.length
          ? `"${open.at(-1).replace(/^\d+ /, '')}"`
          : 'code outside its tests, or a test that never waits';
        if (quiet > limits.test) trouble = `stood still for ${limits.test} s in ${at}`;
        else if (ended && !open.length && quiet > limits.end)
          trouble = `was still open ${limits.end} s after its last test`;
        else if (performance.now() - since > limits.program * 1000)
          trouble = `took more than ${limits.program} s, ended in ${at}`;
        if (trouble) this.#end(child);
      },
      Math.min(500, limits.end * 200),
    );
    const code = await new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('close', (status, signal) => resolve(status ?? signal));
    });
    clearInterval(watch);
    this.#end(child);

    // A native program says in its last line what Node's reporter says test by test.
    const summary = /^(\d+) passed, (\d+) failed$/.exec(output.trimEnd().split('\n').at(-1) ?? '');
    if (summary && !ended) {
      file.passed = Number(summary[1]);
      failed = file.failed = Number(summary[2]);
    }
    if (!file.counted) this.#count(file);
    const ran = file.known || file.name !== name; // a file without a test was named above
    if (!trouble && (!ran || (code !== 0 && !failed)))
      trouble = `ended with ${code} and without a failed test to show for it`;
    if (trouble || failed) this.#print(`\n${output.trimEnd()}`);
    if (trouble) this.fail(`${name} ${trouble}`);
    else for (const missing of left) this.fail(`${missing} was not run to its end`);
  }

  /** Says what a file's tests said, and adds it to the whole. @param {FileCounts} file */
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
   * Runs all of a queue, so many at once.
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

  /** Calls `end` when the whole run has taken too long: a failure that names what still runs. */
  limitRun(end) {
    const late = () => {
      const names = [...this.#running.values()].join(', ');
      this.fail(`the run took more than ${this.#limits.run} s, ended in ${names || 'nothing'}`);
      end();
    };
    setTimeout(late, this.#limits.run * 1000).unref();
  }

  /** Ends all that runs; what was skipped and what failed, then the counts. True if nothing failed. */
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
