/**
 * What has to be fetched: the modules, and the engine's JavaScript with its worker, minified as the
 * site's build does.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @typedef {{ name: string, raw: number, gzip: number }} Size */

/** @param {string} name @param {Uint8Array} bytes @returns {Size} */
const weigh = (name, bytes) => ({
  name,
  raw: bytes.length,
  gzip: gzipSync(bytes, { level: 9 }).length,
});

/**
 * Files of JavaScript as the site's build makes them, and after them what they share.
 * @param {string[]} entries under web/engine/
 */
async function bundles(entries) {
  const { outputFiles, metafile } = await build({
    entryPoints: entries.map((entry) => join(root, 'web/engine', entry)),
    bundle: true,
    format: 'esm',
    splitting: entries.length > 1,
    minify: true,
    target: 'es2022',
    charset: 'utf8',
    write: false,
    metafile: true,
    outdir: root,
  });
  // What is fetched when it is first wanted, which no visit begins with, and what only that shares.
  const { outputs } = metafile;
  const first = new Set(
    Object.keys(outputs).filter((path) =>
      entries.includes(basename(outputs[path].entryPoint ?? '')),
    ),
  );
  for (const path of first)
    for (const { path: imported, kind } of outputs[path].imports)
      if (kind === 'import-statement') first.add(imported);
  const paths = [...first].map((path) => resolve(path));
  return outputFiles.filter(({ path }) => paths.includes(path)).map(({ contents }) => contents);
}

/**
 * One file that holds all it needs.
 * @param {string} entry under web/engine/
 */
export async function bundle(entry) {
  return (await bundles([entry]))[0];
}

/** @param {string} total @param {Size[]} parts @returns {Size[]} */
const withTotal = (total, parts) => [
  ...parts,
  {
    name: total,
    raw: parts.reduce((sum, { raw }) => sum + raw, 0),
    gzip: parts.reduce((sum, { gzip }) => sum + gzip, 0),
  },
];

/** The modules that are built, by path; of the last two a visit fetches one. */
export const modulePaths = () =>
  ['logitscope.wasm', 'logitscope-simd.wasm', 'logitscope-relaxed.wasm']
    .map((name) => join(root, 'web/engine', name))
    .filter((path) => existsSync(path));

/** What a visit fetches of them: the engine, and the larger of the modules of loops. @returns {Size[]} */
function visited() {
  const [engine, ...loops] = modulePaths().map((path) => weigh(basename(path), readFileSync(path)));
  return [engine, ...loops.sort((a, b) => b.gzip - a.gzip).slice(0, 1)];
}

/** @returns {Promise<Size[]>} */
export async function measureSizes() {
  const names = [
    'engine JavaScript in the page (remote.js)',
    'worker with the engine (worker.js)',
    'what both of them import',
  ];
  const scripts = (await bundles(['remote.js', 'worker.js'])).map((bytes, i) =>
    weigh(names[i] ?? names[2], bytes),
  );
  const peer = join(root, 'node_modules/@wllama/wllama/esm');
  const theirs = ['single-thread/wllama.wasm', 'index.min.js'].map((name) =>
    weigh(`wllama ${name}`, readFileSync(join(peer, name))),
  );
  return [
    ...withTotal('ours together', [...visited(), ...scripts]),
    ...withTotal('wllama together', theirs),
  ];
}
