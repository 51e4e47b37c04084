/** Tests lessons without a page: the lesson file and its faults, Markdown, verdicts on answers, and results. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { answersOf, offered } from '../../web/lessons/answers.js';
import { countOf, readCodes, writeCode } from '../../web/lessons/codes.js';
import { LESSON_FAULTS, inEnglish } from '../../web/lessons/faults.js';
import { crc32 } from '../../web/lessons/crc32.js';
import { judge, reached } from '../../web/lessons/judge.js';
import { checkLesson, questionIds, readLesson } from '../../web/lessons/lesson-file.js';
import { LESSON_MEASURES, measure, readState, writeText } from '../../web/lessons/measures.js';
import { countText } from '../../web/engine/step-costs.js';
import { range, sweep } from '../../web/engine/sweep.js';
import { readTyped } from '../../web/lessons/typed-number.js';
import { wholeOrder } from '../../web/lessons/figure-change.js';
import { SHIPPED, lessonFile } from '../../web/lessons/shipped.js';
import * as marks from '../../web/lessons/marks.js';
import { temporaryFolder } from '../cleanup.js';
import { long, sample } from '../long.js';
import { cli } from './command_line.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const THREE = { logits: [2, 1, 0], tokens: ['a', 'b', 'c'] };

/** @type {Logitscope} */
let engine;
/** @type {Logitscope} */
let stories;
/** Models by name. @type {Record<string, Logitscope>} */
const models = {};
/** @type {import('../../web/engine/grammar.js').Grammar} */
let grammar;
before(async () => {
  engine = await Logitscope.load();
  for (const name of ['stories', 'verbs'])
    models[name] = await Logitscope.load({ model: join(root, `models/${name}.gguf`) });
  ({ stories } = models);
  grammar = JSON.parse(await readFile(join(root, 'models/verbs.grammar.json'), 'utf8'));
});

/** Returns a small lesson with a question of every type. Tests add faults to it. */
const whole = () => ({
  lesson: 1,
  name: 'mine',
  title: 'Mine',
  aim: 'To **see** p < 1, see [here](https://example.org/a).',
  result: 'Seen.',
  parts: [
    {
      title: 'One',
      text: ['A `<b>` in code.', 'Second.'],
      figure: { show: 'landscape', state: THREE },
      questions: [
        {
          id: 'half',
          kind: 'number',
          ask: 'p?',
          right: 'Yes.',
          answer: { measure: 'p', settings: { temperature: 0.5 } },
          tolerance: 0.005,
          wrong: [
            { measure: 'p', settings: { temperature: 2 }, say: 'times' },
            { equals: 0.5, say: 'halved' },
            { above: 1, say: 'share' },
          ],
        },
        {
          id: 'which',
          kind: 'choice',
          ask: 'which?',
          right: 'Yes.',
          options: [
            { text: 'a', right: true },
            { text: 'b', say: 'no' },
          ],
        },
        {
          id: 'bound',
          kind: 'choice',
          ask: 'how many?',
          right: 'Yes.',
          answer: { measure: 'kept', settings: { top_p: 0.9 } },
          options: [
            { text: 'one', value: 1, say: 'too few' },
            { text: 'two', value: 2 },
          ],
        },
        {
          id: 'row',
          kind: 'order',
          ask: 'order',
          right: 'Yes.',
          items: ['x', 'y', 'z'],
          wrong: [{ before: [2, 0], say: 'z is no beginning' }],
        },
        {
          id: 'reach',
          kind: 'state',
          ask: 'reach',
          right: 'Yes.',
          goal: { measure: 'kept', equals: 2 },
          wrong: [{ above: 2, say: 'too many' }],
        },
        {
          id: 'name',
          kind: 'token',
          ask: 'name',
          right: 'Yes.',
          answer: { measure: 'token_at_u', u: 0.7 },
          wrong: [{ measure: 'token', rank: 1, say: 'that is the first' }],
        },
      ],
    },
  ],
});

const faultsOf = (lesson) => checkLesson(lesson, engine.table).map(inEnglish);
/** Changes the valid lesson with `change`; returns the faults of the result. */
function spoilt(change) {
  const lesson = whole();
  change(lesson, lesson.parts[0].questions[0]);
  return faultsOf(lesson);
}

test('a complete lesson has no fault', () => {
  assert.deepEqual(faultsOf(whole()), []);
  assert.deepEqual(questionIds(whole()), ['half', 'which', 'bound', 'row', 'reach', 'name']);
});

