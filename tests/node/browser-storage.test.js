/** Tests the data that the page keeps in localStorage between visits. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import {
  recallCode,
  recallUnsent,
  rememberCode,
  rememberUnsent,
} from '../../web/page/lesson/progress.js';
import { recall, remember } from '../../web/state/memory.js';

let kept;
beforeEach(() => {
  kept = new Map();
  globalThis.localStorage = /** @type {any} */ ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
  });
});
afterEach(() => delete globalThis.localStorage);

test('an invalid value is not kept and leaves the others in place', () => {
  remember('theme', 'dark');
  remember('theme', 'plaid');
  assert.equal(recall('theme'), 'dark');
  rememberCode('write-it', 'softmax', 'export default 1;');
  rememberCode('write-it', 'top-k', 'x'.repeat(2e6));
  assert.equal(recallCode('write-it', 'softmax'), 'export default 1;');
  assert.equal(recallCode('write-it', 'top-k'), null);
  assert.equal(recallCode('another', 'softmax'), null);
  assert.throws(() => remember('prompt', 'Lily'), /not remembered/);
});

test('without storage a value lasts as long as the document', () => {
  const refuse = () => {
    throw new Error('refused');
  };
  globalThis.localStorage = /** @type {any} */ ({ getItem: refuse, setItem: refuse });
  remember('theme', 'dark');
  assert.equal(recall('theme'), 'dark');
  assert.equal(recall('guide'), null);
});

test('unsent marks count as kept only if the browser stores them', () => {
  const marks = { state: 's', score: 0.5 };
  assert.equal(rememberUnsent('a', marks), true);
  assert.equal(rememberUnsent('b', { ...marks, state: 'x'.repeat(2e5) }), false, 'too long');
  globalThis.localStorage.setItem = () => {
    throw new Error('full');
  };
  assert.equal(rememberUnsent('c', marks), false, 'in the document alone');
  assert.deepEqual(recallUnsent('c'), marks);
});
