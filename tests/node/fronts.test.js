/** Tests that the engine accepts the default settings of other programs, and that docs/samplers.md lists them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { presets } from '../../web/engine/presets.js';
import { FRONTS, chainOf } from '../../web/state/fronts.js';

const page = readFileSync(new URL('../../docs/samplers.md', import.meta.url), 'utf8');
const read = (code) =>
  JSON.parse(readFileSync(new URL(`../../web/locale/${code}.json`, import.meta.url), 'utf8'));
const logits = Float32Array.from({ length: 300 }, (_, id) => 6 * Math.cos(id * 1.7));

test('each program’s defaults are a chain that the engine takes, with every stage once in its order', async () => {
  const scope = await Logitscope.load();
  const samplers = scope.table.filter(({ sampler }) => sampler).map(({ name }) => name);
  for (const { name, settings, source, version, note } of FRONTS) {
    const { kept, entropy } = scope.warp(logits, settings, { history: [3, 7, 7] });
    assert.ok(kept >= 1 && entropy >= 0, name);
    if (settings.order) assert.deepEqual([...settings.order].sort(), [...samplers].sort(), name);
    assert.match(source, /^https:\/\/github\.com\/[^/]+\/[^/]+\/blob\/[0-9a-f]{40}\/[^ ]+$/, name);
    if (/^[0-9a-f]{7}$/.test(version)) assert.ok(source.includes(`/blob/${version}`), name);
    for (const code of ['en', 'es']) assert.ok(!note || read(code)[`fronts.note.${note}`], note);
  }
  assert.equal(new Set(FRONTS.map(({ name }) => name)).size, FRONTS.length);
  assert.equal(FRONTS[0].settings, presets['llama.cpp'], 'one preset, not two');
  scope.close();
});

test('temperature comes last if a program applies it last', () => {
  const names = (name) => {
    const { settings } = FRONTS.find((front) => front.name === name);
    return chainOf([], settings).map((stage) => stage.name);
  };
  assert.deepEqual(names('Ollama').slice(-1), ['temperature']);
  assert.deepEqual(names('KoboldAI Lite'), ['repetition_penalty', 'top_k', 'top_p', 'temperature']);
});

test('docs/samplers.md lists the same names, versions, files and chains', async () => {
  const scope = await Logitscope.load();
  const rows = page
    .slice(page.indexOf('## Defaults of other programs'))
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('https://'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  assert.deepEqual(
    rows.map(([, name, link, chain]) => ({ name, link, chain })),
    FRONTS.map(({ name, version, source, settings }) => ({
      name,
      link: `[${version}](${source})`,
      chain:
        chainOf(scope.table, settings)
          .map((stage) => `\`${stage.name}\` ${stage.value}`)
          .join(' → ') || 'the model as it is',
    })),
  );
  scope.close();
});