const SPOILT = {
  missing: [(it) => delete it.aim, 'the lesson has no aim'],
  unknown: [(_, q) => (q.answr = 1), /questions\[0\] has "answr", known are id, kind, ask/],
  endpoint: [(it) => (it.endpoint = 'https://a.b'), /the lesson names an address \(endpoint\)/],
  text: [(it) => (it.title = 3), 'title must be a text, got 3'],
  texts: [(it) => (it.parts[0].text = 3), 'parts[0].text must be a text or a list of texts, got 3'],
  number: [(_, q) => (q.tolerance = '1'), /tolerance must be a number, got "1"/],
  flag: [(_, q) => (q.hold = 1), /hold must be true or false, got 1/],
  list: [(it) => (it.parts = {}), 'parts must be a list, got {}'],
  object: [(it) => (it.parts[0].figure = 1), 'parts[0].figure must be an object, got 1'],
  among: [(_, q) => (q.kind = 'essay'), /kind must be one of number, .*, got "essay"/],
  between: [
    (_, q) => (q.answer.settings.top_p = 2),
    /settings.top_p must be between 0 and 1, got 2/,
  ],
  long: [(it) => (it.title = 'a'.repeat(121)), 'title has 121 characters, at most 120'],
  many: [(it) => (it.parts = Array(21).fill({})), 'parts has 21 items, at most 20'],
  few: [(it) => (it.parts = []), 'parts has 0 items, at least 1'],
  markup: [
    (it) => (it.aim = 'a <img src=x onerror=1>'),
    /aim holds HTML.*: "<img src=x onerror=1>"/,
  ],
  link: [(it) => (it.aim = '[a](javascript:1)'), /aim links to "javascript:1": a link begins with/],
  unfigured: [(it) => (it.aim = '[see](#temperature=0)'), /aim has a button for "#temp.*no figure/],
  id: [(_, q) => (q.id = 'a b'), /id must be letters, digits, - and _, 40 at most, got "a b"/],
  twice: [(_, q) => (q.id = 'which'), /questions\[1\].id is "which", as another question is/],
  model: [
    (it) => (it.parts[0].figure.state = { prompt: 'a', model: 'https://a.b/c.gguf' }),
    /model is "https:\/\/a.b\/c.gguf": a model is one that is shipped/,
  ],
  setting: [(_, q) => (q.answer.settings = { own: 1 }), /settings has own, which is no setting/],
  source: [(it) => (it.parts[0].figure.state = {}), /state needs either logits or a prompt/],
  prompt: [(it) => (it.parts[0].figure.show = 'text'), /state needs a prompt: logits alone/],
  tokens: [
    (it) => (it.parts[0].figure.state = { ...THREE, tokens: ['a', 'b'] }),
    /2 texts for 3 logits/,
  ],
  stateless: [(it) => delete it.parts[0].figure, /questions\[0\] is measured, but neither/],
  right: [(it) => delete it.parts[0].questions[1].options[0].right, /has 0 right options/],
  aim: [(it) => delete it.parts[0].questions[4].goal.equals, /goal needs equals, at_least/],
  unit: [(_, q) => (q.answer.measure = 'token'), /asks for a number, but its measure is none/],
};

test('each fault has its sentence in both languages', async () => {
  for (const [key, [change, wanted]] of Object.entries(SPOILT)) {
    const [first = ''] = spoilt(change);
    if (typeof wanted === 'string') assert.equal(first, wanted, key);
    else assert.match(first, wanted, key);
  }
  assert.match(inEnglish(readLesson('{', engine.table).faults[0]), /^the file is not JSON: /);
  const large = readLesson('x'.repeat(200_001), engine.table).faults;
  assert.equal(inEnglish(large[0]), 'the file has 200001 characters, at most 200000');
  const coded = readLesson(null, engine.table).faults;
  assert.match(inEnglish(coded[0]), /^the file is neither UTF-8 nor UTF-16 /);
  const tried = [...Object.keys(SPOILT), 'unreadable', 'large', 'encoding'].sort();
  assert.deepEqual(Object.keys(LESSON_FAULTS).sort(), tried);
  const named = (text) => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const code of ['en', 'es']) {
    const words = JSON.parse(await readFile(join(root, `web/locale/${code}.json`), 'utf8'));
    for (const [key, sentence] of Object.entries(LESSON_FAULTS)) {
      const said = words[`lesson.fault.${key}`];
      assert.deepEqual(named(said), named(sentence), `${code}: ${key}`);
      if (code === 'en') assert.equal(said, sentence);
    }
  }
});

test('a button in a text may set only valid values of its figure', () => {
  const faults = (address, show = 'landscape') =>
    spoilt((it, question) => {
      it.parts[0].figure.show = show;
      question.ask = `[see](${address})`;
    });
  assert.deepEqual(
    faults('#temperature=0.5&order=top_p,temperature&u=0.25&seed=7&prompt=a%20b'),
    [],
  );
  assert.deepEqual(faults('#new_tokens=40', 'cost'), []);
  for (const [address, wanted] of [
    ['#temperature=hot', /ask.temperature must be a number, got "hot"/],
    ['#top_p=2', /ask.top_p must be between 0 and 1, got 2/],
    ['#u=2', /ask.u must be between 0 and 1, got 2/],
    ['#new_tokens=40', /ask has "new_tokens", known are/],
    ['#order=top_q', /ask.order\[0\] must be one of .*, got "top_q"/],
  ])
    assert.match(faults(address)[0] ?? '', wanted, address);
});

test('an order of some stages leaves all others in their places', () => {
  const all = engine.table.filter(({ sampler }) => sampler).map(({ name }) => name);
  assert.deepEqual(wholeOrder(all, engine.table), all);
  const swapped = wholeOrder(['top_p', 'temperature'], engine.table);
  const back = (name) => ({ top_p: 'temperature', temperature: 'top_p' })[name] ?? name;
  assert.deepEqual(swapped.map(back), all);
  assert.ok(swapped.indexOf('top_p') < swapped.indexOf('top_k'));
});

test('the cost of a text’s steps equals a count by hand', async () => {
  const state = { choices: { prompt_tokens: 3, new_tokens: 2, width: 10 } };
  const of = (name, choices) => measure({ measure: name, choices }, state, null);
  // Without a cache, the steps process 3 and 4 tokens, and the next one 5. With a cache they process 3 and 1.
  assert.equal(await of('step_cost'), 5 * 100);
  assert.equal(await of('step_cost_cached'), 100);
  assert.equal(await of('text_cost'), (3 + 4) * 100);
  assert.equal(await of('text_cost_cached'), (3 + 1) * 100);
  assert.equal(await of('text_cost', { new_tokens: 1 }), 300);
  assert.equal(await of('cost_exponent'), Math.log2((3 + 4 + 5 + 6) / (3 + 4)));
  const long = { prompt_tokens: 1, new_tokens: 5000 };
  for (const [name, power] of Object.entries({
    cost_exponent: 2,
    cost_exponent_cached: 1,
    attention_exponent: 3,
  }))
    assert.ok(Math.abs((await of(name, long)) - power) < 0.01, name);
  // Without a cache, the steps use 1 + 2 + 3 pairs and 1 + 2 + 3 + 4 pairs. With a cache, the second step uses only
  // four more pairs. Each pair has a score and a weighted value.
  assert.equal(countText(state.choices, false).attention, (6 + 10) * 2 * 10);
  assert.equal(countText(state.choices, true).attention, (6 + 4) * 2 * 10);
});

