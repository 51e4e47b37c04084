/**
 * Mutation testing of the samplers, the rank, the chain and the draw: node tests/mutation/run.js [MUTANTS] [SEED]. It
 * draws MUTANTS mutants of these files, builds each, and runs the native tests until one fails. A mutant with the
 * original's machine code is equivalent and not counted (Papadakis et al. 2015, "Trivial compiler equivalence"). It
 * prints each surviving mutant and a table.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '../../web/grade/inputs.js';
import { mutantsOf, mutated } from './mutants.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [WANTED = 500, SEED = 1] = process.argv.slice(2).map(Number);
const SUBJECTS = /^(warp(_\w+)?|rank|chain(_\w+)?|draw)\.c$/;
/** Native tests of the mutated files, the fastest first. */
const TESTS = [
  'penalty',
  'truncation',
  'warp',
  'vectors',
  'draw',
  'watermark',
  'speculate',
  'corpus',
  'shortlist',
  'chain',
  'properties',
  'plain_samplers',
  'session',
];
/** Time limit of a test: ten times the slowest. */
const TIMEOUT_MS = 90_000;
/** Sanitizers find faults that checks miss. No -g: line numbers would make equal code differ. */
const FLAGS =
  '-std=c11 -O1 -fPIC -ffp-contract=off -w -fsanitize=address,undefined -fno-sanitize-recover -Isrc'.split(
    ' ',
  );

const sources = readdirSync(join(root, 'src')).filter(
  (name) => name.endsWith('.c') && name !== 'wasm.c',
);
const subjects = sources.filter((name) => SUBJECTS.test(name));

/**
 * Runs a program in the root of the tree; returns true if it succeeds.
 * @param {string} program @param {string[]} args @param {string} [library] folder of liblogitscope.so
 * @returns {Promise<boolean>}
 */
const run = (program, args, library = '') =>
  new Promise((resolve) => {
    const env = { ...process.env, LD_LIBRARY_PATH: join(root, library) };
    const limits = {
      cwd: root,
      env,
      timeout: program === 'gcc' ? 0 : TIMEOUT_MS,
      killSignal: /** @type {const} */ ('SIGKILL'),
    };
    execFile(program, args, { ...limits, maxBuffer: 1e8 }, (error) => resolve(!error));
  });

