/** Tests the texts that the page stores in sessionStorage for a reload: a damaged record restores no text. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { complete, recall } from '../../web/page/visit.js';

const KEY = 'logitscope-text-a';
const TOKEN = [0, 5, 0.5, null, 0.1, 0.1, 1, -2.3, 0];
const RECORD = { key: 'a', model: 'm', prompt_ids: [1], stopAtEnd: true, tip: 1 };
const SCOPE = /** @type {any} */ ({ source: 'm', files: [], table: [], info: { vocab_size: 9 } });

/** @type {Map<string, string>} */
let kept;
beforeEach(() => {
  kept = new Map();
  globalThis.sessionStorage = /** @type {any} */ ({ getItem: (key) => kept.get(key) ?? null });
});
afterEach(() => delete globalThis.sessionStorage);

/** Returns the texts restored from a record. */
function savedOf(text) {
  kept.set(KEY, text);
  return complete(null, recall({ text: { key: 'a', at: 1 } }), SCOPE)?.saved;
}

test('a whole record is restored, and a damaged one or one of another model is not', () => {
  const record = (tokens, more = {}) => JSON.stringify({ ...RECORD, ...more, tokens });
  assert.deepEqual(savedOf(record([TOKEN]))?.tokens, [TOKEN]);
  for (const text of [
    'not JSON',
    '7',
    '"text"',
    '[]',
    '{}',
    record(null),
    record([[0]]),
    record([[0, null]]),
    record([[0, -1]]),
    record([[0, 9]]),
    record([[0, 1.5]]),
    record([[1, 5]]),
    record([['0', 5]]),
    record([TOKEN], { model: 'another' }),
  ])
    assert.equal(savedOf(text), undefined, text);
});

test('long damaged parts are left out', () => {
  for (const text of ['7', '"prompt"', '[]', 'not JSON', 'null']) {
    kept.set('logitscope-long', text);
    assert.deepEqual(recall({ long: ['prompt'] }).long, [], text);
  }
  kept.set('logitscope-long', '{"prompt":"Lily"}');
  assert.deepEqual(recall({ long: ['prompt'] }).long, [['prompt', 'Lily']]);
});
