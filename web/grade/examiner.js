/** Calls a tested function. It keeps answers for finding the fault, and notes differences that cost no points. */
import { CHAIN } from './chain.js';
import { isNeutral } from './generation.js';
import { bitsOf, coinOf } from './hashes.js';
import { reason, refusal } from './reasons.js';

/** @import { Answer } from './tested-function.js' */

/** Thrown if the function refuses a setting that lessons may refuse. */
export class Refused extends Error {}

/**
 * Adds the neutral values of all settings that a sampler may read.
 * @param {any} engine
 * @param {string} as
 * @param {Record<string, any>} settings
 */
export function complete(engine, as, settings) {
  const rows = engine.table.filter((/** @type {any} */ row) =>
    as === 'chain' ? CHAIN.includes(row.name) : !row.sampler || row.name === as,
  );
  return {
    ...Object.fromEntries(rows.map((/** @type {any} */ { name, neutral }) => [name, neutral])),
    ...settings,
  };
}

/** Returns true if a function has refused its input by an exception. @param {Answer} answer */
const isRefusal = ({ error, hung, code }) =>
  error !== undefined && !hung && !code && !error.startsWith('ZeroDivisionError');

export class Examiner {
  #tested;
  #as;
  /** Names of the settings that the function has read. @type {Set<string>} */
  reads = new Set();
  /** @type {import('./diagnose.js').Asked[]} */
  asked = [];
  /**
   * Number of answers that are still kept. It is 0 while an input is made smaller, because those answers are too
   * similar.
   */
  room = 0;
  /** Number of answers without an error. */
  answered = 0;
  /** Names of settings and rules for which the function has no parameter. @type {Set<string>} */
  skipped = new Set();
  /** Differences that cost no points, by message. @type {Map<string, import('./diagnose.js').Fault>} */
  notes = new Map();
  /** @type {import('./diagnose.js').Asked | null} */
  last = null;

  /**
   * @param {any} engine
   * @param {Pick<import('./tested-function.js').TestedFunction, 'call'>} tested
   * @param {string} as
   */
  constructor(engine, tested, as) {
    this.engine = engine;
    this.#tested = tested;
    this.#as = as;
  }

  note = (/** @type {import('./diagnose.js').Fault} */ found) => {
    this.notes.set(found.message, found);
  };

  /** @type {(input: any) => Promise<Answer>} */
  ask = (input) => (this.#as === 'generate' ? this.#askLoop(input) : this.#askSampler(input));

  /** @param {any} input */
  async #askLoop(input) {
    const { expected: _, order: __, ...given } = input;
    const answer = await this.#tested.call({ call: 'generate', ...given });
    const { graph, skipped, blind = [] } = answer.log ?? {};
    // A missing parameter matters only if its setting is not neutral.
    if (skipped?.split(' with ').some((name) => isNeutral(name, input.settings)))
      return refusal('own_message');
    if (graph !== undefined) this.reads.add('torch');
    for (const name of skipped ? [skipped] : blind) this.skipped.add(name);
    return skipped ? answer : this.#countAnswer(input, input.settings, answer);
  }

  /** @param {any} input */
  async #askSampler(input) {
    const { logits, settings, history, second, step = 0 } = input;
    const all = complete(this.engine, this.#as, settings);
    const answer = await this.#tested.call({
      call: 'warp',
      logits: Float32Array.from(logits),
      settings: all,
      history,
      step,
      coin: coinOf(settings.seed ?? 0),
      bits: bitsOf(this.#as, all, history, logits.length),
      second: second ? Float32Array.from(second) : null,
    });
    for (const name of answer.read ?? []) this.reads.add(name);
    return this.#countAnswer(input, all, answer);
  }

  /** @param {any} input @param {Record<string, any>} settings complete @param {Answer} answer */
  #countAnswer(input, settings, answer) {
    if (answer.error === undefined) this.answered++;
    else if (this.answered && isRefusal(answer)) {
      const name = this.#settingToRefuse(input.settings);
      if (name) {
        this.note(reason('refuses', { settings: `${name} 0` }));
        throw new Refused();
      }
    }
    this.last = { input, settings, answer };
    if (this.room-- > 0) this.asked.push(this.last);
    return answer;
  }

  /**
   * Returns the name of a setting that the function may refuse; undefined if there is none.
   * @param {Record<string, any>} settings
   */
  #settingToRefuse(settings) {
    const as = this.#as;
    return ['temperature', 'top_k', 'top_p'].find(
      (name) => settings[name] === 0 && (as === name || (as === 'generate' && name === 'top_p')),
    );
  }
}
