/** Compares the answer of a decode loop with the correct one. Each check finds one fault. */
import { reason } from './reasons.js';
import { toyRow } from './toy.js';

/** @import { Engine, Run } from './generation.js' */
/** @import { Failure } from './expect.js' */
/** @import { Property } from './properties.js' */

/** The stages in their order. */
const CHAIN = ['repetition_penalty', 'temperature', 'top_k', 'top_p'];
const NEAR = 2 ** -16;
/** The id of the end token in a model that has none. */
export const NO_END = -1;

/**
 * Returns the correct ids. Returns null if a u is so near to a boundary that rounding may decide.
 * @param {Engine} engine
 * @param {Run} run
 * @param {{ byId?: boolean, seen?: (ids: number[]) => number[] }} [how] byId: true to draw in the order of
 *   the ids; seen: returns the ids that the penalties read
 * @returns {Promise<number[] | null>}
 */
export async function generated(engine, { toy: model, prompt, settings, us }, how = {}) {
  const { byId = false, seen = (/** @type {number[]} */ ids) => ids } = how;
  const { seed, max_new_tokens, ...samplers } = settings;
  const ids = [...prompt];
  for (let step = 0; step < max_new_tokens; step++) {
    const window = ids.slice(-model.context_length);
    const row = toyRow(model, window, window.length - 1);
    const { tokens } = await engine.warp(
      row,
      { ...samplers, top: model.vocab_size },
      { history: seen(ids) },
    );
    const u = us ? us[step] : await engine.random(seed, step);
    let sum = 0;
    let drawn = -1;
    if (byId) tokens.sort((a, b) => a.id - b.id);
    for (const { id, p } of tokens) {
      sum += p;
      if (!us && p > 0 && p < 1 && Math.abs(sum - u) < NEAR) return null;
      if (sum > u && drawn < 0) drawn = id;
    }
    if (drawn < 0) drawn = tokens.filter(({ p }) => p > 0).at(-1)?.id ?? 0;
    ids.push(drawn);
    if (drawn === model.eos_token_id) break;
  }
  return ids.slice(prompt.length);
}

/**
 * Returns the reason why there is no answer; null if there is one.
 * @param {import('./tested-function.js').Answer} answer
 * @returns {Reason | null}
 */
function failureOf({ error, hung, code, params }) {
  if (error === undefined) return null;
  return {
    code: code ?? (hung ? 'hung' : 'threw'),
    params: params ?? { error },
    message: error,
  };
}

/**
 * Returns a run without the end token or without cutting the window, for a course that does not teach these.
 * @param {Run} run
 * @param {string[]} [blind] from the log: `end` or `crop`
 * @returns {Run}
 */
function asKnown({ toy: model, ...run }, blind = []) {
  const eos_token_id = blind.includes('end') ? NO_END : model.eos_token_id;
  const context_length = blind.includes('crop') ? Infinity : model.context_length;
  return { ...run, toy: { ...model, eos_token_id, context_length } };
}

/**
 * Calls the learner's loop and computes the correct answer.
 * @param {Run} run
 * @param {any} asking
 * @returns {Promise<Outcome | null>} null if the loop or the engine cannot do the run
 */
async function answerOf(run, { engine, ask }) {
  const expected = await generated(engine, run);
  if (!expected) return null;
  const { seed } = run.settings;
  const steps = Array.from({ length: 64 }, (_, step) =>
    run.us ? run.us[step % run.us.length] : engine.random(seed, step),
  );
  const streams = { [seed]: Float64Array.from(await Promise.all(steps)) };
  const input = { ...run, streams, expected };
  const answer = await ask(input);
  const { result, log } = answer;
  if (log?.skipped) return null;
  const got = result && typeof result !== 'string' ? result : null;
  const known = log?.blind?.length ? asKnown(run, log.blind) : run;
  const expects = async (/** @type {boolean} */ byId) =>
    known === run && !byId ? expected : generated(engine, known, { byId });
  // A loop that draws with a uniform number may add the probabilities in the order of the ids.
  const byId = log?.uniform ? await expects(true) : null;
  const right = byId && String(byId) === String(got) ? byId : await expects(false);
  if (!right || (log?.uniform && !byId)) return null;
  // The wrong forms must get the same run.
  Object.assign(input, known, { expected: right });
  return {
    expected: right,
    got,
    error: failureOf(answer) ?? (got ? null : reason('no_ids', { what: String(result) })),
    rewrote: answer.rewrote,
    log,
    run: known,
  };
}

