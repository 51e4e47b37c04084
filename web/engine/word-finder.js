/** Many words in one text: the control tokens of a model in a rendered chat template. */

/**
 * Finds words in a text, in time linear in the text for any words (Aho and Corasick, 1975). Both are
 * read from their ends: a node is a suffix of words, 0 the empty one.
 */
export class WordFinder {
  /** By character the node after a node, where words go on so. @type {Map<number, number>[]} */
  #next = [];
  /** Of each node the longest shorter node that it begins with, */
  #shorter = [0];
  /** and the characters of the longest word that it begins with, 0 for none. */
  #word = [0];

  /** @param {string[]} words none empty */
  constructor(words) {
    // All words grow together, one character a turn, so that shorter nodes exist before longer ones.
    let left = words.map((word) => ({ word, node: 0 }));
    for (let n = 1; left.length; n++) {
      for (const each of left) {
        const code = each.word.charCodeAt(each.word.length - n);
        each.node = this.#next[code]?.get(each.node) ?? this.#add(each.node, code);
        if (each.word.length === n) this.#word[each.node] = n;
      }
      left = left.filter(({ word }) => word.length > n);
    }
  }

  /** @param {number} node @param {number} code */
  #add(node, code) {
    const shorter = node ? this.#step(this.#shorter[node], code) : 0;
    const added = this.#shorter.push(shorter) - 1;
    (this.#next[code] ??= new Map()).set(node, added);
    this.#word.push(this.#word[shorter]);
    return added;
  }

  /** @param {number} node @param {number} code */
  #step(node, code) {
    for (;;) {
      const next = this.#next[code]?.get(node);
      if (next !== undefined || !node) return next ?? 0;
      node = this.#shorter[node];
    }
  }

  /** The node that each character of a text begins. @param {string} text */
  read(text) {
    const nodes = new Uint32Array(text.length);
    for (let at = text.length - 1, node = 0; at >= 0; at--)
      nodes[at] = node = this.#step(node, text.charCodeAt(at));
    return nodes;
  }

  /** How long the longest word is that begins with this node's first character. @param {number} node */
  wordAt(node) {
    return this.#word[node];
  }
}
