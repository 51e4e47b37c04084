/**
 * A learner's marks, and the report for a course. Attempts are unlimited, and a right answer stays right. After its
 * solution was shown, a question brings no points. Without any answer there is no score.
 */

/** Most characters of a state, because of SCORM 1.2. */
export const STATE_LIMIT = 4096;

/**
 * @typedef {{ attempts: number, end: 'right' | 'shown' | null }} Mark
 * @typedef {Readonly<Record<string, Mark>>} Marks by question id
 *
 * `score` is null until the learner has answered a question.
 * @typedef {{ score: number | null, complete: boolean, attempts: number, state: string }} Report
 */

/** @type {Mark} */
const NONE = { attempts: 0, end: null };

/** @param {Marks} marks @param {string} id @returns {Mark} */
export const markOf = (marks, id) => (Object.hasOwn(marks, id) ? marks[id] : NONE);

/** @param {Marks} marks @param {string} id @param {boolean} right @returns {Marks} */
export function answer(marks, id, right) {
  const { attempts, end } = markOf(marks, id);
  if (end === 'right') return marks;
  return { ...marks, [id]: { attempts: attempts + 1, end: end ?? (right ? 'right' : null) } };
}

/**
 * Ends a question because its solution is shown, unless it was right already.
 * @param {Marks} marks @param {string} id @returns {Marks}
 */
export function showSolution(marks, id) {
  const mark = markOf(marks, id);
  return mark.end ? marks : { ...marks, [id]: { ...mark, end: 'shown' } };
}

/**
 * @param {Marks} marks
 * @param {readonly string[]} ids
 * @returns {Report}
 */
export function report(marks, ids) {
  const mine = ids.map((id) => markOf(marks, id));
  const right = mine.filter(({ end }) => end === 'right').length;
  const attempts = mine.reduce((sum, mark) => sum + mark.attempts, 0);
  const begun = mine.some(({ end, attempts: tries }) => end !== null || tries > 0);
  return {
    score: begun ? right / ids.length : null,
    complete: ids.length > 0 && mine.every(({ end }) => end !== null),
    attempts,
    state: writeMarks(marks, ids),
  };
}

const LETTERS = { right: 'r', shown: 's' };
const PART = /^([\w-]{1,40}):(\d{1,4})([rs]?)$/;

/** @param {Marks} marks @param {readonly string[]} ids */
function writeMarks(marks, ids) {
  const parts = ids
    .filter((id) => Object.hasOwn(marks, id))
    .map((id) => {
      const { attempts, end } = marks[id];
      return `${id}:${Math.min(attempts, 9999)}${end ? LETTERS[end] : ''}`;
    });
  return parts.join(' ');
}

/**
 * Reads the marks in a state. Invalid parts are ignored.
 * @param {unknown} text
 * @returns {Marks}
 */
export function readMarks(text) {
  if (typeof text !== 'string' || text.length > STATE_LIMIT) return {};
  const found = text.split(' ').flatMap((part) => {
    const [, id, attempts, letter] = PART.exec(part) ?? [];
    if (id === undefined) return [];
    const end = letter === 'r' ? 'right' : letter === 's' ? 'shown' : null;
    return [[id, { attempts: Number(attempts), end }]];
  });
  return Object.fromEntries(found);
}

/**
 * Merges two records of one learner, for example from two computers: of each question, the better mark stays.
 * @param {Marks} one
 * @param {Marks} other
 * @returns {Marks}
 */
export function merge(one, other) {
  const ids = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(
    ids.map((id) => {
      const [a, b] = [markOf(one, id), markOf(other, id)];
      const ends = [a.end, b.end];
      const end = ends.includes('right') ? 'right' : (a.end ?? b.end);
      return [id, { attempts: Math.max(a.attempts, b.attempts), end }];
    }),
  );
}
