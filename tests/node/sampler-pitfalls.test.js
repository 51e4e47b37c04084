/**
 * Tests known pitfalls of samplers, on distributions small enough to check by hand. tests/vectors/conventions.txt has
 * more, also for C and the browser.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Logitscope, LogitscopeError } from '../../web/engine/index.js';

const scope = await Logitscope.load();

const logs = (probs) => Float32Array.from(probs, Math.log);
const warp = (logits, settings, history) => scope.warp(logits, settings, { history });

/** Returns the surviving ids in ascending order. */
function kept(logits, settings, history) {
  const trace = warp(logits, settings, history);
  return [...trace.logits.keys()].filter((id) => trace.logits[id] !== -Infinity);
}

/** Calls the sampler; returns its error, which must be a LogitscopeError with one sentence. */
function errorOf(logits, settings, history) {
  try {
    warp(logits, settings, history);
  } catch (error) {
    assert.ok(error instanceof LogitscopeError, String(error));
    assert.match(error.message, /^[^\n]{10,280}$/);
    return error;
  }
  return assert.fail(`accepted: ${JSON.stringify(settings)}`);
}

describe('the boundary of top-p', () => {
  const lesson = logs([0.6, 0.2, 0.1, 0.05, 0.03, 0.02]);

  test('0.9 over .60 .20 .10 keeps three though float32 sums to a hair less', () => {
    assert.ok(Math.exp(lesson[0]) + Math.exp(lesson[1]) + Math.exp(lesson[2]) < 0.9);
    assert.deepEqual(kept(lesson, { top_p: 0.9 }), [0, 1, 2]);
  });

  test('every exact hit of the lesson keeps its tokens, and p + 0.01 keeps one more', () => {
    [0.6, 0.8, 0.9, 0.95, 0.98].forEach((p, i) => {
      assert.equal(kept(lesson, { top_p: p }).length, i + 1, `p = ${p}`);
      assert.equal(kept(lesson, { top_p: p + 0.01 }).length, i + 2, `p = ${p} + 0.01`);
    });
  });

  test('exact hits without rounding keep no more, for 8 equal logits', () => {
    const equal = new Float32Array(8);
    assert.deepEqual(kept(equal, { top_p: 0.5 }), [0, 1, 2, 3]);
    assert.deepEqual(kept(equal, { top_p: 0.25 }), [0, 1]);
    assert.deepEqual(kept(equal, { top_p: 0.375 }), [0, 1, 2]);
  });

  test('the tolerance is 2^-20, not more', () => {
    const equal = new Float32Array(8);
    assert.equal(kept(equal, { top_p: 0.5 + 2 ** -21 }).length, 4);
    assert.equal(kept(equal, { top_p: 0.5 + 2 ** -19 }).length, 5);
  });

  test('the best token stays at any p and any probability', () => {
    assert.deepEqual(kept([100, 0, 0], { top_p: 0.5 }), [0]);
    assert.deepEqual(kept([0, 0, 1], { top_p: 0 }), [2]);
    assert.deepEqual(kept([0, 0, 1], { top_p: Number.MIN_VALUE }), [2]);
  });

  test('the mass counts only survivors of earlier stages', () => {
    const logits = logs([0.4, 0.3, 0.2, 0.1]);
    assert.deepEqual(kept(logits, { top_k: 2, top_p: 0.5 }), [0]);
    assert.deepEqual(kept(logits, { top_k: 2, top_p: 0.5, order: ['top_p', 'top_k'] }), [0, 1]);
  });

  test('p = 1 keeps even tokens of negligible probability', () => {
    assert.equal(kept([0, -50, -500], { top_p: 1 }).length, 3);
    assert.equal(kept([0, -50, -500], { top_p: 0.999 }).length, 1);
  });
});

