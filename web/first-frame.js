/**
 * Computes the first frame when the site is built: the landscape of the first prompt, which is shown until engine and
 * model have loaded. Numbers in texts are exact. The rivers are stored as logits of their tokens and sums of p;
 * web/state/first-frame.js computes their shapes.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Logitscope } from './engine/index.js';
import { TEXT_TOKENS, textOptions } from './state/crossing.js';
import { FIRST_SCREEN } from './state/first-frame.js';
import { valuesOf } from './state/knob-values.js';
import { marksOf } from './state/ladder.js';
import { READ_TOP, SLICE_TOP } from './state/landscape.js';
import { MODELS } from './state/models.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Digits of the logits, and decimals of the sums. They only affect shapes on the screen. */
const [DIGITS, DECIMALS] = [9, 9];

/** @type {Promise<import('./state/first-frame.js').BuiltFrame | null> | undefined} */
let made;

/** Returns the first frame, which is computed once; null without the model's file. */
export function firstFrame() {
  return (made ??= compute());
}

/** @returns {Promise<import('./state/first-frame.js').BuiltFrame | null>} */
async function compute() {
  const [{ model, examples }] = MODELS;
  const file = join(root, String(model));
  if (!existsSync(file)) return null;
  const { knob, settings, seed } = FIRST_SCREEN;
  const [prompt] = examples;
  const scope = await Logitscope.load({ model: await readFile(file) });
  const { table } = scope;
  const asked = { ...settings, seed };
  const ids = scope.encode(prompt);
  const { steps } = await scope.write({ ...asked, prompt, max_new_tokens: TEXT_TOKENS });
  const row = /** @type {import('./engine/types.js').TableRow} */ (
    table.find(({ name }) => name === knob)
  );
  const rungs = [];
  for (const value of marksOf(row)) {
    const crossing = { ids: [...ids], past: [], settings: { ...asked, [knob]: value }, u: null };
    rungs.push([
      value,
      (await scope.write(textOptions(crossing))).steps.map(({ id, text }) => [id, text]),
    ]);
  }
  scope.feed(ids);
  const { trace, drawn } = scope.read({ ...asked, top: READ_TOP }, { step: 0 });
  const values = valuesOf(row);
  const options = { top: SLICE_TOP, step: 0 };
  const landscape = scope.landscape(asked, knob, values, options);
  const all = scope.logits();
  // Temperature does not change the order of tokens, so all values have the same best tokens.
  const listed = Array.from(landscape.ids.subarray(-SLICE_TOP));
  const sums = Array.from(values, (_, i) =>
    landscape.p.subarray(i * SLICE_TOP, (i + 1) * SLICE_TOP).reduce((sum, p) => sum + p, 0),
  );
  const known = new Set([...listed, drawn.id, ...trace.tokens.map(({ id }) => id)]);
  const built = {
    prompt,
    table,
    eos: /** @type {number | null} */ (scope.info?.eos_token_id ?? null),
    vocab_size: trace.vocab_size,
    entropy: trace.entropy,
    perplexity: trace.perplexity,
    tokens: trace.tokens.map(({ id, rank, p, p_raw }) => [id, rank, p, p_raw]),
    rest: trace.rest,
    drawn,
    steps: steps.map(({ id, text }) => [id, text]),
    rungs,
    names: [...known].map((id) => [id, scope.piece(id).text]),
    ids: listed,
    logits: listed.map((id) => Number(all[id].toPrecision(DIGITS))),
    sums: sums.map((sum) => Number(sum.toFixed(DECIMALS))),
  };
  scope.close();
  return /** @type {import('./state/first-frame.js').BuiltFrame} */ (built);
}
