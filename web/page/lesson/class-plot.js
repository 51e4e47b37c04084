/** <logit-class-plot>: the results of a class in one lesson: a dot for each learner's code. */
import { html, nothing, svg } from 'lit';
import { boundedText, fullTextOf } from '../../base/bounded-text.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { countOf, outcomeOf, readCodes } from '../../lessons/codes.js';
import { t } from '../../locale/locale.js';
import { inline } from './inline.js';
import classPlotStyles from './class-plot.css';

/** @import { Work } from '../../lessons/codes.js' */
/** @typedef {ReturnType<typeof outcomeOf>} Outcome */

const OUTCOMES = /** @type {const} */ (['first', 'later', 'shown', 'tried', 'none']);
/** The distance between dots in pixels, and the number of dots in a row. */
const [PITCH, ROW] = [14, 20];

/** @param {Outcome} outcome @param {number} x @param {number} y */
function renderDot(outcome, x, y) {
  if (outcome === 'shown')
    return svg`<rect class=${outcome} x=${x - 4} y=${y - 4} width="8" height="8"/>`;
  if (outcome === 'tried') return svg`<path class=${outcome} d="M${x - 4} ${y - 4}l8 8m0-8l-8 8"/>`;
  return svg`<circle class=${outcome} cx=${x} cy=${y} r=${outcome === 'none' ? 1.5 : 4.5}/>`;
}

/** @param {Outcome[]} outcomes */
function renderDots(outcomes) {
  const rows = Math.ceil(outcomes.length / ROW);
  const [width, height] = [Math.min(ROW, outcomes.length) * PITCH, rows * PITCH];
  return html`<svg viewBox="0 0 ${width} ${height}" width=${width} height=${height} aria-hidden="true">
    ${outcomes.map((each, i) => renderDot(each, ((i % ROW) + 0.5) * PITCH, (Math.floor(i / ROW) + 0.5) * PITCH))}</svg>`;
}

export class LogitClassPlot extends elementWith(LogitElement, () => ({
  /** The name of the lesson. */
  name: '',
  /** The ids of the questions. @type {string[]} */
  ids: [],
  /** @type {string[]} */
  asks: [],
  /** The learners' codes, one in each line. */
  text: '',
})) {
  static properties = { name: {} };

  static styles = [...LogitElement.styles, classPlotStyles];

  render() {
    const { works, faults } = readCodes(this.text, this.name, this.ids.length);
    return html`<section aria-labelledby="title" class=${works.length > 0 ? 'filled' : ''}>
      <h3 id="title">${t('teacher.class')}</h3>
      <div class="given">
        <label for="codes">${t('teacher.codes')}</label>
        <textarea id="codes" rows="5" spellcheck="false" autocapitalize="off" aria-describedby="about faults"
          aria-invalid=${faults.length > 0 ? 'true' : nothing} ${boundedText(this.text)}
          @input=${(/** @type {Event} */ event) => (this.text = fullTextOf(event))}></textarea>
        <p class="about" id="about">${t('teacher.codes.about')}</p>
        <div id="faults" role="status">${faults.map(
          ({ line, key, values }) =>
            html`<p class="error">${t(`teacher.fault.${key}`, { line: String(line), ...values })}</p>`,
        )}</div>
      </div>
      ${works.length > 0 ? this.#renderPlot(works) : nothing}
    </section>`;
  }

  /** @param {Work[]} works */
  #renderPlot(works) {
    return html`<div class="plot">
      <p class="n">${t('teacher.learners', { n: works.length })}</p>
      <ul class="legend" aria-hidden="true">${OUTCOMES.map((name) => html`<li>${renderDots([name])}${t(`teacher.outcome.${name}`)}</li>`)}</ul>
      <ol>${this.asks.map((ask, i) => {
        const count = countOf(works, i);
        const outcomes = works.map(({ mark }) => outcomeOf(mark[i]));
        const sorted = OUTCOMES.flatMap((name) => outcomes.filter((each) => each === name));
        const right = count.first + count.later;
        return html`<li><p class="ask">${inline(ask)}</p>
          <div class="dots">${renderDots(sorted)}</div>
          <p class="count">${t('teacher.count', { right, n: works.length, first: count.first })}
            <span class="visually-hidden">${t('teacher.count.others', { shown: count.shown, tried: count.tried, none: count.none })}</span></p></li>`;
      })}</ol>
      ${works.some(({ who }) => who !== '') ? this.#renderNames(works) : nothing}
    </div>`;
  }

  /** Renders the results of each learner by name. @param {Work[]} works */
  #renderNames(works) {
    return html`<details class="names"><summary>${t('teacher.names')}</summary>
      <div class="scroll" tabindex="0" role="region" aria-label=${t('teacher.names')}><table>
        <thead><tr><td></td>${this.asks.map((_, i) => html`<th scope="col">${i + 1}</th>`)}</tr></thead>
        <tbody>${works.map(
          ({ who, mark }) =>
            html`<tr><th scope="row">${who || t('teacher.nobody')}</th>${mark.map((each) => {
              const outcome = outcomeOf(each);
              return html`<td title=${t(`teacher.outcome.${outcome}`)}>${renderDots([outcome])}<span class="visually-hidden">${t(`teacher.outcome.${outcome}`)}</span></td>`;
            })}</tr>`,
        )}</tbody></table></div></details>`;
  }
}

define('logit-class-plot', LogitClassPlot);
