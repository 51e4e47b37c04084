// Tests the statements on the card of models/verbs.gguf with the C engine: correct completions of held-out prompts, and
// a distribution close to the grammar's.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

import { checkSentence, sentences } from '../../web/engine/grammar.js';
import { Logitscope } from '../../web/engine/index.js';

/** @param {string} path */
const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(at(path), 'utf8'));

const grammar = readJson('models/verbs.grammar.json');
const vectors = readJson('tests/vectors/verbs_prefixes.json');
const scope = await Logitscope.load({ model: at('models/verbs.gguf') });

/** Returns the softmax in float64. */
function softmax(logits) {
  const peak = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = Array.from(logits, (l) => Math.exp(l - peak));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((w) => w / total);
}

test('the model has the 64 words of the grammar in its order, and a width of 64', () => {
  const { architecture, vocab_size, n_embd, tokenizer } = scope.info;
  assert.deepEqual([architecture, vocab_size, n_embd, tokenizer], ['gpt2', 64, 64, 'word']);
  const texts = grammar.vocabulary.map((_, id) => scope.piece(id).text);
  assert.deepEqual(texts, grammar.vocabulary);
});

test('after each of 100 prefixes the distribution is within total variation 0.08 of the grammar’s', () => {
  for (const { prefix, next } of vectors.prefixes) {
    scope.feed(scope.encode(prefix));
    const p = softmax(scope.logits());
    const distance =
      grammar.vocabulary.reduce((sum, token, id) => sum + Math.abs(p[id] - (next[token] ?? 0)), 0) /
      2;
    assert.ok(distance < 0.08, `"${prefix}": ${distance}`);
  }
});

const whole = new Set(sentences(grammar));

/** Completes every prompt once; returns the number of texts that are correct sentences and end with the end token. */
async function countRight(prompts, settings) {
  let right = 0;
  for (const [seed, prompt] of prompts.entries()) {
    const run = scope.generate({ prompt, seed, max_new_tokens: 31, ...settings });
    let step = await run.next();
    while (!step.done) step = await run.next();
    const { text, finish_reason } = step.value;
    right += finish_reason === 'eos' && whole.has(prompt + text) ? 1 : 0;
  }
  return right;
}

test('of 2,000 held-out prompts at least 99 % are right at T = 0 and 95 % at T = 1', async () => {
  const prompts = vectors.held_out_prompts;
  assert.equal(prompts.length, 2000);
  const greedy = await countRight(prompts, { temperature: 0 });
  assert.ok(greedy >= 0.99 * prompts.length, `${greedy} right at T = 0`);
  const sampled = await countRight(prompts, { temperature: 1 });
  assert.ok(sampled >= 0.95 * prompts.length, `${sampled} right at T = 1`);
});

test('every time and subject is continued in its tense and person at T = 0', async () => {
  const prompts = grammar.times.flatMap((time) =>
    grammar.subjects.map((subject) => `${time.text} ${subject.text}`),
  );
  assert.equal(await countRight(prompts, { temperature: 0 }), prompts.length);
});

test('"Tomorrow she" is continued by future forms in the third person', async () => {
  for (let seed = 0; seed < 50; seed++) {
    const run = scope.generate({ prompt: 'Tomorrow she', seed, top_p: 0.99, max_new_tokens: 31 });
    let step = await run.next();
    while (!step.done) step = await run.next();
    const { text } = step.value;
    assert.match(text, /^ (will|is going to) (go|eat|play|work|read)( |$)/);
    assert.ok(checkSentence(grammar, `Tomorrow she${text}`).right, text);
  }
});
