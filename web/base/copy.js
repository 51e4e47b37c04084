/** Copies to the clipboard. Both functions return false if the browser does not allow it. */

/** @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** @param {Blob} image a PNG file */
export async function copyImage(image) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ [image.type]: image })]);
    return true;
  } catch {
    return false;
  }
}
