/**
 * The audit of a record: are its tokens draws from the law of the claimed settings? A token that a stage removes is a
 * proof that they are not. All other evidence is statistical: draw-tests.js has the tests and their assumptions.
 *
 * If the hidden tail leaves a probability open, the audit uses the part that is certain: the shares among the listed
 * tokens, which no tail changes. It leaves out positions with a heavy token that may or may not be removed. Both
 * decisions depend on the law alone, not on the drawn token, so the rate of false alarms stays; power is lost.
 */
import { checkInteger } from '../engine/checks.js';
import { expOfMinus } from '../engine/detect.js';
import { PROGRAMS } from '../import/logprob-shapes.js';
import { boundsOf } from './bounds.js';
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
import { keyOf, positionAt, readsHistory } from './record-position.js';

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
 * @typedef {import('./bounds.js').Bounds} Bounds
 * @typedef {import('./tail.js').Interval} Interval
 * @typedef {import('../import/logprobs.js').Position} Position
 * @typedef {import('../import/logprobs.js').LogprobRecord} LogprobRecord
 *
 * @typedef {import('./draw-tests.js').Cut} Cut
 * @typedef {object} AuditStage
 * @property {string} name
 * @property {number} value
 * @property {number} proofs number of drawn tokens that the stage removes
 * @property {number} acts number of positions with a listed token that it removes
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
/** Widest interval of the hidden mass of a whole law. */
const REST_MOST = 0.002;
/** Differences of this size between two bounds come from rounding outwards. */
const NARROW = 1e-7;
const OFFS = [0.1, 0.2, 0.3];
/** Number of positions that are read at once. */
const TOGETHER = 32;

/**
 * Audits a record. Equal arguments give an equal result on every host.
 * @param {LogprobRecord} record a record of probabilities that a server has already warped is compared with
 *   its own numbers; the settings are then not applied again
 * @param {Settings} settings the claim
 * @param {any} engine in this thread or in a worker
 * @param {{ seed?: number, onprogress?: (share: number) => void, signal?: AbortSignal }} [options]
 * @returns {Promise<Audit>}
 */
