/** The figures over the bars: what is kept, and how sure the distribution is, before and after. */
import { html, nothing } from 'lit';
import { measure, number, percent, t } from '../../locale/locale.js';
import { term } from '../../base/term.js';

/** @param {import('../../plots/trace.js').Trace | null} trace */
export function renderReadouts(trace) {
  if (!trace) return html`<dl class="readouts"></dl>`;
  /** @param {string} key @param {unknown} value @param {string} [note] */
  const readout = (key, value, note = '') => html`
    <div data-readout=${key}>
      <dt class="label">${term(key, t(`distribution.${key}`))}</dt>
      <dd>${value}</dd>
      ${note ? html`<dd class="note">${note}</dd>` : nothing}
    </div>`;
  /** @param {number} from @param {number} to */
  const change = (from, to) =>
    html`<span class="from">${measure(from)}</span><span class="arrow">→</span>${measure(to)}`;
  const { kept, vocab_size, kept_mass_raw, raw_entropy, raw_perplexity } = trace;
  return html`
    <dl class="readouts">
      ${readout('kept', number(kept), t('distribution.kept.of', { n: vocab_size }))}
      ${readout('mass', percent(kept_mass_raw))}
      ${readout('entropy', change(raw_entropy, trace.entropy))}
      ${readout('perplexity', change(raw_perplexity, trace.perplexity))}
    </dl>
  `;
}
