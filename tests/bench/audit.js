/**
 * Measures the audit of records: the share of false alarms, and the power for settings that are off.
 * node tests/bench/audit.js [RUNS] [POOL]. Prints two tables for docs/audit.md.
 *
 * The laws are those of `stories` after beginnings of its own texts. A run takes some of these positions at random and
 * draws a token from each actual law, in JavaScript; the audit reads the law of the claim.
 */
import { fileURLToPath } from 'node:url';
import { Logitscope } from '../../web/engine/index.js';
import { judge, readLaws } from '../../web/sources/audit.js';
import { Pcg32 } from '../vectors/generators.js';

const PROMPTS = ['Once upon a time', 'Tom opened the box and', 'The dog was', 'Lily said'];
const LENGTH = 50;
const LEVEL = 0.01;

/** @typedef {import('../../web/engine/types.js').Settings} Settings */

/**
 * Reads the log-probabilities at positions of the model's texts.
 * @param {Logitscope} scope
 * @param {number} size
 */
export async function readPool(scope, size) {
  const pool = [];
  for (let seed = 0; pool.length < size; seed++) {
    const ids = Array.from(scope.encode(PROMPTS[seed % PROMPTS.length]));
    for (let i = 0; i < LENGTH && pool.length < size; i++) {
      scope.feed(Uint32Array.from(ids));
      const { p } = scope.warp(scope.logits(), { top: 0 });
      const order = Array.from(p.keys()).sort((a, b) => p[b] - p[a] || a - b);
      const top = order.map((id) => ({ id, text: '', logprob: Math.log(Math.max(p[id], 1e-15)) }));
      pool.push(top);
      ids.push(scope.draw({ seed }, { step: i }).id);
      if (ids.at(-1) === scope.info.eos_token_id) break;
    }
  }
  return pool;
}

/**
 * Returns the laws of settings at all positions of a pool.
 * @param {Logitscope} scope
 * @param {Awaited<ReturnType<typeof readPool>>} pool
 * @param {Settings} settings
 * @param {number} listed number of tokens that the record lists
 * @param {number} [decimals] of the printed numbers
 */
export function lawsOf(scope, pool, settings, listed, decimals = 15) {
  const round = (/** @type {number} */ x) => Number(x.toFixed(decimals));
  const positions = pool.map((top) => ({
    token: top[0],
    drawn: true,
    top: top.slice(0, listed).map((one) => ({ ...one, logprob: round(one.logprob) })),
    half_unit: decimals < 15 ? 0.5 * 10 ** -decimals : 0,
  }));
  const record = { raw: /** @type {const} */ ('raw'), vocab_size: pool[0].length, positions };
  return readLaws(record, settings, scope, {});
}

/**
 * Simulates records and audits them.
 * @param {Logitscope} scope
 * @param {{ settings: Settings, laws: Awaited<ReturnType<typeof lawsOf>> }} claim
 * @param {Awaited<ReturnType<typeof lawsOf>>} actual complete laws
 * @param {{ runs: number, tokens: number, seed: number }} how
 */
export function simulate(scope, claim, actual, { runs, tokens, seed }) {
  const random = new Pcg32(seed, 54);
  const sums = actual.map(({ weights }) => {
    let sum = 0;
    return weights.map((weight) => (sum += weight));
  });
  const found = { pit: 0, temperature: 0, tighter: 0, proofs: 0, all: 0 };
  for (let run = 0; run < runs; run++) {
    const draws = Array.from({ length: tokens }, () => {
      const at = Math.floor((random.next() / 2 ** 32) * actual.length);
      const law = claim.laws[at];
      const drawn = Math.min(law.weights.length, pick(sums[at], random));
      return { position: at, law, drawn, share: (random.next() + 0.5) / 2 ** 32 };
    });
    const audit = judge(draws, claim.settings, scope.table);
    found.pit += Number(audit.pit.p_value <= LEVEL);
    found.temperature += Number(audit.temperature.p_value <= LEVEL);
    found.tighter += Number(audit.tighter.p_value <= LEVEL);
    found.proofs += Number(audit.proofs.length > 0);
    found.all += Number(audit.p_value <= LEVEL);
  }
  return Object.fromEntries(Object.entries(found).map(([name, n]) => [name, n / runs]));
}

/** The index of a drawn token. @param {ArrayLike<number>} sums @param {Pcg32} random */
function pick(sums, random) {
  const u = ((random.next() + 0.5) / 2 ** 32) * sums[sums.length - 1];
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] > u) high = middle;
    else low = middle + 1;
  }
  return low;
}

const CLAIMS = [
  { temperature: 1 },
  { temperature: 0.7 },
  { temperature: 0.8, top_k: 40, top_p: 0.95 },
  { temperature: 1.2, min_p: 0.05 },
];
/** [claim, actual] for the table of power. @type {[Settings, Settings][]} */
const PAIRS = [
  ...[0.7, 0.8, 0.9, 1.1, 1.2, 1.3].map((temperature) => [{ temperature: 1 }, { temperature }]),
  ...[0.4, 0.5, 0.6, 0.8, 0.9, 1].map((temperature) => [
    { temperature: 0.7, top_p: 0.95 },
    { temperature, top_p: 0.95 },
  ]),
  [{ top_p: 0.95 }, { top_p: 0.9 }],
  [{ top_p: 0.95 }, { top_p: 0.8 }],
  [{ top_p: 0.9 }, { top_p: 0.95 }],
  [{}, { top_k: 40 }],
  [{}, { min_p: 0.05 }],
];

async function main() {
  const runs = Number(process.argv[2] ?? 10_000);
  const size = Number(process.argv[3] ?? 1000);
  const scope = await Logitscope.load({
    model: new URL('../../models/stories.gguf', import.meta.url),
  });
  const pool = await readPool(scope, size);
  const say = (/** @type {object} */ of) => JSON.stringify(of).replace(/[{}"]/g, '') || 'none';
  const shares = (/** @type {Record<string, number>} */ found) =>
    Object.entries(found)
      .map(([name, x]) => `${name} ${x.toFixed(4)}`)
      .join(', ');
  for (const listed of [pool[0].length, 20]) {
    for (const settings of CLAIMS) {
      const actual = await lawsOf(scope, pool, settings, pool[0].length);
      const laws = await lawsOf(scope, pool, settings, listed, listed > 20 ? 15 : 4);
      for (const tokens of [100, 500]) {
        const found = simulate(scope, { settings, laws }, actual, { runs, tokens, seed: tokens });
        console.log(
          `false alarms | top ${listed} | ${say(settings)} | ${tokens} | ${shares(found)}`,
        );
      }
    }
    for (const [settings, other] of PAIRS) {
      const actual = await lawsOf(scope, pool, other, pool[0].length);
      const laws = await lawsOf(scope, pool, settings, listed, listed > 20 ? 15 : 4);
      for (const tokens of [100, 500, 2000]) {
        const how = { runs: Math.ceil(runs / 20), tokens, seed: tokens + 1 };
        const found = simulate(scope, { settings, laws }, actual, how);
        console.log(
          `power | top ${listed} | claim ${say(settings)} | actual ${say(other)} | ${tokens} | ${shares(found)}`,
        );
      }
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
