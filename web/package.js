/**
 * Builds build/elements/, the entry `logitscope/elements` of the npm package: a script with all elements, and the
 * files that it fetches. A worker is a single script, because bundlers copy only one file.
 */
import { build as bundle } from 'esbuild';
import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMON, definedFor, pluginsWith, sandbox } from './build.js';
import { Notices } from './notices.js';

const web = dirname(fileURLToPath(import.meta.url));
const root = dirname(web);
const out = join(root, 'build/elements');
const FILES = [
  'web/engine/logitscope.wasm',
  'web/engine/logitscope-simd.wasm',
  'web/engine/logitscope-relaxed.wasm',
  'models/verbs.gguf',
  'models/verbs.grammar.json',
];

await mkdir(out, { recursive: true });
const notices = new Notices();
const options = { ...COMMON, outdir: out, format: /** @type {const} */ ('esm') };
await bundle({
  ...options,
  // No first frame: its model is not in the package.
  plugins: [...pluginsWith(async () => null), notices.plugin],
  define: definedFor(),
  entryPoints: [join(web, 'page/elements.js')],
  inject: ['no-window.js', 'packaged.js'].map((name) => join(web, 'page', name)),
});
for (const worker of ['worker.js', 'template.js'])
  await bundle({ ...options, entryPoints: [join(web, 'engine', worker)] });
await writeFile(join(out, 'sandbox.html'), (await sandbox()).page);
await writeFile(join(out, 'LICENSES.txt'), await notices.text());
for (const file of FILES)
  if (existsSync(join(root, file)))
    await cp(join(root, file), join(out, file.slice(file.lastIndexOf('/') + 1)));
