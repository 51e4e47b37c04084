/** What the views beside the bench chose: page state that the engine knows nothing of. */
import { FIELDS } from './fields.js';

const BESIDE = FIELDS.filter(({ view = 'bench' }) => view !== 'bench');

export class Choices {
  /** By the names of the list. @type {Record<string, any>} */
  #chosen = {};
  /** The prompt that was on the bench then. */
  #prompt = '';
  #promptOf;

  /** @param {() => string} promptOf the prompt on the bench */
  constructor(promptOf) {
    this.#promptOf = promptOf;
  }

  /** Those of every view. A prompt of Compare's own lasts until the bench has another one. */
  get all() {
    const { compare_prompt: _, ...others } = this.#chosen;
    return this.#prompt === this.#promptOf() ? this.#chosen : others;
  }

  /** @param {string} view */
  of(view) {
    return pick(
      this.all,
      BESIDE.filter((field) => field.view === view),
    );
  }

  /** @param {Record<string, any>} patch by the names of the list */
  add(patch) {
    this.#chosen = { ...this.all, ...patch };
    this.#prompt = this.#promptOf();
  }

  /**
   * Takes a new prompt of the bench that nobody typed; a prompt of Compare's own stays.
   * @param {string} prompt
   */
  move(prompt) {
    this.#chosen = this.all;
    this.#prompt = prompt;
  }

  /**
   * Takes a view's choices from a state, in place of those that it had.
   * @param {string} view
   * @param {Record<string, any>} state
   * @param {string} prompt that comes with it
   */
  replace(view, state, prompt) {
    const others = Object.entries(this.#chosen).filter(([name]) => !name.startsWith(`${view}_`));
    this.#chosen = { ...Object.fromEntries(others), ...pick(state, BESIDE) };
    this.#prompt = prompt;
  }
}

/** @param {Record<string, any>} state @param {import('./fields.js').Field[]} fields */
function pick(state, fields) {
  const there = fields.filter(({ name }) => name in state);
  return Object.fromEntries(there.map(({ name }) => [name, state[name]]));
}
