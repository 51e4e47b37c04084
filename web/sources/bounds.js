/**
 * Bounds of a chain over a distribution; the server listed only some of its tokens. They hold for every hidden tail that
 * the numbers allow. As soon as no hidden token is left and all logits are known to the bit, the engine runs the rest of
 * the chain on the listed tokens: its numbers are exact.
 */
import { LogitscopeError, mustBe } from '../engine/errors.js';
import { resolveSettings } from '../engine/settings.js';
import { GONE, MAYBE, entropyOf, isWhole, positionOf, sharesOf, weigh } from './position.js';
import { STAGES } from './stage-bounds.js';
import { countOf, keepLast } from './verdicts.js';

/**
 * @import { Interval } from './tail.js'
 * @import { Position, Partial } from './position.js'
 * @import { Engine, Run } from './verdicts.js'
 *
 * @typedef {object} StageBounds
 * @property {string} name
 * @property {number} value
 * @property {boolean} exact true if the hidden tail leaves nothing open after this stage
 * @property {boolean} bounded false if no bounds of this stage are known: p is then between 0 and 1
 * @property {Interval} kept number of tokens; infinite if the size of the vocabulary is unknown
 *
 * @typedef {object} Bounds
 * @property {StageBounds[]} stages the active ones, in the order applied
 * @property {{ index: number, p: Interval, removed_by: null | string | { maybe: string } }[]} tokens
 * @property {Interval} rest probability of all hidden tokens
 * @property {Interval} entropy in bits
 * @property {boolean} settled true if the tail leaves nothing open but rounding
 * @property {boolean} exact true if every number is the engine's own
 */

/** An interval of p that is narrower is open by rounding alone. */
const NARROW = 1e-5;
/** Stages with the size of the vocabulary in their rule. */
const SIZED = ['p_less', 'mirostat'];

/** @param {ArrayLike<number>} logprobs */
function checkLogprobs(logprobs) {
  if (logprobs.length === 0) throw new LogitscopeError('empty', 'no_numbers');
  for (let i = 0; i < logprobs.length; i++)
    if (!Number.isFinite(logprobs[i])) throw mustBe('logprobs', 'finite', logprobs[i], i);
}

/**
 * The active stages in their order, as src/settings.c decides.
 * @param {Engine['table']} table
 * @param {ReturnType<typeof resolveSettings>} resolved
 */
function activeOf(table, { values, order }) {
  return order.filter((name) => {
    const row = table.find((one) => one.name === name);
    if (!row) return true;
    if (name === 'logit_bias') return Object.keys(values.logit_bias ?? {}).length > 0;
    const replaced = name === 'adaptive_target' || row.group === 'truncation';
    if (values.mirostat !== 0 && name !== 'mirostat' && replaced) return false;
    if (name === 'temperature' && values.dynatemp_range !== 0) return false;
    return values[name] !== row.neutral;
  });
}

/**
 * Makes the settings with some stages alone.
 * @param {Engine['table']} table
 * @param {Record<string, any>} settings
 */
const onlyOf = (table, settings) => (/** @type {string[]} */ names) => {
  const neutral = table
    .filter(({ name, sampler }) => sampler && !names.includes(name))
    .map(({ name, neutral: value }) => [name, name === 'logit_bias' ? {} : value]);
  const { constraint, banned_words, forced_first, own, draw, ...others } = settings;
  const kept = Object.fromEntries(neutral);
  // The temperature is a parameter of dynamic temperature too.
  if (names.includes('dynatemp_range')) delete kept.temperature;
  if (!names.includes('dry_multiplier')) kept.dry_sequence_breakers = [];
  return { ...others, ...kept, order: names };
};

/**
 * Bounds of p for each listed token, and of the tokens that each stage keeps.
 * @param {Engine} engine
 * @param {Partial} partial
 * @param {Record<string, any>} settings
 * @param {{ history?: ArrayLike<number>, step?: number }} [options] history: indices of the list; a token that the
 *   list lacks has an index after its end. Keys of logit_bias are such indices too
 * @returns {Promise<Bounds>}
 */