test('texts are measured as a sweep measures them', async () => {
  const state = {
    model: 'verbs',
    prompt: 'Tomorrow she',
    settings: { temperature: 2 },
    seed: 7,
    choices: { samples: 8, max_new_tokens: 20 },
  };
  const of = (name, settings) =>
    measure({ measure: name, settings }, state, models.verbs, models.verbs, grammar);
  const plan = {
    axes: [{ name: 'temperature', values: [2] }],
    measures: ['valid', 'tense', 'person', 'correctness', 'distinct_texts', 'ttr'],
    prompt: state.prompt,
    settings: { seed: 7 },
    samples: 8,
    max_new_tokens: 20,
    grammar,
  };
  const { value } = await sweep(models.verbs, plan).next();
  for (const name of plan.measures) assert.equal(await of(name), value.measures[name].mean, name);
  assert.equal(await of('correctness', { temperature: 0 }), 1);
  assert.equal(await of('distinct_texts', { temperature: 0 }), 1 / 8);
});

test('tense and person are shares of the whole sentences, with the numbers of lesson 8', async () => {
  for (const language of sample(['en', 'es'], 1)) {
    const lesson = JSON.parse(
      await readFile(join(root, 'web', lessonFile('diversity', language)), 'utf8'),
    );
    const { figure, questions } = lesson.parts[0];
    const { options, right } = questions.find(({ id }) => id === 'breaks');
    const { samples, max_new_tokens } = figure.state.choices;
    const plan = {
      axes: [{ name: 'temperature', values: [1.4, 1.8, 2.2, 2.6] }],
      measures: ['valid', 'tense', 'person'],
      prompt: figure.state.prompt,
      settings: { seed: figure.state.seed },
      samples,
      max_new_tokens,
      grammar,
    };
    const counts = [];
    for await (const { texts, measures } of sweep(models.verbs, plan)) {
      const whole = texts.filter(({ verdict }) => verdict.syntax);
      const wrong = (name) => whole.filter(({ verdict }) => verdict[name] === false).length;
      counts.push([whole.length, wrong('tense'), wrong('person')]);
      assert.equal(measures.tense.mean, (whole.length - wrong('tense')) / whole.length);
      assert.equal(measures.person.mean, (whole.length - wrong('person')) / whole.length);
    }
    const hotter = counts.slice(0, 3);
    assert.ok(hotter.every(([n, ...wrong]) => wrong.every((each) => each / n <= 0.1)));
    const [[fewer, , persons], [fewest, tenses]] = counts.slice(2);
    assert.deepEqual([samples, fewer, persons, fewest, tenses], [60, 24, 2, 21, 7]);
    assert.match(right, /2[.,]6[^.]* 21 [^.]* 60 [^]*2[.,]2[^]* 39 /);
    assert.match(options[0].say, /2[.,]6[^.]* 21 [^.]* 39 [^.]* 60 /);
    assert.match(options[1].say, /2[.,]2[^.]* 24 [^.]* 36 [^.]* 60 /);
  }
});

test('a share of no sentences is undefined', async () => {
  const state = {
    model: 'verbs',
    prompt: 'Tomorrow she',
    settings: { temperature: 100 },
    choices: { samples: 2, max_new_tokens: 5 },
  };
  const of = (name) => measure({ measure: name }, state, models.verbs, models.verbs, grammar);
  assert.deepEqual(
    [await of('valid'), await of('tense'), await of('person')],
    [0, undefined, undefined],
  );
});

const MARKDOWN = `---
name: mine
title: Mine
aim: To see.
result: Seen.
guide: 5
---
Before any part.

## One
First line
goes on.

\`\`\`figure
show: landscape
state: {"logits": [2, 1, 0]}
\`\`\`

\`\`\`question
id: half
kind: number
ask: 3
right: Yes.
answer: {"measure": "p"}
wrong: {"equals": 1, "say": "No."}
wrong: {"equals": 2, "say": "No."}
\`\`\`
`;

test('a lesson whose state no course system could keep is refused', () => {
  const [{ items, ...asked }] = whole().parts[0].questions.filter(({ kind }) => kind === 'order');
  const part = (n) => ({
    questions: Array.from({ length: 12 }, (_, i) => ({
      ...asked,
      items,
      id: `${n}-${i}-`.padEnd(40, 'x'),
    })),
  });
  const parts = Array.from({ length: 8 }, (_, n) => part(n));
  assert.deepEqual(faultsOf({ ...whole(), parts }), [
    `the state of all questions has ${8 * 12 * 47} characters, at most 4096`,
  ]);
  assert.deepEqual(faultsOf({ ...whole(), parts: parts.slice(1) }), []);
});

test('Markdown is read into the same form', () => {
  const { lesson, faults } = readLesson(MARKDOWN, engine.table);
  assert.deepEqual(faults, []);
  assert.deepEqual(lesson, {
    lesson: 1,
    name: 'mine',
    title: 'Mine',
    aim: 'To see.',
    result: 'Seen.',
    guide: '5',
    parts: [
      { text: ['Before any part.'] },
      {
        title: 'One',
        text: ['First line goes on.'],
        figure: { show: 'landscape', state: { logits: [2, 1, 0] } },
        questions: [
          {
            id: 'half',
            kind: 'number',
            ask: '3',
            right: 'Yes.',
            answer: { measure: 'p' },
            wrong: [
              { equals: 1, say: 'No.' },
              { equals: 2, say: 'No.' },
            ],
          },
        ],
      },
    ],
  });
  const [fault] = readLesson('just a text', engine.table).faults.map(inEnglish);
  assert.equal(fault, 'the lesson has no name');
});

/** Returns the verdict on an answer to question `id` of the lesson `whole`, with the figure in a state. */
function answerTo(id, given, state = THREE) {
  const question = whole().parts[0].questions.find((each) => each.id === id);
  const measured = (asked) => measure(asked, state, engine);
  return judge(question, given, measured);
}

