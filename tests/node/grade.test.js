/** Tests that the grader passes correct functions and finds every known mistake. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { before, describe, test } from 'node:test';
import { inThread } from '../../web/cli/own-sampler.js';
import { Logitscope } from '../../web/engine/index.js';
import { GRADED, grade } from '../../web/grade/grade.js';
import { serve } from '../../web/grade/harness.js';
import { TestedFunction } from '../../web/grade/tested-function.js';
import { long, LONG, sample } from '../long.js';
import { cli } from './command_line.js';
import { GENERATE, LESSON_ORDER, SOFTMAX, TOP_P, broken, chainOf } from './graded.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}build/fixtures/graded`;
mkdirSync(folder, { recursive: true });
const naive = pathToFileURL(`${root}tests/node/naive.js`).href;
const SAMPLERS = GRADED.filter((name) => name !== 'chain' && name !== 'generate');
let written = 0;

/** @type {Logitscope} */
let engine;
before(async () => {
  engine = await Logitscope.load();
});

/**
 * Runs the harness of a file in this thread, since starting a thread takes longer than grading.
 * @type {(file: string) => import('../../web/grade/tested-function.js').Start}
 */
const here = (file) => (onanswer) => {
  const port = { postMessage: (message) => onanswer(structuredClone(message)), onmessage: null };
  serve(port, () => import(pathToFileURL(file).href));
  return { post: (message) => port.onmessage({ data: structuredClone(message) }), end() {} };
};
const thread = (file) => inThread(file, process.stderr);

/** Grades a source; returns all properties and the names of the failed ones. */
async function graded(source, as, { limit = 2000, start = LONG ? thread : here, onverdict } = {}) {
  const file = `${folder}/${written++}.mjs`;
  writeFileSync(file, source);
  const tested = new TestedFunction(start(file), as, limit);
  try {
    assert.equal((await tested.load()).error, undefined);
    const properties = await grade({ engine, tested, as, onverdict });
    const failed = properties.filter((it) => !it.holds).map((it) => it.name);
    return { properties, failed, of: (name) => properties.find((it) => it.name === name) };
  } finally {
    tested.close();
  }
}

/** A line of JavaScript that copies all settings. The grader must not count this as a use of each setting. */
const READS_ALL = 'for (const name of Object.keys(settings)) void settings[name];';

describe('the grader passes correct code', () => {
  for (const name of sample(SAMPLERS, 3)) {
    test(`the plain form of ${name}`, async () => {
      const { failed, properties } = await graded(
        `import { warp } from ${JSON.stringify(naive)};
        export default (logits, settings, { history, second, step }) => {
          ${READS_ALL}
          return warp(logits, { ...settings, step }, history, second).logits.slice();
        };`,
        name,
      );
      assert.deepEqual(failed, [], JSON.stringify(properties.filter((it) => !it.holds)));
    });
  }

  test('an asynchronous decode loop', async () => {
    assert.deepEqual(
      (await graded(broken(GENERATE, 'export function', 'export async function'), 'generate'))
        .failed,
      [],
    );
  });
});

