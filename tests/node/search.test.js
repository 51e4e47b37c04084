/**
 * Tests that beam search and contrastive search equal simple versions, which use the raw logits and the definitions.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  Logitscope,
  LogitscopeError,
  beamSearch,
  contrastiveSearch,
} from '../../web/engine/index.js';
import { RemoteLogitscope } from '../../web/engine/remote.js';
import { closed } from '../cleanup.js';
import { LONG } from '../long.js';
import { EOS, smallModel } from './small_model.js';
import { startThread } from './worker_thread.js';

let scope = closed(await Logitscope.load({ model: smallModel() }));

const PROMPTS = ['Hi', 'A longer text', 'x'].map((text) => [...Buffer.from(text)]);

/** Returns ln p of every token after the ids, by a plain softmax. */
function logprobs(ids) {
  scope.feed(ids, { cache: false });
  const logits = scope.logits();
  const max = Math.max(...logits);
  const z = Math.log(logits.reduce((sum, l) => sum + Math.exp(l - max), 0)) + max;
  return Array.from(logits, (l) => l - z);
}

function hiddenOf(ids) {
  scope.feed(ids, { cache: false });
  return scope.hidden();
}

/** Plain beam search: it ranks the whole vocabulary at each step and reuses nothing. */
function naiveBeams(prompt, width, power, steps, over) {
  let live = [{ ids: [], sum: 0 }];
  let done = [];
  for (let step = 0; step < steps; step++) {
    const all = live.flatMap(({ ids, sum }) =>
      logprobs([...prompt, ...ids]).map((lp, id) => ({ ids: [...ids, id], sum: sum + lp })),
    );
    all.sort((a, b) => b.sum - a.sum);
    const best = all.slice(0, 2 * width);
    done.push(...best.slice(0, width).filter(({ ids }) => ids.at(-1) === EOS));
    done.sort((a, b) => b.sum / b.ids.length ** power - a.sum / a.ids.length ** power);
    done = done.slice(0, width);
    live = best.filter(({ ids }) => ids.at(-1) !== EOS).slice(0, width);
    if (done.length === width && over(done.at(-1), live[0], step + 1)) return done;
  }
  return [...done, ...live]
    .sort((a, b) => b.sum / b.ids.length ** power - a.sum / a.ids.length ** power)
    .slice(0, width);
}

/**
 * Finds a seed whose small model ends its texts early. A bias of the end token is not possible, since a search has
 * none.
 */
async function endingModel() {
  for (let seed = 2; seed < 60; seed++) {
    const candidate = await Logitscope.load({ model: smallModel({ seed }) });
    const found = await beamSearch(candidate, {
      prompt: PROMPTS[0],
      beam_width: 8,
      max_new_tokens: 12,
    });
    if (found.beams.filter(({ finished }) => finished).length >= 2) return candidate;
    candidate.close();
  }
  throw new Error('no model ends');
}

