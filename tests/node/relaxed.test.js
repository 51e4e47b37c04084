/**
 * Tests that the relaxed module gives the bits of every other build. It must stay unused if the host cannot load it or
 * multiplies wrongly. It runs in a newer Node from the npm package `node`; without this package the tests are skipped.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { Logitscope } from '../../web/engine/index.js';
import { Module } from '../../web/engine/module.js';
import { digest } from './digest.js';
import { quantisedFormats } from '../fixtures/quantise.js';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { formatFiles } from './format_files.js';
import { byteTokens, smallContents } from './small_model.js';
import { sample } from '../long.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const newer = `${root}node_modules/node/bin/node`;
const engine = `${root}web/engine/logitscope.wasm`;
const relaxed = `${root}web/engine/logitscope-relaxed.wasm`;
const skip =
  existsSync(newer) && existsSync(relaxed) ? false : 'no newer Node or no relaxed module';

function run(program, ...words) {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: root, encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n'), stderr };
}

/** Calls `Logitscope.load` in the newer Node with this module and variant; returns the used variant or the error. */
function load(wasm, variant) {
  const script = `import { Logitscope } from '${root}web/engine/index.js';
    try { console.log((await Logitscope.load(${JSON.stringify({ wasm, variant })})).variant); }
    catch (error) { console.log(error.code + ': ' + error.message); }`;
  return run(newer, '--input-type=module', '-e', script).lines[0];
}

/** Returns some logits of each model as bits, from the newer Node. @param {string} variant @param {string[]} models */
function logitsOf(variant, models) {
  const script = `import { Logitscope } from '${root}web/engine/index.js';
    for (const model of ${JSON.stringify(models)}) {
      const scope = await Logitscope.load({ model, variant: '${variant}' });
      scope.feed([5, 6]);
      console.log(scope.variant, Buffer.from(scope.logits().slice().buffer).toString('base64'));
    }`;
  const { status, lines, stderr } = run(newer, '--input-type=module', '-e', script);
  assert.equal(status, 0, stderr);
  assert.equal(lines.length, models.length);
  return lines.map((line) => {
    const [runs, bits] = line.split(' ');
    assert.equal(runs, variant);
    return bits;
  });
}

describe('on a host with relaxed SIMD', { skip }, () => {
  test('it is chosen and gives every digest', async () => {
    const models = [...sample(formatFiles, 1, 1), 'tests/vectors/forward/granite.gguf'];
    const expected = await Promise.all(
      models.map(async (model) =>
        digest(await Logitscope.load({ model: `${root}${model}`, variant: 'scalar' })),
      ),
    );
    for (const variant of ['auto', ...sample(['relaxed:2', 'relaxed:4', 'relaxed'], 1), 'simd']) {
      const { lines, stderr } = run(newer, 'tests/node/digest_of.js', variant, ...models);
      const runs = variant === 'simd' ? 'simd' : 'relaxed';
      assert.deepEqual(
        lines,
        expected.map((hex) => `${runs} ${hex}`),
        stderr,
      );
    }
  });

  test('no sum overflows 16 bits with the largest products', () => {
    mkdirSync(`${root}build/extremes`, { recursive: true });
    const models = [];
    const tokens = [...byteTokens().slice(0, 15), '<end>'];
    const kinds = Object.keys(quantisedFormats).flatMap((type) =>
      [1, -1].map((sign) => [type, sign]),
    );
    for (const [type, sign] of sample(kinds, 4, 2)) {
      const contents = smallContents({ dim: 256, layers: 1, type, tokens });
      for (const tensor of contents.tensors) {
        const { name, data } = tensor;
        // Makes all sums as large as possible: all vectors have equal values, and so have all weights of a matrix,
        // except one weight in each group that has the opposite sign.
        if (name.endsWith('norm.weight')) tensor.data = data.map(() => 0);
        if (name.endsWith('norm.bias')) tensor.data = data.map(() => sign);
        if (/qkv.weight|up.weight|^output.weight/.test(name))
          tensor.data = data.map((_, i) => (i % 32 ? 1 : -1) * ((i >> 8) % 2 ? 1 : -1));
      }
      models.push(`build/extremes/${type}${sign}.gguf`);
      writeFileSync(`${root}${models.at(-1)}`, writeGguf(contents));
    }
    assert.deepEqual(logitsOf('relaxed', models), logitsOf('scalar', models));
  });

  test('a module that multiplies wrongly is not used', () => {
    const wrong = readFileSync(relaxed);
    const dot = Buffer.of(0xfd, 0x92, 0x02); // i16x8.relaxed_dot_i8x16_i7x16_s
    const mul = Buffer.of(0xfd, 0x95, 0x01); // i16x8.mul, with equal operands
    for (let at = wrong.indexOf(dot); at >= 0; at = wrong.indexOf(dot, at)) mul.copy(wrong, at);
    assert.ok(!wrong.equals(readFileSync(relaxed)));
    mkdirSync(`${root}build/wrong`, { recursive: true });
    copyFileSync(engine, `${root}build/wrong/logitscope.wasm`);
    writeFileSync(`${root}build/wrong/logitscope-relaxed.wasm`, wrong);
    copyFileSync(
      `${root}web/engine/logitscope-simd.wasm`,
      `${root}build/wrong/logitscope-simd.wasm`,
    );
    assert.equal(load(`${root}build/wrong/logitscope.wasm`, 'auto'), 'simd');
    assert.equal(
      load(`${root}build/wrong/logitscope.wasm`, 'relaxed'),
      'unsupported: variant "relaxed" cannot run: this host computes its products wrongly',
    );
  });
});

