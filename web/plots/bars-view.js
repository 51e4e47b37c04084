/**
 * Renders the bars that bars.js has laid out; the caller provides the texts. Bars and rows move only by CSS
 * transforms. While a knob moves, bars-canvas.js paints them instead.
 */
import { nothing, svg } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { afterBar } from './bars.js';
import { cssom } from './cssom.js';

/** @import { TraceToken } from './trace.js' */
/** @import { Layout, Row } from './bars.js' */

/**
 * @typedef {object} Words
 * @property {string} rest the name of the row for all unlisted tokens
 * @property {(token: TraceToken, letters: number) => unknown} label
 * @property {(row: Row) => string} percent the text at the end of the row's bar
 * @property {(share: number) => string} tick
 * @property {(stage: string) => string} stage
 * @property {(cut: import('./bars.js').Cut) => string} cut
 *
 * @typedef {object} Options
 * @property {Layout} layout
 * @property {number} unit pixels per 1/16 rem
 * @property {Words} words
 * @property {string | null} active the key of the row under the pointer; null if none
 * @property {(key: string) => number | null} count returns the row's share of many draws; null before them
 * @property {(key: string) => void} onPoint
 * @property {(key: string) => void} onPick
 */

/** Least width in pixels of the part of a bar that is open. A narrower one comes from rounded numbers. */
const THIN = 0.75;

/** @param {Options} options */
export function renderBars(options) {
  const { layout } = options;
  const rows = layout.rest ? [...layout.rows, layout.rest] : layout.rows;
  return svg`
    ${renderPatterns(options.unit)}
    ${renderScreen(options)}
    ${layout.cuts.map((cut) => renderCut(cut, options))}
    ${repeat(
      rows,
      ({ key }) => key,
      (row) => renderRow(row, options),
    )}`;
}

/** Renders the grid lines and the axis behind the bars. @param {Options} options */
function renderScreen({ layout: { ticks, head, plotBottom, columns }, unit, words }) {
  const top = head - 4 * unit;
  const { barX, barWidth } = columns;
  return svg`
    <g class="frame" font-size=${11.5 * unit}>
      <rect class="screen" x=${barX} y=${top} width=${barWidth} height=${plotBottom - top}
        rx=${4 * unit}></rect>
      ${ticks.map(({ value, x }) => {
        const [kind, anchor] = value === 0 ? ['zero', 'start'] : ['grid', 'middle'];
        return svg`
          <line class=${kind} x1=${x} x2=${x} y1=${top} y2=${plotBottom}></line>
          <text x=${x} y=${head - 8 * unit} text-anchor=${anchor}>${words.tick(value)}</text>`;
      })}
    </g>`;
}

/**
 * Renders the drawn token below all rows, if no row lists it.
 * @param {Pick<Options, 'layout' | 'unit'> & { label: (letters: number) => unknown, words: string }} options
 *   label: its name; words: the text after it
 */
export function renderBeyond({ layout: { beyond: y, columns }, unit, label, words }) {
  if (y === null) return nothing;
  return svg`
    <g class="beyond next" data-beyond ${cssom({ transform: `translateY(${y}px)` })}>
      <text class="name" y=${columns.baseline}>${label(lettersOf(columns, unit))}</text>
      <text class="after" x=${columns.barX} y=${columns.baseline}>${words}</text>
    </g>`;
}

/**
 * Marks the row of the drawn token without a render, because this token changes often while a knob moves.
 * @param {Element} chart with rendered bars
 * @param {number | null} id
 */
export function markNext(chart, id) {
  const before = chart.querySelector('.row.next');
  const now = chart.querySelector(`.row[data-id="${id}"]`);
  if (before === now) return;
  before?.classList.remove('next');
  now?.classList.add('next');
}

/**
 * Returns the number of letters for which the column of names has room.
 * @param {Layout['columns']} columns @param {number} unit
 */
function lettersOf({ labelWidth }, unit) {
  return Math.max(3, Math.floor(labelWidth / (8.6 * unit)) - 2);
}

/**
 * @param {import('./bars.js').Cut} cut
 * @param {Options} options
 */
