/**
 * Joins the scripts of a site that are always fetched together. esbuild writes one for each set of
 * scripts that share a module: nearly fifty for a page to import at once, some of them empty.
 */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { rollup } from '@rollup/wasm-node';
import { transform } from 'esbuild';

/** What esbuild's names end with. */
const HASH = /-[A-Z0-9]{8}$/;

/** Joining makes names longer (a$1); this shortens them again. The site has each license whole in a file. */
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
 * Writes the scripts in `folder` anew. What main.js imports at once is in main.js or, where worker.js may
 * want it too, in one that they share: a worker must not run a page. The rest of what worker.js imports
 * at once is beside it: a view may want some of that, and must not run a worker.
 * @param {string} folder
 * @param {string[]} others scripts that nothing imports
 */
export async function joinScripts(folder, others) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  const input = ['main.js', 'worker.js', ...others].map((name) => resolve(folder, name));
  const [main, worker] = input;
  const bundle = await rollup({
    input,
    external: (id) => !names.includes(basename(id)), // what Node alone imports
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
 * Whether a script imports another, by others too.
 * @param {string} script
 * @param {string} id
 * @param {import('@rollup/wasm-node').GetModuleInfo} infoOf
 * @param {boolean} [later] what is imported later counts as well
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
