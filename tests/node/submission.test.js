/** Tests submissions in separate processes: Python and JavaScript, limits, and isolation. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findPython } from '../../web/cli/interpreter.js';
import { Submissions } from '../../web/cli/submission.js';
import { TestedFunction } from '../../web/grade/tested-function.js';
import { cli } from './command_line.js';
import { GENERATE, TOP_P, broken } from './graded.js';
import { LONG, long, sample } from '../long.js';
import { NUMPY, PYTHON, pythonWith } from './python.js';
import { PYTHON_STYLES } from './right.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = fileURLToPath(new URL('../../build/fixtures/submissions', import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(`${folder}/class/dora`, { recursive: true });
const found = new Submissions(process.stderr, { memory: 256 });
const { isolation } = found;
found.close();
let written = 0;

/** A chain of samplers, written with the lessons' functions. */
const CHAIN = `
def chain(logits, settings, history):
    logits = apply_repetition_penalty(logits, history, settings.repetition_penalty)
    logits = apply_temperature(logits, settings.temperature)
    return top_p_filter(top_k_filter(logits, settings.top_k), settings.top_p)
`;

/** @param {string} source @param {string} [kind] */
function file(source, kind = 'py') {
  const path = `${folder}/${written++}.${kind}`;
  writeFileSync(path, source);
  return path;
}

/** Grades a source; returns the report. @param {string} source @param {string} as @param {string[]} [more] */
async function graded(source, as, more = [], kind = 'py') {
  const { stdout, stderr } = await cli([
    'grade',
    file(source, kind),
    '--as',
    as,
    '--json',
    ...more,
  ]);
  assert.notEqual(stdout, '', stderr);
  return { ...JSON.parse(stdout), stderr };
}

/** Returns the message of the first failed property. */
const first = ({ properties }) => properties.find(({ holds }) => !holds)?.message;

