/**
 * Installs missing programs, builds, then runs every test of the project, and ends with `N passed, N failed`. A part
 * that does not build counts as one failure, and so does a file that crashes or hangs. Skipped tests are named with
 * their reasons. With arguments (native, node, browser, python) it runs only those parts.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILES, REPORTERS, Runner, secondsSince } from './runner.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const chosen = process.argv.slice(2);
/** The order in which parts start: the smallest programs last, so that no core is idle at the end. */
const ALL = ['browser', 'python', 'node', 'native'];
const parts = ALL.filter((part) => !chosen.length || chosen.includes(part));
const beyondNative = parts.some((part) => part !== 'native');
/** True in `make test-long`, which runs every case, more native builds and clang-tidy. */
const long = Boolean(process.env.LONG);
/** True if the Python package is tested. In `make test-long` a browser test shows it in a notebook. */
const withPython = parts.includes('python') || (long && parts.includes('browser'));
/** The build folders of the native tests, by make target. */
const NATIVE = {
  'native-tests': 'asan',
  ...(long && { 'native-traps': 'trap', 'native-races': 'tsan' }),
  ...(long && process.arch === 'x64' && { 'native-32': 'm32/asan' }),
};
/** Debian's Python, which has Debian's NumPy. */
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3';
/**
 * Arguments of `env` for the Python tests: the path of the built package. The runner's channel is left out, since it
 * would end each Node that these tests start.
 */
const ENV = ['-u', 'NODE_CHANNEL_FD', `PYTHONPATH=${join(root, 'build/python')}`];
/** Slow test files. `make test-quick` omits them. */
const LEFT_OUT = process.env.QUICK
  ? ['submission', 'pack', 'grade', 'cli', 'planted-faults'].map((name) => `${name}.test.js`)
  : [];
/** True if a test file has only long tests: it does not import `test`. @param {string} file */
const isLong = (file) => !readFileSync(join(root, file), 'utf8').includes("from 'node:test'");

/** Number of programs at once on two cores: while one waits, another computes. */
const AT_ONCE = 3;
/** Number of processes for the files of a part. Few: each starts Node and loads the engine, or starts a Chromium. */
const PROCESSES = { browser: 3, node: 8 };
/** Node test files that replace timers and globals, or measure their process. Each has a process of its own. */
const ALONE = [
  'benchmarks',
  'browser-storage',
  'bundlers',
  'cheats',
  'debounce',
  'hosted-models',
  'landscape',
  'landscape-parts',
  'memory',
  'memory-limits',
  'visit',
];
/** The slowest files, slowest first. They start first, so the run does not wait for one of them at its end. */
const SLOW = {
  browser: [
    'landscape',
    'reload',
    'page',
    'offline',
    'marks',
    'build',
    'first-frame',
    'server',
    'compare',
    'own-sampler',
    'embed',
    'lesson',
    'recorded',
    'address',
    'host-pages',
    'samplers',
    'claims',
    'logits',
    'touch',
    'models',
    'distribution',
    'chain',
    'sampler-list',
  ],
  node: [
    'landscape',
    'visit',
    'submission',
    'lesson',
    'pack',
    'grade',
    'hosted-models',
    'models',
    'courses',
    'compare',
    'cli',
    'planted-faults',
    'types',
    'chat',
    'runner',
  ],
};

const began = performance.now();
const runner = new Runner();

/** The Firefox tests need WebSocket. Node 20 has it only with this flag. */
const webSocket = process.allowedNodeEnvironmentFlags.has('--experimental-websocket')
  ? ['--experimental-websocket']
  : [];

/** @param {string} file */
const nameOf = (file) => basename(file, '.test.js');

/** Returns the programs of a part as arguments of `runProgram`. */
function programsOf(part) {
  const names = readdirSync(join(root, 'tests', part)).sort();
  if (part === 'native') {
    const folders = Object.values(NATIVE);
    return names
      .filter((name) => /^test_.*\.c$/.test(name))
      .flatMap((name) => folders.map((folder) => join('build', folder, name.slice(0, -2))))
      .filter((program) => !program.includes('tsan') || program.endsWith('test_threads'))
      .map((program) => [program, program, []]);
  }
  if (part === 'python') {
    return names
      .filter((name) => /^test_.*\.py$/.test(name))
      .map((name) => [`tests/python/${name}`, 'env', [...ENV, PYTHON, `tests/python/${name}`]]);
  }
  const place = (file) => SLOW[part].indexOf(nameOf(file)) + 1 || SLOW[part].length + 1;
  const files = names
    .filter((name) => name.endsWith('.test.js') && !LEFT_OUT.includes(name))
    .map((name) => `tests/${part}/${name}`)
    .filter((file) => long || !isLong(file))
    .sort((one, other) => place(one) - place(other));
  const alone = files.filter((file) => part === 'node' && ALONE.includes(nameOf(file)));
  const shared = files.filter((file) => !alone.includes(file));
  const shares = Array.from({ length: PROCESSES[part] }, (_, i) =>
    shared.filter((_, j) => j % PROCESSES[part] === i),
  );
  return [...shares, ...alone.map((file) => [file])].map((share) => [
    share.join(', '),
    process.execPath,
    [...webSocket, ...REPORTERS, FILES, ...share],
  ]);
}

/**
 * Builds the site for all browser tests. Returns their environment, in which LOGITSCOPE_SITE is the folder of the built
 * site, or null if the build fails.
 */
async function buildSite() {
  try {
    const { shareSite } = await import('./browser/site.js'); // not at the top: its packages may be installed by this run
    return await shareSite();
  } catch (error) {
    runner.fail(`the site: ${error.message}`);
    return null;
  }
}

/**
 * Runs all programs from one queue, so no core is idle while a part ends.
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

/** Installs everything that the tests of these parts need; ends the run if that fails. */
async function install() {
  const programs = ['gcc=build-essential', 'clang-format=clang-format'];
  if (long) programs.push('clang-tidy=clang-tidy', 'clang=clang');
  if (beyondNative) {
    programs.push('python3=python3');
    const lacks = (/** @type {string} */ name) =>
      spawnSync(PYTHON, ['-c', `import ${name}`]).status !== 0;
    if (withPython && lacks('numpy')) programs.push('numpy=python3-numpy');
    if (withPython && long && lacks('torch')) programs.push('torch=python3-torch');
    if (withPython && long) programs.push('jupyter-notebook=jupyter-notebook');
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

/** Builds the parts. Returns the browser tests' environment, null if there is no site, or false if a build fails. */
async function build() {
  const targets = [];
  if (parts.includes('native')) targets.push(...Object.keys(NATIVE));
  if (withPython) targets.push('build/python/logitscope/data.json');
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
