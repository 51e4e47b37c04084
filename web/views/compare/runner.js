/**
 * Writes the texts of a comparison in the worker. Several texts grow at the same time. Finished texts are kept if the
 * next comparison needs them too.
 */
import { coldPair, figuresOf, gapsOf, run } from '../../engine/compare.js';
import { toFault } from '../../engine/errors.js';
import { pageCrowd } from '../../state/crowd.js';

/** @import { RemoteLogitscope as Engine } from '../../engine/remote.js' */
/** @import { RemoteSession as Session } from '../../engine/remote.js' */
/** @import { Strategy, MeasuredStep, Figures } from '../../engine/compare.js' */

/**
 * `samples`: the number of texts per strategy, with successive seeds; a given text counts once.
 * @typedef {{ prompt: string, prompt_ids?: number[] | null, seed: number, samples: number, max_new_tokens: number,
 *   strategies: readonly Strategy[] }} Plan
 *
 * One text. `figures`: null until it is complete. `fault`: the error of a given text. `absent`: true
 * for a given text that is empty or has a fault; it is not measured.
 * @typedef {{ key: string, strategy: Strategy, seed: number, steps: MeasuredStep[],
 *   finish: string | null, figures: Figures | null, absent: boolean,
 *   fault?: import('../../engine/errors.js').Fault }} Text
 *
 * The indices of the greedy and the cold strategy, and the logit gaps of the greedy text.
 * @typedef {{ greedy: number, cold: number } & Awaited<ReturnType<typeof gapsOf>>} Gaps
 */

/** Most texts that grow at the same time, and the memory limit of their timelines in bytes. */
const LANES = 9;
const MEMORY = 64 << 20;

export class TextRunner {
  /** The texts of the plan: a list for each strategy. @type {Text[][]} */
  texts = [];
  /**
   * How close the two best logits of the greedy text are; null unless the plan has a greedy strategy and one at a
   * temperature near 0.
   * @type {Gaps | null}
   */
  gaps = null;
  /** @type {import('../../engine/errors.js').Fault | null} */
  fault = null;
  running = false;
  /** The prompt of the texts. @type {string | number[]} */
  prompt = '';
  #changed;
  #abort = new AbortController();
  /** The engine that wrote the texts. @type {Engine | null} */
  #engine = null;

  /** @param {() => void} changed called after each step */
  constructor(changed) {
    this.#changed = changed;
  }

  /** The number of texts, and the number of complete texts. */
  get progress() {
    const all = this.texts.flat().filter(({ absent }) => !absent);
    return { total: all.length, done: all.filter(({ figures }) => figures).length };
  }

  /** Stops writing; finished texts are kept. */
  stop() {
    this.#abort.abort();
    this.running = false;
    this.#changed();
  }

  /**
   * Writes the texts of a plan. An earlier plan ends.
   * @param {Engine} engine
   * @param {Plan} plan
   */
  async start(engine, plan) {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.fault = null;
    this.gaps = null;
    this.running = true;
    if (engine !== this.#engine) this.texts = [];
    this.#engine = engine;
    this.prompt = promptOf(plan);
    this.#listTexts(plan);
    this.#changed();
    try {
      await this.#write(engine, plan, signal);
      if (!signal.aborted) await this.#measureGaps(engine, plan, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#abort.abort(); // if one text fails, end the others
      this.fault = toFault(error);
    }
    if (this.#abort.signal !== signal) return;
    this.running = false;
    this.#changed();
  }

  /** Makes the list of texts of a plan; finished texts are used again. @param {Plan} plan */
  #listTexts({ strategies, samples, seed, max_new_tokens }) {
    const { prompt } = this;
    const kept = new Map(
      this.texts.flat().flatMap((text) => (text.figures || text.fault ? [[text.key, text]] : [])),
    );
    this.texts = strategies.map((strategy) =>
      Array.from({ length: textsOf(strategy, samples) }, (_, i) => {
        const { kind, settings, text } = strategy;
        const key = JSON.stringify([prompt, seed + i, max_new_tokens, kind, settings, text]);
        const old = kept.get(key);
        if (old) return { ...old, strategy };
        const absent = kind === 'given' && !text?.trim();
        return { key, strategy, seed: seed + i, steps: [], finish: null, figures: null, absent };
      }),
    );
  }

  /**
   * @param {Engine} engine
   * @param {Plan} plan
   * @param {AbortSignal} signal
   */
  async #write(engine, plan, signal) {
    const { samples } = plan;
    // Order of writing: the first text of every strategy, then every second text, and so on.
    const queue = Array.from({ length: samples }, (_, i) =>
      this.texts.flatMap((texts) => texts.slice(i, i + 1)),
    )
      .flat()
      .filter(({ figures, absent }) => !figures && !absent);
    const crowd = pageCrowd();
    const many = crowd.workers > 1 && samples > 1;
    const apart = many ? queue.filter(({ strategy }) => strategy.kind !== 'given') : [];
    for (const text of apart) queue.splice(queue.indexOf(text), 1);
    const most = Math.floor(MEMORY / (engine.info?.session_bytes ?? MEMORY));
    const lanes = Math.min(LANES, queue.length, Math.max(1, most));
    const written = this.#writeApart(engine, apart, plan, signal, crowd);
    await Promise.all([
      written,
      ...Array.from({ length: lanes }, () =>
        withSession(engine, async (session) => {
          for (let text = queue.shift(); text && !signal.aborted; text = queue.shift())
            await this.#writeOne(engine, session, text, plan, signal);
        }),
      ),
    ]);
  }

