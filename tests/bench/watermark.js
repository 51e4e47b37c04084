/**
 * Measures the detection of watermarks, also in edited texts: node tests/bench/watermark.js [TEXTS]. The shipped model
 * `stories` writes the texts, each with another key. Prints a table for docs/samplers.md.
 */
import { Logitscope, detect } from '../../web/engine/index.js';

const TEXTS = Number(process.argv[2] ?? 100);
const LENGTHS = [25, 50, 100, 200];
const TEMPERATURES = [0, 0.3, 0.7, 1, 1.5];
const EDITS = [0.1, 0.3, 0.5, 0.7];
const MARKS = {
  'green list, δ 2': { green_bias: 2 },
  'green list, δ 4': { green_bias: 4 },
  'green list, δ 2, h 3': { green_bias: 2, green_context: 3 },
  'green list, δ 2, h 3, self': { green_bias: 2, green_context: 3, green_self: 1 },
  SynthID: { synthid_depth: 30 },
};

const model = new URL('../../models/stories.gguf', import.meta.url);
const scope = await Logitscope.load({ model });

/** @param {object} settings @param {number} seed @param {number} length */
async function write(settings, seed, length) {
  const ids = [];
  const logit_bias = { [Number(scope.info.eos_token_id)]: /** @type {false} */ (false) };
  const asked = { prompt: 'Once upon a time', max_new_tokens: length, logit_bias };
  for await (const { id } of scope.generate({ ...asked, ...settings, seed })) ids.push(id);
  return ids;
}

/**
 * Returns a text after random edits: a share of its ids is replaced by ids of `other`.
 * @param {number[]} ids
 * @param {number[]} other
 * @param {number} share
 * @param {number} seed
 */
const edit = (ids, other, share, seed) =>
  ids.map((id, i) => (scope.random(seed, i) < share ? other[i] : id));

/**
 * Returns the median z, and the percentage of texts with p of at most 1 %.
 * @param {{ z: number, p: number }[]} found
 */
function sumUp(found) {
  const zs = found.map(({ z }) => z).sort((a, b) => a - b);
  const share = found.filter(({ p }) => p <= 0.01).length / found.length;
  return `z ${zs[zs.length >> 1].toFixed(1)}, ${(100 * share).toFixed(0)} % found`;
}

/**
 * Returns the detector's results for all texts; SynthID uses the weighted mean.
 * @param {number[][]} texts
 * @param {object} mark
 * @param {(i: number) => number} [keyOf]
 */
async function judge(texts, mark, keyOf = (i) => i) {
  const found = [];
  for (const [i, ids] of texts.entries())
    found.push(...(await detect(scope, ids, { ...mark, watermark_key: keyOf(i) })));
  const scored = found.reduce((sum, { n }) => sum + n, 0) / found.length;
  const weighted = found.flatMap((it) => it.weighted ?? []);
  const also = weighted.length ? `; weighted ${sumUp(weighted)}` : '';
  return `${sumUp(found)}, ${scored.toFixed(0)} scored${also}`;
}

const say = (/** @type {string[]} */ ...words) => console.log(words.join(': '));

/** @param {object} settings @param {number} length @param {boolean} [keyed] */
async function writeAll(settings, length, keyed = true) {
  const texts = [];
  for (let i = 0; i < TEXTS; i++)
    texts.push(await write({ ...settings, ...(keyed && { watermark_key: i }) }, i, length));
  return texts;
}

const plain = [];
for (let i = 0; i < TEXTS; i++) plain.push(await write({}, 50_000 + i, 200));
for (const [name, mark] of Object.entries(MARKS)) {
  say(name, 'plain', await judge(plain, mark));
  say(name, 'plain, one key for all', await judge(plain, mark, () => 1));
  for (const temperature of TEMPERATURES) {
    const texts = await writeAll({ ...mark, temperature }, temperature === 1 ? 200 : 100);
    const hundred = texts.map((ids) => ids.slice(0, 100));
    say(name, `T ${temperature}, 100 tokens`, await judge(hundred, mark));
    if (temperature !== 1) continue;
    for (const length of LENGTHS) {
      const cut = texts.map((ids) => ids.slice(0, length));
      say(name, `T 1, ${length} tokens`, await judge(cut, mark));
    }
    for (const share of EDITS) {
      const edited = hundred.map((ids, i) => edit(ids, plain[i], share, i));
      say(name, `T 1, 100 tokens, ${share} replaced`, await judge(edited, mark));
    }
  }
}
scope.close();
