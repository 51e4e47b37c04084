/** Limits the size of the downloaded files: modules, worker, its client in the page, and the draft model. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { measureSizes } from '../bench/size.js';

/**
 * Limit of the gzip size in bytes, just above the current size, so that any growth is noticed. Unicode's form C, which
 * Qwen's tokenizer needs, takes 6 kB, the loops for several streams 1.4 kB, the parts of a tokenizer.json beyond GGUF
 * 0.4 kB, the activations and scales of courses 0.9 kB, models with their forward pass elsewhere 0.35 kB, the texts of
 * tokens for a sampler of the user 0.13 kB, penalties of generated tokens alone 0.1 kB,
 * the law of whole texts 0.2 kB, and the words
 * that lead a constraint nowhere 0.3 kB. The loop of generate is fetched at its first use.
 */
const LIMIT = 104.1e3;

test(`modules, worker and page side of the engine have at most ${LIMIT / 1e3} kB`, async () => {
  const sizes = await measureSizes();
  const ours = sizes.find(({ name }) => name === 'ours together');
  const parts = sizes.map(({ name, gzip }) => `${name}: ${gzip}`).join('\n');
  assert.ok(ours && ours.gzip > 20e3 && ours.gzip <= LIMIT, parts);
});

test('the draft model has at most 0.5 MB', () => {
  const draft = new URL('../../models/stories-draft.gguf', import.meta.url);
  assert.ok(statSync(draft).size <= 0.5e6);
});
