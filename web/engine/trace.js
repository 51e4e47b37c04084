/** Copies a trace out of C's memory; computes no number. The layout is struct chain_trace's. */

import { GATES } from './gates.js';

const OTHERS = [...GATES, 'own']; // the stages without a row, as src/warp.h numbers them

/** @typedef {import('./module.js').Module} Module */
/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {import('./types.js').TraceStage} TraceStage */
/** @typedef {import('./types.js').TraceToken} TraceToken */
/** @typedef {import('./types.js').TableRow} TableRow */

const STAGES_AT = 88;
const STAGE_BYTES = 64;
const TOKEN_BYTES = 48;

/**
 * @param {DataView} view
 * @param {number} at
 * @param {string} name
 * @returns {TraceStage & { afterIndex: number }}
 */
function readStage(view, at, name) {
  return {
    name,
    value: view.getFloat64(at + 24, true),
    active: view.getUint32(at + 4, true) !== 0,
    changed: view.getUint32(at + 8, true) !== 0,
    kept: view.getUint32(at + 12, true),
    removed: view.getUint32(at + 16, true),
    mass_removed: view.getFloat64(at + 32, true),
    top_p_mass: view.getFloat64(at + 40, true),
    entropy: view.getFloat64(at + 48, true),
    perplexity: view.getFloat64(at + 56, true),
    after: null,
    afterIndex: view.getUint32(at + 20, true),
  };
}

/**
 * @param {DataView} view
 * @param {number} at
 * @param {TableRow[]} table
 * @returns {TraceStage[]}
 */
function readStages(view, at, table) {
  const count = view.getUint32(at + 4, true);
  const raw = Array.from({ length: count }, (_, i) => {
    const stageAt = at + STAGES_AT + STAGE_BYTES * i;
    const setting = view.getUint32(stageAt, true);
    return readStage(view, stageAt, table[setting]?.name ?? OTHERS[setting - table.length]);
  });
  return raw.map(({ afterIndex, ...stage }) => ({
    ...stage,
    after: afterIndex ? raw[afterIndex - 1].name : null,
  }));
}

/**
 * What deserves a sentence: settings that do nothing here, survivors that cannot be drawn.
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
    if (mirostat && !active && row?.group === 'truncation' && value !== row.neutral) {
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
 * @param {number} at the struct
 * @param {TableRow[]} table
 * @param {(id: number) => { text: string, special: boolean }} piece
 * @returns {Trace}
 */
export function readTrace(module, at, table, piece) {
  const view = module.view();
  const u32 = (/** @type {number} */ offset) => view.getUint32(at + offset, true);
  const f64 = (/** @type {number} */ offset) => view.getFloat64(at + offset, true);
  const stages = readStages(view, at, table);
  const most = OTHERS.length + table.filter((row) => row.warper).length;
  const pointersAt = STAGES_AT + STAGE_BYTES * most;
  const tokensAt = u32(pointersAt);
  const stagePAt = u32(pointersAt + 4);
  const tokens = Array.from({ length: u32(8) }, (_, i) => {
    const t = tokensAt + TOKEN_BYTES * i;
    const id = view.getUint32(t, true);
    const removedBy = view.getUint32(t + 8, true);
    const { text, special } = piece(id);
    return {
      id,
      text,
      special,
      rank: view.getUint32(t + 4, true),
      logit: view.getFloat32(t + 12, true),
      warped: view.getFloat32(t + 16, true),
      p_raw: view.getFloat64(t + 24, true),
      p: view.getFloat64(t + 32, true),
      logprob: view.getFloat64(t + 40, true),
      stage_p: stages.map((_stage, s) =>
        view.getFloat64(stagePAt + 8 * (i * stages.length + s), true),
      ),
      removed_by: removedBy ? stages[removedBy - 1].name : null,
    };
  });
  return {
    vocab_size: u32(0),
    stages,
    tokens,
    rest: { count: u32(16), p_raw: f64(32), p: f64(40), kept: u32(20) },
    kept: u32(12),
    kept_mass_raw: f64(80),
    entropy: f64(48),
    perplexity: f64(56),
    raw_entropy: f64(64),
    raw_perplexity: f64(72),
    underflowed: u32(24),
    warnings: warningsOf(stages, u32(24), table),
  };
}
