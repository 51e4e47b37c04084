/** The figures above the bars: kept tokens and mass, entropy and perplexity before and after the chain. */
import { html, nothing } from 'lit';
import { measure, number, percent, t } from '../../locale/locale.js';
import { later } from '../../base/setting-words.js';
import { term } from '../../base/term.js';

/** @param {import('../../plots/trace.js').Trace | null} trace */
export function renderReadouts(trace) {
  if (!trace) return html`<dl class="readouts"></dl>`;
  /** @param {string} key @param {unknown} value @param {string} [note] @param {unknown} [label] */
  const readout = (key, value, note = '', label = term(key, t(`distribution.${key}`))) => html`
    <div data-readout=${key}>
      <dt class="label">${label}</dt>
      <dd translate="no">${value}</dd>
      ${note ? html`<dd class="note">${note}</dd>` : nothing}
    </div>`;
  /** @param {number} from @param {number} to @param {(x: number) => string} say */
  const change = (from, to, say = measure) =>
    html`<span class="from">${say(from)}</span><span class="arrow">→</span>${say(to)}`;
  const { kept, vocab_size, kept_mass_raw, raw_entropy, raw_perplexity, green } = trace;
  return html`
    <dl class="readouts">
      ${readout('kept', number(kept), t('distribution.kept.of', { n: vocab_size }))}
      ${readout('mass', percent(kept_mass_raw))}
      ${readout('entropy', change(raw_entropy, trace.entropy))}
      ${readout('perplexity', change(raw_perplexity, trace.perplexity))}
      ${green ? readout('green', change(green.p_raw, green.p, percent), '', later('shelf.green')) : nothing}
    </dl>
  `;
}
