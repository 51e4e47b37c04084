/** Tests sweeps: each point equals the engine's figures, locally, behind a worker and on the command line. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkSentence } from '../../web/engine/grammar.js';
import { Logitscope } from '../../web/engine/index.js';
import { summarise } from '../../web/engine/measures.js';
import { RemoteLogitscope } from '../../web/engine/remote.js';
import { parseAxis, range, sweep, toCsv } from '../../web/engine/sweep.js';
import { closed } from '../cleanup.js';
import { FIGURES } from '../../web/views/sweep/figures.js';
import { cli } from './command_line.js';
import { startThread } from './worker_thread.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const model = `${root}models/verbs.gguf`;
const grammar = JSON.parse(readFileSync(`${root}models/verbs.grammar.json`, 'utf8'));
const prompt = 'Today she';

const scope = closed(await Logitscope.load({ model }));

async function collect(plan, engine = scope, signal = undefined) {
  const points = [];
  for await (const point of sweep(engine, { prompt, ...plan }, signal)) points.push(point);
  return points;
}

async function refuses(plan, sentence) {
  await assert.rejects(collect(plan), (error) => {
    assert.match(error.message, sentence);
    return typeof error.code === 'string';
  });
}

test('the trade figure writes enough texts for two smooth curves', async () => {
  const { asked } = FIGURES.find(({ name }) => name === 'trade');
  const { samples, max_new_tokens, measures } = asked;
  const axes = [parseAxis('temperature=1:1.3:0.1')];
  const points = await collect({
    axes,
    measures,
    samples,
    max_new_tokens,
    grammar,
    settings: { seed: 42 },
  });
  /** Returns the largest step of a curve against direction `way` (1: rising, -1: falling). */
  const back = (name, way) =>
    Math.max(
      ...points
        .slice(1)
        .map((point, i) => way * (points[i].measures[name].mean - point.measures[name].mean)),
    );
  assert.ok(back('distinct_texts', 1) <= 0.02, `diversity falls by ${back('distinct_texts', 1)}`);
  assert.ok(back('correctness', -1) <= 0.02, `correctness rises by ${back('correctness', -1)}`);
});

