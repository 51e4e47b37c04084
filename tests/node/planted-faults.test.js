/** Tests that a planted fault lowers the score and has its own sentence. Correct code scores 100, empty code 0. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Report } from '../../web/cli/grade-report.js';
import { Logitscope } from '../../web/engine/index.js';
import { MODULE_11 } from '../../web/grade/cases.js';
import { WRONG_FORMS } from '../../web/grade/diagnose.js';
import { GRADED, grade } from '../../web/grade/grade.js';
import { serve } from '../../web/grade/harness.js';
import { REASONS } from '../../web/grade/reasons.js';
import { scoreOf, total } from '../../web/grade/score.js';
import { TestedFunction } from '../../web/grade/tested-function.js';
import { WRONG_LOOPS } from '../../web/grade/wrong-loops.js';
import { codeOf } from '../../web/grade/wrong-samplers.js';
import { LONG, sample } from '../long.js';
import { GENERATE, LESSON_ORDER, broken } from './graded.js';
import { FAULTS, PITFALLS, RIGHT, planted } from './planted.js';
import { STAGES } from './planted_stages.js';
import { JAVASCRIPT } from './right.js';

const folder = fileURLToPath(new URL('../../build/fixtures/planted', import.meta.url));
mkdirSync(folder, { recursive: true });
const engine = await Logitscope.load();
let written = 0;

/**
 * Runs the grader's harness in this thread.
 * @param {string} source
 * @param {number} calls number of calls that are answered
 * @returns {import('../../web/grade/tested-function.js').Start}
 */
const here = (source, calls) => (onanswer) => {
  const file = `${folder}/${written++}.mjs`;
  writeFileSync(file, source);
  const port = { postMessage: (message) => onanswer(structuredClone(message)), onmessage: null };
  serve(port, () => import(pathToFileURL(file).href));
  const post = (message) => {
    if (message.call === 'load' || calls-- > 0) port.onmessage({ data: structuredClone(message) });
  };
  return { post, end() {} };
};

/**
 * @param {string} source
 * @param {string} as
 * @param {{ lesson?: boolean, seed?: number, calls?: number }} [options] calls: number of calls that end before the time of all calls does
 */
async function marked(source, as, { lesson = false, seed = 0, calls = Infinity } = {}) {
  const seconds = 1e3;
  const tested = new TestedFunction(here(source, calls), as, 5000, false, 1000 * seconds);
  const call = tested.call.bind(tested);
  tested.call = (...given) => {
    if (calls-- <= 0) tested.spent = 1000 * seconds - 20;
    return call(...given);
  };
  assert.equal((await tested.load()).error, undefined);
  let fault = null;
  const onfault = (found) => (fault = found);
  let notes = [];
  const onnotes = (found) => (notes = found);
  const verdicts = await grade({
    engine,
    tested,
    as,
    onfault,
    onnotes,
    lesson,
    seed,
    seconds,
  });
  tested.close();
  return { verdicts, fault, notes, score: scoreOf(verdicts) };
}