test('a simple expression is parsed as a number, within bounds and without guesses', () => {
  for (const [text, value, unit = 'number'] of [
    ['2/3', 2 / 3],
    ['5 ÷ 9', 5 / 9],
    ['ln 9.37', Math.log(9.37)],
    ['ln(9,37) - 1', Math.log(9.37) - 1],
    ['log2(8) × 2', 6],
    ['log10(100)', 2],
    ['e^-1', Math.exp(-1)],
    ['e² / (e² + e + √e)', 7.38905609893065 / (7.38905609893065 + Math.E + Math.sqrt(Math.E))],
    ['sqrt(2)', Math.SQRT2],
    ['√2', Math.SQRT2],
    ['1e-3', 0.001],
    ['0,5', 0.5],
    ['−0,5 * 4', -2],
    ['-2^2', -4],
    ['2^3^2', 512],
    ['50 %', 0.5, 'share'],
    ['50 / 90 %', 50 / 0.9, 'share'],
    ['1.433.600', 1433600, 'count'],
    ['350 * 64^2', 1433600, 'count'],
  ]) {
    const read = readTyped(text, unit);
    assert.ok(Math.abs(read - value) <= 1e-12 * Math.abs(value), `${text}: ${read}`);
  }
  for (const text of [
    ...['', ' ', 'much', '2 3', '2e', '2/', '(1', '1)', '1/0', '1e400', 'ln(-1)', '0x10', '1,234'],
    // Texts with two possible meanings must be refused.
    ...['ln 2/3', 'ln 2^2', 'log 9', '50 %'],
    // Code and names of JavaScript must be refused.
    ...['alert(1)', 'constructor', '__proto__', 'e.toString()', 'ln[0]', '`1`', 'Infinity', 'NaN'],
    ...['9'.repeat(101), '('.repeat(100)],
  ])
    assert.ok(Number.isNaN(readTyped(text)), text);
});

test('answers are compared with the engine’s measures', async () => {
  const RIGHT = { right: true, say: 'Yes.' };
  const wrong = (say) => ({ right: false, say });
  // First the softmax of 4, 2, 0, then that of 1, 1/2, 0.
  assert.deepEqual(await answerTo('half', 0.87), RIGHT);
  assert.deepEqual(await answerTo('half', 0.86), { ...wrong(''), side: 'close' });
  assert.deepEqual(await answerTo('half', 0.9), { ...wrong(''), side: 'close' }, 'rounded early');
  assert.deepEqual(await answerTo('half', 0.8), { ...wrong(''), side: 'close' }, 'cut off');
  assert.deepEqual(await answerTo('half', 0.7), { ...wrong(''), side: 'low' });
  assert.deepEqual(await answerTo('half', 0.95), { ...wrong(''), side: 'high' });
  assert.deepEqual(await answerTo('half', 0.51), wrong('times'));
  assert.deepEqual(await answerTo('half', 0.5), wrong('halved'));
  assert.deepEqual(await answerTo('half', 87), wrong('share'));
  assert.deepEqual(await answerTo('which', 0), RIGHT);
  assert.deepEqual(await answerTo('which', 1), wrong('no'));
  assert.deepEqual(await answerTo('bound', 1), RIGHT);
  assert.deepEqual(await answerTo('bound', 0), wrong('too few'));
  assert.deepEqual(await answerTo('row', [0, 1, 2]), RIGHT);
  assert.deepEqual(await answerTo('row', [1, 2, 0]), wrong('z is no beginning'));
  assert.deepEqual(await answerTo('row', [1, 0, 2]), wrong(''));
  assert.deepEqual(await answerTo('reach', null), wrong('too many'));
  const cut = { ...THREE, settings: { top_p: 0.9 } };
  assert.deepEqual(await answerTo('reach', null, cut), RIGHT);
  assert.deepEqual(await answerTo('name', 'b'), RIGHT);
  assert.deepEqual(await answerTo('name', ' a'), wrong('that is the first'));
  assert.deepEqual(await answerTo('name', 'c'), wrong(''));
});

test('measures equal the distribution after a prompt', async () => {
  const state = { model: 'stories', prompt: 'Once upon a time', settings: { top_p: 0.9 } };
  stories.feed(stories.encode(state.prompt));
  const trace = stories.distribution({ top_p: 0.9 });
  const of = (asked) => measure(asked, state, stories);
  assert.equal(await of({ measure: 'kept' }), trace.kept);
  assert.equal(await of({ measure: 'entropy' }), trace.entropy);
  assert.equal(await of({ measure: 'mass' }), trace.kept_mass_raw);
  assert.equal(await of({ measure: 'p_raw', token: 'there' }), trace.tokens[1].p_raw);
  assert.equal(await of({ measure: 'rank', token: ' there' }), 2);
  assert.equal(await of({ measure: 'p', token: 'xyzzy' }), undefined);
  assert.equal(await of({ measure: 'setting', setting: 'top_p' }), 0.9);
  assert.equal(await of({ measure: 'setting', setting: 'temperature' }), 1);
});