describe('a Python file', () => {
  long('with correct functions under the lessons’ names scores 100', async () => {
    const asked = 'temperature,top_k,top_p,repetition_penalty,chain,generate=4';
    const report = await graded(PYTHON + CHAIN, asked);
    assert.deepEqual([report.score, report.failed], [100, 0], JSON.stringify(report.functions));
    assert.deepEqual(
      report.functions.map(({ as, weight, score }) => [as, weight, score]),
      [
        ['temperature', 1, 100],
        ['top_k', 1, 100],
        ['top_p', 1, 100],
        ['repetition_penalty', 1, 100],
        ['chain', 1, 100],
        ['generate', 4, 100],
      ],
    );
  });

  // A long test, since a class below has a Python file of 100 points.
  long('with correct functions scores 100 in any style', async () => {
    const all = 'temperature,top_k,top_p,repetition_penalty,chain,generate';
    for (const [style, source] of sample(Object.entries(PYTHON_STYLES), 1)) {
      const { score, functions } = await graded(source, LONG ? all : 'top_p');
      assert.equal(score, 100, `${style}: ${JSON.stringify(functions)}`);
    }
  });

  long('with correct functions passes the 43 cases', async () => {
    const { score, passed, failed } = await graded(PYTHON, 'cases');
    assert.deepEqual([score, passed, failed], [100, 43, 0]);
  });

  const numpy = pythonWith('numpy');
  const skip = !numpy && 'no python3 here has NumPy';
  long(
    'that imports NumPy gets arrays and is graded as any other',
    {
      skip,
    },
    async () => {
      const all = 'temperature,top_k,top_p,repetition_penalty,chain,generate';
      const python = ['--python', String(numpy)];
      const { score, functions } = await graded(NUMPY, LONG ? all : 'top_p,generate', python);
      assert.equal(score, 100, JSON.stringify(functions));
      const [topP, generate] = (
        await graded(
          broken(broken(NUMPY, 'before < p', 'before <= p'), '[: int(np.isfinite(x).sum())]', ''),
          'top_p,generate',
          python,
        )
      ).functions;
      assert.equal(topP.fault.code, 'until_above');
      assert.ok(topP.score > 50 && topP.score < 100);
      // The error in top_p also affects the loop. If the probabilities have a sum below the highest u, the loop draws
      // the last token, which is removed.
      const failed = generate.properties.filter(({ holds }) => !holds);
      assert.deepEqual(
        failed.map(({ name }) => name),
        ['exact', 'highest'],
      );
    },
  );

  test('gets a name for its fault, and 0 for a missing function', async () => {
    const report = await graded(
      broken(broken(PYTHON, 'before < p', 'before <= p'), 'def apply_temperature', 'def heat'),
      'top_p,temperature',
    );
    const [topP, temperature] = report.functions;
    assert.equal(topP.fault.code, 'until_above');
    assert.ok(topP.score > 50 && topP.score < 100);
    assert.match(temperature.error, /no function named temperature/);
    assert.equal(report.score, Math.floor(topP.score / 2));
  });

  test('gets a sentence for exceptions, prints and wrong results', async () => {
    const bodies = /** @type {[string, RegExp][]} */ ([
      ['return logits.missing', /AttributeError.*\(line 2\)/],
      ['return [float("nan")] * len(logits)', /token 0 has a logit that is NaN/],
      ['return "no"', /a value of type str/],
      ['return [1.0]', /1 numbers for/],
      ['raise SystemExit', /called exit/],
      ['import os; os._exit(3)', /ended its own process/],
    ]);
    for (const [body, words] of sample(bodies, 1))
      assert.match(
        first(await graded(`def top_k(logits, k):\n    ${body}\n`, 'top_k')),
        words,
        body,
      );
    const loud = `print('{"id": 1}')\n${PYTHON}`;
    const { score, stderr } = await graded(loud, 'top_k');
    assert.equal(score, 100);
    assert.match(stderr, /"id": 1/);
  });

  long('may use names of transformers, and an unknown name lists all known ones', async () => {
    const begin = broken(
      PYTHON,
      'def apply_temperature(logits, temperature)',
      'def apply_temperature(input_ids, scores, temp)',
    );
    const own = broken(
      begin,
      'def apply_temperature(input_ids, scores, temp):',
      'def apply_temperature(input_ids, scores, temp):\n    logits, temperature = scores, temp',
    );
    const odd = 'def top_k(lodgits, k): return k\ndef generate(modal, n): return n\n';
    const [right, { functions }] = [
      await graded(own, 'temperature'),
      await graded(odd, 'top_k,generate'),
    ];
    assert.equal(right.score, 100);
    const [topK, loop] = functions.map(({ reasons: [why] }) => why);
    for (const name of ['scores', 'input_ids', 'k', 'p', 'penalty', 'tau', 'temp'])
      assert.match(topK, new RegExp(`lodgits is unknown, known are .*\\b${name}, `));
    assert.match(loop, /modal is unknown, known are model, .*\bmax_tokens, .*, or a setting/);
  });

  test('with a syntax error is a wrong argument, with its line', async () => {
    const { status, stderr } = await cli(['grade', file('def top_k(:\n'), '--as', 'top_k']);
    assert.equal(status, 2);
    assert.match(stderr, /SyntaxError.*line 1/);
    const odd = 'def top_k(logits, temp, k):\n    return logits\n';
    assert.match(first(await graded(odd, 'top_k')), /its parameter temp is unknown/);
  });

  long('is tested on the settings that it reads, by name and by key', async () => {
    const body = 'return [x if i in keep else float("-inf") for i, x in enumerate(logits)]';
    const rank = 'keep = sorted(range(len(logits)), key=lambda i: (-logits[i], i))';
    const ways = [
      ['logits, settings', 'settings["top_k"]', 'settings.min_tokens_to_keep'],
      ['logits, top_k, min_tokens_to_keep', 'top_k', 'min_tokens_to_keep'],
    ];
    for (const [parameters, k, least] of sample(ways, 1)) {
      const source = `def top_k(${parameters}):\n    ${rank}[: max(${k}, ${least})] if ${k} else range(len(logits))\n    ${body}\n`;
      const { properties } = await graded(source, 'top_k');
      assert.ok(
        properties.some(({ name }) => name === 'min_tokens_to_keep'),
        parameters,
      );
    }
  });
});

