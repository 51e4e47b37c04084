/** Tests the page's state as text: a written state is read back unchanged, and malformed text is refused. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { conventions } from '../../web/engine/presets.js';
import { MEASURES } from '../../web/engine/measures.js';
import { SAMPLES_MAX } from '../../web/engine/sweep.js';
import { suites } from '../../web/engine/suites.js';
import {
  FIELDS,
  MAX_BRANCH_TOKENS,
  MAX_OWN_TEXT,
  checkPart,
  field,
} from '../../web/state/fields.js';
import {
  checkState,
  formatHash,
  leftOut,
  droppedControls,
  parseControls,
  parseHash,
  parseQuery,
} from '../../web/state/page-state.js';
import { FIGURE_NAMES } from '../../web/views/sweep/figures.js';
import { Logitscope } from '../../web/engine/index.js';

const VOCABULARY = 64;
let table;

before(async () => {
  ({ table } = await Logitscope.load());
});

/** Returns random valid states, without neutral values. */
function states() {
  const rows = table.filter(({ kind }) => kind === 'real' || kind === 'integer');
  const values = Object.fromEntries(
    rows.map(({ name, kind, minimum, maximum, neutral }) => {
      const [low, high] = [Math.max(minimum, -1e6), Math.min(maximum, 1e6)];
      const any =
        kind === 'integer'
          ? fc.integer({ min: low, max: high })
          : fc.double({ min: low, max: high, noNaN: true, minExcluded: true, maxExcluded: true });
      return [name, any.filter((value) => value !== neutral && !Object.is(value, -0))];
    }),
  );
  const id = fc.integer({ min: 0, max: VOCABULARY - 1 });
  const bias = fc.oneof(
    fc.constant(false),
    fc.double({ min: -50, max: 50, noNaN: true }).map((x) => x + 0),
  );
  const sequence = fc.array(id, { minLength: 1, maxLength: 3 }).map((ids) => ids.join(' '));
  const biases = fc.dictionary(sequence, bias, {
    minKeys: 1,
    maxKeys: 5,
    noNullPrototype: true,
  });
  const samplers = table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const more = {
    logit_bias: biases,
    order: fc.shuffledSubarray(samplers, { minLength: 1 }),
    draw: fc.constant('gumbel'),
    convention: fc.constantFrom('llama.cpp', 'llama2.c'),
    constraint: fc.oneof(
      fc.constantFrom('json', 'name_age_city'),
      fc.record({ grammar: fc.string({ unit: 'grapheme' }) }, { noNullPrototype: true }),
      fc.constant({ schema: { type: 'array', items: { enum: ['a&b=#', 1] }, maxItems: 2 } }),
    ),
    banned_words: fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), id, fc.array(id)), {
      minLength: 1,
    }),
    forced_first: fc.oneof(
      id,
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('12', '"', ' -1', '{}', ' will'),
    ),
  };
  return fc.record(
    {
      prompt: fc.string({ unit: 'grapheme' }),
      settings: fc.record({ ...values, ...more }, { requiredKeys: [], noNullPrototype: true }),
      seed: fc.maxSafeNat(),
      branch: fc.array(id, { minLength: 1, maxLength: MAX_BRANCH_TOKENS }),
    },
    { requiredKeys: ['prompt', 'settings'], noNullPrototype: true },
  );
}