describe('beam search', () => {
  test('with one beam equals greedy', async () => {
    for (const prompt of PROMPTS) {
      const found = await beamSearch(scope, { prompt, beam_width: 1, max_new_tokens: 12 });
      const generation = scope.generate({ prompt, temperature: 0, max_new_tokens: 12 });
      let { done, value } = await generation.next();
      while (!done) ({ done, value } = await generation.next());
      assert.deepEqual(found.ids, value.ids);
      assert.equal(found.text, value.text);
    }
  });

  for (const width of [2, 3, 5]) {
    test(`with ${width} beams equals the plain form`, async () => {
      for (const prompt of PROMPTS) {
        for (const power of [0, 1, 2]) {
          const found = await beamSearch(scope, {
            prompt,
            beam_width: width,
            length_penalty: power,
            max_new_tokens: 5,
            early_stopping: true,
          });
          const plain = naiveBeams(prompt, width, power, 5, () => true);
          assert.deepEqual(
            found.beams.map(({ ids }) => ids),
            plain.map(({ ids }) => ids),
          );
          found.beams.forEach((beam, i) => {
            assert.ok(Math.abs(beam.logprob - plain[i].sum) < 1e-4);
            assert.ok(Math.abs(beam.score - beam.logprob / beam.ids.length ** power) < 1e-12);
          });
        }
      }
    });
  }

  test('ends as the plain form does, with each of the three ways to stop early', async () => {
    const ordinary = scope;
    scope = await endingModel();
    try {
      const rules = {
        true: () => () => true,
        false: (power) => (worst, best) =>
          worst.sum / worst.ids.length ** power >= best.sum / best.ids.length ** power,
        never: (power) => (worst, best) => {
          const length = power > 0 ? 12 : best.ids.length;
          return worst.sum / worst.ids.length ** power >= best.sum / length ** power;
        },
      };
      const found = {};
      for (const [name, over] of Object.entries(rules)) {
        for (const power of [-1, 0, 1]) {
          for (const width of LONG ? [2, 8] : [2]) {
            const early_stopping = name === 'never' ? name : name === 'true';
            const options = {
              prompt: PROMPTS[0],
              beam_width: width,
              length_penalty: power,
              early_stopping,
            };
            const result = await beamSearch(scope, { ...options, max_new_tokens: 12 });
            const plain = naiveBeams(PROMPTS[0], width, power, 12, over(power));
            assert.deepEqual(
              result.beams.map(({ ids }) => ids),
              plain.map(({ ids }) => ids),
            );
            assert.ok(result.beams.every((beam) => beam.finished === (beam.ids.at(-1) === EOS)));
            found[result.finish_reason] = true;
          }
        }
      }
      assert.ok(found.eos);
    } finally {
      scope.close();
      scope = ordinary;
    }
  });

  test('ends at any end token, not only at eos', async () => {
    const tokens = ['a', '<|im_end|>', 'b', '<|eot_id|>', '<end_of_turn>', '<end>'];
    const chat = await Logitscope.load({ model: smallModel({ tokens, eos: false }) });
    const ends = [1, 3, 4];
    assert.deepEqual([chat.info.eos_token_id, chat.info.end_token_ids], [null, ends]);
    const options = { prompt: [0, 2], max_new_tokens: 20 };
    const { beams, finish_reason } = await beamSearch(chat, options);
    const found = await contrastiveSearch(chat, options);
    assert.deepEqual([finish_reason, found.finish_reason], ['eos', 'eos']);
    for (const { ids, finished } of [...beams, { ids: found.ids, finished: true }])
      assert.deepEqual(
        ids.map((id) => ends.includes(id)),
        ids.map((_, i) => finished && i === ids.length - 1),
      );
    chat.close();
  });

  test('with more beams never finds a less probable text of a fixed length', async () => {
    const best = [];
    for (const beam_width of [1, 64]) {
      const { logprob } = await beamSearch(scope, {
        prompt: PROMPTS[0],
        beam_width,
        length_penalty: 0,
        max_new_tokens: 2,
      });
      best.push(logprob);
    }
    assert.ok(best[1] >= best[0]);
  });

  test('with a length penalty above 0 prefers longer texts', async () => {
    const { beams } = await beamSearch(scope, {
      prompt: PROMPTS[1],
      beam_width: 4,
      max_new_tokens: 6,
    });
    assert.ok(beams.every((beam, i) => !i || beam.score <= beams[i - 1].score));
  });

  test('refuses unsupported settings', async () => {
    const refused = (options, code) =>
      assert.rejects(
        beamSearch(scope, { prompt: 'Hi', ...options }),
        (error) => error.code === code,
      );
    await refused({ beam_width: 0 }, 'out_of_range');
    await refused({ beam_width: 65 }, 'out_of_range');
    await refused({ length_penalty: 'long' }, 'invalid_argument');
    await refused({ early_stopping: 'soon' }, 'invalid_argument');
    await refused({ temperature: 1 }, 'invalid_argument');
    await refused({ prompt: '' }, 'empty');
  });
});

