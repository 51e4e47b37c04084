/** Tests the engine's errors: an invalid input gives one sentence with its value and its limit, and changes nothing. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkPrefix, checkSentence } from '../../web/engine/grammar.js';
import {
  Logitscope,
  LogitscopeError,
  beamSearch,
  contrastiveSearch,
  detect,
} from '../../web/engine/index.js';
import { RemoteLogitscope } from '../../web/engine/remote.js';
import { parseAxis, sweep } from '../../web/engine/sweep.js';
import { closed, temporaryFolder } from '../cleanup.js';
import { smallModel } from './small_model.js';

const image = smallModel();
const plan = { axes: [{ name: 'top_k', values: [1] }], measures: ['entropy'], prompt: 'a' };
const scope = closed(await Logitscope.load({ model: image }));
scope.feed([1, 2, 3]);

/** Returns a check that an error has this code and these words, in one sentence on one line. */
function expected(code, ...words) {
  return (error) => {
    assert.ok(error instanceof LogitscopeError, String(error.stack));
    assert.equal(error.code, code, error.message);
    for (const word of words)
      assert.ok(error.message.includes(word), `${error.message} lacks ${word}`);
    assert.ok(!error.message.includes('\n') && error.message.length < 300, error.message);
    return true;
  };
}

describe('settings', () => {
  const cases = [
    [{ temperature: -0.5 }, 'out_of_range', 'temperature', '-0.5', '0'],
    [{ temperature: NaN }, 'out_of_range', 'temperature', 'NaN'],
    [{ temperature: Infinity }, 'out_of_range', 'temperature', 'Infinity'],
    [{ temperature: '0.5' }, 'invalid_argument', 'temperature must be a number', '"0.5"'],
    [{ temperature: null }, 'invalid_argument', 'temperature', 'null'],
    [{ temperature: [1] }, 'invalid_argument', 'temperature', '[1]'],
    [{ temperature: 1n }, 'invalid_argument', 'temperature', '1'],
    [{ top_k: -3 }, 'out_of_range', 'top_k', '-3'],
    [{ top_k: 2.5 }, 'out_of_range', 'top_k', '2.5'],
    [{ top_k: Infinity }, 'out_of_range', 'top_k', 'Infinity'],
    [{ top_p: 1.5 }, 'out_of_range', 'top_p must be between 0 and 1', '1.5'],
    [{ top_p: -0.1 }, 'out_of_range', 'top_p must be between 0 and 1', '-0.1'],
    [{ top_p: NaN }, 'out_of_range', 'top_p', 'NaN'],
    [{ repetition_penalty: 0 }, 'out_of_range', 'repetition_penalty', '0'],
    [{ repetition_penalty: -1 }, 'out_of_range', 'repetition_penalty', '-1'],
    [{ repetition_window: -1 }, 'out_of_range', 'repetition_window', '-1'],
    [{ repetition_window: 0.5 }, 'out_of_range', 'repetition_window', '0.5'],
    [{ min_tokens_to_keep: 0 }, 'out_of_range', 'min_tokens_to_keep', '0'],
    [{ temprature: 1 }, 'unknown_setting', '"temprature"', '"temperature"'],
    [{ 'top-k': 1 }, 'unknown_setting', '"top-k"', '"top_k"'],
    [{ topP: 1 }, 'unknown_setting', '"topP"', '"top_p"'],
    [{ zzzzzzzz: 1 }, 'unknown_setting', '"zzzzzzzz"', 'logit_bias'],
    [{ max_new_tokens: 1 }, 'unknown_setting', '"max_new_tokens"'],
    [{ seed: -1 }, 'out_of_range', 'seed', '9007199254740991', '-1'],
    [{ seed: 2 ** 53 }, 'out_of_range', 'seed', '9007199254740992'],
    [{ seed: 0.5 }, 'out_of_range', 'seed', '0.5'],
    [{ seed: '1' }, 'invalid_argument', 'seed', '"1"'],
    [{ top: -1 }, 'out_of_range', 'top', '-1'],
    [{ preset: 'wild' }, 'invalid_argument', 'preset', '"wild"', '"greedy"'],
    [{ preset: 'constructor' }, 'invalid_argument', 'preset'],
    [{ draw: 'beam' }, 'invalid_argument', 'draw', '"beam"', '"gumbel"'],
    [{ order: 'top_k' }, 'invalid_argument', 'order', '"top_k"'],
    [{ order: ['topk'] }, 'unknown_setting', '"topk"', '"top_k"'],
    [{ order: ['top_k', 'top_k'] }, 'invalid_argument', 'order', 'top_k twice'],
    [{ order: ['top_k'], top_p: 0.5 }, 'invalid_argument', 'order', 'top_p'],
    [{ order: ['temperature'], logit_bias: { 0: 1 } }, 'invalid_argument', 'order', 'logit_bias'],
    [{ order: ['seed'] }, 'unknown_setting', '"seed"'],
    [{ order: ['min_tokens_to_keep'] }, 'unknown_setting', '"min_tokens_to_keep"'],
    [{ logit_bias: [1] }, 'invalid_argument', 'logit_bias'],
    [{ logit_bias: { a: 1 } }, 'unknown_token', 'logit_bias', '"a"'],
    [{ logit_bias: { '-1': 1 } }, 'unknown_token', 'logit_bias', '"-1"'],
    [{ logit_bias: { '01': 1 } }, 'unknown_token', 'logit_bias', '"01"'],
    [{ logit_bias: { '1  2': 1 } }, 'unknown_token', 'logit_bias', '"1  2"'],
    [{ logit_bias: { '1 2': '2' } }, 'invalid_argument', 'logit_bias', '"2"'],
    [{ logit_bias: { 9999999999: 1 } }, 'unknown_token', 'logit_bias'],
    [{ logit_bias: { 257: 1 } }, 'unknown_token', '257'],
    [{ logit_bias: { 1: NaN } }, 'out_of_range', 'logit_bias', 'NaN'],
    [{ logit_bias: { 1: Infinity } }, 'out_of_range', 'logit_bias', 'Infinity'],
    [{ logit_bias: { 1: true } }, 'invalid_argument', 'logit_bias', 'true'],
    [{ logit_bias: { 1: '2' } }, 'invalid_argument', 'logit_bias', '"2"'],
    ['x', 'invalid_argument', 'settings', '"x"'],
    [null, 'invalid_argument', 'settings', 'null'],
    [[], 'invalid_argument', 'settings', '[]'],
    [{ logit_bias: new Map([[1, false]]) }, 'invalid_argument', 'logit_bias'],
  ];
  for (const [settings, code, ...words] of cases) {
    const label =
      typeof settings === 'object' && settings
        ? Object.entries(settings).map(
            ([k, v]) => `${k} ${typeof v === 'object' ? Object.keys(v ?? {}) : String(v)}`,
          )
        : settings;
    test(`refuses ${label}`, async () => {
      const before = scope.distribution();
      assert.throws(() => scope.distribution(settings), expected(code, ...words));
      if (!('max_new_tokens' in Object(settings))) {
        assert.throws(() => scope.draw(settings), expected(code, ...words));
        assert.throws(() => scope.warp(scope.logits(), settings), expected(code, ...words));
        if (settings && typeof settings === 'object' && !Array.isArray(settings)) {
          await assert.rejects(
            scope.generate({ prompt: 'x', ...settings }).next(),
            expected(code, ...words),
          );
        }
      }
      assert.deepEqual(scope.distribution(), before);
    });
  }

  test('a value that is not an object is refused as options', () => {
    for (const odd of [new Map([['temperature', 0]]), Promise.resolve({}), new Date(), 5, true]) {
      assert.throws(() => scope.distribution(odd), expected('invalid_argument', 'settings'));
      assert.throws(() => scope.feed([1], odd), expected('invalid_argument', 'feed'));
      assert.throws(() => scope.readFrom([1, 2], {}, odd), expected('invalid_argument', 'options'));
    }
  });

  test('an undefined setting counts as absent', () => {
    assert.deepEqual(
      scope.distribution({ temperature: undefined, order: undefined }),
      scope.distribution(),
    );
  });

  test('an object with odd keys changes no prototype', () => {
    assert.throws(
      () => scope.distribution(JSON.parse('{"__proto__": 1}')),
      expected('unknown_setting'),
    );
    assert.throws(() => scope.distribution({ toString: 1 }), expected('unknown_setting'));
  });
});

