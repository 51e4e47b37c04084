/**
 * The state of the page as text: what is written is read back, and nothing malformed gets through.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import {
  checkState,
  formatHash,
  parseControls,
  parseHash,
  MOST,
} from '../../web/state/page-state.js';
import { Logitscope } from '../../web/engine/index.js';

const VOCABULARY = 64;
let table;

before(async () => {
  ({ table } = await Logitscope.load());
});

/** Any state that the table accepts, without neutral values. */
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
  const biases = fc.dictionary(id.map(String), bias, {
    minKeys: 1,
    maxKeys: 5,
    noNullPrototype: true,
  });
  const warpers = table.filter(({ warper }) => warper).map(({ name }) => name);
  const more = {
    logit_bias: biases,
    order: fc.shuffledSubarray(warpers, { minLength: 1 }),
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
      branch: fc.array(id, { minLength: 1, maxLength: MOST }),
    },
    { requiredKeys: ['prompt', 'settings'], noNullPrototype: true },
  );
}

test('what is written to an address is read back the same, and it is an address', () => {
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

test('no text at all throws, and what is accepted can be written again', () => {
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
    '#prompt=Today%20she&top_p=1.5&temperature=hot&top_k=2.5&colour=red&seed=7&branch=1,99&logit_bias=3:x',
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
      ['branch=1,99', 'between', 0, 63],
      ['logit_bias=3:x', 'malformed', 0, 0],
    ],
  );
});

test('a message is checked by the same table, whatever it is', () => {
  fc.assert(
    fc.property(fc.object(), (given) => {
      checkState(given, table, VOCABULARY);
    }),
  );
  const { dropped } = checkState({ settings: { temperature: '0.5' }, prompt: 3 }, table);
  assert.deepEqual(dropped.map(({ part }) => part), ['prompt=3', 'temperature=0.5']);
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
});