describe('the grader finds a mistake in top_p on a small input', () => {
  test('the mass must exceed p, which keeps one too many on an exact hit', async () => {
    const { failed, of } = await graded(
      broken(TOP_P, 'before < top_p', 'before <= top_p'),
      'top_p',
    );
    assert.deepEqual(failed, ['exact']);
    assert.deepEqual(of('exact').input, { logits: [0, 0], settings: { top_p: 0.5 }, history: [] });
    assert.deepEqual([...of('exact').expected], [0, -Infinity]);
  });

  test('the cut begins at the first mass above p, which loses the best token', async () => {
    const { failed, of } = await graded(
      broken(
        TOP_P,
        'if (place === 0 || before < top_p) out[id] = logits[id];\n    before += p[id];',
        'before += p[id];\n    if (before <= top_p) out[id] = logits[id];',
      ),
      'top_p',
    );
    assert.ok(
      failed.includes('best') && failed.includes('something_left') && failed.includes('reaches'),
    );
    assert.deepEqual(of('best').input.logits, [0]);
  });

  test('-1e9 for minus infinity', async () => {
    const { failed } = await graded(broken(TOP_P, 'fill(-Infinity)', 'fill(-1e9)'), 'top_p');
    assert.ok(failed.includes('minus_infinity') && failed.includes('agrees'));
    assert.ok(!failed.includes('untouched') && !failed.includes('best'));
  });

  test('the lowest float for minus infinity', async () => {
    assert.ok(
      (await graded(broken(TOP_P, 'fill(-Infinity)', 'fill(-3.4e38)'), 'top_p')).failed.includes(
        'minus_infinity',
      ),
    );
  });

  test('the best token is dropped', async () => {
    const { failed, of } = await graded(broken(TOP_P, 'place === 0 ||', 'place !== 0 &&'), 'top_p');
    assert.ok(failed.includes('best'));
    assert.ok(of('best').input.logits.length <= 2);
  });

  test('probabilities in place of logits', async () => {
    const { failed } = await graded(
      broken(TOP_P, 'out[id] = logits[id]', 'out[id] = p[id]'),
      'top_p',
    );
    assert.ok(failed.includes('untouched'));
  });

  test('the given logits are changed', async () => {
    const { failed } = await graded(
      broken(TOP_P, 'return out;', 'logits.set(out); return out;'),
      'top_p',
    );
    assert.deepEqual(failed, ['own_copy']);
  });

  test('another order of ties, and nothing else', async () => {
    assert.deepEqual((await graded(broken(TOP_P, '|| a - b', '|| b - a'), 'top_p')).failed, [
      'ties',
    ]);
  });

  test('a softmax that overflows', async () => {
    assert.deepEqual(
      (await graded(broken(TOP_P, 'Math.exp(l - max)', 'Math.exp(l)'), 'top_p')).failed,
      ['wide'],
    );
  });

  test('rounding within 2^-20 of the boundary fails only the exact cases', async () => {
    for (const by of ['+ 7e-7', '- 7e-7']) {
      const { failed } = await graded(
        broken(TOP_P, 'before < top_p', `before < top_p ${by}`),
        'top_p',
      );
      assert.ok(
        failed.every((name) => name === 'exact'),
        failed.join(),
      );
    }
  });

  test('a boundary 0.5 % too far fails', async () => {
    assert.ok(
      (
        await graded(broken(TOP_P, 'before < top_p', 'before < top_p + 0.005'), 'top_p')
      ).failed.includes('agrees'),
    );
  });
});

