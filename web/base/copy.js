/** Puts a text where one can paste from; false where the page is refused that. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no clipboard in this frame
  }
}
