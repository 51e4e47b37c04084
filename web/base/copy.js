/** Copies a text to the clipboard; returns false if the browser refuses. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the browser allows no clipboard in this frame
  }
}