test('a bias, a generated text and a given text have their measures', async () => {
  const of = (state, asked) => measure(asked, state, stories);
  const bias = { measure: 'bias_to_win', token: 'b' };
  const least = (logit_bias) => measure(bias, { ...THREE, settings: { logit_bias } }, engine);
  assert.equal(await least({}), 1);
  assert.equal(await least({ 0: 2, 1: 9 }), 3, 'its own is left out');
  assert.equal(await least({ 0: false }), -1);

  const state = { prompt: 'Once upon a time', seed: 7, settings: { temperature: 0.8 } };
  const { text } = await stories.write({
    prompt: state.prompt,
    seed: 7,
    temperature: 0.8,
    max_new_tokens: 24,
  });
  // The published check value of this CRC, and zlib's value for two bytes beyond ASCII.
  assert.deepEqual([crc32('123456789'), crc32('ñ')], ['cbf43926', '1d681568']);
  const sum = crc32(text);
  const choices = { length: 24 };
  assert.equal(await of(state, { measure: 'digest', choices }), sum);
  assert.equal(await of({ ...state, choices }, { measure: 'digest' }), sum);
  assert.notEqual(await of({ ...state, seed: 8 }, { measure: 'digest', choices }), sum);

  const kept = [];
  const step = { ...state.settings, prompt: state.prompt, seed: 7, top_p: 0.9 };
  for await (const each of stories.generate({ ...step, max_new_tokens: 24 })) kept.push(each.kept);
  const nucleus = { measure: 'mean_kept', choices, settings: { top_p: 0.9 } };
  assert.equal(await of(state, nucleus), kept.reduce((a, b) => a + b) / 24);

  const three = { ...state, settings: { constraint: 'three_numbers' } };
  assert.equal(await of(three, { measure: 'valid_json' }), 1);
  const cut = { choices: { length: 3 } };
  assert.equal(await of(three, { measure: 'valid_json', ...cut }), 0);
  const { finish, next } = await writeText(stories, stories, three, cut);
  assert.equal(finish, 'length');
  assert.ok(next.allowed > 0, 'what may come next');
  assert.equal((await writeText(stories, stories, three)).next, null, 'a text that has ended');

  // The expected values: each token's surprisal in bits, from a separate call of feed.
  const words = ' was a dragon.';
  stories.feed(stories.encode(state.prompt));
  const all = stories.encode(state.prompt + words);
  const bits = [];
  for (let n = stories.encode(state.prompt).length; n < all.length; n++) {
    stories.feed(all.slice(0, n));
    bits.push(stories.surprisal(all[n]) / Math.LN2);
  }
  const mean = bits.reduce((a, b) => a + b) / bits.length;
  assert.ok(Math.abs((await of(state, { measure: 'bits', text: words })) - mean) < 1e-9);
  const most = all[all.length - bits.length + bits.indexOf(Math.max(...bits))];
  const odd = await of(state, { measure: 'least_expected', text: words });
  assert.equal(odd, stories.piece(most).text);
});

test('a score never falls, play scores no zero, and a shown solution is not scored', () => {
  const ids = ['a', 'b'];
  let all = {};
  assert.deepEqual(marks.report(all, ids), {
    score: null,
    complete: false,
    attempts: 0,
    state: '',
  });
  all = marks.answer(all, 'a', false);
  assert.deepEqual(marks.report(all, ids).score, 0);
  all = marks.answer(all, 'a', true);
  all = marks.answer(all, 'a', false);
  assert.deepEqual(marks.report(all, ids), {
    score: 0.5,
    complete: false,
    attempts: 2,
    state: 'a:2r',
  });
  all = marks.showSolution(all, 'a');
  all = marks.showSolution(all, 'b');
  all = marks.answer(all, 'b', true);
  const told = marks.report(all, ids);
  assert.deepEqual(told, { score: 0.5, complete: true, attempts: 3, state: 'a:2r b:1s' });
  assert.deepEqual(marks.readMarks(told.state), all);
  const other = marks.readMarks('b:3r a:1');
  assert.deepEqual(marks.report(marks.merge(all, other), ids).score, 1);
  assert.deepEqual(marks.merge(other, all), marks.merge(all, other));
  assert.deepEqual(
    marks.readMarks('__proto__:1r x: <b>'),
    JSON.parse('{"__proto__":{"attempts":1,"end":"right"}}'),
  );
  assert.deepEqual(marks.readMarks('x'.repeat(5000)), {});
  const many = Array.from(
    { length: 80 },
    (_, i) => `${'q'.repeat(38)}${String(i).padStart(2, '0')}`,
  );
  const full = many.reduce((found, id) => marks.answer(found, id, true), {});
  assert.ok(marks.report(full, many).state.length <= marks.STATE_LIMIT);
});

test('the answers of a lesson list the measured values and the known wrong ones', async () => {
  const measured = (state, asked) => measure(asked, state, engine);
  const answers = await answersOf(whole(), measured);
  const [half, which, bound, row, reach, name] = answers;
  assert.deepEqual(
    answers.map(({ place }) => place),
    [1, 2, 3, 4, 5, 6],
  );
  assert.equal(Number(half.truth).toFixed(3), '0.867');
  assert.equal(Number(half.wrong[0].value).toFixed(3), '0.506');
  assert.deepEqual([half.wrong[1].value, half.wrong[2].above], [0.5, 1]);
  assert.deepEqual([which.truth, which.wrong], [0, [{ option: 1, say: 'no' }]]);
  assert.deepEqual([bound.truth, bound.wrong], [1, [{ option: 0, say: 'too few' }]]);
  assert.deepEqual(row.wrong[0].before, [2, 0]);
  assert.equal(reach.begin, 3);
  assert.deepEqual([name.truth, name.wrong[0].value], ['b', 'a']);
});

test('a code holds the marks, and a typing error in it is found', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const done = {
    a: { attempts: 1, end: 'right' },
    b: { attempts: 30, end: 'right' },
    c: { attempts: 2, end: 'shown' },
    d: { attempts: 1, end: null },
  };
  const code = writeCode('Mine', done, ids);
  assert.match(code, /^mine\.4y830\.[0-9a-z]{2}$/);
  const other = writeCode('mine', {}, ids);
  const { works, faults } = readCodes(
    `${code.toUpperCase()}  Ana María\r\n\n${other}\n"García, Juan";${other}\njuan.perez.es ${other}\n`,
    'Mine',
    5,
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(
    works.map(({ who }) => who),
    ['Ana María', '', 'García Juan', 'juan.perez.es'],
  );
  assert.deepEqual(works[0].mark, [
    done.a,
    { attempts: 11, end: 'right' },
    done.c,
    done.d,
    { attempts: 0, end: null },
  ]);
  const none = { first: 0, later: 0, shown: 0, tried: 0, none: 0 };
  assert.deepEqual(countOf(works, 0), { ...none, first: 1, none: 3 });
  assert.deepEqual(countOf(works, 1), { ...none, later: 1, none: 3 });
  assert.deepEqual(countOf(works, 2), { ...none, shown: 1, none: 3 });
  assert.deepEqual(countOf(works, 3), { ...none, tried: 1, none: 3 });
  assert.deepEqual(countOf(works, 4), { ...none, none: 4 });
  const bad = [
    'Ana',
    code.replace('4y', '5y'),
    writeCode('other', done, ids),
    writeCode('mine', done, ['a']),
    code,
  ];
  const read = readCodes(bad.join('\n'), 'mine', 5);
  assert.equal(read.works.length, 1);
  assert.deepEqual(
    read.faults.map(({ line, key }) => [line, key]),
    [
      [1, 'shape'],
      [2, 'slip'],
      [3, 'lesson'],
      [4, 'questions'],
    ],
  );
  // The check sum finds a change of any one letter.
  for (let at = 0; at < code.length; at++) {
    const letter = code[at] === 'k' ? 'm' : 'k';
    const wrong = code.slice(0, at) + letter + code.slice(at + 1);
    assert.equal(readCodes(wrong, 'mine', 5).works.length, 0, wrong);
  }
});

