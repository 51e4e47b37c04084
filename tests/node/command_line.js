/**
 * Runs the command line inside the test's process, which is ten times as fast as a separate program. With LONG=1 each
 * run is a separate program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { main } from '../../web/cli/main.js';
import { LONG } from '../long.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(root); // separate programs also run in this folder, so their output contains the same paths

/** A stream that collects its text. */
class Kept extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  _write(chunk, _encoding, done) {
    this.text += chunk;
    done();
  }
}

/**
 * Runs the command line as a separate program, asynchronously: this process may be the server that it needs.
 * @param {string[]} words
 * @param {string} [input]
 */
export async function spawned(words, input = '') {
  const child = spawn(process.execPath, ['web/cli.js', ...words], { cwd: root, timeout: 60_000 });
  child.stdin.on('error', () => {}); // the program may end before it reads all input
  child.stdin.end(input);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status, stdout, stderr };
}

/**
 * Runs the command line with these arguments and this input; returns its output and exit code.
 * @param {string[]} words
 * @param {string} [input]
 */
export async function cli(words, input = '') {
  if (LONG) return spawned(words, input);
  const [stdout, stderr] = [new Kept(), new Kept()];
  const stdin = Readable.from([Buffer.from(input)]);
  const status = await main(words, { stdin, stdout, stderr });
  return { status, stdout: stdout.text, stderr: stderr.text };
}
