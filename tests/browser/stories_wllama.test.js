/**
 * Compares the shipped stories model with llama.cpp, which wllama runs in Chromium: the ids of 200 texts, and the
 * greedy stories after 20 prompts, must be equal. `make test` uses a quarter of them.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { compareWithWllama } from '../bench/beside_wllama.js';
import { cases, long } from '../long.js';
import { root } from './bench.js';

const model = join(root, 'models/stories.gguf');

const PARTS = [
  'Once upon a time',
  ', there was ',
  'a little girl',
  ' named Lily.',
  ' "Hello!" she said.',
  '\n',
  '\n\n',
  '  two  spaces ',
  'UPPER lower CamelCase',
  ' 3.14159, 42 and 1,000',
  'été, ñandú, Straße',
  '日本語 ',
  '🙂🦆',
  "don't can't we'll",
  '\t',
  'e\u0301',
  'zzzzzzzz',
  '<b> </b> <i>',
  ' the cat sat on the mat',
  '?!... --- ***',
];

/** Makes texts of one to eight parts; repeated calls make equal texts. */
function texts(/** @type {number} */ count) {
  let state = 1;
  const next = (/** @type {number} */ n) => {
    state = (state * 48271) % 2147483647;
    return state % n;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(8) }, () => PARTS[next(PARTS.length)]).join(''),
  );
}

const PROMPTS = [
  'Once upon a time',
  'The little dog',
  'Lily wanted to',
  'One sunny day, a boy named Tom',
  'There was a big tree in the',
  'Mom said, "',
  'The cat and the bird',
  'It was raining and',
  'Sam had a red ball.',
  'Sara liked to',
  'In a small house lived',
  'The bear was very hungry.',
  'Tim and Anna went to the beach',
  'A long time ago',
  '"Can I play with you?" asked',
  'The sun was',
  'Ben lost his toy.',
  'She opened the box and',
  'They were best friends',
  'The king was sad because',
];

const TEXTS = cases(20, 200);

test(`wllama gives the same ids for ${TEXTS} texts`, { timeout: 300e3 }, async () => {
  const compared = await compareWithWllama(model, texts(TEXTS), 0);
  assert.equal(compared.length, TEXTS);
  for (const { prompt, ids } of compared) assert.deepEqual(ids.ours, ids.theirs, prompt);
});

const stories = PROMPTS.slice(0, cases(3, PROMPTS.length));

long(
  `wllama writes the same greedy story for ${stories.length} prompts, or differs only at two close logits`,
  {
    timeout: 300e3,
  },
  async () => {
    const compared = await compareWithWllama(model, stories, 48);
    for (const { ids, same, ...rest } of compared) {
      assert.deepEqual(ids.ours, ids.theirs);
      assert.ok(same, JSON.stringify(rest));
    }
  },
);
