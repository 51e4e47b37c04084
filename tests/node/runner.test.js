/** Tests the test runner: a run always ends, and it reports the failure of any test file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../cleanup.js';
import { limitCalls } from '../browser/call-limit.js';
import { FILES, REPORTERS, Runner } from '../runner.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder();
let written = 0;
const passing = "import { test } from 'node:test';\ntest('one', () => {});\n";
const LIMITS = { test: 40, end: 40, program: 40, run: 40 };

/** Runs a file with this code and these limits; returns the runner's report. */
async function outcomeOf(code, limits = {}) {
  const file = join(folder, `${written++}.test.mjs`);
  writeFileSync(file, code);
  const lines = [];
  const runner = new Runner({ ...LIMITS, ...limits }, (line) => lines.push(line));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // with this variable, the tests would report to the current run
  runner.env = env;
  await runner.runPrograms([['a file', process.execPath, [...REPORTERS, file]]], 1);
  const good = runner.finish();
  return { good, lines, last: lines.at(-1), failed: lines.find((it) => it.startsWith('FAILED')) };
}

/** Writes files with these codes; returns their paths. @param {string[]} codes */
const filesOf = (codes) =>
  codes.map((code) => {
    const file = join(folder, `${written++}.test.mjs`);
    writeFileSync(file, code);
    return file;
  });

/** Runs files in one program; returns the result and the printed lines. */
async function runTogether(files, limits = {}) {
  const lines = [];
  const runner = new Runner({ ...LIMITS, ...limits }, (line) => lines.push(line));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  runner.env = env;
  const words = [...REPORTERS, FILES, ...files];
  await runner.runPrograms([['all', process.execPath, words]], 1);
  return { good: runner.finish(), lines, failed: lines.filter((it) => it.startsWith('FAILED')) };
}

// In parallel, since these tests mostly wait.
describe('a file counts as one failure, by its name,', { concurrency: true }, () => {
  test('if a test never ends; the files after it run', async () => {
    const hangs =
      "import { test } from 'node:test';\ntest('two', () => new Promise(() => setInterval(() => {}, 1e6)));";
    const files = filesOf([passing, hangs, passing]);
    const { good, lines, failed } = await runTogether(files, { test: 5 });
    assert.equal(good, false);
    assert.deepEqual(failed, [`FAILED ${files[1]} stood still for 5 s in "two"`]);
    assert.equal(lines.at(-1), '2 passed, 1 failed');
  });

  for (const [what, code, limits, sentence] of [
    [
      'if a test never waits',
      `${passing}test('two', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
      { test: 5 },
      /^FAILED a file stood still for 5 s in /,
    ],
    [
      'if it stays open after its last test',
      `${passing}setInterval(() => {}, 1e6);`,
      { end: 0.3 },
      /^FAILED a file was still open 0.3 s after its last test$/,
    ],
    [
      'if it takes too long though its tests go on',
      // The outer test never ends by itself. The time limit may come between two inner tests, when none of them runs.
      `import { test } from 'node:test';
      test('one', async (t) => {
        for (let i = 0; i < 1e3; i++) await t.test('part', () => new Promise((done) => setTimeout(done, 50)));
      });`,
      { program: 5 },
      /^FAILED a file took more than 5 s, ended in "(one|part)"$/,
    ],
    [
      'if it dies',
      'process.kill(process.pid, "SIGKILL");',
      {},
      /^FAILED a file ended with SIGKILL and without a failed test to show for it$/,
    ],
    ['if it has no test', '', {}, /^FAILED a file ended with 0 and without a failed test/],
  ])
    test(what, async () => {
      const { good, failed, last } = await outcomeOf(code, limits);
      assert.match(failed, sentence);
      assert.match(last, /^\d+ passed, 1 failed$/);
      assert.equal(good, false);
    });
});

test('each of several files in one program is counted', async () => {
  const codes = [
    passing,
    '',
    "throw new Error('no module');",
    "import { test } from 'node:test';\ntest('leaves', () => process.exit(0));\n",
    passing,
  ];
  const files = filesOf(codes);
  const { good, lines } = await runTogether(files);
  assert.equal(good, false);
  const said = (/** @type {RegExp} */ wanted) => lines.some((line) => wanted.test(line));
  assert.ok(said(new RegExp(`${files[0]}: 1 passed$`)));
  assert.ok(said(new RegExp(`^FAILED ${files[1]} has no test$`)));
  assert.ok(said(new RegExp(`${files[2]}: no module`)));
  for (const file of files.slice(3))
    assert.ok(said(new RegExp(`^FAILED ${file} was not run to its end$`)), file);
});

test('a run that takes too long is ended and names its running program', async () => {
  const file = join(folder, 'long.test.mjs');
  writeFileSync(
    file,
    "import { test } from 'node:test';\ntest('one', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });\n",
  );
  const lines = [];
  const runner = new Runner({ ...LIMITS, run: 0.5 }, (line) => lines.push(line));
  runner.limitRun(() => runner.finish());
  await runner.runPrograms([['a file', process.execPath, [...REPORTERS, file]]], 1);
  assert.equal(lines[0], 'FAILED the run took more than 0.5 s, ended in a file');
  assert.match(lines[2], /^0 passed, 1 failed$/);
});

test('passed, failed and skipped tests are counted, skipped ones with their reasons', async () => {
  const { good, lines, last } = await outcomeOf(
    `${passing}test('two', () => { throw new Error('no idea'); });
    test('three', { skip: 'no device' }, () => {});`,
  );
  assert.equal(good, false);
  assert.match(last, /^1 passed, 1 failed, 1 skipped$/);
  assert.ok(lines.at(-2).endsWith('failed:\n  a file: two: no idea'));
  assert.ok(lines.some((line) => line.includes('a file: three: no device')));
  assert.equal((await outcomeOf(passing)).last, '1 passed, 0 failed');
});

test('an unknown part is a failure before anything is installed or run', () => {
  const words = ['tests/run.js', 'nodes'];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stdout, /^FAILED no such part: nodes\n[^]*\n0 passed, 1 failed\n$/);
  assert.doesNotMatch(stdout, /installed/);
});

class Page {
  evaluate(/** @type {unknown} */ value) {
    return Promise.resolve(value);
  }
  hang() {
    return new Promise(() => {});
  }
  url() {
    return 'about:blank';
  }
}

test('a call that never ends is refused with its line; the others keep their results', async () => {
  const page = new Page();
  limitCalls([page], 20);
  limitCalls([page], 20);
  assert.equal(await page.evaluate(3), 3);
  assert.equal(page.url(), 'about:blank');
  await assert.rejects(
    page.hang(),
    /^Error: hang\(\) in runner\.test\.js:\d+ has not ended after 0\.02 s: the page hangs$/,
  );
});
