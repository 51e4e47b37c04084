/**
 * Joins scripts of the site that are always fetched together. esbuild writes a separate script for
 * each set of entries that share a module, so a page would import nearly fifty scripts at once.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { rollup } from '@rollup/wasm-node';
import { transform } from 'esbuild';

/** The hash at the end of esbuild's file names. */
const HASH = /-[A-Z0-9]{8}$/;

/**
 * A plugin that shortens names, since joining makes them longer (a$1). It removes license comments; a
 * file of the site contains the full licenses.
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
 * Rewrites the scripts in `folder`. The static imports of main.js are joined to it. Imports that
 * worker.js may also import are joined into one shared script instead, because a worker must not run
 * the page. The other static imports of worker.js become a separate script, because a view may import
 * them and must not run the worker.
 * @param {string} folder
 * @param {string[]} others further entry scripts, which no script imports
 */
export async function joinScripts(folder, others) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  const input = ['main.js', 'worker.js', ...others].map((name) => resolve(folder, name));
  const [main, worker] = input;
  const bundle = await rollup({
    input,
    external: (id) => !names.includes(basename(id)), // modules of Node
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
 * True if `script` imports `id`, directly or indirectly.
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
