/**
 * Closes servers, browsers and workers after the tests of a file, even if a test failed. An open server would
 * keep the process alive for ever.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** @typedef {(() => unknown)[]} Closers in the order of opening */

/** @type {Closers} */
const ofFile = [];
/** @type {Closers} */
const ofProcess = [];

// In a run of tests/files.js, this hook runs after all files, and closeFile runs after each.
after(async () => {
  await closeEverything();
});

/** Runs all closers, the last opened first: it may still use objects opened earlier. @param {Closers} closers */
async function closeAll(closers) {
  const results = [];
  while (closers.length) results.push(...(await Promise.allSettled([closers.pop()?.()])));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

/** Closes everything that the current file opened. */
export const closeFile = () => closeAll(ofFile);

/** Runs `close` when the tests of this file have ended. @param {() => unknown} close */
export function atEnd(close) {
  ofFile.push(close);
}

/** Runs `close` when the tests of this process have ended. @param {() => unknown} close */
export function atExit(close) {
  ofProcess.push(close);
}

/** Runs all closers at once. For programs that do not use node:test. */
export async function closeEverything() {
  await closeFile();
  await closeAll(ofProcess);
}

/**
 * Closes an object after the tests of this file; returns the object.
 * @template {{ close: () => unknown }} T
 * @param {T} opened
 */
export function closed(opened) {
  atEnd(() => opened.close());
  return opened;
}

/** Makes a folder and removes it after the tests of this file. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'logitscope-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
