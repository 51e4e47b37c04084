/**
 * Runs test files one after another in one process, each a suite with its path as name: files that
 * need a browser share one, where a start costs more than most of them.
 */
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { closeFile } from './cleanup.js';

for (const file of process.argv.slice(2))
  await new Promise((ended) =>
    describe(file, async () => {
      after(closeFile);
      try {
        await import(pathToFileURL(file).href);
      } finally {
        after(ended);
      }
    }),
  );
