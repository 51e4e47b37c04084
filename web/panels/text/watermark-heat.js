/**
 * <logit-watermark-heat>: how well each watermark is detected at each temperature, as a chart and a table. The
 * numbers were measured for docs/samplers.md.
 */
import { locales } from '#locales/watermark';
import { html, nothing } from 'lit';
import { LogitElement, define } from '../../base/element.js';
import { capitalise, settingName } from '../../base/setting-words.js';
import { Width } from '../../base/width.js';
import { addMessages, fixed, plain, t } from '../../locale/locale.js';
import { renderTrend } from '../../plots/trend-view.js';
import { layoutTrend } from '../../plots/trend.js';
import { MEASURED, TEMPERATURES } from '../../state/measured-watermarks.js';
import chartStyles from '../../style/chart.css';
import frameStyles from '../../style/frame.css';
import watermarkStyles from './watermark.css';

addMessages(locales);

/** One of a hundred texts without a watermark reaches this z-score by chance. */
const ONE_IN_100 = 2.33;

/** @param {{ name: string, by: number }} mark */
const titleOf = ({ name, by }) => `${capitalise(settingName(name))} ${by}`;

export class LogitWatermarkHeat extends LogitElement {
  static styles = [...LogitElement.styles, frameStyles, chartStyles, watermarkStyles];

  #room = new Width(this, '.chart');

  render() {
    return html`
      <p class="note">${t('watermark.heat.about')}</p>
      <div class="beside">
        <div class="chart">${this.#room.width > 0 ? this.#renderChart() : nothing}</div>
        <table>
          <caption class="visually-hidden">${t('watermark.heat')}</caption>
          <thead><tr><th scope="col">T</th>${MEASURED.map((mark) => html`<th scope="col">${titleOf(mark)}</th>`)}</tr></thead>
          <tbody translate="no">${TEMPERATURES.map(
            (temperature, i) => html`<tr><th scope="row">${plain(temperature)}</th>
              ${MEASURED.map(({ z }) => html`<td>${fixed(z[i], 1)}</td>`)}</tr>`,
          )}</tbody>
        </table>
      </div>`;
  }

  #renderChart() {
    const { width, unit } = this.#room;
    const layout = layoutTrend({
      series: MEASURED.map((mark) => ({
        key: titleOf(mark),
        band: false,
        marks: mark.z.map((y, i) => ({ x: TEMPERATURES[i], y, low: 0, high: 0, label: '' })),
      })),
      limits: [{ value: ONE_IN_100, label: t('watermark.heat.limit') }],
      x: [0, 1.5],
      y: null,
      counts: false,
      named: false,
      legend: MEASURED.length,
      now: null,
      width,
      height: 280 * unit,
      unit,
    });
    const words = {
      x: t('watermark.heat.x'),
      y: 'z',
      legend: MEASURED.map(titleOf),
      now: '',
      tickX: plain,
      tickY: plain,
    };
    return html`<svg height=${layout.height} font-size=${13 * unit} aria-hidden="true">
      ${renderTrend({ layout, unit, words, at: -1 })}</svg>`;
  }
}

define('logit-watermark-heat', LogitWatermarkHeat);
