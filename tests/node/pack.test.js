/** Tests the packed file: a new project installs it, imports it with its types, and runs it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { chromium } from 'playwright-core';
import { serve } from '../../web/serve.js';
import { loadReference, until } from '../browser/bench.js';
import { LAUNCH } from '../chromium.js';
import { Logitscope } from '../../web/engine/index.js';
import { answersOf, chatModel, elementAnswers, fill, pageOf } from '../bundles/recipes.js';
import { closed, temporaryFolder } from '../cleanup.js';
import { long } from '../long.js';
import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const project = temporaryFolder();
/** Path of the file that `npm pack` makes. */
let packed = '';
const relaxedModule = readFileSync(join(root, 'web/engine/logitscope-relaxed.wasm'));

/** A program that uses every entry of the package. Its project has no types of the DOM or of Node. */
const TYPES = `
import { Logitscope, LogitscopeError, Session, serve } from 'logitscope';
import type { Constraint, GenerateOptions, Info, LoadOptions, Message, Own, Settings, Step, Trace } from 'logitscope';
import { RemoteLogitscope } from 'logitscope/remote';
import { parseAxis, sweep } from 'logitscope/sweep';
import { fromLink } from 'logitscope/link';
import 'logitscope/worker';
export type Named = [Constraint, GenerateOptions, Info, LoadOptions, Message, Own, Settings, Step, RemoteLogitscope];
export const entropyOf = (trace: Trace): number => trace.entropy;
const scope = await Logitscope.load({ model: 'verbs.gguf' });
const p: number = scope.distribution({ temperature: 0.7 }).tokens[0].p;
// @ts-expect-error
const wrong: string = scope.distribution({ temperature: 0.7 }).tokens[0].p;
const session: Session = scope.session();
const { settings } = await session.write({ prompt: 'a' });
const temperature: number = settings.temperature;
// @ts-expect-error
settings.temprature;
export const isBusy = (error: unknown) => error instanceof LogitscopeError && error.code === 'busy';
// @ts-expect-error
export const isBussy = (error: unknown) => error instanceof LogitscopeError && error.code === 'bussy';
const remote = await RemoteLogitscope.load({ worker: { postMessage() {} }, supersede: true });
const beside = { second: [1, 2], history: [0] };
remote.readFrom([1, 2], {}, beside);
remote.drawFrom([1, 2], {}, beside);
remote.landscapeFrom([1, 2], {}, 'temperature', [1], beside);
const plan = { axes: [parseAxis('top_k=1,5')], measures: ['entropy'], prompt: 'a' };
for (const engine of [scope, remote]) sweep(engine, plan);
// @ts-expect-error
sweep(3, plan);
serve({ postMessage() {} });
// @ts-expect-error
document.title;
{
  using short = scope.session();
  await using far = await remote.session();
}
const { options, model } = await fromLink('https://example.org/#prompt=a');
(await Logitscope.load({ model })).write(options);
export { p, wrong, temperature };
`;

const REQUIRED = `
import { Logitscope, type Settings } from 'logitscope';
import { RemoteLogitscope } from 'logitscope/remote';
import { sweep } from 'logitscope/sweep';
const settings: Settings = { temperature: 0.7 };
export const p = async () => (await Logitscope.load()).warp([1, 2], settings).p[1];
export const engines = [Logitscope, RemoteLogitscope, sweep];
`;

const ELEMENTS = `
import { LogitScope, setLanguage, type LogitElements } from 'logitscope/elements';
const scope: LogitScope = document.createElement('logit-scope');
scope.temperature = 0.5;
const bars = document.querySelector('logit-distribution');
if (bars) bars.fixed = true;
document.createElement('logit-landscape').model = 'verbs';
// @ts-expect-error
document.createElement('logit-landscape').knobb = 'top_p';
// @ts-expect-error
scope.temperature = 'warm';
scope.addEventListener('logit-ready', () => setLanguage('es'));
export const names: (keyof LogitElements)[] = ['logit-lesson'];
`;

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

before(async () => {
  run('npm', ['run', '--silent', 'declarations'], root);
  run('npm', ['run', '--silent', 'elements'], root);
  const made = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', project], root));
  packed = join(project, made[0].filename);
  await writeFile(
    join(project, 'package.json'),
    '{ "name": "bare", "private": true, "type": "module" }',
  );
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  // The package has no dependencies, so npm needs no network.
  run('npm', [...install, packed], project);
});

test('the example of README.md runs from the packed file', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, example = ''] = /```js\n([^]*?)```/.exec(readme) ?? [];
  await writeFile(join(project, 'readme.mjs'), example);
  const printed = run(process.execPath, ['readme.mjs'], project);
  assert.match(printed, /\nu = 0\.6303102186438938 falls on .+, rank \d+\n$/);
});

