/**
 * Builds the static site in dist/ and prints the size of each file. The same sources give the same bytes. All
 * addresses are relative, so the site works under any path.
 */
import { build as bundle, transform } from 'esbuild';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { firstFrame } from './first-frame.js';
import { patternOf, readHosts } from './model-hosts.js';
import { LESSON_FILES } from './lessons/shipped.js';
import { Notices } from './notices.js';
import { PICTURE, withPreview } from './preview.js';
import { joinScripts } from './scripts.js';
import { filesOf, signSite } from './sign.js';
import { buildSingle } from './single.js';
import { BASICS, SHARED } from './state/settings.js';

const web = dirname(fileURLToPath(import.meta.url));
const root = dirname(web);

/** Every NAME that occurs in an import of '#locales/NAME'. */
const STRING_MODULES = new Set();
for (const file of await readdir(web, { recursive: true }))
  if (file.endsWith('.js'))
    for (const [, name] of (await readFile(join(web, file), 'utf8')).matchAll(
      /['"]#locales\/([a-z]+)['"]/g,
    ))
      STRING_MODULES.add(name);

/**
 * Makes modules of the page's strings, so that a new language needs only a new file. '#locales' has English and loads
 * other languages; '#locales/language/CODE' is one of them. '#locales/NAME' has the strings of one view in all
 * languages, which the first screen does not need.
 */
const locales = {
  name: 'locales',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    const filter = /^#locales(\/\w+)*$/;
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'locales' }));
    build.onLoad({ filter: /.*/, namespace: 'locales' }, async ({ path }) => {
      const [, view, code] = path.split('/');
      const files = (await readdir(join(web, 'locale'))).filter((file) => file.endsWith('.json'));
      const watchFiles = files.map((file) => join(web, 'locale', file));
      const resolveDir = web;
      if (view === 'language')
        return {
          contents: `export default ${JSON.stringify(await messagesOf(code))};`,
          watchFiles,
        };
      const codes = files.map((file) => file.slice(0, -'.json'.length)).sort();
      if (view) {
        /** @type {Record<string, object>} */
        const found = {};
        for (const each of codes) found[each] = await messagesOf(each, view);
        return { contents: `export const locales = ${JSON.stringify(found)};`, watchFiles };
      }
      const others = await Promise.all(
        codes
          .filter((each) => each !== 'en')
          .map(async (each) => {
            const { language: name } = await messagesOf(each);
            return `{ code: '${each}', name: ${JSON.stringify(name)}, load: () => import('#locales/language/${each}') }`;
          }),
      );
      const english = JSON.stringify(await messagesOf('en'));
      const contents = `export const english = ${english};\nexport const others = [${others}];`;
      return { contents, resolveDir, watchFiles };
    });
  },
};

/** Makes a module of an imported style sheet, minified, for Lit elements. */
const styles = {
  name: 'styles',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), {
        loader: 'css',
        minify: true,
        charset: 'utf8',
      });
      const contents = `import { unsafeCSS } from 'lit';\nexport default unsafeCSS(${JSON.stringify(code.trim())});`;
      return { contents, resolveDir: dirname(path) };
    });
  },
};

/**
 * Makes the module '#first-frame' of the first frame.
 * @param {() => Promise<object | null>} frame
 */
const firstOf = (frame) => ({
  name: 'first-frame',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onResolve({ filter: /^#first-frame$/ }, () => ({
      path: 'built',
      namespace: 'first-frame',
    }));
    build.onLoad({ filter: /.*/, namespace: 'first-frame' }, async () => ({
      contents: `export const built = ${JSON.stringify(await frame())};`,
    }));
  },
});

/**
 * Returns the plugins for bundles of page code.
 * @param {() => Promise<object | null>} frame returns the first frame, null for none
 */
export const pluginsWith = (frame) => [locales, styles, firstOf(frame)];
export const plugins = pluginsWith(firstFrame);

/** The settings described on the first screen. The shelf's strings describe the others. */
const AT_ONCE = [...BASICS, ...SHARED];

/**
 * Returns the view to which a string belongs; undefined for the first screen.
 * @param {string} key
 */
