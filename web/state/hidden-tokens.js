/**
 * Finds tokens for the picture of the stages that a trace does not list, although they are probable before some
 * stage. XTC, for example, can remove the two best of many tokens, and a trace lists kept tokens first. The chain
 * runs again up to each stage, which gives the probability of each token there.
 */

/** @import { Settings, Trace, WarpTrace } from '../engine/types.js' */
/** @typedef {Omit<import('../plots/stages.js').BandToken, 'text' | 'special'>} Hidden */

/** Least probability of a listed hidden token: the band of a less probable one would be thinner than two pixels. */
const LEAST = 0.004;
/** Most hidden tokens in the list. */
const MOST = 24;

/** Returns true if a trace may lack tokens that the picture needs. @param {Trace} trace */
export const mayHide = ({ rest }) => rest.p_raw >= LEAST;

/**
 * @param {Trace} trace
 * @param {Trace} raw the model's own distribution, its first tokens listed
 * @param {Settings} settings
 * @param {(choices: Settings[]) => Promise<WarpTrace[]>} warp runs the chain over the same logits
 * @returns {Promise<Hidden[]>}
 */
export async function findHidden(trace, raw, settings, warp) {
  const listed = new Set(trace.tokens.map(({ id }) => id));
  if (!raw.tokens.some(({ id, p_raw }) => p_raw >= LEAST && !listed.has(id))) return [];
  const active = trace.stages.filter((stage) => stage.active).map(({ name }) => name);
  const runs = await warp([
    {},
    ...active.map((_, i) => withoutStages(settings, active.slice(i + 1))),
  ]);
  /** For each token: its greatest probability in any of the runs. @type {Map<number, number>} */
  const most = new Map();
  for (const { p } of runs)
    p.forEach((share, id) => {
      if (share >= LEAST && !listed.has(id)) most.set(id, Math.max(share, most.get(id) ?? 0));
    });
  const ids = [...most].sort((a, b) => b[1] - a[1]).slice(0, MOST);
  return ids.map(([id]) => describeToken(id, trace, active, runs));
}

/** Returns settings in which some stages are off. @param {Settings} settings @param {string[]} stages */
function withoutStages(settings, stages) {
  const gone = stages.includes('constraint') ? [...stages, 'constraint_start'] : stages;
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !gone.includes(name)));
}

/**
 * @param {number} id
 * @param {Trace} trace
 * @param {string[]} active the stages that are on, in order
 * @param {WarpTrace[]} runs the model alone, then the chain up to each of these stages
 * @returns {Hidden}
 */
function describeToken(id, { stages }, active, runs) {
  const last = runs[runs.length - 1];
  const own = last.logits[id];
  const removing = runs.findIndex(({ logits }) => logits[id] === -Infinity);
  let run = 0;
  const stage_p = stages.map((stage) => runs[stage.active ? ++run : run].p[id]);
  const hidden = { id, p_raw: runs[0].p[id], p: last.p[id], stage_p };
  if (removing >= 0) return { ...hidden, rank: 0, removed_by: active[removing - 1] ?? null };
  let before = 0;
  let rank = 1;
  last.logits.forEach((logit, other) => {
    if (logit < own || (logit === own && other >= id)) return;
    before += last.p[other];
    rank++;
  });
  return { ...hidden, rank, removed_by: null, before: Math.min(1, before) };
}