describe('contrastive search', () => {
  const cosine = (a, b) => {
    const dot = (x, y) => x.reduce((sum, it, i) => sum + it * y[i], 0);
    return dot(a, b) / Math.sqrt(dot(a, a)) / Math.sqrt(dot(b, b));
  };

  /** Contrastive search by equation 5 of its paper. It reuses nothing between steps. */
  function naiveContrast(prompt, k, alpha, steps) {
    const ids = [...prompt];
    for (let step = 0; step < steps; step++) {
      const lp = logprobs(ids);
      const order = [...lp.keys()].sort((a, b) => lp[b] - lp[a] || a - b).slice(0, k);
      const earlier = ids.map((_, i) => hiddenOf(ids.slice(0, i + 1)));
      const scores = order.map((id) => {
        const h = hiddenOf([...ids, id]);
        return (
          (1 - alpha) * Math.exp(lp[id]) - alpha * Math.max(...earlier.map((it) => cosine(h, it)))
        );
      });
      ids.push(order[scores.indexOf(Math.max(...scores))]);
      if (ids.at(-1) === EOS) break;
    }
    return ids.slice(prompt.length);
  }

  for (const [k, alpha] of [
    [2, 0.3],
    [4, 0.6],
    [8, 1],
    [5, 0],
  ]) {
    test(`with k ${k} and alpha ${alpha} equals the plain form`, async () => {
      for (const prompt of PROMPTS) {
        const { ids, steps } = await contrastiveSearch(scope, {
          prompt,
          k,
          alpha,
          max_new_tokens: 8,
        });
        assert.deepEqual(ids, naiveContrast(prompt, k, alpha, 8));
        assert.deepEqual(
          steps.map(({ id }) => id),
          ids,
        );
        for (const step of steps) {
          assert.equal(step.score, (1 - alpha) * step.p - alpha * step.similarity);
          assert.ok(Math.abs(step.similarity) <= 1 + 1e-9 && step.rank <= k);
        }
      }
    });
  }

  test('differs from greedy, except with alpha 0 or k 1', async () => {
    const of = async (options) =>
      (await contrastiveSearch(scope, { prompt: 'Hi', max_new_tokens: 12, ...options })).ids;
    const greedy = (await beamSearch(scope, { prompt: 'Hi', beam_width: 1, max_new_tokens: 12 }))
      .ids;
    assert.deepEqual(await of({ alpha: 0 }), greedy);
    assert.deepEqual(await of({ k: 1 }), greedy);
    assert.notDeepEqual(await of({}), greedy);
  });

  test('ends at the context and refuses a prompt beyond it', async () => {
    const { context_length } = scope.info;
    const { ids, prompt_ids, finish_reason } = await contrastiveSearch(scope, {
      prompt: 'Hi',
      max_new_tokens: 100,
    });
    if (finish_reason === 'length') assert.equal(ids.length + prompt_ids.length, context_length);
    await assert.rejects(
      contrastiveSearch(scope, { prompt: 'a'.repeat(context_length + 1) }),
      (error) => error.code === 'too_long',
    );
    await assert.rejects(
      contrastiveSearch(scope, { prompt: 'Hi', alpha: 1.5 }),
      (error) => error.code === 'out_of_range',
    );
  });
});

/** Wraps the engine: counts its sessions, forks and feeds, and refuses those beyond the limits. */
function counted({ session_bytes = scope.info.session_bytes, forks = Infinity, feeds = Infinity }) {
  const count = { open: 0, most: 0, forks: 0, feeds: 0 };
  const watched = (session) => {
    count.most = Math.max(count.most, ++count.open);
    return {
      feed: (ids) => {
        if (++count.feeds > feeds) throw new LogitscopeError('internal', 'internal');
        return session.feed(ids);
      },
      distribution: (settings) => session.distribution(settings),
      surprisal: (ids) => session.surprisal(ids),
      fork: () => {
        if (++count.forks > forks) throw new LogitscopeError('out_of_memory', 'no_memory_session');
        return watched(session.fork());
      },
      close: () => {
        count.open--;
        session.close();
      },
    };
  };
  const info = { ...scope.info, session_bytes };
  const piece = (id) => scope.piece(id);
  return { info, piece, session: () => watched(scope.session()), count };
}

