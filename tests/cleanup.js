/**
 * Closes servers, browsers and workers when the tests of a file have ended, passed or not. An open
 * one would keep the process alive for ever.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** @typedef {(() => unknown)[]} Closers the last opened is last */

/** @type {Closers} */
const ofFile = [];
/** @type {Closers} */
const ofProcess = [];

// If several files share the process, tests/files.js calls this before the first of them.
after(async () => {
  await closeEverything();
});

/** Runs all, the last opened first, since it may use the earlier ones. @param {Closers} closers */
async function closeAll(closers) {
  const results = [];
  while (closers.length) results.push(...(await Promise.allSettled([closers.pop()?.()])));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

/** Closes everything that a file opened. */
export const closeFile = () => closeAll(ofFile);

/** Runs `close` when the tests of this file have ended. @param {() => unknown} close */
export function atEnd(close) {
  ofFile.push(close);
}

/** Runs `close` when the tests of this process have ended. @param {() => unknown} close */
export function atExit(close) {
  ofProcess.push(close);
}

/** Runs all closers at once, for a program that is no test. */
export async function closeEverything() {
  await closeFile();
  await closeAll(ofProcess);
}

/**
 * Registers an object to be closed at the end; returns it.
 * @template {{ close: () => unknown }} T
 * @param {T} opened
 */
export function closed(opened) {
  atEnd(() => opened.close());
  return opened;
}

/** Makes a folder that is removed at the end. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'logitscope-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
