/** The geometry of the small chart on a card: the listed tokens before and after one stage. */
import { scaleLinear } from 'd3-scale';
import { area, curveStepAfter } from 'd3-shape';

/**
 * @param {{ before: number[], after: number[], width: number, height: number }} options
 *   shares of 1, in one common order
 */
export function layoutSparkline({ before, after, width, height }) {
  const x = scaleLinear([0, Math.max(1, before.length)], [0, width]);
  const y = scaleLinear([0, Math.max(1e-9, ...before, ...after)], [height, 0]);
  /** @type {import('d3-shape').Area<number>} */
  const shape = area();
  shape
    .x((_, i) => x(i))
    .y0(height)
    .y1((p) => y(p))
    .curve(curveStepAfter);
  /** @param {number[]} shares */
  const path = (shares) => shape([...shares, 0]) ?? '';
  return { before: path(before), after: path(after) };
}

/**
 * The shares before and after stage `index`, the most probable of the model first.
 * @param {import('./trace.js').Trace} trace
 * @param {number} index
 */
export function stageShares(trace, index) {
  const tokens = [...trace.tokens].sort((a, b) => b.p_raw - a.p_raw || a.id - b.id);
  return {
    before: tokens.map((token) => (index === 0 ? token.p_raw : token.stage_p[index - 1])),
    after: tokens.map((token) => token.stage_p[index]),
  };
}
