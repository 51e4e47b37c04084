/** Several texts in one box, as DRY's sequence breakers are written. */

const ESCAPES = /** @type {[string, string][]} */ ([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\t', '\\t'],
  [' ', '\\s'],
]);

/**
 * Texts in one box, parted by spaces: a line break is written \n, a tab \t, a space \s.
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