describe('the score', () => {
  for (const [as, source] of [...Object.entries(RIGHT), ...sample(Object.entries(STAGES), 1)])
    test(`${as}: correct code scores 100 without a fault`, async () => {
      const { score, fault } = await marked(source, as);
      assert.deepEqual([score, fault], [100, null]);
    });

  const lost = async (source, as, seed) => {
    const { verdicts, fault } = await marked(source, as, { seed });
    return { fault, failed: verdicts.filter(({ holds }) => !holds) };
  };
  const styles = Object.entries(JAVASCRIPT).flatMap(([style, source]) =>
    [...MODULE_11, 'chain'].map((as) => ({ style, source, as })),
  );
  // Only JavaScript sources: submission.test.js tests those in Python.
  test('a right function scores 100 in any style and on any cases', async () => {
    assert.equal(styles.length, 36);
    for (const [i, { style, source, as }] of sample(styles, 2).entries())
      for (const seed of LONG ? [0, 1, 2, 3, 4, 5, 6, 7] : [i])
        assert.deepEqual(
          await lost(source, as, seed),
          { fault: null, failed: [] },
          `${style} ${as} ${seed}`,
        );
  });

  const NOTHING = {
    'the logits as they came': 'export default (logits) => logits;',
    'a copy of them': 'export default (logits) => logits.slice();',
    'nothing at all': 'export default () => {};',
    'an empty list': 'export default () => [];',
    'an error': 'export default () => { throw new Error("not yet"); };',
  };
  // `make test` grades a sample of functions, other ones for each file. Only the first file has a loop, which is slow
  // to grade.
  for (const [i, [what, source]] of Object.entries(NOTHING).entries())
    test(`a function that gives ${what} scores 0`, async () => {
      const asked = sample(GRADED, 2, i).filter((as) => LONG || as !== 'generate');
      if (!LONG && i === 0) asked.push('generate');
      for (const as of asked) assert.equal((await marked(source, as)).score, 0, as);
      for (const as of sample(MODULE_11, 1, i))
        assert.equal((await marked(source, as, { lesson: true })).score, 0, as);
    });

  test('weights of properties and of functions count', () => {
    const verdicts = [
      { name: 'a', holds: true, idle: false },
      { name: 'b', holds: false, idle: false },
      { name: 'c', holds: true, idle: true },
    ];
    assert.equal(scoreOf(verdicts), 50);
    assert.equal(scoreOf(verdicts, { a: 3 }), 75);
    assert.equal(scoreOf([verdicts[0], { ...verdicts[2], holds: false }]), 0);
    assert.equal(
      total([
        { score: 100, weight: 1 },
        { score: 0, weight: 3 },
      ]),
      25,
    );
    assert.equal(total([]), 0);
  });
});

describe('the 43 cases of Module 11', () => {
  const refusing = {
    temperature: ['T === 0', 'if (T < 0) throw new RangeError("T");\n  if (T === 0'],
    top_k: ['if (k === 0', 'if (k < 0) throw new RangeError("k");\n  if (k === 0'],
    top_p: [
      'if (top_p === 1)',
      'if (top_p < 0 || top_p > 1) throw new RangeError("p");\n  if (top_p === 1)',
    ],
    repetition_penalty: ['const out', 'if (r <= 0) throw new RangeError("r");\n  const out'],
    generate: [
      'const ids = [...prompt_ids];',
      'const ids = [...prompt_ids];\n  if (settings.temperature < 0 || !ids.length) throw new RangeError("no");',
    ],
  };
  const sources = Object.fromEntries(
    MODULE_11.map((as) => {
      const [from, to] = refusing[as];
      const at = as === 'temperature' ? `if (${from}` : from;
      return [as, RIGHT[as].replace(at, to)];
    }),
  );

  test('are 43, and a right function that refuses senseless settings passes them all', async () => {
    const names = [];
    for (const as of MODULE_11) {
      const { verdicts, score } = await marked(sources[as], as, { lesson: true });
      names.push(...verdicts.map(({ name }) => `${as} ${name}`));
      assert.deepEqual(
        verdicts.filter(({ holds }) => !holds),
        [],
        as,
      );
      assert.equal(score, 100);
    }
    assert.equal(names.length, 43);
    assert.equal(new Set(names).size, 43);
  });

  test('a right function without refusals passes them too, and the difference is named', async () => {
    for (const as of MODULE_11) {
      const { score, notes } = await marked(RIGHT[as], as, { lesson: true });
      assert.equal(score, 100, as);
      assert.deepEqual(new Set(notes.map(({ code }) => code)), new Set(['no_refusal']), as);
    }
  });
});

describe('the lesson that asks for code', () => {
  /** Scores that are already computed, by the source without its comments. @type {Map<string, number>} */
  const known = new Map();
  const scored = async (source, as) => {
    const key = `${as} ${source.replaceAll(/^ *\/\/.*\n/gm, '')}`;
    if (LONG || !known.has(key)) known.set(key, (await marked(source, as)).score);
    return known.get(key);
  };

  for (const language of ['en', 'es'])
    test(`its examples score 100 and its starting code 0: ${language}`, async () => {
      const file = new URL(`../../web/lessons/write-it.${language}.json`, import.meta.url);
      const { parts } = JSON.parse(await readFile(file, 'utf8'));
      const asked = parts
        .flatMap(({ questions }) => questions)
        .filter(({ kind }) => kind === 'code');
      assert.deepEqual(
        asked.map(({ as }) => as),
        MODULE_11,
      );
      for (const { as, begin, example, wrong } of asked) {
        assert.equal(await scored(example, as), 100, as);
        assert.equal(await scored(begin, as), 0, as);
        for (const { fault } of wrong) assert.ok(REASONS[fault], fault);
      }
    });
});

