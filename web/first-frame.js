/**
 * The first frame: the page shows this landscape of the first prompt until engine and model have
 * loaded. The build computes it. Its texts show the engine's own numbers. Of the rivers it keeps
 * the logits of their tokens and their sums at each value of the knob; web/state/first-frame.js computes
 * the rivers from these.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Logitscope } from './engine/index.js';
import { FIRST_SCREEN } from './state/first-frame.js';
import { valuesOf } from './state/knob-values.js';
import { READ_TOP, SLICE_TOP, TEXT_TOKENS } from './state/landscape.js';
import { MODELS } from './state/models.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Significant digits and decimals of numbers that only place pixels. */
const [DIGITS, DECIMALS] = [8, 7];

/** @type {Promise<import('./state/first-frame.js').BuiltFrame | null> | undefined} */
let made;

/** Null if there is no model file yet. */
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
  scope.feed(ids);
  const { trace, drawn } = scope.read({ ...asked, top: READ_TOP }, { step: 0 });
  const row = /** @type {import('./engine/types.js').TableRow} */ (
    table.find(({ name }) => name === knob)
  );
  const values = valuesOf(row);
  const options = { top: SLICE_TOP, step: 0 };
  const landscape = scope.landscape(asked, knob, values, options);
  const all = scope.logits();
  // Temperature alone keeps the same tokens in the same order at each value.
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
    tokens: trace.tokens.map(({ id, rank, p, p_raw }) => [id, rank, p, p_raw]),
    rest: trace.rest,
    drawn,
    steps: steps.map(({ id, text }) => [id, text]),
    names: [...known].map((id) => [id, scope.piece(id).text]),
    ids: listed,
    logits: listed.map((id) => Number(all[id].toPrecision(DIGITS))),
    sums: sums.map((sum) => Number(sum.toFixed(DECIMALS))),
  };
  scope.close();
  return /** @type {import('./state/first-frame.js').BuiltFrame} */ (built);
}