export async function boundsOf(engine, partial, settings, { history = [], step = 0 } = {}) {
  checkLogprobs(partial.logprobs);
  const { table } = engine;
  const resolved = resolveSettings(table, settings);
  const { values, gates } = resolved;
  const only = onlyOf(table, settings);
  const names = [
    ...Object.keys(gates ?? {}).filter((name) => isGiven(gates, name)),
    ...activeOf(table, resolved),
  ];
  const run = { engine, values, history: Array.from(history), step, only, coin: false };
  // The engine checks every value, also of stages that do not need it here.
  const known = names.filter((name) => name in STAGES && name !== 'logit_bias');
  await engine.warp([0], { ...only(known), top: 0 });
  if (names.includes('xtc_probability')) {
    const probe = {
      ...only(['xtc_probability']),
      xtc_threshold: 0.1,
      min_tokens_to_keep: 1,
      top: 0,
    };
    run.coin = (await engine.warp([0, 0], probe, { step })).kept === 1;
  }
  const position = positionOf(partial);
  /** @type {StageBounds[]} */
  const stages = [];
  for (const [i, name] of names.entries()) {
    if (isWhole(position) && canFinish(position, names.slice(i)))
      return finish(position, run, names.slice(i), stages);
    const value = name === 'logit_bias' ? Object.keys(values.logit_bias).length : values[name];
    const bounded = name in STAGES && (await STAGES[name](value, position, run)) !== false;
    if (!bounded) return unbounded(position, name, value, stages);
    keepLast(position);
    stages.push({ name, value, bounded, exact: isSettled(position), kept: countOf(position) });
  }
  if (isWhole(position)) return finish(position, run, [], stages);
  return resultOf(position, stages);
}

/** @param {any} gates @param {string} name */
const isGiven = (gates, name) => gates[name] != null && gates[name]?.length !== 0;

/** @param {Position} position @param {string[]} names */
const canFinish = ({ vocab_size }, names) =>
  vocab_size !== null || !names.some((name) => SIZED.includes(name));

/** True if the tail leaves nothing open but rounding. @param {Position} position */
function isSettled(position) {
  if (position.state.includes(MAYBE)) return false;
  return sharesOf(position, weigh(position)).p.every(([low, high]) => high - low <= NARROW);
}

/** @param {Position} position @param {StageBounds[]} stages @returns {Bounds} */
function resultOf(position, stages) {
  const weights = weigh(position);
  const { p, rest } = sharesOf(position, weights);
  const [low, high] = entropyOf(position, weights);
  return {
    stages,
    tokens: p.map((interval, index) => ({ index, p: interval, removed_by: position.by[index] })),
    rest,
    entropy: [low * Math.LOG2E, high * Math.LOG2E],
    settled: isSettled(position),
    exact: false,
  };
}

/** The result after a stage without bounds. @param {Position} position @param {string} name @param {number} value @param {StageBounds[]} stages @returns {Bounds} */
function unbounded(position, name, value, stages) {
  const most = position.vocab_size ?? Infinity;
  return {
    stages: [...stages, { name, value, bounded: false, exact: false, kept: [1, most] }],
    tokens: Array.from(position.state, (state, index) => ({
      index,
      p: state === GONE ? [0, 0] : [0, 1],
      removed_by: state === GONE ? position.by[index] : { maybe: name },
    })),
    rest: position.tail ? [0, 1] : [0, 0],
    entropy: [0, Math.log2(most)],
    settled: false,
    exact: false,
  };
}

/**
 * Runs the last stages in the engine, on the listed tokens alone.
 * @param {Position} position
 * @param {Run} run
 * @param {string[]} names
 * @param {StageBounds[]} stages
 * @returns {Promise<Bounds>}
 */
async function finish(position, { engine, history, step, only, values }, names, stages) {
  const biased = Object.keys(values.logit_bias ?? {}).flatMap((key) => key.split(' ').map(Number));
  const least = Math.max(position.n, ...history.map((id) => id + 1), ...biased.map((id) => id + 1));
  const sized = names.some((name) => SIZED.includes(name)) ? (position.vocab_size ?? 0) : 0;
  const row = new Float32Array(Math.max(least, sized)).fill(-Infinity);
  for (let i = 0; i < position.n; i++) if (position.state[i]) row[i] = position.lo[i];
  const trace = await engine.warp(row, { ...only(names), top: row.length }, { history, step });
  /** @type {Map<number, string | null>} */
  const removed = new Map(
    trace.tokens.map((/** @type {any} */ token) => [token.id, token.removed_by]),
  );
  return {
    stages: [
      ...stages,
      ...trace.stages.map((/** @type {any} */ { name, value, kept }) => ({
        name,
        value,
        bounded: true,
        exact: true,
        kept: [kept, kept],
      })),
    ],
    tokens: Array.from(position.state, (state, index) => ({
      index,
      p: [trace.p[index], trace.p[index]],
      removed_by: state === GONE ? position.by[index] : (removed.get(index) ?? null),
    })),
    rest: [0, 0],
    entropy: [trace.entropy, trace.entropy],
    settled: true,
    exact: true,
  };
}
