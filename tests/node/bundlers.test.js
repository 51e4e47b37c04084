/**
 * Tests the packed file in projects of other bundlers, set up as in docs/bundlers.md. Only `make test-long` runs them,
 * since it installs the bundlers. tests/node/pack.test.js tests esbuild.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { Logitscope } from '../../web/engine/index.js';
import { loadReference, until } from '../browser/bench.js';
import { serve } from '../../web/serve.js';
import {
  answersAt,
  answersOf,
  chatModel,
  elementAnswers,
  fill,
  pageOf,
  recipe,
} from '../bundles/recipes.js';
import { LAUNCH } from '../chromium.js';
import { atEnd, closed } from '../cleanup.js';
import { LONG, long } from '../long.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES =
  'vite@8 webpack@5 rollup@4 @rollup/plugin-node-resolve@16 next@16 react@19 react-dom@19 vue@3 svelte@5 @vitejs/plugin-react@6 @vitejs/plugin-vue@6 @sveltejs/vite-plugin-svelte@7'.split(
    ' ',
  );
const SHOWN =
  'vite.config.js far.js tokens.js App.jsx App.vue App.svelte next.config.js build.mjs elements.mjs rollup.config.mjs'.split(
    ' ',
  );

/** Temporary folder of all test projects and the packed file. */
let folder = '';
let packed = '';
/** @type {import('playwright-core').Browser} */
let browser;
/** Results of the engine in Node, which every bundled page must show. @type {any} */
let wanted;
/** @type {any} */
let bundled;

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

if (LONG)
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logitscope-'));
    atEnd(() => rmSync(folder, { recursive: true, force: true }));
    run('npm', ['run', '--silent', 'declarations'], root);
    run('npm', ['run', '--silent', 'elements'], root);
    const made = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], root));
    packed = join(folder, made[0].filename);
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
    run('npm', ['install', ...flags, ...PACKAGES], folder);
    browser = closed(await chromium.launch(LAUNCH));
    writeFileSync(join(folder, 'model.gguf'), chatModel());
    const scope = await Logitscope.load({ model: join(folder, 'model.gguf') });
    const options = { prompt: 'Once', max_new_tokens: 8, seed: 1 };
    const constraint = { schema: { type: 'boolean' } };
    wanted = {
      text: (await scope.write(options)).text,
      constrained: (await scope.write({ ...options, constraint })).text,
      chat: '<user>Hi<assistant>',
    };
    const here = { variant: 'relaxed', ...wanted };
    bundled = [here, here, 'simd'];
  });

/**
 * Makes a project with the package installed and the model among its static files.
 * @param {string} name
 * @param {string[]} own files of tests/bundles
 * @param {string[]} [shown] files that docs/bundlers.md shows
 */
function project(name, own, shown) {
  const at = join(folder, name);
  const inside = join(at, 'node_modules/logitscope');
  mkdirSync(inside, { recursive: true });
  mkdirSync(join(at, 'public'));
  run('tar', ['-xzf', packed, '-C', inside, '--strip-components=1'], at);
  writeFileSync(join(at, 'package.json'), '{ "private": true, "type": "module" }');
  cpSync(join(folder, 'model.gguf'), join(at, 'public/model.gguf'));
  fill(at, own, shown);
  return at;
}

/** Imports a module of the installed packages. @param {string} name */
async function installed(name) {
  const path = createRequire(join(folder, 'package.json')).resolve(name);
  const module = await import(pathToFileURL(path).href);
  return module.default ?? module;
}

/**
 * Adds the page and the model to a bundler's output; returns its folder.
 * @param {string} dist @param {string} script
 */
function finish(dist, script) {
  writeFileSync(join(dist, 'index.html'), pageOf(script));
  cpSync(join(folder, 'model.gguf'), join(dist, 'model.gguf'));
  return dist;
}

const answers = (/** @type {string} */ dist) =>
  answersOf(browser, dist, (path) => (path === '/' ? join(dist, 'index.html') : undefined));

test('docs/bundlers.md shows every file that the projects copy from it', () => {
  for (const name of SHOWN) assert.ok(recipe(name).length > 30, name);
});

const vite = () => import(pathToFileURL(join(folder, 'node_modules/vite/dist/node/index.js')).href);
const MODULE = '<script type="module" src="/page.js"></script>';

long(
  'Vite builds a working page, without a configuration and with the one for older versions',
  async () => {
    const at = project('vite', ['app.js', 'page.js']);
    writeFileSync(join(at, 'index.html'), pageOf(MODULE));
    const { build } = await vite();
    for (const shown of [[], ['vite.config.js']]) {
      fill(at, [], shown);
      await build({ root: at, logLevel: 'warn' });
      assert.deepEqual(await answers(join(at, 'dist')), bundled);
    }
  },
);

