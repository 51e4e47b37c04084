/**
 * The measures that a lesson may ask for. The engine computes most of them from a state, or from texts that it
 * writes; a few are formulas. So answers are right for any prompt, model and settings.
 */
import { readSecond } from '../engine/second-distribution.js';
import { figuresOf, run } from '../engine/compare.js';
import { countStep, countText, exponentOf } from '../engine/step-costs.js';
import { needsGrammar } from '../engine/measures.js';
import { sweep } from '../engine/sweep.js';
import { crc32 } from './crc32.js';
import { wholeOrder } from './figure-change.js';
import { OF_LAW, readLaws } from './law-measures.js';

/** @import { Trace, TraceToken, Drawn } from '../engine/types.js' */
/** @import { Counted } from '../engine/step-costs.js' */
/** @import { Grammar } from '../engine/grammar.js' */
/** @import { Figures } from '../engine/compare.js' */

/**
 * @typedef {{ trace: Trace, drawn: Drawn, settings: Record<string, any> }} Read
 *
 * A text that a state wrote, its finish reason and, if the text is unfinished, the state of its constraint.
 * @typedef {{ text: string, finish: string, next: import('../engine/types.js').ConstraintState | null,
 *   stages: Trace['stages'] }} Written
 * @typedef {{ text: string, bits: number }[]} Given the tokens of a given text; bits: their surprisal
 *
 * A measure to compute, with its parameters. `settings`, `choices` and `u` replace those of the state. `text`
 * is a given text after the prompt.
 * @typedef {{ measure: string, rank?: number, token?: string, setting?: string, u?: number, text?: string,
 *   settings?: Record<string, any>, choices?: Record<string, any> }} Asked
 *
 * @typedef {object} LessonMeasure
 * @property {'share' | 'tokens' | 'bits' | 'number' | 'count' | 'token' | 'flag'} unit a count is a whole number
 *   and may be large; a flag is 1 or 0
 * @property {readonly ('rank' | 'token' | 'setting' | 'u' | 'text')[]} of its parameters; either rank or token is enough
 * @property {'trace' | 'texts' | 'steps' | 'written' | 'given' | 'drawn' | 'law'} [from] its source; `trace` by default
 * @property {(read: any, asked: Asked) => number | string | undefined} read returns undefined if there is no value
 */

/** Number of tokens in a trace: so many that a lesson can name most tokens. */
export const LISTED = 400;

/** Number of tokens in a text, unless the lesson says another. */
export const WRITTEN = 40;

/** @param {Read} read @param {Asked} asked @returns {TraceToken | undefined} */
function tokenOf({ trace }, { rank = 1, token }) {
  if (token === undefined) return trace.tokens[rank - 1];
  const named = trace.tokens.find(({ text }) => text === token);
  return named ?? trace.tokens.find(({ text }) => text.trim() === token.trim());
}

/** @param {Read} read */
const drawnText = ({ trace, drawn }) => trace.tokens.find(({ id }) => id === drawn.id)?.text;

/** Turns NaN into undefined: it is the mean of no texts. @param {number} mean */
const knownMean = (mean) => (Number.isNaN(mean) ? undefined : mean);

/** Measures over many texts, computed as in a sweep. @type {Record<string, LessonMeasure>} */
const OF_TEXTS = Object.fromEntries(
  ['ttr', 'distinct_2', 'distinct_texts', 'correctness', 'valid', 'tense', 'person'].map((name) => [
    name,
    { unit: 'share', of: [], from: 'texts', read: (found) => knownMean(found[name].mean) },
  ]),
);

/** @param {(counted: Counted) => number} count @param {'count' | 'number'} [unit] @returns {LessonMeasure} */
const countMeasure = (count, unit = 'count') => ({ unit, of: [], from: 'steps', read: count });

/** Returns the number of tokens in the context after a text. @param {Counted} counted */
const contextAfter = ({ prompt_tokens, new_tokens }) => prompt_tokens + new_tokens;

