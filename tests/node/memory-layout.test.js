/** Tests that the memory layout in JavaScript equals the layout that C asserts at compile time, number by number. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as layout from '../../web/engine/layout.js';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('layout.js holds exactly the offsets and sizes that src/wasm.c asserts', () => {
  const source = read('src/wasm.c');
  const offsets = source.matchAll(/^AT\((\w+), (\w+), (\d+)\);$/gm);
  const sizes = source.matchAll(/^SIZE\((\w+), (\d+)\);$/gm);
  const asserted = [
    ...[...offsets].map(([, type, field, offset]) => [`${type}_${field}`, offset]),
    ...[...sizes].map(([, type, size]) => [`${type}_size`, size]),
  ];
  assert.ok(asserted.length > 80, `${asserted.length} assertions`);
  assert.deepEqual(
    Object.fromEntries(asserted.map(([name, number]) => [name.toUpperCase(), Number(number)])),
    { ...layout },
  );
});

test('no other file of the engine reads memory at a literal offset', () => {
  const written = /\.[gs]et(Uint|Int|Float)\d+\([^),]*[+] *\d+ *[,)]|\b(u32|f64|id|share)\(\d/;
  assert.match('view.getUint32(at + 4, true)', written);
  assert.match('u32(16)', written);
  for (const name of ['core', 'gates', 'model-file', 'module', 'session', 'settings', 'trace'])
    assert.doesNotMatch(read(`web/engine/${name}.js`), written, name);
});
