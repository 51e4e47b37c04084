/**
 * Tests the values that break a loop: against a plain scan over all values, against the text that a value really
 * generates, and for a loop of the stories model against fixed numbers.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { findLoop } from '../../web/engine/text-loops.js';
import { closed } from '../cleanup.js';
import { cases } from '../long.js';
import { cli } from './command_line.js';
import { EOS, smallModel } from './small_model.js';

const STORIES = fileURLToPath(new URL('../../models/stories.gguf', import.meta.url));
const CYCLES = 3;

/** Returns the id that each place of a loop draws again, in a plain loop. */
function drawAgain(scope, prompt, drawn, { start, period }, settings) {
  const session = scope.session();
  const ids = [];
  for (let i = start; i < start + CYCLES * period; i++) {
    session.feed([...prompt, ...drawn.slice(0, i)]);
    ids.push(session.draw(settings, { step: i }).id);
  }
  session.close();
  return ids;
}

/** Returns the first token of the loop that is drawn otherwise: index and new id; null if there is none. */
function breakAt(scope, prompt, drawn, loop, settings) {
  const ids = drawAgain(scope, prompt, drawn, loop, settings);
  const at = ids.findIndex((id, i) => id !== drawn[loop.start + i]);
  return at < 0 ? null : { index: loop.start + at, id: ids[at] };
}

/** Yields texts of small models that have a loop. */
async function* loops(wanted, settingsOf) {
  for (let seed = 1, found = 0; found < wanted; seed++) {
    assert.ok(seed < 200, 'too few loops');
    const scope = closed(await Logitscope.load({ model: smallModel({ seed, context: 96 }) }));
    const settings = { logit_bias: { [EOS]: false }, seed, ...settingsOf(seed) };
    const prompt = Array.from(scope.encode('abc'));
    const { ids } = await scope.write({ prompt, max_new_tokens: 60, ...settings });
    const loop = findLoop(ids);
    if (!loop || loop.period > 8) continue;
    found++;
    yield { scope, prompt, ids, loop, settings };
  }
}

test('at the value a token of the first three cycles differs, at the next milder one none does', async () => {
  const kinds = new Set();
  const settingsOf = (/** @type {number} */ seed) =>
    seed % 3 ? { temperature: 0 } : { temperature: 0.3, top_k: 2, frequency_penalty: -0.2 };
  for await (const { scope, prompt, ids, loop, settings } of loops(cases(8, 60), settingsOf)) {
    const found = await scope.breakLoop({ prompt, drawn_ids: ids, ...settings });
    assert.deepEqual(found.loop, loop);
    assert.equal(found.already, null);
    const at = (setting, value) =>
      breakAt(scope, prompt, ids, loop, { ...settings, [setting]: value });
    for (const { setting, value, before, index, token, instead, first } of found.breaks) {
      kinds.add(setting);
      assert.deepEqual(at(setting, value), { index, id: instead.id }, setting);
      assert.equal(token.id, ids[index]);
      assert.equal(at(setting, before), null, `${setting} ${before}`);
      // The text that is generated with the value leaves this text at `first`.
      const asked = { prompt, ...settings, [setting]: value, max_new_tokens: index + 1 };
      const again = await scope.write(asked);
      assert.deepEqual(again.ids.slice(0, first), ids.slice(0, first));
      assert.notEqual(again.ids[first], ids[first]);
      if (first === index) assert.equal(again.ids[index], instead.id);
    }
    for (const { setting, value } of found.unbroken) assert.equal(at(setting, value), null);
  }
  for (const name of ['repetition_penalty', 'dry_multiplier', 'no_repeat_ngram_size', 'top_k'])
    assert.ok(kinds.has(name), `${name} breaks a loop`);
});

test('no smaller value breaks a greedy loop', async () => {
  const greedy = () => ({ temperature: 0 });
  for await (const { scope, prompt, ids, loop, settings } of loops(cases(2, 12), greedy)) {
    const { breaks } = await scope.breakLoop({ prompt, drawn_ids: ids, ...settings });
    for (const { setting, value } of breaks) {
      if (setting === 'no_repeat_ngram_size') continue;
      const from = { repetition_penalty: 1000 }[setting] ?? 0;
      for (let k = from + 1; k < value * 1000 - 0.5; k += cases(7, 1))
        assert.equal(
          breakAt(scope, prompt, ids, loop, { ...settings, [setting]: k / 1000 }),
          null,
          `${setting} ${k / 1000}`,
        );
    }
  }
});

test('a loop of stories: the numbers, the report on the command line, a random number of one’s own', async () => {
  const scope = closed(await Logitscope.load({ model: STORIES }));
  const prompt = 'Tom and his mom went to';
  const settings = { temperature: 0, logit_bias: { 2: false } };
  const { ids, steps } = await scope.write({ prompt, ...settings, max_new_tokens: 260 });
  const asked = { prompt, drawn_ids: ids, ...settings };
  const { loop, breaks } = await scope.breakLoop(asked);
  assert.deepEqual([loop.start, loop.period, loop.times], [245, 4, 3]);
  const lines = breaks.map(
    ({ setting, value, index, token, instead }) =>
      `${setting} ${value}: ${index}${token.text} →${instead.text}`,
  );
  assert.deepEqual(lines, [
    'repetition_penalty 1.032: 249 naughty → mean',
    'frequency_penalty 0.038: 254. → and',
    'presence_penalty 0.241: 249 naughty → mean',
    'no_repeat_ngram_size 8: 256 are → have',
    'dry_multiplier 0.096: 256 are → have',
    'temperature 0.237: 253 naughty → not',
  ]);
  // With u = 0 the most probable token is drawn at any temperature.
  const first = await scope.breakLoop({ ...asked, u: steps.map(() => 0) });
  assert.deepEqual(first.unbroken, [{ setting: 'temperature', value: 3 }]);
  const broken = await scope.breakLoop({ ...asked, dry_multiplier: 0.096 });
  assert.deepEqual([broken.already?.index, broken.breaks], [256, []]);
  assert.equal(await scope.breakLoop({ ...asked, drawn_ids: ids.slice(0, 200) }), null);
  const loopInThinking = await scope.breakLoop({
    ...asked,
    temperature: 1,
    thinking: { settings: { temperature: 0 }, begin: 'Tom', end: '</think>' },
  });
  assert.equal(loopInThinking.thinking, true);
  assert.equal(loopInThinking.breaks.at(-1).value, 0.237);
  for (const name of ['mirostat', 'adaptive_target', 'contrastive_beta'])
    await assert.rejects(
      scope.breakLoop({ ...asked, [name]: 1 }),
      (/** @type {any} */ { code, values }) => code === 'unsupported' && values.setting === name,
    );

  const words = ['generate', '--model', STORIES, '--prompt', prompt, '--temperature', '0'];
  const flags = ['--logit-bias', '2=false', '--max-new-tokens', '260'];
  const { stderr } = await cli([...words, ...flags, '--break-loop']);
  assert.match(stderr, /\na loop from token 246: "naughty\. You are" 3 times\n/);
  assert.match(
    stderr,
    /\ndry_multiplier 0\.096 breaks it at token 257: " have" in place of " are"; the text changes from token 188 on\n/,
  );
  const quiet = await cli([...words, ...flags]);
  assert.match(quiet.stderr, /; a loop from token 246 \(see --break-loop\)\n$/);
});
