/**
 * What the engine makes of an input, and whether an answer agrees with it. Tokens within 2^-20 of a
 * boundary may go either way, by the engine's own answer a little to each side.
 */

/** @typedef {import('./inputs.js').Case} Case */

/**
 * The engine, here or behind a worker.
 * @typedef {object} Engine
 * @property {import('../engine/types.js').TableRow[]} table
 * @property {(logits: Float32Array, settings: any, options: { history: number[] }) =>
 *   import('../engine/types.js').WarpTrace | Promise<import('../engine/types.js').WarpTrace>} warp
 */

/**
 * @typedef {object} Expected
 * @property {Float32Array} logits
 * @property {(id: number) => boolean} stays
 * @property {(id: number) => boolean} free whether it may stay or go
 */

/**
 * What is wrong, and where lists show it what was right.
 * @typedef {object} Failure
 * @property {ArrayLike<number> | null} expected
 * @property {ArrayLike<number> | null} got
 * @property {string} [message]
 * @property {string} [code] of `message`, for another language
 * @property {Record<string, string | number>} [params] what its sentence names
 */

export const NEAR = 2 ** -20;

/** What can be wrong, by code; sampler.fail.CODE on the page. */
export const REASONS = {
  soft: 'token {id} is {value}: it keeps a place among the tokens',
  another_logit: 'token {id} has another logit',
  lost_best: 'the most probable token is gone or no longer the best',
  emptied: 'no token is left',
  came_back: 'token {id} was removed before and is back',
  changed: 'token {id} has changed',
  counts: '{expected} should stay, {got} did',
  overtaken: 'token {id} has overtaken token {other}',
  risen: 'the logit of token {id} has risen',
  should_go: 'token {id} should be removed',
  should_stay: 'token {id} should stay',
  subset: 'token {id} stays with {settings} and goes with looser ones',
  swapped: 'this is what {first} before {second} gives',
  probabilities: 'these are probabilities: the softmax comes after the chain',
  no_ids: 'it returned {what}, not a list of ids',
  another_id: 'token {at} is another',
  stopped: 'it stopped after {count} tokens',
  went_on: 'it went on after the end',
  long_window: 'the model sees {length} tokens at most and was asked with {count}',
  short_window: 'the model was asked with {count} tokens where there were more',
  reseeded: 'rng was called {count} times: each call begins the same numbers again',
  early: 'it read {count} rows that are not the last, work for nothing',
  end_left_out: 'the end token was drawn and is left out of the ids',
  after_end: 'it went on after the end token',
  untried: 'not tried: it took too long {count} times',
};

/**
 * @param {keyof typeof REASONS} code
 * @param {Record<string, string | number>} [params] what its sentence names
 */
export function reason(code, params = {}) {
  const message = REASONS[code].replace(/\{(\w+)\}/g, (_, name) => String(params[name]));
  return { code, params, message };
}

/**
 * @param {Engine} engine
 * @param {Case} input
 * @param {object} [other] settings over those of the input
 */
export async function warped(engine, { logits, settings, history }, other = {}) {
  const trace = await engine.warp(
    Float32Array.from(logits),
    { ...settings, ...other, top: 0 },
    { history },
  );
  return trace.logits;
}

/**
 * @param {Engine} engine
 * @param {Case} input
 * @param {((settings: any) => object[]) | null} nudge settings to either side of the boundary
 * @returns {Promise<Expected>}
 */
export async function expect(engine, input, nudge) {
  const logits = await warped(engine, input);
  /** @type {Float32Array[]} */
  const sides = [];
  for (const other of nudge?.(input.settings) ?? []) sides.push(await warped(engine, input, other));
  const stays = (/** @type {Float32Array} */ list, /** @type {number} */ id) =>
    list[id] !== -Infinity;
  return {
    logits,
    stays: (id) => stays(logits, id),
    free: (id) => sides.some((side) => stays(side, id) !== stays(logits, id)),
  };
}

/**
 * Equal, as far as rounding to float32 and another order of operations go.
 * @param {number} a
 * @param {number} b
 */
export const close = (a, b) => a === b || Math.abs(a - b) <= NEAR * Math.max(1, Math.abs(b));

/**
 * @param {Expected} expected
 * @param {ArrayLike<number>} got
 * @param {boolean} [exactly] whether a token that stays keeps its number; else only the set counts
 * @returns {Failure | null}
 */
export function disagreement({ logits, stays, free }, got, exactly = true) {
  for (let id = 0; id < logits.length; id++) {
    const stayed = got[id] !== -Infinity;
    if (stayed !== stays(id) && free(id)) continue;
    if (stayed === stays(id) && (!stayed || !exactly || close(got[id], logits[id]))) continue;
    const wrong = stayed ? 'should_go' : 'should_stay';
    const code = stayed === stays(id) ? 'another_logit' : wrong;
    return { expected: logits, got, ...reason(code, { id }) };
  }
  return null;
}
