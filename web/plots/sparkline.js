/** The geometry of a stage's small chart: the listed tokens' shares before and after the stage. */
import { path } from 'd3-path';
import { linear } from './linear.js';

/**
 * @param {{ before: number[], after: number[], width: number, height: number }} options
 *   before, after: shares of 1, in the same token order; width, height: in pixels
 */
export function layoutSparkline({ before, after, width, height }) {
  const x = linear([0, Math.max(1, before.length)], [0, width]);
  const y = linear([0, Math.max(1e-9, ...before, ...after)], [height, 0]);
  /** Returns a path with one step per share, closed along the bottom. @param {number[]} shares */
  const steps = (shares) => {
    const outline = path();
    outline.moveTo(0, height);
    shares.forEach((p, i) => {
      outline.lineTo(x(i), y(p));
      outline.lineTo(x(i + 1), y(p));
    });
    outline.lineTo(x(shares.length), height);
    outline.closePath();
    return String(outline);
  };
  return { before: steps(before), after: steps(after) };
}

/**
 * Returns the shares before and after stage `index`, in the order of the model's probabilities.
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
