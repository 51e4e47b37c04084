/**
 * Runs the command line in the test's process, which costs a tenth of a separate program.
 * With LONG=1 each run is a separate program.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { main } from '../../web/cli/main.js';
import { LONG } from '../long.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(root); // as the program is started, so that both find the same files

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
 * Runs a separate program; a host that it connects to may live in this process.
 * @param {string[]} words
 * @param {string} [input]
 */
export async function spawned(words, input = '') {
  const child = spawn(process.execPath, ['web/cli.js', ...words], { cwd: root, timeout: 60_000 });
  child.stdin.on('error', () => {}); // it may end before it has read
  child.stdin.end(input);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status, stdout, stderr };
}

/**
 * Returns the command line's output for these words and this input, and its exit code.
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
