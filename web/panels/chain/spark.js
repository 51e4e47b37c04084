/** The small chart in an unfolded line: the most probable tokens before and after the stage. */
import { html, svg } from 'lit';
import { t } from '../../locale/locale.js';
import { layoutSparkline, stageShares } from '../../plots/sparkline.js';

const [WIDTH, HEIGHT] = [72, 34];

/** @param {import('../../plots/trace.js').Trace} trace @param {number} index of the stage */
export function renderSpark(trace, index) {
  const size = { width: WIDTH, height: HEIGHT };
  const paths = layoutSparkline({ ...stageShares(trace, index), ...size });
  return html`
    <svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
      ${svg`<path class="before" d=${paths.before}></path>
        <path class="after" d=${paths.after}></path>
        <line x1="0" x2=${WIDTH} y1=${HEIGHT} y2=${HEIGHT}></line>`}
      ${svg`<title>${t('chain.spark')}</title>`}
    </svg>
  `;
}