test('a state written to an address is valid there and read back unchanged', () => {
  fc.assert(
    fc.property(states(), (state) => {
      const hash = formatHash(state, table);
      assert.doesNotMatch(hash, /[\s"<>#`]/);
      const url = new URL(`https://host.example/page#${hash}`);
      const { state: read, dropped } = parseHash(url.hash, table, VOCABULARY);
      assert.deepEqual(dropped, []);
      assert.deepEqual(read, state);
      assert.equal(formatHash(read, table), hash);
    }),
    { numRuns: 500 },
  );
});

test('an order is written as moves, which links, messages and attributes accept too', () => {
  const canonical = table.filter(({ sampler }) => sampler).map(({ name }) => name);
  const moved = (name, at) => canonical.filter((each) => each !== name).toSpliced(at, 0, name);
  const hashOf = (order) => formatHash({ settings: { order } }, table);
  assert.equal(hashOf(moved('temperature', canonical.length)), 'order=temperature:last');
  assert.equal(hashOf(moved('top_p', 0)), `order=top_p:${canonical[0]}`);
  fc.assert(
    fc.property(fc.shuffledSubarray(canonical, { minLength: canonical.length }), (order) => {
      const hash = hashOf(order);
      assert.ok(hash.length <= `order=${order.join()}`.length);
      assert.deepEqual(parseHash(hash, table).state?.settings.order ?? canonical, order);
      assert.deepEqual(parseHash(`order=${order.join()}`, table).state.settings.order, order);
    }),
  );
  const last = moved('xtc_probability', canonical.length);
  for (const order of [['xtc:last'], 'xtc_probability:last', last])
    assert.deepEqual(checkState({ settings: { order } }, table).state.settings.order, last);
  const both = parseHash('order=top_k:last,temperature:top_k', table).state.settings.order;
  assert.deepEqual(both.slice(-2), ['temperature', 'top_k']);
  // If the address gives an order without some stages, these stages stay off.
  assert.equal(hashOf(['top_k', 'temperature']), 'order=top_k,temperature');
  const wrong = [
    'top_k:',
    'top_k:top_k',
    'top_k:x',
    'x:last',
    ':',
    'top_k:last:last',
    'top_k:last,top_p',
  ];
  for (const order of [...wrong, Array(99).fill('top_k:last').join()])
    assert.equal(parseHash(`order=${order}`, table).dropped[0]?.why, 'malformed', order);
  for (const order of [[null], [{}], ['top_k:last', 5], [['top_k', 'last']], [[':']], {}])
    assert.equal(checkState({ settings: { order } }, table).dropped[0]?.why, 'malformed');
});

test('no text throws, and an accepted state can be written again', () => {
  const names = [
    ...table.map(({ name }) => name),
    'constraint',
    'banned_words',
    'forced_first',
    'seed',
    'branch',
    'order',
    'draw',
    'nonsense',
    '__proto__',
  ];
  const pair = fc.tuple(
    fc.constantFrom(...names),
    fc.oneof(
      fc.string(),
      fc.constantFrom('-1', '1e999', 'NaN', '0x10', '1,2', '%E0%A4%A', '[1', '7:1:2'),
    ),
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(pair.map((both) => both.join('='))).map((all) => all.join('&')),
  );
  fc.assert(
    fc.property(text, (hash) => {
      const { state, dropped } = parseHash(hash, table, VOCABULARY);
      for (const { part, why } of dropped) assert.ok(typeof part === 'string' && why);
      if (!state) return;
      const again = parseHash(formatHash(state, table), table, VOCABULARY);
      assert.deepEqual(again.dropped, []);
    }),
    { numRuns: 1000 },
  );
});

test('a malformed part is left out with its reason, and the rest applies', () => {
  const { state, dropped } = parseHash(
    '#prompt=Today%20she&top_p=1.5&temperature=hot&top_k=2.5&colour=red&seed=7&view=sweep&branch=1,99&logit_bias=3:x',
    table,
    VOCABULARY,
  );
  assert.deepEqual(state, { prompt: 'Today she', settings: {}, seed: 7 });
  assert.deepEqual(
    dropped.map(({ part, why, minimum, maximum }) => [part, why, minimum, maximum]),
    [
      ['top_p=1.5', 'between', 0, 1],
      ['temperature=hot', 'malformed', 0, 0],
      ['top_k=2.5', 'malformed', 0, 0],
      ['colour=red', 'unknown', 0, 0],
      ['view=sweep', 'query', 0, 0],
      ['branch=1,99', 'between', 0, 63],
      ['logit_bias=3:x', 'malformed', 0, 0],
    ],
  );
});

test('a message of any kind is checked by the same table', () => {
  fc.assert(
    fc.property(fc.object(), (given) => {
      checkState(given, table, VOCABULARY);
    }),
  );
  const { dropped } = checkState({ settings: { temperature: '0.5' }, prompt: 3 }, table);
  assert.deepEqual(
    dropped.map(({ part }) => part),
    ['prompt=3', 'temperature=0.5'],
  );
  const gates = { constraint: 3, banned_words: 'he', forced_first: 64, constraint_start: 1 };
  assert.deepEqual(
    checkState({ settings: gates }, table, VOCABULARY).dropped.map(({ part, why }) => [part, why]),
    [
      ['constraint=3', 'malformed'],
      ['banned_words=he', 'malformed'],
      ['forced_first=64', 'between'],
      ['constraint_start=1', 'unknown'],
    ],
  );
  assert.equal(checkState({ settings: { top_k: 3 } }, table).dropped.length, 0);
});

test('controls name knobs and panels', () => {
  assert.equal(parseControls(''), null);
  const knobs = parseControls('temperature,top_p');
  assert.deepEqual(knobs.knobs, ['temperature', 'top_p']);
  assert.deepEqual([...knobs.parts].sort(), ['chain', 'distribution', 'draw', 'text']);
  const panels = parseControls('distribution, temperature');
  assert.deepEqual([...panels.parts].sort(), ['chain', 'distribution']);
  const typed = droppedControls('text, top-p,temprature,top_k,own', table);
  assert.deepEqual(
    typed.map(({ part, why }) => [part, why]),
    [
      ['controls=top-p', 'control'],
      ['controls=temprature', 'control'],
    ],
  );
  assert.deepEqual(droppedControls('', table), []);
});

/** For each choice of a view, a value other than the initial one. */
const CHOSEN = {
  landscape_knob: 'top_p',
  landscape_twin: true,
  landscape_u: 0.25,
  landscape_ids: [5, 9],
  bench_chart: 'ranks',
  bench_conventions: ['llama2.c', 'llama.cpp'],
  compare_suite: 'e27.1',
  compare_strategies: [
    { settings: { top_p: 0.9, order: ['top_p', 'temperature'] } },
    { kind: 'given', settings: {}, text: 'a&b=#%ü' },
    { kind: 'beam', settings: { num_beams: 4 } },
  ],
  compare_samples: 3,
  compare_max_new_tokens: 20,
  compare_seed: 7,
  compare_prompt: '',
  compare_blind: true,
  compare_colour: 'none',
  compare_step: 3,
  sweep_figure: 'any',
  sweep_kind: 'mask',
  sweep_knob: 'min_p',
  sweep_allowed: 'went home\nate lunch',
  sweep_first: { name: 'top_p', from: 0.5, to: 1, step: 0.25 },
  sweep_second: { name: 'top_k', from: 1, to: 3, step: 1 },
  sweep_measure: 'ttr',
  sweep_samples: 2,
  sweep_max_new_tokens: 4096,
  sweep_keep: false,
  sweep_texts: true,
  cost_measured: ['speeds', 'steps'],
  cost_prompt_tokens: 8,
  cost_new_tokens: 20,
  cost_width: 64,
  speculative_draft_tokens: 8,
  speculative_temperature: 0.7,
  speculative_seed: 5,
  speculative_max_new_tokens: 60,
  logits_source: 'bigram',
  logits_kind: 'probabilities',
  logits_pasted: 'cat: 1\ndog: 2',
  logits_text: 'a b a',
  logits_by: 'characters',
  logits_context: [0, 1],
  logits_record: '{"logprobs":[]}',
  logits_prompt: 'It was',
  logits_law: 'warped',
  logits_position: 3,
  logits_vocabulary: 128_256,
  logits_chart: 'cumulative',
  logits_conventions: ['transformers', 'llama2.c'],
  logits_settings: { temperature: 2, logit_bias: { 1: -2 }, seed: 3, draw: 'gumbel' },
};

test('every choice of a view is listed, written to an address and read back unchanged', () => {
  const listed = FIELDS.filter(({ view }) => view).map(({ name }) => name);
  assert.deepEqual(Object.keys(CHOSEN).sort(), listed.sort());
  const state = { settings: {}, ...CHOSEN };
  const hash = formatHash(state, table);
  assert.doesNotMatch(hash, /[\s"<>#`]/);
  const { state: read, dropped } = parseHash(`#${hash}`, table, VOCABULARY);
  assert.deepEqual(dropped, []);
  assert.deepEqual(read, state);
  assert.deepEqual(checkState(state, table, VOCABULARY), { state, dropped: [] });
  const initial = FIELDS.filter(({ view }) => view).map(({ name, initial: value }) => [
    name,
    value,
  ]);
  assert.equal(formatHash({ settings: {}, ...Object.fromEntries(initial) }, table), '');
});

test('the names in the list are those of the engine and the views', () => {
  const names = (all) => all.map(({ name }) => name);
  assert.deepEqual(field('bench_conventions').choices, Object.keys(conventions));
  assert.deepEqual(field('compare_suite').choices, names(suites));
  assert.deepEqual(field('sweep_figure').choices, FIGURE_NAMES);
  assert.deepEqual(field('sweep_measure').choices, Object.keys(MEASURES));
  assert.equal(field('sweep_samples').maximum, SAMPLES_MAX);
  for (const { name, initial } of FIELDS)
    if (initial !== undefined && initial !== null)
      assert.equal(checkPart(field(name), initial), null, name);
});

test('a value that is too long is refused with its bound and left out of an address', () => {
  const long = 'x'.repeat(MAX_OWN_TEXT + 1);
  const state = {
    prompt: 'a',
    settings: {},
    logits_text: long,
    logits_pasted: 'a: 1',
    branch: Array(65).fill(1),
  };
  assert.equal(formatHash(state, table), 'prompt=a&logits_pasted=a:%201');
  assert.deepEqual(leftOut(state, table), ['branch', 'logits_text']);
  const { dropped } = parseHash(
    `logits_text=${long}&branch=${Array(65).fill(1)}`,
    table,
    VOCABULARY,
  );
  assert.deepEqual(
    dropped.map(({ why, maximum }) => [why, maximum]),
    [
      ['long', MAX_OWN_TEXT],
      ['long', MAX_BRANCH_TOKENS],
    ],
  );
  for (const { part } of dropped) assert.ok(part.length < 100);
  for (const name of ['prompt', 'forced_first', 'compare_prompt'])
    assert.equal(checkPart(field(name), 'x'.repeat(65537)).why, 'long');
});

test('a value that no address can hold is refused: circles, BigInt, depth', () => {
  const circle = {};
  circle.again = circle;
  let deep = {};
  for (let i = 0; i < 20000; i++) deep = { deep };
  for (const value of [
    circle,
    deep,
    { n: 1n },
    { f: () => 1 },
    'x'.repeat(1e6),
    new Array(1e6).fill(0),
  ])
    for (const settings of [
      ...(value === circle || value === deep ? [] : [{ constraint: value }]), // the engine refuses these two
      { banned_words: [value] },
      { forced_first: value },
      { dry_sequence_breakers: [value] },
      { logit_bias: value },
      { top_k: value },
      value,
    ]) {
      const { state, dropped } = checkState({ settings }, table, VOCABULARY);
      // Each value is malformed, except for the longest text, which is too long.
      assert.ok(state === null && dropped.length > 0, Object.keys(settings).slice(0, 3).join());
      for (const { part } of dropped) assert.ok(part.length < 100, part);
    }
  const { dropped } = checkState({ settings: 'hot', seed: 2n ** 70n, branch: 1n }, table);
  assert.deepEqual(
    dropped.map(({ part, why }) => [part, why]),
    [
      ['seed=BigInt', 'malformed'],
      ['branch=1n', 'malformed'],
      ['settings=hot', 'malformed'],
    ],
  );
});

test('the query is read by the list, and its unusable parts are named', () => {
  const { asked, dropped } = parseQuery(
    '?model=verbs&view=sweep&readonly&lang=xx&theme=neon&utm=1',
  );
  assert.deepEqual(asked, { model: 'verbs', view: 'sweep', readonly: true, lang: 'xx' });
  assert.deepEqual(dropped, []);
  assert.deepEqual(
    parseQuery('?model=&view=nine').dropped.map(({ part, why }) => [part, why]),
    [
      ['model=', 'malformed'],
      ['view=nine', 'malformed'],
    ],
  );
  assert.equal(parseQuery('?readonly=1').asked.readonly, true);
  assert.equal(parseQuery('?view=own').asked.view, 'logits');
});