  /**
   * Writes many texts with workers. Each text appears when it is complete, since a table shows their numbers.
   * @param {Engine} engine
   * @param {Text[]} texts
   * @param {Plan} plan
   * @param {AbortSignal} signal
   * @param {import('../../engine/crowd.js').CrowdOptions} crowd
   */
  async #writeApart(engine, texts, plan, signal, crowd) {
    if (texts.length === 0) return;
    const { writeAll } = await import('../../engine/crowd.js');
    const { max_new_tokens } = plan;
    const tasks = texts.map(({ strategy, seed }) => ({
      strategy,
      options: { prompt: promptOf(plan), seed, max_new_tokens },
    }));
    await withSession(engine, async (session) => {
      const all = writeAll(engine, session, 'strategy', tasks, tasks.length, crowd, signal);
      let at = 0;
      for await (const { steps, figures, finish_reason } of all) {
        Object.assign(texts[at++], { steps, figures, finish: finish_reason });
        this.#changed();
      }
    });
  }

  /**
   * @param {Engine} engine
   * @param {Session} session
   * @param {Text} text
   * @param {Plan} plan
   * @param {AbortSignal} signal
   */
  async #writeOne(engine, session, text, plan, signal) {
    const { strategy, seed } = text;
    const options = { prompt: promptOf(plan), seed, max_new_tokens: plan.max_new_tokens, signal };
    const generation = run(engine, session, strategy, options);
    try {
      for (;;) {
        const { done, value } = await generation.next();
        if (signal.aborted) return;
        if (done) {
          const figures = await figuresOf(engine, text.steps);
          if (signal.aborted) return;
          text.finish = value.finish_reason;
          text.figures = figures;
          break;
        }
        text.steps = [...text.steps, value];
        this.#changed();
      }
    } catch (error) {
      if (strategy.kind !== 'given' || signal.aborted) throw error;
      text.fault = toFault(error); // this vocabulary cannot spell the given text
      text.absent = true;
    } finally {
      await generation.return(/** @type {any} */ (undefined));
    }
    this.#changed();
  }

  /**
   * @param {Engine} engine
   * @param {Plan} plan
   * @param {AbortSignal} signal
   */
  async #measureGaps(engine, plan, signal) {
    const { strategies } = plan;
    const pair = coldPair(strategies);
    if (!pair) return;
    const ids = this.texts[pair.greedy][0].steps.map(({ id }) => id);
    const temperature = Number(strategies[pair.cold].settings.temperature);
    await withSession(engine, async (session) => {
      const found = await gapsOf(session, await idsOf(engine, plan), ids, temperature);
      if (!signal.aborted) this.gaps = { ...pair, ...found };
    });
  }
}

/** Returns the prompt as the engine gets it: token ids or a text. @param {Plan} plan */
function promptOf({ prompt, prompt_ids }) {
  return prompt_ids ?? prompt;
}

/** @param {Engine} engine @param {Plan} plan @returns {Promise<ArrayLike<number>>} */
async function idsOf(engine, { prompt, prompt_ids }) {
  return prompt_ids ?? engine.encode(prompt);
}

/**
 * Returns how many texts a strategy writes: 1 if the seed does not change them.
 * @param {Strategy} strategy
 * @param {number} samples
 */
function textsOf({ kind }, samples) {
  return kind === 'given' ? 1 : samples;
}

/**
 * @param {Engine} engine
 * @param {(session: Session) => Promise<void>} use
 */
async function withSession(engine, use) {
  const session = await engine.session();
  try {
    await use(session);
  } finally {
    await session.close();
  }
}