test('logitscope lesson answers writes the right answers in the user’s language', async () => {
  const file = join(temporaryFolder(), 'mine.json');
  await writeFile(file, JSON.stringify({ ...whole(), guide: ['Say *this*.'] }));
  const { status, stdout, stderr } = await cli(['lesson', 'answers', file]);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^Mine\n[^]*Words to say: Say this\./);
  assert.match(stdout, /1\. p\?\n {3}Right: 0\.867 \(86\.7%\) ± 0\.005\n/);
  assert.match(stdout, /Usual mistakes:\n {3}- 0\.506 \(50\.6%\) → times\n/);
  assert.match(stdout, /- “z” before “x” → z is no beginning/);
  assert.match(stdout, /Right: tokens kept = 2 tokens/);
  const spanish = await cli(['lesson', 'answers', file, '--lang', 'es']);
  assert.match(spanish.stdout, /Correcto: 0,867 \(86,7\s%\) ± 0,005\n/);
  const again = await cli(['lesson', 'answers', 'top-p', '--json']);
  assert.deepEqual(JSON.parse(again.stdout).map(({ id, truth }) => [id, truth])[0], ['size', 4]);
  for (const words of [
    ['lesson', 'answers'],
    ['lesson', 'answers', file, '--lang', 'fr'],
  ]) {
    const refused = await cli(words);
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /^logitscope: [^\n]+\n$/);
  }
  await writeFile(file, JSON.stringify({ ...whole(), aim: 3 }));
  assert.equal((await cli(['lesson', 'answers', file])).status, 2);
});

