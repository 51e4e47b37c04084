/** The box of the picture: canvases, the handles of the two lines, the tooltip, and the menu of a token. */
import { html } from 'lit';
import { t } from '../../locale/locale.js';
import { renderHandles } from './handles.js';
import { Input } from './input.js';
import { drawnWords } from './phrases.js';
import { renderTip } from './tip.js';
import { TokenMenu } from './token-menu.js';
import { UBox } from './u-box.js';

/** @typedef {import('../../engine/types.js').TableRow} TableRow */

export class Plot {
  input;
  menu;
  #host;
  #display;
  #u;

  /**
   * @param {import('./landscape.js').LogitLandscape} host
   * @param {() => import('./display.js').Display | null} display
   */
  constructor(host, display) {
    this.#host = host;
    this.#display = display;
    this.input = new Input(host.lines, () => host.moved());
    this.menu = new TokenMenu(host);
    this.#u = new UBox(host);
  }

  /** @param {MouseEvent} event on a name or a bar beside the picture */
  onBar = ({ offsetY, clientX, clientY }) => {
    const id = this.#display()?.rows?.tokenAt(offsetY);
    if (id !== undefined) this.menu.open(id, clientX, clientY);
  };

  /**
   * Opens the menu of the token whose river is under the pointer. From the keyboard, opens the menu of the drawn
   * token.
   * @param {MouseEvent} event
   */
  #onContext = (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const named = this.#display()?.picture.at(this.input.pointed);
    const pointed = named && named.rank >= 0 ? named.river.id : undefined;
    const drawn = this.#host.content.reader?.reading?.drawn.id;
    const id = target.closest('.handle') ? drawn : pointed;
    if (id === undefined) return;
    event.preventDefault();
    this.menu.open(id, event.clientX, event.clientY);
  };

  /** @param {TableRow | undefined} row */
  render(row) {
    const { onDown, onMove, onUp, onLeave, onKey } = this.input;
    const { content, lines } = this.#host;
    const { knob, u } = lines;
    const value = row ? knob.value : 0;
    return html`
      <div class="plot ${content.shown?.reading ? '' : 'empty'}" role="group" aria-label=${t('landscape.picture')}
        @pointerdown=${onDown} @pointermove=${onMove} @pointerup=${onUp} @pointercancel=${onUp}
        @pointerleave=${onLeave} @contextmenu=${this.#onContext}>
        <canvas class="rivers" aria-hidden="true"></canvas>
        <canvas class="lit" aria-hidden="true"></canvas>
        <i class="line-u"></i>
        <canvas class="names" aria-hidden="true"></canvas>
        <canvas class="strip" aria-hidden="true"></canvas>
        <i class="cross"></i>
        <b class="tag" aria-hidden="true" translate="no"></b>
        ${renderHandles({ row, value, u: u ?? 0, drawn: drawnWords(content), onKey }, this.#u.render(u, row ? knob.share : 0))} ${this.#renderTip()}
      </div>`;
  }

  #renderTip() {
    const { drags, pointed: point } = this.input;
    const { content, lines } = this.#host;
    const picture = this.#display()?.picture;
    const river = drags || this.menu.isOpen ? null : picture?.at(point);
    const { landscape, reading } = content.reader ?? {};
    const { knob } = lines;
    if (!picture || !river || !point || !landscape || !reading || !knob.row) return renderTip(null);
    const { look } = picture;
    const nameOf = content.names.of;
    const { share, row } = knob;
    const { vocab_size: size } = reading.trace;
    const { u } = lines;
    return renderTip({ point, river, landscape, size, look, knob: row.name, share, u, nameOf });
  }
}
