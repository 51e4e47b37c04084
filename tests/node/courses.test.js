/** Tests samplers in the styles of courses: a correct one scores 100 in each style, and the report names a fault. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LONG, long, sample } from '../long.js';
import { cli } from './command_line.js';
import { COURSES, DRAWS, PITFALLS_IN_TORCH } from './courses.js';
import { broken } from './graded.js';
import { PYTHON, pythonWith } from './python.js';

const folder = fileURLToPath(new URL('../../build/fixtures/courses', import.meta.url));
mkdirSync(folder, { recursive: true });
let written = 0;

/** @type {Record<string, string | null>} */
const PROGRAMS = { torch: pythonWith('torch'), numpy: pythonWith('numpy') };
/** @param {string} [library] */
const without = (library) =>
  library && PROGRAMS[library] === null ? `no python3 here has ${library}` : false;

/** Grades a source; returns the report. @param {string} source @param {string} as @param {string} [library] */
async function graded(source, as, library, more = []) {
  const file = `${folder}/${written++}.py`;
  writeFileSync(file, source);
  const program = library && PROGRAMS[library];
  const python = program ? ['--python', program] : [];
  const { stdout, stderr } = await cli(['grade', file, '--as', as, '--json', ...python, ...more]);
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout);
}

/** @param {any} report */
const failures = ({ functions, properties }) =>
  (functions ?? [{ properties }]).flatMap((it) => it.properties.filter(({ holds }) => !holds));

/**
 * Returns a filter for the cases of `make test`, which runs few because each import of torch is slow.
 * @param {string[]} quick
 */
const some = (quick) => (/** @type {string} */ name) => LONG || quick.includes(name);

describe('a course’s own solution gets the full score', () => {
  const isQuick = some(['numpy, a sampler handed in']);
  for (const [name, { source, needs, as, rules }] of Object.entries(COURSES))
    (isQuick(name) ? test : long)(name, { skip: without(needs) }, async () => {
      const rule = rules ? ['--convention', rules] : [];
      const report = await graded(source, as, needs, rule);
      assert.deepEqual([report.score, failures(report)], [100, []]);
    });

  test('a library named only in a text changes nothing', async () => {
    const named = `"""\nimport numpy as np\n"""\n${PYTHON}`;
    const odd = broken(
      named,
      'return [x if x >= least',
      'assert type(logits) is list\n    return [x if x >= least',
    );
    assert.equal((await graded(odd, 'top_k', 'numpy')).score, 100);
  });

  long('a Torch solution passes 43 of the 43 cases', { skip: without('torch') }, async () => {
    const { score, passed, failed } = await graded(
      COURSES['Torch, a batch of logits'].source,
      'cases',
      'torch',
    );
    assert.deepEqual([score, passed, failed], [100, 43, 0]);
  });

  for (const [name, source, pieces, needs] of DRAWS)
    (LONG || !needs ? test : long)(`drawn by ${name}`, { skip: without(needs) }, async () => {
      const drawn = pieces.reduce((text, [from, to]) => broken(text, from, to), source);
      const report = await graded(drawn, 'generate', needs);
      assert.deepEqual([report.score, failures(report)], [100, []]);
    });
});

describe('a fault in Torch', { skip: without('torch') }, () => {
  for (const [code, source, from, to, as] of LONG
    ? PITFALLS_IN_TORCH
    : sample(PITFALLS_IN_TORCH, 1))
    test(`${as}: ${code}`, async () => {
      const { score, fault } = await graded(broken(source, from, to), as, 'torch');
      assert.equal(fault?.code, code);
      assert.ok(score < 100, String(score));
    });
});