describe('axes', () => {
  test('values of a range are short decimals', () => {
    assert.deepEqual(
      range('temperature', 0.1, 0.7, 0.1).values,
      [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
    );
    assert.deepEqual(range('top_p', 0.05, 1, 0.35).values, [0.05, 0.4, 0.75]);
    assert.deepEqual(range('frequency_penalty', -1, 1, 1).values, [-1, 0, 1]);
    assert.deepEqual(range('epsilon_cutoff', 0, 3e-7, 1e-7).values, [0, 1e-7, 2e-7, 3e-7]);
    assert.deepEqual(range('top_k', 5, 5, 1).values, [5]);
  });

  test('a text with dashes or a list becomes an axis', () => {
    assert.deepEqual(parseAxis('top-k=1,5,20'), { name: 'top_k', values: [1, 5, 20] });
    assert.deepEqual(parseAxis('top_p=0:1:.5'), { name: 'top_p', values: [0, 0.5, 1] });
  });

  test('an invalid axis is refused in one sentence', () => {
    for (const [text, sentence] of [
      ['temperature', /^a sweep must be SETTING=FROM:TO:STEP or SETTING=A,B,C, got "temperature"$/],
      ['temperature=0:1', /^temperature must be swept FROM:TO:STEP, got "0:1"$/],
      ['temperature=0:1:0', /^the step of temperature must be greater than 0, got 0$/],
      ['temperature=1:0:1', /^the end of temperature must be at least its start 1, got 0$/],
      ['temperature=hot', /^temperature must be swept over numbers, got "hot"$/],
      [
        'temperature=0:1:1e-5',
        /^a sweep must have at most 10000 points, got 100001 of temperature$/,
      ],
    ])
      assert.throws(() => parseAxis(text), { name: 'LogitscopeError', message: sentence });
  });
});

describe('a sweep of the distribution', () => {
  test('has the engine’s figures bit for bit, from 0 to log2 V', async () => {
    const points = await collect({
      axes: [{ name: 'temperature', values: [0, 0.01, 0.5, 1, 2, 1e6] }],
      measures: ['entropy', 'nucleus', 'mass', 'perplexity'],
      settings: { repetition_penalty: 1.3 },
    });
    scope.feed(scope.encode(prompt));
    for (const { at, measures, texts } of points) {
      const trace = scope.distribution({ repetition_penalty: 1.3, ...at });
      assert.equal(measures.entropy.mean, trace.entropy);
      assert.equal(measures.perplexity.mean, trace.perplexity);
      assert.equal(measures.nucleus.mean, trace.kept);
      assert.equal(measures.mass.mean, trace.kept_mass_raw);
      assert.deepEqual(texts, []);
    }
    const entropies = points.map(({ measures }) => measures.entropy.mean);
    assert.equal(entropies[0], 0);
    entropies.slice(1).forEach((entropy, i) => assert.ok(entropy >= entropies[i]));
    assert.ok(Math.abs(entropies[5] - Math.log2(scope.info.vocab_size)) < 1e-4);
  });

  test('over two settings visits every pair, the last setting fastest, and overrides the plan’s settings', async () => {
    const points = await collect({
      axes: [parseAxis('temperature=0.5,2'), parseAxis('top_p=0.5,0.9,1')],
      measures: ['nucleus'],
      settings: { top_p: 0.1, top_k: 9 },
    });
    assert.deepEqual(
      points.map(({ at }) => [at.temperature, at.top_p]),
      [
        [0.5, 0.5],
        [0.5, 0.9],
        [0.5, 1],
        [2, 0.5],
        [2, 0.9],
        [2, 1],
      ],
    );
    scope.feed(scope.encode(prompt));
    for (const { at, measures } of points)
      assert.equal(measures.nucleus.mean, scope.distribution({ top_k: 9, ...at }).kept);
    assert.equal(points[5].measures.nucleus.mean, 9);
  });

  test('takes any numeric setting of the table', async () => {
    const numbers = scope.table.filter(({ kind }) => kind === 'real' || kind === 'integer');
    assert.ok(numbers.length > 20);
    for (const { name, high } of numbers) {
      const [point] = await collect({ axes: [{ name, values: [high] }], measures: ['entropy'] });
      assert.ok(point.measures.entropy.mean >= 0, name);
    }
  });
});

describe('a sweep of texts', () => {
  const plan = {
    axes: [parseAxis('temperature=0.7,1.5')],
    measures: ['correctness', 'distinct_texts', 'ttr', 'distinct_2', 'text_nucleus', 'length'],
    settings: { top_p: 0.9, seed: 7 },
    samples: 6,
    max_new_tokens: 20,
    grammar,
  };

  test('gives text i the seed + i and the engine’s figures', async () => {
    const points = await collect(plan);
    for (const { at, measures, texts } of points) {
      const kept = [];
      assert.equal(texts.length, 6);
      for (const [i, text] of texts.entries()) {
        const options = { prompt, max_new_tokens: 20, top_p: 0.9, seed: 7 + i, ...at };
        const generation = scope.generate(options);
        let answer = await generation.next();
        for (; !answer.done; answer = await generation.next()) kept.push(answer.value.kept);
        assert.deepEqual(
          [text.ids, text.text, text.seed],
          [answer.value.ids, answer.value.text, 7 + i],
        );
        assert.deepEqual(text.verdict, checkSentence(grammar, prompt + text.text));
      }
      assert.deepEqual(measures.text_nucleus, summarise(kept));
      assert.deepEqual(measures.ttr, summarise(texts.map(({ ids }) => scope.distinct(ids, 1))));
      assert.deepEqual(
        measures.distinct_2,
        summarise(texts.map(({ ids }) => scope.distinct(ids, 2))),
      );
      assert.equal(measures.length.mean, texts.reduce((sum, { ids }) => sum + ids.length, 0) / 6);
      assert.equal(
        measures.correctness.mean,
        texts.filter(({ verdict }) => verdict.right).length / 6,
      );
      assert.equal(measures.distinct_texts.mean, new Set(texts.map(({ text }) => text)).size / 6);
    }
    const [cold, hot] = points.map(({ measures }) => measures.text_nucleus.mean);
    assert.ok(hot > cold, `${hot} > ${cold}`);
  });

  test('has quartiles and means as counted by hand', () => {
    assert.deepEqual(summarise([4, 1, 3, 2]), { n: 4, mean: 2.5, q1: 1.75, median: 2.5, q3: 3.25 });
    assert.deepEqual(summarise([5]), { n: 1, mean: 5, q1: 5, median: 5, q3: 5 });
    assert.deepEqual(summarise([10, 9, 2]), { n: 3, mean: 7, q1: 5.5, median: 9, q3: 9.5 });
  });

  test('gives the same points behind a worker', async () => {
    const remote = await RemoteLogitscope.load({ model, worker: startThread() });
    assert.deepEqual(await collect(plan, remote), await collect(plan));
  });

  test('ends in the middle of a text at an abort and keeps the finished points', async () => {
    const stop = new AbortController();
    const points = [];
    const axes = [range('temperature', 1, 50, 1)];
    const long = { ...plan, axes, prompt, samples: 50 };
    const began = process.cpuUsage();
    for await (const point of sweep(scope, long, stop.signal)) {
      points.push(point);
      if (points.length === 1) stop.abort();
    }
    assert.equal(points.length, 1);
    assert.ok(process.cpuUsage(began).user < 5e6);
    const aborted = AbortSignal.abort();
    assert.deepEqual(await collect(plan, scope, aborted), []);
    assert.deepEqual(await collect({ ...plan, signal: aborted }), []);
  });
});

test('an invalid plan is refused before the first point', async () => {
  const one = [{ name: 'temperature', values: [1] }];
  await refuses(
    { axes: [], measures: ['entropy'] },
    /^a sweep must be over one or two settings, got 0$/,
  );
  await refuses(
    { axes: [...one, ...one], measures: [] },
    /two different settings, got temperature twice$/,
  );
  await refuses(
    { axes: [{ name: 'temprature', values: [1] }], measures: [] },
    /did you mean "temperature"\?$/,
  );
  await refuses(
    { axes: [{ name: 'logit_bias', values: [1] }], measures: [] },
    /^unknown setting "logit_bias"/,
  );
  await refuses(
    { axes: one, measures: ['magic'] },
    /^a measure must be one of entropy, .*, got "magic"$/,
  );
  await refuses({ axes: one, measures: ['correctness'] }, /^correctness needs a grammar/);
  await refuses(
    { axes: one, measures: ['ttr'], samples: 0 },
    /^samples must be an integer between 1 and 1000, got 0$/,
  );
  await refuses(
    { axes: [parseAxis('top_p=0.5,1.5')], measures: ['entropy'] },
    /^top_p must be between 0 and 1, got 1.5$/,
  );
  await refuses({ axes: one, measures: [], settings: { heat: 1 } }, /^unknown setting "heat"/);
});

describe('a sweep on the command line', () => {
  const words = ['temperature=0.5:1.5:0.5', '--prompt', prompt, '--top-p', '0.9', '--samples', '4'];
  const measures = ['correctness', 'ttr', 'entropy'];
  const plan = {
    axes: [parseAxis('temperature=0.5:1.5:0.5')],
    measures,
    settings: { top_p: 0.9 },
    samples: 4,
    grammar,
  };

  test('gives the module’s numbers in full with --csv and --json', async () => {
    const points = await collect(plan);
    const csv = await cli(['sweep', ...words, '--metric', measures.join(','), '--csv']);
    assert.deepEqual(csv, { status: 0, stderr: '', stdout: toCsv(plan, points) });
    assert.equal(
      csv.stdout.split('\n')[0],
      'temperature,correctness,ttr,ttr_q1,ttr_median,ttr_q3,entropy',
    );
    const json = JSON.parse(
      (await cli(['sweep', ...words, '--metric', measures.join(','), '--json'])).stdout,
    );
    assert.deepEqual(json.points, points);
    assert.deepEqual([json.prompt, json.settings, json.samples], [prompt, { top_p: 0.9 }, 4]);
  });

  test('prints a rounded table, and measures entropy by default', async () => {
    const { status, stdout } = await cli(['sweep', 'temperature=0,1', '--prompt', prompt]);
    assert.equal(status, 0);
    assert.match(stdout, /^temperature +entropy\n +0 +0\n +1 +2\.382\n$/);
  });

  test('gives one line and exit code 2 for a wrong argument', async () => {
    for (const [wrong, sentence] of [
      [['--prompt', 'x'], 'a sweep must be over one or two settings, got 0'],
      [['temperature=1'], '--prompt is missing'],
      [
        ['temperature=1', '--prompt', prompt, '--temperature', '2'],
        'temperature is both swept and set',
      ],
      [
        ['temperature=1', '--prompt', prompt, '--csv', '--json'],
        '--csv and --json exclude each other',
      ],
      [['top_p=1.5', '--prompt', prompt], 'top_p must be between 0 and 1, got 1.5'],
    ])
      assert.deepEqual(await cli(['sweep', ...wrong]), {
        status: 2,
        stdout: '',
        stderr: `logitscope: ${sentence}\n`,
      });
    assert.match(
      (await cli(['sweep', '--help'])).stdout,
      /^usage: logitscope sweep SETTING=FROM:TO:STEP/,
    );
  });
});
