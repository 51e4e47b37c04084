/** Lays out a draw: the kept tokens side by side from 0 to 1, and the position of u. */
import { ticks as roundTicks } from 'd3-array';
import { linear } from './linear.js';

/** @import { Trace, TraceToken } from './trace.js' */

/**
 * @typedef {ReturnType<typeof layoutStrip>} Layout
 *
 * A kept token, or all tokens that are not listed. It covers u from `from` to `to`; x and width are in pixels.
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

/**
 * A band: one token with its name, the drawn token, or several tokens without room for names. It covers u from `from`
 * to `to`. `said` is true if its name or number has room. `parts` are the probabilities of its listed tokens.
 * @typedef {{ kind: 'one' | 'drawn' | 'more', token: TraceToken | null, count: number, from: number,
 *   to: number, said: boolean, parts: number[] }} Band
 */

/**
 * Divides a distribution into bands, so that each kept token has its name or is counted. The sum of `count` is the
 * number of kept tokens. If the drawn token is not listed, its probability is unknown, so its band at u has no
 * height.
 * @param {{ trace: Trace, u: number | null, nextId: number | null,
 *   fits: (share: number, token: TraceToken | null) => boolean }} options
 *   fits: true if the token's name, or a number of tokens for null, has room in this share
 * @returns {Band[]}
 */
export function layoutBands({ trace, u, nextId, fits }) {
  const { segments } = layoutStrip({ trace, width: 1, u, nextId });
  const listed = segments.filter(({ token }) => token).length;
  /** @type {Band[]} */
  const bands = [];
  for (const { token, from, to, isNext } of segments) {
    const said = token !== null && fits(to - from, token);
    if (token && (isNext || said)) {
      bands.push({ kind: isNext ? 'drawn' : 'one', token, count: 1, from, to, said, parts: [] });
      continue;
    }
    const count = token ? 1 : trace.kept - listed;
    if (!token && isNext) bands.push(...bandsAroundU(from, to, count, u ?? from));
    else {
      if (bands.at(-1)?.kind !== 'more')
        bands.push({ kind: 'more', token: null, count: 0, from, to, said: false, parts: [] });
      extendBand(bands[bands.length - 1], to, count);
      if (token) bands[bands.length - 1].parts.push(to - from);
    }
  }
  for (const band of bands)
    if (band.kind === 'more') band.said = band.count > 0 && fits(band.to - band.from, null);
  return bands;
}

/** @param {Band} band @param {number} to @param {number} count */
function extendBand(band, to, count) {
  band.to = to;
  band.count += count;
}

/**
 * Returns the bands of the tokens that are not listed, if the drawn token is one of them.
 * @param {number} from
 * @param {number} to
 * @param {number} count
 * @param {number} u
 * @returns {Band[]}
 */
function bandsAroundU(from, to, count, u) {
  const none = { token: null, said: false, parts: [] };
  return [
    { ...none, kind: 'more', count: count - 1, from, to: u },
    { ...none, kind: 'drawn', count: 1, from: u, to: u },
    { ...none, kind: 'more', count: 0, from: u, to },
  ];
}
