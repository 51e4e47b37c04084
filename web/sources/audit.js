/**
 * The audit of a record: are its tokens draws from the law of the claimed settings? A token that a stage removes is a
 * proof that they are not. All other evidence is statistical: draw-tests.js has the tests and their assumptions.
 *
 * If the hidden tail leaves a probability open, the audit uses the part that is certain: the shares among the listed
 * tokens, which no tail changes. It leaves out positions in which a token of some weight may or may not be removed. Both
 * decisions depend on the law alone, not on the drawn token, so the rate of false alarms stays; power is lost.
 */
import { checkInteger } from '../engine/checks.js';
import { expOfMinus } from '../engine/detect.js';
import {
  N_TESTS,
  cutsOf,
  fitSharpness,
  placeOf,
  powerOf,
  slopeOf,
  sumsOf,
  testSharpness,
  testTighter,
  testUniform,
} from './draw-tests.js';

/**
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('./draw-tests.js').Law} Law
 * @typedef {object} LawParts
 * @property {(string | null)[]} removed (n,) the stage that removes each listed token; of a complete law only if the
 *   drawn token is removed
 * @property {string[]} acts the stages that remove a listed token
 * @property {string | null} hiddenBy the stage that removes all hidden tokens
 * @property {boolean} uncertain true if too much is open for a test
 * @property {number} slope see slopeOf
 * @property {import('./draw-tests.js').Sums} sums
 * @property {import('./draw-tests.js').LawCuts | null} cuts null with open tokens
 * @typedef {Law & LawParts} FoundLaw
 * @typedef {{ position: number, law: FoundLaw | null, drawn: number, share: number }} Draw
 *
 * @typedef {[low: number, high: number]} Interval
 * @typedef {{ stages: { name: string, kept: Interval }[], rest: Interval,
 *   tokens: { index: number, p: Interval, removed_by: null | string | { maybe: string } }[] }} Bounds of boundsOf
 *
 * @typedef {{ text: string, bytes?: ArrayLike<number> | null, id?: number | null, logprob?: number | null }} RecordToken
 * @typedef {{ token: RecordToken, top: RecordToken[], half_unit?: number, prompt?: boolean,
 *   drawn?: boolean }} RecordPosition
 * @typedef {{ raw: 'raw' | 'warped' | 'unknown', vocab_size: number | null, positions: RecordPosition[] }} LogprobRecord
 *
 * @typedef {import('./draw-tests.js').Cut} Cut
 * @typedef {object} AuditStage
 * @property {string} name
 * @property {number} value
 * @property {number} proofs number of drawn tokens that the stage removes
 * @property {number} acts number of positions in which it removes a listed token
 * @property {{ p_value: number, as_if: Cut | null } | null} tighter evidence that the cut was tighter than claimed
 *
 * @typedef {object} Audit
 * @property {number} tokens number of recorded tokens
 * @property {{ whole: number, listed: number, unused: number, hidden: number }} used positions with an exact
 *   law; with exact shares among the listed tokens; without a test; draws of a hidden token that no test uses
 * @property {{ position: number, stage: string }[]} proofs
 * @property {{ n: number, ks: number, p_value: number }} pit
 * @property {{ value: number, z: number, p_value: number, error: number, estimate: number | null }} temperature
 *   error: standard error of its relative change; estimate: the temperature that fits the draws, null if none does
 * @property {{ p_value: number, as_if: Cut | null }} tighter
 * @property {AuditStage[]} stages
 * @property {number} p_value 0 with a proof; else the smallest p-value of the three tests, times three
 * @property {{ temperature: { off: number, power: number }[], cut: Cut | null }} power for temperatures that are off;
 *   cut: the loosest tighter cut that would be found for certain
 */

/** Stages that change weights of listed tokens by amounts that the hidden tail does not affect. */
const POINTWISE = [
  'logit_bias',
  'frequency_penalty',
  'presence_penalty',
  'no_repeat_ngram_size',
  'dry_multiplier',
  'temperature',
  'smoothing_factor',
];
const CUT_STAGES = ['top_k', 'top_p', 'min_p'];
/** Added to a seed: the shares of an audit differ from the numbers that drew the tokens of a text with any seed. */
const SEEDS = 2 ** 52;
/** Largest share of open tokens in a law that takes part. */
const OPEN_MOST = 0.02;
/** Differences of this size between two bounds come from rounding outwards. */
const NARROW = 1e-7;
const OFFS = [0.1, 0.2, 0.3];
/** Number of positions that are read at once. */
const TOGETHER = 32;

/** @param {RecordToken} token */
const keyOf = ({ id, bytes, text }) =>
  id !== null && id !== undefined ? id : bytes ? Array.from(bytes).join() : `"${text}`;

/**
 * Returns the index of the drawn token among the listed ones, or their number if it is hidden.
 * @param {RecordPosition} position
 */
