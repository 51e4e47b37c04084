/**
 * <logit-bench>: the four panels about a model's text, in one or two columns. It also updates panels that are
 * elsewhere on the page and show the same state.
 */
import { html, nothing } from 'lit';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { sentence } from '../../base/faults.js';
import { listen, props } from '../../base/props.js';
import { UpdateThrottle, carrying } from '../../base/update-throttle.js';
import { t } from '../../locale/locale.js';
import '../../panels/chain/chain.js';
import '../../panels/distribution/distribution.js';
import '../../panels/draw/draw.js';
import '../../panels/text/text.js';
import panelStyles from '../../style/panel.css';
import benchStyles from './bench.css';
import { panelsOf } from './panels.js';

/**
 * @typedef {import('../../engine/errors.js').Fault} Fault
 * @typedef {import('../../plots/trace.js').Trace} Trace
 * @typedef {'text' | 'distribution' | 'chain' | 'draw'} PanelName
 *
 * @typedef {object} Given
 * @property {import('../../state/instrument.js').Instrument} instrument never replaced
 * @property {Record<string, (event: any) => void>} requests the listeners for the panels' requests, by event type
 * @property {ReadonlySet<LogitElement>} attached panels outside this element that show the same state
 * @property {string[]} examples example prompts of the model
 * @property {Set<string> | null} parts the names of visible panels; null for all
 * @property {string[] | null} knobs the names of visible settings; null for all
 * @property {boolean} fixed true if the user cannot change prompt and settings
 * @property {boolean} shown true if this is the current view
 * @property {boolean} bare true if only the attached panels show
 */

/** The panels, in the order of reading. @type {PanelName[]} */
const ORDER = ['text', 'distribution', 'chain', 'draw'];
/** The instrument's events that change this element. */
const EVENTS = ['update', 'step'];
/** Least width in rem for two columns: in a high window, and in a low one such as a phone on its side. */
const TWO_COLUMNS = 60;
const TWO_LOW = 40;
/** A window of less height, or of less width, shows only one knob at a time. In rem. */
const LOW = 30;
const NARROW = 40;
/** Below this width in rem, the knobs are a list again, because buttons to choose one have no room. */
const NARROWEST = 21;