function viewOf(key) {
  const [family, name] = key.split('.');
  if (family === 'about' && !AT_ONCE.includes(name)) return 'shelf';
  return STRING_MODULES.has(family) ? family : undefined;
}

/**
 * The strings of each language by view, and the text of their file. Each module of strings in a build asks for them, so
 * they are parsed once.
 * @type {Map<string, { text: string, views: Map<string | undefined, Record<string, any>> }>}
 */
const messages = new Map();

/**
 * Returns the strings of a view in one language; without a view, those of the first screen.
 * @param {string} code
 * @param {string} [view]
 */
async function messagesOf(code, view) {
  const text = await readFile(join(web, 'locale', `${code}.json`), 'utf8');
  let known = messages.get(code);
  if (known?.text !== text) {
    known = { text, views: new Map() };
    for (const [key, entry] of Object.entries(JSON.parse(text))) {
      const of = viewOf(key);
      const found = known.views.get(of) ?? {};
      known.views.set(of, Object.assign(found, { [key]: entry }));
    }
    messages.set(code, known);
  }
  return known.views.get(view) ?? {};
}

/** Options of all bundles. File names must not depend on the folder of the build. */
export const COMMON = /** @type {const} */ ({
  absWorkingDir: root,
  preserveSymlinks: true,
  bundle: true,
  minify: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'eof',
  logLevel: 'warning',
});

/**
 * Returns sandbox.html, the page in which a user's code runs, and the hash of its only script.
 * @param {'frame' | 'single'} [kind] selects the file of the script
 */
