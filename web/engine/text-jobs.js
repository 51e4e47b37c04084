/**
 * Writes the texts of a job, in the caller's thread or in a worker of a crowd. A text depends on its task only, never
 * on the thread or on the texts before it.
 */

/** @import { StepFigures } from './measures.js' */

/**
 * A text of a sweep: the options of `write`.
 * @typedef {import('./types.js').GenerateOptions & import('./types.js').Settings} SampleTask
 * @typedef {{ seed: number, text: string, ids: number[], finish_reason: string, steps: StepFigures[] }} SampleText
 *
 * A text of a comparison: a strategy, and the options of `run` in compare.js.
 * @typedef {{ strategy: import('./compare.js').Strategy, options: any }} StrategyTask
 * @typedef {import('./types.js').Generated & { steps: import('./compare.js').MeasuredStep[], figures: import('./compare.js').Figures }} StrategyText
 */

/**
 * Writes one text of a kind of job. `session` is a timeline over the engine, or the engine itself; both may be in a
 * worker.
 */
export const WRITERS = {
  /** @param {any} _ @param {any} session @param {SampleTask} task @returns {Promise<SampleText>} */
  async sample(_, session, task) {
    const { text, ids, finish_reason, steps } = await session.write(task);
    const figures = steps.map((/** @type {StepFigures} */ { entropy, kept, logprob }) => ({
      entropy,
      kept,
      logprob,
    }));
    return { seed: Number(task.seed), text, ids, finish_reason, steps: figures };
  },

  /** @param {any} scope @param {any} session @param {StrategyTask} task @returns {Promise<StrategyText>} */
  async strategy(scope, session, { strategy, options }) {
    const { figuresOf, run } = await import('./compare.js');
    const generation = run(scope, session, strategy, options);
    const steps = [];
    for (;;) {
      const { done, value } = await generation.next();
      if (done) return { ...value, steps, figures: await figuresOf(scope, steps) };
      steps.push(value);
    }
  },
};

/** @typedef {keyof typeof WRITERS} Kind */
