/** Tests `read`, which returns distribution and draw in one call: both equal the separate calls, bit for bit. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { closed } from '../cleanup.js';
import { VOCAB, smallModel } from './small_model.js';

const scope = closed(await Logitscope.load({ model: smallModel() }));
scope.feed(scope.encode('a small text, a small'));

const half = (logits) => logits.map((logit, id) => (id % 2 ? logit : -Infinity));
const SETTINGS = {
  plain: {},
  balanced: { temperature: 0.7, top_p: 0.9, repetition_penalty: 1.1 },
  'a short list': { temperature: 1.5, top_k: 5, logit_bias: { 3: 4, 7: false } },
  greedy: { temperature: 0 },
  'every truncation': { top_k: 90, top_p: 0.95, min_p: 0.01, typical_p: 0.9, epsilon_cutoff: 1e-4 },
  xtc: { xtc_probability: 0.5, xtc_threshold: 0.001 },
  mirostat: { mirostat: 2, mirostat_tau: 3 },
  'adaptive-p': { adaptive_target: 0.3 },
  gumbel: { temperature: 0.8, draw: 'gumbel' },
  constraint: { constraint: 'json', temperature: 1.2 },
  'an own stage': { top_k: 60, own: half, order: ['top_k', 'own'] },
};

for (const [name, settings] of Object.entries(SETTINGS)) {
  describe(name, () => {
    test('read gives distribution and draw', () => {
      for (const top of [0, 20, VOCAB]) {
        for (let step = 0; step < 25; step++) {
          const asked = { ...settings, top, seed: 9 };
          const { trace, drawn } = scope.read(asked, { step });
          assert.deepEqual(trace, scope.distribution(asked, { step }));
          assert.deepEqual(drawn, scope.draw(asked, { step }));
        }
      }
    });

    test('readFrom gives warp and drawFrom', () => {
      const logits = scope.logits();
      const history = scope.timeline();
      for (let step = 0; step < 25; step++) {
        const asked = { ...settings, seed: 9 };
        const { trace, drawn } = scope.readFrom(logits, asked, { history, step });
        assert.deepEqual(trace, scope.warp(logits, asked, { history, step }));
        assert.deepEqual(drawn, scope.drawFrom(logits, asked, { history, step }));
        assert.deepEqual(drawn, scope.draw(asked, { step }));
        assert.equal(drawn.p, trace.p[drawn.id]);
      }
    });

    test('the drawn token is the bar on which u falls', () => {
      const { trace, drawn } = scope.read({ ...settings, top: VOCAB, seed: 9 }, { step: 3 });
      const bar = trace.tokens.find(({ id }) => id === drawn.id);
      assert.deepEqual(
        [bar.p, bar.p_raw, bar.logprob, bar.rank],
        [drawn.p, drawn.p_raw, drawn.logprob, drawn.rank],
      );
      if (drawn.u === null) return;
      const before = trace.tokens.filter(({ rank }) => rank < bar.rank);
      const start = before.reduce((sum, { p }) => sum + p, 0);
      assert.ok(start - 1e-12 <= drawn.u && drawn.u < start + bar.p + 1e-12);
    });
  });
}

test('u and rng replace the seed, as in a draw', () => {
  for (const u of [0, 0.25, 0.999, 1 - 2 ** -53]) {
    const drawn = scope.draw({ temperature: 2 }, { u });
    assert.deepEqual(scope.read({ temperature: 2 }, { u }).drawn, drawn);
    assert.deepEqual(scope.read({ temperature: 2 }, { rng: () => u }).drawn, drawn);
  }
});

test('generate draws what read shows at every step', async () => {
  const settings = { temperature: 0.9, top_p: 0.95, repetition_penalty: 1.2, seed: 4 };
  const session = scope.session();
  const ids = Array.from(scope.encode('a small'));
  const generation = scope.session().generate({ ...settings, prompt: ids, max_new_tokens: 12 });
  let step = 0;
  for await (const { ms: _, text: __, position, entropy, kept, ...drawn } of generation) {
    assert.equal(position, ids.length);
    session.feed(ids);
    const { trace, drawn: shown } = session.read({ ...settings, top: 0 }, { step: step++ });
    assert.deepEqual(drawn, shown);
    assert.deepEqual([entropy, kept], [trace.entropy, trace.kept]);
    ids.push(drawn.id);
  }
  assert.ok(step > 3);
});

test('top 0 lists no token', () => {
  const { tokens, rest } = scope.read({ top: 0 }).trace;
  assert.deepEqual([tokens, rest.count, rest.p], [[], VOCAB, 1]);
});

test('an unknown argument is refused and changes nothing', () => {
  const before = scope.read();
  const refused = (settings, choice, code) =>
    assert.throws(() => scope.read(settings, choice), { code });
  refused({ top_p: 2 }, {}, 'out_of_range');
  refused({ mystery: 1 }, {}, 'unknown_setting');
  refused({}, { u: 1 }, 'out_of_range');
  refused({}, { raw: false }, 'invalid_argument');
  refused({ draw: 'gumbel' }, { u: 0.5 }, 'invalid_argument');
  refused({ own: async (logits) => logits }, {}, 'invalid_argument');
  assert.deepEqual(scope.read(), before);
  const fresh = scope.session();
  assert.throws(() => fresh.read(), { code: 'empty' });
  fresh.close();
  assert.throws(() => fresh.read(), { code: 'closed' });
});

test('warp has the state of the constraint, as the distribution does', () => {
  const settings = { constraint: { grammar: 'root ::= "a" [b-d] "a"' }, constraint_start: 1 };
  const { constraint } = scope.warp(new Float32Array(VOCAB), settings, { history: [5, 97] });
  const session = scope.session();
  session.feed([5, 97]);
  assert.deepEqual(constraint.bytes, [98, 99, 100]);
  assert.deepEqual(constraint, session.distribution(settings).constraint);
  assert.equal('constraint' in scope.warp(new Float32Array(VOCAB)), false);
  session.close();
});
