/** Programs outside Node: whether they are there, and waiting for what they print. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @param {string} name */
export function onPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

/**
 * The first group of the first match in what a program prints.
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
