/** Writes several texts into one text field, such as DRY's sequence breakers, and reads them back. */

const ESCAPES = /** @type {[string, string][]} */ ([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\t', '\\t'],
  [' ', '\\s'],
]);

/**
 * Writes texts separated by spaces. Inside a text, \n is a line break, \t a tab, \s a space.
 * @param {(string | number | number[])[]} texts
 */
export function writeTexts(texts) {
  const write = (/** @type {unknown} */ text) =>
    ESCAPES.reduce((written, [from, to]) => written.replaceAll(from, to), String(text));
  return texts.map(write).join(' ');
}

/** @param {string} written */
export function readTexts(written) {
  const read = (/** @type {string} */ word) =>
    word.replace(/\\[\\nts]/g, (escape) => ESCAPES.find(([, to]) => to === escape)?.[0] ?? escape);
  return written.split(/\s+/).filter(Boolean).map(read);
}