describe('the encoding and format of a file', () => {
  const right = broken(PYTHON, 'import math', '# José\nimport math');
  const at = `${folder}/encodings`;
  mkdirSync(at, { recursive: true });

  long('a byte order mark, a coding line and Windows line ends give the same score', async () => {
    writeFileSync(`${at}/bom.py`, `\ufeff${right}`);
    writeFileSync(`${at}/latin.py`, Buffer.from(`# coding: latin-1\n${right}`, 'latin1'));
    writeFileSync(`${at}/crlf.py`, `\ufeff${right}`.replaceAll('\n', '\r\n'));
    writeFileSync(`${at}/odd.py`, Buffer.from(right, 'latin1'));
    writeFileSync(`${at}/wide.py`, Buffer.from(`\ufeff${right}`, 'utf16le'));
    const { stdout } = await cli(['grade', at, '--as', 'top_k', '--csv']);
    const [, bom, crlf, latin, odd, wide] = stdout.split('\n');
    assert.deepEqual(
      [bom, crlf, latin],
      ['bom.py,100,100,', 'crlf.py,100,100,', 'latin.py,100,100,'],
    );
    assert.match(odd, /^odd\.py,0,0,.*SyntaxError: byte 0xe9 in line 1 is no utf-8: save the file/);
    assert.match(wide, /^wide\.py,0,0,.*SyntaxError: it is UTF-16, which Python does not read/);
  });

  test('a notebook counts as its code cells, and a failing cell stops only itself', async () => {
    const cell = (source, cell_type = 'code') => ({ cell_type, source, outputs: [], metadata: {} });
    const [first, ...others] = right.split('\n\n\n');
    const notebook = (cells, metadata = {}) =>
      JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 });
    const cells = [
      cell('def top_k(logits, k): return []', 'markdown'),
      cell(['%matplotlib inline\n', '!pip install nothing\n', `${first}\n`]),
      cell('display(1)\nmodel = load("artifacts")'),
      cell('%%bash\nls'),
      cell(`%%time\n${others.join('\n\n\n')}`),
      cell('top_k_filter?'),
    ];
    const right100 = await graded(notebook(cells), 'top_k', [], 'ipynb');
    assert.equal(right100.score, 100, JSON.stringify(right100.fault));
    const graph = (source, about) =>
      cli(['grade', file(notebook(source, about), 'ipynb'), '--as', 'top_k']);
    const missing = await graph([cell('x = 1'), cell('y = 2\ny / 0')]);
    assert.match(
      missing.stderr,
      /no function named top_k; a cell fails: ZeroDiv.*\(cell 2, line 2\)/,
    );
    const objects = file(
      'class TopK:\n    pass\n\ndef sample(model, prompt, *, max_tokens, seed, strategy):\n    return []\n',
    );
    assert.match(
      (await cli(['grade', objects, '--as', 'top_k'])).stderr,
      /no function named top_k: its strategy class TopK is graded in its loop, with --as generate\n$/,
    );
    const other = await graph([cell('x <- 1')], { language_info: { name: 'R' } });
    assert.match(other.stderr, /it is a notebook in R: Python is graded/);
    const broken = file('{"cells": ', 'ipynb');
    assert.equal((await cli(['grade', broken, '--as', 'top_k'])).status, 2);
  });

  long(
    'the interpreter comes from the environment, PATH or --python, and the report names it',
    async (context) => {
      const { VIRTUAL_ENV, PATH } = process.env;
      const { program, version } = findPython();
      const home = `${folder}/venv`;
      const site = `${home}/lib/python${version.split('.', 2).join('.')}/site-packages`;
      mkdirSync(site, { recursive: true });
      mkdirSync(`${home}/bin`);
      symlinkSync(program, `${home}/bin/python3`);
      writeFileSync(`${home}/pyvenv.cfg`, `home = ${program.slice(0, program.lastIndexOf('/'))}\n`);
      writeFileSync(`${site}/only_here.py`, 'here = True\n');
      const source = file(`import only_here\n${PYTHON}`);
      context.after(() => Object.assign(process.env, { PATH, VIRTUAL_ENV: VIRTUAL_ENV ?? '' }));
      process.env.VIRTUAL_ENV = home;
      const { stdout } = await cli(['grade', source, '--as', 'top_k']);
      assert.ok(stdout.startsWith(`Python ${version}: ${home}/bin/python3\n`), stdout);
      process.env.VIRTUAL_ENV = '';
      process.env.PATH = `${home}/bin:${PATH}`;
      const json = ['grade', source, '--as', 'top_k', '--json'];
      const { score, python } = JSON.parse((await cli(json)).stdout);
      assert.deepEqual([score, python], [100, { program: `${home}/bin/python3`, version }]);
      process.env.PATH = PATH;
      const { stderr, status } = await cli(json);
      assert.equal(status, 2);
      assert.ok(stderr.includes(`No module named 'only_here' in ${program} (line 1)`), stderr);
      assert.equal(findPython(`${home}/bin/python3`).program, `${home}/bin/python3`);
      process.env.VIRTUAL_ENV = '/nowhere';
      assert.match((await cli(json)).stderr, /VIRTUAL_ENV names "\/nowhere", which has no python3/);
    },
  );
});