/** Costs of writing a text, computed by formulas. @type {Record<string, LessonMeasure>} */
const OF_STEPS = {
  step_cost: countMeasure(
    (all) => countStep(contextAfter(all), contextAfter(all), all.width).matrix,
  ),
  step_cost_cached: countMeasure((all) => countStep(contextAfter(all), 1, all.width).matrix),
  text_cost: countMeasure((all) => countText(all, false).matrix),
  text_cost_cached: countMeasure((all) => countText(all, true).matrix),
  cost_exponent: countMeasure((all) => exponentOf(all, false).matrix, 'number'),
  cost_exponent_cached: countMeasure((all) => exponentOf(all, true).matrix, 'number'),
  attention_exponent: countMeasure((all) => exponentOf(all, false).attention, 'number'),
};

/** Returns a token's logit with its bias. @param {Read} read @param {TraceToken} token */
function biasedLogit({ settings }, { id, logit }) {
  const bias = settings.logit_bias?.[id] ?? 0;
  return bias === false ? -Infinity : logit + bias;
}

/**
 * Returns the smallest bias that makes a token's logit as large as the largest other one.
 * @param {Read} read
 * @param {Asked} asked
 */
function biasToWin(read, asked) {
  const own = tokenOf(read, asked);
  if (!own) return undefined;
  const others = read.trace.tokens.filter(({ id }) => id !== own.id);
  return Math.max(...others.map((other) => biasedLogit(read, other))) - own.logit;
}

/** @param {string} text */
function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Measures of one text, given or written. @type {Record<string, LessonMeasure>} */
const OF_TEXT = {
  digest: { unit: 'token', of: [], from: 'written', read: ({ text }) => crc32(text) },
  valid_json: { unit: 'flag', of: [], from: 'written', read: ({ text }) => Number(isJson(text)) },
  mean_kept: {
    unit: 'number',
    of: [],
    from: 'drawn',
    read: (/** @type {Figures} */ { mean_kept }) => mean_kept ?? undefined,
  },
  bits: {
    unit: 'bits',
    of: ['text'],
    from: 'given',
    read: (/** @type {Given} */ given) =>
      given.reduce((sum, { bits }) => sum + bits, 0) / given.length,
  },
  least_expected: {
    unit: 'token',
    of: ['text'],
    from: 'given',
    read: (/** @type {Given} */ given) =>
      given.find(({ bits }) => bits === Math.max(...given.map((each) => each.bits)))?.text,
  },
};

/** @type {Readonly<Record<string, LessonMeasure>>} */
export const LESSON_MEASURES = Object.freeze({
  p: { unit: 'share', of: ['rank', 'token'], read: (read, asked) => tokenOf(read, asked)?.p },
  p_raw: {
    unit: 'share',
    of: ['rank', 'token'],
    read: (read, asked) => tokenOf(read, asked)?.p_raw,
  },
  rank: { unit: 'number', of: ['token'], read: (read, asked) => tokenOf(read, asked)?.rank },
  kept: { unit: 'tokens', of: [], read: ({ trace }) => trace.kept },
  removed: { unit: 'tokens', of: [], read: ({ trace }) => trace.vocab_size - trace.kept },
  vocabulary: { unit: 'tokens', of: [], read: ({ trace }) => trace.vocab_size },
  mass: { unit: 'share', of: [], read: ({ trace }) => trace.kept_mass_raw },
  mass_removed: { unit: 'share', of: [], read: ({ trace }) => 1 - trace.kept_mass_raw },
  entropy: { unit: 'bits', of: [], read: ({ trace }) => trace.entropy },
  perplexity: { unit: 'number', of: [], read: ({ trace }) => trace.perplexity },
  bias_to_win: { unit: 'number', of: ['token'], read: biasToWin },
  token: { unit: 'token', of: ['rank'], read: (read, asked) => tokenOf(read, asked)?.text },
  token_at_u: { unit: 'token', of: ['u'], read: drawnText },
  setting: {
    unit: 'number',
    of: ['setting'],
    read: ({ settings }, { setting = '' }) => settings[setting],
  },
  ...OF_TEXT,
  ...OF_TEXTS,
  ...OF_LAW,
  ...OF_STEPS,
});

/** @typedef {{ logits?: number[], tokens?: string[], model?: string, prompt?: string,
 *   settings?: Record<string, any>, seed?: number, u?: number, choices?: Record<string, any> }} LessonState
 *   */

/** True if a measure needs the model's grammar. @param {Asked} asked */
export const needsRules = ({ measure: name }) => needsGrammar(name) || name === 'right';