test('the first examples of docs/api.md run from the packed file', async () => {
  const api = await readFile(join(root, 'docs/api.md'), 'utf8');
  const [, example, loop] = /```js\n([^]*?)```[^]*?```js\n([^]*?)```/.exec(api) ?? [];
  await writeFile(join(project, 'first.mjs'), `${example}${loop}console.log(String(ids));\n`);
  const scope = await loadReference();
  const { text, prompt_ids, ids } = await scope.write({
    prompt: 'Tomorrow she',
    temperature: 0.7,
    seed: 42,
  });
  const printed = run(process.execPath, ['first.mjs'], project);
  assert.match(printed, /\nu = 0\.6303102186438938 falls on .+, rank \d+\n/);
  assert.ok(text && printed.endsWith(`${text}${[...prompt_ids, ...ids]}\n`), printed);
});

const EXAMPLES = 'node_modules/logitscope/web/lessons';

test('the Node example runs from the packed file, in place and as a copy', async () => {
  const scope = await loadReference();
  scope.feed(scope.encode('Today she'));
  const { tokens } = scope.distribution({ temperature: 0.7, top_k: 5, top: 5 });
  const rows = tokens.map(({ text, p_raw, p }) => [text, p_raw, p].join('\t'));
  let text = 'Today she';
  for await (const step of scope.generate({ prompt: text, temperature: 0.7, top_k: 5, seed: 42 }))
    text += step.text;
  const wanted = [...rows, text, ''].join('\n');
  assert.equal(run(process.execPath, [`${EXAMPLES}/example.mjs`], project), wanted);
  await copyFile(join(project, EXAMPLES, 'example.mjs'), join(project, 'mine.mjs'));
  assert.equal(run(process.execPath, ['mine.mjs'], project), wanted);
});

