/** Helpers for programs other than Node: finds them and waits for their output. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param {string} name */
export function onPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

/**
 * Waits for a pattern in the output of a program; returns the first group of the match.
 * @param {import('node:stream').Readable} stream
 * @param {RegExp} pattern
 * @returns {Promise<string>}
 */
export function until(stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (data) => {
      text += data;
      const match = pattern.exec(text);
      if (match) resolve(match[1]);
    });
    stream.on('close', () => reject(new Error(`the program ended with: ${text.slice(-500)}`)));
    stream.on('error', reject);
  });
}
