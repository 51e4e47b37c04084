/** `logitscope convert`: makes a GGUF file from a checkpoint, its configuration and its vocabulary. */
import { createWriteStream, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { inEnglish } from '../engine/errors.js';
import { wholeName } from '../engine/model-names.js';
import { convert as convertFiles } from '../import/convert.js';
import { fetchRepository } from '../import/repository.js';
import { byteFileOfPath } from './byte-file.js';
import { UsageError } from './flags.js';
import { showProgress } from './progress.js';
import { columns, inLine, printJson } from './terminal.js';

/** Returns the files in a folder, or the path itself if it is a file. @param {string} path */
function filesAt(path) {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (!isFolder) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(path, entry.name));
}

/** @param {string[]} paths */
async function openFiles(paths) {
  try {
    return await Promise.all(paths.flatMap(filesAt).map(byteFileOfPath));
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
}

/**
 * Writes a temporary file and renames it at the end, so that a failure leaves no incomplete file.
 * @param {string} path
 * @param {AsyncIterable<Uint8Array>} chunks
 */
async function writeFile(path, chunks) {
  const part = `${path}.part`;
  try {
    await pipeline(chunks, createWriteStream(part));
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw code && /^E[A-Z]+$/.test(code) ? new UsageError(`--out: ${message}`) : error;
  }
}

/**
 * Fetches a model of the hub and converts it.
 * @param {string} name as wholeName returns it
 * @param {import('../import/convert.js').Options} options
 * @param {any} onprogress
 */
export async function convertRepository(name, options, onprogress) {
  const { name: title, files } = await fetchRepository(name, { keep: true, onprogress });
  return convertFiles(files, { name: title, ...options });
}

/** @type {import('./flags.js').Command} */
export const convert = {
  summary: 'make a GGUF file of a checkpoint',
  settings: false,
  operands: 'CHECKPOINT ... or hub:owner/name',
  modelless: true,
  flags: [
    { name: 'out', kind: 'text', help: 'the GGUF file (the name of the checkpoint, .gguf)' },
    { name: 'vocabulary', kind: 'texts', help: 'a file with the tokens; may be repeated' },
    { name: 'type', kind: 'text', help: 'format of the matrices: f32, f16, q8_0 or q4_0 (f32)' },
    { name: 'n_head', kind: 'number', help: 'number of heads, if no file states it' },
    {
      name: 'activation',
      kind: 'text',
      help: "gelu, gelu_pytorch_tanh or relu, if it is not the layout's",
    },
    {
      name: 'attention_scale',
      kind: 'text',
      help: 'head or embedding: whose size divides the scores of attention (head)',
    },
  ],
  notes:
    'The files of a model may be given together, or the folder that has them. hub:owner/name fetches them from the hub.\n',

  check({ operands }) {
    if (operands.length === 0) throw new UsageError('CHECKPOINT is missing');
  },

  async run(_scope, values, { stdout, stderr }) {
    const { operands, vocabulary: words = [], type, json } = values;
    const hub = operands.length === 1 ? wholeName(operands[0]) : null;
    const files = hub ? [] : await openFiles(operands);
    const vocabulary = await openFiles(words);
    const assume = Object.fromEntries(
      ['n_head', 'activation', 'attention_scale']
        .filter((name) => values[name] !== undefined)
        .map((name) => [name, values[name]]),
    );
    const options = { type, assume, vocabulary };
    const progress = showProgress(stderr);
    const model = await (hub
      ? convertRepository(hub, options, progress.onprogress).finally(progress.end)
      : convertFiles(files, options));
    const out = values.out ?? `${model.name}.gguf`;
    if ([...files, ...vocabulary].some(({ name }) => resolve(name) === resolve(out)))
      throw new UsageError(
        `--out must be another file than ${inLine(basename(out))}, which is read`,
      );
    await writeFile(out, model.chunks);
    const { layout, architecture, parameters, tokenizer, size } = model;
    const notes = model.notes.map((note) => inEnglish(note));
    const facts = {
      out,
      layout,
      architecture,
      type: model.type,
      parameters,
      tokenizer,
      bytes: size,
    };
    if (json) return printJson(stdout, { ...facts, notes });
    const rows = Object.entries(facts).map(([name, value]) => [name, inLine(String(value))]);
    stdout.write(`${columns(rows)}\n`);
    for (const note of notes) stdout.write(`note: ${inLine(note)}\n`);
  },
};
