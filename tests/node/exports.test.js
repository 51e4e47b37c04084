/** Tests that the WebAssembly modules export exactly the functions of the list below. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { long } from '../long.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bytes = readFileSync(new URL('../../web/engine/logitscope.wasm', import.meta.url));
const module = new WebAssembly.Module(bytes);
/** Modules that contain only the inner loops. An old compiler cannot build relaxed SIMD, so that one may be missing. */
const loops = ['simd', 'relaxed'].filter(
  (name) => name === 'simd' || existsSync(`${root}/web/engine/logitscope-${name}.wasm`),
);
const bytesOf = (/** @type {string} */ name) =>
  readFileSync(`${root}/web/engine/logitscope-${name}.wasm`);

/** Each export of src/wasm.c with its number of arguments. */
const EXPORTS = {
  chain_apply: 5,
  chain_close: 1,
  chain_describe: 2,
  chain_draw: 2,
  chain_draw_gumbel: 3,
  chain_logits: 1,
  chain_open: 2,
  chain_probabilities: 3,
  chain_sample: 6,
  constraint_close: 1,
  constraint_follow: 3,
  constraint_open: 3,
  draw_random: 2,
  fault_form: 0,
  fault_key: 0,
  fault_kind: 1,
  fault_name: 0,
  fault_number: 1,
  fault_text: 1,
  kernels_adopt: 2,
  kernels_choose: 1,
  kernels_streams: 1,
  lexicon_close: 1,
  lexicon_open: 1,
  measure_distinct: 3,
  measure_surprisal: 5,
  memory_allocate: 1,
  memory_exchange: 1,
  memory_release: 1,
  model_ask: 3,
  model_close: 1,
  model_begin: 4,
  model_finish: 1,
  model_image: 1,
  model_probe: 2,
  session_accept: 4,
  session_close: 1,
  session_copy: 2,
  session_feed: 4,
  session_feed_rows: 6,
  session_hidden: 1,
  session_length: 1,
  session_logits: 1,
  session_open: 2,
  session_timeline: 1,
  settings_allowed: 1,
  settings_banned: 2,
  settings_bias: 2,
  settings_breakers: 2,
  settings_check: 1,
  settings_ends: 2,
  settings_forced: 1,
  settings_order: 2,
  settings_own: 2,
  settings_reset: 0,
  settings_second: 1,
  settings_set: 2,
  settings_step: 2,
  speculate_decide: 6,
  speculate_residual: 4,
  tokenizer_decode: 6,
  tokenizer_encode: 7,
  tokenizer_piece: 2,
  warp_next: 1,
  warp_row: 1,
  watermark_read: 4,
};

/** Exports that Emscripten adds; they depend on its version. */
const OWN =
  /^(_initialize|memory|__indirect_function_table|__errno_location|_?_?emscripten_.*|stack(Save|Restore|Alloc))$/;

test('the exports are exactly the frozen list', async () => {
  const instance = await WebAssembly.instantiate(module, {
    env: { emscripten_notify_memory_growth() {} },
  });
  const ours = Object.entries(instance.exports).filter(([name]) => !OWN.test(name));
  assert.deepEqual(Object.fromEntries(ours.map(([name, call]) => [name, call.length])), EXPORTS);
});

test('the one import is the notice that memory grew', () => {
  assert.deepEqual(WebAssembly.Module.imports(module), [
    { module: 'env', name: 'emscripten_notify_memory_growth', kind: 'function' },
  ]);
});

long('a second build gives the same bytes', () => {
  const { status, stderr } = spawnSync('./build.sh', ['build/again.wasm'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.ok(bytes.equals(readFileSync(`${root}/build/again.wasm`)));
  for (const name of loops)
    assert.ok(bytesOf(name).equals(readFileSync(`${root}/build/again-${name}.wasm`)), name);
});

/** Returns the numbers of a module's sections, as in the WebAssembly specification. */
function sections(module) {
  const ids = [];
  for (let at = 8; at < module.length; ) {
    ids.push(module[at++]);
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      size |= (module[at] & 127) << shift;
      if (module[at++] < 128) break;
    }
    at += size;
  }
  return ids;
}

test('a module of loops has code and a stack pointer, but no memory and no data', () => {
  const [TYPE, IMPORT, FUNCTION, GLOBAL, EXPORT, CODE] = [1, 2, 3, 6, 7, 10];
  for (const name of loops)
    assert.deepEqual(sections(bytesOf(name)), [TYPE, IMPORT, FUNCTION, GLOBAL, EXPORT, CODE], name);
});