/** Returns where a measure comes from. @param {Asked} asked */
export const sourceOf = ({ measure: name }) => LESSON_MEASURES[name].from ?? 'trace';

/**
 * Reads the next-token distribution of a state: of its logits, or after its prompt.
 * @param {any} engine with a model, unless the state contains logits
 * @param {any} session of that engine; may be the engine itself
 * @param {LessonState} state
 * @param {Asked} asked
 * @returns {Promise<Read>}
 */
export async function readState(engine, session, state, asked) {
  const { seed, ...settings } = settingsOf(engine, state, asked);
  const u = asked.u ?? state.u;
  const choice = u === undefined ? { step: 0 } : { u };
  const listed = { ...settings, seed, top: LISTED };
  const all = { ...settings, seed };
  if (!state.logits) {
    const ids = await engine.encode(state.prompt ?? '');
    await session.feed(ids);
    const second = await readSecond(engine, settings, ids);
    if (second) await session.second(second);
    return { ...(await session.read(listed, choice)), settings: all };
  }
  const read = await engine.readFrom(Float32Array.from(state.logits), listed, choice);
  const tokens = read.trace.tokens.map((/** @type {TraceToken} */ token) => ({
    ...token,
    text: state.tokens?.[token.id] ?? String(token.id),
  }));
  return { drawn: read.drawn, trace: { ...read.trace, tokens }, settings: all };
}

/**
 * Returns all settings of a state, with neutral values for missing ones, so that each can be measured.
 * @param {any} engine
 * @param {LessonState} state
 * @param {Asked} asked
 * @returns {Record<string, any>}
 */
function settingsOf({ table }, state, asked) {
  const samplers = table.filter(
    (/** @type {any} */ { sampler, kind }) => sampler && kind !== 'map',
  );
  const neutral = samplers.map((/** @type {any} */ row) => [row.name, row.neutral]);
  const set = { ...state.settings, ...asked.settings };
  const order = set.order ? { order: wholeOrder(set.order, table) } : {};
  return { seed: state.seed ?? 0, ...Object.fromEntries(neutral), ...set, ...order };
}

/**
 * Measures texts that the engine writes, as a sweep does at one point.
 * @param {any} engine
 * @param {LessonState} state
 * @param {Asked} asked
 * @param {Grammar | null} grammar
 * @param {import('../engine/crowd.js').CrowdOptions} [crowd]
 */
async function readTexts(engine, state, asked, grammar, crowd) {
  const settings = settingsOf(engine, state, asked);
  const { samples, max_new_tokens } = { ...state.choices, ...asked.choices };
  const axes = [{ name: 'temperature', values: [settings.temperature] }];
  const { prompt = '' } = state;
  const measures = [asked.measure];
  const plan = { axes, measures, prompt, settings, samples, max_new_tokens, grammar };
  for await (const point of sweep(engine, plan, undefined, crowd)) return point.measures;
}

/**
 * Writes the text of a state.
 * @param {any} engine
 * @param {any} session
 * @param {LessonState} state
 * @param {Partial<Asked>} [asked]
 * @returns {Promise<Written>}
 */
export async function writeText(engine, session, state, asked = {}) {
  const settings = settingsOf(engine, state, /** @type {Asked} */ (asked));
  const { length = WRITTEN } = { ...state.choices, ...asked.choices };
  const u = asked.u ?? state.u;
  const first = u === undefined || settings.draw === 'gumbel' ? {} : { u };
  const { prompt = '' } = state;
  const options = { ...settings, ...first, prompt, max_new_tokens: length };
  const { text, finish_reason: finish, prompt_ids, ids } = await session.write(options);
  if (!settings.constraint || finish !== 'length') return { text, finish, next: null, stages: [] };
  const begun = { ...settings, constraint_start: prompt_ids.length };
  const { constraint, stages } = await session.distribution(begun, { step: ids.length });
  return { text, finish, next: constraint, stages };
}

/**
 * One round of the decode loop. `pieces`: the tokens so far; `size`: the number of logits; `tokens`: the most
 * probable tokens; `ends`: true if the drawn token ends the text.
 * @typedef {{ pieces: string[], size: number, tokens: Listed[], drawn: Listed, u: number,
 *   ends: boolean }} LoopRound
 * @typedef {{ id: number, text: string, p: number }} Listed
 */

