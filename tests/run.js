/**
 * Installs, builds, then runs every test of the project, and ends with `N passed, N failed`. What is
 * to be installed is there before the first test. A part that does not build, and a file that dies
 * or stands still, counts as one failure; skipped tests are named with their reasons.
 *
 * With arguments (native, node, browser) it runs those parts only.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const chosen = process.argv.slice(2);
const ALL = ['native', 'node', 'browser'];
const parts = ALL.filter((part) => !chosen.length || chosen.includes(part));
const beyondNative = parts.some((part) => part !== 'native');
/** `make test-long`: every case, and what takes a compiler longer than a test may. */
const long = Boolean(process.env.LONG);

/** How many files run at once: two, for the two cores that the suite is measured on. */
const AT_ONCE = 2;
/**
 * The files that take longest, the longest first: begun first, none of them is what the end waits
 * for. The others come as they lie.
 */
const SLOW = [
  'own-chain',
  'axe',
  'keyboard',
  'warpers',
  'sweep',
  'compare',
  'search',
  'page',
  'access',
  'wllama',
  'exports',
  'cli',
  'own-sampler',
  'grade',
  'models',
  'pack',
  'links',
  'text',
  'hosts',
  'repetition',
  'stories_wllama',
  'types',
  'digest',
];
/** How long no test of a file may begin or end, in seconds: the longest takes 60 on an idle machine. */
const TEST_LIMIT = 300;
/** How long a file may stay after its last test: a server, browser or worker was left open. */
const END_LIMIT = 30;
/** How long a whole file may take, then all parts together. */
const FILE_LIMIT = 900;
const RUN_LIMIT = 3600;

const began = performance.now();
const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);
const totals = { passed: 0, failed: 0 };
/** @type {string[]} */
const skipped = [];
/** What programs are told; the browser tests, of the site and the Chromium that they share. */
let env = process.env;
/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** The tests of Firefox need a WebSocket, which Node 20 has behind this flag. */
const webSocket = process.allowedNodeEnvironmentFlags.has('--experimental-websocket')
  ? ['--experimental-websocket']
  : [];

/** Starts a program in a group of its own, so that it ends with all that it started. */
function start(command, args, stdio) {
  const child = spawn(command, args, { cwd: root, detached: true, stdio, env });
  running.add(child);
  return child;
}

/** Ends a program and all that it started, also what it left behind. */
function end(child) {
  running.delete(child);
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

function fail(what) {
  console.log(`FAILED ${what}`);
  totals.failed++;
}

/** A step that later ones need; true if it worked. */
async function step(what, command, ...args) {
  const child = start(command, args, ['ignore', 'inherit', 'inherit']);
  const ok = await new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
  end(child);
  if (!ok) fail(what);
  return ok;
}

/**
 * Runs one test program; its output is shown if it fails.
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 */
async function runFile(name, command, args) {
  const since = performance.now();
  const child = start(command, args, ['ignore', 'pipe', 'pipe', 'ipc']);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** The tests that have begun and not ended, a suite before those in it. */
  const open = [];
  let output = '';
  let trouble = '';
  let ended = false;
  let last = performance.now();

  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  child.on('message', ({ type, name: test, nesting, suite, skip }) => {
    last = performance.now();
    const key = `${nesting} ${test}`;
    if (type === 'test:dequeue') {
      open.push(key);
      return;
    }
    ended = true;
    const place = open.indexOf(key);
    if (place >= 0) open.splice(place, 1);
    if (type === 'test:fail') counts.failed += Number(!suite);
    else if (skip !== undefined && !suite) {
      counts.skipped++;
      skipped.push(`${name}: ${test}: ${skip || 'no reason is given'}`);
    } else if (!suite) counts.passed++;
  });

  const watch = setInterval(() => {
    const quiet = (performance.now() - last) / 1000;
    const at = open.length
      ? `"${open.at(-1).replace(/^\d+ /, '')}"`
      : 'code outside its tests, or a test that never waits';
    if (quiet > TEST_LIMIT) trouble = `stood still for ${TEST_LIMIT} s in ${at}`;
    else if (ended && !open.length && quiet > END_LIMIT)
      trouble = `was still open ${END_LIMIT} s after its last test`;
    else if (performance.now() - since > FILE_LIMIT * 1000)
      trouble = `took more than ${FILE_LIMIT} s, ended in ${at}`;
    if (trouble) end(child);
  }, 500);
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (status, signal) => resolve(status ?? signal));
  });
  clearInterval(watch);
  end(child);

  // A native program says in its last line what Node's reporter says test by test.
  const summary = /^(\d+) passed, (\d+) failed$/.exec(output.trimEnd().split('\n').at(-1) ?? '');
  if (summary && !ended) {
    counts.passed = Number(summary[1]);
    counts.failed = Number(summary[2]);
  }
  const known = counts.passed + counts.failed + counts.skipped;
  if (!trouble && (!known || (code !== 0 && !counts.failed)))
    trouble = `ended with ${code} and without a failed test to show for it`;
  if (trouble || counts.failed) process.stdout.write(`\n${output.trimEnd()}\n`);
  console.log(
    `${seconds(since).padStart(6)} s  ${name}: ${counts.passed} passed` +
      (counts.failed ? `, ${counts.failed} FAILED` : '') +
      (counts.skipped ? `, ${counts.skipped} skipped` : ''),
  );
  if (trouble) fail(`${name} ${trouble}`);
  totals.passed += counts.passed;
  totals.failed += counts.failed;
}

