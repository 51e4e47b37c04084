/**
 * Stores fields in the browser, until the tab closes or for the next visit. If the browser refuses storage, they stay
 * in memory.
 */
import { checkPart, field } from './fields.js';

/** Values that the browser has refused to store. They last until the page closes. @type {Map<string, string>} */
const held = new Map();

/** @param {string} name */
function storedField(name) {
  const part = field(name);
  if (!part.memory) throw new Error(`${name} is not remembered`);
  return { part, key: `logitscope-${name}` };
}

/** @param {import('./fields.js').Field} part */
const storeOf = ({ memory }) => (memory === 'session' ? sessionStorage : localStorage);

/** @param {string} name of a field that the browser keeps */
export function recall(name) {
  const { part, key } = storedField(name);
  try {
    const value = held.get(key) ?? storeOf(part).getItem(key);
    return checkPart(part, value) === null ? value : null;
  } catch {
    return null; // a sandboxed frame or a page from disk has no storage
  }
}

/**
 * Stores a value; a value that is invalid for its field is ignored.
 * @param {string} name of a field that the browser keeps
 * @param {string} value
 * @returns {boolean} true if the browser keeps the value, false if only the document does
 */
export function remember(name, value) {
  const { part, key } = storedField(name);
  if (checkPart(part, value) !== null) return false;
  try {
    storeOf(part).setItem(key, value);
    held.delete(key);
    return true;
  } catch {
    held.set(key, value); // in memory only: no storage, or no room
    return false;
  }
}
