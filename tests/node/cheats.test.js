/** Tests the grader against learners' code that changes or evades the harness: such code gets no better score. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { Submissions } from '../../web/cli/submission.js';
import { TestedFunction } from '../../web/grade/tested-function.js';
import { temporaryFolder } from '../cleanup.js';
import { long, sample } from '../long.js';
import { cli } from './command_line.js';

const folder = temporaryFolder();
const submissions = new Submissions(process.stderr, { memory: 512 });
after(() => submissions.close());

/**
 * Calls the function in a source once; returns its answer.
 * @param {string} kind @param {string} source @param {any} call
 */
async function answerTo(kind, source, call, name = 'own') {
  const path = `${folder}/sampler.${kind}`;
  writeFileSync(path, source);
  const tested = new TestedFunction(submissions.start(path), name, 5000);
  try {
    const loaded = await tested.load();
    return loaded.error ? loaded : await tested.call(call);
  } finally {
    tested.close();
  }
}

const beside = { history: [], step: 0, coin: 0.5, bits: null, second: null };
const logits = Float32Array.of(1, 2);
const WARP = { call: 'warp', logits, settings: { top_k: 1 }, ...beside };

/**
 * JavaScript that attacks the harness. Each piece of code runs before the learner's function, which overwrites its
 * own input.
 */
const BEFORE = {
  nothing: '',
  'methods that compare': `Object.is = () => true;
    for (const { prototype } of [Array, Float32Array]) prototype.some = prototype.every = () => false;`,
  'methods that copy': `const { prototype } = Object.getPrototypeOf(Float32Array);
    prototype.slice = prototype.subarray = prototype.map = function () { return this; };
    Float32Array.from = (given) => given;`,
  constructors: `const Floats = Float32Array;
    globalThis.Float32Array = new Proxy(Floats, { construct: (Kind, [given]) => given ?? new Kind() });
    globalThis.Proxy = class {};`,
  'JSON.stringify': `const { stringify } = JSON;
    JSON.stringify = (it) => stringify(it, (key, value) => (key === 'changed' ? false : value));`,
  toJSON: `Object.prototype.toJSON = function () {
      return 'changed' in this ? { ...this, changed: false } : this;
    };`,
  'a key of every object': 'Object.prototype.changed = false;',
  'writes to the pipe': `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeSync } = fs;
    fs.writeSync = (fd, given, ...more) =>
      writeSync(fd, Buffer.from(String(given).replace('"changed":true', '"changed":false')), ...more);
    syncBuiltinESMExports();`,
  'the maker of bytes': `const { from } = Buffer;
    Buffer.from = (text, ...more) => from(text.replace('"changed":true', '"changed":false'), ...more);`,
  'methods of texts': `for (const name of ['replace', 'slice', 'concat', 'toString', 'valueOf'])
      String.prototype[name] = () => '"changed":false';
    String.fromCharCode = () => '{';`,
  promises: `const { then } = Promise.prototype;
    Promise.prototype.then = function (done, failed) {
      return then.call(this, (it) => done?.(it && 'changed' in it ? { ...it, changed: false } : it), failed);
    };`,
  'promises of the harness': `import { createHook } from 'node:async_hooks';
    createHook({
      init(_, type, __, it) {
        if (type === 'PROMISE') it.then((value) => value && 'changed' in value && (value.changed = false));
      },
    }).enable();`,
  'lists that keep nothing': `for (let i = 0; i < 9; i++)
      Object.defineProperty(Array.prototype, i, { set() {}, get: () => 0, configurable: true });`,
  iterators: `Object.getPrototypeOf(Float32Array).prototype[Symbol.iterator] = function* () { yield* [1, 2]; };
    Set.prototype[Symbol.iterator] = function* () {};`,
};

describe('a manipulated harness still reports a changed input', () => {
  for (const [what, before] of sample(Object.entries(BEFORE), 4))
    test(what, async () => {
      const source = `${before}\nexport default (logits) => { logits[0] = -1; return logits; };`;
      const { error, changed } = await answerTo('mjs', source, WARP);
      assert.deepEqual([error, changed], [undefined, true]);
    });
});

/**
 * Attacks in Python, whose code can reach all objects. Each entry is the code before the function and the code inside
 * it.
 */
