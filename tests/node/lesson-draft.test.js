/** Tests the lesson editor's draft: values by path, states from the page, and the link and HTML line to share. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import * as drafts from '../../web/lessons/draft.js';
import { LESSON_MEASURES } from '../../web/lessons/measures.js';
import { checkLesson } from '../../web/lessons/lesson-file.js';

/** @type {import('../../web/engine/types.js').TableRow[]} */
let table;
before(async () => ({ table } = await Logitscope.load()));

const STATE = { logits: [2, 1, 0], tokens: ['a', 'b', 'c'] };

test('a value is replaced at its place, and its neighbours stay the same', () => {
  const { get, put } = drafts;
  const before = { a: { b: [1, { c: 2 }] }, d: {} };
  const after = put(before, ['a', 'b', 1, 'c'], 3);
  assert.deepEqual(after, { a: { b: [1, { c: 3 }] }, d: {} });
  assert.equal(after.d, before.d);
  assert.equal(get(before, ['a', 'b', 1, 'c']), 2);
  assert.deepEqual(put(before, ['a', 'b', 0], undefined).a.b, [{ c: 2 }]);
  assert.deepEqual(put(before, ['a'], undefined), { d: {} });
  assert.deepEqual(put({}, ['x', 0, 'y'], 1), { x: [{ y: 1 }] });
  assert.deepEqual(drafts.moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b']);
});

test('a draft without gaps keeps its complete parts', () => {
  const figure = { show: 'landscape', state: { prompt: '', tokens: [''], settings: {} } };
  const draft = { title: '', parts: [{ text: '', figure, questions: [] }] };
  const all = drafts.filled(draft);
  assert.deepEqual(all, { parts: [{ figure }] });
  assert.equal(all.parts[0].figure, figure, 'an empty prompt is one');
  assert.deepEqual(drafts.filled(draft, false), { title: '', parts: [{ text: '', figure }] });
});

test('each fault has the place of a field', () => {
  const draft = drafts.newLesson({ state: STATE, left: [] });
  draft.parts[0].questions = [drafts.newQuestion('q1', 'number')];
  draft.parts[0].questions[0].answer.rank = 'x';
  const places = checkLesson(drafts.filled(draft), table).map(drafts.faultPlace);
  const question = ['ask', 'right'].map((name) => `parts[0].questions[0].${name}`);
  assert.deepEqual(
    places.sort(),
    ['aim', 'parts[0].questions[0].answer.rank', ...question, 'result', 'title'].sort(),
  );
  assert.equal(drafts.placeName(['parts', 0, 'questions', 1, 'ask']), 'parts[0].questions[1].ask');
});

test('a question that returns to its kind gets back its fields, except those shared by all kinds', () => {
  const options = [
    { text: 'yes', right: true },
    { text: 'no', say: 'Why?' },
  ];
  const choice = { ...drafts.newQuestion('q', 'choice'), options, ask: 'A?', hint: 'h' };
  const number = { ...drafts.asKind(choice, 'number'), ask: 'B?' };
  delete number.hint;
  const back = drafts.asKind(number, 'choice', choice);
  assert.deepEqual(
    [back.kind, back.options, back.ask, back.hint],
    ['choice', options, 'B?', undefined],
  );
});

test('a new question of each kind and measure passes the checker', () => {
  const texts = { title: 'T', aim: 'a', result: 'b' };
  for (const kind of drafts.FORM_KINDS) {
    const question = { ...drafts.newQuestion('q', kind), ask: '?', right: '!' };
    for (const from of drafts.FORM_KINDS) {
      const turned = drafts.asKind({ ...drafts.newQuestion('q', from), ask: '?', hint: 'h' }, kind);
      assert.deepEqual([turned.kind, turned.ask, turned.hint], [kind, '?', 'h']);
      const lesson = { ...drafts.newLesson({ state: STATE, left: [] }), ...texts };
      lesson.parts[0].questions = [question, { ...turned, id: 'r', right: '!' }];
      assert.deepEqual(checkLesson(lesson, table), [], `${from} → ${kind}`);
      assert.equal(drafts.freeId(lesson), 'q3');
    }
  }
  for (const measure of Object.keys(LESSON_MEASURES)) {
    const asked = drafts.byMeasure({ measure: 'p', token: 'a', settings: { top_k: 2 } }, measure);
    assert.equal(asked.measure, measure);
    const allowed = ['measure', 'settings', ...LESSON_MEASURES[measure].of];
    assert.deepEqual(
      Object.keys(asked).filter((name) => !allowed.includes(name)),
      [],
      measure,
    );
  }
});

test('a figure of each kind turns into each other kind and passes the checker', () => {
  const texts = { title: 'T', aim: 'a', result: 'b' };
  const written = { model: 'stories', prompt: 'a', settings: { top_k: 2 } };
  for (const source of [STATE, written])
    for (const from of drafts.SHOWN)
      for (const to of drafts.SHOWN) {
        const lesson = { ...drafts.newLesson({ state: source, left: [] }), ...texts };
        const [part] = lesson.parts;
        part.figure.caption = 'c';
        part.figure = drafts.asShown(drafts.asShown(part.figure, from, written), to, written);
        assert.deepEqual([part.figure.show, part.figure.caption], [to, 'c']);
        assert.deepEqual(checkLesson(lesson, table), [], `${from} → ${to}`);
      }
});

test('the page’s state is taken as far as a lesson can hold it', () => {
  const state = {
    prompt: 'Lily',
    seed: 7,
    settings: { temperature: 0.7, order: ['temperature'], logit_bias: { 3: 1 }, draw: 'gumbel' },
    system: 'Be kind.',
    landscape_knob: 'top_p',
    landscape_u: 0.25,
  };
  assert.deepEqual(drafts.handoverOf(state, { model: 'stories', written: ' ran' }, table), {
    state: {
      model: 'stories',
      prompt: 'Lily ran',
      settings: { temperature: 0.7, order: ['temperature'] },
      seed: 7,
      u: 0.25,
    },
    knob: 'top_p',
    left: ['logit_bias', 'draw', 'system'],
  });
  const given = { logits: [1, 0], tokens: ['a', 'b'] };
  const taken = drafts.handoverOf(
    { settings: {}, logits_settings: { top_k: 1 } },
    { given },
    table,
  );
  assert.deepEqual(taken.state, { ...given, settings: { top_k: 1 } });
});

test('link and line carry the whole lesson, and a long lesson is named by its file', () => {
  const page = 'https://a.b/scope/index.html?lesson=new&lang=es#x';
  const lesson = { name: 'mine', title: 'A "b"', aim: 'it’s' };
  const link = drafts.linkOf(lesson, page, 'es');
  const [start, carried] = link.split('#lesson=');
  assert.equal(start, 'https://a.b/scope/index.html?lesson&lang=es');
  assert.deepEqual(JSON.parse(decodeURIComponent(carried)), lesson);
  assert.match(
    drafts.embedOf(lesson, page, 'es'),
    /^<iframe src="https:[^"]+\?lesson&amp;lang=es#lesson=[^"]+" title="A &quot;b&quot;" /,
  );
  const long = { ...lesson, aim: 'x'.repeat(drafts.LINK_LIMIT) };
  assert.match(
    drafts.embedOf(long, page, 'es'),
    /src="https:\/\/a\.b\/scope\/index\.html\?lesson=mine\.json&amp;lang=es"/,
  );
  assert.equal(drafts.slug('  Más frío: ¡sí! '), 'mas-frio-si');
});
