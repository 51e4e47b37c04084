/** Many words in one text: the control tokens of a model in what a chat template is given and makes. */

/**
 * Where words stand in a text, in time that grows with the text whatever the words are (Aho and
 * Corasick, 1975). A node is a beginning of words, 0 the empty one; backward all is read from its end.
 */
export class Words {
  #backward;
  /** By character the node after a node, where words go on so. @type {Map<number, number>[]} */
  #next = [];
  /** Of each node its characters, */
  #length = [0];
  /** whether words go on from it, */
  #open = [false];
  /** the longest shorter node that it ends with, */
  #shorter = [0];
  /** and the characters of the longest word that it ends with, 0 for none. */
  #word = [0];

  /**
   * @param {string[]} words none empty
   * @param {boolean} backward
   */
  constructor(words, backward) {
    this.#backward = backward;
    // Character by character in all words at once: what a node ends with is there before it.
    let left = words.map((word) => ({ word, node: 0 }));
    for (let n = 1; left.length; n++) {
      for (const each of left) {
        const code = each.word.charCodeAt(backward ? each.word.length - n : n - 1);
        each.node = this.#next[code]?.get(each.node) ?? this.#add(each.node, code);
        if (each.word.length === n) this.#word[each.node] = n;
      }
      left = left.filter(({ word }) => word.length > n);
    }
  }

  /** @param {number} node @param {number} code */
  #add(node, code) {
    const shorter = node ? this.#step(this.#shorter[node], code) : 0;
    const added = this.#length.push(this.#length[node] + 1) - 1;
    (this.#next[code] ??= new Map()).set(node, added);
    this.#open[node] = true;
    this.#open.push(false);
    this.#shorter.push(shorter);
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

  /** The node that each character of a text ends. @param {string} text */
  read(text) {
    const nodes = new Uint32Array(text.length);
    for (let n = 0, node = 0; n < text.length; n++) {
      const at = this.#backward ? text.length - 1 - n : n;
      nodes[at] = node = this.#step(node, text.charCodeAt(at));
    }
    return nodes;
  }

  /** How long the longest word is that ends with this node's last character. @param {number} node */
  wordAt(node) {
    return this.#word[node];
  }

  /** How long the words are so far that go on from here, the longest first. @param {number} node */
  *openAt(node) {
    for (; node; node = this.#shorter[node]) if (this.#open[node]) yield this.#length[node];
  }
}
