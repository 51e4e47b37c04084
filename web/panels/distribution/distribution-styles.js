/** The look of <logit-distribution>. Bars and rows move by transform only. */
import { css } from 'lit';

export const barStyles = css`
  .top {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.25rem 1rem;
  }

  .tabs button {
    font-size: 0.8125rem;
  }

  .tabs button:hover {
    color: var(--ink);
  }

  .stage {
    position: relative;
  }

  .bytes {
    font-family: var(--mono);
  }

  .row:not(.rest) {
    cursor: pointer;
  }

  .figures,
  #panel {
    container-type: inline-size;
  }

  .readouts {
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: 0.625rem 0.75rem;
    min-height: 4.125rem;
    margin: 0.875rem 0 0.75rem;
  }

  .readouts div {
    padding-left: 0.75rem;
    border-left: 2px solid var(--line);
  }

  dd {
    margin: 0;
    font-family: var(--mono);
    font-size: 1.1875rem;
    font-weight: 600;
    letter-spacing: -0.02em;
    line-height: 1.3;
    white-space: nowrap;
  }

  @container (min-width: 29rem) {
    .readouts {
      grid-template-columns: repeat(4, minmax(0, 1fr));
    }
  }

  @container (max-width: 36rem) {
    dd {
      font-size: 0.9375rem;
    }
  }

  dd.note {
    color: var(--soft);
    font: 400 0.6875rem/1.35 var(--sans);
    letter-spacing: 0;
    white-space: normal;
  }

  .from,
  .arrow {
    color: var(--soft);
    font-weight: 400;
  }

  .arrow {
    margin: 0 0.25em;
  }

  .chart {
    position: relative;
    min-height: 12rem;
    border-radius: 0.375rem;
  }

  .chart > svg {
    display: block;
    width: 100%;
    overflow: visible;
    border-radius: 0.375rem;
    font-variant-numeric: tabular-nums;
    user-select: none;
  }

  .screen {
    fill: var(--sunken);
  }

  .grid {
    stroke: var(--grid);
  }

  .zero {
    stroke: var(--control-line);
  }

  .frame text {
    fill: var(--soft);
  }

  .frame .after {
    fill: var(--trace);
    font-weight: 600;
  }

  .row,
  .cutline {
    transition: transform var(--calm);
  }

  .hover {
    fill: transparent;
  }

  .row.active .hover {
    fill: var(--trace-wash);
  }

  .chart:focus-visible .row.active .hover {
    stroke: var(--trace);
    stroke-width: 1.5;
  }

  .name {
    fill: var(--ink);
    font-family: var(--mono);
    white-space: pre;
  }

  .row.rest .name {
    fill: var(--soft);
    font-family: var(--sans);
  }

  .name .space {
    fill: var(--soft);
  }

  .before {
    fill: var(--soft);
  }

  .after {
    fill: var(--ink);
    font-weight: 600;
  }

  .ghost {
    fill: var(--ghost);
    transition: transform var(--calm);
  }

  .final {
    fill: var(--trace);
    transition: transform var(--calm);
  }

  .row.rest .ghost {
    opacity: 0.55;
  }

  .count {
    fill: var(--ink);
    stroke: var(--panel);
    stroke-width: 0.75;
  }

  .row.hit .name,
  .row.hit .after {
    fill: var(--mark);
    font-weight: 700;
  }

  .row.hit .final {
    fill: var(--mark);
  }

  .removed .name,
  .row.gone .after {
    fill: var(--soft);
    font-weight: 400;
  }

  pattern .wash {
    fill: var(--panel);
  }

  #by-top_k .ink {
    fill: var(--cut-top_k);
  }

  #by-top_p .ink {
    fill: var(--cut-top_p);
  }

  #by-other .ink {
    fill: var(--cut-other);
  }

  .removed.by-top_k .ghost {
    fill: url(#by-top_k);
    stroke: var(--cut-top_k);
  }

  .removed.by-top_p .ghost {
    fill: url(#by-top_p);
    stroke: var(--cut-top_p);
  }

  .removed.by-other .ghost {
    fill: url(#by-other);
    stroke: var(--cut-other);
  }

  .tag {
    paint-order: stroke;
    stroke: var(--panel);
    stroke-width: 5;
    stroke-linejoin: round;
  }

  .wide pattern .wash {
    fill: var(--sunken);
  }

  .wide .tag {
    stroke: var(--sunken);
  }

  .row.active .tag {
    stroke: var(--trace-wash);
  }

  .by-top_k .tag {
    fill: var(--cut-top_k);
  }

  .by-top_p .tag {
    fill: var(--cut-top_p);
  }

  .by-other .tag,
  .cutline.by-other text {
    fill: var(--cut-other);
  }

  .cutline .back,
  .cutline.by-top_k .back,
  .cutline.by-top_p .back,
  .cutline.by-other .back {
    fill: var(--panel);
    stroke: var(--panel);
    stroke-linejoin: round;
  }

  .detail {
    min-height: 3.5rem;
    margin-top: 0.625rem;
    padding: 0.5rem 0.75rem;
    border-radius: 0.375rem;
    background: var(--sunken);
    color: var(--soft);
    font-size: 0.8125rem;
  }

  /* Lines are kept for what the numbers may need, so that nothing below moves. */
  @container (max-width: 60rem) {
    .detail {
      min-height: 4.875rem;
    }
  }

  @container (max-width: 36rem) {
    .detail {
      min-height: 6.125rem;
    }
  }

  @container (max-width: 30rem) {
    .detail {
      min-height: 8.625rem;
    }
  }

  @container (max-width: 24rem) {
    .detail {
      min-height: 9.75rem;
    }
  }

  .detail p {
    display: flex;
    flex-wrap: wrap;
    gap: 0 1rem;
    align-items: baseline;
  }

  .detail .path {
    gap: 0 0.375rem;
  }

  .detail .token {
    font-size: 0.9375rem;
  }

  .detail b {
    color: var(--ink);
    font-weight: 600;
  }

  .scroll {
    overflow-x: auto;
  }

  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 0.8125rem;
  }

  th,
  td {
    padding: 0.25rem 0.75rem 0.25rem 0;
    border-bottom: 1px solid var(--line);
    font-weight: 400;
    text-align: right;
  }

  thead th {
    color: var(--soft);
    font-size: 0.75rem;
  }

  th:nth-child(2),
  td:last-child,
  th:last-child {
    padding-left: 0.75rem;
    text-align: left;
  }
`;
