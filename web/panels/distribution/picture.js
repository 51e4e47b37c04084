/** Makes a file of the chart that <logit-distribution> shows. */
import { standAlone } from '../../base/figure.js';
import { settingName } from '../../base/setting-words.js';
import { plain, t } from '../../locale/locale.js';

/** @import { Shot } from '../../base/svg-file.js' */

/** Number of characters of a long text that the file shows. */
const TAIL = 60;

/**
 * Returns the chart with the text before the next token; null if there is no chart.
 * @param {import('./distribution.js').LogitDistribution} panel
 * @param {string} text
 * @returns {Promise<Shot | null>}
 */
export async function pictureOf({ renderRoot, trace, view }, text) {
  const stages = /** @type {any} */ (renderRoot.querySelector('logit-stages'));
  const tail = [...text].length > TAIL ? `…${[...text].slice(-TAIL).join('')}` : text;
  const title = tail.replace(/\s+/g, ' ');
  if (stages) return stages.picture(title);
  const curve = renderRoot.querySelector('logit-curve');
  const figure = /** @type {SVGSVGElement | null} */ (
    (curve?.shadowRoot ?? renderRoot).querySelector('.chart svg')
  );
  if (!figure || !trace) return null;
  const active = trace.stages.filter(({ active, value }) => active && typeof value === 'number');
  const settings = active.map(({ name, value }) => `${settingName(name)} ${plain(value)}`);
  const lines = [[t('distribution.title'), ...settings].join(' · ')];
  return { name: `next-token-${view}`, title, svg: standAlone(figure, { title, lines }) };
}
