/**
 * The grader's small model for `generate`, its random numbers, and a log of how they are used. In Node they are in
 * the grader's process, where the learner's code cannot change the log; the harness asks for them over its pipe. In
 * the page, the harness calls them directly.
 */

/**
 * The data of the toy model.
 * @typedef {object} Toy
 * @property {Float32Array[]} rows each (vocab_size,)
 * @property {number} vocab_size
 * @property {number} context_length
 * @property {number} eos_token_id
 *
 * A question of the harness. `window`: asks for the rows of a window; `endless`: true for any length. `seed`:
 * asks for all numbers of a seed; `number`: for one of them. `again`: says that the call restarts.
 * @typedef {{ ask: 'window', ids: number[], length: number, endless?: boolean }} OfWindow
 * @typedef {OfWindow | { ask: 'seed', seed: number } | { ask: 'number', seed: number | null, step: number }
 *   | { ask: 'again' }} Question
 */

const SEEDS = 1000;
/** Offset for the numbers of a seed that the run does not know. */
const ELSEWHERE = 17;

/**
 * Returns the logits at one position of a window. They depend on the token, the position and the window's first
 * token, so that a wrong window gives other logits.
 * @param {Toy} toy
 * @param {ArrayLike<number>} window
 * @param {number} at
 */
export function toyRow({ rows }, window, at) {
  return rows[(5 * window[at] + 3 * window[0] + at) % rows.length];
}

export class Host {
  #toy;
  #streams;
  #limit;
  /** @type {import('./harness.js').Log} */
  log = { windows: [], early: 0, seeds: [] };

  /** @param {{ toy: Toy, streams: Record<string, Float64Array>, settings: any }} given */
  constructor({ toy, streams, settings }) {
    this.#toy = toy;
    this.#streams = streams;
    this.#limit = settings.max_new_tokens + 8;
  }

  /** @param {Question} question @returns {any} */
  answer(question) {
    if (question.ask === 'window') return this.#answerWindow(question);
    if (question.ask === 'seed') return this.#streamOf(question);
    if (question.ask === 'number') return this.#answerNumber(question);
    this.log = { windows: [], early: 0, seeds: [] };
    return {};
  }

  /** @param {OfWindow} question @returns {{ rows: Float32Array[] } | { error: string }} */
  #answerWindow({ ids, length, endless = false }) {
    const { context_length: longest, vocab_size: size } = this.#toy;
    const { windows } = this.log;
    // Keep one window more than the limit, so that the report can say that there are too many.
    if (windows.length <= this.#limit) windows.push(ids);
    if (windows.length > this.#limit)
      return { error: `the model was asked ${windows.length} times: does the loop end?` };
    if (!ids.length) return { error: 'the model was asked without a token' };
    if (ids.length > longest && !endless)
      return { error: `the model sees ${longest} tokens at most, got ${length}` };
    const odd = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < size));
    if (odd !== undefined) return { error: `the model has no token ${odd}` };
    return { rows: ids.map((_, at) => toyRow(this.#toy, ids, at)) };
  }

  /** @param {{ seed: number }} question */
  #streamOf({ seed }) {
    if (this.log.seeds.length < SEEDS) this.log.seeds.push(seed);
    const known = this.#streams[seed];
    return { stream: known ?? Object.values(this.#streams)[0], from: known ? 0 : ELSEWHERE };
  }

  /** Notes a seed when its first number is asked for. @param {{ seed: number | null, step: number }} question */
  #answerNumber({ seed, step }) {
    const { seeds } = this.log;
    if (seed !== null && step === 0 && seeds.length < SEEDS) seeds.push(seed);
    const known = seed === null ? undefined : this.#streams[seed];
    const stream = known ?? Object.values(this.#streams)[0];
    const from = known || seed === null ? 0 : ELSEWHERE;
    return { number: stream[(from + step) % stream.length] };
  }
}
