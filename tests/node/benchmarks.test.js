/**
 * Tests that the benchmarks are fair: the compared programs do equal work in turns, and a ratio compares samples of one
 * turn.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../bench/engine.js';
import { openHost } from '../bench/hosts.js';
import { formats, modelFile } from '../bench/models.js';
import { best, race, ratio } from '../bench/race.js';
import { TransformersSampler, drawBySorting } from '../bench/sampler_peers.js';
import { parametersOf, samplerShape, shapes } from '../bench/shapes.js';
import { withSection } from '../bench/sections.js';
import { tableOf } from '../bench/table.js';
import { median, timeOf } from '../bench/timing.js';
import { FED, aloneAt, runEachSampler } from '../bench/each_sampler.js';
import { Logitscope } from '../../web/engine/index.js';

const HISTORY = [5, 9, 300, 9];
const CHAINS = [
  { repetition_penalty: 1.1, temperature: 0.8, top_k: 40, top_p: 0.95 },
  { top_p: 0.95 },
  { temperature: 0.5, top_k: 3 },
  {},
];

test('the JavaScript samplers keep as many tokens as the engine and draw the same one', async () => {
  const engine = await Engine.open({ model: modelFile(samplerShape(512), 'f32'), variant: 'simd' });
  const logits = engine.logits([1, 2, 3]);
  engine.close();
  const scope = await Logitscope.load();
  const sampler = new TransformersSampler(logits.length);
  for (const settings of CHAINS) {
    const { kept, p } = scope.warp(logits, settings, { history: HISTORY });
    const ranked = Array.from(p, (mass, id) => ({ id, mass })).sort((a, b) => b.mass - a.mass);
    for (const u of [0, 0.3, 0.77, 0.999]) {
      let rest = u;
      const { id } = ranked.find(({ mass }) => (rest -= mass) < 0) ?? ranked[kept - 1];
      assert.deepEqual(
        drawBySorting(logits, HISTORY, settings, u),
        { id, kept },
        JSON.stringify(settings),
      );
      assert.deepEqual(
        sampler.draw(logits, HISTORY, settings, u),
        { id, kept },
        JSON.stringify(settings),
      );
    }
  }
});

test('each shape and its model file have as many parameters as the shape’s name says', async () => {
  assert.deepEqual(
    shapes.map((shape) => Math.round(parametersOf(shape) / 1e3)),
    [260, 15192, 124440],
  );
  for (const format of formats) {
    const scope = await Logitscope.load({ model: modelFile(shapes[0], format) });
    const { parameters, file_type } = /** @type {any} */ (scope.info);
    assert.equal(parameters, parametersOf(shapes[0]));
    assert.equal(file_type.toLowerCase(), format);
    assert.ok(scope.feed(scope.encode('Once upon a time')).evaluated > 1);
    scope.close();
  }
});

test('every sampler of the table has its own line in the bench and changes logits there', async () => {
  const host = await openHost('node');
  const size = 512;
  const races = await runEachSampler(host, size, { samples: 1, least: 1, budget: 20 });
  await host.close();
  const scope = await Logitscope.load({ model: modelFile(samplerShape(size), 'f32') });
  const samplers = scope.table.filter(({ sampler }) => sampler);
  assert.deepEqual(
    races.map(({ subject }) => subject),
    samplers.map(({ name }) => `V=${size} ${name}`),
  );
  assert.ok(
    races.every(({ entries }) =>
      entries.every(({ samples }) => samples.length === 1 && samples[0] > 0),
    ),
  );
  scope.feed(FED);
  scope.second(scope.logits());
  for (const row of samplers) {
    // Uses step 1: at step 0 no token has been drawn, so a length penalty changes nothing.
    const { stages } = scope.distribution(aloneAt(row), { step: 1 });
    const stage = stages.find((it) => it.name === row.name);
    assert.ok(stage.active && stage.changed, row.name);
  }
  scope.close();
});

test('a sample times whole calls until the least time has passed', async ({ mock }) => {
  let [calls, clock] = [0, 0];
  mock.method(performance, 'now', () => clock);
  const call = () => {
    calls++;
    clock += calls === 2 ? 9 : 3;
  };
  assert.equal(await timeOf(call, 20), clock / calls);
  assert.deepEqual([calls, clock], [5, 21], 'and not a call more');
});

/** @param {string} name @param {string[]} log @param {number} ms */
const fake = (name, log, ms) => ({
  name,
  side: /** @type {const} */ ('ours'),
  contender: { sample: async () => (log.push(name), ms) },
});

test('contenders take turns after a warm-up turn, and absent ones are named', async () => {
  const log = /** @type {string[]} */ ([]);
  const runners = [
    fake('a', log, 2),
    { name: 'b', side: /** @type {const} */ ('ours'), absent: 'not built' },
    { ...fake('c', log, 8), side: /** @type {const} */ ('peer') },
  ];
  const entries = await race(runners, {}, { samples: 3, least: 1, budget: 1e3 }, (ms) => ms);
  assert.deepEqual(log, ['a', 'c', 'a', 'c', 'a', 'c', 'a', 'c']);
  assert.deepEqual(
    entries.map(({ samples }) => samples),
    [[2, 2, 2], [], [8, 8, 8]],
  );
  const one = { part: 'chain', host: 'node', subject: 's', unit: 'ms', rate: false, entries };
  assert.equal(best(one), entries[0]);
  assert.equal(ratio(entries[0], entries[2], false), 4);
  assert.equal(ratio(entries[0], entries[2], true), 0.25);
  const [, head, row] = tableOf('title', [one]).split('\n');
  assert.match(head, /a +b +c/);
  assert.match(row, /^s +node +2\.00 ±0% +absent +8\.00 ±0% {2}4\.0x$/);
});

test('a contender that exceeds the budget gets only the fewest samples', async () => {
  const slow = {
    name: 'slow',
    side: /** @type {const} */ ('ours'),
    contender: {
      sample: () =>
        new Promise((resolve) => {
          setTimeout(resolve, 30, 30);
        }),
    },
  };
  const plan = { samples: 9, least: 1, budget: 10 };
  const [many] = await race([slow], {}, plan, (ms) => ms);
  const [one] = await race([slow], {}, { ...plan, minimum: 1 }, (ms) => ms);
  assert.deepEqual([many.samples, one.samples], [[30, 30, 30], [30]]);
});

test('the median of an even number of samples lies between the middle two', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([3, 1, 2]), 2);
});

test('a new section of figures replaces its old one and leaves the others', () => {
  const text = '# Figures\n\nHow.\n\n## B Two\n\nold\n\nmore\n';
  const both = withSection(text, 'A One', 'first');
  assert.equal(both, '# Figures\n\nHow.\n\n## A One\n\nfirst\n\n## B Two\n\nold\n\nmore\n');
  assert.equal(
    withSection(both, 'B Two', 'new'),
    '# Figures\n\nHow.\n\n## A One\n\nfirst\n\n## B Two\n\nnew\n',
  );
});