describe('a program that answers with JSON lines', () => {
  const program = (result) => `import json, sys
for line in sys.stdin:
    call = json.loads(line)
    n = len(call.get("logits", []))
    if call["call"] == "load":
        print(json.dumps({"id": call["id"]}), flush=True)
    else:
        print(${result}, flush=True)
`;
  const answer = (numbers) => program(`json.dumps({"id": call["id"], "result": ${numbers}})`);
  const asked = async (source) => graded(source, 'top_k', ['--stdio']);

  test('writes a removed logit as the string "-inf"', async () => {
    const keep =
      '[x if x == "-inf" or sorted([-1e99 if y == "-inf" else y for y in call["logits"]])[-(call["settings"]["top_k"] or n):][0] <= x else "-inf" for x in call["logits"]]';
    const report = await asked(answer(keep));
    assert.deepEqual([report.score, first(report)], [100, undefined]);
  });

  long('gets a sentence for a bare -Infinity or NaN', async () => {
    for (const value of sample(['-inf', 'nan'], 1)) {
      const report = await asked(answer(`[float("${value}")] * n`));
      const bare = value === 'nan' ? 'NaN' : '-Infinity';
      assert.ok(
        first(report).startsWith(`it wrote a bare ${bare}, which JSON does not know`),
        first(report),
      );
      assert.equal(report.fault.code, 'bare');
    }
    assert.equal((await asked(program('"hello"'))).fault.code, 'line');
    assert.match(first(await asked(answer('["nan"] * n'))), /NaN/);
  });

  test('is refused for generate, which needs a model to call', async () => {
    const { status, stderr } = await cli(['grade', file(''), '--as', 'generate', '--stdio']);
    assert.equal(status, 2);
    assert.match(stderr, /--stdio is for samplers/);
  });
});

describe('a function may read more than the logits', () => {
  long('a second distribution and the bits of a watermark, in Python', async () => {
    const guidance = `import math
def logs(logits):
    best = max(logits)
    whole = best + math.log(sum(math.exp(x - best) for x in logits))
    return [x - whole for x in logits]
def guidance_scale(logits, settings, second):
    scale = settings.guidance_scale
    if scale == 1:
        return list(logits)
    mix = lambda c, n: c if c == -math.inf else n + scale * (c - n)
    return [mix(c, n) for c, n in zip(logs(logits), logs(second))]
`;
    assert.equal((await graded(guidance, 'guidance_scale')).score, 100);
    const green = `import math
def green_bias(logits, green_bias, green_fraction, bits):
    if green_bias == 0 or bits is None:
        return list(logits)
    green = [b < green_fraction * 2**32 for b in bits]
    if green_bias < 100:
        return [x + green_bias if g else x for x, g in zip(logits, green)]
    hard = [x if g else -math.inf for x, g in zip(logits, green)]
    return hard if max(hard) > -math.inf else list(logits)
`;
    assert.equal((await graded(green, 'green_bias')).score, 100);
  });
});

