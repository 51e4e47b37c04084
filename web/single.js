/**
 * Builds dist/logitscope.html: page, engine and models in one file, which works from disk and in a sandboxed frame.
 * Its policy allows its script and its style sheet by their hashes.
 */
import { build as bundle } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LESSON_FILES } from './lessons/shipped.js';

const web = dirname(fileURLToPath(import.meta.url));
const root = dirname(web);
/** Models in the file, and the grammar of one of them. */
const CARRIED = ['models/stories.gguf', 'models/verbs.gguf', 'models/verbs.grammar.json'];

/**
 * Bundles a module with everything that it imports into one classic script.
 * @param {string} entry
 * @param {import('esbuild').BuildOptions} options
 */
async function script(entry, options) {
  const { outputFiles } = await bundle({
    ...options,
    entryPoints: [join(web, entry)],
    write: false,
    format: 'iife',
    // Nothing is fetched; this address only has to be valid.
    define: {
      'import.meta.url': '"https://nowhere.invalid/"',
      'globalThis.MODEL_HOSTS': '"^$"',
      'globalThis.PROBE_HOSTS': '"^$"',
    },
  });
  return outputFiles[0].text;
}

/** The hash for a policy. @param {string} text between the tags */
function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * @param {string} out folder of the result
 * @param {import('esbuild').BuildOptions} options of every bundle
 * @param {{ page: string, hash: string }} sandbox the frame that runs a user's code; its page
 *   inherits the policy of this page
 * @param {() => Promise<string>} notices returns the licenses of all packages bundled so far
 */
export async function buildSingle(out, options, sandbox, notices) {
  const modules = ['logitscope.wasm', 'logitscope-simd.wasm', 'logitscope-relaxed.wasm'].filter(
    (name) => existsSync(join(web, 'engine', name)),
  );
  const files = CARRIED.filter((name) => existsSync(join(root, name)));
  const worker = Buffer.from(await script('page/single-worker.js', options));
  const parts = [
    ...(await Promise.all(
      modules.map(async (name) => [name, await readFile(join(web, 'engine', name))]),
    )),
    ['worker.js', worker],
    ['template.js', Buffer.from(await script('engine/template.js', options))],
    ['sandbox.html', Buffer.from(sandbox.page)],
    ...(await Promise.all(files.map(async (name) => [name, await readFile(join(root, name))]))),
    ...(await Promise.all(
      LESSON_FILES.map(async (name) => [name, await readFile(join(web, name))]),
    )),
  ];
  // Escape "<!--", because before "<script" it changes how a browser reads the rest of a script.
  const code = (await script('page/single-main.js', options)).replaceAll('<!--', '<\\!--');
  const named = await notices();
  const style = await readFile(join(web, 'style/page.css'), 'utf8');
  const policy =
    `default-src 'none'; script-src ${hashOf(code)} ${sandbox.hash} 'wasm-unsafe-eval'; worker-src blob:; ` +
    `style-src ${hashOf(style)}; img-src blob: data:; base-uri 'none'; form-action 'none'; ` +
    "require-trusted-types-for 'script'; trusted-types lit-html logitscope";
  const data = parts.map(
    ([name, bytes]) =>
      `<script type="application/octet-stream" data-file="${name}">${/** @type {Buffer} */ (bytes).toString('base64')}</script>`,
  );
  const page = (await readFile(join(web, 'index.html'), 'utf8'))
    .replace(/(http-equiv="Content-Security-Policy" content=")[^"]*/, (_, start) => start + policy)
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(/\n *<script type="module"[^>]*><\/script>/, '')
    .replace(/\n *<p class="late"[^]*?<\/p>/g, '')
    .replace('</html>', () => `<!--\n${named}-->\n</html>`)
    .replace('</body>', () => `${data.join('\n')}\n<script>${code}</script>\n  </body>`);
  await writeFile(join(out, 'logitscope.html'), page);
}
