/**
 * The drawn texts as a tree over one prompt: every road taken is kept, and one place in it is the
 * text on show. Going back and drawing the same token again walks the same branch.
 */
import { field } from './fields.js';

/**
 * @typedef {import('../plots/trace.js').Step} Step
 * @typedef {{ step: Step | null, parent: Node | null, children: Node[], depth: number }} Node
 *
 * One text from the prompt to its end: it parts from the one listed before it after `shared`
 * tokens, `level` says how deeply it is nested, `here` how many of its tokens are on show.
 * @typedef {{ node: Node, steps: Step[], shared: number, level: number, here: number }} Branch
 */

export class TextTree {
  /** @type {number[]} The tokens that end a text. */
  ends = [];
  stopAtEnd = true;
  /** How many tokens a text has at most. */
  limit = field('max_new_tokens').initial;
  /** @type {Node} */
  #root = { step: null, parent: null, children: [], depth: 0 };
  /** @type {Node} */
  #tip = this.#root;
  /** @type {Step[]} The text on show. */
  steps = [];
  /** Every text; null until it is asked for again. @type {Branch[] | null} */
  #branches = null;

  /** @returns {'eos' | 'length' | null} why the text on show has ended */
  get finished() {
    if (this.stopAtEnd && this.ends.includes(this.steps.at(-1)?.id ?? -1)) return 'eos';
    return this.steps.length >= this.limit ? 'length' : null;
  }

  clear() {
    this.#root.children = [];
    this.#stand(this.#root);
  }

  /** @param {Step} step */
  append(step) {
    const known = this.#tip.children.find((child) => child.step?.id === step.id);
    if (known) known.step = step;
    const node = known ?? { step, parent: this.#tip, children: [], depth: this.#tip.depth + 1 };
    if (!known) this.#tip.children.push(node);
    this.#stand(node);
  }

  /**
   * Shows the first n tokens; what follows them stays a branch.
   * @param {number} n
   */
  rewind(n) {
    let node = this.#tip;
    while (node.parent && node.depth > n) node = node.parent;
    this.#stand(node);
  }

  /** @param {Node} node of a branch */
  show(node) {
    this.#stand(node);
  }

  /** Every text, in the order in which they were begun. @returns {Branch[]} the same until one is another */
  get branches() {
    return (this.#branches ??= this.#walk());
  }

  #walk() {
    /** @type {Branch[]} */
    const found = [];
    /** @param {Node} node @param {number} shared @param {number} level */
    const walk = (node, shared, level) => {
      if (node.children.length === 0 && node.step) {
        const path = ancestors(node);
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
  #stand(node) {
    this.#tip = node;
    this.#branches = null;
    this.steps = ancestors(node).map(({ step }) => /** @type {Step} */ (step));
  }
}

/**
 * The nodes from the first token to `node`.
 * @param {Node} node
 */
function ancestors(node) {
  /** @type {Node[]} */
  const path = [];
  for (let at = node; at.parent; at = at.parent) path.unshift(at);
  return path;
}
