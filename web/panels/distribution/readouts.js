/** Numbers about a distribution: kept tokens, kept mass, and entropy and perplexity before and after the chain. */
import { html, nothing } from 'lit';
import { fixed, measure, number, percent, t } from '../../locale/locale.js';
import { later, rangeWords, shareWords } from '../../base/setting-words.js';
import { term } from '../../base/term.js';

/** @import { Trace } from '../../plots/trace.js' */

/** @param {string} key @param {unknown} label @param {unknown} value */
const renderReadout = (key, label, value) => html`
  <div data-readout=${key}>
    <dt class="label">${label}</dt>
    <dd translate="no">${value}</dd>
  </div>`;

/** @param {number} from @param {number} to @param {(x: number) => string} say */
const renderChange = (from, to, say) =>
  html`<span class="from">${say(from)}</span><span class="arrow">→</span>${say(to)}`;

/** Renders the two numbers beside the tabs. @param {Trace | null} trace */
export function renderReadouts(trace) {
  if (!trace) return html`<dl class="readouts"></dl>`;
  const { kept, kept_high = kept, vocab_size, entropy, entropy_high, green } = trace;
  if (trace.bounded)
    return html`
      <dl class="readouts">
        ${renderReadout('kept', t('distribution.kept'), rangeWords(kept, kept_high))}
        ${renderReadout(
          'entropy',
          t('distribution.entropy'),
          shareWords(entropy, entropy_high, (bits) => fixed(bits, 2)),
        )}
      </dl>`;
  return html`
    <dl class="readouts">
      ${renderReadout('kept', t('distribution.kept'), html`${number(kept)} <span class="from">${t('distribution.kept.of', { n: vocab_size })}</span>`)}
      ${renderReadout('entropy', t('distribution.entropy'), fixed(entropy, 2))}
      ${green ? renderReadout('green', later('shelf.green'), renderChange(green.p_raw, green.p, percent)) : nothing}
    </dl>
  `;
}

/** Renders the explanation of the chart and all numbers. @param {Trace} trace @param {string} about */
export function renderFigures(trace, about) {
  const { raw_entropy, raw_perplexity, kept_mass_raw, entropy, perplexity } = trace;
  const explained = (/** @type {string} */ key) => term(key, t(`distribution.${key}`));
  return html`
    <p class="about">${about}</p>
    <dl class="readouts all">
      ${renderReadout('mass', explained('mass'), percent(kept_mass_raw))}
      ${renderReadout('bits', explained('entropy'), renderChange(raw_entropy, entropy, measure))}
      ${renderReadout('perplexity', explained('perplexity'), renderChange(raw_perplexity, perplexity, measure))}
    </dl>
  `;
}