long('logitscope lesson answers sweeps for the right value of a knob', async () => {
  const { stdout } = await cli(['lesson', 'answers', 'diversity']);
  assert.match(stdout, /Right: temperature = 1\.2 \(sentences that are right ≥ 0\.950/);
});

test('logitscope lesson check says each fault on a line of its own', async () => {
  const file = join(temporaryFolder(), 'mine.json');
  await writeFile(file, JSON.stringify(whole()));
  const good = await cli(['lesson', 'check', file]);
  assert.deepEqual(
    [good.status, good.stdout, good.stderr],
    [0, 'Mine: 6 questions, no fault\n', ''],
  );
  await writeFile(file, JSON.stringify({ ...whole(), aim: 3, extra: 1 }));
  const bad = await cli(['lesson', 'check', file]);
  assert.equal(bad.status, 2);
  assert.equal(bad.stdout, '');
  assert.match(
    bad.stderr,
    /^logitscope: aim must be a text, got 3\nlogitscope: the lesson has "extra"/,
  );
  const json = await cli(['lesson', 'check', file, '--json']);
  assert.deepEqual(
    JSON.parse(json.stdout).faults.map(({ code, key }) => [code, key]),
    [
      ['bad_lesson', 'text'],
      ['bad_lesson', 'unknown'],
    ],
  );
  for (const words of [
    ['lesson'],
    ['lesson', 'mark', 'a'],
    ['lesson', 'check'],
    ['lesson', 'check', 'none.json'],
  ]) {
    const { status, stderr } = await cli(words);
    assert.equal(status, 2);
    assert.match(stderr, /^logitscope: [^\n]+\n$/);
  }
});

/** Reads a lesson that the site contains. */
const shipped = async (name, language) =>
  JSON.parse(await readFile(join(root, 'web', lessonFile(name, language)), 'utf8'));

/** Fields that contain text for a learner. All other fields are equal in all languages. */
const SPOKEN =
  'title aim result extension guide text caption ask right hint say solution items'.split(' ');
const bones = (lesson) =>
  JSON.stringify(lesson, (name, value) =>
    SPOKEN.includes(name) && typeof value !== 'boolean' ? undefined : value,
  );

test('each shipped lesson is valid and equal in both languages, and the README shows one', async () => {
  for (const name of SHIPPED) {
    const [english, spanish] = [await shipped(name, 'en'), await shipped(name, 'es')];
    for (const lesson of [english, spanish]) assert.deepEqual(faultsOf(lesson), [], name);
    const guided = ({ guide = [] }) => [guide].flat().length;
    assert.equal(guided(english), guided(spanish), `${name}: the guide in both`);
    assert.equal(english.name, name);
    assert.equal(bones(english), bones(spanish), name);
  }
  const readme = await readFile(join(root, 'docs/teaching.md'), 'utf8');
  const [, markdown] = /````markdown\n([^]*?)````/.exec(readme);
  assert.deepEqual(readLesson(markdown, engine.table).faults, []);
  for (const name of Object.keys(LESSON_MEASURES)) assert.ok(readme.includes(`\`${name}\``), name);
});

test('the table of contents names exactly the existing questions', async () => {
  const lessons = await Promise.all(SHIPPED.map((name) => shipped(name, 'en')));
  /** @type {Map<number, string[]>} */
  const ids = new Map(lessons.map((lesson) => [lesson.number, questionIds(lesson)]));
  const [table, material] = (await readFile(join(root, 'docs/lessons.md'), 'utf8')).split(
    '## By the material',
  );
  const named = [];
  const find = (numbers, words, row) => {
    for (const [, id] of words.matchAll(/`([\w-]+)`/g)) {
      if (id === 'generate' || !numbers.some((number) => ids.has(number))) continue;
      const number = numbers.find((each) => ids.get(each)?.includes(id));
      assert.ok(number, `${row}: no question ${id}`);
      named.push(`${number} ${id}`);
    }
  };
  for (const row of table.split('\n').filter((line) => /^\|[^|]+\| \d/.test(line))) {
    const [, , lesson, question] = row.split('|');
    find(lesson.match(/\d+/g).map(Number), question, row);
  }
  const all = [...ids].flatMap(([number, each]) => each.map((id) => `${number} ${id}`));
  assert.deepEqual(
    all.filter((id) => !named.includes(id)),
    [],
  );
  for (const [row, number, words] of material.matchAll(/(\d+) ((?:`[\w-]+`(?:, )?)+)/g))
    find([Number(number)], words, row);
});

test('each shipped lesson accepts its right answers and has a sentence for each typical wrong one', async () => {
  for (const name of SHIPPED) {
    const { parts } = await shipped(name, 'en');
    for (const { figure, questions = [] } of parts)
      for (const question of questions) {
        const where = `${name}: ${question.id}`;
        const state = question.state ?? figure?.state ?? THREE;
        const at = state.logits ? engine : models[state.model ?? 'stories'];
        const found = new Map();
        const measured = (asked) => {
          const key = JSON.stringify(asked);
          if (!found.has(key)) found.set(key, measure(asked, state, at, at, grammar));
          return found.get(key);
        };
        const said = (given) => judge(question, given, measured);
        const { kind, answer, options = [], wrong = [], items = [] } = question;
        if (kind === 'number' || kind === 'token') {
          const { right } = await said(await measured(answer));
          assert.ok(right, where);
        }
        for (const typical of kind === 'number' || kind === 'token' ? wrong : []) {
          const value = typical.measure ? await measured(typical) : typical.equals;
          const given =
            value ?? (typical.above === undefined ? typical.below - 1 : typical.above + 1);
          assert.deepEqual(await said(given), { right: false, say: typical.say }, where);
        }
        if (kind === 'choice') {
          const verdicts = [];
          for (const i of options.keys()) verdicts.push(await said(i));
          assert.equal(verdicts.filter(({ right }) => right).length, 1, where);
          for (const { say } of verdicts) assert.ok(say, where);
        }
        if (kind === 'order') {
          const order = items.map((_, i) => i);
          assert.ok((await said(order)).right, where);
          for (const { before: pair, say } of wrong)
            assert.ok(pair[0] > pair[1] && say, `${where}: the wrong one first`);
        }
        if (kind === 'state')
          assert.equal((await said(null)).right, false, `${where} is to be reached`);
      }
  }
});

/** Measurements by state and question, shared by all tests of shipped lessons. @type {Map<string, Promise<any>>} */
const known = new Map();

/** @param {import('../../web/lessons/measures.js').LessonState} state */
function measuredOf(state) {
  const at = state.logits ? engine : models[state.model ?? 'stories'];
  return (asked) => {
    const key = JSON.stringify([state, asked]);
    if (!known.has(key)) known.set(key, measure(asked, state, at, at, grammar));
    return known.get(key);
  };
}

/** Returns all states that a figure can show, from one end of its slider to the other. */
function statesOf({ show, state, knob = 'temperature', controls = [] }, { measure: name }) {
  const set = (settings) => ({ ...state, settings: { ...state.settings, ...settings } });
  const choose = (choices) => ({ ...state, choices: { ...state.choices, ...choices } });
  if (show === 'sweep') {
    const { name: setting, from, to, step } = state.choices.first;
    return range(setting, from, to, step).values.map((value) => set({ [setting]: value }));
  }
  if (show === 'cost') return [1, 20, 100, 2000].map((new_tokens) => choose({ new_tokens }));
  if (show === 'sentences')
    return [0.25, 0.3, 0.5, 1, 1.33, 1.36, 2].map((temperature) => set({ temperature }));
  const hundred = Array.from({ length: 101 }, (_, i) => i / 101);
  if (name === 'token_at_u') return hundred.map((u) => ({ ...state, u }));
  if (controls.includes('logit_bias'))
    return hundred.map((share) => set({ logit_bias: { 1: 20 * share - 10 } }));
  if (controls.length > 0)
    return [
      state,
      { ...state, seed: 7 },
      { ...state, seed: 3 },
      ...[0.7, 0.8, 0.9].map((temperature) => ({ ...set({ temperature }), seed: 7 })),
      { ...set({ temperature: 0.8 }), seed: 7, prompt: 'Lily' },
      ...[60, 100].map((length) => choose({ length })),
      ...(controls.includes('constraint') ? [set({ constraint: 'three_numbers' })] : []),
    ];
  const { low, high, kind } = engine.table.find((row) => row.name === knob);
  const values = hundred.map((share) => low + share * (high - low));
  return values.map((value) => set({ [knob]: kind === 'integer' ? Math.round(value) : value }));
}

test('each wrong answer has its own sentence in both languages, and a wrong number at least its side', async () => {
  for (const name of sample(SHIPPED, Math.ceil(SHIPPED.length / 2)))
    for (const language of ['en', 'es']) {
      const { parts } = await shipped(name, language);
      for (const { figure, questions = [] } of parts)
        for (const question of questions) {
          const { kind, items = [], options = [], answer, goal, wrong = [] } = question;
          const state = question.state ?? figure?.state ?? THREE;
          const hear = async (given, of = state) => {
            const { right, say, side } = await judge(question, given, measuredOf(of));
            const where = `${name}.${language}: ${question.id}, ${JSON.stringify(given ?? of)}`;
            assert.ok(say || (kind === 'number' && side), `${where} has only the general sentence`);
            return right;
          };
          if (kind === 'choice') for (const i of options.keys()) await hear(i);
          if (kind === 'order')
            for (const i of items.keys())
              if (i > 0)
                assert.ok(
                  wrong.some(({ before: [a, b] }) => a === i && b === i - 1),
                  `${name}: a wrong order has two neighbours the wrong way round`,
                );
          if (kind === 'token') {
            const at = state.logits ? engine : models[state.model ?? 'stories'];
            const { trace } = await readState(at, at, state, { measure: 'token' });
            const texts = trace.tokens.map(({ text }) => text);
            for (const text of await offered(question, texts, measuredOf(state))) await hear(text);
          }
          if (kind === 'number') {
            const truth = await measuredOf(state)(answer);
            const tries = [0, 1, -1, truth / 2, truth * 2, truth + 1, 1 - truth, 1 / truth];
            const early = [Math.trunc(truth * 100) / 100, Math.round(truth * 10) / 10];
            for (const given of [...tries, ...early]) await hear(given);
          }
          if (kind === 'state') {
            const heard = [];
            for (const at of statesOf(figure, goal)) heard.push(await hear(null, at));
            assert.ok(heard.includes(false) && heard.includes(true), `${name}: ${question.id}`);
          }
        }
    }
});

test('lesson 3 names the near forks of greedy’s text, and lesson 4 takes 0.66 for early rounding', async () => {
  const { parts } = await shipped('temperature', 'en');
  const { figure, questions } = parts.at(-1);
  const { ask } = questions.find(({ id }) => id === 'cold');
  const ids = [...stories.encode(figure.state.prompt)];
  const leads = [];
  for (let n = 0; n < figure.state.choices.max_new_tokens; n++) {
    stories.feed(Uint32Array.from(ids));
    const { trace, drawn } = stories.read({ temperature: 0, top: 2 }, { step: n });
    const [first, second] = trace.tokens;
    leads.push([first.logit - second.logit, first.text.trim(), second.text.trim(), n]);
    ids.push(drawn.id);
  }
  const sorted = [...leads].sort(([a], [b]) => a - b);
  const told = sorted.slice(0, 2).map(([lead, one, two]) => [lead.toFixed(3), one, two]);
  assert.deepEqual(told, [
    ['0.007', 'ran', 'saw'],
    ['0.011', 'excited', 'he'],
  ]);
  for (const [lead, one, two] of told)
    assert.match(ask, new RegExp(`“${one}” leads “${two}” by ${lead}`));
  assert.ok(sorted[2][0] > 0.03);
  const k = (await shipped('top-k', 'en')).parts[0];
  const two = k.questions.find(({ id }) => id === 'two');
  const { right, say } = await judge(two, 0.66, measuredOf(k.figure.state));
  assert.deepEqual([right, say], [false, '2/3 is 0.666…, and that rounds to 0.67.']);
});

test('lesson 15 states only shares that the law has, and the bounds of both temperatures', async () => {
  const { verbs } = models;
  const { parts } = await shipped('sentences', 'en');
  const [rank, , beam, mask, choose] = parts.map(({ figure }) => figure.state);
  const { greedy, sentences } = await verbs.law(rank.prompt);
  const { sentences: both } = await verbs.law(mask.prompt, {}, { mass: 0.995 });
  const { allowed } = mask.choices;
  const two = both.filter(({ text }) => allowed.includes(text.trim()));
  const ana = await verbs.law(beam.prompt, {}, { limit: 4000, beams: [1, 2, 3, 4] });
  const ask = (state, measure, temperature, more) =>
    measuredOf(state)({ measure, settings: { temperature }, ...more });
  const right = await Promise.all(
    [1, 1.36, 1.37, 1.5].map((temperature) => ask(choose, 'right', temperature)),
  );
  const known = [
    ...[greedy.p, greedy.tokens[0].p, sentences[0].p, ...sentences[0].tokens.map(({ p }) => p)],
    await ask(rank, 'sentence_p', 0.25, { text: greedy.text }),
    ...two.flatMap(({ p, tokens }) => [p, tokens[0].p]),
    ...[two[0].p / (two[0].p + two[1].p), await ask(mask, 'masked_p', 1, { text: allowed[0] })],
    ...[ana.sentences[0].p, ana.beams[2].tokens.slice(0, 4).reduce((all, { p }) => all * p, 1)],
    ...[...right, 0.5, 0.95, 0.01], // a naive answer, and the task
  ];
  assert.deepEqual(
    ana.beams.map((found) => found.rank),
    [5, 1, 16, 6],
  );
  assert.equal(ana.beams[0].rank, ana.greedy.rank);
  for (const language of ['en', 'es']) {
    const { guide: _, ...lesson } = await shipped('sentences', language);
    const stated = JSON.stringify(lesson).match(/[\d.,]*\d(?=\s?%)/g) ?? [];
    assert.ok(stated.length > 15, `${stated.length}`);
    for (const share of stated) {
      const plain = share.replace(',', '.');
      const digits = plain.split('.')[1]?.length ?? 0;
      const met = known.some((p) => (100 * p).toFixed(digits) === plain);
      assert.ok(met, `${language}: ${share} %`);
    }
  }
  const bounds = { between: [0.41, 0.55], 'ninety-five': [1.32, 1.36] };
  for (const { figure, questions } of parts)
    for (const { id, goal } of questions.filter(({ kind }) => kind === 'state')) {
      const [low, high] = bounds[id];
      const reaches = [low - 0.01, low, high, high + 0.01].map(async (temperature) =>
        reached(goal, await ask(figure.state, goal.measure, temperature)),
      );
      assert.deepEqual(await Promise.all(reaches), [false, true, true, false], id);
    }
});

test('a lesson or a class with thousands of faults reports a hundred', () => {
  const names = Array.from({ length: 18_000 }, (_, i) => [`k${i}`, 1]);
  assert.equal(readLesson(JSON.stringify(Object.fromEntries(names)), []).faults.length, 100);
  assert.equal(readCodes('no code\n'.repeat(18_000), 'shape', 3).faults.length, 100);
});
