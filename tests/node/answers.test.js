/**
 * Tests the grader with a learner's process that sends malformed answers: the report names each in one sentence, and
 * the grading continues.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { LONGEST, isAnswer, readAnswer } from '../../web/grade/answer.js';
import { grade } from '../../web/grade/grade.js';
import { TestedFunction } from '../../web/grade/tested-function.js';
import { temporaryFolder } from '../cleanup.js';
import { long } from '../long.js';
import { cli } from './command_line.js';
import { TOP_P } from './graded.js';

const folder = temporaryFolder();
const deep = (/** @type {number} */ depth) => '['.repeat(depth) + ']'.repeat(depth);

/** Lines that a process sends. ID means the call's id, RESULT a correct answer to the call. */
const LINES = {
  'an unknown fault': '{"fault":"x"}',
  'a fault of every object': '{"fault":"__proto__"}',
  'a number in place of names': '{"id":ID,"result":RESULT,"read":5}',
  'an object in place of a number': '{"id":ID,"result":RESULT,"length":{}}',
  'a length that is no number': '{"id":ID,"result":RESULT,"length":"1"}',
  'a length beside fewer numbers': '{"id":ID,"result":[],"length":5}',
  'a length without numbers': '{"id":ID,"length":5}',
  'a log that is none': '{"id":ID,"result":RESULT,"log":7}',
  'a log without parts': '{"id":ID,"result":RESULT,"log":{}}',
  'a log of other shapes':
    '{"id":ID,"result":RESULT,"log":{"windows":[null],"early":0,"seeds":[]}}',
  'a flag that is a text': '{"id":ID,"result":RESULT,"changed":"no"}',
  'params, deep': `{"id":ID,"error":"a","code":"line","params":${deep(100_000)}}`,
  'an unknown key': '{"id":ID,"result":RESULT,"x":[]}',
  'a key of every object': '{"id":ID,"result":RESULT,"__proto__":{"hung":true}}',
  'a time that is no answer': '{"id":ID,"error":"a","hung":true}',
  'an error that is no text': '{"id":ID,"error":{}}',
  'an error without end': `{"id":ID,"error":"${'a'.repeat(1000)}"}`,
  'a result that is an object': '{"id":ID,"result":{}}',
  'no id': '{"result":RESULT}',
  'an id that is a text': '{"id":"ID","result":RESULT}',
  'the id of another call': '{"id":1,"result":RESULT}',
  null: 'null',
  'a list': '[]',
  'a number': '1e999',
  'no JSON': '{',
  'a line that is too long': `{"id":ID,"result":RESULT,"error":"${'a'.repeat(LONGEST)}"}`,
  'brackets, deep': '['.repeat(LONGEST),
  'quotes, many': '"\\'.repeat(LONGEST / 2),
};

const engine = await Logitscope.load();

/**
 * Returns a start function of a process that answers each call with lineOf(call).
 * @param {(asked: any) => string} lineOf
 */
const answering = (lineOf) => (/** @type {any} */ onanswer, /** @type {any} */ onend) => ({
  post(/** @type {any} */ asked) {
    const line = asked.call === 'load' ? `{"id":${asked.id}}` : lineOf(asked);
    const read = readAnswer(line, asked);
    setImmediate(() => ('answer' in read ? onanswer(read.answer) : onend(read.refused)));
  },
  end() {},
});

/** Grades a process that answers by lineOf. @param {(asked: any) => string} lineOf @param {string} as */
async function verdictsOn(lineOf, as) {
  const tested = new TestedFunction(answering(lineOf), as, 1000);
  assert.deepEqual(Object.keys(await tested.load()), ['id']);
  return grade({ engine, tested, as });
}

