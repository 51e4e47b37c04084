/** Finds many words in a text, for example a model's control tokens in a rendered prompt. */

/**
 * Finds words in a text, in time linear in the length of the text (Aho and Corasick, 1975). Words and
 * text are read backwards: a node is a suffix of one or more words; node 0 is the empty suffix.
 */
export class WordFinder {
  /**
   * For each character code: a map from a node to the node that has this character in front.
   * @type {Map<number, number>[]}
   */
  #next = [];
  /** For each node, the longest proper prefix of its text that is also a node. */
  #shorter = [0];
  /** For each node, the length of the longest word with which its text begins; 0 if none. */
  #word = [0];

  /** @param {string[]} words must not be empty texts */
  constructor(words) {
    // Each round adds one character of every word, so every shorter node exists before longer nodes.
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

  /** Returns the longest node that begins at each character of a text. @param {string} text */
  read(text) {
    const nodes = new Uint32Array(text.length);
    for (let at = text.length - 1, node = 0; at >= 0; at--)
      nodes[at] = node = this.#step(node, text.charCodeAt(at));
    return nodes;
  }

  /** The length of the longest word with which a node begins; 0 if none. @param {number} node */
  wordAt(node) {
    return this.#word[node];
  }
}