const known = WebAssembly.validate(existsSync(relaxed) ? readFileSync(relaxed) : new Uint8Array());
test('on a host without relaxed SIMD, SIMD128 runs and a request for relaxed is refused', {
  skip: known,
}, async () => {
  assert.equal((await Logitscope.load()).variant, 'simd');
  await assert.rejects(Logitscope.load({ variant: 'relaxed' }), {
    code: 'unsupported',
    message: 'variant "relaxed" cannot run: relaxed SIMD is not known here',
  });
});

describe('`variant` names the running loops', () => {
  const wasm = readFileSync(engine);
  const alone = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
    env: { emscripten_notify_memory_growth() {} },
  });
  const without = alone.exports.__indirect_function_table.length;
  const missing = { simd: `${root}build/none.wasm`, relaxed: `${root}build/none.wasm` };
  const best = known ? 'relaxed' : 'simd';

  test('the package finds its loops for a module given as bytes or at an address without loops', async () => {
    mkdirSync(`${root}build/alone`, { recursive: true });
    copyFileSync(engine, `${root}build/alone/named-by-a-bundler.wasm`);
    const sources = [undefined, wasm, new WebAssembly.Module(wasm), new Response(wasm)];
    for (const source of [...sources, `${root}build/alone/named-by-a-bundler.wasm`]) {
      const { calls, variant } = await Module.load(source);
      assert.equal(variant, best);
      assert.equal(calls.__indirect_function_table.length, without + 2);
    }
  });

  test('without modules of loops the scalar loops give the same bits', async () => {
    const model = `${root}${formatFiles[0]}`;
    const plain = await Logitscope.load({ model, wasm, ...missing });
    assert.equal(plain.variant, 'scalar');
    assert.equal(plain.info.variant, 'scalar');
    const simd = await Logitscope.load({ model, wasm, variant: 'simd' });
    assert.equal(simd.info.variant, 'simd');
    assert.equal(await digest(plain), await digest(simd));
  });

  test('a requested variant that is not available is refused', async () => {
    const cannot =
      /^variant "simd" cannot run: wasm ".*none\.wasm" could not be loaded: there is no file/;
    await assert.rejects(Logitscope.load({ variant: 'simd', ...missing }), {
      code: 'unsupported',
      message: cannot,
    });
    const other = { wasm, simd: wasm, relaxed: wasm };
    await assert.rejects(Logitscope.load({ ...other, variant: 'simd' }), {
      code: 'unsupported',
      message: /^variant "simd" cannot run: .*import/i,
    });
    assert.equal((await Logitscope.load(other)).variant, 'scalar');
    assert.equal((await Logitscope.load({ variant: 'scalar', ...missing })).variant, 'scalar');
  });
});
