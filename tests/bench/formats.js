/**
 * Compares decode and prefill with wllama in every quantised format, in Chromium on one thread. It plots tokens/s
 * against the bytes of the weights, with the limit that the memory's speed sets.
 *
 *     node tests/bench/formats.js [--sizes 3.4M,15M,124M,0.6B,1.2B] [--formats Q8_0,Q4_K_M] [--prefill 256]
 *       [--threads 2] [--write]
 *
 * With --threads the page is isolated, and every contender has as many threads, ours also one and `auto`.
 * tests/vectors/make_models.py makes the files, with random weights. Native llama.cpp
 * takes part if LLAMA_CPP names a folder with node-llama-cpp, and the newest wllama if WLLAMA_NEWEST names
 * a folder with @wllama/wllama.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ISOLATED, openChromium, root } from './chromium.js';
import { hasLlamaCpp, LlamaCppContender, llamaCppVersion } from './llama_cpp.js';
import { WLLAMA, enter, enterOurs } from './parts.js';
import { seriesColors } from './plots.js';
import { best, race } from './race.js';
import { writePlot, writeSection } from './sections.js';
import { absences, tableOf } from './table.js';
import { median } from './timing.js';

const folder = join(root, 'build/bench/formats');
const SMALL = ['Q4_0', 'Q4_1', 'Q5_0', 'Q5_1', 'IQ4_NL', 'Q8_0'];
const ALL = [...SMALL, 'Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K', 'IQ4_XS', 'Q4_K_M'];
/** Number of tokens in a decode and in a prefill run. Rows of 15M are too short for formats with blocks of 256. */
const SIZES =
  /** @type {Record<string, { decode: number, prefill: number, formats: string[] }>} */ ({
    '3.4M': { decode: 64, prefill: 64, formats: ['Q8_0'] },
    '15M': { decode: 64, prefill: 64, formats: SMALL },
    '124M': { decode: 16, prefill: 64, formats: ALL },
    '0.6B': { decode: 4, prefill: 256, formats: ['Q8_0', 'Q4_K_M'] },
    '1.2B': { decode: 4, prefill: 16, formats: ['Q4_K_M'] },
  });
const NATIVE = 'llama.cpp native';
/** Name of the newest wllama with its version; null if it is not installed. */
const NEWEST = process.env.WLLAMA_NEWEST ? `wllama ${newestVersion()}` : null;
const PLAN = { samples: 3, least: 100, budget: 4000 };

const INTRO = `# Speed by format

A section for each processor, written there by \`node tests/bench/formats.js --write\`. Medians of
${PLAN.samples} turns of at least ${PLAN.least} ms; ± half the range. "x" is the ratio of our speed to the
other's, "%" the share of the speed of reading the file alone; both by turn.

In a section without threads in its title every contender has one thread, in a page that is not
isolated: no special headers, so no shared memory. A section with threads has an isolated page, and as
many threads in every contender; its columns "1 thread" and "auto" are ours too.

Native llama.cpp runs in Node, with the instructions of the processor. Its loop over
tokens is in JavaScript, which costs time at 15M. The newest wllama takes whole requests and no
single step; its own clock gives the time.`;

function newestVersion() {
  const found = join(String(process.env.WLLAMA_NEWEST), 'node_modules/@wllama/wllama/package.json');
  return JSON.parse(readFileSync(found, 'utf8')).version;
}

/** @param {string} size @param {string} format */
function fileOf(size, format) {
  if (size === '3.4M') return join(root, 'models/stories.gguf');
  const path = join(folder, `${size}.${format}.gguf`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path)) {
    const script = join(root, 'tests/vectors/make_models.py');
    execFileSync('/usr/bin/python3', [script, '--bench', folder, size, format]);
  }
  return path;
}

/** @param {any} chromium @param {string} size @param {string} format */
async function run(chromium, size, format) {
  const model = fileOf(size, format);
  // The size includes the vocabulary's texts: less than 1 %, except at 15M.
  const bytes = statSync(model).size;
  const native = await enterNative(model);
  const page = await chromium.openPage();
  try {
    const ours = await (threads > 1
      ? enterThreads(page, model)
      : enterOurs(page, { model }, ['relaxed']));
    const options = { model, context: 320, threads };
    const peers = [
      ...(threads > 1 ? [] : [await enter(page, WLLAMA, 'peer', 'wllama', options)]),
      ...(NEWEST ? [await enter(page, NEWEST, 'peer', 'newest', options)] : []),
      ...native,
    ];
    const common = { host: 'chromium', subject: `${size} ${format}`, unit: 'tokens/s', rate: true };
    const { decode } = SIZES[size];
    const prefill = Number(values.prefill ?? SIZES[size].prefill);
    const memory = await enterMemory(page, bytes);
    const bound = { ...memory, factor: 1 / decode };
    const speed = (/** @type {number} */ tokens) => (/** @type {number} */ ms) =>
      (1e3 * tokens) / ms;
    const runners = [...ours, ...peers, bound];
    const decoded = await race(runners, { what: 'decode', tokens: decode }, PLAN, speed(decode));
    await memory.contender?.close();
    const filled = await race(
      [...ours, ...peers],
      { what: 'prefill', tokens: prefill },
      PLAN,
      speed(prefill),
    );
    return [
      { part: 'decode', ...common, entries: decoded, bytes },
      { part: 'prefill', ...common, entries: filled, bytes },
    ];
  } finally {
    for (const { contender } of native) await contender.close();
    await page.close();
  }
}

