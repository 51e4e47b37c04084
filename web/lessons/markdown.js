/**
 * Converts a lesson in Markdown to the format of its JSON. Fields of the lesson are at the top, between two lines of
 * `---`. `## ` begins a part; paragraphs are its text. A fenced block `figure` or `question` has lines of `name:
 * value`. A value is JSON if it can be parsed, else text. `option`, `item` and `wrong` may be repeated.
 */

/** Names that may be repeated, with the lists that collect their values. */
const LISTS = /** @type {Record<string, string>} */ ({
  option: 'options',
  item: 'items',
  wrong: 'wrong',
});
/** Fields that are always text, even if the text could be parsed as JSON. */
const TEXTS = 'title ask aim result extension guide right hint solution item'.split(' ');

/** @param {string} name @param {string} text */
function valueOf(name, text) {
  if (TEXTS.includes(name)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param {string[]} lines @returns {Record<string, any>} */
function readLines(lines) {
  /** @type {Record<string, any>} */
  const found = {};
  for (const line of lines.filter((each) => each.trim() !== '')) {
    const [, name, text] = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [null, line.trim(), ''];
    const list = Object.hasOwn(LISTS, name) ? LISTS[name] : null;
    const value = valueOf(name, text);
    if (list) found[list] = [...(found[list] ?? []), value];
    else found[name] = value;
  }
  return found;
}

/**
 * @param {string} text
 * @returns {Record<string, any>} a lesson in JSON format, not yet checked
 */
export function readMarkdown(text) {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replace(/^\uFEFF/, '')
    .split('\n');
  const end =
    lines[0]?.trim() === '---' ? lines.findIndex((line, i) => i > 0 && line.trim() === '---') : -1;
  const lesson = { lesson: 1, ...readLines(lines.slice(1, Math.max(end, 1))) };
  /** @type {Record<string, any>[]} */
  const parts = [];
  /** @type {string[]} */
  let paragraph = [];
  const part = () => {
    if (parts.length === 0) parts.push({});
    return parts[parts.length - 1];
  };
  const close = () => {
    if (paragraph.length > 0) part().text = [...(part().text ?? []), paragraph.join(' ')];
    paragraph = [];
  };
  for (let i = end + 1; i < lines.length; i++) {
    const [, heading] = /^##?\s+(.*)$/.exec(lines[i]) ?? [];
    const [, block] = /^```\s*(\S*)\s*$/.exec(lines[i]) ?? [];
    if (heading !== undefined) {
      close();
      parts.push({ title: heading.trim() });
    } else if (block !== undefined) {
      close();
      const from = i + 1;
      while (++i < lines.length && lines[i].trim() !== '```');
      const read = readLines(lines.slice(from, i));
      if (block === 'question') part().questions = [...(part().questions ?? []), read];
      else part()[block] = read;
    } else if (lines[i].trim() === '') close();
    else paragraph.push(lines[i].trim());
  }
  close();
  return { ...lesson, parts };
}