/** The files of a part, as `runFile` takes them. */
function filesOf(part) {
  const names = readdirSync(join(root, 'tests', part)).sort();
  if (part === 'native') {
    const builds = long ? ['asan', 'trap'] : ['asan'];
    return names
      .filter((name) => /^test_.*\.c$/.test(name))
      .flatMap((name) => builds.map((build) => join('build', build, name.slice(0, -2))))
      .map((program) => [program, program, []]);
  }
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./tests/reporter.js',
    '--test-reporter-destination=stderr',
  ];
  return names
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => `tests/${part}/${name}`)
    .map((file) => [file, process.execPath, [...webSocket, ...reporters, file]]);
}

/** The site and the Chromium that the browser tests share; null if they cannot be had. */
async function openShared() {
  try {
    const { shareSite } = await import('./browser/site.js'); // its packages were missing before
    return await shareSite();
  } catch (error) {
    fail(`the site: ${error.message}`);
    return null;
  }
}

/** Runs all files from one queue, so that no core waits for the last file of a part. */
async function runFiles() {
  const since = performance.now();
  const shared = parts.includes('browser') ? await openShared() : null;
  if (shared) env = { ...process.env, ...shared.env };
  const files = parts.filter((part) => part !== 'browser' || shared).flatMap(filesOf);
  const place = ([name]) => SLOW.indexOf(basename(name, '.test.js')) + 1 || SLOW.length + 1;
  files.sort((one, other) => place(one) - place(other));
  const atOnce = Number(process.env.AT_ONCE) || AT_ONCE;
  console.log(`\n${files.length} files, ${atOnce} at once`);
  const worker = async () => {
    for (let file = files.shift(); file; file = files.shift()) await runFile(...file);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await shared?.close();
  console.log(`the files took ${seconds(since)} s`);
}

/**
 * Everything that a test of these parts needs, but for Emscripten, which build.sh installs: what
 * cannot be had ends the run.
 */
async function install() {
  const programs = ['gcc=build-essential', 'clang-format=clang-format'];
  if (long) programs.push('clang-tidy=clang-tidy');
  if (beyondNative || long) programs.push('clang=clang');
  if (beyondNative) {
    if (!process.env.CHROMIUM) programs.push('chromium-headless-shell=chromium-headless-shell');
  }
  return (
    (await step('installing programs', './need.sh', ...programs)) &&
    (await step('npm ci', 'make', '-s', 'node_modules/.package-lock.json')) &&
    (!beyondNative ||
      (await step('installing a newer Node', 'make', '-s', 'node_modules/node/bin/node')))
  );
}

/** Builds what the parts run; false if they cannot. */
async function build() {
  const targets = [];
  if (parts.includes('native')) targets.push('native-tests', ...(long ? ['native-traps'] : []));
  if (beyondNative) targets.push('native', 'wasm');
  const made = await step('the build', 'make', '-s', '-k', '-j2', ...targets);
  await step('the format of C, JavaScript and CSS, and the linter', 'make', '-s', 'style');
  if (long) await step('clang-tidy', 'make', '-s', 'tidy');
  return made && (await step('fixtures', process.execPath, 'tests/fixtures/make.js'));
}

function finish() {
  for (const child of running) end(child);
  if (skipped.length) console.log(`\nskipped:\n${skipped.map((line) => `  ${line}`).join('\n')}`);
  const rest = skipped.length ? `, ${skipped.length} skipped` : '';
  console.log(`${totals.passed} passed, ${totals.failed} failed${rest}`);
  process.exit(totals.failed ? 1 : 0);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    fail(`the run: ended by ${signal}`);
    finish();
  });
}
setTimeout(() => {
  fail(`the run: took more than ${RUN_LIMIT} s`);
  finish();
}, RUN_LIMIT * 1000).unref();

const unknown = chosen.filter((part) => !ALL.includes(part));
if (unknown.length) fail(`no such part: ${unknown.join(', ')}`);
else if (await install()) {
  console.log(`installed after ${seconds(began)} s`);
  const since = performance.now();
  if (await build()) {
    console.log(`built in ${seconds(since)} s`);
    await runFiles();
  }
}
console.log(`\nall of it took ${seconds(began)} s`);
finish();