describe('draw', () => {
  const cases = [
    [{}, { u: 1 }, 'out_of_range', 'u must be', '1'],
    [{}, { u: -0.1 }, 'out_of_range', '-0.1'],
    [{}, { u: NaN }, 'out_of_range', 'NaN'],
    [{}, { u: '0.5' }, 'invalid_argument', '"0.5"'],
    [{}, { rng: () => 1 }, 'out_of_range', 'rng', '1'],
    [{}, { rng: () => 'x' }, 'invalid_argument', 'rng', '"x"'],
    [{}, { rng: 3 }, 'invalid_argument', 'rng', '3'],
    [{}, { u: 0, rng: () => 0 }, 'invalid_argument', 'both'],
    [{ draw: 'gumbel' }, { u: 0.5 }, 'invalid_argument', 'gumbel'],
    [{ draw: 'gumbel' }, { rng: () => 0.5 }, 'invalid_argument', 'gumbel'],
    [{}, { step: -1 }, 'out_of_range', 'step', '-1'],
    [{}, { step: 1.5 }, 'out_of_range', 'step', '1.5'],
    [{}, { seed: 1 }, 'invalid_argument', '"seed"'],
    [{}, null, 'invalid_argument', 'null'],
  ];
  for (const [settings, choice, code, ...words] of cases) {
    test(`refuses ${Object.entries(choice ?? {}).map(String) || choice} ${words[0]}`, () => {
      assert.throws(() => scope.draw(settings, choice), expected(code, ...words));
    });
  }
});

