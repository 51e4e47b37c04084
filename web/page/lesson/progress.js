/** Stores a learner's marks and answers in the browser, by lesson. */
import { isObject } from '../../state/fields.js';
import { recall, remember } from '../../state/memory.js';
import { merge, readMarks } from '../../lessons/marks.js';
import { SHIPPED } from '../../lessons/shipped.js';

/** @import { Marks } from '../../lessons/marks.js' */
/** @import { Lesson } from '../../lessons/lesson-file.js' */

/**
 * Returns the key for storing a lesson's marks. For a shipped lesson it is its name, the same in all languages. For
 * others it is the name with a hash of the questions: two teachers may choose the same name, and a corrected question
 * must be answered again.
 * @param {string} asked the address of the file, or the name of a shipped lesson
 * @param {Lesson} lesson
 */
export function keyOf(asked, { name, parts }) {
  if (SHIPPED.includes(asked)) return asked;
  let hash = 0x811c9dc5; // FNV-1a
  for (const letter of JSON.stringify(parts.map(({ questions }) => questions)))
    hash = Math.imul(hash ^ /** @type {number} */ (letter.codePointAt(0)), 0x01000193) >>> 0;
  return `${name}~${hash.toString(36)}`;
}

/** @param {string} name of a field whose value is a map @returns {Record<string, any>} */
function mapOf(name) {
  try {
    const found = JSON.parse(recall(name) ?? '{}');
    return isObject(found) ? found : {};
  } catch {
    return {};
  }
}

/** @returns {Record<string, string>} */
const all = () => mapOf('lessons');

/** @param {string} key @returns {Marks} */
export const recallMarks = (key) => readMarks(all()[key]);

/**
 * Stores the marks of a lesson. A better mark that another tab has stored meanwhile stays.
 * @param {string} key
 * @param {Marks} marks
 * @param {(marks: Marks) => string} write
 */
export function rememberMarks(key, marks, write) {
  const kept = all();
  remember(
    'lessons',
    JSON.stringify({ ...kept, [key]: write(merge(marks, readMarks(kept[key]))) }),
  );
}

/**
 * Returns the marks that a course system has not accepted yet.
 * @param {string} key of system, learner and lesson @returns {unknown}
 */
export const recallUnsent = (key) => mapOf('lessons_unsent')[key];

/** @param {string} key @param {{ state: string, score: number | null } | null} marks @returns {boolean} true if the browser keeps them */
export function rememberUnsent(key, marks) {
  const { [key]: before, ...others } = mapOf('lessons_unsent');
  if (marks === null && before === undefined) return true;
  const unsent = marks === null ? others : { ...others, [key]: marks };
  return remember('lessons_unsent', JSON.stringify(unsent));
}

/** Forgets the marks and answers of a lesson. @param {string} key */
export function forgetMarks(key) {
  const { [key]: _, ...others } = all();
  remember('lessons', JSON.stringify(others));
  const code = Object.entries(allCode()).filter(([of]) => !of.startsWith(`${key}/`));
  remember('lesson_code', JSON.stringify(Object.fromEntries(code)));
}

/** @returns {Record<string, string>} the kept answers; the key is lesson and question */
const allCode = () => mapOf('lesson_code');

/**
 * Returns the stored answer to a question (code or a number); null if none.
 * @param {string} key @param {string} id
 */
export function recallCode(key, id) {
  const code = allCode()[`${key}/${id}`];
  return typeof code === 'string' ? code : null;
}

/** @param {string} key @param {string} id @param {string} code */
export const rememberCode = (key, id, code) =>
  remember('lesson_code', JSON.stringify({ ...allCode(), [`${key}/${id}`]: code }));