function renderCut(cut, { layout: { width, gap }, unit, words }) {
  const [text, size] = [words.cut(cut), 11.5 * unit];
  const [middle, baseline] = [gap / 2, gap / 2 + 4 * unit];
  return svg`
    <g class="cutline ${cutClass(cut.stage.name)} ${cut.idle ? 'idle' : ''}" data-cut=${cut.stage.name}
      ${cssom({ transform: `translateY(${cut.y}px)` })}>
      <line x1="0" x2=${width} y1=${middle} y2=${middle} stroke-width=${1.5 * unit}></line>
      <text class="back" y=${baseline} font-size=${size} stroke-width=${8 * unit}>${text}</text>
      <text y=${baseline} font-size=${size}>${text}</text>
    </g>`;
}

/**
 * @param {Row} row
 * @param {Options} options
 */
function renderRow(row, options) {
  const { layout, unit, words, onPoint, onPick } = options;
  const { columns, rowHeight, width } = layout;
  const { token, p, p_high, p_raw, removed_by } = row;
  const letters = lettersOf(columns, unit);
  const y = columns.baseline;
  const point = () => onPoint(row.key);
  /** After a long touch, browsers send `contextmenu` instead of `click`. @param {Event} event */
  const menu = (event) => {
    event.preventDefault();
    onPick(row.key);
  };
  return svg`
    <g class=${rowClass(row, options)} data-id=${row.key} data-p=${String(p)}
      data-p-raw=${String(p_raw)} data-p-high=${p_high > p ? String(p_high) : nothing} data-removed-by=${removed_by ?? nothing}
      ${cssom({ transform: `translateY(${row.y}px)` })} @pointermove=${point} @pointerdown=${point}
      @click=${() => onPick(row.key)} @contextmenu=${menu}>
      <rect class="hover" x=${-6 * unit} width=${width + 12 * unit} height=${rowHeight}
        rx=${4 * unit}></rect>
      <text class="name" y=${y}>${token ? words.label(token, letters) : words.rest}</text>
      ${token?.green ? svg`<text class="sign" x=${columns.barX - 12 * unit} y=${y}>◆</text>` : nothing}
      ${renderBar(row, columns, unit)}
      ${renderSecond(row, options)}
      ${p === 0 ? nothing : renderCount(options.count(row.key), row, options)}
      <text class=${removed_by ? 'tag' : 'after'} y=${y}
        ${cssom(numberTransform(row, columns, unit))}>${removed_by ? (row.first ? words.stage(removed_by) : '') : words.percent(row)}</text>
    </g>`;
}

/**
 * @param {Row} row
 * @param {Options} options
 */
function rowClass({ key, token, p_high, removed_by }, { active }) {
  const removed = removed_by ? `removed ${cutClass(removed_by)}` : '';
  const rest = token ? '' : 'rest';
  const green = token?.green ? 'green' : '';
  return `row ${removed} ${rest} ${green} ${p_high === 0 ? 'gone' : ''} ${key === active ? 'active' : ''}`;
}

/**
 * Renders the two bars of a row. Each is a rectangle of full width that is moved inside a clipped window; scaling it
 * would distort its corners and its pattern.
 * @param {Row} row
 * @param {Layout['columns']} columns
 * @param {number} unit
 */
function renderBar(row, { barX, barTop, barWidth, barLong, barHeight }, unit) {
  const inner = Math.round(barHeight / 2);
  return svg`
    <svg class="bar" x=${barX} y=${barTop} width=${barLong} height=${barHeight}>
      ${row.token ? nothing : svg`<rect class="track" width=${barWidth} height=${barHeight}></rect>`}
      <rect class="ghost" width=${barLong} height=${barHeight} rx=${cornerRadius(row.raw, 2 * unit)}
        ${cssom(barTransform(row.raw, barLong, row.p_raw))}></rect>
      <rect class="final" width=${barLong} height=${inner} y=${(barHeight - inner) / 2}
        rx=${cornerRadius(row.final, 1.5 * unit)} ${cssom(barTransform(row.final, barLong, row.p))}></rect>
      ${
        row.high - row.final >= THIN
          ? svg`<rect class="range" x=${row.final} width=${row.high - row.final} height=${inner} y=${(barHeight - inner) / 2}></rect>`
          : nothing
      }
      ${
        row.over
          ? svg`<path class="over" d="M${barWidth} ${barHeight}l${6 * unit} ${-barHeight}h${-4 * unit}l${-6 * unit} ${barHeight}z"></path>`
          : nothing
      }
    </svg>`;
}

