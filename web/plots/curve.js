/**
 * Lays out two charts over all ranks: the sum of the probabilities up to each rank, and probability by rank with
 * logarithmic axes.
 */
import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';

/** @import { Handle } from './cuts.js' */

/**
 * The probabilities before the chain, before top-p and after the chain, in descending order. The line of a stage is
 * vertical if it cuts at a number of tokens, and horizontal if it cuts at a probability.
 * @typedef {'cumulative' | 'ranks'} View
 * @typedef {{ raw: Float64Array, entering: Float64Array, final: Float64Array }} Curves
 *   shares before the chain, at the input of top-p, and after the chain
 * @typedef {ReturnType<typeof layoutCurve>} Layout
 *
 * The line of a stage: vertical at x if a number of tokens decides, horizontal at y if a mass decides.
 * @typedef {{ handle: Handle, x: number | null, y: number | null }} Line
 */

/** If there are more ranks, the x axis of the cumulative chart is logarithmic. */
const LINEAR = 32;
/** Smallest probability on a logarithmic axis. */
const FLOOR = 1e-12;
const POINTS = 400;

/**
 * Returns the ranks to draw: all of a short list; of a long list, ranks that are closer to each other at the
 * beginning.
 * @param {number} count
 */
export function chooseRanks(count) {
  if (count <= POINTS) return Array.from({ length: count }, (_, i) => i + 1);
  const ranks = new Set([1, count]);
  for (let i = 0; i <= POINTS; i++) ranks.add(Math.round(count ** (i / POINTS)));
  return [...ranks].sort((a, b) => a - b);
}

/**
 * @param {{ curves: Curves, view: View, handles: Handle[], width: number, height: number,
 *   unit: number }} options unit: pixels per 1/16 rem
 */
export function layoutCurve({ curves, view, handles, width, height, unit }) {
  const count = curves.raw.length;
  const plot = {
    left: 64 * unit,
    right: width - 12 * unit,
    top: 12 * unit,
    bottom: height - 42 * unit,
  };
  const logarithmic = view === 'ranks' || count > LINEAR;
  const x = logarithmic
    ? scaleLog([1, Math.max(2, count)], [plot.left, plot.right])
    : scaleLinear([0, count], [plot.left, plot.right]);
  const y =
    view === 'ranks'
      ? scaleLog([lowestTick(curves), 1], [plot.bottom, plot.top])
      : scaleLinear([0, 1], [plot.bottom, plot.top]);
  const ranks = chooseRanks(count);
  /** @param {Float64Array} shares */
  const points = (shares) => {
    const values = view === 'ranks' ? shares : cumulate(shares);
    /** @type {[number, number][]} */
    const found = [];
    if (!logarithmic) found.push([x(0), y(0)]);
    for (const rank of ranks) {
      if (view === 'ranks' && !(shares[rank - 1] >= y.domain()[0])) break;
      found.push([x(rank), y(Math.min(1, values[rank - 1]))]);
    }
    return found;
  };
  /** @param {Float64Array} shares */
  const path = (shares) => line()(points(shares)) ?? '';
  return {
    width,
    height,
    plot,
    view,
    x,
    y,
    paths: { raw: path(curves.raw), entering: path(curves.entering), final: path(curves.final) },
    dots: count <= 80 ? points(curves.final).slice(logarithmic ? 0 : 1) : [],
    ticks: { x: axisTicks(x, logarithmic, width / unit), y: axisTicks(y, view === 'ranks', 480) },
    lines: handles.map((handle) => placeLine(handle, view, x, y)),
  };
}

/** @param {Curves} curves */
function lowestTick({ raw, final }) {
  let least = 1;
  for (const p of raw) if (p > 0 && p < least) least = p;
  for (const p of final) if (p > 0 && p < least) least = p;
  return 10 ** Math.floor(Math.log10(Math.max(FLOOR, Math.min(0.1, least))));
}

/**
 * @param {any} scale
 * @param {boolean} logarithmic
 * @param {number} room
 * @returns {number[]}
 */
function axisTicks(scale, logarithmic, room) {
  if (!logarithmic) return scale.ticks(room < 480 ? 4 : 8);
  const [low, high] = scale.domain();
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.ceil((last - first + 1) / 8);
  const ticks = [];
  for (let power = last; power >= first; power -= step) ticks.push(Number(`1e${power}`));
  return ticks.reverse();
}

/**
 * Returns the line of a stage. In the cumulative chart, the line of top-p is at its probability. Every other line is
 * at the number of kept tokens.
 * @param {Handle} handle
 * @param {View} view
 * @param {any} x
 * @param {any} y
 * @returns {Line}
 */
function placeLine(handle, view, x, y) {
  if (view === 'cumulative' && handle.name === 'top_p')
    return { handle, x: null, y: y(handle.value) };
  const kept = handle.cuts ? handle.kept : handle.before;
  const wanted = handle.name === 'top_k' && handle.active ? handle.value : kept;
  const [, last] = x.domain();
  return { handle, x: x(Math.min(last, Math.max(1, wanted))), y: null };
}

/**
 * Returns the rank at a position in pixels.
 * @param {Layout} layout
 * @param {number} at x in pixels
 * @param {number} count the number of ranks
 */
export function rankAt({ x }, at, count) {
  return Math.max(1, Math.min(count, Math.round(x.invert(at))));
}

/**
 * Returns the summed probability at a position in pixels, in hundredths.
 * @param {Layout} layout
 * @param {number} at y in pixels
 */
export function massAt({ y }, at) {
  return Math.max(0, Math.min(1, Math.round(y.invert(at) * 100) / 100));
}

/** Returns the sum of the probabilities up to each rank. @param {Float64Array} shares */
export function cumulate(shares) {
  const masses = new Float64Array(shares.length);
  let mass = 0;
  for (let i = 0; i < shares.length; i++) masses[i] = mass += shares[i];
  return masses;
}

/**
 * Returns rows of a table: the curves at the ranks 1, 2, 5, 10, 20 … and at the last.
 * @param {Curves} curves
 */
export function curveTable(curves) {
  const count = curves.raw.length;
  const masses = { raw: cumulate(curves.raw), final: cumulate(curves.final) };
  const ranks = [];
  for (let scale = 1; scale <= count; scale *= 10)
    for (const step of [1, 2, 5]) if (step * scale < count) ranks.push(step * scale);
  return [...ranks, count].map((rank) => ({
    rank,
    raw: curves.raw[rank - 1],
    final: curves.final[rank - 1],
    rawMass: Math.min(1, masses.raw[rank - 1]),
    finalMass: Math.min(1, masses.final[rank - 1]),
  }));
}
