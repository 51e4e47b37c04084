/**
 * Runs the fuzzers that `make fuzz` has built, one on each processor core: node tests/fuzz/run.js SECONDS [TARGET
 * ...]. Prints for each a row of the table in docs/testing.md. Inputs that break a target are stored in
 * build/fuzz/found. With `merge` instead of SECONDS, stores the smallest set of inputs with the same coverage in
 * tests/fuzz/corpus.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import './seeds.js';
import { TARGETS } from './imports.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [task = '60', ...chosen] = process.argv.slice(2);
const inC = readdirSync(`${root}/tests/fuzz`)
  .filter((name) => name.endsWith('.c'))
  .map((name) => name.slice(0, -2));
/** Targets in JavaScript have no coverage, so there is nothing to merge. */
const inJs = task === 'merge' ? [] : Object.keys(TARGETS);
const targets = [...inC, ...inJs].filter((name) => !chosen.length || chosen.includes(name));

/** Time limit of one input in seconds. The build with sanitizers is slow; an input that takes longer is reported. */
const SECONDS_PER_INPUT = 20;
/** Largest input that is stored in the repository, in bytes. */
const KEPT_BYTES = 2048;

/** Returns the folders with the first inputs of a target. @param {string} name */
const given = (name) =>
  [
    `tests/fuzz/corpus/${name}`,
    `tests/fuzz/findings/${name}`,
    `build/fuzz/seeds/${name}`,
    ...(name === 'gguf' ? ['tests/vectors/forward'] : []),
  ].filter((folder) => existsSync(`${root}/${folder}`));

/**
 * Runs a program and returns its output, exit code and processor time in seconds.
 * @param {string[]} command
 * @returns {Promise<{ output: string, code: number | null, cpu: number }>}
 */
function run(command) {
  const child = spawn('sh', ['-c', '"$@"; code=$?; times; exit $code', 'sh', ...command], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('latin1').on('data', (text) => {
      output = (output + text).slice(-200_000);
    });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const [minutes = 0, seconds = 0, systemMinutes = 0, systemSeconds = 0] =
        [...output.matchAll(/^(\d+)m([\d.]+)s (\d+)m([\d.]+)s$/gm)].at(-1)?.slice(1).map(Number) ??
        [];
      resolve({ output, code, cpu: 60 * (minutes + systemMinutes) + seconds + systemSeconds });
    });
  });
}

/** Returns the command that runs a target in C with libFuzzer. @param {string} name */
function commandInC(name) {
  const own = `build/fuzz/corpus/${name}`;
  const dictionary = `tests/fuzz/${name}.dict`;
  mkdirSync(`${root}/${own}`, { recursive: true });
  return [
    `build/fuzz/${name}`,
    `-max_total_time=${task}`,
    `-timeout=${SECONDS_PER_INPUT}`,
    '-print_final_stats=1',
    '-reload=0',
    `-artifact_prefix=build/fuzz/found/${name}-`,
    ...(existsSync(`${root}/${dictionary}`) ? [`-dict=${dictionary}`] : []),
    own,
    ...given(name),
  ];
}

/** @param {string} name */
async function fuzz(name) {
  const { output, code, cpu } = await run(
    inJs.includes(name) ? ['node', 'tests/fuzz/imports.js', name, task] : commandInC(name),
  );
  writeFileSync(`${root}/build/fuzz/${name}.log`, output, 'latin1');
  const number = (/** @type {RegExp} */ what) => [...output.matchAll(what)].at(-1)?.[1] ?? '?';
  const executions = number(/stat::number_of_executed_units:\s+(\d+)/g);
  console.log(`| ${name} | ${executions} | ${number(/cov: (\d+)/g)} | ${Math.round(cpu)} |`);
  if (!code) return true;
  console.log(`${name} broke: build/fuzz/${name}.log, build/fuzz/found`);
  return false;
}

/** @param {string} name */
async function merge(name) {
  const folder = `tests/fuzz/corpus/${name}`;
  const before = given(name);
  const fresh = `build/fuzz/merged/${name}`;
  rmSync(`${root}/${fresh}`, { recursive: true, force: true });
  mkdirSync(`${root}/${fresh}`, { recursive: true });
  const { code } = await run([
    `build/fuzz/${name}`,
    '-set_cover_merge=1',
    '-use_counters=0',
    `-max_len=${KEPT_BYTES}`,
    fresh,
    `build/fuzz/corpus/${name}`,
    ...before,
  ]);
  if (code) return false;
  rmSync(`${root}/${folder}`, { recursive: true, force: true });
  await run(['mkdir', '-p', 'tests/fuzz/corpus']);
  await run(['cp', '-r', fresh, folder]);
  console.log(`${name}: ${readdirSync(`${root}/${folder}`).length} inputs`);
  return true;
}

mkdirSync(`${root}/build/fuzz/found`, { recursive: true });
if (task !== 'merge')
  console.log('| target | executions | edges | CPU seconds |\n|---|---|---|---|');
const queue = [...targets];
let broken = 0;
await Promise.all(
  Array.from({ length: Number(process.env.AT_ONCE) || availableParallelism() }, async () => {
    for (let name = queue.shift(); name; name = queue.shift())
      if (!(await (task === 'merge' ? merge(name) : fuzz(name)))) broken++;
  }),
);
process.exit(broken ? 1 : 0);
