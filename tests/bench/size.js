/**
 * What has to be fetched: the modules, and the engine's JavaScript with its worker, minified as the
 * site's build does.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
 * One file of JavaScript, as the site's build makes it.
 * @param {string} entry under web/engine/
 */
export async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'web/engine', entry)],
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    write: false,
    outdir: root,
  });
  return outputFiles[0].contents;
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

/** The modules that are built, by path. */
export const modulePaths = () =>
  ['logitscope.wasm', 'logitscope-relaxed.wasm']
    .map((name) => join(root, 'web/engine', name))
    .filter((path) => existsSync(path));

/** @returns {Promise<Size[]>} */
export async function measureSizes() {
  const modules = modulePaths().map((path) => weigh(basename(path), readFileSync(path)));
  const page = weigh('engine JavaScript in the page (remote.js)', await bundle('remote.js'));
  const worker = weigh('worker with the engine (worker.js)', await bundle('worker.js'));
  const peer = join(root, 'node_modules/@wllama/wllama/esm');
  const theirs = ['single-thread/wllama.wasm', 'index.min.js'].map((name) =>
    weigh(`wllama ${name}`, readFileSync(join(peer, name))),
  );
  return [
    ...withTotal('ours together', [...modules, page, worker]),
    ...withTotal('wllama together', theirs),
  ];
}