describe('text and ids', () => {
  const cases = {
    'text that is no string': [
      () => scope.encode(5),
      'invalid_argument',
      'text must be a string',
      '5',
    ],
    'no text': [() => scope.encode(), 'invalid_argument', 'text', 'undefined'],
    'an odd bos': [() => scope.encode('x', { bos: 'yes' }), 'invalid_argument', 'bos', '"yes"'],
    'an odd special': [() => scope.encode('x', { special: 1 }), 'invalid_argument', 'special', '1'],
    'an unknown option': [() => scope.encode('x', { boss: true }), 'invalid_argument', '"boss"'],
    'no ids': [() => scope.feed([]), 'empty'],
    'an id outside': [() => scope.feed([1, 257]), 'unknown_token', '256', '257'],
    'a negative id': [() => scope.feed([-1]), 'unknown_token', '-1'],
    'half an id': [() => scope.feed([0.5]), 'unknown_token', '0.5'],
    'NaN for an id': [() => scope.feed([NaN]), 'unknown_token', 'NaN'],
    'a string for an id': [() => scope.feed(['1']), 'invalid_argument', '"1"'],
    'a string for ids': [() => scope.feed('abc'), 'invalid_argument', '"abc"'],
    'a DataView for ids': [
      () => scope.feed(new DataView(new ArrayBuffer(4))),
      'invalid_argument',
      'ids',
    ],
    'ids of decode': [() => scope.decode([300]), 'unknown_token', '300'],
    'the id of a piece': [() => scope.piece(257), 'unknown_token', '257'],
    'an odd cache': [() => scope.feed([1], { cache: 1 }), 'invalid_argument', 'cache', '1'],
    'too many ids': [() => scope.feed(new Uint32Array(2 ** 18 + 1)), 'too_long', '262144'],
    'a negative seed': [() => scope.random(-1, 0), 'out_of_range', 'seed', '-1'],
    'a step too large': [() => scope.random(0, 2 ** 53), 'out_of_range', 'step'],
    'n of distinct': [() => scope.distinct([1], 0), 'out_of_range', 'n', '0'],
  };
  for (const [what, [call, code, ...words]] of Object.entries(cases)) {
    test(`refuses ${what}`, () => {
      assert.throws(call, expected(code, ...words));
      assert.deepEqual([...scope.timeline()], [1, 2, 3]);
    });
  }

  test('refuses logits before the first feed', () => {
    const fresh = scope.session();
    assert.throws(() => fresh.logits(), expected('empty'));
    assert.throws(() => fresh.distribution(), expected('empty'));
    assert.throws(() => fresh.draw(), expected('empty'));
    fresh.close();
  });
});

