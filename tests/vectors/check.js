/**
 * Runs one case of the vectors through the engine's interface and returns the failed expectations. The
 * Node and the browser runner share it; tests/native/test_vectors.c is its equal in C.
 */
import { integer, number } from './parse.js';
import { Pcg32, splitmix64, unitOf } from './generators.js';

/** The subject of a check: the engine, the case, and its results. */
class Subject {
  /**
   * @param {any} scope
   * @param {import('./parse.js').Case} given
   */
  constructor(scope, given) {
    this.scope = scope;
    this.given = given;
    this.pcg32 = given.pcg32 && new Pcg32(given.pcg32[0], given.pcg32[1]);
    for (let i = 0; i < given.skip; i++) this.pcg32?.next();
    /** @type {any} */
    this.error = null;
    /** @type {any} */
    this.trace = null;
    if (given.logits) this.#warp(given.logits);
  }

  /** @param {Float32Array} logits */
  #warp(logits) {
    const { settings, history, step } = this.given;
    try {
      this.trace = this.scope.warp(logits, { ...settings, top: Math.min(logits.length, 100) },
        { history, step });
    } catch (error) {
      this.error = error;
    }
  }

  /** @returns {Float32Array} */
  get raw() {
    if (!this.given.logits) throw new Error('the case has no logits');
    return this.given.logits;
  }

  /** @returns {Float32Array} */
  get logits() {
    return this.trace.logits;
  }

  /** @returns {Float64Array} */
  get p() {
    return this.trace.p;
  }

  /** @returns {number[]} ids of the survivors */
  get kept() {
    return [...this.logits.keys()].filter((id) => this.logits[id] !== -Infinity);
  }
}

/** @typedef {{ words: string[], tolerance: number }} Arguments */
/** @typedef {(subject: Subject, wanted: Arguments) => string} Check '' or what was seen instead */

const equal = (got, expected) => (Object.is(got, expected) ? '' : `${got}, not ${expected}`);
const sameBits = (got, expected) => equal(got.length, expected.length)
  || equal(got.findIndex((value, i) => !Object.is(value, expected[i])), -1);
const isTrue = (truth, saw) => (truth ? '' : saw);

/** @returns {string} */
function near(got, expected, tolerance) {
  const close = got === expected || Math.abs(got - expected) <= tolerance;
  return close ? '' : `${got}, not ${expected}`;
}

function allNear(got, expected, tolerance) {
  if (got.length !== expected.length) return `${got.length} values, not ${expected.length}`;
  const saw = expected.map((value, i) => near(got[i], value, tolerance));
  const at = saw.findIndex((text) => text);
  return at < 0 ? '' : `id ${at}: ${saw[at]}`;
}

/**
 * Returns how much the chain changes the largest probability, the smallest probability and the entropy, and whether the
 * trace lists every token.
 */
function extremes({ trace }) {
  const p = trace.tokens.map((token) => token.p);
  const raw = trace.tokens.map((token) => token.p_raw);
  return {
    complete: trace.tokens.length === trace.vocab_size,
    high: Math.max(...p) - Math.max(...raw),
    low: Math.min(...p) - Math.min(...raw),
    entropy: trace.entropy - trace.raw_entropy,
  };
}

/** Returns the settings with only one sampler. */
function alone(scope, settings, sampler) {
  const samplers = scope.table.filter((row) => row.sampler).map((row) => row.name);
  const others = samplers.filter((name) => name !== sampler);
  const kept = Object.entries(settings).filter(([name]) => !others.includes(name));
  return { ...Object.fromEntries(kept), order: [sampler] };
}

function stepByStep({ scope, given, raw, logits }) {
  let state = raw;
  for (const sampler of given.settings.order) {
    state = scope.warp(state, alone(scope, given.settings, sampler), {
      history: given.history,
      step: given.step,
    }).logits;
  }
  return sameBits(logits, state);
}

function drawnId({ scope, given, trace }) {
  const u = scope.random(given.random[0], given.random[1]);
  let sum = 0;
  return trace.tokens.find((token) => (sum += token.p) > u)?.id;
}

/** Returns the pairs of listed outputs that form a step of the engine's generator. */
function engineUnits({ scope, given }, outputs) {
  const [seed] = given.pcg32;
  for (let i = given.skip % 2; i + 1 < outputs.length; i += 2) {
    const saw = equal(scope.random(seed, (given.skip + i) / 2), unitOf(outputs[i], outputs[i + 1]));
    if (saw) return saw;
  }
  return '';
}

