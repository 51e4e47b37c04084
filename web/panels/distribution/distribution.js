/**
 * <logit-distribution>: the next tokens as bars, by rank: the final probability in front, the model's own behind. A
 * removed token keeps its row, which names the sampler that removed it. Numbers are above, a table below; tabs open
 * charts over all ranks. Emits "logit-view", "logit-set", "logit-bias" and "logit-force".
 */
import { html, nothing, svg } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { locales } from '#locales/curve';
import {
  addMessages,
  briefPercent,
  fixed,
  number,
  percent,
  plain,
  t,
  tick,
} from '../../locale/locale.js';
import { renderBars, renderBeyond, markNext, shapeOf } from '../../plots/bars-view.js';
import { layoutBars, orderRows } from '../../plots/bars.js';
import { cssom } from '../../plots/cssom.js';
import { findHandles } from '../../plots/cuts.js';
import { renderBarHandles } from './bar-handles.js';
import '../chain/biases.js';
import barStyles from './distribution.css';
import { renderTable } from './distribution-table.js';
import { LogitElement, define, elementWith } from '../../base/element.js';
import { help } from '../../base/help.js';
import handleStyles from '../../style/handle.css';
import tableStyles from '../../style/table.css';
import { handleWords } from '../../base/handles.js';
import { UpdateThrottle } from '../../base/update-throttle.js';
import { renderFigures, renderReadouts } from './readouts.js';
import { later, settingName, shareWords } from '../../base/setting-words.js';
import { bytesOf, namedHtml, spoken, visibleSvg } from '../../base/visible.js';
import { walkList } from '../../base/walk.js';
import { Width } from '../../base/width.js';

addMessages(locales);

/** @import { Trace, TraceToken } from '../../plots/trace.js' */
/** @import { Layout } from '../../plots/bars.js' */
/** @import { View } from '../../state/bench.js' */

const VIEWS = /** @type {View[]} */ (['stages', 'bars', 'log', 'cumulative', 'ranks']);
/** Charts that need only the listed tokens. */
const BOUNDED = /** @type {View[]} */ (['bars', 'log']);

/**
 * A line between two bars shows where a sampler cuts. The chart has room for this many lines at any time, so that its
 * height does not change.
 */
const LINES = 3;
/** Samplers that always have room for a line: LINES counts them. */
const COUNTED = ['temperature', 'top_k', 'top_p'];
/** Samplers that never remove a token, so they have no line. */
const UNCUT = ['repetition_penalty', 'frequency_penalty', 'presence_penalty', 'dry_multiplier'];