test('a search uses a session for each beam, or fewer with the same result if memory is short', async () => {
  const options = { prompt: PROMPTS[1], beam_width: 5, max_new_tokens: 10 };
  const expected = await beamSearch(scope, options);
  const feedings = [];
  for (const [limits, most] of [
    [{}, 5],
    [{ session_bytes: 2 ** 28 / 3 }, 3],
    [{ session_bytes: 2 ** 29 }, 1],
    [{ forks: 0 }, 1],
    [{ forks: 2 }, 3],
  ]) {
    const watched = counted(limits);
    assert.deepEqual(await beamSearch(watched, options), expected);
    assert.equal(watched.count.open, 0);
    assert.equal(watched.count.most, most);
    feedings.push(watched.count.feeds);
  }
  assert.equal(new Set(feedings).size, 1);
});

test('a search closes its sessions even after an error', async () => {
  for (const feeds of [0, 1, 4, 9]) {
    const watched = counted({ feeds });
    await assert.rejects(
      beamSearch(watched, { prompt: PROMPTS[0], beam_width: 4, max_new_tokens: 5 }),
      (error) => error.code === 'internal',
    );
    assert.equal(watched.count.open, 0);
  }
  const watched = counted({});
  let steps = 0;
  const signal = {
    get aborted() {
      return ++steps > 3;
    },
  };
  const found = await beamSearch(watched, { prompt: PROMPTS[0], signal });
  assert.equal(found.finish_reason, 'aborted');
  assert.deepEqual([watched.count.open, watched.count.most], [0, 4]);
});

test('a beam is evaluated once, and its prefix is not fed again', async () => {
  const evaluated = [];
  const session = scope.session();
  const { fork, feed } = Object.getPrototypeOf(session);
  const watch = (it) =>
    Object.assign(it, {
      feed: (ids) => {
        const fed = feed.call(it, ids);
        evaluated.push(fed.evaluated);
        return fed;
      },
      fork: () => watch(fork.call(it)),
    });
  const watched = {
    info: scope.info,
    piece: (id) => scope.piece(id),
    session: () => watch(session),
  };
  await beamSearch(watched, { prompt: PROMPTS[1], beam_width: 4, max_new_tokens: 10 });
  assert.deepEqual(evaluated, [PROMPTS[1].length, ...Array(evaluated.length - 1).fill(1)]);
  assert.ok(evaluated.length > 20);
});

test('a search leaves the default session unchanged and can be aborted', async () => {
  scope.feed([1, 2, 3]);
  await beamSearch(scope, { prompt: 'Hi', max_new_tokens: 3 });
  assert.deepEqual([...scope.timeline()], [1, 2, 3]);
  const signal = AbortSignal.abort();
  assert.equal((await beamSearch(scope, { prompt: 'Hi', signal })).finish_reason, 'aborted');
  assert.equal((await contrastiveSearch(scope, { prompt: 'Hi', signal })).finish_reason, 'aborted');
});

test('searches through a worker give the same, with hidden states', async () => {
  const remote = await RemoteLogitscope.load({ worker: startThread(), model: smallModel() });
  for (const search of [beamSearch, contrastiveSearch]) {
    const options = { prompt: 'Hi', max_new_tokens: 6 };
    assert.deepEqual(await search(remote, options), await search(scope, options));
  }
  await remote.feed([1, 2]);
  scope.feed([1, 2]);
  assert.deepEqual(await remote.hidden(), scope.hidden());
});
