/**
 * Measures the files that a visit downloads: the modules, and the engine's JavaScript with its worker, minified as in
 * the site's build.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { joinScripts } from '../../web/scripts.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @typedef {{ name: string, raw: number, gzip: number }} Size */

/** @param {string} name @param {Uint8Array} bytes @returns {Size} */
const weigh = (name, bytes) => ({
  name,
  raw: bytes.length,
  gzip: gzipSync(bytes, { level: 9 }).length,
});

/** Options of the site's JavaScript build. @type {import('esbuild').BuildOptions} */
const LIKE_THE_SITE = {
  bundle: true,
  format: 'esm',
  minify: true,
  target: 'es2022',
  charset: 'utf8',
};

/**
 * Bundles an entry into one file; returns its bytes.
 * @param {string} entry under web/engine/
 */
export async function bundle(entry) {
  const entryPoints = [join(root, 'web/engine', entry)];
  const { outputFiles } = await build({ ...LIKE_THE_SITE, entryPoints, write: false });
  return outputFiles[0].contents;
}

/** Names of the engine's JavaScript files that a visit downloads: client, worker and engine. */
const FETCHED = {
  main: 'engine JavaScript in the page (remote.js)',
  worker: 'worker with the engine (worker.js)',
  engine: 'what the worker imports',
  shared: 'what both of them import',
};

/** Builds these files as the site does, without files that the page downloads later. */
async function fetched() {
  const outdir = await mkdtemp(join(tmpdir(), 'logitscope-'));
  try {
    const of = (/** @type {string} */ name) => join(root, 'web/engine', name);
    const entryPoints = { main: of('remote.js'), worker: of('worker.js') };
    await build({ ...LIKE_THE_SITE, entryPoints, splitting: true, outdir });
    await joinScripts(outdir, []);
    const names = (await readdir(outdir)).sort();
    return Object.entries(FETCHED).flatMap(([part, what]) =>
      names
        .filter((name) => name.split(/[-.]/)[0] === part)
        .map((name) => weigh(what, readFileSync(join(outdir, name)))),
    );
  } finally {
    await rm(outdir, { recursive: true });
  }
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

/** Paths of the built modules. A visit downloads the first, and one of the other two. */
export const modulePaths = () =>
  ['logitscope.wasm', 'logitscope-simd.wasm', 'logitscope-relaxed.wasm']
    .map((name) => join(root, 'web/engine', name))
    .filter((path) => existsSync(path));

/** Returns the sizes of a visit's modules: the engine, and the larger module with loops. @returns {Size[]} */
function visited() {
  const [engine, ...loops] = modulePaths().map((path) => weigh(basename(path), readFileSync(path)));
  return [engine, ...loops.sort((a, b) => b.gzip - a.gzip).slice(0, 1)];
}

/** @returns {Promise<Size[]>} */
export async function measureSizes() {
  const peer = join(root, 'node_modules/@wllama/wllama/esm');
  const theirs = ['single-thread/wllama.wasm', 'index.min.js'].map((name) =>
    weigh(`wllama ${name}`, readFileSync(join(peer, name))),
  );
  return [
    ...withTotal('ours together', [...visited(), ...(await fetched())]),
    ...withTotal('wllama together', theirs),
  ];
}
