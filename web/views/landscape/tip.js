/** The tooltip about the river under the pointer. */
import { html, nothing } from 'lit';
import { percent, plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { round, symbolOf } from './axis.js';

/** If the picture is narrower than this (in 1/16 rem), the tooltip is at its upper or lower edge. */
const NARROW = 480;
/** Shares of width and height beyond which the tooltip is left of or above the pointer. */
const [RIGHT, BOTTOM] = [0.6, 0.75];
/** Room around the crossing of the lines for the drawn token's name, in 1/16 rem: at each side, above, below. */
const [SIDE, ABOVE, BELOW] = [220, 70, 14];

/**
 * @typedef {object} Pointed
 * @property {import('./input.js').Point} point
 * @property {import('./paint.js').Named} river the river under the pointer, or the ground
 * @property {import('../../engine/types.js').Landscape} landscape
 * @property {number} size of the vocabulary
 * @property {import('./paint.js').Look} look
 * @property {string} knob
 * @property {number} share the knob's value as a share of its range, 0 to 1
 * @property {number | null} u the height of the crossing, 0 to 1; null without a line of u
 * @property {(id: number) => string} nameOf
 */

/** @param {Pointed | null} pointed */
export function renderTip(pointed) {
  if (!pointed) return html`<p class="tip" hidden></p>`;
  const { point, river, landscape, size, look, knob, share: stands, u, nameOf } = pointed;
  const { values, top, ids, p } = landscape;
  const [at, there] = [point.share, stands].map((share) => Math.round(share * (values.length - 1)));
  const { id } = river.river;
  const placeAt = (/** @type {number} */ i) => ids.subarray(i * top, (i + 1) * top).indexOf(id);
  const shareAt = (/** @type {number} */ i) => {
    if (river.rank < 0) return 1 - river.river.before[i];
    const k = placeAt(i);
    return k < 0 ? 0 : p[i * top + k];
  };
  const valueAt = (/** @type {number} */ i) => `${symbolOf(knob)} = ${plain(round(values[i]))}`;
  const [k, share] = [placeAt(at), shareAt(at)];
  const words =
    river.rank < 0
      ? t('landscape.ground', { n: size - top, p: percent(share) })
      : t('landscape.river', { token: nameOf(id), p: percent(share), rank: k + 1 });
  const x = point.share * look.width;
  const y = point.u * look.height;
  // In a narrow picture the tooltip must not leave the picture or cover the number field of u.
  const left =
    point.share > RIGHT
      ? `max(0px, ${x}px - 100% - 14px)`
      : `min(${x + 14}px, ${look.width}px - 100%)`;
  const edge = point.u > 0.5 ? '4px' : `calc(${look.height}px - 100% - 4px)`;
  const above = (u ?? -1) * look.height - y; // the distance from the pointer down to the crossing
  const covers =
    Math.abs(stands * look.width - x) < SIDE * look.unit &&
    above > -BELOW * look.unit &&
    above < ABOVE * look.unit;
  const beside = covers || point.u > BOTTOM ? `calc(${y}px - 100% - 10px)` : `${y + 14}px`;
  const down = look.width < NARROW * look.unit ? edge : beside;
  return html`<p class="tip" translate="no" ${cssom({ transform: `translate(${left}, ${down})` })}>
    <b>${words}</b> ${valueAt(at)}${
      there === at
        ? nothing
        : html`<br>${t('landscape.stands', { value: valueAt(there), p: percent(shareAt(there)) })}`
    }</p>`;
}
