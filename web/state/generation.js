/** Draws the text: a single token, a run of tokens, or a token that the user chooses. */
import { Runner } from './runner.js';

/** @import { Trace, Drawn, Step } from '../plots/trace.js' */

/**
 * The part of the instrument that this class needs.
 * @typedef {Pick<import('./instrument.js').Instrument,
 *   'texts' | 'turns' | 'prompt' | 'pass' | 'drawn' | 'trace' | 'reader' | 'alternatives' |
 *   'attempt' | 'follow' | 'emit' | 'changed'>} Owner
 */

export class Generation {
  #runner = new Runner();
  #owner;

  /** @param {Owner} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  get running() {
    return this.#runner.running;
  }

  /** Speed of a run: an index of PACES. */
  get pace() {
    return this.#runner.pace;
  }

  set pace(pace) {
    this.#runner.pace = pace;
    this.#owner.changed();
  }

  /** Draws tokens at an even pace until the text ends or stop() is called. */
  async run() {
    const owner = this.#owner;
    if (this.running || owner.texts.finished || !owner.drawn) return;
    const run = this.#runner.run(async (signal) => {
      const { drawn } = owner;
      await this.step(signal);
      return drawn !== owner.drawn && !owner.texts.finished;
    });
    owner.changed();
    await owner.attempt(() => run);
    owner.changed();
  }

  stop() {
    this.#runner.stop();
    this.#owner.changed();
  }

  /**
   * Appends the token on which the displayed u falls. It waits for a running reading first. If the text changes or
   * the run stops meanwhile, nothing is appended.
   * @param {AbortSignal} [signal]
   */
  async step(signal) {
    const { texts, turns } = this.#owner;
    const isShown = turns.watch('text');
    while (this.#owner.pass) await this.#owner.pass;
    const { drawn } = this.#owner;
    if (!drawn || texts.finished || signal?.aborted || !isShown()) return;
    await this.append(drawn);
  }

  /** Appends the token that the user has chosen from the list. @param {number} id */
  async force(id) {
    this.stop();
    const { texts, turns } = this.#owner;
    const isShown = turns.watch('text');
    while (this.#owner.pass) await this.#owner.pass;
    const { drawn, trace } = this.#owner;
    if (!drawn || !trace || texts.finished || !isShown()) return;
    await this.choose(id, trace, texts.steps);
  }

  /**
   * Goes back to a drawn token and appends one of its alternatives instead.
   * @param {number} index
   * @param {number} id
   */
  async branch(index, id) {
    const { alternatives, texts } = this.#owner;
    const { shown } = alternatives;
    if (shown?.index !== index) return;
    this.stop();
    texts.rewind(index);
    await this.choose(id, shown.trace, texts.steps);
  }

  /**
   * Appends a token, unless another text is displayed by then.
   * @param {number} id
   * @param {Trace} trace a trace that lists the token
   * @param {Step[]} steps the tokens before it
   * @param {boolean} [announced]
   */
  choose(id, trace, steps, announced) {
    const owner = this.#owner;
    return owner.attempt(async () => {
      const token = trace.tokens.find((listed) => listed.id === id);
      if (!token) return;
      const { p, p_raw, rank, logprob } = token;
      const [piece] = await owner.reader.pieces([id]);
      if (steps !== owner.texts.steps) return;
      const chosen = { u: null, mu: null, p, p_raw, rank, logprob };
      await this.append({ ...piece, ...chosen, forced: true }, announced);
    });
  }

  /** @param {Drawn} drawn @param {boolean} [announced] true to emit "step" and "result" events */
  async append(drawn, announced = true) {
    const { texts, prompt } = this.#owner;
    const step = { ...drawn, position: prompt.ids.length + texts.steps.length };
    texts.append(step);
    if (announced) this.#owner.emit('step', step);
    await this.#owner.follow(announced);
  }
}