export function indexOfDrawn({ token, top }) {
  const key = keyOf(token);
  let at = top.findIndex((one) => keyOf(one) === key);
  // An id or the bytes may stand at one of the two alone.
  if (at < 0 && top.length > 0 && typeof key !== typeof keyOf(top[0]))
    at = top.findIndex(({ text }) => text === token.text);
  return at < 0 ? top.length : at;
}

/**
 * Audits a record. Equal arguments give an equal result on every host.
 * @param {LogprobRecord} record a record of probabilities that a server has already warped is compared with
 *   its own numbers; the settings are then not applied again
 * @param {Settings} settings the claim
 * @param {any} engine in this thread or in a worker
 * @param {{ seed?: number, boundsOf?: Function, onprogress?: (share: number) => void, signal?: AbortSignal }} options
 * @returns {Promise<Audit>}
 */
export async function auditRecord(record, settings, engine, options) {
  const { seed = 0 } = options;
  checkInteger('seed', seed, 0, SEEDS - 1);
  const claimed = record.raw === 'warped' ? {} : settings;
  const laws = await readLaws(record, claimed, engine, options);
  const shares = record.positions.map((_, i) => engine.random(SEEDS + seed, i));
  const draws = (await Promise.all(shares)).flatMap((share, i) => {
    const position = record.positions[i];
    const drawn = indexOfDrawn(position);
    return isDraw(position) ? [{ position: i, law: laws[i], drawn, share }] : [];
  });
  const audit = judge(draws, claimed, engine.table);
  return { ...audit, temperature: { ...audit.temperature, ...fitTemperature(draws, audit) } };
}

/**
 * Reads the law of each drawn token of a record. Null stands for a law that is too uncertain for a test, and for tokens that
 * were not drawn.
 * @param {LogprobRecord} record
 * @param {Settings} settings
 * @param {any} engine
 * @param {{ boundsOf?: Function, onprogress?: (share: number) => void, signal?: AbortSignal }} options
 */
export async function readLaws(record, settings, engine, { boundsOf, onprogress, signal }) {
  const { positions } = record;
  const reader = new LawReader(record, engine, boundsOf);
  /** @type {(FoundLaw | null)[]} */
  const laws = [];
  for (let from = 0; from < positions.length; from += TOGETHER) {
    signal?.throwIfAborted();
    const read = positions
      .slice(from, from + TOGETHER)
      .map((position, i) => (isDraw(position) ? reader.lawOf(from + i, settings) : null));
    laws.push(...(await Promise.all(read)));
    onprogress?.(laws.length / positions.length);
  }
  return laws;
}

/** False for a token of the prompt, and if the record does not say which token was drawn. @param {RecordPosition} position */
const isDraw = ({ prompt = false, drawn = true }) => drawn && !prompt;

/** Reads the laws of a record's positions. */
class LawReader {
  #record;
  #engine;
  /** @type {any} */
  #boundsOf;
  /** @type {(string | number)[]} */
  #keys;

  /** @param {LogprobRecord} record @param {any} engine @param {Function} [boundsOf] */
  constructor(record, engine, boundsOf) {
    this.#record = record;
    this.#engine = engine;
    this.#boundsOf = boundsOf;
    this.#keys = record.positions.map(({ token }) => keyOf(token));
  }

  /**
   * Returns null without a listed token. If a coin decides over XTC, the law is the mean of both.
   * @param {number} at
   * @param {Settings} settings
   * @returns {Promise<FoundLaw | null>}
   */
  async lawOf(at, settings) {
    const { xtc_probability: chance = 0 } = settings;
    if (!(chance > 0 && chance < 1)) return this.#read(at, settings);
    const both = [0, 1].map((value) => this.#read(at, { ...settings, xtc_probability: value }));
    const [off, on] = await Promise.all(both);
    if (!off || !on) return null;
    if (off.weights.every((weight, i) => weight > 0 === on.weights[i] > 0)) return off;
    if (off.rest === null || on.rest === null) return { ...off, uncertain: true };
    const [a, b] = [(1 - chance) * (1 - off.rest), chance * (1 - on.rest)];
    const [sumOff, sumOn] = [off, on].map(({ weights }) => weights.reduce((x, y) => x + y, 0));
    return measured({
      ...off,
      weights: off.weights.map((weight, i) => (a * weight) / sumOff + (b * on.weights[i]) / sumOn),
      rest: 1 - a - b,
      removed: off.removed.map((stage, i) => stage && on.removed[i]),
      acts: [...new Set([...off.acts, ...on.acts])],
    });
  }

  /** @param {number} at @param {Settings} settings @returns {Promise<FoundLaw | null>} */
  async #read(at, settings) {
    const { vocab_size, positions } = this.#record;
    const position = positions[at];
    const { top, half_unit = 0 } = position;
    const n = top.length;
    if (n === 0) return null;
    const engine = this.#engine;
    const { table } = engine;
    const { history, hidden } = this.#historyOf(at);
    const logprobs = Float64Array.from(top, ({ logprob }) => logprob ?? 0);
    // A hidden token of the history has an id, so that repeats are found, and no weight.
    const logits = Float32Array.from([...logprobs, ...Array(hidden).fill(-1e5)]);
    const { temperature = 1 } = settings;
    const logs = logprobs.map((logprob) => logprob / (temperature || 1));
    const raw = logprobs.map((logprob) => expOfMinus(logprobs[0] - logprob));
    const law = { logs, raw, blur: blurOf(half_unit, settings) };
    if (vocab_size === n) {
      const trace = await engine.warp(logits, { ...settings, top: 0 }, { history });
      const isProof = trace.p[indexOfDrawn(position)] === 0;
      const named = isProof
        ? await engine.warp(logits, { ...settings, top: n }, { history })
        : trace;
      return measured({ ...law, ...wholeLaw(named) });
    }
    const pointwise = await engine.warp(
      logits,
      { ...pointwiseOf(settings, table), top: 0 },
      { history },
    );
    const partial = { logprobs, vocab_size, half_unit };
    const bounds = await this.#boundsOf(engine, partial, settings, { history });
    return measured({ ...law, ...boundedLaw(bounds, pointwise.p, isPartial(settings, table)) });
  }