export class LogitBench extends elementWith(LogitElement, () => ({
  given: /** @type {Given} */ ({}),
  wide: false,
  /** True if the window is low, such as a phone on its side. */
  low: false,
  /** True if only one knob is shown at a time. */
  single: false,
  moves: 0,
})) {
  static styles = [...LogitElement.styles, panelStyles, benchStyles];

  /** @type {typeof import('./step-motion.js') | null} */
  #motion = null;
  #resized = new ResizeObserver(() => this.#measure());
  /**
   * Gives the style sheet the height of each panel, and of the text panel's row of buttons, which sticks to the
   * window.
   */
  #tall = new ResizeObserver((entries) => {
    for (const { target, borderBoxSize } of entries) {
      const panel = /** @type {LogitElement} */ (target);
      panel.style.setProperty('--tall', `${borderBoxSize[0].blockSize}px`);
      if (panel.localName !== 'logit-text') continue;
      const bar = /** @type {HTMLElement | null} */ (panel.renderRoot.querySelector('.bar'));
      if (!bar) continue;
      const { style } = /** @type {HTMLElement} */ (panel.parentElement);
      style.setProperty('--above', `${bar.offsetTop}px`);
      style.setProperty('--bar', `${bar.offsetHeight}px`);
    }
  });
  /** The chain panel whose height is observed now. @type {Element | null} */
  #chain = null;
  #onResize = () => this.#measure();
  /** The trace at the last update. @type {Trace | null} */
  #trace = null;
  #throttle = new UpdateThrottle(this, ['moves']);

  connectedCallback() {
    super.connectedCallback();
    this.#measure();
    this.#resized.observe(this);
    addEventListener('resize', this.#onResize);
    this.#listen();
    import('./step-motion.js').then((motion) => (this.#motion = motion));
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#resized.disconnect();
    this.#tall.disconnect();
    removeEventListener('resize', this.#onResize);
    for (const type of EVENTS) this.given.instrument?.removeEventListener(type, this);
  }

  /** If the page made this element before the script arrived, `given` is set only at its first update. */
  #listen() {
    for (const type of EVENTS) this.given.instrument?.addEventListener(type, this);
  }

  firstUpdated() {
    this.#listen();
  }

  /**
   * Handles an event of the instrument. The event `step` comes before the panels show the step.
   * @param {Event} event
   */
  handleEvent({ type }) {
    const { instrument, shown } = this.given;
    if (type === 'update' && !(instrument.direct && shown)) this.requestUpdate();
    else if (type === 'update') this.moves++;
    // A run is faster than the animation.
    else if (shown && !instrument.generation.running) this.#motion?.showStep(this.renderRoot);
  }

  /** Chooses the layout from the width of this element and the height of the window. */
  #measure() {
    const width = this.clientWidth || this.parentElement?.clientWidth; // the parent's if this element is hidden
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    if (!width) return;
    this.low = innerHeight < LOW * rem;
    this.wide = width >= (this.low ? TWO_LOW : TWO_COLUMNS) * rem;
    const room = width >= NARROWEST * rem && width < NARROW * rem;
    this.single = this.low ? this.wide : room;
  }

  /** @param {Map<string, unknown>} changed */
  shouldUpdate(changed) {
    const { trace } = this.given.instrument;
    // Only settings have changed, and their trace comes later; or a stage is carried, and the numbers wait for the drop.
    const early = trace === this.#trace || carrying;
    this.#trace = trace;
    if (this.#throttle.classify(changed, early) !== 'motion') return true;
    this.#updateMoving();
    return false;
  }

  /** While a knob moves, updates only the panels that show the distribution, and those that still wait for an update. */
  #updateMoving() {
    const { instrument, attached } = this.given;
    const { trace, drawn, curves, further, order } = instrument;
    const here = /** @type {NodeListOf<LogitElement>} */ (
      this.renderRoot.querySelectorAll('.bench > .panel, logit-glance')
    );
    /** @type {Record<string, any> | undefined} */
    let panels;
    for (const panel of [...here, ...attached])
      if (panel.matches('logit-distribution, logit-stages, logit-glance[shown]'))
        Object.assign(panel, { trace, drawn, curves, further, order });
      // A panel that is still waiting for its update gets the new values too; with the old ones it would reset a
      // knob.
      else if (panel.isUpdatePending) {
        panels ??= this.#panelProps;
        Object.assign(panel, panels[nameOf(panel)]);
      }
  }

  updated() {
    const { instrument, attached } = this.given;
    const chain = this.renderRoot.querySelector('.chain');
    if (chain !== this.#chain) {
      this.#tall.disconnect();
      for (const panel of this.renderRoot.querySelectorAll('.text, .distribution, .chain'))
        this.#tall.observe(panel);
    }
    this.#chain = chain;
    const panels = this.#panelProps;
    for (const panel of attached) {
      Object.assign(panel, panels[nameOf(panel)]);
      panel.toggleAttribute('no-glide', instrument.direct);
    }
  }

  /** The properties of each panel, by its name. @returns {Record<string, any>} */
  get #panelProps() {
    const sentence = (/** @type {Fault | null} */ fault) => this.#sentenceOf(fault);
    return panelsOf(this.given.instrument, { ...this.given, sentence });
  }

  /** @param {Fault | null} fault */
  #sentenceOf(fault) {
    const stuck = fault?.code === 'nothing_left' && this.given.instrument.gates.constraint;
    return stuck ? t('constraint.stuck') : sentence(fault, this);
  }

  /** @param {string} name */
  #shows(name) {
    return this.given.parts?.has(name) ?? true;
  }

  /** Returns the chart of the next token as a file, with the text so far; null if no chart is visible. */
  async picture() {
    const { prompt, texts } = this.given.instrument;
    const panel =
      /** @type {import('../../panels/distribution/distribution.js').LogitDistribution | null} */ (
        this.renderRoot.querySelector('logit-distribution')
      );
    if (!panel?.clientWidth) return null;
    return panel.picture(prompt.text + texts.steps.map(({ text }) => text).join(''));
  }

  render() {
    const { instrument, requests, bare } = this.given;
    if (bare) return nothing;
    const { wide, low, single } = this;
    const { fault, trace, drawn } = instrument;
    const alone = ORDER.filter((name) => this.#shows(name)).length === 1;
    const panels = this.#panelProps;
    return html`
      ${fault ? html`<p class="panel trouble error" role="alert">${this.#sentenceOf(fault)}</p>` : nothing}
      <div class="bench ${wide ? 'wide' : ''} ${single ? 'single' : ''} ${wide && !low ? '' : 'stacked'} ${low ? 'low' : ''} ${alone ? 'alone' : ''}"
        ${listen(requests)}>
        ${ORDER.map((name) => this.#renderPanel(name, panels[name]))}
      </div>
      <logit-glance ?hidden=${!this.#shows('chain') || !this.#shows('distribution')} knobs="logit-chain"
        chart="logit-distribution" .trace=${trace} .drawn=${drawn} .eos=${panels.chain.eos}></logit-glance>
    `;
  }

  /** @param {PanelName} name @param {Record<string, any>} values */
  #renderPanel(name, values) {
    const { direct, whatIf } = this.given.instrument;
    const hidden = !this.#shows(name);
    // If one knob shows at a time, the chain has its own buttons far below, so the prompt has this one in its row.
    const { knobs } = this.given;
    const near = this.single && !knobs && this.#shows('text') && this.#shows('chain');
    switch (name) {
      case 'text':
        return html`
          <logit-text class="panel text" part="text" ?hidden=${hidden} ?stacked=${this.low || !this.wide} .deferUpdates=${direct} .imports=${near} ${props(values)}></logit-text>`;
      case 'distribution':
        return html`
          <logit-distribution class="panel distribution" part="distribution" ?hidden=${hidden}
            ?no-glide=${direct} ${props(values)}></logit-distribution>`;
      case 'chain':
        return html`
          <logit-chain class="panel chain" part="chain" ?hidden=${hidden} ?single=${this.single} ?docked=${this.low || !this.wide} .deferUpdates=${direct} ${props({ ...values, imports: values.imports && !near })}></logit-chain>`;
      case 'draw':
        return html`
          <logit-draw class="panel draw" part="draw" ?hidden=${hidden} ?no-glide=${direct}
            .deferUpdates=${direct && whatIf === null} ${props(values)}></logit-draw>`;
    }
  }
}

/** @param {LogitElement} panel */
const nameOf = ({ localName }) => localName.slice('logit-'.length);

define('logit-bench', LogitBench);
