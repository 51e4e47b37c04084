/** Tests a view's choices, such as Compare's suite: some changes of the bench's state reset them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Choices } from '../../web/state/choices.js';

/** Returns choices, and the bench whose prompt they follow. */
function beside(prompt) {
  const bench = { prompt };
  return { bench, choices: new Choices(() => bench.prompt) };
}

test('each view keeps its own choices beside those of the others', () => {
  const { choices } = beside('a');
  choices.add({ compare_samples: 3 });
  choices.add({ sweep_figure: 'trade', compare_seed: 9 });
  assert.deepEqual(choices.of('compare'), { compare_samples: 3, compare_seed: 9 });
  assert.deepEqual(choices.of('sweep'), { sweep_figure: 'trade' });
  assert.deepEqual(choices.of('bench'), {});
});

test('a state replaces all choices of its own view and only the given ones of others', () => {
  const { choices } = beside('a');
  choices.add({ compare_samples: 3, compare_seed: 9, sweep_figure: 'trade' });
  choices.replace('compare', { seed: 5, bench_chart: 'log', compare_samples: 4 }, 'a');
  assert.deepEqual(choices.all, { compare_samples: 4, sweep_figure: 'trade' });
  choices.replace('landscape', { sweep_figure: 'entropy' }, 'a');
  assert.deepEqual(choices.all, { compare_samples: 4, sweep_figure: 'entropy' });
});

test('a prompt of Compare’s own lasts until the bench has another one', () => {
  const { bench, choices } = beside('a');
  choices.add({ compare_prompt: 'mine', compare_samples: 3 });
  assert.equal(choices.of('compare').compare_prompt, 'mine');
  bench.prompt = 'b';
  assert.deepEqual(choices.of('compare'), { compare_samples: 3 });
  choices.add({ compare_seed: 2 });
  bench.prompt = 'a';
  assert.equal('compare_prompt' in choices.all, false, 'a change since has forgotten it');
  choices.replace('compare', { compare_prompt: 'theirs' }, 'c');
  assert.deepEqual(choices.all, {}, 'it comes with another prompt than the bench has');
  bench.prompt = 'c';
  assert.deepEqual(choices.all, { compare_prompt: 'theirs' });
});
