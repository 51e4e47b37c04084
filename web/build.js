/**
 * Builds dist/: the static site, minified and the same bytes each time, with relative addresses
 * only, so that it works under any path. Prints what each file weighs.
 */
import { build as bundle } from 'esbuild';
import { cp, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const web = dirname(fileURLToPath(import.meta.url));
const root = dirname(web);

/** Views whose strings, NAME.*, are fetched with their code. */
const LATER = ['compare', 'own'];

/**
 * The module '#locales': every JSON file of locale/, so that a new language is one new file; and
 * '#locales/NAME', the strings of a view, which the first visit does not fetch.
 */
export const locales = {
  name: 'locales',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onResolve({ filter: /^#locales(\/\w+)?$/ }, ({ path }) => ({ path, namespace: 'locales' }));
    build.onLoad({ filter: /.*/, namespace: 'locales' }, async ({ path }) => {
      const view = path.split('/')[1];
      const files = (await readdir(join(web, 'locale')))
        .filter((file) => file.endsWith('.json'))
        .sort();
      /** @type {Record<string, object>} */
      const found = {};
      for (const file of files) {
        const all = JSON.parse(await readFile(join(web, 'locale', file), 'utf8'));
        const mine = Object.entries(all).filter(([key]) => {
          const later = LATER.find((name) => key.startsWith(`${name}.`));
          return later === view;
        });
        found[file.slice(0, -'.json'.length)] = Object.fromEntries(mine);
      }
      return {
        contents: `export const locales = ${JSON.stringify(found)};`,
        watchFiles: files.map((file) => join(web, 'locale', file)),
      };
    });
  },
};

/**
 * Writes the site into the folder `out`.
 * @param {string} [out]
 */
export async function build(out = join(root, 'dist')) {
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, 'models'), { recursive: true });
  await bundle({
    entryPoints: { main: join(web, 'main.js'), worker: join(web, 'engine/worker.js') },
    outdir: out,
    bundle: true,
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    minify: true,
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'eof',
    plugins: [locales],
    logLevel: 'warning',
  });
  await cp(join(web, 'index.html'), join(out, 'index.html'));
  await cp(join(web, 'style/page.css'), join(out, 'page.css'));
  await cp(join(web, 'style/icon.svg'), join(out, 'icon.svg'));
  const modules = (await readdir(join(web, 'engine'))).filter((file) => file.endsWith('.wasm'));
  for (const file of modules) await cp(join(web, 'engine', file), join(out, file));
  const models = (await readdir(join(root, 'models'))).filter((file) =>
    /\.(gguf|grammar\.json)$/.test(file),
  );
  for (const file of models) await cp(join(root, 'models', file), join(out, 'models', file));
  return out;
}

/**
 * Every file under `folder`, by path.
 * @param {string} folder
 */
export async function weigh(folder) {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort();
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(path);
      return {
        path: relative(folder, path),
        raw: bytes.length,
        gzip: gzipSync(bytes, { level: 9 }).length,
      };
    }),
  );
}

/**
 * The files of the site in `folder` that every visit fetches before the model: the page, what its
 * scripts import at once (not what a view brings when it is first shown), the two modules.
 * @param {string} folder
 */
export async function firstLoad(folder) {
  const files = new Set(['index.html', 'page.css', 'icon.svg', 'main.js', 'worker.js']);
  for (const file of files) {
    if (!file.endsWith('.js')) continue;
    const code = await readFile(join(folder, file), 'utf8');
    for (const [, name] of code.matchAll(/\b(?:from|import)"\.\/([\w-]+\.js)"/g)) files.add(name);
  }
  for (const file of await readdir(folder)) if (file.endsWith('.wasm')) files.add(file);
  return files;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = await build();
  /** @param {number} bytes */
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(11);
  const files = await weigh(out);
  const first = await firstLoad(out);
  let code = 0;
  for (const { path, raw, gzip } of files) {
    process.stdout.write(`${kilobytes(raw)}${kilobytes(gzip)} gzip  dist/${path}\n`);
    if (first.has(path)) code += gzip;
  }
  const model = files.find(({ path }) => path === join('models', 'stories.gguf'))?.raw ?? 0;
  process.stdout.write(
    `first load: ${kilobytes(code).trim()} gzip of page and engine + ${kilobytes(model).trim()} of ` +
      `model = ${((code + model) / 1e6).toFixed(2)} MB\n`,
  );
}
