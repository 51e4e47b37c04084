/** The packed file: a bare project installs it, imports it with its types, and runs it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../../web/serve.js';
import { loadReference, until } from '../browser/bench.js';
import { LAUNCH } from '../chromium.js';
import { closed, temporaryFolder } from '../cleanup.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const project = temporaryFolder();

const TYPES = `
import { Logitscope } from 'logitscope';
import type { Constraint, GenerateOptions, Info, LoadOptions, Message, Own, Settings, Step, Trace } from 'logitscope';
import type { RemoteLogitscope } from 'logitscope/remote';
export type Named = [Constraint, GenerateOptions, Info, LoadOptions, Message, Own, Settings, Step, RemoteLogitscope];
export const entropyOf = (trace: Trace): number => trace.entropy;
const scope = await Logitscope.load({ model: 'verbs.gguf' });
const p: number = scope.distribution({ temperature: 0.7 }).tokens[0].p;
// @ts-expect-error
const wrong: string = scope.distribution({ temperature: 0.7 }).tokens[0].p;
export { p, wrong };
`;

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

before(async () => {
  run(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.types.json'], root);
  const packed = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', project], root));
  await writeFile(
    join(project, 'package.json'),
    '{ "name": "bare", "private": true, "type": "module" }',
  );
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  // It needs no other package: the registry is not asked.
  run('npm', [...install, join(project, packed[0].filename)], project);
});

const EXAMPLES = 'node_modules/logitscope/web/lessons';

test('the Node example runs from the packed file, in its place and copied out of it', async () => {
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

test('its types hold in a strict project', async () => {
  await writeFile(join(project, 'types.ts'), TYPES);
  const flags = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022',
  ];
  run(join(root, 'node_modules/.bin/tsc'), [...flags, 'types.ts'], project);
});

test('the page example runs from the packed file, in a worker', async () => {
  const scope = await loadReference();
  scope.feed(scope.encode('Today she'));
  const wanted = (temperature) =>
    scope.distribution({ temperature, top: 5 }).tokens.map(({ p }) => String(p));
  const server = closed(await serve(project));
  const browser = closed(await chromium.launch(LAUNCH));
  const page = await browser.newPage();
  await page.goto(`${server.url}${EXAMPLES}/example.html`);
  const shown = () => page.locator('li').evaluateAll((rows) => rows.map((row) => row.dataset.p));
  const same = (temperature) => (rows) => rows.join() === wanted(temperature).join();
  assert.deepEqual(await until(shown, same(0.7)), wanted(0.7));
  await page.getByRole('slider').fill('2.5');
  assert.deepEqual(await until(shown, same(2.5)), wanted(2.5));
});
