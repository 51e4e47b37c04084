/**
 * The geometry of the draw: the survivors side by side from 0 to 1, and u as x in pixels.
 */
import { ticks as roundTicks } from 'd3-array';
import { linear } from './linear.js';

/**
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./trace.js').TraceToken} TraceToken
 * @typedef {ReturnType<typeof layoutStrip>} Layout
 *
 * A survivor, or all unlisted tokens. It covers the shares `from` to `to`; x and width are in pixels.
 * @typedef {object} Segment
 * @property {string} key the token's id, or "rest"
 * @property {TraceToken | null} token
 * @property {number} from
 * @property {number} to
 * @property {number} x
 * @property {number} width
 * @property {boolean} isNext true if u draws it
 */

/**
 * @param {{ trace: Trace, width: number, u: number | null, nextId: number | null }} options
 *   nextId: the id of the drawn token, null if there is none; width: in pixels
 */
export function layoutStrip({ trace, width, u, nextId }) {
  const x = linear([0, 1], [0, width]);
  /** @type {Segment[]} */
  const segments = [];
  let mass = 0;
  for (const token of trace.tokens) {
    if (token.removed_by !== null || token.p === 0) continue;
    segments.push(segment(String(token.id), token, mass, mass + token.p, token.id === nextId));
    mass += token.p;
  }
  if (trace.rest.p > 0) {
    const listed = segments.some((candidate) => candidate.isNext);
    segments.push(segment('rest', null, mass, 1, nextId !== null && !listed));
  }
  const ticks = roundTicks(0, 1, width < 480 ? 2 : 5).map((value) => ({ value, x: x(value) }));
  return {
    width,
    segments,
    ticks,
    u: u === null ? null : x(u),
    next: segments.find((s) => s.isNext) ?? null,
  };

  /**
   * @param {string} key
   * @param {TraceToken | null} token
   * @param {number} from
   * @param {number} to
   * @param {boolean} isNext
   * @returns {Segment}
   */
  function segment(key, token, from, to, isNext) {
    return { key, token, from, to, x: x(from), width: x(to) - x(from), isNext };
  }
}