describe('the grader finds a mistake in another sampler', () => {
  test('top_k that keeps exactly k', async () => {
    const { failed, of } = await graded(
      `export function topK(logits, { top_k: k }) {
        const order = [...logits.keys()].sort((a, b) => logits[b] - logits[a] || a - b);
        const keep = new Set(k ? order.slice(0, k) : order);
        return logits.map((l, id) => (keep.has(id) ? l : -Infinity));
      }`,
      'top_k',
    );
    assert.deepEqual(failed, ['tied']);
    assert.deepEqual(of('tied').input.logits, [0, 0]);
  });

  test('a penalty that raises negative logits', async () => {
    const { failed } = await graded(
      `export default (logits, { repetition_penalty: r }, { history }) => {
        const out = logits.slice();
        for (const id of new Set(history)) out[id] /= r;
        return out;
      }`,
      'repetition_penalty',
    );
    assert.ok(['signs', 'never_rises', 'agrees'].every((name) => failed.includes(name)));
  });

  test('a penalty for each time a token was seen', async () => {
    const { failed } = await graded(
      `export default (logits, { repetition_penalty: r }, { history }) => {
        const out = logits.slice();
        for (const id of history) out[id] = out[id] > 0 ? out[id] / r : out[id] * r;
        return out;
      }`,
      'repetition_penalty',
    );
    assert.ok(failed.includes('once') && !failed.includes('signs'));
  });

  test('a temperature that reverses the order', async () => {
    const { failed } = await graded(
      'export default (logits, { temperature: T }) => logits.map((l) => l * (1 - T));',
      'temperature',
    );
    assert.ok(failed.includes('order') && failed.includes('best'));
  });

  test('a top_k that counts k from below', async () => {
    const { failed } = await graded(
      `export default (logits, { top_k: k }) => {
        const order = [...logits.keys()].sort((a, b) => logits[a] - logits[b] || a - b);
        const keep = new Set(k ? order.slice(k - 1) : order);
        return logits.map((l, id) => (keep.has(id) ? l : -Infinity));
      }`,
      'top_k',
    );
    assert.ok(failed.includes('subset') && failed.includes('agrees') && !failed.includes('best'));
  });

  test('a temperature that divides by zero', async () => {
    const { failed } = await graded(
      'export default (logits, { temperature: T }) => logits.map((l) => l / T);',
      'temperature',
    );
    assert.deepEqual(failed, ['minus_infinity', 'zero', 'zero_tie']);
  });

  test('a temperature on probabilities', async () => {
    const { failed } = await graded(
      `export default (logits, { temperature: T }) => {
        const e = logits.map((l) => Math.exp(l));
        const sum = e.reduce((a, b) => a + b, 0);
        return e.map((x) => x / sum / T);
      }`,
      'temperature',
    );
    assert.ok(failed.includes('neutral') && failed.includes('agrees'));
  });
});