/** Returns all mutants in a random order. */
function shuffled() {
  const all = subjects.flatMap((name) => {
    const source = readFileSync(join(root, 'src', name), 'utf8');
    return mutantsOf(source).map((mutant) => ({ name, source, mutant }));
  });
  const random = new Random(SEED);
  for (let i = all.length - 1; i > 0; i--) {
    const j = random.whole(0, i);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

/** @param {string} source @param {string} object @param {string[]} defines */
const compile = (source, object, ...defines) =>
  run('gcc', [...FLAGS, '-Itests/native', ...defines, '-c', source, '-o', object]);

const original = 'build/mutation/original';

/** Builds the objects of the unchanged `src` and of the tests. */
async function prepare() {
  rmSync(join(root, 'build/mutation'), { recursive: true, force: true });
  mkdirSync(join(root, original), { recursive: true });
  const fuzz = readdirSync(join(root, 'tests/fuzz')).filter((name) => name.endsWith('.c'));
  const entry = (/** @type {string} */ name) =>
    `-DLLVMFuzzerTestOneInput=fuzz_${name.replace('.c', '')}`;
  const queue = [
    ...sources.map((name) => [`src/${name}`, `${original}/${name}.o`]),
    ['tests/native/plain_samplers.c', `${original}/plain_samplers.o`],
    ...TESTS.map((test) => [`tests/native/test_${test}.c`, `${original}/test_${test}.o`]),
    ...fuzz.map((name) => [`tests/fuzz/${name}`, `${original}/fuzz_${name}.o`, entry(name)]),
  ];
  await inParallel(async () => {
    for (let job = queue.shift(); job; job = queue.shift())
      if (!(await compile(job[0], job[1], ...job.slice(2))))
        throw new Error(`${job[0]} does not compile`);
  });
}

/** Links a library: one file's object from `folder`, all others from the unchanged build. */
function library(folder, changed) {
  const objects = sources.map((name) => `${name === changed ? folder : original}/${name}.o`);
  return run('gcc', [...FLAGS, '-shared', ...objects, '-o', `${folder}/liblogitscope.so`, '-lm']);
}

/** Links the test programs; LD_LIBRARY_PATH selects the library at run time. */
async function programs() {
  const targets = readdirSync(join(root, original)).filter((name) => name.startsWith('fuzz_'));
  await library(original);
  const found = ['-L', original, '-llogitscope', '-lm'];
  for (const test of TESTS) {
    const beside = test === 'corpus' ? targets.map((name) => `${original}/${name}`) : [];
    const parts = [`${original}/test_${test}.o`, `${original}/plain_samplers.o`, ...beside];
    if (!(await run('gcc', [...FLAGS, ...parts, ...found, '-o', `${original}/test_${test}`])))
      throw new Error(`test_${test} does not link`);
  }
}

/**
 * Returns the first test that fails with the library of a folder, or null if all pass.
 * @param {string} folder
 */
async function killer(folder) {
  for (const test of TESTS)
    if (!(await run(join(root, original, `test_${test}`), [], folder))) return test;
  return null;
}

/** @param {(i: number) => Promise<void>} work */
const inParallel = (work) =>
  Promise.all(
    Array.from({ length: Number(process.env.AT_ONCE) || availableParallelism() }, (_, i) =>
      work(i),
    ),
  );

/** @param {string} name */
const same = (folder, name) =>
  readFileSync(join(root, folder, `${name}.o`)).equals(
    readFileSync(join(root, original, `${name}.o`)),
  );

const began = performance.now();
await prepare();
await programs();
const broken = await killer(original);
if (broken) throw new Error(`test_${broken} fails without a mutant`);

const queue = shuffled();
const total = queue.length;
/** @type {Map<string, { killed: number, survived: number, equivalent: number }>} */
const counts = new Map(subjects.map((name) => [name, { killed: 0, survived: 0, equivalent: 0 }]));
let tried = 0;

/** Prints a table of the results so far. */
function report() {
  const sum = (kind) => [...counts.values()].reduce((all, count) => all + count[kind], 0);
  console.log('| file | mutants | killed | survived | equal code |\n|---|---|---|---|---|');
  const row = (name, { killed, survived, equivalent }) =>
    console.log(`| ${name} | ${killed + survived} | ${killed} | ${survived} | ${equivalent} |`);
  for (const [name, count] of counts) row(`\`${name}\``, count);
  row('all', {
    killed: sum('killed'),
    survived: sum('survived'),
    equivalent: sum('equivalent'),
  });
  const share = ((100 * sum('killed')) / (sum('killed') + sum('survived'))).toFixed(1);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${share} % killed, of ${total} mutants in all, seed ${SEED}, ${seconds} s`);
}
/** A run may take hours, so a signal prints the results before the exit. */
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    report();
    process.exit(1);
  });

await inParallel(async (i) => {
  const folder = `build/mutation/${i}`;
  mkdirSync(join(root, folder), { recursive: true });
  while (tried < WANTED && queue.length) {
    const { name, source, mutant } = queue.pop();
    const count = counts.get(name);
    writeFileSync(join(root, folder, name), mutated(source, mutant));
    if (!(await compile(`${folder}/${name}`, `${folder}/${name}.o`))) continue;
    if (same(folder, name)) {
      count.equivalent++;
      continue;
    }
    if (tried++ >= WANTED) break;
    const test = (await library(folder, name)) ? await killer(folder) : 'the linker';
    if (tried % 50 === 0) console.log(`${tried} tried`);
    if (test) count.killed++;
    else {
      count.survived++;
      console.log(`survives: src/${name}:${mutant.line}: ${mutant.before} -> ${mutant.after}`);
    }
  }
});

report();