describe('another rule', () => {
  const above = broken(PYTHON, 'before < p', 'before <= p');
  const ascending = broken(
    PYTHON,
    `    out = [-math.inf] * len(logits)
    before = 0
    for place, i in enumerate(ranked(logits)):
        if place == 0 or before < p:
            out[i] = logits[i]
        before += shares[i]
    return out`,
    `    out, mass = list(logits), 0
    for i in sorted(range(len(logits)), key=lambda i: (logits[i], i))[:-1]:
        mass += shares[i]
        if mass <= 1 - p:
            out[i] = -math.inf
    return out`,
  );
  const exactly = broken(
    PYTHON,
    '[x if x >= least else -math.inf for x in logits]',
    '[x if i in ranked(logits)[:k] else -math.inf for i, x in enumerate(logits)]',
  );

  const rules = [
    ['until_above', 'top_p', above],
    ['ascending', 'top_p', ascending],
    ['exactly_k', 'top_k', exactly],
  ];
  for (const [rule, as, source] of sample(rules, 1))
    test(`${rule} costs nothing if the course teaches it, and is named`, async () => {
      const usual = await graded(source, as);
      assert.ok(usual.score < 100 && usual.fault, String(usual.score));
      const course = await graded(source, as, undefined, ['--convention', rule]);
      assert.deepEqual([course.score, course.fault], [100, null], JSON.stringify(failures(course)));
      assert.deepEqual(
        course.notes.map(({ code, params }) => [code, params.rule]),
        [['by_rule', rule]],
      );
      assert.ok(course.notes[0].message.includes(usual.fault.message));
    });

  long('a wrong function stays wrong under another rule, and a right one stays right', async () => {
    const wrong = broken(PYTHON, 'place == 0 or before < p', 'before + shares[i] <= p');
    const { fault, notes } = await graded(wrong, 'top_p', undefined, ['--convention', 'ascending']);
    assert.deepEqual([fault.code, notes], ['cut_before', []]);
    const right = await graded(PYTHON, 'top_p,top_k', undefined, ['--convention', 'until_above']);
    assert.deepEqual([right.score, right.functions.map(({ notes }) => notes)], [100, [[], []]]);
  });

  long('the loop may follow another rule too', async () => {
    for (const [source, rule] of sample(
      [
        [above, 'until_above'],
        [exactly, 'exactly_k'],
      ],
      1,
    )) {
      const { score } = await graded(source, 'generate', undefined, ['--convention', rule]);
      assert.equal(score, 100, rule);
    }
  });
});

describe('one standard', () => {
  const lenient = [
    ['    if temperature < 0:\n        raise ValueError(temperature)\n', ''],
    ['    if k < 0:\n        raise ValueError(k)\n', ''],
    ['    if not 0 <= p <= 1:\n        raise ValueError(p)\n', ''],
    ['    if penalty <= 0:\n        raise ValueError(penalty)\n', ''],
    ['    if not prompt_ids:\n        raise ValueError("no prompt")\n', ''],
  ].reduce((text, [from, to]) => broken(text, from, to), PYTHON);

  test('a file scores the same as homework and by the lesson’s cases, with refusals or without', async () => {
    const asked = LONG
      ? 'temperature,top_k,top_p,repetition_penalty,generate'
      : 'temperature,top_k';
    assert.equal((await graded(lenient, asked)).score, 100);
    const { score, passed, functions } = await graded(lenient, 'cases');
    assert.deepEqual([score, passed], [100, 43]);
    const notes = functions.flatMap((it) => it.notes.map(({ code }) => `${it.as} ${code}`));
    assert.deepEqual(
      new Set(notes),
      new Set([
        'temperature no_refusal',
        'top_k no_refusal',
        'top_p no_refusal',
        'repetition_penalty no_refusal',
        'generate no_refusal',
      ]),
    );
  });

  long('a lesson’s function may refuse 0, but a division by 0 is no refusal', async () => {
    const strict = broken(PYTHON, 'if temperature < 0:', 'if temperature <= 0:');
    const refusing = await graded(strict, 'temperature');
    assert.deepEqual([refusing.score, refusing.notes[0].code], [100, 'refuses']);
    const dividing = broken(PYTHON, 'if temperature == 0:', 'if temperature is None:');
    const report = await graded(dividing, 'temperature');
    assert.match(report.fault.message, /ZeroDivisionError/);
    assert.ok(report.score < 100);
    const always = 'def temperature(logits, temperature):\n    raise ValueError("not yet")\n';
    assert.equal((await graded(always, 'temperature')).score, 0);
  });
});

describe('time', () => {
  long('an endless loop costs its time limit once', async () => {
    const loop = 'while True:\n    pass\n';
    const began = performance.now();
    const report = await graded(loop, 'temperature,top_k,top_p,generate', undefined, [
      '--total-limit',
      '1',
    ]);
    assert.ok(performance.now() - began < 6000);
    for (const { error } of report.functions) assert.match(error, /it took longer than 1 s/);
    const inside = broken(
      PYTHON,
      'best = max(logits)',
      loop.replace('\n', '') && 'while True: pass',
    );
    const { functions } = await graded(inside, 'top_p,top_k', undefined, ['--time-limit', '0.3']);
    const [first, ...rest] = functions[0].properties;
    assert.match(first.message, /longer than 0.3 s/);
    assert.ok(rest.every(({ code }) => code === 'untried'));
    assert.equal(functions[1].score, 100);
  });
});
