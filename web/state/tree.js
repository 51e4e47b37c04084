/**
 * The drawn texts as a tree below one prompt. No branch is lost. One node, the tip, ends the present text. If the
 * same token is drawn again at the same place, the existing branch continues.
 */
import { findEarlyLoop } from '../engine/text-loops.js';
import { field } from './fields.js';

/**
 * @typedef {import('../plots/trace.js').Step} Step
 * @typedef {{ step: Step | null, parent: Node | null, children: Node[], depth: number, at: number
 *   }} Node `at` is its index among all nodes, in the order of creation; the prompt is 0
 *
 * One text from the prompt to its end. `shared` is the number of tokens that it shares with the
 * previous text in the list, `level` its depth of nesting from 0, `here` the number of its tokens that
 * are in the current text.
 * @typedef {{ node: Node, steps: Step[], shared: number, level: number, here: number }} Branch
 */

export class TextTree {
  /** Ids of the tokens that end a text. @type {number[]} */
  ends = [];
  stopAtEnd = true;
  limit = field('max_new_tokens').initial;
  /** The key under which the texts are stored; '' before that. */
  key = '';
  /** @type {Node} */
  #root = newRoot();
  /** All nodes; `at` is a node's index. */
  #nodes = [this.#root];
  /** @type {Node} */
  #tip = this.#root;
  /** The tokens of the present text. @type {Step[]} */
  steps = [];
  /** The list of branches; null after a change. @type {Branch[] | null} */
  #branches = null;

  /** @returns {'eos' | 'length' | null} why the current text has ended; null while it can continue */
  get finished() {
    if (this.stopAtEnd && this.ends.includes(this.steps.at(-1)?.id ?? -1)) return 'eos';
    return this.steps.length >= this.limit ? 'length' : null;
  }

  /** The first loop in the present text. */
  get loop() {
    return findEarlyLoop(this.steps.map(({ id }) => id));
  }

  clear() {
    this.key = '';
    this.#root = newRoot();
    this.#nodes = [this.#root];
    this.#setTip(this.#root);
  }

  /** @param {Step} step */
  append(step) {
    const known = this.#tip.children.find((child) => child.step?.id === step.id);
    if (known) known.step = step;
    this.#setTip(known ?? this.#add(this.#tip, step));
  }

  /** @param {Node} parent @param {Step} step */
  #add(parent, step) {
    const at = this.#nodes.length;
    const node = { step, parent, children: [], depth: parent.depth + 1, at };
    parent.children.push(node);
    this.#nodes.push(node);
    return node;
  }

  get size() {
    return this.#nodes.length - 1;
  }

  /** Index of the node that ends the present text. */
  get tip() {
    return this.#tip.at;
  }

  /**
   * All tokens in the order in which they were drawn, each with the index of its parent.
   * @returns {[number, Step][]}
   */
  get all() {
    return this.#nodes
      .slice(1)
      .map(({ parent, step }) => [Number(parent?.at), /** @type {Step} */ (step)]);
  }

  /**
   * Replaces all texts.
   * @param {[number, Step][]} all in the format of `all` above
   * @param {number} tip the `at` of the current text's last node
   * @param {string} key under which the visit keeps them
   */
  take(all, tip, key) {
    this.clear();
    this.key = key;
    for (const [parent, step] of all) this.#add(this.#nodes[parent], step);
    this.#setTip(this.#nodes[tip] ?? this.#root);
  }

  /** Shortens the present text to n tokens. The others stay in the tree. @param {number} n */
  rewind(n) {
    let node = this.#tip;
    while (node.parent && node.depth > n) node = node.parent;
    this.#setTip(node);
  }

  /** @param {Node} node of a branch */
  show(node) {
    this.#setTip(node);
  }

  /** All texts, in the order of the tree. @returns {Branch[]} a new array only after a change */
  get branches() {
    return (this.#branches ??= this.#listBranches());
  }

  #listBranches() {
    /** @type {Branch[]} */
    const found = [];
    /** @param {Node} node @param {number} shared @param {number} level */
    const walk = (node, shared, level) => {
      if (node.children.length === 0 && node.step) {
        const path = ancestorsOf(node);
        const steps = path.map(({ step }) => /** @type {Step} */ (step));
        const on = path.includes(this.#tip) ? this.#tip.depth : 0;
        found.push({ node, steps, shared, level, here: on });
      }
      node.children.forEach((child, i) =>
        walk(child, i === 0 ? shared : node.depth, i === 0 ? level : level + 1),
      );
    };
    walk(this.#root, 0, 0);
    return found;
  }

  /** @param {Node} node */
  #setTip(node) {
    this.#tip = node;
    this.#branches = null;
    this.steps = ancestorsOf(node).map(({ step }) => /** @type {Step} */ (step));
  }
}

/** @returns {Node} */
function newRoot() {
  return { step: null, parent: null, children: [], depth: 0, at: 0 };
}

/**
 * Returns the nodes from the first token to `node`.
 * @param {Node} node
 */
function ancestorsOf(node) {
  /** @type {Node[]} */
  const path = [];
  for (let at = node; at.parent; at = at.parent) path.unshift(at);
  return path;
}