const PYTHON = {
  nothing: '',
  'a function of the harness': `import __main__, sys
for module in (__main__, sys.modules['__main__']):
    module.warp = lambda *given: {'result': [-1.0, 2.0], 'length': 2, 'changed': False, 'read': []}
`,
  'json.dumps': `import json
real = json.dumps
json.dumps = lambda it, **more: real({**it, 'changed': False} if 'changed' in it else it, **more)
json.JSONEncoder.encode = lambda self, it: real({**it, 'changed': False})
`,
  'built-ins': `import builtins
builtins.any = builtins.all = builtins.bool = lambda *_: False
builtins.tuple = builtins.hasattr = builtins.sorted = lambda *_: ()
`,
  frames: `import sys
def after(logits):
    frame = sys._getframe(1)
    while frame:
        for name, value in list(frame.f_locals.items()):
            if isinstance(value, list) and value == [1.0, 2.0]: value[:] = logits
            if name == 'passed': value['logits'] = value['own'] = None
        frame = frame.f_back
`,
};

describe('the Python harness, manipulated, still reports a changed input', () => {
  for (const [what, before] of sample(Object.entries(PYTHON), 2))
    test(what, async () => {
      const source = `${before}
def own(logits):
    logits[0] = -1.0
    ${before.includes('def after') ? 'after(logits)' : 'pass'}
    return logits
`;
      const { error, changed } = await answerTo('py', source, WARP);
      assert.deepEqual([error, changed], [undefined, true]);
    });
});

test('an answer that the code sends itself, with a guessed id, is a fault', async () => {
  const source = `import { writeSync } from 'node:fs';
    export default (logits) => {
      for (let id = 0; id < 9; id++) writeSync(1, JSON.stringify({ id, result: [1, 2], changed: false }) + '\\n');
      return logits;
    };`;
  assert.equal((await answerTo('mjs', source, WARP)).code, 'unasked');
});

const generated = {
  call: 'generate',
  prompt: [0],
  settings: {
    max_new_tokens: 3,
    seed: 7,
    temperature: 1,
    top_k: 0,
    top_p: 1,
    repetition_penalty: 1,
  },
  toy: {
    rows: [logits, Float32Array.of(2, -Infinity)],
    vocab_size: 2,
    context_length: 4,
    eos_token_id: 9,
  },
  streams: { 7: Float64Array.of(0.25, 0.75) },
};

test('the grader keeps the log of a generation itself', async () => {
  const source = `
    export default function (model, prompt, settings, { rng }) {
      const rows = [model.logits([0, 1]), model.logits([1])];
      return [rows[0][1][1], rng(7)(), rng(8)(), rows[1].length];
    }`;
  const { result, log } = await answerTo('mjs', source, generated);
  // The toy model returns row (5 * 1 + 3 * 0 + 1) % 2 = 0. The harness gives numbers only for the seed 7, so those of
  // seed 8 differ.
  assert.deepEqual([...result], [2, 0.25, 0.75, 1]);
  assert.deepEqual(
    [log.windows, log.seeds],
    [
      [[0, 1], [1]],
      [7, 8],
    ],
  );
  const odd = 'export default (model) => model.logits([5]);';
  const { error } = await answerTo('mjs', odd, generated);
  assert.equal(error, 'the model has no token 5');
  const loop = 'export default (model) => { for (;;) try { model.logits([0]); } catch {} };';
  assert.equal((await answerTo('mjs', loop, generated)).code, 'own_message');
});

long('in Python the grader keeps the log too, and a forged Skipped earns no score', async () => {
  const source = `def generate(model, prompt_ids, rng):
    row = model.logits([0, 1])[-1]
    model.logits([1])
    draws = [rng(7)(), rng(7)(), rng(8)()]
    for log in (model._log, model.logits.__self__._log):
        log['seeds'][:] = [7]
        log['windows'][:] = [[0]]
    return [row[1], *draws]
`;
  const { result, log, error } = await answerTo('py', source, generated, 'generate');
  assert.deepEqual([...result], [2, 0.25, 0.25, 0.75], error);
  assert.deepEqual(
    [log.windows, log.seeds],
    [
      [[0, 1], [1]],
      [7, 7, 8],
    ],
  );

  const skips = `def generate(model, prompt_ids, settings):
    if settings["max_new_tokens"]:
        raise type(model).logits.__globals__["Skipped"]("temperature")
    return []
`;
  writeFileSync(`${folder}/skips.py`, skips);
  const { stdout } = await cli(['grade', `${folder}/skips.py`, '--as', 'generate', '--json']);
  assert.equal(JSON.parse(stdout).score, 0);
});