describe('a planted fault', () => {
  test('of a function that does nothing is named if time ends its second call or a later one', async () => {
    const report = new Report('en');
    for (const as of LESSON_ORDER)
      for (const calls of [1, 2, 3]) {
        const found = await marked('export default (it) => it;', as, { calls });
        const [late, idle, ...more] = report.reasons({ as, ...found });
        assert.equal(late, 'not tried: all calls together took longer than 1000 s');
        assert.match(idle, /nothing is done yet$/, `${as} after ${calls}`);
        assert.deepEqual([found.score, found.verdicts.at(-1).code, more], [0, 'late', []]);
      }
  });

  const all = [...PITFALLS, ...FAULTS];
  const tried = [...PITFALLS, ...sample(FAULTS, 3)];
  assert.ok(PITFALLS.length === 9 && FAULTS.length >= 300);
  assert.ok(new Set(FAULTS.map(([code]) => code)).size >= 180);
  for (const fault of tried) {
    const [code, as, from, to] = fault;
    test(`${as}: ${code}`, async () => {
      const { fault: named, score, verdicts } = await marked(planted(fault), as);
      const failed = verdicts.filter(({ holds }) => !holds).map(({ name }) => name);
      assert.equal(named?.code, code, `${failed.join(', ')}; ${from} -> ${to}`);
      assert.ok(score < 100, String(score));
      assert.ok(named.message.length > 10);
    });
  }

  test('in a stage is named for chain and loop too; an order is named only if the stages are right', async () => {
    const chain = `
const chain = (given, settings, history) => LESSON_ORDER
  .reduce((logits, name) => stages[name](logits, settings, history), Float32Array.from(given));`;
    const start = GENERATE.indexOf('const chain ='),
      end = GENERATE.indexOf('function draw');
    const shared = GENERATE.slice(0, start) + chain + GENERATE.slice(end);
    const own = Object.keys(RIGHT).filter((it) => LESSON_ORDER.includes(it));
    const file = `${shared}
const own = (name) => (logits, settings, { history }) => stages[name](Float32Array.from(logits), settings, history);
${own.map((it) => `const own_${it} = own('${it}'); export { own_${it} as ${it} };`).join('\n')}
const chained = (logits, settings, { history }) => chain(logits, settings, history);
export { chained as chain };`;
    const ordered = (names) => file.replace('LESSON_ORDER', JSON.stringify(names));
    const [right, swapped] = [
      LESSON_ORDER,
      ['temperature', 'repetition_penalty', 'top_k', 'top_p'],
    ];
    const cut = (source) =>
      broken(
        source,
        'if (place === 0 || before < limit) out[id] = logits[id];\n      before += p[id];',
        'before += p[id];\n      if (before <= limit) out[id] = logits[id];',
      );
    for (const as of ['chain', 'generate']) {
      const { fault } = await marked(cut(ordered(right)), as);
      assert.deepEqual([fault.code, fault.params], ['follows', { names: 'top_p' }], as);
      if (as === 'generate' && !LONG) continue;
      assert.equal((await marked(ordered(swapped), as)).fault.code, 'swapped', as);
      assert.notEqual((await marked(cut(ordered(swapped)), as)).fault?.code, 'swapped', as);
    }
  });

  test('found by a wrong form has a sentence', () => {
    const tables = Object.entries(WRONG_FORMS).map(([as, forms]) => [as, Object.keys(forms)]);
    for (const [as, names] of [...tables, ['generate', Object.keys(WRONG_LOOPS)]])
      for (const name of names) assert.ok(REASONS[codeOf(name)], `${as}: ${name}`);
  });

  test('has a sentence of its own', () => {
    const said = all.map(([code]) => REASONS[code]).filter(Boolean);
    assert.equal(
      new Set(said).size,
      new Set(all.map(([code]) => code).filter((code) => REASONS[code])).size,
    );
  });
});