describe('the limits', () => {
  test('of time end one call, and all calls with the loading', async () => {
    const slow = await graded('def top_k(logits, k):\n    while True: pass\n', 'top_k', [
      '--time-limit',
      '0.3',
    ]);
    assert.equal(slow.score, 0);
    assert.match(first(slow), /longer than 0.3 s/);
    assert.match(slow.properties.at(-1).message, /not tried/);
    // planted-faults.test.js has a function of which time ends a later call.
    const loading = file('import time\ntime.sleep(60)\n');
    const { stderr } = await cli(['grade', loading, '--as', 'top_k', '--total-limit', '1']);
    assert.match(stderr, /cannot be graded: it took longer than 1 s/);
  });

  test('of memory hold in Python and in JavaScript, inside the heap and outside', async () => {
    const python = await graded(
      'def top_k(logits, k):\n    return bytearray(10 ** 9) and logits\n',
      'top_k',
      ['--memory-limit', '256'],
    );
    assert.match(first(python), /MemoryError/);
    const script = await graded(
      // The code allocates only once, since V8 spends a long time on garbage collection before an allocation fails.
      'let why; export default () => { try { if (!why) new Uint8Array(1e9).fill(1); } catch (error) { why = error; } throw why; };',
      'top_k',
      ['--memory-limit', '256'],
      'mjs',
    );
    assert.match(first(script), /allocation failed/i);
  });

  test('of all processes together hold for shared memory, children and their number', async () => {
    const asked = /** @type {any} */ ({ call: 'warp', logits: [1], settings: {}, history: [] });
    const held = `held = []
def hold(bytes):
    held.append(mmap.mmap(-1, bytes))
    for at in range(0, bytes, 4096): held[0][at] = 1
`;
    const sources = /** @type {const} */ ([
      [`${held}def top_k(logits):\n    hold(300 << 20); time.sleep(9)`, 'memory'],
      [
        `${held}def top_k(logits):
    for _ in range(4):
        if os.fork() == 0: hold(60 << 20); time.sleep(9)
    time.sleep(9)`,
        'memory',
      ],
      ['def top_k(logits):\n    while os.fork(): pass\n    time.sleep(9)', 'tasks'],
    ]);
    for (const [source, code] of sample(sources, 2)) {
      // After a fork, some interpreters need more than 128 MB, so that limit would end them too early.
      const memory = code === 'tasks' ? 1024 : 128;
      const submissions = new Submissions(process.stderr, { memory });
      const path = file(`import mmap, os, time\n${source}\n`);
      const tested = new TestedFunction(submissions.start(path), 'top_k', 8000);
      assert.deepEqual(Object.keys(await tested.load()), ['id']);
      const answer = await tested.call(asked);
      tested.close();
      submissions.close();
      assert.equal(answer.code, code, answer.error);
    }
  });

  test('include the folders of a killed grader, which the next one removes', () => {
    // No process has this id, so the folder looks like that of a killed grader.
    const left = `${tmpdir()}/logitscope-grade-4194305-x`;
    mkdirSync(`${left}/seen`, { recursive: true });
    const own = () =>
      readdirSync(tmpdir()).filter((it) => it.startsWith(`logitscope-grade-${process.pid}-`));
    const before = own();
    const submissions = new Submissions(process.stderr, { memory: 128 });
    assert.ok(!existsSync(left));
    assert.equal(own().length, before.length + 1);
    submissions.close();
    assert.deepEqual(own(), before);
  });

  test('hide the environment and give an empty folder', async () => {
    process.env.LOGITSCOPE_SECRET = 'told';
    const python =
      'import os\ndef top_k(logits, k):\n    raise ValueError(f"{sorted(os.environ)} {os.listdir()}")\n';
    assert.match(
      first(await graded(python, 'top_k')),
      /ValueError: \[('LC_CTYPE'(, )?|'OLDPWD'(, )?|'PWD'(, )?|'_'(, )?)*\] \[\]/,
    );
    const script =
      'export default () => { throw new Error(JSON.stringify(Object.keys(process.env))); };';
    assert.ok(!first(await graded(script, 'top_k', [], 'mjs')).includes('SECRET'));
    delete process.env.LOGITSCOPE_SECRET;
  });

  test('let no file grow under any isolation', async () => {
    const target = `${folder}/written.txt`;
    const python = `def top_k(logits, k):\n    with open(${JSON.stringify(target)}, "w") as file: file.write("x" * 10)\n    return logits\n`;
    assert.match(first(await graded(python, 'top_k')), /Read-only|File too large|No such file/);
    assert.ok(!existsSync(target) || !isolation);
  });
});

