/**
 * The measures of a sweep. A measure describes the distribution after the prompt (`context`), each
 * step of the texts (`step`), each text (`text`), or all texts together (`texts`).
 */
import { checkSentence } from './grammar.js';

/** @import { Trace } from './types.js' */
/** @import { Verdict } from './grammar.js' */

/**
 * @typedef {{ entropy: number, kept: number, logprob: number }} StepFigures
 *
 *
 * A text written from the prompt; `verdict` is null if no grammar judges it.
 * @typedef {object} Sample
 * @property {number} seed
 * @property {string} text
 * @property {number[]} ids
 * @property {string} finish_reason
 * @property {Verdict | null} verdict
 *
 * @typedef {'bits' | 'tokens' | 'share' | 'number'} Unit
 * @typedef {{ distinct: (ids: number[], n: number) => number | Promise<number> }} Counter
 *
 * @typedef {{ of: 'context', unit: Unit, read: (trace: Trace) => number }
 *   | { of: 'step', unit: Unit, read: (step: StepFigures) => number }
 *   | { of: 'text', unit: Unit, read: (text: Sample, engine: Counter) => number | Promise<number> }
 *   | { of: 'texts', unit: Unit, read: (texts: Sample[]) => number }} Measure
 *
 * The mean and the quartiles of n values. For n = 1 all four equal the value. A share over no texts
 * is NaN.
 * @typedef {{ n: number, mean: number, q1: number, median: number, q3: number }} Summary
 */

/**
 * Makes a measure of the grammar's verdicts on the texts: the share for which `says` is true. It
 * counts only verdicts that `counts` accepts (default: all), and is NaN if there are none.
 * @param {(verdict: Verdict) => boolean | null} says
 * @param {(verdict: Verdict) => boolean} [counts]
 * @returns {Measure}
 */
const shareOfVerdicts = (says, counts = () => true) => ({
  of: 'texts',
  unit: 'share',
  read: (texts) => {
    const verdicts = texts.flatMap(({ verdict }) => (verdict && counts(verdict) ? [verdict] : []));
    return verdicts.filter((verdict) => says(verdict) === true).length / verdicts.length;
  },
});

/** True if the syntax is correct; otherwise a sentence has no tense and no person. @param {Verdict} verdict */
const isWhole = ({ syntax }) => syntax;

/** @type {Readonly<Record<string, Measure>>} */
export const MEASURES = Object.freeze({
  entropy: { of: 'context', unit: 'bits', read: ({ entropy }) => entropy },
  perplexity: { of: 'context', unit: 'number', read: ({ perplexity }) => perplexity },
  nucleus: { of: 'context', unit: 'tokens', read: ({ kept }) => kept },
  mass: { of: 'context', unit: 'share', read: (trace) => trace.kept_mass_raw },
  text_entropy: { of: 'step', unit: 'bits', read: ({ entropy }) => entropy },
  text_nucleus: { of: 'step', unit: 'tokens', read: ({ kept }) => kept },
  surprisal: { of: 'step', unit: 'bits', read: ({ logprob }) => 0 - logprob / Math.LN2 },
  ttr: { of: 'text', unit: 'share', read: ({ ids }, engine) => engine.distinct(ids, 1) },
  distinct_2: { of: 'text', unit: 'share', read: ({ ids }, engine) => engine.distinct(ids, 2) },
  length: { of: 'text', unit: 'tokens', read: ({ ids }) => ids.length },
  distinct_texts: {
    of: 'texts',
    unit: 'share',
    read: (texts) => new Set(texts.map(({ text }) => text)).size / texts.length,
  },
  correctness: shareOfVerdicts(({ right }) => right),
  valid: shareOfVerdicts(({ syntax }) => syntax),
  tense: shareOfVerdicts(({ tense }) => tense, isWhole),
  person: shareOfVerdicts(({ person }) => person, isWhole),
});

/** Measures that need a grammar. */
const JUDGED = ['correctness', 'valid', 'tense', 'person'];

/** @param {string} name */
export const needsGrammar = (name) => JUDGED.includes(name);

/**
 * True if a measure needs texts, not just the distribution after the prompt.
 * @param {string} name
 */
export function needsTexts(name) {
  return MEASURES[name].of !== 'context';
}

/**
 * True if a measure has many values at each point, so that quartiles have a meaning.
 * @param {string} name
 */
export function hasSpread(name) {
  return MEASURES[name].of === 'step' || MEASURES[name].of === 'text';
}

/**
 * Mean and quartiles. A quartile is interpolated between the two nearest values, as in numpy.
 * @param {number[]} values at least one
 * @returns {Summary}
 */
export function summarise(values) {
  const sorted = Float64Array.from(values).sort();
  const at = (/** @type {number} */ share) => {
    const place = share * (sorted.length - 1);
    const low = Math.floor(place);
    const high = Math.min(sorted.length - 1, low + 1);
    return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
  };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { n: values.length, mean, q1: at(0.25), median: at(0.5), q3: at(0.75) };
}

/**
 * Computes a measure at one point of a sweep; a `step` measure covers the steps of all texts.
 * @param {string} name
 * @param {{ trace: Trace, steps: StepFigures[], texts: Sample[] }} found
 * @param {Counter} engine
 * @returns {Promise<Summary>}
 */
export async function readMeasure(name, { trace, steps, texts }, engine) {
  const measure = MEASURES[name];
  if (measure.of === 'context') return summarise([measure.read(trace)]);
  if (measure.of === 'step') return summarise(steps.map(measure.read));
  if (measure.of === 'texts') return summarise([measure.read(texts)]);
  const values = [];
  for (const text of texts) values.push(await measure.read(text, engine));
  return summarise(values);
}

/** @param {import('./grammar.js').Grammar | null | undefined} grammar @param {string} text */
export function judgeText(grammar, text) {
  return grammar ? checkSentence(grammar, text) : null;
}