describe('pasted logits', () => {
  const cases = {
    NaN: [[1, NaN], 'not_finite', 'token 1', 'NaN'],
    '+Infinity': [[Infinity, 1], 'not_finite', 'token 0', 'Infinity'],
    'beyond float32': [[1e39, 1], 'not_finite', 'token 0'],
    'only removed': [[-Infinity, -Infinity], 'nothing_left'],
    none: [[], 'empty', 'logits'],
    strings: [['1'], 'invalid_argument', '"1"', 'at 0'],
    'a string': ['123', 'invalid_argument', '"123"'],
    nothing: [undefined, 'invalid_argument', 'undefined'],
  };
  for (const [what, [logits, code, ...words]] of Object.entries(cases)) {
    test(`refuses ${what}`, () =>
      assert.throws(() => scope.warp(logits), expected(code, ...words)));
  }
  test('refuses history outside the vocabulary', () => {
    assert.throws(() => scope.warp([1, 2], {}, { history: [2] }), expected('unknown_token', '2'));
    assert.throws(
      () => scope.warp([1, 2], {}, { history: 'x' }),
      expected('invalid_argument', '"x"'),
    );
    assert.throws(
      () => scope.warp([1, 2], {}, { past: [] }),
      expected('invalid_argument', '"past"'),
    );
  });
});

describe('generate', () => {
  const cases = {
    'no prompt': [{}, 'invalid_argument', 'prompt', 'undefined'],
    'an empty prompt': [{ prompt: '' }, 'empty', 'prompt'],
    'no ids': [{ prompt: [] }, 'empty', 'prompt'],
    'a prompt outside the vocabulary': [{ prompt: [300] }, 'unknown_token', '300', '256'],
    'a number for a prompt': [{ prompt: 5 }, 'invalid_argument', 'prompt', '5'],
    'negative max_new_tokens': [
      { prompt: 'x', max_new_tokens: -1 },
      'out_of_range',
      'max_new_tokens',
      '-1',
    ],
    'fractional max_new_tokens': [{ prompt: 'x', max_new_tokens: 1.5 }, 'out_of_range', '1.5'],
    'max_new_tokens as text': [{ prompt: 'x', max_new_tokens: '9' }, 'invalid_argument', '"9"'],
    'more than a timeline holds': [{ prompt: 'x', max_new_tokens: 2 ** 18 }, 'too_long', '262144'],
    'an empty stop string': [{ prompt: 'x', stop: '' }, 'invalid_argument', 'stop'],
    'a number for stop': [{ prompt: 'x', stop: [1] }, 'invalid_argument', 'stop', '1'],
    'an odd cache': [{ prompt: 'x', cache: 'no' }, 'invalid_argument', 'cache', '"no"'],
    'an odd signal': [{ prompt: 'x', signal: {} }, 'invalid_argument', 'signal'],
    'an unknown name': [
      { prompt: 'x', max_tokens: 5 },
      'unknown_setting',
      '"max_tokens"',
      '"max_new_tokens"',
    ],
    nothing: [undefined, 'invalid_argument', 'prompt'],
  };
  for (const [what, [options, code, ...words]] of Object.entries(cases)) {
    test(`refuses ${what}`, async () => {
      await assert.rejects(scope.generate(options).next(), expected(code, ...words));
      assert.deepEqual([...scope.timeline()], [1, 2, 3]);
    });
  }

  test('a text that the vocabulary cannot spell is named', async () => {
    const words = await Logitscope.load({ model: 'build/fixtures/word_vocab.gguf' });
    assert.throws(() => words.encode('Tomorrow zebra'), expected('unknown_token', 'zebra'));
    const characters = await Logitscope.load({ model: 'build/fixtures/char_vocab.gguf' });
    assert.throws(() => characters.encode('\u2603'), expected('unknown_token', '\u2603'));
  });
});