/**
 * @typedef {Pick<import('./expect.js').Failure, 'code' | 'params' | 'message'>} Reason
 *
 * @typedef {object} Outcome
 * @property {number[]} expected
 * @property {Float64Array | null} got
 * @property {Reason | null} error
 * @property {boolean} [rewrote] true if the loop wrote to the prompt
 * @property {import('./harness.js').Log} [log]
 * @property {Run} run without the parts that the course's loop does not support
 */

/**
 * @param {(outcome: Outcome, run: Run, engine: Engine) => Reason | null | Promise<Reason | null>} finds
 *   the fault of an outcome, or null
 */
export const check = (finds) => async (/** @type {Run} */ run, /** @type {any} */ asking) => {
  const outcome = await answerOf(run, asking);
  if (!outcome) return null;
  const found = await finds(outcome, outcome.run, asking.engine);
  return found && { expected: outcome.expected, got: outcome.got, ...found };
};

/** @param {Outcome} outcome */
export function otherIds({ expected, got, error }) {
  if (error || !got) return error;
  const at = expected.findIndex((id, i) => id !== got[i]);
  if (at >= 0)
    return at < got.length
      ? reason('another_id', { at })
      : reason('stopped', { count: got.length });
  return got.length > expected.length ? reason('went_on') : null;
}

/** @type {(outcome: Outcome, run: Run) => Reason | null} */
export function wrongWindow({ log, error }, { prompt, toy: { context_length } }) {
  const long = log?.windows.find((ids) => ids.length > context_length);
  if (long) return reason('long_window', { length: context_length, count: long.length });
  const short = log?.windows.find(
    (ids, step) => ids.length < Math.min(context_length, prompt.length + step),
  );
  return short ? reason('short_window', { count: short.length }) : error;
}

/**
 * Finds wrong ids at a low temperature, and says if they are the greedy ones.
 * @type {(outcome: Outcome, run: Run, engine: Engine) => Promise<Reason | null>}
 */
export async function greedyEarly(outcome, run, engine) {
  const found = otherIds(outcome);
  if (!found || !outcome.got) return found;
  const { temperature: t } = run.settings;
  const greedy = await generated(engine, {
    ...run,
    settings: { ...run.settings, temperature: 0 },
  });
  return String(greedy) === String([...outcome.got]) ? reason('greedy_early', { t }) : found;
}

/** @type {(outcome: Outcome, run: Run, engine: Engine) => Promise<Reason | null>} */
export async function exchanged(outcome, run, engine) {
  const found = otherIds(outcome);
  if (!found || !outcome.got) return found;
  const [second, first] = run.order ?? ['', ''];
  const order = CHAIN.map((name) => (name === first ? second : name === second ? first : name));
  const other = await generated(engine, { ...run, settings: { ...run.settings, order } });
  return String(other) === String([...outcome.got]) ? reason('swapped', { first, second }) : found;
}

/** Checks that the largest u draws the last kept token. @type {(outcome: Outcome, run: Run) => Reason | null} */
export function notLast(outcome, { toy: { vocab_size: size } }) {
  const found = otherIds(outcome);
  const [id] = outcome.expected;
  const [other] = outcome.got ?? [];
  if (found?.code !== 'another_id') return found;
  const isId = Number.isInteger(other) && other >= 0 && other < size;
  return isId
    ? reason('not_last', { id, other })
    : reason('invalid_id', { id: String(other), size });
}

/** @type {(outcome: Outcome) => Reason | null} */
export const wrotePrompt = ({ rewrote, error }) => (rewrote ? reason('wrote_prompt') : error);

