/**
 * What a test file opens is closed when its tests have ended, whether they passed or not: a server,
 * browser or worker left open would keep the file alive for ever.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** @type {(() => unknown)[]} */
const closers = [];

after(async () => {
  const results = [];
  // The last opened first, since it may use what was opened before it.
  for (const close of closers.reverse()) results.push(...(await Promise.allSettled([close()])));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
});

/** Runs `close` when the tests of this file have ended. @param {() => unknown} close */
export function atEnd(close) {
  closers.push(close);
}

/**
 * What was opened, to be closed at the end.
 * @template {{ close: () => unknown }} T
 * @param {T} opened
 */
export function closed(opened) {
  atEnd(() => opened.close());
  return opened;
}

/** A new folder, removed at the end. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'logitscope-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
