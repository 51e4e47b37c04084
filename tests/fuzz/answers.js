/**
 * Fuzzes the reader of answers: sends random lines as if a submission's process had written them, starting at seed
 * SEED. Run it with `make fuzz-answers`, or `node tests/fuzz/answers.js 1000000` for a million lines. A line must
 * either get an error of one sentence, or be a valid answer or question that the grader handles. Otherwise the run
 * ends with the line's number.
 */
import assert from 'node:assert/strict';
import { Logitscope } from '../../web/engine/index.js';
import { LONGEST, isAnswer, readAnswer } from '../../web/grade/answer.js';
import { GRADED, grade } from '../../web/grade/grade.js';
import { Random } from '../../web/grade/inputs.js';
import { TestedFunction } from '../../web/grade/tested-function.js';
import { Host } from '../../web/grade/toy.js';

const runs = Number(process.argv[2] ?? 10_000);
const first = Number(process.env.SEED ?? 1);
/** Share of rounds that grade a whole submission with random answers. The other rounds read a single line. */
const GRADED_SHARE = 0.0002;
const KEYS = [
  ...['id', 'result', 'length', 'changed', 'read', 'log', 'error', 'ask', 'ids', 'seed', 'x', ''],
  ...['endless', 'step', 'skipped', 'blind', 'uniform', 'rewrote'],
  ...[
    'windows',
    'early',
    'seeds',
    'graph',
    'code',
    'params',
    'hung',
    'fault',
    '__proto__',
    'constructor',
  ],
];
const WORDS = [
  '-inf',
  'inf',
  'nan',
  'window',
  'seed',
  'toString',
  'a'.repeat(700),
  '\u202e\u0000',
  '\ud800',
];
const NUMBERS = [0, -0, 1, -1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 1e-320, 7];

/** @param {Random} random @param {number} [depth] @returns {any} */
function valueOf(random, depth = 0) {
  const kind = random.whole(0, depth > 3 ? 4 : 6);
  if (kind === 0) return random.of([null, true, false]);
  if (kind <= 2) return random.of(NUMBERS);
  if (kind <= 4) return random.of(WORDS);
  const size = depth === 0 && random.next() < 0.002 ? 5000 : random.whole(0, 4);
  if (kind === 5) return Array.from({ length: size }, () => valueOf(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: Math.min(size, 8) }, () => [random.of(KEYS), valueOf(random, depth + 1)]),
  );
}

/** Returns a correct answer, or a question, for a call. @param {Random} random @param {any} asked the call */
function rightOf(random, { id, call, logits, toy }) {
  if (call === 'load') return { id };
  if (call === 'warp')
    return {
      id,
      result: Array.from(logits, (it) =>
        random.next() < 0.3 ? '-inf' : String(it) === it ? it : Number(it),
      ),
      length: logits.length,
      changed: random.next() < 0.5,
      read: ['top_k'],
    };
  if (random.next() < 0.2) return { id, ask: 'seed', seed: 1 };
  if (random.next() < 0.2) return { id, ask: 'number', seed: random.of([1, 2, null]), step: 1 };
  if (random.next() < 0.1) return { id, ask: 'again' };
  if (random.next() < 0.3)
    return { id, ask: 'window', ids: [0, 1], length: 2, endless: random.next() < 0.5 };
  const log = { windows: [[0]], early: 0, seeds: [1] };
  return { id, result: [0, toy.eos_token_id], length: 2, log };
}