/** @type {Record<string, Check>} */
const CHECKS = {
  kept: (s, { words }) => equal(s.kept.join(' '), words.join(' ')),
  kept_includes: (s, { words }) => isTrue(words.every((id) => s.kept.includes(integer(id))),
    s.kept.join(' ')),
  kept_range: (s, { words: [low, high] }) => equal(s.kept[0], integer(low))
    || equal(s.kept.at(-1), integer(high)) || equal(s.kept.length, integer(high) - integer(low) + 1),
  count: (s, { words: [n] }) => equal(s.trace.kept, integer(n)),
  count_at_least: (s, { words: [n] }) => isTrue(s.trace.kept >= integer(n), String(s.trace.kept)),
  nonzero: (s, { words: [n] }) => equal(s.p.filter((p) => p !== 0).length, integer(n)),
  underflowed: (s, { words: [n] }) => equal(s.trace.underflowed, integer(n)),
  size: (s, { words: [n] }) => equal(s.trace.vocab_size, integer(n))
    || equal(s.logits.length, integer(n)) || equal(s.p.length, integer(n)),
  identity: (s) => sameBits(s.logits, s.raw),
  survivors_unchanged: (s) => sameBits(s.kept.map((id) => s.logits[id]),
    s.kept.map((id) => s.raw[id])),
  p: (s, { words, tolerance }) => allNear(s.p, words.map(number), tolerance),
  logits: (s, { words, tolerance }) => allNear(s.logits,
    words.map((word) => Math.fround(number(word))), tolerance),
  logit: (s, { words: [id, value], tolerance }) => near(s.logits[integer(id)],
    Math.fround(number(value)), tolerance),
  exp_logits: (s, { words, tolerance }) => allNear([...s.logits].map(Math.exp), words.map(number),
    tolerance),
  cumulative: (s, { words, tolerance }) => {
    let sum = 0;
    const sums = s.trace.tokens.slice(0, words.length).map((token) => (sum += token.p));
    return allNear(sums, words.map(number), tolerance);
  },
  mass_one: (s) => near(s.p.reduce((sum, p) => sum + p, 0), 1, 2 ** -20),
  sharper: (s) => {
    const { complete, high, low, entropy } = extremes(s);
    return isTrue(complete && high > 0 && low < 0 && entropy < 0, `${high} ${low} ${entropy}`);
  },
  flatter: (s) => {
    const { complete, high, low, entropy } = extremes(s);
    return isTrue(complete && high < 0 && low > 0 && entropy > 0, `${high} ${low} ${entropy}`);
  },
  same_argmax: (s) => equal(s.logits.indexOf(Math.max(...s.logits)), s.raw.indexOf(Math.max(...s.raw)))
    || equal(s.trace.tokens[0].id, s.raw.indexOf(Math.max(...s.raw))),
  less_likely: (s, { words: [a, b] }) => isTrue(s.p[integer(a)] < s.p[integer(b)],
    `${s.p[integer(a)]} and ${s.p[integer(b)]}`),
  stage_kept: (s, { words }) => equal(s.trace.stages.map((stage) => stage.kept).join(' '),
    words.join(' ')),
  step_by_step: stepByStep,
  drawn: (s, { words: [id] }) => equal(drawnId(s), integer(id)),
  u: (s, { words: [u] }) => {
    const [seed, step] = s.given.random ?? [];
    return equal(s.scope.random(seed, step), number(u));
  },
  u32: (s, { words }) => allNear(words.map(() => s.pcg32?.next()), words.map(integer), 0)
    || engineUnits(s, words.map(integer)),
  coins: (s, { words: [coins] }) => equal([...coins].map(() => (s.pcg32?.bounded(2) ? 'H' : 'T'))
    .join(''), coins),
  rolls: (s, { words }) => allNear(words.map(() => (s.pcg32?.bounded(6) ?? 0) + 1),
    words.map(integer), 0),
  u64: (s, { words }) => {
    const start = s.given.splitmix64 ?? 0n;
    const got = words.map((_, i) => splitmix64(start + BigInt(i) * 0x9e3779b97f4a7c15n));
    return equal(got.join(' '), words.join(' '));
  },
};

/** Checks promises that hold for every case: see keeps_promises in tests/native/test_vectors.c. */
function brokenPromise(subject, before) {
  if (!subject.given.logits) return '';
  const changed = sameBits(subject.given.logits, before);
  if (changed) return `the caller's array was modified: ${changed}`;
  if (subject.error) return '';
  const { kept, p } = subject;
  const removed = [...p.keys()].find((id) => p[id] !== 0 && subject.logits[id] === -Infinity);
  return equal(removed, undefined) || equal(subject.trace.kept, kept.length)
    || isTrue(kept.length > 0, 'nothing survives');
}

function failureOf(subject, expectation) {
  const { name, words } = expectation;
  const { error } = subject;
  if (name === 'error') return equal(error?.code, words[0]);
  if (error) return `${error.code ?? error.name}: ${error.message}`;
  if (!Object.hasOwn(CHECKS, name)) throw new Error(`line ${expectation.line}: expect ${name}`);
  return CHECKS[name](subject, expectation);
}

/**
 * @param {any} scope an engine loaded without a model
 * @param {import('./parse.js').Case} given
 * @returns {string[]} one line for each expectation that failed
 */
export function checkCase(scope, given) {
  const before = given.logits?.slice() ?? [];
  const subject = new Subject(scope, given);
  const failures = given.expectations
    .map((wanted) => ({ wanted, saw: failureOf(subject, wanted) }))
    .filter(({ saw }) => saw)
    .map(({ wanted, saw }) => `line ${wanted.line}: expect ${wanted.name}: ${saw}`);
  const broken = brokenPromise(subject, before);
  if (broken) failures.push(`line ${given.line}: ${broken}`);
  if (!given.expectations.length) failures.push(`line ${given.line}: expects nothing`);
  return failures;
}
