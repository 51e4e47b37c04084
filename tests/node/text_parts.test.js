/** Tests the objects that hold and write the bench's text, each separately. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogitscopeError } from '../../web/engine/errors.js';
import { Alternatives } from '../../web/state/alternatives.js';
import { Findings } from '../../web/state/findings.js';
import { Generation } from '../../web/state/generation.js';
import { Prompt } from '../../web/state/prompt.js';
import { openTexts, saveTexts } from '../../web/state/saved-texts.js';
import { TextTree } from '../../web/state/tree.js';
import { Turns } from '../../web/state/turns.js';

const pieceOf = (id) => ({ id, text: String.fromCharCode(96 + id), special: false });
const reader = { pieces: async (ids) => ids.map(pieceOf) };
const step = (id) => ({ ...pieceOf(id), u: 0.5, mu: null, p: 0.5, p_raw: 0.25, rank: 0 });
const idsOf = ({ steps }) => steps.map(({ id }) => id);

/** Returns a stand-in for the bench, with the properties that the tested part uses. */
function owner(more) {
  return {
    texts: new TextTree(),
    turns: new Turns(),
    prompt: { ids: [1] },
    settings: {},
    pass: null,
    reader,
    attempt: (work) => work(),
    follow: async () => {},
    emit() {},
    changed() {},
    ...more,
  };
}

test('newer work makes older work of its name stale, and closing makes all work stale', () => {
  const turns = new Turns();
  const first = turns.begin('prompt');
  const other = turns.begin('tally');
  const watched = turns.watch('prompt');
  assert.deepEqual([first(), other(), watched()], [true, true, true]);
  const second = turns.begin('prompt');
  assert.deepEqual([first(), other(), watched(), second()], [false, true, false, true]);
  const unnamed = turns.watch('text');
  turns.end();
  assert.deepEqual(
    [other(), second(), unnamed(), turns.watch('text')()],
    [false, false, false, true],
  );
});

test('a prompt is a text or a chat, and an empty prompt is refused', async () => {
  const prompt = new Prompt();
  const engine = {
    encode: async (text) => Array.from(text, (letter) => letter.charCodeAt() - 96),
    chat: async () => ({ ids: [4], parts: [{ text: '<think>' }], date: '2024-01-01' }),
  };
  prompt.write('ab');
  prompt.take(await prompt.encode(engine, reader));
  assert.deepEqual(prompt.ids, [1, 2]);
  assert.deepEqual(prompt.beginning, { prompt: 'ab', prompt_ids: null });
  prompt.say({ user: 'hello', system: '', date: null });
  prompt.take(await prompt.encode(engine, reader));
  assert.deepEqual([prompt.thinks, prompt.date], [true, '2024-01-01']);
  assert.deepEqual(prompt.beginning, { prompt: 'd', prompt_ids: [4] });
  prompt.write('');
  const error = await prompt.encode(engine, reader).catch((error) => error);
  assert.equal(prompt.refuse(error).key, 'no_prompt');
  assert.deepEqual([prompt.thinks, prompt.ids], [false, [4]]);
});

test('saved texts come back with their branches and numbers', () => {
  const texts = new TextTree();
  for (const id of [2, 3]) texts.append({ ...step(id), position: texts.steps.length + 1 });
  texts.rewind(1);
  texts.append({ ...step(4), forced: true, position: 2 });
  const saved = saveTexts(texts, [1]);
  const opened = new TextTree();
  openTexts(
    opened,
    saved,
    saved.tokens.map(([, id]) => pieceOf(id)),
  );
  assert.deepEqual(idsOf(opened), [2, 4]);
  assert.deepEqual(saveTexts(opened, [1]), saved);
  assert.deepEqual(opened.steps[1].position, 2);
});

test('a step appends the shown token, unless another text is on show by then', async () => {
  const bench = owner({ drawn: step(2) });
  const generation = new Generation(bench);
  await generation.step();
  assert.deepEqual(idsOf(bench.texts), [2]);
  bench.pass = Promise.resolve().then(() => {
    bench.turns.begin('text');
    bench.pass = null;
  });
  await generation.step();
  assert.deepEqual(idsOf(bench.texts), [2]);
  bench.trace = { tokens: [{ id: 3, p: 0.1, p_raw: 0.1, rank: 1, logprob: -2 }] };
  await generation.force(3);
  assert.deepEqual([idsOf(bench.texts), bench.texts.steps[1].forced], [[2, 3], true]);
});

test('alternatives are those requested last, and a superseded read is repeated', async () => {
  let looks = 0;
  const trace = { tokens: [] };
  const bench = owner({ positionAfter: (n) => n });
  bench.reader = {
    alternatives: async () => {
      if (++looks === 2) throw new LogitscopeError('superseded', 'superseded');
      return trace;
    },
    shareOf: async () => ({ p: 0.5, p_raw: 0.25 }),
  };
  const alternatives = new Alternatives(bench);
  bench.texts.append(step(2));
  const older = alternatives.find(0);
  bench.prompt.ids = [1, 2];
  await Promise.all([older, alternatives.find(-1)]);
  assert.deepEqual(
    [looks, alternatives.shown],
    [3, { index: -1, trace, given: { p: 0.5, p_raw: 0.25 } }],
  );
  alternatives.drop();
  assert.equal(alternatives.shown, null);
});

test('findings of a text that has left the screen are dropped', async () => {
  const engine = { distinct: async (ids, n) => ids.length / n, decode: async (ids) => ids.join() };
  const bench = owner({ engine, grammar: null });
  const findings = new Findings(bench);
  bench.texts.append(step(2));
  await findings.measure();
  assert.deepEqual(findings.distinct, [1, 0.5]);
  const late = findings.measure();
  bench.texts.append(step(3));
  await late;
  assert.deepEqual(findings.distinct, [1, 0.5]);
  bench.texts.ends = [3];
  await findings.judge();
  assert.deepEqual([findings.written, findings.verdict], ['2', null]);
  findings.reopen();
  assert.equal(findings.written, '');
});