describe('temperature', () => {
  test('before top-p it keeps one token of 3 2 1, after it two', () => {
    const settings = { temperature: 0.5, top_p: 0.8 };
    assert.deepEqual(kept([3, 2, 1], settings), [0]);
    assert.deepEqual(kept([3, 2, 1], { ...settings, order: ['top_p', 'temperature'] }), [0, 1]);
  });

  test('T = 0 is a stage, so penalties and bans before it count', () => {
    const logits = [2, 3, 2.5];
    assert.deepEqual(kept(logits, { temperature: 0 }, [1]), [1]);
    assert.deepEqual(kept(logits, { temperature: 0, repetition_penalty: 2 }, [1]), [2]);
    assert.deepEqual(kept(logits, { temperature: 0, logit_bias: { 1: false } }), [2]);
    assert.deepEqual(kept(logits, { temperature: 0, logit_bias: { 0: 5 } }), [0]);
    const late = ['temperature', 'repetition_penalty'];
    assert.deepEqual(
      kept(logits, { temperature: 0, repetition_penalty: 2, order: late }, [1]),
      [1],
    );
  });

  test('T = 0 has its removals in the trace and changes no surviving logit', () => {
    const trace = warp([1, 5, 3], { temperature: 0 });
    const stage = trace.stages.find(({ name }) => name === 'temperature');
    assert.equal(stage.removed, 2);
    assert.equal(stage.kept, 1);
    assert.equal(trace.logits[1], 5);
    assert.deepEqual([...trace.p], [0, 1, 0]);
    assert.equal(trace.entropy, 0);
    assert.equal(trace.tokens[1].removed_by, 'temperature');
  });

  test('huge T is uniform and tiny T greedy, without overflow or removal', () => {
    const logits = [1, -20, 300, -3e38];
    for (const temperature of [1e300, Number.MAX_VALUE]) {
      const { p, entropy } = warp(logits, { temperature });
      assert.ok(
        p.every((share) => Math.abs(share - 0.25) < 1e-9),
        String(p),
      );
      assert.ok(Math.abs(entropy - 2) < 1e-9);
    }
    for (const temperature of [1e-3, 1e-40, Number.MIN_VALUE]) {
      const trace = warp(logits, { temperature });
      assert.deepEqual([...trace.p], [0, 0, 1, 0]);
      assert.equal(trace.kept, 4);
      assert.ok(trace.logits.every(Number.isFinite), String(trace.logits));
    }
  });

  test('a tie is shared at tiny T and goes to the lowest id at T = 0', () => {
    assert.deepEqual([...warp([1, 5, 5], { temperature: 1e-300 }).p], [0, 0.5, 0.5]);
    assert.deepEqual([...warp([1, 5, 5], { temperature: 0 }).p], [0, 1, 0]);
  });
});

describe('ties', () => {
  test('top-k keeps all tokens that tie with the k-th', () => {
    assert.deepEqual(kept([1, 3, 3, 3, 2], { top_k: 2 }), [1, 2, 3]);
    assert.deepEqual(kept(new Float32Array(6), { top_k: 1 }), [0, 1, 2, 3, 4, 5]);
  });

  test('top-p takes tied tokens by id', () => {
    assert.deepEqual(kept(logs([0.2, 0.4, 0.2, 0.2]), { top_p: 0.6 }), [0, 1]);
    assert.deepEqual(kept(logs([0.2, 0.4, 0.2, 0.2]), { top_p: 0.8 }), [0, 1, 2]);
  });

  test('tied tokens are listed by id', () => {
    assert.deepEqual(
      warp([2, 7, 2, 7], {}).tokens.map(({ id }) => id),
      [1, 3, 0, 2],
    );
  });
});

describe('repetition penalty', () => {
  test('a token seen twice is penalised once', () => {
    assert.deepEqual(
      [...warp([2, -2, 2], { repetition_penalty: 2 }, [0, 0, 1, 0, 1]).logits],
      [1, -4, 2],
    );
  });

  test('the window is counted from the end, and 0 means the whole history', () => {
    const logits = [2, 2, 2, 2];
    const seen = (repetition_window) => [
      ...warp(logits, { repetition_penalty: 2, repetition_window }, [0, 1, 1, 2]).logits,
    ];
    assert.deepEqual(seen(0), [1, 1, 1, 2]);
    assert.deepEqual(seen(1), [2, 2, 1, 2]);
    assert.deepEqual(seen(2), [2, 1, 1, 2]);
    assert.deepEqual(seen(3), [2, 1, 1, 2]);
    assert.deepEqual(seen(4), [1, 1, 1, 2]);
    assert.deepEqual(seen(5), [1, 1, 1, 2]);
  });

  test('a negative logit is multiplied, since division would raise it', () => {
    const { p } = warp([-1, -1], { repetition_penalty: 1.5 }, [0]);
    assert.ok(p[0] < p[1]);
  });
});

describe('min_tokens_to_keep', () => {
  const logits = [1, 5, 3, 2];

  test('holds for top-k and for top-p, best first', () => {
    for (const cut of [{ top_k: 1 }, { top_p: 0.1 }, { top_p: 0 }, { top_k: 1, top_p: 0.1 }]) {
      assert.deepEqual(
        kept(logits, { ...cut, min_tokens_to_keep: 2 }),
        [1, 2],
        JSON.stringify(cut),
      );
      assert.equal(kept(logits, { ...cut, min_tokens_to_keep: 9 }).length, 4);
    }
  });

  test('does nothing if more tokens are kept anyway', () => {
    assert.deepEqual(kept(logits, { top_k: 3, min_tokens_to_keep: 2 }), [1, 2, 3]);
    assert.equal(kept(logits, { min_tokens_to_keep: 2 }).length, 4);
  });
});

