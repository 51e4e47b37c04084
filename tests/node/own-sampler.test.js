/** Tests the caller's own sampler in the chain: it acts as a built-in sampler at its stage does. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { RemoteLogitscope } from '../../web/engine/remote.js';
import { serve } from '../../web/engine/engine-server.js';
import { TestedFunction } from '../../web/grade/tested-function.js';
import { atEnd, temporaryFolder } from '../cleanup.js';
import { cli } from './command_line.js';
import { smallModel } from './small_model.js';

const model = smallModel({ context: 24 });
const scope = await Logitscope.load({ model });
const CANONICAL = scope.table.filter(({ sampler }) => sampler).map(({ name }) => name);

/** Returns a top_k as a learner writes it. @param {number} k */
const topK =
  (k) =>
  (/** @type {Float32Array} */ logits, /** @type {any[]} */ ..._) => {
    const limit = [...logits].sort((a, b) => b - a)[k - 1];
    return logits.map((logit) => (logit >= limit ? logit : -Infinity));
  };

/** Returns the canonical order with `own` in front of a sampler. */
const inPlace = (before = 'top_k') =>
  CANONICAL.flatMap((name) => (name === before ? ['own', name] : [name]));

/**
 * Removes two expected differences between the traces of `own` and of the built-in sampler: the inactive stage is left
 * out, and the active stage gets the other's name.
 */
function plain(trace, name, idle) {
  const at = trace.stages.findIndex((stage) => stage.name === idle);
  return {
    ...trace,
    warnings: [],
    stages: trace.stages
      .filter((_, i) => i !== at)
      .map((stage) => ({
        ...stage,
        name: stage.name === name ? 'k' : stage.name,
        after: stage.after === name ? 'k' : stage.after,
        value: stage.name === name ? 0 : stage.value,
      })),
    tokens: trace.tokens.map((token) => ({
      ...token,
      stage_p: token.stage_p.filter((_, i) => i !== at),
      removed_by: token.removed_by === name ? 'k' : token.removed_by,
    })),
  };
}

const SETTINGS = [
  { temperature: 0.7, top_p: 0.9 },
  { repetition_penalty: 1.3, temperature: 1.4, min_p: 0.01 },
  { temperature: 0, draw: 'gumbel' },
  { banned_words: [[101], [32]], temperature: 2, typical_p: 0.8, logit_bias: { 3: 4, 7: false } },
];

describe('an own top_k equals the built-in one', () => {
  for (const [i, settings] of SETTINGS.entries()) {
    test(`in trace, warp and draw with settings ${i}`, () => {
      const session = scope.session();
      session.feed(scope.encode('a small text'));
      const history = session.timeline();
      const mine = { ...settings, own: topK(9), order: inPlace() };
      const theirs = { ...settings, top_k: 9 };
      assert.deepEqual(
        plain(session.distribution(mine), 'own', 'top_k'),
        plain({ ...session.distribution(theirs) }, 'top_k', ''),
      );
      const logits = session.logits();
      const [a, b] = [mine, theirs].map((asked) => scope.warp(logits, asked, { history }));
      assert.deepEqual([a.logits, a.p, a.kept], [b.logits, b.p, b.kept]);
      for (let step = 0; step < 20; step++) {
        const drawn = session.draw(theirs, { step });
        assert.deepEqual(session.draw(mine, { step }), drawn);
        assert.deepEqual(scope.drawFrom(logits, mine, { history, step }), drawn);
      }
      session.close();
    });

    test(`in the text, at once and by a promise, with settings ${i}`, async () => {
      const ask = { prompt: 'a', max_new_tokens: 40, seed: 7, ...settings };
      const run = async (/** @type {any} */ options) => {
        const steps = [];
        for await (const { ms: _, ...step } of scope.generate({ ...ask, ...options }))
          steps.push(step);
        return steps;
      };
      const theirs = await run({ top_k: 9 });
      assert.deepEqual(await run({ own: topK(9), order: inPlace() }), theirs);
      const slow = async (/** @type {any} */ logits) => {
        await new Promise((resolve) => setImmediate(resolve));
        scope.warp([1, 2, 3], { temperature: 0.5 }); // this call must not disturb the outer warp, which waits for `own`
        return topK(9)(logits);
      };
      assert.deepEqual(await run({ own: slow, order: inPlace() }), theirs);
    });
  }

  test('behind a worker, which gets the result', async () => {
    const { port1, port2 } = new MessageChannel();
    atEnd(() => port1.close());
    serve(/** @type {any} */ (port2));
    const remote = await RemoteLogitscope.load({ model, worker: /** @type {any} */ (port1) });
    const ids = scope.encode('a small text');
    await remote.feed(ids);
    const asked = { temperature: 0.7, top_p: 0.9, order: inPlace() };
    const own = topK(9)(...(await remote.ownInput(await remote.logits(), asked, { history: ids })));
    const session = scope.session();
    session.feed(ids);
    assert.deepEqual(
      await remote.distribution({ ...asked, own }),
      session.distribution({ ...asked, own: topK(9) }),
    );
    await assert.rejects(
      remote.distribution({ ...asked, own: topK(9) }),
      /cannot be sent to a worker/,
    );
    await remote.close();
    session.close();
  });
});

