/** Tests typed settings: a box accepts all values that the engine accepts, and gives a reason for any other value. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { build } from 'esbuild';
import { plugins } from '../../web/build.js';
import { Logitscope } from '../../web/engine/index.js';

const sources = ['setting-words', 'stage-words'].map(
  (name) => new URL(`../../web/base/${name}.js`, import.meta.url).pathname,
);
let scope;
let words;

before(async () => {
  scope = await Logitscope.load();
  const { outputFiles } = await build({
    stdin: {
      contents: sources.map((path) => `export * from ${JSON.stringify(path)};`).join(''),
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    plugins,
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  words = await import(`data:text/javascript;base64,${code}`);
});

function engineTakes(name, value) {
  try {
    scope.warp([1, 2], { [name]: value }, { second: [1, 2] });
    return true;
  } catch (error) {
    assert.equal(error.code, 'out_of_range', error.message);
    return false;
  }
}

test('the list of settings begins with the usual ones and has all', async () => {
  const { table } = await Logitscope.load();
  const names = words.usualFirst(table).map(({ name }) => name);
  assert.deepEqual(names.slice(0, 5), [
    'temperature',
    'top_k',
    'top_p',
    'min_p',
    'repetition_penalty',
  ]);
  assert.deepEqual([...names].sort(), table.map(({ name }) => name).sort());
});

test('a box accepts exactly the engine’s values, at both bounds and beyond', () => {
  const rows = scope.table.filter(({ kind }) => kind === 'real' || kind === 'integer');
  assert.ok(rows.length > 20);
  for (const row of rows)
    for (const bound of [row.minimum, row.maximum])
      for (const value of [bound - 1, bound - 0.5, bound, bound + 0.5, bound + 1]) {
        if (Math.abs(value) > 1e15) continue; // written as text, such a number may change by rounding
        const taken = 'value' in words.readSetting(row, String(value));
        assert.equal(taken, engineTakes(row.name, value), `${row.name} ${value}`);
      }
});

test('an excluded bound is named as excluded', () => {
  const read = (name, text) =>
    words.readSetting(
      scope.table.find((row) => row.name === name),
      text,
    ).error;
  assert.match(read('epsilon_cutoff', '1'), /^\S+ cutoff must be less than 1, got 1$/i);
  assert.match(read('eta_cutoff', '1.5'), /must be less than 1, got 1\.5$/);
  assert.match(read('eta_cutoff', '-1'), /must be between 0 and 1, got -1$/);
  assert.match(read('typical_p', '0'), /must be greater than 0, got 0$/);
  assert.match(read('typical_p', '2'), /must be between 0 and 1, got 2$/);
});

test('an entropy below the resolution of float32 logits is shown as a bound', () => {
  const stage = { name: 'temperature', value: 0.1, active: true, changed: true, removed: 0 };
  const said = (entropy) => words.describeStage({ ...stage, entropy }, 1.5, 1);
  assert.equal(said(2.7e-8), 'Entropy 1.50 → <0.000001 bits.');
  assert.equal(said(0.000012), 'Entropy 1.50 → 0.000012 bits.');
  assert.equal(said(0), 'Entropy 1.50 → 0.00 bits.');
});
