/**
 * llama.cpp, as wllama runs it in Chromium, reads the same files to the same ids and the same
 * greedy text.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compareWithWllama } from '../bench/beside_wllama.js';
import { modelFile } from '../bench/models.js';
import { shapes } from '../bench/shapes.js';
import { root } from './bench.js';

const PROMPTS = ['Once upon a time', 'The  quick, brown fox!', 'été 日本', 'x'];
const stories = join(root, 'models/stories.gguf');
const models = [
  modelFile(shapes[0], 'f32'),
  modelFile(shapes[0], 'q8_0'),
  ...(existsSync(stories) ? [stories] : []),
];

for (const model of models) {
  test(`${model.slice(root.length)} means the same to wllama`, async () => {
    const compared = await compareWithWllama(model, PROMPTS, 24);
    for (const { ids, same, ...rest } of compared) {
      assert.deepEqual(ids.ours, ids.theirs);
      assert.ok(same, JSON.stringify(rest));
    }
  });
}