/** Opens this engine with all threads; with one and by its own choice, as peers. @param {any} page @param {string} model */
async function enterThreads(page, model) {
  const options = { model, variant: 'relaxed' };
  return [
    await enter(page, `${threads} threads`, 'ours', 'engine', { ...options, threads }),
    await enter(page, '1 thread', 'peer', 'engine', { ...options, threads: 1 }),
    await enter(page, 'auto', 'peer', 'engine', options),
  ];
}

/** Opens a reader for each thread, which read together. @param {any} page @param {number} bytes of all */
async function enterMemory(page, bytes) {
  const readers = [];
  for (let n = 0; n < threads; n++)
    readers.push(await enter(page, 'memory', 'bound', 'memory', { bytes: bytes / threads }));
  const all = (/** @type {(reader: any) => Promise<any>} */ act) =>
    Promise.all(readers.map(({ contender }) => act(contender)));
  const contender = {
    sample: async (/** @type {any} */ work, /** @type {number} */ least) =>
      Math.max(...(await all((reader) => reader.sample(work, least)))),
    close: () => all((reader) => reader.close()),
  };
  return { ...readers[0], contender };
}

/** Opens native llama.cpp; returns no entry if it is not installed. @param {string} model */
async function enterNative(model) {
  if (!hasLlamaCpp()) return [];
  const contender = await LlamaCppContender.open({ model, context: 320, threads });
  return [{ name: NATIVE, side: /** @type {const} */ ('peer'), contender }];
}

/** @param {Awaited<ReturnType<typeof run>>} races */
function plotOf(races) {
  const points = (/** @type {(one: any) => any} */ pick) =>
    races
      .flatMap((one) => {
        const entry = pick(one);
        return entry?.samples.length
          ? [/** @type {[number, number]} */ ([one.bytes, median(entry.samples)])]
          : [];
      })
      .sort(([a], [b]) => a - b);
  const named = (/** @type {string} */ name) => (/** @type {any} */ one) =>
    one.entries.find((/** @type {any} */ entry) => entry.name === name);
  const [blue, orange, green, purple] = seriesColors;
  return {
    file: 'tokens-by-bytes.svg',
    title: 'Decode speed against the bytes of the file, Chromium, one thread',
    x: 'bytes',
    y: 'tokens/s',
    log: true,
    series: [
      { name: 'reading alone', color: green, dashed: true, points: points(named('memory')) },
      { name: 'Logitscope', color: blue, points: points(best) },
      { name: 'wllama', color: orange, points: points(named(WLLAMA)) },
      { name: NATIVE, color: purple, points: points(named(NATIVE)) },
    ].filter((series) => series.points.length > 0),
  };
}

const text = { type: /** @type {const} */ ('string') };
const { values } = parseArgs({
  options: { sizes: text, formats: text, prefill: text, threads: text, write: { type: 'boolean' } },
});
const threads = Number(values.threads ?? 1);
const sizes = values.sizes?.split(',') ?? Object.keys(SIZES);
const chromium = await openChromium(threads > 1 ? ISOLATED : undefined);
if (!chromium) throw new Error('Chromium is not installed');
const races = [];
try {
  for (const size of sizes) {
    const { formats } = SIZES[size];
    const asked = values.formats?.split(',').filter((name) => formats.includes(name));
    for (const format of asked ?? formats) {
      const made = await run(chromium, size, format);
      races.push(...made);
      process.stderr.write(`${tableOf(`${size} ${format}`, made)}\n`);
    }
  }
} finally {
  await chromium.close();
}
const tables = ['decode', 'prefill'].map((part) => {
  const own = races.filter((one) => one.part === part);
  return `${part}, tokens/s\n${tableOf('', own).replace(/^\n/, '')}`;
});
const table = [...tables, ...absences(races)].join('\n\n');
process.stdout.write(`${table}\n`);
if (values.write) {
  const decoded = races.filter(({ part }) => part === 'decode');
  const asked = process.argv.slice(2).filter((each) => each !== '--write');
  writeSection(
    'FORMATS.md',
    INTRO,
    [
      `On ${new Date().toISOString().slice(0, 10)}, ${cpus()[0].model.trim()}, load ${loadavg()[0].toFixed(1)} at the end` +
        `${asked.length ? `, of ${asked.join(' ')}` : ''}.` +
        `${hasLlamaCpp() ? ` Native llama.cpp comes from node-llama-cpp ${llamaCppVersion()}.` : ''}`,
      ...(threads > 1 ? [] : [writePlot(plotOf(decoded))]),
      `\`\`\`text\n${table}\n\`\`\``,
    ],
    threads > 1 ? `, ${threads} threads` : '',
  );
}