export async function auditRecord(record, settings, engine, options = {}) {
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
 * @param {{ onprogress?: (share: number) => void, signal?: AbortSignal }} options
 */
export async function readLaws(record, settings, engine, { onprogress, signal }) {
  const { positions } = record;
  const reader = new LawReader(record, engine);
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

/** False for a token of the prompt, and if the record does not name the drawn token. @param {Position} position */
const isDraw = ({ prompt, drawn }) => drawn && !prompt;

/** The index of the drawn token in its list, the list's length for a hidden one. @param {Position} position */
function indexOfDrawn({ token, top }) {
  const key = keyOf(token);
  const at = top.findIndex((one) => keyOf(one) === key);
  return at < 0 ? top.length : at;
}

/** Reads the laws of a record's positions. */
class LawReader {
  #record;
  #engine;

  /**
   * Number of tokens of each list that the tests read. A server may list the drawn token in place of the last one, which
   * the reader of records then leaves out. So the last one of the longest lists is always left out: if the tests read it
   * unless it was drawn, the draw would decide over the law.
   */
  #listed;

  /** @param {LogprobRecord} record @param {any} engine */
  constructor(record, engine) {
    const most = record.positions.reduce((n, { top }) => Math.max(n, top.length), 0);
    const program = PROGRAMS[record.program ?? ''];
    this.#listed = program && !program.top_only ? most - 1 : most;
    this.#record = record;
    this.#engine = engine;
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
    const mean = (/** @type {0 | 1} */ end, /** @type {Interval} */ a, /** @type {Interval} */ b) =>
      (1 - chance) * a[end] + chance * b[end];
    const [a, b] = [(1 - chance) * (1 - off.rest[1]), chance * (1 - on.rest[1])];
    const [sumOff, sumOn] = [off, on].map(({ weights }) => weights.reduce((x, y) => x + y, 0));
    return measured({
      ...off,
      weights: off.weights.map((weight, i) => (a * weight) / sumOff + (b * on.weights[i]) / sumOn),
      rest: [mean(0, off.rest, on.rest), mean(1, off.rest, on.rest)],
      removed: off.removed.map((stage, i) => stage && on.removed[i]),
      acts: [...new Set([...off.acts, ...on.acts])],
    });
  }

  /** @param {number} at @param {Settings} settings @returns {Promise<FoundLaw | null>} */
  async #read(at, settings) {
    const engine = this.#engine;
    const { table } = engine;
    const withHistory = readsHistory(table, settings);
    const given = positionAt(this.#record, at, { settings, withHistory, listedOnly: true });
    if (!given) return null;
    const { partial, history, settings: asked } = given;
    const { logprobs, vocab_size, half_unit = 0 } = /** @type {any} */ (partial);
    const n = logprobs.length;
    // A hidden token of the history has an id, so that repeats are found, and no weight.
    const hidden = history.reduce((most, id) => Math.max(most, id - n + 1), 0);
    const logits = Float32Array.from([...logprobs, ...Array(hidden).fill(-1e5)]);
    const { temperature = 1 } = settings;
    const logs = logprobs.map((/** @type {number} */ logprob) => logprob / (temperature || 1));
    const raw = logprobs.map((/** @type {number} */ logprob) => expOfMinus(logprobs[0] - logprob));
    const law = { logs, raw, blur: blurOf(half_unit, settings) };
    if (vocab_size === n) {
      const trace = await engine.warp(logits, { ...asked, top: 0 }, { history });
      const isProof = trace.p[indexOfDrawn(this.#record.positions[at])] === 0;
      const named = isProof
        ? await engine.warp(logits, { ...settings, top: n }, { history })
        : trace;
      return measured({ ...law, ...wholeLaw(named) });
    }
    const pointwise = await engine.warp(
      logits,
      { ...pointwiseOf(asked, table), top: 0 },
      { history },
    );
    const bounds = await boundsOf(engine, partial, asked, { history });
    const found = { ...law, ...boundedLaw(bounds, pointwise.p, isPartial(settings, table)) };
    return measured(cutList(found, this.#listed));
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

/**
 * Returns the law of the first tokens of a list; the others count as hidden.
 * @template {Omit<FoundLaw, 'slope' | 'sums' | 'cuts'>} T
 * @param {T} law
 * @param {number} n
 * @returns {T}
 */
function cutList(law, n) {
  const { weights, open, rest, logs, raw } = law;
  if (weights.length <= n) return law;
  const sum = (/** @type {Float64Array} */ list) => list.reduce((all, weight) => all + weight, 0);
  const [listed, lost] = [sum(weights), sum(weights.subarray(n))];
  const share = listed > 0 ? lost / listed : 0;
  const hidden = (/** @type {number} */ before) => before + (1 - before) * share;
  return {
    ...law,
    weights: weights.subarray(0, n),
    open: open && open.slice(0, n),
    rest: rest && [hidden(rest[0]), hidden(rest[1])],
    logs: logs.subarray(0, n),
    raw: raw.subarray(0, n),
  };
}

/** The law of a complete distribution. @param {import('../engine/types.js').WarpTrace} trace */
function wholeLaw({ p, tokens, stages }) {
  /** @type {(string | null)[]} */
  const removed = Array(p.length).fill(null);
  for (const { id, removed_by } of tokens) removed[id] = removed_by;
  const acts = stages.filter((stage) => stage.removed > 0).map(({ name }) => name);
  return {
    weights: p,
    open: null,
    rest: /** @type {Interval} */ ([0, 0]),
    removed,
    acts,
    hiddenBy: null,
    uncertain: false,
  };
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
  const known = isNarrow(rest) && tokens.every((token) => isNarrow(token.p));
  const weights = new Float64Array(n);
  const open = Array(n).fill(false);
  /** @type {(string | null)[]} */
  const removed = Array(n).fill(null);
  for (const { index, p: between, removed_by } of tokens) {
    if (typeof removed_by === 'string') removed[index] = removed_by;
    else weights[index] = known ? between[0] : p[index];
    open[index] = !known && removed_by !== null && typeof removed_by === 'object';
  }
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const doubt = weights.reduce((all, weight, i) => (open[i] ? all + weight : all), 0);
  const whole = known || (partial && doubt === 0 && rest[1] - rest[0] <= REST_MOST);
  const stopped = rest[1] === 0 ? stages.find(({ kept }) => kept[1] <= n)?.name : null;
  return {
    weights,
    open: open.includes(true) ? open : null,
    rest: whole ? rest : null,
    removed,
    acts: /** @type {string[]} */ ([...new Set(removed)].filter(Boolean)),
    hiddenBy: stopped ?? null,
    uncertain: !known && !(partial && sum > 0 && doubt <= OPEN_MOST * sum),
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
  for (const { position, law, drawn: index, share } of draws) {
    if (!law) {
      used.unused++;
      continue;
    }
    const drawn = Math.min(index, law.weights.length);
    const stage = stageOfProof(law, index);
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
  if (drawn >= removed.length) return hiddenBy;
  return removed[drawn] ?? (weights[drawn] === 0 && !uncertain ? 'temperature' : null);
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
