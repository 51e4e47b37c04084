/** Lays out the small chart of a stage: the probabilities of the listed tokens before and after it. */
import { path } from 'd3-path';
import { linear } from './linear.js';

/**
 * @param {{ before: number[], after: number[], width: number, height: number }} options
 *   before, after: shares of 1, in the same token order; width, height: in pixels
 */
export function layoutSparkline({ before, after, width, height }) {
  const x = linear([0, Math.max(1, before.length)], [0, width]);
  const y = linear([0, Math.max(1e-9, ...before, ...after)], [height, 0]);
  /** Returns an outline with one step for each probability. @param {number[]} shares */
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
 * Returns the probabilities before and after a stage, in the order of the model's own.
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