describe('settings shared by samplers', () => {
  const KEEP = broken(
    broken(TOP_P, '{ top_p }', '{ top_p, min_tokens_to_keep }'),
    'place === 0',
    'place < min_tokens_to_keep',
  );
  const asked = async (source, as, name) => {
    const { failed, of } = await graded(source, as);
    return { failed, verdict: of(name) };
  };

  test('are tested only on a function that reads them', async () => {
    const copies = broken(
      TOP_P,
      '{ top_p }) {',
      'settings) {\n  const { top_p } = { ...settings };',
    );
    for (const source of [TOP_P, copies])
      assert.equal((await asked(source, 'top_p', 'min_tokens_to_keep')).verdict, undefined);
    const { failed, verdict } = await asked(KEEP, 'top_p', 'min_tokens_to_keep');
    assert.deepEqual(failed, []);
    assert.ok(verdict.holds && verdict.cases > 20);
  });

  test('min_tokens_to_keep with one token too few fails', async () => {
    const { failed, verdict } = await asked(
      broken(KEEP, 'place < min_tokens_to_keep', 'place === 0 || place + 1 < min_tokens_to_keep'),
      'top_p',
      'min_tokens_to_keep',
    );
    assert.deepEqual(failed, ['min_tokens_to_keep']);
    const { logits, settings } = verdict.input;
    assert.ok(logits.length === settings.min_tokens_to_keep && logits.length <= 3);
  });

  test('a fading count passes, and one that fades a token too early fails', async () => {
    for (const [since, wrong] of [
      ['history.length - 1 - i', []],
      ['history.length - i', ['penalty_decay']],
    ]) {
      const { failed } = await graded(
        `export default (logits, { frequency_penalty: a, penalty_decay: d }, { history }) => {
          const counts = logits.map(() => 0);
          history.forEach((id, i) => (counts[id] += d === 1 ? 1 : d ** (${since})));
          return logits.map((l, id) => l - a * counts[id]);
        }`,
        'frequency_penalty',
      );
      assert.deepEqual(failed, wrong, since);
    }
  });

  test('a weaker penalty on the older half passes, and one on the newer half fails', async () => {
    for (const [older, wrong] of [
      ['!newer.has(id)', []],
      ['newer.has(id)', ['rep_pen_slope']],
    ]) {
      const { failed } = await graded(
        `export default (logits, { repetition_penalty: r, rep_pen_slope: s }, { history }) => {
          const seen = new Set(history);
          const newer = new Set(history.slice(Math.ceil(history.length / 2)));
          return logits.map((l, id) => {
            if (!seen.has(id)) return l;
            const by = r > 1 && s !== 1 && ${older} ? 1 + (r - 1) * s : r;
            return l > 0 ? l / by : l * by;
          });
        }`,
        'repetition_penalty',
      );
      assert.deepEqual(failed, wrong, older);
    }
  });

  test('a length penalty passes, and one that multiplies negative logits fails', async () => {
    for (const [changed, wrong] of [
      ['l + Math.abs(l) * (f ** (step - s) - 1)', []],
      ['l * f ** (step - s)', ['ends_rise', 'agrees']],
    ]) {
      const { failed } = await graded(
        `export default (
          logits,
          { exponential_decay_length_penalty: f, exponential_decay_start: s, end_tokens = [] },
          { step },
        ) =>
          logits.map((l, id) =>
            l === -Infinity || step <= s || !end_tokens.includes(id) ? l : ${changed},
          )`,
        'exponential_decay_length_penalty',
      );
      assert.deepEqual(failed, wrong, changed);
    }
  });

  test('a window over the first ids fails, and so does one that is one too long', async () => {
    for (const seen of ['slice(0, n || undefined)', 'slice(n ? -n - 1 : 0)']) {
      const { failed } = await graded(
        `export default (logits, { presence_penalty: b, repetition_window: n }, { history }) => {
          const seen = new Set(history.${seen});
          return logits.map((l, id) => (seen.has(id) ? l - b : l));
        }`,
        'presence_penalty',
      );
      assert.deepEqual(failed, ['repetition_window'], seen);
    }
  });

  test('a mistake in a parameter of DRY is found by its name', async () => {
    const varied = (change) => `import { warp } from ${JSON.stringify(naive)};
      export default (logits, settings, { history }) => {
        ${READS_ALL}
        return warp(logits, { ...settings, ${change} }, history).logits.slice();
      };`;
    const changes = [
      'dry_base: 1.75',
      'dry_allowed_length: 2',
      'dry_penalty_last_n: 64',
      'dry_sequence_breakers: []',
    ];
    for (const change of sample(changes, 2)) {
      const [name] = change.split(':');
      assert.deepEqual((await graded(varied(change), 'dry_multiplier')).failed, [name]);
    }
    assert.deepEqual((await graded(varied('mirostat_tau: 5'), 'mirostat')).failed, [
      'mirostat_tau',
    ]);
  });

  const XTC = `${SOFTMAX}
    export default (logits, { xtc_probability, xtc_threshold }, { coin }) => {
      if (coin >= xtc_probability) return logits.slice();
      const p = softmax(logits);
      const top = ranked(logits).filter((id) => p[id] >= xtc_threshold).slice(0, -1);
      return logits.map((l, id) => (top.includes(id) ? -Infinity : l));
    }`;

  test('XTC gets the engine’s coin', async () => {
    assert.deepEqual((await graded(XTC, 'xtc_probability')).failed, []);
    for (const [from, to] of [
      ['if (coin >= xtc_probability)', 'if (xtc_probability === 0)'],
      ['coin >= xtc_probability', 'xtc_probability === 0 || coin < 1 - xtc_probability'],
      ['coin >= xtc_probability', '0.4 >= xtc_probability'],
    ]) {
      const { failed, of } = await graded(broken(XTC, from, to), 'xtc_probability');
      if (to.startsWith('0.4')) assert.ok(failed.includes('coin'));
      else assert.deepEqual(failed, ['coin'], to);
      assert.ok(of('coin').input.settings.seed > 0);
    }
  });
});

