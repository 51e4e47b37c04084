/** The JavaScript's types hold under `tsc --checkJs --strict`, and what is exported exists. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const root = fileURLToPath(new URL('../..', import.meta.url));

// The other project, tsconfig.types.json, is held by the test of the packed file, which writes it.
test('tsc -p tsconfig.json', () => {
  const { status, stdout } = spawnSync('node_modules/.bin/tsc', ['-p', 'tsconfig.json'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
});

test('every file that package.json exports exists', async () => {
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  const paths = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  );
  for (const path of [...paths, ...Object.values(manifest.bin)]) {
    assert.ok(existsSync(`${root}/${path}`), `${path} is missing`);
  }
});
