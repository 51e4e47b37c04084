/**
 * Explains why an active stage had no effect: runs the chain again without one possible cause after another, until
 * the stage has an effect. It also measures the repeat that DRY has found.
 */

/**
 * @typedef {import('../engine/types.js').Settings} Settings
 * @typedef {import('../engine/types.js').TraceStage} TraceStage
 */

/**
 * For each stage: its possible reasons, each with settings that remove this cause. The last reason has no settings;
 * it is the answer if no other is right.
 */
const REASONS = /** @type {Record<string, [string, Settings | null][]>} */ ({
  xtc_probability: [
    ['coin', { xtc_probability: 1 }],
    ['keep', { xtc_probability: 1, min_tokens_to_keep: 1 }],
    ['few', null],
  ],
  dry_multiplier: [
    ['breaker', { dry_sequence_breakers: [] }],
    ['window', { dry_penalty_last_n: 0 }],
    ['short', { dry_allowed_length: 1 }],
    ['none', null],
  ],
});

/** @param {TraceStage} stage */
const isIdle = ({ name, active, changed }) => active && !changed && name in REASONS;

/**
 * Returns the stages; each one without an effect gets its reason.
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

/** Longest repeat that is measured, in tokens. */
const LONGEST = 64;

/**
 * Returns the length of the longest repeat, in tokens: the largest allowed length with which DRY has an effect.
 * @param {(change: Settings) => Promise<{ stages: TraceStage[] }>} warp
 * @param {number} allowed an allowed length with which DRY has an effect
 */
export async function measureRepeat(warp, allowed) {
  const works = async (/** @type {number} */ dry_allowed_length) => {
    const { stages } = await warp({ dry_allowed_length });
    return stages.some(({ name, changed }) => name === 'dry_multiplier' && changed);
  };
  let low = Math.max(1, Math.ceil(allowed));
  let high = 2 * low;
  while (high < LONGEST && (await works(high))) [low, high] = [high, 2 * high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (await works(middle)) low = middle;
    else high = middle;
  }
  return low;
}
