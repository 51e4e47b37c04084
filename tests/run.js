/**
 * Installs, builds, then runs every test of the project, and ends with `N passed, N failed`. What is
 * to be installed is there before the first test. A part that does not build, and a file that dies
 * or stands still, counts as one failure; skipped tests are named with their reasons.
 *
 * With arguments (native, node, browser) it runs those parts only.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILES, REPORTERS, Runner, secondsSince } from './runner.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const chosen = process.argv.slice(2);
/** In the order in which they begin: the longest first. */
const ALL = ['browser', 'native', 'node'];
const parts = ALL.filter((part) => !chosen.length || chosen.includes(part));
const beyondNative = parts.some((part) => part !== 'native');
/** `make test-long`: every case, and what takes a compiler longer than a test may. */
const long = Boolean(process.env.LONG);
/** The folders of the native tests, by the target that builds them. */
const NATIVE = {
  'native-tests': 'asan',
  ...(long && { 'native-traps': 'trap' }),
  ...(long && process.arch === 'x64' && { 'native-32': 'm32/asan' }),
};
/** `make test-quick` leaves out those that take longest. */
const LEFT_OUT = process.env.QUICK
  ? ['submission', 'pack', 'grade', 'cli', 'faults'].map((name) => `${name}.test.js`)
  : [];

/** How many programs run at once on two cores: where one waits, another computes. */
const AT_ONCE = 3;
/** How many programs share the browser files: few, since each starts a Chromium. */
const BROWSERS = 6;
/**
 * The files that take longest, the longest first: begun first, none of them is what the end waits
 * for. The others come as they lie.
 */
const SLOW = [
  'visit',
  'offline',
  'landscape',
  'reflow',
  'own-chain',
  'axe',
  'keyboard',
  'warpers',
  'sweep',
  'compare',
  'search',
  'page',
  'access',
  'own-sampler',
  'wllama',
  'repetition',
  'pack',
  'exports',
  'types',
  'links',
  'text',
  'hosts',
  'submission',
  'cli',
  'grade',
  'run',
  'chat',
  'faults',
  'stories_wllama',
  'memory',
  'relaxed',
  'digest',
];

const began = performance.now();
const runner = new Runner();

/** The tests of Firefox need a WebSocket, which Node 20 has behind this flag. */
const webSocket = process.allowedNodeEnvironmentFlags.has('--experimental-websocket')
  ? ['--experimental-websocket']
  : [];

/** The place of a file in the queue. @param {string} file */
const place = (file) => SLOW.indexOf(basename(file, '.test.js')) + 1 || SLOW.length + 1;

/** The programs of a part, as `runProgram` takes them. */
function programsOf(part) {
  const names = readdirSync(join(root, 'tests', part)).sort();
  if (part === 'native') {
    const folders = Object.values(NATIVE);
    return names
      .filter((name) => /^test_.*\.c$/.test(name))
      .flatMap((name) => folders.map((folder) => join('build', folder, name.slice(0, -2))))
      .map((program) => [program, program, []]);
  }
  const files = names
    .filter((name) => name.endsWith('.test.js') && !LEFT_OUT.includes(name))
    .map((name) => `tests/${part}/${name}`)
    .sort((one, other) => place(one) - place(other));
  const shares = part === 'browser' ? BROWSERS : files.length;
  return Array.from({ length: shares }, (_, i) => files.filter((_, j) => j % shares === i)).map(
    (share) => [share.join(', '), process.execPath, [...webSocket, ...REPORTERS, FILES, ...share]],
  );
}

/** Builds the site that the browser tests share; the environment that tells of it, or null. */
async function buildSite() {
  try {
    const { shareSite } = await import('./browser/site.js'); // its packages were missing before
    return await shareSite();
  } catch (error) {
    runner.fail(`the site: ${error.message}`);
    return null;
  }
}

/**
 * Runs all from one queue, so that no core waits for the last program of a part.
 * @param {Awaited<ReturnType<typeof buildSite>>} site
 */
async function runPrograms(site) {
  const since = performance.now();
  if (site) runner.env = { ...process.env, ...site };
  const programs = parts.filter((part) => part !== 'browser' || site).flatMap(programsOf);
  const atOnce = Number(process.env.AT_ONCE) || AT_ONCE;
  console.log(`\n${programs.length} programs, ${atOnce} at once`);
  await runner.runPrograms(programs, atOnce);
  console.log(`the tests took ${secondsSince(since)} s`);
}

/** Everything that a test of these parts needs; what cannot be had ends the run. */
async function install() {
  const programs = ['gcc=build-essential', 'clang-format=clang-format'];
  if (long) programs.push('clang-tidy=clang-tidy', 'clang=clang');
  if (beyondNative) {
    programs.push('python3=python3');
    if (!process.env.CHROMIUM) programs.push('chromium-headless-shell=chromium-headless-shell');
  }
  return (
    (await runner.step('installing programs', './need.sh', ...programs)) &&
    (await runner.step('npm ci', 'make', '-s', 'node_modules/.package-lock.json')) &&
    (!beyondNative ||
      ((await runner.step('installing Emscripten', './build.sh', '--tools')) &&
        (await runner.step('installing a newer Node', 'make', '-s', 'node_modules/node/bin/node'))))
  );
}

/** Builds what the parts run: the site of the browser tests, or null without; false if they cannot. */
async function build() {
  const targets = [];
  if (parts.includes('native')) targets.push(...Object.keys(NATIVE));
  if (beyondNative) targets.push(long ? 'native' : 'build/gcc/logitscope', 'wasm');
  const made = await runner.step('the build', 'make', '-s', '-k', '-j2', ...targets);
  const [site] = await Promise.all([
    parts.includes('browser') ? buildSite() : null,
    runner.step('the format of C, JavaScript and CSS, and the linter', 'make', '-s', 'style'),
  ]);
  if (long) await runner.step('clang-tidy', 'make', '-s', 'tidy');
  const fixed = await runner.step('fixtures', process.execPath, 'tests/fixtures/make.js');
  return made && fixed ? site : false;
}

function finish() {
  process.exit(runner.finish() ? 0 : 1);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    runner.fail(`the run: ended by ${signal}`);
    finish();
  });
}
runner.limitRun(finish);

const unknown = chosen.filter((part) => !ALL.includes(part));
if (unknown.length) runner.fail(`no such part: ${unknown.join(', ')}`);
else if (await install()) {
  console.log(`installed after ${secondsSince(began)} s`);
  const since = performance.now();
  const site = await build();
  if (site !== false) {
    console.log(`built in ${secondsSince(since)} s`);
    await runPrograms(site);
  }
}
console.log(`\nall of it took ${secondsSince(began)} s`);
finish();