long('Vite’s bundle starts workers in a page of another origin', async () => {
  const at = project('far', [], ['far.js']);
  writeFileSync(
    join(at, 'page.js'),
    `import { chat, load } from './far.js';
    const answer = async () => {
      const scope = await load(new URL('/model.gguf', location.href));
      return [scope.variant, (await chat(scope, [{ role: 'user', content: 'Hi' }])).text];
    };
    globalThis.result = answer().catch(({ message }) => message);`,
  );
  writeFileSync(join(at, 'index.html'), pageOf(MODULE));
  const dist = join(at, 'dist');
  const host = closed(await serve(dist));
  const { build } = await vite();
  await build({ root: at, base: host.url, logLevel: 'warn' });
  const route = (/** @type {string} */ path) =>
    path === '/' ? join(dist, 'index.html') : undefined;
  const found = await answersOf(browser, join(at, 'public'), route);
  assert.deepEqual(found, ['relaxed', wanted.chat]);
});

long("Vite's development server serves a working page", async () => {
  const at = project('vite-server', ['app.js', 'page.js']);
  writeFileSync(join(at, 'index.html'), pageOf(MODULE));
  const { createServer } = await vite();
  const server = closed(
    await createServer({ root: at, server: { port: 0, host: '127.0.0.1' }, logLevel: 'warn' }),
  );
  await server.listen();
  const { port } = server.httpServer.address();
  assert.deepEqual(await answersAt(browser, `http://127.0.0.1:${port}/`), bundled);
});

/** Builds a page with webpack and returns the folder. @param {string} at @param {string} entry */
async function webpackOf(at, entry) {
  const webpack = await installed('webpack');
  const options = { mode: 'production', context: at, entry };
  const stats = await new Promise((resolve, reject) => {
    const done = (error, result) => (error ? reject(error) : resolve(result));
    webpack({ ...options, output: { path: join(at, 'dist') } }, done);
  });
  assert.equal(stats.hasErrors(), false, stats.toString({ preset: 'errors-only' }));
  return finish(join(at, 'dist'), '<script src="main.js"></script>');
}

long('webpack builds a working page', async () => {
  const dist = await webpackOf(project('webpack', ['app.js', 'page.js']), './page.js');
  assert.deepEqual(await answers(dist), bundled);
});

long('webpack finds the files of the elements', async () => {
  const dist = await webpackOf(project('webpack-elements', ['elements.js']), './elements.js');
  assert.deepEqual(await answers(dist), await elementAnswers(join(dist, 'model.gguf')));
  assert.ok(readdirSync(dist).some((file) => /^(?!index).*\.html$/.test(file)));
});

long('Vite finds the files of the elements in a build and in its server', async () => {
  const at = project('vite-elements', ['elements.js']);
  writeFileSync(join(at, 'index.html'), pageOf(MODULE.replace('page.js', 'elements.js')));
  const { build, createServer } = await vite();
  await build({ root: at, logLevel: 'warn' });
  const dist = join(at, 'dist');
  const wantedOfElements = await elementAnswers(join(dist, 'model.gguf'));
  assert.deepEqual(await answers(dist), wantedOfElements);
  assert.ok(readdirSync(join(dist, 'assets')).some((file) => /^sandbox.*\.html$/.test(file)));
  const server = closed(
    await createServer({ root: at, server: { port: 0, host: '127.0.0.1' }, logLevel: 'warn' }),
  );
  await server.listen();
  const { port } = server.httpServer.address();
  assert.deepEqual(await answersAt(browser, `http://127.0.0.1:${port}/`), wantedOfElements);
});

long('Rollup builds a working page', async () => {
  const at = project('rollup', ['app.js', 'page.js'], ['rollup.config.mjs']);
  cpSync(join(at, 'page.js'), join(at, 'main.js'));
  run(join(folder, 'node_modules/.bin/rollup'), ['--config', '--silent'], at);
  const dist = finish(join(at, 'dist'), '<script type="module" src="main.js"></script>');
  assert.deepEqual(await answers(dist), bundled);
});

const FRAMEWORKS = {
  React: {
    shown: 'App.jsx',
    plugin: '@vitejs/plugin-react',
    main: `import { createElement } from 'react';
      import { createRoot } from 'react-dom/client';
      import { App } from './App.jsx';
      createRoot(document.querySelector('#app')).render(createElement(App));`,
  },
  Vue: {
    shown: 'App.vue',
    plugin: '@vitejs/plugin-vue',
    main: `import { createApp } from 'vue';
      import App from './App.vue';
      createApp(App).mount('#app');`,
  },
  Svelte: {
    shown: 'App.svelte',
    plugin: '@sveltejs/vite-plugin-svelte',
    main: `import { mount } from 'svelte';
      import App from './App.svelte';
      mount(App, { target: document.querySelector('#app') });`,
  },
};

