/** Finds many words in one text: a model's control tokens in a rendered chat template. */

/**
 * Finds words in a text, in time linear in the text for any set of words (Aho and Corasick, 1975).
 * Words and text are read from their ends: a node is a common suffix of words, 0 the empty one.
 */
export class WordFinder {
  /**
   * For each character code: from a node to the node with this character in front.
   * @type {Map<number, number>[]}
   */
  #next = [];
  /** For each node, its longest proper prefix that is a node too. */
  #shorter = [0];
  /** For each node, the length of the longest word that it begins with, 0 for none. */
  #word = [0];

  /** @param {string[]} words none of them empty */
  constructor(words) {
    // Each round adds one character of every word, so shorter nodes exist before longer ones.
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

  /** The longest node that begins at each character of a text. @param {string} text */
  read(text) {
    const nodes = new Uint32Array(text.length);
    for (let at = text.length - 1, node = 0; at >= 0; at--)
      nodes[at] = node = this.#step(node, text.charCodeAt(at));
    return nodes;
  }

  /** The length of the longest word that a node begins with. @param {number} node */
  wordAt(node) {
    return this.#word[node];
  }
}
