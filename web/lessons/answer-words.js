/** Writes measures and answers of a lesson in words, in the page's language. */
import { fixed, hasMessage, number, percent, t } from '../locale/locale.js';
import { LESSON_MEASURES } from './measures.js';

/** @import { Asked } from './measures.js' */
/** @import { Goal } from './lesson-file.js' */
/** @import { Answer, Wrong } from './answers.js' */

/** Returns a token without spaces around it, unless it has nothing but spaces. @param {unknown} text */
export const shownToken = (text) => String(text ?? '').trim() || String(text);

/** @param {string} name of a measure @param {number | string | undefined} value */
export function inWords(name, value) {
  const { unit } = LESSON_MEASURES[name] ?? {};
  if (value === undefined) return t('lesson.nothing');
  if (typeof value !== 'number') return `“${shownToken(value)}”`;
  if (unit === 'flag') return t(value ? 'lesson.unit.yes' : 'lesson.unit.no');
  if (unit === 'share') return `${fixed(value, 3)} (${percent(value)})`;
  if (unit === 'bits') return `${fixed(value, 2)} ${t('lesson.unit.bits')}`;
  if (unit === 'tokens') return t('lesson.tokens', { n: value });
  return Number.isInteger(value) ? number(value) : fixed(value, 3);
}

/** @param {string} prefix @param {string} name */
const messageOrName = (prefix, name) => (hasMessage(prefix + name) ? t(prefix + name) : name);

/** @param {string} name of a measure */
export const measureName = (name) => messageOrName('lesson.measure.', name);

/** Describes a measure, such as "probability of “A”, temperature = 0.5". @param {Asked} asked */
function askedInWords({ measure, rank, token, setting, u, settings = {} }) {
  const of = LESSON_MEASURES[measure]?.of ?? [];
  const name = measureName(measure);
  const parts = [
    token !== undefined
      ? t('lesson.of.token', { name, token: shownToken(token) })
      : of.includes('rank')
        ? t('lesson.of.rank', { name, rank: rank ?? 1 })
        : name,
    ...(setting === undefined ? [] : [setting]),
    ...(u === undefined ? [] : [`u = ${number(u)}`]),
    ...Object.entries(settings).map(
      ([key, value]) => `${key} = ${typeof value === 'number' ? number(value) : String(value)}`,
    ),
  ];
  return parts.join(', ');
}

/** @param {Goal} goal */
function goalInWords(goal) {
  const { measure, equals, at_least, at_most } = goal;
  const bounds = [
    ...(equals === undefined ? [] : [`= ${inWords(measure, equals)}`]),
    ...(at_least === undefined ? [] : [`≥ ${inWords(measure, at_least)}`]),
    ...(at_most === undefined ? [] : [`≤ ${inWords(measure, at_most)}`]),
  ];
  return `${askedInWords(goal)} ${bounds.join(', ')}`;
}

/** @param {Answer} answer @returns {string} */
export function rightInWords({ question, truth, points }) {
  const { kind, answer, goal, tolerance, options = [], items = [] } = question;
  if (kind === 'order') return items.join(' → ');
  if (kind === 'state' && goal) {
    const places = (points?.values ?? []).map((value) => number(value)).join(', ');
    return points && places
      ? `${points.setting} = ${places} (${goalInWords(goal)})`
      : goalInWords(goal);
  }
  if (kind === 'choice')
    return typeof truth === 'number' ? options[truth].text : t('lesson.nothing');
  if (!answer) return '';
  const value = inWords(answer.measure, truth);
  return tolerance ? `${value} ± ${number(tolerance)}` : value;
}

/** @param {Answer} answer @param {Wrong} wrong @returns {string} */
export function wrongInWords({ question }, { value, above, below, before, option, fault }) {
  const { answer, goal, options = [], items = [] } = question;
  const measure = answer?.measure ?? goal?.measure ?? '';
  if (option !== undefined) return options[option].text;
  if (before) return t('lesson.before', { a: items[before[0]], b: items[before[1]] });
  if (value !== undefined) return inWords(measure, value);
  if (fault !== undefined) return `\`${fault}\``;
  if (above === undefined && below === undefined) return t('lesson.wrong.else');
  return [
    ...(above === undefined ? [] : [`> ${number(above)}`]),
    ...(below === undefined ? [] : [`< ${number(below)}`]),
  ].join(', ');
}
