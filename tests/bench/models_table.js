/**
 * Compares this engine with wllama, in Chromium, on the 17 models of wllama's demo. make_models.py in tests/vectors
 * makes a file of each architecture; the table compares log-probabilities. node tests/bench/models_table.js [NAME ...]
 * prints it as Markdown.
 *
 * ggml and this engine round activations in different groups. Each engine is therefore compared with a float64
 * computation that rounds in the same groups. If these two computations differ as much as the engines do, the
 * rounding explains the difference.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Logitscope } from '../../web/engine/index.js';
import { logProbabilitiesOf } from './beside_wllama.js';
import { openChromium, root } from './chromium.js';

const folder = join(root, 'build/bench/models17');
const CONTEXT = 64;

/**
 * Returns the range, over positions, of the largest difference at a position. A value that rounds differently also
 * changes later positions.
 * @param {number[][]} rows @param {number[][]} others
 */
function gapOf(rows, others) {
  const gaps = rows.map((row, t) => Math.max(...row.map((p, id) => Math.abs(p - others[t][id]))));
  return `${Math.min(...gaps).toExponential(0)} to ${Math.max(...gaps).toExponential(0)}`;
}

/** @param {string} model a path @param {number[]} ids @returns {Promise<number[][]>} */
async function ourProbabilities(model, ids) {
  const scope = await Logitscope.load({ model, context: CONTEXT });
  try {
    return ids.map((_, t) => {
      scope.feed(ids.slice(0, t + 1));
      return logProbabilitiesOf(scope.logits());
    });
  } finally {
    scope.close();
  }
}

/** @param {any} chromium @param {string} model @param {number[]} ids */
async function theirProbabilities(chromium, model, ids) {
  const page = await chromium.openPage();
  try {
    return await page.logProbabilities({ model, context: CONTEXT, ids });
  } finally {
    await page.close();
  }
}

const HEAD = [
  'model',
  'architecture',
  'format',
  'tokenizer',
  'widths',
  'heads',
  'layers',
  'parameters',
  'MB',
  'whole, MB',
  'whole as listed, MB',
  'ours − reference',
  'wllama − its reference',
  'reference − the other',
  'ours − wllama',
];

/** @param {any} chromium @param {string} name */
async function rowOf(chromium, name) {
  const stem = join(folder, name.replaceAll(' ', '_'));
  const made = JSON.parse(readFileSync(`${stem}.json`, 'utf8'));
  const model = `${stem}.gguf`;
  const [reference, ggml] = [made.logits, made.ggml_logits].map((rows) =>
    rows.map(logProbabilitiesOf),
  );
  const ours = await ourProbabilities(model, made.ids);
  const theirs = await theirProbabilities(chromium, model, made.ids);
  const gaps = [gapOf(ours, reference), gapOf(theirs, ggml), gapOf(reference, ggml)];
  return [
    name,
    made.arch,
    made.mix,
    made.pre ?? 'spm',
    `${made.embd}, ${made.ff}`,
    `${made.heads}/${made.kv} of ${made.head}`,
    `${made.layers} of ${made.whole_layers}`,
    `${(made.parameters / 1e6).toFixed(0)}M`,
    (statSync(model).size / 1e6).toFixed(0),
    (made.size / 1e6).toFixed(0),
    (made.listed / 1e6).toFixed(0),
    ...gaps,
    gapOf(ours, theirs),
  ];
}

const names = process.argv.slice(2);
execFileSync('/usr/bin/python3', [join(root, 'tests/vectors/make_models.py'), folder], {
  env: { ...process.env, OPENBLAS_NUM_THREADS: '1' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const order = JSON.parse(readFileSync(join(folder, 'order.json'), 'utf8'));
const chromium = await openChromium();
if (!chromium) throw new Error('Chromium is not installed');
try {
  process.stdout.write(`| ${HEAD.join(' | ')} |\n|${HEAD.map(() => '---|').join('')}\n`);
  for (const name of order) {
    if (names.length && !names.includes(name)) continue;
    process.stdout.write(`| ${(await rowOf(chromium, name)).join(' | ')} |\n`);
  }
} finally {
  await chromium.close();
}