/**
 * Returns the radius of a bar's corners; 0 for a very short bar.
 * @param {number} length
 * @param {number} radius
 */
function cornerRadius(length, radius) {
  return length < 3 * radius ? 0 : radius;
}

/**
 * Renders a ring at the token's probability in the second distribution, unless it would be at the start of the bar.
 * @param {Row} row
 * @param {Options} options
 */
function renderSecond({ token, second }, { layout: { columns }, unit }) {
  const radius = 3 * unit;
  if (!token || second < radius) return nothing;
  const { barX, barTop, barHeight } = columns;
  return svg`
    <circle class="second" data-share=${String(token.p_second)} cx=${barX + second}
      cy=${barTop + barHeight / 2} r=${radius} stroke-width=${1.5 * unit}></circle>`;
}

/**
 * Renders a tick at the row's share of many draws.
 * @param {number | null} share
 * @param {Row} row
 * @param {Options} options
 */
function renderCount(share, row, { layout: { columns, lengthOf }, unit }) {
  if (share === null) return nothing;
  const { barX, barTop, barHeight } = columns;
  const x = barX + lengthOf(row.token, share);
  return svg`
    <rect class="count" data-share=${String(share)} x=${x - 1.25 * unit} y=${barTop - 1.5 * unit}
      width=${2.5 * unit} height=${barHeight + 3 * unit} rx=${1.25 * unit}></rect>`;
}

/**
 * Returns the transform that moves the number to the end of its bar.
 * @param {Row} row
 * @param {Layout['columns']} columns
 * @param {number} unit
 */
function numberTransform({ high, raw, second }, { barX }, unit) {
  const after = afterBar(Math.max(high, raw, 1), second, unit);
  return { transform: `translateX(${barX + after + 8 * unit}px)` };
}

/**
 * Returns a key of everything except the lengths of the bars and the drawn token. If two layouts have the same key,
 * the rendered rows can stay.
 * @param {Layout} layout
 */
export function shapeOf({ rows, rest, cuts, width, domain }) {
  const shown = [...rows, ...(rest ? [rest] : [])].map(({ key, token, y, p, removed_by, over }) =>
    [key, y, p > 0, removed_by, over, token?.green].join(),
  );
  const lines = cuts.map(({ stage, y, below, idle }) => [stage.name, y, below, idle].join());
  return [width, domain, ...shown, ...lines].join(' ');
}

/**
 * Returns the transform that gives a bar its length. A probability above zero is at least one pixel.
 * @param {number} length
 * @param {number} width
 * @param {number} share
 */
function barTransform(length, width, share) {
  const shown = share > 0 ? Math.max(1, length) : -2;
  return { transform: `translateX(${shown - width}px)` };
}

/** @param {string} stage */
function cutClass(stage) {
  return stage === 'top_k' || stage === 'top_p' ? `by-${stage}` : 'by-other';
}

/**
 * Renders the patterns for removed tokens: lines for top-k, dots for top-p, a grid for all others.
 * @param {number} unit
 */
function renderPatterns(unit) {
  const size = 6 * unit;
  const thin = size / 5;
  /** @param {string} id @param {unknown} ink @param {number} [turn] */
  const pattern = (id, ink, turn = 0) => svg`
    <pattern id=${id} width=${size} height=${size} patternUnits="userSpaceOnUse"
      patternTransform="rotate(${turn})">
      <rect class="wash" width=${size} height=${size}></rect>${ink}</pattern>`;
  const hatch = svg`<rect class="ink" width=${size / 3} height=${size}></rect>`;
  const dot = svg`<circle class="ink" cx=${size / 2} cy=${size / 2} r=${size / 3.6}></circle>`;
  const grid = svg`<path class="ink" d="M0 0H${size}V${thin}H${thin}V${size}H0Z"></path>`;
  return svg`<defs>
    ${pattern('tail', hatch, -45)}${pattern('by-top_k', hatch, 45)}${pattern('by-top_p', dot)}${pattern('by-other', grid)}</defs>`;
}
