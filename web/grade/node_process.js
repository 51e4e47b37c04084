/** The harness in a process of its own: lines of JSON in and out. What the file prints goes to stderr. */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { serve } from './harness.js';
import { toCall, toLine } from './wire.js';

/** All of a line, however full the pipe is. @param {string} line */
function write(line) {
  const bytes = Buffer.from(line);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'EAGAIN') throw error;
    }
  }
}

process.stdout.write = process.stderr.write.bind(process.stderr);
const port = {
  postMessage: (/** @type {any} */ message) => write(toLine(message)),
  /** @type {any} */
  onmessage: null,
};
createInterface({ input: process.stdin }).on('line', (line) =>
  port.onmessage({ data: toCall(line) }),
);
const [, , file] = process.argv;
serve(port, () => import(pathToFileURL(file).href));
