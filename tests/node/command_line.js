/**
 * The command line as tests run it: in this process, which costs a tenth of a program of its own.
 * With LONG=1 each is a program after all.
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

/** A stream that keeps what is written to it. */
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
 * As a program of its own; a host that it asks may live in this process.
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
 * The command line's output for these words and this input, and its exit code.
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