describe('the chain', () => {
  const permutations = (list) =>
    list.length < 2
      ? [list]
      : list.flatMap((it, i) =>
          permutations(list.filter((_, j) => j !== i)).map((rest) => [it, ...rest]),
        );
  const [penalty, temperature, topK, topP] = LESSON_ORDER;
  const before = [
    [penalty, temperature],
    [penalty, topK],
    [penalty, topP],
    [temperature, topP],
    [topK, topP],
  ];
  const orders = permutations(LESSON_ORDER);
  const wrongIn = (order) => before.filter(([a, b]) => order.indexOf(a) > order.indexOf(b));
  const right = orders.filter((order) => !wrongIn(order).length);
  const others = orders.filter((order) => wrongIn(order).length);
  for (const order of [...right, ...sample(others, 1, 24)]) {
    const wrong = wrongIn(order);
    test(`${order.join(', ')} ${wrong.length ? 'fails' : 'passes, equal to the canonical order'}`, async () => {
      const { failed, of } = await graded(chainOf(order), 'chain');
      assert.deepEqual(
        failed.filter((name) => name.includes('_before_')),
        wrong.map(([a, b]) => `${a}_before_${b}`),
      );
      for (const [a, b] of wrong)
        assert.match(of(`${a}_before_${b}`).message, new RegExp(`${b} before ${a}`));
      if (!wrong.length) assert.deepEqual(failed, []);
    });
  }

  test('with a softmax before its samplers fails', async () => {
    const { failed } = await graded(
      broken(chainOf(LESSON_ORDER), 'given.slice())', 'Float32Array.from(softmax(given)))'),
      'chain',
    );
    assert.ok(failed.includes('logits') && failed.includes('agrees'));
  });

  test('with a softmax at its end fails', async () => {
    const source = chainOf(LESSON_ORDER).replace('export default', 'const chain =');
    assert.ok(
      (
        await graded(`${source}; export default (...all) => softmax(chain(...all));`, 'chain')
      ).failed.includes('logits'),
    );
  });
});

describe('the grader names a mistake in generate', () => {
  const WRONG = [
    [
      're-seeding in the loop',
      'one_stream',
      'draw(warped, random())',
      'draw(warped, rng(settings.seed)())',
    ],
    ['a missing crop', 'crop', 'ids.slice(-model.context_length)', 'ids'],
    [
      'a crop that is too short',
      'crop',
      'ids.slice(-model.context_length)',
      'ids.slice(1 - model.context_length)',
    ],
    [
      'softmax before the samplers',
      'softmax_last',
      'chain(last, settings, ids)',
      'chain(Float32Array.from(softmax(last)), settings, ids)',
    ],
    [
      'warping before the slice',
      'slice_first',
      'const last = model.logits(window).at(-1);\n    const warped = chain(last, settings, ids);',
      'const warped = model.logits(window).map((row) => chain(row, settings, ids)).at(-1);',
    ],
    [
      'the first position for the last',
      'last_position',
      '.at(-1);\n    const warped',
      '[0];\n    const warped',
    ],
    [
      'the end token left out',
      'end',
      'ids.push(id);\n    if (id === model.eos_token_id) break;',
      'if (id === model.eos_token_id) break;\n    ids.push(id);',
    ],
    ['no stop at the end token', 'end', 'if (id === model.eos_token_id) break;', ''],
    ['the prompt returned too', 'draw', 'ids.slice(prompt_ids.length)', 'ids'],
    [
      'penalties that see the window only',
      'history',
      'chain(last, settings, ids)',
      'chain(last, settings, window)',
    ],
    ['a draw in the order of ids', 'draw', 'ranked(logits).filter', '[...logits.keys()].filter'],
    ['always the best', 'draw', 'draw(warped, random())', 'ranked(warped)[0]'],
    ['one token too many', 'nothing', 'step < settings', 'step <= settings'],
    [
      'the token is not appended',
      'appends',
      'const window = ids.slice(-model.context_length)',
      'const window = prompt_ids.slice(-model.context_length)',
    ],
  ];
  for (const [what, property, from, to] of sample(WRONG, 3)) {
    test(what, async () => {
      const { failed } = await graded(broken(GENERATE, from, to), 'generate');
      assert.ok(failed.includes(property), `${property} is not among ${failed.join(', ')}`);
      assert.ok(
        failed.includes('agrees') || property === 'slice_first' || property === 'one_stream',
      );
    });
  }

  test('re-seeding and early reading differ from other mistakes', async () => {
    assert.deepEqual(
      (await graded(broken(GENERATE, 'if (id === model.eos_token_id) break;', ''), 'generate'))
        .failed,
      ['end', 'agrees'],
    );
    assert.deepEqual(
      (
        await graded(
          broken(GENERATE, '(window).at(-1);', '(window).map((row) => row.slice()).at(-1);'),
          'generate',
        )
      ).failed,
      ['slice_first'],
    );
  });
});

