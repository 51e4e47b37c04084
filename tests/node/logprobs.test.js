/** Tests the reader of recorded token probabilities: every shape, and bad input. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exp, expFloat, log } from '../../web/engine/elementary.js';
import { LogitscopeError } from '../../web/engine/errors.js';
import { Logitscope } from '../../web/engine/index.js';
import { sentenceOf } from '../../web/engine/sentences.js';
import { LIMITS, readRecord } from '../../web/import/logprobs.js';
import { POSITIONS, SHAPES, TEXT } from '../fixtures/logprob_shapes.js';
import { cases } from '../long.js';
import { cli } from './command_line.js';

const refusal = (text) => {
  try {
    readRecord(text, { file: 'f' });
  } catch (error) {
    if (error instanceof LogitscopeError) return sentenceOf(error.key, error.values);
    throw error;
  }
  return null;
};

test('every shape gives the same positions', () => {
  for (const { name, program, raw, ids, bytes, text } of SHAPES) {
    const record = readRecord(text);
    assert.equal(record.program, program, name);
    assert.equal(record.raw, raw, name);
    assert.equal(record.text ?? TEXT, TEXT, name);
    assert.deepEqual(
      record.positions.map(({ token, top }) => [
        token.text,
        token.id,
        top.map((one) => [one.text, one.id, Number(one.logprob.toFixed(8))]),
      ]),
      POSITIONS.map(([drawn, id, top], i) => [
        drawn,
        ids ? id : null,
        // Of a list that may have the drawn token out of turn, the last place is left out.
        top
          .map(([one, its, logprob]) => [one, ids ? its : null, logprob])
          .slice(0, record.positions[i].top.length),
      ]),
      name,
    );
    for (const { token, top, half_unit } of record.positions) {
      assert.ok(top.length >= 2 && half_unit >= 1e-6 && half_unit < 1e-5, name);
      assert.equal(token.bytes !== null && top[0].bytes !== null, bytes, name);
      assert.ok(token.logprob < 0, name);
    }
  }
});

test('tokens of the prompt are marked, in the order of the text', () => {
  const map = (...entries) =>
    `{${entries.map(([id, logprob, rank]) => `"${id}":{"logprob":${logprob},"rank":${rank},"decoded_token":"t${id}"}`)}}`;
  const text = `{"prompt_logprobs":[null,${map([17, -3.1, 9], [5, -0.4, 1])},${map([5, -0.2, 1], [17, -2.5, 2])}],
    "choices":[{"index":0,"message":{"content":"x"},"logprobs":{"content":[{"token":"x","logprob":-0.5,"bytes":[120],"top_logprobs":[]}]}}]}`;
  const { program, positions, notes } = readRecord(text);
  assert.equal(program, 'vllm');
  assert.deepEqual(
    positions.map(({ token, prompt }) => [token.id, token.logprob, prompt]),
    [
      [null, null, true],
      [17, -3.1, true],
      [5, -0.2, true],
      [null, -0.5, false],
    ],
  );
  // Token 17 is the given one, of rank 9: it is no bound for the tokens that are not listed.
  assert.deepEqual(
    positions[1].top.map(({ id }) => id),
    [5],
  );
  assert.ok(notes.some(({ key, values }) => key === 'record_prompt' && values.n === 3));
});

test('a part that the record lacks stays unknown', () => {
  const mlx = readRecord(
    '{"choices":[{"message":{"content":"Hi"},"logprobs":{"content":[{"id":9,"token":"▁Hi","logprob":-2.1,"top_logprobs":[{"id":9,"token":"▁Hi","logprob":-2.1},{"id":4,"token":"▁Yo","logprob":-0.4},{"id":5,"token":"x","logprob":-Infinity}]}]}}]}',
  );
  assert.equal(mlx.program, 'mlx-lm');
  assert.equal(mlx.positions[0].drawn, false);
  assert.equal(mlx.positions[0].token.id, null);
  assert.deepEqual(
    mlx.positions[0].top.map(({ id }) => id),
    [4, 9],
  );
  const clamped = readRecord(
    '{"content":[{"token":"a","logprob":-9999.0,"bytes":null,"top_logprobs":[{"token":"b","logprob":-0.1},{"token":"c","logprob":-100},{"token":"d","logprob":-3.4028235e38}]}]}',
  );
  assert.equal(clamped.positions[0].token.logprob, null);
  assert.deepEqual(
    clamped.positions[0].top.map(({ text }) => text),
    ['b'],
  );
  assert.ok(clamped.notes.some(({ key, values }) => key === 'record_left_out' && values.n === 2));
  const rounded = readRecord(
    '{"content":[{"token":"a","logprob":-0.12,"top_logprobs":[{"token":"a","logprob":-0.12},{"token":"b","logprob":-2.53}]}]}',
  );
  assert.equal(rounded.positions[0].half_unit, 0.05 / 10);
  const half = readRecord('{"details":{"tokens":[{"id":1,"text":"a","logprob":-0.68603516}]}}');
  assert.ok(half.positions[0].half_unit >= 2 ** -12 * 0.5, 'a float of 11 bits');
  assert.deepEqual(
    readRecord('{"content":[{"token":"bytes:\\\\xe2\\\\x80","logprob":-1}]}').positions[0].token
      .bytes,
    [0xe2, 0x80],
  );
});

test('a cut stream keeps its whole lines', () => {
  const { text } = SHAPES.find(({ name }) => name === 'openai chat stream');
  const record = readRecord(text.slice(0, text.lastIndexOf('data: {') + 40));
  assert.equal(record.positions.length, 2);
  assert.ok(record.notes.some(({ key }) => key === 'record_cut'));
});

test('bad input is refused in one sentence that names it', () => {
  const chat = (token) => `{"content":[{"token":"a","logprob":-1,"top_logprobs":[]},${token}]}`;
  const said = {
    '': /^f is neither/,
    'no json': /^f is neither JSON nor lines or events of it: line 1/,
    '{"a":1}\n{"b"': /no answer of a server/,
    '[1,2]': /no number|must be|without the probabilities/,
    '{"model":"m"}': /no answer of a server in a form/,
    '{"choices":[{"message":{"content":"Hi"},"logprobs":null}]}':
      /without the probabilities.*"top_logprobs": 20/,
    [chat('{"token":"b","logprob":NaN}')]: /must be a number, got "NaN" at token 2/,
    [chat('{"token":"b","logprob":"-1"}')]: /must be a number, got "-1" at token 2/,
    [chat('{"token":"b","logprob":0.7}')]: /at most 0, got 0.7 at token 2/,
    [chat('{"token":"b","logprob":Infinity}')]: /at most 0, got Infinity at token 2/,
    [chat(
      '{"token":"b","logprob":-0.3,"top_logprobs":[{"token":"b","logprob":-0.3},{"token":"c","logprob":-0.4}]}',
    )]: /listed at token 2 add up to 1.4111, more than 1/,
    [`{"content":[${'['.repeat(70)}${']'.repeat(70)}]}`]: /nested more than 64 deep/,
  };
  for (const [text, pattern] of Object.entries(said))
    assert.match(refusal(text) ?? '', pattern, text);
  const long = `{"content":[${'{"logprob":-1},'.repeat(LIMITS.positions)}{"logprob":-1}]}`;
  assert.match(refusal(long), /more than 65536 tokens/);
  assert.match(refusal(' '.repeat(LIMITS.text + 1)), /67108865 characters, at most 67108864/);
});

test('a damaged record is read or refused, never a crash', () => {
  let state = 7;
  const random = (n) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % n;
  const values = [null, -1, 'x', [], {}, [null], [[]], { content: [null] }, true];
  const keys = (value) => (typeof value === 'object' && value !== null ? Object.keys(value) : []);
  for (let i = 0; i < cases(1500, 50_000); i++) {
    const { text } = SHAPES[random(SHAPES.length)];
    let damaged = text;
    if (random(2) && !text.startsWith('data') && !text.includes('\n')) {
      const root = JSON.parse(text);
      let at = root;
      for (let depth = random(9); depth > 0; depth--) {
        const inner = keys(at).filter((key) => keys(at[key]).length > 0);
        if (inner.length > 0) at = at[inner[random(inner.length)]];
      }
      const names = keys(at);
      at[names[random(names.length)]] = values[random(values.length)];
      damaged = JSON.stringify(root);
    } else {
      const from = random(text.length);
      damaged = text.slice(0, from) + text.slice(from + random(30));
    }
    const sentence = refusal(damaged);
    if (sentence !== null) assert.doesNotMatch(sentence, /\{|undefined/, damaged);
  }
});

test('e^x and ln in JavaScript have the bits of the engine', async () => {
  const scope = await Logitscope.load();
  for (let i = 1; i < 400; i++) {
    const logit = Math.fround(-(i ** 2) / 4000);
    const { tokens } = scope.warp([0, logit]);
    const weight = Math.floor(expFloat(logit) * 2 ** 44);
    const total = 2 ** 44 + weight;
    assert.equal(tokens[1].p, weight / total);
    assert.equal(tokens[1].logprob, log(weight / total));
    const { perplexity, entropy } = scope.warp([0, logit]);
    assert.equal(perplexity, exp(entropy * Math.LN2));
  }
});

describe('logitscope logprobs', () => {
  const shape = (name) => SHAPES.find((one) => one.name === name).text;
  const run = (words, name = 'llama.cpp') => cli(['logprobs', '-', ...words], shape(name));

  test('prints each token with bounds, and the stages that remove it', async () => {
    const { status, stdout } = await run(['--temperature', '1.3', '--min-p', '0.25']);
    assert.equal(status, 0);
    assert.match(stdout, /^llama-cpp: probabilities of the model itself/);
    // The second token has e^-1.59 = 0.204 of the best one's weight; at T = 1.3 it is 0.294, so it stays.
    assert.match(stdout, /2 {2}" c" +2\.61 .*%/);
    assert.match(stdout, /3 drawn tokens, 1\.071 bits of surprise each/);
    assert.match(stdout, /min_p would have removed 0 of them/);
    const cold = await run(['--min-p', '0.25']);
    assert.match(cold.stdout, /2 {2}" c" +2\.61 .* 0\.00 % +min_p /);
    assert.match(cold.stdout, /min_p would have removed 1 of them/);
    const unsure = await run(['--typical-p', '0.5']);
    assert.match(unsure.stdout, /typical_p\?/);
    const named = await run(['--green-bias', '2']);
    assert.match(named.stdout, /green_bias has no bounds here: p is between 0 and 1/);
  });

  test('--json has the bounds of every alternative', async () => {
    const { stdout } = await run(['--top-k', '2', '--json']);
    const { program, raw, tokens, summary } = JSON.parse(stdout);
    assert.deepEqual([program, raw, tokens.length, summary.drawn], ['llama-cpp', 'raw', 3, 3]);
    assert.deepEqual(
      tokens[0].alternatives.map(({ removed_by }) => removed_by),
      [null, null, 'top_k'],
    );
    const [a, c] = tokens[0].alternatives;
    const best = 1 / (1 + Math.exp(-1.6091234 + 0.41250312));
    assert.ok(a.p[0] < best && best < a.p[1] && a.p[1] - a.p[0] < 1e-5);
    assert.ok(Math.abs(a.p[0] + c.p[1] - 1) < 1e-12);
    assert.equal(tokens[0].entropy_bits[1], null);
    const known = await run([
      '--vocab-size',
      '1000',
      '--json',
      '--frequency-penalty',
      '0.5',
      '--logit-bias',
      '11=1',
    ]);
    const { tokens: biased } = JSON.parse(known.stdout);
    assert.ok(biased[0].entropy_bits[1] < 10 && biased[0].now.p[0] > 0.8);
  });

  test('a wrong argument or file is one sentence', async () => {
    for (const [words, said, name] of [
      [['--recorded', 'cooked'], '--recorded must be raw or warped, got "cooked"'],
      [['--vocab-size', '0'], '--vocab-size must be a whole number of at least 1, got 0'],
      [['--top-p', '2'], 'top_p must be between 0 and 1, got 2'],
      [['--logit-bias', '3=1'], 'the record has no token ids', 'openai chat'],
    ]) {
      const { status, stdout, stderr } = await run(words, name);
      assert.equal(status, 2);
      assert.equal(stdout, '');
      assert.ok(stderr.includes(said) && stderr.split('\n').length === 2, stderr);
    }
    assert.match((await cli(['logprobs'])).stderr, /FILE is missing/);
    assert.match((await cli(['logprobs', 'nowhere.json'])).stderr, /nowhere\.json/);
    assert.match((await cli(['logprobs', '-'], 'x')).stderr, /standard input is neither JSON/);
  });
});