describe('the place of the own sampler', () => {
  const logits = [3, 2, 1, 0];
  const half = (/** @type {Float32Array} */ given) =>
    given.map((logit) => (logit >= 1.5 ? logit : -Infinity));
  const kept = (/** @type {any} */ settings) => scope.warp(logits, { own: half, ...settings }).kept;

  test('before or after temperature changes the result', () => {
    assert.equal(kept({ temperature: 2, order: inPlace('temperature') }), 2);
    assert.equal(kept({ temperature: 2, order: inPlace('top_k') }), 1);
  });

  test('is last if the order does not name it, and it is absent without a function', () => {
    assert.equal(kept({ temperature: 2, preset: 'llama.cpp', top_k: 0 }), 1);
    assert.deepEqual(
      scope.warp(logits, { own: half }).stages.map(({ name }) => name),
      [...CANONICAL, 'own'],
    );
    assert.deepEqual(
      scope.warp(logits, { order: inPlace() }).stages.map(({ name }) => name),
      CANONICAL,
    );
  });

  test('gives it a copy of the logits there, with every setting and the ids so far', () => {
    let seen;
    const own = (
      /** @type {any} */ given,
      /** @type {any} */ settings,
      /** @type {any} */ context,
    ) => {
      seen = { given: [...given], settings, context };
      given.fill(0);
      return [0, 5, 0, 0];
    };
    const history = [1, 2];
    const asked = { temperature: 0.5, top_k: 2, own };
    const { tokens, stages } = scope.warp(logits, asked, { history });
    assert.deepEqual(seen.given, [6, 4, -Infinity, -Infinity]);
    assert.equal(seen.settings.top_k, 2);
    assert.deepEqual(seen.context, { history });
    assert.deepEqual(tokens.map(({ id }) => id).slice(0, 2), [1, 0]);
    assert.deepEqual(
      tokens.map(({ warped }) => warped),
      [5, 0, -Infinity, -Infinity],
      'removed stays removed',
    );
    const { name, kept: left, removed, mass_removed, changed } = /** @type {any} */ (stages.at(-1));
    assert.deepEqual([name, left, removed, mass_removed, changed], ['own', 2, 0, 0, true]);
    const given = scope.ownInput(logits, { ...asked, own: undefined }, { history });
    assert.deepEqual(given, [Float32Array.from(seen.given), seen.settings, seen.context]);
  });
});