describe('a submission without an answer', () => {
  test('is ended in an endless loop, and its other properties are not tried', async () => {
    const began = performance.now();
    const { failed, properties } = await graded('export default () => { for (;;); };', 'top_k', {
      limit: 200,
      start: thread,
    });
    assert.equal(failed.length, properties.length);
    assert.match(properties[0].message, /longer than 0.2 s/);
    assert.match(properties.at(-1).message, /not tried/);
    assert.ok(performance.now() - began < 30000);
  });

  test('gets a sentence if it throws, returns nothing or ends its thread', async () => {
    /**
     * Returns the first message of the report. `make test` then ends the grading, because code that ends its thread
     * needs a new thread for each call.
     */
    const first = async (source) => {
      let said;
      const enough = new Error('the first is enough');
      const onverdict = ({ message }) => {
        said ??= message;
        if (!LONG) throw enough;
      };
      await graded(source, 'top_k', { start: thread, onverdict }).catch((error) => {
        if (error !== enough) throw error;
      });
      return said;
    };
    assert.match(await first('export default () => { throw new Error("no idea"); };'), /no idea/);
    assert.match(await first('export default () => {};'), /undefined/);
    assert.match(await first('export default (l) => [...l, 0];'), /numbers for/);
    assert.match(await first('export default (l) => Array.from(l, () => NaN);'), /NaN/);
    assert.match(await first('export default () => process.exit(3);'), /ended/);
  });

  test('may print without any effect on the report', async () => {
    const loud = `${folder}/loud.mjs`;
    writeFileSync(loud, `console.log('{'); ${broken(TOP_P, 'before < top_p', 'before <= top_p')}`);
    const { status, stdout } = await cli(['grade', loud, '--as', 'top_p', '--json']);
    assert.equal(status, 1);
    const { as, passed, failed, properties } = JSON.parse(stdout);
    assert.deepEqual([as, failed, passed + failed], ['top_p', 1, properties.length]);
    const { holds, input, expected, got } = properties.find(({ name }) => name === 'exact');
    assert.deepEqual(
      [holds, input.logits, expected, got],
      [false, [0, 0], [0, '-Infinity'], [0, 0]],
    );
  });
});

