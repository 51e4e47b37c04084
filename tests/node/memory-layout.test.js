/**
 * Tests that the engine reads the memory of C only at the offsets in layout.js, which the build takes from the
 * compiler.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('no other file of the engine reads memory at a literal offset', () => {
  const written = /\.[gs]et(Uint|Int|Float)\d+\([^),]*[+] *\d+ *[,)]|\b(u32|f64|id|share)\(\d/;
  assert.match('view.getUint32(at + 4, true)', written);
  assert.match('u32(16)', written);
  for (const name of ['core', 'gates', 'model-file', 'module', 'session', 'settings', 'trace'])
    assert.doesNotMatch(read(`web/engine/${name}.js`), written, name);
});