describe('isolation', () => {
  const server = createServer((socket) => socket.end());
  let port = 0;
  before(
    () =>
      new Promise((done) =>
        server.listen(0, '127.0.0.1', () => {
          port = server.address().port;
          done();
        }),
      ),
  );
  after(() => server.close());

  test('allows no network, no other file and no other process', async (context) => {
    if (!isolation) return context.skip('neither bwrap nor unshare works here');
    const refused = /** @type {[string, RegExp][]} */ ([
      [`socket.create_connection(("127.0.0.1", ${port}), 2)`, /refused|unreachable/i],
      ['open("/etc/passwd")', /No such file/],
      [`open(${JSON.stringify(fileURLToPath(import.meta.url))})`, /No such file/],
      ['open("/tmp/x", "w")', /Read-only/],
      ['os.remove(__file__)', /Read-only/],
      [`os.listdir(${JSON.stringify(folder)})`, /No such file/],
      [`os.kill(${process.pid}, 0)`, /No such process/],
      // An earlier sandbox, which a shell script set up, allowed all of the following calls.
      ['os.mkdir("x")', /Read-only/],
      ['os.mkdir("/dev/x")', /Read-only/],
      ['os.mkdir("/dev/shm/x")', /Read-only|No such file/],
      ['open("/proc/sys/kernel/core_pattern", "w")', /Read-only/],
      ['os.chroot("/tmp")', /not permitted/],
      ['os.chmod("/dev/null", 0o666)', /Read-only/],
      ['called("mount", None, b"/tmp", b"tmpfs", 0, None)', /not permitted/],
      ['called("unshare", 0x10000000)', /No space left|not permitted/],
    ]);
    const report = await graded(
      `import ctypes, os, socket
def called(name, *given):
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*given):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def error_of(act):
    try: return f"did {act()}"
    except Exception as error: return error.strerror
said = "; ".join(error_of(act) for act in [${refused.map(([line]) => `lambda: ${line}`)}])
def top_k(logits, k):
    raise ValueError(said)
`,
      'top_k',
    );
    const said = first(report).split('ValueError: ')[1].split('; ');
    for (const [i, [line, words]] of refused.entries()) assert.match(said[i], words, line);
    assert.equal(report.isolation, isolation);
  });

  test('shows the file only, and no file with a right answer', async (context) => {
    if (!isolation) return context.skip('neither bwrap nor unshare works here');
    const looks = `import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
const at = (path) => readdirSync(path).sort().join();
const harness = dirname(process.argv[1]);
const words = readdirSync(harness).map((name) => readFileSync(\`\${harness}/\${name}\`, 'utf8')).join();
const said = [at('.'), at(dirname(process.argv[2])), at(harness), /before < p|nucleus|softmax/.test(words),
  ${JSON.stringify([folder, ROOT, process.env.HOME])}.some((path) => existsSync(path) && at(path)), process.cwd()];
export default () => { throw new Error(JSON.stringify(said)); };`;
    const said = JSON.parse(first(await graded(looks, 'top_k', [], 'mjs')));
    const names =
      'course.py,harness.js,harness.py,json-lines.js,node-process.js,package.json,toy.js';
    const own = `${written - 1}.mjs`;
    assert.deepEqual(said, ['', own, names, false, false, '/run/submission/empty']);
  });

  test('is reported as missing on stderr before the first file, and --isolated refuses then', async () => {
    const { PATH } = process.env;
    const { stderr, status } = await cli(['grade', file(PYTHON), '--as', 'top_k', '--isolated']);
    if (isolation) assert.deepEqual([status, stderr], [0, '']);
    else assert.match(stderr, /neither bwrap nor unshare/);
    assert.equal(process.env.PATH, PATH);
    process.env.LOGITSCOPE_NO_JAIL = '1';
    try {
      const open = await cli(['grade', file(PYTHON), '--as', 'top_k']);
      assert.match(open.stderr, /^logitscope: neither bwrap nor unshare works here/);
      assert.equal(open.status, 0);
      const refused = await cli(['grade', file(PYTHON), '--as', 'top_k', '--isolated']);
      assert.deepEqual([refused.status, refused.stdout], [2, '']);
    } finally {
      delete process.env.LOGITSCOPE_NO_JAIL;
    }
    process.env.LOGITSCOPE_NO_WATCH = '1';
    try {
      const idle = file('def top_k(logits, k):\n    raise ValueError\n');
      const { stderr: said } = await cli(['grade', idle, '--as', 'top_k']);
      assert.match(
        said,
        /processes cannot be watched here: the memory of a submission as a whole has no limit/,
      );
      const refused = await cli(['grade', idle, '--as', 'top_k', '--isolated']);
      assert.deepEqual([refused.status, refused.stdout], [2, '']);
    } finally {
      delete process.env.LOGITSCOPE_NO_WATCH;
    }
  });
});

