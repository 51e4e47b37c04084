/** The buttons beside the landscape's picture: Play, next seed, many draws, help. The tour's actions too. */
import { html } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { help } from '../../base/help.js';
import { settingName } from '../../base/setting-words.js';
import { number, t } from '../../locale/locale.js';
import { symbolOf } from './axis.js';
import { DRAWS, Rain } from './rain.js';
import { canSwap, swapped } from './swap.js';

/** Longest name of a knob on its button, in characters; a longer name is left out. */
const SHORT = 6;

/** The icon of a die that shows five. */
const DIE = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
  <rect x="1.5" y="1.5" width="13" height="13" rx="2.5"></rect>
  <circle cx="4.75" cy="4.75" r="1"></circle><circle cx="11.25" cy="4.75" r="1"></circle>
  <circle cx="4.75" cy="11.25" r="1"></circle><circle cx="11.25" cy="11.25" r="1"></circle>
  <circle cx="8" cy="8" r="1"></circle></svg>`;

/** The value of top-p that the tour sets. */
const NUCLEUS = 0.9;

export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class Deeds {
  rain = new Rain();
  #host;
  #fell;

  /**
   * @param {import('./landscape.js').LogitLandscape} host
   * @param {() => void} fell called when draws have been counted
   */
  constructor(host, fell) {
    this.#host = host;
    this.#fell = fell;
  }

  async #drawMany() {
    const host = this.#host;
    const { content } = host;
    // Wait until the engine has read a change that was made just before.
    do await new Promise(requestAnimationFrame);
    while (content.reader && !content.reader.fault && !content.current);
    const reading = content.reader?.reading;
    if (!reading || !content.subject) return;
    await this.rain.fall(reading, content.subject.source, calm(), this.#fell);
    // The number of draws is smaller if a change has cancelled them.
    if (this.rain.tally?.total === DRAWS) host.emit('logit-deed');
    host.requestUpdate();
  }

  /** @param {string} knob */
  choose(knob) {
    const { lines, pair } = this.#host;
    lines.stop();
    this.#host.emit('logit-deed');
    if (!pair.leave(knob)) lines.tryOn(knob);
    this.#host.keepChoice({ knob });
  }

  /**
   * Performs an action that the tour offers: compares two prompts with top-p or top-k, turns top-p on and swaps it
   * with temperature, or draws a thousand tokens.
   * @param {'top_p' | 'top_k' | 'swap' | 'rain'} action
   */
  async act(action) {
    if (action === 'rain') return this.#drawMany();
    const host = this.#host;
    const { lines } = host;
    if (action !== 'swap') {
      this.choose(action);
      return host.pair.show(true);
    }
    const off = (lines.knob.settings.top_p ?? 1) === 1;
    if (off) lines.set({ top_p: NUCLEUS });
    while (off && host.busy && host.isConnected) await new Promise(requestAnimationFrame);
    const { settings } = lines.knob;
    if (!canSwap(settings)) return;
    host.compare();
    lines.set({ order: swapped(settings.order, host.table) });
  }

  /** @param {import('../../engine/types.js').TableRow} row the knob */
  render({ name }) {
    const { lines } = this.#host;
    const { single } = lines;
    const playing = lines.playing && !lines.run.sweeps;
    return guard([playing, name, single, t('language')], () => {
      const stacked = t('landscape.stacked', { knob: settingName(name) });
      const about = single ? stacked : `${stacked} ${t('landscape.crossing')}`;
      const symbol = symbolOf(name);
      const short = symbol.length <= SHORT ? symbol : '';
      return html`
    <button class="primary play" data-command="play" title=${t('landscape.play.about')} @click=${() => lines.play()}>${playing ? t('landscape.stop') : t('landscape.play', { knob: short }).trim()}</button>
    <button class="quiet" data-command="roll" @click=${() => lines.roll()}>${DIE} ${t('landscape.roll')}</button>
    <button class="quiet" data-command="rain" @click=${() => this.#drawMany()}>× ${number(DRAWS)}</button>
    ${help(t('view.landscape'), about)}`;
    });
  }
}