  /**
   * The recorded tokens before a position, as indices of its list. A token that the list lacks has an index after its
   * end; `hidden` is the number of these. A record has no prompt, unless its server gave the prompt's probabilities.
   * @param {number} at
   */
  #historyOf(at) {
    const known = new Map(this.#record.positions[at].top.map((one, i) => [keyOf(one), i]));
    const listed = known.size;
    const history = this.#keys.slice(0, at).map((key) => {
      if (!known.has(key)) known.set(key, known.size);
      return /** @type {number} */ (known.get(key));
    });
    return { history, hidden: known.size - listed };
  }
}

/**
 * @param {Settings} settings
 * @param {import('../engine/types.js').TableRow[]} table
 */
function activeStages(settings, table) {
  return table.filter(({ name, sampler, neutral }) => {
    const value = /** @type {any} */ (settings)[name];
    return sampler && value !== undefined && JSON.stringify(value) !== JSON.stringify(neutral);
  });
}

/**
 * The settings without truncations. The quotients of the survivors' probabilities depend on these alone.
 * @param {Settings} settings
 * @param {import('../engine/types.js').TableRow[]} table
 * @returns {Settings}
 */
function pointwiseOf(settings, table) {
  const off = activeStages(settings, table).filter(({ name }) => !POINTWISE.includes(name));
  return { ...settings, ...Object.fromEntries(off.map(({ name, neutral }) => [name, neutral])) };
}

/**
 * True if every active stage is pointwise or a truncation, so that shares among survivors are known without the tail.
 * @param {Settings} settings
 * @param {import('../engine/types.js').TableRow[]} table
 */
function isPartial(settings, table) {
  return activeStages(settings, table).every(
    ({ name, group }) =>
      POINTWISE.includes(name) || (group === 'truncation' && name !== 'mirostat'),
  );
}

/**
 * Half a unit of the last printed place, as a relative error of a quotient of weights.
 * @param {number} half_unit
 * @param {Settings} settings
 */
function blurOf(half_unit, { temperature = 1 }) {
  return temperature > 0 ? Math.min(1, (2 * half_unit) / temperature) : 0;
}

/**
 * Adds the parts of a law that the tests need, whichever token was drawn.
 * @param {Omit<FoundLaw, 'slope' | 'sums' | 'cuts'>} law
 * @returns {FoundLaw}
 */
function measured(law) {
  const { uncertain, open } = law;
  return {
    ...law,
    sums: sumsOf(law),
    slope: uncertain ? 0 : slopeOf(law),
    cuts: uncertain || open ? null : cutsOf(law),
  };
}

/** The law of a complete distribution. @param {import('../engine/types.js').WarpTrace} trace */
function wholeLaw({ p, tokens, stages }) {
  /** @type {(string | null)[]} */
  const removed = Array(p.length).fill(null);
  for (const { id, removed_by } of tokens) removed[id] = removed_by;
  const acts = stages.filter((stage) => stage.removed > 0).map(({ name }) => name);
  return { weights: p, open: null, rest: 0, removed, acts, hiddenBy: null, uncertain: false };
}

/**
 * The law of a partial distribution.
 * @param {Bounds} bounds
 * @param {Float64Array} p of the pointwise stages
 * @param {boolean} partial true if the quotients of `p` hold for the survivors
 */