describe('a class', () => {
  test('gives a table with a row for each file or folder and no formula', async () => {
    const at = `${folder}/class`;
    writeFileSync(`${at}/ana.py`, PYTHON);
    writeFileSync(`${at}/=bob.mjs`, broken(TOP_P, 'before < top_p', 'before <= top_p'));
    writeFileSync(`${at}/carl.py`, 'def top_p(logits, p):\n    return logits\n');
    writeFileSync(`${at}/dora/sampler.mjs`, "export { default } from './parts.mjs';");
    writeFileSync(`${at}/dora/parts.mjs`, TOP_P);
    writeFileSync(`${at}/notes.txt`, 'no submission');
    const { status, stdout } = await cli(['grade', at, '--as', 'top_p', '--csv']);
    assert.equal(status, 0);
    const rows = stdout.trimEnd().split('\n');
    assert.equal(rows[0], 'file,score,top_p,faults');
    assert.match(rows[1], /^'=bob\.mjs,\d\d,\d\d,"?top_p: it continues until the mass is above p/);
    assert.match(rows[2], /^ana\.py,100,100,$/);
    assert.match(rows[3], /^carl\.py,0,0,"?top_p: it returns the logits as they came/);
    assert.match(rows[4], /^dora,100,100,$/);
    assert.match(rows[5], /^notes\.txt,0,0,"?\.txt is not graded/);
    assert.equal(rows.length, 6);
  });

  long('has a row with a reason for a learner without a file that runs', async () => {
    const at = `${folder}/odd`;
    for (const inside of ['__MACOSX', 'deep/one/two', 'empty', 'several', 'typed'])
      mkdirSync(`${at}/${inside}`, { recursive: true });
    for (const name of ['.DS_Store', '._ana.py', '__MACOSX/x.py', 'typed/s.ts', 'essay.docx'])
      writeFileSync(`${at}/${name}`, '');
    for (const name of ['ANA.PY', 'deep/one/two/a.py', 'several/a.py', 'several/b.py'])
      writeFileSync(
        `${at}/${name}`,
        `import sys\nsys.stderr.write("${name} ")\ndef top_k(logits, k):\n    return logits\n`,
      );
    symlinkSync(`${at}/ANA.PY`, `${at}/link.py`);
    const words = ['grade', at, '--as', 'top_k', '--csv', '--workers'];
    const graded = await cli([...words, '1']);
    assert.deepEqual(await cli([...words, '3']), graded);
    const { status, stdout, stderr } = graded;
    assert.equal(status, 0);
    assert.match(stderr, /^ANA\.PY deep\/one\/two\/a\.py $/m);
    const kinds = '.js, .mjs, .cjs, .py, .ipynb';
    const idle = 'top_k: it returns the logits as they came: nothing is done yet';
    assert.deepEqual(stdout.trimEnd().split('\n').slice(1), [
      `ANA.PY,0,0,${idle}`,
      `deep,0,0,${idle}`,
      `empty,0,0,"it holds nothing: no file ends in ${kinds}"`,
      `essay.docx,0,0,".docx is not graded: ${kinds} are"`,
      'link.py,0,0,it is a link or no file: its own content is needed',
      'several,0,0,"which of a.py, b.py is it? name one sampler"',
      `typed,0,0,"it holds s.ts: no file ends in ${kinds}"`,
    ]);
    const one = await cli(['grade', `${at}/several`, '--as', 'top_k', '--gradescope']);
    assert.deepEqual(
      [one.status, JSON.parse(one.stdout)],
      [
        0,
        {
          score: 0,
          output_format: 'text',
          output: 'which of a.py, b.py is it? name one sampler',
          tests: [],
        },
      ],
    );
  });

  test('hides each learner’s file from the others', async (context) => {
    if (!isolation) return context.skip('neither bwrap nor unshare works here');
    const at = `${folder}/pair`;
    mkdirSync(at, { recursive: true });
    writeFileSync(`${at}/a.py`, PYTHON);
    writeFileSync(`${at}/b.py`, `exec(open(${JSON.stringify(`${at}/a.py`)}).read())\n`);
    const { stdout } = await cli(['grade', at, '--as', 'top_p', '--json']);
    const [a, b] = JSON.parse(stdout).submissions;
    assert.deepEqual([a.score, b.score], [100, 0]);
    assert.match(b.functions[0].error, /No such file/);
  });
});

describe('the report', () => {
  long('is written in Spanish with --lang es', async () => {
    const wrong = file(broken(TOP_P, 'before < top_p', 'before <= top_p'), 'mjs');
    const { stdout } = await cli(['grade', wrong, '--as', 'top_p', '--lang', 'es']);
    assert.match(stdout, /^cumple {2}devuelve/);
    assert.match(stdout, /FALLA {3}no conserva más de lo necesario/);
    assert.match(stdout, /Debían quedar 1 y quedaron 2/);
    assert.match(stdout, /qué falla: Sigue hasta que la masa pasa de p/);
    assert.match(stdout, /\d\d de 100\n$/);
  });

  long('is the results.json of Gradescope with --gradescope', async () => {
    const at = `${folder}/gradescope`;
    mkdirSync(at, { recursive: true });
    writeFileSync(`${at}/top_p.mjs`, broken(TOP_P, 'before < top_p', 'before <= top_p'));
    const words = ['grade', at, '--as', 'top_p', '--gradescope'];
    const [found, plain] = await Promise.all([
      cli(words),
      cli(['grade', `${at}/top_p.mjs`, '--as', 'top_p', '--json']),
    ]);
    const results = JSON.parse(found.stdout);
    const { score, reasons, properties } = JSON.parse(plain.stdout);
    assert.deepEqual([found.status, results.score], [0, score]);
    assert.equal(results.output, reasons.map((it) => `top_p: ${it}`).join('\n'));
    assert.deepEqual(
      results.tests.map(({ name, status }) => [name, status]),
      properties.map(({ says, holds }) => [`top_p: ${says}`, holds ? 'passed' : 'failed']),
    );
    const failed = results.tests.find(({ status }) => status === 'failed');
    assert.match(failed.output, /^1 should stay.*\nsmallest input: logits/);
  });

  long('counts properties by their weights', async () => {
    const source = broken(TOP_P, 'before < top_p', 'before <= top_p');
    const { score } = await graded(source, 'top_p', [], 'mjs');
    const heavy = await graded(source, 'top_p', ['--weight', 'exact=30'], 'mjs');
    const light = await graded(source, 'top_p', ['--weight', 'top_p.exact=0'], 'mjs');
    assert.ok(heavy.score < score && score < light.score && light.score <= 99);
  });

  test('gives one line and exit code 2 for wrong arguments', async () => {
    const path = file(PYTHON);
    for (const [words, pattern] of [
      [[path, '--as', 'top_p=0'], /a weight must be/],
      [[path, '--as', 'top_p,top_q'], /did you mean/],
      [[path, '--as', 'top_p', '--weight', 'x'], /--weight must be NAME=NUMBER/],
      [[path, '--as', 'top_p', '--csv'], /--csv needs a DIR/],
      [[folder, '--as', 'top_p', '--csv', '--gradescope'], /--gradescope and --csv exclude/],
      [[file('', 'ts'), '--as', 'top_p'], /\.ts" must end in one of \.js, \.mjs, \.cjs, \.py/],
      [[path, '--as', 'top_p', '--python', '/no/python'], /--python: "\/no\/python" is no file/],
      [[path, '--as', 'top_p', '--lang', 'fr'], /--lang must be one of/],
      [[path, '--as', 'top_p', '--memory-limit', '1'], /--memory-limit must be from 64/],
    ]) {
      const { status, stderr, stdout } = await cli(['grade', ...words]);
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, pattern);
    }
  });

  test('on a JavaScript loop in its process is 100', async () => {
    const { score, fault } = await graded(GENERATE, 'generate', [], 'mjs');
    assert.deepEqual([score, fault], [100, null]);
  });
});

describe('the repository for homework', () => {
  const at = fileURLToPath(new URL('../../web/lessons/homework', import.meta.url));
  const homework = async (script, source) => {
    const { scripts } = JSON.parse(await readFile(`${at}/package.json`, 'utf8'));
    const [program, , file, ...words] = scripts[script].split(' ');
    assert.equal(program, 'logitscope');
    const path = `${folder}/homework-${file}`;
    writeFileSync(path, source ?? (await readFile(`${at}/${file}`, 'utf8')));
    const { status, stdout } = await cli(['grade', path, ...words, '--json']);
    return [status, JSON.parse(stdout).score];
  };

  test('starts at 0 in both languages and reaches 100 with correct functions', async () => {
    // `make test` runs only test:cases, which takes half the time of each other script.
    for (const script of LONG ? ['test', 'test:javascript', 'test:cases'] : ['test:cases'])
      assert.deepEqual(await homework(script), [1, 0]);
    // Only long runs grade the correct functions here, since `make test` grades them above under other names.
    if (LONG) assert.deepEqual(await homework('test:cases', PYTHON), [0, 100]);
    if (LONG) assert.deepEqual(await homework('test', PYTHON + CHAIN), [0, 100]);
  });
});
