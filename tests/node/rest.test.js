/** What waits until a hand rests: it acts once, in its time or when hastened. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Rest } from '../../web/base/rest.js';

mock.timers.enable({ apis: ['setTimeout'] });

test('only the last that was asked for is done, in its time', () => {
  const rest = new Rest();
  const done = [];
  rest.after(100, () => done.push('first'));
  mock.timers.tick(99);
  rest.after(100, () => done.push('second'));
  mock.timers.tick(99);
  assert.deepEqual(done, []);
  mock.timers.tick(1);
  assert.deepEqual(done, ['second']);
  assert.equal(Rest.hasten(), false);
});

test('hastened, all that waits is done at once and not again', () => {
  const [one, other, stopped] = [new Rest(), new Rest(), new Rest()];
  const done = [];
  one.after(100, () => done.push('one'));
  other.after(200, () => done.push('other'));
  stopped.after(300, () => done.push('stopped'));
  stopped.stop();
  assert.equal(Rest.hasten(), true);
  assert.deepEqual(done, ['one', 'other']);
  mock.timers.tick(1000);
  assert.deepEqual(done, ['one', 'other']);
  assert.equal(Rest.hasten(), false);
});

test('what one of them stops or asks for while hastened is left alone', () => {
  const [one, other] = [new Rest(), new Rest()];
  const done = [];
  one.after(100, () => {
    other.stop();
    one.after(100, () => done.push('again'));
  });
  other.after(100, () => done.push('other'));
  assert.equal(Rest.hasten(), true);
  assert.deepEqual(done, []);
  mock.timers.tick(100);
  assert.deepEqual(done, ['again']);
});
