/** Formats a run's output and a section of RESULTS.md: tables, machine, versions and commands. */
import { availableParallelism, cpus, totalmem } from 'node:os';
import { targetRows } from './targets.js';
import { absences, align, digits, tableOf } from './table.js';
import { plotsOf } from './plots.js';
import { writePlot, writeSection } from './sections.js';

/** @typedef {import('./race.js').Race} Race */
/**
 * @typedef {object} Result
 * @property {string} date
 * @property {number} seconds
 * @property {Record<string, string>} versions
 * @property {Race[]} races
 * @property {string} command
 * @property {import('./size.js').Size[]} sizes
 * @property {{ samples: number, least: number }} plan
 */

const TITLES = new Map(
  Object.entries({
    decode:
      'Decode, tokens/s: batch 1, KV cache, from an empty timeline (256, 64, 16 tokens by size)',
    prefill: 'Prefill, tokens/s: 64 tokens at once',
    load: 'Load, ms: from a path or a local address to ready, module compiled anew',
    cold: 'Cold start to the first token, ms: a page with nothing cached; in Node a process',
    chain:
      'Sampler, ms: repetition_penalty 1.1, temperature 0.8, top_k 40, top_p 0.95, and the draw',
    top_p: 'Sampler, ms: top_p 0.95 alone, and the draw',
    alone: 'Each sampler alone, ms: with a usual value, and the draw',
    trace: 'Trace for the page, ms: every sampler up to six, 50 tokens listed',
    mask: 'Mask of one step, ms: which tokens may follow under the constraint json',
    curve: 'Decode, tokens/s, sizes between',
    positions: 'One step of 15M q8_0, ms, at a position',
  }),
);

const COMMANDS = /** @type {Record<string, string>} */ ({
  decode: 'decode',
  prefill: 'prefill',
  load: 'load',
  cold: 'cold',
  chain: 'sampler',
  top_p: 'sampler',
  alone: 'alone',
  trace: 'trace',
  mask: 'mask',
  curve: 'growth',
  positions: 'growth',
});

/** @param {Result['sizes']} sizes */
function sizeTable(sizes) {
  const rows = sizes.map(({ name, raw, gzip }) => [
    name,
    '',
    `${digits(raw / 1e3)} kB`,
    `${digits(gzip / 1e3)} kB`,
  ]);
  return `Size to fetch\n${align([['', '', 'raw', 'gzip -9'], ...rows])}`;
}

/** Returns blocks of text: each part's table with its command below. @param {Result} result */
function blocks({ races, sizes }) {
  const parts = [...TITLES.keys()].filter((part) => races.some((one) => one.part === part));
  const tables = parts.map((part) => {
    const own = races.filter((one) => one.part === part);
    const table = tableOf(String(TITLES.get(part)), own);
    return `${table}\n  node tests/bench/run.js --parts ${COMMANDS[part]}`;
  });
  return [
    ...tables,
    ...(sizes.length ? [`${sizeTable(sizes)}\n  node tests/bench/run.js --parts size`] : []),
  ];
}

/** @param {Result} result */
function legend({ races, plan, seconds, command }) {
  return [
    `Medians of ${plan.samples} samples of at least ${plan.least} ms, in turns; ± half the range.`,
    '"x" after a peer: how many times as fast our best variant is, the median over turns.',
    '"%" after memory: how much of what reading the weights alone would allow.',
    'Logits of the samplers are normal with deviation 3.',
    ...absences(races),
    `${command}  (${Math.round(seconds)} s)`,
  ].join('\n');
}

/** @param {Result} result */
function targetTable({ races, sizes }) {
  const rows = targetRows(races, sizes);
  return rows.length > 1 ? [`Targets, our best variant\n${align(rows)}`] : [];
}

/** @param {Result} result */
const everything = (result) => [...blocks(result), ...targetTable(result), legend(result)];

/** @param {Result} result */
export function report(result) {
  return everything(result).join('\n\n');
}

function machine() {
  const [{ model }] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${model.trim()}, ${availableParallelism()} cores, ${memory} GiB`;
}

const INTRO = `# Results of the bench

A section for each processor, written there by \`node tests/bench/run.js --write\`. Every quantised
format, and larger models: [FORMATS.md](FORMATS.md). Without threads in a section's title, every
contender has one thread, in a page that is not isolated: no special headers, so no shared memory.`;

/** Writes this processor's section of RESULTS.md and its plots. @param {Result} result */
export function writeResults(result) {
  const versions = Object.entries(result.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
  writeSection('RESULTS.md', INTRO, [
    `On ${result.date}, ${machine()}. Versions: ${versions}; wllama 2.3.7 and PyTorch on one thread each.`,
    ...plotsOf(result.races).map(writePlot),
    ...everything(result).map((block) => `\`\`\`text\n${block}\n\`\`\``),
  ]);
}
