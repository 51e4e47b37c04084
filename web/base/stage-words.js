/** Describes the effect of a stage in a few words and in sentences, or the reason why it has none. */
import { locales } from '#locales/effect';
import { addMessages, fixed, hasMessage, measure, number, percent, t } from '../locale/locale.js';
import { later, rangeWords, settingName } from './setting-words.js';

addMessages(locales);

/**
 * @typedef {import('../plots/trace.js').Stage} Stage
 *
 * @typedef {object} Effect
 * @property {boolean} works true if the stage changed the distribution
 * @property {string} brief a few words, such as "removes 2,028" or "outside its window"
 * @property {string} sentence one or two sentences
 * @property {string} [tail] says that the effect depends on the hidden tail of a recorded distribution
 */

/**
 * Returns the effect of a stage; null if the trace does not have it.
 * @param {import('../plots/trace.js').Trace | null} trace
 * @param {number} index of the stage in `trace.stages`
 * @param {unknown} neutral the neutral value of its setting
 * @returns {Effect | null}
 */
export function effectOf(trace, index, neutral) {
  const stage = trace?.stages[index];
  if (trace?.bounded && !stage)
    return {
      works: false,
      brief: t('effect.brief.off'),
      sentence: t('effect.off', { value: Number(neutral) }),
    };
  if (!trace || !stage) return null;
  if (trace.bounded) return boundsOfStage(stage);
  const before = index > 0 ? trace.stages[index - 1].entropy : trace.raw_entropy;
  return {
    works: Boolean(stage.active && stage.changed),
    brief: describeBriefly(stage, before, neutral),
    sentence: describeStage(stage, before, neutral),
  };
}

/**
 * Describes a stage of a recorded distribution by the tokens that it keeps.
 * @param {Stage} stage
 * @returns {Effect}
 */
function boundsOfStage({ kept, kept_high = kept, exact, cuts }) {
  const brief = cuts
    ? later('recorded.keeps', { n: rangeWords(kept, kept_high) })
    : later('recorded.keeps.all');
  const open = cuts ? kept !== kept_high : !exact;
  const tail = open ? later('recorded.tail') : '';
  return { works: true, brief, tail, sentence: open ? later('recorded.tail.about') : brief };
}

/**
 * Returns true if another stage takes the place of this one, which has a value.
 * @param {Stage} stage @param {unknown} neutral
 */
const isReplaced = ({ name, active, value }, neutral) =>
  !active && name !== 'logit_bias' && value !== neutral;

/**
 * Describes the effect of a stage in one or two sentences.
 * @param {Stage} stage
 * @param {number} before the entropy before the stage, in bits
 * @param {unknown} neutral
 */
export function describeStage(stage, before, neutral) {
  if (stage.name === 'logit_bias' && !stage.active) return t('effect.bias.none');
  if (isReplaced(stage, neutral))
    return t(stage.name === 'temperature' ? 'effect.centre' : 'effect.replaced');
  if (!stage.active) return t('effect.off', { value: stage.value });
  if (!stage.changed) return describeIdle(stage);
  const [from, to] = tellApart(before, stage.entropy);
  const entropy = t('effect.entropy', { before: from, after: to });
  if (stage.name === 'temperature' && stage.value === 0) return `${t('effect.greedy')} ${entropy}`;
  if (stage.repeat) return `${t('effect.repeat', repeatOf(stage))} ${entropy}`;
  if (stage.removed === 0) return entropy;
  const params = { n: stage.removed, mass: percent(stage.mass_removed), kept: stage.kept };
  return `${t('effect.removed', params)} ${entropy}`;
}

/**
 * Returns two entropies as texts, with so many decimals (at most six) that they differ.
 * @param {number} a
 * @param {number} b
 */
function tellApart(a, b) {
  if (measure(a) !== measure(b)) return [measure(a), measure(b)];
  let decimals = 3;
  while (decimals < 6 && fixed(a, decimals) === fixed(b, decimals)) decimals++;
  return [fixed(a, decimals), fixed(b, decimals)];
}

/** The longest repeat that DRY has found, for a sentence. @param {Stage} stage */
const repeatOf = ({ repeat }) => ({ ...repeat, text: repeat?.text.trim() ?? '' });

/** @param {Stage} stage */
function describeIdle(stage) {
  const { name, why, after } = stage;
  for (const key of [`effect.idle.${name}.${why}`, `effect.idle.${name}`])
    if (hasMessage(key)) return t(key, repeatOf(stage));
  if (after) return t('effect.after', { stage: settingName(after) });
  if (name === 'repetition_penalty') return t('effect.nothing.penalty');
  if (name === 'temperature') return t('effect.nothing.temperature');
  return t('effect.nothing');
}

/** Returns in a few words why a stage had no effect. @param {Stage} stage */
function describeIdleBriefly(stage) {
  const { name, why, after } = stage;
  for (const key of [`effect.brief.${name}.${why}`, `effect.brief.${name}`])
    if (hasMessage(key)) return t(key, repeatOf(stage));
  if (after) return t('effect.brief.after', { stage: settingName(after) });
  return t('effect.brief.idle');
}

/** A smaller change of entropy, in bits, is only rounding of float32 logits. */
const ROUNDING = 1e-6;

/**
 * Describes the effect of a stage in a few words.
 * @param {Stage} stage
 * @param {number} before the entropy before the stage, in bits
 * @param {unknown} neutral
 */
function describeBriefly(stage, before, neutral) {
  if (isReplaced(stage, neutral))
    return t(`effect.brief.${stage.name === 'temperature' ? 'centre' : 'replaced'}`);
  if (!stage.active) return t('effect.brief.off');
  if (!stage.changed) return describeIdleBriefly(stage);
  if (stage.removed > 0) return t('effect.brief.removed', { n: number(stage.removed) });
  const bits = stage.entropy - before;
  const size = Math.abs(bits);
  if (size < ROUNDING) return t('effect.brief.same');
  if (size < 0.005) return t('effect.brief.little');
  return t('effect.brief.bits', { bits: `${bits < 0 ? '−' : '+'}${measure(size)}` });
}
