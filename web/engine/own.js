/** A sampler of the caller's own as a stage: what its function is called with, and its result. */
import { checkIds, checkInteger, checkLogits, checkOwn } from './checks.js';
import { LogitscopeError } from './errors.js';
import { SEED_MAX } from './settings.js';

/** @typedef {import('./settings.js').Resolved} Resolved */

export class OwnStage {
  #core;

  /** @param {import('./core.js').Core} core */
  constructor(core) {
    this.#core = core;
  }

  /**
   * The settings with the result of a sampler of one's own in place of its function; a promise of
   * them where that gives one.
   * @param {Resolved} resolved
   * @param {number} size of the vocabulary
   * @param {number} step
   * @param {() => { logits: number, history: number, count: number }} place puts both into the heap
   * @returns {Resolved | Promise<Resolved>}
   */
  settle(resolved, size, step, place) {
    const { own } = resolved;
    if (typeof own !== 'function') {
      if (own) checkOwn(own, size);
      return resolved;
    }
    const answer = own(...this.#reaching({ ...resolved, own: null }, size, step, place));
    const take = (/** @type {ArrayLike<number>} */ result) => ({
      ...resolved,
      own: checkOwn(result, size),
    });
    return answer instanceof Promise ? answer.then(take) : take(answer);
  }

  /**
   * The same where nothing can be waited for.
   * @param {Parameters<OwnStage['settle']>} given
   */
  settleNow(...given) {
    const settled = this.settle(...given);
    if (!(settled instanceof Promise)) return settled;
    settled.catch(() => {}); // nobody waits for it
    throw new LogitscopeError(
      'invalid_argument',
      'own must give its logits at once, only generate waits for a promise',
    );
  }

  /**
   * What a sampler of one's own, whose result is still to come, is called with.
   * @param {Resolved} resolved
   * @param {number} size
   * @param {number} step
   * @param {() => { logits: number, history: number, count: number }} place
   * @returns {Parameters<import('./types.js').Own>}
   */
  #reaching(resolved, size, step, place) {
    const { module } = this.#core;
    const chain = this.#core.prepare(resolved, size, 0, step);
    const at = place();
    this.#core.follow(resolved, at);
    const history = Array.from(module.uint32(at.history, at.count));
    this.#core.apply(chain, at.logits, at.history, at.count, 0);
    const logits = module.float32(module.calls.chain_logits(chain), size);
    return [logits, this.#core.report(resolved), { history }];
  }

  /**
   * What it is called with for any logits.
   * @param {ArrayLike<number>} logits
   * @param {any} settings
   * @param {ArrayLike<number>} history
   * @param {number} step
   */
  input(logits, settings, history, step) {
    const size = checkLogits(logits);
    checkIds('history', history, size);
    checkInteger('step', step, 0, SEED_MAX);
    const resolved = { ...this.#core.resolve({ ...settings, own: [] }), own: null };
    return this.#reaching(resolved, size, step, () => this.#core.place(logits, history));
  }
}