describe('load', () => {
  const folder = temporaryFolder();
  const file = (name, bytes) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const cases = {
    'a file that is not there': [{ model: join(folder, 'none.gguf') }, 'load_failed', 'none.gguf'],
    'a folder': [{ model: folder }, 'load_failed'],
    'an empty file': [{ model: file('empty', '') }, 'bad_file'],
    'a text file': [{ model: file('text', 'Hello, this is no model at all') }, 'bad_file'],
    'a truncated file': [{ model: image.slice(0, image.length - 5000) }, 'bad_file'],
    'an HTTP error': [{ model: new Response('gone', { status: 404 }) }, 'load_failed', '404'],
    'a number': [{ model: 5 }, 'invalid_argument', 'model', '5'],
    null: [{ model: null }, 'invalid_argument', 'model', 'null'],
    'an unknown variant': [{ variant: 'gpu' }, 'invalid_argument', '"gpu"', '"scalar"'],
    'an unknown option': [{ modle: 'x' }, 'invalid_argument', '"modle"', 'model'],
    'a module that is none': [{ wasm: Uint8Array.of(1, 2, 3) }, 'load_failed'],
    'a module that is not there': [{ wasm: join(folder, 'none.wasm') }, 'load_failed', 'none.wasm'],
  };
  for (const [what, [options, code, ...words]] of Object.entries(cases)) {
    test(`refuses ${what}`, () =>
      assert.rejects(Logitscope.load(options), expected(code, ...words)));
  }

  test('a function that needs a model is refused without one', async () => {
    const bare = await Logitscope.load();
    for (const call of [
      () => bare.encode('x'),
      () => bare.decode([1]),
      () => bare.piece(1),
      () => bare.feed([1]),
      () => bare.logits(),
      () => bare.distribution(),
      () => bare.session(),
    ]) {
      assert.throws(call, expected('no_model'));
    }
  });
});

describe('functions outside the engine refuse with one sentence', () => {
  const first = (points) => points.next();
  const calls = [
    [() => beamSearch(null), 'scope must be a Logitscope', 'null'],
    [() => beamSearch(scope, { prompt: 3 }), 'prompt must be', '3'],
    [() => beamSearch(scope, { prompt: 'a', signal: 3 }), 'signal', '3'],
    [() => contrastiveSearch({}), 'scope must be a Logitscope'],
    [() => contrastiveSearch(scope, null), 'options', 'null'],
    [() => detect(undefined, [1], {}), 'scope must be a Logitscope', 'undefined'],
    [() => first(sweep(null, plan)), 'scope must be a Logitscope', 'null'],
    [() => first(sweep(scope)), 'plan must be an object', 'undefined'],
    [() => first(sweep(scope, { prompt: 'a' })), 'axes must be a list', 'undefined'],
    [() => first(sweep(scope, { ...plan, axes: [3] })), 'axes', 'settings with their values', '3'],
    [() => first(sweep(scope, { ...plan, axes: [{ name: 'top_k', values: 3 }] })), 'top_k', '3'],
    [() => first(sweep(scope, { ...plan, measures: undefined })), 'measures must be a list'],
    [() => first(sweep(scope, { ...plan, prompt: undefined })), 'prompt must be', 'undefined'],
    [() => first(sweep(scope, { ...plan, settings: null })), 'settings must be an object', 'null'],
    [() => first(sweep(scope, { ...plan, grammar: {} })), 'grammar must be a grammar'],
    [() => first(sweep(scope, plan, 3)), 'signal must be an AbortSignal', '3'],
    [() => parseAxis(null), 'SETTING=FROM:TO:STEP', 'null'],
    [() => checkSentence(null, 'a'), 'grammar must be a grammar', 'null'],
    [() => checkPrefix({ vocabulary: [] }, 3), 'text must be a string', '3'],
    [() => RemoteLogitscope.load(null), 'options of load must be an object', 'null'],
  ];
  for (const [i, [call, ...words]] of calls.entries())
    test(`${i + 1}: ${words[0]}`, async () => {
      await assert.rejects(async () => call(), expected('invalid_argument', ...words));
    });

  test('logits may be any list of numbers', () => {
    const numbers = [1, 2, 3];
    const wanted = scope.warp(numbers).p;
    for (const list of [Int8Array, Uint16Array, Int32Array, Float64Array])
      assert.deepEqual(scope.warp(list.from(numbers)).p, wanted);
    for (const wrong of [BigInt64Array.of(1n), new DataView(new ArrayBuffer(4)), ['1']])
      assert.throws(() => scope.warp(wrong), { code: 'invalid_argument' });
  });
});