/**
 * Runs the first rounds of the decode loop of a state.
 * @param {any} engine
 * @param {any} session
 * @param {LessonState} state
 * @param {number} rounds
 * @returns {Promise<LoopRound[]>}
 */
export async function readLoop(engine, session, state, rounds) {
  const settings = { ...settingsOf(engine, state, /** @type {any} */ ({})), top: LISTED };
  const textOf = async (/** @type {number} */ id) => (await engine.piece(id)).text;
  const ids = [...(await engine.encode(state.prompt ?? ''))];
  const special = ids.length > 0 && (await engine.piece(ids[0])).special ? 1 : 0;
  const pieces = await Promise.all(ids.slice(special).map(textOf));
  const { vocab_size: size, eos_token_id } = engine.info;
  /** @type {LoopRound[]} */
  const found = [];
  while (found.length < rounds && found.at(-1)?.ends !== true) {
    await session.feed(Uint32Array.from(ids));
    const { trace, drawn } = await session.read(settings, { step: found.length });
    const { id, p, u } = drawn;
    const text = await textOf(id);
    const tokens = trace.tokens.map((/** @type {TraceToken} */ token) => ({
      id: token.id,
      text: token.text,
      p: token.p,
    }));
    const ends = id === eos_token_id;
    found.push({ pieces: [...pieces], size, tokens, drawn: { id, text, p }, u, ends });
    ids.push(id);
    pieces.push(text);
  }
  return found;
}

/**
 * Reads the surprisal of each token of a given text, by the distribution before the chain.
 * @param {any} engine
 * @param {any} session
 * @param {LessonState} state
 * @param {Asked} asked
 * @returns {Promise<Given>}
 */
async function readGiven(engine, session, { prompt = '' }, { text = '' }) {
  const found = [];
  const strategy = { kind: /** @type {const} */ ('given'), settings: {}, text };
  for await (const step of run(engine, session, strategy, { prompt, seed: 0 }))
    found.push({ text: step.text, bits: step.bits_raw });
  return found;
}

/**
 * Writes the text of a state and measures it, as a comparison does.
 * @param {any} engine
 * @param {any} session
 * @param {LessonState} state
 * @param {Asked} asked
 */
async function readDrawn(engine, session, state, asked) {
  const { seed, ...settings } = settingsOf(engine, state, asked);
  const { length = WRITTEN } = { ...state.choices, ...asked.choices };
  const { prompt = '' } = state;
  const steps = [];
  const options = { prompt, seed, max_new_tokens: length };
  for await (const step of run(engine, session, { settings }, options)) steps.push(step);
  return figuresOf(engine, steps);
}

/**
 * Measures a state.
 * @param {Asked} asked
 * @param {LessonState} state
 * @param {any} engine null if the measure is only counted
 * @param {any} [session] of that engine; may be the engine itself
 * @param {Grammar | null} [grammar] judges the texts
 * @param {import('../engine/crowd.js').CrowdOptions} [crowd] the workers that write many texts
 */
export async function measure(asked, state, engine, session = engine, grammar = null, crowd = {}) {
  const { from = 'trace', read } = LESSON_MEASURES[asked.measure];
  if (from === 'steps') return read({ ...state.choices, ...asked.choices }, asked);
  if (from === 'written') return read(await writeText(engine, session, state, asked), asked);
  if (from === 'given') return read(await readGiven(engine, session, state, asked), asked);
  if (from === 'drawn') return read(await readDrawn(engine, session, state, asked), asked);
  if (from === 'texts') return read(await readTexts(engine, state, asked, grammar, crowd), asked);
  if (from === 'law') {
    const choices = { ...state.choices, ...asked.choices };
    const settings = settingsOf(engine, state, asked);
    return read(await readLaws(engine, state.prompt ?? '', settings, choices, grammar), asked);
  }
  return read(await readState(engine, session, state, asked), asked);
}

/**
 * Returns the part of a report that describes the present figure; all null without a figure.
 * @param {import('../engine/types.js').Trace | null} trace
 */
export function figureReport(trace) {
  const tokens = trace?.tokens.map(({ id, text, rank, p, p_raw }) => ({
    id,
    text,
    rank,
    p,
    p_raw,
  }));
  return {
    distribution: tokens ?? null,
    kept: trace?.kept ?? null,
    entropy: trace?.entropy ?? null,
  };
}
