/** The bench over a text: its four panels, in the order that the room asks for. */
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { listen, props } from '../../base/props.js';
import '../../panels/chain/chain.js';
import '../../panels/distribution/distribution.js';
import '../../panels/draw/draw.js';
import '../../panels/text/text.js';

/** @typedef {'text' | 'distribution' | 'chain' | 'draw'} Part */

/** In two columns, with the text above them, and in one. @type {Record<'wide' | 'narrow', Part[]>} */
const ORDER = {
  wide: ['text', 'distribution', 'draw', 'chain'],
  narrow: ['distribution', 'chain', 'text', 'draw'],
};

/**
 * @param {import('../../state/instrument.js').Instrument} instrument
 * @param {object} around
 * @param {Record<string, any>} around.given what each panel is given
 * @param {Record<string, (event: any) => void>} around.asks what a panel may ask for
 * @param {(part: string) => boolean} around.shows
 * @param {boolean} around.wide whether there is room for two columns
 * @param {string} around.trouble why nothing can be read
 */
export function renderBench(instrument, { given, asks, shows, wide, trouble }) {
  const { direct, trace, drawn } = instrument;
  const { text, draw, distribution, chain } = given;
  const order = ORDER[wide ? 'wide' : 'narrow'];
  const alone = order.filter(shows).length === 1;
  const panels = {
    text: html`
      <logit-text class="panel text" part="text" ?hidden=${!shows('text')} .deferUpdates=${direct} ${props(text)}></logit-text>`,
    distribution: html`
      <logit-distribution class="panel distribution" part="distribution"
        ?hidden=${!shows('distribution')} ?no-glide=${direct} ${props(distribution)}></logit-distribution>`,
    chain: html`
      <logit-chain class="panel chain" part="chain" ?hidden=${!shows('chain')}
        .deferUpdates=${direct} ${props(chain)}></logit-chain>`,
    draw: html`
      <logit-draw class="panel draw" part="draw" ?hidden=${!shows('draw')} ?no-glide=${direct}
        .deferUpdates=${direct && instrument.whatIf === null} ${props(draw)}></logit-draw>`,
  };
  return html`
    ${instrument.fault ? html`<p class="panel trouble error" role="alert">${trouble}</p>` : nothing}
    <div class="bench ${wide ? 'wide' : ''} ${alone ? 'alone' : ''}" ${listen(asks)}>
      ${repeat(
        order,
        (name) => name,
        (name) => panels[name],
      )}
    </div>
    <logit-glance ?hidden=${!shows('chain') || !shows('distribution')} knobs="logit-chain"
      chart="logit-distribution" .trace=${trace} .drawn=${drawn} .eos=${chain.eos}></logit-glance>
  `;
}
