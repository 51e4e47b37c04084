/** Copies a trace from C's memory. C has computed all numbers. */
import { GATES } from './gates.js';
import * as layout from './layout.js';

const OTHERS = [...GATES, 'own']; // stages that are not in the table, in the order of src/stage.h

/** @import { Module } from './module.js' */
/** @import { Trace, TraceStage, TraceToken, TableRow } from './types.js' */

/**
 * @param {Module} module
 * @param {number} at
 * @param {TableRow[]} table
 * @param {number} n number of stages
 * @returns {TraceStage[]}
 */
function readStages(module, at, table, n) {
  const { u32, f64 } = module.fields(at + layout.CHAIN_TRACE_STAGES);
  const nameAt = (/** @type {number} */ i) => {
    const stage = u32(layout.CHAIN_STAGE_SIZE * i + layout.CHAIN_STAGE_STAGE);
    return table[stage]?.name ?? OTHERS[stage - table.length];
  };
  const stages = [];
  for (let i = 0; i < n; i++) {
    const stage = layout.CHAIN_STAGE_SIZE * i;
    const after = u32(stage + layout.CHAIN_STAGE_AFTER);
    stages.push({
      name: nameAt(i),
      value: f64(stage + layout.CHAIN_STAGE_VALUE),
      active: u32(stage + layout.CHAIN_STAGE_ACTIVE) !== 0,
      changed: u32(stage + layout.CHAIN_STAGE_CHANGED) !== 0,
      kept: u32(stage + layout.CHAIN_STAGE_KEPT),
      removed: u32(stage + layout.CHAIN_STAGE_REMOVED),
      mass_removed: f64(stage + layout.CHAIN_STAGE_MASS_REMOVED),
      top_p_mass: f64(stage + layout.CHAIN_STAGE_TOP_P_MASS),
      entropy: f64(stage + layout.CHAIN_STAGE_ENTROPY),
      perplexity: f64(stage + layout.CHAIN_STAGE_PERPLEXITY),
      after: after ? nameAt(after - 1) : null,
    });
  }
  return stages;
}

/**
 * The warnings: settings that have no effect in this chain, and survivors whose p is rounded to 0.
 * @param {TraceStage[]} stages
 * @param {number} underflowed
 * @param {TableRow[]} table
 * @returns {string[]}
 */
function warningsOf(stages, underflowed, table) {
  const warnings = [];
  const mirostat = stages.find(({ name, active }) => name === 'mirostat' && active);
  for (const { name, value, active, changed, after } of stages) {
    const row = table.find((candidate) => candidate.name === name);
    if (mirostat && !active && row && row.kind !== 'map' && value !== row.neutral) {
      warnings.push(`${name} ${value} is replaced by mirostat ${mirostat.value}`);
    }
    if (!active || changed || !row) continue;
    const earlier = stages.find((stage) => stage.name === after);
    warnings.push(
      earlier
        ? `${name} ${value} removes nothing after ${earlier.name} ${earlier.value}`
        : `${name} ${value} changes nothing here`,
    );
  }
  if (underflowed) {
    warnings.push(
      `${underflowed} of the kept tokens are below 2^-44 of the best and cannot be drawn`,
    );
  }
  return warnings;
}

/**
 * @param {Module} module
 * @param {number} at address of struct chain_trace
 * @param {TableRow[]} table
 * @param {(id: number) => { text: string, special: boolean }} piece
 * @returns {Trace}
 */
export function readTrace(module, at, table, piece) {
  const { u32, f64 } = module.fields(at);
  const n = u32(layout.CHAIN_TRACE_N_STAGES);
  const stages = readStages(module, at, table, n);
  const hasGreen = u32(layout.CHAIN_TRACE_HAS_GREEN) !== 0;
  const length = u32(layout.CHAIN_TRACE_N_TOKENS);
  const stageP = module.float64(u32(layout.CHAIN_TRACE_STAGE_P), length * n);
  const token = module.fields(u32(layout.CHAIN_TRACE_TOKENS));
  /** @type {TraceToken[]} */
  const tokens = [];
  for (let i = 0; i < length; i++) {
    const tokenAt = layout.CHAIN_TOKEN_SIZE * i;
    const id = token.u32(tokenAt + layout.CHAIN_TOKEN_ID);
    const removedBy = token.u32(tokenAt + layout.CHAIN_TOKEN_REMOVED_BY);
    const { text, special } = piece(id);
    tokens.push({
      id,
      text,
      special,
      rank: token.u32(tokenAt + layout.CHAIN_TOKEN_RANK),
      logit: token.f32(tokenAt + layout.CHAIN_TOKEN_LOGIT),
      warped: token.f32(tokenAt + layout.CHAIN_TOKEN_WARPED),
      ...(hasGreen && { green: token.u32(tokenAt + layout.CHAIN_TOKEN_GREEN) === 2 }),
      p_raw: token.f64(tokenAt + layout.CHAIN_TOKEN_P_RAW),
      p: token.f64(tokenAt + layout.CHAIN_TOKEN_P),
      logprob: token.f64(tokenAt + layout.CHAIN_TOKEN_LOGPROB),
      stage_p: stages.map((_stage, s) => stageP[i * n + s]),
      removed_by: removedBy ? stages[removedBy - 1].name : null,
    });
  }
  const underflowed = u32(layout.CHAIN_TRACE_UNDERFLOWED);
  return {
    vocab_size: u32(layout.CHAIN_TRACE_VOCAB_SIZE),
    stages,
    tokens,
    rest: {
      count: u32(layout.CHAIN_TRACE_REST_COUNT),
      p_raw: f64(layout.CHAIN_TRACE_REST_P_RAW),
      p: f64(layout.CHAIN_TRACE_REST_P),
      kept: u32(layout.CHAIN_TRACE_REST_KEPT),
    },
    kept: u32(layout.CHAIN_TRACE_KEPT),
    kept_mass_raw: f64(layout.CHAIN_TRACE_KEPT_MASS_RAW),
    entropy: f64(layout.CHAIN_TRACE_ENTROPY),
    perplexity: f64(layout.CHAIN_TRACE_PERPLEXITY),
    raw_entropy: f64(layout.CHAIN_TRACE_RAW_ENTROPY),
    raw_perplexity: f64(layout.CHAIN_TRACE_RAW_PERPLEXITY),
    ...(hasGreen && {
      green: { p_raw: f64(layout.CHAIN_TRACE_GREEN_P_RAW), p: f64(layout.CHAIN_TRACE_GREEN_P) },
    }),
    underflowed,
    warnings: warningsOf(stages, underflowed, table),
  };
}
