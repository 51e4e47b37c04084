/**
 * Tests that the digest of logits, traces and generated ids is equal in Node and in native builds by gcc and clang,
 * scalar and SIMD. The browser tests compute it in browsers.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { RemoteLogitscope } from '../../web/engine/remote.js';
import { serve } from '../../web/engine/engine-server.js';
import { atEnd } from '../cleanup.js';
import { LONG, sample } from '../long.js';
import { courseFiles } from './course_files.js';
import { digest, digestLater } from './digest.js';
import { formatFiles } from './format_files.js';
import { smallModel } from './small_model.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
mkdirSync(`${root}build/fixtures`, { recursive: true });
writeFileSync(`${root}build/fixtures/small_model.gguf`, smallModel({ layers: 3, bos: true }));

/** Returns a native build's digests as { scalar, simd }. `column` 2 selects the second digests. */
function native(compiler, model, column = 1) {
  const { status, stdout, stderr } = spawnSync(`build/${compiler}/logitscope`, ['digest', model], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map((words) => [words[0], words[column]]),
  );
}

/** `make test` builds only with gcc. */
const COMPILERS = LONG ? ['gcc', 'clang'] : ['gcc'];
const models = [
  'models/verbs.gguf',
  'build/fixtures/small_model.gguf',
  ...sample(formatFiles, 1),
  ...sample(courseFiles, 1, 2),
  ...sample(['gemma3', 'phi3_long', 'gptneox', 'granite'], 1).map(
    (name) => `tests/vectors/forward/${name}.gguf`,
  ),
];
/** Digests of the SIMD build that are already computed, by model. */
const known = new Map();
/** @param {string} model a file's path */
async function expectedOf(model) {
  if (LONG || !known.has(model))
    known.set(model, await digest(await Logitscope.load({ model, variant: 'simd' })));
  return known.get(model);
}

for (const model of models) {
  describe(model, () => {
    const source = `${root}${model}`;
    for (const compiler of COMPILERS) {
      test(`Node and ${compiler} give the same digest`, async () => {
        const expected = await expectedOf(source);
        assert.match(expected, /^[0-9a-f]{16}$/);
        assert.deepEqual(native(compiler, model), { scalar: expected, simd: expected });
      });
    }

    test('scalar, SIMD and remote give the same digest', async () => {
      const { port1, port2 } = new MessageChannel();
      atEnd(() => port1.close());
      serve(port1);
      const remote = await RemoteLogitscope.load({ model: source, worker: port2 });
      const scalar = await Logitscope.load({ model: source, variant: 'scalar' });
      const expected = await expectedOf(source);
      assert.equal(await digest(scalar), expected);
      assert.equal(await digest(remote), expected);
    });
  });
}

test('the second digest, of the later samplers, is the same in every build', async () => {
  const model = 'models/verbs.gguf';
  const later = async (variant) =>
    digestLater(await Logitscope.load({ model: `${root}${model}`, variant }));
  const expected = await later('simd');
  assert.equal(await later('scalar'), expected);
  for (const compiler of COMPILERS)
    assert.deepEqual(native(compiler, model, 2), { scalar: expected, simd: expected });
});

test('the later samplers did not change the first digest', async () => {
  assert.equal(await expectedOf(`${root}models/verbs.gguf`), '5aa484ccb5ab9439');
});

test('another prompt gives another digest', async () => {
  const scope = await Logitscope.load({ model: smallModel() });
  assert.notEqual(await digest(scope, 'a'), await digest(scope, 'b'));
});
