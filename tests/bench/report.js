/** What a run prints and what RESULTS.md keeps: the tables, the machine, the versions, the commands. */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { absences, align, digits, tableOf } from './table.js';
import { writePlots } from './plots.js';

/** @typedef {import('./race.js').Race} Race */
/** @typedef {{ date: string, seconds: number, versions: Record<string, string>, races: Race[], command: string,
 *   sizes: import('./size.js').Size[], plan: { samples: number, least: number } }} Result */

const here = fileURLToPath(new URL('./', import.meta.url));

const TITLES = new Map(Object.entries({
  decode: 'Decode, tokens/s: batch 1, KV cache, from an empty timeline (260K: 256 tokens, 15M: 64, 124M: 16)',
  prefill: 'Prefill, tokens/s: 64 tokens at once',
  load: 'Load, ms: from a path or a local address to ready, module compiled anew',
  cold: 'Cold start to the first token, ms: Chromium from navigation with nothing cached, Node the whole process',
  chain: 'Sampler, ms: repetition_penalty 1.1, temperature 0.8, top_k 40, top_p 0.95, and the draw',
  top_p: 'Sampler, ms: top_p 0.95 alone, and the draw',
  trace: 'Trace for the page, ms: every warper up to six, 50 tokens listed',
  curve: 'Decode, tokens/s, sizes between',
  positions: 'One step of 15M q8_0, ms, at a position',
}));

const COMMANDS = /** @type {Record<string, string>} */ ({
  decode: 'decode', prefill: 'prefill', load: 'load', cold: 'cold', chain: 'sampler', top_p: 'sampler', trace: 'trace',
  curve: 'growth', positions: 'growth',
});

/** @param {Result['sizes']} sizes */
function sizeTable(sizes) {
  const rows = sizes.map(({ name, raw, gzip }) => [name, '', `${digits(raw / 1e3)} kB`, `${digits(gzip / 1e3)} kB`]);
  return `Size to fetch\n${align([['', '', 'raw', 'gzip -9'], ...rows])}`;
}

/** Blocks of text, one a part, each with its command under it. @param {Result} result */
function blocks({ races, sizes }) {
  const parts = [...TITLES.keys()].filter((part) => races.some((one) => one.part === part));
  const tables = parts.map((part) => {
    const own = races.filter((one) => one.part === part);
    return `${tableOf(String(TITLES.get(part)), own)}\n  node tests/bench/run.js --parts ${COMMANDS[part]}`;
  });
  return [...tables, ...(sizes.length ? [`${sizeTable(sizes)}\n  node tests/bench/run.js --parts size`] : [])];
}

/** @param {Result} result */
function legend({ races, plan, seconds, command }) {
  return [
    `Medians of ${plan.samples} samples of at least ${plan.least} ms, contenders in turns; ± is half the range.`,
    '"x" after a peer: how many times as fast our best variant is, the median over turns. "%" after memory: how much',
    'of what reading the weights alone would allow. Logits of the samplers are normal, deviation 3.',
    ...absences(races),
    `${command}  (${Math.round(seconds)} s)`,
  ].join('\n');
}

/** @param {Result} result */
export function report(result) {
  return [...blocks(result), legend(result)].join('\n\n');
}

function machine() {
  const [{ model }] = cpus();
  return `${model.trim()}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`;
}

/** Writes RESULTS.md and the plots that the run has data for. @param {Result} result */
export function writeResults(result) {
  const plots = writePlots(result.races);
  const versions = Object.entries(result.versions).map(([name, version]) => `${name} ${version}`).join(', ');
  const text = [
    '# Results of the bench',
    `Written by \`${result.command} --write\` on ${result.date}. Machine: ${machine()}. Versions: ${versions},`
      + ' wllama 2.3.7 (its build of one thread), PyTorch on one thread where it is installed.',
    ...plots.map(({ file, title }) => `![${title}](${file})`),
    ...[...blocks(result), legend(result)].map((block) => `\`\`\`text\n${block}\n\`\`\``),
  ].join('\n\n');
  writeFileSync(`${here}RESULTS.md`, `${text}\n`);
}