describe('the grade command', () => {
  const file = `${folder}/right.mjs`;
  writeFileSync(file, TOP_P);
  const empty = `${folder}/empty`;
  mkdirSync(empty, { recursive: true });

  test('finds a default export by its name among several requested functions', async () => {
    const { stdout } = await cli(['grade', file, '--as', 'top_p,top_k', '--json']);
    const scores = JSON.parse(stdout).functions.map(({ as, score }) => [as, score]);
    assert.deepEqual(scores, [
      ['top_p', 100],
      ['top_k', 0],
    ]);
  });

  test('prints a line for each property', async () => {
    const { status, stdout } = await cli(['grade', file, '--as', 'top-p']);
    assert.equal(status, 0);
    const lines = stdout.trimEnd().split('\n');
    assert.ok(lines.slice(0, -1).every((line) => line.startsWith('holds  ')));
    assert.equal(lines.at(-1), `top_p: ${lines.length - 1} hold, 0 fail`);
  });

  test('prints a failure with its input, the expected and the given result', async () => {
    const wrong = `${folder}/wrong.mjs`;
    writeFileSync(wrong, broken(TOP_P, 'before < top_p', 'before <= top_p'));
    const { status, stdout } = await cli(['grade', wrong, '--as', 'top_p']);
    assert.equal(status, 1);
    assert.match(
      stdout,
      /FAILS {2}keeps no more.*\n.*1 should stay, 2 did\n *smallest input: logits \[0 0\]; top_p 0.5\n *expected \[0 -Infinity\]\n *got {6}\[0 0\]\n/,
    );
  });

  long(
    'gives a reason for a lost score without a known fault, and names another course’s rule',
    async () => {
      const names = [`${folder}/odd_one.mjs`, `${folder}/above.mjs`];
      writeFileSync(
        names[0],
        broken(TOP_P, 'return logits.slice()', 'return logits.map((l) => l + 1)'),
      );
      writeFileSync(names[1], broken(TOP_P, 'before < top_p', 'before <= top_p'));
      const [odd, above] = await Promise.all(
        names.map(async (name, i) => {
          const { stdout } = await cli([
            ...['grade', name, '--as', 'top_p', '--json', '--lang', ['en', 'es'][i]],
          ]);
          return JSON.parse(stdout).reasons;
        }),
      );
      assert.deepEqual(odd, ['fails: changes nothing at top_p 1']);
      assert.match(above[0], /^[A-Z].*\.$/);
      assert.equal(above[1], 'con --convention until_above tiene la nota máxima');
    },
  );

  test('answers wrong arguments with one line and exit code 2', async () => {
    const cases = [
      [['--as', 'top_p'], /FILE is missing/],
      [['nowhere.mjs', '--as', 'top_p'], /nowhere\.mjs/],
      [[file], /--as is missing/],
      [[file, '--as', 'top_q'], /did you mean top_/],
      [[file, '--as', 'top_p', '--time-limit', '0'], /--time-limit/],
      [[file, file, '--as', 'top_p'], /unexpected argument/],
      [
        [file, '--as', 'top_p', '--weight', 'zzz=3'],
        /names no property "zzz", known are .*own_copy/,
      ],
      [[file, '--as', 'top_p', '--weight', 'top_k.own_copy=3'], /"top_k.own_copy"/],
      [[empty, '--as', 'top_p'], /holds no file ending in \.js, \.mjs, \.cjs, \.py, \.ipynb/],
      [[empty, '--as', 'top_p', '--csv'], /holds no file/],
    ];
    for (const [words, pattern] of cases) {
      const { status, stderr, stdout } = await cli(['grade', ...words]);
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, pattern);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    }
  });

  test('treats a file that cannot run as a wrong argument', async () => {
    const odd = `${folder}/odd.mjs`;
    writeFileSync(odd, 'export const a = 1;');
    assert.equal((await cli(['grade', odd, '--as', 'top_p'])).status, 2);
    writeFileSync(odd, 'export default (;');
    assert.equal((await cli(['grade', odd, '--as', 'top_p'])).status, 2);
  });

  test('says in --help that a file is trusted and has to export the function', async () => {
    const { status, stdout } = await cli(['grade', '--help']);
    assert.equal(status, 0);
    assert.match(stdout, /trusted as any script is/);
    assert.match(stdout, /export default function top_p/);
    assert.match(stdout, /rng\(seed\)/);
    assert.match(stdout, /loading the file may take 20/);
  });
});
