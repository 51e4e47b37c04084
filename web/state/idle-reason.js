/**
 * Explains why a stage that is on had no effect: the chain runs again, each time with one possible
 * cause removed, until the stage has an effect.
 */

/**
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../engine/types.js').TraceStage} TraceStage
 */

/** The reasons of each stage, each with settings that remove the cause. The last reason has none: it is used if the others fail. */
const REASONS = /** @type {Record<string, [string, Settings | null][]>} */ ({
  xtc_probability: [
    ['coin', { xtc_probability: 1 }],
    ['keep', { xtc_probability: 1, min_tokens_to_keep: 1 }],
    ['few', null],
  ],
  dry_multiplier: [
    ['short', { dry_allowed_length: 1 }],
    ['none', null],
  ],
});

/** @param {TraceStage} stage */
const isIdle = ({ name, active, changed }) => active && !changed && name in REASONS;

/**
 * Returns the stages; each stage without an effect gets its reason.
 * @param {TraceStage[]} stages
 * @param {(change: Settings) => Promise<{ stages: TraceStage[] }>} warp runs the chain over the
 *   same logits with other settings
 * @returns {Promise<TraceStage[]>}
 */
export async function explainIdle(stages, warp) {
  const why = async (/** @type {TraceStage} */ stage) => {
    for (const [reason, change] of REASONS[stage.name]) {
      if (!change) return reason;
      const found = (await warp(change)).stages.find(({ name }) => name === stage.name);
      if (found?.changed) return reason;
    }
  };
  return Promise.all(
    stages.map(async (stage) => (isIdle(stage) ? { ...stage, why: await why(stage) } : stage)),
  );
}
