/**
 * Runs every test of the project and ends with `N passed, N failed`. A part that does not build, or
 * a runner that dies without its summary, counts as one failure; skipped tests count as nothing.
 *
 * With arguments (native, node, browser) it runs those parts only.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const parts = process.argv.slice(2);
const totals = { passed: 0, failed: 0, skipped: 0 };
/** The tests of Firefox need a WebSocket, which Node 20 has behind this flag. */
const webSocket = process.allowedNodeEnvironmentFlags.has('--experimental-websocket')
  ? ['--experimental-websocket']
  : [];

/** Runs a program, showing what it prints; resolves to { ok, output }. */
function run(command, args) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.on('data', (data) => {
      output += data;
      process.stdout.write(data);
    });
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

function fail(what) {
  console.log(`FAILED ${what}`);
  totals.failed++;
}

/** A step that later ones need; true if it worked. */
async function build(what, command, ...args) {
  const { ok } = await run(command, args);
  if (!ok) fail(what);
  return ok;
}

/** Adds a runner's own counts; one that fails without saying so counts once. */
function add(what, ok, counts) {
  if (!counts || (!ok && counts.failed === 0)) fail(`${what}: ended without a summary`);
  totals.passed += counts?.passed ?? 0;
  totals.failed += counts?.failed ?? 0;
  totals.skipped += counts?.skipped ?? 0;
}

function testsIn(folder, pattern) {
  const path = join(root, 'tests', folder);
  return existsSync(path)
    ? readdirSync(path)
        .filter((name) => pattern.test(name))
        .sort()
    : [];
}

async function runNative() {
  const jobs = `-j${Math.min(availableParallelism(), 8)}`;
  if (!(await build('native build', 'make', '-s', '-k', jobs, 'native-tests'))) return;
  for (const name of testsIn('native', /^test_.*\.c$/)) {
    const program = join('build', 'asan', name.slice(0, -2));
    console.log(program);
    const { ok, output } = await run(program, []);
    const summary = /^(\d+) passed, (\d+) failed$/.exec(output.trimEnd().split('\n').at(-1) ?? '');
    add(program, ok, summary && { passed: Number(summary[1]), failed: Number(summary[2]) });
  }
}

/** Node's own runner, for Node tests and for browser tests. */
async function runNodeTests(folder) {
  const files = testsIn(folder, /\.test\.js$/).map((name) => `tests/${folder}/${name}`);
  if (!files.length) return;
  const summaryFile = join(root, 'build', `${folder}.tap`);
  mkdirSync(join(root, 'build'), { recursive: true });
  rmSync(summaryFile, { force: true });
  const { ok } = await run(process.execPath, [
    ...webSocket,
    '--test',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=tap',
    `--test-reporter-destination=${summaryFile}`,
    ...files,
  ]);
  const summary = existsSync(summaryFile) ? readFileSync(summaryFile, 'utf8') : '';
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(summary)?.[1] ?? NaN);
  const counts = {
    passed: count('pass'),
    failed: count('fail') + count('cancelled'),
    skipped: count('skipped'),
  };
  add(`${folder} tests`, ok, Number.isNaN(counts.passed + counts.failed) ? null : counts);
}

const wanted = (part) => !parts.length || parts.includes(part);

const installed = await build('npm ci', 'make', '-s', 'node_modules/.package-lock.json');
const built =
  wanted('node') || wanted('browser')
    ? await build('WebAssembly build', 'make', '-s', 'wasm')
    : false;
if (existsSync(join(root, 'tests/fixtures/make.js'))) {
  await build('fixtures', process.execPath, 'tests/fixtures/make.js');
}
if (wanted('native')) await runNative();
if (wanted('node') && installed && built) {
  await build('native command line', 'make', '-s', 'native');
  await run('make', ['-s', 'node_modules/node/bin/node']); // what needs it is skipped without it
  await runNodeTests('node');
}
if (wanted('browser') && installed && built) {
  if (await build('chromium', './need.sh', 'chromium=chromium')) await runNodeTests('browser');
}

const skipped = totals.skipped ? `, ${totals.skipped} skipped` : '';
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed ? 1 : 0;
