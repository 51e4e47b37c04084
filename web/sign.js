/** Writes two files that list all files of the site with their SHA-256: sw.js (the service worker) and SHA256SUMS. */
import { build as bundle } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MODELS } from './state/models.js';

const web = dirname(fileURLToPath(import.meta.url));

/** Files that are not listed: those that no page fetches, and the lists themselves. */
const LEFT_OUT =
  /\.zip$|^(logitscope\.html|preview\.png|sbom\.cdx\.json|SHA256SUMS|_headers|sw\.js)$/;
/** Files that the service worker stores only when a page fetches them. The first model is not one of these. */
const ON_USE =
  /^(lessons\/.*\.html|models\/.*|logitscope\.js|logitscope-threads.*\.wasm|anywidget\.js|LICENSES\.txt)$/;
/** Largest file that the service worker stores, in bytes: it reads a whole file to check it. */
const LARGEST = 64 * 2 ** 20;

/** Returns the paths of all files in a folder, sorted. @param {string} folder */
export async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}

/** @param {string} folder @param {string} path @param {import('node:crypto').BinaryToTextEncoding} as */
async function sumOf(folder, path, as) {
  return createHash('sha256')
    .update(await readFile(join(folder, path)))
    .digest(as);
}

/**
 * Returns the service worker's code. It has the hashes of all files, so it changes if one of them does.
 * @param {string} folder
 */
async function serviceWorker(folder) {
  const all = (await filesOf(folder)).filter((path) => !LEFT_OUT.test(path));
  const sizes = await Promise.all(all.map(async (path) => (await stat(join(folder, path))).size));
  const files = all.filter((_, i) => sizes[i] <= LARGEST);
  const sums = Object.fromEntries(
    await Promise.all(files.map(async (path) => [path, await sumOf(folder, path, 'base64')])),
  );
  const onUse = files.filter((path) => path !== MODELS[0].model && ON_USE.test(path));
  const entry = join(web, 'page/offline/service-worker.js');
  const version = createHash('sha256')
    .update(JSON.stringify(sums))
    .update(await readFile(entry))
    .digest('hex')
    .slice(0, 16);
  const { outputFiles } = await bundle({
    absWorkingDir: dirname(web),
    entryPoints: [entry],
    bundle: true,
    minify: true,
    target: 'es2022',
    format: 'iife',
    define: { 'globalThis.SITE': JSON.stringify({ version, sums, onUse }) },
    write: false,
  });
  return `/* logitscope ${version} */\n${outputFiles[0].text}`;
}

/**
 * Writes both files. Call it when all other files are there.
 * @param {string} folder
 */
export async function signSite(folder) {
  await writeFile(join(folder, 'sw.js'), await serviceWorker(folder));
  const paths = (await filesOf(folder)).filter((path) => path !== 'SHA256SUMS');
  const lines = paths.map(async (path) => `${await sumOf(folder, path, 'hex')}  ${path}\n`);
  await writeFile(join(folder, 'SHA256SUMS'), (await Promise.all(lines)).join(''));
}
