/**
 * Runs the harness in a process: lines of JSON in and out. It reads one line at a time, because a question must wait
 * for its answer. Output of the learner's code goes to stderr.
 */
import { readSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { serve } from './harness.js';
import { toCall, toLine } from './json-lines.js';

// Copies, made before the learner's code is loaded.
const [read, write, { wait }, { from }] = [readSync, writeSync, Atomics, Buffer];
const { fromCharCode } = String;
const never = new Int32Array(new SharedArrayBuffer(4));
const LINE_END = 10;

/** Repeats an action until the pipe is ready. @param {() => number} act */
function retryWhileBusy(act) {
  for (;;) {
    try {
      return act();
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'EAGAIN') throw error;
      wait(never, 0, 0, 1);
    }
  }
}

/** @param {any} message */
function send(message) {
  const bytes = from(toLine(message));
  for (let at = 0; at < bytes.length; ) at += retryWhileBusy(() => write(1, bytes, at));
}

const chunk = Buffer.alloc(1 << 16);
let [at, end] = [0, 0];

/** Returns the next line; null at the end of the input. @returns {string | null} */
function nextLine() {
  for (let line = ''; ; line += fromCharCode(chunk[at++])) {
    if (at === end) {
      end = retryWhileBusy(() => read(0, chunk));
      at = 0;
      if (!end) return null;
    }
    if (chunk[at] === LINE_END) {
      at++;
      return line;
    }
  }
}

process.stdout.write = process.stderr.write.bind(process.stderr);
/** @type {number} */
let id;
const port = {
  postMessage: send,
  /** @type {any} */
  onmessage: null,
  ask(/** @type {any} */ question) {
    send({ id, ...question });
    return toCall(nextLine() ?? '{}');
  },
};
const [, , file] = process.argv;
serve(port, () => import(pathToFileURL(file).href));
for (let line = nextLine(); line !== null; line = nextLine()) {
  const data = toCall(line);
  id = data.id;
  await port.onmessage({ data });
}
process.exit();