describe('bans', () => {
  test('false and -Infinity ban, 0 does not', () => {
    for (const ban of [false, -Infinity]) {
      assert.deepEqual(kept([1, 2, 3], { logit_bias: { 2: ban } }), [0, 1]);
    }
    assert.equal(kept([1, 2, 3], { logit_bias: { 2: 0 } }).length, 3);
  });

  test('a removed token does not come back', () => {
    assert.deepEqual(kept([-Infinity, 2, 3], { logit_bias: { 0: 1000 } }), [1, 2]);
  });

  test('a ban of all surviving tokens is refused as nothing_left', () => {
    assert.equal(errorOf([1, 2], { logit_bias: { 0: false, 1: false } }).code, 'nothing_left');
    const late = { top_k: 1, logit_bias: { 1: false }, order: ['top_k', 'logit_bias'] };
    assert.equal(errorOf([1, 2], late).code, 'nothing_left');
    assert.deepEqual(kept([1, 2], { top_k: 1, logit_bias: { 1: false } }), [0]);
  });

  test('no truncation removes the last token', () => {
    const settings = { top_k: 1, top_p: 0, temperature: 0 };
    for (const order of [
      ['top_k', 'top_p', 'temperature'],
      ['temperature', 'top_p', 'top_k'],
    ]) {
      assert.deepEqual(kept([1, 2, 2], { ...settings, order }), [1]);
    }
    assert.deepEqual(kept([-1e30], settings), [0]);
  });
});

describe('warp refuses', () => {
  test('NaN and Infinity at any place among the logits', () => {
    for (const bad of [NaN, Infinity, 1e39]) {
      for (const at of [0, 1, 2]) {
        const logits = [1, 2, 3];
        logits[at] = bad;
        assert.equal(errorOf(logits, {}).code, 'not_finite', `${bad} at ${at}`);
        assert.equal(errorOf(Float32Array.from(logits), { top_k: 1 }).code, 'not_finite');
      }
    }
  });

  const refused = [
    ['temperature', -0.5],
    ['temperature', Infinity],
    ['temperature', NaN],
    ['top_k', -1],
    ['top_k', 1.5],
    ['top_k', Infinity],
    ['top_p', 1.5],
    ['top_p', -0.1],
    ['top_p', NaN],
    ['repetition_penalty', 0],
    ['repetition_penalty', -1],
    ['repetition_window', -1],
    ['repetition_window', 0.5],
    ['min_tokens_to_keep', 0],
  ];

  test('a bad call without any effect on the next one', () => {
    const logits = logs([0.4, 0.3, 0.2, 0.1]);
    const settings = { temperature: 0.7, top_p: 0.8, logit_bias: { 0: -1 } };
    const before = warp(logits, settings, [1]);
    const bad = [
      ...refused.map(([name, value]) => ({ [name]: value })),
      { logit_bias: { 9: 1 } },
      { logit_bias: { 0: NaN } },
      { order: ['top_k', 'top_k'] },
      { logit_bias: { 0: false, 1: false, 2: false, 3: false } },
      { nonsense: 1 },
    ];
    for (const more of bad) {
      errorOf(logits, { ...settings, ...more }, [1]);
      assert.deepEqual(warp(logits, settings, [1]), before, JSON.stringify(more));
      assert.deepEqual(warp(logits), warp(logits, {}), 'nothing of it is left over');
    }
  });
});

describe("the caller's values stay unchanged", () => {
  const everything = {
    temperature: 0.5,
    top_k: 3,
    top_p: 0.9,
    repetition_penalty: 1.3,
    logit_bias: { 2: 4, 3: false },
    order: ['top_p', 'logit_bias', 'temperature', 'repetition_penalty', 'top_k'],
  };

  test('logits and history, in typed and plain arrays', () => {
    for (const logits of [[1, 5, -2, 0.5, 3], Float32Array.of(1, 5, -2, 0.5, 3)]) {
      for (const history of [[1, 1, 2], Uint32Array.of(1, 1, 2)]) {
        const copies = [logits.slice(), history.slice()];
        warp(logits, everything, history);
        assert.deepEqual([logits, history], copies);
      }
    }
  });

  test('settings may be deeply frozen', () => {
    const frozen = Object.freeze({
      ...everything,
      logit_bias: Object.freeze({ ...everything.logit_bias }),
      order: Object.freeze([...everything.order]),
    });
    assert.deepEqual(warp([1, 5, -2, 0.5, 3], frozen), warp([1, 5, -2, 0.5, 3], everything));
  });

  test('a result does not change at the next call', () => {
    const first = warp([1, 2, 3], {});
    const copy = structuredClone(first);
    warp([9, 8, 7, 6], everything);
    assert.deepEqual(first, copy);
  });
});

describe('a setting without effect gives a warning', () => {
  test('for top_p after top_k', () => {
    const { warnings, stages } = warp([9, 5, 1, 0], { top_k: 1, top_p: 0.95 });
    assert.deepEqual(warnings, ['top_p 0.95 removes nothing after top_k 1']);
    assert.equal(stages.find(({ name }) => name === 'top_p').after, 'top_k');
  });

  test('unless it is neutral and inactive', () => {
    const { warnings, stages, logits } = warp([9, -0, 1], { top_k: 0, top_p: 1, temperature: 1 });
    assert.deepEqual(warnings, []);
    assert.ok(stages.every((stage) => !stage.active && !stage.changed && stage.removed === 0));
    assert.ok(Object.is(logits[1], -0), 'bit for bit');
  });
});