describe('the texts of the tokens', () => {
  const expected = Array.from({ length: scope.info.vocab_size }, (_, id) => scope.piece(id).text);

  test('reach a sampler of the model, always as the same list', () => {
    /** @type {any[]} */
    const seen = [];
    const own = (
      /** @type {Float32Array} */ logits,
      /** @type {any} */ _,
      /** @type {any} */ { tokens },
    ) => {
      seen.push(tokens);
      return logits;
    };
    const session = scope.session();
    session.feed(scope.encode('a'));
    session.distribution({ own });
    scope.warp(session.logits(), { own });
    scope.warp([1, 2, 3], { own });
    session.close();
    assert.deepEqual(seen[0], expected);
    assert.ok(seen[0] === scope.tokens() && seen[1] === seen[0]);
    assert.equal(seen[2], undefined, 'logits of another vocabulary');
  });

  test('come from a worker in one call, and not with the arguments of the sampler', async () => {
    const { port1, port2 } = new MessageChannel();
    atEnd(() => port1.close());
    serve(/** @type {any} */ (port2));
    const remote = await RemoteLogitscope.load({ model, worker: /** @type {any} */ (port1) });
    assert.deepEqual(await remote.tokens(), expected);
    const logits = new Float32Array(expected.length);
    const [, , context] = await remote.ownInput(logits, {});
    assert.deepEqual(Object.getOwnPropertyNames(context), ['history']);
    await remote.close();
  });

  test('are sent to the place of the code once for a model, and again to a new place', async () => {
    /** @type {any[]} */
    const sent = [];
    const tested = new TestedFunction(
      (onanswer) => ({
        post: (message) => {
          sent.push(message);
          queueMicrotask(() => onanswer({ id: message.id }));
        },
        end() {},
      }),
      'own',
      1000,
    );
    const [one, other] = [['a'], ['b']];
    const logits = Float32Array.of(0);
    for (const tokens of [undefined, one, one, other, null, null])
      await tested.call({ call: 'warp', logits }, tokens);
    await tested.load();
    await tested.call({ call: 'warp', logits }, one);
    const calls = sent.filter(({ call }) => call === 'warp');
    assert.deepEqual(
      calls.map(({ tokens }) => tokens),
      [undefined, one, undefined, other, null, undefined, one],
    );
  });
});

describe('a bad result of the own sampler is refused', () => {
  const cases = [
    [() => [1, 2], 'invalid_argument', /each of the 3 tokens, got 2/],
    [() => undefined, 'invalid_argument', /list of numbers, got undefined/],
    [() => [1, '2', 3], 'invalid_argument', /got "2" at 1/],
    [() => [1, NaN, 3], 'not_finite', /token 1 .*got NaN/],
    [() => [1, 2, 1e39], 'not_finite', /token 2 .*got Infinity/],
    [() => [-Infinity, -Infinity, -Infinity], 'nothing_left', /own leaves no token/],
    [async () => [1, 2, 3], 'invalid_argument', /only generate waits/],
    [7, 'invalid_argument', /list of numbers, got 7/],
  ];
  for (const [own, code, message] of cases) {
    test(String(message), () => {
      const before = scope.warp([1, 2, 3], { top_k: 2 });
      assert.throws(() => scope.warp([1, 2, 3], { own: /** @type {any} */ (own) }), {
        code,
        message,
      });
      assert.deepEqual(scope.warp([1, 2, 3], { top_k: 2 }), before);
    });
  }

  test('an error of the own sampler reaches the caller, even in the middle of a text', async () => {
    const oops = () => {
      throw new RangeError('oops');
    };
    assert.throws(() => scope.warp([1, 2], { own: oops }), RangeError);
    const generation = scope.generate({ prompt: 'a', own: oops });
    await assert.rejects(generation.next(), RangeError);
    assert.equal((await collect({ prompt: 'a', max_new_tokens: 2 })).length, 2);
  });

  /** @param {any} options */
  async function collect(options) {
    const steps = [];
    for await (const step of scope.generate(options)) steps.push(step);
    return steps;
  }
});

