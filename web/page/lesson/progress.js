/** What a reader has done in each lesson, kept by the browser: a state a lesson, by its name. */
import { isObject } from '../../state/fields.js';
import { recall, remember } from '../../state/memory.js';
import { merge, readMarks } from '../../lessons/marks.js';

/** @typedef {import('../../lessons/marks.js').Marks} Marks */

/** @returns {Record<string, string>} */
function all() {
  try {
    const found = JSON.parse(recall('lessons') ?? '{}');
    return isObject(found) ? found : {};
  } catch {
    return {};
  }
}

/** @param {string} name @returns {Marks} */
export const recallMarks = (name) => readMarks(all()[name]);

/**
 * Keeps the marks of a lesson, none of which falls below what another page has kept meanwhile.
 * @param {string} name
 * @param {Marks} marks
 * @param {(marks: Marks) => string} write
 */
export function rememberMarks(name, marks, write) {
  const kept = all();
  remember(
    'lessons',
    JSON.stringify({ ...kept, [name]: write(merge(marks, readMarks(kept[name]))) }),
  );
}

/** @returns {Record<string, string>} by the question's id */
function allCode() {
  try {
    const found = JSON.parse(recall('lesson_code') ?? '{}');
    return isObject(found) ? found : {};
  } catch {
    return {};
  }
}

/** What was written for a question that asks for code, to go on with. @param {string} id */
export function recallCode(id) {
  const code = allCode()[id];
  return typeof code === 'string' ? code : null;
}

/** @param {string} id @param {string} code */
export const rememberCode = (id, code) =>
  remember('lesson_code', JSON.stringify({ ...allCode(), [id]: code }));