/** Changes one random part of a message. @param {Random} random @param {any} message */
function mutate(random, message) {
  let at = message;
  for (let depth = 0; depth < 4; depth++) {
    const keys = Object.keys(at);
    const key = random.next() < 0.2 || !keys.length ? random.of(KEYS) : random.of(keys);
    const inner = Object.hasOwn(at, key) ? at[key] : null;
    if (typeof inner === 'object' && inner !== null && random.next() < 0.6) {
      at = inner;
      continue;
    }
    if (random.next() < 0.2) Reflect.deleteProperty(at, key);
    else
      Object.defineProperty(at, key === 'length' && Array.isArray(at) ? 0 : key, {
        value: valueOf(random),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    return;
  }
}

/** @param {Random} random @param {string} line */
function scramble(random, line) {
  const [from, to] = [random.whole(0, line.length), random.whole(0, line.length)];
  const cut = [
    line.slice(0, from),
    random.of(['', '"', '\\', '{', ']', 'NaN', '-Infinity', ',', '\n']),
    line.slice(to),
  ];
  if (random.next() < 0.01)
    cut.splice(1, 0, random.of(['[', '"\\', '{"a":', '1']).repeat(LONGEST / 3));
  return cut.join('');
}

/**
 * Returns a line in reply to a call: correct, slightly wrong, or random.
 * @param {Random} random @param {any} asked the call
 */
function lineOf(random, asked) {
  const message = random.next() < 0.05 ? valueOf(random) : rightOf(random, asked);
  if (typeof message === 'object' && message !== null)
    for (let changes = random.whole(0, 2); changes > 0; changes--) mutate(random, message);
  const line = JSON.stringify(message) ?? 'null';
  return random.next() < 0.15 ? scramble(random, line) : line;
}

/** @param {any} refused */
function checkRefusal({ error, code, params, ...more }) {
  assert.deepEqual(more, {});
  assert.ok(typeof error === 'string' && error.length < 300, error);
  assert.ok(
    typeof code === 'string' && Object.values(params).every((it) => typeof it !== 'object'),
  );
}

const counts = { answers: 0, questions: 0, refused: 0, graded: 0 };

/** @param {string} line @param {any} asked @param {Host | null} host */
function read(line, asked, host) {
  const found = readAnswer(line, asked);
  if ('refused' in found) {
    checkRefusal(found.refused);
    counts.refused++;
  } else if ('question' in found) {
    assert.ok(host);
    const told = host.answer(found.question);
    // toLine can write only these types.
    assert.ok(
      Object.values(told)
        .flat(2)
        .every((it) => ['number', 'string', 'object'].includes(typeof it)),
    );
    assert.ok(told.number === undefined || (told.number >= 0 && told.number < 1));
    counts.questions++;
  } else {
    assert.ok(isAnswer(found.answer, asked));
    counts.answers++;
  }
  return found;
}

const toy = {
  rows: [Float32Array.of(1, 2), Float32Array.of(3, -Infinity)],
  vocab_size: 2,
  context_length: 3,
  eos_token_id: 1,
};
const settings = { max_new_tokens: 3 };
const CALLS = [
  { call: 'load', name: 'top_k' },
  { call: 'warp', logits: Float32Array.of(1, 2, 3, -Infinity), settings: {} },
  { call: 'generate', toy, streams: { 1: Float64Array.of(0.5) }, settings, prompt: [0] },
];
const engine = await Logitscope.load();

/** Grades a submission whose process sends random lines. @param {Random} random */
async function gradeLines(random) {
  const as = random.of(GRADED);
  const start = (/** @type {any} */ onanswer, /** @type {any} */ onend) => ({
    post(/** @type {any} */ asked) {
      const host = asked.call === 'generate' ? new Host(asked) : null;
      const line = asked.call === 'load' ? JSON.stringify({ id: asked.id }) : lineOf(random, asked);
      setImmediate(() => {
        const found = read(line, asked, host);
        if ('answer' in found) onanswer(found.answer);
        else onend('refused' in found ? found.refused : { error: 'it ended' });
      });
    },
    end() {},
  });
  const tested = new TestedFunction(start, as, 1000);
  await tested.load();
  /** @type {any} */
  let fault;
  const verdicts = await grade({ engine, tested, as, onfault: (it) => (fault = it) });
  assert.ok(verdicts.every(({ holds, message }) => holds || typeof message === 'string'));
  assert.ok(fault === undefined || typeof fault.message === 'string');
  counts.graded++;
}

const began = performance.now();
for (let run = first; run < first + runs; run++) {
  const random = new Random(run);
  try {
    if (random.next() < GRADED_SHARE) await gradeLines(random);
    const asked = { id: 1 + (run % 3), ...random.of(CALLS) };
    read(
      lineOf(random, asked),
      asked,
      asked.call === 'generate' ? new Host(/** @type {any} */ (asked)) : null,
    );
  } catch (error) {
    console.log(`SEED=${run} FAILED: ${error?.stack ?? error}`);
    process.exit(1);
  }
  if ((run - first + 1) % 100_000 === 0 || run === first + runs - 1) {
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.log(`${run - first + 1} runs, ${JSON.stringify(counts)}, ${seconds} s`);
  }
}
