/**
 * Tests the thinking part of a text: its tokens, even if the delimiters are split into tokens, and its settings in a
 * generation, compared with a plain loop over `draw`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { findThinking } from '../../web/state/thinking.js';
import { closed } from '../cleanup.js';
import { Pcg32 } from '../vectors/generators.js';
import { EOS, VOCAB, smallModel } from './small_model.js';

const mark = (/** @type {string[]} */ texts, begun = false) =>
  findThinking(
    texts.map((text, id) => ({ id, text })),
    begun,
  )
    .map((thought) => (thought ? 'x' : '.'))
    .join('');

test('tags may be one token or several, and a prompt may end inside the thinking', () => {
  assert.equal(mark(['a', '<think>', 'b', '</think>', 'c']), '.xxx.');
  assert.equal(mark(['a', '<', 'think', '>b', 'c</', 'thi', 'nk>', 'd']), '...xxxx.');
  assert.equal(mark(['b', '</think>', 'c'], true), 'xx.');
  assert.equal(mark(['a<b', 'c', '<think', 'er>', 'd']), '.....');
  assert.equal(mark(['<think></think>', 'a', '<think>x</think>y<think>', 'b']), '..xx');
});

const scope = closed(await Logitscope.load({ model: smallModel({ context: 64 }) }));
const only = (/** @type {string} */ letters) => ({
  logit_bias: Object.fromEntries(
    Array.from({ length: VOCAB }, (_, id) => [id, false]).filter(
      ([id]) => !letters.includes(String.fromCharCode(Number(id))),
    ),
  ),
});
const ids = (/** @type {string} */ text) => [...Buffer.from(text)];

/** Draws a text in a plain loop. The phase is read from the text itself. */
function drawPlainly({ prompt, max_new_tokens: n, seed, thinking, ...settings }, begin, end) {
  const session = scope.session();
  let text = prompt;
  const thoughts = [];
  for (let step = 0; step < n; step++) {
    const thought = text.lastIndexOf(begin) > text.lastIndexOf(end);
    session.feed(ids(text));
    const own = thought ? thinking.settings : {};
    const { id } = session.draw({ ...settings, ...own, seed }, { step });
    thoughts.push(thought);
    text += String.fromCharCode(id);
  }
  session.close();
  return { text: text.slice(prompt.length), thoughts };
}

test('the settings change at the token after a delimiter: texts and ids, in the prompt and drawn', async () => {
  const pcg = new Pcg32(3, 54);
  const pick = (/** @type {any[]} */ of) => of[pcg.next() % of.length];
  let [thought, changes] = [0, 0];
  for (let i = 0; i < 40; i++) {
    const [begin, end] = pick([
      ['ab', 'c'],
      ['a', 'bc'],
      ['d', 'ca'],
    ]);
    const asIds = i % 2 === 1;
    const options = {
      prompt: pick(['x', 'xab', 'xd', 'abc x', 'xa']),
      ...only('abcd'),
      temperature: pick([0.7, 1.5]),
      frequency_penalty: pick([0, 0.5]),
      max_new_tokens: 24,
      seed: i,
      thinking: {
        settings: {
          temperature: pick([0, 3]),
          repetition_penalty: pick([1, 1.4]),
          ...(i % 3 === 0 && only('bcd')),
        },
        begin: asIds ? ids(begin) : begin,
        end: asIds && end.length === 1 ? ids(end)[0] : end,
      },
    };
    const result = await scope.write(options);
    const plain = drawPlainly(options, begin, end);
    assert.equal(result.text, plain.text, `${i}`);
    assert.deepEqual(
      result.steps.map(({ thinking }) => thinking),
      plain.thoughts,
    );
    // A continued text draws the same tokens.
    const rest = await scope.write({
      ...options,
      drawn_ids: result.ids.slice(0, 11),
      max_new_tokens: 13,
    });
    assert.deepEqual(rest.ids, result.ids.slice(11));
    thought += plain.thoughts.filter(Boolean).length;
    changes += plain.thoughts.filter((it, at) => at && it !== plain.thoughts[at - 1]).length;
  }
  assert.ok(thought > 200 && thought < 760 && changes > 60, `${thought} ${changes}`);
});

test('a control token ends the thinking of a prompt; each part has its own state of Mirostat', async () => {
  const thinkingAfter = async (/** @type {number[]} */ prompt) => {
    const { steps } = await scope.write({ prompt, max_new_tokens: 1, thinking: {} });
    return steps[0].thinking;
  };
  assert.equal(await thinkingAfter(ids('<think>')), true);
  assert.equal(await thinkingAfter([...ids('<think>'), EOS, 65]), false);
  assert.equal(await thinkingAfter([EOS, ...ids('<think>\n')]), true);
  const written = await scope.write({
    prompt: 'a',
    ...only('ab'),
    max_new_tokens: 20,
    thinking: { settings: { mirostat: 2, mirostat_tau: 0.5 }, begin: 'a', end: 'b' },
  });
  assert.ok(written.steps.some(({ thinking }) => !thinking));
  for (const { thinking, mu } of written.steps) assert.equal(mu !== null, thinking);
  assert.equal(written.thinking?.settings.mirostat, 2);
  assert.equal(written.settings.mirostat, 0);
});

test('bad options of the thinking are refused by name', async () => {
  const refusal = (/** @type {any} */ thinking) =>
    scope.write({ prompt: 'a', thinking }).then(
      () => assert.fail('accepted'),
      ({ code, message }) => `${code}: ${message}`,
    );
  assert.match(await refusal({ settings: { seed: 1 } }), /^unsupported: .* a seed of its own/);
  assert.match(await refusal({ settings: { topp: 1 } }), /^unknown_setting: .*top_p/);
  assert.match(await refusal({ settings: { top_p: 2 } }), /^out_of_range: top_p .* got 2/);
  assert.match(await refusal({ settings: [] }), /thinking\.settings must be an object/);
  assert.match(await refusal({ start: 'a' }), /thinking must be among settings, begin, end/);
  assert.match(await refusal({ begin: '' }), /thinking\.begin must be a text, a token id/);
  assert.match(await refusal({ end: VOCAB }), /^unknown_token/);
  assert.match(await refusal({ begin: 'x', end: 'x' }), /thinking\.end must be different/);
});