export class LogitDistribution extends elementWith(LogitElement, () => ({
  /** @type {Trace | null} */
  trace: null,
  /** @type {import('../../plots/trace.js').Drawn | null} The next token; null if none. */
  drawn: null,
  eos: -1,
  /** @type {View} */
  view: 'bars',
  /** @type {import('../../plots/curve.js').Curves | null} */
  curves: null,
  /** @type {import('../../state/bench.js').Bias[]} */
  biases: [],
  /**
   * Tokens for the picture of the stages that are not listed in the trace.
   * @type {import('../../plots/stages.js').BandToken[]}
   */
  further: [],
  /** @type {import('../../plots/trace.js').SettingRow[]} */
  table: [],
  /** @type {import('../../plots/trace.js').Settings} */
  settings: {},
  /** @type {string[] | null} */
  order: null,
  fixed: false,
  /** @type {import('../../state/tally.js').Tally | null} */
  tally: null,
  /** Key of the row under the pointer or chosen by a key; null if none. @type {string | null} */
  active: null,
  /** Key of the row with the open menu; null if none. @type {string | null} */
  menu: null,
  unfolded: false,
  /**
   * The module of the charts over all ranks; null until it is fetched.
   * @type {typeof import('./curve.js') | null}
   */
  ranks: null,
})) {
  static properties = { fixed: { type: Boolean } };

  static styles = [...LogitElement.styles, handleStyles, tableStyles, barStyles];

  #width = new Width(this, '.chart');
  /** @type {UpdateThrottle} */
  #throttle = new UpdateThrottle(this, ['trace', 'drawn', 'further'], ['settings', 'order']);
  /** A key of everything in the chart except the lengths of bars. */
  #shape = '';
  /** Height of the bars in pixels. The other charts get the same height. */
  #high = 0;
  /**
   * Paints the bars while a knob moves; null until its module is fetched.
   * @type {import('../../plots/bars-canvas.js').MovingBars | null}
   */
  #moving = null;
  /** True if the pointer chose the active row, false if a key did. */
  #pointed = false;

  /** @param {Map<string, unknown>} changes @returns {boolean} */
  shouldUpdate(changes) {
    const what = this.#throttle.classify(changes);
    if (what === 'all') return true;
    const moved = !this.#throttle.visible || this.#moveBars();
    if (!moved) this.#throttle.fullCount++;
    return !moved || what === 'numbers';
  }

  /**
   * Moves the bars to the lengths of the new trace. Returns false if more has changed, so that a render is needed.
   */
  #moveBars() {
    const { trace } = this;
    if (this.view === 'stages') return this.#moveStages();
    const chart = this.renderRoot.querySelector('.chart');
    const layout = trace && this.#showsBars ? this.#layOut(trace) : null;
    if (!this.#moving || !layout || !chart || trace?.bounded) return false;
    if (shapeOf(layout) !== this.#shape) return false;
    markNext(chart, this.drawn?.id ?? null);
    this.#moving.paint(chart, layout, this.#width.unit, this.#percent);
    return true;
  }

  /** Passes the new trace to the picture of the stages. Returns false if it is not visible. */
  #moveStages() {
    const { trace, drawn, further, order } = this;
    const stages = this.renderRoot.querySelector('logit-stages');
    if (stages) Object.assign(stages, { trace, drawn, further, order });
    return stages !== null;
  }

  updated() {
    const chart = this.renderRoot.querySelector('.chart');
    if (chart) markNext(chart, this.drawn?.id ?? null);
  }

  firstUpdated() {
    import('../../plots/bars-canvas.js').then(
      ({ MovingBars }) => (this.#moving = new MovingBars()),
    );
  }

  /** @param {Map<string, unknown>} changes */
  willUpdate(changes) {
    if (this.view === 'stages')
      import('../stages/stages.js'); // loads the element and its strings
    else if (!this.#showsBars && !this.ranks)
      import('./curve.js').then((ranks) => (this.ranks = ranks));
    const { trace, active, menu } = this;
    if (!changes.has('trace') || !trace) return;
    const keys = this.#rowKeys(trace);
    if (active !== null && !keys.includes(active)) this.active = null;
    if (menu !== null && !keys.includes(menu)) this.menu = null;
  }

  render() {
    const { trace, view, curves } = this;
    return html`
      <div class="top">
        <h2 class="visually-hidden">${t('distribution.title')}</h2>
        <div class="segments tabs" role="tablist" aria-label=${t('view.tabs')} @keydown=${this.#onTabKey}>
          ${(trace?.bounded ? BOUNDED : VIEWS).map((name) => this.#renderTab(name))}
        </div>
        ${view === 'stages' ? help(t('view.stages'), later('stages.about')) : nothing}
        ${guard([this.#throttle.numbersCount], () => renderReadouts(trace))}
      </div>
      <div id="panel" role="tabpanel" aria-labelledby="tab-${view}"
        ${cssom({ 'min-height': this.#showsBars || view === 'stages' ? 0 : this.#high ? `${this.#high}px` : '24rem' })}>
        ${
          this.#showsBars
            ? this.#renderBars()
            : view === 'stages'
              ? this.#renderStages()
              : this.#guardMoving(
                  () =>
                    html`<logit-curve .trace=${trace} .curves=${curves} .view=${view} ?fixed=${this.fixed}></logit-curve>`,
                )
        }
      </div>
      <logit-biases .biases=${this.biases} .eos=${this.eos} ?fixed=${this.fixed}></logit-biases>
      ${
        view === 'stages'
          ? nothing
          : this.#showsBars || !curves
            ? guard([this.#throttle.numbersCount], () => renderTable(trace, this.eos, this.#fold))
            : this.ranks?.renderCurveTable(curves, this.#fold)
      }
    `;
  }

  /** Returns the chart as a file; null if there is none. @param {string} [text] the text before the next token */
  async picture(text = '') {
    const { pictureOf } = await import('./picture.js');
    return this.speak(() => pictureOf(this, text));
  }

  /** True if the chart has bars, with a linear or a logarithmic axis. */
  get #showsBars() {
    return this.view === 'bars' || this.view === 'log';
  }

  /** @returns {import('./distribution-table.js').Fold} */
  get #fold() {
    const { trace, unfolded: open, view } = this;
    const about = this.#showsBars ? 'distribution.about' : `curve.about.${view}`;
    const above = () =>
      trace && (trace.bounded ? nothing : renderFigures(trace, t(about, { n: trace.vocab_size })));
    return { open, onToggle: (now) => (this.unfolded = now), above };
  }

  /** @param {View} name */
  #renderTab(name) {
    const chosen = name === this.view;
    return html`
      <button role="tab" id="tab-${name}" data-view=${name} aria-selected=${chosen}
        aria-controls="panel" tabindex=${chosen ? 0 : -1}
        @click=${() => this.emit('logit-view', { view: name })}>${t(`view.${name}`)}</button>`;
  }

  /** Renders content that does not change while only the bars move. @param {() => unknown} write */
  #guardMoving(write) {
    return guard([this.#throttle.fullCount], write);
  }

  #renderStages() {
    const { trace, drawn, further, eos, table, settings, order, fixed } = this;
    return html`<logit-stages .trace=${trace} .drawn=${drawn} .further=${further} .eos=${eos} .table=${table}
      .settings=${settings} .order=${order} ?fixed=${fixed} within></logit-stages>`;
  }

  #renderBars() {
    const { trace } = this;
    const layout = trace ? this.#layOut(trace) : null;
    if (layout) this.#high = layout.height;
    return html`
      <div class="stage">
        <div class="chart" translate="no" role="listbox" tabindex="0" aria-label=${t('distribution.chart')}
          aria-describedby="keys"
          aria-activedescendant=${this.active === null ? nothing : `option-${this.active}`}
          @keydown=${this.#onKey} @blur=${() => this.menu === null && ((this.active = null))}>
          ${trace ? this.#guardMoving(() => this.#renderOptions(trace)) : nothing}
          ${trace && layout ? this.#renderChart(trace, layout) : nothing}
          <canvas aria-hidden="true"></canvas>
        </div>
        ${trace && layout ? this.#guardMoving(() => renderBarHandles(trace, layout, this)) : nothing}
        ${layout ? this.#renderMenu(layout) : nothing}
        ${trace && layout ? this.#renderDetail(trace, layout) : nothing}
      </div>
      <p id="keys" class="visually-hidden">${t('distribution.keys')}</p>
    `;
  }

  /** Returns the positions of all bars; null until the width of the chart is known. @param {Trace} trace */
  #layOut(trace) {
    const { width, unit } = this.#width;
    const log = this.view === 'log';
    return width ? layoutBars({ trace, width, unit, lines: linesOf(trace), log }) : null;
  }

  /** Renders the rows as a list of options for screen readers. @param {Trace} trace */
  #renderOptions(trace) {
    const rows = orderRows(trace);
    return this.#rowKeys(trace).map(
      (key, i) => html`
      <div class="visually-hidden" role="option" id="option-${key}" aria-selected=${key === this.active}
        aria-label=${this.#rowWords(rows[i] ?? null)}></div>`,
    );
  }

  /** Returns the keys of the rows from top to bottom. @param {Trace} trace */
  #rowKeys(trace) {
    const keys = orderRows(trace).map(({ id }) => String(id));
    return trace.rest.count > 0 ? [...keys, 'rest'] : keys;
  }

  /** @param {Trace} trace @param {Layout} layout */
  #renderChart(trace, layout) {
    const { unit } = this.#width;
    return html`
      <svg height=${layout.height}
        font-size=${13.5 * unit} aria-hidden="true"
        @pointerleave=${this.#onLeave}>
        ${this.#guardMoving(() => this.#renderRows(trace, layout))}
        ${guard([this.#throttle.numbersCount], () => this.#renderBeyond(trace, layout))}
      </svg>
    `;
  }

  #onLeave() {
    // If a key chose another row, the row under the resting pointer is no longer the active one.
    if (this.#pointed && this.menu === null) this.active = null;
  }

  /** @param {Trace} trace @param {Layout} layout */
  #renderRows(trace, layout) {
    const { active } = this;
    const { unit } = this.#width;
    this.#shape = shapeOf(layout);
    this.#moving?.end(this.renderRoot.querySelector('.chart'));
    return renderBars({
      layout,
      unit,
      words: this.#barWords(trace),
      active,
      count: (key) => {
        const drawn = this.#timesDrawn(key);
        return drawn === null ? null : drawn / (this.tally?.total ?? 1);
      },
      onPoint: (key) => {
        this.#pointed = true;
        this.active = key;
      },
      onPick: (key) => this.#open(key),
    });
  }

  /** Renders the drawn token if it has no row. @param {Trace} trace @param {Layout} layout */
  #renderBeyond({ tokens }, layout) {
    const { drawn } = this;
    if (!drawn || tokens.some(({ id }) => id === drawn.id)) return nothing;
    return renderBeyond({
      layout,
      unit: this.#width.unit,
      label: (letters) => this.#labelOf(drawn, letters),
      words: t('distribution.beyond', { rank: drawn.rank, p: percent(drawn.p) }),
    });
  }

  /** @param {Layout} layout */
  #renderMenu({ rows, rowHeight, columns }) {
    const row = rows.find(({ key }) => key === this.menu);
    if (!row?.token) return nothing;
    const { token } = row;
    const bias = this.biases.find(({ id }) => id === token.id)?.bias ?? 0;
    return html`
      <logit-token-menu .name=${namedHtml(token, this.eos)} .spoken=${spoken(token, this.eos)}
        .token=${token.id} .bias=${bias} .x=${columns.barX} .y=${row.y + rowHeight}
        @logit-menu-close=${this.#close}></logit-token-menu>`;
  }

  /** Returns the percentage beside a bar. @param {import('../../plots/bars.js').Row} row */
  #percent = ({ key, p, p_high }) =>
    this.#throttle.reuse(key, () => shareWords(p, p_high, briefPercent));

  /**
   * Returns all texts of the chart.
   * @param {Trace} trace
   * @returns {import('../../plots/bars-view.js').Words}
   */
  #barWords(trace) {
    return {
      rest: this.#restWords('distribution.rest.short'),
      label: (token, letters) => this.#labelOf(token, letters),
      percent: this.#percent,
      tick,
      stage: settingName,
      cut: (cut) =>
        this.#throttle.reuse(`${cut.stage.name} ${cut.below} ${cut.idle}`, () =>
          cutWords(trace, cut),
        ),
    };
  }

  /** @param {{ id: number, text: string, special: boolean }} token @param {number} letters */
  #labelOf(token, letters) {
    if (token.id === this.eos)
      return svg`<tspan class="space">‹</tspan>${t('text.end')}<tspan class="space">›</tspan>`;
    return visibleSvg(token, letters);
  }

  /** Returns the name of the row for all other tokens. @param {string} key */
  #restWords(key) {
    const { count = 0 } = this.trace?.rest ?? {};
    return Number.isFinite(count) ? t(key, { n: count }) : later('recorded.rest');
  }

  /** @param {TraceToken | null} token */
  #rowWords(token) {
    const { p_raw, p, p_high } = token ?? this.trace?.rest ?? { p_raw: 0, p: 0 };
    const shares = { raw: percent(p_raw), p: shareWords(p, p_high, percent) };
    if (!token)
      return t('distribution.row.rest', {
        label: this.#restWords('distribution.rest'),
        ...shares,
      });
    const name = spoken(token, this.eos);
    if (token.removed_by)
      return t('distribution.row.removed', {
        token: name,
        raw: shares.raw,
        stage: settingName(token.removed_by),
      });
    const known = t('distribution.row', { token: name, rank: token.rank, ...shares });
    const maybe = token.maybe ? later('recorded.maybe', { stage: settingName(token.maybe) }) : '';
    const words = maybe ? `${known}; ${maybe}` : known;
    const row = token.green ? `${words}; ${later('shelf.green.one')}` : words;
    return this.tally ? `${row}; ${this.#countWords(token)}` : row;
  }

  /** Returns how many of the many draws gave this token; null if there were none. @param {string} key */
  #timesDrawn(key) {
    const { tally, trace } = this;
    if (!tally || !trace) return null;
    if (key !== 'rest') return tally.counts.get(Number(key))?.n ?? 0;
    const listed = trace.tokens.map(({ id }) => tally.counts.get(id)?.n ?? 0);
    return listed.reduce((left, n) => left - n, tally.total);
  }

  /** @param {TraceToken} token */
  #countWords({ id }) {
    const n = this.#timesDrawn(String(id));
    if (n === null) return '';
    const of = this.tally?.total ?? 0;
    return t('draw.many.count', { n, of, share: percent(n / of) });
  }

  /** Renders the numbers of the active row beside it. @param {Trace} trace @param {Layout} layout */
  #renderDetail(trace, { rows, rest, rowHeight, height, columns }) {
    const row = [...rows, ...(rest ? [rest] : [])].find(({ key }) => key === this.active);
    if (!row || this.menu !== null) return nothing;
    const above = row.y > height / 2;
    /** @type {Record<string, string>} */
    const place = above
      ? { bottom: `${height - row.y + 2}px` }
      : { top: `${row.y + rowHeight + 2}px` };
    return html`
      <div class="detail" aria-hidden="true" ${cssom({ left: `${columns.barX}px`, ...place })}>
        ${row.token ? this.#renderNumbers(trace, row.token) : this.#rowWords(null)}
      </div>`;
  }

  /** @param {Trace} trace @param {TraceToken} token */
  #renderNumbers(trace, token) {
    return html`
      <p><b class="token" translate="no">${namedHtml(token, this.eos)}</b>
        <span>${t('distribution.detail.id')} ${plain(token.id)}</span>
        <span>${t('distribution.rank')} ${number(token.rank)}</span>
        <span>${t('distribution.detail.logit')} ${fixed(token.logit, 3)}</span>
        <span>${t('distribution.detail.bytes')} <span class="bytes">${token.special ? '–' : bytesOf(token)}</span></span>
        <span>${this.#countWords(token)}</span></p>
      <p class="path" translate="no"><span>${t('distribution.detail.raw')} <b>${percent(token.p_raw)}</b></span>
        ${trace.stages.map((stage, i) =>
          stage.active && !trace.bounded
            ? html`<span class="arrow">→</span>
          <span>${settingName(stage.name)} <b>${percent(token.stage_p[i])}</b></span>`
            : nothing,
        )}${trace.bounded ? html`<span class="arrow">→</span> <b>${shareWords(token.p, token.p_high, percent)}</b>` : nothing}${token.p_second === undefined ? nothing : html`<span>${later('shelf.second')} ○ <b>${percent(token.p_second)}</b></span>`}</p>`;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const keys = this.trace ? this.#rowKeys(this.trace) : [];
    if (event.key === 'Escape' && this.active !== null) {
      event.preventDefault();
      this.active = null;
    }
    if ((event.key === 'Enter' || event.key === ' ') && this.active !== null) {
      event.preventDefault();
      this.#open(this.active);
    }
    if (keys.length === 0) return;
    // Without an active row, ArrowUp chooses the last row.
    const from = event.key === 'ArrowUp' ? keys.length : -1;
    const at = this.active === null ? from : keys.indexOf(this.active);
    const to = walkList(event, ['ArrowUp', 'ArrowDown'], at, keys.length - 1);
    if (to === undefined) return;
    this.#pointed = false;
    this.active = keys[to];
  }

  /** @param {string} key */
  #open(key) {
    if (key === 'rest') return;
    this.active = key;
    if (!this.fixed) this.menu = key;
  }

  /** @param {CustomEvent} event */
  #close({ detail }) {
    if (this.menu === null) return;
    this.menu = null;
    if (detail.refocus)
      /** @type {HTMLElement} */ (this.renderRoot.querySelector('.chart'))?.focus();
    else this.active = null;
  }

  /** @param {KeyboardEvent} event */
  #onTabKey(event) {
    const at = VIEWS.indexOf(this.view);
    const to = walkList(event, ['ArrowLeft', 'ArrowRight'], at, VIEWS.length - 1, true);
    if (to === undefined) return;
    this.emit('logit-view', { view: VIEWS[to] });
    /** @type {HTMLElement} */ (this.renderRoot.querySelector(`#tab-${VIEWS[to]}`)).focus();
  }
}

/** @param {Trace} trace @param {import('../../plots/bars.js').Cut} cut */
function cutWords(trace, { stage, below, idle }) {
  const handle = findHandles(trace).find(({ name }) => name === stage.name);
  // With a hidden tail, the stage's line in the chain names its possible cuts.
  if (idle && handle)
    return handle.active && !trace.bounded ? handleWords(handle) : settingName(handle.name);
  const name = `${settingName(stage.name)} ${plain(stage.value)}`;
  const params = { stage: name, n: stage.kept };
  return t(below ? 'distribution.cut.below' : 'distribution.cut', params);
}

/** Returns the greatest number of cut lines that the settings can cause. @param {Trace} trace */
function linesOf({ stages }) {
  const others = stages.filter(
    ({ name, active }) => active && ![...COUNTED, ...UNCUT].includes(name),
  );
  return LINES + others.length;
}

define('logit-distribution', LogitDistribution);
