/**
 * Saves a text or an image as a file.
 * @param {string} name
 * @param {string | Blob} text
 * @param {string} type
 */
export function download(name, text, type) {
  const link = document.createElement('a');
  const url = URL.createObjectURL(new Blob([text], { type }));
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