function boundedLaw({ stages, tokens, rest }, p, partial) {
  const n = tokens.length;
  const isNarrow = (/** @type {Interval} */ [low, high]) => high - low <= NARROW;
  const whole = isNarrow(rest) && tokens.every((token) => isNarrow(token.p));
  const weights = new Float64Array(n);
  const open = Array(n).fill(false);
  /** @type {(string | null)[]} */
  const removed = Array(n).fill(null);
  for (const { index, p: between, removed_by } of tokens) {
    if (typeof removed_by === 'string') removed[index] = removed_by;
    else weights[index] = whole ? between[0] : p[index];
    open[index] = !whole && removed_by !== null && typeof removed_by === 'object';
  }
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const doubt = weights.reduce((all, weight, i) => (open[i] ? all + weight : all), 0);
  const stopped = rest[1] === 0 ? stages.find(({ kept }) => kept[1] <= n)?.name : null;
  return {
    weights,
    open: open.includes(true) ? open : null,
    rest: whole ? rest[0] : null,
    removed,
    acts: /** @type {string[]} */ ([...new Set(removed)].filter(Boolean)),
    hiddenBy: stopped ?? null,
    uncertain: !whole && !(partial && sum > 0 && doubt <= OPEN_MOST * sum),
  };
}

/**
 * Judges draws.
 * @param {Draw[]} draws
 * @param {Settings} settings
 * @param {import('../engine/types.js').TableRow[]} table
 * @returns {Audit} its temperature has no estimate
 */
export function judge(draws, settings, table) {
  const used = { whole: 0, listed: 0, unused: 0, hidden: 0 };
  /** @type {Audit['proofs']} */
  const proofs = [];
  /** @type {import('./draw-tests.js').Place[]} */
  const places = [];
  const slopes = [];
  /** @type {{ cuts: import('./draw-tests.js').LawCuts, drawn: number }[]} */
  const cuts = [];
  for (const { position, law, drawn, share } of draws) {
    if (!law) {
      used.unused++;
      continue;
    }
    const stage = stageOfProof(law, drawn);
    if (stage) {
      proofs.push({ position, stage });
      continue;
    }
    const place = law.uncertain ? null : placeOf(law, law.sums, drawn, share);
    used[law.uncertain ? 'unused' : place ? (law.rest === null ? 'listed' : 'whole') : 'hidden']++;
    if (!place) continue;
    places.push(place);
    slopes.push(law.slope);
    if (law.cuts) cuts.push({ cuts: law.cuts, drawn });
  }
  const { temperature: value = 1 } = settings;
  const pit = testUniform(places);
  const sharpness = testSharpness(places, slopes);
  const tighter = testTighter(cuts);
  const least = Math.min(pit.p_value, sharpness.p_value, tighter.p_value);
  return {
    tokens: draws.length,
    used,
    proofs,
    pit,
    temperature: { value, ...sharpness, estimate: null },
    tighter: { p_value: tighter.p_value, as_if: tighter.as_if },
    stages: activeStages(settings, table).map(({ name }) => ({
      name,
      value: /** @type {any} */ (settings)[name],
      proofs: proofs.filter(({ stage }) => stage === name).length,
      acts: draws.filter(({ law }) => law?.acts.includes(name)).length,
      tighter: CUT_STAGES.includes(name) ? tighterOf(cuts, name) : null,
    })),
    p_value: proofs.length > 0 ? 0 : Math.min(1, N_TESTS * least),
    power: {
      temperature: OFFS.map((off) => ({
        off,
        power: value > 0 ? powerOf(value / (value + off) - 1, sharpness.error) : 0,
      })),
      cut: tighter.finds,
    },
  };
}

/**
 * The stage that makes a drawn token impossible; null if it is possible. A weight may also be 0 because it is too small to
 * be drawn, which the temperature decides.
 * @param {FoundLaw} law
 * @param {number} drawn
 */
function stageOfProof({ removed, hiddenBy, weights, uncertain }, drawn) {
  if (drawn === weights.length) return hiddenBy;
  if (removed[drawn]) return removed[drawn];
  return weights[drawn] === 0 && !uncertain ? 'temperature' : null;
}

/** @param {Parameters<typeof testTighter>[0]} draws @param {string} stage */
function tighterOf(draws, stage) {
  const { p_value, as_if } = testTighter(draws, (name) => name === stage);
  return { p_value, as_if };
}

/**
 * The temperature that fits the draws.
 * @param {Draw[]} draws
 * @param {Audit} audit
 */
function fitTemperature(draws, { temperature: { value } }) {
  const fitting = draws.flatMap(({ law, drawn }) =>
    law && !law.uncertain && !law.open && !stageOfProof(law, drawn)
      ? [{ law, sums: law.sums, slope: law.slope, drawn }]
      : [],
  );
  const factor = value > 0 && fitting.length > 0 ? fitSharpness(fitting) : null;
  return { estimate: factor && value / factor };
}
