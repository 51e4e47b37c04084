// Tests the checker of web/engine/grammar.js with sentences judged by hand and with the generator's own numbers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { checkPrefix, checkSentence, pieces, sentences } from '../../web/engine/grammar.js';
import { cases } from '../long.js';

/** @param {string} path */
const readJson = (path) =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const grammar = readJson('models/verbs.grammar.json');
const vectors = readJson('tests/vectors/verbs_prefixes.json');

/**
 * Returns a random generator with a seed (mulberry32), so that every run has the same samples.
 * @param {number} seed
 */
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('the vocabulary is 64 tokens: the specials and exactly the words of the grammar', () => {
  assert.equal(grammar.vocabulary.length, 64);
  const used = new Set([grammar.specials.bos, grammar.specials.eos]);
  for (const sentence of sentences(grammar)) for (const piece of pieces(sentence)) used.add(piece);
  assert.deepEqual([...used].sort(), [...grammar.vocabulary].sort());
});

test('correct sentences of every tense pass', () => {
  for (const sentence of [
    'Tomorrow she will go',
    'Tomorrow she is going to go home',
    'Tomorrow morning Ana and I are going to eat lunch with friends',
    'Yesterday they went to the park',
    'Last night I was reading the book',
    'Last week we were working at school',
    'This morning he has eaten',
    'Today you have read the book at home',
    'Every day she goes to work',
    'Every night they play football',
    'Right now I am going to school',
    'Right now you and Tom are eating',
  ]) {
    const verdict = checkSentence(grammar, sentence);
    assert.equal(verdict.code, 'right', `${sentence}: ${verdict.message}`);
    assert.ok(verdict.syntax && verdict.tense && verdict.person && verdict.right);
  }
});

test('a wrong tense differs from a wrong person', () => {
  const cases = [
    ['Tomorrow she went home', false, true, 'tense', 'will go'],
    ['Yesterday we will eat', false, true, 'tense', 'ate'],
    ['Every day he is working', false, true, 'tense', 'works'],
    ['Right now Ana goes to school', false, true, 'tense', 'is going'],
    ['Tomorrow she is going to school', false, true, 'tense', 'will go'],
    ['Right now she is going to play', false, true, 'tense', 'is playing'],
    ['Every day they goes home', true, false, 'person', 'go'],
    ['Every day she read the book', true, false, 'person', 'reads'],
    ['Tomorrow I is going to eat', true, false, 'person', 'am going to eat'],
    ['Yesterday you was playing football', true, false, 'person', 'were playing'],
    ['Today Tom have eaten lunch', true, false, 'person', 'has eaten'],
    ['Right now Ana and Tom is reading', true, false, 'person', 'are reading'],
    ['Yesterday I is eating', false, false, 'tense_and_person', 'ate'],
  ];
  for (const [sentence, tense, person, code, expected] of cases) {
    const verdict = checkSentence(grammar, sentence);
    assert.deepEqual(
      [
        verdict.syntax,
        verdict.tense,
        verdict.person,
        verdict.right,
        verdict.code,
        verdict.values.expected,
      ],
      [true, tense, person, false, code, expected],
      sentence,
    );
    assert.match(verdict.message, /^"[^"]+" [^\n]*\.$/);
  }
});

test('a verdict has the words that its message names', () => {
  const { message, values } = checkSentence(grammar, 'Tomorrow Ana and I ate lunch');
  assert.deepEqual(values, {
    time: 'Tomorrow',
    subject: 'Ana and I',
    verb: 'ate',
    expected: 'will eat',
    tense: 'past',
  });
  assert.equal(message, '"ate" is the past, which does not go with "Tomorrow"; "will eat" does.');
});

test('an ambiguous sentence is judged by its correct reading', () => {
  // Both readings of "going to work" are correct: the present (on the way to work) and the future of "work".
  assert.ok(checkSentence(grammar, 'Right now she is going to work').right);
  assert.ok(checkSentence(grammar, 'Tomorrow she is going to work').right);
  assert.equal(checkSentence(grammar, 'Right now she is going to work at home').code, 'tense');
  // "read" is the base form, the past form and the participle, so each of these tenses is correct.
  assert.ok(checkSentence(grammar, 'Yesterday she read').right);
  assert.ok(checkSentence(grammar, 'Every day they read').right);
  assert.ok(checkSentence(grammar, 'This week she has read').right);
});