export async function sandbox(kind = 'frame') {
  const script = async (
    /** @type {string} */ file,
    /** @type {Record<string, string>} */ define,
  ) => {
    const { outputFiles } = await bundle({
      ...COMMON,
      entryPoints: [join(web, 'sandbox', file)],
      format: 'iife',
      define,
      write: false,
    });
    return outputFiles[0].text.trim().replaceAll('</', '<\\/');
  };
  const single = kind === 'single';
  const harness = await script(single ? 'single-worker.js' : 'worker.js', {});
  const text = await script(`${kind}.js`, {
    'globalThis.HARNESS': JSON.stringify(harness),
    'globalThis.GUARD': JSON.stringify(await script('guard.js', {})),
  });
  const page = await readFile(join(web, 'sandbox/sandbox.html'), 'utf8');
  const hash = `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const allowed = single ? hash : `${hash} blob:`;
  return { hash, page: page.replace('ALLOWED', () => allowed).replace('SCRIPT', () => text) };
}

/**
 * Returns names that esbuild replaces by constants.
 * @param {string[]} [hosts] hosts from which a user may open a model
 * @param {string[]} [probes] hosts of servers that a user may ask
 */
export const definedFor = (
  hosts = readHosts('MODEL_HOSTS'),
  probes = readHosts('PROBE_HOSTS'),
) => ({
  'globalThis.MODEL_HOSTS': JSON.stringify(patternOf(hosts)),
  'globalThis.PROBE_HOSTS': JSON.stringify(patternOf(probes)),
});

/**
 * Writes the site into a folder.
 * @param {string} [out]
 * @param {string[]} [hosts] hosts from which a user may open a model
 * @param {string[]} [probes] hosts of servers that a user may ask
 */
export async function build(
  out = join(root, 'dist'),
  hosts = readHosts('MODEL_HOSTS', process.env.MODEL_HOSTS),
  probes = readHosts('PROBE_HOSTS', process.env.PROBE_HOSTS),
) {
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, 'models'), { recursive: true });
  const notices = new Notices();
  const options = {
    ...COMMON,
    plugins: [...plugins, notices.plugin],
    define: definedFor(hosts, probes),
  };
  await bundle({
    ...options,
    entryPoints: {
      main: join(web, 'page/main.js'),
      worker: join(web, 'engine/worker.js'),
      template: join(web, 'engine/template.js'),
    },
    outdir: out,
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
  });
  await joinScripts(out, ['template.js']);
  const update = join(web, 'page/offline/update.js');
  await bundle({ ...COMMON, entryPoints: [update], outdir: out, format: 'esm' });
  await bundle({
    ...options,
    entryPoints: {
      logitscope: join(web, 'page/elements.js'),
      anywidget: join(web, 'page/marks/anywidget.js'),
    },
    inject: [join(web, 'page/no-window.js')],
    outdir: out,
    format: 'esm',
  });
  const page = await pageWithPreloads(out);
  const connect = ["connect-src 'self'", ...hosts, ...probes].join(' ');
  const index = page.replace("connect-src 'self'", () => connect);
  await writeFile(join(out, 'index.html'), index);
  await writeFile(join(out, '_headers'), headersOf(index));
  await writeFile(join(out, 'sandbox.html'), (await sandbox()).page);
  await cp(join(web, 'style/page.css'), join(out, 'page.css'));
  await cp(join(web, PICTURE), join(out, PICTURE));
  const modules = (await readdir(join(web, 'engine'))).filter((file) => file.endsWith('.wasm'));
  for (const file of modules) await cp(join(web, 'engine', file), join(out, file));
  const models = (await readdir(join(root, 'models'))).filter((file) =>
    /\.(gguf|grammar\.json)$/.test(file),
  );
  for (const file of models) await cp(join(root, 'models', file), join(out, 'models', file));
  for (const file of LESSON_FILES) await cp(join(web, file), join(out, file));
  await buildSingle(out, options, await sandbox('single'), () => notices.text());
  await writeFile(join(out, 'LICENSES.txt'), await notices.text());
  await writeFile(join(out, 'sbom.cdx.json'), await notices.bill());
  await signSite(out);
  return out;
}

/**
 * Returns the file `_headers` for Netlify and Cloudflare Pages. docs/SECURITY.md explains the headers. The policy is
 * copied from the page; sandbox.html has another one.
 * @param {string} page text of index.html
 */
function headersOf(page) {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
  return `/*
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()
  Access-Control-Allow-Origin: *
  Cross-Origin-Resource-Policy: cross-origin
/
  Content-Security-Policy: ${policy}
/index.html
  Content-Security-Policy: ${policy}
`;
}

/** Returns the size of each file in a folder, by path. @param {string} folder */
export async function weigh(folder) {
  return Promise.all(
    (await filesOf(folder)).map(async (path) => {
      const bytes = await readFile(join(folder, path));
      return { path, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
    }),
  );
}

/**
 * Adds to index.html: preloads of all scripts that it needs, tags for link previews, and the link to the service
 * worker.
 * @param {string} out
 */
async function pageWithPreloads(out) {
  const page = await readFile(join(web, 'index.html'), 'utf8');
  const [, ...imported] = await importsOf(out, ['main.js']);
  const links = imported.map((file) => `    <link rel="modulepreload" href="${file}">\n`);
  links.push('    <link rel="serviceworker" href="sw.js">\n');
  const about = /name="description" content="([^"]*)"/.exec(page)?.[1] ?? '';
  return withPreview(page, { title: 'Logitscope', about, path: '' }).replace(
    /(?= *<script type="module")/,
    () => links.join(''),
  );
}

/**
 * Returns scripts with everything that they import statically.
 * @param {string} folder
 * @param {string[]} scripts
 */
async function importsOf(folder, scripts) {
  const files = new Set(scripts);
  for (const file of files) {
    const code = await readFile(join(folder, file), 'utf8');
    for (const [, name] of code.matchAll(/\b(?:from|import)"\.\/([\w-]+\.js)"/g)) files.add(name);
  }
  return files;
}

/**
 * Returns the files that every visit fetches before the model: the page, its scripts, and the engine. A browser
 * fetches one of two modules with inner loops; the larger one is counted.
 * @param {string} folder
 */
export async function firstLoad(folder) {
  const scripts = await importsOf(folder, ['main.js', 'worker.js']);
  const files = new Set(['index.html', 'page.css', ...scripts]);
  const loops = (await weigh(folder)).filter(({ path }) =>
    /^logitscope-(simd|relaxed)\.wasm$/.test(path),
  );
  const larger = loops.sort((a, b) => b.gzip - a.gzip).slice(0, 1);
  for (const { path } of larger) files.add(path);
  return files.add('logitscope.wasm');
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