for (const [name, { shown, plugin, main }] of Object.entries(FRAMEWORKS))
  long(`${name} shows the tokens that Node computes`, async () => {
    const scope = await loadReference();
    scope.feed(scope.encode('Today she'));
    const { tokens } = scope.distribution({ temperature: 0.7, top: 5 });
    const rows = tokens.map(({ text, p }) => `${text} ${p}`);
    const at = project(name, [], ['tokens.js', shown]);
    writeFileSync(join(at, 'page.js'), main);
    writeFileSync(join(at, 'index.html'), pageOf(MODULE));
    const imported = plugin.includes('svelte') ? '{ svelte as plugin }' : 'plugin';
    writeFileSync(
      join(at, 'vite.config.js'),
      `import ${imported} from '${plugin}';\nexport default { plugins: [plugin()] };\n`,
    );
    run(join(folder, 'node_modules/.bin/vite'), ['build', '--logLevel', 'warn'], at);
    const dist = join(at, 'dist');
    const server = closed(
      await serve(dist, 0, (path) => (path === '/' ? join(dist, 'index.html') : undefined)),
    );
    const page = await browser.newPage();
    await page.goto(server.url);
    const seen = () => page.locator('li').allTextContents();
    const same = (/** @type {string[]} */ found) => found.join() === rows.join();
    assert.deepEqual(await until(seen, same), rows);
    await page.close();
  });

const LAYOUT = `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}`;
const PAGE = `'use client';
import { useEffect } from 'react';

export default function Page() {
  useEffect(() => void import('../page.js'), []);
  return <p>Logitscope</p>;
}`;
const ROUTE = `import { join } from 'node:path';
import { useHere } from '../../app.js';

export const dynamic = 'force-dynamic';
export const GET = async () => Response.json(await useHere(join(process.cwd(), 'public/model.gguf')));`;

for (const kind of ['turbopack', 'webpack'])
  long(`Next with ${kind} runs the engine in page and server`, async () => {
    const at = project(`next-${kind}`, ['app.js', 'page.js'], ['next.config.js']);
    mkdirSync(join(at, 'app/api'), { recursive: true });
    for (const [file, text] of Object.entries({ layout: LAYOUT, page: PAGE, 'api/route': ROUTE }))
      writeFileSync(join(at, `app/${file}.js`), text);
    const next = join(folder, 'node_modules/next/dist/bin/next');
    run(process.execPath, [next, 'build', `--${kind}`], at);
    const server = spawn(process.execPath, [next, 'start', '-p', '0', '-H', '127.0.0.1'], {
      cwd: at,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    atEnd(() => server.kill('SIGKILL'));
    let said = '';
    server.stdout.setEncoding('utf8').on('data', (text) => (said += text));
    const address = () => /http:\/\/[\w.]+:\d+/.exec(said)?.[0];
    const url = await until(address, (found) => found !== undefined && /Ready/.test(said));
    assert.deepEqual(await answersAt(browser, `${url}/`), bundled);
    const loops = WebAssembly.validate(
      readFileSync(join(root, 'web/engine/logitscope-relaxed.wasm')),
    );
    const variant = loops ? 'relaxed' : 'simd';
    assert.deepEqual(await (await fetch(`${url}/api`)).json(), { variant, ...wanted });
    server.kill('SIGKILL');
  });

const PROGRAM = `import { Logitscope } from 'logitscope';
import { RemoteLogitscope } from 'logitscope/remote';

declare const process: { argv: string[] };
declare const console: { log(line: string): void };
const model = process.argv[2];
for (const Engine of [Logitscope, RemoteLogitscope]) {
  const scope: Logitscope | RemoteLogitscope = await Engine.load({ model });
  const { text } = await scope.write({ prompt: 'Once', max_new_tokens: 8, seed: 1 });
  const chat = await scope.chat([{ role: 'user', content: 'Hi' }]);
  console.log(JSON.stringify([text, chat.text]));
  await scope.close();
}
`;

for (const flags of ['--module node16', '--module esnext --moduleResolution bundler'])
  long(`TypeScript compiles a program with and without a worker thread: ${flags}`, () => {
    const at = project(`typescript${flags.length}`, []);
    writeFileSync(join(at, 'program.ts'), PROGRAM);
    const common = '--strict --target es2022 --lib es2022,esnext.disposable --types'.split(' ');
    const tsc = join(root, 'node_modules/.bin/tsc');
    run(tsc, [...common, '', ...flags.split(' '), 'program.ts'], at);
    const said = run(process.execPath, ['program.js', 'public/model.gguf'], at);
    const line = JSON.stringify([wanted.text, wanted.chat]);
    assert.equal(said, `${line}\n${line}\n`);
  });
