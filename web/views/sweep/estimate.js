/**
 * Estimates how long the texts of a plan take: writes the beginning of one text and measures the time for each token.
 */
import { needsTexts } from '../../engine/measures.js';
import { DEFAULTS, countPoints, sweep } from '../../engine/sweep.js';
import { t } from '../../locale/locale.js';

/** @import { Plan } from '../../engine/sweep.js' */
/** @import { RemoteLogitscope as Engine } from '../../engine/remote.js' */

/** Most tokens of the text that is measured. */
const FEW = 8;

/** Returns how many texts a plan writes, and how many tokens they have at most. @param {Plan} plan */
function sizeOf({ axes, samples = DEFAULTS.samples, max_new_tokens = DEFAULTS.max_new_tokens }) {
  const texts = countPoints(axes) * samples;
  return { texts, tokens: texts * max_new_tokens };
}

export class Estimate {
  /** Milliseconds for each token; null before the measurement. @type {number | null} */
  #pace = null;
  /** @type {Engine | null} */
  #engine = null;
  #changed;

  /** @param {() => void} changed called when the estimate is there */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Measures an engine, once. @param {Engine} engine @param {Plan} plan */
  async want(engine, plan) {
    if (engine === this.#engine) return;
    this.#engine = engine;
    this.#pace = null;
    const axes = plan.axes.map(({ name, values }) => ({ name, values: values.slice(0, 1) }));
    const few = Math.min(FEW, plan.max_new_tokens ?? FEW);
    try {
      const begun = performance.now();
      for await (const { texts } of sweep(engine, {
        ...plan,
        axes,
        samples: 1,
        max_new_tokens: few,
      })) {
        if (engine !== this.#engine) return;
        this.#pace = (performance.now() - begun) / Math.max(1, texts[0].ids.length);
        this.#changed();
      }
    } catch {
      // Ignore errors: the engine was closed, or the plan has an invalid value, which is reported when the plan runs.
    }
  }

  /** Returns how many seconds a plan takes at most; null if unknown. @param {Plan} plan */
  secondsOf(plan) {
    return this.#pace === null ? null : (this.#pace * sizeOf(plan).tokens) / 1000;
  }
}

/**
 * Returns a sentence about the texts that the button Run writes and how long they take. Returns '' if the plan needs
 * no texts or is incomplete.
 * @param {Plan | null} plan
 * @param {Estimate} estimate
 */
export function promiseOf(plan, estimate) {
  if (!plan?.measures.some(needsTexts)) return '';
  const said = t('sweep.empty', { n: sizeOf(plan).texts });
  const seconds = estimate.secondsOf(plan);
  if (seconds === null) return said;
  const [unit, n] = seconds < 90 ? ['seconds', seconds] : ['minutes', seconds / 60];
  return `${said} ${t(`sweep.empty.${unit}`, { n: Math.max(1, Math.round(Number(n))) })}`;
}
