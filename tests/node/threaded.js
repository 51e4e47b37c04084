/** Opens an engine with threads that take even the smallest parts, so that tests split small models too. In Node and in a worker. */
import { Core } from '../../web/engine/core.js';
import { openSource } from '../../web/engine/load.js';
import { Logitscope } from '../../web/engine/logitscope.js';
import { Module } from '../../web/engine/module.js';
import { load } from '../../web/engine/threads.js';

/**
 * @param {string} model path or address
 * @param {number | 'auto'} n
 * @param {'auto' | 'scalar' | 'simd' | 'relaxed'} [variant]
 */
export async function openThreads(model, n, variant = 'auto') {
  const stream = await openSource('model', model);
  const large = /** @type {any} */ ({ total: 9e6 }); // a small file would get one thread
  const options = { threads: /** @type {any} */ (n), variant };
  const threads = await load(n === 'auto' ? large : stream, options, Module);
  if (!threads) throw new Error('no module with threads');
  const core = new Core(threads.module);
  await core.openModel(stream, 0, 'auto');
  await threads.open(core);
  threads.module.calls.threads_least(1);
  if (n !== 'auto' && core.info?.threads !== n)
    throw new Error(`${core.info?.threads} threads, not ${n}`);
  return { scope: new Logitscope(core), threads };
}
