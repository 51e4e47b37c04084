/**
 * Compares two computations of a step's mask under the JSON constraint: the engine's, and a naive test of every token.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Core } from '../../web/engine/core.js';
import { openSource } from '../../web/engine/load.js';
import { Module } from '../../web/engine/module.js';
import { writeGguf } from '../fixtures/gguf_writer.js';
import { gpt2Vocabulary } from '../fixtures/vocabularies.js';
import { judgeJson } from '../node/json_prefix.js';
import { root } from './chromium.js';
import { race } from './race.js';

/** Prefixes of a JSON text, in ascending order of the number of allowed tokens. */
const PLACES = { 'after a name': '{"name"', 'in a list': '[12, ', 'in a string': '{"name": "Ann' };

async function openVocabulary() {
  const folder = join(root, 'build/fixtures');
  const file = join(folder, 'gpt2_vocab.gguf');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file)) writeFileSync(file, writeGguf({ metadata: gpt2Vocabulary() }));
  const core = new Core(await Module.load());
  await core.openModel(await openSource('model', file));
  return core;
}

/** @param {() => number} once the milliseconds of one @param {number} least */
function mean(once, least) {
  let spent = 0;
  let count = 0;
  for (; spent < least; count++) spent += once();
  return spent / count;
}

/** @param {() => void} work */
function clock(work) {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/**
 * @param {Core} core
 * @param {number[]} ids
 */
function contenders(core, ids) {
  const { module } = core;
  const size = core.needModel().vocab_size;
  let turn = 0;
  /** @param {boolean} anew true to follow with states that have no cached mask */
  const follow = (anew) => {
    const space = 20 + (anew ? turn++ % 2 : 0); // another grammar is compiled anew
    const { gates } = core.resolve({ constraint: { json: { space } }, constraint_start: 0 });
    core.gates.prepare(gates, size);
    const at = module.exchange(4 * ids.length);
    module.writeUint32(at, ids);
    return () => core.gates.follow(gates, at, ids.length);
  };
  const bytes = Array.from({ length: size }, (_, id) => core.piece(id).bytes);
  const prefix = Buffer.concat(ids.map((id) => bytes[id]));
  const naive = () => bytes.filter((own) => judgeJson(Buffer.concat([prefix, own])) !== 'wrong');
  const known = follow(false);
  const timer = (/** @type {() => number} */ once) => ({
    sample: async (/** @type {any} */ _, /** @type {number} */ least) => mean(once, least),
  });
  return [
    { name: 'states known', side: 'ours', contender: timer(() => clock(known)) },
    { name: 'states new', side: 'ours', contender: timer(() => clock(follow(true))) },
    { name: 'every token, JS', side: 'peer', contender: timer(() => clock(naive)) },
  ];
}

/**
 * @param {{ samples: number, least: number, budget: number }} plan
 * @returns {Promise<import('./race.js').Race[]>}
 */
export async function runMask(plan) {
  const core = await openVocabulary();
  const races = [];
  for (const [place, text] of Object.entries(PLACES)) {
    const ids = Array.from(core.encode(text, { bos: false }));
    const runners = /** @type {import('./race.js').Runner[]} */ (contenders(core, ids));
    const entries = [];
    // The runners run one after the other: the second compiles grammars, which would slow the first.
    for (const runner of runners) {
      entries.push(...(await race([runner], null, plan, (ms) => ms)));
    }
    const subject = `V=${core.needModel().vocab_size}, ${place}`;
    races.push({ part: 'mask', host: 'node', subject, unit: 'ms', rate: false, entries });
  }
  core.close();
  return races;
}
