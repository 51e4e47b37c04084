/**
 * A learner's marks as a short code that can be read aloud or pasted: the lesson's name, a character for each
 * question, two check characters. It has attempts and results, nothing else about the learner.
 */
import { MOST_FAULTS } from './faults.js';
import { markOf } from './marks.js';

/** @import { Marks, Mark } from './marks.js' */

/**
 * @typedef {{ mark: Mark[], who: string }} Work the marks of one learner; who: the name
 * @typedef {{ line: number, key: 'shape' | 'lesson' | 'questions' | 'slip', values: Record<string, string | number> }} CodeFault
 */

const ENDS = /** @type {const} */ ([null, 'right', 'shown']);
/** Most attempts that a character can express. More attempts count as this number. */
const MOST_ATTEMPTS = 11;
const SHAPE = /^([\w-]{1,40})\.([0-9a-z]{1,240})\.([0-9a-z]{2})$/;

/** Returns the two check characters of a text. @param {string} text */
function checkOf(text) {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1296;
  return sum.toString(36).padStart(2, '0');
}

/** Splits a word that has the form of a code; returns null for other words. @param {string} word */
function partsOf(word) {
  const [, lesson, digits, check] = SHAPE.exec(word.toLowerCase()) ?? [];
  if (lesson === undefined) return null;
  return { word, lesson, digits, sound: checkOf(`${lesson}.${digits}`) === check };
}

/** @param {string} name of the lesson @param {Marks} marks @param {readonly string[]} ids */
export function writeCode(name, marks, ids) {
  const digits = ids.map((id) => {
    const { attempts, end } = markOf(marks, id);
    return (Math.min(attempts, MOST_ATTEMPTS) * 3 + ENDS.indexOf(end)).toString(36);
  });
  const body = `${name.toLowerCase()}.${digits.join('')}`;
  return `${body}.${checkOf(body)}`;
}

/**
 * Reads the codes of a class, one in each line, with or without a name.
 * @param {string} text
 * @param {string} name of the lesson
 * @param {number} n the number of the lesson's questions
 * @returns {{ works: Work[], faults: CodeFault[] }}
 */
export function readCodes(text, name, n) {
  /** @type {Work[]} */
  const works = [];
  /** @type {CodeFault[]} */
  const faults = [];
  text.split('\n').forEach((each, i) => {
    const written = each.trim();
    if (written === '') return;
    const words = written
      .replaceAll('"', '')
      .split(/[\s,;]+/)
      .filter(Boolean);
    const shaped = words.flatMap((word) => partsOf(word) ?? []);
    const code = shaped.find(({ sound }) => sound) ?? shaped[0];
    /** @param {CodeFault['key']} key @param {Record<string, string | number>} [values] */
    const fail = (key, values = {}) =>
      faults.length < MOST_FAULTS && faults.push({ line: i + 1, key, values });
    if (!code) fail('shape', { code: (words[0] ?? written).slice(0, 40) });
    else if (!code.sound) fail('slip', { code: code.word.slice(0, 60) });
    else if (code.lesson !== name.toLowerCase()) fail('lesson', { lesson: code.lesson });
    else if (code.digits.length !== n) fail('questions', { found: code.digits.length, n });
    else
      works.push({
        who: words.filter((word) => word !== code.word).join(' '),
        mark: [...code.digits].map((digit) => {
          const value = parseInt(digit, 36);
          return { attempts: Math.floor(value / 3), end: ENDS[value % 3] };
        }),
      });
  });
  return { works, faults };
}

/**
 * Counts the results of one question in a class.
 * @param {Work[]} works
 * @param {number} i
 */
export function countOf(works, i) {
  const count = { first: 0, later: 0, shown: 0, tried: 0, none: 0 };
  for (const { mark } of works) count[outcomeOf(mark[i])]++;
  return count;
}

/**
 * Returns a question's result: right at the first attempt, right later, solution shown, tried, or not tried.
 * @param {Mark} mark @returns {'first' | 'later' | 'shown' | 'tried' | 'none'}
 */
export function outcomeOf({ attempts, end }) {
  if (end === 'right') return attempts > 1 ? 'later' : 'first';
  if (end === 'shown') return 'shown';
  return attempts > 0 ? 'tried' : 'none';
}
