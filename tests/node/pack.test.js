/** The packed file: a bare project installs it, imports it with its types, and runs it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from '../../web/serve.js';
import { loadReference } from '../browser/bench.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
let project;

const NODE = `
import { Logitscope } from 'logitscope';
const model = new URL('./node_modules/logitscope/models/verbs.gguf', import.meta.url);
const scope = await Logitscope.load({ model });
scope.feed(scope.encode('Today she'));
const { tokens } = scope.distribution({ temperature: 0.7, top_k: 5 });
console.log(JSON.stringify(tokens.map(({ id, p }) => [id, p])));
`;

const TYPES = `
import { Logitscope } from 'logitscope';
const scope = await Logitscope.load({ model: 'verbs.gguf' });
const p: number = scope.distribution({ temperature: 0.7 }).tokens[0].p;
// @ts-expect-error
const wrong: string = scope.distribution({ temperature: 0.7 }).tokens[0].p;
export { p, wrong };
`;

const PAGE = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "logitscope/remote": "./node_modules/logitscope/web/engine/remote.js" } }</script>
<script type="module">
import { RemoteLogitscope } from 'logitscope/remote';
const scope = await RemoteLogitscope.load({ model: 'node_modules/logitscope/models/verbs.gguf' });
await scope.feed(await scope.encode('Today she'));
const { tokens } = await scope.distribution({ temperature: 0.7, top_k: 5 });
document.title = JSON.stringify(tokens.map(({ id, p }) => [id, p]));
</script>`;

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

async function expected() {
  const scope = await loadReference();
  scope.feed(scope.encode('Today she'));
  return scope.distribution({ temperature: 0.7, top_k: 5 }).tokens.map(({ id, p }) => [id, p]);
}

before(async () => {
  project = await mkdtemp(join(tmpdir(), 'logitscope-pack-'));
  run(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.types.json'], root);
  const packed = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', project], root));
  await writeFile(join(project, 'package.json'), '{ "name": "bare", "private": true, "type": "module" }');
  const install = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  run('npm', [...install, join(project, packed[0].filename)], project);
});
after(() => project && rm(project, { recursive: true }));

test('a Node program runs from the packed file', async () => {
  await writeFile(join(project, 'example.js'), NODE);
  assert.deepEqual(JSON.parse(run(process.execPath, ['example.js'], project)), await expected());
});

test('its types hold in a strict project', async () => {
  await writeFile(join(project, 'types.ts'), TYPES);
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
  run(join(root, 'node_modules/.bin/tsc'), [...flags, 'types.ts'], project);
});

test('a page runs from the packed file, in a worker', async () => {
  await writeFile(join(project, 'index.html'), PAGE);
  const server = await serve(project);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => document.title.startsWith('['));
    assert.deepEqual(JSON.parse(await page.title()), await expected());
  } finally {
    await browser.close();
    await server.close();
  }
});