for (const [what, line] of Object.entries(LINES))
  test(`a malformed line gets one sentence: ${what}`, async () => {
    for (const as of ['top_k', 'generate']) {
      const filled = (/** @type {any} */ { id, logits, prompt }) =>
        line
          .replace('ID', id)
          .replace('RESULT', JSON.stringify([...(logits ?? prompt)].map(String)));
      const [first, ...rest] = await verdictsOn(filled, as);
      assert.equal(first.holds, false);
      assert.match(first.message, /^it (sent|wrote) .*$/s);
      assert.ok(first.message.length < 200, first.message);
      assert.equal(rest.at(-1)?.message, 'not tried: it broke off 3 times');
    }
  });

test('an answer has the harness’s keys and no others', () => {
  const asked = { call: 'warp', logits: [1, 2] };
  const result = Float64Array.of(1, 2);
  assert.ok(isAnswer({ id: 1, result, length: 2, changed: false, read: ['top_k'] }, asked));
  assert.ok(isAnswer({ id: 1, result, length: 9 }, asked));
  assert.ok(isAnswer({ id: 1, result: 'a value of type str' }, asked));
  assert.ok(isAnswer({ error: 'it ended' }, asked));
  const log = { windows: [[1]], early: 0, seeds: [Number.NaN], graph: 1 };
  const generated = { call: 'generate', settings: { max_new_tokens: 1 } };
  assert.ok(isAnswer({ id: 1, result, length: 2, log }, generated));
  assert.ok(isAnswer({ id: 1, error: 'a', log }, generated));
  assert.ok(!isAnswer({ id: 1, result, length: 2, log }, asked));
  assert.ok(!isAnswer({ id: 1, result }, { call: 'load' }));
  // biome-ignore lint/suspicious/noSparseArray: a thread can send an array with holes.
  const holes = [[, 1]];
  assert.ok(!isAnswer({ id: 1, result, log: { ...log, windows: holes } }, generated));
});

test('an answer that comes before its call is refused', async () => {
  let onanswer;
  const posted = [];
  const tested = new TestedFunction(
    (given) => {
      onanswer = given;
      return { post: (asked) => posted.push(asked), end() {} };
    },
    'top_k',
    1000,
  );
  const loaded = tested.load();
  onanswer({ id: posted[0].id });
  await loaded;
  onanswer({ id: posted[0].id + 1, result: Float64Array.of(1) });
  const call = /** @type {const} */ ({ call: 'warp', logits: [1] });
  assert.equal((await tested.call(call)).code, 'unasked');
  assert.equal(tested.ends, 1);
  const again = tested.call(call);
  onanswer({ id: posted[1].id });
  await new Promise(setImmediate);
  onanswer({ id: posted[2].id, result: Float64Array.of(1) });
  assert.deepEqual((await again).result, Float64Array.of(1));
});

long('every learner has a row, even beside learners who send malformed answers', async () => {
  const at = `${folder}/class`;
  mkdirSync(at, { recursive: true });
  const lines = [
    '{"fault":"x"}',
    '{"fault":"__proto__"}',
    '{"id":2,"read":5}',
    `{"a":${deep(1e5)}}`,
  ];
  for (const [i, line] of lines.entries())
    writeFileSync(
      `${at}/a${i}.mjs`,
      `import { writeSync } from 'node:fs';\nexport default (l) => { writeSync(1, ${JSON.stringify(`${line}\n`)}); return l; };`,
    );
  writeFileSync(`${at}/b.mjs`, TOP_P);
  writeFileSync(`${at}/a\x1b[2J.txt`, '');
  const { status, stdout } = await cli(['grade', at, '--as', 'top_p', '--csv']);
  assert.equal(status, 0);
  const [, ...rows] = stdout.trimEnd().split('\n');
  assert.equal(rows.pop(), 'b.mjs,100,100,');
  assert.match(rows.shift(), /^a\\u001b\[2J\.txt,0,0,/);
  assert.ok(rows.length >= 2);
  for (const row of rows)
    assert.match(row, /^a\d\.mjs,0,0,"?top_p: it wrote a line that is no answer/);
});
