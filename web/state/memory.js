/** What the browser keeps of a reader's choices, where it allows it. */

/** @param {string} key */
export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // a sandboxed frame or a file: nothing is remembered
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // as in recall
  }
}