describe('--own on the command line', () => {
  const folder = temporaryFolder();
  /** @param {string} code @param {string} command @param {string[]} more */
  const run = (code, command, ...more) => {
    const file = join(folder, 'mine.mjs');
    writeFileSync(file, code);
    return cli([command, '--prompt', 'Today she', '--own', file, ...more]);
  };
  const K = `export default (logits) => {
    console.log('printing is no part of the result');
    const limit = [...logits].sort((a, b) => b - a)[4];
    return logits.map((logit) => (logit >= limit ? logit : -Infinity));
  };`;
  const plainK = ['--top-k', '5', '--temperature', '1.3', '--json'];
  const ownK = ['--order', 'temperature,own,top-k', '--temperature', '1.3', '--json'];

  test('gives the same text as top_k', async () => {
    const seeded = ['--seed', '3', '--max-new-tokens', '12'];
    const mine = JSON.parse((await run(K, 'generate', ...ownK, ...seeded)).stdout);
    const words = ['generate', '--prompt', 'Today she', ...plainK, ...seeded];
    const theirs = JSON.parse((await cli(words)).stdout);
    assert.ok(mine.ids.length > 2);
    const bare = ({ steps }) => steps.map(({ ms: _, ...step }) => step);
    assert.deepEqual(bare(mine), bare(theirs));
    assert.deepEqual(mine.settings.order, ['temperature', 'own', 'top_k']);
  });

  test('is named in the trace', async () => {
    const trace = JSON.parse((await run(K, 'distribution', ...ownK)).stdout);
    assert.deepEqual(
      trace.stages.map(({ name }) => name),
      ['temperature', 'own', 'top_k'],
    );
    assert.equal(trace.kept, 5);
    assert.equal(trace.tokens[5].removed_by, 'own');
    assert.match((await run(K, 'distribution', '--order', 'own')).stdout, /own +5 +\d/);
  });

  test('gets the texts of the tokens, in JavaScript and in Python, with the same bytes', async () => {
    const python = join(folder, 'mine.py');
    writeFileSync(
      python,
      `def own(logits, tokens, history, settings):
    assert settings["top_k"] == 9 and len(tokens) == len(logits) and len(history) > 1
    print("printing is no part of the result")
    return [float("-inf") if "e" in text else x / 3 for text, x in zip(tokens, logits)]`,
    );
    const code = `export default (logits, settings, { tokens }) =>
      Float64Array.from(logits, (it, id) => (tokens[id].includes('e') ? -Infinity : it / 3));`;
    const words = ['--top-k', '9', '--seed', '5', '--max-new-tokens', '12', '--json'];
    const [mine, theirs] = await Promise.all([
      run(code, 'generate', ...words),
      cli(['generate', '--prompt', 'Today she', '--own', python, ...words]),
    ]);
    const [a, b] = [mine, theirs].map(({ stdout, stderr }) => {
      assert.ok(stdout, stderr);
      const { steps, ...result } = JSON.parse(stdout);
      return { ...result, steps: steps.map(({ ms: _, ...step }) => step) };
    });
    assert.deepEqual(a, b);
    assert.doesNotMatch(a.text, /e/);
  });

  test('gives exit code 2 and one line for an exception in Python', async () => {
    const python = join(folder, 'bad.py');
    writeFileSync(python, 'def own(logits):\n    return logits[None]\n');
    const words = ['distribution', '--prompt', 'Today she', '--own', python];
    const { status, stderr } = await cli(words);
    assert.equal(status, 2);
    assert.match(stderr, /^logitscope: --own "[^"]*bad.py": TypeError: [^\n]* \(line 2\)\n$/);
  });

  for (const [code, words] of /** @type {[string, RegExp][]} */ ([
    ['export default () => { throw new Error("no idea"); }', /mine.mjs": no idea\n$/],
    ['export default () => { for (;;); }', /took longer than 0.3 s/],
    ['export default (l) => [...l, 0]', /returned 65 numbers for 64 tokens/],
    ['export default (l) => l.map(() => NaN)', /logit that is NaN/],
    ['export default (l) => l.map(() => Infinity)', /logit that is Infinity/],
    ['export default (l) => l.fill(-Infinity)', /own leaves no token/],
    ['export default () => {}', /not a list of numbers/],
    ['export default (', /mine.mjs": /],
    ['export const a = 1', /exports no function/],
  ])) {
    test(`gives exit code 2 and one line for ${code}`, async () => {
      for (const command of ['generate', 'distribution']) {
        const { status, stderr } = await run(code, command, '--time-limit', '0.3');
        assert.equal(status, 2);
        assert.match(stderr, words);
        assert.equal(stderr.trim().split('\n').length, 1);
      }
    });
  }

  test('says in help that the file is trusted', async () => {
    for (const command of ['generate', 'distribution'])
      assert.match((await run(K, command, '--help')).stdout, /--own [^]*trusted as any script is/);
  });
});

describe('--own bounds the messages and errors of the function', () => {
  const folder = temporaryFolder();
  const send =
    "import { parentPort } from 'node:worker_threads';\nexport default (l) => { parentPort.postMessage(";
  for (const [what, code, said] of [
    ['nothing as a message', `${send}null); return l; };`, /: it sent a message of its own\n$/],
    [
      'a message without words',
      `${send}{ error: {} }); return l; };`,
      /: it sent a message of its own\n$/,
    ],
    [
      'an error of 50 MB',
      "export default () => { throw new Error('a'.repeat(5e7)); };",
      /: a{500}…\n$/,
    ],
  ])
    test(what, async () => {
      const file = join(folder, 'own.mjs');
      writeFileSync(file, code);
      const words = ['generate', '--prompt', 'Tomorrow she', '--own', file];
      const { status, stderr } = await cli(words);
      assert.equal(status, 2, stderr.slice(0, 1000));
      assert.match(stderr, /^logitscope: --own [^\n]*\n$/);
      assert.match(stderr, said);
    });
});

describe('processors with a function in transformers work as own samplers', () => {
  // huggingface/transformers tests/generation/test_logits_process.py @019af3a (Apache-2.0)
  /** @param {number} size @param {import('../../web/engine/types.js').Own} own @param {number[]} history */
  const after = (size, own, history) => [
    ...scope.warp(new Float32Array(size).fill(0.25), { own }, { history }).logits,
  ];
  /** @param {(history: number[]) => number[]} allowed */
  const only =
    (allowed) =>
    (/** @type {Float32Array} */ logits, /** @type {any} */ _, /** @type {any} */ { history }) =>
      logits.map((logit, id) => (allowed(history).includes(id) ? logit : -Infinity));

  test('test_prefix_constrained_logits_processor allows only the given next tokens', () => {
    const own = only((history) => (history[0] === 0 ? [0, 1] : [2, 3]));
    const gone = (/** @type {number[]} */ history) =>
      after(5, own, history).map((logit) => logit === -Infinity);
    assert.deepEqual(gone([0, 1]), [false, false, true, true, true]);
    assert.deepEqual(gone([1, 0]), [true, true, false, false, true]);
    assert.throws(
      () =>
        after(
          5,
          only(() => []),
          [0],
        ),
      (error) => /** @type {any} */ (error).code === 'nothing_left',
    );
  });

  test('test_forced_eos_token_logits_processor leaves the end token with logit 0', () => {
    const [eos, most] = [0, 5];
    const own = (
      /** @type {Float32Array} */ logits,
      /** @type {any} */ _,
      /** @type {any} */ { history },
    ) => (history.length < most - 1 ? logits : logits.map((_, id) => (id === eos ? 0 : -Infinity)));
    assert.deepEqual(after(20, own, [5, 6, 7, 8]), [0, ...Array(19).fill(-Infinity)]);
    assert.deepEqual(after(20, own, [5, 6, 7]), Array(20).fill(0.25));
  });
});