test('the packed file has every file that package.json exports', () => {
  const pathsOf = (/** @type {any} */ entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(pathsOf);
  for (const path of [...pathsOf(manifest.exports), ...Object.values(manifest.bin)])
    assert.ok(existsSync(join(project, 'node_modules/logitscope', path)), `${path} is missing`);
});

test('its types check in a strict project of modules or CommonJS', async () => {
  await writeFile(join(project, 'types.ts'), TYPES);
  await writeFile(join(project, 'required.cts'), REQUIRED);
  const flags = '--strict --module node16 --target es2022 --lib es2022,esnext.disposable --types';
  const tsc = join(root, 'node_modules/.bin/tsc');
  run(tsc, [...flags.split(' '), '', '--noEmit', 'types.ts', 'required.cts'], project);
  run(tsc, [...flags.split(' '), '', 'required.cts'], project);
  const program = "require('./required.cjs').p().then((p) => console.log(p > 0.7))";
  assert.equal(run(process.execPath, ['-e', program], project), 'true\n');
});

long('the types of its elements check in a strict project', async () => {
  await writeFile(join(project, 'elements.ts'), ELEMENTS);
  const flags =
    '--strict --module node16 --target es2022 --lib es2022,esnext.disposable,dom --types';
  const tsc = join(root, 'node_modules/.bin/tsc');
  run(tsc, [...flags.split(' '), '', '--noEmit', 'elements.ts'], project);
});

long('a checker of types finds each entry resolved for modules and for CommonJS', () => {
  const others = Object.keys(manifest.exports).filter((name) => /\.(wasm|gguf|json)$/.test(name));
  const checker = ['--yes', '@arethetypeswrong/cli@0.18.5', packed, '--profile', 'node16'];
  run('npx', [...checker, '--exclude-entrypoints', ...others], project);
});

test('errors are sentences even if only a part of the package is imported', () => {
  const said = (name, call) => {
    const program = `import('logitscope/${name}').then((m) => m.${call}).catch((error) => console.log(error.message))`;
    return run(process.execPath, ['-e', program], project).trim();
  };
  const step = 'the step of top_k must be greater than 0, got 0';
  assert.equal(said('sweep', "range('top_k', 1, 5, 0)"), step);
  const signal = 'signal must be an AbortSignal, got 5';
  assert.equal(said('remote', 'RemoteLogitscope.load({ signal: 5 })'), signal);
});

/** Chromium, started only once for all tests in this file. */
let started;
const browserOfFile = () => (started ??= chromium.launch(LAUNCH).then(closed));

long('the page example runs from the packed file, in a worker', async () => {
  const scope = await loadReference();
  scope.feed(scope.encode('Today she'));
  const wanted = (temperature) =>
    scope.distribution({ temperature, top: 5 }).tokens.map(({ p }) => String(p));
  const server = closed(await serve(project));
  const browser = await browserOfFile();
  const page = await browser.newPage();
  await page.goto(`${server.url}${EXAMPLES}/example.html`);
  const shown = () => page.locator('li').evaluateAll((rows) => rows.map((row) => row.dataset.p));
  const same = (temperature) => (rows) => rows.join() === wanted(temperature).join();
  assert.deepEqual(await until(shown, same(0.7)), wanted(0.7));
  await page.getByRole('slider').fill('2.5');
  assert.deepEqual(await until(shown, same(2.5)), wanted(2.5));
});

describe('a bundle by esbuild', () => {
  /** @type {any} */
  let wanted;
  before(async () => {
    fill(project, ['app.js', 'page.js', 'program.js'], ['build.mjs']);
    await copyFile(join(project, 'page.js'), join(project, 'main.js'));
    await writeFile(join(project, 'model.gguf'), chatModel());
    symlinkSync(join(root, 'node_modules/esbuild'), join(project, 'node_modules/esbuild'));
    run(process.execPath, ['build.mjs'], project);
    await copyFile(join(project, 'model.gguf'), join(project, 'dist/model.gguf'));
    const page = pageOf('<script type="module" src="main.js"></script>');
    await writeFile(join(project, 'dist/index.html'), page);
    const scope = await Logitscope.load({ model: join(project, 'model.gguf') });
    const options = { prompt: 'Once', max_new_tokens: 8, seed: 1 };
    wanted = {
      text: (await scope.write(options)).text,
      constrained: (await scope.write({ ...options, constraint: { schema: { type: 'boolean' } } }))
        .text,
      chat: '<user>Hi<assistant>',
    };
  });
  const withIndex = (folder) => (path) => (path === '/' ? join(folder, 'index.html') : undefined);

  test('gives a page Node’s answers with the same loops, in the page and in a worker', async () => {
    const folder = join(project, 'dist');
    const [here, remote, simd] = await answersOf(await browserOfFile(), folder, withIndex(folder));
    assert.deepEqual(here, { variant: 'relaxed', ...wanted });
    assert.deepEqual(remote, { variant: 'relaxed', ...wanted });
    assert.equal(simd, 'simd');
  });

  test('shows the elements with their files beside the page', async () => {
    fill(project, ['elements.js'], ['elements.mjs']);
    run(process.execPath, ['elements.mjs'], project);
    const folder = join(project, 'shown');
    await copyFile(join(project, 'model.gguf'), join(folder, 'model.gguf'));
    await writeFile(
      join(folder, 'index.html'),
      pageOf('<script type="module" src="main.js"></script>'),
    );
    const found = await answersOf(await browserOfFile(), folder, withIndex(folder));
    assert.deepEqual(found, await elementAnswers(join(project, 'model.gguf')));
  });

  long('names each file that is missing beside the page', async () => {
    const folder = join(project, 'alone');
    cpSync(join(project, 'dist'), folder, {
      recursive: true,
      filter: (file) => !/worker\.js|template\.js|-simd|-relaxed/.test(file),
    });
    const [here, remote, simd] = await answersOf(await browserOfFile(), folder, withIndex(folder));
    const missing = (name) =>
      `LogitscopeError: the worker did not start: ${name}, or a file that it imports, cannot be loaded`;
    assert.deepEqual(here, { variant: 'scalar', ...wanted, chat: missing('template.js') });
    assert.equal(remote, missing('worker.js'));
    assert.match(
      simd,
      /^LogitscopeError: variant "simd" cannot run: wasm ".*" could not be loaded: HTTP status 404$/,
    );
  });

  test('gives a program Node’s answers if the package is external', () => {
    /** @param {string} outfile @param {import('esbuild').BuildOptions} options */
    const answer = (outfile, options) => {
      buildSync({
        ...options,
        entryPoints: ['program.js'],
        bundle: true,
        platform: 'node',
        outfile,
        absWorkingDir: project,
        logLevel: 'error',
      });
      return JSON.parse(run(process.execPath, [outfile, 'model.gguf'], project));
    };
    const loops = WebAssembly.validate(relaxedModule) ? 'relaxed' : 'simd';
    const outside = answer('dist/outside.mjs', { format: 'esm', external: ['logitscope'] });
    assert.deepEqual(outside, { variant: loops, ...wanted });
    const inside = answer('dist/inside.mjs', { format: 'esm' });
    const reason =
      'LogitscopeError: the worker did not start: template-process.js, or a file that it imports, cannot be loaded';
    assert.deepEqual(inside, { variant: loops, ...wanted, chat: reason });
    const classic = answer('dist/classic.cjs', { format: 'cjs' });
    assert.equal(
      classic,
      'LogitscopeError: this bundle does not say where logitscope.wasm lies: give its address as `wasm`',
    );
  });
});
