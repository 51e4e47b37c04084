/** Tests how thinking tokens are found: all between <think> and </think>, even if these tags are split into tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findThinking } from '../../web/state/thinking.js';

const mark = (/** @type {string[]} */ texts, begun = false) =>
  findThinking(
    texts.map((text) => ({ text })),
    begun,
  )
    .map((thought) => (thought ? 'x' : '.'))
    .join('');

test('tags may be one token or several, and a prompt may end inside the thinking', () => {
  assert.equal(mark(['a', '<think>', 'b', '</think>', 'c']), '.xxx.');
  assert.equal(mark(['a', '<', 'think', '>b', 'c</', 'thi', 'nk>', 'd']), '...xxxx.');
  assert.equal(mark(['b', '</think>', 'c'], true), 'xx.');
  assert.equal(mark(['a<b', 'c', '<think', 'er>', 'd']), '.....');
  assert.equal(mark(['<think></think>', 'a', '<think>x</think>y<think>', 'b']), '..xx');
});
