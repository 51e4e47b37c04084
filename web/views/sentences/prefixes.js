/**
 * The layout of the prefixes of texts: a column for each token, a box for each prefix, as high as its probability. A
 * box stands beside the boxes of the prefixes that are one token longer.
 */

/**
 * @typedef {{ ids: number[], p: number, tokens: { id: number, text: string, p: number }[] }} Text
 *
 * @typedef {object} Box
 * @property {number} depth its column
 * @property {number} from upper edge, as a share of the height
 * @property {number} p of the prefix: its height
 * @property {number} text index of the most probable text that begins so; -1 for several thin prefixes in one box
 * @property {boolean} last true if the text ends with this token
 */

/** p of the first `n` tokens of a text. @param {Text} text @param {number} n */
export const prefixP = ({ tokens }, n) => tokens.slice(0, n).reduce((all, { p }) => all * p, 1);

/** Returns the number of texts that begin with these ids. @param {Text[]} texts @param {number[]} ids */
export const countBegins = (texts, ids) =>
  texts.filter((text) => ids.every((id, i) => text.ids[i] === id)).length;

/** Returns the length of the longest common beginning. @param {Text} a @param {Text} b */
export function sharedLength(a, b) {
  const at = a.ids.findIndex((id, i) => id !== b.ids[i]);
  return at < 0 ? a.ids.length : at;
}

/**
 * Returns the boxes of all prefixes. Those lower than `thin` are one box, with the prefixes of texts that are not
 * listed; a prefix of a text of `keep` always has its own.
 * @param {Text[]} texts the most probable first
 * @param {{ thin: number, keep: number[] }} options thin: a share of the height; keep: indices of texts
 * @returns {Box[]}
 */
export function layoutPrefixes(texts, { thin, keep }) {
  /** @type {Box[]} */
  const boxes = [];
  /** @param {number[]} members indices of the texts that begin alike @param {Box} parent */
  const split = (members, { depth, from, p }) => {
    /** @type {Map<number, number[]>} */
    const groups = new Map();
    for (const index of members) {
      const id = texts[index].ids[depth + 1];
      groups.set(id, [...(groups.get(id) ?? []), index]);
    }
    const next = [...groups.values()]
      .map((group) => ({ group, p: p * texts[group[0]].tokens[depth + 1].p }))
      .sort((a, b) => b.p - a.p);
    let top = from;
    for (const { group, p: own } of next) {
      if (own < thin && !group.some((index) => keep.includes(index))) continue;
      const [text] = group;
      const last = texts[text].ids.length === depth + 2;
      const box = { depth: depth + 1, from: top, p: own, text, last };
      boxes.push(box);
      if (!last) split(group, box);
      top += own;
    }
    const left = from + p - top;
    if (left > 0) boxes.push({ depth: depth + 1, from: top, p: left, text: -1, last: false });
  };
  split([...texts.keys()], { depth: -1, from: 0, p: 1, text: 0, last: false });
  return boxes;
}
