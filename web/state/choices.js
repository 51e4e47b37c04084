/**
 * The choices that the user makes in all views except the bench. They are state of the page that the engine does not
 * know.
 */
import { FIELDS } from './fields.js';

const BESIDE = FIELDS.filter(({ view = 'bench' }) => view !== 'bench');

export class Choices {
  /** The choices by names of FIELDS. @type {Record<string, any>} */
  #chosen = {};
  /** The bench's prompt at the last change of a choice. */
  #prompt = '';
  #promptOf;

  /** @param {() => string} promptOf returns the bench's prompt */
  constructor(promptOf) {
    this.#promptOf = promptOf;
  }

  /**
   * The choices of all views. If the bench's prompt has changed, Compare loses its own prompt and the landscape its
   * drawn tokens.
   */
  get all() {
    const { compare_prompt: _, landscape_ids: __, ...others } = this.#chosen;
    return this.#prompt === this.#promptOf() ? this.#chosen : others;
  }

  /** @param {string} view */
  of(view) {
    return pickFields(
      this.all,
      BESIDE.filter((field) => field.view === view),
    );
  }

  /** @param {Record<string, any>} patch choices; the keys are names of FIELDS */
  add(patch) {
    this.#chosen = { ...this.all, ...patch };
    this.#prompt = this.#promptOf();
  }

  /**
   * Notes a prompt that belongs to another model: Compare keeps its own prompt, the landscape loses its drawn tokens.
   * @param {string} prompt
   */
  move(prompt) {
    const { landscape_ids: _, ...others } = this.all;
    this.#chosen = others;
    this.#prompt = prompt;
  }

  /**
   * Replaces the choices of one view by those in a state.
   * @param {string} view
   * @param {Record<string, any>} state
   * @param {string} prompt the prompt of the state
   */
  replace(view, state, prompt) {
    const others = Object.entries(this.#chosen).filter(([name]) => !name.startsWith(`${view}_`));
    this.#chosen = { ...Object.fromEntries(others), ...pickFields(state, BESIDE) };
    this.#prompt = prompt;
  }
}

/** @param {Record<string, any>} state @param {import('./fields.js').Field[]} fields */
function pickFields(state, fields) {
  const there = fields.filter(({ name }) => name in state);
  return Object.fromEntries(there.map(({ name }) => [name, state[name]]));
}