test('broken syntax is named by the missing part', () => {
  const cases = [
    ['', 'empty'],
    ['Tomorrow she will dance', 'unknown_word'],
    ['Tomorrow she will go.', 'unknown_word'],
    ['Tomorrow  she will go', 'unknown_word'],
    [' Tomorrow she will go', 'unknown_word'],
    ['she will go', 'unknown_word'],
    ['Every she goes', 'no_time'],
    ['Today', 'unfinished'],
    ['Tomorrow', 'unfinished'],
    ['Tomorrow she went to', 'unfinished'],
    ['Tomorrow will go', 'no_subject'],
    ['Tomorrow morning friends', 'no_subject'],
    ['Tomorrow she home', 'no_verb'],
    ['Tomorrow she will goes', 'no_verb'],
    ['Tomorrow she and will go', 'no_verb'],
    ['Tomorrow she will go lunch', 'complement'],
    ['Tomorrow she will go home home', 'complement'],
    ['Tomorrow she will work at', 'unfinished'],
    ['Tomorrow she will', 'unfinished'],
  ];
  for (const [sentence, code] of cases) {
    const verdict = checkSentence(grammar, sentence);
    assert.deepEqual(
      [verdict.code, verdict.syntax, verdict.tense, verdict.person, verdict.right],
      [code, false, null, null, false],
      `"${sentence}": ${verdict.message}`,
    );
    assert.match(verdict.message, /^[^\n]+\.$/);
  }
});

test('each generated sentence of a seeded sample passes, and so do its beginnings', () => {
  const random = generator(1);
  let seen = 0;
  for (const sentence of sentences(grammar)) {
    if (random() >= cases(0.003, 0.01)) continue;
    seen += 1;
    const verdict = checkSentence(grammar, sentence);
    assert.ok(verdict.right, `${sentence}: ${verdict.message}`);
    const cut = pieces(sentence)
      .slice(0, Math.floor(random() * pieces(sentence).length))
      .join('');
    assert.ok(checkPrefix(grammar, cut).right, cut);
    assert.ok(checkPrefix(grammar, sentence).complete, sentence);
  }
  assert.ok(seen > cases(100, 300), `only ${seen} sentences`);
});

test('random words do not pass', () => {
  const random = generator(2);
  const words = grammar.vocabulary.slice(2);
  const whole = new Set(sentences(grammar));
  for (let i = 0; i < 2000; i++) {
    const length = 1 + Math.floor(random() * 8);
    const salad = Array.from({ length }, () => words[Math.floor(random() * words.length)]).join('');
    assert.equal(checkSentence(grammar, salad).right, whole.has(salad), salad);
  }
});

test('a sentence with one word changed passes only if the grammar generates it', () => {
  const random = generator(3);
  const words = grammar.vocabulary.slice(2);
  const whole = [...new Set(sentences(grammar))];
  const known = new Set(whole);
  const tried = cases(600, 2000);
  let wrong = 0;
  for (let i = 0; i < tried; i++) {
    const changed = pieces(whole[Math.floor(random() * whole.length)]);
    changed[Math.floor(random() * changed.length)] = words[Math.floor(random() * words.length)];
    const text = changed.join('');
    assert.equal(checkSentence(grammar, text).right, known.has(text), text);
    wrong += known.has(text) ? 0 : 1;
  }
  assert.ok(wrong > tried / 2, `only ${wrong} were wrong`);
});

test("the distribution after a prefix equals the generator's to its last digit", () => {
  assert.equal(vectors.prefixes.length, 100);
  for (const { prefix, next } of vectors.prefixes) {
    const verdict = checkPrefix(grammar, prefix);
    assert.deepEqual([...verdict.next.keys()].sort(), Object.keys(next).sort(), prefix);
    for (const [token, p] of verdict.next)
      assert.ok(Math.abs(p - next[token]) < 1e-8, `${prefix} ${token} ${p}`);
  }
});

test('every held-out prompt is a beginning, and no beginning ends inside a word', () => {
  assert.equal(new Set(vectors.held_out_prompts).size, 2000);
  for (const prompt of vectors.held_out_prompts)
    assert.ok(checkPrefix(grammar, prompt).right, prompt);
  for (const text of [
    'Tomorr',
    'Tomorrow sh',
    'Tomorrow she will g',
    'Tomorrow ',
    'Tomorrow she went',
  ]) {
    const verdict = checkPrefix(grammar, text);
    assert.deepEqual([verdict.right, verdict.complete, verdict.next.size], [false, false, 0], text);
  }
});