/** @type {(outcome: Outcome, run: Run) => Reason | null} */
export function reseeded(outcome, { settings: { seed } }) {
  const { log, expected, got } = outcome;
  const count = log?.seeds.length ?? 0;
  if (count > 1 && expected.length > 1) return reason('reseeded', { count });
  if (!log || !got?.length || !otherIds(outcome)) return null;
  const [other] = log.seeds;
  // A loop that was given a generator needs no seed.
  if (count === 0) return log.drawn ? null : reason('unseeded');
  return other === seed ? null : reason('other_seed', { seed: String(other), right: seed });
}

/** @type {(outcome: Outcome) => Reason | null} */
export function asksOften({ log, expected }) {
  const [count, tokens] = [log?.windows.length ?? 0, expected.length];
  return count > tokens ? reason('asked_often', { count, tokens }) : null;
}

/** @type {(outcome: Outcome) => Reason | null} */
export function recordsGraph({ log }) {
  return log?.graph ? reason('graph', { count: log.graph }) : null;
}

/** @type {(outcome: Outcome) => Reason | null} */
export function readsEarly({ log }) {
  return log?.early ? reason('early', { count: log.early }) : null;
}

/** @type {(outcome: Outcome, run: Run) => Reason | null} */
export function wrongEnd(outcome, { toy: { eos_token_id } }) {
  const { expected, got, error } = outcome;
  if (error || !got) return error;
  if (expected.at(-1) !== eos_token_id) return null;
  const at = got.indexOf(eos_token_id);
  if (at < 0) return reason('end_left_out');
  return at < got.length - 1 ? reason('after_end') : null;
}

/**
 * Compares the answers to a run and to a changed run.
 * @param {Partial<Run> & { settings?: object }} change @param {boolean} alike true if the answers must be equal
 */
export const beside =
  (change, alike) => async (/** @type {Run} */ run, /** @type {any} */ asking) => {
    const other = { ...run, ...change, settings: { ...run.settings, ...change.settings } };
    const [one, two] = [await answerOf(run, asking), await answerOf(other, asking)];
    if (!one || !two) return null;
    const error = one.error ?? two.error;
    if (error) return { expected: one.expected, got: one.got, ...error };
    const same = String(one.got) === String(two.got);
    if (same === alike) return null;
    const why = reason(alike ? 'not_alike' : 'alike', {
      settings: JSON.stringify(change.settings),
    });
    return { expected: one.expected, got: two.got, ...why };
  };

/**
 * Accepts that a loop refuses a setting that means nothing, as the lesson's function does.
 * @type {Property['fails']}
 */
export async function refusesRun(run, { ask, note }) {
  const { error, hung, log } = await ask({
    ...run,
    streams: { [run.settings.seed]: new Float64Array(64) },
  });
  const { temperature } = run.settings;
  const settings = run.prompt.length ? JSON.stringify({ temperature }) : 'an empty prompt';
  const why = reason('no_refusal', { settings });
  if (hung) return { expected: null, got: null, ...why };
  if (error === undefined && !log?.skipped) note(why);
  return null;
}

/** @type {(outcome: Outcome, run: Run) => Reason | null} */
export function otherLength({ got, error, expected }) {
  if (error || !got) return error;
  return got.length === expected.length
    ? null
    : reason('other_length', { expected: expected.length, count: got.length });
}

/** @type {(outcome: Outcome, run: Run) => Reason | null} */
export function invalidIds({ got, error }, { toy: { vocab_size } }) {
  if (error || !got) return error;
  const id = got.find((it) => !(Number.isInteger(it) && it >= 0 && it < vocab_size));
  if (id !== undefined) return reason('invalid_id', { id, size: vocab_size });
  return got.length ? null : reason('stopped', { count: 0 });
}

/** @type {(outcome: Outcome, run: Run) => Reason | null} */
export function promptToo(outcome, { prompt }) {
  const { got, error } = outcome;
  if (error || !got) return error;
  if (prompt.every((id, i) => got[i] === id)) return reason('prompt_too');
  return otherIds(outcome);
}
