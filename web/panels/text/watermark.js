/** <logit-watermark>: how strongly the drawn text shows each watermark, and how that grows with its length. */
import { locales } from '#locales/watermark';
import { html, nothing } from 'lit';
import { addMessages, fixed, percent, t } from '../../locale/locale.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { layoutZ } from '../../plots/z-curve.js';
import watermarkStyles from './watermark.css';

addMessages(locales);

const SIZE = { width: 144, height: 34 };
/** Margin for the line's width and the dot at its end. */
const EDGE = 3;

export class LogitWatermark extends elementWith(LogitElement, () => ({
  /** @type {import('../../engine/types.js').Detection[]} */
  found: [],
  unfolded: false,
})) {
  static styles = [...LogitElement.styles, watermarkStyles];

  render() {
    return html`${this.found.map(renderFound)}
      <details @toggle=${this.#onFold}><summary>${t('watermark.heat')}</summary>
        ${this.unfolded ? html`<logit-watermark-heat></logit-watermark-heat>` : nothing}
      </details>`;
  }

  /** @param {Event} event */
  #onFold({ target }) {
    this.unfolded = /** @type {HTMLDetailsElement} */ (target).open;
    if (this.unfolded) import('./watermark-heat.js');
  }
}

/** @param {import('../../engine/types.js').Detection} found */
function renderFound({ name, n, share, expected, z, p, curve, weighted }) {
  const title = capitalise(settingName(name));
  if (n === 0)
    return html`<p data-mark=${name}><b class="label">${title}</b> <span>${t('watermark.none')}</span></p>`;
  return html`
    <p data-mark=${name} data-z=${String(z)} data-n=${n} data-p=${String(p)}>
      <b class="label">${title}</b>
      <span class="figure">z ${fixed(z, 2)}</span>
      <span class="figure">p ${writeProbability(p)}</span>
      <span class="figure">${t('watermark.n', { n })}</span>
      ${renderCurve(curve)}
      <span class=${p <= 0.01 ? 'found' : 'chance'}>${t(p <= 0.01 ? 'watermark.found' : 'watermark.chance')}</span>
      ${weighted ? html`<span class="note" data-weighted=${String(weighted.z)}>${t('watermark.weighted', { z: fixed(weighted.z, 2), p: writeProbability(weighted.p) })}</span>` : nothing}
      <span class="note">${t(`watermark.${name}`, { share: percent(share), expected: percent(expected) })}</span>
    </p>`;
}

/** @param {number[]} curve */
function renderCurve(curve) {
  if (curve.length < 2) return nothing;
  const { width, height } = SIZE;
  const { points, zero, limit, end } = layoutZ({ curve, ...SIZE });
  return html`
    <svg width=${width + 2 * EDGE} height=${height + 2 * EDGE} aria-hidden="true"
      viewBox="${-EDGE} ${-EDGE} ${width + 2 * EDGE} ${height + 2 * EDGE}">
      <line class="zero" x2=${width} y1=${zero} y2=${zero}></line>
      <line class="limit" x2=${width} y1=${limit} y2=${limit}></line>
      <polyline points=${points}></polyline>
      <circle cx=${end.x} cy=${end.y} r="2.5"></circle>
    </svg>`;
}

/** Writes a probability. Below 0.001 it is rounded up to a power of ten. @param {number} p */
function writeProbability(p) {
  if (p >= 0.001) return fixed(p, 3);
  const power = p > 0 ? Math.floor(-Math.log10(p)) : 300;
  const raised = [...String(power)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  return `< 10⁻${raised}`;
}

define('logit-watermark', LogitWatermark);
