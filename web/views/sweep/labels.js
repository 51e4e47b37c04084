/** The words of a sweep's chart: names, numbers, captions, file names. */
import { MEASURES, hasSpread, needsTexts } from '../../engine/measures.js';
import {
  fixed,
  list,
  measure,
  number,
  percent,
  plain,
  rounded,
  t,
  tick,
} from '../../locale/locale.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { activeSettings } from '../../state/settings.js';

/** @import { Plan, Point } from '../../engine/sweep.js' */

/** Shown in place of a share of no texts. */
const NONE = '–';

/** @param {string} name */
export const measureName = (name) => t(`sweep.of.${name}`);

/**
 * Writes a value. Rounding never gives 0 % or 100 %; only exactly 0 and 1 are written so.
 * @param {string} name of the measure
 * @param {number} value
 */
export function writeMeasure(name, value) {
  if (Number.isNaN(value)) return NONE;
  const { unit } = MEASURES[name];
  if (unit === 'share') return percent(value);
  if (unit === 'bits') return t('sweep.bits', { value: value === 0 ? '0' : measure(value) });
  if (Number.isInteger(value)) return number(value);
  return value >= 100 ? fixed(value, 1) : measure(value);
}

/**
 * Writes a value with few digits, for a cell of the map.
 * @param {string} name of the measure
 * @param {number} value
 */
export function shortOf(name, value) {
  if (Number.isNaN(value)) return NONE;
  const { unit } = MEASURES[name];
  if (unit === 'share') return percent(value);
  return value === 0 || (Number.isInteger(value) && unit !== 'bits')
    ? number(value)
    : measure(value);
}

/**
 * Writes a value beside the axis of a measure.
 * @param {string} name of the measure
 * @param {number} value
 */
export function tickOf(name, value) {
  return MEASURES[name].unit === 'share' ? tick(value) : rounded(value, 6);
}

/** @param {string} name */
export function axisName(name) {
  return MEASURES[name].unit === 'bits'
    ? t('sweep.in-bits', { name: measureName(name) })
    : measureName(name);
}

/** @param {Record<string, number>} at */
export function placeOf(at) {
  return Object.entries(at)
    .map(([name, value]) => `${settingName(name)} ${plain(value)}`)
    .join(', ');
}

/**
 * Returns all measures of a point in one sentence.
 * @param {Plan} plan
 * @param {Point} point
 */
export function pointWords({ measures }, point) {
  const found = measures.map((name) => {
    const { mean, q1, q3 } = point.measures[name];
    const value = writeMeasure(name, mean);
    if (!hasSpread(name)) return `${measureName(name)} ${value}`;
    const quartiles = { q1: writeMeasure(name, q1), q3: writeMeasure(name, q3) };
    return t('sweep.spread', { name: measureName(name), value, ...quartiles });
  });
  return `${capitalise(placeOf(point.at))}: ${found.join('; ')}`;
}

/**
 * @param {Plan} plan
 * @param {string} shape
 */
export function titleOf({ axes, measures }, shape) {
  const names = measures.map(measureName);
  if (shape === 'trade')
    return capitalise(
      t('sweep.title.trade', { a: names[1], b: names[0], setting: settingName(axes[0].name) }),
    );
  return capitalise(
    t('sweep.title', {
      measure: list(names),
      setting: list(axes.map(({ name }) => settingName(name))),
    }),
  );
}

/**
 * Returns the settings, the prompt and the model of a sweep, in lines.
 * @param {Plan} plan
 * @param {{ model: string, table: import('../../engine/types.js').TableRow[] }} facts
 */
export function captionOf(plan, { model, table }) {
  const { axes, measures, settings = {} } = plan;
  const swept = axes.map(({ name }) => name);
  const others = Object.entries(activeSettings(table, settings)).filter(
    ([name, value]) => name !== 'seed' && value !== 'inverse' && !swept.includes(name),
  );
  /** @param {unknown} value */
  const say = (value) => (typeof value === 'number' ? plain(value) : JSON.stringify(value));
  const said = others.map(([name, value]) => `${settingName(name)} ${say(value)}`);
  const lines = [
    t('sweep.caption.model', { model, prompt: plan.prompt.replaceAll('\n', '↵') }),
    said.length
      ? t('sweep.caption.settings', { settings: said.join(', ') })
      : t('sweep.caption.off'),
  ];
  if (!measures.some(needsTexts)) return lines;
  const { samples = 0, max_new_tokens = 0 } = plan;
  const texts = { n: samples, tokens: max_new_tokens, seed: plain(settings.seed ?? 0) };
  return [...lines, t('sweep.caption.texts', texts)];
}

/**
 * Returns a file name such as verbs-temperature-top_p-entropy.
 * @param {Plan} plan
 * @param {string} model
 */
export function fileName({ axes, measures }, model) {
  const words = [model, ...axes.map(({ name }) => name), ...measures];
  return words.map((word) => word.replace(/[^\w.]+/g, '_')).join('-');
}
