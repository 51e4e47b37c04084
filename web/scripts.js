/**
 * Joins scripts that are always fetched together. Otherwise, a page would fetch nearly fifty scripts, because esbuild
 * writes one for each set of entries that share a module.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { rollup } from '@rollup/wasm-node';
import { transform } from 'esbuild';

/** Matches the hash at the end of esbuild's file names. */
const HASH = /-[A-Z0-9]{8}$/;

/**
 * A plugin that shortens names, because joining makes them longer (a$1). It also removes licence comments; a file of
 * the site has the full licences.
 */
const shortener = {
  name: 'shortener',
  /** @param {string} code */
  renderChunk: async (code) =>
    (
      await transform(code, {
        minify: true,
        target: 'es2022',
        charset: 'utf8',
        legalComments: 'none',
      })
    ).code,
};

/**
 * Joins the scripts in a folder. Everything that main.js imports is joined to it, except modules that worker.js needs
 * too: these become one shared script, because a worker must not run the page. The rest of worker.js's imports is a
 * separate script, because a view may need it without running the worker.
 * @param {string} folder
 * @param {string[]} others further entry scripts, which no script imports
 */
export async function joinScripts(folder, others) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  const input = ['main.js', 'worker.js', ...others].map((name) => resolve(folder, name));
  const [main, worker] = input;
  const bundle = await rollup({
    input,
    external: (id) => !names.includes(basename(id)), // a module of Node
    treeshake: false,
  });
  const { output } = await bundle.generate({
    format: 'es',
    compact: true,
    plugins: [shortener],
    hashCharacters: 'hex',
    chunkFileNames: ({ name }) => `${name.replace(HASH, '')}-[hash].js`,
    manualChunks(id, { getModuleInfo: infoOf }) {
      if (reaches(main, id, infoOf)) return reaches(worker, id, infoOf, true) ? 'shared' : 'main';
      return id !== worker && reaches(worker, id, infoOf) ? 'engine' : null;
    },
  });
  for (const name of names) await rm(join(folder, name));
  for (const file of output)
    if (file.type === 'chunk') await writeFile(join(folder, file.fileName), file.code);
}

/**
 * Returns true if a script imports another one, directly or through others.
 * @param {string} script
 * @param {string} id
 * @param {import('@rollup/wasm-node').GetModuleInfo} infoOf
 * @param {boolean} [later] true to follow dynamic imports also
 */
function reaches(script, id, infoOf, later = false) {
  const found = new Set([script]);
  for (const each of found) {
    const info = infoOf(each);
    for (const next of info?.importedIds ?? []) found.add(next);
    if (later) for (const next of info?.dynamicallyImportedIds ?? []) found.add(next);
  }
  return found.has(id);
}
