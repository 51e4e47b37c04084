/**
 * Runs test files one after another in one process, each as a suite named by its path. Files that need a browser
 * share one Chromium, because starting it takes longer than most files.
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
