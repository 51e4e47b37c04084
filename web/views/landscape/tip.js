/** The tooltip of the river under the pointer. */
import { html, nothing } from 'lit';
import { percent, plain, t } from '../../locale/locale.js';
import { cssom } from '../../plots/cssom.js';
import { round, symbolOf } from './axis.js';

/** The width, in 1/16 rem, below which the tooltip is at the far edge of the picture. */
const NARROW = 480;
/** Beyond these shares of width and height, the tooltip is on the pointer's other side. */
const [RIGHT, BOTTOM] = [0.6, 0.75];

/**
 * @typedef {object} Pointed
 * @property {import('./input.js').Point} point
 * @property {import('./paint.js').Named} river the river under the pointer, or the ground
 * @property {import('../../engine/types.js').Landscape} landscape
 * @property {number} size of the vocabulary
 * @property {import('./paint.js').Look} look
 * @property {string} knob
 * @property {number} share the knob's value as a share of its range, 0 to 1
 * @property {(id: number) => string} nameOf
 */

/** @param {Pointed | null} pointed */
export function renderTip(pointed) {
  if (!pointed) return html`<p class="tip" hidden></p>`;
  const { point, river, landscape, size, look, knob, share: stands, nameOf } = pointed;
  const { values, top, ids, p } = landscape;
  const [at, there] = [point.share, stands].map((share) => Math.round(share * (values.length - 1)));
  const { id } = river.river;
  const placeAt = (/** @type {number} */ i) => ids.subarray(i * top, (i + 1) * top).indexOf(id);
  const shareAt = (/** @type {number} */ i) => {
    const k = placeAt(i);
    return river.rank < 0 ? 1 - river.river.before[i] : k < 0 ? 0 : p[i * top + k];
  };
  const valueAt = (/** @type {number} */ i) => `${symbolOf(knob)} = ${plain(round(values[i]))}`;
  const [k, share] = [placeAt(at), shareAt(at)];
  const words =
    river.rank < 0
      ? t('landscape.ground', { n: size - top, p: percent(share) })
      : t('landscape.river', { token: nameOf(id), p: percent(share), rank: k + 1 });
  const x = point.share * look.width;
  const y = point.u * look.height;
  // The tooltip must stay inside a narrow picture, away from the box of u there.
  const left =
    point.share > RIGHT
      ? `max(0px, ${x}px - 100% - 14px)`
      : `min(${x + 14}px, ${look.width}px - 100%)`;
  const narrow = look.width < NARROW * look.unit;
  const edge = point.u > 0.5 ? '4px' : `calc(${look.height}px - 100% - 4px)`;
  const down = narrow ? edge : point.u > BOTTOM ? `calc(${y}px - 100% - 10px)` : `${y + 14}px`;
  return html`<p class="tip" translate="no" ${cssom({ transform: `translate(${left}, ${down})` })}>
    <b>${words}</b> ${valueAt(at)}${
      there === at
        ? nothing
        : html`<br>${t('landscape.stands', { value: valueAt(there), p: percent(shareAt(there)) })}`
    }</p>`;
}
