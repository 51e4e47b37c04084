/** Tests that a debounced action runs once, after its delay or when flushed. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Debounce } from '../../web/base/debounce.js';

mock.timers.enable({ apis: ['setTimeout'] });

test('only the last scheduled action runs, after its delay', () => {
  const debounce = new Debounce();
  const done = [];
  debounce.schedule(100, () => done.push('first'));
  mock.timers.tick(99);
  debounce.schedule(100, () => done.push('second'));
  mock.timers.tick(99);
  assert.deepEqual(done, []);
  mock.timers.tick(1);
  assert.deepEqual(done, ['second']);
  assert.equal(Debounce.flush(), false);
});

test('flush runs all pending actions at once, and none of them twice', () => {
  const [one, other, stopped] = [new Debounce(), new Debounce(), new Debounce()];
  const done = [];
  one.schedule(100, () => done.push('one'));
  other.schedule(200, () => done.push('other'));
  stopped.schedule(300, () => done.push('stopped'));
  stopped.cancel();
  assert.equal(Debounce.flush(), true);
  assert.deepEqual(done, ['one', 'other']);
  mock.timers.tick(1000);
  assert.deepEqual(done, ['one', 'other']);
  assert.equal(Debounce.flush(), false);
});

test('flush skips actions that another action cancels or schedules', () => {
  const [one, other] = [new Debounce(), new Debounce()];
  const done = [];
  one.schedule(100, () => {
    other.cancel();
    one.schedule(100, () => done.push('again'));
  });
  other.schedule(100, () => done.push('other'));
  assert.equal(Debounce.flush(), true);
  assert.deepEqual(done, []);
  mock.timers.tick(100);
  assert.deepEqual(done, ['again']);
});
